"""Values as JSON has them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from projections.policies.text import whole


def jsonable(value: object) -> Any:
    """The value as JSON has it: structs and named tuples by field name, bytes as hex, lone surrogates as U+FFFD."""
    match value:
        case str():
            return value if value.isascii() else whole(value)
        case bytes():
            return value.hex()
        case Path():
            return whole(str(value))
        case dict():
            return {jsonable(key): jsonable(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            fields = getattr(value, "_fields", None)
            return [jsonable(each) for each in value] if fields is None else _by_name(value, fields)
        case _:
            fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
            return value if fields is None else _by_name(value, fields)


def _by_name(value: object, fields: Iterable[str]) -> dict[str, Any]:
    return {name: jsonable(getattr(value, name)) for name in fields}
