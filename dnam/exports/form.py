"""The form of an export: JSON lines that hold a whole memory, readable, and come back as the same rows.

    {"line":"dnam", "dnam_export":1, "events":N, …}         first: what this is, and what it must be kept like
    {"line":"vault", "vault":V, "kind":…, "people":[…]}     in front of the first event that it seals; without its key
    {"line":"event", "seq":1, "id":…, "vault":V, "tag":…, "event":{…}}
    {"line":"gap", "seq":2, "id":…, "tag":…, "why":"redacted"}   its words are gone; its place and id stay
    {"line":"end", "events":N, "gaps":…, "digest":…}        last: all of it is there

Bytes (ids, handles, vaults, hashes) are base64. `digest` is SHA-256, in hex, of every line before the last, line feeds
included. Of an event in a vault without a line the key was destroyed.

What is not in it, and differs where it comes back: the keys, so the sealed bytes, the headers' digests and the tree.
Everything else is as it was: ids, order, when it was recorded, which events one decision made, whose words a vault
holds. Ids of what a platform named are made with the id key; with it in the export, what a platform delivers again is
known, and who opted out or was erased stays so.
"""

from typing import Annotated, Any, Literal

import msgspec

from projections.decisions.given import GivenVault, VaultKind
from projections.events import EVENTS, OLD, Event
from projections.ids import Handle, VaultId
from replay.errors import UnknownEvent

FORM = 1
"""The version of the form. A program reads no higher one."""

Sixteen = Annotated[bytes, msgspec.Meta(min_length=16, max_length=16)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Why = Literal["redacted", "erased"]

WITH_KEY = (
    "This is a memory in the clear: keep it like the memory itself. The id key in it makes ids from the names that "
    "platforms give; who has it can test whether somebody opted out or was erased. `dnam import` into a new folder "
    "gives the same rows; the keys that seal them, the sealed bytes and the tree are new."
)
WITHOUT_KEY = (
    "This is a memory in the clear: keep it like the memory itself. The id key is not in it. `dnam import` into a new "
    "folder gives the same rows, but ids made there from a platform's names are others: a message that is delivered or "
    "imported again is taken for a new one, and who opted out or was erased is not known as that."
)


class Head(msgspec.Struct, frozen=True, kw_only=True, tag_field="line", tag="dnam"):
    """The first line. `first` is the id of the first event, by which a memory is known to be the same one."""

    dnam_export: int
    program: str
    made: int
    events: Count
    first: bytes
    id_key: bytes | None
    says: str


class VaultLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="line", tag="vault"):
    """Whose words a vault holds, and by which label it is found."""

    vault: Sixteen
    kind: VaultKind
    label: bytes
    people: tuple[Sixteen, ...]

    def given(self) -> GivenVault:
        """The vault, as it may be taken over."""
        people = frozenset(Handle(each) for each in self.people)
        return GivenVault(VaultId(self.vault), self.kind, self.label, people)


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """What an event and a gap have in common: the header."""

    seq: int
    id: Sixteen
    at: int
    left: Count
    vault: Sixteen
    tag: str
    version: int


class EventLine(_Place, frozen=True, kw_only=True, tag_field="line", tag="event"):
    """An event. `event` are its fields, decoded once the tag is known."""

    event: msgspec.Raw


class GapLine(_Place, frozen=True, kw_only=True, tag_field="line", tag="gap"):
    """An event whose words are gone."""

    why: Why


class End(msgspec.Struct, frozen=True, kw_only=True, tag_field="line", tag="end"):
    """The last line: what is in front of it is all there was."""

    events: Count
    gaps: Count
    digest: str


Line = Head | VaultLine | EventLine | GapLine | End

_encoder = msgspec.json.Encoder()
_decoder: "msgspec.json.Decoder[Line]" = msgspec.json.Decoder(Line)
_events: dict[tuple[str, int], "msgspec.json.Decoder[Any]"] = {
    (kind.TAG, kind.VERSION): msgspec.json.Decoder(kind) for kind in EVENTS
}


def encode(line: Line) -> bytes:
    """One line, with its line feed."""
    return _encoder.encode(line) + b"\n"


def decode(data: bytes) -> Line:
    """One line. msgspec.DecodeError where it is none."""
    return _decoder.decode(data)


def fields(event: Event) -> msgspec.Raw:
    """An event's fields, for its line."""
    return msgspec.Raw(_encoder.encode(event))


def event_of(line: EventLine) -> Event:
    """The event of a line, in today's form. UnknownEvent for a newer one."""
    decoder = _events.get((line.tag, line.version))
    if decoder is not None:
        event: Event = decoder.decode(line.event)
        return event
    if (line.tag, line.version) in OLD:
        struct, lift = OLD[line.tag, line.version]
        return lift(msgspec.json.decode(line.event, type=struct))
    raise UnknownEvent(
        f"the export holds a {line.tag} of version {line.version}, which this program does not know. "
        "Install the version of dnam that wrote it"
    )
