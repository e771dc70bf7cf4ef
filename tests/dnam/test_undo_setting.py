"""Undo of what was set with `!memory config`: the last of what a person set there and may still change."""

from collections.abc import AsyncIterator

import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.table import read, run
from dnam.commands.undo import ALL_STAYS, ALSO_CONFIRMED, ELSEWHERE, NOTHING, STAYS
from dnam.configuration import PlaceConfig
from dnam.scopes import set_config
from projections.config import GLOBAL
from projections.decisions.place import PlaceSeen
from projections.events.values import OPERATOR
from projections.policies.rights import FOR_MANAGERS
from projections.times import DAY_MS
from tests.dnam.test_config_command import GARDEN, GENERAL, HARBOUR, Room

NOT_SET = "`learn` is not set, from the next message on."


class Undoing(Room):
    """People who set things, and undo them."""

    async def says(self, text: str, place: PlaceSeen | None = GENERAL, *, user: str = "100", **rights: bool) -> Reply:
        heard = await self.memory.heard(user, "hello", name=f"N{user}", platform="discord", place=place)
        call = read(f"!memory {text}")
        assert call is not None
        owns, manages = rights.get("is_owner", False), rights.get("manages_guild", False)
        return await run(self.assistant, Invocation(heard.setting, heard.session, owns, manages), call)

    async def undo(self, place: PlaceSeen | None = GENERAL, **rights: bool) -> str:
        reply = await self.says("undo", place, user="100", **rights)
        return reply.text


@pytest.fixture
async def room() -> AsyncIterator[Undoing]:
    made = Undoing()
    yield made
    made.memory.engine.close()


async def test_what_was_set_has_the_value_again_that_it_had(room: Undoing) -> None:
    for setting in ("set me learn=heard", "set me learn=none", "unset me learn"):
        await room.says(f"config {setting}")
    assert await room.undo() == "Undone `config unset`: person/N100: `learn = none`, from the next message on."
    assert await room.undo() == "Undone `config set`: person/N100: `learn = heard`, from the next message on."
    assert await room.undo() == f"Undone `config set`: person/N100: {NOT_SET}"
    assert await room.undo() == NOTHING
    assert await room.config() == PlaceConfig("mention", 20, "addressed", 0)


async def test_it_is_walked_back_together_with_what_was_remembered(room: Undoing) -> None:
    await room.says("remember I like tea")
    await room.says("config set me learn=none")
    await room.says("remember I like emus")
    undone = [(await room.undo()).partition(":")[0] for _ in range(4)]
    assert undone[:3] == ["Undone `remember`", "Undone `config set`", "Undone `remember`"]
    assert undone[3] == NOTHING.partition(":")[0]


async def test_what_they_may_not_set_any_more_stays_and_what_they_did_before_it_is_undone(room: Undoing) -> None:
    await room.says("remember I like tea")
    await room.says("config set me learn=none")
    await room.says("config set guild respond_mode=all", manages_guild=True)
    stays = (
        f"{STAYS}\n- `config set guild/discord:9 respond_mode=all`: {FOR_MANAGERS}. Who may takes it back with "
        "`!memory config unset guild/discord:9 respond_mode`."
    )
    assert await room.undo() == f"Undone `config set`: person/N100: {NOT_SET}\n{stays}"
    told = await room.undo()
    assert told.startswith("Undone `remember`: this is forgotten.\n- [fact] I like tea ")
    assert told.endswith(f"\n{stays}")
    assert await room.undo() == f"{NOTHING}\n{stays.replace(STAYS, ALL_STAYS)}"
    assert (await room.undo(manages_guild=True)).startswith("Undone `config set`: guild/discord:9 (Garden): ")
    assert await room.undo() == NOTHING


async def test_of_much_that_stays_the_newest_is_told(room: Undoing) -> None:
    for each in ("respond_mode=all", "learn=none", "retention_days=9", "context_history=7", "learn=heard"):
        await room.says(f"config set guild {each}", manages_guild=True)
    head, *lines = (await room.undo()).splitlines()[1:]
    assert head == ALL_STAYS
    assert [each.split("`")[1] for each in lines[:3]] == [
        f"config set guild/discord:9 {each}" for each in ("learn=heard", "context_history=7", "retention_days=9")
    ]
    assert lines[3:] == ["- and 1 more"]


async def test_what_somebody_else_set_since_stays(room: Undoing) -> None:
    await room.says("config set guild learn=none", manages_guild=True)
    await room.says("config set guild learn=heard", user="200", manages_guild=True)
    assert await room.undo(manages_guild=True) == NOTHING
    await room.says("config set guild learn=addressed", manages_guild=True)
    assert "`learn = heard`" in await room.undo(manages_guild=True)
    assert await room.undo(manages_guild=True) == NOTHING
    await set_config(room.memory, GLOBAL, "learn", "none", OPERATOR)
    assert await room.undo(is_owner=True) == NOTHING


async def test_what_was_only_confirmed_since_is_passed_over_and_said_to_stay(room: Undoing) -> None:
    await room.says("remember I like tea")
    await room.says("config set me learn=none")
    await room.says("remember I like tea")
    assert await room.undo() == f"Undone `config set`: person/N100: {NOT_SET}\n{ALSO_CONFIRMED}"
    assert (await room.undo()).startswith("Undone `remember`: this is forgotten.\n- [fact] I like tea ")
    assert await room.undo() == NOTHING


async def test_what_would_take_words_away_is_not_undone_by_itself(room: Undoing) -> None:
    await room.says("config set me retention_days=1")
    await room.says("config set me retention_days=9")
    room.clock.time += 3 * DAY_MS
    reply = await room.says("undo")
    assert reply.failed
    assert reply.text.startswith(
        "Not undone, which would be `config set me retention_days=1`: "
        "what you said longer ago would not be kept any longer."
    )
    assert reply.text.endswith("To do it: `!memory undo yes`")
    assert (await room.config()).retention_days == 9


async def test_once_it_is_confirmed_it_is_undone_and_the_next_goes_further_back(room: Undoing) -> None:
    await room.says("remember I like tea")
    await room.says("config set me retention_days=1")
    await room.says("config set me retention_days=9")
    room.clock.time += 3 * DAY_MS
    assert (await room.says("undo perhaps")).failed
    assert (await room.says("undo yes")).text.startswith("Undone `config set`: ")
    assert (await room.config()).retention_days == 1
    assert (await room.undo()).startswith("Undone `config set`: ")
    assert (await room.config()).retention_days == 0
    assert (await room.undo()).startswith("Undone `remember`: ")


async def test_what_was_set_in_another_server_is_undone_there(room: Undoing) -> None:
    await room.says("remember I like tea")
    await room.says("config set channel/5 learn=none", HARBOUR, manages_guild=True)
    told = await room.undo(manages_guild=True)
    assert told.startswith("Undone `remember`: ")
    assert told.endswith(ELSEWHERE)
    assert (await room.undo(HARBOUR, manages_guild=True)).startswith("Undone `config set`: channel/discord:5 (pier): ")


async def test_a_manager_undoes_what_they_set_for_another_channel_of_the_server(room: Undoing) -> None:
    attic = PlaceSeen("discord", "2", "channel", "attic", "guild", guild=GARDEN, guild_name="Garden")
    await room.says("show", attic, user="200")
    await room.says("config set channel/2 learn=none", manages_guild=True)
    assert (await room.undo(manages_guild=True)).startswith("Undone `config set`: channel/discord:2 (attic): ")


async def test_the_owner_s_own_direct_messages_show_whatever_they_set(room: Undoing) -> None:
    await room.says("config set guild learn=none", is_owner=True)
    await room.says("config set global learn=heard", is_owner=True)
    assert await room.undo(None, is_owner=True) == f"Undone `config set`: global: {NOT_SET}"
    assert (await room.undo(None, is_owner=True)).startswith("Undone `config set`: guild/discord:9 (Garden): ")
    assert await room.undo(None) == NOTHING
