"""How often a person is answered in a minute: what is asked at once, and what is asked of learning."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.commands.command import Invocation, Reply
from dnam.commands.table import read, run
from dnam.exchange import Exchanges
from dnam.memory import Memory
from dnam.model import AnswerInputs, Ask, OverBudget
from dnam.unwritten import Unwritten
from projections.decisions.draft import Draft
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import PersonOptedOut
from projections.events.values import OPERATOR
from projections.ids import EventId
from projections.rows import Rows
from projections.turns import ASKED
from replay.errors import LogFull
from tests.dnam.scripted import FakeClock, ScriptedModel, talking
from tests.world import NOW

MINUTE_MS = 60_000
BY_HAND = {"summary_enabled": "0", "durable_every_n_turns": "1000"}


async def extract(assistant: Assistant, user: str = "ada") -> Reply:
    """Somebody asks to be learned from, in their DMs."""
    heard = await assistant.memory.heard(user, "something new")
    call = read("!memory extract")
    assert call is not None
    return await run(assistant, Invocation(heard.setting, heard.session), call)


async def test_what_is_asked_at_once_is_counted_at_once(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, turns_per_minute="2") as assistant:
        ada = await assistant.memory.person("ada", make=True)
        budgeted = Budgeted(model, assistant.memory)
        ask = Ask("answer", "m", "answer@1", "s", "p", AnswerInputs("a", "u", "m"), person=ada)
        replies = await asyncio.gather(*(budgeted.ask(ask) for _ in range(6)), return_exceptions=True)
        assert [type(each).__name__ for each in replies] == ["Reply"] * 2 + ["TooOften"] * 4


async def test_what_was_refused_does_not_count(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, turns_per_minute="1") as assistant:
        ada = await assistant.memory.person("ada", make=True)
        budgeted = Budgeted(model, assistant.memory)
        await budgeted.take_turn(ada)
        clock.time += MINUTE_MS // 2
        with pytest.raises(OverBudget):
            await budgeted.take_turn(ada)
        clock.time += MINUTE_MS // 2
        await budgeted.take_turn(ada)


async def test_a_refusal_that_took_a_minute_is_one_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    async with talking(tmp_path, ScriptedModel(), clock, turns_per_minute="1") as assistant:
        ada = await assistant.memory.person("ada", make=True)
        budgeted, look = Budgeted(assistant.model, assistant.memory), assistant.memory.look
        await budgeted.take_turn(ada)

        async def slowly(check: Any) -> Any:
            found: object = await look(check)
            clock.time += 2 * MINUTE_MS
            monkeypatch.undo()
            await budgeted.take_turn(ada)
            return found

        monkeypatch.setattr(assistant.memory, "look", slowly)
        with pytest.raises(OverBudget):
            await budgeted.take_turn(ada)


async def test_where_nothing_can_be_read_what_was_begun_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, turns_per_minute="2") as assistant:
        assistant.model = Budgeted(model, assistant.memory)
        exchanges = Exchanges(assistant, Unwritten())

        async def unreadable(_: object) -> None:
            raise LogFull("the disk is full")

        monkeypatch.setattr(assistant.memory, "look", unreadable)
        for user, outcomes in (("ada", ["", "", "TooOften"]), ("ines", [""])):
            assert [await outcome(exchanges, f"{user} {number}", user) for number in range(len(outcomes))] == outcomes


# -- who opted out -----------------------------------------------------------------------------------------------------


async def outcome(exchanges: Exchanges, key: str, user: str) -> str:
    """What becomes of a question: the name of an error, or nothing when it is answered."""
    account = Account("discord", user, user)
    place = PlaceSeen("discord", "7", "channel", "general", "guild")
    exchange = await exchanges.hear(HeardRequest(key, place, "person", account, "why?", NOW, ()))
    try:
        await exchanges.think(exchange)
    except OverBudget as error:
        return type(error).__name__
    await exchanges.answered(exchange)
    return ""


async def test_who_opted_out_has_as_many_answers_a_minute_as_everybody(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, turns_per_minute="2") as assistant:
        budgeted = assistant.model = Budgeted(model, assistant.memory)
        exchanges = Exchanges(assistant, Unwritten())
        await opt_out(assistant.memory, "ada")
        await opt_out(assistant.memory, "ines")
        for user, outcomes in (("ada", ["", "", "TooOften"]), ("ines", [""])):
            assert [await outcome(exchanges, f"{user} {number}", user) for number in range(len(outcomes))] == outcomes
        assert not list(await assistant.memory.look(lambda rows: [found.row for found in rows.scan(ASKED)]))
        clock.time += MINUTE_MS
        assert await outcome(exchanges, "ada again", "ada") == ""
        assert len(budgeted._begun) == 1, "who was answered before is forgotten"


async def opt_out(memory: Memory, user: str) -> None:
    """From now on nothing of theirs is recorded."""

    def decide(rows: Rows) -> list[Draft]:
        event = PersonOptedOut(said=NOW, by=OPERATOR, hashes=(rows.ids.keyed_hash("discord", user),))
        return [Draft(EventId(user.encode().ljust(16)), event)]

    await memory.record(decide)


# -- `!memory extract` -------------------------------------------------------------------------------------------------


async def test_learning_on_request_is_one_of_the_answers_of_a_minute(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel()
    async with talking(tmp_path, model, clock, turns_per_minute="2", **BY_HAND) as assistant:
        assistant.model = Budgeted(model, assistant.memory)
        replies = [await extract(assistant) for _ in range(4)]
        assert [each.failed for each in replies] == [False, False, True, True]
        assert replies[-1].text == "That is more than I can answer at once. Please give me a minute."
        assert len(model.asked("extraction")) == 2
        assert not (await extract(assistant, "ines")).failed
        clock.time += MINUTE_MS
        assert not (await extract(assistant)).failed


async def test_what_may_be_spent_today_holds_for_learning_on_request(tmp_path: Path) -> None:
    model = ScriptedModel()

    def enough(_: Ask) -> str:
        raise OverBudget("1 of 1 US dollars", words="Please ask me tomorrow.")

    model.scripts["extraction"] = enough
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        assert await extract(assistant) == Reply("Please ask me tomorrow.", failed=True)


async def test_after_a_failure_learning_is_not_tried_again_for_a_minute(tmp_path: Path) -> None:
    clock, model = FakeClock(), ScriptedModel({"extraction": lambda _: "no json at all"})
    async with talking(tmp_path, model, clock, **BY_HAND) as assistant:
        assert "could not be read" in (await extract(assistant)).text
        for _ in range(3):
            reply = await extract(assistant)
            why = "It did not work just now. Please ask me again in a minute."
            assert reply == Reply(why, failed=True, hindered=True)
        assert len(model.asked("extraction")) == 1
        clock.time += MINUTE_MS
        model.scripts.clear()
        assert not (await extract(assistant)).failed
        assert not (await extract(assistant)).failed
