"""How a command meets the world: its settings and data folder, and how it opens a memory.

A command begins with `shell = Shell(data, as_json)`:

    with shell.looking() as view:                     # for reading; changes no byte on disk
        shell.out.line(name_of(view.rows, person))
    shell.run(lambda memory: memory.forget(…))        # for writing: an async function of the open `Memory`

Importing this is cheap, because `dnam --help` does: what is heavy is imported where it is used.
"""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dnam.cli.screen import Screen, in_quotes, note
from projections.errors import BadRequest
from replay.errors import EndLost, NothingHere

if TYPE_CHECKING:
    from dnam.failures import Tell
    from dnam.memory import Memory
    from dnam.moments import Looked
    from projections.rows import Rows
    from replay.engine import Engine

T = TypeVar("T")


def nothing_yet(data: Path) -> None:
    """Say that a folder holds no log yet: an empty memory, and no failure."""
    note(f"nothing remembered here yet: there is no log in {data}. `dnam chat` or `dnam import` starts one")


def refuse_lost_end(engine: "Engine") -> None:
    """EndLost where the log lost its end, for whoever writes, or answers: what was forgotten may be back."""
    if isinstance(engine.live.locked, EndLost):
        raise engine.live.locked


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
        self._given = f" --data {quote(data)}" if data else ""
        self.out = Screen(as_json=as_json, yes=yes, timezone=self.settings.timezone)

    def tell_unheeded(self) -> None:
        """Say what is set and changes nothing, as a name that is mistyped: for a command that starts something."""
        from dnam.settings import unheeded

        for words in unheeded(os.environ, Path()):
            note(words)

    def command(self, words: str) -> str:
        """A command on this memory, as it is to be typed: with --data where that was given."""
        return f"dnam {words}{self._given}"

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

        from dnam.discoclaw.mirror import mirroring
        from dnam.erasing.guild import go_on_erasing_guilds
        from dnam.erasing.swept import sweep_what_is_left
        from dnam.opening import Waiting, in_thread
        from dnam.shadows.followed import shadows_followed
        from replay.engine import Engine

        waiting = Waiting(note)
        opening = partial(
            Engine.open,
            self.data,
            writable=True,
            create=create,
            view_commit_events=self.settings.view_commit_events,
            waits=waiting,
        )
        engine = await in_thread(opening, waiting)
        try:
            refuse_lost_end(engine)
            self.tell(engine)
            memory = self.memory(engine)
            await asyncio.to_thread(sweep_what_is_left, memory, note)
            await go_on_erasing_guilds(memory, note)
            async with mirroring(memory, note), shadows_followed(memory, note, meanwhile=False):
                yield memory
        finally:
            await asyncio.to_thread(engine.close)
            self.tell_what_failed(engine)

    def tell(self, engine: "Engine", say: "Tell" = note) -> None:
        """Say what opening noticed, and what it put right."""
        for finding in getattr(engine.store, "findings", ()):
            say(f"noticed{' and mended' if finding.mended else ''}: {finding.what}")

    def tell_what_failed(self, engine: "Engine", say: "Tell" = note) -> None:
        """Say what went wrong without losing anything: views that the next opening has to fold more for, and keys that
        are on the disk once and not twice.
        """
        for error in dict.fromkeys(map(str, engine.view_errors)):
            say(f"the views could not be written and will be caught up with later: {error}")
        for error in dict.fromkeys(map(str, engine.store.ring.errors)):
            say(f"the latest keys may be on the disk in one copy only, and the next key has both written anew: {error}")

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
