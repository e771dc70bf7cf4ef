"""What the log tells of a life full of kills: at each of them, before anything is done again, and at the end."""

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from projections.events import ExtractionAnswered, ItemRemembered, MessageHeard
from projections.ids import EventId
from projections.people import ACCOUNTS
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.proofs import root_at
from replay.store import DiskStore
from replay.verify import verify
from tests.kills.victims import message_id

READ = tuple[bytes, str, EventId]
"""An extraction answered about this person, in this compartment, and read this message."""


class Stood(NamedTuple):
    """How many events a log had, and their root."""

    size: int
    root: bytes

    @classmethod
    def of(cls, store: DiskStore) -> Self:
        head = store.log.head()
        return cls(head.size, head.root())

    def is_prefix_of(self, store: DiskStore) -> bool:
        """Whether the log begins with what it was."""
        return store.log.head().size >= self.size and root_at(store.log, self.size) == self.root


class Left(NamedTuple):
    """How a memory lies there: where its log stands, whether it begins with what it was before, and whether its views
    are what a rebuild makes, where that was looked at.
    """

    stood: Stood
    goes_on: bool
    is_equal: bool = True


class Acknowledged(NamedTuple):
    """What commands that ended with exit code 0, or a line that was printed, said is done: facts that are remembered,
    how many messages are imported, from how many of them was learned, and who is erased.
    """

    facts: Sequence[str]
    imported: int = 0
    learned: int = 0
    erased: Sequence[str] = ()


class Held(NamedTuple):
    """What a log holds: facts, messages by where they came from, messages that an extraction read, the platform's ids
    of what was heard, who is known.
    """

    facts: Counter[str]
    refs: Counter[str]
    reads: Counter[READ]
    heard: dict[EventId, str]
    names: frozenset[str]

    def has(self, who: str) -> bool:
        """Whether somebody is known there, or anything that tells of them."""
        return who in self.names or any(fact.endswith(f" {who}") for fact in self.facts)

    def lost(self, done: Acknowledged) -> dict[str, list[str]]:
        """What of all that was acknowledged is not there, by what it is."""
        read = {self.heard[message] for _, _, message in self.reads if message in self.heard}
        return {
            "facts": [each for each in done.facts if each not in self.facts],
            "messages": sorted(ids(done.imported) - set(self.heard.values())),
            "messages learned from": sorted(ids(done.learned) - read),
            "erasures": [who for who in done.erased if self.has(who)],
        }

    @property
    def double(self) -> dict[str, list[str]]:
        """What is there more than once, by what it is; as often as it is there too often."""
        every: dict[str, Counter[str] | Counter[READ]] = {
            "facts": self.facts,
            "messages": self.refs,
            "messages learned from": self.reads,
        }
        return {
            name: [str(each) for each, often in found.items() for _ in range(often - 1)]
            for name, found in every.items()
        }


class Afterwards(NamedTuple):
    """What a log held before anything was done again and at the end, and what `verify` finds wrong with it then."""

    before: Held
    after: Held
    problems: tuple[str, ...]
    is_equal: bool


def ids(messages: int) -> frozenset[str]:
    """The ids of so many messages of the export that grows."""
    return frozenset(map(message_id, range(messages)))


def held(data: Path) -> Held:
    """Look at every event; nothing is changed or finished."""
    facts, refs, reads, heard = Counter[str](), Counter[str](), Counter[READ](), dict[EventId, str]()
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        names = frozenset(found.row.name for found in rows.scan(ACCOUNTS))
        for stored in engine.store.log.read(0):
            record = engine.live.folding.record(stored)
            match record and record.event:
                case ItemRemembered(item=item):
                    facts[item.text] += 1
                case MessageHeard(message=message) if record is not None and message.ref is not None:
                    refs[repr(message.ref)] += 1
                    heard[record.id] = message.ref.key
                case ExtractionAnswered(owner=owner, compartment=compartment, inputs=inputs):
                    reads.update((owner, compartment, each) for each in inputs)
    return Held(facts, refs, reads, heard, names)


def afterwards(data: Path, before: Held) -> Afterwards:
    """Open it as a writer, which finishes what was broken off; then look at every event, every byte and every row."""
    Engine.open(data).close()
    store = DiskStore(data, FOLD, writable=False)
    try:
        problems = tuple(
            f"#{each.seq} {each.what}" for each in verify(store, Folding(FOLD, store), opened=True).problems
        )
        is_equal = check(store, FOLD).equal
    finally:
        store.close()
    return Afterwards(before, held(data), problems, is_equal)


def left(data: Path, before: Stood, *, rebuilt: bool = False) -> Left:
    """How a memory lies there, its views held against a rebuild on request; nothing is changed or finished."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        return Left(Stood.of(store), before.is_prefix_of(store), not rebuilt or check(store, FOLD).equal)
    finally:
        store.close()


def left_in_copy(data: Path, copy: Path, before: Stood) -> Left:
    """The same of a copy, made while nobody goes on, with the views held against a rebuild."""
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns("shadows"))
    try:
        return left(copy, before, rebuilt=True)
    finally:
        shutil.rmtree(copy)
