"""Erasing a person, for whoever asks: what it would take, doing it, and a receipt that holds nothing of what is gone.

look        keys, events by tag, exports under the data folder: nothing is changed
the keys    person.erased, and the ring without them: from here on nothing of theirs can be read
the folder  what somebody exported into the data folder and holds the person is removed, DiscoClaw's files are written
            anew (swept.py)
the rest    views anew, those of shadows too; the mirror follows; the person's message in a transparency channel goes
            with the next round of the bot. Killed at any point, it is all finished by whoever opens for writing next
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from dnam.access import Access
from dnam.erasing.swept import Swept, folder_of, sweep
from dnam.erasing.unfinished import Unfinished
from dnam.erasing.unreached import OUTSIDE, PRINTED
from dnam.errors import BrokenOff, NothingDone
from dnam.exports.kept import exports_with
from projections.counting import counted, listed
from projections.errors import DnamError
from projections.events.values import OPERATOR, By
from projections.ids import EventId, Handle, VaultId
from replay.builder import silent
from replay.erasure import destroy_keys, extent, finish_erasures, sealed_by, vaults_of
from replay.shadows.store import shadows_in

Progress = Callable[[int, int], None]
NOUNS: Mapping[str, str] = {"message.heard": "message", "turn.answered": "answer", "summary.refreshed": "summary"}
"""Of which events there is a word that everybody knows."""
STAYS = (
    "in the log's headers, of each event: the minute, its kind, and the number of a key that is gone. Beside Discord's"
    " own times these may tell whose it was",
    "in the log's redactions: the numbers of the events whose words went, and of those on which they had rested",
    "a keyed hash of each account, so that nothing said until now comes back by an import or a backup",
    "in others' messages, the number of the message that they replied to",
    "the names of servers and channels; those of threads are not kept",
    "what was forwarded from where nothing is heard, and what other bots and webhooks wrote: whose words these repeat"
    " nobody knows",
    "what others typed about them, which is those people's",
)
CANNOT_REACH = (
    *OUTSIDE,
    "backups with keys, and exports, pages or copies of this folder that lie elsewhere. The next `dnam backup` into a "
    "place takes it out of that one; an older backup is erased again when it is restored into this folder, or from a "
    "place that knows of it. Restored elsewhere, it has to be erased again by hand",
    PRINTED,
)


class Taken(msgspec.Struct, frozen=True):
    """What an erasure takes, counted. `shared`: keys that seal words of others as well. `events`: by tag. `exports`:
    files under the data folder that go with it. `shadows`: those from which it is gone as well.
    """

    keys: int
    shared: int
    events: dict[str, int]
    exports: tuple[Path, ...]
    shadows: tuple[str, ...] = ()


class Receipt(msgspec.Struct, frozen=True):
    """What was erased, counted; nothing of what it was. `event` is the `person.erased`; None where nothing was there to
    erase. `left` are folders of DiscoClaw's files that another process was writing. `is_complete`: nothing is left to
    do in the background. `cancelled` is how many batches of questions were, in which it may have stood, and `batches`
    are those that go on at the API.
    """

    event: EventId | None
    taken: Taken
    is_complete: bool
    left: tuple[Path, ...] = ()
    stays: tuple[str, ...] = STAYS
    cannot_reach: tuple[str, ...] = CANNOT_REACH
    cancelled: int = 0
    batches: tuple[str, ...] = ()


async def look(memory: Access, person: Handle, progress: Progress = silent) -> Taken:
    """What erasing somebody would take now."""
    return await asyncio.to_thread(_look, memory, person, progress)


def _look(memory: Access, person: Handle, progress: Progress) -> Taken:
    found, folder = extent(memory.engine, person, progress), folder_of(memory)
    exports = () if folder is None else tuple(exports_with(folder, vaults_of(memory.engine, person)))
    return Taken(found.keys, found.shared, dict(sorted(found.events.items())), exports, _shadows(memory))


def _shadows(memory: Access) -> tuple[str, ...]:
    folder = folder_of(memory)
    return () if folder is None else tuple(shadows_in(folder))


async def erase(
    memory: Access, person: Handle, by: By = OPERATOR, progress: Progress = silent, *, in_background: bool = False
) -> Receipt:
    """Erase somebody. With `in_background` it returns as soon as the keys are gone, and the rest goes on."""
    return await asyncio.to_thread(_erase, memory, person, by, progress, in_background)


def _erase(memory: Access, person: Handle, by: By, progress: Progress, in_background: bool) -> Receipt:
    with memory.engine.kept_open():
        return _erase_now(memory, person, by, progress, in_background)


def _erase_now(memory: Access, person: Handle, by: By, progress: Progress, in_background: bool) -> Receipt:
    engine = memory.engine
    vaults = vaults_of(engine, person)
    try:
        erased = destroy_keys(engine, person, by)
    except (DnamError, OSError) as error:
        with engine.reading():  # opens anew what LMDB gave up
            erased_by_now = engine.store.log.erased_vaults()
        if not erased_by_now & vaults.keys():  # nothing was changed
            raise NothingDone(f"nobody was erased, and nothing was changed: {error}") from error
        raise BrokenOff(f"not every key is destroyed yet: {error}") from error
    if erased is None:
        return Receipt(None, Taken(0, 0, {}, ()), is_complete=True)
    shared = sum(vaults.get(each, False) for each in erased.event.vaults)
    return _rest(memory, erased.id, erased.event.vaults, shared, progress, in_background)


def _rest(
    memory: Access, event: EventId, vaults: Sequence[VaultId], shared: int, progress: Progress, in_background: bool
) -> Receipt:
    """What is left to do once the keys are gone. BrokenOff where not all of it can be done."""
    engine, swept = memory.engine, Swept()
    events = dict(sorted(sealed_by(engine, vaults).items()))
    troubles: list[Exception] = []
    try:
        swept = sweep(memory)
    except (DnamError, OSError) as error:  # a file that cannot be removed does not keep the rest
        troubles.append(error)
    if in_background:
        engine.view_errors.extend(troubles)
        engine.finish_in_background()
    else:
        try:
            finish_erasures(engine, progress)
        except (DnamError, OSError) as error:
            troubles.insert(0, error)
        if troubles:
            raise BrokenOff(f"copies in the views or in exports are not gone yet: {troubles[0]}") from troubles[0]
    taken = Taken(len(vaults), shared, events, swept.exports, _shadows(memory))
    return Receipt(event, taken, is_complete=not in_background, left=swept.left)


async def go_on(memory: Access, left: Unfinished, progress: Progress = silent) -> Receipt:
    """Finish erasures that were broken off, as they were found before the memory was opened; one receipt for all. How
    many of their keys were shared is not known any more.
    """
    return await asyncio.to_thread(_go_on, memory, left, progress)


def _go_on(memory: Access, left: Unfinished, progress: Progress) -> Receipt:
    if memory.engine.finisher is not None:
        memory.engine.finisher.join()
    vaults = [vault for each in left.erasures for vault in each.event.vaults]
    with memory.engine.kept_open():
        receipt = _rest(memory, left.erasures[-1].id, vaults, 0, progress, in_background=False)
    return with_exports(receipt, left.exports)


def with_exports(receipt: Receipt, removed: Sequence[Path]) -> Receipt:
    """The receipt, which names also exports that were removed when the folder was opened."""
    exports = tuple(dict.fromkeys((*removed, *receipt.taken.exports)))
    return msgspec.structs.replace(receipt, taken=msgspec.structs.replace(receipt.taken, exports=exports))


# -- in words ------------------------------------------------------------------------------------------------------


def person_counted(taken: Taken) -> str:
    """What is taken, as `12 messages, 3 answers and 4 other records`."""
    known = [counted(taken.events[tag], noun) for tag, noun in NOUNS.items() if taken.events.get(tag)]
    items = sum(count for tag, count in taken.events.items() if tag.startswith("item."))
    rest = sum(taken.events.values()) - items - sum(taken.events.get(tag, 0) for tag in NOUNS)
    if items:
        known.append(f"{counted(items, 'step')} in the lives of memories")
    if rest:
        known.append(counted(rest, "other record"))
    return listed(known) or "nothing"


def keys_words(taken: Taken) -> str:
    """The keys, and what it means that others are in some."""
    keys = counted(taken.keys, "key")
    if not taken.shared:
        return keys
    seal = "seals" if taken.shared == 1 else "seal"
    return f"{keys}, {taken.shared} of which {seal} what others are in as well: answers, summaries, forwards"
