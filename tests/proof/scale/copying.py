"""A scene with another cast, in another place, at another time.

A copy of an event is its own bytes with other ids, people, places, times and numbers where those stand, and other words
where somebody chatted. It is sealed under the key of the vault it belongs to, with the program's own header, seal and
digest, so it lies in the log as if the engine had written it; only the deciding is left out.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from projections.events import Event, MessageHeard, TurnAnswered
from projections.ids import EventId, Handle, VaultId
from projections.registry import FOLD
from replay import codec
from replay.codec import Header
from replay.log import Entry
from replay.ring.keyring import Vault
from replay.sealer import NONCE, Sealer
from replay.store import DiskStore
from tests.bench.talk import FIRST_SAID
from tests.proof.scale.scenes import KEYS, Scene

MET_ONCE = ("person.", "place.")
ITEM_TURNS = 8
"""An item comes back under its own id every so many copies: nobody has thousands of items."""
_MINUTE_MS = 60_000
_LONGEST_MS = 3_600_000
_PATTERNS = {
    "time": rb"(?<=\xcf)\x00\x00\x01\x8b.{4}",
    "key": rb"(?<!\d)1\d{18}(?!\d)",
    "place": rb"(?<!\d)9[123]\d{16}(?!\d)",
    "item": rb"durable-[0-9a-f]{8}",
}
_encode = msgspec.msgpack.Encoder().encode


class Slot(NamedTuple):
    """What a copy changes: of which kind, and what stands there in the scene."""

    kind: str
    was: bytes


class Piece(NamedTuple):
    """An event of a scene: its header, which of the scene's vaults seals it, and its body, cut where something of the
    scene stands: `slots` are numbers in the template's list.
    """

    header: Header
    vault: int
    constants: Sequence[bytes]
    slots: Sequence[int]


class Sealing(NamedTuple):
    """A vault of a scene: its kind, as the key ring has it, and whose words of the cast it holds."""

    kind: int
    people: Sequence[int]


class Template(NamedTuple):
    """A scene, ready to be copied. `lasts` is in ms; `places` are the platform's names of its places."""

    kind: str
    pieces: Sequence[Piece]
    slots: Sequence[Slot]
    vaults: Sequence[Sealing]
    cast: Sequence[Handle]
    places: Sequence[bytes]
    texts: int
    lasts: int


class Order(NamedTuple):
    """A copy to be made: of which template, the how manieth of all, when it begins (ms), who plays, where, and what
    seals it: for each of the template's vaults its id and key.
    """

    template: int
    number: int
    starts: int
    cast: Sequence[Handle]
    places: Sequence[bytes]
    vaults: Sequence[tuple[VaultId, bytes]]


# -- a scene becomes a template ----------------------------------------------------------------------------------------


def template(scene: Scene) -> Template:
    """What the memory of a scene holds, but for who and what was met in it: that is met once in the community."""
    store = DiskStore(scene.folder, FOLD, writable=False)
    try:
        sealer = Sealer(store.ring)
        stored = [(codec.decode_header(each.header), sealer.record(each, frozenset())) for each in store.log.read(0)]
        vaults = dict(store.ring.vaults)
    finally:
        store.close()
    played = [(head, found.event) for head, found in stored if found and not head.tag.startswith(MET_ONCE)]
    return _template(scene, played, vaults)


def _template(scene: Scene, played: Sequence[tuple[Header, Event]], vaults: Mapping[VaultId, Vault]) -> Template:
    cast = list(dict.fromkeys(event.message.speaker for _, event in played if isinstance(event, MessageHeard)))
    used = list(dict.fromkeys(VaultId(head.vault) for head, _ in played))
    slots: dict[Slot, int] = {}
    pieces = []
    for head, event in played:
        body = codec.encode_body(event)
        constants, found = _cut(body, _finder(played, cast, event))
        numbers = [slots.setdefault(each, len(slots)) for each in found]
        pieces.append(Piece(head, used.index(VaultId(head.vault)), constants, numbers))
    places = list(dict.fromkeys(each.was for each in slots if each.kind == "place"))
    sealings = [Sealing(vaults[each].kind, [cast.index(who) for who in sorted(vaults[each].people)]) for each in used]
    texts = sum(each.kind == "text" for each in slots)
    lasts = played[-1][0].at - FIRST_SAID
    return Template(scene.kind.name, pieces, list(slots), sealings, cast, places, texts, lasts)


def _finder(played: Sequence[tuple[Header, Event]], cast: Sequence[Handle], event: Event) -> re.Pattern[bytes]:
    """What finds all that a copy of this event changes."""
    ids = [bytes(head.id) for head, _ in played]
    literal = {
        "text": [_text(event.message.text)] if isinstance(event, MessageHeard) and not event.message.addressed else [],
        "nonce": [event.nonce.encode()] if isinstance(event, TurnAnswered) else [],
        "id": ids,
        "id_hex": [each.hex().encode() for each in ids],
        "person": [bytes(each) for each in cast],
        "person_hex": [each.hex().encode() for each in cast],
    }
    named = {kind: b"|".join(map(re.escape, each)) for kind, each in literal.items() if each}
    return re.compile(b"|".join(b"(?P<%b>%b)" % (k.encode(), p) for k, p in (named | _PATTERNS).items()), re.DOTALL)


def _text(text: str) -> bytes:
    """A message's words as they stand in a body."""
    return b"\xa4text" + _encode(text)


def _cut(body: bytes, finder: re.Pattern[bytes]) -> tuple[list[bytes], list[Slot]]:
    """The body between what a copy changes, and what it changes."""
    constants, slots, done = [], [], 0
    for found in finder.finditer(body):
        kind = found.lastgroup or ""
        if kind == "time" and not FIRST_SAID <= int.from_bytes(found[0], "big") < FIRST_SAID + _LONGEST_MS:
            continue
        constants.append(body[done : found.start()])
        slots.append(Slot(kind, found[0]))
        done = found.end()
    return [*constants, body[done:]], slots


# -- a template becomes events -----------------------------------------------------------------------------------------


class Copier:
    """Makes the events of orders. `texts` are what is chatted, one after the other."""

    def __init__(self, templates: Sequence[Template], texts: Iterator[str]) -> None:
        self._templates = templates
        self._texts = texts
        self._ciphers: dict[bytes, AESGCM] = {}

    def entries(self, order: Order) -> list[Entry]:
        """The events of one copy, sealed."""
        scene = self._templates[order.template]
        ids = _moved_ids(scene, order)
        values = [self._value(scene, order, ids, each) for each in scene.slots]
        return [self._entry(piece, order, ids, values) for piece in scene.pieces]

    def _value(self, scene: Template, order: Order, ids: Mapping[bytes, EventId], slot: Slot) -> bytes:
        return _text(next(self._texts)) if slot.kind == "text" else _VALUES[slot.kind](scene, order, ids, slot.was)

    def _entry(self, piece: Piece, order: Order, ids: Mapping[bytes, EventId], values: Sequence[bytes]) -> Entry:
        filled = (values[slot] for slot in piece.slots)
        body = b"".join(part for pair in zip_longest(piece.constants, filled, fillvalue=b"") for part in pair)
        vault, key = order.vaults[piece.vault]
        at = piece.header.at - FIRST_SAID + order.starts
        event = ids[piece.header.id]
        bound = codec.associated(piece.header._replace(id=event, at=at, vault=vault))
        nonce = os.urandom(NONCE)
        sealed = nonce + self._cipher(key).encrypt(nonce, body, bound)
        return Entry(event, codec.header_around(bound, codec.digest(sealed)), sealed)

    def _cipher(self, key: bytes) -> AESGCM:
        if key not in self._ciphers:
            self._ciphers[key] = AESGCM(key)
        return self._ciphers[key]


def _moved_ids(scene: Template, order: Order) -> dict[bytes, EventId]:
    """The id of each event in this copy: its minute, and a hash for the rest."""
    salt, later = order.number.to_bytes(8, "big"), (order.starts - FIRST_SAID) // _MINUTE_MS
    return {
        bytes(was): EventId((int.from_bytes(was[:4], "big") + later).to_bytes(4, "big") + _hashed(was + salt)[:12])
        for was in (piece.header.id for piece in scene.pieces)
    }


def _hashed(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


Value = Callable[[Template, Order, Mapping[bytes, EventId], bytes], bytes]


def _time(_: Template, order: Order, __: Mapping[bytes, EventId], was: bytes) -> bytes:
    return (int.from_bytes(was, "big") - FIRST_SAID + order.starts).to_bytes(8, "big")


def _key(_: Template, order: Order, __: Mapping[bytes, EventId], was: bytes) -> bytes:
    return b"%d" % (int(was) + (order.number + 1) * KEYS * KEYS)


def _place(scene: Template, order: Order, _: Mapping[bytes, EventId], was: bytes) -> bytes:
    return order.places[scene.places.index(was)]


def _item(_: Template, order: Order, __: Mapping[bytes, EventId], was: bytes) -> bytes:
    return b"durable-" + _hashed(was + bytes([order.number % ITEM_TURNS])).hex()[:8].encode()


_VALUES: Mapping[str, Value] = {
    "id": lambda _, __, ids, was: ids[was],
    "id_hex": lambda _, __, ids, was: ids[bytes.fromhex(was.decode())].hex().encode(),
    "nonce": lambda _, order, __, was: _hashed(was + order.number.to_bytes(8, "big")).hex()[:25].encode(),
    "person": lambda scene, order, _, was: order.cast[scene.cast.index(Handle(was))],
    "person_hex": lambda scene, order, _, was: (
        order.cast[scene.cast.index(Handle(bytes.fromhex(was.decode())))].hex().encode()
    ),
    "time": _time,
    "key": _key,
    "place": _place,
    "item": _item,
}
"""What stands in a copy where the scene has something of its own."""
