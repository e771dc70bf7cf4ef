"""Whether the memory is what it should be: `replay` builds the views anew, `verify` looks at every stored byte.

Both work on the data folder itself, beside a chat or a bot that goes on.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.ending import told_how_to_go_on
from dnam.cli.failures import FOUND_SOMETHING, Ending
from dnam.cli.half_done import told_so_far, unknown
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from projections.ids import Seq
    from replay.store import DiskStore
    from replay.tree_head import Checkpoint
    from replay.verify import Problem, Verified

OF_VIEWS, OF_A_KEY = ("views: ", "the views "), "the key of vault "
"""How problems begin that are of the views, and of a key."""
NOTHING_LOST = "nothing is lost, and the log is as it was: `dnam replay` begins anew"
TO_REPAIR = "Run `dnam verify`, and put it right from a backup with `dnam repair --from BACKUP`"
THIS_ONE = "Is this the log that is meant? The views are made of it then, and what it lost is shown by nothing here."
NAMED = 10
"""How many of the events that something is said of are named."""
NO_VIEWS = (
    "there are no views here: everything is folded from the log until `dnam replay` builds them, or a command that "
    "writes does when it starts"
)


@contextmanager
def data_folder(shell: Shell, *, writable: bool, keyless: bool = False) -> "Iterator[DiskStore]":
    """The data folder. NothingHere where there is no log: whoever checks a backup must not be told that all is well.
    `keyless`: also where its key ring is gone.
    """
    from projections.registry import FOLD
    from replay.store import DiskStore

    store = DiskStore(shell.data, FOLD, writable=writable, keyless=keyless)
    try:
        yield store
    finally:
        store.close()


# -- replay --------------------------------------------------------------------------------------------------------


def replay(
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Only compare views and rebuild; exit with 1 when they differ or cannot be used, or a body is gone.",
        ),
    ] = False,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Build every view anew from the log.

    The new ones are built beside those in force and take their place at once; a chat goes on meanwhile. It ends with 3,
    and changes nothing, where a body is missing that no event took: the old views may still have what it said. So it
    does where there is no log: a folder that is not the memory is not to pass for a sound one. Where the views were
    made of more than the log has, it asks first: with them goes what shows that the log lost its end.
    """
    shell = Shell(data, as_json, yes)
    if check:
        with data_folder(shell, writable=False) as store:
            _check(shell, store)
        return
    from replay.builder import Built

    with told_so_far(shell.out, lambda: unknown(Built)), data_folder(shell, writable=True) as store:
        _rebuild(shell, store)


def _rebuild(shell: Shell, store: "DiskStore") -> None:
    from projections.registry import FOLD
    from replay.builder import rebuild
    from replay.errors import Damaged, NewerViews
    from replay.folding import Folding
    from replay.verify import lost_bodies

    if store.newer_views():
        raise NewerViews(
            f"a newer dnam keeps views here that this one cannot build: {', '.join(sorted(store.newer_views()))}. "
            "Use the newer one; or remove the folder `views`, and then replay"
        )
    if store.views is not None and (lost := lost_bodies(store.log, Folding(FOLD, store))):
        raise Damaged(
            f"{_lost(lost)}: what the views still have of it would be gone with them, and nothing was done. {TO_REPAIR}"
            f". Without one, remove the folder {store.path / 'views'}: they are made without it then"
        )
    _accept(shell, store)
    with told_how_to_go_on(NOTHING_LOST), shell.out.progress("replaying") as progress:
        built = rebuild(store, FOLD, progress, digested=True)
    if shell.out.as_json:
        shell.out.emit({"events": built.events, "digest": built.digest})
    else:
        shell.out.line(f"{counted(built.events, 'event')} replayed. Digest of all rows: {built.digest.hex()}")


def _accept(shell: Shell, store: "DiskStore") -> None:
    """Have somebody say that the log is the one that is meant, where its views were not made of it."""
    lost = store.misfit()
    if not lost:
        return
    shell.out.note(lost)
    if not shell.out.confirm(THIS_ONE):
        shell.out.nothing_done("not replayed: nothing was changed")
        raise Ending(FOUND_SOMETHING)


def tell_misfit(shell: Shell, store: "DiskStore") -> None:
    """Say that the log lost its end, for a command that looks at the log alone."""
    lost = store.misfit()
    if lost:
        shell.out.note(lost)


def _lost(lost: "Sequence[Seq]") -> str:
    """Which bodies are missing, and that nobody took them."""
    first = ", ".join(f"#{seq}" for seq in lost[:NAMED])
    more = f" and {len(lost) - NAMED:,} more" if len(lost) > NAMED else ""
    return f"the body of {first}{more} is missing, and no event says that it was dropped"


def _check(shell: Shell, store: "DiskStore") -> None:
    from projections.registry import FOLD
    from replay.builder import check
    from replay.folding import Folding
    from replay.verify import lost_bodies

    for finding in store.findings:
        if not (store.unusable_views() and store.unusable_views() in finding.what):  # the answer says it
            shell.out.note(finding.what)
    with shell.out.progress("checking") as progress:
        found = check(store, FOLD, progress)
    lost = lost_bodies(store.log, Folding(FOLD, store))
    if shell.out.as_json:
        is_unread = bool(found.unusable) or (store.views is not None and bool(store.views.lacking))
        index = None if is_unread else "sound" if found.index_is_sound else "wrong"
        told = {
            "events": found.events,
            "equal": found.equal,
            "live": found.live,
            "rebuilt": found.rebuilt,
            "index": index,
            "unusable": found.unusable or None,
            "views": "unusable" if found.unusable else store.version_of_views(),
            "lost": lost,
        }
        shell.out.emit(told)
    elif lost:
        shell.out.line(f"{_lost(lost)}. {TO_REPAIR}")
    elif found.equal:
        shell.out.line(
            f"{counted(found.events, 'event')}: {_held_are(store)} what a rebuild makes of them ({found.live.hex()})"
        )
    elif found.unusable:
        shell.out.line(f"the views on disk cannot be used: {found.unusable}")
        shell.out.line(f"`dnam replay` makes them anew, from {counted(found.events, 'event')}")
    elif found.live == found.rebuilt:
        shell.out.line("the retrieval index is not what these views make of it: `dnam replay` makes it anew")
    else:
        shell.out.line(
            f"the views differ from a rebuild of {counted(found.events, 'event')}: `dnam replay` makes them anew"
        )
        shell.out.line(f"  views    {found.live.hex()}")
        shell.out.line(f"  rebuild  {found.rebuilt.hex()}")
    if lost or not found.equal:
        raise Ending(FOUND_SOMETHING)


def _held_are(store: "DiskStore") -> str:
    """What was held against a rebuild."""
    if store.views is None:
        return "no views are on disk; what is folded from the log is"
    return "what is folded from the log is" if store.views.lacking else "the views are"


# -- verify --------------------------------------------------------------------------------------------------------


class Since(NamedTuple):
    """A checkpoint and what was proved of it: how many events were added, by which consistency proof; None: nothing."""

    origin: str
    size: int
    root: bytes
    added: int | None = None
    proof: list[bytes] | None = None


def verify(
    opened: Annotated[bool, typer.Option("--open", help="Also open every body with its key.")] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="CHECKPOINT", help="Also prove that the log only grew since: a file, or `-`."),
    ] = None,
    vkey: Annotated[
        str | None,
        typer.Option("--vkey", metavar="KEY", help="The verifier key of the checkpoint, instead of the log's own key."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Check the tree, every stored byte and every row.

    What is found is named by its seq. Nothing is changed. Without a key ring, which is a finding, everything is looked
    at but what is sealed. Views of an earlier version, as after an upgrade, are no finding. With --since, a consistency
    proof (RFC 9162) shows besides that the log begins with what the checkpoint signed. Where there is no log, nothing
    was checked, and it ends with 3: a folder that is not the memory is not to pass for a sound one.
    """
    from replay.verify import Verified
    from replay.versions import tells_version

    shell = Shell(data, as_json)
    nothing = {**unknown(Verified), "views": None, **({} if since is None else {"since": None})}
    with told_so_far(shell.out, lambda: nothing), data_folder(shell, writable=False, keyless=True) as store:
        kept = _kept(store, since, vkey)
        seen = _verified(shell, store, opened=opened)
        found, held = _held(store, kept, seen)
        of_views = "unusable" if any(map(_is_of_views, found.problems)) else store.version_of_views()
        if shell.out.as_json:
            since_then = {} if held is None else {"since": held}
            shell.out.emit({**found._asdict(), "views": of_views, **since_then})
        else:
            _tell(shell, found, held)
        shell.out.flush()  # what was found comes first, also where both go to one file
        for each in _advice(seen.problems):
            shell.out.note(each)
        if of_views == "none":
            shell.out.note(NO_VIEWS)
        for noticed in store.findings:
            if tells_version(noticed.what):
                shell.out.note(noticed.what)
        if found.problems:
            raise Ending(FOUND_SOMETHING)


def _kept(store: "DiskStore", since: str | None, vkey: str | None) -> "Checkpoint | None":
    """The checkpoint to hold the log against, once its signature was seen to be good."""
    from replay.checkpoint import opened, verifier_of
    from replay.errors import NotACheckpoint

    if since is None:
        if vkey is not None:
            raise BadRequest("--vkey says who signed a checkpoint: name the checkpoint with --since")
        return None
    try:
        return opened(_read(since), store, None if vkey is None else verifier_of(vkey))
    except NotACheckpoint as error:
        name = "what stands in standard input" if since == "-" else since
        raise NotACheckpoint(f"{name} is no checkpoint: {error}") from error


def _read(name: str) -> bytes:
    from replay.notes import MOST_BYTES

    if name == "-":
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with Path(name).expanduser().open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadRequest(f"the checkpoint {name} cannot be read: {error.strerror}") from error


def _held(store: "DiskStore", kept: "Checkpoint | None", found: "Verified") -> "tuple[Verified, Since | None]":
    """The log as it was just read, held against a checkpoint: what it contradicts is one more problem."""
    from replay.errors import CheckpointAhead, Damaged, HistoryRewritten
    from replay.tree_head import grown_since
    from replay.verify import Problem

    if kept is None:
        return found, None
    try:
        grown = grown_since(store.log, kept, found.events, found.root)
    except (CheckpointAhead, HistoryRewritten, Damaged) as error:
        problems = (*found.problems, Problem(0, str(error)))
        return found._replace(problems=problems), Since(*kept[:3])
    return found, Since(*kept[:3], *grown)


def _verified(shell: Shell, store: "DiskStore", *, opened: bool) -> "Verified":
    """What verifying finds, and what opening noticed already: views that cannot be opened are not looked at again, and
    those of another version are no damage.
    """
    from projections.registry import FOLD
    from replay.folding import Folding
    from replay.verify import Problem, verify
    from replay.versions import tells_version

    with shell.out.progress("verifying") as progress:
        found = verify(store, Folding(FOLD, store), opened=opened, progress=progress)
    noticed = [Problem(0, each.what) for each in store.findings if not tells_version(each.what)]
    return found._replace(problems=tuple(dict.fromkeys((*noticed, *found.problems))))


def _is_of_views(problem: "Problem") -> bool:
    return problem.what.startswith(OF_VIEWS)


def _advice(problems: "Sequence[Problem]") -> "Iterator[str]":
    """What to do about what verifying found, where the problem does not say so itself."""
    from replay.codec import INSTALL
    from replay.store import RING

    said = [each.what for each in problems]
    if any(each.seq and INSTALL not in each.what for each in problems):
        yield "what is wrong with events is put right from a backup: `dnam repair --from BACKUP`"
    if any(each.startswith(OF_VIEWS) for each in said):
        yield "views hold nothing of their own: `dnam replay` builds them again"
    if any(each.startswith(OF_A_KEY) for each in said):
        yield "keys are in no backup without --with-keys: put the `keys` folder back from where you keep it"
    elif any(each.startswith(RING) for each in said):
        yield "what either copy of the key ring holds is not lost: the next command that writes mends the other"


def _tell(shell: Shell, found: "Verified", held: Since | None) -> None:
    for each in found.problems:
        shell.out.line(_problem(each))
    if held is not None and held.added is not None:
        shell.out.line(
            f"the log only grew since the checkpoint of {counted(held.size, 'event')}: {held.added or 'none'} added"
        )
    looked = f"{counted(found.events, 'event')} and {counted(found.rows, 'row')}, root {found.root.hex()}"
    count = len(found.problems)
    end = f"{counted(count, 'problem')} found" if count else "all as it was written"
    shell.out.line(f"{looked}: {end}")


def _problem(problem: "Problem") -> str:
    return f"#{problem.seq}: {problem.what}" if problem.seq else problem.what


COMMANDS = (
    Command("replay", replay, "replay --check", changes=True),
    Command("verify", verify, "verify --open --since monday.checkpoint"),
)
