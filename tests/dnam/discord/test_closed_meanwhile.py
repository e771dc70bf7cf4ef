"""What closed while the bot was away is closed before it says anything, also where the bot cannot read it any more."""

from pathlib import Path

import pytest

from dnam.adapters.discord import audiences
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.still_open import closed_now, seen_now
from projections.decisions.draft import Draft
from projections.events import ImportBegan, ImportEnded, JobFailed, PlaceAudienceChanged
from projections.events.heard import PlaceKind
from projections.events.values import OPERATOR
from projections.ids import NOBODY, EventId, Ref
from projections.places import PlaceRow
from replay.errors import LogFull
from tests.dnam.discord import made
from tests.dnam.discord.stage import Garden, bot_in, events, garden, idle
from tests.dnam.discord.test_clearing import asked
from tests.dnam.discord.test_closing import SAID, is_told_everywhere
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, World
from tests.loopback.discord.permissions import Overwrite, Permission
from tests.world import NOW

COMMANDS = {"memory_commands_enabled": "1"}
GARDEN, HOME = Ref("discord", str(made.GUILD)), Ref("discord", "10")


def hide(here: Garden, channel: Channel) -> None:
    """Only Kim can read it now; nobody is told of it."""
    channel.overwrites = [
        Overwrite(here.guild.id, False, deny=Permission.VIEW_CHANNEL),
        Overwrite(here.kim.id, True, allow=Permission.VIEW_CHANNEL),
    ]


def narrowed(bot: DnamBot) -> set[str]:
    """The places that fewer can read by now, each of them once."""
    changed = events(bot, PlaceAudienceChanged)
    assert {each.audience.kind for each in changed} <= {"channel"}
    keys = [each.place.key for each in changed]
    assert len(keys) == len(set(keys))
    return set(keys)


async def prompt_for_ada(world: World, here: Garden, bot: DnamBot, model: ScriptedModel) -> str:
    """What the model is told when Ada asks for what was said elsewhere."""
    await here.ada.says(here.general, "where is the key now, and the shovel?", mention=world.bot)
    await idle(world, bot)
    return model.asked("answer")[-1].prompt


@pytest.mark.parametrize("is_listed", [True, False])
async def test_a_channel_that_the_bot_is_kept_out_of_too_is_closed_with_its_threads(
    tmp_path: Path, is_listed: bool
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, told=COMMANDS) as bot:
            porch = await is_told_everywhere(world, here, bot, model)
            dig = await here.kim.begins_thread(porch, "dig")
            await here.kim.says(dig, "the shovel stands behind the quince", mention=world.bot)
            await idle(world, bot)
            assert "quince" in await prompt_for_ada(world, here, bot, model)
        hide(here, porch)
        if not is_listed:
            del here.guild.channels[porch.id]
        async with bot_in(world, tmp_path, model, told=COMMANDS) as bot:
            prompt = await prompt_for_ada(world, here, bot, model)
            assert SAID not in prompt
            assert "quince" not in prompt
            assert narrowed(bot) == {str(porch.id), str(dig.id)}
            assert events(bot, JobFailed) == []
            assert bot.desk.uncompared == bot.desk.comparing == {}


async def test_an_archived_thread_has_the_readers_that_its_channel_has_now(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        porch, hall = here.guild.channel("porch"), here.guild.channel("hall")
        async with bot_in(world, tmp_path, model) as bot:
            threads = [await here.kim.begins_thread(each, "dig") for each in (porch, hall)]
            for thread, words in zip(threads, ("shovel: behind the quince", "shovel: under the plum"), strict=True):
                await here.kim.says(thread, words, mention=world.bot)
            await idle(world, bot)
        for thread in threads:
            thread.archived = True
        here.guild.permit(porch, here.ada, deny=Permission.VIEW_CHANNEL)
        for _ in range(2):
            async with bot_in(world, tmp_path, model) as bot:
                assert narrowed(bot) == {str(porch.id), str(threads[0].id)}
                prompt = await prompt_for_ada(world, here, bot, model)
                assert "quince" not in prompt
                assert "plum" in prompt


async def test_before_the_guild_was_compared_it_is_held_for_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> list[PlaceRow]:
        raise LogFull("it cannot be asked")

    model = ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, told=COMMANDS) as bot:
            porch = await is_told_everywhere(world, here, bot, model)
        hide(here, porch)
        monkeypatch.setattr(audiences, "open_places", full)
        async with bot_in(world, tmp_path, model, told=COMMANDS) as bot:
            assert bot.desk.is_unsure_of(Ref("discord", str(here.guild.id)))
            assert SAID not in await prompt_for_ada(world, here, bot, model)
            assert narrowed(bot) == set()
            monkeypatch.undo()
            assert SAID not in await prompt_for_ada(world, here, bot, model)
            assert narrowed(bot) == {str(porch.id)}
            assert bot.desk.uncompared == {}


async def test_from_a_connection_s_beginning_a_guild_is_held_until_it_was_compared(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        cog = bot.get_cog(MemoryCog.__cog_name__)
        assert isinstance(cog, MemoryCog)
        whole = Ref("discord", str(here.guild.id))
        assert not bot.desk.is_unsure_of(whole)
        cog.hearing.catching_up.connected()
        assert bot.desk.is_unsure_of(whole)
        await bot.desk.closed()
        await bot.desk.closed()
        assert not bot.desk.is_unsure_of(whole)


async def test_a_guild_that_is_away_is_not_taken_for_one_without_channels(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "good morning")
        await idle(world, bot)
        cog = bot.get_cog(MemoryCog.__cog_name__)
        assert isinstance(cog, MemoryCog)
        (home,) = bot.guilds
        home.unavailable = True
        cog.hearing.guild(home)
        await idle(world, bot)
        assert (narrowed(bot), bot.desk.is_unsure_of(Ref("discord", str(home.id)))) == (set(), True)
        home.unavailable = False
        cog.hearing.guild(home)
        await idle(world, bot)
        assert (narrowed(bot), bot.desk.uncompared) == (set(), {})


# -- what an import alone tells of -------------------------------------------------------------------------------------


async def is_imported(bot: DnamBot) -> None:
    """All that was said so far is what an import read."""
    began = EventId(bytes(15) + b"\x01")
    formats = ("discord_export",)
    until = bot.desk.memory.now()
    ended = ImportEnded(
        said=until, by=OPERATOR, began=began, formats=formats,
        first_said=NOW, last_said=until, messages=1, items=0, summaries=0,
    )  # fmt: skip
    drafts = [
        Draft(began, ImportBegan(said=NOW, by=OPERATOR, formats=formats)),
        Draft(EventId(bytes(15) + b"\x02"), ended),
    ]
    await bot.desk.memory.record(lambda _: drafts)


@pytest.mark.parametrize("is_gone", [True, False])
async def test_a_channel_that_only_an_import_told_of_stays_if_it_is_deleted_and_closes_if_it_is_hidden(
    tmp_path: Path, is_gone: bool
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            porch = here.guild.channel("porch")
            await here.kim.says(porch, "good morning")
            await idle(world, bot)
            await is_imported(bot)
        hide(here, porch)
        del here.guild.channels[porch.id]
        porch.gone = is_gone
        async with bot_in(world, tmp_path) as bot:
            assert narrowed(bot) == (set() if is_gone else {str(porch.id)})
            cog = bot.get_cog(MemoryCog.__cog_name__)
            assert isinstance(cog, MemoryCog)
            cog.hearing.guild(bot.guilds[0])
            await idle(world, bot)
            assert (asked(world), bot.desk.uncompared) == ([str(porch.id)], {})


# -- as a table --------------------------------------------------------------------------------------------------------


def row(key: int, parent: int | None = None) -> PlaceRow:
    above = None if parent is None else Ref("discord", str(parent))
    kind: PlaceKind = "channel" if parent is None else "thread"
    place = Ref("discord", str(key))
    return PlaceRow(EventId(b""), place, kind, "", f"discord:{kind}:{key}", GARDEN, above, NOBODY)


@pytest.mark.parametrize(
    ("known", "hidden", "audience"),
    [
        (row(10), False, "guild"),
        (row(10), True, "channel"),
        (row(20, parent=10), False, "guild"),
        (row(20, parent=10), True, "channel"),
    ],
)
def test_who_reads_what_is_listed_or_is_in_what_is_listed(known: PlaceRow, hidden: bool, audience: str) -> None:
    seen = seen_now(known, made.guild(channels=(made.channel(hidden=hidden),)))
    assert seen is not None
    assert (seen.key, seen.audience, seen.guild) == (known.place.key, audience, GARDEN)
    assert seen.readers == known.parent


def test_what_is_in_no_list_counts_as_closed() -> None:
    assert seen_now(row(11), made.guild(channels=(made.channel(),))) is None
    assert seen_now(row(20, parent=11), made.guild(channels=(made.channel(),))) is None
    assert (closed_now(row(11)).audience, closed_now(row(11)).readers) == ("channel", None)
    assert closed_now(row(20, parent=10)).readers == HOME
