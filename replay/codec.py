"""Headers and bodies as bytes.

A header is a msgpack array that does not hold its own position, so the same bytes can later lie in another log::

    [v, id, at, left, tag, tag_version, vault, body_digest]
     └──────────── associated data ───────────┘

A body is the event's fields as a msgpack map, sealed (sealer.py) or, for a few tags, as it is.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from projections.errors import BadEvent
from projections.events import EVENTS, OLD, Event
from projections.ids import EventId, VaultId
from replay.errors import Damaged, UnknownEvent

HEADER_VERSION = 1
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding broken bytes raises: a string that is no UTF-8, and nesting without end, are errors of their own."""
UNWRITABLE = (TypeError, OverflowError, UnicodeError, Damaged)
"""What fields raise that are not what their types say, here or when they are read again."""

_encode = msgspec.msgpack.Encoder().encode
fields_of = msgspec.msgpack.Decoder(tuple[int, bytes, int, int, str, int, bytes, bytes]).decode
"""A header's bytes as its eight fields, in order."""
_EIGHT, _DIGEST = b"\x98", b"\xc4\x20"
"""In msgpack, what begins an array of eight and 32 bytes in it."""
_newest = {kind.TAG: kind for kind in EVENTS}
_decoders: dict[tuple[str, int], "msgspec.msgpack.Decoder[Any]"] = {
    (kind.TAG, kind.VERSION): msgspec.msgpack.Decoder(kind) for kind in EVENTS
}


INSTALL = "Install the version of dnam that wrote it"
Form = tuple[str, int]
"""A tag and a version of it."""


class Header(NamedTuple):
    """What is known of an event without its key. `at` is ms when recorded; `left` events of the decision follow."""

    version: int
    id: EventId
    at: int
    left: int
    tag: str
    tag_version: int
    vault: VaultId
    body_digest: bytes


def encode_header(header: Header) -> bytes:
    """The header's bytes: what the tree hashes."""
    return _encode(header)


def associated(header: Header) -> bytes:
    """The first seven fields, which the seal binds to the body."""
    return _encode(header[:7])


def header_around(bound: bytes, body_digest: bytes) -> bytes:
    """The header of these first seven fields, as `associated` has them, and the digest behind them: the same bytes as
    `encode_header` makes, with the seven encoded once.
    """
    return _EIGHT + bound[1:] + _DIGEST + body_digest


def decode_header(data: bytes) -> Header:
    """The header of these bytes. UnknownEvent for a newer form, Damaged for a broken one."""
    if b"\x90" <= data[:1] <= b"\x9f" and bytes([HEADER_VERSION]) < data[1:2] < b"\x80":  # [v, …] in msgpack
        raise UnknownEvent(f"a header has the form {data[1]}, and this program knows up to {HEADER_VERSION}. {INSTALL}")
    try:
        return Header._make(fields_of(data))
    except UNREADABLE as error:
        raise Damaged(f"a header cannot be read: {error}") from error


def form_of(header: bytes) -> Form | None:
    """Of which kind an event is and in which form, by its header; None where that cannot be read."""
    with suppress(Damaged, UnknownEvent):
        read = decode_header(header)
        return read.tag, read.tag_version
    return None


def unknown_forms(forms: Iterable[Form]) -> list[str]:
    """What to say of each of these that this program cannot read."""
    return [_unknown(*form) for form in sorted(forms) if form not in _decoders and form not in OLD]


def header_id(data: bytes) -> EventId:
    """The id in a header's bytes, without decoding the rest; no id when the bytes are too few."""
    return EventId(data[4:20])


def encode_body(event: Event) -> bytes:
    """The event's fields, all of them, by name. BadEvent for one that could not be read again: a log that holds it ends
    there for whoever folds it anew. No words of the event stand in the error.
    """
    try:
        body = _encode(event)
        decode_body(event.TAG, event.VERSION, body)
    except UNWRITABLE as error:
        raise BadEvent(
            f"a {event.TAG} could not be read again, and is not recorded: {_why_unwritable(error)}"
        ) from error
    return body


def _why_unwritable(error: Exception) -> str:
    """What is wrong with the fields of an event, without what stands in them."""
    if isinstance(error, UnicodeError):
        return "a text in it has half a character (a surrogate)"
    return str(error.__cause__ or error)


def decode_body(tag: str, version: int, data: bytes) -> Event:
    """The event of these bytes, lifted to today's form. UnknownEvent for a newer one, Damaged for a broken one."""
    decoder = _decoders.get((tag, version))
    try:
        if decoder is not None:
            event: Event = decoder.decode(data)
            return event
        if (tag, version) in OLD:
            struct, lift = OLD[tag, version]
            return lift(msgspec.msgpack.decode(data, type=struct))
    except UNREADABLE as error:
        raise Damaged(f"the body of a {tag} cannot be read: {error}") from error
    raise UnknownEvent(_unknown(tag, version))


def _unknown(tag: str, version: int) -> str:
    known = _newest.get(tag)
    have = f"knows version {known.VERSION} of it" if known else "does not know this tag"
    return f"the log holds a {tag} of version {version}; this program {have}. {INSTALL}"


def digest(data: bytes) -> bytes:
    """SHA-256, 32 bytes."""
    return hashlib.sha256(data).digest()
