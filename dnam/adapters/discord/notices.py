"""Telling somebody in Discord, once, that the bot learns from what they say to others: by DM, or where it learned it if
they take no DMs.
"""

import asyncio

import discord

from dnam.adapters.discord.desk import UNREACHED, Desk
from dnam.adapters.discord.places import PLATFORM
from dnam.notices import Due, due, learned_from, notice
from projections.decisions.notice import NoticeRequest, give_notice
from projections.fold import Record
from projections.ids import Handle, Ref
from projections.people import accounts_of
from projections.places import find_place
from projections.rows import Rows
from replay.errors import LogError
from replay.group import Recorded

HERE = "this server"


class Notices:
    """Watches what is recorded, and tells whom it has to."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._telling: dict[Handle, asyncio.Task[None]] = {}

    def recorded(self, recorded: Recorded) -> None:
        """Told of every decision once it is durable (`Access.watchers`)."""
        learned = learned_from(recorded.records)
        person = getattr(learned.event, "owner", None) if learned is not None else None
        if learned is None or not person or person in self._telling:
            return
        task = asyncio.ensure_future(self._guarded(learned))
        self._telling[person] = task
        task.add_done_callback(lambda _: self._telling.pop(person, None))

    async def close(self) -> None:
        """Tell nobody any more; who was not told is told when something is next learned from them."""
        tasks = list(self._telling.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _guarded(self, learned: Record) -> None:
        try:
            await self._tell(learned)
        except (*UNREACHED, LogError) as error:
            await self._desk.failed("notice", error)

    async def _tell(self, learned: Record) -> None:
        memory = self._desk.memory
        found = await memory.look(lambda rows: due(memory.engine, rows, learned))
        told = None if found is None else await self._say(found)
        if found is None or told is None:
            return
        place, message = told
        request = NoticeRequest(found.person, place, message, found.learned, memory.now(), memory.origin())
        await memory.record(lambda rows: give_notice(rows, request))

    async def _say(self, found: Due) -> tuple[Ref, Ref] | None:
        """Where it was said, and as which message; None where nobody could be reached."""
        user_id, name = await self._desk.memory.look(lambda rows: _whom(rows, found))
        if user_id is None:
            return None
        text = notice(name, self._desk.memory.settings.assistant_name)
        try:
            channel = await self._desk.bot.create_dm(discord.Object(user_id))
            sent = await self._send(channel, text)
        except discord.Forbidden:  # they take no DMs from here
            return await self._say_there(found.place, user_id, text)
        await self._desk.askers.is_direct_with(found.person)
        return Ref(PLATFORM, f"dm:{found.person.hex()}"), Ref(PLATFORM, str(sent.id))

    async def _say_there(self, place: Ref, user_id: int, text: str) -> tuple[Ref, Ref] | None:
        channel = self._desk.bot.get_channel(int(place.key)) if place.key.isdecimal() else None
        if not isinstance(channel, discord.abc.Messageable):
            return None
        sent = await self._send(channel, f"<@{user_id}> {text}", discord.Object(user_id))
        return place, Ref(PLATFORM, str(sent.id))

    async def _send(
        self, channel: discord.abc.Messageable, text: str, whom: discord.Object | None = None
    ) -> discord.Message:
        """Without embeds: by that it is known for good as nothing that was said."""
        users = [whom] if whom is not None else False
        mentions = discord.AllowedMentions(everyone=False, roles=False, users=users, replied_user=False)
        sent = await channel.send(text, allowed_mentions=mentions, suppress_embeds=True)
        self._desk.sent(sent)
        return sent


def _whom(rows: Rows, found: Due) -> tuple[int | None, str]:
    """The account to write to, and what the place is called."""
    accounts = (each.row for each in accounts_of(rows, found.person) if each.row.platform == PLATFORM)
    ids = (int(each.platform_id) for each in accounts if each.platform_id.isdecimal())
    place = find_place(rows, found.place)
    guild = None if place is None or place.row.guild is None else find_place(rows, place.row.guild)
    return next(ids, None), HERE if guild is None or not guild.row.name else guild.row.name
