"""What could not be recorded waits in order, and is written once writing works."""

import asyncio
from functools import partial

import pytest

from dnam.failures import MOST
from dnam.unwritten import RETRY_SECONDS, Unwritten, may_pass
from replay.errors import LogFull, Refused
from tests.dnam.patience import Patience


class Log:
    """Something to write to, which may be full."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.error: Exception | None = None

    async def write(self, what: str) -> None:
        if self.error is not None:
            raise self.error
        self.written.append(what)


async def test_what_fails_waits_and_everything_after_it() -> None:
    log, unwritten = Log(), Unwritten()
    assert await unwritten.write("message", lambda: log.write("one"))
    log.error = LogFull("no room")
    assert not await unwritten.write("message", lambda: log.write("two"))
    log.error = None
    assert not await unwritten.write("answer", lambda: log.write("three"))
    assert (str(unwritten), unwritten.reason, log.written) == ("1 message, 1 answer", "no room", ["one"])
    assert await unwritten.again()
    assert (len(unwritten), unwritten.reason, log.written) == (0, "", ["one", "two", "three"])


async def test_what_is_refused_is_lost_and_says_why() -> None:
    log, unwritten = Log(), Unwritten()
    log.error = Refused("never")
    assert await unwritten.write("message", lambda: log.write("one"))
    assert (list(unwritten.lost), unwritten.lost.total) == (["never"], 1)
    assert not may_pass(Refused("never"))
    assert may_pass(OSError())


async def test_it_tries_again_by_itself_after_a_while() -> None:
    log, unwritten, pauses = Log(), Unwritten(), list[float]()
    passed = asyncio.Event()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await passed.wait()

    async with unwritten.retrying(pause):
        log.error = LogFull("no room")
        await unwritten.write("message", lambda: log.write("one"))
        log.error = None
        done = asyncio.Event()

        async def mark() -> None:
            done.set()

        await unwritten.write("mark", mark)
        passed.set()
        await done.wait()
    assert log.written == ["one"]
    assert pauses == [RETRY_SECONDS]


async def test_side_by_side_while_nothing_waits() -> None:
    log, unwritten, both = Log(), Unwritten(), asyncio.Barrier(2)

    async def meet(what: str) -> None:
        await both.wait()  # each waits for the other: one after the other they would never end
        await log.write(what)

    assert all(await asyncio.gather(*(unwritten.write("message", partial(meet, each)) for each in ("one", "two"))))
    assert sorted(log.written) == ["one", "two"]


async def test_two_that_try_again_write_nothing_twice() -> None:
    log, unwritten = Log(), Unwritten()
    log.error = LogFull("no room")
    for each in ("one", "two"):
        await unwritten.write("message", partial(log.write, each))
    log.error = None
    await asyncio.gather(unwritten.again(), unwritten.again())
    assert log.written == ["one", "two"]


async def test_who_is_cancelled_leaves_it_waiting() -> None:
    log, unwritten, begun = Log(), Unwritten(), asyncio.Event()

    async def slow() -> None:
        if not begun.is_set():
            begun.set()
            await asyncio.Event().wait()
        await log.write("one")

    writing = asyncio.create_task(unwritten.write("message", slow))
    await begun.wait()
    assert len(unwritten) == 1
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert str(unwritten) == "1 message"
    assert await unwritten.again()
    assert log.written == ["one"]


async def test_waiting_is_told_when_it_begins_for_another_reason_goes_on_and_ends() -> None:
    told: list[str] = []
    log, unwritten = Log(), Unwritten(told.append)
    for reason in ("no room", "no room", "read-only"):
        log.error = LogFull(reason)
        await unwritten.write("message", lambda: log.write("one"))
        await unwritten.again()
    log.error = None
    await unwritten.again()
    await unwritten.again()
    waits = "what is said cannot be recorded, and waits: "
    assert told == [f"{waits}no room", f"{waits}read-only", "what waited to be recorded is recorded"]


async def test_a_loss_is_told_in_the_program_s_own_words_alone() -> None:
    told: list[str] = []
    log, unwritten = Log(), Unwritten(told.append)
    for error in (Refused("it rests on something that was erased"), ValueError("I like marzipan")):
        log.error = error
        await unwritten.write("message", lambda: log.write("one"))
    never = "this can never be recorded: message: "
    assert told == [f"{never}it rests on something that was erased", f"{never}ValueError"]


async def test_of_what_is_lost_the_last_is_kept_and_all_of_it_is_counted() -> None:
    log, unwritten = Log(), Unwritten()
    log.error = Refused("never")
    for _ in range(MOST + 1):
        await unwritten.write("message", lambda: log.write("one"))
    assert (len(unwritten.lost), unwritten.lost.total) == (MOST, MOST + 1)


async def test_a_step_that_takes_too_long_waits_and_what_was_given_away_by_then_is_written_once() -> None:
    patience, told = Patience(), list[str]()
    unwritten, go = Unwritten(told.append, patience), asyncio.Event()

    async def slow() -> None:
        if not go.is_set():
            patience.over()
        await go.wait()

    assert not await unwritten.write("message", slow)
    assert "does another program hold this memory?" in told[0]
    go.set()
    assert await unwritten.again()
