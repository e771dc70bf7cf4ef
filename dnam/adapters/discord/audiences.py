"""Who can read a place, compared with what is recorded: at each connection before anything is answered there, and
whenever a channel, a role or a thread changes.
"""

import discord

from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.places import place_of
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.place import PlaceSeen, widens
from projections.events.values import AudienceKind
from replay.errors import LogError


class Audiences:
    """What was last compared, so that the log is asked once for each place that did not change."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._compared: dict[str, AudienceKind] = {}

    def forget(self) -> None:
        """Compare everything again: a connection began."""
        self._compared.clear()

    async def compare(self, seen: PlaceSeen) -> None:
        """Record it when other people can read a place than those that are known. LogError when that cannot be read or
        written: nothing is answered there then, since what may be shown is not known.
        """
        if seen.audience == "direct" or self._compared.get(seen.key) == seen.audience:
            return
        while await self._change(seen):  # items that are many move in several decisions
            pass
        self._compared[seen.key] = seen.audience

    async def is_wider(self, seen: PlaceSeen) -> bool:
        """Whether more people can read a place than the log knows of; a log that cannot be read tells nothing."""
        try:
            return await self._desk.memory.look(lambda rows: widens(rows, seen))
        except (LogError, OSError):
            return False

    async def _change(self, seen: PlaceSeen) -> bool:
        """Record one decision about it; False when nothing is left to decide. What is as it was costs a look."""
        memory = self._desk.memory
        request = AudienceRequest(seen, memory.now(), memory.origin())
        if not await memory.look(lambda rows: bool(change_audience(rows, request))):
            return False
        await memory.record(lambda rows: change_audience(rows, request))
        return True

    async def compare_channel(self, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        """A channel and the threads in it."""
        await self.compare(place_of(channel))
        for thread in getattr(channel, "threads", ()):
            await self.compare(place_of(thread))
