"""Opting out and in, for whoever asks: a person, or an account that nobody has heard of yet."""

from collections.abc import Iterable

from dnam.access import Access
from dnam.errors import Unknown
from dnam.finding import the_person
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events.values import OPERATOR, By
from projections.ids import NOBODY, Handle
from projections.people import ACCOUNTS
from projections.rows import Rows

DISCORD = "discord"


def whom(rows: Rows, user: str) -> tuple[Handle, tuple[Account, ...]]:
    """Who is meant by a USER: somebody known, or `platform:id` of an account that nobody has heard of."""
    try:
        return the_person(rows, user), ()
    except Unknown:
        platform, colon, platform_id = user.strip().partition(":")
        if not colon or not platform or not platform_id:
            raise Unknown(f"nobody here goes by {user!r}; name an account as platform:id, as discord:100") from None
        if platform == DISCORD and not (platform_id.isascii() and platform_id.isdecimal()):
            raise BadRequest(f"{user!r} is no account: Discord's ids are numbers, as discord:100") from None
        return NOBODY, (Account(platform, platform_id),)


def doubt(rows: Rows, accounts: Iterable[Account]) -> str:
    """What to look at again of accounts that nobody has heard of: a platform that is not known here may be mistyped,
    and then nobody opted out. Empty where there is nothing.
    """
    known = {DISCORD, *(each.row.platform for each in rows.scan(ACCOUNTS))}
    strange = [each.platform for each in accounts if each.platform not in known]
    if not strange:
        return ""
    return f"nobody was heard from {strange[0]!r} yet: is that the platform? Known are {', '.join(sorted(known))}"


async def consent(
    memory: Access, person: Handle, accounts: tuple[Account, ...] = (), by: By = OPERATOR, *, out: bool
) -> bool:
    """Record that somebody opted out, or in; False where that is so already."""
    request = ConsentRequest(memory.now(), memory.origin(), person, accounts, by)
    decide = opt_out if out else opt_in
    recorded = await memory.record(lambda rows: decide(rows, request))
    return bool(recorded.records)
