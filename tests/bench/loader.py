"""Large logs, quickly: the seed's conversation over and over, each time later, under new ids.

A copy of an event is its own bytes with other ids, times and message numbers in their places. It is decoded, sealed and
appended by the program's own codec, sealer and log, so it lies on disk as if the engine had written it; only the
deciding is left out. People and places are met once, in the seed.
"""

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from projections.events import Event, TurnAnswered
from projections.ids import EventId, VaultId
from projections.registry import FOLD
from replay import codec
from replay.codec import Header
from replay.log import Commit, Entry
from replay.sealer import Sealer
from replay.store import DiskStore
from tests.bench.talk import FIRST_SAID

MET_ONCE = ("person.", "place.")
ITEM_TURNS = 20
"""An item comes back under its own id every so many copies: nobody has thousands of items."""
_KEY_STEP = 10_000_000
_DAY_MS = 24 * 3600 * 1000
_ID = re.compile(rb"(?=\xc4\x10(.{16}))", re.DOTALL)
_TIME = re.compile(rb"(?=\xcf(.{8}))", re.DOTALL)
_KEY = re.compile(rb"(?<!\d)1\d{18}(?!\d)")
_ITEM = re.compile(rb"durable-[0-9a-f]{8}")


class Piece(NamedTuple):
    """An event of the seed: its header, its open body, and where in the body stands what a copy changes."""

    header: Header
    body: bytes
    ids: Sequence[tuple[int, bytes]]
    times: Sequence[tuple[int, int]]
    keys: Sequence[tuple[int, int]]
    items: Sequence[tuple[int, bytes]]
    nonce: int | None


class Shift(NamedTuple):
    """What a copy is moved by."""

    number: int
    milliseconds: int
    ids: dict[bytes, EventId]

    def item(self, name: bytes) -> bytes:
        """The id of an item in this copy."""
        turn = self.number % ITEM_TURNS
        return name if turn == 0 else b"durable-" + hashlib.sha256(name + bytes([turn])).hexdigest()[:8].encode()


def grow_to(store: DiskStore, events: int) -> int:
    """Append copies of a seeded log's conversation until it holds about so many events; how many it holds."""
    pieces = _pieces(store)
    span = _span(pieces)
    sealer = Sealer(store.ring)
    number = 0
    while (room := events - store.log.head().size) > 0:
        number += 1
        shift = Shift(number, number * span, _moved_ids(pieces, number, number * span))
        entries = list(_whole_decisions(pieces, shift, sealer, room))
        if not entries:
            break
        last = pieces[len(entries) - 1].header.at + shift.milliseconds
        store.log.append(Commit(entries, last), store.log.head())
    return store.log.head().size


def copy_seed(seed: Path, folder: Path, events: int) -> int:
    """A data folder of about so many events, grown from a seed; its views are as old as the seed's."""
    shutil.copytree(seed, folder)
    store = DiskStore(folder, FOLD, writable=True)
    try:
        return grow_to(store, events)
    finally:
        store.close()


def _pieces(store: DiskStore) -> list[Piece]:
    sealer, erased = Sealer(store.ring), store.log.erased_vaults()
    stored = [(codec.decode_header(each.header), sealer.record(each, erased)) for each in store.log.read(0)]
    talk = [(header, record) for header, record in stored if not header.tag.startswith(MET_ONCE)]
    known = frozenset(bytes(header.id) for header, _ in talk)
    return [_piece(header, record.event, known) for header, record in talk if record is not None]


def _piece(header: Header, event: Event, known: frozenset[bytes]) -> Piece:
    body = codec.encode_body(event)
    times = ((each.start() + 1, int.from_bytes(each[1], "big")) for each in _TIME.finditer(body))
    return Piece(
        header=header,
        body=body,
        ids=[(each.start() + 2, each[1]) for each in _ID.finditer(body) if each[1] in known],
        times=[(at, time) for at, time in times if FIRST_SAID <= time < FIRST_SAID + 400 * _DAY_MS],
        keys=[(each.start(), int(each[0])) for each in _KEY.finditer(body)],
        items=[(each.start(), each[0]) for each in _ITEM.finditer(body)],
        nonce=body.find(event.nonce.encode()) if isinstance(event, TurnAnswered) else None,
    )


def _span(pieces: Sequence[Piece]) -> int:
    """How long the conversation lasted, in ms, to the next whole day: what a copy is later than the one before."""
    lasted = pieces[-1].header.at - pieces[0].header.at
    return (lasted // _DAY_MS + 1) * _DAY_MS


def _moved_ids(pieces: Sequence[Piece], number: int, milliseconds: int) -> dict[bytes, EventId]:
    minutes, salt = milliseconds // 60_000, number.to_bytes(4, "big")
    return {bytes(each.header.id): _moved_id(each.header.id, minutes, salt) for each in pieces}


def _moved_id(event: EventId, minutes: int, salt: bytes) -> EventId:
    later = (int.from_bytes(event[:4], "big") + minutes).to_bytes(4, "big")
    return EventId(later + hashlib.sha256(event + salt).digest()[:12])


def _whole_decisions(pieces: Sequence[Piece], shift: Shift, sealer: Sealer, room: int) -> Iterator[Entry]:
    """The copies of the first pieces, about as many as there is room for; no decision is cut."""
    for taken, piece in enumerate(pieces):
        if taken >= room and pieces[taken - 1].header.left == 0:
            return
        header = piece.header._replace(
            id=shift.ids[piece.header.id],
            at=piece.header.at + shift.milliseconds,
            vault=VaultId(piece.header.vault),
            body_digest=b"",
        )
        event = codec.decode_body(header.tag, header.tag_version, _moved(piece, shift))
        yield Entry(header.id, *sealer.seal(event, header))


def _moved(piece: Piece, shift: Shift) -> bytes:
    body = bytearray(piece.body)
    for at, event in piece.ids:
        body[at : at + 16] = shift.ids[event]
    for at, time in piece.times:
        body[at : at + 8] = (time + shift.milliseconds).to_bytes(8, "big")
    for at, key in piece.keys:
        body[at : at + 19] = str(key + shift.number * _KEY_STEP).encode()
    for at, item in piece.items:
        body[at : at + 16] = shift.item(item)
    if piece.nonce is not None:
        body[piece.nonce : piece.nonce + 25] = shift.ids[piece.header.id].hex()[-25:].encode()
    return bytes(body)
