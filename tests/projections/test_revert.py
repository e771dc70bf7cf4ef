"""A bad extraction is undone: what came of it goes, what it displaced comes back, and a person's acts win."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions import revert as reverts
from projections.decisions.reversal import KEPT, MEANWHILE
from projections.events import (
    ItemDeprecated,
    ItemEvicted,
    ItemReverted,
    ItemUpserted,
)
from projections.events.values import OPERATOR, By
from projections.ids import Point
from tests.projections.learning import HOME, LATER
from tests.projections.reverting import WORK, Reverting, changes, edits, forgets, promotes, reads_two, same, teaches


@pytest.fixture
def town() -> Reverting:
    return Reverting()


# -- what came of it -----------------------------------------------------------------------------------------------


def test_what_it_added_goes_and_says_why(town: Reverting) -> None:
    teaches(town, "my cat is called Tom", "User is a cat.")
    row = town.item("cat")
    (event,) = town.revert(town.last(WORK), what="what came of #7")
    assert isinstance(event, ItemDeprecated)
    assert (event.by, event.causes, event.policy) == (OPERATOR, (row.event,), "revert@1")
    assert event.reason == "reverted: what came of #7"
    assert town.texts() == []
    assert town.item("cat").item == msgspec.structs.replace(row.item, status="deprecated")


def test_reverted_twice_nothing_comes_of_it_the_second_time(town: Reverting) -> None:
    teaches(town, "my cat is called Tom", "User is a cat.")
    work = town.last(WORK)
    request = town.request(town.ada, tuple(town.came_of(work).items))
    assert len(town.decided(reverts.revert, request)) == 1
    assert town.decided(reverts.revert, request) == []
    assert town.decided(reverts.undo_revert, request) == []
    assert town.revert(work) == []
    assert town.left(work) == {}


def test_what_it_changed_says_again_what_it_said(town: Reverting) -> None:
    town.learned("User likes tea.")
    before = town.item("tea")
    said = changes(town, "tea", "tea is fine", "User hates tea.")
    changed = town.item("tea")
    (event,) = town.revert(town.last(WORK))
    assert isinstance(event, ItemReverted)
    assert (event.gone, event.undoes) == (False, (changed.event,))
    assert same(town.item("tea")) == same(before)
    assert set(event.causes) >= {changed.event, before.event, said.id}


def test_what_it_deprecated_and_superseded_comes_back(town: Reverting) -> None:
    town.learned("User lives in Paris.")
    town.learned("User plays chess.")
    before = town.state()
    said = "I live in Rome now"
    town.reads(
        [town.says(said)],
        {"text": "User lives in Rome.", "evidence": said, "supersedes": ["User lives in Paris."]},
        gone=[{"matchText": "User plays chess."}],
    )
    assert town.texts() == ["User lives in Rome."]
    town.revert(town.last(WORK))
    assert town.texts() == ["User lives in Paris.", "User plays chess."]
    assert before.items() <= town.state().items()


def test_what_a_person_put_right_since_does_not_come_back_by_another_item_that_said_so(town: Reverting) -> None:
    said = "my flat is in Paris"
    point = town.says(said)
    town.reads([point], {"text": "User has a flat in Paris.", "evidence": said})
    entry = {"text": "User lives in Paris.", "evidence": said, "supersedes": ["User has a flat in Paris."]}
    town.reads([point], entry)
    edits(town, "lives", "User lives in Rome.")
    assert town.revert(town.last(WORK)) == []
    assert town.texts() == ["User lives in Rome."]


def test_what_made_room_comes_back_and_what_was_added_makes_room_for_it(town: Reverting) -> None:
    town.cap = 2
    old, older = town.learned("User likes tea."), town.learned("User likes jazz.")
    assert old < older
    point = town.says("I am a cat")
    work, request = town.extraction([point], {"text": "User is a cat.", "evidence": "I am a cat"})
    events = town.learns(work, request._replace(cap=2))
    assert [type(each) for each in events][-2:] == [ItemUpserted, ItemEvicted]
    before = town.state()
    made = town.revert(town.last(WORK))
    assert town.texts() == ["User likes jazz.", "User likes tea."]
    assert [type(each) for each in made] == [ItemDeprecated, ItemReverted, ItemEvicted]
    assert town.item("cat").item.status == "evicted"
    assert [each.TAG for each in town.undo()] == ["item.reverted", "item.reverted"]
    assert town.state() == before


def test_what_it_only_confirmed_rests_again_on_what_was_said_before(town: Reverting) -> None:
    first = town.learned("User likes tea.")
    second = teaches(town, "tea, as ever", "User likes tea.")
    assert {each.message for each in town.item("tea").item.evidence} == {first.id, second.id}
    (event,) = town.revert(town.last(WORK))
    assert isinstance(event, ItemReverted)
    assert [each.message for each in town.item("tea").item.evidence] == [first.id]


def test_a_confirmation_since_says_nothing_of_its_own_and_goes_too(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    work = town.last(WORK)
    teaches(town, "meow", "User is a cat.")
    town.revert(work)
    assert town.texts() == []


def test_what_another_extraction_made_of_it_since_stands(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    work = town.last(WORK)
    changes(town, "cat", "I have a cat", "User has a cat.")
    assert town.revert(work) == []
    assert town.left(work) == {"User has a cat.": "what was learned since says so"}


def test_what_went_since_is_left_and_told(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    work = town.last(WORK)
    town.reads([town.says("no cat")], gone=[{"matchText": "User is a cat."}])
    assert town.left(work) == {"User is a cat.": "it was deprecated since"}


def test_lore_goes_too(town: Reverting) -> None:
    said = "we meet on Mondays"
    teaches(town, said, "The guild meets on Mondays.", about="guild")
    assert town.item("Mondays").item.owner == b""
    town.revert(town.last(WORK))
    assert town.texts() == []
    town.undo()
    assert town.texts() == ["The guild meets on Mondays."]


# -- merges --------------------------------------------------------------------------------------------------------


def two_teas(town: Reverting) -> None:
    town.learned("User likes green tea.")
    town.learned("User likes tea that is green.")


def test_a_merge_comes_apart(town: Reverting) -> None:
    two_teas(town)
    before = town.state()
    town.merges("likes green tea", "that is green", "User drinks matcha.")
    town.revert(town.last("merge.answered"))
    assert town.state() == before


def test_what_was_merged_with_something_bad_is_taken_apart_from_it(town: Reverting) -> None:
    two_teas(town)
    work = town.last(WORK)
    town.merges("likes green tea", "that is green", "User drinks matcha.")
    town.revert(work)
    assert town.texts() == ["User likes green tea."]
    assert town.item("that is green").item.status == "deprecated"


def test_what_is_part_of_something_that_stays_stays_a_part_of_it(town: Reverting) -> None:
    two_teas(town)
    town.merges("likes green tea", "that is green", "User drinks matcha.")
    merge, whole = town.last("merge.answered"), town.item("matcha").item.id
    edits(town, "matcha", "User drinks sencha.")
    assert town.revert(merge) == []
    assert town.left(merge) == {
        "User drinks sencha.": "a person changed it since",
        "User likes tea that is green.": f"it is part of {whole}, which stays",
    }


# -- a person's acts win -------------------------------------------------------------------------------------------


def test_what_a_person_changed_or_forgot_since_is_left(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    work = town.last(WORK)
    edits(town, "cat", "User has a cat.")
    assert town.left(work) == {"User has a cat.": "a person changed it since"}
    forgets(town, "cat")
    assert town.revert(work) == []
    assert town.item("cat").item.status == "forgotten"


def test_what_a_person_wrote_comes_back_from_what_a_model_made_of_it(town: Reverting) -> None:
    town.learned("User likes tea.")
    edits(town, "tea", "User likes green tea.")
    before = town.item("tea")
    point = Point(LATER + 1000, town.says("whatever").id)
    row = msgspec.structs.replace(before.item, text="User hates tea.", updated=point.said)
    town.world.add(ItemUpserted(said=point.said, by=By("model", name="haiku"), causes=(before.event,), item=row))
    town.revert(town.last("item.upserted"))
    assert same(town.item("tea")) == same(before)


def test_what_came_to_be_kept_with_it_is_left(town: Reverting) -> None:
    two_teas(town)
    edits(town, "that is green", "User likes tea if it is green.")
    town.merges("likes green tea", "if it is green", "User drinks matcha.")
    assert town.left(town.last("merge.answered"))["User drinks matcha."] == KEPT


def test_what_a_person_did_themselves_is_not_begun_with(town: Reverting) -> None:
    town.learned("User likes tea.")
    edits(town, "tea", "User likes green tea.")
    assert town.tags(town.last("item.upserted")) == []


def test_what_was_forgotten_does_not_come_back(town: Reverting) -> None:
    town.learned("User likes tea.")
    changes(town, "tea", "coffee it is", "User likes coffee.")
    work = town.last(WORK)
    teaches(town, "tea is what User likes", "User likes tea!", kind="preference")
    forgets(town, "tea!")
    town.revert(work)
    assert town.texts() == []
    reason = "reverted: what came of #1; what it said before was forgotten: "
    assert town.item("coffee").reason.startswith(reason)
    assert town.undo() != []
    assert town.texts() == ["User likes coffee."]


def test_what_was_forgotten_stays_away_where_it_had_gone(town: Reverting) -> None:
    town.learned("User likes tea.")
    work = town.last(WORK)
    teaches(town, "tea", "User likes tea!", kind="preference")
    forgets(town, "tea!")
    town.reads([town.says("no tea")], gone=[{"matchText": "User likes tea."}])
    work = town.last(WORK)
    assert town.revert(work) == []
    assert list(town.left(work)) == ["User likes tea."]


def test_what_is_forgotten_after_a_revert_does_not_come_back_with_its_undoing(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    town.revert(town.last(WORK))
    record = town.reverted
    forgets(town, "cat")
    assert town.undo(record) == []
    assert town.item("cat").item.status == "forgotten"


# -- what was taken back -------------------------------------------------------------------------------------------


def test_the_words_of_a_deleted_message_do_not_come_back(town: Reverting) -> None:
    first = town.learned("User likes tea.")
    bad = changes(town, "tea", "tea is fine", "User hates tea.")
    town.deletes(first)
    town.revert(bad.id)
    (row,) = town.items()
    assert (row.item.text, row.item.status) == ("User hates tea.", "deprecated")
    assert town.tells("likes tea") == []


def test_a_redaction_finds_what_was_undone(town: Reverting) -> None:
    town.learned("User likes tea.")
    bad = changes(town, "tea", "tea is vile", "User hates tea.")
    town.revert(town.last(WORK))
    record = town.reverted
    town.deletes(bad)
    assert town.texts() == ["User likes tea."]
    assert town.tells("hates tea") == []
    assert record is not None
    assert town.chronicle.find(record.id) is None


def test_what_cannot_be_read_any_more_is_not_brought_back_by_undoing(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    made = town.last("item.upserted")
    town.revert(town.last(WORK))
    town.chronicle.hidden.add(made)
    assert town.undo() == []
    assert town.texts() == []


def test_the_reply_need_not_be_readable(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    town.chronicle.hidden.add(town.last(WORK))
    town.revert(town.last(WORK))
    assert town.texts() == []


def test_what_is_being_changed_just_now_is_left(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    work = town.last(WORK)
    edits(town, "cat", "User has a cat.")
    town.chronicle.hidden.add(town.item("cat").event)
    assert town.left(work) == {"User has a cat.": MEANWHILE}


# -- taking it back ------------------------------------------------------------------------------------------------


def test_a_revert_is_taken_back_and_done_again_and_taken_back(town: Reverting) -> None:
    town.learned("User likes tea.")
    reads_two(town)
    work, before = town.last(WORK), town.state()
    town.revert(work)
    reverted = town.state()
    assert town.undo() != []
    assert town.undo() == []
    assert town.state() == before
    town.revert(work)
    assert town.state() == reverted
    assert town.revert(work) == []
    town.undo()
    assert town.state() == before


def test_only_what_still_is_as_the_revert_left_it_comes_back(town: Reverting) -> None:
    town.learned("User likes tea.")
    reads_two(town)
    town.revert(town.last(WORK))
    edits(town, "tea", "User likes oolong.")
    (event,) = town.undo()
    assert isinstance(event, ItemReverted)
    assert event.reason == "taken back: the revert of what came of #1"
    assert town.texts() == ["User is a cat.", "User likes oolong."]


def test_a_redaction_since_is_why_it_stays(town: Reverting) -> None:
    town.learned("User likes tea.")
    second = teaches(town, "tea, as ever", "User likes tea.")
    changes(town, "tea", "tea is fine", "User hates tea.")
    town.revert(town.last(WORK))
    record = town.reverted
    assert record is not None
    town.deletes(second)
    found = reverts.undone_by_undoing(town.chronicle, [record.id], None)
    assert found.items == {}


def test_another_revert_is_not_taken_back_with_it(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    cat = town.last(WORK)
    teaches(town, "I am a dog", "User is a dog.")
    town.revert(town.last(WORK), what="what came of #2")
    second = town.reverted
    town.revert(cat, what="what came of #1")
    town.undo(second)
    assert town.texts() == ["User is a dog."]


def test_an_undoing_is_no_revert(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    town.revert(town.last(WORK))
    town.undo()
    assert reverts.what_was_reverted(town.world.records[-1]) == ""
    assert reverts.what_was_reverted(town.world.records[0]) == ""


def test_much_goes_in_several_decisions_and_comes_back_whole(town: Reverting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reverts, "MOST", 2)
    names = ["Oslo", "Bern", "Rome", "Kyiv", "Lima"]
    point = town.says(" ".join(names))
    town.reads([point], *({"text": f"User saw {each}.", "evidence": each} for each in names))
    before = town.state()
    assert len(town.revert(town.last(WORK))) == len(names)
    assert len(town.chronicle.decisions) == 5  # three, the empty one that ends it, and one of nobody's
    assert town.texts() == []
    town.undo()
    assert town.state() == before


STEPS = st.lists(
    st.tuples(st.sampled_from(["learn", "change", "drop", "merge", "edit", "promote"]), st.integers(0, 3)),
    min_size=2,
    max_size=7,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, which=st.integers(0, 6))
def test_reverted_and_taken_back_everything_is_as_it_was(steps: list[tuple[str, int]], which: int) -> None:
    town = Reverting()
    town.says("hello")
    for number, (kind, index) in enumerate(steps):
        happens(town, kind, number, index)
    works = [each.id for each in town.world.records if each.event.TAG in (WORK, "merge.answered")]
    work = works[which % len(works)] if works else town.point(1).id
    before = town.state()
    touched = {each.row.item.text for each in town.becomes(work).left}
    made = town.revert(work)
    assert town.revert(work) == []
    assert all(town.item(text).item.text == text for text in touched)
    if made:
        town.undo()
    assert town.state() == before


def happens(town: Reverting, kind: str, number: int, index: int) -> None:
    """One thing happens to one of the items that there are, or a new one is learned."""
    active = [row for row in town.items() if row.item.status == "active" and row.item.compartment == HOME]
    row = active[index % len(active)] if active else None
    said, text = f"saying {number} {kind}", f"User told {number} of {kind}."
    match kind:
        case "change" if row:
            teaches(town, said, text, id=row.item.id)
        case "drop" if row:
            town.reads([town.says(said)], gone=[{"id": row.item.id}])
        case "merge" if len(active) > 1:
            town.merges(active[0].item.text, active[1].item.text, text)
        case "edit" if row:
            edits(town, row.item.text, text)
        case "promote":
            names = ["Python", "Rust", "Java", "Kotlin", "Haskell", "Ruby", "Lua"]
            promotes(town, f"I prefer {names[number]}", f"User prefers {names[number]}.")
        case _:
            teaches(town, said, text)
