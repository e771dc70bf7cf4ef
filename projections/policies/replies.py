"""What a model replied, made into values or rejected: here ends what is not known to be well formed.

Three shapes are understood, whole or inside a ```json fence or prose:

    {"upserts": [{…}], "deprecations": [{…}]}       seed 000, with the fields of seeds 003 and 004
    {"extracted_memories": [{"summary": …, …}]}     seed 004
    [{"kind": …, "text": …, "supersedes": …}]       DiscoClaw's own

A list of one may stand without its brackets, and a number in quotes. A bad entry is dropped and reported. A reply that
is none of these, or of whose entries none can be used, is `Unreadable`, and nothing is decided from it.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar, get_args

import msgspec

from projections.events.values import About, ItemType
from projections.policies.kinds import read_kind, read_tags
from projections.policies.reply_json import json_values
from projections.policies.text import tidy, whole

VERSION = "replies@2"
MOST_REPLY_CHARS = 200_000
MOST_ENTRIES = 100
"""The most entries that one reply may have of a sort; a decision yields at most 1,000 events."""
MOST_QUOTES = 10
MOST_QUOTE_CHARS = 1_000
MOST_ID_CHARS = 200

DEFAULT_TYPE: ItemType = "episodic"
DEFAULT_CONFIDENCE = 1000
"""What a new item has where the model is silent, by seed 004."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
T = TypeVar("T")
W = TypeVar("W", bound=msgspec.Struct)


class Quote(msgspec.Struct, frozen=True):
    """Words that an entry rests on; `message` names the message they stand in as the prompt did, or is empty."""

    quote: str
    message: str = ""


class UpsertEntry(msgspec.Struct, frozen=True):
    """An item that the model adds or changes. None and () mean that it did not say; confidence is in thousandths.

    `source` is the message it names; `supersedes` are ids or texts of what this replaces. `must_quote`: its form has a
    place for the words that it rests on.
    """

    kind: str
    text: str
    id: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    type: ItemType | None = None
    about: About | None = None
    confidence: int | None = None
    evidence: tuple[Quote, ...] = ()
    shareable: bool = False
    valid_from: int | None = None
    valid_until: int | None = None
    supersedes: tuple[str, ...] = ()
    must_quote: bool = False


class DeprecationEntry(msgspec.Struct, frozen=True):
    """Something that no longer holds: by id, or else by words of it."""

    id: str = ""
    reason: str = ""
    match_text: str = ""


class Dropped(msgspec.Struct, frozen=True):
    """An entry that could not be used: which one, and why."""

    entry: str
    reason: str


class ExtractionReply(msgspec.Struct, frozen=True):
    """A reply that could be read."""

    upserts: tuple[UpsertEntry, ...] = ()
    deprecations: tuple[DeprecationEntry, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Unreadable(msgspec.Struct, frozen=True):
    """A reply that could not be read, and why."""

    reason: str


# The forms as they arrive. Unknown fields are ignored, a field of the wrong type rejects its entry.

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _WireSource(msgspec.Struct):
    message_id: str | int | None = msgspec.field(name="messageId", default=None)


class _WireQuote(msgspec.Struct):
    quote: str
    message: str | int | None = None


_WireEvidence = str | list[str | _WireQuote] | None
_WireTime = str | int | None


class _WireUpsert(msgspec.Struct):
    text: str
    kind: str | None = None
    id: str | None = None
    tags: list[str] | None = None
    source: str | _WireSource | None = None
    type: str | None = None
    about: str | None = None
    confidence: _Share | None = None
    evidence: _WireEvidence = None
    shareable: bool | None = None
    valid_from: _WireTime = None
    valid_until: _WireTime = None
    supersedes: str | list[str] | None = None


class _WireMemory(msgspec.Struct):
    summary: str
    type: str | None = None
    raw_dialogue: str | None = None
    confidence: _Share | None = None
    global_safe: bool | None = None


class _WireDeprecation(msgspec.Struct):
    id: str | None = None
    reason: str | None = None
    match_text: str | None = msgspec.field(name="matchText", default=None)


def read_extraction(reply: str) -> ExtractionReply | Unreadable:
    """The entries of an extraction's reply, or why there are none."""
    if len(reply) > MOST_REPLY_CHARS:
        return Unreadable(f"the reply is longer than {MOST_REPLY_CHARS} characters")
    shapes = (_read_shape(value) for value in json_values(reply))
    found = next((shape for shape in shapes if shape is not None), None)
    if found is None:
        return Unreadable("the reply holds no JSON with `upserts`, `deprecations` or `extracted_memories`")
    if found.dropped and not found.upserts and not found.deprecations:
        first, number = found.dropped[0], len(found.dropped)
        return Unreadable(f"nothing in the reply can be used ({number} wrong): {first.entry}: {first.reason}")
    return found


def _read_shape(value: Any) -> ExtractionReply | None:
    match value:
        case {"upserts": list() | dict() | None} | {"deprecations": list() | dict() | None}:
            return _read_lists(value.get("upserts"), _WireUpsert, _upsert, value.get("deprecations"))
        case {"extracted_memories": list() | dict() as memories}:
            return _read_lists(memories, _WireMemory, _memory, None)
        case list() as entries if all(isinstance(each, dict) for each in entries):
            return _read_lists(entries, _WireUpsert, _upsert, None)
        case _:
            return None


def _read_lists(upserts: Any, wire: type[W], read: Callable[[W], UpsertEntry], deprecations: Any) -> ExtractionReply:
    kept, dropped = _entries("upserts", upserts, wire, read)
    gone, useless = _entries("deprecations", deprecations, _WireDeprecation, _deprecation)
    return ExtractionReply(tuple(kept), tuple(gone), (*dropped, *useless))


def _entries(name: str, values: Any, wire: type[W], read: Callable[[W], T]) -> tuple[list[T], list[Dropped]]:
    """The entries of one list that can be used, and those that cannot."""
    if values is None or values == {}:
        return [], []
    listed = [values] if isinstance(values, dict) else values
    if not isinstance(listed, list):
        return [], [Dropped(name, "it is no list")]
    kept: list[T] = []
    dropped: list[Dropped] = []
    for number, value in enumerate(listed):
        try:
            if number >= MOST_ENTRIES:
                raise ValueError(f"only the first {MOST_ENTRIES} entries are read")
            kept.append(read(msgspec.convert(value, wire, strict=False)))
        except ValueError as error:  # msgspec.ValidationError is one
            dropped.append(Dropped(f"{name}[{number}]", whole(str(error))))
    return kept, dropped


def _upsert(wire: _WireUpsert) -> UpsertEntry:
    return UpsertEntry(
        kind=read_kind(wire.kind or ""),
        text=_text(wire.text),
        id=_name(wire.id),
        tags=read_tags(wire.tags or ()),
        source=_name(wire.source.message_id if isinstance(wire.source, _WireSource) else wire.source),
        type=_one_of(ItemType, wire.type),
        about=_one_of(About, wire.about),
        confidence=_thousandths(wire.confidence),
        evidence=_quotes(wire.evidence),
        shareable=bool(wire.shareable),
        valid_from=_moment("valid_from", wire.valid_from),
        valid_until=_moment("valid_until", wire.valid_until),
        supersedes=_names(wire.supersedes),
        must_quote=wire.evidence is not None,
    )


def _memory(wire: _WireMemory) -> UpsertEntry:
    """Seed 004's form: its dialogue is lines with speakers, of which only the person's own words are evidence; it is
    never without.
    """
    lines = (wire.raw_dialogue or "").replace("\\n", "\n").splitlines()
    said = [line.removeprefix("User: ") for line in lines if not line.startswith("Assistant:")]
    return UpsertEntry(
        kind=read_kind(""),
        text=_text(wire.summary),
        type=_one_of(ItemType, wire.type),
        confidence=_thousandths(wire.confidence),
        evidence=_quotes([*said]),
        shareable=bool(wire.global_safe),
        must_quote=True,
    )


def _deprecation(wire: _WireDeprecation) -> DeprecationEntry:
    entry = DeprecationEntry(_name(wire.id), tidy(wire.reason or ""), tidy(wire.match_text or ""))
    if not entry.id and not entry.match_text:
        raise ValueError("it has neither `id` nor `matchText`")
    return entry


def _text(text: str) -> str:
    clean = tidy(text)
    if not clean:
        raise ValueError("its text is empty")
    return clean


def _name(name: str | int | None) -> str:
    return "" if name is None else tidy(str(name))[:MOST_ID_CHARS]


def _names(names: str | list[str] | None) -> tuple[str, ...]:
    given = [names] if isinstance(names, str) else names or []
    return tuple(clean for each in given[:MOST_ENTRIES] if (clean := tidy(each)))


def _one_of(allowed: Any, word: str | None) -> Any:
    """One of a Literal's words; another word counts as silence, as an unknown kind does."""
    name = tidy(word or "").lower()
    return name if name in get_args(allowed) else None


def _thousandths(share: float | None) -> int | None:
    return None if share is None else round(share * 1000)


def _quotes(evidence: str | Sequence[str | _WireQuote] | None) -> tuple[Quote, ...]:
    given = [evidence] if isinstance(evidence, str) else evidence or []
    quotes = (_quote(each) for each in given)
    return tuple(quote for quote in quotes if quote.quote or quote.message)[:MOST_QUOTES]


def _quote(wire: str | _WireQuote) -> Quote:
    if isinstance(wire, str):
        return Quote(tidy(wire)[:MOST_QUOTE_CHARS])
    return Quote(tidy(wire.quote)[:MOST_QUOTE_CHARS], _name(wire.message))


def _moment(field: str, value: _WireTime) -> int | None:
    """A date, or ms since 1970; dates without a zone are UTC."""
    if isinstance(value, int):
        return _bounded(field, value)
    if not value or not value.strip():
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return _bounded(field, (aware - _EPOCH) // timedelta(milliseconds=1))
    except (ValueError, OverflowError):
        raise ValueError(f"`{field}` is no date like 2026-02-09") from None


def _bounded(field: str, milliseconds: int) -> int:
    if abs(milliseconds) >= 1 << 53:
        raise ValueError(f"`{field}` lies too far away")
    return milliseconds
