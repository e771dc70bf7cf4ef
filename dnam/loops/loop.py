"""What a loop yields and receives. Live, scripted or replayed, it is the same generator with another driver."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec

from dnam.model import Ask, Model, ModelError, OverBudget, Reply, Resting, as_promised, noted, spent_in
from dnam.prompts import digest
from dnam.taken import call_of
from projections.decisions.draft import Decision, Draft, Origin
from projections.events.values import By, ModelUse
from projections.fold import Record as EventRecord
from projections.ids import EventId, Handle
from projections.policies.closeness import Measure
from projections.rows import Rows
from replay.errors import LogError
from replay.group import Recorded


class Decide(NamedTuple):
    """Record a decision; the loop receives what was recorded."""

    decision: Decision


def nothing(_: Rows) -> Sequence[Draft]:
    """A decision that comes to nothing."""
    return []


class Compare(NamedTuple):
    """Find out how near these texts are to each other; the loop receives what was found. `person`: whose they are.
    `keep` is recorded first, where that takes an encoder: what was paid for outlives the wait.
    """

    texts: Callable[[Rows], Sequence[str]]
    person: Handle
    keep: Decision = nothing


class Compared(NamedTuple):
    """How near they are by an encoder; None where there is none, where it failed, or where there are no texts."""

    measure: Measure | None = None


class Failed(NamedTuple):
    """The model could not be asked: the loop receives this instead of a reply. `spent` is what that took all the same,
    and which model it was.

    A loop that is given up while texts are compared receives it too.
    """

    error: str
    spent: Reply | None = None


class Find(NamedTuple):
    """Look up an event of the log; the loop receives it, or nothing where there is none that can be read."""

    event: Callable[[Rows], EventId | None]


Step = Ask | Decide | Compare | Find
Outcome = Reply | Failed | Recorded | Compared
GIVEN_UP = "it was given up, because the program ended"
BILL_SECONDS = 1.0
"""How long the record of what a loop took is waited for, that is given up; the log may write it after that too."""
MOST_RESTED_SECONDS = 60.0
"""How long a loop waits in all for a service that asked to be left alone; else the next cycle begins it anew."""
T = TypeVar("T")
Loop = Generator[Step, Outcome, T]
Mint = Callable[[], Origin]
Record = Callable[[Decision], Awaitable[Recorded]]
Comparing = Callable[[Compare], Awaitable[Compared]]
Finding = Callable[[Find], Awaitable[Recorded]]
Called = Callable[[str], str]
"""The own name of the model that is asked for by a name."""


class Minting:
    """Fresh origins for the events of a loop, from the shell's clock and dice."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now

    def __call__(self) -> Origin:
        return Origin(seed=os.urandom(32), now=self._now())


def records_of(outcome: Outcome) -> tuple[EventRecord, ...]:
    """What a decision that the loop handed out became, or what it looked up."""
    assert isinstance(outcome, Recorded)
    return outcome.records


async def by_words_alone(_: Compare) -> Compared:
    """Where there is no encoder."""
    return Compared()


async def nothing_found(_: Find) -> Recorded:
    """Where there is no log to look in."""
    return Recorded()


def by_that_name(name: str) -> str:
    """Where no name stands for another."""
    return name


async def drive(
    loop: Loop[T],
    model: Model,
    record: Record,
    timeout_seconds: float,
    compare: Comparing = by_words_alone,
    find: Finding = nothing_found,
    called: Called = by_that_name,
) -> T:
    """Run a loop against a model and a log. A model that fails or takes too long is told to the loop, not raised.

    OverBudget is raised: the loop is put off, nothing of it is recorded, and the next cycle begins it anew. While the
    model's service rests the loop waits, unless that takes too long. Where it is cancelled, it ends, and what it took
    until then is recorded.
    """
    outcome: Outcome | None = None
    while True:
        try:
            step = next(loop) if outcome is None else loop.send(outcome)
        except StopIteration as stop:
            result: T = stop.value
            return result
        try:
            match step:
                case Decide(decision):
                    outcome = await record(decision)
                case Compare():
                    outcome = await compare(step)
                case Find():
                    outcome = await find(step)
                case Ask():
                    outcome = await _ask_rested(model, step, timeout_seconds, called)
        except asyncio.CancelledError as error:
            spent = spent_in(error)
            if spent is not None or isinstance(step, Compare):
                await _bill(loop, Failed(GIVEN_UP, spent), record)
            raise


async def _bill(loop: Loop[T], failed: Failed, record: Record) -> None:
    """Let a loop say what its failure is, and record that and nothing else of it. The program is ending: what cannot be
    recorded within the seconds that are left is on no bill, as after a kill.
    """
    with suppress(StopIteration, TimeoutError, LogError, OSError):
        step = loop.send(failed)
        if isinstance(step, Decide):
            async with asyncio.timeout(BILL_SECONDS):
                await record(step.decision)


async def _ask_rested(model: Model, ask: Ask, timeout_seconds: float, called: Called) -> Reply | Failed:
    """Ask, once the model's service has had the rest that it asked for, and each behind that; Resting where that is
    too long.
    """
    left = MOST_RESTED_SECONDS
    while True:
        try:
            return await _ask(model, ask, timeout_seconds, called)
        except Resting as resting:
            left -= resting.seconds
            if left < 0:
                raise
            await asyncio.sleep(resting.seconds)


async def _ask(model: Model, ask: Ask, timeout_seconds: float, called: Called) -> Reply | Failed:
    begun = time.monotonic()

    def failed(why: str, spent: Reply | None = None) -> Failed:
        took = round((time.monotonic() - begun) * 1000)
        return Failed(why, noted(ask, digest(ask.system, ask.prompt), called(ask.model), took, spent))

    try:
        async with asyncio.timeout(timeout_seconds):
            return as_promised(await model.ask(ask), model.name)
    except TimeoutError as error:
        return failed(f"{model.name} did not answer within {timeout_seconds:g} seconds", spent_in(error.__cause__))
    except OverBudget:
        raise
    except ModelError as error:
        return failed(str(error), error.spent)
    except Exception as error:  # noqa: BLE001 - an adapter with a bug: the loop records the failure as an event
        return failed(f"{type(error).__name__}: {error}")


def use_of(ask: Ask, reply: Reply, prompt_digest: bytes) -> ModelUse:
    """What a call was and what it took, for its event."""
    return msgspec.structs.replace(call_of(reply), prompt=ask.prompt_name, prompt_digest=prompt_digest)


def failed_use(ask: Ask, prompt_digest: bytes, spent: Reply | None = None) -> ModelUse:
    """A call that brought nothing, and what it took all the same. Without a reply there is no version: so it counts as
    a call of its own (`projections.calls`).
    """
    if spent is None:
        return ModelUse(model=ask.model, version="", prompt=ask.prompt_name, prompt_digest=prompt_digest)
    return msgspec.structs.replace(use_of(ask, spent, prompt_digest), version="")


def by_model(use: ModelUse) -> By:
    """The model as an actor."""
    return By("model", name=use.model, version=use.version)
