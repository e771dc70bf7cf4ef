"""What is this file or folder? Decided by what is in it, never by its name."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from dnam.importers import clanky, slashai, stream
from dnam.importers.discoclaw import DiscoClaw
from dnam.importers.discord_export import recognise
from dnam.importers.dnam_export import SIGN, DnamExport
from dnam.importers.locomo import LoCoMo
from dnam.importers.slashai import SlashAI
from dnam.importers.snowclaw import Snowclaw
from dnam.importers.source import FORMATS, Source, UnknownFormat, UnreadableImport


def _refuse_belongings(path: Path) -> Source:
    """What `dnam export USER` wrote is for its person to read: it has no events."""
    wrong = f"{path} is one person's export, as `dnam export USER` writes it, which cannot be imported."
    raise UnknownFormat(path, f"{wrong} `dnam export` without USER writes what can.")


SIGNS: dict[tuple[str, str], Callable[[Path], Source]] = {
    (SIGN, "number"): DnamExport,
    ("dnam_person", "number"): _refuse_belongings,
    ("messages", "start_array"): recognise,
    ("item.conversation", "start_map"): LoCoMo,
    ("npubs", "start_map"): Snowclaw,
    (f"item.{slashai.SIGN}", "string"): partial(SlashAI, layout="array"),
    (f"memories.item.{slashai.SIGN}", "string"): partial(SlashAI, layout="table"),
    (slashai.SIGN, "string"): partial(SlashAI, layout="lines"),
}
"""The first of these in a JSON file (the parser's prefix and event) says whose it is."""


def detect(path: Path) -> Source:
    """The source at a path. Raises UnknownFormat, UnreadableImport, and BrokenImport when it breaks off before it can
    be told.
    """
    try:
        return _folder(path) if path.is_dir() else _file(path)
    except OSError as error:  # a folder that may not be listed
        raise UnreadableImport(path, f"{path} cannot be read: {error.strerror}. Change its permissions.") from error


def _folder(path: Path) -> Source:
    if not any(path.iterdir()):
        raise UnknownFormat(path, f"{path} is an empty folder: there is nothing to import.")
    source = DiscoClaw(path)
    if not any(source.files()):
        looked = f"{path} is no {FORMATS['discoclaw'].removeprefix('a ')}, and holds no export of a Discord channel."
        raise UnknownFormat(path, f"{looked} To import other files that lie in it, name them one by one.")
    return source


def _file(path: Path) -> Source:
    if stream.is_blank(path):
        raise UnknownFormat(path, f"{path} is an empty file: there is nothing to import.")
    if stream.head(path, len(clanky.MAGIC)) == clanky.MAGIC:
        return clanky.recognise(path)
    if slashai.header(path) is not None:
        return SlashAI(path, "csv")
    for prefix, event, _ in stream.events(path):
        if (prefix, event) in SIGNS:
            return SIGNS[prefix, event](path)
    raise UnknownFormat(path, f"{path} is JSON, but nothing dnam reads, which is {'; '.join(FORMATS.values())}.")
