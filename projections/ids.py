"""The names of things: event ids, person handles, places and what event ids are made from.

An event id is 16 bytes, so that ids of one time lie together in the log's id table::

    0        4                         16
    | minute | HMAC or random, 12 bytes |

`minute` is big-endian minutes since 1970 of the platform's own time. The other twelve bytes are an HMAC-SHA-256,
under the log's id key, of what the platform calls the thing and what was done with it, so that a message delivered
twice is one event; where there is no such name they come from a random seed that the shell handed in.
"""

import hashlib
import hmac
import re
from functools import lru_cache
from typing import NamedTuple, NewType

import msgspec

from projections.remembered import of_people

Seq = NewType("Seq", int)
"""The place of an event in the log, from 1."""
EventId = NewType("EventId", bytes)
"""16 bytes; see the module's picture."""
Handle = NewType("Handle", bytes)
"""A person: 16 random bytes that say nothing about who it is."""
VaultId = NewType("VaultId", bytes)
"""16 random bytes that name the key which seals a body."""

FIRST = EventId(bytes(16))
LAST = EventId(b"\xff" * 16)
"""No event has these: in a point, they stand before and behind all that was said in the same ms."""
NOBODY = Handle(b"")
"""Where a handle could stand and nobody is meant: an unknown speaker, lore that belongs to no person."""
UNSEALED = VaultId(bytes(16))
"""The vault of the few bodies that are stored in the clear."""

DISCORD = "discord"
"""What Discord is called where a platform has a name."""
MINUTE_MS = 60_000
SNOWFLAKE_EPOCH_MS = 1_420_070_400_000
"""When the time in Discord's ids begins, in ms since 1970."""
_SNOWFLAKE = re.compile(r"[0-9]{1,20}")
_REMEMBERED = 4096
"""How many results of each keyed or plain hash are kept: the same few names come again and again."""
_KEYS = 8
"""How many id keys are kept ready: a process has one memory open, or a few."""


class Ref(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A place or a message as its platform names it. Keys are strings: platforms' numbers outgrow integers."""

    platform: str
    key: str

    def __str__(self) -> str:
        return f"{self.platform}:{self.key}"


def moment_of(message: Ref) -> int | None:
    """When a message was said, in ms, where its platform's name for it tells."""
    if message.platform != DISCORD or not _SNOWFLAKE.fullmatch(message.key):
        return None
    return (int(message.key) >> 22) + SNOWFLAKE_EPOCH_MS


class Identity(NamedTuple):
    """What an event id is made from: the platform's name of a thing and what was done with it.

    `said` is the platform's own time in ms; it gives the id its minute.
    """

    platform: str
    kind: str
    key: str
    action: str
    said: int


class Point(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A position in what was said: (`said` in ms, event id). Windows, spans and cursors go by it."""

    said: int
    id: EventId


def minute(milliseconds: int) -> bytes:
    """Minutes since 1970 as four big-endian bytes; times before 1970 and after 10136 are clamped."""
    return min(max(milliseconds // MINUTE_MS, 0), 0xFFFFFFFF).to_bytes(4, "big")


@lru_cache(_KEYS)
def _mac(id_key: bytes) -> hmac.HMAC:
    """The beginning of every HMAC under a key, to be copied: taking up the key would be most of the work."""
    return hmac.new(id_key, digestmod="sha256")


@of_people
@lru_cache(_REMEMBERED)
def named_id(id_key: bytes, identity: Identity) -> EventId:
    """The id of an event that its platform names: the same thing always gets the same id."""
    mac = _mac(id_key).copy()
    mac.update(msgspec.msgpack.encode(identity[:4]))
    return EventId(minute(identity.said) + mac.digest()[:12])


def seeded_id(seed: bytes, ordinal: int, at: int) -> EventId:
    """The id of the n-th event of a decision that no platform names; `seed` is 32 random bytes from the shell."""
    return EventId(minute(at) + hashlib.sha256(seed + ordinal.to_bytes(4, "big")).digest()[:12])


@of_people
@lru_cache(_REMEMBERED)
def keyed_hash(id_key: bytes, platform: str, platform_id: str) -> bytes:
    """A platform id as it may stand in the clear: 32 bytes that only the holder of the id key can tie to a person."""
    return hmac.digest(id_key, msgspec.msgpack.encode(("person", platform, platform_id)), "sha256")


@of_people
@lru_cache(_REMEMBERED)
def digest16(*parts: str | bytes) -> bytes:
    """A fixed-length piece of a row key for names of any length: 16 bytes of SHA-256 over length-prefixed parts."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(4, "big") + data)
    return sha.digest()[:16]
