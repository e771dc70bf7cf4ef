"""Context files: what the operator wrote about the assistant and its channels. The prompt lists them, in order; their
text is system text, and the turn's event keeps their digests.

DNAM_CONTEXT_DIR/base/*.md              always, in the order of their names
DNAM_CONTEXT_DIR/channels/<channel>.md  in that channel, and in its threads; by its id, else by its name

`/base/core.md` says how to use the prompt's memory sections. Where the operator has none, the one that comes with dnam
(content/base/core.md) stands first.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from projections.events.values import FileDigest
from projections.ids import Ref
from projections.places import find_place
from projections.rows import Rows

CORE = "/base/core.md"


class ContextFile(NamedTuple):
    """A file's path as the prompt lists it, and its text."""

    path: str
    text: str

    @property
    def digest(self) -> FileDigest:
        """What the turn's event keeps of it."""
        return FileDigest(self.path, hashlib.sha256(self.text.encode()).digest())


def context_files(folder: Path | None, *channel: str) -> tuple[ContextFile, ...]:
    """The files for a channel, which goes by any of these names: the first that has a file counts.

    A file that cannot be read is an error (OSError, UnicodeDecodeError), not silence: it may hold rules.
    """
    own = tuple(_read(folder, path) for path in _paths(folder, channel)) if folder is not None else ()
    return own if any(each.path == CORE for each in own) else (shipped(), *own)


def _paths(folder: Path, channel: tuple[str, ...]) -> Iterator[Path]:
    yield from sorted((folder / "base").glob("*.md"))
    # A name is no path: what leads elsewhere is some other channel's file, or nobody's.
    names = (name for name in channel if name and name == Path(name).name)
    found = (folder / "channels" / f"{name}.md" for name in names)
    yield from [path for path in found if path.is_file()][:1]


def _read(folder: Path, path: Path) -> ContextFile:
    return ContextFile(f"/{path.relative_to(folder).as_posix()}", path.read_text(encoding="utf-8"))


@cache
def shipped() -> ContextFile:
    """The core.md that comes with dnam."""
    file = resources.files("dnam") / "content" / "base" / "core.md"
    return ContextFile(CORE, file.read_text(encoding="utf-8"))


def channel_names(rows: Rows, place: Ref) -> tuple[str, ...]:
    """By which names a place's own file may go, the nearest first: its id and its name, then those of the channel that
    it is a thread of. A direct message has none: its id holds a person.
    """
    found = find_place(rows, place)
    if found is None or found.row.kind == "direct":
        return ()
    parent = found.row.parent
    above = None if parent is None else find_place(rows, parent)
    names = (place.key, found.row.name, parent.key if parent else "", above.row.name if above else "")
    return tuple(dict.fromkeys(name for name in names if name))
