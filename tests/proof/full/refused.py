"""Commands of `dnam` on a disk that refuses, one by one: what each says, and what is left of the memory behind it."""

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from dnam.shadows import exists, load
from projections.items import items_of
from projections.lookup import find_people
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.shadow_store import ShadowStore
from replay.store import DiskStore
from replay.verify import verify
from tests.kills.victims import export
from tests.proof.full.child import Ended, Order
from tests.proof.full.faults import FAULTS, Fault, Page, compiled, environment

DONE, COULD_NOT = 0, 3
CHILD = "from tests.proof.full.child import main; main()"
REMEMBERED = re.compile(r"^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)
FACTS = "I prefer tea over coffee\n" + "".join(f"!memory remember fact {n}\n" for n in range(3)) + "what do I prefer?\n"
SHADOW = "again"
ENVIRONMENT = {"DNAM_VIEW_COMMIT_EVENTS": "8", "DNAM_TIMEZONE": "UTC", "PYTHONHASHSEED": "0"}


class Command(NamedTuple):
    """A command, as it is typed after `dnam`, with DATA, EXPORT and PLACE for paths; what is typed into it, and whether
    it adds anything to the log.
    """

    name: str
    words: tuple[str, ...]
    given: str = ""
    adds: bool = False


CHAT = Command("chat", ("chat", "--data", "DATA", "--as", "ada"), FACTS, adds=True)
IMPORT = Command("import", ("import", "--data", "DATA", "--audience", "guild", "EXPORT"), adds=True)
BACKUP = Command("backup", ("backup", "PLACE", "--data", "DATA", "--without-keys"))
REDERIVE = Command("rederive", ("rederive", "--name", SHADOW, "--model", "offline", "--data", "DATA"))
COMMANDS = (
    CHAT,
    IMPORT,
    Command("erase", ("erase", "kim", "--yes", "--data", "DATA"), adds=True),
    Command("replay", ("replay", "--data", "DATA")),
    BACKUP,
    Command("compact", ("compact", "--data", "DATA")),
    REDERIVE,
    Command("restore-backup", ("restore-backup", "PLACE", "--data", "DATA", "--yes")),
)


class Stood(NamedTuple):
    """What a memory held before: how many events, and their root."""

    size: int
    root: bytes


class Nursery:
    """The process that runs commands (child.py), and where they run."""

    def __init__(self, folder: Path) -> None:
        self.place, self.ours = folder / "place", folder / "ours"
        self.place.mkdir(parents=True)
        self.ours.mkdir()
        page = folder / "page"
        Page(page)
        surroundings = environment(compiled(folder), page, self.place) | ENVIRONMENT
        surroundings |= {"HOME": str(self.ours)}
        surroundings.pop("ANTHROPIC_API_KEY", None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD], env=surroundings, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answer()

    def _answer(self) -> Ended:
        assert self._process.stdout is not None
        return msgspec.json.decode(self._process.stdout.readline(), type=Ended)

    def run(self, words: Sequence[str], given: str = "", fault: Fault | None = None, first: int = 0) -> Ended:
        """Run a command to its end; without `first` nothing fails."""
        assert self._process.stdin is not None
        paths = {"DATA": self.place / "data", "PLACE": self.place / "backup", "EXPORT": self.ours / "plans.json"}
        command = [str(paths.get(word, word)) for word in words]
        order = Order(command, str(self.ours), given, FAULTS.index(fault) if fault else 0, first)
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        return self._answer()

    @property
    def out(self) -> str:
        """What the last one printed."""
        return (self.ours / "out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        """What the last one told."""
        return (self.ours / "err").read_text(encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (self._process.stdin, self._process.stdout):
            assert each is not None
            each.close()
        self._process.wait()


class Tried(NamedTuple):
    """One command that met a fault: whether it told of it, what is wrong with how, and what does not hold of what it
    left.
    """

    told: bool
    badly_told: list[str]
    problems: list[str]


class Memory:
    """The memory that every try begins with: a small one, with a backup beside it."""

    def __init__(self, nursery: Nursery, *, is_small: bool = False) -> None:
        self.nursery = nursery
        self._kept = nursery.ours / "kept"
        export(nursery.ours, 12)
        kim = Command("", ("chat", "--data", "DATA", "--as", "kim"), "I like rain\n!memory remember fact of kim\n")
        for command in (IMPORT,) if is_small else (IMPORT, CHAT, kim, BACKUP):
            ended = nursery.run(command.words, command.given)
            assert ended.status == DONE, nursery.err
        export(nursery.ours, 20)
        shutil.copytree(nursery.place, self._kept)
        self.stood = stood(nursery.place / "data")

    def again(self) -> None:
        """As it was at first."""
        shutil.rmtree(self.nursery.place)
        shutil.copytree(self._kept, self.nursery.place)

    def calls(self, command: Command, fault: Fault) -> int:
        """How many calls of a command may fail so."""
        self.again()
        ended = self.nursery.run(command.words, command.given, fault)
        assert ended.status == DONE, self.nursery.err
        return ended.calls

    def tried(self, command: Command, fault: Fault, first: int) -> Tried | None:
        """Run a command that meets a fault, look what is left, and run it again once the fault is cleared; None where
        it met none.
        """
        self.again()
        ended = self.nursery.run(command.words, command.given, fault, first)
        if not ended.failed:
            return None
        data, facts = self.nursery.place / "data", frozenset(REMEMBERED.findall(self.nursery.out))
        badly, found = list(told_well(ended, self.nursery.err)), list(lost(data, self.stood))
        told = ended.status == COULD_NOT or bool(self.nursery.err)
        ended = self.nursery.run(command.words, command.given)
        if ended.status != DONE and not self._was_done(command):
            found.append(f"it does not go on: exit {ended.status}, {self.nursery.err.strip()[-300:]}")
        found += [*lost(data, self.stood), *unsound(data), *forgotten(data, facts)]
        if not command.adds:
            found += touched(data, self.stood)
        if command is REDERIVE:
            found += half_derived(data)
        return Tried(told, badly, found)

    def _was_done(self, command: Command) -> bool:
        """Whoever was erased is not known any more when the command comes again."""
        return command.name == "erase" and "nobody" in self.nursery.err.lower()


def told_well(ended: Ended, err: str) -> Iterator[str]:
    """An error of dnam's own, exit code 3, and no traceback; or done, where nothing of it was in the way."""
    if ended.status not in (DONE, COULD_NOT):
        yield f"exit {ended.status}: {err.strip()[-300:]}"
    if "Traceback" in err:
        yield f"a traceback: {err.strip()[-600:]}"
    if "MDB_PANIC" in err:
        yield f"LMDB's words: {err.strip()[-300:]}"
    if ended.status == COULD_NOT and len(err.strip()) < 20:
        yield f"an error that says nothing: {err!r}"


def stood(data: Path) -> Stood:
    """How far a memory is."""
    with Engine.open(data, writable=False) as engine:
        head = engine.head()
        return Stood(head.size, head.root())


def lost(data: Path, before: Stood) -> Iterator[str]:
    """Whether what was acknowledged before is there, and nothing stored is wrong; nothing is changed."""
    from replay.proofs import edge_at

    try:
        store = DiskStore(data, FOLD, writable=False)
    except Exception as error:  # noqa: BLE001 - whatever it is: it does not open
        yield f"it cannot be opened: {type(error).__name__}: {error}"
        return
    try:
        if store.log.head().size < before.size or edge_at(store.log, before.size).root() != before.root:
            yield "events that were acknowledged are lost"
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            if not each.what.startswith(("key ring:", "views:")):  # which a writer mends, and builds again
                yield f"#{each.seq}: {each.what}"
    finally:
        store.close()


def touched(data: Path, before: Stood) -> Iterator[str]:
    """Whether the log is another one than before."""
    if stood(data) != before:
        yield "the log was written by what had nothing to add"


def half_derived(data: Path) -> Iterator[str]:
    """Whether the shadow is not there, or not all that it is to be."""
    if not exists(data, SHADOW):
        yield "there is no shadow"
        return
    manifest = load(data, SHADOW)
    if manifest.state != "complete":
        yield f"the shadow is {manifest.state}, up to #{manifest.upto}"
    store = ShadowStore(data, SHADOW, FOLD, writable=False)
    try:
        for each in verify(store, Folding(FOLD, store), opened=True).problems:
            if not each.what.startswith("views:"):
                yield f"the shadow's #{each.seq}: {each.what}"
    finally:
        store.close()


def unsound(data: Path) -> Iterator[str]:
    """Whether everything is right once a writer has had it open: verified, and the views what a rebuild makes."""
    Engine.open(data).close()
    store = DiskStore(data, FOLD, writable=False)
    try:
        yield from (f"#{seq}: {what}" for seq, what in verify(store, Folding(FOLD, store), opened=True).problems)
        if not check(store, FOLD).equal:
            yield "the views are not what a rebuild makes"
    finally:
        store.close()


def forgotten(data: Path, facts: frozenset[str]) -> Iterator[str]:
    """Facts that a chat said it remembers, and that are not there."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        kept = {found.row.item.text for person in find_people(rows, "ada") for found in items_of(rows, person)}
    yield from (f"{fact!r} was acknowledged and is lost" for fact in sorted(facts - kept))


def some(calls: int, most: int, dice: random.Random) -> list[int]:
    """Every call, or so many of them, the first and the last among them."""
    if calls <= most:
        return list(range(1, calls + 1))
    return sorted({1, calls, *dice.sample(range(2, calls), most - 2)})
