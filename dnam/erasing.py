"""Erasing a person, for whoever asks: what it would take, doing it, and a receipt that holds nothing of what is gone.

look        keys, events by tag, exports under the data folder: nothing is changed
exports     what somebody exported into the data folder and holds the person is removed
the keys    person.erased, and the ring without them: from here on nothing of theirs can be read
the rest    views, mirror and DiscoClaw's files anew; the person's message in a transparency channel goes with the
            next round of the bot. Killed at any point, it is finished by whoever opens for writing next
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from dnam.access import Access
from dnam.kept_exports import Theirs, exports_with, file_sets_in, known_by, remove, write_anew
from projections.events.values import OPERATOR, By
from projections.ids import EventId, Handle
from replay.builder import silent
from replay.erasure import destroy_keys, extent, finish_erasures, sealed_by, vaults_of
from replay.store import DiskStore

Progress = Callable[[int, int], None]
NOUNS: Mapping[str, tuple[str, str]] = {
    "message.heard": ("message", "messages"),
    "turn.answered": ("answer", "answers"),
    "summary.refreshed": ("summary", "summaries"),
}
"""Of which events there is a word that everybody knows."""
STAYS = (
    "in the log's headers, of each event: the minute, its kind, and the number of a key that is gone. Beside Discord's"
    " own times these may tell whose it was",
    "a keyed hash of each account, so that nothing said until now comes back by an import or a backup",
    "what others typed about them, which is those people's",
)
CANNOT_REACH = (
    "Discord: messages there stay until somebody deletes them there",
    "the model provider, and what it keeps of what it was sent",
    "backups with keys, and exports or copies of this folder that lie elsewhere. The next `dnam backup` into a place "
    "takes it out of that one; a restored older backup is erased again before anything is served",
)


class Taken(msgspec.Struct, frozen=True):
    """What an erasure takes, counted. `shared`: keys that seal words of others as well. `events`: by tag. `exports`:
    files under the data folder that go with it.
    """

    keys: int
    shared: int
    events: dict[str, int]
    exports: tuple[Path, ...]


class Receipt(msgspec.Struct, frozen=True):
    """What was erased, counted; nothing of what it was. `event` is the `person.erased`; None where nothing was there to
    erase. `left` are folders of DiscoClaw's files that another process was writing. `is_complete`: nothing is left to
    do in the background.
    """

    event: EventId | None
    taken: Taken
    is_complete: bool
    left: tuple[Path, ...] = ()
    stays: tuple[str, ...] = STAYS
    cannot_reach: tuple[str, ...] = CANNOT_REACH


async def look(memory: Access, person: Handle, progress: Progress = silent) -> Taken:
    """What erasing somebody would take now."""
    return await asyncio.to_thread(_look, memory, person, progress)


def _look(memory: Access, person: Handle, progress: Progress) -> Taken:
    found, theirs = extent(memory.engine, person, progress), memory.look_here(lambda rows: known_by(rows, person))
    return Taken(found.keys, found.shared, dict(sorted(found.events.items())), _exports(memory, theirs))


def _exports(memory: Access, theirs: Theirs) -> tuple[Path, ...]:
    folder = _folder(memory)
    return () if folder is None else tuple(exports_with(folder, theirs))


def _folder(memory: Access) -> Path | None:
    store = memory.engine.store
    return store.path if isinstance(store, DiskStore) else None


async def erase(
    memory: Access, person: Handle, by: By = OPERATOR, progress: Progress = silent, *, in_background: bool = False
) -> Receipt:
    """Erase somebody. With `in_background` it returns as soon as the keys are gone, and the rest goes on."""
    return await asyncio.to_thread(_erase, memory, person, by, progress, in_background)


def _erase(memory: Access, person: Handle, by: By, progress: Progress, in_background: bool) -> Receipt:
    engine = memory.engine
    theirs = memory.look_here(lambda rows: known_by(rows, person))
    exports = _exports(memory, theirs)
    remove(exports)
    shared = vaults_of(engine, person)
    erased = destroy_keys(engine, person, by)
    if erased is None:
        return Receipt(None, Taken(0, 0, {}, exports), is_complete=True)
    vaults = erased.event.vaults
    events = dict(sorted(sealed_by(engine, vaults).items()))
    taken = Taken(len(vaults), sum(shared.get(each, False) for each in vaults), events, exports)
    left = _again(memory, theirs)
    if in_background:
        engine.finish_in_background()
    else:
        finish_erasures(engine, progress)
    return Receipt(erased.id, taken, is_complete=not in_background, left=left)


def _again(memory: Access, theirs: Theirs) -> tuple[Path, ...]:
    """What was exported while the keys went, and DiscoClaw's files, now that nothing of theirs can be read."""
    folder = _folder(memory)
    if folder is None:
        return ()
    remove(exports_with(folder, theirs))
    return tuple(memory.look_here(lambda rows: write_anew(rows, file_sets_in(folder))))


# -- in words ------------------------------------------------------------------------------------------------------


def counted(taken: Taken) -> str:
    """What is taken, as `12 messages, 3 answers and 4 other records`."""
    known = [_count(taken.events[tag], *nouns) for tag, nouns in NOUNS.items() if taken.events.get(tag)]
    items = sum(count for tag, count in taken.events.items() if tag.startswith("item."))
    rest = sum(taken.events.values()) - items - sum(taken.events.get(tag, 0) for tag in NOUNS)
    if items:
        known.append(_count(items, "step in the lives of memories", "steps in the lives of memories"))
    if rest:
        known.append(_count(rest, "other record", "other records"))
    return " and ".join(filter(None, (", ".join(known[:-1]), *known[-1:]))) or "nothing"


def keys_words(taken: Taken) -> str:
    """The keys, and what it means that others are in some."""
    keys = _count(taken.keys, "key", "keys")
    if not taken.shared:
        return keys
    return f"{keys}, {taken.shared} of which seal what others are in as well: answers and summaries that drew on them"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
