"""Everything of one person's as JSON, to be read by people and programs: bytes as hex, times in ms and in ISO 8601."""

from collections.abc import Iterator

import msgspec

from dnam.exports.belongings import Belongings
from dnam.jsonable import jsonable
from dnam.times import iso

TIMES = frozenset({"made", "at", "said", "edited", "created", "updated", "summarised", "erased_until"})
"""The fields that are times."""


def as_json(of: Belongings) -> bytes:
    """All of it, indented, with each time in ISO 8601 beside it."""
    return msgspec.json.format(msgspec.json.encode(_with_iso(jsonable(of))), indent=2) + b"\n"


def _with_iso(value: object) -> object:
    match value:
        case list():
            return [_with_iso(each) for each in value]
        case dict():
            pairs = (pair for name, each in value.items() for pair in _dated(name, each))
            return dict(pairs)
        case _:
            return value


def _dated(name: str, value: object) -> Iterator[tuple[str, object]]:
    yield name, _with_iso(value)
    if name in TIMES and (value is None or isinstance(value, int)):
        yield f"{name}_iso", iso(value)
