"""From what was pressed to what is done: a table. Only who asked may press."""

from collections.abc import Awaitable, Callable, Mapping

import discord

from dnam.adapters.discord.ui import picking
from dnam.adapters.discord.ui.asking import Asking
from dnam.adapters.discord.ui.pressed import Pressed, What, part, read
from dnam.adapters.discord.ui.shown import EXPIRED, Shown, paged
from dnam.commands.command import Confirms, Invocation
from dnam.commands.picking import STATUSES, Act
from dnam.commands.table import FOR_EVERYBODY, confirmed, guarded
from dnam.commands.undo import undo_change
from projections.ids import EventId

NOT_YOURS = "Only who asked for this can use it."
SILENT = "I say nothing here where others read along: so it is set. What `/memory` replies is for you alone."
OUTDATED = "This is of an older me, and does nothing any more. Ask again."
ACTS: Mapping[str, Act] = {each: each for each in STATUSES}
WITH_ACT: frozenset[What] = frozenset({"pick", "more", "do"})
"""What says first which act it is about."""
CONFIRMED: Mapping[str, Confirms] = {"erase": "erase", "erase-guild": "erase-guild"}
Press = Callable[[Asking, discord.Interaction, Pressed], Awaitable[None]]


class Presses:
    """Hears of every button and menu in Discord, and does what ours say."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """A button was pressed or a menu used, or something else happened that is none of ours, or was told before."""
        if interaction.type is not discord.InteractionType.component:
            return
        pressed = read(part(interaction, "custom_id", ""))
        if pressed is None or not self._asking.desk.takes(interaction.id):
            return
        await self._asking.guarded("answering a button", lambda: self._press(interaction, pressed))

    async def _press(self, interaction: discord.Interaction, pressed: Pressed) -> None:
        if interaction.user.id != pressed.user:
            await interaction.response.send_message(NOT_YOURS, ephemeral=True)
        elif pressed.what in WITH_ACT and pressed.more[0] not in ACTS:
            await interaction.response.edit_message(content=OUTDATED, view=None)
        else:
            await PRESSES[pressed.what](self._asking, interaction, pressed)


async def _page(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    """Ask again what the list came from: what was taken back meanwhile, or may not be told here now, is not shown.
    Where a typed command would not be replied to by now, what replied to one stays at its page.
    """
    name, page = pressed.more
    if not _is_private(interaction) and asking.admits(interaction) and await asking.is_silent(interaction):
        await interaction.response.send_message(SILENT, ephemeral=True)
        return
    work = asking.lists.asked(name)

    async def making(asked: Invocation) -> Shown:
        if work is None or not page.isdecimal():
            return Shown(EXPIRED)
        return paged(await work(_as_read(interaction, asked)), name, pressed.user, int(page))

    await asking.change(interaction, making)


async def _undo(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    change = event_of(pressed.more[0])

    async def making(asked: Invocation) -> Shown:
        if change is None:
            return Shown(OUTDATED)
        assistant, seen = asking.desk.assistant, _as_read(interaction, asked)
        reply = await guarded(assistant, seen, "Undo", lambda: undo_change(assistant, seen, change))
        return asking.lists.shown(reply, pressed.user)

    await asking.settle(interaction, making)


def event_of(text: str) -> EventId | None:
    """The event that a button names in hex."""
    try:
        return EventId(bytes.fromhex(text))
    except ValueError:
        return None


async def _pick(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    tokens: list[str] = part(interaction, "values", [])
    await picking.chosen(asking, interaction, ACTS[pressed.more[0]], tokens)


async def _more(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    act, offset = pressed.more
    await picking.turned(asking, interaction, ACTS[act], int(offset) if offset.isdecimal() else 0)


async def _do(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    await picking.done(asking, interaction, ACTS[pressed.more[0]])


async def _sure(asking: Asking, interaction: discord.Interaction, pressed: Pressed) -> None:
    what = CONFIRMED.get(pressed.more[0])

    async def making(asked: Invocation) -> Shown:
        if what is None:
            return Shown(OUTDATED)
        reply = await confirmed(asking.desk.assistant, _as_read(interaction, asked), what)
        return asking.lists.shown(reply, pressed.user)

    await asking.settle(interaction, making, everybody=what in FOR_EVERYBODY)


def _as_read(interaction: discord.Interaction, asked: Invocation) -> Invocation:
    """Who asks, as those see it who read the message that was pressed: what is shown takes the place of what it said,
    and what replied to a typed command is read by others too.
    """
    return asked if _is_private(interaction) else asked._replace(eyes=None)


def _is_private(interaction: discord.Interaction) -> bool:
    """Whether only who pressed it sees the message."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def _cancel(asking: Asking, interaction: discord.Interaction, _: Pressed) -> None:
    await asking.leave(interaction, Shown(picking.UNCHANGED))


PRESSES: Mapping[What, Press] = {
    "page": _page,
    "undo": _undo,
    "pick": _pick,
    "more": _more,
    "do": _do,
    "cancel": _cancel,
    "sure": _sure,
}
