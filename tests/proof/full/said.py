"""What a command said of itself, and whether it is so: before anything else has touched the memory.

A command that ends as done leaves what it leaves on a healthy disk. However it ends, what it says it imported or
remembers is there, and whom it says it erased is gone.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.shadows.manifest import exists, load
from projections.items import items_of
from projections.lookup import find_people
from projections.registry import FOLD
from replay import codec
from replay.backups.manifest import NAME
from replay.builder import check
from replay.engine import Engine
from replay.store import DiskStore
from tests.proof.full.faults import FULL, Fault

DONE, COULD_NOT = 0, 3
SHADOW = "again"
REMEMBERED = re.compile(r"^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)
IMPORTED = re.compile(r"\bimported (?:(\d+) messages?|nothing new)", re.IGNORECASE)
WORDS_WHEN_DONE = (
    "will be caught up with later",
    "the next key has both written anew",
    "what could not be recorded is recorded now",
)
"""What a command that is done after all says of what was in its way."""
NOT_DONE = "could not be done: "
"""In a conversation, an answer that says so: what was asked for is not there, and the chat goes on."""
LEAST = 20
"""Characters of an error that says anything."""
HEARD, FAILED = "message.heard", "job.failed"
LEARNED = ("extraction.", "summary.", "merge.", "item.upserted", "item.deprecated", "item.merged", FAILED)
"""Events of learning, by how their kinds begin. That some of it failed on such a disk is an event too."""


Counts = tuple[tuple[str, int], ...]


class Said(NamedTuple):
    """How a command ended, and what it printed and told."""

    status: int
    out: str
    err: str

    def beyond(self, healthy: "Said") -> list[str]:
        """The lines that it tells and does not tell on a healthy disk."""
        usual = set(healthy.err.splitlines())
        return [each for each in self.err.splitlines() if each.strip() and each not in usual]

    def refused(self) -> list[str]:
        """The answers that say that something could not be done."""
        return [each for each in self.out.splitlines() if NOT_DONE in each]


class Left(NamedTuple):
    """What a command left: events by their kind, which log is in force, whether kim is known, what was put aside, the
    backup's last run, how many events it has and whether its pieces are whole, and how far the shadow is.
    """

    events: Counts
    log: str
    is_kim_known: bool
    replaced: tuple[str, ...]
    backup: tuple[int, int, bool] | None
    shadow: tuple[str, int] | None


class Healthy(NamedTuple):
    """What a command says and leaves where nothing fails."""

    said: Said
    left: Left


def left(place: Path) -> Left:
    """What is there now; nothing is changed."""
    data = place / "data"
    with Engine.open(data, writable=False) as engine:
        tags = Counter(codec.decode_header(each.header).tag for each in engine.store.log.read(0))
        with engine.reading() as rows:
            is_known = bool(find_people(rows, "kim"))
    log = (data / "log" / "CURRENT").read_text(encoding="utf-8").strip()
    aside = tuple(sorted(each.name for each in (data / "replaced").glob("*")))
    shadow = load(data, SHADOW) if exists(data, SHADOW) else None
    derived = (shadow.state, shadow.upto) if shadow else None
    return Left(tuple(sorted(tags.items())), log, is_known, aside, _backup(place / "backup"), derived)


def _backup(place: Path) -> tuple[int, int, bool] | None:
    if not (place / NAME).exists():
        return None
    manifest = msgspec.json.decode((place / NAME).read_bytes())
    digests = {each["name"]: each["sha256"] for each in manifest["pieces"]}
    are_whole = all(
        sha256((place / "events" / name).read_bytes()).hexdigest() == digest for name, digest in digests.items()
    )
    return manifest["run"], manifest["size"], are_whole


# -- whether it is so --------------------------------------------------------------------------------------------------


def unkept(place: Path, said: Said, before: Left, healthy: Healthy, *, rebuilds: bool) -> Iterator[str]:
    """What was said and is not so. `rebuilds`: the command makes the views anew."""
    now, words = left(place), said.out + said.err
    if said.status == DONE and not said.refused():
        yield from undone(now, healthy.left)
        if rebuilds and not _are_rebuilt(place / "data"):
            yield "it rebuilt the views, and they are not what a rebuild makes"
    for count in IMPORTED.findall(words):
        came = dict(now.events).get(HEARD, 0) - dict(before.events).get(HEARD, 0)
        if came != int(count or 0):
            yield f"it imported {int(count or 0)} messages, and {came} are in the log"
    if "kim is erased" in words and now.is_kim_known:
        yield "kim is erased, and known"
    if "nothing was changed" in words and now.events != before.events:
        yield "nothing was changed, and the log was"
    yield from forgotten(place / "data", frozenset(REMEMBERED.findall(said.out)))


def undone(now: Left, healthy: Left) -> Iterator[str]:
    """What a command that ended as done did not leave as a healthy one does."""
    if FAILED in dict(now.events):
        now, healthy = (each._replace(events=_not_learned(each.events)) for each in (now, healthy))
    for name, is_there, belongs in zip(Left._fields, now, healthy, strict=True):
        if is_there != belongs:
            yield f"it ended as done, and its {name} is {_beside(is_there, belongs)}, not {_beside(belongs, is_there)}"


def _not_learned(events: Counts) -> Counts:
    return tuple((tag, count) for tag, count in events if not tag.startswith(LEARNED))


def _beside(this: object, other: object) -> object:
    """What of it the other has not."""
    return sorted(set(this) - set(other)) if isinstance(this, tuple) and isinstance(other, tuple) else this


def _are_rebuilt(data: Path) -> bool:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return check(store, FOLD).equal
    finally:
        store.close()


def forgotten(data: Path, facts: frozenset[str]) -> Iterator[str]:
    """Facts that a chat said it remembers, and that are not there."""
    if not facts:
        return
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        kept = {found.row.item.text for person in find_people(rows, "ada") for found in items_of(rows, person)}
    yield from (f"{fact!r} was acknowledged and is lost" for fact in sorted(facts - kept))


# -- how it is told ----------------------------------------------------------------------------------------------------


def told_badly(said: Said, healthy: Said, fault: Fault) -> Iterator[str]:
    """Whether it did not end as it should: with exit code 3 and what the disk's trouble is, or done, in known words if
    there are any; never in a traceback.
    """
    more = said.beyond(healthy)
    if said.status not in (DONE, COULD_NOT):
        yield f"exit {said.status}: {said.err.strip()[-300:]}"
    if "Traceback" in said.err:
        yield f"a traceback: {said.err.strip()[-600:]}"
    yield from (f"LMDB's words: {each}" for each in said.err.splitlines() if "MDB_PANIC" in each)
    if said.status == COULD_NOT and not any(len(each) >= LEAST and names(fault, each) for each in more):
        yield f"an error that does not say what is wrong: {more}"
    for each in said.refused():
        if not any(names(fault, line) for line in (each, *more)):  # what it was opened with is told when it is opened
            yield f"an answer that does not say what is wrong: {each}"
    if said.status == DONE and more and not any(word in each for word in WORDS_WHEN_DONE for each in more):
        yield f"done, in words that are not known: {more}"


def names(fault: Fault, line: str) -> bool:
    """Whether a line says what is the matter with the disk."""
    return os.strerror(fault.error) in line or (fault.error == FULL.error and "is full: make room" in line)
