"""What goes wrong once in Discord, or in thinking, is said, done later, or done anyway; and nothing is heard for good
that was taken back.
"""

from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.discord import cog
from dnam.adapters.discord.appearing import UNFINISHED
from dnam.adapters.discord.directs import Directs
from dnam.model import Ask, Hear, ModelDown, ModelError, Reply, unheard
from dnam.whereabouts import Heard
from projections.decisions.hear import HeardRequest
from projections.events import JobFailed, MessageDeleted, TurnAnswered, TurnFailed
from tests.dnam.discord.stage import Edits, Garden, Writing, bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel


def down(_: Ask) -> str:
    raise ModelDown("the service is down")


def posts(here: Garden) -> str:
    return f"/channels/{here.general.id}/messages"


# -- what was taken back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["dm", "thread"])
async def test_what_is_deleted_while_it_is_recorded_is_deleted_behind_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Also where Discord names a channel that is in no cache, and does not say what it is."""
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        where = here.kim.dm if kind == "dm" else await here.kim.begins_thread(here.general, "seeds")
        await here.kim.says(where, "hello")
        await idle(world, bot)
        monkeypatch.setattr(bot.desk, "channel", lambda *_: None)
        recorded = bot.desk.memory.hear_ready

        async def deleted_meanwhile(request: HeardRequest, *rest: Any) -> Heard:
            await here.kim.deletes(secret)
            await world.gateway.flushed()
            await bot.desk.sessions.passed(f"discord:channel:{where.id}")  # where a deletion would overtake it
            return await recorded(request, *rest)

        monkeypatch.setattr(bot.desk.memory, "hear_ready", deleted_meanwhile)
        secret = await here.kim.says(where, "my locker opens with 7")
        await idle(world, bot)
        assert heard(bot) == ["hello"]
        assert len(events(bot, MessageDeleted)) == 1


async def test_a_deletion_in_a_dm_needs_no_word_of_discord_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.ada.says(here.ada.dm, "good day")
            secret = await here.kim.says(here.kim.dm, "a secret")
            await idle(world, bot)
        monkeypatch.setattr(Directs, "read_back", lambda _: None)
        async with bot_in(world, tmp_path) as bot:
            world.fail("GET", f"/channels/{here.kim.dm.id}", status=400)
            await here.kim.deletes(secret)
            await idle(world, bot)
            assert heard(bot) == ["good day"]
            assert events(bot, JobFailed) == []


async def test_only_so_many_channels_are_kept_in_mind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.adapters.discord.hearing.KEPT", 1)
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        secret = await here.kim.says(here.kim.dm, "a secret")
        await here.ada.says(here.ada.dm, "good day")
        await idle(world, bot)
        memory_cog = bot.get_cog("Memory")
        assert isinstance(memory_cog, cog.MemoryCog)
        assert list(memory_cog.hearing._places) == [here.ada.dm.id]
        await here.kim.deletes(secret)
        await idle(world, bot)
        assert heard(bot) == ["good day"]


# -- what was not provided for -----------------------------------------------------------------------------------------


class Broken(ScriptedModel):
    """A model in whose adapter there is a mistake, until it is mended."""

    is_broken = True

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if self.is_broken:
            raise KeyError("marzipan")
        return await super().ask(ask, hear)


async def test_a_mistake_in_the_program_is_said_and_recorded_without_its_words(tmp_path: Path) -> None:
    model = Broken()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == [ModelError.words]
        failed, job = events(bot, TurnFailed, JobFailed)[::-1]
        assert isinstance(failed, TurnFailed)
        assert isinstance(job, JobFailed)
        assert (failed.error, job.job, job.error) == ("KeyError", "discord answer", "KeyError")
        model.is_broken = False
        await here.kim.says(here.general, "and tulips?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == [ModelError.words, "yes"]


async def test_a_question_that_was_not_got_to_is_got_to_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        memory_cog = bot.get_cog("Memory")
        assert isinstance(memory_cog, cog.MemoryCog)

        def broken(*_: object) -> None:
            raise KeyError("marzipan")

        monkeypatch.setattr(memory_cog.hearing.answering, "_thought", broken)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == []
        monkeypatch.undo()
        await here.ada.says(here.general, "is nobody there?")
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        assert len(events(bot, TurnAnswered)) == 1


async def test_that_there_is_no_answer_is_said_until_it_was_said(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, ScriptedModel({"answer": down})) as bot:
        world.fail("POST", posts(here), status=400)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert (shown(world, here.general), events(bot, TurnFailed)) == ([], [])
        await here.ada.says(here.general, "hm")
        await idle(world, bot)
        assert shown(world, here.general) == [ModelDown.words]
        await here.ada.says(here.general, "well")
        await idle(world, bot)
        assert (len(shown(world, here.general)), len(events(bot, TurnFailed))) == (1, 1)


async def test_where_nothing_may_be_said_nobody_asks_a_second_time(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": down})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        world.fail("POST", posts(here), status=403)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        await here.ada.says(here.general, "hm")
        await idle(world, bot)
        assert (shown(world, here.general), len(events(bot, TurnFailed)), len(model.asks)) == ([], 1, 1)


# -- a connection that breaks ------------------------------------------------------------------------------------------


async def test_a_read_back_that_was_cut_off_is_done_with_the_next_message(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await here.kim.says(here.general, "before you came")
        world.cut("GET", posts(here), times=100)
        async with bot_in(world, tmp_path) as bot:
            (failed,) = events(bot, JobFailed)
            assert isinstance(failed, JobFailed)
            assert (failed.job, failed.error) == ("discord read-back", "ServerDisconnectedError")
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
            assert heard(bot) == ["hello"]
            world.rest.limits.faults.clear()
            await here.kim.says(here.general, "hello again")
            await idle(world, bot)
            assert heard(bot) == ["before you came", "hello", "hello again"]


async def test_a_dm_that_cannot_be_opened_keeps_no_other_from_being_read(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.kim.dm, "one")
            await idle(world, bot)  # so that hers is later
            await here.ada.says(here.ada.dm, "two")
            await idle(world, bot)
        await here.kim.says(here.kim.dm, "three")
        await here.ada.says(here.ada.dm, "four")
        back = f"/channels/{here.kim.dm.id}/messages"
        world.cut("POST", "/users/@me/channels")  # Ada's, who spoke last
        async with bot_in(world, tmp_path) as bot:
            await world.until(lambda: len(world.requests("GET", back)) == 2, "Kim's to be read back")
            await idle(world, bot)
            assert sorted(heard(bot)) == ["one", "three", "two"]
            (failed,) = events(bot, JobFailed)
            assert isinstance(failed, JobFailed)
            assert failed.job == "discord opening a DM"


class Growing(Writing):
    """A model that writes one word more whenever it is told to."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.hear = hear
        return await super().ask(ask, hear)


async def test_an_answer_is_shown_as_it_grows_after_the_network_was_away(tmp_path: Path) -> None:
    model = Growing("Roses", "Roses are red.")
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        cut = world.cut("POST", posts(here))
        await here.kim.says(here.general, "tell me", mention=world.bot)
        await world.until(lambda: cut.met, "the beginning to be lost")
        model.hear("Roses are")
        await world.until(lambda: shown(world, here.general) == [f"Roses are{UNFINISHED}"], "more of it to be shown")
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == ["Roses are red."]
