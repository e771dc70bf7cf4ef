"""Forms (modals): filling them in."""

from collections.abc import Iterator, Mapping

from tests.loopback.discord.wire import Wire
from tests.loopback.discord.writing import numbered

TEXT_INPUT, LABEL = 4, 18
LONGEST = 4000
"""Characters in a field that says nothing of it."""


def filled(form: Wire, given: Mapping[str, str]) -> list[Wire]:
    """The form's parts with what was filled in; a field of which nothing is said keeps what stood in it."""
    rows = numbered(form["components"])
    unknown = set(given) - {name for row in rows for field in _fields(row) for name in _names(row, field)}
    assert not unknown, f"the form has no {', '.join(sorted(unknown))}"
    return [_row(each, given) for each in rows if each["type"] in (1, LABEL)]


def _row(row: Wire, given: Mapping[str, str]) -> Wire:
    fields = [_field(row, each, given) for each in _fields(row)]
    inner: Wire = {"component": fields[0]} if row["type"] == LABEL else {"components": fields}
    return {"type": row["type"], "id": row["id"]} | inner


def _fields(row: Wire) -> Iterator[Wire]:
    yield from [row["component"]] if row["type"] == LABEL else row.get("components", [])


def _names(row: Wire, field: Wire) -> set[str]:
    """By what a field can be meant; spaces as underscores, so that it can be a keyword."""
    named = {field["custom_id"], field.get("label") or "", row.get("label") or ""}
    return named | {each.replace(" ", "_") for each in named}


def _field(row: Wire, field: Wire, given: Mapping[str, str]) -> Wire:
    said = next((given[name] for name in _names(row, field) if name in given), None)
    base = {"type": field["type"], "id": field["id"], "custom_id": field["custom_id"]}
    if field["type"] != TEXT_INPUT:
        return base | {"values": [] if said is None else [said]}
    value = said if said is not None else field.get("value") or ""
    assert value or field.get("required") is False, f"{field['custom_id']} has to be filled in"
    assert (field.get("min_length") or 0) <= len(value) <= (field.get("max_length") or LONGEST), "too short or too long"
    return base | {"value": value}
