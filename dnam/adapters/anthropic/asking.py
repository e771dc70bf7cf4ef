"""An ask as the Messages API has it.

The system prompt comes first and is the same for everybody, so that it is read from the cache: one breakpoint behind
the prompt's own text, one behind what the operator's files add to it. What people said is in the user's turn, as it is.
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from dnam.adapters.anthropic.capabilities import Capabilities
from dnam.adapters.anthropic.tool_use import content_of, result_of
from dnam.model import Ask, Purpose, Round
from dnam.prompts import load

if TYPE_CHECKING:
    from anthropic import Omit
    from anthropic.types import MessageParam, OutputConfigParam, TextBlockParam, ToolChoiceParam, ToolParam
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

Effort = Literal["low", "medium"]
MOST_TOKENS: dict[Purpose, int] = {"answer": 8_192, "extraction": 16_384, "summary": 8_192, "merge": 8_192}
"""The most tokens of a reply. Thinking counts among them, so they are many more than what is shown."""
EFFORTS: dict[Purpose, Effort] = {"answer": "medium", "extraction": "low", "summary": "low", "merge": "low"}
"""How hard a model thinks, where that can be said: loops have half a minute, and people wait for answers."""


def params_of(ask: Ask, model: str, able: Capabilities) -> "MessageCreateParamsNonStreaming":
    """An ask as a value, for a batch: what would be streamed otherwise, without what has nothing to say."""
    from anthropic import Omit

    params: MessageCreateParamsNonStreaming = {
        "model": model,
        "max_tokens": most_tokens(ask, able),
        "system": system_of(ask),
        "messages": messages_of(ask),
    }
    output, tools, choice = output_of(ask, able), tools_of(ask), tool_choice_of(ask)
    if not isinstance(output, Omit):
        params["output_config"] = output
    if not isinstance(tools, Omit):
        params["tools"] = tools
    if not isinstance(choice, Omit):
        params["tool_choice"] = choice
    return params


def system_of(ask: Ask) -> "list[TextBlockParam]":
    """The system prompt in blocks, each with a cache breakpoint; the API takes four of them."""
    shared = _shared(ask)
    return [_cached(text) for text in (shared, ask.system.removeprefix(shared).strip()) if text]


def _shared(ask: Ask) -> str:
    """The prompt's own text, which all asks with it begin with; empty where this one does not."""
    try:
        text = load(ask.prompt_name).text
    except OSError:  # a prompt that is no file
        return ""
    return text if ask.system.startswith(text) else ""


def _cached(text: str) -> "TextBlockParam":
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


def messages_of(ask: Ask) -> "list[MessageParam]":
    """The user's turn: data, and nothing of it is a template. Behind it the rounds of tools: each reply as it came, and
    what came of its calls.
    """
    asked: MessageParam = {"role": "user", "content": [{"type": "text", "text": ask.prompt}]}
    return [asked, *(message for each in ask.rounds for message in _round(each))]


def _round(each: Round) -> "Iterator[MessageParam]":
    yield {"role": "assistant", "content": content_of(each)}
    yield {"role": "user", "content": [result_of(result) for result in each.results]}


def tools_of(ask: Ask) -> "list[ToolParam] | Omit":
    """What the model may call; omitted when there is nothing."""
    from anthropic import omit

    tools: list[ToolParam] = [
        {"name": each.name, "description": each.description, "input_schema": schema_of(each.shape)}
        for each in ask.tools
    ]
    return tools or omit


def tool_choice_of(ask: Ask) -> "ToolChoiceParam | Omit":
    """Whether it may call any more: what it called before has to be explained by the tools all the same."""
    from anthropic import omit

    return {"type": "none"} if ask.tools and not ask.may_call else omit


def most_tokens(ask: Ask, able: Capabilities) -> int:
    """How long a reply may be."""
    return min(MOST_TOKENS[ask.purpose], able.most_tokens or MOST_TOKENS[ask.purpose])


def output_of(ask: Ask, able: Capabilities) -> "OutputConfigParam | Omit":
    """How hard to think and what form to reply in, as far as the model can; omitted when there is nothing to say."""
    from anthropic import omit

    config: OutputConfigParam = {}
    if EFFORTS[ask.purpose] in able.efforts:
        config["effort"] = EFFORTS[ask.purpose]
    if ask.shape is not None and able.schemas:
        config["format"] = {"type": "json_schema", "schema": schema_of(ask.shape)}
    return config or omit


@cache
def schema_of(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON schema of a struct as the API takes it: no field but the known ones, and bounds become words. Made once:
    it is read, and never changed.
    """
    from anthropic import transform_schema

    _, named = msgspec.json.schema_components([shape], ref_template="#/$defs/{name}")
    root = named.pop(shape.__name__)
    return transform_schema({**root, **({"$defs": named} if named else {})})
