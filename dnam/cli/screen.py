"""What a command prints: words for people, JSON for programs, and what is no answer on stderr.

On stdout stands the answer and nothing else. Text from people is made visible first: no control character of theirs
reaches a terminal. Tables are drawn where stdout is a terminal, and plain columns anywhere else.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import tzinfo
from math import isfinite
from typing import TextIO

import typer

from dnam.cli.progress import Counting, Lines, Progress, bar, silent
from dnam.cli.tables import Marked, columns, draw, unmarked
from dnam.jsonable import jsonable as jsonable
from dnam.times import age, shown, zone_of
from projections.errors import BadRequest

MOST_NOTE_CHARS = 1_000
UNPRINTED: list[OSError] = []
"""What kept something from being printed, as a disk that is full."""
UNWRITTEN = "what was printed could not be written"
"""What is said of that, where nothing was done that stays."""


class Screen:
    """The terminal, the pipe or the file that a command prints to."""

    def __init__(self, *, as_json: bool = False, yes: bool = False, timezone: str = "") -> None:
        self.as_json = as_json
        self.yes = yes
        self.is_unread = False
        """Whether it is known that nobody reads stdout any more: whoever prints without end need not go on."""
        self.has_emitted = False
        """Whether a program was given a value."""
        self._timezone = timezone

    # -- the answer -------------------------------------------------------------------------------------------------

    def line(self, text: str = "") -> None:
        """One line for people."""
        self.exactly(_visible(text) + "\n")

    def lines(self, text: str, indent: str = "") -> None:
        """A text of several lines for people."""
        for each in text.splitlines():
            self.line(indent + each)

    def exactly(self, text: str) -> None:
        """The text and nothing else, as it is. Where nobody reads it any more, or it cannot be written, the command
        goes on all the same: how it ends is told by its exit code too.
        """
        with self._perhaps_unread():
            sys.stdout.write(text)

    def flush(self) -> None:
        """Have everything leave that was printed."""
        with self._perhaps_unread():
            sys.stdout.flush()

    @contextmanager
    def _perhaps_unread(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self.is_unread = True
            silence()
        except OSError as error:
            self.is_unread = True
            UNPRINTED.append(error)
            silence()

    def emit(self, value: object) -> None:
        """One JSON value on one line: structs and named tuples by their fields, bytes as hex."""
        import msgspec

        self.has_emitted = True
        self.exactly(msgspec.json.encode(jsonable(value)).decode() + "\n")

    def table(
        self, titles: Sequence[str], rows: Iterable[Sequence[str]], *, marks: Callable[[str], Marked] | None = None
    ) -> None:
        """A table for people, without a head when there are no titles; nothing at all when it has no rows. `marks` says
        what is highlighted in the last column of a drawn one.
        """
        shown = [[_visible(cell) for cell in row] for row in rows]
        if not shown:
            return
        if sys.stdout.isatty():
            draw(titles, shown, marks or unmarked)
        else:
            for text in columns([list(titles), *shown] if titles else shown):
                self.exactly(text + "\n")

    # -- times ------------------------------------------------------------------------------------------------------

    def when(self, milliseconds: int | None) -> str:
        """A time for people: ISO 8601 to the minute, in the reader's zone; empty for none."""
        if milliseconds is None:
            return ""
        return shown(milliseconds, self.zone())

    def since(self, milliseconds: int | None) -> str:
        """A time for people, and how long ago it was."""
        if milliseconds is None:
            return ""
        return f"{self.when(milliseconds)}, {age(milliseconds, time.time_ns() // 1_000_000)}"

    def zone(self) -> tzinfo:
        """The reader's time zone: the setting's, else this machine's."""
        return zone_of(self._timezone)

    # -- the way there ----------------------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """Something that is no answer, on stderr."""
        note(text)

    def nothing_done(self, why: str) -> None:
        """Say that nothing was changed, because somebody said no; programs read it as `done`: null, and `why`."""
        self.note(why)
        if self.as_json:
            self.emit({"done": None, "why": why})

    def aside(self, text: str) -> None:
        """A line beside the answer that was asked for, on stderr."""
        sys.stderr.write(_visible(text) + "\n")

    @contextmanager
    def progress(self, what: str, unit: str = "events") -> Iterator[Progress]:
        """A bar on stderr with the speed and the time left; silent where stderr is no terminal."""
        if not sys.stderr.isatty():
            yield silent
            return
        with bar(what, unit) as tell:
            yield tell

    @contextmanager
    def counting(self, what: str, unit: str) -> Iterator[Counting]:
        """The same with words in the bar, as `progress`; where stderr is no terminal, a line on it now and then."""
        if not sys.stderr.isatty():
            yield Lines(self.note, what, unit)
            return
        with bar(what, unit) as tell:
            yield tell

    def confirm(self, question: str) -> bool:
        """Ask; --yes answers. Without a terminal to ask in, the command is refused."""
        if self.yes:
            return True
        if not can_be_asked():
            raise BadRequest(f"{question} There is no terminal to answer in: pass --yes to go on")
        return answer_to(f"{question} [y/N] ").strip().casefold() in ("y", "yes")


def can_be_asked() -> bool:
    """Whether somebody sits there. Where standard input is closed, there is none."""
    stdin: TextIO | None = sys.stdin
    return stdin is not None and stdin.isatty()


def answer_to(question: str) -> str:
    """The line that somebody types, with its end; empty at the end of what is typed. Ctrl-C interrupts at once."""
    stdin: TextIO | None = sys.stdin
    with interrupting():
        sys.stderr.write(question)
        sys.stderr.flush()
        return "" if stdin is None else stdin.readline()


def amount(value: str | float) -> float:
    """A number of USD that somebody gave; BadParameter for what is none."""
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not isfinite(number) or number < 0:
        raise typer.BadParameter(f"{value!r} is not an amount in USD, of 0 or more")
    return number


@contextmanager
def interrupting() -> Iterator[None]:
    """Ctrl-C interrupts what blocks here. An event loop that runs this would only note the first one, and cancel its
    task when it comes back to it: behind the answer that is waited for.
    """
    import signal
    import threading

    before = signal.getsignal(signal.SIGINT)
    if before is None or before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def note(text: str) -> None:
    """`dnam: …` on stderr, as long as somebody reads that. Long lines are cut: an error may quote what was given."""
    shown = "\n".join(_cut(_visible(each)) for each in text.splitlines())
    with suppress(OSError):  # the terminal is gone: that must not end what is being done
        sys.stderr.write(f"dnam: {shown}\n")
        sys.stderr.flush()


def silence() -> None:
    """Nobody reads stdout any more: what is still to be flushed goes nowhere, and the interpreter does not complain."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except OSError:  # stdout is no file, as in a test
        pass


def _visible(text: str) -> str:
    from projections.quoting import visible

    return visible(text.replace("\t", " "))


def in_quotes(text: str) -> str:
    """A text between quotes, for what is told of it."""
    from projections import quoting

    return quoting.in_quotes(text)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_NOTE_CHARS else f"{text[:MOST_NOTE_CHARS]}… ({len(text)} characters)"
