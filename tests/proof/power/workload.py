"""What is going on when the power goes: a child process that lives in a memory, and says into a file of its own,
outside of it, what was acknowledged, as soon as the call that acknowledges it has returned.

from tests.proof.power.workload import main; main()      with the arguments FOLDER ACKNOWLEDGED short|whole

    FOLDER/data      the memory          FOLDER/backup    its backup
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from dnam.compacting import compact
from dnam.erasing.person import erase
from dnam.importers.detect import detect
from dnam.importers.merge import in_order
from dnam.importers.source import Options
from dnam.importing.importer import Importer
from dnam.memory import Memory
from dnam.redacting import redact
from projections.registry import FOLD
from projections.times import DAY_MS
from replay.backups.backing_up import back_up
from replay.backups.backup import Backup, look_over
from replay.backups.plan import keys_for, look_at, plan
from replay.backups.restore import restore
from replay.builder import rebuild
from replay.engine import Engine
from replay.erasure import unfinished
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head, Syncing, untold
from replay.store import DiskStore
from tests.dnam.rederiving import village
from tests.dnam.rederiving.village import GENERAL, STAFF, Village, derive, reader
from tests.dnam.scripted import FakeClock
from tests.world import NOW

DATA, BACKUP, SHADOW = "data", "backup", "next"
SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"
SETTINGS = replace(village.SETTINGS, view_commit_events=12)

ERASED_WORDS = "rain on a tin roof"
"""What who is going to be erased says, and nobody else."""


class Event(msgspec.Struct, frozen=True, array_like=True):
    """An event that was acknowledged: its seq, its id, and the digest of its header, which has that of its body."""

    seq: int
    id: str
    header: str


class Acknowledged(msgspec.Struct, frozen=True, omit_defaults=True):
    """What may not be lost from here on: events of a log (a folder's name under FOLDER), or a step by its name.

    `vaults`: whose keys are destroyed. `size`: how many events a backup has.
    """

    log: str = ""
    events: tuple[Event, ...] = ()
    step: str = ""
    vaults: tuple[str, ...] = ()
    size: int = 0


class Teller:
    """Writes what was acknowledged."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._folder = folder

    def tell(self, what: Acknowledged) -> None:
        """One line, in one write."""
        os.write(self._descriptor, msgspec.json.encode(what) + b"\n")

    def step(self, name: str, *, vaults: Sequence[str] = (), size: int = 0) -> None:
        """A call has returned."""
        self.tell(Acknowledged(step=name, vaults=tuple(vaults), size=size))

    def listen(self) -> None:
        """From now on tell of every commit of a log that is in force, once it has returned."""
        append = LmdbLog.append

        def told(log: LmdbLog, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
            head = append(log, commit, expected, syncing)
            place = log.folder.parent
            if (place / "CURRENT").read_bytes().strip() == log.folder.name.encode():
                events = (
                    Event(seq, entry.id.hex(), sha256(entry.header).hexdigest())
                    for seq, entry in enumerate(commit.entries, expected.size + 1)
                )
                self.tell(Acknowledged(str(place.relative_to(self._folder)), tuple(events)))
            return head

        LmdbLog.append = told  # type: ignore[method-assign,assignment]  # every log of this process tells


# -- what happens ------------------------------------------------------------------------------------------------------


class Day:
    """The folder, and who is told."""

    def __init__(self, folder: Path, teller: Teller) -> None:
        self.folder = folder
        self.data = folder / DATA
        self.teller = teller
        self.said = NOW
        self.other = "ada"
        self.weather = ERASED_WORDS

    def clock(self) -> FakeClock:
        """What is said until it is set again has been said by then."""
        self.said += DAY_MS
        return FakeClock(self.said + DAY_MS)

    @asynccontextmanager
    async def awake(self) -> Any:
        """The memory, open, with a model that reads what it is shown."""
        async with Memory.open(self.data, settings=SETTINGS, clock=self.clock()) as memory:
            there = Village(memory, reader())
            there.said = self.said
            yield there
            await there.assistant.settle()
            self.said = there.said

    @contextmanager
    def engine(self) -> Iterator[tuple[Engine, DiskStore]]:
        """The engine alone, open."""
        with Engine.open(self.data, clock=self.clock(), view_commit_events=SETTINGS.view_commit_events) as engine:
            assert isinstance(engine.store, DiskStore)
            yield engine, engine.store


async def meets(day: Day) -> None:
    """People come, say what they like, and are learned from; one of them is answered."""
    async with day.awake() as there:
        await there.say("kim", "I like green tea")
        await there.say(day.other, f"I like {day.weather}")
        await there.learn("kim")
        kim = await there.handle("kim")
        await there.memory.remember(kim, "builds the bridge project")
        heard = await there.memory.heard(
            "kim", "which tea?", name="Kim", platform="discord", key=f"d{there.said}", said=there.said
        )
        await there.memory.delivered(heard, (await there.assistant.answer(heard)).turn)
        day.teller.step("met")


async def goes_on(day: Day) -> None:
    """More people, more places, summaries, something forgotten, and something taken back."""
    async with day.awake() as there:
        for number in range(6):
            await there.say(f"guest{number}", f"I like the number {number}", (GENERAL, STAFF)[number % 2])
            await there.learn(f"guest{number}")
        await there.say("kim", "I like long walks", STAFF)
        await there.learn("kim")
        await there.summarise()
        await there.memory.forget(await there.handle("kim"), "likes long walks")
        await there.say(day.other, f"I like {day.weather} very much " * 300)
        await there.learn(day.other)
        heard = await there.memory.heard(
            "ada", "a slip of the tongue", name="Ada", platform="discord", key=f"slip{there.said}"
        )
        assert await redact(there.memory, heard.point.id)
        day.teller.step("went on")


async def erases(day: Day) -> None:
    """Somebody is erased, somebody else comes, and others say something behind that."""
    async with day.awake() as there:
        memory = there.memory
        receipt = await erase(memory, await there.handle(day.other))
        assert receipt.event is not None
        assert not unfinished(memory.engine)
        vaults = sorted(vault.hex() for vault in memory.engine.store.log.erased_vaults())
        day.teller.step("erased", vaults=vaults)
        await there.say("kim", "I like quiet mornings")
        await there.say("sam", "I like loud evenings")
        await there.learn("sam")
        day.teller.step("went on behind an erasure")
    day.other, day.weather = "ines", "wind"


async def rebuilds(day: Day) -> None:
    """The views are built anew, and swapped."""
    with day.engine() as (engine, store):
        rebuild(store, engine.fold)
        day.teller.step("rebuilt")


async def compacts(day: Day) -> None:
    """The log is written anew, and swapped."""
    with day.engine() as (engine, _):
        compact(engine)
        day.teller.step("compacted")


async def backs_up(day: Day) -> None:
    """A backup, or its next run."""
    store = DiskStore(day.data, FOLD, writable=False)
    try:
        done = back_up(store, day.folder / BACKUP, NOW, "none")
        day.teller.step("backed up", size=done.events)
    finally:
        store.close()


async def imports(day: Day) -> None:
    """A conversation of another program's comes in."""
    async with day.awake() as there:
        day.teller.step("importing")
        source = detect(SAMPLE)
        arrivals = in_order([source.read(Options(audience="guild", assistants=("dnam",)))])
        tally = await Importer(there.memory, formats=[source.format]).bring(arrivals, lambda _: None)
        assert tally.messages
        day.teller.step("imported")


async def restores(day: Day) -> None:
    """The backup is put in force, which has all that there is: nothing that was acknowledged goes with the old log."""
    day.teller.step("restoring")
    looked = look_over(Backup(day.folder / BACKUP))
    planned = plan(looked, look_at(day.data, looked.backup), looked.backup.manifest.size)
    done = restore(planned, keys_for(planned, None), day.said + DAY_MS)
    assert done.size == planned.target.events
    day.teller.step("restored")


async def derives(day: Day) -> None:
    """Another model makes a shadow of it all."""
    other = village.ASKED.__class__("other", "other", "extraction@4", "summary@2", "closeness@2")
    await derive(day.data, reader("enjoys", name="other"), SHADOW, other)
    day.teller.step("derived")


Step = Callable[[Day], Awaitable[None]]
WHOLE: tuple[Step, ...] = (
    meets, goes_on, backs_up, derives, erases, rebuilds, meets, backs_up, compacts, goes_on, imports, backs_up,
    restores,
)  # fmt: skip
SHORT: tuple[Step, ...] = (meets, backs_up, erases, compacts)


async def live(folder: Path, acknowledged: Path, steps: Sequence[Step]) -> None:
    """All of it."""
    teller = Teller(acknowledged, folder)
    teller.listen()
    day = Day(folder, teller)
    for step in steps:
        await step(day)
    teller.step("ended")


def main() -> None:
    """Live as the command line says."""
    folder, told, what = sys.argv[1:]
    shutil._USE_CP_SENDFILE = False  # type: ignore[attr-defined]  # no trace has what goes from file to file
    asyncio.run(live(Path(folder), Path(told), SHORT if what == "short" else WHOLE))
