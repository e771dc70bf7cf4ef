"""What somebody's own DMs with the bot open by what Discord says of them now: `dnam.standing`, asked of Discord.

Without the privileged intent for members the cache knows of nobody, so each is fetched: one request a server, and one
a private thread, some at a time, and only for who was ever learned from in a restricted channel. What cannot be found
out in time opens nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

import aiohttp
import discord

from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.places import PLATFORM, is_known
from dnam.standing import taught_in_channels
from projections.ids import Handle
from projections.people import accounts_of
from projections.policies.compartments import OWNER, readers_place
from projections.rows import Rows
from replay.errors import LogError

UNKNOWN = (discord.DiscordException, aiohttp.ClientError, OSError)
"""What is raised where Discord does not say."""
PATIENCE_SECONDS = 1.0
"""How long is waited for each thing that Discord is asked."""
AT_ONCE = 8
"""How many things Discord is asked at a time, about whomever."""
TURN_SECONDS = 3.0
"""How long each of them waits for its turn, at most: an answer waits for all of them."""
K = TypeVar("K")
T = TypeVar("T")
Guarded = discord.abc.GuildChannel | discord.Thread


class Reach:
    """A `Standing` that asks Discord."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._room = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, person: Handle) -> tuple[str, ...]:
        """`owner`, and what was learned from them in channels that they can read now."""
        try:
            ids, taught = await self._desk.memory.look(lambda rows: _known(rows, person))
        except (LogError, OSError):
            return ()
        owners = (OWNER,) if self._desk.owners.intersection(ids) else ()
        channels = {each: channel for each in taught if (channel := self._channel(each)) is not None}
        read = await _read_by(ids, channels.values(), self._room)
        return (*owners, *[each for each, channel in channels.items() if channel.id in read])

    def _channel(self, compartment: str) -> Guarded | None:
        """The channel that one has to read for it; None where the bot does not know it by now."""
        place = readers_place(compartment)
        if place is None or place.platform != PLATFORM or not place.key.isdecimal():
            return None
        channel = self._desk.bot.get_channel(int(place.key))
        return channel if isinstance(channel, Guarded) and is_known(channel.guild) else None


def _known(rows: Rows, person: Handle) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """A person's ids in Discord, and the compartments that are asked about."""
    accounts = (found.row for found in accounts_of(rows, person))
    ids = (each.platform_id for each in accounts if each.platform == PLATFORM)
    return tuple(int(each) for each in ids if each.isdecimal()), taught_in_channels(rows, person)


async def _read_by(ids: Iterable[int], channels: Iterable[Guarded], room: asyncio.Semaphore) -> frozenset[int]:
    """Which of some channels somebody can read now; one who is no member of a server can read none of it."""
    looked_at = [(each, channel) for channel in channels for each in ids]
    members = await _answers({
        (channel.guild.id, each): partial(channel.guild.fetch_member, each) for each, channel in looked_at
    }, room)  # fmt: skip
    may = {
        (each, channel): rights
        for each, channel in looked_at
        if (rights := _rights(channel, members.get((channel.guild.id, each)))) is not None
    }
    invited = await _answers({
        (each, channel.id): partial(channel.fetch_member, each)
        for (each, channel), rights in may.items()
        if isinstance(channel, discord.Thread) and _is_by_invitation(channel, rights)
    }, room)  # fmt: skip
    return frozenset(
        channel.id
        for (each, channel), rights in may.items()
        if _reads(channel, rights) and (not _is_by_invitation(channel, rights) or (each, channel.id) in invited)
    )


async def _answers(questions: Mapping[K, Callable[[], Awaitable[T]]], room: asyncio.Semaphore) -> dict[K, T]:
    """What Discord answers to each, asked side by side as far as there is room; without what it does not say, or not in
    time.
    """

    async def asked(ask: Callable[[], Awaitable[T]]) -> T | None:
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await room.acquire()
        except TimeoutError:
            return None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await ask()
        except (*UNKNOWN, TimeoutError):
            return None
        finally:
            room.release()

    answers = await asyncio.gather(*map(asked, questions.values()))
    return {key: answer for key, answer in zip(questions, answers, strict=True) if answer is not None}


def _rights(channel: Guarded, member: discord.Member | None) -> discord.Permissions | None:
    """What a member may do in a channel; None where nobody knows, as of a thread whose channel is not in the cache."""
    try:
        return None if member is None else channel.permissions_for(member)
    except UNKNOWN:
        return None


def _is_by_invitation(channel: Guarded, rights: discord.Permissions) -> bool:
    """Whether only who was invited reads it: a private thread, for all but those who manage threads."""
    return channel.type is discord.ChannelType.private_thread and not rights.manage_threads


def _reads(channel: Guarded, rights: discord.Permissions) -> bool:
    """Whether who has these rights there can read it."""
    listened = isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    return rights.view_channel and rights.read_message_history and (rights.connect or not listened)
