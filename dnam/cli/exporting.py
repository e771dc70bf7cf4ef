"""Giving things out: `export`, of a whole memory, of one person, or as DiscoClaw's files. It changes nothing."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from dnam.cli.command import Command, Data, Json, MaybeUser
from dnam.cli.failures import COULD_NOT, Ending
from dnam.cli.half_done import told_so_far
from dnam.cli.screen import UNWRITTEN, silence
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.discoclaw.files import FilesOf
    from dnam.exports.belongings import Belongings
    from dnam.exports.exporting import Exported
    from projections.ids import Ref
    from projections.rows import Rows
    from replay.engine import Engine

TO_STDOUT = "-"
TRIES = 3
"""How often an export into a file is begun again because something was taken back meanwhile."""
NAMELESS = "this form holds ids and no names: who comes back from it by `dnam import` is `someone` until they are heard"


def export(
    user: MaybeUser = None,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="The file to write, in one step; `-` is standard output.")
    ] = TO_STDOUT,
    markdown: Annotated[bool, typer.Option("--markdown", help="Of a USER: a page to read instead of JSON.")] = False,
    discoclaw: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write DiscoClaw's own files, durable/*.json and rolling/*.json, into DIR."),
    ] = None,
    guild: Annotated[
        str | None,
        typer.Option(metavar="GUILD", help="With --discoclaw: the guild that the files are for, where there are more."),
    ] = None,
    with_id_key: Annotated[
        bool,
        typer.Option(
            "--id-key/--no-id-key",
            help="Without the id key, what a platform delivers again is not known where the export was imported.",
        ),
    ] = True,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Everything, as JSON lines that `import` takes back; of a USER, everything that is theirs.

    An export holds what people said in the clear, and the id key: keep it like the memory itself. What was taken back
    is in it as a gap. One that was interrupted has no last line, and `import` says what is missing.
    """
    shell = Shell(data, as_json)
    _refuse_what_does_not_fit(user, out, markdown, discoclaw, guild)
    if markdown and out == TO_STDOUT:
        shell.refuse_printed_page("--markdown")
    if discoclaw is not None:
        _as_discoclaw(shell, Path(discoclaw).expanduser(), guild)
    elif user is not None:
        _person(shell, user, out, markdown=markdown)
    else:
        _whole(shell, out, with_id_key=with_id_key)


def _refuse_what_does_not_fit(
    user: str | None, out: str, markdown: bool, discoclaw: str | None, guild: str | None
) -> None:
    if discoclaw is not None and (user is not None or out != TO_STDOUT or markdown):
        raise BadRequest("--discoclaw writes a folder, of everybody: without USER, --out and --markdown")
    if markdown and user is None:
        raise BadRequest("--markdown is a page for one person: name a USER")
    if guild is not None and discoclaw is None:
        raise BadRequest("--guild says which guild DiscoClaw's files are for: it goes with --discoclaw")


@contextmanager
def _target(out: str) -> Iterator[BinaryIO]:
    """Where it goes: standard output as it comes, or a file that is there when all of it is. CannotWrite where either
    lies on a full disk, say; a standard output that nobody reads any more is no failure.
    """
    from dnam.given_file import refuse_nowhere, writing_to
    from replay.errors import CannotWrite

    if out == TO_STDOUT:
        try:
            yield sys.stdout.buffer
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            silence()
            raise CannotWrite(f"{UNWRITTEN}: {error}") from error
        return
    path = Path(out).expanduser()
    refuse_nowhere(path)
    try:
        with writing_to(path) as file:
            yield file
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror or error}") from error


def _told_of_file(shell: Shell, out: str) -> AbstractContextManager[object]:
    """Where it fails, a program reads that no file was written; not where the export itself is what it reads."""
    if out == TO_STDOUT:
        return nullcontext()
    return told_so_far(shell.out, lambda: {"exported": None, "file": out})


def _tell(shell: Shell, out: str, words: str, value: object) -> None:
    """What was written, where that is not what stands on standard output."""
    if out == TO_STDOUT:
        return
    if shell.out.as_json:
        shell.out.emit(value)
    else:
        shell.out.line(words)


# -- everything ----------------------------------------------------------------------------------------------------


def _whole(shell: Shell, out: str, *, with_id_key: bool) -> None:
    with shell.opened() as (engine, empty):
        if empty:
            raise Ending(COULD_NOT)  # whoever asked for a file must not be told that all is well
        with _told_of_file(shell, out):
            done = _exported(shell, engine, out, with_id_key)
    gaps = f", {done.gaps} of them gaps" if done.gaps else ""
    _tell(shell, out, f"Exported {counted(done.events, 'event')}{gaps} to {out}.", {"exported": done, "file": out})


def _exported(shell: Shell, engine: "Engine", out: str, with_id_key: bool) -> "Exported":
    """Into a file, once more where something was taken back meanwhile: what was printed cannot be taken back."""
    from dnam.exports.exporting import Export, TakenBackMeanwhile

    for left in reversed(range(TRIES if out != TO_STDOUT else 1)):
        one = Export(engine, with_id_key=with_id_key)
        with engine.reading():  # follows what other processes replaced and erased
            pass
        try:
            with _target(out) as file, shell.out.progress("exporting") as tell:
                file.writelines(one.lines(tell))
            return one.exported
        except TakenBackMeanwhile:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


# -- one person ----------------------------------------------------------------------------------------------------


def _person(shell: Shell, user: str, out: str, *, markdown: bool) -> None:
    with shell.looking() as view:
        theirs = _belongings(shell, view.engine, view.rows, user)
    from dnam.exports.belongings_json import as_json

    data = _page(shell, theirs) if markdown else as_json(theirs)
    with _told_of_file(shell, out), _target(out) as file:
        file.write(data)
    counts = {"messages": len(theirs.messages), "items": len(theirs.items), "direct": len(theirs.direct)}
    nouns = {"messages": "message", "items": "item", "direct": "direct conversation"}
    words = ", ".join(counted(counts[each], noun) for each, noun in nouns.items())
    _tell(shell, out, f"Exported {theirs.name}: {words}, to {out}.", {"exported": counts, "file": out})


def _belongings(shell: Shell, engine: "Engine", rows: "Rows", user: str) -> "Belongings":
    from dnam.exports.belongings import belongings
    from dnam.finding import the_person

    person = the_person(rows, user)
    return belongings(rows, engine.live.folding, person, shell.settings.assistant_name, engine.recorder.now())


def _page(shell: Shell, theirs: "Belongings") -> bytes:
    from dnam.exports.belongings_page import page

    return page(theirs, shell.out.when).encode()


# -- DiscoClaw's files ---------------------------------------------------------------------------------------------


def _as_discoclaw(shell: Shell, folder: Path, guild: str | None) -> None:
    from dnam.discoclaw.file_set import FileSet

    with shell.opened() as (engine, empty):
        if empty:
            raise Ending(COULD_NOT)  # whoever asked for a file must not be told that all is well
        with engine.reading() as rows:
            whole = _files(rows, guild)
    files = FileSet(folder)
    if not files.claim():
        raise BadRequest(f"{folder} is being kept up by a dnam that runs: what is in it is up to date")
    nothing = {"folder": folder, "files": len(whole.files), "changed": None, "left_out": _left_out(whole)}
    try:
        files.stamp("")  # a mirror that goes on here looks at everything: these may be another guild's
        with told_so_far(shell.out, lambda: nothing):
            changed = files.put(whole.files) + files.keep_only(whole.files)
    finally:
        files.release()
    _tell_files(shell, folder, whole, changed)


def _files(rows: "Rows", guild: str | None) -> "FilesOf":
    from dnam.discoclaw.files import all_files

    return all_files(rows, _guild(rows, guild))


def _guild(rows: "Rows", guild: str | None) -> "Ref | None":
    from dnam.discoclaw.files import only_guild, the_guild

    return only_guild(rows) if guild is None else the_guild(rows, guild)


def _left_out(whole: "FilesOf") -> dict[str, int]:
    return {reason: count for reason, count in whole.left_out.most_common() if count}


def _tell_files(shell: Shell, folder: Path, whole: "FilesOf", changed: int) -> None:
    left_out = _left_out(whole)
    shell.out.note(NAMELESS)
    if shell.out.as_json:
        shell.out.emit({"folder": folder, "files": len(whole.files), "changed": changed, "left_out": left_out})
        return
    shell.out.line(f"{counted(len(whole.files), 'file')} in {folder}, {changed} of them written or removed just now.")
    for reason, count in left_out.items():
        shell.out.line(f"  left out {count}: {reason}")


COMMANDS = (Command("export", export, "export --out memory.jsonl", changes=True),)
