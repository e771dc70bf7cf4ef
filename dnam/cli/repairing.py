"""Putting right what is damaged, from a backup: `repair`. A chat or a bot goes on meanwhile."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.ending import told_how_to_go_on
from dnam.cli.failures import FOUND_SOMETHING, Ending
from dnam.cli.half_done import told_so_far
from dnam.cli.restoring import looked_over
from dnam.cli.shell import Shell
from dnam.cli.upkeep import data_folder
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from replay.backups.backup import Backup
    from replay.builder import Progress
    from replay.errors import LogError
    from replay.repair.repairing import Examined, Repair
    from replay.store import DiskStore
    from replay.verify import Verified

OF_RING = "the key ring, one copy from the other"
NOTHING_HALF = "nothing is repaired by halves: run the same command again, which looks at what is still to be done"


def repair(
    src: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="BACKUP", help="The folder that `dnam backup` wrote; not needed for CURRENT and keys."
        ),
    ] = None,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Fetch damaged events from a backup of the same log; what was dropped stays dropped.

    A damaged copy of the key ring is written anew from the other, without a backup too. So is log/CURRENT where it is
    lost or damaged, and there is one log beside it.
    Says what it found, and asks before it changes anything. Exit with 1 when something could not be repaired.
    """
    shell = Shell(data, as_json, yes)
    nothing = dict.fromkeys(("repaired", "events", "root", "problems"))
    with told_so_far(shell.out, lambda: nothing), told_how_to_go_on(NOTHING_HALF):
        named = _named(shell)
        done, after = _from_itself(shell, is_asked=not named) if src is None else _repaired(shell, src)
    _tell(shell, (*named, *done), after)
    if after.problems:
        raise Ending(FOUND_SOMETHING)


def _named(shell: Shell) -> "tuple[Repair, ...]":
    """Have CURRENT name the log again, where it does not and that was agreed to."""
    from replay.errors import CurrentLost
    from replay.folder import Folder
    from replay.repair.repairing import Repair
    from replay.which_log import only_log, refuse_lost, repair_current

    try:
        refuse_lost(Folder(shell.data / "log"))
    except CurrentLost as error:
        only = only_log(Folder(shell.data / "log"))
        if only is None:
            raise
        shell.out.note(str(error))
        if not shell.out.confirm(f"Have CURRENT name {only.name}?"):
            _declined(shell)
        found = repair_current(shell.data)
        return () if found is None else (Repair(0, "current", f"CURRENT names {found.name} again", can=True),)
    return ()


def _declined(shell: Shell) -> NoReturn:
    shell.out.nothing_done("not repaired: nothing was changed")
    raise Ending(FOUND_SOMETHING)


def _from_itself(shell: Shell, *, is_asked: bool) -> "tuple[tuple[Repair, ...], Verified]":
    """What is repaired without a backup: a copy of the key ring from the other. BadRequest where there is no such
    thing to repair, and it `is_asked`.
    """
    damage = _of_ring(shell)
    if not damage:
        if is_asked:
            raise BadRequest("what is damaged is fetched from a backup: name it with --from BACKUP")
        return (), _looked_at(shell)
    for what in damage:
        shell.out.note(what)
    if not shell.out.confirm(f"Repair {OF_RING}?"):
        _declined(shell)
    return _ring_mended(shell), _looked_at(shell)


def _of_ring(shell: Shell) -> list[str]:
    """What is wrong with the copies of the key ring. KeyRingDamaged where it is not in one of them alone."""
    with data_folder(shell, writable=False) as store:
        return store.ring.damage()


def _ring_mended(shell: Shell) -> "tuple[Repair, ...]":
    from replay.repair.repairing import ring_repairs

    with data_folder(shell, writable=True) as store:
        return ring_repairs(store)


def _looked_at(shell: Shell) -> "Verified":
    with data_folder(shell, writable=False) as store, shell.out.progress("verifying the log") as progress:
        return _verified(store, progress)


def _repaired(shell: Shell, src: Path) -> "tuple[tuple[Repair, ...], Verified]":
    """What was repaired from a backup, and what verifying finds afterwards."""
    import lmdb

    from replay.errors import DamagedPages, NotALog, Truncated
    from replay.repair.of_pages import refuse_bad_pages

    try:
        try:
            after, source = _asked(shell, src)
        except lmdb.Error:
            refuse_bad_pages(shell.data)
            raise
    except (DamagedPages, NotALog, Truncated) as error:  # it cannot even be opened
        return _saved(shell, src, error)
    return ((), after) if source is None else _put_right(shell, source)


def _asked(shell: Shell, src: Path) -> "tuple[Verified, Backup | None]":
    """What is wrong, and the backup to put it right with once that was agreed to; None where nothing is wrong."""
    from replay.repair.repairing import refuse_foreign

    with data_folder(shell, writable=False) as store:
        with shell.out.progress("verifying the log") as progress:
            found = _verified(store, progress)
        source = looked_over(shell, src).backup
        if not found.problems:
            refuse_foreign(store.log, source)
            return found, None
        _ask(shell, store, source, found)
        return found, source


def _verified(store: "DiskStore", progress: "Progress | None" = None) -> "Verified":
    from projections.registry import FOLD
    from replay.builder import silent
    from replay.folding import Folding
    from replay.verify import verify

    return verify(store, Folding(FOLD, store), progress=progress or silent)


def _ask(shell: Shell, store: "DiskStore", source: "Backup", verified: "Verified") -> None:
    """Say what is damaged, and ask."""
    from replay.errors import Damaged
    from replay.repair.repairing import examine, unproved
    from replay.store import RING

    ring = [each.what for each in verified.problems if each.what.startswith(RING)]
    for what in ring:
        shell.out.note(what)
    with shell.out.progress("comparing") as progress:
        found = examine(store.log, source, progress)
    for each in found.repairs:
        shell.out.note(f"#{each.seq}: {each.what}{'' if each.can else '; the backup cannot help'}")
    if not found.proved:
        raise Damaged(unproved(found, source))
    others = len(verified.problems) > len(ring)
    if not shell.out.confirm(f"Repair {_counted(found, ring=bool(ring), others=others)}?"):
        _declined(shell)


def _put_right(shell: Shell, source: "Backup") -> "tuple[tuple[Repair, ...], Verified]":
    """Repair; what was repaired, and what verifying finds afterwards."""
    from replay.repair.repairing import repair as put_right

    with data_folder(shell, writable=True) as store:
        with shell.out.progress("repairing") as progress:
            found = put_right(store, source, progress)
        return tuple(each for each in found.repairs if each.can), _verified(store)


def _saved(shell: Shell, src: Path, error: "LogError") -> "tuple[tuple[Repair, ...], Verified]":
    """Repair a log whose pages do not fit together: what can be read of it is kept."""
    from replay.repair.of_pages import repair_pages

    shell.out.note(str(error))
    source = looked_over(shell, src).backup
    with ExitStack() as bars:

        def agree(found: "Examined") -> "Progress":
            _ask_to_keep(shell, found)
            return bars.enter_context(shell.out.progress("repairing"))

        found = repair_pages(shell.data, source, agree)
    with data_folder(shell, writable=False) as store:
        return tuple(each for each in found.repairs if each.can), _verified(store)


def _ask_to_keep(shell: Shell, found: "Examined") -> None:
    """Say what is lost for good, and how far the log goes where it no longer says so itself, and ask."""
    record = [each.what for each in found.repairs if each.part == "record"]
    lost = [each for each in found.repairs if not each.can]
    for what in record:
        shell.out.note(what)
    for each in lost:
        shell.out.note(f"#{each.seq}: {each.what}{'; the backup cannot help' if each.part == 'body' else ''}")
    end = "" if found.end is None else f", which ends with #{found.end},"
    if not shell.out.confirm(f"Keep what can be read of the log{end or ','} and fetch the rest from the backup?"):
        _declined(shell)


def _counted(found: "Examined", *, ring: bool, others: bool) -> str:
    """What is to be repaired. `others`: whether verifying named more than the key ring."""
    count = len({each.seq for each in found.repairs if each.can})
    events = counted(count, "event") if count else "the tables that follow from the headers"
    return " and ".join(([OF_RING] if ring else []) + ([events] if others else []))


def _tell(shell: Shell, done: "tuple[Repair, ...]", after: "Verified") -> None:
    if shell.out.as_json:
        shell.out.emit({"repaired": done, "events": after.events, "root": after.root, "problems": after.problems})
        return
    for each in done:
        shell.out.line(f"{f'#{each.seq}: ' if each.seq else ''}repaired ({each.what})")
    for problem in after.problems:
        shell.out.line(f"{f'#{problem.seq}: ' if problem.seq else ''}not repaired: {problem.what}")
    end = f"{counted(len(after.problems), 'problem')} left" if after.problems else "all as it was written"
    shell.out.line(f"{counted(after.events, 'event')}, root {after.root.hex()}: {end}")


COMMANDS = (Command("repair", repair, "repair --from /mnt/elsewhere/dnam", changes=True),)
