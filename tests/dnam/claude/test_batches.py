"""Batches by the real SDK against a Message Batches API on loopback: what is sent, what comes back, what it costs."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from dnam.adapters.anthropic.batch_requests import Limits
from dnam.adapters.anthropic.batches import Batches
from dnam.adapters.anthropic.stops import DECLINED
from dnam.model import Ask, Model, ModelError, Reply, Tool
from dnam.prices import BATCHED, Tokens, prices
from tests.dnam.claude.batch_stage import ask, leave, office, question, queued, stop, texts
from tests.dnam.claude.stage import Shape, asked, talking
from tests.loopback.messages import Call, Declines, Runs, Says
from tests.loopback.messages import Reply as Scripted
from tests.loopback.messages.replies import Usage

TOOL = Tool("memory_search", "Looks for something.", Shape)


async def test_everything_that_waits_goes_out_as_one_batch_and_each_has_its_own_reply(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        batches = desk.run()
        assert await texts(batches, "one", "two", "three") == ["You said one.", "You said two.", "You said three."]
        assert [len(each.requests) for each in desk.api.made] == [3]
        assert desk.api.calls == ["create", "retrieve", "retrieve", "results"]
        assert desk.server.refused == []
        assert batches.queued == 0
        assert desk.told == ["3 questions are sent as msgbatch_000000000000000000000001"]


async def test_nothing_goes_out_before_it_is_sent_and_nothing_at_all_where_nobody_asked(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        batches = desk.run()
        await batches.send()
        (task,) = await queued(batches, question("one"))
        assert (batches.queued, desk.api.calls, task.done()) == (1, [], False)
        await batches.send()
        assert (await task).text == "You said one."


async def test_a_reply_costs_half_and_nobody_measured_how_long_it_took(tmp_path: Path) -> None:
    usage = Usage(fresh=101, out=41, written=1000, cached=5001)
    async with office(tmp_path, Says("Tea.", usage=usage)) as desk:
        batches: Model = desk.run()
        assert isinstance(batches, Batches)
        (reply,) = await ask(batches, question("tea?"))
        assert isinstance(reply, Reply)
        exact = 101 * 1 + 41 * 5 + 1000 * 1.25 + 5001 * 0.1
        assert reply.cost_micros == round(exact / 2) == 1028
        assert prices().cost_micros("claude-haiku-4-5", Tokens(101, 41, 1000, 5001), BATCHED) == 1028
        assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.latency_ms) == (6102, 41, 5001, 0)
        assert (reply.model, reply.version, reply.stop) == ("claude-haiku-4-5", batches.version, "end_turn")
        assert (batches.name, batches.paid) == ("claude", True)


@pytest.mark.parametrize(
    "each",
    [
        question("tea?"),
        asked("extraction"),
        msgspec.structs.replace(asked(), tools=(TOOL,)),
        msgspec.structs.replace(asked(), tools=(TOOL,), may_call=False),
    ],
    ids=["plain", "schema", "tools", "no more tools"],
)
async def test_a_question_is_asked_as_it_is_asked_one_by_one(tmp_path: Path, each: Ask) -> None:
    async with office(tmp_path, Says("{}")) as desk, talking(Says("{}")) as talk:
        await ask(desk.run(), each)
        await talk.claude.ask(each)
        (streamed,) = talk.server.requests
        assert {**desk.api.made[0].requests[0]["params"], "stream": True} == streamed.body
        assert desk.server.refused == []


async def test_the_same_question_is_one_request_and_whoever_asked_it_has_the_reply(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        assert await texts(desk.run(), "tea?", "tea?", "bees?") == [
            "You said tea?.", "You said tea?.", "You said bees?.",
        ]  # fmt: skip
        assert len(desk.api.asked()) == len(set(desk.api.asked())) == 2


async def test_who_no_longer_waits_takes_only_their_own_question_along(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        batches = desk.run()
        first, second, third = await queued(batches, question("tea?"), question("tea?"), question("bees?"))
        for task in (first, third):
            task.cancel()
        await asyncio.gather(first, third, return_exceptions=True)
        assert batches.queued == 1
        await batches.send()
        assert (await second).text == "You said tea?."
        assert len(desk.api.asked()) == 1


async def test_the_whole_reply_is_heard_at_once(tmp_path: Path) -> None:
    heard: list[str] = []
    async with office(tmp_path) as desk:
        batches = desk.run()
        await batches.prepare()
        task = asyncio.create_task(batches.ask(question("tea?"), heard.append))
        await asyncio.sleep(0)
        await batches.send()
        assert heard == [(await task).text] == ["You said tea?."]


async def test_what_is_no_plain_reply_is_as_it_is_one_by_one(tmp_path: Path) -> None:
    calls = Says("Let me see.", calls=(Call("memory_search", '{"upserts": ["tea"]}'),))
    script: dict[str, Scripted] = {
        "decline": Declines("I"),
        "long": Runs("On and on"),
        "silent": Says(""),
        "look": calls,
    }
    async with office(tmp_path, lambda request: script[request.prompt]) as desk:
        asks = [msgspec.structs.replace(asked(prompt=each), tools=(TOOL,)) for each in script]
        declined, long, silent, look = await ask(desk.run(), *asks)
        assert isinstance(declined, Reply)
        assert isinstance(long, Reply)
        assert isinstance(look, Reply)
        assert isinstance(silent, ModelError)
        assert (declined.text, long.text, long.stop) == (DECLINED, "On and on …", "max_tokens")
        (call,) = look.calls
        assert (call.name, msgspec.json.decode(call.input)) == ("memory_search", {"upserts": ["tea"]})
        assert '"tool_use"' in look.raw


async def test_a_batch_is_looked_at_until_it_has_ended(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 70
        await texts(desk.run(), "one", "two")
        assert desk.waits == [20.0] * 4


async def test_what_is_more_than_a_batch_takes_goes_out_as_several(tmp_path: Path) -> None:
    prompts = ["one", "two", "three", "four", "five"]
    async with office(tmp_path) as desk:
        replies = await texts(desk.run(Limits(requests=2)), *prompts)
        assert replies == [f"You said {each}." for each in prompts]
        assert [len(each.requests) for each in desk.api.made] == [2, 2, 1]
        assert len(set(desk.api.asked())) == 5


async def test_a_question_that_comes_while_a_batch_is_under_way_is_in_the_next_one(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 60
        batches = desk.run()
        desk.stays = True
        first = await queued(batches, question("one"))
        sending = asyncio.create_task(batches.send())
        await desk.waited.wait()
        second = await queued(batches, question("two"))
        next_ = asyncio.create_task(batches.send())
        await stop(sending)
        desk.stays = False
        await next_
        replies = await asyncio.gather(*first, *second)
        assert [each.text for each in replies] == ["You said one.", "You said two."]
        assert [len(each.requests) for each in desk.api.made] == [1, 1]


async def test_the_book_holds_no_word_of_anybody_and_no_id_tells_what_was_asked(tmp_path: Path) -> None:
    async with office(tmp_path) as desk:
        desk.api.takes_seconds = 60
        await leave(desk, desk.run(), "I keep bees in Bremen")
        written = desk.path.read_text(encoding="utf-8")
        (entry,) = msgspec.json.decode(written)["batches"]
        assert sorted(entry) == ["count", "counted", "id", "ids", "state", "useless", "when"]
        assert (entry["count"], entry["state"], entry["id"]) == (1, "sent", desk.api.made[0].id)
        assert "bees" not in written
        assert entry["ids"] == desk.api.made[0].ids
        assert desk.path.stat().st_mode & 0o777 == 0o600
