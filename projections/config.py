"""Dynamic configuration: the value of a key for a scope. Which scope wins is decided when reading."""

import msgspec

from projections.events import ConfigSet
from projections.events.values import By
from projections.fold import Change, Projection, Record
from projections.ids import EventId, digest16
from projections.rows import Rows


class ConfigRow(msgspec.Struct, frozen=True, array_like=True):
    """A setting of one scope, and who set it."""

    event: EventId
    scope: str
    key: str
    value: str
    by: By


def config_key(scope: str, key: str) -> bytes:
    """scope ‖ key, 32 bytes."""
    return digest16(scope) + digest16(key)


def _rows(record: Record) -> list[Change[ConfigRow]]:
    match record.event:
        case ConfigSet(scope=scope, key=key, value=None):
            return [(config_key(scope, key), None)]
        case ConfigSet(scope=scope, key=key, value=str() as value, by=by):
            return [(config_key(scope, key), ConfigRow(record.id, scope, key, value, by))]
        case _:
            return []


CONFIG = Projection("config", 1, ConfigRow, (ConfigSet,), _rows, 32)


def configured(rows: Rows, key: str, scopes: tuple[str, ...]) -> ConfigRow | None:
    """The value of the first scope that has one; give the narrowest scope first (design §10)."""
    for scope in scopes:
        row = rows.get(CONFIG, config_key(scope, key))
        if row is not None:
            return row
    return None
