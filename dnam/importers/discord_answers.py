"""What a message of the assistant's answers in an export: what it replies to, and where it does not say, what was
written last before it. What it says in several messages answers one.
"""

from typing import NamedTuple

from dnam.importers.discord_form import Message
from projections.decisions.hear import Answered
from projections.decisions.meet import Account
from projections.events.values import AuthorKind
from projections.ids import DISCORD, Ref


class _Written(NamedTuple):
    """A message of the file: when it was said (ms), and by which person."""

    key: str
    said: int
    by: Account | None


class Answers:
    """Told of each message of a channel in turn."""

    def __init__(self) -> None:
        self._written: dict[str, _Written] = {}
        self._people: dict[str, Account] = {}
        """Each account once: a file has as many messages as it likes."""
        self._last: _Written | None = None

    def answered(self, message: Message, said: int, author: AuthorKind, reply_to: Ref | None) -> Answered | None:
        """What it answers, where it is the assistant's and the file shows it."""
        if author != "self":
            account = self._people.setdefault(message.author.id, message.author.account)
            self._last = _Written(message.id, said, account if author == "person" else None)
            self._written[message.id] = self._last
            return None
        if reply_to is not None:
            self._last = self._written.get(reply_to.key)
        if self._last is None:
            return None
        self._written[message.id] = self._last
        return Answered(Ref(DISCORD, self._last.key), self._last.said, self._last.by)
