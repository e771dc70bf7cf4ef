"""Opening and closing a memory: who is cancelled meanwhile leaves nothing open, and the folder to be opened again."""

import asyncio
import fcntl
import gc
import logging
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dnam import Memory
from dnam.opening import Waiting
from projections.quoting import line_name
from replay.engine import Engine
from replay.lock import Waits

T = TypeVar("T")
SECONDS = 20
"""How long something may take that is waited for."""


class Held:
    """Stands before something that a thread does: tells that it was begun, and holds it until it may go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()

    def hold(self) -> None:
        self.begun.set()
        assert self.go.wait(SECONDS)


async def keep_open(folder: Path) -> None:
    async with Memory.open(folder):
        await asyncio.Event().wait()


async def opens(folder: Path) -> bool:
    async with Memory.open(folder) as memory:
        await memory.remember("ada", "likes tea")
        return bool(await memory.show("ada"))


BEFORE: set[threading.Thread] = set()


@pytest.fixture(autouse=True)
def _before() -> None:
    """Other tests of this process may have left theirs."""
    BEFORE.clear()
    BEFORE.update(threading.enumerate())


def writers() -> list[threading.Thread]:
    """Those that were begun in this test, and still run."""
    return [each for each in threading.enumerate() if each.name == "writer" and each not in BEFORE]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Every opening of an engine is held once it is open."""
    made, really = Held(), Engine.open

    def slowly(
        path: Path, *, writable: bool, create: bool, clock: None, view_commit_events: int, waits: Waits
    ) -> Engine:
        engine = really(path, writable=writable, create=create, view_commit_events=view_commit_events, waits=waits)
        made.hold()
        return engine

    monkeypatch.setattr(Engine, "open", slowly)
    return made


async def begun(held: Held, folder: Path) -> "asyncio.Task[None]":
    """An opening that is under way."""
    task = asyncio.create_task(keep_open(folder))
    assert await asyncio.to_thread(held.begun.wait, SECONDS)
    return task


async def test_who_is_cancelled_while_it_opens_leaves_it_closed(tmp_path: Path, held: Held) -> None:
    task = await begun(held, tmp_path)
    task.cancel()
    await asyncio.sleep(0)
    held.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert writers() == []
    assert await opens(tmp_path)


async def test_who_is_cancelled_again_does_not_wait_and_it_is_closed_all_the_same(tmp_path: Path, held: Held) -> None:
    loop, threads = asyncio.get_running_loop(), ThreadPoolExecutor()
    loop.set_default_executor(threads)
    task = await begun(held, tmp_path)
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    loop.set_default_executor(ThreadPoolExecutor())
    held.go.set()
    await asyncio.to_thread(threads.shutdown)
    assert writers() == []
    assert await opens(tmp_path)


async def test_what_cannot_be_opened_says_so_also_to_who_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> Engine:
        raise OSError("no")

    monkeypatch.setattr(Engine, "open", refused)
    with pytest.raises(OSError, match="no"):
        await keep_open(tmp_path)


async def test_what_cannot_be_opened_is_no_news_to_who_was_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal, told = Held(), list[dict[str, Any]]()

    def refused(*_: object, **__: object) -> Engine:
        refusal.hold()
        raise OSError("no")

    monkeypatch.setattr(Engine, "open", refused)
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    task = await begun(refusal, tmp_path)
    task.cancel()
    await asyncio.sleep(0)
    refusal.go.set()
    await asyncio.wait({task})
    assert task.cancelled()
    del task
    gc.collect()
    assert told == []


class OneThread(ThreadPoolExecutor):
    """Tells when something comes that has to wait until this is done."""

    def __init__(self, first: Callable[[], None]) -> None:
        super().__init__(1)
        self._first = first
        self._came = False
        self.waited_for = asyncio.Event()

    def submit(self, fn: Callable[..., T], /, *given: Any, **named: Any) -> Future[T]:
        if self._came:
            self.waited_for.set()
        self._came = self._came or fn == self._first
        return super().submit(fn, *given, **named)


async def test_who_is_cancelled_while_it_waits_to_be_closed_leaves_it_closed(tmp_path: Path) -> None:
    """Every thread is busy: what is cancelled there before its turn never comes."""
    loop, busy = asyncio.get_running_loop(), Held()
    loop.set_default_executor(threads := OneThread(busy.hold))

    async def leave() -> None:
        async with Memory.open(tmp_path):
            loop.run_in_executor(None, busy.hold)

    task = asyncio.create_task(leave())
    async with asyncio.timeout(SECONDS):
        await threads.waited_for.wait()
    task.cancel()
    await asyncio.sleep(0)
    busy.go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert writers() == []
    assert await opens(tmp_path)


# -- while another process writes ------------------------------------------------------------------------------------


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Another program writes, as far as the lock says."""
    path = folder / "write.lock"
    with path.open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path


def test_it_is_told_after_a_second_and_again_now_and_then(tmp_path: Path) -> None:
    said: list[str] = []
    waiting = Waiting(said.append)
    with locked(tmp_path) as path:
        for seconds in (0.0, 0.9, 1.0, 1.5, 15.9, 16.0, 40.0):
            waiting(path, seconds)
        name = (Path("/proc") / str(os.getpid()) / "comm").read_text().strip()
        me = f"process {os.getpid()} ({line_name(name)})"
        assert said == [f"waiting for {path}, which {me} has held for {each} s and more" for each in (1, 16, 40)]
        waiting(path, 0.0)
        waiting(path, 1.0)
        assert len(said) == 4, "it waits for the next time"
    waiting(path, 30.0)
    assert said[-1] == f"waiting for {path}, which another process has held for 30 s and more"


async def test_who_is_cancelled_while_another_process_writes_does_not_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is held until the end, for as long as a writer is patient: that it ends before is the proof."""
    told = threading.Event()
    monkeypatch.setattr("dnam.opening.TOLD_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(logging.getLogger("dnam"), "warning", lambda *_: told.set())
    async with Memory.open(tmp_path):
        pass
    with locked(tmp_path):
        task = asyncio.create_task(keep_open(tmp_path))
        assert await asyncio.to_thread(told.wait, SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await opens(tmp_path)
