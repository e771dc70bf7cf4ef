"""*Remember this* and *Why did you say that?* in the menu of a message."""

from collections.abc import Callable, Coroutine
from typing import Any

import discord
from discord import app_commands

from dnam.adapters.discord.places import PLATFORM
from dnam.adapters.discord.translate import addressed_words, said_in, said_of, spelled
from dnam.adapters.discord.ui.asking import CONTEXTS, INSTALLS, Asking
from dnam.commands.parse import is_for_memory
from dnam.commands.pointing import Menu, Pointed
from dnam.commands.table import MENUS, point
from projections.ids import Ref

Callback = Callable[[discord.Interaction, discord.Message], Coroutine[Any, Any, None]]
"""discord.py reads off the types which menu it is: a message's."""


def menus(asking: Asking) -> list[app_commands.ContextMenu]:
    """All that can be asked of a message."""
    return [_menu(asking, each) for each in MENUS]


def pointed_at(message: discord.Message, user: discord.abc.User, own_id: int) -> Pointed:
    """The message as commands see it. A webhook's is nobody's, whatever name it goes by. `own_id` is the bot's, whose
    mention may stand in front of a command.
    """
    return Pointed(
        message=Ref(PLATFORM, str(message.id)),
        said=said_of(message.id),
        text=spelled(message.content, message.author, said_in(message), message.mentions),
        by_asker=message.author.id == user.id and message.webhook_id is None,
        is_command=is_for_memory(addressed_words(message, own_id)),
        is_own=message.author.id == own_id,
    )


def _menu(asking: Asking, menu: Menu) -> app_commands.ContextMenu:
    return app_commands.ContextMenu(
        name=menu.name, callback=_callback(asking, menu), allowed_contexts=CONTEXTS, allowed_installs=INSTALLS
    )


def _callback(asking: Asking, menu: Menu) -> Callback:
    async def callback(interaction: discord.Interaction, message: discord.Message) -> None:
        pointed = pointed_at(message, interaction.user, asking.desk.own_id)
        await asking.reply(
            interaction, lambda asked: point(asking.desk.assistant, asked, menu, pointed), changes=menu.changes
        )

    return callback
