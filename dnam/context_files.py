"""Context files: what the operator wrote about the assistant and its channels. The prompt lists them, in order; their
text is system text, and the turn's event keeps their digests.

DNAM_CONTEXT_DIR/base/*.md                always, in the order of their names
DNAM_CONTEXT_DIR/channels/<id>.md         in the channel with this id, and in its threads
DNAM_CONTEXT_DIR/channels/<id>/<name>.md  in the channel of this name in the server with this id, and in its threads
DNAM_CONTEXT_DIR/channels/<name>.md       the same in the server that DNAM_ALLOW_GUILDS names, where it names one alone

The first that there is counts. A name that anybody can give opens no file: not a thread's own, not that of a voice
channel, and not a channel's in some other server. What begins with a dot is none: an editor's lock, a system's notes
about a file, a draft. A file that is there and cannot be read, be it a link that leads nowhere, keeps answers from
being given where it counts, since it may hold rules; `dnam doctor` says which.

`/base/core.md` says how to use the prompt's memory sections. Where the operator has none, the one that comes with dnam
(content/base/core.md) stands first.
"""

import hashlib
from collections.abc import Collection, Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

from projections.events.heard import PlaceKind
from projections.events.values import Audience, FileDigest
from projections.ids import Ref
from projections.places import PlaceRow, find_place
from projections.rows import Rows

CORE = "/base/core.md"
NAMED: frozenset[PlaceKind] = frozenset({"channel", "forum"})
"""Places whose names are given by those who run a server; a thread is named by whoever begins it."""


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
    yield from _texts(folder / "base")
    found = (folder / "channels" / f"{name}.md" for name in channel if all(map(_is_name, name.split("/"))))
    yield from [path for path in found if _is_text(path)][:1]


def channel_files(folder: Path) -> tuple[ContextFile, ...]:
    """The files of all channels, in the order of their paths: for whoever asks whether they can be read."""
    channels = folder / "channels"
    servers = [each for each in _shown(channels) if each.is_dir()]
    return tuple(_read(folder, path) for each in (channels, *servers) for path in _texts(each))


def _texts(folder: Path) -> list[Path]:
    return [path for path in _shown(folder) if path.match("*.md") and _is_text(path)]


def _shown(folder: Path) -> list[Path]:
    """What is in a folder, by name, and begins with no dot; nothing where there is no such folder."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if _is_name(path.name))


def _is_text(path: Path) -> bool:
    """Whether a file is there: also a link that leads nowhere, which is an error, and not a folder."""
    return not path.is_dir() and (path.is_symlink() or path.exists())


def _is_name(part: str) -> bool:
    """A name is no path: what leads elsewhere is some other channel's file, or nobody's. Nor does it begin with a
    dot.
    """
    return part != "" and not part.startswith(".") and part == Path(part).name


def _read(folder: Path, path: Path) -> ContextFile:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        error.reason += f": {path} is not UTF-8"
        raise
    return ContextFile(f"/{path.relative_to(folder).as_posix()}", text)


def shipped_file() -> Traversable:
    """Where the core.md lies that comes with dnam."""
    return resources.files("dnam") / "content" / "base" / "core.md"


@cache
def shipped() -> ContextFile:
    """The core.md that comes with dnam."""
    return ContextFile(CORE, shipped_file().read_text(encoding="utf-8"))


def channel_names(rows: Rows, place: Ref, guilds: Collection[str]) -> tuple[str, ...]:
    """By which names a place's own file may go, the first that has one: its id, then the id and the names of the
    channel that it is or is a thread of. A direct message has none: its id holds a person.

    `guilds` are the ids of those in which everybody is answered (DNAM_ALLOW_GUILDS).
    """
    found = find_place(rows, place)
    if found is None or found.row.kind == "direct":
        return ()
    above = found.row.parent if found.row.kind == "thread" else place
    ids = (place.key,) if above is None else (place.key, above.key)
    channel = None if above is None else find_place(rows, above)
    names = () if channel is None else _names(channel.row, guilds)
    return tuple(dict.fromkeys((*ids, *names)))


def names_unread(place: Ref, audience: Audience) -> tuple[str, ...]:
    """By which names it goes where nothing can be read of the place: its id. What stands in a file under that holds
    there, also while the memory is gone.
    """
    return () if audience.kind == "direct" else (place.key,)


def _names(channel: PlaceRow, guilds: Collection[str]) -> tuple[str, ...]:
    """A channel's names: with its guild's id, and alone where no other guild can have one of that name."""
    if channel.kind not in NAMED or channel.guild is None or not channel.name or "/" in channel.name:
        return ()
    guild = channel.guild.key
    return (f"{guild}/{channel.name}", *([channel.name] if tuple(guilds) == (guild,) else []))
