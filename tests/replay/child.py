"""Another process: `python -m tests.replay.child COMMAND FOLDER …`. It says what it did, a line at a time."""

import resource
import signal
import sys
from pathlib import Path

from projections.events import MessageRedacted, PersonNoted
from projections.events.values import OPERATOR, PLATFORM
from projections.ids import EventId
from projections.registry import FOLD
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import LogError
from replay.log import Commit, Head, Syncing, untold
from replay.rewriting import rewrite
from replay.store import DiskStore
from tests.replay.stage import ADA, KIM, FakeClock, digest, drafts, handle_of, says, texts
from tests.world import NOW, handle


def say(*words: object) -> None:
    print(*words, flush=True)


def meets(path: Path, name: str, count: str) -> None:
    """Hears the same people and messages as every other process that does the same."""
    with Engine.open(path, create=True, clock=FakeClock(), view_commit_events=7) as engine:
        say("ready")
        sys.stdin.readline()
        for n in range(int(count)):
            engine.record(says(f"both {n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))
            engine.record(says(f"{name} {n}", f"{name} {n}", KIM, said=NOW + n))
        say(len(texts(engine)))


def reads(path: Path) -> None:
    """Says how many messages there are whenever it is asked."""
    with Engine.open(path, writable=False) as engine:
        say("ready")
        for _ in sys.stdin:
            with engine.reading() as rows:
                say(sum(1 for _ in rows.raw.scan("messages@1", b"", b"\xff" * 64)))


def writes(path: Path, marks: str) -> None:
    """Writes until it is killed; says what was acknowledged, and marks in a file when a commit begins and ends."""
    with Path(marks).open("r+b", buffering=0) as mark, Engine.open(path, create=True, view_commit_events=5) as engine:
        append = engine.store.log.append

        def marked(commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
            mark.seek(0)
            mark.write(b"\x01")
            head = append(commit, expected, syncing)
            mark.seek(0)
            mark.write(b"\x00")
            return head

        engine.store.log.append = marked  # type: ignore[method-assign]  # each commit is marked while it lasts
        n = engine.head().size
        while True:
            n += 1
            note = PersonNoted(said=NOW, by=OPERATOR, person=handle(f"person {n % 50}"), note="x" * (n % 7 * 900))
            futures = [engine.submit(drafts(note, name=f"{n} {each}")) for each in range(1 + n % 3)]
            for each, future in enumerate(futures):
                future.result()
                say(f"{n} {each}")


def fills(path: Path, limit: str) -> None:
    """Writes until no file may grow any more, then goes on when it may."""
    with Engine.open(path, create=True, clock=FakeClock(), view_commit_events=1_000_000) as engine:
        done = 0
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))
        error: LogError | None = None
        while error is None:
            note = PersonNoted(said=NOW, by=OPERATOR, person=handle(f"person {done}"), note="x" * 500)
            try:
                engine.record(drafts(note, name=f"{done}"))
                done += 1
            except LogError as full:
                error = full
        say(type(error).__name__, done)
        size = engine.head().size
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        engine.record(says("afterwards"))
        say(size, engine.head().size)


def digests(path: Path) -> None:
    """The digest of the rows as they are, and built anew."""
    with Engine.open(path, writable=False) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        checked = check(store, FOLD)
        say(digest(engine).hex(), checked.live.hex(), checked.rebuilt.hex())


def rebuilds(path: Path) -> None:
    """Builds the views anew."""
    with Engine.open(path, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        say(rebuild(engine.store, FOLD, digested=True).digest.hex())


def erases(path: Path) -> None:
    """Erases one person."""
    with Engine.open(path, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
        say(0 if erased is None else len(erased.vaults))


def redacts(path: Path, *names: str) -> None:
    """Takes away the bodies of these events (hex), and stays open until it is told to end."""
    with Engine.open(path, clock=FakeClock()) as engine:
        gone = MessageRedacted(said=NOW, by=PLATFORM, events=tuple(EventId(bytes.fromhex(each)) for each in names))
        say(len(engine.record(drafts(gone)).records))
        sys.stdin.readline()


def compacts(path: Path) -> None:
    """Writes the log anew."""
    with Engine.open(path, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        say(rewrite(engine.store).events)


COMMANDS = {each.__name__: each for each in (meets, reads, writes, fills, digests, rebuilds, erases, redacts, compacts)}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
