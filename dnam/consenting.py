"""Opting out and in, for whoever asks: a person, or an account that nobody has heard of yet."""

from dnam.access import Access
from dnam.errors import Unknown
from dnam.finding import the_person
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.meet import Account
from projections.events.values import OPERATOR, By
from projections.ids import NOBODY, Handle
from projections.rows import Rows


def whom(rows: Rows, user: str) -> tuple[Handle, tuple[Account, ...]]:
    """Who is meant by a USER: somebody known, or `platform:id` of an account that nobody has heard of."""
    try:
        return the_person(rows, user), ()
    except Unknown:
        platform, colon, platform_id = user.strip().partition(":")
        if not colon or not platform or not platform_id:
            raise Unknown(f"nobody here goes by {user!r}; name an account as platform:id, as discord:100") from None
        return NOBODY, (Account(platform, platform_id),)


async def consent(
    memory: Access, person: Handle, accounts: tuple[Account, ...] = (), by: By = OPERATOR, *, out: bool
) -> bool:
    """Record that somebody opted out, or in; False where that is so already."""
    request = ConsentRequest(memory.now(), memory.origin(), person, accounts, by)
    decide = opt_out if out else opt_in
    recorded = await memory.record(lambda rows: decide(rows, request))
    return bool(recorded.records)
