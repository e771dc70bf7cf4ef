"""What another process does with a memory while it is derived anew here; with few imports, for it starts each time."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from projections.events import MessageHeard
from replay.engine import Engine
from replay.units import Told, units

DAY = 86_400_000


def told_of(engine: Engine, word: str) -> Iterator[tuple[Told, str]]:
    """What holds a word, with its tag."""
    with engine.reading():
        """What was erased is known."""
    for sheaf in units(engine, 0, engine.head().size):
        yield from ((told, told.header.tag) for told in sheaf.told if word in repr(told.event))


def seq_of(path: str, word: str) -> int:
    """Where the message with a word lies."""
    with Engine.open(Path(path), writable=False) as engine:
        return next(told.seq for told, _ in told_of(engine, word) if isinstance(told.event, MessageHeard))


def said(path: str, who: str, texts: Sequence[str], learn: bool = False) -> None:
    """Somebody says something, now, and is learned from behind each of it where that is wanted."""
    from tests.dnam.rederiving.village import village  # nor does this cost those who only look

    async def saying() -> None:
        async with village(Path(path)) as there:
            there.said += DAY
            for text in texts:
                await there.say(who, text)
                if learn:
                    await there.learn(who)

    asyncio.run(saying())
