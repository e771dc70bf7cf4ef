"""What must hold after a life full of kills, as the log itself tells it."""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from projections.events import ItemRemembered, MessageHeard
from projections.people import ACCOUNTS
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify


class Afterwards(NamedTuple):
    """What the log holds of what was said and remembered, and what is wrong with it."""

    facts: Counter[str]
    refs: Counter[str]
    names: frozenset[str]
    problems: int
    is_equal: bool

    def has(self, who: str) -> bool:
        """Whether somebody is known there, or anything that tells of them."""
        return who in self.names or any(fact.endswith(f" {who}") for fact in self.facts)

    def lost(self, kept: list[str]) -> int:
        """How many acknowledged facts are not there."""
        return sum(each not in self.facts for each in kept)

    @property
    def double(self) -> int:
        """How many facts or messages are there more than once."""
        return sum(count - 1 for each in (self.facts, self.refs) for count in each.values())


def afterwards(data: Path) -> Afterwards:
    """Open it as a writer, which finishes what was broken off; then look at every event, every byte and every row."""
    Engine.open(data).close()
    facts, refs = Counter[str](), Counter[str]()
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        names = frozenset(found.row.name for found in rows.scan(ACCOUNTS))
        for stored in engine.store.log.read(0):
            record = engine.live.folding.record(stored)
            match record and record.event:
                case ItemRemembered(item=item):
                    facts[item.text] += 1
                case MessageHeard(message=message) if message.ref is not None:
                    refs[repr(message.ref)] += 1
    store = DiskStore(data, FOLD, writable=False)
    try:
        problems = len(verify(store, Folding(FOLD, store), opened=True).problems)
        return Afterwards(facts, refs, names, problems, check(store, FOLD).equal)
    finally:
        store.close()


def views_are_equal(data: Path) -> bool:
    """Whether the views, as they lie there, are what a rebuild makes; nothing is changed or finished."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        return check(store, FOLD).equal
    finally:
        store.close()
