"""A place closes, and in the same moment somebody asks elsewhere: what rests on it is told there no more."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from dnam.adapters.discord import desk as discord_desk
from dnam.adapters.discord.askers import UNSURE
from dnam.adapters.discord.audiences import Audiences
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.later import AGAIN_SECONDS
from dnam.adapters.discord.ui import MemoryMenus
from projections.decisions.place import PlaceSeen
from projections.events import JobFailed, PlaceAudienceChanged
from replay.errors import LogFull
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, ChannelKind, World, threads
from tests.loopback.discord.permissions import Overwrite, Permission

SAID = "the key is under the pot"


class Gate:
    """Holds every comparison until it is opened, and tells of whoever waits for one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._go, self._changed = asyncio.Event(), asyncio.Condition()
        self._held = self._waiting = 0
        self.passed = 0
        """How many went by, however it was opened."""
        compare, closed = Audiences.compare_all, discord_desk.Desk.closed

        async def held(audiences: Audiences, places: Iterable[PlaceSeen]) -> list[Exception]:
            self._held += 1
            await self._tell()
            await self._go.wait()
            return await compare(audiences, places)

        async def waiting(desk: discord_desk.Desk) -> None:
            self._waiting += 1
            await self._tell()
            await closed(desk)
            self.passed += 1

        monkeypatch.setattr(Audiences, "compare_all", held)
        monkeypatch.setattr(discord_desk.Desk, "closed", waiting)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def holds(self) -> None:
        """Until a comparison is held; who stands before the gate is counted from now on."""
        await self._until(lambda: self._held > 0)
        self._waiting = self.passed = 0

    async def is_waited_for(self) -> None:
        """Until something stands before the gate."""
        await self._until(lambda: self._waiting > 0)

    async def _until(self, true: Callable[[], bool]) -> None:
        async with self._changed:
            await self._changed.wait_for(true)

    def open(self) -> None:
        self._go.set()


def close(world: World, here: Garden, channel: Channel) -> None:
    """Only Kim and the bot can read it now."""
    channel.overwrites.append(Overwrite(here.guild.id, False, deny=Permission.VIEW_CHANNEL))
    for each in (here.kim, world.bot):
        channel.overwrites.append(Overwrite(each.id, True, allow=Permission.VIEW_CHANNEL))
    world.state.changed_channel(channel)


def changed(bot: DnamBot) -> list[str]:
    """The places whose audience changed, in order."""
    return [each.place.key for each in events(bot, PlaceAudienceChanged)]


async def is_told_everywhere(world: World, here: Garden, bot: DnamBot, model: ScriptedModel) -> Channel:
    """A channel in which something was kept, which everyone may read, and so may hear elsewhere."""
    porch = here.guild.channel("porch")
    await here.kim.says(porch, "good morning")
    await here.kim.says(porch, f"!memory remember {SAID}")
    await idle(world, bot)
    await here.kim.says(here.general, "where was the key?", mention=world.bot)
    await idle(world, bot)
    assert SAID in model.asks[-1].prompt
    return porch


async def test_what_closes_is_not_told_elsewhere_while_that_is_being_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = await is_told_everywhere(world, here, bot, model)
        gate = Gate(monkeypatch)
        close(world, here, porch)
        await gate.holds()
        before = len(model.asks)
        await here.kim.says(here.general, "and where is the key now?", mention=world.bot)
        await gate.is_waited_for()
        assert (gate.passed, len(model.asks)) == (0, before)
        gate.open()
        await idle(world, bot)
        assert "and where is the key now?" in model.asks[-1].prompt
        assert SAID not in model.asks[-1].prompt


async def test_a_message_in_the_closed_place_itself_closes_as_much(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = await is_told_everywhere(world, here, bot, model)
        close(world, here, porch)
        await here.kim.says(porch, "it is quiet here now")
        await here.kim.says(here.general, "where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        await here.kim.says(porch, "and here, where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID in model.asks[-1].prompt


@pytest.mark.parametrize("kind", ["typed", "slash", "menu"])
async def test_what_was_kept_where_nothing_was_ever_heard_closes_with_it(tmp_path: Path, kind: str) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        porch = here.guild.channel("porch")
        said = await here.kim.says(porch, SAID)
        async with bot_in(world, tmp_path, model, memory_commands_enabled="1", message_history_count="0") as bot:
            await offered(bot)
            match kind:
                case "typed":
                    await here.kim.says(porch, f"!memory remember {SAID}")
                case "slash":
                    await (await here.kim.uses(porch, f"/memory remember text:{SAID}")).reply()
                case _:
                    await (await here.kim.applies("Remember this", said)).reply()
            await idle(world, bot)
            assert heard(bot) == []
            close(world, here, porch)
            await idle(world, bot)
            assert len(events(bot, PlaceAudienceChanged)) == 1
            await here.kim.says(here.general, "where is the key?", mention=world.bot)
            await idle(world, bot)
            assert SAID not in model.asks[-1].prompt


async def offered(bot: DnamBot) -> None:
    """Until Discord knows of the commands."""
    menus = bot.get_cog(MemoryMenus.NAME)
    assert isinstance(menus, MemoryMenus)
    await menus.ready.wait()


class Again:
    """A pause that ends when it is told to, where something is tried once more after a while; else never."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        await (self.go if seconds == AGAIN_SECONDS else asyncio.Event()).wait()
        self.go.clear()


def failing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """From now on no change of who can read a place can be recorded, until this is undone."""

    async def full(*_: object) -> bool:
        raise LogFull("the disk is full")

    monkeypatch.setattr(Audiences, "_change", full)
    return monkeypatch


async def test_what_cannot_be_compared_is_closed_and_compared_again_before_anything_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = await is_told_everywhere(world, here, bot, model)
        fault = failing(monkeypatch)
        close(world, here, porch)
        await idle(world, bot)
        for text in ("where is the key?", "and now?"):
            await here.kim.says(here.general, text, mention=world.bot)
            await idle(world, bot)
            assert text in model.asks[-1].prompt
            assert SAID not in model.asks[-1].prompt
        await here.kim.says(here.general, "!memory show")
        await idle(world, bot)
        assert shown(world, here.general)[-1] == f"The memory cannot be asked just now, and nothing was done: {UNSURE}"
        await here.kim.says(here.kim.dm, "and here?")
        await idle(world, bot)
        assert SAID in model.asks[-1].prompt
        assert [each.error for each in events(bot, JobFailed)] == ["the disk is full"]
        fault.undo()
        await here.kim.says(here.general, "!memory show")
        await idle(world, bot)
        assert len(events(bot, PlaceAudienceChanged)) == 1
        assert "(none)" in shown(world, here.general)[-1]
        assert bot.desk.uncompared == {}


async def test_what_could_not_be_compared_is_compared_again_every_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, again = ScriptedModel(), Again()
    async with (
        garden() as (world, here),
        bot_in(world, tmp_path, model, memory_commands_enabled="1", pause=again) as bot,
    ):
        porch = await is_told_everywhere(world, here, bot, model)
        fault = failing(monkeypatch)
        close(world, here, porch)
        await idle(world, bot)
        assert [each.key for each in bot.desk.uncompared.values()] == [str(porch.id)]
        tries = Tries(monkeypatch)
        await tries.one_more(again)
        assert events(bot, PlaceAudienceChanged) == []
        fault.undo()
        tries = Tries(monkeypatch)
        await tries.one_more(again)
        assert len(events(bot, PlaceAudienceChanged)) == 1
        assert bot.desk.uncompared == {}


class Tries:
    """Comparisons, each told once it has ended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ended = asyncio.Event()
        compare = Audiences.compare_all

        async def told(audiences: Audiences, places: Iterable[PlaceSeen]) -> list[Exception]:
            errors = await compare(audiences, places)
            self._ended.set()
            return errors

        monkeypatch.setattr(Audiences, "compare_all", told)

    async def one_more(self, again: Again) -> None:
        """The next comparison that begins by itself."""
        self._ended.clear()
        again.go.set()
        await self._ended.wait()


async def test_one_place_that_cannot_be_compared_leaves_no_other_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = Audiences._change

    async def full_for_porch(audiences: Audiences, seen: PlaceSeen) -> bool:
        if seen.name == "porch":
            raise LogFull("the disk is full")
        return await change(audiences, seen)

    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        for channel in (here.guild.channel("porch"), here.general):
            await here.kim.says(channel, "good morning")
        await idle(world, bot)
        monkeypatch.setattr(Audiences, "_change", full_for_porch)
        here.guild.everyone.permissions = Permission(0)
        world.state.changed_role(here.guild, here.guild.everyone)
        await idle(world, bot)
        assert changed(bot) == [str(here.general.id)]


@pytest.mark.parametrize("kind", [ChannelKind.TEXT, ChannelKind.FORUM])
async def test_a_thread_that_is_archived_closes_with_its_channel_and_is_not_opened_with_it(
    tmp_path: Path, kind: ChannelKind
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch, hall, begun = here.guild.channel("porch", kind), here.guild.channel("hall", kind), list[str]()
        for channel, words in ((porch, SAID), (hall, "the spare one is in the hall")):
            thread = await here.kim.begins_thread(channel, "keys")
            begun.append(str(thread.id))
            await here.kim.says(thread, f"the key? {words}", mention=world.bot)
            await here.kim.says(thread, f"!memory remember {words}")
            await idle(world, bot)
            threads.archive(world.state, thread)
        await idle(world, bot)
        overwrites = porch.overwrites[:]
        close(world, here, porch)
        await here.ada.says(here.general, "where was the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        assert "spare one" in model.asks[-1].prompt
        assert sorted(changed(bot)) == sorted([str(porch.id), begun[0]])
        porch.overwrites = overwrites
        world.state.changed_channel(porch)
        await here.ada.says(here.general, "and now, where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        assert sorted(changed(bot)) == sorted([str(porch.id), begun[0], str(porch.id)]), "the channel alone is opened"


async def test_what_was_said_in_an_archived_thread_is_closed_also_while_that_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        porch = here.guild.channel("porch")
        thread = await here.kim.begins_thread(porch, "keys")
        await here.kim.says(thread, f"the key? {SAID}", mention=world.bot)
        await idle(world, bot)
        threads.archive(world.state, thread)
        fault = failing(monkeypatch)
        close(world, here, porch)
        await here.ada.says(here.general, "where was the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        assert bot.desk.uncompared.keys() == {str(thread.id), str(porch.id)}
        fault.undo()
        await here.ada.says(here.general, "and now, where is the key?", mention=world.bot)
        await idle(world, bot)
        assert SAID not in model.asks[-1].prompt
        assert (sorted(changed(bot)), bot.desk.uncompared) == (sorted([str(porch.id), str(thread.id)]), {})
