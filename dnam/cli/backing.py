"""Keeping the log elsewhere: `backup`. It is taken beside a chat or a bot that goes on."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json
from dnam.cli.half_done import told_so_far, unknown
from dnam.cli.screen import can_be_asked, note
from dnam.cli.shell import Shell
from dnam.cli.upkeep import data_folder, tell_misfit
from projections.counting import counted
from projections.errors import BadRequest, DnamError

if TYPE_CHECKING:
    from replay.backups.backing_up import BackedUp
    from replay.backups.backing_up import Keys as WrittenKeys

LEAST_PASSPHRASE = 8
SEALED = (
    "the keys are not in it: it cannot be opened alone. Keep a copy of the `keys` folder in another place, or back up "
    "with --with-keys"
)


def backup(
    dest: Annotated[Path, typer.Argument(metavar="DEST", help="A folder elsewhere: empty, or of an earlier backup.")],
    with_keys: Annotated[
        bool | None,
        typer.Option("--with-keys/--without-keys", help="Also keep the keys there, sealed under a passphrase."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Copy the log to another place, or add what is new to the backup there.

    A chat or a bot goes on meanwhile. What was redacted or erased since the last time is dropped from the backup too.
    The passphrase is asked for, or taken from the setting DNAM_BACKUP_PASSPHRASE.
    """
    from replay.backups.backing_up import BackedUp, back_up

    shell = Shell(data, as_json)
    place = dest.expanduser()
    nothing = {"place": place, **unknown(BackedUp)}
    with told_so_far(shell.out, lambda: nothing), data_folder(shell, writable=False) as store:
        tell_misfit(shell, store)
        keys = _keys_wanted(shell, with_keys)
        with _told_unfinished(place), shell.out.progress("backing up") as progress:
            done = back_up(store, place, now(), keys, progress)
    if not done.keys:
        shell.out.note(SEALED)
    if as_json:
        shell.out.emit({"place": place, **done._asdict()})
    else:
        shell.out.line(_backed_up(place, done))


@contextmanager
def _told_unfinished(place: Path) -> Iterator[None]:
    """Where a first run breaks off, what it wrote looks like a backup: say that it is none. Where somebody breaks off a
    later one, say that what is there still is one.
    """
    from replay.backups.backup import LOCK
    from replay.backups.manifest import NAME
    from replay.errors import Busy

    try:
        yield
    except Busy:  # another process writes it
        raise
    except (DnamError, OSError, KeyboardInterrupt) as error:
        if (place / LOCK).exists() and not (place / NAME).exists():
            note(f"what lies in {place} is no backup: nothing can be restored from it. Remove it, or try again there")
        elif isinstance(error, KeyboardInterrupt) and (place / NAME).exists():
            note(f"broken off: the backup in {place} is whole, and the same command brings it up to date")
        raise


def _keys_wanted(shell: Shell, with_keys: bool | None) -> "WrittenKeys":
    from replay.ring.wrapped import Wrapping

    if with_keys is None:
        return None
    return Wrapping(passphrase_of(shell, twice=True)) if with_keys else "none"


def _backed_up(place: Path, done: "BackedUp") -> str:
    dropped = f", {counted(done.dropped, 'body')} dropped" if done.dropped else ""
    return (
        f"backup {done.run} in {place}: {counted(done.events, 'event')}, {done.new} of them new{dropped}; "
        f"{_size(done.bytes_shipped)} written, {_size(done.bytes_total)} in all; root {done.root.hex()}"
    )


def _size(count: int) -> str:
    """Bytes for people."""
    size, unit = float(count), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def passphrase_of(shell: Shell, *, twice: bool) -> str:
    """From the setting, else from the terminal, where it is not shown."""
    from getpass import getpass

    if shell.settings.backup_passphrase:
        return shell.settings.backup_passphrase
    if not _in_a_terminal():
        raise BadRequest("there is no terminal to ask for the passphrase in: set DNAM_BACKUP_PASSPHRASE")
    passphrase = getpass("Passphrase of the keys in the backup: ", stream=sys.stderr).strip()
    if twice and len(passphrase) < LEAST_PASSPHRASE:
        raise BadRequest(f"a passphrase has {LEAST_PASSPHRASE} or more characters")
    if twice and getpass("The same again: ", stream=sys.stderr).strip() != passphrase:
        raise BadRequest("the two passphrases differ. Nothing was written")
    return passphrase


def _in_a_terminal() -> bool:
    return can_be_asked()


def now() -> int:
    """The clock, in ms."""
    return time.time_ns() // 1_000_000


COMMANDS = (Command("backup", backup, "backup /mnt/elsewhere/dnam", changes=True),)
