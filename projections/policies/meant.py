"""Which item a person's act means in a memory whose items another model made: a table, walked in order, the first way
that finds something holds (design §9).

    way                  finds                                              what is as a person left it
    ──────────────────   ────────────────────────────────────────────────   ───────────────────────────
    its id               the item with the id                               too
    its text             what says the same but for case and spaces         too
    an act before        what they shared, kept private or brought back     it is
                         when they saw the same words
    most of its text     where one of both texts covers 60 % of the other   never
    what it rests on     the active item that rests on nothing but the      never
                         messages that they saw: on most of them; of
                         several the one with most of the words, of the
                         same kind, the first id

What an act keeps lies where the person kept it, so it is looked for in that compartment alone: no words go from one
compartment to another. What an act takes away is looked for there, and else in all of the person's compartments, way by
way; elsewhere, what a person put or kept stays.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from projections.events import ItemEvent, ItemMoved, ItemUpserted
from projections.events.values import Evidence, Saw
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow
from projections.policies.by_people import is_by_people
from projections.policies.matching import close
from projections.policies.old_words import shared, words_of
from projections.policies.text import normalise

VERSION = "meant@1"
LEFT_ITS_WORDS = frozenset({"share", "keep_private", "restore"})
"""What a person does to an item without saying what it is to say."""


class Seen(NamedTuple):
    """What somebody had before them when they acted: whose item, where, its id, what it said, and the messages that it
    rested on. `text` is empty where nobody knows any more what it said.
    """

    owner: Handle
    compartment: str
    id: str
    text: str
    kind: str
    messages: frozenset[EventId]


class Found(NamedTuple):
    """The items that are meant, perhaps none, and by what they were found."""

    rows: tuple[ItemRow, ...] = ()
    reason: str = ""


Way = tuple[Callable[[Sequence[ItemRow], Seen], list[ItemRow]], str]
"""How items are found, and in words."""


def seen_in(event: ItemEvent) -> Seen:
    """What was seen by whoever did this. Without their own record, what the event says of the item holds, where the act
    left its words as they were.
    """
    item = event.item
    where, item_id = item.compartment, item.id
    if isinstance(event, ItemMoved):
        where, item_id = event.from_compartment, event.from_id
    saw = event.intent.saw if event.intent is not None else None
    if saw is None:
        saw = Saw("" if isinstance(event, ItemUpserted) else item.text, item.kind, where, item.evidence)
    return Seen(item.owner, where, item_id, saw.text, saw.kind, _messages(saw.evidence))


def here(rows: Iterable[ItemRow], seen: Seen) -> list[ItemRow]:
    """What lies in the compartment of the act."""
    return [row for row in rows if row.item.compartment == seen.compartment]


def elsewhere(rows: Iterable[ItemRow], seen: Seen) -> list[ItemRow]:
    """What a model made in other compartments; what is nobody's has one compartment only."""
    others = (row for row in rows if row.item.compartment != seen.compartment and seen.owner != NOBODY)
    return [row for row in others if not is_by_people(row)]


def find(rows: Sequence[ItemRow], seen: Seen, ways: Sequence[Way]) -> Found:
    """The items that are meant among these."""
    found = ((way(rows, seen), reason) for way, reason in ways)
    return next((Found(tuple(each), reason) for each, reason in found if each), Found())


def says_seen(row: ItemRow, seen: Seen) -> bool:
    """Whether an item says what they saw."""
    return bool(normalise(seen.text)) and normalise(row.item.text) == normalise(seen.text)


def messages_of(row: ItemRow) -> frozenset[EventId]:
    """The messages that an item rests on."""
    return _messages(row.item.evidence)


def _by_id(rows: Sequence[ItemRow], seen: Seen) -> list[ItemRow]:
    return [row for row in rows if row.item.id == seen.id]


def _by_text(rows: Sequence[ItemRow], seen: Seen) -> list[ItemRow]:
    return [row for row in rows if says_seen(row, seen)]


def _by_act_before(rows: Sequence[ItemRow], seen: Seen) -> list[ItemRow]:
    return [row for row in rows if stood_for(row, seen)]


def stood_for(row: ItemRow, seen: Seen) -> bool:
    """Whether an item is as an earlier act of its person's left it, in which they saw these words: whatever it says, it
    stood for what said them.
    """
    intent = row.intent
    if intent is None or intent.saw is None or intent.action not in LEFT_ITS_WORDS:
        return False
    return bool(normalise(seen.text)) and normalise(intent.saw.text) == normalise(seen.text)


def _by_most(rows: Sequence[ItemRow], seen: Seen) -> list[ItemRow]:
    return [row for row in rows if not is_by_people(row) and close(row.item.text, seen.text)]


def _by_sources(rows: Sequence[ItemRow], seen: Seen) -> list[ItemRow]:
    made = [row for row in rows if not is_by_people(row) and row.item.status == "active"]
    resting = [row for row in made if _messages(row.item.evidence) and _messages(row.item.evidence) <= seen.messages]
    return sorted(resting, key=lambda row: _nearest_first(row, seen))[:1]


def _nearest_first(row: ItemRow, seen: Seen) -> tuple[int, int, bool, str, str]:
    item = row.item
    words = shared(words_of(seen.text), item.text)
    return -len(_messages(item.evidence)), -words, item.kind != seen.kind, item.id, item.compartment


def _messages(evidence: Iterable[Evidence]) -> frozenset[EventId]:
    return frozenset(each.message for each in evidence if each.message)


BY_WORDS: tuple[Way, ...] = (
    (_by_id, "found by its id"),
    (_by_text, "found by its text"),
    (_by_act_before, "found by what they did to it before"),
    (_by_most, "found by most of its text"),
)
"""For what is to say afterwards what they saw."""
BY_SOURCES: Way = (_by_sources, "found by what it rests on")
WAYS: tuple[Way, ...] = (*BY_WORDS, BY_SOURCES)
