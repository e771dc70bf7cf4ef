"""Dynamic configuration: the value of a key for a scope. Which scope wins is decided when reading.

A scope is `global`, `guild/discord:<id>`, `channel/discord:<id>` (threads and groups too) or `person/<handle in hex>`.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from projections.events import ConfigSet
from projections.events.values import By
from projections.fold import Change, Projection, Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref, Seq, digest16
from projections.messages import key_point, point_key
from projections.places import find_place
from projections.rows import Rows

ScopeKind = Literal["global", "guild", "channel", "person"]


class Scope(NamedTuple):
    """For what a key has a value: everything, a guild or channel (`ref`), or a person."""

    kind: ScopeKind
    ref: Ref | None = None
    person: Handle = NOBODY

    def __str__(self) -> str:
        if self.kind == "global":
            return self.kind
        return f"{self.kind}/{self.person.hex() if self.ref is None else self.ref}"


GLOBAL = Scope("global")


def scope_set(event: ConfigSet) -> Scope:
    """The scope that an event gave a value, or took one from."""
    kind, _, name = event.scope.partition("/")
    platform, _, key = name.partition(":")
    match kind:
        case "guild" | "channel":
            return Scope(kind, Ref(platform, key))
        case "person":
            return Scope("person", person=event.person)
        case _:
            return GLOBAL


class ConfigRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A setting of one scope, and who set it."""

    event: EventId
    scope: str
    key: str
    value: str
    by: By


CONFIG_KEY_BYTES = 32
"""How many bytes say which key of which scope a row is of."""


def scope_key(scope: str) -> bytes:
    """16 bytes for a scope."""
    return digest16(scope)


def config_key(scope: str, key: str) -> bytes:
    """scope ‖ key, 32 bytes."""
    return scope_key(scope) + digest16(key)


def _rows(record: Record) -> list[Change[ConfigRow]]:
    match record.event:
        case ConfigSet(scope=scope, key=key, value=None):
            return [(config_key(scope, key), None)]
        case ConfigSet(scope=scope, key=key, value=str() as value, by=by):
            return [(config_key(scope, key), ConfigRow(record.id, scope, key, value, by))]
        case _:
            return []


class GivenRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The value that a setting was given; None where it was unset."""

    value: str | None


def _given(record: Record) -> list[Change[GivenRow]]:
    match record.event:
        case ConfigSet(scope=scope, key=key, value=value, said=said):
            return [(config_key(scope, key) + point_key(Point(said, record.id)), GivenRow(value))]
        case _:
            return []


CONFIG = Projection("config", 1, ConfigRow, (ConfigSet,), _rows, CONFIG_KEY_BYTES)
CONFIG_GIVEN = Projection("config_given", 1, GivenRow, (ConfigSet,), _given, 56, history=False)


class Given(NamedTuple):
    """A value that a setting was given: when (ms), at which place of the log, and which; None where it was unset."""

    said: int
    seq: Seq
    value: str | None


def given_to(rows: Rows, key: str, scope: str) -> list[Given]:
    """Every value that a key of a scope was ever given, in the order in which they were recorded."""
    found = rows.scan(CONFIG_GIVEN, config_key(scope, key))
    given = (Given(key_point(each.key).said, each.seq, each.row.value) for each in found)
    return sorted(given, key=lambda each: each.seq)


def configured(rows: Rows, key: str, scopes: tuple[str, ...]) -> ConfigRow | None:
    """The value of the first scope that has one; give the narrowest scope first (design §10)."""
    for scope in scopes:
        row = rows.get(CONFIG, config_key(scope, key))
        if row is not None:
            return row
    return None


def scopes_for(
    rows: Rows, person: Handle, place: Ref | None, guild: Ref | None, parent: Ref | None = None
) -> tuple[Scope, ...]:
    """The scopes that hold for a person in a place, the narrowest first: theirs, the thread, its channel, the guild,
    and everything (design §10). `parent` is the channel of a thread that nobody has described yet.
    """
    found = [Scope("person", person=person)] if person else []
    found += [Scope("channel", each) for each in _and_parent(rows, place, parent)]
    found += [Scope("guild", guild)] if guild else []
    return (*found, GLOBAL)


def _and_parent(rows: Rows, place: Ref | None, parent: Ref | None) -> list[Ref]:
    """A place and, where it is a thread, the channel that it hangs on."""
    found = None if place is None else find_place(rows, place)
    above = parent if found is None else found.row.parent
    return [each for each in (place, above) if each is not None]


def config_rows(rows: Rows) -> Iterator[ConfigRow]:
    """Everything that is set, in no order that means anything."""
    return (found.row for found in rows.scan(CONFIG))
