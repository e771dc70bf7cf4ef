"""Whether a memory that lost its power holds: opened for reading, then for writing, with everything that was
acknowledged, and with nothing that was destroyed.
"""

import asyncio
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.memory import Memory
from projections.ids import UNSEALED, EventId
from projections.registry import FOLD
from projections.times import DAY_MS
from replay import codec
from replay.backups.backing_up import back_up
from replay.backups.backup import Backup, look_over
from replay.builder import check
from replay.errors import KeyRingMissing, NothingHere
from replay.folding import Folding
from replay.shadows.store import ShadowStore
from replay.store import DiskStore
from replay.verify import Problem as Told
from replay.verify import verify
from tests.dnam.scripted import FakeClock
from tests.proof.power.disk import Tree
from tests.proof.power.workload import BACKUP, DATA, ERASED_WORDS, SETTINGS, SHADOW, Acknowledged, Event
from tests.world import NOW

LIVE, SHADOW_LOG = f"{DATA}/log", f"{DATA}/shadows/{SHADOW}/log"
LATER = NOW + 400 * DAY_MS
LOCKS = "lock.mdb"
LOST, KEYS, ERASED, OPENS, VIEWS, BESIDE = "acknowledged", "keys", "erased", "opens", "views", "beside"
"""The claims that a problem is one of."""


class Promised(NamedTuple):
    """What may not be lost: the events of each log, how many a backup has, whose keys are gone for good; and which
    steps were done.
    """

    events: dict[str, dict[int, Event]]
    backed_up: int
    destroyed: frozenset[str]
    steps: frozenset[str]


def promised(lines: Sequence[bytes]) -> Promised:
    """What was acknowledged in these lines."""
    told = [msgspec.json.decode(line, type=Acknowledged) for line in lines]
    events: dict[str, dict[int, Event]] = {LIVE: {}, SHADOW_LOG: {}}
    for each in told:
        events[each.log or LIVE].update((event.seq, event) for event in each.events)
    destroyed = frozenset(vault for each in told for vault in each.vaults)
    return Promised(events, max((each.size for each in told), default=0), destroyed, frozenset(e.step for e in told))


def claims_of(promise: Promised) -> list[str]:
    """The claims that there is something to hold against."""
    tried = {
        LOST: promise.events[LIVE],
        KEYS: promise.events[LIVE],
        ERASED: promise.destroyed,
        OPENS: True,
        VIEWS: True,
    }
    return [
        claim for claim, what in (tried | {BESIDE: promise.backed_up or promise.events[SHADOW_LOG]}).items() if what
    ]


class Problem(NamedTuple):
    """Something that does not hold: of which claim, and what. What is passed over (`PASSED`) is of none."""

    claim: str
    what: str


PASSED = {
    "reading": {"key ring:": "a copy of the key ring at the first opening", "views:": "views at the first opening"},
    "beside": {"views:": "the shadow's views"},
    "unfinished": {"views:": "the shadow's views", "its body is missing": "bodies in an unfinished shadow"},
}
"""What `verify` may tell of, by when, how it begins, and how that is called. A writer mends a copy of the ring and
builds views again, whereupon nothing may be told of any more; views of a shadow are built again by whoever opens it.
Until a shadow is complete, it lacks the words of a message that was taken back, and the event that says so comes in its
turn.
"""


WHEN = {OPENS: ("reading",), BESIDE: ("beside", "unfinished")}
"""Of which claims."""


class Looked(NamedTuple):
    """What does not hold, and what of it was passed over, by how `PASSED` calls it."""

    problems: list[Problem]
    passed: frozenset[str]


def lay_out(tree: Tree, folder: Path, junk: bytes) -> None:
    """Write a folder as it was found after a cut. What no trace sees holds junk."""
    folder.mkdir()
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir()
        elif path.endswith(LOCKS):
            (folder / path).write_bytes((junk * (len(content) // len(junk) + 1))[: len(content)])
        else:
            (folder / path).write_bytes(content)


def look(folder: Path, promise: Promised) -> Looked:
    """What does not hold, and what is passed over."""
    found: list[Problem] = []
    for each_look in (_reading, _writing, _beside, _backup):
        name = each_look.__name__[1:]
        try:
            found += (each._replace(what=f"{name}: {each.what}") for each in each_look(folder, promise))
        except Exception as error:  # noqa: BLE001 - whatever it raises is what was found
            found.append(Problem(OPENS, f"{name}: {type(error).__name__}: {error}"))
    passed = frozenset(each.what.partition(": ")[2] for each in found if not each.claim)
    return Looked([each for each in found if each.claim], passed)


def _told(problem: Told, claim: str, when: str) -> Problem:
    """What `verify` tells of: of a claim, or of none where it is passed over."""
    passed = next((name for begins, name in PASSED[when].items() if problem.what.startswith(begins)), None)
    return Problem(claim, f"#{problem.seq}: {problem.what}") if passed is None else Problem("", passed)


def _reading(folder: Path, promise: Promised) -> Iterator[Problem]:
    """For reading: every event that was acknowledged is there, and its key."""
    try:
        store = DiskStore(folder / DATA, FOLD, writable=False)
    except (NothingHere, KeyRingMissing) as error:
        if promise.events[LIVE] or promise.destroyed:
            yield Problem(LOST, f"{type(error).__name__}: {error}")
        return
    try:
        yield from _lost(store, promise.events[LIVE])
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            yield _told(each, OPENS, "reading")
        back = {vault.hex() for vault in store.ring.vaults} & promise.destroyed
        if back:
            yield Problem(ERASED, f"{len(back)} destroyed keys are back")
    finally:
        store.close()
    if promise.destroyed:
        yield from _words_of_the_erased(folder / DATA)


def _lost(store: DiskStore, events: dict[int, Event]) -> Iterator[Problem]:
    log, erased = store.log, store.log.erased_vaults()
    for seq, event in events.items():
        stored = log.get(seq)
        if stored is None:
            yield Problem(LOST, f"#{seq} was acknowledged and is lost")
        elif sha256(stored.header).hexdigest() != event.header:
            yield Problem(LOST, f"#{seq} was acknowledged and is another event now")
        elif log.find(EventId(bytes.fromhex(event.id))) != seq:
            yield Problem(LOST, f"#{seq} was acknowledged and is not found by its id")
        elif codec.decode_header(stored.header).vault not in erased | store.ring.vaults.keys() | {UNSEALED}:
            yield Problem(KEYS, f"the key of #{seq} is lost, which was acknowledged")


def _writing(folder: Path, promise: Promised) -> Iterator[Problem]:
    """For writing: it goes on, the views are what a rebuild makes, and nothing is wrong any more."""
    asyncio.run(_goes_on(folder / DATA))
    store = DiskStore(folder / DATA, FOLD, writable=False)
    try:
        yield from _lost(store, promise.events[LIVE])
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            yield Problem(VIEWS if each.what.startswith("views:") else OPENS, f"#{each.seq}: {each.what}")
        if not check(store, FOLD).equal:
            yield Problem(VIEWS, "the views are not what a rebuild makes")
        erased = store.log.erased_vaults() & store.ring.vaults.keys()
        if erased:
            yield Problem(ERASED, f"{len(erased)} keys of somebody who was erased are still there")
    finally:
        store.close()


async def _goes_on(data: Path) -> None:
    async with Memory.open(data, settings=SETTINGS, clock=FakeClock(LATER)) as memory:
        if memory.stopped is not None:
            raise memory.stopped
        for user in ("kim", "somebody new"):
            await memory.heard(user, "the power is back", platform="discord", key=f"back {user}", said=LATER)


def _words_of_the_erased(data: Path) -> Iterator[Problem]:
    for path in data.rglob("*"):
        if path.is_file() and ERASED_WORDS.encode() in path.read_bytes():
            yield Problem(ERASED, f"{path.relative_to(data)} holds words of somebody who was erased")


def _beside(folder: Path, promise: Promised) -> Iterator[Problem]:
    """The shadow: as far as it was acknowledged."""
    if not promise.events[SHADOW_LOG]:
        return
    store = ShadowStore(folder / DATA, SHADOW, FOLD, writable=False)
    try:
        yield from _lost(store, promise.events[SHADOW_LOG])
        when = "beside" if "derived" in promise.steps else "unfinished"
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            yield _told(each, BESIDE, when)
    finally:
        store.close()


def _backup(folder: Path, promise: Promised) -> Iterator[Problem]:
    """The backup: whole, as far as it was acknowledged; and the next run goes on behind it."""
    place = folder / BACKUP
    if promise.backed_up:
        size = look_over(Backup(place)).backup.manifest.size
        if size < promise.backed_up:
            yield Problem(BESIDE, f"it was said to hold {promise.backed_up} events, and has {size}")
    if place.exists():
        store = DiskStore(folder / DATA, FOLD, writable=False)
        try:
            done = back_up(store, place, LATER, "none")
            if look_over(Backup(place)).backup.manifest.size != done.events:
                yield Problem(BESIDE, "the next run is not whole")
        finally:
            store.close()
