"""Who can read a place, compared with what is recorded: at each connection before anything is answered there, and
whenever a channel, a role or a thread changes.
"""

import asyncio
from collections.abc import Iterable
from itertools import repeat

import discord

from dnam.adapters.discord.desk import AUDIENCES, Desk
from dnam.adapters.discord.later import AGAIN_SECONDS, Later
from dnam.adapters.discord.places import place_of
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.draft import Draft
from projections.decisions.place import PlaceSeen, widens
from projections.events.values import AudienceKind
from projections.rows import Rows
from replay.errors import LogError


class Audiences:
    """What was last compared, so that the log is asked once for each place that did not change."""

    def __init__(self, desk: Desk, later: Later) -> None:
        self._desk = desk
        self._later = later
        self._compared: dict[str, AudienceKind] = {}
        self._latest: dict[str, AudienceKind] = {}
        self._again: asyncio.Task[None] | None = None
        desk.compare_again = self._compare_again

    def forget(self) -> None:
        """Compare everything again: a connection began."""
        self._compared.clear()

    async def compare(self, seen: PlaceSeen) -> None:
        """Record it when other people can read a place than those that are known. LogError when that cannot be read or
        written, or takes too long: until it can, the desk holds the place for `uncompared`.
        """
        if seen.audience == "direct":
            return
        self._latest[seen.key] = seen.audience
        try:
            if self._compared.get(seen.key) != seen.audience:
                while await self._change(seen):  # items that are many move in several decisions
                    pass
        except Exception:  # raised again: until it works, the place is held for closed
            self._desk.uncompared[seen.key] = seen
            raise
        finally:
            if self._desk.comparing.get(seen.key) == seen:
                del self._desk.comparing[seen.key]
        if self._latest[seen.key] == seen.audience:
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
        """Record one decision about it; False when nothing is left to decide. What is as it was costs a look.

        What waited long to be recorded, and was seen otherwise meanwhile, is decided no more.
        """
        memory = self._desk.memory
        request = AudienceRequest(seen, memory.now(), memory.origin())
        if not await memory.look(lambda rows: bool(change_audience(rows, request))):
            return False

        def decide(rows: Rows) -> list[Draft]:
            return change_audience(rows, request) if self._latest[seen.key] == seen.audience else []

        recorded = await self._desk.unwritten.within(memory.record(decide))
        return bool(recorded.records)

    # -- when it changes --------------------------------------------------------------------------------------------

    def changed(self, places: list[PlaceSeen]) -> None:
        """Compare at once, not behind what is said there: what closes, closes now."""
        self._desk.comparing.update((each.key, each) for each in places)
        self._desk.sessions.submit(AUDIENCES, lambda: self._compare(places))

    async def _compare(self, places: list[PlaceSeen]) -> None:
        """What could not be recorded stays closed, is told once, and is tried again: every now and then, and before
        whatever is done next.
        """
        errors = await self.compare_all(places)
        for error in errors[:1]:
            self._later.keep_trying(AUDIENCES, self._is_compared_again, repeat(AGAIN_SECONDS))
            await self._desk.failed("audience", error)

    async def _is_compared_again(self) -> bool:
        if self._desk.uncompared:
            self._compare_again()
            await self._desk.sessions.passed(AUDIENCES)
        return not self._desk.uncompared

    def _compare_again(self) -> None:
        """Once at a time, however many ask for it."""
        if self._again is None or self._again.done():
            self._again = self._desk.sessions.submit(AUDIENCES, self._compare_what_is_left)

    async def _compare_what_is_left(self) -> None:
        await self.compare_all(list(self._desk.uncompared.values()))


def places_in(channel: discord.abc.GuildChannel | discord.Thread) -> list[PlaceSeen]:
    """A channel and the threads in it."""
    return [place_of(each) for each in (channel, *getattr(channel, "threads", ()))]
