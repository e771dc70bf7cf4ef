"""Opting out and in, for whoever asks: a person, or an account that nobody has heard of yet."""

from collections.abc import Iterable
from difflib import get_close_matches

from dnam.access import Access
from dnam.errors import Unknown
from dnam.finding import the_person
from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.draft import Origin
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events.values import OPERATOR, By
from projections.ids import DISCORD, NOBODY, Handle
from projections.people import ACCOUNTS
from projections.quoting import in_quotes
from projections.rows import Rows

NEAR = 0.8
"""How alike a platform's name is to a known one where it is taken for mistyped, of 1 (difflib)."""


def whom(rows: Rows, user: str) -> tuple[Handle, tuple[Account, ...]]:
    """Who is meant by a USER: somebody known, or `platform:id` of an account that nobody has heard of."""
    try:
        return the_person(rows, user), ()
    except Unknown:
        platform, colon, platform_id = user.strip().partition(":")
        if not colon or not platform or not platform_id:
            raise Unknown(
                f"nobody here goes by {in_quotes(user)}; name an account as platform:id, as discord:100"
            ) from None
        written = next((each for each in _platforms(rows) if each.casefold() == platform.casefold()), platform)
        if written != platform:
            return whom(rows, f"{written}:{platform_id}")
        if platform == DISCORD and not _is_discord_s(platform_id):
            raise BadRequest(f"{in_quotes(user)} is no account: Discord's ids are numbers, as discord:100") from None
        _refuse_mistyped(rows, platform)
        return NOBODY, (Account(platform, platform_id),)


def needs_no_log(user: str) -> bool:
    """Whether this names an account for sure, also where nobody was heard yet: it opts out of a log that is made for
    that.
    """
    platform, _, platform_id = user.strip().partition(":")
    return platform.casefold() == DISCORD and _is_discord_s(platform_id)


def _is_discord_s(platform_id: str) -> bool:
    return platform_id.isascii() and platform_id.isdecimal()


def _refuse_mistyped(rows: Rows, platform: str) -> None:
    """BadRequest where it is nearly a platform that is known: who was meant would go on being recorded."""
    known = _platforms(rows)
    near = () if platform in known else get_close_matches(platform, known, 1, NEAR)
    if near:
        raise BadRequest(f"nobody was heard from {platform!r} yet; did you mean {near[0]}?")


def _platforms(rows: Rows) -> set[str]:
    return {DISCORD, *(each.row.platform for each in rows.scan(ACCOUNTS))}


def doubt(rows: Rows, accounts: Iterable[Account]) -> str:
    """What to look at again of accounts that nobody has heard of: a platform that is not known here may be mistyped,
    and then nobody opted out. Empty where there is nothing.
    """
    known = _platforms(rows)
    strange = [each.platform for each in accounts if each.platform not in known]
    if not strange:
        return ""
    return f"nobody was heard from {strange[0]!r} yet: is that the platform? Known are {', '.join(sorted(known))}"


async def consent(
    memory: Access,
    person: Handle,
    accounts: tuple[Account, ...] = (),
    by: By = OPERATOR,
    *,
    out: bool,
    origin: Origin | None = None,
) -> bool:
    """Record that somebody opted out, or in; False where that is so already. `origin` is what its platform calls the
    request.
    """
    request = ConsentRequest(memory.now(), origin or memory.origin(), person, accounts, by)
    decide = opt_out if out else opt_in
    recorded = await memory.record(lambda rows: decide(rows, request))
    return bool(recorded.records)
