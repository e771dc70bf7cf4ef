"""What a typed command says, in as many messages as it needs; what did not arrive is said again, and nothing twice.

    the command is carried out, once
    its reply is sent, part by part, each under a nonce made from the command's id
        │ Discord or the network does not take it
    tried again for some minutes, from the part that is missing: the nonce tells Discord whether that is there already

It is kept in memory alone, and no longer than somebody waits for it: another start knows nothing of it. What was erased
meanwhile, or is no longer for whoever can read the place, is not said.
"""

from collections.abc import Callable
from functools import partial

import discord

from dnam.adapters.discord.appearing import QUIET, nonce_of_part, reference_to, said
from dnam.adapters.discord.places import guild_id_of
from dnam.adapters.discord.splitting import split


class Replying:
    """The reply to one command. `view` stands under the end of it; `sent` is told of each message.

    Its embeds are suppressed: by that it is known for good as nothing that was said (`Desk.is_told`).
    """

    def __init__(
        self,
        message: discord.Message,
        text: str,
        view: discord.ui.View | None,
        sent: Callable[[discord.Message], None],
    ) -> None:
        self._channel = message.channel
        self._question = reference_to(message.id, message.channel.id, guild_id_of(message.channel))
        self._nonce = f"c{message.id}"
        self._parts = split(text)
        self._view = view
        self._sent = sent
        self._next = 0

    async def go_on(self) -> None:
        """Say what was not said yet. discord.HTTPException when that does not work."""
        while self._next < len(self._parts):
            index, is_last = self._next, self._next + 1 == len(self._parts)
            say = partial(
                self._channel.send,
                self._parts[index],
                nonce=nonce_of_part(self._nonce, index),
                view=self._view if self._view and is_last else discord.utils.MISSING,
                allowed_mentions=QUIET,
                suppress_embeds=True,
            )
            self._sent(await said(self._channel, self._question if index == 0 else None, say))
            self._next += 1

    def instead(self, words: str) -> None:
        """Say this, and nothing more of the reply."""
        self._parts, self._view = [*self._parts[: self._next], words], None
