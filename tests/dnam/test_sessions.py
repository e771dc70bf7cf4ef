"""Work by session: in order in each, side by side otherwise."""

import asyncio

import pytest

from dnam.sessions import Sessions


async def test_one_after_the_other_in_a_session_and_others_at_the_same_time() -> None:
    sessions, done, go = Sessions(), list[str](), asyncio.Event()

    async def first() -> None:
        await go.wait()
        done.append("first")

    async def then(name: str) -> str:
        done.append(name)
        return name

    sessions.submit("a", first)
    later = sessions.submit("a", lambda: then("second"))
    assert await sessions.run("b", lambda: then("other")) == "other"
    assert done == ["other"]
    assert len(sessions) == 1
    go.set()
    assert await later == "second"
    assert done == ["other", "first", "second"]


async def test_what_raises_raises_for_its_own_caller_only() -> None:
    sessions = Sessions()

    async def wrong() -> None:
        raise ValueError("wrong")

    failing = sessions.submit("a", wrong)
    assert await sessions.run("a", lambda: asyncio.sleep(0, "right")) == "right"
    with pytest.raises(ValueError, match="wrong"):
        await failing


async def test_an_idle_session_takes_no_memory() -> None:
    sessions = Sessions()
    for number in range(1000):
        await sessions.run(str(number), lambda: asyncio.sleep(0))
    assert not len(sessions)
    assert await sessions.settle()


async def test_settling_has_an_end_and_stopping_gives_up() -> None:
    sessions = Sessions()
    stuck = sessions.submit("a", asyncio.Event().wait)
    waiting = sessions.submit("a", asyncio.Event().wait)
    assert not await sessions.settle(0)
    await sessions.stop()
    assert stuck.cancelled()
    assert waiting.cancelled()
    assert not len(sessions)


async def test_who_waits_may_give_up_while_the_work_goes_on() -> None:
    sessions, go = Sessions(), asyncio.Event()
    waiting = asyncio.create_task(sessions.run("a", go.wait))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert len(sessions) == 1
    go.set()
    assert await sessions.settle()


async def test_whoever_waits_for_a_session_to_pass_waits_for_what_it_has_and_no_more() -> None:
    sessions, done, go = Sessions(), asyncio.Event(), asyncio.Event()
    await sessions.passed("a")
    assert not sessions.is_busy("a")
    sessions.submit("a", go.wait)
    assert (sessions.is_busy("a"), sessions.is_busy("b")) == (True, False)
    passed = asyncio.create_task(sessions.passed("a"))
    await asyncio.sleep(0)
    sessions.submit("a", done.wait)
    assert not passed.done()
    go.set()
    await passed
    done.set()
    await sessions.settle()
    assert not sessions.is_busy("a")
