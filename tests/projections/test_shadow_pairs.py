"""Two memories of one owner, item by item: how items are matched, and what counts as a difference."""

from itertools import permutations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.ids import EventId, Point, Seq
from projections.items import ItemRow
from projections.rederiving.pairs import (
    MOST_ON_ONE,
    Counts,
    Pair,
    SummaryPair,
    compare,
    compare_summaries,
    counts,
    differing,
    differs,
)
from projections.rows import Found
from projections.summaries import SummaryRow
from tests.projections.items import HOME, WIDE, a_row, an_item, message, quote
from tests.world import NOW

TEA, COFFEE = "User prefers tea", "User prefers coffee"


def kinds(pairs: list[Pair]) -> list[tuple[str, str]]:
    return [(pair.kind, pair.by) for pair in pairs]


def test_nothing_differs_from_nothing() -> None:
    assert compare([], []) == []
    assert not differs([])
    assert counts([]) == Counts(0, 0, 0, 0)


def test_what_both_have_is_the_same_whatever_its_times() -> None:
    later = a_row(TEA, created=NOW + 5, updated=NOW + 9, last_hit=NOW, hits=3, source_count=4)
    pairs = compare([a_row(TEA)], [later])
    assert kinds(pairs) == [("same", "id")]
    assert not differs(pairs)


def test_what_one_has_alone() -> None:
    old, new = a_row(TEA, evidence=(quote("tea"),)), a_row("User sails", evidence=(quote("boat"),))
    assert set(compare([old], [new])) == {Pair("only_old", old, None), Pair("only_new", None, new)}
    pairs = compare([old], [])
    assert differs(pairs)
    assert (pairs[0].row, pairs[0].fields) == (old, ())
    assert [(each.fate, each.text) for each in pairs[0].words] == [("removed", TEA)]
    assert compare([], [new])[0].row == new


@pytest.mark.parametrize("status", ["deprecated", "forgotten", "evicted", "merged"])
def test_only_active_items_count_as_there(status: str) -> None:
    gone, there = a_row(TEA, status=status), a_row(TEA)
    assert compare([there], [gone]) == [Pair("only_old", there, None)]
    assert compare([gone], [there]) == [Pair("only_new", None, there)]
    assert compare([gone], [gone]) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "project"), ("text", COFFEE), ("type", "episodic"), ("about", "guild"), ("tags", ("drink",)),
        ("confidence", 700), ("valid_from", 1), ("valid_until", 2), ("evidence", (quote("I prefer tea"),)),
        ("supersedes", ("durable-1",)),
    ],
)  # fmt: skip
def test_every_field_that_counts(field: str, value: object) -> None:
    old = a_row(TEA)
    new = msgspec.structs.replace(old, item=msgspec.structs.replace(old.item, **{field: value}))
    (pair,) = compare([old], [new])
    assert (pair.kind, pair.by, pair.fields, pair.row) == ("changed", "id", (field,), new)


def test_the_order_of_tags_and_evidence_does_not_count() -> None:
    one, other = quote("a"), quote("b")
    old = an_item(TEA, tags=("x", "y"), evidence=(one, other), supersedes=("i", "j"))
    new = an_item(TEA, tags=("y", "x"), evidence=(other, one), supersedes=("j", "i"))
    assert differing(old, new) == ()


def test_words_that_came_and_went() -> None:
    (pair,) = compare([a_row(TEA, id="durable-1")], [a_row(COFFEE, id="durable-1")])
    assert [(each.fate, each.text) for each in pair.words] == [
        ("same", "User prefers"), ("removed", " tea"), ("added", " coffee")
    ]  # fmt: skip


def test_matched_by_text_where_the_ids_differ() -> None:
    old, new = a_row(TEA, id="durable-1"), a_row("user  prefers TEA", id="durable-2")
    (pair,) = compare([old], [new])
    assert (pair.kind, pair.by, pair.fields) == ("changed", "text", ("text",))
    assert kinds(compare([old], [a_row(TEA, id="durable-2")])) == [("same", "text")]
    assert {pair.kind for pair in compare([old], [a_row(TEA, id="durable-2", kind="project")])} == {
        "only_old", "only_new"
    }  # fmt: skip


def test_the_id_goes_before_the_text_and_the_text_before_the_sources() -> None:
    said = (quote("tea"),)
    old = [a_row(TEA, id="durable-1", evidence=said), a_row(COFFEE, id="durable-2", evidence=said)]
    new = [a_row(COFFEE, id="durable-1", evidence=said), a_row(TEA, id="durable-3", evidence=said)]
    assert [(pair.old and pair.old.item.id, pair.new and pair.new.item.id, pair.by) for pair in compare(old, new)] == [
        ("durable-1", "durable-1", "id"), ("durable-2", "durable-3", "sources"),
    ]  # fmt: skip


def test_nothing_is_matched_across_compartments() -> None:
    said = (quote("tea"),)
    old, new = a_row(TEA, evidence=said), a_row(TEA, evidence=said, compartment=WIDE)
    assert {pair.kind for pair in compare([old], [new])} == {"only_old", "only_new"}


def test_by_sources_half_of_the_smaller_side_is_enough() -> None:
    four = tuple(quote(each) for each in "abcd")
    old = a_row(TEA, evidence=four)
    assert kinds(compare([old], [a_row("Drinks green tea", evidence=(*four[:1], quote("z")))])) == [
        ("changed", "sources")
    ]
    less = a_row("Drinks green tea", evidence=(*four[:1], quote("y"), quote("z")))
    assert {pair.kind for pair in compare([old], [less])} == {"only_old", "only_new"}
    without = a_row("Drinks green tea", evidence=(msgspec.structs.replace(quote("a"), message=EventId(b"")),))
    assert {pair.kind for pair in compare([old], [without])} == {"only_old", "only_new"}


def test_by_sources_the_most_alike_come_first() -> None:
    """Two things learned from one message each find their own: by shared messages, then quotes, then words."""
    a, b, c = (quote(each) for each in "abc")
    more = [a_row("one", evidence=(a, b)), a_row("two", evidence=(a,))]
    newer = [a_row("x", id="durable-0", evidence=(a,)), a_row("y", id="durable-1", evidence=(a, b))]
    assert {(p.old and p.old.item.text, p.new and p.new.item.text) for p in compare(more, newer)} == {
        ("one", "y"), ("two", "x"),
    }  # fmt: skip
    city, cat = msgspec.structs.replace(c, quote="moved to Bern"), msgspec.structs.replace(c, quote="got a cat")
    quoted = [a_row("lives there", evidence=(city,)), a_row("owns it", evidence=(cat,))]
    requoted = [a_row("resides", id="durable-0", evidence=(cat,)), a_row("has", id="durable-1", evidence=(city,))]
    assert {(p.old and p.old.item.text, p.new and p.new.item.text) for p in compare(quoted, requoted)} == {
        ("lives there", "has"), ("owns it", "resides"),
    }  # fmt: skip
    worded = [a_row("User lives in Bern", evidence=(c,)), a_row("User has a cat", evidence=(c,))]
    reworded = [
        a_row("A cat lives with them", id="durable-0", evidence=(c,)),
        a_row("They moved to Bern", id="durable-1", evidence=(c,)),
    ]
    assert {(p.old and p.old.item.text, p.new and p.new.item.text) for p in compare(worded, reworded)} == {
        ("User lives in Bern", "They moved to Bern"), ("User has a cat", "A cat lives with them"),
    }  # fmt: skip


def test_a_message_on_which_too_much_rests_tells_nothing_apart() -> None:
    said = (quote("a whole page"),)
    many = [a_row(f"old {number}", evidence=said) for number in range(MOST_ON_ONE + 1)]
    new = a_row("something new", evidence=said)
    assert all(pair.by == "" for pair in compare(many, [new]))
    assert [pair.by for pair in compare(many[1:], [new])].count("sources") == 1


def test_each_is_in_one_pair() -> None:
    old = [a_row(TEA, id=f"durable-{n}") for n in "12"]
    new = [a_row(TEA, id=f"durable-{n}") for n in "345"]
    assert [(pair.old and pair.old.item.id, pair.new and pair.new.item.id) for pair in compare(old, new)] == [
        ("durable-1", "durable-3"), ("durable-2", "durable-4"), (None, "durable-5"),
    ]  # fmt: skip


def test_the_order_in_which_rows_come_makes_no_difference() -> None:
    said = (quote("tea"),)
    old = [a_row(TEA, id="durable-1", evidence=said), a_row(COFFEE, evidence=said), a_row("User sails")]
    new = [a_row(COFFEE, id="durable-1", evidence=said), a_row("User swims", evidence=said)]
    wanted = compare(old, new)
    assert all(compare(one, other) == wanted for one in permutations(old) for other in permutations(new))


rows = st.lists(
    st.builds(
        lambda text, number, sources, place, status: a_row(
            text, id=f"durable-{number}", evidence=tuple(quote(each) for each in sources), compartment=place,
            status=status,
        ),
        st.sampled_from([TEA, COFFEE, "User sails", "user SAILS"]),
        st.integers(0, 5),
        st.sets(st.sampled_from("abcd")),
        st.sampled_from([HOME, WIDE]),
        st.sampled_from(["active", "active", "deprecated"]),
    ),
    max_size=6,
    unique_by=lambda row: (row.item.compartment, row.item.id),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(rows, rows)
def test_every_active_item_is_in_one_pair_and_the_mirror_says_the_same(old: list[ItemRow], new: list[ItemRow]) -> None:
    pairs = compare(old, new)
    for side, given_rows in ((0, old), (1, new)):
        found = [row for pair in pairs if (row := (pair.old, pair.new)[side]) is not None]
        assert sorted(map(repr, found)) == sorted(repr(row) for row in given_rows if row.item.status == "active")
    assert all((pair.old is None) == (pair.kind == "only_new") for pair in pairs)
    assert all((pair.new is None) == (pair.kind == "only_old") for pair in pairs)
    assert all(bool(pair.fields) == (pair.kind == "changed") for pair in pairs)
    mirrored = counts(compare(new, old))
    assert (mirrored.only_old, mirrored.only_new) == (counts(pairs).only_new, counts(pairs).only_old)
    assert not differs(compare(new, new))


# -- summaries -----------------------------------------------------------------------------------------------------


def summary(session: str, text: str, key: bytes = b"") -> Found[SummaryRow]:
    point = Point(NOW, message(session))
    row = SummaryRow(message(text), NOW, NOW, session, 0, 1, text, point, 3, "haiku", None)
    return Found(key or session.encode().ljust(16, b"."), Seq(1), row)


def test_summaries_by_session_and_epoch() -> None:
    old = [summary("a", "They compared teas."), summary("b", "Nothing."), summary("c", ""), summary("d", "Gone.")]
    new = [summary("a", "They compared coffees."), summary("b", "Nothing."), summary("c", "New."), summary("d", "")]
    pairs = compare_summaries(old, new)
    assert [(pair.row.session, pair.kind) for pair in pairs] == [
        ("a", "changed"), ("b", "same"), ("c", "only_new"), ("d", "only_old"),
    ]  # fmt: skip
    assert [each.text for each in pairs[0].words if each.fate != "same"] == [" teas", " coffees"]
    assert [each.fate for each in pairs[2].words] == ["added"]
    assert [each.fate for each in pairs[3].words] == ["removed"]
    assert counts(pairs) == Counts(1, 1, 1, 1)
    assert differs(pairs)


def test_two_epochs_of_a_session_are_two_summaries() -> None:
    first, second = summary("a", "One.", b"1" * 16), summary("a", "Two.", b"2" * 16)
    assert compare_summaries([first, second], [first]) == [
        SummaryPair("same", b"1" * 16, first.row, first.row), SummaryPair("only_old", b"2" * 16, second.row, None),
    ]  # fmt: skip


def test_summaries_that_say_nothing_on_either_side_are_no_pair() -> None:
    assert compare_summaries([summary("a", "")], [summary("a", "")]) == []
