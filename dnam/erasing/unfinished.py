"""What cannot be undone and was begun, and is not done yet: erasures that were broken off by a kill or a full disk.

Whoever opens the folder for writing goes on with all of it, and a running bot with people's (finishing.py); this is for
telling, and for whoever waits for its end.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dnam.erasing.guild import guilds_in
from dnam.erasing.swept import is_due
from dnam.exports.kept import exports_with, file_sets_in
from projections.events import PersonErased
from projections.ids import Ref
from replay.engine import Engine
from replay.erasure import Erasure, unfinished
from replay.errors import NothingHere
from replay.store import DiskStore

GOES_ON = (
    "`dnam compact` goes on with it, as whoever opens the folder for writing next does; a bot that runs already goes on"
    " with a person's within ten minutes"
)


class Unfinished(NamedTuple):
    """`erasures` of people of which something is left to do: copies in the `views`, `exports` and folders with `files`
    of DiscoClaw's. `guilds` of which something is left.
    """

    erasures: tuple[Erasure, ...] = ()
    views: bool = False
    exports: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    guilds: tuple[Ref, ...] = ()


def unfinished_at(data: Path) -> Unfinished:
    """What is left to do in a data folder, before anybody opens it for writing. Nothing where there is none."""
    try:
        with Engine.open(data, writable=False) as engine:
            return unfinished_in(engine)
    except NothingHere:
        return Unfinished()


def unfinished_in(engine: Engine) -> Unfinished:
    """The same of an open memory, as it is now."""
    store = engine.store
    if not isinstance(store, DiskStore):
        return Unfinished()
    views = [each.id for each in unfinished(engine)]
    due = is_due(engine, store.path)
    exports = tuple(exports_with(store.path, store.log.erased_vaults())) if due else ()
    files = tuple(file_sets_in(store.path)) if due else ()
    erasures = list(_erasures(engine))
    left = [each for each in erasures if each.id in views] or (erasures[-1:] if exports or files else [])
    guilds = tuple(guilds_in(store.path, store.log.id))
    return Unfinished(tuple(left), bool(views), exports, files, guilds)


def _erasures(engine: Engine) -> Iterator[Erasure]:
    """All there are, the last one last."""
    for seq in sorted({seq for _, seq in engine.store.log.erasures()}):
        record = engine.live.folding.record_at(seq)
        if record is not None and isinstance(record.event, PersonErased):
            yield Erasure(record.id, record.event)


def told(left: Unfinished) -> list[str]:
    """What is left, in words; nothing where nothing is."""
    lines = []
    if left.erasures:
        which = ", ".join(each.id.hex() for each in left.erasures)
        what = " and ".join(
            name
            for name, is_left in (("the views", left.views), ("exports", bool(left.exports or left.files)))
            if is_left
        )
        lines.append(f"somebody was erased (recorded as {which}), and copies in {what} are not gone yet")
    lines += (f"the guild {each} is being erased, and some of it is not gone yet" for each in left.guilds)
    return lines
