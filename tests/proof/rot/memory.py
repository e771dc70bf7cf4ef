"""The memory that rots: small, with every kind of event in it, somebody erased, several vaults, and a backup of it.

FOLDER/data      the memory
FOLDER/backup    what a backup has of it: everything but the last events
FOLDER/beside    a copy of the memory, with a shadow that another model made
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from shutil import copytree
from typing import NamedTuple

import msgspec
from freezegun import freeze_time

from projections.ids import Seq
from projections.registry import FOLD
from replay.backups.backing_up import back_up
from replay.engine import Engine
from replay.erasure import erase
from replay.log import StoredEvent
from replay.store import DiskStore
from tests.dnam.cli.memories import dnam, garden, make
from tests.dnam.rederiving.village import ASKED, derive, reader
from tests.generator import fixed_story
from tests.proof.rot.answers import COMMANDS, LATER, SHADOW, compared, digested, recorded
from tests.replay.stage import KIM, FakeClock, handle_of, says, tell
from tests.world import NOW

VIEWS_EVERY = 64
BEHIND = 12
"""How many messages came after the backup."""


class Whole(NamedTuple):
    """The memory before anything happened to it: its folder, its backup's, and that of a copy with a shadow; every
    event, what the commands print, the digests of its rows now and after one more message, how many events the backup
    has, and what a comparison with the shadow comes to.
    """

    data: Path
    backup: Path
    beside: Path
    events: tuple[StoredEvent, ...]
    printed: tuple[str, ...]
    digest: bytes
    after: bytes
    kept: Seq
    compared: str


def whole(folder: Path, story: int, dice: Random) -> Whole:
    """Make it: with the same dice its log has the same bytes. `story`: how many steps of chance are told of,
    beside one of each kind.
    """
    with _by(dice):
        return _whole(folder, story)


@contextmanager
def _by(dice: Random) -> Iterator[None]:
    """Every key and every id is thrown by these dice."""
    before, os.urandom = os.urandom, dice.randbytes
    try:
        yield
    finally:
        os.urandom = before


def _whole(folder: Path, story: int) -> Whole:
    data, backup, beside = folder / "data", folder / "backup", folder / "beside"
    make(data, garden)
    _tell(data, story)
    kept = _back_up(data, backup)
    with Engine.open(data, clock=FakeClock(), view_commit_events=VIEWS_EVERY) as engine:
        for number in range(BEHIND):
            engine.record(says(f"late {number}", f"the kettle number {number} sings"))
    events = _events(data)
    with freeze_time(LATER):
        printed = tuple(dnam(*command, "--data", data).out for command in COMMANDS)
    digest = digested(data)
    copytree(data, beside)
    asyncio.run(derive(beside, reader("enjoys", name="other"), SHADOW, msgspec.structs.replace(ASKED, model="other")))
    return Whole(data, backup, beside, events, printed, digest, _after(folder, data), kept, compared(beside))


def _tell(data: Path, story: int) -> None:
    with Engine.open(data, clock=FakeClock(), view_commit_events=VIEWS_EVERY) as engine:
        tell(engine, fixed_story(story).decisions())
        engine.record(says("k1", "what nobody is to know", who=KIM))
        erase(engine, handle_of(engine, KIM))


def _back_up(data: Path, backup: Path) -> Seq:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return Seq(back_up(store, backup, NOW).events)
    finally:
        store.close()


def _events(data: Path) -> tuple[StoredEvent, ...]:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return tuple(store.log.read(0))
    finally:
        store.close()


def _after(folder: Path, data: Path) -> bytes:
    copy = folder / "after"
    copytree(data, copy)
    return recorded(copy)


def save(path: Path, made: Whole) -> None:
    """Keep what is known of it, for other processes."""
    plain = (str(made.data), str(made.backup), str(made.beside), *made[3:])
    path.write_bytes(msgspec.msgpack.encode(plain))


def load(path: Path) -> Whole:
    """The same."""
    kind = tuple[str, str, str, tuple[StoredEvent, ...], tuple[str, ...], bytes, bytes, int, str]
    data, backup, beside, *rest, kept, told = msgspec.msgpack.decode(path.read_bytes(), type=kind)
    events, printed, digest, after = rest
    return Whole(Path(data), Path(backup), Path(beside), events, printed, digest, after, Seq(kept), told)
