"""`!memory`: how it is read, what it replies, and that it sees and changes no more than its place opens."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.commands import table
from dnam.commands.command import NOTED, Invocation, Reply
from dnam.commands.forgotten_before import AGAIN
from dnam.commands.parse import Call, Misread
from dnam.commands.picking import WORDS_STAY
from dnam.commands.table import COMMANDS, read, run
from dnam.commands.unmatched import EVERYTHING, NONE, RULE
from dnam.conversation import Conversation, Spot
from dnam.languages import load
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelError, unheard
from dnam.settings import read as read_settings
from dnam.whereabouts import Heard
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import NOBODY, Ref
from projections.policies.compartments import Setting
from replay.engine import Engine
from replay.errors import LogFull
from tests.dnam.scripted import FakeClock, ScriptedModel

GUILD = Ref("local", "garden")
OPEN = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
CLOSED = PlaceSeen("local", "staff", "channel", "staff", "channel", guild=GUILD, guild_name="Garden")
ID = r"`(durable-[0-9a-f]{8})`"
HELP = "**Memory commands:**"
NOT_ANY_MORE = "**Not remembered any more:**"


class World:
    """A memory that is gone with the test, and people who speak and ask in it."""

    def __init__(self, **environment: str) -> None:
        engine = Engine.in_memory(FakeClock())
        self.memory = Memory(engine, read_settings(environment, {}), load("en"))
        self.assistant = Assistant(self.memory, OfflineModel(load("en")))

    async def says(self, user: str, text: str, place: PlaceSeen | None = None) -> Heard:
        heard = await self.memory.heard(user, text, place=place)
        answered = await self.assistant.answer(heard)
        await self.memory.delivered(heard, answered.turn)
        return heard

    async def reply(self, user: str, text: str, place: PlaceSeen | None = None) -> Reply:
        heard = await self.memory.heard(user, "hello", place=place)
        call = read(text)
        assert call is not None
        return await run(self.assistant, Invocation(heard.setting, heard.session), call)

    async def asks(self, user: str, text: str, place: PlaceSeen | None = None) -> str:
        return (await self.reply(user, text, place)).text

    async def remembers(self, user: str, text: str, place: PlaceSeen | None = None) -> str:
        """The id of what is remembered."""
        return (await self.reply(user, f"!memory remember {text}", place)).items[0].id


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    made.memory.engine.close()


class TestReading:
    @pytest.mark.parametrize(
        ("text", "name", "arguments"),
        [
            ("!memory", "show", {}),
            ("  !MEMORY \n", "show", {}),
            ("!memory show", "show", {}),
            ("!memory   SHOW  ", "show", {}),
            ("!memory at yesterday 18:00", "at", {"when": "yesterday 18:00"}),
            ("!memory remember I like tea", "remember", {"text": "I like tea"}),
            ("!Memory\tReMember   two\n\nlines  ", "remember", {"text": "two\n\nlines"}),
            ("!memory remember remember", "remember", {"text": "remember"}),
            ("!memory edit durable-1 new  words", "edit", {"id": "durable-1", "text": "new  words"}),
            ("!memory forget I like", "forget", {"what": "I like"}),
            ("!memory restore durable-1", "restore", {"id": "durable-1"}),
            ("!memory reset rolling", "reset rolling", {}),
            ("!memory RESET\n ROLLING", "reset rolling", {}),
            ("!memory extract", "extract", {}),
            ("!memory help", "help", {}),
        ],
    )
    def test_what_is_a_command(self, text: str, name: str, arguments: dict[str, str]) -> None:
        call = read(text)
        assert isinstance(call, Call)
        assert (call.command.name, call.arguments) == (name, arguments)

    @pytest.mark.parametrize("text", ["", " ", "memory", "!memor", "!memoryshow", "say !memory", "! memory", "\ud800"])
    def test_what_is_none(self, text: str) -> None:
        assert read(text) is None

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("!memory bogus", "There is no command `bogus`."),
            ("!memory resets rolling", "There is no command `resets`."),
            ("!memory reset", "`!memory reset` goes on: `!memory reset rolling`."),
            ("!memory Reset durable", "`!memory reset` goes on: `!memory reset rolling`."),
            ("!memory `x`\x1b[31m", "There is no command `'x'31m`."),
            ("!memory " + "y" * 900, f"There is no command `{'y' * 32}…`."),
            ("!memory remember", "`!memory remember <text>` needs a sentence."),
            ("!memory edit", "`!memory edit <id> <text>` needs the id of an item, which `show` lists."),
            ("!memory edit durable-1 ", "`!memory edit <id> <text>` needs a sentence."),
            ("!memory forget", "`!memory forget <what>` needs an item's id, or a piece of its text, at least 60 %."),
            ("!memory help me", "`!memory help` takes nothing more."),
        ],
    )
    def test_what_is_misread(self, text: str, problem: str) -> None:
        call = read(text)
        assert isinstance(call, Misread)
        assert call.problem == problem

    def test_one_word_of_restore_is_the_id_and_more_belong_to_it(self) -> None:
        call = read("!memory restore durable-1 please")
        assert isinstance(call, Call)
        assert call.arguments == {"id": "durable-1 please"}

    @given(st.text() | st.text().map(lambda text: f"!memory {text}"))
    def test_it_is_total(self, text: str) -> None:
        self._is_sound(text)

    @given(st.sampled_from([each.name for each in COMMANDS]), st.text(), st.text())
    def test_it_is_total_behind_a_command(self, name: str, space: str, rest: str) -> None:
        self._is_sound(f"!memory {name}{space}{rest}")

    def _is_sound(self, text: str) -> None:
        call = read(text)
        if isinstance(call, Call):
            parameters = call.command.parameters
            assert {each.name for each in parameters if not each.optional} <= set(call.arguments)
            assert set(call.arguments) <= {each.name for each in parameters}
            assert all(value.strip() == value != "" for value in call.arguments.values())
        elif isinstance(call, Misread):
            assert call.problem
        else:
            assert text.split(maxsplit=1)[:1] != ["!memory"]

    def test_a_megabyte_is_read(self) -> None:
        call = read("!memory remember " + "x " * 500_000)
        assert isinstance(call, Call)
        assert len(call.arguments["text"]) == 999_999


class TestTheTable:
    def test_every_command_can_be_typed_as_its_usage_says(self) -> None:
        for command in COMMANDS:
            call = read(command.usage)
            assert isinstance(call, Call)
            assert call.command is command

    def test_every_command_says_what_it_does(self) -> None:
        assert all(each.help and all(parameter.help for parameter in each.parameters) for each in COMMANDS)

    def test_what_only_shows_something_can_be_done_again_for_another_page_and_nothing_else(self) -> None:
        lists = {each.name for each in COMMANDS if not Call(each, {}).changes}
        assert lists == {"show", "search", "at", "history", "lore", "export", "costs", "config", "help", "restore"}
        given = {each.name for each in COMMANDS if not Call(each, {"text": "I like tea"}).changes}
        assert given == lists - {"lore", "restore"} | {"config"}
        config = next(each for each in COMMANDS if each.name == "config")
        assert {each: Call(config, {"action": each}).changes for each in ("list", "get", "set", "unset", "lst")} == {
            "list": False, "get": False, "set": True, "unset": True, "lst": True,
        }  # fmt: skip
        assert not Misread("There is no command `shwo`.").changes

    def test_what_it_says_fits_where_slash_commands_are_offered(self) -> None:
        helps = [parameter.help for each in COMMANDS for parameter in each.parameters]
        assert all(len(each) <= 100 for each in (*helps, *(command.help for command in COMMANDS)))

    def test_names_are_one_or_two_plain_words(self) -> None:
        assert all(re.fullmatch(r"[a-z]+(-[a-z]+)?( [a-z]+)?", each.name) for each in COMMANDS)
        assert len({each.name for each in COMMANDS}) == len(COMMANDS)

    async def test_help_lists_it(self, world: World) -> None:
        heard = await world.memory.heard("ada", "hello")
        for is_owner in (True, False):
            asked = Invocation(heard.setting, heard.session, is_owner=is_owner)
            lines = (await table.show_help(world.assistant, asked, {})).text.splitlines()
            assert lines[0] == HELP
            assert [line.split("`")[1] for line in lines[1:]] == [
                each.usage for each in COMMANDS if is_owner or not each.for_owner
            ]

    async def test_an_unknown_word_lists_it(self, world: World) -> None:
        reply = await world.reply("ada", "!memory whatever")
        assert reply.text == f"There is no command `whatever`.\n{await world.asks('ada', '!memory help')}"
        assert "costs" not in reply.text
        assert reply.failed


async def test_a_mistyped_command_is_met_with_the_one_that_is_most_like_it(world: World) -> None:
    reply = await world.reply("ada", "!memory histroy durable-00000000")
    said = "There is no command `histroy`. Did you mean `!memory history`? `!memory help` lists all."
    assert (reply.text, reply.failed) == (said, True)
    assert "`!memory reset rolling`?" in await world.asks("ada", "!memory rest")
    assert "Did you mean `!memory config`?" in await world.asks("ada", "!memory confg")
    assert "compact" not in await world.asks("ada", "!memory compct")  # the owner's


class TestShow:
    async def test_nothing_is_shown_as_nothing(self, world: World) -> None:
        assert await world.asks("ada", "!memory") == (
            "**Durable memory:** (0 chars, ~0 tokens)\n(none)\n\n"
            "**Rolling summary:** (0 chars, ~0 tokens)\n(none)\n\n"
            "**Total prompt memory:** 0 chars, ~0 tokens\n\n"
            "I remember nothing of you here yet: `!memory remember <text>` keeps something."
        )

    async def test_items_stand_as_in_a_prompt_with_their_ids_behind_them(self, world: World) -> None:
        item = await world.remembers("ada", "I like tea")
        text = await world.asks("ada", "!memory show")
        line = "- [fact] I like tea (src: manual, updated 2023-11-14)"
        assert text.startswith(
            f"**Durable memory:** ({len(line)} chars, ~{-(-len(line) // 4)} tokens)\n**People** (1)\n{line} `{item}`\n"
        )
        assert text.endswith(f"**Total prompt memory:** {len(line)} chars, ~{-(-len(line) // 4)} tokens")

    async def test_the_session_s_summary_is_shown(self, world: World) -> None:
        heard = await world.says("ada", "The release is on Friday and the tests are green.")
        assert await world.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        shown = re.search(
            r"\*\*Rolling summary:\*\* \((\d+) chars, ~\d+ tokens\)\n(.+?)\n\n",
            await world.asks("ada", "!memory"),
            re.S,
        )
        assert shown
        assert "Friday" in shown[2]
        assert len(shown[2]) == int(shown[1])

    async def test_of_the_summary_its_own_characters_count_and_not_how_it_is_quoted(self) -> None:
        world = World(DNAM_SUMMARY_MAX_CHARS="63")
        text = "- The release is on Friday.\n- The tests are green.\n- All of it."
        assistant = Assistant(world.memory, ScriptedModel({"summary": lambda _: text}))
        heard = await world.says("ada", "The release is on Friday and the tests are green.")
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        shown = await world.asks("ada", "!memory")
        assert "\n  - The tests are green." in shown
        assert f"**Rolling summary:** ({len(text)} chars, ~16 tokens)\n" in shown
        assert shown.endswith(f"**Total prompt memory:** {len(text)} chars, ~16 tokens")
        world.memory.engine.close()

    async def test_what_does_not_fit_into_a_prompt_is_listed_with_its_id_too(self) -> None:
        world = World(DNAM_DURABLE_INJECT_MAX_ITEMS="1")
        ids = {await world.remembers("ada", text) for text in ("I like tea", "I live in Oslo", "I run a bakery")}
        reply = await world.reply("ada", "!memory")
        assert "**Also kept, not in the next prompt:** 2\n- [fact] " in reply.text
        assert set(re.findall(ID, reply.text)) == ids == {item.id for item in reply.items}
        world.memory.engine.close()


class TestRemember:
    @pytest.mark.parametrize(
        ("place", "reach"),
        [
            (None, "It stays in your direct messages, unless you share it."),
            (OPEN, "It may be told wherever everyone in this server can read."),
            (CLOSED, "It stays in this channel: whoever can read here may be told."),
        ],
    )
    async def test_it_says_what_it_kept_and_who_may_hear_of_it(
        self, world: World, place: PlaceSeen | None, reach: str
    ) -> None:
        reply = await world.reply("ada", "!memory remember   I like\n tea", place)
        assert reply.text == f"Remembered: I like tea\n{reach} (`{reply.items[0].id}`)"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("\ufeff", "There is nothing to remember: write a sentence."),
            ("\u200b", "There is nothing to remember: write a sentence."),
            ("x" * 1801, "That is 1,801 characters"),
        ],
    )
    async def test_what_cannot_be_kept_is_refused_in_words(self, world: World, text: str, said: str) -> None:
        reply = await world.reply("ada", f"!memory remember {text}")
        assert reply.text.startswith(said)
        assert reply.failed

    @pytest.mark.parametrize("text", ["User has epilepsy", "I take pills for epilepsy"])
    async def test_what_was_forgotten_here_is_kept_again_and_that_is_said(self, world: World, text: str) -> None:
        assert AGAIN not in await world.asks("Kim", "!memory remember User has epilepsy")
        await world.asks("Kim", "!memory forget User has epilepsy")
        assert AGAIN not in await world.asks("Kim", "!memory remember I like pears")
        assert AGAIN not in await world.asks("Kim", f"!memory remember {text}", OPEN)
        assert AGAIN not in await world.asks("Ada", f"!memory remember {text}")
        told = await world.asks("Kim", f"!memory remember {text}")
        assert told.startswith(f"Remembered: {text}\n")
        assert told.endswith(AGAIN)

    async def test_what_would_turn_or_break_the_line_is_told_harmless_as_show_tells_it(self, world: World) -> None:
        said, shown = "I like \u202eaet\x1b[2J", "I like \ufffdaet\ufffd[2J"
        item = await world.remembers("ada", said)
        assert (await world.asks("ada", f"!memory remember {said}")).startswith(f"Remembered: {shown}\n")
        assert (await world.asks("ada", f"!memory edit {item} {said}!")).startswith(f"Edited: {shown}!\n")
        await world.asks("ada", f"!memory forget {item}")
        assert (await world.asks("ada", f"!memory restore {item}")).startswith(f"Restored: {shown}!\n")


class TestForgetEditRestore:
    @pytest.mark.parametrize(
        ("text", "shown", "more"),
        [
            ("edit durable-0`\u202e0 x", "show", ""),
            (
                "restore durable-0`\u202e0",
                "show all",
                " What was learned from a message that was taken back is gone with it, for good.",
            ),
        ],
    )
    async def test_an_id_that_names_nothing_here_says_how_to_see_those_that_do(
        self, world: World, text: str, shown: str, more: str
    ) -> None:
        reply = await world.reply("ada", f"!memory {text}")
        assert (reply.failed, reply.text) == (
            True,
            f"There is no item `durable-0'\ufffd0` here: `!memory {shown}` lists the ids.{more}",
        )

    @pytest.mark.parametrize("command", ["!memory show all", "!memory show ALL", "!memory show yes", "!memory restore"])
    async def test_what_was_forgotten_is_listed_with_its_id(self, world: World, command: str) -> None:
        kept = await world.remembers("ada", "I like green tea")
        item = await world.remembers("ada", "I live in Oslo")
        assert "Oslo" not in (await world.asks("ada", command)).partition(NOT_ANY_MORE)[2]
        await world.asks("ada", f"!memory forget {item}")
        reply = await world.reply("ada", command)
        assert reply.text.endswith(
            f"{NOT_ANY_MORE} 1\n- [fact] I live in Oslo `{item}`, forgotten\n`!memory restore <id>` brings one back."
        )
        assert item not in {each.id for each in reply.items}
        assert (kept in reply.text) is command.startswith("!memory show")
        await world.asks("ada", f"!memory restore {item}")
        assert NOT_ANY_MORE not in await world.asks("ada", command)

    async def test_without_anything_forgotten_that_is_said(self, world: World) -> None:
        assert await world.asks("ada", "!memory restore") == "There is nothing here to bring back."
        assert (await world.asks("ada", "!memory show all")).endswith("\n\nThere is nothing here to bring back.")

    async def test_show_takes_nothing_else(self, world: World) -> None:
        reply = await world.reply("ada", "!memory show me")
        assert reply.failed
        assert reply.text == "`!memory show` takes nothing more than `all`, which lists what was forgotten too."

    @pytest.mark.parametrize("command", ["!memory show all", "!memory restore"])
    async def test_where_others_read_along_it_says_where_that_is_listed(self, world: World, command: str) -> None:
        item = await world.remembers("ada", "I live in Oslo", OPEN)
        await world.asks("ada", f"!memory forget {item}", OPEN)
        told = await world.asks("ada", command, OPEN)
        assert "Oslo" not in told
        assert item not in told
        assert "is listed for you alone: `!memory show all` in your direct messages with me" in told

    async def test_of_whom_nothing_is_kept_nothing_is_listed(self, world: World) -> None:
        heard = await world.memory.heard("ada", "hello")
        asked = Invocation(heard.setting._replace(person=NOBODY), heard.session)
        call = read("!memory restore")
        assert call is not None
        assert (await run(world.assistant, asked, call)).text == "There is nothing here to bring back."

    async def test_forget_by_words_lists_what_it_took_and_how_to_undo_it(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea")
        assert await world.asks("ada", "!memory forget LIKE GREEN TEA") == (
            f"Forgot 1 item(s).\n- [fact] I like green tea `{item}`\n{WORDS_STAY}\n"
            "To take it back: `!memory restore <id>`"
        )
        assert item not in await world.asks("ada", "!memory")

    async def test_forget_by_id(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea")
        assert (await world.asks("ada", f"!memory forget {item}")).startswith("Forgot 1 item(s).\n")
        assert (await world.asks("ada", f"!memory forget {item}")).startswith(NONE)

    @pytest.mark.parametrize("what", ["tea", "durable-00000000", "\ufeff"])
    async def test_too_few_words_and_unknown_ids_match_nothing(self, world: World, what: str) -> None:
        await world.remembers("ada", "I like green tea")
        text = await world.asks("ada", f"!memory forget {what}")
        assert text.startswith((f"{NONE} {RULE}", "Say what to forget"))
        assert ("Did you mean:\n- [fact] I like green tea `durable-" in text) is (what == "tea")
        assert "green tea" in await world.asks("ada", "!memory")

    @pytest.mark.parametrize("what", ["everything", " ALL ", "everything about me"])
    async def test_everything_is_forgotten_by_another_command(self, world: World, what: str) -> None:
        await world.remembers("ada", "I like green tea")
        assert await world.asks("ada", f"!memory forget {what}") == EVERYTHING
        assert "green tea" in await world.asks("ada", "!memory")

    async def test_restore_brings_it_back_once(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea")
        await world.asks("ada", f"!memory forget {item}")
        assert await world.asks("ada", f"!memory restore {item}") == f"Restored: I like green tea\n(`{item}`)"
        assert await world.asks("ada", f"!memory restore {item}") == f"`{item}` is remembered already."

    async def test_edit_keeps_the_id(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea")
        assert (
            await world.asks("ada", f"!memory edit {item} I like black tea") == f"Edited: I like black tea\n(`{item}`)"
        )
        assert await world.asks("ada", f"!memory edit {item} I like black tea") == f"`{item}` says that already."

    @pytest.mark.parametrize("command", ["edit durable-00000000 x", "restore durable-00000000", "restore `\x00\ud800"])
    async def test_an_unknown_id_is_said_to_be_unknown(self, world: World, command: str) -> None:
        reply = await world.reply("ada", f"!memory {command}")
        assert reply.text.startswith("There is no item ")
        assert reply.failed

    async def test_what_a_person_did_is_recorded_with_what_they_meant(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea")
        await world.asks("ada", "!memory forget like green tea")
        shown = await world.memory.look(lambda rows: _intent(rows, item))
        assert (shown.action, shown.needle, shown.saw.text) == ("forget", "like green tea", "I like green tea")


def _intent(rows: Any, item_id: str) -> Any:
    from projections.items import ITEMS

    return next(found.row.intent for found in rows.scan(ITEMS) if found.row.item.id == item_id)


class TestOneIdInTwoPlaces:
    """Ids are by what an item says, so the same sentence, kept in two places, has one id."""

    async def kept_twice(self, world: World) -> str:
        there, here = await world.remembers("ada", "I like tea", OPEN), await world.remembers("ada", "I like tea")
        assert there == here
        return here

    async def test_the_one_that_lies_where_it_is_asked_is_edited(self, world: World) -> None:
        item = await self.kept_twice(world)
        which = "This is the one kept in direct messages. What else has the id stays as it is, kept in guild Garden."
        edited = await world.asks("ada", f"!memory edit {item} I like rain")
        assert edited == f"Edited: I like rain\n(`{item}`)\n{which}"
        assert "I like tea" in await world.asks("ada", "!memory", OPEN)
        assert (await world.asks("ada", f"!memory edit {item} I like snow", OPEN)).startswith("Edited: I like snow")
        assert sorted(each.text for each in await world.memory.show("ada")) == ["I like rain", "I like snow"]

    async def test_both_are_forgotten_by_it_and_restored_one_by_one(self, world: World) -> None:
        item = await self.kept_twice(world)
        assert (await world.asks("ada", f"!memory forget {item}")).startswith("Forgot 2 item(s).")
        restored = [await world.reply("ada", f"!memory restore {item}") for _ in range(3)]
        assert [each.items[0].compartment.split("/")[0] for each in restored[:2]] == ["person", "guild"]
        assert restored[2].text == f"`{item}` is remembered already."

    async def test_of_one_that_is_gone_and_one_that_is_held_the_latter_is_edited(self, world: World) -> None:
        item = await self.kept_twice(world)
        await world.asks("ada", "!memory undo")
        assert (await world.asks("ada", f"!memory edit {item} I like rain")).startswith("Edited: I like rain")
        assert "I like rain" in await world.asks("ada", "!memory", OPEN)


async def test_the_help_says_for_whom_something_is_done_and_what_a_yes_is_for(world: World) -> None:
    lines = (await world.asks("ada", "!memory help")).splitlines()
    assert (
        "`!memory reset rolling`: clear this session's rolling summary for good; "
        "where others read along, for all of them" in lines
    )
    (redact,) = (each for each in lines if each.startswith("`!memory redact <message> [yes]`: take back at once "))
    assert redact.endswith("; `yes` where it is somebody else's")
    (config,) = (each for each in lines if each.startswith("`!memory config "))
    assert config.endswith(": your own always, as `config set me learn=none`")


class TestResetRolling:
    async def test_it_clears_this_session_s_summary_and_no_other(self, world: World) -> None:
        for place in (None, OPEN):
            heard = await world.says("ada", "The release is on Friday.", place)
            await world.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        assert await world.asks("ada", "!memory reset rolling") == (
            "Rolling summary cleared for this session, for good: the next one is made of what is said from now on."
        )
        assert "Friday" not in await world.asks("ada", "!memory")
        assert "Friday" in await world.asks("ada", "!memory", OPEN)

    async def test_where_others_read_along_it_says_that_it_is_for_all_of_them(self, world: World) -> None:
        heard = await world.says("ada", "The release is on Friday.", OPEN)
        await world.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        told = await world.asks("kim", "!memory reset rolling", OPEN)
        assert told.startswith("Rolling summary cleared for this session, for everybody here and for good: the next")

    async def test_there_may_be_none(self, world: World) -> None:
        assert await world.asks("ada", "!memory reset rolling") == "There is no rolling summary for this session."

    async def test_what_was_said_before_does_not_come_back(self, world: World) -> None:
        heard = await world.says("ada", "The release is on Friday.")
        await world.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        await world.asks("ada", "!memory reset rolling")
        heard = await world.says("ada", "The cat sleeps in the kitchen.")
        await world.assistant.summarise(heard.session, heard.setting.audience, heard.person)
        text = await world.asks("ada", "!memory")
        assert "kitchen" in text
        assert "Friday" not in text


class Failing:
    """A model that cannot be asked."""

    name, version, paid = "claude", "1", False

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Any:
        raise ModelError("the API is down")


class TestExtract:
    async def test_it_learns_now_and_says_what(self, world: World) -> None:
        await world.says("ada", "I prefer tea over coffee.")
        text = await world.asks("ada", "!memory extract")
        assert re.fullmatch(rf"Learned 1 item\(s\)\.\n- \[preference\] User prefers tea over coffee\. {ID}", text)

    async def test_what_a_correction_replaced_is_listed(self, world: World) -> None:
        await world.says("ada", "My name is Ada.")
        await world.asks("ada", "!memory extract")
        await world.says("ada", "Actually, my name is Grace.")
        text = await world.asks("ada", "!memory extract")
        assert "Grace" in text

    async def test_nothing_new(self, world: World) -> None:
        await world.says("ada", "I prefer tea over coffee.")
        await world.asks("ada", "!memory extract")
        assert await world.asks("ada", "!memory extract") == "Nothing to remember was found."  # "hello" was said
        heard = await world.says("ada", "hm")
        await world.assistant.extract(heard.person)
        call = read("!memory extract")
        assert call is not None
        reply = await run(world.assistant, Invocation(heard.setting, heard.session), call)
        assert reply.text == "Nothing new was said since I last learned."

    async def test_it_says_when_more_is_left(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("dnam.loops.extraction.INPUT_CHARS", 30)
        await world.says("ada", "I prefer tea over coffee.")
        await world.says("ada", "I work on the parser.")
        text = await world.asks("ada", "!memory extract")
        assert re.search(r"\n\d message\(s\) are left: `extract` again reads on\.$", text)
        for _ in range(3):
            text = await world.asks("ada", "!memory extract")
        assert "left" not in text

    async def test_a_model_that_fails_is_said_to_have_failed(self, world: World) -> None:
        await world.says("ada", "I prefer tea over coffee.")
        world.assistant.model = Failing()
        reply = await world.reply("ada", "!memory extract")
        assert reply.text == f"Some of it could not be read. {NOTED} It is tried again later."
        assert reply.failed
        assert list(world.assistant.failures) == ["extraction: the API is down"]

    async def test_whoever_runs_it_and_is_alone_is_told_why_it_failed(self, world: World) -> None:
        heard = await world.says("ada", "I prefer tea over coffee.")
        world.assistant.model = Failing()
        call = read("!memory extract")
        assert call is not None
        reply = await run(world.assistant, Invocation(heard.setting, heard.session, is_told_why=True), call)
        assert reply.text == "Some of it could not be read: the API is down. It is tried again later."
        assert not world.assistant.failures

    async def test_it_reads_only_what_the_place_opens(self, world: World) -> None:
        await world.says("ada", "I prefer tea over coffee.")
        await world.says("ada", "I work on the parser.", OPEN)
        assert "tea" not in await world.asks("ada", "!memory extract", OPEN)
        assert "tea" in await world.asks("ada", "!memory extract")

    async def test_it_can_be_switched_off(self) -> None:
        world = World(DNAM_DURABLE_MEMORY_ENABLED="0")
        assert await world.asks("ada", "!memory extract") == "Learning is switched off here, so nothing was learned."
        world.memory.engine.close()


class TestCosts:
    @pytest.mark.parametrize(
        ("is_owner", "text"),
        [
            (False, "Only the owner of this bot can ask for that."),
            (True, "No model was asked in the last 7 days."),
        ],
    )
    async def test_they_are_the_owner_s(self, world: World, is_owner: bool, text: str) -> None:
        heard = await world.memory.heard("ada", "hello")
        call = read("!memory costs")
        assert call is not None
        reply = await run(world.assistant, Invocation(heard.setting, heard.session, is_owner=is_owner), call)
        assert (reply.text, reply.failed) == (text, not is_owner)

    @pytest.mark.parametrize(("platform", "is_owner"), [("local", True), ("discord", False)])
    async def test_who_talks_to_a_memory_directly_owns_it(self, world: World, platform: str, is_owner: bool) -> None:
        ada = Account(platform, "1", "Ada")
        place = PlaceSeen(platform, "", "direct", "", "direct", partner=ada)
        conversation = Conversation(world.assistant, Spot(ada, place))
        call = read("!memory costs")
        assert call is not None
        assert (await conversation.obey(call)).failed is not is_owner

    def test_help_says_whose_they_are(self) -> None:
        assert "`!memory costs`: what models cost lately (the owner)" in table.listing()


class TestCompartments:
    """What is remembered in one place is seen and changed where that place is open, and nowhere else."""

    @pytest.mark.parametrize(
        ("taught", "asked", "seen"),
        [
            (None, None, True),
            (None, OPEN, False),
            (None, CLOSED, False),
            (OPEN, None, True),  # a person's own DMs open what they taught in guilds
            (OPEN, OPEN, True),
            (OPEN, CLOSED, True),
            (CLOSED, None, False),  # whether they can still read there is known with the audience rules
            (CLOSED, OPEN, False),
            (CLOSED, CLOSED, True),
        ],
    )
    async def test_who_sees_what(
        self, world: World, taught: PlaceSeen | None, asked: PlaceSeen | None, seen: bool
    ) -> None:
        item = await world.remembers("ada", "I like green tea", taught)
        assert (item in await world.asks("ada", "!memory", asked)) is seen
        edited = await world.asks("ada", f"!memory edit {item} I like black tea", asked)
        assert edited.startswith("Edited: ") is seen
        forgotten = await world.asks("ada", f"!memory forget {item}", asked)
        assert forgotten.startswith("Forgot 1 ") is seen
        restored = await world.asks("ada", f"!memory restore {item}", asked)
        assert restored.startswith("Restored: ") is seen

    async def test_nobody_sees_or_changes_what_is_somebody_else_s(self, world: World) -> None:
        item = await world.remembers("ada", "I like green tea", OPEN)
        assert "tea" not in await world.asks("bob", "!memory", OPEN)
        assert await world.asks("bob", "!memory forget I like green tea", OPEN) == f"{NONE} {RULE}"
        assert await world.asks("bob", f"!memory forget {item}", OPEN) == f"{NONE} {RULE}"
        assert (await world.asks("bob", f"!memory edit {item} x", OPEN)).startswith("There is no item")

    async def test_of_whom_nothing_may_be_kept_there_is_nothing_to_show_or_to_keep(self, world: World) -> None:
        heard = await world.memory.heard("ada", "hello")
        nobody = Invocation(Setting(NOBODY, heard.setting.audience), heard.session)
        for text in ("!memory", "!memory remember x", "!memory extract", "!memory forget x"):
            call = read(text)
            assert call is not None
            reply = await run(world.assistant, nobody, call)
            assert (reply.failed, reply.text[:25]) == (True, "I keep nothing about you,")
        helping = read("!memory help")
        assert helping is not None
        assert (await run(world.assistant, nobody, helping)).text.startswith(HELP)


class TestLookingBack:
    async def test_a_moment_shows_what_was_remembered_then(self, world: World) -> None:
        await world.remembers("ada", "I like tea")
        then = world.memory.engine.head().size
        await world.remembers("ada", "I like rain")
        text = await world.asks("ada", f"!memory at {then}")
        assert text.startswith(f"As recorded up to #{then}, 2023-11-14 ")
        assert "I like tea" in text
        assert "I like rain" not in text
        assert text.endswith("**Rolling summary then:**\n(none)")
        assert "I like rain" in await world.asks("ada", "!memory at now")

    async def test_nothing_then_is_said(self, world: World) -> None:
        await world.says("ada", "hello")
        assert "**Durable memory then:**\n(none)" in await world.asks("ada", "!memory at 1")

    @pytest.mark.parametrize("when", ["soon", "99999", "before the last import"])
    async def test_what_is_no_moment_is_said(self, world: World, when: str) -> None:
        reply = await world.reply("ada", f"!memory at {when}")
        assert reply.failed

    async def test_where_others_read_along_what_was_taken_back_stays_so(self, world: World) -> None:
        await world.remembers("ada", "I like tea", OPEN)
        await world.remembers("ada", "I fear dogs", OPEN)
        then = world.memory.engine.head().size
        await world.asks("ada", "!memory forget I fear dogs", OPEN)
        there = await world.asks("ada", f"!memory at {then}", OPEN)
        assert "I like tea" in there
        assert "dogs" not in there
        assert "summary" not in there
        assert "I fear dogs" in await world.asks("ada", f"!memory at {then}")

    async def test_where_others_read_along_words_that_were_changed_stay_so(self, world: World) -> None:
        item = await world.remembers("ada", "I take antidepressants", OPEN)
        then = world.memory.engine.head().size
        await world.asks("ada", f"!memory edit {item} I take vitamins", OPEN)
        assert "antidepressants" not in await world.asks("ada", f"!memory at {then}", OPEN)
        assert "antidepressants" in await world.asks("ada", f"!memory at {then}")

    async def test_nobody_sees_another_s_past(self, world: World) -> None:
        await world.remembers("ada", "I like tea", OPEN)
        assert "tea" not in await world.asks("kim", "!memory at now", OPEN)


class TestWhatCannotBeDone:
    async def test_a_memory_that_cannot_be_written_says_so(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        heard = await world.memory.heard("ada", "hello")

        def full(_: object) -> Any:
            raise LogFull("the disk is full")

        monkeypatch.setattr(world.memory.engine, "hand_in", full)
        for command in ("remember x", "reset rolling"):
            call = read(f"!memory {command}")
            assert call is not None
            asked = Invocation(heard.setting, heard.session)
            word = " ".join(command.split()[:1]) if command.startswith("remember") else command
            assert await run(world.assistant, asked, call) == Reply(
                f"`!memory {word}` could not be done just now. {NOTED}", failed=True, hindered=True
            )
            assert list(world.assistant.failures)[-1] == "command: the disk is full"
            assert await run(world.assistant, asked._replace(is_told_why=True), call) == Reply(
                f"`!memory {word}` could not be done: the disk is full", failed=True, hindered=True
            )
        assert len(world.assistant.failures) == 2

    async def test_memory_can_be_switched_off(self) -> None:
        world = World(DNAM_MEMORY_ENABLED="0")
        assert await world.asks("ada", "!memory") == "Memory is switched off here (DNAM_MEMORY_ENABLED=0)."
        heard = await world.memory.heard("ada", "what do you remember about me?")
        assert (await world.assistant.answer(heard)).text.endswith("\nMemory is switched off here.")
        assert (await world.asks("ada", "!memory config")).startswith("**What holds here:**\n`respond_mode = mention`")
        named = [line.split("`")[1].split()[1] for line in (await world.asks("ada", "!memory help")).splitlines()[1:]]
        assert named == ["export", "opt-out", "opt-in", "erase", "redact", "erase-guild", "config", "help"]
        world.memory.engine.close()


async def test_what_makes_room_for_what_is_kept_is_told() -> None:
    world = World(DNAM_DURABLE_MAX_ITEMS="2")
    first = await world.reply("ada", "!memory remember I am allergic to peanuts")
    await world.reply("ada", "!memory remember my boat lies in Kiel")
    assert "make room" not in first.text
    third = await world.reply("ada", "!memory remember my oven is broken")
    told = "To make room for it, 1 older item went: I am allergic to peanuts (`{}`). They can be restored."
    (gone,) = re.findall(ID, first.text)
    assert third.text.splitlines()[-1] == told.format(gone)
    again = await world.reply("ada", f"!memory restore {gone}")
    assert not again.failed
