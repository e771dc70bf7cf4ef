"""What tells of one message: an answer that had it before it and says one telling word of it (`telling`), and what has
such a word from that.

    message ──▶ answer that says a word of it: any is enough
            ──▶ summary, likewise
            ──▶ answer that had such an answer or summary before it, perhaps elsewhere, and says the same word: it is
                enough where nobody else says it of whom the answer had words that stand; there it may be theirs

What the assistant said in an import counts as an answer. Each message is judged by itself: where many go at once, an
answer goes for a word of those that it had, not for one of any of them.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from projections.decisions.retold import own_row
from projections.decisions.said_again import SUMMARIES_MADE
from projections.events import (
    MessageEdited,
    MessageHeard,
    SummaryAnswered,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    TurnAnswered,
)
from projections.gaps import led_to
from projections.ids import EventId
from projections.policies.telling import told_by
from projections.recall.documents import spoken_text
from projections.rows import Rows
from projections.turns import find_turn

ANSWERS = frozenset({TurnAnswered.TAG, MessageHeard.TAG})
LEADING = ANSWERS | SUMMARIES_MADE

Words = frozenset[tuple[str, str]]
"""By which words something tells of a message."""
NONE: Words = frozenset()


class Spoken(NamedTuple):
    """What a message said until now, and the events that hold its words."""

    text: str
    versions: tuple[EventId, ...]


def telling_of(rows: Rows, spoken: Iterable[Spoken], instead: str = "") -> frozenset[EventId]:
    """The answers, turns and messages of the assistant's own, that tell of one of these; what `instead` says does not
    count.
    """
    spoken = [each for each in spoken if each.text]
    log = _Log(rows, frozenset(version for each in spoken for version in each.versions))
    return frozenset(event for each in spoken for event in _Telling(log, each, instead).found())


class _Log:
    """What led to what, and what was said by it, each looked up once."""

    def __init__(self, rows: Rows, gone: frozenset[EventId]) -> None:
        self._rows = rows
        self._gone = gone
        self._effects: dict[EventId, list[tuple[EventId, str]]] = {}
        self._says: dict[EventId, str | None] = {}
        self._before: dict[EventId, list[str]] = {}

    def effects(self, event: EventId) -> list[tuple[EventId, str]]:
        """The answers and summaries that had an event before them, with their tags."""
        if event not in self._effects:
            self._effects[event] = [each for each in dict.fromkeys(led_to(self._rows, event)) if each[1] in LEADING]
        return self._effects[event]

    def says(self, event: EventId, tag: str) -> str | None:
        """What the assistant says by an event; None where nobody knows it any more."""
        if event not in self._says:
            self._says[event] = _says(self._rows, event, tag)
        return self._says[event]

    def before(self, event: EventId) -> list[str]:
        """What people said that stands, and an event had before it."""
        if event not in self._before:
            made = self._rows.event(event)
            causes = () if made is None else (each for each in made.causes if each not in self._gone)
            self._before[event] = [text for each in causes if (text := _said(self._rows, each))]
        return self._before[event]


class _Telling:
    """What tells of one message."""

    def __init__(self, log: _Log, spoken: Spoken, instead: str) -> None:
        self._log = log
        self._told = told_by(spoken.text)
        self._still = self._told(instead) if instead else NONE
        self._from = spoken.versions
        self._words: dict[EventId, Words] = {}
        self._theirs: dict[str, Words] = {}

    def found(self) -> Iterator[EventId]:
        """The answers that do, each at least once."""
        has: dict[EventId, Words | None] = dict.fromkeys(self._from)
        waiting = deque(self._from)
        while waiting:
            cause = waiting.popleft()
            for effect, tag in self._log.effects(cause):
                had = has.get(effect, NONE)
                words = None if had is None else self._from_it(effect, tag, cause, has[cause])
                if had is None or (words is not None and words <= had):
                    continue
                has[effect] = None if words is None else words | had
                waiting.append(effect)
                if words and tag in ANSWERS:
                    yield effect

    def _from_it(self, effect: EventId, tag: str, cause: EventId, had: Words | None) -> Words | None:
        """The words that it has from what stood before it; None, which is any, where nobody knows what it said."""
        text = self._log.says(effect, tag)
        if text is None:
            return None
        if effect not in self._words:
            self._words[effect] = self._told(text) - self._still
        words = self._words[effect]
        if cause in self._from:
            return words
        words = words if had is None else words & had
        return words.difference(*map(self._of_others, self._log.before(effect))) if words else words

    def _of_others(self, text: str) -> Words:
        if text not in self._theirs:
            self._theirs[text] = self._told(text)
        return self._theirs[text]


def _says(rows: Rows, event: EventId, tag: str) -> str | None:
    if tag == TurnAnswered.TAG:
        turn = find_turn(rows, event)
        return None if turn is None else turn.text
    if tag == MessageHeard.TAG:
        row = own_row(rows, event)
        return None if row is None else spoken_text(row.message)
    match rows.event(event):
        case SummaryRefreshed(text=text) | SummaryReverted(text=text) | SummaryAnswered(reply=text):
            return text
        case SummaryReset():
            return ""
        case _:
            return None


def _said(rows: Rows, event: EventId) -> str:
    match rows.event(event):
        case MessageHeard(message=message) | MessageEdited(message=message) if message.author != "self":
            return spoken_text(message)
        case _:
            return ""
