"""Who can read a place, compared with what is recorded: at each connection before anything is answered there, and
whenever a channel, a role or a thread changes.
"""

from collections.abc import Iterable

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
        written: until it can, the desk holds the place for `uncompared`.
        """
        if seen.audience == "direct":
            return
        try:
            if self._compared.get(seen.key) != seen.audience:
                while await self._change(seen):  # items that are many move in several decisions
                    pass
        except Exception:  # raised again: until it works, the place is held for closed
            self._desk.uncompared[seen.key] = seen
            raise
        self._desk.uncompared.pop(seen.key, None)
        self._compared[seen.key] = seen.audience

    async def compare_all(self, places: Iterable[PlaceSeen]) -> list[Exception]:
        """Each of them, whatever becomes of the others; what went wrong."""
        errors: list[Exception] = []
        for seen in places:
            try:
                await self.compare(seen)
            except Exception as error:  # noqa: BLE001 - one place that cannot be compared leaves no other one open
                errors.append(error)
        return errors

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


def places_in(channel: discord.abc.GuildChannel | discord.Thread) -> list[PlaceSeen]:
    """A channel and the threads in it."""
    return [place_of(each) for each in (channel, *getattr(channel, "threads", ()))]
