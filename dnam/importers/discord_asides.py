"""What in an export was asked of the memory, and what it said to that: nothing that was said, live and here.

An export has what was typed, and not all by which the bot itself knows its own messages live: their flags. So the
reply to a typed command is known by what it replies to, and what follows it by nobody else having written between. By a
command and by a snapshot the same is meant as live (`commands.parse`, `snapshot`).
"""

import re
from collections.abc import Iterator, Sequence

from dnam.commands.command import SLASH
from dnam.commands.parse import is_for_memory
from dnam.importers.discord_form import TO_COMMANDS, Message, User, author_kind
from dnam.snapshot import is_snapshot
from projections.events.values import AuthorKind
from projections.ids import Ref

COMMAND = "a command to the memory, which is nothing that was said"
REPLY = "what the memory replied to a command"
SHOWN = "what a transparency channel showed"
"""Why something is skipped."""


class Asides:
    """Told of each message of a channel in turn, by whoever wrote it (`author_kind`). `shows_memory`: it is the
    transparency channel.
    """

    def __init__(self, assistants: Sequence[str], *, shows_memory: bool) -> None:
        self._assistants = assistants
        self._shows_memory = shows_memory
        self._asides: set[str] = set()
        self._is_aside = False
        """Whether what was written last was a command, or said to one."""

    def why_not_said(self, message: Message, author: AuthorKind, reply_to: Ref | None) -> str:
        """The reason why a message is nothing that was said; empty where it was."""
        is_own = author == "self"
        if (is_own and self._shows_memory) or (author in ("self", "bot") and is_snapshot(message.content or "")):
            return SHOWN
        if author in ("self", "bot"):
            self._is_aside = self._answers_command(message, reply_to, is_own=is_own)
        else:
            self._is_aside = author == "person" and is_for_memory(self._addressed_words(message))
        if not self._is_aside:
            return ""
        self._asides.add(message.id)
        return COMMAND if author == "person" else REPLY

    def _answers_command(self, message: Message, reply_to: Ref | None, *, is_own: bool) -> bool:
        """Whether a bot's message answers a command of the memory's: it replies to one, it is what an interaction
        brought, or it follows one or another such answer at once. Of another bot's interaction the name has to say so,
        and it follows nothing where it is known who was the assistant.
        """
        if message.interaction is not None or message.type in TO_COMMANDS:
            name = (message.interaction and message.interaction.name) or ""
            return is_own or name.casefold().split()[:1] == [SLASH.removeprefix("/")]
        if reply_to is not None:
            return reply_to.key in self._asides
        return self._is_aside and (is_own or not self._assistants)

    def _addressed_words(self, message: Message) -> str:
        """The text without a mention of the assistant, or of a role, in front of it. The exporter shows roles by their
        names, and a bot's own has the bot's.
        """
        names = "|".join(re.escape(each) for each in self._called(message.mentions) if each)
        shown = rf"|@(?:{names})(?!\w)" if names else ""
        ids = "|".join(re.escape(each) for each in self._assistants)
        marked = rf"<@(?:&[0-9]+{f'|!?(?:{ids})' if ids else ''})>"
        return re.sub(rf"\A\s*(?:{marked}{shown})\s*", "", message.content or "", count=1, flags=re.IGNORECASE)

    def _called(self, mentioned: Sequence[User]) -> Iterator[str]:
        """What the assistant is called, as far as it is known: as the operator does, and as it was mentioned."""
        yield from self._assistants
        for user in mentioned:
            kind = author_kind(user, self._assistants)
            if kind == "self" or (kind == "bot" and not self._assistants):
                yield from (user.nickname or "", user.name)
