"""A helper: a second process that shares the work on a large log, where there is a second processor.

It reads the folders itself and only answers. Whoever asks must be able to do each job alone: a helper that does not
start, dies, is silent for too long or answers nonsense leaves all its jobs undone, and is let go.
"""

import fcntl
import os
import select
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from projections.registry import FOLD
from replay.codec import UNREADABLE
from replay.folding import Folding
from replay.pipe import LENGTH, MOST, Job, Opening, framed
from replay.store import DiskStore

FEWEST = 20_000
"""With fewer events to do, a helper is not worth its start of about 0.1 s of a processor."""
WAITING = 3
"""How many jobs a helper has before it, so that it is never idle while this process is busy."""
PATIENCE_MS = 60_000
"""How long a helper may be silent when it is waited for."""
GOING_SECONDS = 5
"""How long it may take to end; it finishes the job it is at."""
_PIPE = 1 << 20
"""Bytes in the pipe that answers come through, where that can be chosen."""
_COMMAND = "import gc, os, sys; gc.disable(); sys.path[:] = {path!r}; from replay.helping import main; os._exit(main())"
T = TypeVar("T")


@dataclass
class Ticket:
    """A job that was asked for. When it is `done`, an `answer` of None says that whoever asked has to do it."""

    done: bool = False
    answer: bytes | None = None
    extra_ms: int = 0
    """How much longer than PATIENCE_MS the helper may be silent over it."""


class Helper:
    """The parent's side of a helper."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._to, self._from = process.stdin, process.stdout
        self._asked: deque[Ticket] = deque()
        self._alive = True
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self._room = select.poll()
        self._room.register(self._to, select.POLLOUT)
        os.set_blocking(self._to.fileno(), False)
        with suppress(AttributeError, OSError):
            fcntl.fcntl(self._from, fcntl.F_SETPIPE_SZ, _PIPE)

    @property
    def free(self) -> bool:
        """Whether another job may be asked for."""
        return self._alive and len(self._asked) < WAITING

    def send(self, message: Job | Opening) -> None:
        """Say something; a helper that does not hear is let go."""
        data = memoryview(framed(msgspec.msgpack.encode(message)))
        try:
            while data and self._room.poll(PATIENCE_MS):
                data = data[os.write(self._to.fileno(), data) :]
        except OSError:
            self.give_up()
        if data:
            self.give_up()

    def ask(self, job: Job, extra_ms: int = 0) -> Ticket:
        """Have a job done."""
        ticket = Ticket(extra_ms=extra_ms)
        self._asked.append(ticket)
        self.send(job)
        return ticket

    def ready(self, ticket: Ticket) -> bool:
        """Whether a job is done by now."""
        while not ticket.done and self._poll.poll(0):
            self._receive()
        return ticket.done

    def result(self, ticket: Ticket, decoder: "msgspec.msgpack.Decoder[T]") -> T | None:
        """The answer to a job, waited for; None when the job has to be done here."""
        while not ticket.done:
            self._receive()
        if ticket.answer is None:
            return None
        try:
            return decoder.decode(ticket.answer)
        except UNREADABLE:
            self.give_up()
            return None

    def _receive(self) -> None:
        head = self._read(LENGTH, self._asked[0].extra_ms if self._asked else 0)
        answer = None if head is None else self._read(int.from_bytes(head, "big"))
        if answer is None or not self._asked:
            self.give_up()
            return
        ticket = self._asked.popleft()
        ticket.done, ticket.answer = True, answer

    def _read(self, size: int, extra_ms: int = 0) -> bytes | None:
        """So many bytes, or None when they do not come."""
        parts: list[bytes] = []
        missing = size if size <= MOST else 0
        while missing:
            part = os.read(self._from.fileno(), min(missing, _PIPE)) if self._poll.poll(PATIENCE_MS + extra_ms) else b""
            if not part:
                return None
            parts.append(part)
            missing -= len(part)
        return b"".join(parts) if size <= MOST else None

    def give_up(self) -> None:
        """Let it go: what was asked for and not answered is left to whoever asked."""
        if self._alive:
            self._alive = False
            self.process.kill()
        for ticket in self._asked:
            ticket.done = True
        self._asked.clear()

    def dismiss(self) -> None:
        """Nothing more will be asked: it may end, while this process goes on."""
        with suppress(OSError):
            self._to.close()

    def close(self) -> None:
        """See it end. Its last word is waited for, which is cheaper than to ask the system again and again."""
        self.dismiss()
        if self._alive and not self._asked:
            self._poll.poll(GOING_SECONDS * 1000)
        self._from.close()
        self._alive = False
        try:
            self.process.wait(GOING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def helped(store: DiskStore, folding: Folding, events: int) -> Iterator[Helper | None]:
    """A helper for so much work on a data folder, where it is worth one; it is gone afterwards."""
    helper = _started(store, folding) if events >= FEWEST and processors() > 1 and folding.fold is FOLD else None
    try:
        yield helper
    finally:
        if helper is not None:
            helper.close()


def _started(store: DiskStore, folding: Folding) -> Helper | None:
    """A new helper. It hears no Ctrl-C, being no process of the terminal's; its end is that of its standard input."""
    command = [sys.executable, "-S", "-c", _COMMAND.format(path=sys.path)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, bufsize=0, process_group=0)
    except OSError:
        return None
    helper = Helper(process)
    views = "" if store.views is None else str(store.views.folder)
    log, keys = str(store.log.folder), str(store.keys_path)
    helper.send(Opening(keys, log, views, sorted(folding.erased)))
    return helper
