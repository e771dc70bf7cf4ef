"""DNAM's scoring: a test for each line of the rule."""

import unicodedata

import pytest

from projections.events.values import OPERATOR, Item, Source
from projections.ids import EventId, Handle, Seq
from projections.items import ItemRow
from projections.retrieval import RECENT_MS, Query, Vocabulary, candidate, hit, query, rank, tokens
from projections.rows import Found
from tests.world import NOW, handle

VOCABULARY = Vocabulary(frozenset({"the", "and", "what"}), frozenset({"repo", "build", "deploy"}))
DAVE = handle("dave")
LONG_AGO = NOW - 100 * RECENT_MS


def found(
    item_id: str = "durable-1",
    text: str = "Likes tea.",
    *,
    kind: str = "fact",
    tags: tuple[str, ...] = (),
    updated: int = LONG_AGO,
    compartment: str = "x",
    owner: Handle = DAVE,
) -> Found[ItemRow]:
    item = Item(item_id, owner, compartment, kind, text, LONG_AGO, updated, Source("manual"), tags=tags)
    row = ItemRow(EventId(bytes(16)), "item.remembered", updated, OPERATOR, item, "", "", None)
    return Found(b"", Seq(1), row)


def looked_for(text: str, window: str = "") -> Query:
    return query(text, window, NOW, VOCABULARY)


def test_tokens_are_case_folded_runs_of_letters_and_digits() -> None:
    assert tokens("Straße, HTTP2-server_v10!", VOCABULARY) == {"strasse", "http2", "server", "v10"}


def test_tokens_have_at_least_three_code_points() -> None:
    assert tokens("a to tea 42 421 Ünü", VOCABULARY) == {"tea", "421", "ünü"}


def test_tokens_are_not_of_the_stop_list() -> None:
    assert tokens("What the tea and THE cup", VOCABULARY) == {"tea", "cup"}


def test_both_spellings_of_an_accent_are_one_token() -> None:
    assert tokens(unicodedata.normalize("NFD", "café"), VOCABULARY) == {"café"}


def test_the_query_is_the_message_when_it_has_two_tokens() -> None:
    assert looked_for("green tea", "coffee").tokens == {"green", "tea"}


@pytest.mark.parametrize("text", ["tea", "tea tea TEA", "the tea"])
def test_the_window_joins_in_when_the_message_leaves_fewer_than_two(text: str) -> None:
    assert looked_for(text, "hot coffee").tokens == {"tea", "hot", "coffee"}


def test_the_score_counts_each_token_once() -> None:
    assert hit(candidate(found(text="tea tea green tea")), looked_for("tea green tea cup")).score == 2


def test_tokens_of_text_tags_and_kind_count() -> None:
    item = found(text="one", kind="workflow", tags=("two", "Three four"))
    assert hit(candidate(item), looked_for("one two three four five workflow")).overlap == (
        "four",
        "one",
        "three",
        "two",
        "workflow",
    )


def test_no_stop_word_counts() -> None:
    assert hit(candidate(found(text="the tea and what")), looked_for("what the tea and cup")).overlap == ("tea",)


def test_a_project_asked_about_counts_two_more() -> None:
    met = hit(candidate(found(kind="project")), looked_for("deploy tonight"))
    assert (met.overlap, met.project_boost, met.score) == ((), 2, 2)


def test_a_project_not_asked_about_and_something_else_count_nothing_more() -> None:
    assert hit(candidate(found(kind="project")), looked_for("supper tonight")).score == 0
    assert hit(candidate(found(kind="fact")), looked_for("deploy tonight")).score == 0


def test_the_project_word_may_come_from_the_window() -> None:
    assert looked_for("and now?", "does the build pass").about_project
    assert not looked_for("green tea", "does the build pass").about_project


@pytest.mark.parametrize(
    ("updated", "boost"),
    [
        (NOW, 1),
        (NOW - RECENT_MS, 1),
        (NOW - RECENT_MS - 1, 0),
        (NOW + RECENT_MS, 1),
        (NOW + RECENT_MS + 1, 0),
    ],
)
def test_within_seven_days_of_the_message_counts_one_more(updated: int, boost: int) -> None:
    assert hit(candidate(found(updated=updated)), looked_for("green cup")).recent_boost == boost


def test_the_higher_score_comes_first_and_score_0_comes_last_newest_first() -> None:
    items = [
        found("a", "nothing", updated=LONG_AGO),
        found("b", "tea"),
        found("c", "nothing", updated=LONG_AGO + 1),
        found("d", "green tea"),
    ]
    assert [each.item.id for each in rank(map(candidate, items), looked_for("green tea"))] == ["d", "b", "c", "a"]


def test_ties_go_by_updated_then_by_id_then_by_address() -> None:
    items = [
        found("b"),
        found("a", compartment="y"),
        found("a", owner=Handle(b"\xff" * 16)),
        found("a", owner=Handle(bytes(16))),
        found("c", updated=LONG_AGO + 1),
    ]
    ranked = rank(map(candidate, items), looked_for("green cup"))
    assert [each.found for each in ranked] == [items[4], items[3], items[2], items[1], items[0]]
    assert rank(map(candidate, reversed(items)), looked_for("green cup")) == ranked


def test_a_hit_says_why() -> None:
    met = hit(candidate(found(text="Green tea", kind="project", updated=NOW)), looked_for("tea, green, for the build"))
    assert met.reason == "shares green, tea; a project, asked about one (+2); updated within 7 days (+1)"
    assert hit(candidate(found()), looked_for("xyz abc")).reason == "fills the room that is left"
