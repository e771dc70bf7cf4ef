"""The answering model's tools in whole turns: what is called, told and recorded, what it costs, what goes wrong."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from dnam.assistant import Answered, Assistant
from dnam.budget import Budgeted
from dnam.calling import converse
from dnam.model import AnswerInputs, Ask, Hear, ModelError, Reply, ToolCall, ToolResult, spent_in, unheard
from dnam.saying import words
from dnam.scopes import set_config
from dnam.searching import Passages
from dnam.tool_table import TOOLS, Kind
from dnam.tools import MOST_CALLS, MOST_TOLD_CHARS, NO_MORE, NO_WORDS, NOT_DONE, NOTHING
from dnam.whereabouts import Heard
from projections.config import Scope
from projections.context import Request
from projections.decisions.consent import ConsentRequest, opt_out
from projections.decisions.delete import delete_all
from projections.decisions.hear import DeletedRequest, HeardRequest, Mention
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.durable import Ranked
from projections.events import Event, ItemUpserted, JobFailed, MessageHeard, ToolCalled, TurnAnswered
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.gathering import Passage
from projections.ids import EventId, Point, Ref, Seq
from projections.policies.kinds import KINDS
from projections.rows import Rows
from projections.window import Window
from projections.window_line import WindowLine
from replay.erasure import erase
from replay.errors import LogFull
from tests.dnam.scripted import Calling, ScriptedModel, calling, talking
from tests.world import NOW

GARDEN = Ref("discord", "9")
ROOM = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
STAFF = PlaceSeen("discord", "2", "channel", "staff", "channel", guild=GARDEN, guild_name="Garden")
ELSEWHERE = PlaceSeen("discord", "3", "channel", "shed", "guild", guild=GARDEN, guild_name="Garden")
QUIET = {"summary_enabled": "0", "durable_every_n_turns": "1000", "extraction_idle_minutes": "0"}
TEA = {"namespace": "me", "text": "I like green tea", "quote": "I like green tea", "kind": "preference"}
LOOK = ("memory_search", {"query": "green tea"})


class Table(NamedTuple):
    """An assistant with a script, and everything that it recorded."""

    assistant: Assistant
    model: ScriptedModel
    records: list[Record]

    def script(self, *replies: str | Calling) -> None:
        self.model.scripts["answer"] = calling(*replies)

    async def asks(self, text: str, user: str = "kim", place: PlaceSeen | None = None, **more: Any) -> Answered:
        heard = await self.hears(text, user, place, **more)
        return await self.assistant.answer(heard)

    async def hears(self, text: str, user: str = "kim", place: PlaceSeen | None = None, **more: Any) -> Heard:
        platform = "local" if place is None else place.platform
        return await self.assistant.memory.heard(user, text, place=place, platform=platform, **more)

    def called(self) -> list[ToolCalled]:
        return [each.event for each in self.records if isinstance(each.event, ToolCalled)]

    def turn(self) -> TurnAnswered:
        return next(each.event for each in reversed(self.records) if isinstance(each.event, TurnAnswered))

    def id_of(self, kind: type[Event], words: str) -> EventId:
        return next(each.id for each in self.records if isinstance(each.event, kind) and words in repr(each.event))

    def results(self) -> list[str]:
        """What the model was told of its calls, in the last question."""
        return [each.text for made in self.model.asks[-1].rounds for each in made.results]


@asynccontextmanager
async def sitting(path: Path, *replies: str | Calling, **values: str) -> AsyncIterator[Table]:
    model = ScriptedModel({"answer": calling(*replies)} if replies else {})
    async with talking(path, model, None, **{**QUIET, **values}) as assistant:
        table = Table(assistant, model, [])
        assistant.memory.watchers.append(lambda recorded: table.records.extend(recorded.records))
        yield table


# -- a turn ----------------------------------------------------------------------------------------------------------


async def test_a_turn_with_calls_is_one_answer_and_one_bill(tmp_path: Path) -> None:
    replies = (Calling((("memory_write", TEA),), "Let me note that."), Calling((LOOK,)), "Green tea it is.")
    async with sitting(tmp_path, *replies) as table:
        heard: list[str] = []
        question = await table.hears("Remember that I like green tea")
        thought = await table.assistant.think(question, heard.append)
        assert heard == ["Let me note that.", "", "Green tea it is."]
        assert thought.text == "Green tea it is."
        assert (thought.use.tokens_in, thought.use.tokens_out) == (9, 6)
        first, _, third = table.model.asks
        assert first.tools == TOOLS
        assert [len(each.rounds) for each in table.model.asks] == [0, 1, 2]
        assert [each.goes_on for each in table.model.asks] == [False, True, True]
        assert (first.system, first.prompt) == (third.system, third.prompt)
        write, look = table.called()
        assert (write.number, look.number) == (1, 2)
        assert (write.outcome, look.outcome) == ("written", "found")
        assert look.items[0].id == write.items[0].id
        assert table.results()[0] == f"kept as {write.items[0].id}"
        assert table.results()[1].startswith(f"- {write.items[0].id} [preference] I like green tea (src: local:dm/")
        assert [event.by.name for event in table.called()] == ["scripted", "scripted"]
        answered = await table.assistant.memory.answered(question, thought.context, thought.text, call=thought.use)
        assert answered.said
        item = table.id_of(ItemUpserted, "green tea")
        assert {item, *(each.id for each in table.records if isinstance(each.event, ToolCalled))} < set(
            table.turn().causes
        )
        assert [use.event for use in table.turn().items] == [item]


@pytest.mark.parametrize(
    ("said", "text", "outcome"),
    [
        ("I don't like green tea at all", "I like green tea", "refused"),
        ("I don't like green tea at all", "I don't like green tea", "written"),
        ("Do I like green tea?", "I like green tea", "refused"),
        ("If I move to Paris I will tell you", "I move to Paris", "refused"),
        ("I never said my dog is called Rolf", "my dog is called Rolf", "refused"),
        ("Don't forget my dog is called Rolf", "my dog is called Rolf", "written"),
        ("Remember that I like green tea", "I don't like green tea", "refused"),
        ("I eat meat every day", "I don't eat meat", "refused"),
        ("I am allergic to nuts", "I am not allergic to nuts", "refused"),
        ("I can swim and I live in Bergen", "I can't swim", "refused"),
        ("I work at Acme", "I used to work at Acme", "refused"),
        ("My sister hates tea", "I hates tea", "refused"),
        ("My sister hates tea", "My tea hates sister", "refused"),
        ("My sister hates tea", "My sister hates tea", "written"),
    ],
)
async def test_the_opposite_of_what_was_said_is_not_noted(tmp_path: Path, said: str, text: str, outcome: str) -> None:
    note = {"namespace": "me", "text": text, "quote": said, "kind": "fact"}
    async with sitting(tmp_path, Calling((("memory_write", note),)), "Well.") as table:
        await table.asks(said)
        (call,) = table.called()
        assert call.outcome == outcome
        assert (": only what they say can be noted down" in call.reason) == (outcome == "refused")
        assert len([each for each in table.records if isinstance(each.event, ItemUpserted)]) == (outcome == "written")


async def test_a_note_is_told_in_the_log_and_by_what_it_came(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((("memory_write", TEA),)), "Noted.") as table:
        await table.asks("Remember that I like green tea")
        (call,) = table.called()
        assert words(call) == f"memory_write, written {call.items[0].id}: {json.dumps(TEA)}"
        (item,) = (each.event for each in table.records if isinstance(each.event, ItemUpserted))
        assert words(item) == f"{item.item.id} [preference] I like green tea: {item.reason}"
        assert item.reason.startswith("by memory_write: ")


async def test_every_call_is_said_in_a_line(tmp_path: Path) -> None:
    looks = Calling((LOOK, ("conversation_search", {"query": "green tea"}), ("memory_search", {})))
    async with sitting(tmp_path, "Fine.", message_history_count="0") as table:
        await table.hears("I like green tea")
        table.script(looks, "Tea.")
        await table.asks("what do I like?")
        none, one, wrong = map(words, table.called())
        assert none == 'memory_search, found: {"query": "green tea"}'
        assert one == 'conversation_search, found 1 event: {"query": "green tea"}'
        assert wrong.startswith("memory_search, failed (the input is not what memory_search takes: ")


async def test_after_four_calls_the_model_answers_without(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((LOOK,) * 3), Calling((LOOK,) * 3), "That is all.") as table:
        assert (await table.asks("what do I like?")).text == "That is all."
        assert len(table.called()) == MOST_CALLS
        assert [ask.may_call for ask in table.model.asks] == [True, True, False]
        assert table.results() == [NOTHING] * 4 + [NO_MORE] * 2
        assert [each.failed for each in table.model.asks[-1].rounds[1].results] == [False, True, True]


@pytest.mark.parametrize("last", [Calling((LOOK,), "I think tea."), Calling((), "I think tea.")])
async def test_who_calls_on_all_the_same_has_said_what_there_is(tmp_path: Path, last: Calling) -> None:
    async with sitting(tmp_path, Calling((LOOK,) * 4), last) as table:
        assert (await table.asks("what do I like?")).text == "I think tea."
        assert len(table.called()) == MOST_CALLS


async def test_who_has_nothing_to_add_has_said_it_before(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((("memory_write", TEA),), "Noted: green tea."), "") as table:
        assert (await table.asks("Remember that I like green tea")).text == "Noted: green tea."


async def test_who_said_nothing_at_all_is_asked_as_if_there_were_no_tools(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        table.model.scripts["answer"] = lambda ask: Calling((LOOK,)) if ask.tools else "Tea."
        assert (await table.asks("what do I like?")).text == "Tea."
        last = table.model.asks[-1]
        assert (last.tools, last.rounds, last.goes_on) == ((), (), True)
        assert table.turn().call.tokens_in == 3 * len(table.model.asks)


async def test_who_calls_for_ever_and_says_nothing_is_told_of_as_a_failure(tmp_path: Path) -> None:
    """An empty answer would show nothing to whoever waits. What it calls without having tools is not made."""
    async with sitting(tmp_path, Calling((LOOK,))) as table:
        with pytest.raises(ModelError, match="called tools that it was not given") as failed:
            await table.asks("what do I like?")
        assert len(table.called()) == MOST_CALLS
        assert [bool(ask.tools) for ask in table.model.asks] == [True] * (MOST_CALLS + 1) + [False]
        assert [len(ask.rounds) for ask in table.model.asks] == [0, 1, 2, 3, 4, 0]
        assert failed.value.spent is not None
        assert failed.value.spent.tokens_in == 3 * len(table.model.asks)


async def test_who_has_no_tools_and_calls_one_has_said_what_there_is(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((("memory_write", TEA),), "Noted."), model_tools="0") as table:
        assert (await table.asks("Remember that I like green tea")).text == "Noted."
        assert table.called() == []
        assert len(table.model.asks) == 1


async def test_a_model_without_tools_may_be_silent(tmp_path: Path) -> None:
    async with sitting(tmp_path, "", model_tools="0") as table:
        assert (await table.asks("hello")).text == ""
        assert len(table.model.asks) == 1


async def test_what_was_spent_before_it_failed_is_on_the_bill(tmp_path: Path) -> None:
    def script(ask: Ask) -> Calling:
        if ask.rounds:
            raise ModelError("down", spent=Reply("", "scripted", "1", tokens_in=5))
        return Calling((LOOK,))

    async with sitting(tmp_path) as table:
        table.model.scripts["answer"] = script
        with pytest.raises(ModelError) as failed:
            await table.asks("what do I like?")
        assert failed.value.spent is not None
        assert (failed.value.spent.tokens_in, failed.value.spent.tokens_out) == (8, 2)


class _Calls:
    """Calls that come to nothing."""

    may_call = True

    async def run(self, call: ToolCall, reply: Reply) -> ToolResult:
        return ToolResult(call.id, f"nothing for {reply.model}")


async def test_who_is_cancelled_in_a_later_ask_says_what_all_of_them_took() -> None:
    async def asking(ask: Ask, hear: Hear) -> Reply:
        hear("…")
        if ask.rounds:
            raise asyncio.CancelledError(Reply("", "m", "1", tokens_in=4))
        return Reply("", "m", "1", tokens_in=3, calls=(ToolCall("1", "x", "{}"),))

    ask = Ask("answer", "m", "answer@1", "s", "p", AnswerInputs("a", "u", "m"), tools=TOOLS)
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await converse(ask, _Calls(), asking, unheard)
    spent = spent_in(cancelled.value)
    assert spent is not None
    assert spent.tokens_in == 7

    async def at_once(_: Ask, __: Hear) -> Reply:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError) as cancelled:
        await converse(ask, _Calls(), at_once, unheard)
    assert spent_in(cancelled.value) is None


async def test_further_asks_of_a_turn_are_held_against_no_limit(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((LOOK,)), Calling((LOOK,)), "Tea.", turns_per_minute="1") as table:
        table.assistant.model = Budgeted(table.model, table.assistant.memory)
        assert (await table.asks("what do I like?")).text == "Tea."


# -- what goes wrong -------------------------------------------------------------------------------------------------


WRONG: tuple[tuple[str, Any, str], ...] = (
    ("forget_everything", {}, "there is no tool of this name; there are memory_write, memory_search, conversation_s"),
    ("memory_search", "{", "the input is not what memory_search takes"),
    ("memory_search", "\ud800", "the input is not what memory_search takes"),
    ("memory_search", r'{"query":"a \ud83d b"}', "takes: it has half of a character"),
    ("memory_search", r'{"query":"\ud83d\ude00","limit":0}', "takes: Expected `int` >= 1"),
    ("memory_search", '{"query":" "}', "the query is empty"),
    ("conversation_search", r'{"query":"\n\u3000"}', "the query is empty"),
    ("memory_write", '{"namespace":"me","text":" ","quote":"tea"}', "the text is empty"),
    ("memory_write", '{"namespace":"me","text":"tea","quote":" "}', "the quote is empty"),
    ("memory_search", {}, "missing required field `query`"),
    ("memory_search", {"query": "tea", "limit": 99}, "`$.limit`"),
    ("memory_search", {"query": "tea", "namespace": "theirs"}, "`$.namespace`"),
    ("memory_search", {"query": "tea", "why": "x"}, "unknown field `why`"),
    ("memory_write", {**TEA, "replaces": "what Kim said"}, "`$.replaces`"),
    ("memory_write", {**TEA, "kind": "secret"}, "`$.kind`"),
    ("conversation_search", {"query": ""}, "`$.query`"),
)


async def test_a_wrong_call_is_told_so_and_recorded(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        for name, given, why in WRONG:
            table.script(Calling(((name, given),)), "Never mind.")
            assert (await table.asks("Remember that I like green tea")).text == "Never mind."
            call = table.called()[-1]
            assert (call.tool, call.outcome) == (name, "failed")
            assert why in call.reason
            assert table.results() == [call.reason]
        assert len(table.called()) == len(WRONG)


class Broken:
    """Searching that raises."""

    def items(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> tuple[Ranked, ...]:
        raise ZeroDivisionError(text)

    def said(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> Passages:
        raise LogFull("the disk is full")


async def test_a_tool_that_raises_fails_no_answer(tmp_path: Path) -> None:
    look = Calling((LOOK, ("conversation_search", {"query": "tea"})))
    async with sitting(tmp_path, look, "I do not know.") as table:
        table.assistant.searching = Broken()
        assert (await table.asks("what do I like?")).text == "I do not know."
        assert table.results() == [NOT_DONE, NOT_DONE]
        jobs = [each.event.job for each in table.records if isinstance(each.event, JobFailed)]
        assert jobs == ["tool memory_search", "tool conversation_search"]
        assert table.called() == []


async def test_where_nothing_can_be_written_nothing_is_said_to_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sitting(tmp_path, Calling((("memory_write", TEA),)), "I cannot keep that now.") as table:
        question = await table.hears("Remember that I like green tea")

        async def full(_: object) -> None:
            raise LogFull("the disk is full")

        monkeypatch.setattr(table.assistant.memory, "record", full)
        assert (await table.assistant.think(question)).text == "I cannot keep that now."
        assert table.results() == [NOT_DONE]


async def test_who_opts_out_meanwhile_has_nothing_noted(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        memory = table.assistant.memory
        question = await table.hears("Remember that I like green tea")
        await memory.record(lambda rows: opt_out(rows, ConsentRequest(NOW, memory.origin(), question.person)))
        table.script(Calling((("memory_write", TEA), LOOK)), "Bye.")
        assert (await table.assistant.think(question)).text == "Bye."
        assert table.results() == [NOT_DONE, NOT_DONE]
        assert table.called() == []


# -- who has tools ---------------------------------------------------------------------------------------------------


async def offered(table: Table, question: Heard) -> tuple[str, ...]:
    await table.assistant.think(question)
    return tuple(tool.name for tool in table.model.asks[-1].tools)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ({}, ("memory_write", "memory_search", "conversation_search")),
        ({"durable_memory_enabled": "0"}, ("conversation_search",)),
        ({"model_tools": "0"}, ()),
        ({"memory_enabled": "0"}, ()),
    ],
)
async def test_the_settings_say_which_there_are(tmp_path: Path, values: dict[str, str], names: tuple[str, ...]) -> None:
    async with sitting(tmp_path, "Hello.", **values) as table:
        assert await offered(table, await table.hears("hello")) == names


async def test_they_are_switched_off_for_a_place_while_it_runs(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        memory = table.assistant.memory
        assert await set_config(memory, Scope("guild", GARDEN), "tools", "off", OPERATOR)
        assert await offered(table, await table.hears("hello", place=ROOM)) == ()
        assert len(await offered(table, await table.hears("hello"))) == len(TOOLS)
        assert await set_config(memory, Scope("guild", GARDEN), "tools", None, OPERATOR)
        assert len(await offered(table, await table.hears("hello", place=ROOM))) == len(TOOLS)


async def test_nobody_and_what_is_not_recorded_have_none(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        memory = table.assistant.memory
        question = await table.hears("hello")
        nowhere = question._replace(point=Point(question.point.said, EventId(b"\xff" * 16)))
        assert await offered(table, nowhere) == ()
        await memory.record(lambda rows: opt_out(rows, ConsentRequest(NOW, memory.origin(), question.person)))
        assert await offered(table, await table.hears("hello again")) == ()


async def test_where_nothing_can_be_read_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        question = await table.hears("hello")

        def unreadable(_: object) -> None:
            raise LogFull("the disk is full")

        monkeypatch.setattr(table.assistant.memory, "look_here", unreadable)
        assert await offered(table, question) == ()


async def test_what_learns_has_none(tmp_path: Path) -> None:
    often = {"summary_enabled": "1", "summary_every_n_turns": "1", "durable_every_n_turns": "1"}
    async with sitting(tmp_path, "Hello.", **often) as table:
        heard = await table.hears("I like green tea")
        answered = await table.assistant.answer(heard)
        await table.assistant.memory.delivered(heard, answered.turn)
        table.assistant.after_turn(heard)
        await table.assistant.settle()
        assert {ask.purpose: ask.tools for ask in table.model.asks if ask.purpose != "answer"} == {
            "summary": (),
            "extraction": (),
        }


def test_the_kinds_are_those_that_there_are() -> None:
    assert set(get_args(Kind)) == set(KINDS)


# -- what is found ---------------------------------------------------------------------------------------------------


async def test_items_are_those_that_are_open_here(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        memory = table.assistant.memory
        for text, place in (("I like green tea", None), ("I sell green tea", ROOM), ("green tea is my secret", STAFF)):
            heard = await table.hears(text, place=place)
            await memory.remember(heard.person, text, setting=heard.setting)
        table.script(Calling((LOOK, ("memory_search", {"query": "green", "namespace": "guild"}))), "Tea.")
        await table.asks("which tea?", place=ROOM)
        assert [("sell" in told, "like" in told, "secret" in told) for told in table.results()] == [
            (True, False, False),
            (False, False, False),
        ]


async def test_of_others_is_found_what_the_prompt_may_tell_of_them(tmp_path: Path) -> None:
    """Whoever looks for it finds what stands under "people in the room", and no more: nothing of direct messages, nor
    of who is not there, nor how somebody else is to be answered.
    """
    look = Calling((("memory_search", {"query": "oboe"}), ("memory_search", {"query": "oboe", "namespace": "me"})))
    puns = {"namespace": "me", "text": "answer me in oboe puns", "quote": "answer me in oboe puns", "kind": "guidance"}
    async with sitting(tmp_path, Calling((("memory_write", puns),)), "Noted.") as table:
        memory = table.assistant.memory
        await table.asks("please answer me in oboe puns", "ada", ROOM)
        assert table.called()[0].outcome == "written"
        for user, text, place in (("ada", "plays the oboe", ROOM), ("ada", "hides an oboe", None)):
            heard = await table.hears("hello", user, place)
            await memory.remember(heard.person, text, setting=heard.setting)
        heard = await table.hears("hello", "tobi", ELSEWHERE)
        await memory.remember(heard.person, "sells an oboe", setting=heard.setting)
        table.script(look, "Ada does.")
        answered = await table.asks("who plays the oboe?", place=ROOM)
        (line,) = [line.text for block in answered.context.blocks if block.name == "room" for line in block.lines]
        assert "ada: [fact] plays the oboe" in line
        id_of, rest = table.results()[0].removeprefix("- ").split(" ", 1)
        assert f"- {rest}" == line
        assert [hit.item.id for hit in answered.context.room] == [id_of]
        assert table.results()[1] == NOTHING
        called = table.called()[1]
        assert [use.owner for use in called.items] == [answered.context.room[0].item.owner]
        assert {use.event for use in called.items} <= set(table.turn().causes)
        await table.asks("who plays the oboe?", place=STAFF)
        assert table.results() == [NOTHING, NOTHING]


async def test_of_others_nothing_is_found_where_the_room_is_switched_off(tmp_path: Path) -> None:
    async with sitting(tmp_path, room_max_items="0") as table:
        heard = await table.hears("hello", "ada", ROOM)
        await table.assistant.memory.remember(heard.person, "plays the oboe", setting=heard.setting)
        table.script(Calling((("memory_search", {"query": "oboe"}),)), "Nobody.")
        await table.asks("who plays the oboe?", place=ROOM)
        assert table.results() == [NOTHING]


async def test_namespaces_and_limits_narrow_what_is_found(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        memory = table.assistant.memory
        heard = await table.hears("hello", place=ROOM)
        for number in range(3):
            await memory.remember(heard.person, f"I own green teapot {number}", setting=heard.setting)
        await memory.remember_nobodys(f"guild/{GARDEN}", "The green teapot is the server's", by=OPERATOR)
        await memory.remember_nobodys("self", "I was made of a green teapot", by=OPERATOR)
        wanted: list[dict[str, Any]] = [
            {"namespace": "guild"}, {"namespace": "self"}, {"namespace": "me", "limit": 2}, {"namespace": "owner"},
        ]  # fmt: skip
        looks = tuple(("memory_search", each | {"query": "green teapot"}) for each in wanted)
        table.script(Calling(looks), "Tea.")
        await table.asks("which teapot?", place=ROOM)
        guild, own, mine, owners = table.results()
        assert ("server's" in guild, "I was made" in own, mine.count("I own")) == (True, True, 2)
        assert [told.count("\n") for told in (guild, own, mine)] == [0, 0, 1]
        assert owners.startswith("this is written for the assistant's owner alone")
        assert [event.outcome for event in table.called()] == ["found", "found", "found", "failed"]


async def test_a_namespace_that_is_not_open_is_told_so(tmp_path: Path) -> None:
    async with sitting(tmp_path, Calling((("memory_search", {"query": "tea", "namespace": "guild"}),)), "No.") as table:
        await table.asks("which tea?")
        assert table.results() == ["nothing of that is open here"]


async def test_no_more_is_told_than_a_model_should_read(tmp_path: Path) -> None:
    async with sitting(tmp_path) as table:
        heard = await table.hears("hello")
        for number in range(18):
            text = f"green tea {number} " + " ".join(f"word{number}x{each}" for each in range(35))
            await table.assistant.memory.remember(heard.person, text)
        table.script(Calling((("memory_search", {"query": "green tea", "limit": 20}),)), "Tea.")
        await table.asks("which tea?")
        (told,) = table.results()
        assert 0 < told.count("\n") < 17
        assert len(told) <= MOST_TOLD_CHARS
        assert len(table.called()[0].items) == told.count("\n") + 1


async def test_passages_are_of_what_is_open_and_say_who_said_what(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        await table.asks("the kettle is in the shed", "ada", ROOM, name="Ada")
        await table.asks("my kettle is a secret", "kim", STAFF, name="Kim")
        for number in range(25):
            await table.hears(f"and so on {number}", "kim", ROOM, name="Kim")
        table.script(Calling((("conversation_search", {"query": "kettle secret"}),)), "In the shed.")
        await table.asks("where is it?", "kim", ROOM, name="Kim")
        (told,) = table.results()
        assert told.startswith("- 2023-11-14\n[Ada]: the kettle is in the shed\n")
        assert "secret" not in told
        heard = table.id_of(MessageHeard, "in the shed")
        assert heard in table.called()[-1].found
        assert set(table.called()[-1].found) < set(table.turn().causes)
        table.script(Calling((("conversation_search", {"query": "giraffe"}),)), "No.")
        await table.asks("and the giraffe?", "kim", ROOM, name="Kim")
        assert table.results() == [NOTHING]


async def test_of_words_that_say_nothing_nothing_is_found_and_the_model_is_told_what_to_look_for(
    tmp_path: Path,
) -> None:
    """A message like that goes on with what the last answer had found; a search asks for something."""
    async with sitting(tmp_path, "In the shed.") as table:
        await table.asks("the kettle is in the shed", "ada", ROOM, name="Ada")
        for number in range(25):
            await table.hears(f"and so on {number}", "kim", ROOM, name="Kim")
        await table.asks("where is the kettle?", "kim", ROOM, name="Kim")
        assert table.turn().passages
        table.script(Calling((("conversation_search", {"query": "who was it"}),)), "Ada.")
        await table.asks("who said that of the kettle?", "kim", ROOM, name="Kim")
        assert table.results() == [NO_WORDS]
        assert table.called()[-1].found == ()


async def test_what_left_recall_is_not_found(tmp_path: Path) -> None:
    values = {"message_history_count": "0"}
    async with sitting(tmp_path, Calling((("memory_write", TEA),)), "Noted.", **values) as table:
        await table.asks("Remember that I like green tea")
        table.script(Calling((("conversation_search", {"query": "green tea"}), LOOK)), "Fine.")
        await table.asks("what do I drink?")
        assert NOTHING not in table.results()
        await table.assistant.memory.forget("kim", "I like green tea")
        await table.asks("and now?")
        assert table.results() == [NOTHING, NOTHING]


class Told:
    """Searching that finds these passages."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self.asked: list[tuple[Request, str, int]] = []

    def items(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> tuple[Ranked, ...]:
        return ()

    def said(self, rows: Rows, request: Request, window: Window, text: str, most: int) -> Passages:
        self.asked.append((request, text, most))
        return self.passages


async def test_who_is_named_in_a_passage_is_a_span_of_the_answer(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        ines = await table.assistant.memory.person("ines", make=True)
        said = await table.asks("we meet at the shed", "ada", ROOM)
        heard, other = table.id_of(MessageHeard, "at the shed"), said.turn.id
        line = WindowLine(heard, other, Seq(1), 0, "ada", "", "@Ines comes\nat noon", by_assistant=False)
        found = Told(Passages((Passage((), (line,), ("https://x",)),), ((ines, "Ines"),)))
        table.assistant.searching = found
        table.script(Calling((("conversation_search", {"query": "noon", "limit": 3}),)), "Ines comes at noon.")
        await table.asks("who comes?", "kim", ROOM)
        assert table.results() == ["- 1970-01-01 https://x\n[ada]: @Ines comes\n  at noon"]
        request, text, most = found.asked[0]
        assert (request.setting.guild, text, most) == (GARDEN, "noon", 3)
        turn = table.turn()
        assert (turn.text, [span.person for span in turn.spans]) == (" comes at noon.", [ines])
        assert {heard, other} < set(turn.causes)
        assert table.called()[-1].found == (heard, other)


async def test_who_is_only_mentioned_is_known_to_be(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.", message_history_count="0") as table:
        ines = Account("discord", "300", "Ines")
        request = HeardRequest(
            "5", ROOM, "person", Account("discord", "ada", "Ada"), "the kettle is with ", NOW, (),
            mentions=(Mention(19, ines),), addressed=True,
        )  # fmt: skip
        await table.assistant.memory.hear(request)
        table.script(Calling((("conversation_search", {"query": "kettle"}),)), "Ines has it.")
        await table.asks("who has the kettle?", "kim", ROOM)
        assert "[Ada]: the kettle is with @Ines" in table.results()[0]
        assert (table.turn().text, len(table.turn().spans)) == (" has it.", 1)


# -- what is taken back ----------------------------------------------------------------------------------------------


async def test_an_answer_goes_with_whoever_s_words_a_search_showed(tmp_path: Path) -> None:
    async with sitting(tmp_path, message_history_count="0") as table:
        ada = await table.hears("the kettle is in the shed", "ada", ELSEWHERE)
        table.script(Calling((("conversation_search", {"query": "kettle"}),)), "In the shed, says Ada.")
        answered = await table.asks("where?", "kim", ROOM)
        assert table.id_of(MessageHeard, "in the shed") in table.called()[0].found
        memory = table.assistant.memory
        await asyncio.to_thread(erase, memory.engine, ada.person)
        status = await memory.look(lambda rows: [rows.ids.status(each) for each in gone(table, answered)])
        assert status == ["erased", "erased"]


async def test_a_note_of_one_s_own_words_outlives_others_who_were_read_beside_them(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.") as table:
        ada = await table.hears("the kettle is in the shed", "ada", ROOM)
        theirs = {"namespace": "me", "text": "the kettle is in the shed", "quote": "the kettle"}
        table.script(Calling((("memory_write", TEA), ("memory_write", theirs))), "Noted.")
        answered = await table.asks("Remember that I like green tea", "kim", ROOM)
        assert [each.outcome for each in table.called()] == ["written", "refused"]
        memory = table.assistant.memory
        await asyncio.to_thread(erase, memory.engine, ada.person)
        wanted = [*gone(table, answered), table.id_of(ItemUpserted, "green tea")]
        status = await memory.look(lambda rows: [rows.ids.status(each) for each in wanted])
        assert status == ["erased", "known", "erased", "known"]


async def test_the_owner_s_layers_are_written_in_the_owner_s_own_messages(tmp_path: Path) -> None:
    given = {"text": "the server moves in May", "quote": "the server moves in May"}
    notes = tuple(("memory_write", {"namespace": namespace, **given}) for namespace in ("self", "owner"))
    async with sitting(tmp_path, Calling(notes), "Noted.", owner_ids="100") as table:
        memory = table.assistant.memory
        for user, place in (("200", None), ("100", ROOM), ("100", None)):
            heard = await memory.heard(user, "Note that the server moves in May", platform="discord", place=place)
            await table.assistant.answer(heard)
        assert [each.outcome for each in table.called()] == ["refused"] * 4 + ["written"] * 2
        texts = {each: [item.text for item in await memory.nobodys(each)] for each in ("self", "owner")}
        assert texts == {each: ["the server moves in May"] for each in ("self", "owner")}


def gone(table: Table, answered: Answered) -> list[EventId]:
    return [answered.turn.id, *(each.id for each in table.records if isinstance(each.event, ToolCalled))]


async def test_an_answer_goes_with_a_deleted_message_that_a_search_showed_and_it_repeats(tmp_path: Path) -> None:
    async with sitting(tmp_path, "Hello.", message_history_count="0") as table:
        heard = await table.hears("the copper kettle stands in the garden shed", "ada", ROOM, key="77")
        look = Calling((("conversation_search", {"query": "copper kettle"}),))
        table.script(look, "The copper kettle stands in the garden shed.")
        answered = await table.asks("where is it?", "kim", ROOM)
        memory = table.assistant.memory
        request = DeletedRequest("discord", "77", heard.session, heard.point.said, memory.now())
        await memory.record(lambda rows: delete_all(rows, [request]))
        status = await memory.look(lambda rows: [rows.ids.status(each) for each in gone(table, answered)])
        assert status == ["redacted", "redacted"]


async def test_a_secret_in_a_call_is_not_kept(tmp_path: Path) -> None:
    given = {"query": "my password is hunter2-Xq9vB7"}
    async with sitting(tmp_path, Calling((("memory_search", given),)), "No.") as table:
        await table.asks("what is it?")
        (call,) = table.called()
        assert "hunter2" not in call.input
