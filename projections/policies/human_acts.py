"""What of the item and summary events a person did, or an import: a table. These are applied again in a memory whose
items another model made; the rest is made anew there. Whether an item is as a person left it, its row tells
(`by_people`).

What the answering model noted down at a person's word is such an act too: no loop makes it again. The item is a model's
all the same.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from projections.events import (
    Event,
    ItemClosed,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
)
from projections.policies.precedence import HUMANS

VERSION = "human_acts@1"
NOTING = "noting@"
"""What the policy of a note has in it that the assistant took down while it answered."""
MOVING_BACK = "moving-back@"
"""What the policy begins with of whoever took a move back that had made one of two items."""


class Reading(NamedTuple):
    """Whether an event of a kind counts, and why."""

    counts: Callable[[Event], bool]
    why: str


def _always(_: Event) -> bool:
    return True


def _never(_: Event) -> bool:
    return False


def _by_somebody(event: Event) -> bool:
    return event.by.kind in HUMANS


def _by_somebody_or_noted(event: Event) -> bool:
    return _by_somebody(event) or is_noted(event)


def is_noted(event: Event) -> bool:
    """Whether the answering model did this with its tool, for whoever it answered."""
    return isinstance(event, ItemEvent) and event.by.kind not in HUMANS and NOTING in event.policy


def _meant(event: Event) -> bool:
    meant = _by_somebody(event) and isinstance(event, ItemEvent) and event.intent is not None
    return meant or is_noted(event)


def takes_apart(event: Event) -> bool:
    """Whether somebody took a move back that had made one of two, and this makes one of them what it was."""
    return isinstance(event, ItemEvent) and event.policy.startswith(MOVING_BACK)


def _stands_for_an_act(event: Event) -> bool:
    return isinstance(event, ItemRedacted) and (
        event.item.kept or event.item.status == "forgotten" or event.refuses or event.intent is not None
    )


HUMAN_ACTS: Mapping[type[Event], Reading] = {
    ItemRemembered: Reading(_always, "only somebody's own asking makes it, or the operator's for them"),
    ItemUpserted: Reading(_by_somebody_or_noted, "an edit, a merge taken apart, a note, an import; else a model's"),
    ItemDeprecated: Reading(_by_somebody_or_noted, "another program's state, or put right by a note; else a model's"),
    ItemMerged: Reading(_never, "a model and a policy merge: they do it anew"),
    ItemEvicted: Reading(_never, "the cap makes room anew"),
    ItemForgotten: Reading(_always, "only somebody's own asking makes it, or the operator's for them"),
    ItemRestored: Reading(_always, "only somebody's own asking makes it, or the operator's for them"),
    ItemMoved: Reading(_meant, "shared or kept private, or a note; what a policy moves else, it moves anew"),
    ItemRedacted: Reading(_stands_for_an_act, "where words went with a message, it alone tells of what was asked for"),
    ItemClosed: Reading(_never, "it only closes an address; what it stands ahead of is the act"),
    ItemWithdrawn: Reading(_never, "it comes of a message that was taken back, and is decided anew"),
    ItemReverted: Reading(takes_apart, "a move that is taken back; else what a model had made, which is made anew"),
    ItemRefused: Reading(_never, "guards and refusals judge anew"),
    SummaryRefreshed: Reading(_never, "a loop makes it anew"),
    SummaryFailed: Reading(_never, "a loop tries anew"),
    SummaryReset: Reading(_always, "only somebody's own asking makes it, or the operator's for them"),
    SummaryReverted: Reading(_never, "it undoes what a model had made of a summary, which is made anew"),
    SummaryWithheld: Reading(_never, "it comes of a message that was taken back, and is decided anew"),
    SummaryAnswered: Reading(_never, "a model's reply"),
}


def read_human(event: Event) -> bool:
    """Whether an event is a person's act, or an import's; never for what is of no item and no summary."""
    found = HUMAN_ACTS.get(type(event))
    return found is not None and found.counts(event)
