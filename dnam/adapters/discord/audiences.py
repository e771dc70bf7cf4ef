"""Who can read a place, compared with what is recorded: at each connection before anything is answered there, and
whenever a channel, a role or a thread changes.

What the log holds for open to a whole guild is compared from there, and not from what Discord lists: a channel may be
closed to the bot too, and an archived thread is in no list. From the beginning of a connection the guild is held for
closed until that was done. What of it is open still costs nothing but the one look; only Discord can say of a few
places what became of them, and is asked (`still_open`).
"""

import asyncio
from collections.abc import Iterable
from itertools import repeat

import discord

from dnam.adapters.discord.desk import AUDIENCES, Desk
from dnam.adapters.discord.history import is_discord_s
from dnam.adapters.discord.later import AGAIN_SECONDS, Later
from dnam.adapters.discord.places import PLATFORM, place_of
from dnam.adapters.discord.still_open import closed_now, must_be_asked_about, seen_now, whole
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.draft import Draft
from projections.decisions.place import PlaceSeen, widens
from projections.events.values import AudienceKind
from projections.ids import Ref
from projections.places import PlaceRow, open_places
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
        self._gone: set[Ref] = set()
        """Places of which Discord said that they are no more: nobody can read what imports told of them."""
        desk.compare_again = self._compare_again

    def forget(self) -> None:
        """Compare everything again, whatever is done first: a connection began."""
        self._compared.clear()
        self._desk.uncompared.update((each.key, each) for each in map(whole, self._desk.bot.guilds))

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
                if seen.kind == "guild":
                    errors += await self._compare_guild(seen)
                else:
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

    # -- all of a guild ---------------------------------------------------------------------------------------------

    async def _compare_guild(self, seen: PlaceSeen) -> list[Exception]:
        """All places of a guild that the log holds for open; what went wrong with single ones, each of which is held
        for closed then. The guild is, as long as it is not known which they are, or what became of them.
        """
        assert seen.guild is not None
        guild = self._desk.bot.get_guild(int(seen.guild.key))
        try:
            if guild is not None and guild.unavailable:  # it comes again, and is compared then
                self._desk.uncompared[seen.key] = seen
                return []
            errors = [] if guild is None else await self._compare_open(guild)
        except Exception:  # raised again, as in `compare`
            self._desk.uncompared[seen.key] = seen
            raise
        finally:
            self._desk.comparing.pop(seen.key, None)
        self._desk.uncompared.pop(seen.key, None)
        return errors

    async def _compare_open(self, guild: discord.Guild) -> list[Exception]:
        rows = await self._desk.memory.look(lambda rows: open_places(rows, Ref(PLATFORM, str(guild.id))))
        now = [(row, seen_now(row, guild)) for row in rows if is_discord_s(row.place) and row.place not in self._gone]
        errors = await self.compare_all(seen for _, seen in now if seen is not None and seen.audience != "guild")
        for row in (row for row, seen in now if seen is None):
            errors += await self.compare_all(await self._unlisted(row))
        return errors

    async def _unlisted(self, row: PlaceRow) -> list[PlaceSeen]:
        """A place that is in none of Discord's lists, as it is now; nothing where it is no more.

        It counts as closed, unless only Discord can say what it is.
        """
        if not await self._desk.memory.look(lambda rows: must_be_asked_about(rows, row)):
            return [closed_now(row)]
        try:
            return [place_of(await self._desk.bot.fetch_channel(int(row.place.key)))]
        except discord.Forbidden:
            return [closed_now(row)]
        except discord.NotFound:
            self._gone.add(row.place)
            return []

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
    """A channel and the threads in it, as far as Discord lists them."""
    return [place_of(each) for each in (channel, *getattr(channel, "threads", ()))]
