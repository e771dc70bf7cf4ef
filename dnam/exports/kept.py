"""Exports and pages that somebody wrote into the data folder, and that hold a person: they go with the person.

An export is known by how it begins, whatever it is called, also one that was broken off. It names the vaults whose
words it holds, as `person.erased` does: so it is found also after a crash, when nobody knows the person any more. Where
else exports lie, nobody knows. A mirror (dnam/discoclaw/mirror.py) and DiscoClaw's files follow the log by themselves,
or are written anew here.

    begins with                        is                           names vaults
    ────────────────────────────────   ──────────────────────────   ──────────────────────────────────────────────
    {"line":"dnam",                    everything, as JSON lines    in a line for each of them
    {"dnam_person":1, … "vaults":…     one person, as JSON          among its first fields
    # What is here of NAME             one person, as a page        in its second line
    <!doctype html>, <!-- dnam …       an audit or a diff           in its second line
    a folder with a file .dnam         DiscoClaw's files            none: they are always written anew
"""

import base64
import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from dnam.beginnings import MOST_BEGINNING, PAGES, PERSON, WHOLE
from dnam.discoclaw.file_set import MARK, FileSet
from dnam.discoclaw.files import all_files, only_guild
from projections.ids import VaultId
from projections.rows import Rows
from replay.folder import sync_folder

MIRROR = "mirror"
DATABASE = ".mdb"
"""Never opened here: to close a file of LMDB's lets go of the locks that this process holds on it."""
VAULT = b'{"line":"vault","vault":"'
IN_HEX = re.compile(rb"\b[0-9a-f]{32}\b")
FIRST_FIELDS = 1024
"""In how many bytes of an export of one person its vaults are named."""


def exports_with(data: Path, vaults: Collection[VaultId]) -> list[Path]:
    """The files under a data folder that are exports and hold words of one of these vaults."""
    return sorted(path for path in _files(data) if vaults and _holds(path, frozenset(vaults)))


def file_sets_in(data: Path) -> list[Path]:
    """The folders of DiscoClaw's files that dnam wrote under a data folder, but for the mirror."""
    return sorted(path.parent for path in _files(data) if path.name == MARK and path.parent != data / MIRROR)


def remove(paths: Sequence[Path]) -> None:
    """Remove these files, so that they are not back after a power cut."""
    for path in paths:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in paths}:
        sync_folder(folder)


def write_anew(rows: Rows, folders: list[Path]) -> list[Path]:
    """Write DiscoClaw's files anew, without whoever is gone; the folders that another process is writing are left."""
    left = []
    for folder in folders:
        files = FileSet(folder)
        if not files.claim():
            left.append(folder)
            continue
        try:
            whole = all_files(rows, only_guild(rows))
            files.stamp("")
            files.put(whole.files)
            files.keep_only(whole.files)
        finally:
            files.release()
    return left


def _files(data: Path) -> Iterator[Path]:
    """Every file under the folder but the databases; links are not followed, and what vanishes meanwhile is passed."""
    for folder, _, names in os.walk(data):
        found = (Path(folder, name) for name in names if not name.endswith(DATABASE))
        yield from (each for each in found if each.is_file() and not each.is_symlink())


def _holds(path: Path, vaults: frozenset[VaultId]) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return any(each in vaults for each in _named(file))
    return False


def _named(file: BinaryIO) -> Iterator[VaultId]:
    """The vaults that an export names; none of a file that is no export."""
    begins = file.read(MOST_BEGINNING)
    file.seek(0)
    if begins.startswith(WHOLE):
        lines = (line for line in file if line.startswith(VAULT))
        yield from (VaultId(base64.b64decode(line[len(VAULT) :].partition(b'"')[0])) for line in lines)
    elif begins.startswith(b"{") and PERSON in begins:
        yield from _in_hex(file.read(FIRST_FIELDS))
    elif begins.startswith(PAGES):
        file.readline()
        yield from _in_hex(file.readline())


def _in_hex(text: bytes) -> Iterator[VaultId]:
    return (VaultId(bytes.fromhex(each.decode())) for each in IN_HEX.findall(text))
