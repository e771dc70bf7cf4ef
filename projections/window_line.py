"""Something that was said, as a line: who said it, and what it shows and replies to."""

from collections.abc import Mapping
from typing import NamedTuple

from projections.caller import Caller, with_names
from projections.events.values import NOBODYS_OWN, Attachment, Message
from projections.ids import NOBODY, EventId, Handle, Ref, Seq
from projections.messages import MessageRow
from projections.quoting import indented, label, one_line
from projections.said import Entry
from projections.turns import TurnRow


class WindowLine(NamedTuple):
    """Something that was said. `id` names the message or the turn; `event`, at `seq`, is what made it as it now is.

    `words` are what was said with names in it and captions; `text` also tells of replies and attachments. `speaker` is
    the person who said it, if one did.
    """

    id: EventId
    event: EventId
    seq: Seq
    said: int
    name: str
    words: str
    text: str
    by_assistant: bool
    is_turn: bool = False
    speaker: Handle = NOBODY

    @property
    def rendered(self) -> str:
        """The line as it stands in a prompt; over several lines when the text is."""
        return f"[{self.name}]: {indented(self.text)}"


_FRAME_CHARS = len("[]: ")
"""What stands around the name in a line."""


def entry_line(entry: Entry, caller: Caller, authors: Mapping[Ref, str]) -> WindowLine:
    """A message or an answer as a line."""
    if isinstance(entry.row, MessageRow):
        return message_line(entry.row, entry.seq, caller, authors)
    row = entry.row
    text = with_names(row.text, row.spans, caller.mention)
    return WindowLine(
        row.event, row.event, entry.seq, row.said, caller.assistant_in(row), text, text, True, is_turn=True
    )


def message_line(row: MessageRow, seq: Seq, caller: Caller, authors: Mapping[Ref, str]) -> WindowLine:
    """A message as a line. What it replies to is named when its author is among `authors`."""
    message = row.message
    words = text = with_names(message.text, message.spans, caller.mention)
    if message.reply_to or message.attachments:
        replied = authors.get(message.reply_to) if message.reply_to else None
        text = _joined(f"(reply to {replied})" if replied else "", words, *map(_attached, message.attachments))
        words = _joined(words, *(each.caption for each in message.attachments))
    return WindowLine(
        id=row.heard,
        event=row.event,
        seq=seq,
        said=message.said,
        name=caller.author(message),
        words=words,
        text=text,
        by_assistant=message.author == "self",
        speaker=message.speaker,
    )


def entry_chars(row: MessageRow | TurnRow, caller: Caller) -> int | None:
    """How many code points the line of something has, rendered, of which nothing but what was said is told; None where
    it names somebody, replies, or has attachments.
    """
    if isinstance(row, TurnRow):
        return None if row.spans else _line_chars(caller.assistant_in(row), row.text)
    message = row.message
    if message.spans or message.reply_to or message.attachments:
        return None
    return _line_chars(caller.author(message), message.text)


def _line_chars(name: str, text: str) -> int:
    return _FRAME_CHARS + len(name) + len(indented(text))


def spoken_words(message: Message, caller: Caller) -> str:
    """What its author says in a message, with names in it, and what its images show: not what is forwarded, nor what a
    poll asks.
    """
    shown = (each.caption for each in message.attachments if each.name not in NOBODYS_OWN)
    return _joined(with_names(message.text, message.spans, caller.mention), *shown)


def _attached(attachment: Attachment) -> str:
    caption = one_line(attachment.caption)
    return f"[attachment: {label(attachment.name)}{': ' if caption else ''}{caption}]"


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
