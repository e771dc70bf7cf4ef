"""Erasing a guild, for whoever asks: what it would take, doing it, and a receipt that holds nothing of what is gone.

the note      data/erasing-guilds says which guild, and up to when
the exports   those under the data folder that hold somebody who said something there are removed: an export names its
              people, and not where they said what
the log       part by part (projections/decisions/erase_guild.py); others write in between, and what they write stays
the shadows   in each the same
the rest      DiscoClaw's files are written anew, and the note goes

Killed at any point, the note stands, and whoever opens the folder for writing next goes on.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from dnam.access import Access
from dnam.erasing.copies import older_logs, vaults_of, write_files_anew
from dnam.erasing.swept import Tell, folder_of
from dnam.erasing.unreached import OUTSIDE, PRINTED
from dnam.errors import BrokenOff
from dnam.exports.kept import exports_with, remove
from projections.counting import counted, listed
from projections.decisions.erase_guild import EraseGuildRequest, Held, erase_guild, held
from projections.errors import DnamError
from projections.events import MessageRedacted
from projections.events.values import OPERATOR, By
from projections.ids import Ref
from replay.chronicle import LogChronicle
from replay.folder import replace_file
from replay.group import Recorded
from replay.shadows.store import shadows_in

FILE = "erasing-guilds"
STAYS = (
    "what its members keep in their direct messages, in other servers, and what follows them everywhere",
    "their names and accounts, and what they set for themselves: `dnam erase USER` takes somebody away",
    "what is set there so that less is learned or kept: `learn` and `retention_days`",
    "that its members were told of being learned from, and when; and, where the memory channel is there, its id and"
    " those of the messages in it",
    "in the log's headers, of each event: the minute, its kind, and the number of a key",
    "in the log's redactions: the numbers of the events whose words went, and of those on which they had rested",
    "until `dnam compact`, or a bot's next night: the bytes of what was dropped, in the log and in the views",
    "whatever is said there from now on, unless the bot leaves",
)
CANNOT_REACH = (
    *OUTSIDE,
    "backups with keys, logs that a restore moved to `replaced`, and exports, pages or copies of this folder that lie "
    "elsewhere",
    PRINTED,
)


class GuildTaken(msgspec.Struct, frozen=True):
    """What erasing a guild takes, counted. `others` are summaries, raw replies, and what was taken back or refused."""

    messages: int
    answers: int
    items: int
    others: int
    exports: tuple[Path, ...]


class GuildReceipt(msgspec.Struct, frozen=True):
    """What was erased, counted. `redacted` is how many events lost their words, other versions of a message and places
    too; `logs` are older ones that hold it still. `cancelled` and `batches` are as in a person's receipt.
    """

    redacted: int
    taken: GuildTaken
    left: tuple[Path, ...]
    logs: tuple[Path, ...]
    stays: tuple[str, ...] = STAYS
    cannot_reach: tuple[str, ...] = CANNOT_REACH
    cancelled: int = 0
    batches: tuple[str, ...] = ()


async def look_at_guild(memory: Access, guild: Ref) -> GuildTaken:
    """What erasing it would take now."""
    return await asyncio.to_thread(_taken, memory, guild, None)


def _taken(memory: Access, guild: Ref, until: int | None) -> GuildTaken:
    there = memory.look_here(lambda rows: held(rows, guild, until))
    messages, answers, items, others = map(len, (there.messages, there.answers, there.items, there.others))
    return GuildTaken(messages, answers, items, others, _exports(memory, there))


def _exports(memory: Access, there: Held) -> tuple[Path, ...]:
    folder = folder_of(memory)
    events = (*there.messages, *there.answers, *there.items, *there.others)
    return () if folder is None else tuple(exports_with(folder, vaults_of(memory, events)))


async def erase_whole_guild(memory: Access, guild: Ref, by: By = OPERATOR) -> GuildReceipt:
    """Erase it, of all that was said and learned there until now. BrokenOff where not all of it can be done."""
    said = (await memory.look(lambda rows: held(rows, guild))).said
    until = max(memory.now(), said)  # a platform's clock may be ahead
    _note(memory, {**_noted(memory), guild: until})
    try:
        return await _finish(memory, guild, until, by)
    except (OSError, DnamError) as error:
        raise BrokenOff(f"{guild} is not erased yet, and whoever writes next goes on with it: {error}") from error


async def _finish(memory: Access, guild: Ref, until: int, by: By) -> GuildReceipt:
    taken = await asyncio.to_thread(_taken, memory, guild, until)
    remove(taken.exports)
    redacted = await _redact(memory, guild, until, by)
    await asyncio.to_thread(_redact_in_shadows, memory, guild, until, by)
    left = await asyncio.to_thread(write_files_anew, memory)
    _note(memory, {each: when for each, when in _noted(memory).items() if each != guild})
    folder = folder_of(memory)
    return GuildReceipt(redacted, taken, left, () if folder is None else tuple(older_logs(folder)))


def _redact_in_shadows(memory: Access, guild: Ref, until: int, by: By) -> None:
    folder = folder_of(memory)
    if folder is None or not shadows_in(folder):
        return
    from dnam.rederiving.compacting import erase_guild_in_shadows  # it loads all of a derivation

    erase_guild_in_shadows(memory.engine, guild, until, by)


async def _redact(memory: Access, guild: Ref, until: int, by: By) -> int:
    """Part by part, until nothing is left; how many events lost their words."""
    bodies = 0
    while True:
        recorded = await _part(memory, EraseGuildRequest(guild, until, memory.origin(), by))
        if not recorded.records:
            return bodies
        bodies += sum(len(each.events) for each in recorded.events if isinstance(each, MessageRedacted))


async def _part(memory: Access, request: EraseGuildRequest) -> Recorded:
    return await memory.record(lambda rows: erase_guild(rows, LogChronicle(memory.engine.live), request))


# -- going on ------------------------------------------------------------------------------------------------------


async def go_on_erasing_guilds(memory: Access, tell: Tell) -> None:
    """Finish what was broken off, when a folder is opened. `tell` hears of it, also why it cannot be: then the next to
    open it tries again.
    """
    noted = _noted(memory) if memory.engine.store.writable else {}
    for guild, until in noted.items():
        tell(f"the erasing of the guild {guild} was broken off, and goes on now")
        try:
            await _finish(memory, guild, until, OPERATOR)
        except (OSError, DnamError) as error:
            tell(f"the guild {guild} is not erased yet, and it is tried again: {error}")


def guilds_in(data: Path, log: bytes) -> dict[Ref, int]:
    """The guilds of this log that are being erased, by what stands in the data folder, and up to when (ms)."""
    with suppress(OSError):
        lines = (line.split(" ", 2) for line in (data / FILE).read_text("utf-8").splitlines())
        return {Ref(*guild.split(":", 1)): int(until) for of, until, guild in lines if of == log.hex()}
    return {}


def _noted(memory: Access) -> dict[Ref, int]:
    folder = folder_of(memory)
    return {} if folder is None else guilds_in(folder, memory.engine.store.log.id)


def _note(memory: Access, guilds: Mapping[Ref, int]) -> None:
    folder, log = folder_of(memory), memory.engine.store.log.id.hex()
    if folder is None:
        return
    if not guilds:
        (folder / FILE).unlink(missing_ok=True)
        return
    replace_file(folder / FILE, "".join(f"{log} {until} {guild}\n" for guild, until in guilds.items()).encode())


# -- in words ------------------------------------------------------------------------------------------------------


def guild_counted(taken: GuildTaken) -> str:
    """What is taken, as `12 messages, 3 answers, 4 memories and 5 other records`."""
    counts = {
        "message": taken.messages,
        "answer": taken.answers,
        "memory": taken.items,
        "other record": taken.others,
    }
    return listed([counted(number, noun) for noun, number in counts.items() if number]) or "nothing"
