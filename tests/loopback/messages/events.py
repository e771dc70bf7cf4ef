"""A reply as the API streams it: https://platform.claude.com/docs/en/build-with-claude/streaming

message_start · (content_block_start · content_block_delta … · content_block_stop) … · message_delta · message_stop
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.loopback.messages.replies import Call, Says, Usage
from tests.loopback.messages.requests import Request

CHARS_PER_TOKEN = 4
Event = dict[str, Any]


def encoded(event: Event) -> bytes:
    """An event on the wire."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def error(type_: str, message: str, request_id: str) -> Event:
    """An error, as a body and as an event."""
    return {"type": "error", "error": {"type": type_, "message": message}, "request_id": request_id}


def events(request: Request, says: Says, message_id: str) -> Iterator[Event]:
    """The stream of a whole reply, with a ping where the API sends one."""
    yield {"type": "message_start", "message": _opening(request, says.usage, message_id)}
    index = 0
    if says.thinks:
        thought = {"type": "thinking", "thinking": "", "signature": ""}
        yield {"type": "content_block_start", "index": index, "content_block": thought}
        yield _delta(index, {"type": "thinking_delta", "thinking": says.thinks})
        yield _delta(index, {"type": "signature_delta", "signature": "c2lnbmVk"})
        yield {"type": "content_block_stop", "index": index}
        index += 1
    if says.text:
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        yield {"type": "ping"}
        for at in range(0, len(says.text), says.piece):
            yield _delta(index, {"type": "text_delta", "text": says.text[at : at + says.piece]})
        yield {"type": "content_block_stop", "index": index}
        index += 1
    for number, call in enumerate(says.calls):
        yield from _call(index + number, says, call, _tool_use(message_id, number, call, {}))
    yield {"type": "message_delta", "delta": _ending(says), "usage": {"output_tokens": _out(says)}}
    yield {"type": "message_stop"}


def _tool_use(message_id: str, number: int, call: Call, given: Any) -> Event:
    """The block of a call; ids are unique as the API's are."""
    return {"type": "tool_use", "id": f"toolu_{message_id}_{number}", "name": call.name, "input": given}


def _call(index: int, says: Says, call: Call, block: Event) -> Iterator[Event]:
    """A call: its input streams as pieces of JSON, the first of which is empty."""
    yield {"type": "content_block_start", "index": index, "content_block": block}
    for piece in ("", *(call.input[at : at + says.piece] for at in range(0, len(call.input), says.piece))):
        yield _delta(index, {"type": "input_json_delta", "partial_json": piece})
    yield {"type": "content_block_stop", "index": index}


def whole(request: Request, says: Says, message_id: str) -> Event:
    """The same reply in one piece."""
    opening = _opening(request, says.usage, message_id)
    content = [{"type": "text", "text": says.text}] if says.text else []
    content += [_tool_use(message_id, at, call, json.loads(call.input)) for at, call in enumerate(says.calls)]
    usage = {**opening["usage"], "output_tokens": _out(says)}
    return {**opening, **_ending(says), "content": content, "usage": usage}


def _opening(request: Request, usage: Usage, message_id: str) -> Event:
    counted = (len(request.system) + len(request.prompt)) // CHARS_PER_TOKEN
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": {
            "input_tokens": counted if usage.fresh is None else usage.fresh,
            "cache_creation_input_tokens": usage.written,
            "cache_read_input_tokens": usage.cached,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    }


def _ending(says: Says) -> Event:
    details = {"type": "refusal", "category": None, "explanation": None} if says.stopped == "refusal" else None
    return {"stop_reason": says.stopped, "stop_sequence": None, "stop_details": details}


def _out(says: Says) -> int:
    written = says.text + says.thinks + "".join(f"{call.name}{call.input}" for call in says.calls)
    counted = max(1, len(written) // CHARS_PER_TOKEN)
    return counted if says.usage.out is None else says.usage.out


def _delta(index: int, delta: Event) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": delta}
