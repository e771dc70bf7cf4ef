"""A request, and whether the API would take it: held against the parameters that the SDK itself describes."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError

MOST_BREAKPOINTS = 4
"""https://platform.claude.com/docs/en/build-with-claude/prompt-caching"""
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
UNSUPPORTED = frozenset({"minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "default"})
"""What a schema of structured outputs may not say."""


class Request(NamedTuple):
    """A request that the API takes."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        return str(self.body["model"])

    @property
    def system(self) -> str:
        system = self.body.get("system", "")
        return system if isinstance(system, str) else "\n\n".join(block["text"] for block in system)

    @property
    def prompt(self) -> str:
        """The text of the last turn in which the user said anything: results of tools are none."""
        said = [_said(each["content"]) for each in self.body["messages"] if each["role"] == "user"]
        return next((each for each in reversed(said) if each), "")

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that may be called; none where it may call none."""
        choice = self.body.get("tool_choice") or {}
        return () if choice.get("type") == "none" else tuple(each["name"] for each in self.body.get("tools", ()))

    @property
    def results(self) -> tuple[Mapping[str, Any], ...]:
        """What came of the calls of the reply before, in their order."""
        return tuple(block for block in _content(self.body["messages"][-1]) if block["type"] == "tool_result")

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema that the reply is to have."""
        form = self.body.get("output_config", {}).get("format")
        return None if form is None else form["schema"]


def complaint(body: object) -> str:
    """Why the API would refuse this body; empty when it would not."""
    if not isinstance(body, dict):
        return "the body is no object"
    unknown = sorted(set(body) - set(MessageCreateParamsStreaming.__annotations__) - _inherited())
    if unknown:
        return f"{unknown[0]}: Extra inputs are not permitted"
    try:
        _adapter(bool(body.get("stream"))).validate_python(body, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return next(_rules(body), "")


@cache
def _adapter(stream: bool) -> TypeAdapter[Any]:
    return TypeAdapter(MessageCreateParamsStreaming if stream else MessageCreateParamsNonStreaming)


@cache
def _inherited() -> frozenset[str]:
    return frozenset(MessageCreateParamsStreaming.__required_keys__ | MessageCreateParamsStreaming.__optional_keys__)


def _rules(body: dict[str, Any]) -> Iterator[str]:
    """What no type says."""
    if body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    if not body["messages"] or body["messages"][0]["role"] != "user":
        yield "messages: first message must use the user role"
    if any(not text.strip() for text in _texts(body)):
        yield "messages: text content blocks must be non-empty"
    if sum("cache_control" in block for block in _blocks(body)) > MOST_BREAKPOINTS:
        yield "A maximum of 4 blocks with cache_control may be provided"
    yield from _tool_use(body)
    schema = (body.get("output_config") or {}).get("format")
    if schema is not None:
        yield from _schema(schema["schema"], "output_config.format.schema")


def _said(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def _content(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _tool_use(body: dict[str, Any]) -> Iterator[str]:
    """https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"""
    tools = body.get("tools", [])
    for number, tool in enumerate(tools):
        if not TOOL_NAME.fullmatch(tool["name"]):
            yield f"tools.{number}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if tool["input_schema"].get("type") != "object":
            yield f"tools.{number}.custom.input_schema.type: Field required"
    if not tools and "tool_choice" in body:
        yield "tool_choice: may only be specified while providing tools"
    called: list[str] = []
    for number, message in enumerate(body["messages"]):
        results = [block["tool_use_id"] for block in _content(message) if block["type"] == "tool_result"]
        if any(each not in called for each in results):
            yield f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks"
        missing = [each for each in called if each not in results]
        if missing:
            why = "`tool_use` ids were found without `tool_result` blocks immediately after"
            yield f"messages.{number}: {why}: {missing[0]}"
        called = [block["id"] for block in _content(message) if block["type"] == "tool_use"]
        if called and not tools:
            yield "tools: Field required: `tool_use` blocks are only allowed with `tools`"


def _blocks(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for holder in (body.get("system", ""), *(message["content"] for message in body["messages"])):
        if not isinstance(holder, str):
            yield from holder


def _texts(body: dict[str, Any]) -> Iterator[str]:
    for message in body["messages"]:
        if isinstance(message["content"], str):
            yield message["content"]
    for block in _blocks(body):
        yield block.get("text", "-")


def _schema(schema: dict[str, Any], where: str) -> Iterator[str]:
    """https://platform.claude.com/docs/en/build-with-claude/structured-outputs: JSON Schema limitations."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false"
    for name in sorted(UNSUPPORTED & set(schema)):
        yield f"{where}: For '{schema.get('type')}' type, property '{name}' is not supported"
    for key in ("properties", "$defs"):
        for name, each in schema.get(key, {}).items():
            yield from _schema(each, f"{where}.{name}")
    for each in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from _schema(each, where)
