"""Which item is meant, and which make room."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.events.values import Source
from projections.ids import NOBODY
from projections.items import ItemRow
from projections.policies.capacity import Capacity, evictions
from projections.policies.item_ids import derive
from projections.policies.matching import Match, Matching, close, covers, find_meant, find_said, find_upsert, to_reword
from projections.policies.text import folded
from tests.projections.items import MODEL, WIDE, a_row
from tests.world import NOW

# Two texts whose digests begin with the same eight digits, found by trying.
CLASH = ("likes number 37758", "likes number 59293")


@pytest.mark.parametrize(
    ("needle", "text", "covered"),
    [
        ("abcdef", "abcdefghij", True),  # exactly 60 %
        ("abcde", "abcdefghij", False),
        ("abcdefghij", "abcdefghij", True),
        ("abcdefghijk", "abcdefghij", False),  # longer than the text
        ("abcxef", "abcdefghij", False),  # long enough, not contained
        ("ABCDEF", "abcdefghij", True),
        ("  abc\tdef ", "abc defghij", True),
        ("abc", "abcde", True),  # exactly 60 % again
        ("", "abc", False),
        ("", "", False),
        (" \n", "abc", False),
        ("😀😀😀", "😀😀😀ab", True),  # code points, not UTF-16 units or bytes
        ("😀😀", "😀😀abc", False),
        # ß is two code points when folded, on both sides: 6 of 10, although 3 of 7 as they are written.
        ("ßßß", "ßßßabcd", True),
        ("ßß", "ssßabc", False),  # 4 of 7
        ("STRASSE", "Straße", True),
        ("ﬁfi", "fifi", True),
    ],
)
def test_the_60_percent_rule(needle: str, text: str, covered: bool) -> None:
    assert covers(needle, text) is covered


@given(st.text("abß A", max_size=12), st.text("abß A", max_size=20))
def test_the_rule_measures_the_folded_forms(needle: str, text: str) -> None:
    short, long = folded(needle), folded(text)
    expected = len(short) > 0 and short in long and len(short) * 10 >= 6 * len(long)
    assert covers(needle, text) is expected
    assert close(needle, text) is (expected or covers(text, needle))


def test_the_percentage_is_a_parameter() -> None:
    assert covers("abcde", "abcdefghij", Matching(50))
    assert not covers("abcdef", "abcdefghij", Matching(61))


def test_the_percentage_counts_both_ways_round() -> None:
    assert close("abcde", "abcdefghij", Matching(50))
    assert close("abcdefghij", "abcde", Matching(50))
    assert not close("abcdef", "abcdefghij", Matching(61))
    assert not close("abcdefghij", "abcdef", Matching(61))


def test_either_may_cover_the_other() -> None:
    assert close("abcdefghij", "abcdef")
    assert not close("abcdefghij", "abcde")


def test_a_given_id_comes_first() -> None:
    named, same = a_row("lives in Rome"), a_row("likes tea")
    match = find_upsert([named, same], named.item.id, "fact", "likes tea")
    assert match.row == named
    assert named.item.id in match.reason


def test_an_invented_id_counts_for_nothing() -> None:
    same = a_row("likes tea")
    assert find_upsert([same], "durable-00000000", "fact", "Likes  TEA") == (same, "it says the same")
    assert find_upsert([same], "durable-00000000", "fact", "likes coffee").row is None


def test_the_kind_is_part_of_what_an_item_says() -> None:
    assert find_upsert([a_row("likes tea")], "", "preference", "likes tea").row is None


def test_an_item_whose_text_changed_is_still_found_by_its_first_words() -> None:
    changed = a_row("lives in Rome", id=derive("fact", "lives in Paris"))
    match = find_upsert([changed], "", "fact", "lives in Paris")
    assert match.row == changed
    assert "before its text changed" in match.reason


def test_what_says_the_same_comes_before_what_once_said_it_and_active_before_gone() -> None:
    once = a_row("lives in Rome", id=derive("fact", "lives in Paris"))
    gone = a_row("lives in Paris", id="durable-0", status="deprecated")
    active = a_row("lives in Paris", id="durable-1")
    assert find_upsert([once, gone, active], "", "fact", "lives in Paris").row == active
    assert find_upsert([once, gone], "", "fact", "lives in Paris").row == gone


def test_a_person_means_what_says_it_and_not_what_once_said_it() -> None:
    paris = derive("fact", "lives in Paris")
    once, gone = a_row("lives in Rome", id=paris), a_row("lives in Paris", id="durable-0", status="deprecated")
    assert find_said([once, gone], "fact", "Lives in  paris") == (gone, "it says the same")
    assert find_said([once], "fact", "lives in Paris") == (None, f"{paris} says something else")
    assert find_said([once], "fact", "lives in Bonn") == (None, "no item has this id or says this")


def test_a_model_rewords_what_a_person_worded_by_its_id_alone() -> None:
    paris = derive("fact", "lives in Paris")
    rows = (a_row("lives in Rome", id=paris, kept=kept, source=Source("discord")) for kept in (False, True))
    once, theirs = (msgspec.structs.replace(row, by=MODEL) for row in rows)
    for row in (once, theirs):
        match = find_upsert([row], "", "fact", "lives in Paris")
        assert match.row == row
        found = to_reword([row], match, "", "fact", "lives in Paris")
        assert found == (match if row == once else (None, f"{paris} says something else"))
    given = find_upsert([theirs], paris, "fact", "lives in Bonn")
    assert to_reword([theirs], given, paris, "fact", "lives in Bonn") == given
    same = find_upsert([theirs], "", "fact", "lives in rome")
    assert to_reword([theirs], same, "", "fact", "lives in rome") == same
    new = Match(None, "no item has this id or says this")
    assert to_reword([theirs], new, "", "fact", "lives in Bonn") == new


def test_two_texts_with_one_digest_are_two_items() -> None:
    first, second = CLASH
    assert derive("fact", first) == derive("fact", second)
    assert find_upsert([a_row(first)], "", "fact", second).row is None


def test_an_id_means_exactly_its_item_and_no_words_beside_it() -> None:
    tea, coffee = a_row("likes tea"), a_row("likes coffee")
    assert find_meant([tea, coffee], tea.item.id, "likes coffee").rows == (tea,)
    assert find_meant([tea, coffee], "durable-00000000", "likes coffee").rows == ()
    assert find_meant([tea, coffee], "", "likes coffee").rows == (coffee,)
    assert "60 %" in find_meant([tea], "", "tea").reason


def left(rows: list[ItemRow], added: ItemRow, cap: int) -> list[str]:
    return [gone.row.item.text for gone in evictions(rows, added.item, Capacity(cap))]


def test_nothing_leaves_at_the_cap() -> None:
    rows = [a_row(f"item {n}") for n in range(3)]
    assert left(rows, rows[0], 3) == []
    assert len(left(rows, rows[0], 2)) == 1


def test_deprecated_and_forgotten_ones_leave_first_oldest_first() -> None:
    added = a_row("new", updated=0)
    rows = [
        a_row("old active", updated=1),
        a_row("deprecated", updated=9, status="deprecated"),
        a_row("forgotten", updated=8, status="forgotten"),
        a_row("older active", updated=0, compartment=WIDE),
        added,
    ]
    assert left(rows, added, 1) == ["forgotten", "deprecated", "older active", "old active"]
    assert left(rows, added, 3) == ["forgotten", "deprecated"]
    assert "forgotten" in evictions(rows, added.item, Capacity(4))[0].reason


def test_the_one_just_added_never_leaves() -> None:
    added = a_row("new", updated=0)
    assert left([added], added, 0) == []


def test_evicted_and_merged_ones_take_no_room() -> None:
    added = a_row("new")
    rows = [added, a_row("evicted", status="evicted"), a_row("merged", status="merged"), a_row("other")]
    assert left(rows, added, 2) == []


def test_ties_go_by_id() -> None:
    added = a_row("new")
    rows = [a_row(text, id=item_id, updated=NOW) for text, item_id in (("b", "2"), ("a", "1"), ("c", "3"))]
    assert left([*rows, added], added, 2) == ["a", "b"]


def test_what_belongs_to_nobody_has_room_by_compartment() -> None:
    here = [a_row(f"lore {n}", owner=NOBODY, compartment="guild/x:1", updated=n) for n in range(2)]
    there = [a_row(f"lore {n}", owner=NOBODY, compartment="guild/x:2", updated=n) for n in range(5)]
    assert left([*here, *there], here[1], 1) == ["lore 0"]
