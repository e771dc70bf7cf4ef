"""What somebody's own DMs with the bot open by what Discord says of them now: `dnam.standing`, asked of Discord.

Without the privileged intent for members the cache knows of nobody, so each is fetched, one request a server, and only
for who was ever learned from in a restricted channel. What cannot be found out opens nothing.
"""

import aiohttp
import discord

from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.places import PLATFORM
from dnam.standing import taught_in_channels
from projections.ids import Handle
from projections.people import accounts_of
from projections.policies.compartments import OWNER, readers_place
from projections.rows import Rows
from replay.errors import LogError

UNKNOWN = (discord.DiscordException, aiohttp.ClientError, OSError)
"""What is raised where Discord does not say."""


class Reach:
    """A `Standing` that asks Discord."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def __call__(self, person: Handle) -> tuple[str, ...]:
        """`owner`, and what was learned from them in channels that they can read now."""
        try:
            ids, taught = await self._desk.memory.look(lambda rows: _known(rows, person))
        except (LogError, OSError):
            return ()
        owners = (OWNER,) if self._desk.owners.intersection(ids) else ()
        return (*owners, *[each for each in taught if await self._can_read(ids, each)])

    async def _can_read(self, ids: tuple[int, ...], compartment: str) -> bool:
        place = readers_place(compartment)
        if place is None or place.platform != PLATFORM or not place.key.isdecimal():
            return False
        channel = self._desk.bot.get_channel(int(place.key))
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return False
        return any([await _reads(channel, each) for each in ids])


def _known(rows: Rows, person: Handle) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """A person's ids in Discord, and the compartments that are asked about."""
    accounts = (found.row for found in accounts_of(rows, person))
    ids = (each.platform_id for each in accounts if each.platform == PLATFORM)
    return tuple(int(each) for each in ids if each.isdecimal()), taught_in_channels(rows, person)


async def _reads(channel: discord.abc.GuildChannel | discord.Thread, user_id: int) -> bool:
    """Whether a member of the server can read a channel now; one who is no member cannot."""
    try:
        member = await channel.guild.fetch_member(user_id)
        may = channel.permissions_for(member)
        if channel.type is discord.ChannelType.private_thread and not may.manage_threads:
            assert isinstance(channel, discord.Thread)
            await channel.fetch_member(user_id)
    except UNKNOWN:
        return False
    listened = isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    return may.view_channel and may.read_message_history and (may.connect or not listened)
