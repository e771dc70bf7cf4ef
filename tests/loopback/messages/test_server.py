"""The loopback Messages API: what it takes and refuses, and that the SDK reads its replies like the real ones."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import msgspec
import pytest
from anthropic import AsyncAnthropic, AuthenticationError, BadRequestError, OverloadedError
from jsonschema import validate

from dnam.adapters.anthropic.asking import schema_of
from dnam.model import ExtractionInputs, Line, SummaryInputs
from projections.policies.reply_shapes import AskedExtraction
from tests.loopback.messages import Declines, Fails, Runs, Says, Server, serving
from tests.loopback.messages.replies import Usage
from tests.loopback.messages.requests import complaint

ASKED: dict[str, Any] = {
    "model": "claude-haiku-4-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


@pytest.fixture
async def client(server: Server) -> AsyncIterator[AsyncAnthropic]:
    async with AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client:
        yield client


async def test_a_reply_is_the_same_streamed_and_whole(server: Server, client: AsyncAnthropic) -> None:
    server.script = lambda _: Says("Tea it is.", usage=Usage(5, 4, 3, 2))
    whole = await client.messages.create(**ASKED)
    async with client.messages.stream(**ASKED) as stream:
        streamed = await stream.get_final_message()
    assert [block.type for block in whole.content] == ["text"]
    assert streamed.to_dict() == {**whole.to_dict(), "id": streamed.id}
    assert streamed.usage.cache_creation_input_tokens == 3


@pytest.mark.parametrize(("reply", "stop"), [(Runs("Tea"), "max_tokens"), (Declines("Tea"), "refusal")])
async def test_a_reply_says_why_it_stopped(server: Server, client: AsyncAnthropic, reply: Runs, stop: str) -> None:
    server.script = lambda _: reply
    async with client.messages.stream(**ASKED) as stream:
        message = await stream.get_final_message()
    assert message.stop_reason == stop
    assert (message.stop_details is not None) is (stop == "refusal")


async def test_an_error_is_the_sdk_s_own(server: Server, client: AsyncAnthropic) -> None:
    server.script = lambda _: Fails(529, "overloaded_error", "Overloaded", retry_after="3")
    with pytest.raises(OverloadedError) as failed:
        await client.messages.create(**ASKED)
    assert (failed.value.type, failed.value.api_message) == ("overloaded_error", "Overloaded")
    assert failed.value.response.headers["retry-after"] == "3"


async def test_a_wrong_key_is_refused(server: Server) -> None:
    async with AsyncAnthropic(api_key="sk-wrong", base_url=server.url, max_retries=0) as stranger:
        with pytest.raises(AuthenticationError):
            await stranger.messages.create(**ASKED)
        with pytest.raises(AuthenticationError):
            await stranger.models.retrieve("claude-haiku-4-5")


async def test_what_is_no_json_or_has_no_version_is_refused(server: Server) -> None:
    headers = {"x-api-key": server.key, "anthropic-version": "2026-10-21"}
    async with aiohttp.ClientSession(server.url) as session:
        for extra, data in ((headers, b"{"), ({"x-api-key": server.key}, b"{}"), (headers, b"[]")):
            async with session.post("/v1/messages", headers=extra, data=data) as response:
                assert (response.status, (await response.json())["error"]["type"]) == (400, "invalid_request_error")


async def test_a_model_has_a_page(client: AsyncAnthropic) -> None:
    page = await client.models.retrieve("claude-haiku-4-5")
    assert page.capabilities is not None
    assert page.capabilities.structured_outputs.supported


async def test_a_model_without_schemas_refuses_one() -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    config: Any = {"format": {"type": "json_schema", "schema": schema}}
    async with (
        serving(schemas=False) as server,
        AsyncAnthropic(api_key=server.key, base_url=server.url, max_retries=0) as client,
    ):
        with pytest.raises(BadRequestError, match="does not support"):
            await client.messages.create(**ASKED, output_config=config)


def with_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {**ASKED, "output_config": {"format": {"type": "json_schema", "schema": schema}}}


CACHED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({**ASKED, "temperature": 1}, "temperature: Extra inputs are not permitted"),
        ({**ASKED, "max_tokens": 0}, "max_tokens"),
        ({**ASKED, "max_tokens": "100"}, "max_tokens"),
        ({**ASKED, "messages": []}, "first message"),
        ({**ASKED, "messages": [{"role": "assistant", "content": "hello"}]}, "first message"),
        ({**ASKED, "messages": [{"role": "user", "content": " "}]}, "non-empty"),
        ({**ASKED, "system": [{"type": "text", "text": ""}]}, "non-empty"),
        ({**ASKED, "system": [CACHED] * 5}, "maximum of 4 blocks"),
        ({name: ASKED[name] for name in ("model", "messages")}, "max_tokens"),
        (with_schema({"type": "object", "properties": {}}), "additionalProperties"),
        (with_schema({"type": "array", "items": {"type": "string", "maxLength": 3}}), "maxLength"),
        (with_schema({"anyOf": [{"type": "integer", "minimum": 3}]}), "minimum"),
        (with_schema({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}), "additionalProperties"),
    ],
)
def test_what_the_api_would_refuse_is_refused(body: dict[str, Any], why: str) -> None:
    assert why in complaint(body)


def test_what_the_api_would_take_is_taken() -> None:
    assert complaint(ASKED) == complaint({**ASKED, "stream": True, "system": [CACHED] * 4}) == ""


async def replied(client: AsyncAnthropic, prompt: str) -> str:
    message = await client.messages.create(**{**ASKED, "messages": [{"role": "user", "content": prompt}]})
    (block,) = message.content
    return block.text if block.type == "text" else ""


async def test_without_a_script_it_replies_as_the_offline_model_does(client: AsyncAnthropic) -> None:
    lines = (Line("Kim", "I prefer tea over coffee.", 1, "00"),)
    extraction = msgspec.json.encode(ExtractionInputs("Kim", lines)).decode()
    summary = msgspec.json.encode(SummaryInputs("dnam", "", lines, 500)).decode()
    assert "tea" in (await replied(client, f"Learn from this:\n{extraction}\nNow."))
    assert "tea" in (await replied(client, summary))
    prompt = (
        "Durable memory (user-specific notes; may be empty):\n- [preference] User prefers tea. (src: dm, updated x)"
    )
    assert "bees" in await replied(
        client, "Recent conversation:\n[Kim]: I keep bees\n\n---\nUser message:\nwhat of my bees?"
    )
    assert "prefers tea" in await replied(client, f"{prompt}\n\n---\nUser message:\nwhat do I prefer to drink, tea?")
    assert await replied(client, "hello")


async def test_without_a_script_it_quotes_people_and_not_itself(client: AsyncAnthropic) -> None:
    window, asked = "Recent conversation:\n[Kim]: I keep bees", "User message:\nwhat of my bees?"
    for number in range(3):
        said = await replied(client, f"{window}\n\n---\n{asked}")
        assert said.startswith("(I am the offline model") is (number == 0), "a conversation begins once"
        assert [line for line in said.splitlines() if line.startswith("- ")] == ["- Kim: I keep bees"]
        window += "\n[Marcy]: " + said.replace("\n", "\n  ")


async def test_where_a_schema_is_asked_for_its_reply_keeps_to_it(client: AsyncAnthropic) -> None:
    schema = schema_of(AskedExtraction)
    config: Any = {"format": {"type": "json_schema", "schema": schema}}
    inputs = ExtractionInputs("Kim", (Line("Kim", "I prefer tea over coffee.", 1, "00"),))
    asked = {**ASKED, "messages": [{"role": "user", "content": msgspec.json.encode(inputs).decode()}]}
    message = await client.messages.create(**asked, output_config=config)
    (block,) = message.content
    assert block.type == "text"
    value = json.loads(block.text)
    validate(value, schema)
    assert "tea" in value["upserts"][0]["text"]
