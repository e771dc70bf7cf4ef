"""What a press settled: whatever stood under its message then does nothing any more.

    Forget 1 ─▶ done ─▶ shown in place of the menu, with what undoes it
         until Discord has that, the same button can be pressed once more, or Cancel beside it:
         that waits for the first, and leaves what came of it to be read, and its undo to be pressed

The presses under one message are done one after the other, each shown before the next begins. Kept of the latest
messages are their ids and what stood under them; not whose it was, and not a word of what came of it.
A bot that was killed meanwhile kept nothing: what is pressed again is done already then, and says so (`commands`).
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import discord

from dnam.adapters.discord.ui.pressed import Pressed, part, read
from dnam.adapters.discord.ui.shown import Shown

MOST_MESSAGES = 256
"""Under how many messages it is known at a time; the one that was pressed longest ago goes first."""
UNSHOWN = (
    "I heard you the first time, and could not show you what came of it. `/memory show` lists what I remember here."
)


class Under:
    """What stood under one message when it was settled. `unshown` is what it says at the next press, if what came of
    the first could not be shown.
    """

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.unshown: Shown | None = None
        self._settled: frozenset[Pressed] = frozenset()

    def is_settled(self, interaction: discord.Interaction) -> bool:
        """Whether what was pressed is among it."""
        return _nobodys(part(interaction, "custom_id", "")) in self._settled

    def settle(self, interaction: discord.Interaction, shown: Shown) -> None:
        """What was pressed is done, and everything beside it with it; what came of that is to be shown."""
        self._settled |= frozenset(_standing(interaction.message))
        self.unshown = Shown(UNSHOWN, shown.view)


class Settled:
    """What was settled under the latest MOST_MESSAGES messages whose buttons or menus were used."""

    def __init__(self) -> None:
        self._under: OrderedDict[int, Under] = OrderedDict()

    @asynccontextmanager
    async def under(self, interaction: discord.Interaction) -> AsyncIterator[Under]:
        """What is settled under the message that was pressed, once it is this press's turn."""
        message_id = 0 if interaction.message is None else interaction.message.id
        under = self._under.setdefault(message_id, Under())
        self._under.move_to_end(message_id)
        if len(self._under) > MOST_MESSAGES:
            self._under.popitem(last=False)
        async with under.turn:
            yield under


def _standing(message: discord.Message | None) -> Iterator[Pressed]:
    """What stands under a message, as it was when it was pressed."""
    for row in [] if message is None else message.components:
        for each in row.children if isinstance(row, discord.ActionRow) else ():
            found = _nobodys(each.custom_id or "")
            if found is not None:
                yield found


def _nobodys(custom_id: str) -> Pressed | None:
    """What a button or a menu does, whoever it is for."""
    found = read(custom_id)
    return None if found is None else found._replace(user=0)
