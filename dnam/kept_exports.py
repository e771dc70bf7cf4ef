"""Exports that somebody wrote into the data folder, and that hold a person: they go with the person.

An export is known by how it begins, whatever it is called, also one that was broken off. Where else exports lie, nobody
knows. A mirror (dnam/mirror.py) and DiscoClaw's files follow the log by themselves, or are written anew here.

    begins with                        is                           holds a person where
    ────────────────────────────────   ──────────────────────────   ──────────────────────────────────────────────
    {"line":"dnam",                    everything, as JSON lines    a vault in it lists them
    {"dnam_person":1, … "person":…     one person, as JSON          it is theirs
    # What is here of NAME             one person, as a page        it bears one of their names, then or now
    a folder with a file .dnam         DiscoClaw's files            always: they are written anew
"""

import base64
import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dnam.belongings_page import TITLE, titled
from dnam.discoclaw_files import all_files, only_guild
from dnam.file_set import MARK, FileSet
from projections.ids import Handle
from projections.people import name_of, names_of
from projections.rows import Rows

OWN = frozenset({"log", "keys", "views", "mirror", "replaced", "samples"})
"""Folders of the data folder that hold no exports."""
WHOLE, PERSON, PAGE = b'{"line":"dnam",', b'"dnam_person":', f"{TITLE} ".encode()
MOST_BEGINNING = 64


class Theirs(NamedTuple):
    """By what a person is known in exports: bytes in a whole one, bytes in one of a person, first lines of pages."""

    in_whole: tuple[bytes, ...]
    in_person: tuple[bytes, ...]
    titles: tuple[bytes, ...]


def known_by(rows: Rows, person: Handle) -> Theirs:
    """By what a person is known while they are."""
    names = {name_of(rows, person), *(each.name for each in names_of(rows, person))}
    return Theirs(
        (b'"' + base64.b64encode(person) + b'"',),
        (f'"person": "{person.hex()}"'.encode(),),
        tuple(sorted(titled(name).encode() + b"\n" for name in names)),
    )


def exports_with(data: Path, theirs: Theirs) -> list[Path]:
    """The files under a data folder that are exports and hold this person."""
    return sorted(path for path in _files(data) if _holds(path, theirs))


def file_sets_in(data: Path) -> list[Path]:
    """The folders of DiscoClaw's files that dnam wrote under a data folder, but for the mirror."""
    return sorted(path.parent for path in _files(data) if path.name == MARK)


def remove(paths: Sequence[Path]) -> None:
    """Remove these files."""
    for path in paths:
        path.unlink(missing_ok=True)


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
    """Every file under the folder that is no part of the memory itself; links are not followed."""
    for top in sorted(data.iterdir()) if data.is_dir() else ():
        if top.is_symlink() or top.name in OWN:
            continue
        found = [top] if top.is_file() else sorted(top.rglob("*"))
        yield from (each for each in found if each.is_file() and not each.is_symlink())


def _holds(path: Path, theirs: Theirs) -> bool:
    with suppress(OSError), path.open("rb") as file:
        begins = file.read(MOST_BEGINNING)
        if begins.startswith(WHOLE):
            return _contains(path, theirs.in_whole)
        if begins.startswith(b"{") and PERSON in begins:
            return _contains(path, theirs.in_person)
        if begins.startswith(PAGE):
            file.seek(0)
            return file.readline() in theirs.titles
    return False


def _contains(path: Path, wanted: tuple[bytes, ...]) -> bool:
    """Whether one of these stands in a file, of whatever size."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as seen:
        return any(seen.find(each) >= 0 for each in wanted)
