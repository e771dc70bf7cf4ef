"""Where lines come from: a person at a terminal, who edits them, or a pipe."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Protocol

from dnam.adapters.terminal.interrupts import Interrupted

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyBindings

CHUNK_BYTES = 65_536
LINES_AHEAD = 64
"""How many lines are read before they are wanted."""


class Lines(Protocol):
    """Somebody who says something, line by line."""

    async def next(self) -> str | None:
        """What is said next, without its line break; None when that was all. Interrupted on Ctrl-C."""
        ...


def is_terminal() -> bool:
    """Whether a person sits at both ends."""
    return is_typed() and sys.stdout.isatty()


def is_typed() -> bool:
    """Whether a person types what is read, wherever the answers go."""
    return sys.stdin is not None and sys.stdin.isatty()


class EditedLines:
    """A line editor. Its history ends with the process; a paste of several lines is one message."""

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._session: PromptSession[str] | None = None

    async def next(self) -> str | None:
        try:
            # Signals stay ours: the editor would take the handler away with it when it is done.
            return await self._editor().prompt_async(self._prompt, handle_sigint=False)
        except EOFError:
            return None

    def _editor(self) -> "PromptSession[str]":
        if self._session is None:
            # Imported late: a pipe needs none of it.
            from prompt_toolkit import PromptSession
            from prompt_toolkit.history import InMemoryHistory

            self._session = PromptSession(
                history=InMemoryHistory(), interrupt_exception=Interrupted, key_bindings=_no_mouse()
            )
        return self._session


def _no_mouse() -> "KeyBindings":
    """The editor takes a colour that is pasted (ESC [ 31 m) for a mouse of a terminal, and fails at what it lacks. Here
    no mouse is asked for, so none reports: whatever looks like it is passed over, and the line goes on.
    """
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.keys import Keys

    keys = KeyBindings()

    @keys.add(Keys.Vt100MouseEvent)
    def passed_over(_: KeyPressEvent) -> None: ...

    return keys


class PipedLines:
    """Bytes that are read as they come, by a thread that nobody waits for: a read cannot be broken off."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(LINES_AHEAD)
        self._thread: threading.Thread | None = None

    @classmethod
    def of_stdin(cls) -> "PipedLines":
        """Standard input; at its end from the start when there is none."""
        if sys.stdin is None:
            return cls(lambda _: b"")
        return cls(partial(os.read, sys.stdin.fileno()))

    async def next(self) -> str | None:
        if self._thread is None:
            loop = asyncio.get_running_loop()
            self._thread = threading.Thread(target=self._pump, args=(loop,), name="stdin", daemon=True)
            self._thread.start()
        return await self._lines.get()

    def _pump(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            for line in split(self._read):
                asyncio.run_coroutine_threadsafe(self._lines.put(line), loop).result()
            asyncio.run_coroutine_threadsafe(self._lines.put(None), loop).result()
        except (CancelledError, RuntimeError):
            pass  # the chat has ended before its lines


def split(read: Callable[[int], bytes]) -> Iterator[str]:
    """The lines of what is read, as text; the last one need not end. What is no UTF-8 becomes U+FFFD."""
    parts: list[bytes] = []
    while chunk := _chunk(read):
        *ended, rest = chunk.split(b"\n")
        for each in ended:
            yield _line([*parts, each])
            parts = []
        parts.append(rest)
    if any(parts):
        yield _line(parts)


def _chunk(read: Callable[[int], bytes]) -> bytes:
    try:
        return read(CHUNK_BYTES)
    except OSError:  # a terminal that was closed: nothing more is said
        return b""


def _line(parts: list[bytes]) -> str:
    return b"".join(parts).removesuffix(b"\r").decode("utf-8", "replace")
