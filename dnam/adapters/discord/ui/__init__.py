"""What people press and pick in Discord: slash commands, menus on messages, buttons, and the transparency channel.

    cog         what is added to the bot, and taken away with it
    slash       `/memory …`, made from the table of `dnam.commands`, with its completion
    pointing    *Remember this* and *Why did you say that?* in a message's menu
    asking      what every use has in common: who asks and where, in order, privately, and nothing is raised
    pressed     custom_id <-> what a button or a menu means and whose it is; pure
    shown       a reply as Discord shows it: pages, and the buttons under them
    presses     a table from what was pressed to what is done
    settled     what was pressed and is done: neither it nor what stood beside it is done again
    picking     forget and restore from a menu: choose, look, confirm, undo
    snapshots   one message per person in the transparency channel
    pins        what somebody unpinned there is pinned again

Everything that is needed to act on a button stands in the button and the message that it is under, so it works after a
restart too. Only the pages of a long list are kept in memory, the latest of them; after a restart they have expired,
and say so. So is what was settled under a message, until Discord shows it. Only who asked may press.
"""

import asyncio

from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.ui.cog import MemoryMenus
from dnam.adapters.discord.ui.shown import Lists
from dnam.unwritten import Pause

__all__ = ["MemoryMenus", "attach"]


async def attach(desk: Desk, lists: Lists | None = None, pause: Pause = asyncio.sleep) -> MemoryMenus:
    """Add commands, menus, buttons and the transparency channel to the desk's bot. Called once, before it is ready.

    They go when the bot is closed, or `desk.bot.remove_cog(MemoryMenus.NAME)` takes them away. `lists` are the long
    lists that its buttons turn, where typed commands show some too. `pause` waits so many seconds.
    """
    menus = MemoryMenus(desk, Lists() if lists is None else lists, pause)
    await desk.bot.add_cog(menus)
    return menus
