"""A message as it grows: the events of a stream, put together. https://platform.claude.com/docs/en/build-with-claude/streaming

    message_start ─ (content_block_start ─ content_block_delta … ─ content_block_stop) … ─ message_delta ─ message_stop

The SDK's own helper makes an object of every event, another of every piece of text, and reads the input of a call anew
with each piece of it: half of what a call takes of a processor. Here a piece is added to what is there, and the SDK's
message is made once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anthropic.types import Message

Event = Mapping[str, Any]
"""An event as it was sent. Whatever reads one raises one of `MALFORMED` where it is not what the API promises."""
PIECES: Mapping[str, tuple[str, str]] = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}
"""What grows by a delta of a type: in which type of block, and which field of it, by the delta's field of that name."""


class Growing:
    """A message as far as it has come. `inputs` are those of its calls as they were written, by the number of a block;
    `is_whole` is whether its end was told.
    """

    def __init__(self) -> None:
        self._row: dict[str, Any] | None = None
        self.inputs: dict[int, str] = {}
        self.is_whole = False

    @property
    def message(self) -> "Message":
        """The SDK's. RuntimeError before it has begun: what comes before that is left out."""
        from anthropic.types import Message

        if self._row is None:
            raise RuntimeError("an end without a beginning")
        return Message.construct(**self._row)

    @property
    def text(self) -> str:
        """What is said so far, without what was thought."""
        return "".join(block["text"] for block in self._content() if block["type"] == "text")

    def take(self, event: Event) -> bool:
        """Grow by an event; whether something was said in it."""
        kind: str = event["type"]
        if kind == "message_start":
            message = event["message"]
            self._row = {**message, "content": [dict(each) for each in message.get("content") or ()]}
        elif self._row is None:
            self.is_whole = kind == "message_stop"
        elif kind == "content_block_delta":
            return self._delta(event["index"], event["delta"])
        elif kind == "content_block_start":
            self._content().append(dict(event["content_block"]))
        elif kind == "message_delta":
            self._row |= {name: event["delta"].get(name) for name in ("stop_reason", "stop_sequence")}
            self._row["usage"] = dict(self._row.get("usage") or {}) | _said(event.get("usage") or {})
        else:
            self.is_whole = kind == "message_stop"
        return False

    def _content(self) -> list[dict[str, Any]]:
        content: list[dict[str, Any]] = (self._row or {"content": []})["content"]
        return content

    def _delta(self, index: int, delta: Event) -> bool:
        block = self._content()[index]
        kind: str = delta["type"]
        if kind == "input_json_delta":
            self.inputs[index] = self.inputs.get(index, "") + delta["partial_json"]
        elif kind == "signature_delta":
            block["signature"] = delta["signature"]
        elif kind in PIECES:
            of, name = PIECES[kind]
            if block["type"] == of:
                block[name] += delta[name]
                return kind == "text_delta"
        return False


def _said(usage: Event) -> dict[str, Any]:
    """What an end says of the usage: totals, of which it may leave out what was told at the beginning."""
    return {name: tokens for name, tokens in usage.items() if tokens is not None}
