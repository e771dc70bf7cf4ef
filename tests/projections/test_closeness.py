"""Which two items say nearly the same, and which of them may be merged at all."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.events.values import Intent, Source
from projections.items import ItemRow
from projections.policies.closeness import by_tokens, by_vectors, close_pairs, comparable, cosine, may_merge
from projections.retrieval import Vocabulary
from tests.projections.items import BOB, MODEL, WIDE, a_row, an_item
from tests.world import NOW

BY_WORDS = by_tokens(Vocabulary(frozenset({"the", "and"})))


def learned(text: str, updated: int = NOW, **fields: Any) -> ItemRow:
    """An item that a model made."""
    row = a_row(text, source=fields.pop("source", Source("model")), updated=updated, **fields)
    return msgspec.structs.replace(row, by=MODEL)


@pytest.mark.parametrize(
    ("one", "other", "thousandths"),
    [("tea", "TEA", 1000), ("tea", "milk", 0), ("the", "and", 0), ("green tea", "tea", 500)],
)
def test_closeness_is_a_share_in_thousandths(one: str, other: str, thousandths: int) -> None:
    assert BY_WORDS(one, other).thousandths == thousandths


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("User likes green tea", "User likes tea", True),  # 3 of 4
        ("User likes black tea", "User likes green tea", False),  # 3 of 5: at 60 % is not above it
        ("User lives in Oslo", "User lives in Rome", False),
        ("the and", "and the", False),  # no words at all
        ("USER LIKES TEA!", "user likes the tea", True),
    ],
)
def test_more_than_sixty_per_cent_of_all_words_shared_is_close(one: str, other: str, close: bool) -> None:
    nearness = BY_WORDS(one, other)
    assert nearness.close is close
    assert nearness == BY_WORDS(other, one)


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("User likes Go.", "User likes C#.", False),
        ("User likes C.", "User likes C++.", False),
        ("User drives an F1 car.", "User drives an F2 car.", False),
        ("User likes Go.", "User likes Go a lot.", True),
        ("I like tea", "I like tea", True),
    ],
)
def test_what_differs_in_a_short_name_is_something_else(one: str, other: str, close: bool) -> None:
    assert by_tokens(Vocabulary(frozenset({"lot"})))(one, other).close == close


def test_the_reason_says_how_many_words() -> None:
    nearness = BY_WORDS("User likes green tea", "User likes tea")
    assert (nearness.thousandths, nearness.reason) == (750, "3 of 4 words are shared, more than 60 % is close")


def test_with_vectors_the_cosine_decides_and_the_threshold_itself_is_not_close() -> None:
    vectors = {"a": (1.0, 0.0), "b": (0.6, 0.8), "c": (1.0, 0.01)}
    measure = by_vectors(vectors, "tiny@1", 600)
    assert not measure("a", "b").close
    assert measure("a", "c").close
    assert measure("a", "b").reason == "cosine 0.600 by tiny@1, more than 0.600 is close"
    assert not measure("a", "unknown").close


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=4), st.sampled_from((1e-160, 1e-3, 1.0, 1e160)))
def test_a_vector_is_as_near_as_can_be_to_itself(numbers: list[int], scale: float) -> None:
    vector = [number * scale for number in numbers]
    assert cosine(vector, vector) == pytest.approx(1.0 if any(numbers) else 0.0)


def test_vectors_of_no_length_are_near_nothing() -> None:
    assert (cosine((), ()), cosine((0.0,), (1.0,)), cosine((1.0,), (1.0, 2.0))) == (0.0, 0.0, 0.0)


def test_only_items_of_one_owner_compartment_kind_and_subject_are_compared() -> None:
    tea = an_item("User likes tea")
    assert comparable(tea, an_item("User likes green tea"))
    others: list[dict[str, Any]] = [{"owner": BOB}, {"compartment": WIDE}, {"kind": "project"}, {"about": "guild"}]
    for fields in others:
        assert not comparable(tea, an_item("User likes green tea", **fields))
    assert not comparable(tea, tea)


def test_what_a_person_wrote_takes_no_part() -> None:
    assert may_merge(learned("User likes tea"))
    assert may_merge(learned("User likes tea", source=Source("import")))
    assert not may_merge(learned("User likes tea", status="deprecated"))
    assert not may_merge(learned("User likes tea", source=Source("manual")))
    edited = msgspec.structs.replace(learned("User likes tea"), intent=Intent("edit"))
    assert not may_merge(edited)
    assert close_pairs([edited, learned("User likes green tea")], [edited.item.id], BY_WORDS) == []


def test_an_item_is_paired_with_the_nearest_and_once() -> None:
    tea = learned("User likes green tea")
    near, nearest = learned("User likes tea", NOW - 1), learned("User likes the green green tea", NOW - 2)
    rows = [near, nearest, tea]
    (pair,) = close_pairs(rows, [tea.item.id, tea.item.id, nearest.item.id, "durable-gone"], BY_WORDS)
    assert (pair.older, pair.newer) == (nearest, tea)
    assert close_pairs(rows, [], BY_WORDS) == []
    assert close_pairs([tea, learned("User keeps bees")], [tea.item.id], BY_WORDS) == []


def test_the_newer_is_what_was_said_last_and_of_two_as_old_what_was_added() -> None:
    added, later = learned("User likes green tea"), learned("User likes tea", NOW + 1)
    (pair,) = close_pairs([added, later], [added.item.id], BY_WORDS)
    assert (pair.older, pair.newer) == (added, later)
    same = learned("User likes tea")
    (pair,) = close_pairs([added, same], [added.item.id], BY_WORDS)
    assert (pair.older, pair.newer) == (same, added)
    for first, last in ((added, same), (same, added)):
        (pair,) = close_pairs([added, same], [first.item.id, last.item.id], BY_WORDS)
        assert (pair.older, pair.newer) == (first, last)
