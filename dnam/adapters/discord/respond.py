"""Whether a message is answered: a pure rule, with its reason in words.

A message is answered when somebody whom the allow-lists admit says it *to* the bot (a mention, a reply, a DM), or says
it where `respond_mode` asks for more:

respond_mode    answers
────────────    ──────────────────────────────────────────────────────────────
mention         what is said to it
all             everything that people say in the place
owner           what its owners say to it, their typed commands among that, and nobody else's
none            nothing, typed commands neither (slash commands are, privately)

What holds for channels holds for no DM: there only what the person or that conversation has (`dnam.configuration`).

Two lists admit: whom it answers anywhere (DNAM_ALLOW_USERS), and where it answers everybody (DNAM_ALLOW_GUILDS). Where
both are empty it answers nobody, its owners neither: what is left out by mistake stays shut (seed 000's failure modes).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from projections.events.values import AuthorKind

NOBODY_ALLOWED = (
    "nobody is answered: both allow-lists are empty. Set DNAM_ALLOW_USERS to the ids of people, or DNAM_ALLOW_GUILDS to"
    " the ids of servers (in Discord: Settings, Advanced, Developer Mode, then right-click, Copy ID). What is said"
    " where the bot can read it is recorded all the same: keep it out of channels that it is not to hear."
)


MOST_SERVERS = 10
"""How many servers are named at the most."""


def strangers(guilds: Iterable[int], there: Mapping[int, str]) -> str:
    """Which of the servers of DNAM_ALLOW_GUILDS the bot is not in, and in which it is, by id and name; nothing where it
    is in all of them, or in none at all, which is told elsewhere.
    """
    strange = sorted(frozenset(guilds) - there.keys())
    if not strange or not there:
        return ""
    names = [f"{name} ({guild})" if name else str(guild) for guild, name in sorted(there.items())]
    more = [f"{len(names) - MOST_SERVERS} more"] if len(names) > MOST_SERVERS else []
    return (
        f"the bot is in no server {', '.join(map(str, strange))}, as DNAM_ALLOW_GUILDS names it; it is in"
        f" {', '.join([*names[:MOST_SERVERS], *more])}"
    )


class Allowed(NamedTuple):
    """Whom the bot answers anywhere, where it answers everybody, and whose it is. By Discord's ids."""

    users: frozenset[int]
    guilds: frozenset[int]
    owners: frozenset[int] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether nobody was named."""
        return not self.users and not self.guilds

    def admits(self, user: int, guild: int | None) -> bool:
        """Whether this person may be answered here."""
        if self.is_empty:
            return False
        return user in self.users or user in self.owners or (guild is not None and guild in self.guilds)


class Approach(NamedTuple):
    """A message as far as answering it depends on that. `guild` is None in a DM."""

    author: AuthorKind
    user: int
    guild: int | None
    calls_us: bool


class Verdict(NamedTuple):
    """Whether to answer, and why or why not."""

    answers: bool
    reason: str


def respond(approach: Approach, respond_mode: str, allowed: Allowed) -> Verdict:
    """Whether a message is answered."""
    if approach.author != "person":
        return Verdict(False, f"by {approach.author}, no person")
    if not allowed.admits(approach.user, approach.guild):
        return Verdict(False, "on no allow-list")
    match respond_mode:
        case "none":
            return Verdict(False, "respond_mode is none")
        case "owner" if approach.user not in allowed.owners:
            return Verdict(False, "respond_mode is owner")
        case "all":
            return Verdict(True, "respond_mode is all")
        case _:
            return Verdict(approach.calls_us, "said to it" if approach.calls_us else "not said to it")
