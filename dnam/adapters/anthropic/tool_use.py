"""Tools as the Messages API has them: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview

    assistant   text · tool_use (id, name, input) …        the reply, handed back as it came
    user        tool_result (tool_use_id, content) …       one for each call, in the next message and at its beginning

The input of a call streams as pieces of JSON. What was made of the pieces is read by dnam, not by the SDK, which takes
half an object for a whole one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from dnam.model import Round, ToolCall, ToolResult
from projections.policies.text import whole

if TYPE_CHECKING:
    from anthropic.types import ContentBlock, ContentBlockParam, Message, ToolResultBlockParam

FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
}
"""The blocks of a reply that are handed back beside its calls, and their fields. Others are left out."""
Inputs = Mapping[int, str]
"""What came of the input of each call, by the number of its block."""


def calls_of(message: "Message", inputs: Inputs) -> tuple[ToolCall, ...]:
    """The calls that a reply makes. One without any input has the empty object."""
    blocks = ((index, block) for index, block in enumerate(message.content) if block.type == "tool_use")
    return tuple(ToolCall(block.id, block.name, whole(inputs.get(index) or "{}")) for index, block in blocks)


def raw_of(message: "Message", inputs: Inputs) -> str:
    """The reply as it is handed back, in JSON and in whole characters; empty where it calls nothing."""
    if not any(block.type == "tool_use" for block in message.content):
        return ""
    return whole(json.dumps(list(_blocks(message.content, inputs)), ensure_ascii=False))


def _blocks(content: "list[ContentBlock]", inputs: Inputs) -> Iterator[dict[str, Any]]:
    for index, block in enumerate(content):
        if block.type == "tool_use":
            yield _tool_use(ToolCall(block.id, block.name, whole(inputs.get(index, ""))))
        elif block.type in FIELDS and (block.type != "text" or block.text.strip()):  # an empty text is refused
            yield {name: getattr(block, name) for name in FIELDS[block.type]}


def _tool_use(call: ToolCall) -> dict[str, Any]:
    """A call with an object for its input, as the API wants it, whatever the model wrote."""
    try:
        given = msgspec.json.decode(call.input, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        given = {}
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": given}


def content_of(each: Round) -> "list[ContentBlockParam]":
    """A reply as it came; one of another model is put together from what is known of it."""
    if each.raw:
        blocks: list[ContentBlockParam] = json.loads(each.raw)
        return blocks
    said: list[Any] = [{"type": "text", "text": each.text}] if each.text.strip() else []
    return [*said, *map(_tool_use, each.calls)]


def result_of(result: ToolResult) -> "ToolResultBlockParam":
    """What came of a call."""
    return {"type": "tool_result", "tool_use_id": result.call, "content": result.text, "is_error": result.failed}
