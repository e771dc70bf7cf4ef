"""The pins of the transparency channel: a message that somebody unpinned is pinned again, as far as there is room.

Discord tells that something about the pins changed, not what; so they are listed then, and where a connection began,
which told of nothing that happened before it. What was pinned once and is not there goes back. Where the channel has no
room for it by now, or the bot may not pin, that is recorded as where it is posted, and nobody tries until its person's
memory changes.
"""

import discord

from dnam.adapters.discord.desk import Desk
from projections.decisions.snapshots import PostRequest, post_snapshot
from projections.ids import Ref
from projections.rows import Rows
from projections.snapshots import SnapshotRow, snapshots_in

Wall = discord.TextChannel | discord.Thread


class Pins:
    """Keeps the messages pinned that are recorded as pinned in a place."""

    def __init__(self, desk: Desk, place: Ref) -> None:
        self._desk = desk
        self._place = place
        self._changed = True
        self._gone: set[Ref] = set()
        """Messages that were taken down, as Discord said."""

    @property
    def is_due(self) -> bool:
        """Whether somebody may have unpinned something."""
        return self._changed

    def changed(self) -> None:
        """Somebody pinned or unpinned something there, or may have."""
        self._changed = True

    async def keep(self, channel: Wall) -> None:
        """Pin again what is not pinned any more. discord.HTTPException where the pins cannot be read just now: then it
        stays due.
        """
        self._changed = False
        try:
            rows = await self._desk.memory.look(self._once_pinned)
            there = {str(each.id) async for each in channel.pins(limit=None)} if rows else set()
            for row in rows:
                if row.message.key not in there and row.message not in self._gone:
                    await self._pin_again(channel, row)
        except Exception:  # raised again: it was not done
            self._changed = True
            raise

    def _once_pinned(self, rows: Rows) -> list[SnapshotRow]:
        return [found.row for found in snapshots_in(rows, self._place) if found.row.pinned]

    async def _pin_again(self, channel: Wall, row: SnapshotRow) -> None:
        try:
            await channel.get_partial_message(int(row.message.key)).pin()
        except discord.NotFound:
            self._gone.add(row.message)
        except discord.HTTPException:
            memory = self._desk.memory
            where, now = (row.person, row.place, row.message, row.digest), memory.now()
            request = PostRequest(*where, pinned=False, said=now, origin=memory.origin())
            await memory.record(lambda rows: post_snapshot(rows, request))


async def pinned(message: discord.Message) -> bool:
    """Pin it where it is not; whether it is. A channel has room for so many, and pinning is a permission."""
    if message.pinned:
        return True
    try:
        await message.pin()
    except discord.HTTPException:
        return False
    return True
