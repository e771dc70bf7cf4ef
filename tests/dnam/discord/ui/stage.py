"""The real bot with its commands and menus, in a loopback Discord with a guild and people.

async with scene_in(tmp_path) as scene:
    shown = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.ui import MemoryMenus
from projections.events.values import Item
from projections.ids import Handle
from tests.dnam.discord.stage import bot_in, idle
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.loopback.discord import Channel, Guild, Message, Person, World
from tests.loopback.discord.interactions import Interaction


class Scene(NamedTuple):
    """Who and what there is. `staff` is a channel that not everybody can read, `wall` one to show memories in."""

    world: World
    bot: DnamBot
    garden: Guild
    general: Channel
    staff: Channel
    wall: Channel
    kim: Person
    ada: Person

    @property
    def menus(self) -> MemoryMenus:
        """The cog under test."""
        found = self.bot.get_cog(MemoryMenus.NAME)
        assert isinstance(found, MemoryMenus)
        return found

    async def replied(self, using: Awaitable[Interaction]) -> Message:
        """What came of using a command or a menu."""
        return await (await using).reply()

    async def pressed(self, using: Awaitable[Interaction], message: Message, holds: str) -> str:
        """What a message says once a press has changed it to say this."""
        await using
        await self.world.until(lambda: holds in message.said.content, holds)
        return message.said.content

    async def remembers(self, person: Person, *texts: str, place: Channel | None = None) -> None:
        for text in texts:
            await self.replied(person.uses(place or self.general, f"/memory remember text:{text}"))

    async def held(self, person: Person) -> list[str]:
        """The texts of a person's active items."""
        return sorted(each.text for each in await self.items(person))

    async def items(self, person: Person) -> list[Item]:
        return await self.bot.desk.memory.show(await self.handle(person))

    async def handle(self, person: Person) -> Handle:
        return await self.bot.desk.memory.person(str(person.id), platform="discord")

    def next_failure(self, monkeypatch: pytest.MonkeyPatch) -> "asyncio.Future[str]":
        """The job of what fails next, once it is recorded."""
        told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        failed = self.bot.desk.failed

        async def telling(job: str, error: Exception) -> None:
            await failed(job, error)
            told.set_result(job)

        monkeypatch.setattr(self.bot.desk, "failed", telling)
        return told

    async def shown(self) -> list[Message]:
        """What stands on the wall after it was brought up to date."""
        keeper = self.menus.snapshots
        assert keeper is not None
        await keeper.round()
        return [each for each in self.world.bot_messages(self.wall) if each.said.content]

    async def idle(self) -> None:
        await idle(self.world, self.bot)


Starting = Callable[..., AbstractAsyncContextManager[Scene]]
"""Starts the bot on a folder, with a model and settings; leaving it ends the bot."""


@asynccontextmanager
async def garden_in() -> AsyncIterator[Starting]:
    """A guild with two channels and two people, in which the bot can be started, and started again."""
    clock = FakeClock()
    async with World(clock.now) as world:
        garden = world.guild("Garden")
        kim, ada = world.person("Kim", garden), world.person("Ada", garden)
        general, staff = garden.channel("general"), garden.channel("staff", only_for=[kim, ada, world.bot])

        wall = garden.channel("wall")

        @asynccontextmanager
        async def starting(
            path: Path, model: ScriptedModel | None = None, *, shows: bool = False, **values: str
        ) -> AsyncIterator[Scene]:
            told = {"memory_commands_enabled": "1", "memory_channel_id": str(wall.id) if shows else ""} | values
            async with bot_in(world, path, model, clock=clock, told=told) as bot:
                scene = Scene(world, bot, garden, general, staff, wall, kim, ada)
                await scene.menus.ready.wait()
                yield scene

        yield starting


@asynccontextmanager
async def scene_in(
    path: Path, model: ScriptedModel | None = None, *, shows: bool = False, **values: str
) -> AsyncIterator[Scene]:
    """The same, with the bot started, once it has told Discord of its commands. `shows`: there is a memory channel."""
    async with garden_in() as starting, starting(path, model, shows=shows, **values) as scene:
        yield scene
