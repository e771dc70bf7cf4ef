"""Opting out and in: whether anything of somebody's is recorded from here on, for all of their accounts at once.

Both lie unsealed in the log, and outlive their person's erasure: they hold keyed hashes, and nobody's handle.
"""

from typing import NamedTuple

from projections.consent import OPTED_OUT
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.meet import Account
from projections.events import PersonOptedIn, PersonOptedOut
from projections.events.values import OPERATOR, By
from projections.ids import NOBODY, Handle
from projections.people import accounts_of
from projections.rows import Rows

BY_THEMSELF = By("person", NOBODY)
"""Somebody decided it for themself: what lies in the clear names no person."""


class ConsentRequest(NamedTuple):
    """Somebody opts out or in at `said` (ms): a person with all of their accounts, and these besides, known or not."""

    said: int
    origin: Origin
    person: Handle = NOBODY
    accounts: tuple[Account, ...] = ()
    by: By = OPERATOR


def opt_out(rows: Rows, request: ConsentRequest) -> list[Draft]:
    """Nothing of theirs is recorded from now on; nothing to do where that is so already."""
    new = [each for each in _hashes(rows, request) if rows.get(OPTED_OUT, each) is None]
    if not new or decided_before(rows, request.origin):
        return []
    event = PersonOptedOut(said=request.said, by=request.by, hashes=tuple(new))
    return [Minter(rows, request.origin).draft(event)]


def opt_in(rows: Rows, request: ConsentRequest) -> list[Draft]:
    """They may be recorded again; nothing to do where they may."""
    out = [each for each in _hashes(rows, request) if rows.get(OPTED_OUT, each) is not None]
    if not out or decided_before(rows, request.origin):
        return []
    event = PersonOptedIn(said=request.said, by=request.by, hashes=tuple(out))
    return [Minter(rows, request.origin).draft(event)]


def _hashes(rows: Rows, request: ConsentRequest) -> list[bytes]:
    """The keyed hashes of all accounts, in no order that says which account is whose."""
    own = (Account(each.row.platform, each.row.platform_id) for each in accounts_of(rows, request.person))
    return sorted({rows.ids.keyed_hash(each.platform, each.id) for each in (*own, *request.accounts)})
