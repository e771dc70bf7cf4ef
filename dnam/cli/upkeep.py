"""Whether the memory is what it should be: `replay` builds the views anew, `verify` looks at every stored byte.

Both work on the data folder itself, beside a chat or a bot that goes on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.shell import FOUND_SOMETHING, Command, Data, Ending, Json, Shell

if TYPE_CHECKING:
    from replay.store import DiskStore
    from replay.verify import Problem, Verified


@contextmanager
def _opened(shell: Shell, *, writable: bool) -> "Iterator[DiskStore]":
    """The data folder. NothingHere where there is no log: whoever checks a backup must not be told that all is well."""
    from projections.registry import FOLD
    from replay.store import DiskStore

    store = DiskStore(shell.data, FOLD, writable=writable)
    try:
        yield store
    finally:
        store.close()


# -- replay --------------------------------------------------------------------------------------------------------


def replay(
    check: Annotated[
        bool, typer.Option("--check", help="Only compare the views with a rebuild; exit with 1 when they differ.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Build every view anew from the log.

    The new ones are built beside those in force and take their place at once; a chat goes on meanwhile.
    """
    shell = Shell(data, as_json)
    with _opened(shell, writable=not check) as store:
        _check(shell, store) if check else _rebuild(shell, store)


def _rebuild(shell: Shell, store: "DiskStore") -> None:
    from projections.registry import FOLD
    from replay.builder import rebuild
    from replay.errors import NewerViews

    if store.newer_views():
        raise NewerViews(
            f"a newer dnam keeps views here that this one cannot build: {', '.join(sorted(store.newer_views()))}. "
            "Use the newer one; or remove the folder `views`, and then replay"
        )
    with shell.out.progress("replaying") as progress:
        built = rebuild(store, FOLD, progress, digested=True)
    if shell.out.as_json:
        shell.out.emit({"events": built.events, "digest": built.digest})
    else:
        shell.out.line(f"{built.events} events replayed. Digest of all rows: {built.digest.hex()}")


def _check(shell: Shell, store: "DiskStore") -> None:
    from projections.registry import FOLD
    from replay.builder import check

    for finding in store.findings:
        shell.out.note(finding.what)
    with shell.out.progress("checking") as progress:
        found = check(store, FOLD, progress)
    if shell.out.as_json:
        shell.out.emit({"events": found.events, "equal": found.equal, "live": found.live, "rebuilt": found.rebuilt})
    elif found.equal:
        what = "the views are" if store.views is not None else "no views are on disk; what is folded from the log is"
        shell.out.line(f"{found.events} events: {what} what a rebuild makes of them ({found.live.hex()})")
    else:
        shell.out.line(f"the views differ from a rebuild of {found.events} events: `dnam replay` makes them anew")
        shell.out.line(f"  views    {found.live.hex()}")
        shell.out.line(f"  rebuild  {found.rebuilt.hex()}")
    if not found.equal:
        raise Ending(FOUND_SOMETHING)


# -- verify --------------------------------------------------------------------------------------------------------


def verify(
    opened: Annotated[bool, typer.Option("--open", help="Also open every body with its key.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Check the tree, every stored byte and every row.

    What is found is named by its seq. Nothing is changed.
    """
    shell = Shell(data, as_json)
    with _opened(shell, writable=False) as store:
        found = _verified(shell, store, opened=opened)
        if shell.out.as_json:
            shell.out.emit(found)
        else:
            _tell(shell, found)
        if found.problems:
            raise Ending(FOUND_SOMETHING)


def _verified(shell: Shell, store: "DiskStore", *, opened: bool) -> "Verified":
    """What verifying finds, and what opening noticed already: views that cannot be opened are not looked at again."""
    from projections.registry import FOLD
    from replay.folding import Folding
    from replay.verify import Problem, verify

    with shell.out.progress("verifying") as progress:
        found = verify(store, Folding(FOLD, store), opened=opened, progress=progress)
    noticed = [Problem(0, each.what) for each in store.findings]
    return found._replace(problems=(*noticed, *found.problems))


def _tell(shell: Shell, found: "Verified") -> None:
    for each in found.problems:
        shell.out.line(_problem(each))
    looked = f"{found.events} events and {found.rows} rows, root {found.root.hex()}"
    count = len(found.problems)
    shell.out.line(f"{looked}: {f'{count} problem(s) found' if count else 'all as it was written'}")


def _problem(problem: "Problem") -> str:
    return f"#{problem.seq}: {problem.what}" if problem.seq else problem.what


COMMANDS = (
    Command("replay", replay, "replay --check"),
    Command("verify", verify, "verify --open"),
)
