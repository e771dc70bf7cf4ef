"""How a command ends, and what its failures are called.

    exit 0    done; an empty answer and a closed pipe are no failures (what a check found is told all the same), nor is
              a folder without a log where something is looked for, or learned from it
    exit 1    a check or a diff found something
    exit 2    wrong use, and the same again however often it is tried: an unknown or ambiguous name, a setting that is
              not allowed, a token that Discord refuses, a second bot
    exit 3    it could not be done: log, keys, views, disk, network; also where there is no log to check, to copy, to
              sign or to build from
    exit 4    it is done, and what it had to say could not be printed; of a command that changes something, or that
              wrote the file which it was told to write. Where that file could not be written, it is 3. A pipe that
              nobody reads any more is none of this; a standard output on a full disk, or closed from the start, is
    exit 130  interrupted; 143 and 129 where that was by SIGTERM or SIGHUP

A command raises: nothing in it ends the program itself but `Ending(1)`.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from dnam.cli.command import Command
from dnam.cli.ending import ToldToEnd
from dnam.cli.filing import DONE
from dnam.cli.screen import UNPRINTED, UNWRITTEN, Screen, note, silence
from projections.errors import BadRequest, DnamError

Ending = typer.Exit
"""What a command raises to end with a code of its own: `raise Ending(1)` when a check found something."""
FOUND_SOMETHING = 1
WRONG_USE = 2
COULD_NOT = 3
DONE_UNTOLD = 4
INTERRUPTED = 130
DAMAGED = (
    "a file of this memory is damaged, or its disk fails. `dnam verify` says where; views are built again by `dnam "
    "replay`, and a log is put right by `dnam repair --from BACKUP`"
)
"""What LMDB's own words mean, who looks at no page before it follows it."""
EXIT_CODES: Mapping[int, str] = {
    0: "done; an empty answer is no failure, nor is a folder without a log, to a command that looks or learns",
    FOUND_SOMETHING: "a check or a diff found something",
    WRONG_USE: "wrong use: an unknown or ambiguous name, an option or a setting that is not allowed",
    COULD_NOT: (
        "it could not be done: the log, keys, views, the disk, the network; also where there is no log to check, "
        "to copy, to sign or to build from"
    ),
    DONE_UNTOLD: (
        "it is done, but what it had to say could not be printed; of a command that only looks that is 3, unless it "
        "wrote a file as it was told"
    ),
    INTERRUPTED: "interrupted; 143 or 129 where that was by SIGTERM or SIGHUP",
}
"""How a command ends, for people."""


class Group(TyperGroup):
    """The app's group of commands: every failure that was expected ends as one line on stderr and a code."""

    # The contexts are those of typer's own click, whose classes have no public name.
    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        with failures():  # `--help` is printed here, perhaps into a closed pipe
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: Any) -> object:
        with failures():
            return super().invoke(ctx)


@contextmanager
def failures() -> Iterator[None]:
    """Turn what a command raises into a line on stderr and an exit code. What nobody expected stays a traceback."""
    try:
        yield
    except BrokenPipeError:
        silence()
        raise Ending(0) from None
    except KeyboardInterrupt as interrupted:
        note("interrupted")
        raise Ending(interrupted.code if isinstance(interrupted, ToldToEnd) else INTERRUPTED) from None
    except Exception as error:
        code = code_of(error)
        if code is None:
            raise
        note(words_of(error))
        if isinstance(error, OSError):
            _print_no_more()
        raise Ending(code) from None


def _print_no_more() -> None:
    """Where standard output is what failed, that was just told: what is left in it goes nowhere."""
    try:
        sys.stdout.flush()
    except OSError:
        silence()


def code_of(error: Exception) -> int | None:
    """The exit code of a failure; None for a bug, and for what typer itself raises."""
    if isinstance(error, BadRequest):
        return WRONG_USE
    return COULD_NOT if isinstance(error, DnamError | OSError) or _is_of_lmdb(error) else None


def words_of(error: Exception) -> str:
    """What people and programs are told of a failure."""
    return _words_of_lmdb(error) if _is_of_lmdb(error) else str(error)


def _is_of_lmdb(error: Exception) -> bool:
    """Whether LMDB met a page that it cannot read; nothing is imported to say so."""
    return type(error).__module__ == "lmdb"


def _words_of_lmdb(error: Exception) -> str:
    """What is told of LMDB's own words: it gave a folder up, which somebody met who had not looked, or met a page."""
    from replay.lmdb_file import REFUSED, GivenUp, given_up

    if isinstance(error, GivenUp) and REFUSED:
        return given_up(*next(iter(REFUSED.items())))
    return f"{error}: {DAMAGED}"


RUN: list[Command] = []
"""The command that runs, or ran."""


def flushed(code: int) -> int:
    """The exit code once everything printed has left: a reader that is gone is no failure, a full disk is. Where that
    is full, a command that changed something, or wrote a file, has done so all the same.
    """
    Screen().flush()
    if not UNPRINTED:
        return code
    if code == 0 and (DONE or any(each.changes for each in RUN)):
        done = "; ".join(DONE) or "it is done"
        note(f"{done}, but what there is to say of it could not be printed: {UNPRINTED[0]}")
        return DONE_UNTOLD
    note(f"{UNWRITTEN}: {UNPRINTED[0]}")
    return max(code, COULD_NOT)
