"""A message put together from the events of its stream."""

from typing import Any

import pytest

from dnam.adapters.anthropic.faults import MALFORMED
from dnam.adapters.anthropic.growing import Event, Growing

TEXT = {"type": "text", "text": ""}
THOUGHT = {"type": "thinking", "thinking": "", "signature": ""}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}}
STOP: Event = {"type": "message_stop"}


def start(**fields: Any) -> Event:
    return {"type": "message_start", "message": {"model": "m", "content": [], **fields}}


def block(index: int, of: Event) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": of}


def delta(index: int, kind: str, name: str, piece: str) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: piece}}


def text(index: int, piece: str) -> Event:
    return delta(index, "text_delta", "text", piece)


def end(usage: Event, stop: str = "end_turn") -> Event:
    return {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}


def grown(*events: Event) -> Growing:
    growing = Growing()
    for each in events:
        growing.take(each)
    return growing


def test_only_words_are_said() -> None:
    events = [
        start(),
        block(0, THOUGHT),
        delta(0, "thinking_delta", "thinking", "hm"),
        delta(0, "signature_delta", "signature", "c2ln"),
        block(1, TEXT),
        text(1, "Tea, "),
        text(1, "yes."),
        {"type": "content_block_stop", "index": 1},
    ]
    growing = Growing()
    assert [growing.take(each) for each in events] == [False] * 5 + [True, True, False]
    assert growing.text == "Tea, yes."
    thought, said = growing.message.content
    assert thought.type == "thinking"
    assert (thought.thinking, thought.signature) == ("hm", "c2ln")
    assert said.type == "text"
    assert said.text == "Tea, yes."


def test_the_usage_at_the_end_overwrites_what_it_names() -> None:
    opening = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 5}
    growing = grown(start(usage=opening), end({"output_tokens": 40, "input_tokens": None}))
    usage = growing.message.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (10, 40, 5)
    assert growing.message.stop_reason == "end_turn"


def test_a_usage_that_was_not_told_at_the_beginning_is_told_at_the_end() -> None:
    assert grown(start(), end({"output_tokens": 3})).message.usage.output_tokens == 3


@pytest.mark.parametrize("fields", [{}, {"content": None}])
def test_a_message_that_begins_without_content_has_none_yet(fields: Event) -> None:
    growing = grown({"type": "message_start", "message": fields}, block(0, TEXT), text(0, "Tea."))
    assert growing.text == "Tea."


def test_a_call_s_input_is_kept_as_it_was_written_to_the_end() -> None:
    pieces = [delta(0, "input_json_delta", "partial_json", piece) for piece in ("", '{"query": ', "tea}")]
    growing = grown(start(), block(0, CALL), *pieces, end({"output_tokens": 9}, "tool_use"), STOP)
    assert growing.inputs == {0: '{"query": tea}'}
    assert (growing.message.stop_reason, growing.message.usage.output_tokens) == ("tool_use", 9)
    assert growing.is_whole


def test_what_is_of_no_known_type_is_left_out() -> None:
    growing = grown(
        start(), {"type": "news"}, block(0, TEXT), delta(0, "citations_delta", "citation", "x"), text(0, "Tea.")
    )
    assert growing.text == "Tea."
    assert not growing.take(delta(0, "thinking_delta", "thinking", "hm"))  # of another type than its block
    assert growing.text == "Tea."


def test_what_comes_before_the_beginning_is_left_out_and_an_end_without_one_is_none() -> None:
    growing = grown(text(0, "Tea"))
    assert (growing.is_whole, growing.text) == (False, "")
    growing.take(STOP)
    assert growing.is_whole
    with pytest.raises(RuntimeError, match="an end without a beginning"):
        _ = growing.message


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "message_start", "message": 7},
        {"type": "content_block_start", "index": 1},
        text(3, "x"),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}},
        delta(0, "text_delta", "text", None),  # type: ignore[arg-type] # what no server should send
        {"type": "message_delta", "usage": {}},
    ],
)
def test_what_is_no_event_of_the_api_s_is_malformed(event: Event) -> None:
    growing = grown(start(), block(0, TEXT))
    with pytest.raises(MALFORMED):
        growing.take(event)
