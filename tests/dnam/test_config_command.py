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
from projections.policies.rights import FOR_MANAGERS, NO_CHANNEL
from projections.times import DAY_MS
from replay.engine import Engine
from tests.dnam.scripted import FakeClock

GARDEN = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
ATTIC = PlaceSeen("terminal", "attic", "channel", "attic", "channel")
HARBOUR = PlaceSeen("discord", "5", "channel", "pier", "guild", guild=Ref("discord", "8"), guild_name="Harbour")


class Room:
    """A memory, and people who ask in a channel of it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.memory = Memory(Engine.in_memory(self.clock), read_settings({}, {}), load("en"))
        self.assistant = Assistant(self.memory, OfflineModel(load("en")))

    async def reply(self, text: str, user: str = "100", place: PlaceSeen = GENERAL, **rights: bool) -> Reply:
        heard = await self.memory.heard(user, "hello", name=f"N{user}", platform="discord", place=place)
        call = read(f"!memory config {text}")
        assert call is not None
        owns, manages = rights.get("is_owner", False), rights.get("manages_guild", False)
        return await run(self.assistant, Invocation(heard.setting, heard.session, owns, manages), call)

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
        "`tools = on` (from default)",
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


ELSEWHERE = (
    "person/N100",
    "person/N200",
    "person/Nobody",
    "channel/pier",
    "channel/5",
    "channel/discord:5",
    "channel/nowhere",
    "channel/77",
    "channel/terminal:attic",
    "guild/Harbour",
    "guild/8",
    "guild/nowhere",
)
"""People, and places of another server: some are known, some are not."""


@pytest.mark.parametrize("manages", [False, True])
@pytest.mark.parametrize("action", ["get {}", "set {} learn=none"])
async def test_nobody_but_the_owner_learns_who_and_what_there_is_elsewhere(
    room: Room, action: str, manages: bool
) -> None:
    await room.reply("")
    for user in ("200", "201"):  # two of one name
        await room.memory.heard(user, "hello", name="N200", platform="discord", place=HARBOUR)
    await room.memory.heard("201", "hello", platform="terminal", place=ATTIC)
    told = {each.partition("/")[0]: set[str]() for each in ELSEWHERE}
    for each in ELSEWHERE:
        told[each.partition("/")[0]].add(await room.refused(action.format(each), manages_guild=manages))
    assert told == {
        "person": {"What holds for somebody else is for the owner of this bot alone; of your own words say `me`."},
        "channel": {f"{NO_CHANNEL}." if manages else f"{FOR_MANAGERS[:1].upper()}{FOR_MANAGERS[1:]}."},
        "guild": {f"{FOR_MANAGERS[:1].upper()}{FOR_MANAGERS[1:]}."},
    }


async def test_who_manages_a_server_names_what_is_in_it_also_where_another_has_that_name(room: Room) -> None:
    await room.reply("", user="200", place=HARBOUR._replace(key="6", name="general"))
    await room.asks("")
    assert (await room.asks("get channel/general", manages_guild=True)).startswith("**channel/discord:1 (general):**")
    assert (await room.asks("get guild/garden", manages_guild=True)).startswith("**guild/discord:9 (Garden):**")
    assert (await room.asks("get guild/9", manages_guild=True)).startswith("**guild/discord:9 (Garden):**")
    await room.reply("", place=GENERAL._replace(key="2"))
    among = await room.refused("get channel/general", manages_guild=True)
    assert among == "'general' may be any of:\n  discord:1\n  discord:2"
    assert "discord:6" in await room.refused("get channel/general", is_owner=True)


async def test_everybody_says_whether_their_own_words_are_learned_from(room: Room) -> None:
    await room.asks("set me learn=none")
    await room.asks("set me retention_days=7")
    assert await room.config() == PlaceConfig("mention", 20, "none", 7)
    await room.reply("", user="200")
    assert await room.config("200") == PlaceConfig("mention", 20, "addressed", 0)
    assert "`learn = none`" in await room.asks("get me")
    assert await room.asks("set person learn=none") == "person/N100: `learn = none`, as before."
    assert await room.asks("get me", user="200") == "**person/N200:**\n(nothing is set)"


async def test_what_is_old_is_looked_for_once_a_day(room: Room) -> None:
    told = "person/N100: `retention_days = 1`, what is older goes within a day."
    assert await room.asks("set me retention_days=1") == told
    assert "`retention_days = 1` (from person/N100)" in (await room.asks("list")).splitlines()
    assert await room.asks("get me") == "**person/N100:**\n`retention_days = 1`"
    assert await room.asks("unset me retention_days") == "person/N100: `retention_days` is not set, from now on."


async def test_what_takes_away_what_stands_is_counted_and_set_by_a_second_word(room: Room) -> None:
    await room.reply("list")
    room.clock.time += 3 * DAY_MS
    for setting, value in (("retention_days=1", "1"), ("retention_days 2", "2")):
        told = await room.refused(f"set guild {setting}", manages_guild=True)
        assert told.startswith("Not set yet: 1 message would not be kept any longer.")
        assert told.endswith(f"To do it: `!memory config set guild {setting} yes`")
        assert (await room.config()).retention_days == 0
        assert "`, what is older goes" in await room.asks(f"set guild {setting} YES", manages_guild=True)
        assert (await room.config()).retention_days == int(value)
        await room.asks("unset guild retention_days", manages_guild=True)


async def test_what_would_go_of_one_s_own_is_not_counted_where_others_read_along(room: Room) -> None:
    await room.reply("list")
    room.clock.time += 3 * DAY_MS
    told = await room.refused("set me retention_days=1")
    assert told.startswith("Not set yet: what you said longer ago would not be kept any longer.")
    assert "retention_days = 1" in await room.asks("set me retention_days=1 yes")


async def test_nobody_who_may_not_set_it_is_told_how_much_would_go(room: Room) -> None:
    await room.reply("list")
    room.clock.time += 3 * DAY_MS
    assert await room.refused("set guild retention_days=1 yes") == f"{FOR_MANAGERS[:1].upper()}{FOR_MANAGERS[1:]}."


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("change global learn=none", "'change' is no way to configure: list, get, set, unset"),
        ("set", "Say of which scope"),
        ("set global", "Say what to set: KEY=VALUE behind the scope, as `config set me learn=none`."),
        ("unset global", "Say what to unset: a key behind the scope, as `config unset me learn`."),
        ("set respond_mode=all", "Say of which scope first, as `config set here respond_mode=all`: here, guild, me"),
        ("unset respond_mode", "Say of which scope first, as `config unset here respond_mode`: here, guild, me"),
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
    assert told.endswith("as `config set me learn=none`.")
    assert "`config set me learn=none`" in listing()


async def test_who_silences_the_typed_commands_too_is_told_what_takes_it_back(room: Room) -> None:
    told = await room.asks("set global respond_mode=none", is_owner=True)
    assert told.endswith(
        ". In Discord, typed commands (`!memory`) are not answered there either, and a terminal still answers: "
        "`/memory config` takes it back."
    )
    assert "typed" not in await room.asks("set global respond_mode=owner", is_owner=True)
    assert "typed" not in await room.asks("set me learn=none")
    assert "typed" not in await room.asks("unset global respond_mode", is_owner=True)


async def test_what_is_refused_ends_with_a_full_stop_and_says_what_is_whose(room: Room) -> None:
    assert await room.refused("set global learn=none") == "What holds everywhere is for the owner of this bot alone."


async def test_of_one_key_that_is_named_only_that_is_shown(room: Room) -> None:
    await room.asks("set me learn=none")
    await room.asks("set me retention_days=30")
    whose, shown = (await room.asks("get me learn")).splitlines()
    assert (whose, shown) == ("**person/N100:**", "`learn = none`")
    assert (await room.asks("get me context_history")).splitlines()[1:] == ["(`context_history` is not set)"]
    assert len((await room.asks("get me")).splitlines()) == 3
    assert "lern" in await room.refused("get me lern")
