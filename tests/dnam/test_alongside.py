"""Work that goes on beside something else: it ends with it, and an error that nobody foresaw is told at once."""

import asyncio

import pytest

from dnam.alongside import alongside


async def resting() -> None:
    await asyncio.Event().wait()


async def test_it_ends_with_what_it_goes_on_beside() -> None:
    told = list[str]()
    async with alongside(resting(), "resting", told.append) as task:
        await asyncio.sleep(0)
        assert not task.done()
    assert (task.cancelled(), told) == (True, [])


async def test_an_end_of_its_own_is_nothing_to_tell() -> None:
    told = list[str]()
    async with alongside(asyncio.sleep(0), "resting", told.append) as task:
        await task
    assert told == []


async def test_an_error_that_nobody_foresaw_is_told_when_it_comes_and_without_its_words() -> None:
    async def breaks() -> None:
        raise RuntimeError("my diary is called Bluebell")

    told = list[str]()
    async with alongside(breaks(), "resting", told.append) as task:
        await asyncio.wait({task})
        await asyncio.sleep(0)
        assert told == ["resting ended by an error that nobody foresaw: RuntimeError"]
    assert len(told) == 1


async def test_what_it_goes_on_beside_may_fail() -> None:
    with pytest.raises(ValueError, match="something else"):
        async with alongside(resting(), "resting") as task:
            raise ValueError("something else")
    assert task.cancelled()
