"""`!memory config`: the owner everywhere, who manages a server there, everybody for what they say themselves."""

from collections.abc import AsyncIterator

import pytest

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from dnam.commands.table import listing, read, run
from dnam.configuration import PlaceConfig, config_for
from dnam.languages import load
from dnam.memory import Memory
from dnam.settings import read as read_settings
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from replay.engine import Engine
from tests.dnam.scripted import FakeClock

GARDEN = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
HARBOUR = PlaceSeen("discord", "5", "channel", "pier", "guild", guild=Ref("discord", "8"), guild_name="Harbour")


class Room:
    """A memory, and people who ask in a channel of it."""

    def __init__(self) -> None:
        self.memory = Memory(Engine.in_memory(FakeClock()), read_settings({}, {}), load("en"))
        self.assistant = Assistant(self.memory, OfflineModel(load("en")))

    async def reply(self, text: str, user: str = "100", place: PlaceSeen = GENERAL, **rights: bool) -> Reply:
        heard = await self.memory.heard(user, "hello", name=f"N{user}", platform="discord", place=place)
        call = read(f"!memory config {text}")
        assert call is not None
        return await run(self.assistant, Invocation(heard.setting, heard.session, **rights), call)

    async def asks(self, text: str, user: str = "100", **rights: bool) -> str:
        reply = await self.reply(text, user, GENERAL, **rights)
        assert not reply.failed, reply.text
        return reply.text

    async def refused(self, text: str, user: str = "100", **rights: bool) -> str:
        reply = await self.reply(text, user, GENERAL, **rights)
        assert reply.failed, reply.text
        return reply.text

    async def config(self, user: str = "100") -> PlaceConfig:
        person = await self.memory.person(user, platform="discord")
        where = Ref("discord", "1")
        return await self.memory.look(lambda rows: config_for(rows, self.memory.settings, person, where, GARDEN))


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    made = Room()
    yield made
    made.memory.engine.close()


async def test_everybody_may_see_what_holds_where_they_are(room: Room) -> None:
    shown = (await room.asks("")).splitlines()
    assert shown == [
        "**What holds here:**",
        "`respond_mode = mention` (from default)",
        "`context_history = 20` (from default)",
        "`learn = addressed` (from default)",
        "`retention_days = 0` (from default)",
    ]
    assert await room.asks("list") == await room.asks("")


async def test_the_owner_sets_everything_and_it_is_in_force_with_the_next_message(room: Room) -> None:
    assert await room.asks("set global respond_mode=all", is_owner=True) == (
        "global: `respond_mode = all`, from the next message on."
    )
    assert await room.asks("set global respond_mode=all", is_owner=True) == "global: `respond_mode = all`, as before."
    told = await room.asks("set guild/8 learn=none", is_owner=True)
    assert told.endswith(", from the next message on. I have heard nothing there yet: is the id right?")
    await room.asks("set person/N100 context_history=3", is_owner=True)
    assert await room.config() == PlaceConfig("all", 3, "addressed", 0)
    assert await room.asks("get guild/8", is_owner=True) == "**guild/discord:8:**\n`learn = none`"
    assert "`respond_mode = all` (from global)" in await room.asks("")


async def test_who_manages_a_server_sets_its_keys_and_those_of_its_channels(room: Room) -> None:
    await room.asks("set guild respond_mode=none", manages_guild=True)
    await room.asks("set here respond_mode=all", manages_guild=True)
    await room.asks("set channel/1 learn=heard", manages_guild=True)
    assert await room.config() == PlaceConfig("all", 20, "heard", 0)
    assert (
        await room.asks("unset here respond_mode", manages_guild=True)
        == "channel/discord:1 (general): `respond_mode` is not set, from the next message on."
    )
    assert (await room.config()).respond_mode == "none"


@pytest.mark.parametrize("text", ["set global learn=none", "set guild/8 learn=none", "set channel/5 learn=none"])
async def test_who_manages_a_server_sets_nothing_beyond_it(room: Room, text: str) -> None:
    await room.reply("", user="200", place=HARBOUR)
    assert "owner" in await room.refused(text, manages_guild=True)
    assert await room.config() == PlaceConfig("mention", 20, "addressed", 0)


@pytest.mark.parametrize(
    "text",
    [
        "set global learn=none",
        "set guild learn=none",
        "set here learn=none",
        "unset guild learn",
        "get guild",
        "set me respond_mode=all",
        "set person/N200 learn=none",
        "set person/Nobody learn=none",
    ],
)
async def test_everybody_else_is_refused_and_told_who_may(room: Room, text: str) -> None:
    await room.reply("")
    await room.reply("", user="200")
    before = room.memory.engine.head().size
    told = await room.refused(text)
    assert "for the owner" in told
    assert "Nobody" not in told
    assert room.memory.engine.head().size == before + 1  # what they said to ask it


async def test_everybody_says_whether_their_own_words_are_learned_from(room: Room) -> None:
    await room.asks("set me learn=none")
    await room.asks("set me retention_days=7")
    assert await room.config() == PlaceConfig("mention", 20, "none", 7)
    await room.reply("", user="200")
    assert await room.config("200") == PlaceConfig("mention", 20, "addressed", 0)
    assert "`learn = none`" in await room.asks("get me")
    assert await room.asks("set person learn=none") == "person/N100: `learn = none`, as before."
    assert await room.asks("get me", user="200") == "**person/N200:**\n(nothing is set)"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("change global learn=none", "'change' is no way to configure: list, get, set, unset"),
        ("set", "Say of which scope"),
        ("set global", "sets nothing: write KEY=VALUE"),
        ("set global learn", "sets nothing"),
        ("set global learn=sometimes", "'sometimes' is not allowed; allowed: one of addressed, heard, none"),
        ("set global lern=none", "did you mean learn?"),
        ("unset global lern", "did you mean learn?"),
        ("set everywhere learn=none", "is no scope: global, guild/ID, channel/ID, person/USER, guild, here, me"),
        ("unset", "as `config unset me learn`"),
    ],
)
async def test_what_is_misread_is_said(room: Room, text: str, why: str) -> None:
    assert why in await room.refused(text, is_owner=True)


async def test_who_may_not_is_told_which_scopes_there_are_where_it_is_none(room: Room) -> None:
    told = await room.refused("set nobody learn=none")
    assert "is no scope: " in told
    assert told.endswith("as `config set me learn=none`")
    assert "`config set me learn=none`" in listing()
