"""Retention: once a day, and at the start, what was said longer ago than its place keeps it is redacted.

How long that is, `retention_days` says, per person, channel, guild or for everything; 0 days are for ever. What is many
goes in pieces, and others write in between. The program's log tells how much went. What goes wrong is a `job.failed`,
and is tried again the next day.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from dnam.access import Access
from dnam.alongside import alongside
from dnam.configuration import config_for
from dnam.failures import Tell
from dnam.jobs import Job
from dnam.learning.idle import Sleep
from dnam.settings import Settings
from projections.config import config_rows
from projections.counting import counted
from projections.decisions.draft import Draft
from projections.decisions.retention import RetentionRequest, expire, until
from projections.events import MessageRedacted
from projections.ids import NOBODY, Handle
from projections.places import PLACES
from projections.policies.configurable import BY_NAME
from projections.rows import Rows

DAY_SECONDS = 86_400
JOB = Job("retention", "daily")
KEY = "retention_days"
Wrong = Callable[[Job, Exception], Awaitable[None]]
log = logging.getLogger(__name__)


class Plan(NamedTuple):
    """Before when (ms) what was said in a session is not kept any longer, and the same for who has set it for
    themselves; None keeps everything.
    """

    session: str
    until: int | None
    own: Mapping[Handle, int | None]


def plans(rows: Rows, settings: Settings, now: int) -> list[Plan]:
    """What is to be looked at in each session in which something may be over."""
    own = {person: until(days, now) for person, days in _own_days(rows).items()}
    found = [
        Plan(row.session, until(config_for(rows, settings, NOBODY, row.place, row.guild).retention_days, now), own)
        for row in (each.row for each in rows.scan(PLACES))
        if row.session
    ]
    return [plan for plan in found if plan.until is not None or any(each is not None for each in own.values())]


def _own_days(rows: Rows) -> dict[Handle, int]:
    """What people set for their own words."""
    found = (row for row in config_rows(rows) if row.key == KEY and row.scope.startswith("person/"))
    return {
        Handle(bytes.fromhex(row.scope.removeprefix("person/"))): int(row.value)
        for row in found
        if BY_NAME[KEY].admits(row.value)
    }


async def expire_all(memory: Access) -> int:
    """Redact what is over everywhere; how many bodies were dropped."""
    now = memory.now()
    dropped = 0
    for plan in await memory.look(lambda rows: plans(rows, memory.settings, now)):
        while count := await _piece(memory, plan, now):
            dropped += count
    return dropped


async def _piece(memory: Access, plan: Plan, now: int) -> int:
    request = RetentionRequest(plan.session, plan.until, now, memory.origin(), plan.own)

    def decide(rows: Rows) -> list[Draft]:
        return expire(rows, request)

    recorded = await memory.record(decide)
    return sum(len(event.events) for event in recorded.events if isinstance(event, MessageRedacted))


@asynccontextmanager
async def expiring(
    memory: Access, wrong: Wrong, sleep: Sleep = asyncio.sleep, tell: Tell = log.info
) -> AsyncIterator[None]:
    """Do so at the beginning and once a day, as long as the `async with` lasts. `tell` hears how much, `wrong` of what
    goes wrong.
    What was recorded until the end stays.
    """
    async with alongside(_days(memory, wrong, sleep, tell), "retention", tell):
        yield


async def _days(memory: Access, wrong: Wrong, sleep: Sleep, tell: Tell) -> None:
    while True:
        try:
            if dropped := await expire_all(memory):
                tell(f"retention: redacted what is not kept any longer, {counted(dropped, 'event')}")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told, and tried again the next day
            await wrong(JOB, error)
        await sleep(DAY_SECONDS)
