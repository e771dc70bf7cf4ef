"""`dnam show` at a moment, the command itself, beside the items in a fold of exactly the events of then."""

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from freezegun import freeze_time

from projections.fold import Record
from projections.ids import Handle
from projections.items import ITEMS, owner_key
from projections.lookup import people
from projections.people import accounts_of
from projections.registry import FOLD
from projections.rows import Rows
from tests.dnam.cli.memories import Ran, dnam
from tests.proof.clocks.lived import Life
from tests.replay.stage import folded

Held = tuple[tuple[str, str, str, int], ...]
"""Items by id, text, status and the event that left them so."""


class Known(NamedTuple):
    """Somebody of whom something was remembered: their handle, and how they are named in a command."""

    person: Handle
    named: str


class Look(NamedTuple):
    """What is asked of `show` (`--at` or `--said`), the reader's zone and time, and what may be shown; none of it: the
    command has to refuse.
    """

    option: str
    text: str
    zone: str
    now: datetime
    right: frozenset[Held]


def known(rows: Rows, life: Life) -> list[Known]:
    """Everybody who ever had an item, by their first account."""
    changes = (change for record in life.records for change in FOLD.changes(record))
    owners = {key[:16] for table, key, *_ in changes if table == ITEMS.table}
    accounts = ((each, next(iter(accounts_of(rows, each)), None)) for each in people(rows) if owner_key(each) in owners)
    return [Known(each, f"{found.row.platform}:{found.row.platform_id}") for each, found in accounts if found]


def held(records: Iterable[Record], who: Known) -> Held:
    """Their items by a fold of these events."""
    rows = folded(records)[ITEMS.table].items()
    found = ((seq, ITEMS.decode(body).item) for key, (seq, body) in rows if key.startswith(owner_key(who.person)))
    return tuple(sorted((item.id, item.text, item.status, seq) for seq, item in found))


def shown(data: Path, who: Known, look: Look) -> Ran:
    """The command, on the day on which it is asked."""
    with patch.dict(os.environ, {"DNAM_TIMEZONE": look.zone}), freeze_time(look.now):
        return dnam("show", who.named, "--all", look.option, look.text, "--json", "--data", data)


def is_right(ran: Ran, look: Look) -> bool:
    """Whether it shows those items, or refuses where it has to."""
    if not look.right:
        return ran.code == 2
    return ran.code == 0 and _listed(ran) in look.right


def _listed(ran: Ran) -> Held:
    return tuple(sorted((each["id"], each["text"], each["status"], each["seq"]) for each in ran.value["items"]))
