"""The loops with Claude, from the message to the item: what a model gets wrong changes nothing, and nothing is lost."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import ExtractionInputs
from projections.calls import CallRow, calls
from projections.events import ExtractionFailed, SummaryAnswered, SummaryFailed, TurnAnswered
from tests.dnam.claude.stage import Talk, always, in_turn, talking
from tests.dnam.scripted import FakeClock, say, settings
from tests.dnam.test_loops import recorded
from tests.loopback.messages import Cuts, Declines, Fails, Holds, Reply, Request, Runs, Says, Script

TEA = {"kind": "preference", "text": "User prefers tea.", "tags": ["tea"]}
LEARNED = Says(json.dumps({"upserts": [TEA], "deprecations": []}))


@asynccontextmanager
async def learning(path: Path, script: Reply | Script, **ways: Any) -> AsyncIterator[tuple[Assistant, Talk]]:
    """An assistant that asks Claude, and Claude's server."""
    async with (
        talking(script, **ways) as talk,
        Memory.open(path, settings=settings(), clock=FakeClock()) as memory,
    ):
        assistant = Assistant(memory, talk.claude)
        yield assistant, talk
        await assistant.settle()


async def tell(assistant: Assistant, *texts: str) -> list[str]:
    """Kim says things, and is learned from; the texts of what is remembered of them."""
    heard = [await assistant.memory.heard("kim", text) for text in texts]
    await assistant.extract(heard[-1].person)
    return [item.text for item in await assistant.memory.show("kim")]


@pytest.mark.parametrize("answers", ["sonnet", "haiku"])
@pytest.mark.parametrize("asks", [Fails(429, "rate_limit_error", retry_after="3600"), Fails(529, retry_after="90")])
async def test_who_is_learned_from_is_answered_though_that_is_asked_to_rest(
    tmp_path: Path, answers: str, asks: Fails
) -> None:
    often = settings(answer_model=answers, durable_every_n_turns="1", summary_every_n_turns="1")
    async with (
        talking(lambda request: Says("Tea.") if "User message" in request.prompt else asks) as talk,
        Memory.open(tmp_path, settings=often, clock=FakeClock()) as memory,
    ):
        assistant = Assistant(memory, talk.claude)
        await say(assistant, "kim", "I prefer tea", "which tea?", "and which cup?")
        assert recorded(assistant, SummaryFailed, ExtractionFailed)
        assert len(recorded(assistant, TurnAnswered)) == 3


async def called(assistant: Assistant) -> list[CallRow]:
    """Every call that counts."""
    return await assistant.memory.look(lambda rows: list(calls(rows)))


def shown(request: Request) -> list[str]:
    """What a request asks to learn from."""
    start = request.prompt.index("{")
    value, _ = json.JSONDecoder().raw_decode(request.prompt, start)
    return [line.text for line in msgspec.convert(value, ExtractionInputs).lines]


@pytest.mark.parametrize(
    "text",
    [
        LEARNED.text,
        f"```json\n{LEARNED.text}\n```",
        f"Here is what I noted:\n\n{LEARNED.text}\n\nAnything else?",
    ],
)
async def test_json_is_read_bare_fenced_and_among_prose(tmp_path: Path, text: str) -> None:
    async with learning(tmp_path, Says(text), schemas=False) as (assistant, _):
        assert await tell(assistant, "I prefer tea") == ["User prefers tea."]


async def test_ids_that_the_model_made_up_become_ids_of_its_words(tmp_path: Path) -> None:
    invented = [{**TEA, "id": "durable-00000000"}, {**TEA, "id": "no-such-id", "text": "User keeps bees."}]
    gone = [{"id": "durable-ffffffff", "reason": "no longer"}]
    reply = Says(json.dumps({"upserts": invented, "deprecations": gone}))
    async with learning(tmp_path, reply) as (assistant, _):
        await tell(assistant, "I prefer tea, and I keep bees")
        items = await assistant.memory.show("kim")
        derived = {"durable-00000000", "no-such-id", "durable-ffffffff"}
        assert {item.text for item in items} == {"User prefers tea.", "User keeps bees."}
        assert all(item.id.startswith("durable-") and item.id not in derived for item in items)
        assert [row.failed for row in await called(assistant)] == [False]


async def test_one_bad_entry_is_dropped_and_the_rest_is_kept(tmp_path: Path) -> None:
    reply = Says(json.dumps({"upserts": [{"text": 7}, TEA, "oops"], "deprecations": [{}]}))
    async with learning(tmp_path, reply, schemas=False) as (assistant, _):
        heard = await assistant.memory.heard("kim", "I prefer tea")
        (learned,) = await assistant.extract(heard.person)
        assert (learned.error, len(learned.dropped), learned.events) == ("", 3, 2)


@pytest.mark.parametrize(
    ("reply", "why", "kept"),
    [
        (Says("I noted that Kim prefers tea."), "holds no JSON", "I noted that Kim prefers tea."),
        (Says('{"upserts": [{"text": "User pre'), "holds no JSON", '{"upserts": [{"text": "User pre'),
        (Runs(LEARNED.text), "cut at the most tokens", LEARNED.text),
        (Declines(""), "declined", ""),
        (Cuts("{"), "connection to haiku failed", ""),
        (Fails(500), "the service failed", ""),
        (Fails(529, "overloaded_error"), "overloaded", ""),
        (Fails(429, "rate_limit_error"), "rate limit", ""),
    ],
)
async def test_what_goes_wrong_changes_nothing_is_kept_and_is_tried_again(
    tmp_path: Path, reply: Reply, why: str, kept: str
) -> None:
    async with learning(tmp_path, reply) as (assistant, talk):
        assert await tell(assistant, "I prefer tea") == []
        (failed,) = recorded(assistant, ExtractionFailed)
        assert isinstance(failed, ExtractionFailed)
        assert why in failed.error
        assert failed.reply == kept
        assert (failed.call.cost_micros > 0) is (not isinstance(reply, Fails))
        assert [row.failed for row in await called(assistant)] == [True]
        talk.server.script = always(LEARNED)
        assert await tell(assistant, "and so does my cat") == ["User prefers tea."]
        assert shown(talk.server.requests[-1]) == ["I prefer tea", "and so does my cat"]


async def test_a_reply_after_the_timeout_is_none(tmp_path: Path) -> None:
    let_go = asyncio.Event()
    async with learning(tmp_path, Holds(asyncio.Event(), let_go), seconds=0.2) as (assistant, _):
        assert await tell(assistant, "I prefer tea") == []
        let_go.set()
        (failed,) = recorded(assistant, ExtractionFailed)
        assert isinstance(failed, ExtractionFailed)
        assert "did not answer within" in failed.error
    async with learning(tmp_path, LEARNED) as (assistant, _):  # with time enough
        assert await tell(assistant, "yes") == ["User prefers tea."]


async def test_a_summary_that_is_cut_keeps_the_old_one_and_is_one_call(tmp_path: Path) -> None:
    async with learning(tmp_path, in_turn(Says("They talked."), Runs("They talked of te"))) as (assistant, _):
        heard = await assistant.memory.heard("kim", "hello")
        await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        heard = await assistant.memory.heard("kim", "tea?")
        await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        answered, failed = recorded(assistant, SummaryAnswered), recorded(assistant, SummaryFailed)
        assert [type(each) for each in answered + failed] == [SummaryAnswered, SummaryAnswered, SummaryFailed]
        assert (await assistant.memory.context(heard)).memory.summary.body == "They talked."
        assert [row.work for row in await called(assistant)] == ["summary", "summary"]


async def test_an_answer_is_a_turn_with_what_it_took(tmp_path: Path) -> None:
    async with learning(tmp_path, Says("Tea it is.")) as (assistant, _):
        await assistant.answer(await assistant.memory.heard("kim", "which tea?"))
        (row,) = await called(assistant)
        assert (row.work, row.failed) == ("answer", False)
        assert row.tokens_in > 0
        assert row.cost_micros > 0
        assert row.model.startswith("claude-sonnet-")
