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
