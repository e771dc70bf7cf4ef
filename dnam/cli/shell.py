"""How a command meets the world: its settings and data folder, how it opens a memory, and what its failures are called.

    exit 0    done; an empty answer and a closed pipe are no failures (what a check found is told all the same)
    exit 1    a check or a diff found something
    exit 2    wrong use, and the same again however often it is tried: an unknown or ambiguous name, a setting that is
              not allowed, a token that Discord refuses, a second bot
    exit 3    it could not be done: log, keys, views, disk, network
    exit 4    it is done, and what it had to say could not be printed; of a command that changes something
    exit 130  interrupted; 143 and 129 where that was by SIGTERM or SIGHUP

A command is a function whose last parameters are `data: Data = None, as_json: Json = False`, each accepted before the
command's name too. It begins with `shell = Shell(data, as_json)`, and raises: nothing in it ends the program itself but
`Ending(1)`.

    with shell.looking() as view:                     # for reading; changes no byte on disk
        shell.out.line(name_of(view.rows, person))
    shell.run(lambda memory: memory.forget(…))        # for writing: an async function of the open `Memory`

Importing this is cheap, because `dnam --help` does: what is heavy is imported where it is used.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer
from typer.core import TyperGroup

from dnam.cli.ending import ToldToEnd
from dnam.cli.screen import UNPRINTED, Screen, in_quotes, note, silence
from projections.errors import BadRequest, DnamError
from projections.policies.text import whole
from replay.errors import NothingHere

if TYPE_CHECKING:
    from dnam.memory import Memory
    from dnam.moments import Looked
    from projections.rows import Rows
    from replay.engine import Engine

T = TypeVar("T")
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
    0: "done; an empty answer is no failure",
    FOUND_SOMETHING: "a check or a diff found something",
    WRONG_USE: "wrong use: an unknown or ambiguous name, an option or a setting that is not allowed",
    COULD_NOT: "it could not be done: the log, keys, views, the disk, the network",
    DONE_UNTOLD: "it is done, but what it had to say could not be printed; of a command that only looks that is 3",
    INTERRUPTED: "interrupted; 143 or 129 where that was by SIGTERM or SIGHUP",
}
"""How a command ends, for people."""


# -- what may stand before a command and behind it -----------------------------------------------------------------


def _or_before(context: typer.Context, parameter: typer.CallbackParam, value: object) -> object:
    """An option's value, or what was given for it before the command's name, or before the first word of it."""
    before = context.parent
    while not value and before is not None:
        value = before.params.get(parameter.name or "")
        before = before.parent
    return value


Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="DIR",
        callback=_or_before,
        help="The folder of the memory. Without it: the setting DNAM_DATA, else `data`.",
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", callback=_or_before, help="Print JSON for programs: one value, or one a line."),
]
Yes = Annotated[bool, typer.Option("--yes", callback=_or_before, help="Answer every question with yes.")]


def typed(value: str | None) -> str | None:
    """What was typed, as something that can be stored: a terminal may hand in bytes that are no UTF-8."""
    return None if value is None else whole(value)


User = Annotated[
    str, typer.Argument(metavar="USER", callback=typed, help="A platform's id, a handle, or a name, current or former.")
]
MaybeUser = Annotated[str | None, typer.Argument(metavar="USER", callback=typed, help="As in `dnam show`.")]
MaybeText = Annotated[str | None, typer.Argument(metavar="TEXT", callback=typed, help="The words; quote them.")]
SessionName = Annotated[
    str, typer.Argument(metavar="SESSION", callback=typed, help="A session key or a channel's name.")
]
ItemId = Annotated[str, typer.Argument(metavar="ID", callback=typed, help="An item's id, as `dnam show` lists it.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", callback=typed, help="The words; quote them in a shell.")]
Place = Annotated[
    str | None,
    typer.Option("--in", metavar="PLACE", callback=typed, help="A session key, a channel's name, or `dm`."),
]


At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="WHEN", callback=typed,
        help="As it was known then: a seq (and what was recorded together with it), a date, a time, or words like "
        "'yesterday 18:00', 'before the last import'. A date includes its day, a time its minute or second.",
    ),
]  # fmt: skip
Said = Annotated[
    str | None,
    typer.Option(
        "--said", metavar="WHEN", callback=typed,
        help="As it had been said by then: a date, a time, or words, as for --at. So imported years are travelled.",
    ),
]  # fmt: skip


class Command(NamedTuple):
    """A line in the table of commands: what runs, and an example of it, without `dnam`. `ends_itself`: it has a way of
    its own to be told to end; any other is broken off by SIGTERM and SIGHUP as by Ctrl-C. `changes`: what it did stays
    done where it cannot be printed.
    """

    name: str
    run: Callable[..., None]
    example: str
    ends_itself: bool = False
    changes: bool = False


# -- failures ------------------------------------------------------------------------------------------------------


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
        code = _code_of(error)
        if code is None:
            raise
        note(_words_of_lmdb(error) if _is_of_lmdb(error) else str(error))
        raise Ending(code) from None


def _code_of(error: Exception) -> int | None:
    """The exit code of a failure; None for a bug, and for what typer itself raises."""
    if isinstance(error, BadRequest):
        return WRONG_USE
    if isinstance(error, DnamError | OSError) or _is_of_lmdb(error):
        return COULD_NOT
    if not isinstance(error, ValueError):
        return None
    from dnam.settings import SettingError

    return WRONG_USE if isinstance(error, SettingError) else None


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
    is full, a command that changed something has done so all the same.
    """
    Screen().flush()
    if not UNPRINTED:
        return code
    if code == 0 and any(each.changes for each in RUN):
        note(f"it is done, but what there is to say of it could not be printed: {UNPRINTED[0]}")
        return DONE_UNTOLD
    note(f"what was printed could not be written: {UNPRINTED[0]}")
    return max(code, COULD_NOT)


# -- opening -------------------------------------------------------------------------------------------------------


def nothing_yet(data: Path) -> None:
    """Say that a folder holds no log yet: an empty memory, and no failure."""
    note(f"nothing remembered here yet: there is no log in {data}. `dnam chat` or `dnam import` starts one")


class View(NamedTuple):
    """A memory that is looked at. `empty`: there is no log here yet, and the rows are those of an empty one.

    `now` are the rows as they are, by which people and places are named; `rows` those of the moment `looked` at, which
    is None for now.
    """

    engine: "Engine"
    rows: "Rows"
    empty: bool
    now: "Rows"
    looked: "Looked | None" = None


class Shell:
    """One run of one command: the settings as they are now, the data folder, and the screen.

    `data` is what was given as --data; settings are read once, from `dnam.toml`, the environment
    and `.env`.
    """

    def __init__(self, data: str | None = None, as_json: bool = False, yes: bool = False) -> None:
        from dnam.settings import SettingError, gather

        self.settings = gather(os.environ, Path())
        folder = self.settings.context_dir
        if folder is not None and not folder.is_dir():
            raise SettingError("DNAM_CONTEXT_DIR", f"DNAM_CONTEXT_DIR: {folder} is not a folder")
        if data:
            origins = {**self.settings.origins, "DNAM_DATA": "--data"}
            self.settings = replace(self.settings, data=Path(data).expanduser(), origins=origins)
        self.data = self.settings.data
        self.out = Screen(as_json=as_json, yes=yes, timezone=self.settings.timezone)

    def refuse_printed_page(self, option: str) -> None:
        """BadRequest where --json prints a value and this option a page, both to stdout."""
        if self.out.as_json:
            raise BadRequest(f"{option} prints the page where --json prints its value: give the page a file")

    @contextmanager
    def looking(self, at: str | None = None, said: str | None = None, *, has_said: bool = True) -> "Iterator[View]":
        """The memory for reading, as it is or was: nothing on disk is changed, and a folder without a log is an empty
        memory. Whoever asks is told of `--said` only where their command `has_said`.
        """
        with self.opened() as (engine, empty), self.looking_at(engine, empty, at, said, has_said=has_said) as view:
            yield view

    @contextmanager
    def looking_at(
        self, engine: "Engine", empty: bool, at: str | None = None, said: str | None = None, *, has_said: bool = True
    ) -> "Iterator[View]":
        """The same of a memory that was `opened`, for who has something to do before the look."""
        looked = self._looked(engine, at, said, has_said=has_said)
        if looked is None:
            with engine.reading() as rows:
                yield View(engine, rows, empty, rows)
            return
        with engine.now_and_then(looked.moment) as (now, then):
            yield View(engine, then, empty, now, looked)

    def _looked(self, engine: "Engine", at: str | None, said: str | None, *, has_said: bool) -> "Looked | None":
        """The moment that is looked at; what there is to know of it is told."""
        with engine.reading() as rows:
            stopped = engine.stopped()
            if stopped is not None:
                note(f"as of #{engine.live.folded}: {stopped}")
            if at is None and said is None:
                return None
            looked = self._looked_at(engine, rows, at, said, has_said=has_said)
        for text in looked.notes:
            note(text)
        return looked

    def _looked_at(
        self, engine: "Engine", rows: "Rows", at: str | None, said: str | None, *, has_said: bool = True
    ) -> "Looked":
        from datetime import UTC, datetime

        from dnam.moments import Reader, looked_at

        reader = Reader(datetime.now(UTC), self.out.zone(), self.out.when, has_said)
        return looked_at(engine, rows, reader, at, said)

    @contextmanager
    def opened(self) -> "Iterator[tuple[Engine, bool]]":
        """The memory's engine for reading, and whether it is an empty one in the place of none: for who looks often."""
        engine, empty = self._open_to_look()
        with engine:
            yield engine, empty

    def moment(self, engine: "Engine", rows: "Rows", when: str, *, said: bool = False) -> "Looked":
        """The moment that is meant by one of the two clocks; nothing is told yet."""
        return self._looked_at(engine, rows, None if said else when, when if said else None, has_said=False)

    def _open_to_look(self) -> "tuple[Engine, bool]":
        from replay.engine import Engine

        try:
            return Engine.open(self.data, writable=False), False
        except NothingHere:
            nothing_yet(self.data)
            return Engine.in_memory(), True

    def memory(self, engine: "Engine") -> "Memory":
        """The library's view of an open engine, with these settings."""
        from dnam.languages import load
        from dnam.memory import Memory

        return Memory(engine, self.settings, load(self.settings.language))

    @asynccontextmanager
    async def writing(self, *, create: bool = False) -> "AsyncIterator[Memory]":
        """The memory for writing, durable at every return. With `create` an empty folder becomes a memory."""
        import asyncio

        from dnam.erasing_guild import go_on_erasing_guilds
        from dnam.mirror import mirroring
        from dnam.shadows_followed import shadows_followed
        from dnam.swept import sweep_what_is_left
        from replay.engine import Engine

        engine = await asyncio.to_thread(
            Engine.open,
            self.data,
            writable=True,
            create=create,
            view_commit_events=self.settings.view_commit_events,
        )
        try:
            self.tell(engine)
            memory = self.memory(engine)
            await asyncio.to_thread(sweep_what_is_left, memory, note)
            await go_on_erasing_guilds(memory, note)
            async with mirroring(memory, note), shadows_followed(memory, note, meanwhile=False):
                yield memory
        finally:
            await asyncio.to_thread(engine.close)
            self.tell_what_failed(engine)

    def tell(self, engine: "Engine") -> None:
        """Say what opening noticed, and what it put right."""
        for finding in getattr(engine.store, "findings", ()):
            note(f"noticed{' and mended' if finding.mended else ''}: {finding.what}")

    def tell_what_failed(self, engine: "Engine") -> None:
        """Say what went wrong without losing anything: views that the next opening has to fold more for, and keys that
        are on the disk once and not twice.
        """
        for error in dict.fromkeys(map(str, engine.view_errors)):
            note(f"the views could not be written and will be caught up with later: {error}")
        for error in dict.fromkeys(map(str, engine.store.ring.errors)):
            note(
                f"the latest keys may be on the disk in one copy only, and the next key has both written anew: {error}"
            )

    def run(self, action: "Callable[[Memory], Awaitable[T]]", *, create: bool = False, named: str | None = None) -> T:
        """Do something to the memory, from a command: opens it for writing, and closes it again. Whoever or whatever
        was `named` for it is unknown where there is no log.
        """
        import asyncio

        from dnam.errors import Unknown

        async def acting() -> T:
            async with self.writing(create=create) as memory:
                return await action(memory)

        try:
            return asyncio.run(acting())
        except NothingHere as error:
            if named is None:
                raise
            raise Unknown(f"{in_quotes(named)} is not known here: {error}") from error
