"""What a damaged memory is put through, phase by phase, each in a process that may die of it.

events     every stored event by its seq, held against what was written    the truth, by LMDB alone
trees      all rows, as LMDB reads the views that are there                 the truth, by LMDB alone
look       a command that shows something
rows       all rows, by a reader
verify     `dnam verify`
write      all rows, once a writer has opened it and recorded a message
again      `dnam verify` after that
repair     `dnam repair` from the backup; all rows, and `dnam verify` then. Where it tells of `dnam restore-backup`:
           that, and all that the backup has

And what damaged things beside it are put through:

compare    `dnam diff --shadow`, and `dnam shadows list`
restore    `dnam restore-backup` into an empty folder that has the keys: its events, and `dnam verify` then
go on      `dnam backup` behind what the backup has
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import lmdb

from projections.errors import DnamError
from projections.registry import FOLD
from replay import lmdb_file
from replay.engine import Engine
from replay.errors import LogError
from replay.folding import Folding
from replay.log import StoredEvent
from replay.ring.file import FileRingStore
from replay.ring.records import RingRecord
from replay.store import DiskStore
from replay.verify import verify
from tests.dnam.cli.memories import dnam
from tests.proof.rot.answers import COMMANDS, compared, digested, recorded
from tests.proof.rot.memory import Whole
from tests.replay.stage import FakeClock, folded, readable, scanned

_STOPPED = re.compile(r"as of #(\d+): ")
"""How a command says that it shows what there was before an event that cannot be read."""
_AT = re.compile(r"\Adnam: as recorded up to #\d+, .*\n|(?<=\n)dnam: an import from .* came in later.*\n")
"""What a command says first that shows an earlier moment, also where it is whole; there is a line for each import."""
Answer = tuple[str, str]
"""`same` or `other` than the undamaged memory; `earlier`: as of an earlier event, which is said, and as it was then;
`refused` in one line, or `unclear`: a traceback, or more lines; `restored`; `named` and `changed`, with seqs. And more
of it in words.
"""


def ask(phase: str, data: Path, made: Whole, number: int) -> Answer:
    """Go through one phase."""
    try:
        return PHASES[phase](data, made, number)
    except (DnamError, OSError, lmdb.Error) as error:  # what the command line tells in one line
        return ("unclear" if "\n" in str(error) else "refused"), f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - anything else would be a traceback
        return "unclear", f"{type(error).__name__}: {error}"


@contextmanager
def unlooked() -> Iterator[None]:
    """Files are opened without a look at their pages, as large ones are."""
    before, lmdb_file.MOST_PAGES = lmdb_file.MOST_PAGES, 0
    try:
        yield
    finally:
        lmdb_file.MOST_PAGES = before


def _events(data: Path, made: Whole, number: int) -> Answer:
    with unlooked():
        store = DiskStore(data, FOLD, writable=False)
        try:
            return "changed", " ".join(str(each.seq) for each in made.events if _get(store, each) != each)
        finally:
            store.close()


def _get(store: DiskStore, event: StoredEvent) -> StoredEvent | None:
    with suppress(LogError, lmdb.Error):
        return store.log.get(event.seq)
    return None


def _trees(data: Path, made: Whole, number: int) -> Answer:
    with unlooked():
        return _rows(data, made, number)


def _look(data: Path, made: Whole, number: int) -> Answer:
    which = number // 2 % len(COMMANDS)
    ran = dnam(*COMMANDS[which], "--data", data)
    if ran.code:
        return _in_one_line(_AT.sub("", ran.err))
    if ran.out == made.printed[which]:
        return "same", ran.err
    stopped = _STOPPED.search(ran.err)
    is_right = stopped is not None and int(stopped[1]) < len(made.events) and _is_as_of(data, made, int(stopped[1]))
    return ("earlier", ran.err) if is_right else ("other", ran.err + ran.out)


def _is_as_of(data: Path, made: Whole, seq: int) -> bool:
    """Whether the rows that a reader has are a fold of the undamaged memory's events up to one."""
    with Engine.open(made.data, writable=False, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        expected = folded(record for record in readable(engine.store.log, engine.store) if record.seq <= seq)
    with Engine.open(data, writable=False, clock=FakeClock()) as engine, engine.reading() as rows:
        return scanned(rows.raw) == expected


def _rows(data: Path, made: Whole, number: int) -> Answer:
    return _held(digested(data), made.digest)


def _held(digest: bytes, expected: bytes) -> Answer:
    return ("same" if digest == expected else "other"), digest.hex()


def _verify(data: Path, made: Whole, number: int) -> Answer:
    """The seqs that are named in the first line, what was found in the second."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        problems = verify(store, Folding(FOLD, store), opened=number % 2 == 0).problems
        found = [*(each.what for each in store.findings), *(each.what for each in problems)]
        return "named", f"{' '.join(f'#{each.seq}' for each in problems if each.seq)}\n{'; '.join(found)}"
    finally:
        store.close()


def _write(data: Path, made: Whole, number: int) -> Answer:
    answer = _held(recorded(data), made.after)
    lost = len(_ring(made.data) - _ring(data))
    return ("other", f"{lost} records of the key ring are gone") if lost else answer


def _ring(data: Path) -> set[RingRecord]:
    store = FileRingStore(data / "keys")
    try:
        return set(store.read())
    finally:
        store.close()


def _repair(data: Path, made: Whole, number: int) -> Answer:
    ran = dnam("repair", "--from", made.backup, "--yes", "--data", data)
    if ran.code and "restore-backup" in ran.err:
        return _restore(data, made, number, ran.err)
    if ran.code:
        return "refused", ran.err + ran.out
    clean = _verify(data, made, number)[1] == "\n"
    return ("same" if clean and digested(data) in (made.digest, made.after) else "other"), ran.out


def _restore(data: Path, made: Whole, number: int, why: str) -> Answer:
    """Where a log is too damaged to be repaired: all that the backup has. In words, why `repair` gave up."""
    ran = dnam("restore-backup", made.backup, "--yes", "--data", data)
    if ran.code:
        return "other", f"{why}{ran.err}"
    return ("restored" if _is_all(data, made, number) else "other"), why


def _is_all(data: Path, made: Whole, number: int) -> bool:
    """Whether everything that the backup has is there, and verifies."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        is_all = [each.header for each in store.log.read(0)] == [each.header for each in made.events[: made.kept]]
    finally:
        store.close()
    return is_all and _verify(data, made, number)[1] == "\n"


def _compare(data: Path, made: Whole, number: int) -> Answer:
    listed, told = dnam("shadows", "list", "--json", "--data", data), compared(data)
    if told == made.compared:
        return _in_one_line(listed.err) if listed.code else ("same", listed.err)
    return ("other", told) if told.startswith("[") else _in_one_line(told)


def _in_one_line(told: str) -> Answer:
    """What a command says that refuses: one line, and no more."""
    is_one = told.startswith("dnam: ") and len(told.strip().splitlines()) == 1
    return ("refused" if is_one else "unclear"), told


def _restored(backup: Path, made: Whole, number: int) -> Answer:
    """The backup lies elsewhere than where it was made."""
    fresh = backup.with_name("fresh")
    shutil.copytree(made.data / "keys", fresh / "keys")
    try:
        ran = dnam("restore-backup", backup, "--yes", "--data", fresh)
        if ran.code:
            return _in_one_line(ran.err)
        return ("same" if _is_all(fresh, made, number) else "other"), ran.out
    finally:
        shutil.rmtree(fresh)


def _go_on(backup: Path, made: Whole, number: int) -> Answer:
    ran = dnam("backup", backup, "--data", made.data)
    return _in_one_line(ran.err) if ran.code else ("same", ran.out)


PHASES: dict[str, Callable[[Path, Whole, int], Answer]] = {
    "events": _events,
    "trees": _trees,
    "look": _look,
    "rows": _rows,
    "verify": _verify,
    "write": _write,
    "again": _verify,
    "repair": _repair,
    "compare": _compare,
    "restore": _restored,
    "go on": _go_on,
}
