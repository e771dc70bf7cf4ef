"""Getting the log back: `restore-backup`.

It replaces the log under everybody's feet, so it wants the folder to itself.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.backing import now, passphrase_of
from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.ending import told_how_to_go_on
from dnam.cli.failures import FOUND_SOMETHING, Ending
from dnam.cli.half_done import told_so_far, unknown
from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from replay.backups.backup import Looked, Wanted
    from replay.backups.plan import Plan
    from replay.backups.restore import Restored
    from replay.ring.records import RingRecord

ONE_OR_THE_OTHER = "either the log that was there is in force still, or all of the restored one: run the same again"
SEALED_FACTS = (
    "what was forgotten, kept private, closed to readers, cleared (summaries), or set so that less is learned or kept"
)
Source = Annotated[Path, typer.Argument(metavar="SRC", help="The folder that `dnam backup` wrote.")]


def restore_backup(
    src: Source,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="WHEN", help="Only up to then: a seq, a date, a time, or words, as in `show`."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only verify the backup, and say how far --at goes: nothing is restored.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Put the log of a backup in force, after every byte of it was checked.

    What is known to have been erased or redacted since stays so; what was forgotten, kept private, closed to readers,
    cleared (summaries), or set so that less is learned or kept, where the log that is replaced can be read. Of those,
    what cannot be opened since its key is lost is counted and told, before it asks and afterwards; as JSON `unopened`,
    how many of each kind. A log that is replaced is kept in the folder `replaced` until you remove it. No chat or bot
    may be running on the folder. With
    --check and --at, `until` as JSON is the last event that would be restored.
    """
    from replay.backups.plan import unopened_since
    from replay.backups.restore import Restored

    shell = Shell(data, as_json, yes)
    looked = looked_over(shell, src, check=check)
    if check:
        until = None if at is None else _until(shell, looked, at)
        _tell_checked(shell, looked, until, opened=_keys_checked(shell, looked))
        return
    plan = _planned(shell, looked, at)
    keys = _keys(shell, plan)  # before it asks: what they do not open is lost
    unopened = unopened_since(plan, keys)
    _tell_unknown(shell, plan, unopened)
    if plan.target.events is not None and not shell.out.confirm(_question(plan)):
        shell.out.nothing_done("not restored: nothing was changed")
        return
    with told_so_far(shell.out, lambda: {**unknown(Restored), "unopened": unopened}):
        done = _restored(shell, plan, keys)
    _tell_restored(shell, done, unopened)


def looked_over(shell: Shell, src: Path, *, check: bool = False) -> "Looked":
    """The backup, verified. Where that is all that was asked for, damage is what a check found."""
    from replay.backups.backup import Backup, look_over

    with _damage_found(shell) if check else nullcontext(), shell.out.progress("verifying the backup") as progress:
        return look_over(Backup(src.expanduser()), progress)


@contextmanager
def _damage_found(shell: Shell) -> Iterator[None]:
    from replay.errors import DamagedBackup

    try:
        yield
    except DamagedBackup as error:
        shell.out.note(str(error))
        raise Ending(FOUND_SOMETHING) from None


def _keys_checked(shell: Shell, looked: "Looked") -> bool:
    """Look at the keys in the backup as far as that can be done without asking; whether they were opened."""
    from replay.backups.plan import check_keys

    with _damage_found(shell):
        return check_keys(looked, shell.settings.backup_passphrase or None)


def _tell_checked(shell: Shell, looked: "Looked", until: int | None, *, opened: bool) -> None:
    """What the backup is; with a moment, up to which event that would be restored."""
    manifest = looked.backup.manifest
    if shell.out.as_json:
        fields = ("log", "size", "root", "made", "run", "format", "keys", "facts")
        moment = {} if until is None else {"until": until}
        shell.out.emit({name: getattr(manifest, name) for name in fields} | moment)
        return
    keys = "with its keys, under a passphrase" if manifest.keys else "without keys"
    keys += " that opens them" if opened else ""
    shell.out.line(
        f"backup {manifest.run} of log {manifest.log}, made {shell.out.when(manifest.made)}, {keys}: {manifest.size} "
        f"events, root {manifest.root}: all as it was written"
    )
    if until is not None:
        when = shell.out.when(looked.at[until - 1])
        shell.out.line(f"#1 to #{until} of it, recorded up to {when}, would be restored with this --at")


def _planned(shell: Shell, looked: "Looked", at: str | None) -> "Plan":
    from replay.backups.plan import look_at, plan

    size = looked.backup.manifest.size if at is None else _until(shell, looked, at)
    return plan(looked, look_at(shell.data, looked.backup), size)


def _until(shell: Shell, looked: "Looked", at: str) -> int:
    """The last event of a moment that somebody means."""
    from replay.backups.backup import seq_of

    return seq_of(looked, _wanted(shell, at))


def _wanted(shell: Shell, at: str) -> "Wanted":
    from datetime import UTC, datetime

    from dnam.when import read_when
    from replay.backups.backup import Wanted

    when = read_when(at, datetime.now(UTC), shell.out.zone())
    if when.ms is not None and when.ms > now():
        shell.out.note("that is in the future: all of the backup is restored")
    if when.alike:
        shell.out.note(f"--at {at}: {when.taken_for}")
    return Wanted(when.seq, when.ms, when.last_import)


def _tell_unknown(shell: Shell, plan: "Plan", unopened: Mapping[str, int]) -> None:
    """What was taken back after the backup, by nobody's knowledge here."""
    made = shell.out.when(plan.looked.backup.manifest.made)
    if plan.target.events is not None and plan.target.facts_known:
        known = "what the backup's ledger and the log that is here took back stays so, and so does"
        there = f"{known} {SEALED_FACTS}, in the log that is here{', as far as it can be opened' if unopened else ''}"
        shell.out.note(f"{there}; what another copy of it took back is not known: if there was any, do it again")
    else:
        known = f"what the backup's ledger took back stays so; what was erased or redacted after {made}"
        since = f"and {SEALED_FACTS}, after the state that is restored"
        shell.out.note(f"{known}, {since}, is not known: if there was any, do it again")
    if unopened:
        shell.out.note(
            f"{_counted(unopened)} in the log that is here, which the backup does not have, cannot be opened: the keys "
            f"are lost, or they are damaged. Unlike what can be opened, {SEALED_FACTS} by one of them is lost when you "
            f"go on; the log that is here is kept in {plan.target.path / 'replaced'}"
        )


def _counted(unopened: Mapping[str, int]) -> str:
    """`3 events (2 config.set, 1 item.forgotten)`."""
    count = sum(unopened.values())
    kinds = ", ".join(f"{each} {tag}" for tag, each in unopened.items())
    return f"{counted(count, 'event')} ({kinds})"


def _question(plan: "Plan") -> str:
    events = plan.target.events
    there = "a log that cannot be read" if events is None or events < 0 else f"a log of {counted(events, 'event')}"
    again = f" Recorded anew behind them: {_facts(len(plan.again))} at the most." if plan.again else ""
    return (
        f"{plan.target.path} holds {there}. It is moved aside, and #1 to #{plan.size} of the backup take its place."
        f"{again} Go on?"
    )


def _facts(count: int) -> str:
    return "1 later erasure, redaction or opt-out" if count == 1 else f"{count} later erasures, redactions or opt-outs"


def _restored(shell: Shell, plan: "Plan", keys: "list[RingRecord]") -> "Restored":
    from replay.backups.restore import restore

    with told_how_to_go_on(ONE_OR_THE_OTHER), shell.out.progress("restoring") as progress:
        return restore(plan, keys, now(), progress)


def _keys(shell: Shell, plan: "Plan") -> "list[RingRecord]":
    """The ring in place where it has them all, else also what the backup has under its passphrase."""
    from replay.backups.plan import keys_for

    is_whole = bool(plan.target.ring) and not plan.lacking and not plan.target.loss
    needed = not is_whole and plan.looked.backup.manifest.keys
    return keys_for(plan, passphrase_of(shell, twice=False) if needed else None)


def _tell_restored(shell: Shell, done: "Restored", unopened: Mapping[str, int]) -> None:
    if shell.out.as_json:
        shell.out.emit({**done._asdict(), "unopened": unopened})
    else:
        _tell_in_words(shell, done)
    if unopened:
        shell.out.note(
            f"warning: {_counted(unopened)} of the log that was there could not be opened, and are not in force. Look "
            "over `dnam config list`, and set again what restricted; forget or keep private again what was. The log "
            f"that was there is kept in {done.replaced}"
        )


def _tell_in_words(shell: Shell, done: "Restored") -> None:
    later = "1 later event that takes" if done.again == 1 else f"{done.again} later events that take"
    again = f", and {later} something back recorded anew behind them" if done.again else ""
    shell.out.line(f"restored #1 to #{done.events} into {shell.data}{again}")
    shell.out.line(f"{counted(done.size, 'event')}, root {done.root.hex()}")
    shell.out.line(f"It goes on as a log of its own: {done.origin}")
    if done.replaced is not None:
        shell.out.line(f"The log that was there lies in {done.replaced}. Remove it when you do not need it any more:")
        shell.out.line("what is redacted from now on is not taken out of it")


COMMANDS = (
    Command(
        "restore-backup", restore_backup, "restore-backup /mnt/elsewhere/dnam --at 'yesterday 18:00'", changes=True
    ),
)
