"""People who go by the same name, told apart by an account, wherever several are listed."""

from collections import Counter
from collections.abc import Mapping

from projections.ids import Handle
from projections.people import accounts_of
from projections.rows import Rows


def apart(rows: Rows, names: Mapping[Handle, str]) -> dict[Handle, str]:
    """The names of people, those that several have with an account behind each."""
    often = Counter(names.values())
    return {each: _with_account(rows, each, name) if often[name] > 1 else name for each, name in names.items()}


def _with_account(rows: Rows, person: Handle, name: str) -> str:
    accounts = (f"{found.row.platform}:{found.row.platform_id}" for found in accounts_of(rows, person))
    return f"{name} ({next(accounts, person.hex()[:8])})"
