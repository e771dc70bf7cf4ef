"""A law: whatever people did among whatever items, applied again among any others, has its effect there; it opens no
words of the other model's to more people; and among the same items it is the same events.
"""

from functools import partial
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions.draft import Draft, Origin
from projections.decisions.moving import MoveRequest, move
from projections.decisions.moving_back import move_back
from projections.decisions.remember import edit, forget, remember, restore
from projections.decisions.undoing import undoing
from projections.errors import BadRequest
from projections.events import ItemMoved
from projections.events.values import IntentKind, Item, Status
from projections.ids import Ref
from projections.items import forgotten_of, items_of
from projections.lives import address_of
from projections.policies.compartments import Opening, in_guild
from projections.policies.text import normalise
from projections.rows import Rows
from tests.projections.items import ANN, HOME, PERSON, WIDE, quote
from tests.projections.reverting import WorldChronicle
from tests.projections.shadowed import Both, holds, kept_alike, learned
from tests.projections.test_remember import LATER, please_edit, please_forget, please_remember, please_restore
from tests.world import NOW, origin

LAW = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
GUILD = in_guild(Ref("discord", "9"))
PLACES = (HOME, WIDE, GUILD)
TEXTS = ("likes tea", "Likes  TEA", "likes teas", "User likes tea", "lives in Rome", "lives in Paris", "plays chess")
MESSAGES = ("m1", "m2", "m3")
OPENINGS = tuple(Opening(ANN, place) for place in PLACES)


class Act(NamedTuple):
    """What somebody does: to which of the items, or in which words."""

    kind: str
    number: int
    text: str
    place: str
    message: str


def an_item_of(model: str) -> st.SearchStrategy[Item]:
    """What a model may have made of the messages."""
    own = () if model == "live" else ("adores tea (s)", "is from Rome (s)", "hates queues (s)")

    def made(text: str, place: str, messages: list[str], status: Status, stale: bool) -> Item:
        named = {"id": learned("likes tea").id} if stale else {}
        return learned(text, *messages, compartment=place, status=status, updated=NOW, **named)

    statuses = st.sampled_from(("active", "active", "active", "deprecated", "evicted"))
    texts, places = st.sampled_from((*TEXTS, *own)), st.sampled_from(PLACES)
    messages = st.lists(st.sampled_from(MESSAGES), max_size=2, unique=True)
    return st.builds(made, texts, places, messages, statuses, st.booleans())


ACTS = st.builds(
    Act,
    st.sampled_from(("remember", "edit", "forget", "forget_words", "restore", "share", "hide", "back", "back")),
    st.integers(0, 9),
    st.sampled_from((*TEXTS, "likes coffee", "plays go")),
    st.sampled_from(PLACES),
    st.sampled_from(MESSAGES),
)


def once(items: list[Item]) -> list[Item]:
    """One item for each address, and for each text in a compartment, as a model has it."""
    texts = {(item.compartment, normalise(item.text)): item for item in items}
    return list({(item.compartment, item.id): item for item in texts.values()}.values())


def done(both: Both, act: Act, number: int) -> bool:
    """Whether they did it: there may be nothing to do it to."""
    rows = [found.row for found in items_of(both.live.rows, ANN)]
    meant = rows[act.number % len(rows)].item if rows else learned("nothing")
    here, said, made = (Opening(ANN, meant.compartment),), LATER + number, origin(f"act {number}")
    evidence = (quote(act.text, act.message),)
    decisions: dict[str, Any] = {
        "remember": (remember, please_remember(act.text, said, compartment=act.place, evidence=evidence)),
        "edit": (edit, please_edit(meant.id, act.text, openings=here, said=said, evidence=evidence)),
        "forget": (forget, please_forget(item_id=meant.id, openings=here, said=said)),
        "forget_words": (forget, please_forget(act.text, openings=OPENINGS, said=said)),
        "restore": (restore, please_restore(meant.id, openings=here, said=said)),
        "share": (move, MoveRequest(ANN, meant.id, WIDE, "share", PERSON, said, made, here)),
        "back": (partial(taken_back, WorldChronicle(both.live)), moving_back(both, meant, said, made)),
        "hide": (move, MoveRequest(ANN, meant.id, HOME, "keep_private", PERSON, said, made, here)),
    }
    decision, request = decisions[act.kind]
    try:
        return bool(both.act(decision, request._replace(origin=made)))
    except BadRequest:
        return False


def moving_back(both: Both, item: Item, said: int, made: Origin) -> MoveRequest:
    """They take back the last move of an item; where there was none, they keep it where it is."""
    moves = (each.event for each in both.live.records if isinstance(each.event, ItemMoved))
    places = [each.from_compartment for each in moves if address_of(each.item) == address_of(item)]
    to, here = places[-1] if places else item.compartment, (Opening(ANN, item.compartment),)
    action: IntentKind = "share" if to == WIDE else "keep_private"
    return MoveRequest(ANN, item.id, to, action, PERSON, said, made, here)


def taken_back(chronicle: WorldChronicle, rows: Rows, request: MoveRequest) -> list[Draft]:
    return undoing(move_back(rows, chronicle, request, 200))


@LAW
@given(st.lists(an_item_of("live"), max_size=4), st.lists(an_item_of("other"), max_size=5), st.lists(ACTS, max_size=7))
def test_what_people_did_holds_whatever_another_model_made(
    live: list[Item], other: list[Item], acts: list[Act]
) -> None:
    theirs = once(other)
    both = Both(once(live), theirs, MESSAGES)
    for number, act in enumerate(acts):
        if done(both, act, number):
            told = both.waiting[-1]
            both.again()
            done_by_hand = [record for record in told if record.event.by == PERSON]
            assert all(holds(both.shadow, each, both.live) for each in done_by_hand)
    for found in forgotten_of(both.live.rows, ANN):
        assert both.refuses(found.row.text)
    opened = {(item.compartment, item.text) for item in theirs} | {(HOME, item.text) for item in theirs}
    assert {each for each in both.active() if each[1].endswith("(s)")} <= opened


@LAW
@given(st.lists(an_item_of("live"), max_size=4), st.lists(ACTS, max_size=7))
def test_among_the_same_items_the_same_is_done(items: list[Item], acts: list[Act]) -> None:
    same = once(items)
    both = Both(same, same, MESSAGES)
    for number, act in enumerate(acts):
        if done(both, act, number):
            told = [record.id for record in both.waiting[-1]]
            assert [draft.id for draft in both.again()] == told
    assert kept_alike(both.live, both.shadow)
