"""The budget over all blocks: who goes first, no more than must, and everything that went is told."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.context import Context, Request, assemble
from projections.events import SummaryRefreshed
from projections.events.values import LeftOut, Limits, ModelUse
from projections.ids import EventId, Point
from projections.policies.compartments import in_guild
from projections.retrieval import Vocabulary
from projections.tokens import CHARACTERS, Counter, by_characters
from projections.trimming import MOST_LISTED
from tests.projections.recall.house import ADA, GUILD, KIM, MODEL, House, session
from tests.projections.recall.stage import HOUR

LATER = EventId(b"\xff" * 16)
FULL = Limits(scoring="recall", room_items=8, room_chars=1000, passages=5, passage_chars=2000, history_messages=6)
BY_WORDS = Counter("words", lambda text: len(text.split()))


def full_house() -> House:
    """Something in every block."""
    house = House()
    house.describe("1")
    house.describe("2")
    house.name(ADA, "Ada")
    house.name(KIM, "Kim")
    house.know("Keeps bees in the garden.", in_guild(GUILD))
    for text in ("Mends bee hives.", "Owns a boat."):
        house.know(text, in_guild(GUILD), KIM)
    house.say("1", "bees are gone")
    house.say("2", "the bees came back", after=9 * HOUR)
    for number in range(6):
        house.say("1", f"so it goes {number}", KIM, after=9 * HOUR if not number else 1000)
    refreshed = SummaryRefreshed(
        said=house.said, by=MODEL, session=session("1"), audience=house.audience("1"), era=0,
        text="They speak of bees and boats and of much else.", refresh=1, after=None,
        upto=Point(house.said, LATER), covered=1, call=ModelUse("offline", "1"),
    )  # fmt: skip
    house.world.add(refreshed)
    return house


HOUSE = full_house()


def prompt(tokens: int, text: str = "where are the bees?", counter: Counter = CHARACTERS, **limits: Any) -> Context:
    request = Request(
        setting=HOUSE.setting("1"),
        session=session("1"),
        point=Point(HOUSE.said + 1, LATER),
        assistant="dnam",
        vocabulary=Vocabulary(),
        text=text,
        limits=msgspec.structs.replace(FULL, tokens=tokens, **limits),
        counter=counter,
    )
    return assemble(HOUSE.rows, request)


def sizes(context: Context) -> tuple[int, int, int, int, int]:
    """How much is left: of what is known of the asker, of the others, passages, the summary's words, the window."""
    words = len(context.memory.summary.body.split())
    return len(context.memory.hits), len(context.room), len(context.past), words, len(context.window.lines)


WHOLE = (1, 2, 2, 10, 6)


def test_everything_is_there_where_there_is_room_or_no_limit() -> None:
    whole = prompt(0)
    assert sizes(whole) == WHOLE
    tokens = by_characters(whole.text)
    assert prompt(tokens).text == prompt(100_000).text == whole.text
    assert prompt(tokens).left_out == whole.left_out
    assert sizes(prompt(tokens - 1)) == (1, 1, 2, 10, 6)


@pytest.mark.parametrize("counter", [CHARACTERS, BY_WORDS])
def test_the_least_important_goes_first_and_no_more_of_it_than_must(counter: Counter) -> None:
    """Down to one token, each prompt holds no more than the one before it, and only one block is on its way out."""
    count = counter.count
    before = sizes(prompt(0))
    floor = count(prompt(1, counter=counter).text)
    seen = [before]
    for tokens in range(count(prompt(0).text) - 1, floor - 1, -3):
        context = prompt(tokens, counter=counter)
        assert count(context.text) <= tokens
        now = sizes(context)
        if now != seen[-1]:
            seen.append(now)
    order = [[index for index in range(1, 5) if now[index] < was[index]] for was, now in pairwise(seen)]
    assert order == sorted(order)
    assert sizes(prompt(floor, counter=counter)) == (1, 0, 0, 0, 0)


def test_what_must_be_there_is_there_whatever_it_takes() -> None:
    context = prompt(1, "bees " * 1000)
    assert sizes(context) == (1, 0, 0, 0, 0)
    assert [block.name for block in context.blocks] == ["durable", "message"]


def test_what_went_is_told_and_is_no_cause() -> None:
    whole, context = prompt(0), prompt(1)
    gone = [each for each in context.left_out if each.why == "over 1 tokens in all"]
    assert [(each.block, each.what) for each in gone] == [
        *(("room", hit.item.id) for hit in whole.room),
        *(("past", each.uses[0].id.hex()) for each in whole.past),
        ("summary", "the last 46 characters"),
        *(("recent", line.id.hex()) for line in whole.window.lines),
    ]
    assert context.causes == tuple(use.event for use in context.memory.items)
    assert (context.passages, context.memory.summary_event) == ((), b"")
    assert context.memory.left_out == whole.memory.left_out


def test_a_summary_is_cut_behind_a_word() -> None:
    bare = prompt(0, room_items=0, passages=0)
    tokens = by_characters(bare.text) - 3
    context = prompt(tokens, room_items=0, passages=0)
    assert context.memory.summary.body == "They speak of bees and boats and of"
    assert LeftOut("summary", "the last 11 characters", f"over {tokens} tokens in all") in context.left_out


def within(house: House, tokens: int, text: str = "bees?", **limits: Any) -> Context:
    """The prompt of somebody whose window is empty."""
    request = Request(
        house.setting("1"), session("1"), Point(house.said + HOUR, LATER), "dnam", Vocabulary(), text,
        msgspec.structs.replace(FULL, tokens=tokens, **{"history_messages": 0, **limits}),
    )  # fmt: skip
    return assemble(house.rows, request)


def told(context: Context) -> list[str]:
    """What stands there of the past, passage by passage."""
    return [" ".join(line.text.partition(" ")[0] for line in each.lines) for each in context.past]


def gone(context: Context) -> list[str]:
    """What went for the budget over all."""
    return [each.what for each in context.left_out if each.why.endswith("tokens in all")]


def apart(*chars: int) -> tuple[House, list[EventId]]:
    """Bees are spoken of on different days, at different length."""
    house = House()
    house.describe("1")
    house.name(ADA, "Ada")
    said = [house.say("1", f"{number} bees {'x' * size}", after=99 * HOUR) for number, size in enumerate(chars)]
    return house, said


def test_where_a_passage_does_not_fit_the_next_one_is_tried() -> None:
    house, said = apart(20, 900, 40)
    whole = within(house, 0)
    assert sorted(told(whole)) == ["0", "1", "2"]
    tokens = by_characters(whole.text) - 100
    context = within(house, tokens)
    assert sorted(told(context)) == ["0", "2"]
    assert gone(context) == [said[1].hex()]
    assert by_characters(context.text) <= tokens
    assert not {said[1]} & set(context.causes)


def test_where_something_of_the_others_does_not_fit_the_next_one_is_tried() -> None:
    house = House()
    house.describe("1")
    house.name(KIM, "Kim")
    house.say("1", "hello", KIM)
    known = [
        house.know(f"{number} bees {'x' * size}", in_guild(GUILD), KIM) for number, size in enumerate((9, 400, 30))
    ]
    whole = within(house, 0, history_messages=6)
    assert {hit.item.id for hit in whole.room} == {each.id for each in known}
    context = within(house, by_characters(whole.text) - 50, history_messages=6)
    assert {hit.item.id for hit in context.room} == {known[0].id, known[2].id}
    assert gone(context) == [known[1].id]


def talk(*texts: str) -> tuple[House, list[EventId]]:
    """What was said in a row, so that it is one passage."""
    house = House()
    house.describe("1")
    house.name(ADA, "Ada")
    return house, [house.say("1", f"{number} {text}") for number, text in enumerate(texts)]


def test_of_a_long_passage_what_was_found_stays_with_what_stands_around_it() -> None:
    talked = ["bees and honey bees", "well", "so", "now", "then", "bees", "there", "again"]
    house, said = talk(*(f"{each} {'x' * 60}" for each in talked))
    whole = within(house, 0)
    assert told(whole) == ["0 1 2 3 4 5 6 7"]
    assert [use.id for use in whole.passages] == [said[0], said[5]]
    room = by_characters(whole.text)
    seen = [(told(context), gone(context)) for context in (within(house, room - cut) for cut in (1, 90, 130, 160))]
    best, other = said[0].hex(), said[5].hex()
    assert seen == [
        (["0 1 2"], [other, "4 lines beside what was found"]),
        (["0 1 2"], [other, "4 lines beside what was found"]),
        (["0"], [other, "6 lines beside what was found"]),
        ([], [best, other]),
    ]


def test_what_is_left_of_a_passage_is_in_one_piece() -> None:
    """And says where the best of what is left can be seen."""
    talked = [f"bees {'x' * 900}", "well", "bees", "now", "bees then", "here"]
    house, said = talk(*talked)
    whole = within(house, 0)
    assert told(whole) == ["0 1 2 3 4 5"]
    context = within(house, by_characters(whole.text) - 200)
    (passage,) = context.past
    assert gone(context) == [said[0].hex(), "1 line beside what was found"]
    assert told(context) == ["2 3 4 5"]
    assert [use.id for use in passage.uses] == [use.id for use in whole.passages if use.id != said[0]]
    (best,) = (line for line in passage.lines if line.id == passage.uses[0].id)
    assert passage.head.endswith(f" https://discord.com/channels/9/1/{best.said}")


def test_of_a_long_conversation_the_oldest_goes_and_the_report_is_bounded() -> None:
    house = House()
    house.describe("1")
    house.name(ADA, "Ada")
    for number in range(40):
        house.say("1", f"so it goes {number}")
    request = Request(
        house.setting("1"), session("1"), Point(house.said + 1, LATER), "dnam", Vocabulary(), "well?",
        Limits(history_messages=40, history_chars=9000, tokens=60),
    )  # fmt: skip
    context = assemble(house.rows, request)
    kept = [line.text for line in context.window.lines]
    assert kept == [f"so it goes {number}" for number in range(40 - len(kept), 40)]
    assert 1 < len(kept) < 20
    told = [each.what for each in context.left_out]
    assert len(told) == MOST_LISTED + 1
    assert told[-1] == f"{40 - len(kept) - MOST_LISTED} more"


@settings(deadline=None, max_examples=20)
@given(tokens=st.integers(1, 400))
def test_no_prompt_is_over_its_budget_unless_what_must_be_there_is(tokens: int) -> None:
    context = prompt(tokens)
    is_over = by_characters(context.text) > tokens
    assert not is_over or sizes(context) == (1, 0, 0, 0, 0)
    assert ("prompt" in {each.block for each in context.left_out}) == is_over


def test_what_must_be_there_and_is_over_the_budget_by_itself_is_told() -> None:
    context = prompt(10)
    over = by_characters(context.text) - 10
    assert over > 0
    assert context.left_out[-1] == LeftOut(
        "prompt", "nothing more", f"{over} tokens over 10 in all: what always stands there has more by itself"
    )


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_are_a_token(text: str, tokens: int) -> None:
    assert CHARACTERS.count(text) == tokens
