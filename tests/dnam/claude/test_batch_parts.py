"""The parts of batches that need no API: the ids of questions, how they are packed, and the book."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from anthropic.types import MessageParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from anthropic.types.messages.batch_create_params import Request

from dnam.adapters.anthropic.batch_book import Book
from dnam.adapters.anthropic.batch_requests import FRAME_BYTES, Limits, custom_id, packed
from dnam.adapters.anthropic.batch_results import result_of
from dnam.adapters.anthropic.faults import GarbledStream
from dnam.model import Ask, Round, Tool, ToolCall, ToolResult
from tests.dnam.claude.stage import Shape, asked
from tests.loopback.messages.batches import CUSTOM_ID


class Other(msgspec.Struct):
    upserts: list[int] = []


TOOL = Tool("memory_search", "Looks for something.", Shape)
ROUND = Round("", (ToolCall("toolu_1", "memory_search", "{}"),), (ToolResult("toolu_1", "nothing"),))
ASK = asked("extraction")


def changed(**fields: object) -> Ask:
    return msgspec.structs.replace(ASK, **fields)


def test_a_question_has_one_id_that_the_api_takes_and_that_changes_with_the_key() -> None:
    id_ = custom_id(ASK, "claude-haiku-4-5", b"key")
    assert CUSTOM_ID.fullmatch(id_)
    assert re.fullmatch(r"[\w-]{43}", id_)
    assert id_ == custom_id(asked("extraction"), "claude-haiku-4-5", b"key")
    assert id_ == custom_id(changed(person=bytes(16), account=b"x", goes_on=True), "claude-haiku-4-5", b"key")
    assert id_ != custom_id(ASK, "claude-haiku-4-5", b"another key")


def test_whatever_else_is_asked_is_another_question() -> None:
    others = [
        changed(purpose="merge"),
        changed(system=ASK.system + " "),
        changed(prompt=ASK.prompt + " "),
        changed(shape=None),
        changed(shape=Other),
        changed(tools=(TOOL,)),
        changed(tools=(TOOL,), may_call=False),
        changed(tools=(TOOL,), rounds=(ROUND,)),
    ]
    ids = [custom_id(each, "claude-haiku-4-5") for each in (ASK, *others)]
    assert len({*ids, custom_id(ASK, "claude-haiku-5-5")}) == len(others) + 2


def request(number: int, size: int = 0) -> Request:
    message: MessageParam = {"role": "user", "content": "x" * size}
    params: MessageCreateParamsNonStreaming = {"model": "claude-haiku-4-5", "max_tokens": 5, "messages": [message]}
    return {"custom_id": str(number), "params": params}


def sizes(requests: list[Request], limits: Limits) -> list[int]:
    packs = list(packed(requests, limits))
    assert [each for pack in packs for each in pack] == requests
    return [len(each) for each in packs]


def test_a_batch_has_so_many_requests_at_most() -> None:
    assert sizes([request(each) for each in range(5)], Limits(requests=2)) == [2, 2, 1]
    assert sizes([], Limits()) == []


def test_a_batch_is_so_long_at_most_and_what_is_longer_goes_alone() -> None:
    one = len(json.dumps(request(1, 10))) + len(", ")
    limits = Limits(size_bytes=FRAME_BYTES + 2 * one)
    assert sizes([request(each, 10) for each in range(5)], limits) == [2, 2, 1]
    assert sizes([request(1, 10), request(2, 9_000), request(3, 10), request(4, 10)], limits) == [1, 1, 2]
    for pack in packed([request(each, 10) for each in range(5)], limits):
        assert len(json.dumps({"requests": pack})) <= limits.size_bytes


class TestTheBook:
    def test_is_the_same_when_it_is_opened_again(self, tmp_path: Path) -> None:
        book = Book(tmp_path / "new" / "batches.json")
        entry = book.begin(["a", "b"], 5)
        book.sent(entry, "msgbatch_1")
        book.begin(["c"], 6)
        again = Book(tmp_path / "new" / "batches.json")
        assert again.entries == book.entries
        assert again.of("a") == entry
        assert again.knows("msgbatch_1")
        assert not again.knows("msgbatch_2")
        assert [(each.state, each.when, each.count) for each in again.entries] == [("sent", 5, 2), ("sending", 6, 1)]

    def test_knows_the_last_batch_of_a_question_that_was_sent_again(self, tmp_path: Path) -> None:
        book = Book(tmp_path / "batches.json")
        first = book.begin(["a", "b"], 5)
        book.give_up(first, ["a"])
        assert book.of("a") is None
        second = book.begin(["a"], 6)
        book.give_up(first, ["a"])
        assert (book.of("a"), book.of("b")) == (second, first)
        assert Book(tmp_path / "batches.json").of("a") == second

    def test_forgets_a_batch_that_answers_nothing_any_more(self, tmp_path: Path) -> None:
        book = Book(tmp_path / "batches.json")
        book.give_up(book.begin(["a", "b"], 5), ["a", "b"])
        book.strike_out(book.begin(["c"], 6))
        assert book.entries == Book(tmp_path / "batches.json").entries == ()

    def test_writes_nothing_that_is_on_disk_already(self, tmp_path: Path) -> None:
        book = Book(tmp_path / "batches.json")
        entry = book.begin(["a"], 5)
        book.ended(entry)
        (tmp_path / "batches.json").unlink()
        book.ended(entry)
        assert not (tmp_path / "batches.json").exists()


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[]",
        b"7",
        b'"\xff"',
        b"{}",
        b'{"custom_id": "a"}',
        b'{"custom_id": "a", "result": {}}',
        b'{"custom_id": "a", "result": {"type": "succeeded"}}',
        b'{"custom_id": "a", "result": {"type": "succeeded", "message": {}}}',
        b'{"custom_id": "a", "result": {"type": "errored", "error": {}}}',
        b'{"result": {"type": "expired"}}',
        b'{"custom_id": 7, "result": {"type": "expired"}}',
    ],
)
def test_a_line_that_is_no_result_is_garbled(line: bytes) -> None:
    with pytest.raises(GarbledStream, match="in a line of results"):
        result_of(line, "sdk-1")
