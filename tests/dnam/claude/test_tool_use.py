"""Calls of tools by Claude's own SDK: what is offered, what comes and is handed back, and all that goes wrong."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from anthropic import Omit
from anthropic._models import construct_type
from anthropic.types import ContentBlock, Message

from dnam.adapters.anthropic.asking import messages_of, tools_of
from dnam.adapters.anthropic.stops import DECLINED
from dnam.adapters.anthropic.tool_use import calls_of, raw_of
from dnam.assistant import Assistant
from dnam.memory import Memory
from dnam.model import Ask, Reply, Round, ToolCall, ToolResult
from dnam.tool_table import TOOLS
from projections.events import ToolCalled, TurnAnswered
from tests.dnam.claude.stage import asked, in_turn, talking
from tests.dnam.scripted import FakeClock, settings
from tests.loopback.messages import Call, Cuts, Fails, Request, Says
from tests.loopback.messages import Reply as Answer
from tests.loopback.messages.replies import Usage
from tests.loopback.messages.requests import complaint

SEARCH = Call("memory_search", '{"query": "tea", "limit": 3}')
TEA = Says("Tea it is.")


def with_tools(**fields: Any) -> Ask:
    return msgspec.structs.replace(asked(), tools=TOOLS, **fields)


def answered(reply: Reply, *texts: str) -> Round:
    """What came of a reply's calls."""
    results = tuple(ToolResult(call.id, text) for call, text in zip(reply.calls, texts, strict=True))
    return Round(reply.text, reply.calls, results, reply.raw)


async def test_a_reply_with_calls_is_handed_back_as_it_came() -> None:
    first = Says("Let me see.", thinks="tea?", calls=(SEARCH, Call("conversation_search", '{"query": "tea"}')))
    async with talking(in_turn(first, TEA)) as talk:
        heard: list[str] = []
        reply = await talk.claude.ask(with_tools(), heard.append)
        assert (reply.text, reply.stop, heard[-1]) == ("Let me see.", "tool_use", "Let me see.")
        assert [(call.name, call.input) for call in reply.calls] == [tuple(each) for each in first.calls]
        assert len({call.id for call in reply.calls}) == 2
        went_on = with_tools(rounds=(answered(reply, "green", "nothing"),))
        assert (await talk.claude.ask(went_on)).text == "Tea it is."
        assert talk.server.refused == []
        last = talk.server.requests[-1]
        assert last.tools == tuple(tool.name for tool in TOOLS)
        assert [block["type"] for block in last.body["messages"][1]["content"]] == [
            "thinking", "text", "tool_use", "tool_use",
        ]  # fmt: skip
        assert last.body["messages"][1]["content"][0]["signature"] == "c2lnbmVk"
        assert [(each["content"], each["is_error"]) for each in last.results] == [("green", False), ("nothing", False)]
        assert last.prompt == asked().prompt


async def test_halves_of_characters_are_handed_back_as_whole_ones() -> None:
    search = Call("memory_search", '{"query": "\ud83d\ude00 \ud83d"}')
    first = Says("Let me see \ud83d\ude00 \ude00.", calls=(search,), piece=1)
    async with talking(in_turn(first, TEA)) as talk:
        reply = await talk.claude.ask(with_tools())
        assert reply.text == "Let me see 😀 �."
        assert [call.input for call in reply.calls] == ['{"query": "😀 �"}']
        assert (await talk.claude.ask(with_tools(rounds=(answered(reply, "green"),)))).text == "Tea it is."
        said, called = talk.server.requests[-1].body["messages"][1]["content"]
        assert (said["text"], called["input"]) == ("Let me see 😀 �.", {"query": "😀 �"})


async def test_what_is_said_besides_is_never_an_empty_block() -> None:
    async with talking(in_turn(Says("", calls=(SEARCH, Call("memory_search", ""))), TEA)) as talk:
        reply = await talk.claude.ask(with_tools())
        assert [call.input for call in reply.calls] == [SEARCH.input, "{}"]
        await talk.claude.ask(with_tools(rounds=(answered(reply, "a", "b"),)))
        assert talk.server.refused == []


async def test_a_reply_of_another_model_is_put_together_from_what_is_known() -> None:
    made = Round("Let me see.", (ToolCall("1", "memory_search", "[]"),), (ToolResult("1", "nothing"),))
    (_, reply, _) = messages_of(with_tools(rounds=(made,)))
    assert reply["content"] == [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "1", "name": "memory_search", "input": {}},
    ]


def test_blocks_that_nobody_knows_are_not_handed_back() -> None:
    odd = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    call = {"type": "tool_use", "id": "1", "name": "memory_search", "input": {}}
    message = Message.construct(content=[construct(odd), construct({"type": "text", "text": " "}), construct(call)])
    assert json.loads(raw_of(message, {})) == [call]
    assert calls_of(message, {2: '{"query": "tea"}'}) == (ToolCall("1", "memory_search", '{"query": "tea"}'),)


def construct(block: dict[str, Any]) -> Any:
    """A block as the SDK makes it."""
    return construct_type(type_=ContentBlock, value=block)


@pytest.mark.parametrize("text", ['{"query": tea} and more words than one piece', '{"query": ' + "[" * 5_000])
async def test_a_call_whose_input_is_no_json_is_a_call_all_the_same(text: str) -> None:
    broken = Says("Let me see.", calls=(SEARCH, Call("memory_search", text)))
    async with talking(in_turn(broken, TEA)) as talk:
        reply = await talk.claude.ask(with_tools())
        assert reply.text == "Let me see."
        assert reply.calls[0].input == SEARCH.input
        assert reply.calls[1].name == "memory_search"
        assert talk.waits == []  # it is not asked again, and nothing counts against the service
        await talk.claude.ask(with_tools(rounds=(answered(reply, "green", "no JSON"),)))
        assert talk.server.refused == []
        assert talk.server.requests[-1].body["messages"][1]["content"][2]["input"] == {}


async def test_a_call_that_is_cut_by_the_most_tokens_has_half_an_input() -> None:
    half = Says("", stop="max_tokens", calls=(Call("memory_search", '{"query": "gre'),))
    async with talking(in_turn(half, TEA)) as talk:
        reply = await talk.claude.ask(with_tools())
        assert (reply.stop, [call.input for call in reply.calls]) == ("max_tokens", ['{"query": "gre'])
        await talk.claude.ask(with_tools(rounds=(answered(reply, "no JSON"),)))
        assert talk.server.refused == []


@pytest.mark.parametrize("how", ["connection", "body", "error"])
async def test_a_stream_that_breaks_in_the_midst_of_a_call_is_asked_again(how: str) -> None:
    async with talking(in_turn(Cuts("Let me", how, (SEARCH,)), Says("", calls=(SEARCH,)))) as talk:
        reply = await talk.claude.ask(with_tools())
        assert [call.input for call in reply.calls] == [SEARCH.input]
        assert len(talk.waits) == 1


async def test_who_may_call_no_more_is_told_so_and_the_calls_stay_explained() -> None:
    made = Round("", (ToolCall("toolu_1", "memory_search", "no JSON"),), (ToolResult("toolu_1", "wrong", failed=True),))
    async with talking(TEA) as talk:
        reply = await talk.claude.ask(with_tools(rounds=(made,), may_call=False))
        assert (reply.text, reply.calls, reply.raw) == ("Tea it is.", (), "")
        (request,) = talk.server.requests
        assert request.tools == ()
        assert request.body["tool_choice"] == {"type": "none"}
        assert [each["is_error"] for each in request.results] == [True]


async def test_a_model_that_takes_no_tools_is_asked_without_from_then_on() -> None:
    def script(request: Request) -> Answer:
        return Fails(400, "invalid_request_error", "no tools here") if request.tools else TEA

    async with talking(script) as talk:
        made = Round("Let me see.", (ToolCall("toolu_1", "memory_search", "{}"),), (ToolResult("toolu_1", "x"),))
        assert (await talk.claude.ask(with_tools(rounds=(made,)))).text == "Tea it is."
        assert (await talk.claude.ask(with_tools())).text == "Tea it is."
        assert [bool(request.tools) for request in talk.server.requests] == [True, False, False]
        assert len(talk.server.requests[1].body["messages"]) == 1


async def test_a_request_that_is_wrong_without_tools_too_is_refused() -> None:
    async with talking(in_turn(Fails(400, "invalid_request_error"), Fails(400, "invalid_request_error"), TEA)) as talk:
        with pytest.raises(Exception, match="the request was refused"):
            await talk.claude.ask(with_tools())
        await talk.claude.ask(with_tools())
        assert talk.server.requests[-1].tools  # it was not the tools


async def test_who_declines_calls_nothing() -> None:
    async with talking(Says("I", stop="refusal", calls=(SEARCH,))) as talk:
        reply = await talk.claude.ask(with_tools())
        assert (reply.text, reply.calls, reply.raw) == (DECLINED, (), "")


async def test_silence_behind_calls_is_no_failure() -> None:
    made = Round("Kept.", (ToolCall("toolu_1", "memory_search", "{}"),), (ToolResult("toolu_1", "x"),))
    async with talking(Says("")) as talk:
        assert (await talk.claude.ask(with_tools(rounds=(made,)))).text == ""


def test_the_tools_are_ones_that_the_api_takes() -> None:
    tools = tools_of(with_tools())
    assert not isinstance(tools, Omit)
    body = {"model": "claude-haiku-4-5", "max_tokens": 5, "messages": messages_of(asked()), "tools": tools}
    assert complaint(json.loads(json.dumps(body))) == ""
    assert all(tool["input_schema"].get("additionalProperties") is False for tool in tools)


@pytest.mark.parametrize(
    ("messages", "more", "why"),
    [
        ([], {"tool_choice": {"type": "none"}}, "tool_choice"),
        ([{"type": "tool_result", "tool_use_id": "x", "content": "y"}], {}, "unexpected `tool_use_id`"),
        ([{"type": "tool_use", "id": "x", "name": "n", "input": {}}], {}, "only allowed with `tools`"),
        ([], {"tools": [{"name": "a b", "input_schema": {"type": "object"}}]}, "should match pattern"),
    ],
)
def test_the_server_refuses_what_the_api_refuses(messages: list[Any], more: dict[str, Any], why: str) -> None:
    role = "assistant" if messages and messages[0]["type"] == "tool_use" else "user"
    said: list[Any] = [{"role": "user", "content": "hello"}]
    if messages:
        said.append({"role": role, "content": messages})
    body = {"model": "claude-haiku-4-5", "max_tokens": 5, "messages": said, **more}
    assert why in complaint(body)


def test_a_call_without_its_result_is_refused() -> None:
    body = {
        "model": "claude-haiku-4-5",
        "max_tokens": 5,
        "tools": [{"name": "n", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "n", "input": {}}]},
            {"role": "user", "content": "and?"},
        ],
    }
    assert "without `tool_result` blocks" in complaint(body)


async def test_a_whole_turn_over_the_real_api(tmp_path: Path) -> None:
    note = {"namespace": "me", "text": "I like green tea", "quote": "I like green tea", "kind": "preference"}
    bill = Usage(fresh=100, out=10)
    replies = (
        Says("Let me note that.", calls=(Call("memory_write", json.dumps(note)), Call("forget_all")), usage=bill),
        Says("", calls=(Call("memory_search", '{"query": tea}'),), usage=bill),
        Says("Noted.", usage=bill),
    )
    async with (
        talking(in_turn(*replies)) as talk,
        Memory.open(tmp_path, settings=settings(answer_model="haiku"), clock=FakeClock()) as memory,
    ):
        assistant, seen = Assistant(memory, talk.claude), []
        memory.watchers.append(lambda recorded: seen.extend(recorded.events))
        heard: list[str] = []
        thought = await assistant.think(await memory.heard("kim", "Remember that I like green tea"), heard.append)
        assert (thought.text, heard[-1]) == ("Noted.", "Noted.")
        assert talk.server.refused == []
        called = [event for event in seen if isinstance(event, ToolCalled)]
        assert [(each.tool, each.outcome) for each in called] == [
            ("memory_write", "written"), ("forget_all", "failed"), ("memory_search", "failed"),
        ]  # fmt: skip
        assert called[0].by.name.startswith("claude-haiku")
        assert thought.use.tokens_in == 300
        assert thought.use.tokens_out >= 20  # of the reply that broke off in a call, as far as it came
        assert thought.use.stop == "end_turn"
        results = [request.results for request in talk.server.requests]
        assert [len(each) for each in results] == [0, 2, 1]
        assert [item.text for item in await memory.show("kim")] == ["I like green tea"]
        assert not any(isinstance(event, TurnAnswered) for event in seen)
