"""A law of acts in series: among what another model made of the same facts, under other ids and partly in other words
or in pieces, what people wrote, put right, took back and brought back is as they see it in their own memory, and
nothing of what that model made of such a fact stands beside it.
"""

from collections import Counter
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.events.values import Item
from projections.items import ItemRow, items_of
from projections.policies.item_ids import derive
from projections.policies.text import normalise
from tests.projections.items import ANN, BOB, HOME, WIDE
from tests.projections.shadowed import Both, learned, refuses, same_but
from tests.projections.test_reapply_law import GUILD, Act, done
from tests.world import World

LAW = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
FACTS = {"likes tea": "m1", "lives in Paris": "m2", "plays chess": "m3"}
MADE: dict[str, tuple[tuple[str, ...], ...]] = {
    "likes tea": (
        ("likes tea",),
        ("Likes TEA",),
        ("User likes tea",),
        ("is a tea drinker",),
        ("likes tea daily", "User likes tea"),
    ),
    "lives in Paris": (
        ("lives in Paris",),
        ("lives in paris",),
        ("resides in Paris",),
        ("is at home in Paris", "has been in Paris"),
        (),
    ),
    "plays chess": (("plays chess",), ("Plays chess",), ("User plays chess",), ("is a chess player",), ()),
}
"""What another model may make of each fact."""
NEW = ("likes coffee", "moved to Rome", "rides a horse")
WROTE = frozenset({"remember", "edit", "forget", "restore"})
PLACES = (HOME, WIDE, GUILD)


class Fact(NamedTuple):
    """A fact, where the live model put it, and what the other one made of it, where."""

    text: str
    place: str
    made: int
    there: str

    @property
    def live(self) -> Item:
        return learned(self.text, FACTS[self.text], compartment=self.place)

    @property
    def shadow(self) -> list[Item]:
        texts = MADE[self.text][self.made]
        made = (learned(text, FACTS[self.text], compartment=self.there) for text in texts)
        return [same_but(item, id=f"{item.id}-s") for item in made]


def facts() -> st.SearchStrategy[list[Fact]]:
    def fact(text: str) -> st.SearchStrategy[Fact]:
        def placed(place: str, made: int, there: str, is_elsewhere: bool) -> Fact:
            return Fact(text, place, made, there if is_elsewhere else place)

        places = st.sampled_from(PLACES)
        return st.builds(
            placed, places, st.integers(0, len(MADE[text]) - 1), places, st.sampled_from((False, False, True))
        )

    return st.tuples(*map(fact, FACTS)).map(list)


ACTS = st.builds(
    Act,
    st.sampled_from(
        ("remember", "edit", "edit", "forget", "forget", "forget_words", "restore", "restore", "share", "hide")
    ),
    st.integers(0, 9),
    st.sampled_from((*FACTS, *NEW)),
    st.sampled_from(PLACES),
    st.just("m4"),
)


def rows_of(world: World) -> list[ItemRow]:
    return [each.row for each in items_of(world.rows, ANN)]


def is_written(row: ItemRow) -> bool:
    """Whether its person wrote it, put it right, took it back or brought it back, and nothing was done to it since."""
    return row.intent is not None and row.intent.action in WROTE


def is_said_again(row: ItemRow) -> bool:
    """Whether they only confirmed it: then what says it elsewhere is not wrong."""
    return row.tag == "item.remembered"


def where_said(row: ItemRow) -> tuple[str, str]:
    return row.item.compartment, normalise(row.item.text)


def check(both: Both, there: list[Fact], *, moved: bool) -> None:
    live, shadow = rows_of(both.live), rows_of(both.shadow)
    active = Counter(where_said(row) for row in shadow if row.item.status == "active")
    written = [row for row in live if is_written(row)]
    theirs = {where_said(row) for row in written if row.item.status == "active"}
    said = Counter(where_said(row) for row in live if row.item.status == "active")
    for each in theirs:
        assert 1 <= active[each] <= said[each], ("once", each, active)
    for row in written:
        if row.item.status == "forgotten":
            assert refuses(both.shadow, row.item.text)
            assert where_said(row) in theirs or not active[where_said(row)]
    for fact in there:
        mine = [row for row in live if row.item.id == derive("fact", fact.text)]
        is_beyond = fact.there != fact.place and (moved or any(map(is_said_again, mine)))
        if mine and all(map(is_written, mine)) and not is_beyond:
            left = {(item.compartment, normalise(item.text)) for item in fact.shadow} & set(active)
            assert left <= set(said), ("left", fact, left)  # what they shared, or keep private, they see there too


def of_one(both: Both, act: Act, number: int) -> Act:
    """The act; who puts something right says something new, or again what the item said first."""
    rows = rows_of(both.live)
    meant = rows[act.number % len(rows)].item if rows else learned("nothing")
    if act.kind != "edit" or (act.text in FACTS and meant.id == derive("fact", act.text)):
        return act
    return act._replace(text=f"{NEW[number % len(NEW)]} {number}")


@LAW
@given(facts(), st.lists(ACTS, min_size=1, max_size=5))
def test_what_people_see_is_what_there_is(there: list[Fact], acts: list[Act]) -> None:
    bobs = same_but(learned("likes tea", "m9"), owner=BOB, compartment=GUILD)
    both = Both([each.live for each in there], [*(item for each in there for item in each.shadow), bobs], ("m4",))
    for number, act in enumerate(acts):
        if done(both, of_one(both, act, number), number):
            both.again()
    check(both, there, moved=any(act.kind in ("share", "hide") for act in acts))
    assert [each.row.item.status for each in items_of(both.shadow.rows, BOB)] == ["active"]
