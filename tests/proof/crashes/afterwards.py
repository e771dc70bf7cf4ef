"""What the log tells of a life full of kills: at each of them, before anything is done again, and at the end."""

import shutil
from collections import Counter
from collections.abc import Hashable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from projections.events import Event, ExtractionAnswered, ItemRemembered, MessageHeard
from projections.ids import EventId
from projections.people import ACCOUNTS
from projections.registry import FOLD
from replay import codec
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.kills.victims import message_id
from tests.proof.crashes.adoptions import Adopted, recorded_by
from tests.proof.crashes.backups import Kept, glanced
from tests.proof.crashes.stood import NOTHING, Stood

T = TypeVar("T", bound=Hashable)
NO_ADOPTION = EventId(b"")
READ = tuple[bytes, str, EventId]
"""An extraction answered about this person, in this compartment, and read this message."""


class Left(NamedTuple):
    """How a memory lies there: where its log stands, whether it begins with what it was before, whether there are views
    on disk that hold anything; and whether the rows are what a rebuild makes, and how its backup lies there, where that
    was looked at.
    """

    stood: Stood
    goes_on: bool
    has_views: bool = True
    is_equal: bool = True
    backup: Kept | None = None


class Acknowledged(NamedTuple):
    """What commands that ended with exit code 0, or a line that was printed, said is done: facts that are remembered,
    how many messages are imported, from how many of them was learned, who is erased, what was adopted or taken back.
    """

    facts: Sequence[str]
    imported: int = 0
    learned: int = 0
    erased: Sequence[str] = ()
    adopted: Sequence[Adopted] = ()


class Words(NamedTuple):
    """All that an event says, but for its id: its tag, the digest of its body, and the adoption that recorded it, empty
    where none did. What was adopted, and taken back, may be adopted once more, word for word.
    """

    tag: str
    digest: str
    adoption: EventId

    @classmethod
    def of(cls, event: Event, adoption: EventId) -> "Words":
        return cls(event.TAG, sha256(codec.encode_body(event)).hexdigest()[:16], adoption)


class Held(NamedTuple):
    """What a log holds: facts, messages by where they came from, messages that an extraction read, the platform's ids
    of what was heard, who is known; and all events that can be read, by their words and by their ids, and those that
    make an adoption count.
    """

    facts: Counter[str]
    refs: Counter[str]
    reads: Counter[READ]
    heard: dict[EventId, str]
    names: frozenset[str]
    words: Counter[Words]
    ids: Counter[EventId]
    adopted: frozenset[Adopted] = frozenset()

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
            "adoptions": [str(each) for each in done.adopted if each not in self.adopted],
        }

    @property
    def double(self) -> dict[str, list[str]]:
        """What is there more than once, by what it is; as often as it is there too often."""
        return {
            "facts": _twice(self.facts),
            "messages": _twice(self.refs),
            "messages learned from": _twice(self.reads),
            "events word for word": _twice(self.words),
            "ids": _twice(self.ids),
        }


def _twice(found: Counter[T]) -> list[str]:
    return [str(each) for each, often in found.items() for _ in range(often - 1)]


class Afterwards(NamedTuple):
    """What a log held before anything was done again and at the end, and what `verify` finds wrong with it then;
    whether its rows are what a rebuild makes, and whether there are views on disk.
    """

    before: Held
    after: Held
    problems: tuple[str, ...]
    is_equal: bool
    has_views: bool = True


def ids(messages: int) -> frozenset[str]:
    """The ids of so many messages of the export that grows."""
    return frozenset(map(message_id, range(messages)))


def held(data: Path) -> Held:
    """Look at every event; nothing is changed or finished."""
    facts, refs, reads, heard = Counter[str](), Counter[str](), Counter[READ](), dict[EventId, str]()
    words, every, adopted = Counter[Words](), Counter[EventId](), set[Adopted]()
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        names = frozenset(found.row.name for found in rows.scan(ACCOUNTS))
        adoptions = recorded_by(engine, rows, data)
        for stored in engine.store.log.read(0):
            every[codec.decode_header(stored.header).id] += 1
            record = engine.live.folding.record(stored)
            if record is None:
                continue
            words[Words.of(record.event, adoptions.get(record.id, NO_ADOPTION))] += 1
            if (found := Adopted.recorded(record)) is not None:
                adopted.add(found)
            match record.event:
                case ItemRemembered(item=item):
                    facts[item.text] += 1
                case MessageHeard(message=message) if message.ref is not None:
                    refs[repr(message.ref)] += 1
                    heard[record.id] = message.ref.key
                case ExtractionAnswered(owner=owner, compartment=compartment, inputs=inputs):
                    reads.update((owner, compartment, each) for each in inputs)
    return Held(facts, refs, reads, heard, names, words, every, frozenset(adopted))


def afterwards(data: Path, before: Held) -> Afterwards:
    """Look at every event, every byte and every row."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        has_views = _has_views(store)
        problems = tuple(
            f"#{each.seq} {each.what}" for each in verify(store, Folding(FOLD, store), opened=True).problems
        )
        is_equal = check(store, FOLD).equal
    finally:
        store.close()
    return Afterwards(before, held(data), problems, is_equal, has_views)


def _has_views(store: DiskStore) -> bool:
    """Whether there are views that hold anything: without, rows are folded from the log, and equal a rebuild's."""
    return store.views is not None and store.views.position() is not None


def left(data: Path, before: Stood, *, rebuilt: bool = False) -> Left:
    """How a memory lies there, its rows held against a rebuild on request; nothing is changed or finished."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        has_views, goes_on = _has_views(store), before.is_prefix_of(store)
        return Left(Stood.of(store), goes_on, has_views, not rebuilt or check(store, FOLD).equal)
    finally:
        store.close()


def left_in_copy(data: Path, copy: Path, before: Stood, place: Path | None = None, least: Stood = NOTHING) -> Left:
    """The same of a copy, made while nobody goes on, with the rows held against a rebuild; and how the backup lies in
    its place, if one is named, of which `least` was there before.
    """
    shutil.copytree(data, copy, ignore=shutil.ignore_patterns("shadows"))
    try:
        found = left(copy, before, rebuilt=True)
        return found if place is None else found._replace(backup=glanced(place, copy, least))
    finally:
        shutil.rmtree(copy)
