"""The recent conversation: what was said in a session just before a message.

Messages and answers lie in two tables under the same unit, both in the order in which things were said. They are read
backwards side by side and never further than the window reaches.

A message or an answer that went quiet with a forgotten item (items.QUIET) stays here: it leaves recall and the next
summary (design §8), while what everybody in the place can still read above their own message remains part of the
conversation.

An answer of an earlier era is out of it: the vault of an era grows by everybody in the prompts of its answers, and an
old one in the window would bring all of its people into the new one.

What was said before a message is what lies before its point, and what was answered to that::

    Ada asks ── Kim asks ── Ada is answered      in Kim's prompt: Ada's question, and the answer to her
                   ▲ the point

An answer was said when it was finished, so it may lie behind a message that waited for its turn meanwhile; or it seems
to, where this clock is ahead of the platform's. It stands above the answer to come, and so in its prompt, by when it
was said, as everything does. An answer to the message itself, or to one behind it, does not.
"""

import heapq
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from projections.events.values import NOBODYS_OWN, Attachment, LeftOut, Limits, Message, Span
from projections.fold import AnyProjection
from projections.ids import MINUTE_MS, NOBODY, EventId, Handle, Point, Ref, Seq
from projections.messages import MESSAGES, MessageRow, messages_after, point_key, unit, was_said_before
from projections.people import SOMEONE, name_of
from projections.quoting import alike, indented, label, line_name, marked, one_line, speaker_name
from projections.rows import Found, RowAt, Rows
from projections.summaries import era_of
from projections.turns import DELIVERIES, TURNS, TurnRow, turns_after

T = TypeVar("T")
SAID: Mapping[str, AnyProjection] = {MESSAGES.table: MESSAGES, TURNS.table: TURNS}
"""What was said, by table."""
SAID_TABLES = tuple(SAID)
END = Point(2**62, EventId(b"\xff" * 16))
"""Behind everything that was ever said."""
LATE_MS = 24 * 60 * MINUTE_MS
"""How far behind a message lies what may be an answer to something before it: nobody is answered later than that."""


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


class Window(NamedTuple):
    """The lines that fit, oldest first, and what did not. `authors` says who wrote what is in reach, and `signed` has
    it, by what its platform calls it.
    """

    lines: tuple[WindowLine, ...]
    left_out: tuple[LeftOut, ...]
    authors: Mapping[Ref, str]
    signed: Mapping[Ref, "Entry"] = MappingProxyType({})

    @property
    def words(self) -> str:
        """What was said in it, without names of speakers."""
        return "\n".join(line.words for line in self.lines)


class Entry(NamedTuple):
    """A message or an answer with its key and the event that made it."""

    key: bytes
    seq: Seq
    row: MessageRow | TurnRow


class Fitted(NamedTuple):
    """Which of a row of texts fit into a block, by index, and which not: `over` the budget, or `beyond` the count."""

    kept: list[int]
    over: list[int]
    beyond: list[int]


def fit(texts: Sequence[T], chars: int, most: int, length: Callable[[T], int]) -> Fitted:
    """Take texts in turn while there are fewer than `most`; one that does not fit is skipped and the next one tried.

    `chars` counts code points of what is kept with a line break between each two, so the block's body never exceeds it.
    `length` measures one, and is asked only while there is room.
    """
    fitted = Fitted([], [], [])
    room = chars + 1
    for index, text in enumerate(texts):
        if len(fitted.kept) == most:
            fitted.beyond.extend(range(index, len(texts)))
            break
        if (size := length(text) + 1) > room:
            fitted.over.append(index)
        else:
            fitted.kept.append(index)
            room -= size
    return fitted


def recent(
    rows: Rows,
    session: str,
    epoch: int,
    before: Point,
    limits: Limits,
    caller: "Caller",
    starter: "Entry | None" = None,
) -> Window:
    """The last messages and answers of a session before a point, as far as they fit: what `leading_to` it.

    Of the newest `history_messages` those are kept that fit into `history_chars`, newest first; one that is too long is
    left out whole, so that a single huge paste does not empty the window. Where all of them are there, and room for one
    more, the `starter` of a thread stands above them, if it fits.
    """
    most = limits.history_messages
    era = era_of(rows, session, epoch)
    newest = list(islice(of_era(leading_to(rows, session, epoch, before), era), most + 1))
    window = _window(rows, newest, limits, caller)
    if starter is None or window.left_out or len(newest) == most:
        return window
    return _window(rows, [*newest, starter], limits, caller)


def _window(rows: Rows, newest: Sequence[Entry], limits: Limits, caller: "Caller") -> Window:
    """What fits of these, newest first: there may be one more than the limit."""
    most = limits.history_messages
    signed = [(ref, name, entry) for entry in reversed(newest) for ref, name in _signed(rows, entry.row, caller)]
    authors = {ref: name for ref, name, _ in signed}
    lines = [entry_line(entry, caller, authors) for entry in newest[:most]]
    fitted = fit([line.rendered for line in lines], limits.history_chars, most, len)
    over = [LeftOut("recent", lines[each].id.hex(), f"over {limits.history_chars} characters") for each in fitted.over]
    beyond = [LeftOut("recent", "what was said earlier", f"over {most} messages")] if len(newest) > most else []
    kept = tuple(lines[each] for each in reversed(fitted.kept))
    return Window(kept, (*over, *beyond), authors, {ref: entry for ref, _, entry in signed})


def leading_to(rows: Rows, session: str, epoch: int, point: Point) -> Iterator[Entry]:
    """What was said in a session before a point and what was answered to that, newest first."""
    behind = (Entry(*found) for found in answers_behind(rows, session, epoch, point))
    return chain(behind, backwards(rows, session, epoch, point))


def answers_behind(rows: Rows, session: str, epoch: int, point: Point) -> Iterator[Found[TurnRow]]:
    """Answers that lie behind a point and answer what lies before it, newest first. Live there is hardly ever one: who
    is answered now said the last thing, or something shortly before it.
    """
    where = unit(session, epoch)
    start, stop = where + point_key(point), where + point_key(Point(point.said + LATE_MS, END.id))
    turns = rows.scan(TURNS, where, start=start, stop=stop, reverse=True)
    return (
        each for each in turns if says_something(each.row) and was_said_before(rows, where, each.row.answers, point)
    )


def backwards(rows: Rows, session: str, epoch: int, before: Point) -> Iterator[Entry]:
    """What was said in a session strictly before a point, newest first; what has nothing to show is passed over."""
    prefix = unit(session, epoch)
    stop = prefix + point_key(before)
    order = rows.order(SAID_TABLES, prefix)
    if order is not None:
        return _kept_backwards(rows, order, stop)
    messages = (Entry(*found) for found in rows.scan(MESSAGES, prefix, stop=stop, reverse=True))
    turns = (Entry(*found) for found in rows.scan(TURNS, prefix, stop=stop, reverse=True))
    merged = heapq.merge(messages, turns, key=lambda entry: entry.key, reverse=True)
    return (entry for entry in merged if says_something(entry.row))


def _kept_backwards(rows: Rows, order: Sequence[RowAt], stop: bytes) -> Iterator[Entry]:
    for at in range(bisect_left(order, (stop,)) - 1, -1, -1):
        key, table = order[at]
        found: Found[Any] | None = rows.kept(SAID[table], key)
        if found is not None and says_something(found.row):
            yield Entry(*found)


def of_era(entries: Iterable[Entry], era: int) -> Iterator[Entry]:
    """What was said, without the assistant's answers of eras before this one."""
    return (entry for entry in entries if is_of_era(entry.row, era))


def is_of_era(row: MessageRow | TurnRow, era: int) -> bool:
    """Whether something is no answer of an era before this one."""
    return isinstance(row, MessageRow) or row.era >= era


def forwards(rows: Rows, session: str, epoch: int, after: Point | None) -> Iterator[Entry]:
    """What was said in a session behind a point, oldest first; what has nothing to show is passed over."""
    messages = (Entry(*found) for found in messages_after(rows, session, epoch, after))
    turns = (Entry(*found) for found in turns_after(rows, session, epoch, after))
    merged = heapq.merge(messages, turns, key=lambda entry: entry.key)
    return (entry for entry in merged if says_something(entry.row))


def says_something(row: MessageRow | TurnRow) -> bool:
    """Whether there is anything in it to show."""
    if isinstance(row, TurnRow):
        return bool(row.text.strip() or row.spans)
    return bool(row.message.text.strip() or row.message.spans or row.message.attachments)


def _signed(rows: Rows, row: MessageRow | TurnRow, caller: "Caller") -> list[tuple[Ref, str]]:
    """What the platform calls the message, or the messages of an answer, and who wrote it."""
    if isinstance(row, MessageRow):
        return [(row.message.ref, caller.author(row.message))]
    delivery = rows.get(DELIVERIES, row.event)
    return [] if delivery is None else [(ref, caller.assistant_in(row)) for ref in delivery.messages]


class Caller:
    """What people are called in one prompt; each is looked up once.

    With `only`, everybody else is "someone": what a model derives lies in the vault of those whose words it read, and a
    name of somebody who was merely mentioned would outlive them there.

    Who goes by a name that somebody else has in this prompt is told apart by a number, in the order in which they are
    asked for; bots and webhooks are marked as such.
    """

    def __init__(self, rows: Rows, assistant: str, only: frozenset[Handle] | None = None) -> None:
        self.assistant = line_name(assistant)
        self._taken = assistant
        self.authors: set[Handle] = set()
        self.mentioned: dict[Handle, str] = {}
        self._only = only
        self._bearers: dict[str, list[Handle | str]] = {}
        self._called: dict[Handle, str] = {}
        self._assistants: dict[str, str] = {"": self.assistant}
        self._look_up = cache(lambda person: name_of(rows, person))

    def person(self, person: Handle) -> str:
        """A person's name; "someone" for nobody in particular."""
        called = self._called.get(person)
        if called is None:
            unknown = person == NOBODY or (self._only is not None and person not in self._only)
            called = self._called[person] = self._apart(SOMEONE if unknown else self._look_up(person), person)
        return called

    def _apart(self, name: str, bearer: Handle | str) -> str:
        """The name of somebody, with a number when it is not theirs alone."""
        shown = speaker_name(name, self._taken)
        bearers = self._bearers.setdefault(alike(shown), [])
        if bearer not in bearers:
            bearers.append(bearer)
        number = bearers.index(bearer) + 1
        return shown if number == 1 or line_name(name) == SOMEONE else marked(shown, str(number))

    def mention(self, person: Handle) -> str:
        """The name of somebody whom a text names; who they are is kept in `mentioned`."""
        name = self.mentioned[person] = self.person(person)
        return name

    def assistant_in(self, turn: TurnRow) -> str:
        """What the assistant was called when it answered."""
        name = self._assistants.get(turn.assistant)
        if name is None:
            name = self._assistants[turn.assistant] = line_name(turn.assistant)
        return name

    def author(self, message: Message) -> str:
        """The name of whoever wrote a message; bots and webhooks bring their own."""
        match message.author:
            case "self":
                return line_name(message.author_name or self.assistant)
            case "person":
                self.authors.add(message.speaker)
                return self.person(message.speaker)
            case "unknown":
                return self._apart(message.author_name, message.author_name)
            case _:
                return marked(speaker_name(message.author_name, self._taken), message.author)


def with_names(text: str, spans: Sequence[Span], name: Callable[[Handle], str]) -> str:
    """The text with `@name` at every span."""
    if not spans:
        return text
    pieces: list[str] = []
    done = 0
    for span in sorted(spans, key=lambda each: each.at):
        at = min(max(span.at, done), len(text))
        pieces += [text[done:at], f"@{name(span.person)}"]
        done = at
    return "".join([*pieces, text[done:]])


def without_names(text: str, names: Mapping[Handle, str]) -> tuple[str, tuple[Span, ...]]:
    """The text without these people's names, and where each stood: what `with_names` puts back, with an `@` each."""
    people = {name: person for person, name in names.items() if person and name != SOMEONE}
    if not people:
        return text, ()
    longest_first = "|".join(map(re.escape, sorted(people, key=len, reverse=True)))
    kept: list[str] = []
    spans: list[Span] = []
    done = length = 0
    for found in re.finditer(rf"(?<!\w)@?({longest_first})(?!\w)", text):
        kept.append(text[done : found.start()])
        length += len(kept[-1])
        spans.append(Span(length, people[found[1]], "mention"))
        done = found.end()
    return "".join([*kept, text[done:]]), tuple(spans)


def entry_line(entry: Entry, caller: Caller, authors: Mapping[Ref, str]) -> WindowLine:
    """A message or an answer as a line."""
    if isinstance(entry.row, MessageRow):
        return message_line(entry.row, entry.seq, caller, authors)
    row = entry.row
    text = with_names(row.text, row.spans, caller.mention)
    return WindowLine(
        row.event, row.event, entry.seq, row.said, caller.assistant_in(row), text, text, True, is_turn=True
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
    return len(f"[{name}]: ") + len(indented(text))


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
