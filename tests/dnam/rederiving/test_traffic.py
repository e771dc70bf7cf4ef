"""Who is asked next: those with the most behind them, and nobody's place is lost."""

import asyncio
from contextlib import suppress

from dnam.rederiving.traffic import Room, Traffic


async def test_what_has_the_most_behind_it_asks_first() -> None:
    traffic, asked, go = Traffic(1), list[str](), asyncio.Event()

    async def link(name: str, left: int) -> None:
        async with traffic.working(lambda: (-left,)), traffic.asking():
            asked.append(name)
            await go.wait()

    links = [
        asyncio.create_task(link(name, left)) for name, left in (("first", 1), ("short", 1), ("long", 9), ("b", 1))
    ]
    await asyncio.sleep(0)
    go.set()
    await asyncio.gather(*links)
    assert asked == ["first", "long", "short", "b"]


async def test_the_place_of_who_goes_away_is_the_next_one_s() -> None:
    room = Room(1)
    await room.enter(())
    waiting = [asyncio.create_task(room.enter((number,))) for number in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    room.leave()  # who was cancelled is passed over
    with suppress(asyncio.CancelledError):
        await waiting[0]
    room.leave()
    waiting[1].cancel()  # it came in, and does not know it yet
    with suppress(asyncio.CancelledError):
        await waiting[1]
    async with asyncio.timeout(5):
        await waiting[2]
        room.leave()
        await room.enter(())
