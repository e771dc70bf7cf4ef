"""What is reverted once an adoption was taken back is what would have been, had there been none."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions.adopt_summary import AdoptSummaryRequest, adopt_summary
from projections.decisions.adopted import Adoption
from projections.decisions.revert_summaries import summaries_reversal
from projections.decisions.unadopt import unadopting
from projections.decisions.unadopt_summary import UnadoptSummaryRequest, unadopt_summary
from projections.events import SummaryRefreshed
from projections.ids import EventId
from projections.items import ItemRow
from tests.projections.adoption import ADOPTION, recorded, requested, rows_of, undone
from tests.projections.learning import Town
from tests.projections.reverting import WORK, Reverting, edits, same
from tests.world import NOW, handle

AGAIN = Adoption(EventId(handle("adoption again")), NOW)
TEA, CHESS = "User drinks tea.", "User plays chess."


class Beside:
    """A live town, and a shadow in which the same is said and read by another model."""

    def __init__(self) -> None:
        self.live, self.shadow = Reverting(), Reverting()

    def says(self, text: str) -> Any:
        point = self.live.says(text)
        assert self.shadow.says(text) == point
        return point

    def adopted_and_undone(self) -> bool:
        """Everything differs, is taken over, and taken back; whether anything was."""
        world, ada = self.live.world, self.live.ada
        before, state = rows_of(world.rows, ada), self.live.state()
        if not recorded(world, requested(world, self.shadow.rows, ada)):
            return False
        for draft in unadopting(world.rows, undone(world, ada, before)).drafts:
            world.record(draft)
        assert self.live.state() == state
        return True


def read(town: Town, point: Any, said: str, text: str, **more: Any) -> None:
    town.reads([point], {"text": text, "evidence": said, **more})


def planned(town: Reverting, *works: EventId) -> list[Any]:
    """What would become of each item, and why of those that stay."""
    found = town.becomes(*works)
    changes = [
        (each.key, _same(each.now), _same(each.then), each.note, each.gone, [undone.seq for undone in each.undone])
        for each in found.changes
    ]
    return [*changes, *((same(each.row), each.reason, each.since) for each in found.left)]


def _same(row: ItemRow | None) -> ItemRow | None:
    return None if row is None else same(row)


def test_what_the_adoption_had_changed_goes_and_does_not_say_it_again() -> None:
    beside = Beside()
    tea, chess = "I like green tea", "I play chess"
    points = beside.says(tea), beside.says(chess)
    read(beside.live, points[0], tea, TEA)
    read(beside.live, points[1], chess, CHESS)
    read(beside.shadow, points[0], tea, "User likes green tea.")
    live = beside.live
    works = [each.id for each in live.world.records if each.event.TAG == WORK]
    before = planned(live, *works)
    assert beside.adopted_and_undone()
    assert planned(live, *works) == before
    live.revert(*works)
    assert live.texts() == []
    assert live.revert(*works) == []
    live.undo()
    assert live.texts() == [TEA, CHESS]


def test_reverted_and_taken_back_it_is_reverted_again_as_the_first_time() -> None:
    town = Reverting()
    said = "I like green tea"
    read(town, town.says(said), said, TEA)
    work = town.last(WORK)
    before = planned(town, work)
    town.revert(work)
    town.undo()
    assert planned(town, work) == before


def test_what_was_reverted_does_not_come_back_with_a_revert_of_what_was_before_it() -> None:
    town = Reverting()
    said = ["I like green tea", "I drink it hot"]
    read(town, town.says(said[0]), said[0], TEA)
    first = town.last(WORK)
    read(town, town.says(said[1]), said[1], "User drinks hot tea.", id=town.item("tea").item.id)
    town.revert(town.last(WORK), what="what came of #2")
    second = town.reverted
    assert town.texts() == [TEA]
    town.revert(first)
    assert town.texts() == []
    assert planned(town, first) == []
    town.undo()
    assert town.texts() == [TEA]
    town.undo(second)
    assert town.texts() == ["User drinks hot tea."]


def test_a_revert_is_taken_back_also_after_an_adoption_that_was() -> None:
    beside = Beside()
    said = ["I like green tea", "I drink it hot"]
    points = [beside.says(each) for each in said]
    read(beside.live, points[0], said[0], TEA)
    read(beside.live, points[1], said[1], "User drinks hot tea.", id=beside.live.item("tea").item.id)
    read(beside.shadow, points[0], said[0], "User likes green tea.")
    live = beside.live
    live.revert(live.last(WORK))
    assert live.texts() == [TEA]
    assert beside.adopted_and_undone()
    live.undo()
    assert live.texts() == ["User drinks hot tea."]


def test_a_summary_is_as_before_also_after_an_adoption_that_was_taken_back() -> None:
    beside = Beside()
    live, world = beside.live, beside.live.world
    points = [beside.says(each) for each in ("I like green tea", "I play chess", "I live in Lyon")]
    live.sums_up("They like tea.", points[0])
    live.sums_up("They play chess.", points[1])
    works = [each.id for each in world.records if each.event.TAG == "summary.answered"]
    before, tried = of_summaries(live, works[1]), live.attempt()
    beside.shadow.sums_up("They live.", *points)
    made = next(each.event for each in beside.shadow.world.records if isinstance(each.event, SummaryRefreshed))
    row, attempt = live.summary(), live.attempt()
    world.decide(adopt_summary, AdoptSummaryRequest(ADOPTION, made, tuple(each.id for each in points), "opus", 0))
    adopted = live.summary()
    assert adopted is not None
    assert adopted.text == "They live."
    assert of_summaries(live, works[1]) == [[], ["it was made anew since"]]
    world.decide(unadopt_summary, UnadoptSummaryRequest(ADOPTION.undoing(), adopted.event, made, row, attempt))
    assert of_summaries(live, works[1]) == before
    assert (live.attempt().upto, live.attempt().error) == (tried.upto, tried.error)
    live.revert_summary(works[1])
    assert told(live) == ["They like tea.", points[0]]
    assert live.attempt().upto == points[0]
    live.undo_summary()
    assert told(live) == ["They play chess.", points[1]]
    live.revert_summary(works[0])
    assert told(live) == ["", points[1]]


def test_a_first_summary_is_as_before_also_after_one_that_was_adopted_into_nothing() -> None:
    beside = Beside()
    live, world = beside.live, beside.live.world
    points = [beside.says(each) for each in ("I like green tea", "I play chess")]
    beside.shadow.sums_up("They live.", *points)
    made = next(each.event for each in beside.shadow.world.records if isinstance(each.event, SummaryRefreshed))
    for adoption in (ADOPTION, AGAIN):
        world.decide(adopt_summary, AdoptSummaryRequest(adoption, made, tuple(each.id for each in points), "opus", 0))
        adopted = live.summary()
        assert adopted is not None
        world.decide(unadopt_summary, UnadoptSummaryRequest(adoption.undoing(), adopted.event, made, None, None))
        assert live.summary() is None
    live.sums_up("They like tea.", points[0])
    (work,) = [each.id for each in world.records if each.event.TAG == "summary.answered"]
    live.revert_summary(work)
    assert told(live) == ["", points[0]]


def of_summaries(town: Reverting, work: EventId) -> list[Any]:
    """What would become of summaries, and why not."""
    records = town.came_of(work).summaries.values()
    changes, left = summaries_reversal(town.rows, town.chronicle, records)
    return [
        [
            (each.then and each.then.text, each.tried and each.tried.upto, [undone.seq for undone in each.undone])
            for each in changes
        ],
        [each.reason for each in left],
    ]


def told(town: Reverting) -> list[Any]:
    row = town.summary()
    assert row is not None
    return [row.text, row.upto]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["learn", "change", "confirm", "drop", "merge", "edit"]),
        st.integers(0, 3),
        st.sampled_from(["same", "other", "nothing", "change"]),
    ),
    min_size=1,
    max_size=6,
)


def happened(steps: list[tuple[str, int, str]]) -> Beside:
    """Each time something is said, and both models make something of it."""
    beside = Beside()
    for number, (kind, index, shadow) in enumerate(steps):
        said = f"saying {number} {kind}"
        point = beside.says(said)
        happens(beside.live, point, kind, index, number)
        rows = active(beside.shadow)
        old = {"id": rows[index % len(rows)].item.id} if rows and shadow == "change" else {}
        if shadow != "nothing":
            words = f"User told {number}." if shadow == "same" else f"Another model read {number}."
            read(beside.shadow, point, said, words, **old)
    return beside


def active(town: Town) -> list[ItemRow]:
    return [row for row in town.items() if row.item.status == "active"]


def happens(town: Reverting, point: Any, kind: str, index: int, number: int) -> None:
    rows, said, text = active(town), f"saying {number} {kind}", f"User told {number}."
    row = rows[index % len(rows)] if rows else None
    match kind:
        case "change" if row:
            read(town, point, said, text, id=row.item.id)
        case "confirm" if row:
            read(town, point, said, row.item.text, id=row.item.id)
        case "drop" if row:
            town.reads([point], gone=[{"id": row.item.id}])
        case "merge" if len(rows) > 1:
            town.merges(rows[0].item.text, rows[1].item.text, text)
        case "edit" if row:
            edits(town, row.item.text, text)
        case _:
            read(town, point, said, text)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS, which=st.integers(0, 6), twice=st.booleans())
def test_after_an_adoption_that_was_taken_back_a_revert_does_the_same(
    steps: list[tuple[str, int, str]], which: int, twice: bool
) -> None:
    without, beside = happened(steps).live, happened(steps)
    live = beside.live
    works = [each.id for each in live.world.records if each.event.TAG in (WORK, "merge.answered")]
    chosen = works[which % len(works) :] if twice else works[which % len(works)] if works else ()
    begun = chosen if isinstance(chosen, list | tuple) else [chosen]
    before = planned(live, *begun)
    beside.adopted_and_undone()
    assert planned(live, *begun) == before
    state = live.state()
    without.revert(*begun)
    made = live.revert(*begun)
    assert live.state() == without.state()
    assert live.revert(*begun) == []
    if made:
        live.undo()
    assert live.state() == state


def test_what_another_model_found_by_itself_and_was_adopted_stays() -> None:
    beside = Beside()
    tea = "I like green tea"
    point = beside.says(tea)
    read(beside.live, point, tea, TEA)
    read(beside.shadow, point, tea, TEA, tags=["drinks"])
    live, work = beside.live, beside.live.last(WORK)
    assert recorded(live.world, requested(live.world, beside.shadow.rows, live.ada))
    assert live.item("tea").item.tags == ("drinks",)
    live.revert(work)
    assert live.texts() == [TEA]
    assert live.item("tea").item.tags == ("drinks",)
