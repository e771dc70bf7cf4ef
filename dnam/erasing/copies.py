"""What of words that were taken back lies elsewhere under the data folder, where the log's next rewrite does not reach.

    logs that a restore moved to replaced/     as they were, and the keys still open them
    exports                                    one names the people it holds, and not what of theirs; so it may hold it

Both are somebody's to remove: they are named where something is taken back. DiscoClaw's files are written anew.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dnam.access import Access
from dnam.erasing.swept import folder_of
from dnam.exports.kept import exports_with, file_sets_in, write_anew
from projections.ids import UNSEALED, EventId, VaultId
from replay import codec
from replay.backups.restore import REPLACED


class Copies(NamedTuple):
    """Folders with older logs, and exports."""

    logs: tuple[Path, ...] = ()
    exports: tuple[Path, ...] = ()


def copies(memory: Access, events: Iterable[EventId]) -> Copies:
    """Where the words of these events may still lie, whether they are gone from the log or not."""
    folder = folder_of(memory)
    if folder is None:
        return Copies()
    return Copies(tuple(older_logs(folder)), tuple(exports_with(folder, vaults_of(memory, events))))


def older_logs(data: Path) -> list[Path]:
    """The logs that a restore moved aside in this folder."""
    aside = data / REPLACED
    return sorted(each for each in aside.iterdir() if each.is_dir()) if aside.is_dir() else []


def vaults_of(memory: Access, events: Iterable[EventId]) -> frozenset[VaultId]:
    """What sealed these events: a header says so also when the words are gone."""
    log = memory.engine.store.log
    seqs = (log.find(each) for each in events)
    stored = (log.get(seq) for seq in seqs if seq is not None)
    return frozenset(codec.decode_header(each.header).vault for each in stored if each is not None) - {UNSEALED}


def write_files_anew(memory: Access) -> tuple[Path, ...]:
    """Write DiscoClaw's files in the folder as things stand now; those that another process is writing are left."""
    folder = folder_of(memory)
    found = [] if folder is None else file_sets_in(folder)
    return tuple(memory.look_here(lambda rows: write_anew(rows, found))) if found else ()


def named(found: Copies) -> list[str]:
    """What is to be removed by hand, a line each."""
    return [
        *(f"Not taken out of the log that a restore moved to {each}: remove it when you can." for each in found.logs),
        *(
            f"Not taken out of the export {each}, which may hold it: remove it, or export anew."
            for each in found.exports
        ),
    ]
