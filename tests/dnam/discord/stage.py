"""The real bot in a world of its own: a loopback Discord, a memory in a folder, a model that says what it is told to.

async with garden() as (world, here):
    async with bot_in(world, tmp_path, model) as bot: …            # it ends as on SIGTERM
    async with bot_in(world, tmp_path, model, dies=True) as bot: …  # it ends as on SIGKILL
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar
from unittest.mock import patch

from dnam import unwritten
from dnam.adapters.discord import cog as cogs
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.streaming import EDIT_SECONDS
from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask, Hear, Reply, unheard
from dnam.unwritten import Pause
from projections.decisions.draft import Draft
from projections.events import Event, PersonOptedOut
from projections.events.values import OPERATOR
from projections.ids import EventId
from projections.messages import MESSAGES
from projections.rows import Rows
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import Channel, User, World, running
from tests.world import NOW

E = TypeVar("E", bound=Event)
READY_SECONDS = 0.01
"""How long the bot waits for more guilds. One that comes later is read back when it comes."""


async def for_ever(*_: object, **__: object) -> None:
    """Does not end. As a pause: nothing is retried, streamed or typed a second time."""
    await asyncio.Event().wait()


@asynccontextmanager
async def bot_in(
    world: World,
    path: Path,
    model: ScriptedModel | None = None,
    *,
    told: Mapping[str, str] = MappingProxyType({}),
    clock: FakeClock | None = None,
    pause: Pause = for_ever,
    dies: bool = False,
    **values: str,
) -> AsyncIterator[DnamBot]:
    """The bot, connected and done with reading back. Everybody in the world's guilds is answered unless told, by `told`
    or by `values`: both are settings.
    """
    time = clock or (world.clock if isinstance(world, Timed) else FakeClock())
    guilds = ",".join(str(each) for each in world.state.guilds)
    users = ",".join(str(each.id) for each in world.state.users.values() if not each.bot)
    unless = {"allow_guilds": guilds, "allow_users": users, "memory_commands_enabled": "0"}
    chosen = settings(**(unless | dict(told) | values))
    # A busy machine is no log that is slow.
    with patch.object(unwritten, "SLOW_SECONDS", 600.0), patch.object(cogs, "LEFT_SECONDS", 600.0):
        async with Memory.open(path, settings=chosen, clock=time) as memory:
            bot = DnamBot(Assistant(memory, model or ScriptedModel()), pause, guild_ready_seconds=READY_SECONDS)
            ready = _ready(bot)
            async with running(bot, world):
                await ready.wait()
                await idle(world, bot)
                try:
                    yield bot
                finally:
                    if dies:
                        await killed(bot)


def _ready(bot: DnamBot) -> asyncio.Event:
    """Set once the bot is ready and its cog is told so: whoever waits for the first alone is told before the cog."""
    ready = asyncio.Event()

    async def told() -> None:
        bot.remove_listener(told, "on_ready")  # a bot that is closed may still be told that it is ready
        ready.set()

    bot.add_listener(told, "on_ready")
    return ready


def until(passed: asyncio.Event, seconds: float) -> Callable[[float], Awaitable[None]]:
    """Pauses of so many seconds end once that has passed; no other one does."""

    async def pause(asked: float) -> None:
        await (passed if asked == seconds else asyncio.Event()).wait()

    return pause


async def idle(world: World, bot: DnamBot) -> None:
    """Until everything that was told to the bot is done."""
    await world.gateway.flushed()
    await bot.desk.sessions.settle()
    await bot.desk.assistant.settle()


async def killed(bot: DnamBot) -> None:
    """End it where it stands, without a chance to finish anything."""
    for each in bot.cogs.values():
        if isinstance(each, MemoryCog):
            await each.hearing.close()
    await bot.desk.sessions.stop()
    for cog in tuple(bot.cogs.values()):
        cog.cog_unload = _nothing  # type: ignore[method-assign]  # whoever is killed unloads nothing
    await bot.desk.assistant.stop()


async def _nothing() -> None:
    """What a killed process does at its end."""


def events(of: DnamBot | Memory, *kinds: type[E]) -> list[E]:
    """What is recorded of these kinds, in order."""
    engine = (of if isinstance(of, Memory) else of.desk.memory).engine
    with engine.reading():  # follows what was erased
        records = [engine.live.folding.record(each) for each in engine.store.log.read(0)]
    return [each.event for each in records if each is not None and isinstance(each.event, kinds)]


def heard(bot: DnamBot) -> list[str]:
    """The words of all messages that are recorded and stand."""
    with bot.desk.memory.engine.reading() as rows:
        return [found.row.message.text for found in rows.scan(MESSAGES)]


def shown(world: World, channel: Channel) -> list[str]:
    """What the bot's messages in a channel say."""
    return [each.said.content for each in world.bot_messages(channel)]


class Timed(World):
    """A world whose clock the bot has too."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        super().__init__(self.clock.now)


class Garden:
    """A guild with one open channel, one for Kim alone, and two people in it."""

    def __init__(self, world: World) -> None:
        self.guild_owner = world.person("Ines")
        self.guild = world.guild("Garden", owner=self.guild_owner)
        self.kim = world.person("Kim", self.guild)
        self.ada = world.person("Ada", self.guild)
        self.general = self.guild.channel("general")
        self.cellar = self.guild.channel("cellar", only_for=[self.kim, world.bot])


@asynccontextmanager
async def garden() -> AsyncIterator[tuple[World, Garden]]:
    """A world with a garden in it, whose clock stands nearly still."""
    async with Timed() as world:
        yield world, Garden(world)


class Writing(ScriptedModel):
    """A model that has written a part of its answer and waits, until `go` lets it go on."""

    def __init__(self, part: str, whole: str) -> None:
        super().__init__()
        self.part, self.whole = part, whole
        self.go = asyncio.Event()
        self._asked = asyncio.Condition()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        hear(self.part)
        async with self._asked:
            self._asked.notify_all()
        await self.go.wait()
        hear(self.whole)
        return Reply(self.whole, self.name, self.version)

    async def was_asked(self, times: int = 1) -> None:
        """Wait until it was asked so many times."""
        async with self._asked:
            await self._asked.wait_for(lambda: len(self.asks) >= times)


class Edits:
    """A pause that ends at once between two edits, and never between two retries."""

    async def __call__(self, seconds: float) -> None:
        if seconds != EDIT_SECONDS:
            await asyncio.Event().wait()


async def opt_out(bot: DnamBot, user: User) -> None:
    """From now on nothing of theirs is recorded."""

    def decide(rows: Rows) -> list[Draft]:
        event = PersonOptedOut(said=NOW, by=OPERATOR, hashes=(rows.ids.keyed_hash("discord", str(user.id)),))
        return [Draft(EventId(user.id.to_bytes(16, "big")), event)]

    await bot.desk.memory.record(decide)
