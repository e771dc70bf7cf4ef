"""What is to be imported, where folders are named too: a server is exported as a folder of files, one a channel.

Of several files each stands for itself: one that cannot be read stops no other. What is something else in such a
folder is left out, and told. What lies in folders within it is not looked at: the exporter keeps there what was
attached to messages, and somebody may have attached an export.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dnam.importers.detect import detect
from dnam.importers.discord_export import DiscordExport
from dnam.importers.source import FORMATS, ImportFailed, Source, UnknownFormat, UnreadableImport

OF_THE_EXPORTER = ".json"


class LeftOut(NamedTuple):
    """A file in a folder of exports that is none, and what it is instead."""

    path: Path
    why: str


class Sources(NamedTuple):
    """What there is to read. Of a folder of exports, `of_folders` are the files that are taken, `left_out` are none,
    and `broken` could not be read far enough to say.
    """

    all: tuple[Source, ...]
    of_folders: tuple[Path, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    broken: tuple[ImportFailed, ...] = ()

    def stands_apart(self, source: Source) -> bool:
        """Whether it stops nothing else where it breaks off: among others, or made of several files itself."""
        return len(self.all) > 1 or source.path in self.of_folders or source.format == "discoclaw"


def sources(paths: Iterable[Path]) -> Sources:
    """What is at these paths, in their order; in a folder of exports by the names of the files. Raises as `detect`."""
    found = [_at(path) for path in paths]
    return Sources(
        tuple(source for each in found for source in each.all),
        tuple(path for each in found for path in each.of_folders),
        tuple(other for each in found for other in each.left_out),
        tuple(error for each in found for error in each.broken),
    )


def _at(path: Path) -> Sources:
    try:
        source = detect(path)
    except UnknownFormat:
        exports = _exports(path) if path.is_dir() else None
        if exports is None:
            raise
        return exports
    return Sources((source,))


def _exports(folder: Path) -> Sources | None:
    """The exports in a folder; None where there are none."""
    taken: list[Source] = []
    left_out: list[LeftOut] = []
    broken: list[ImportFailed] = []
    for path in _inside(folder):
        try:
            found = _export(path)
        except ImportFailed as error:
            broken.append(error)
            continue
        if isinstance(found, LeftOut):
            left_out.append(found)
        else:
            taken.append(found)
    if not taken and broken:
        first, *others = broken
        first.others = tuple(others)
        raise first
    if not taken:
        return None
    return Sources(tuple(taken), tuple(each.path for each in taken), tuple(left_out), tuple(broken))


def _inside(folder: Path) -> list[Path]:
    """What lies in a folder, by name, without what is hidden."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise UnreadableImport(folder, f"{folder} cannot be read: {error.strerror}. Change its permissions.") from error


def _export(path: Path) -> DiscordExport | LeftOut:
    """The export in a file, or what it is instead. Raises BrokenImport or UnreadableImport where nobody can say."""
    if not path.is_file():  # nor is a pipe read, which nobody may write to
        return LeftOut(path, "a folder" if path.is_dir() else "no file")
    if path.suffix.lower() != OF_THE_EXPORTER:
        return LeftOut(path, "no JSON, by its name")
    try:
        found = detect(path)
    except UnknownFormat as error:
        return LeftOut(path, str(error))
    return found if isinstance(found, DiscordExport) else LeftOut(path, FORMATS[found.format])
