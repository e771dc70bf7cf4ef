"""What leaves recall together with an item that a person takes back (design §8).

    leaves                                        unless
    ───────────────────────────────────────────   ─────────────────────────────────────────────────────────────────────
    the messages that it rests on, or ever did    another active item of theirs rests on them
    their own messages that say it again          the same (`alike`)
    the answers whose prompt held one of these    -
    or the item, as any of its events left it
    the answers whose prompt held one of those    they say nothing of it (`telling`)

Their own messages are looked through where the item is taken back, where it lay, and where what it rests on was said.
When it is brought back, so are the messages that it rests on, whatever else rests on them: an active item does again;
and of the rest what nothing else that is still taken back keeps quiet.

What left stays in the window, so an answer that is given later may have it in its prompt too: it leaves as it is
given, by the same rules (`leaves_at_once`). What the assistant itself said and an import brought is such an answer.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from projections.derived import effects_of
from projections.events import ItemEvent, MessageHeard, TurnAnswered, TurnQuieted
from projections.events.values import Evidence, ItemUse
from projections.ids import NOBODY, EventId, Handle
from projections.items import FORGOTTEN, QUIET, ForgottenRow, ItemRow, forgotten_at, is_quiet
from projections.lived import Past, lived
from projections.lives import Address, address_of
from projections.messages import SpokenRow, find_message, spoken_in, units_of
from projections.policies import alike, telling
from projections.policies.alike import Wordings, wordings
from projections.policies.compartments import in_channel, readers_place, said_in
from projections.policies.text import folded
from projections.rows import Rows
from projections.turns import TURN_PLACES, find_turn

VERSION = "quiet@3"
POLICY = f"{VERSION} {alike.VERSION} {telling.VERSION}"
MOST_QUIET = 1_000
"""The most that leaves with one item, messages first, then answers, the newest of them."""


def quiet_with(
    rows: Rows, owned: Iterable[ItemRow], meant: Sequence[ItemRow], opened: Collection[str] | None = None
) -> dict[EventId, tuple[EventId, ...]]:
    """By the event of each row that is meant: what leaves with it. `owned` are all of the owner's items, `opened` the
    compartments in which it is taken back; None where what they said again is known already, by the act as it was
    recorded, and not looked for.
    """
    leaving = {row.event for row in meant}
    staying = {
        message
        for row in owned
        if row.item.status == "active" and row.event not in leaving
        for message in _resting_on(row.item.evidence)
    }
    said = _Said(rows, meant[0].item.owner if meant else NOBODY)
    return {row.event: _leaves(rows, row, staying, said, opened) for row in meant}


def _leaves(
    rows: Rows, row: ItemRow, staying: set[EventId], said: "_Said", opened: Collection[str] | None
) -> tuple[EventId, ...]:
    past = _with(lived(rows, address_of(row.item)), (row.event,), row.item.text, row.item.evidence)
    rested = [each for each in _resting_on(past.evidence) if each not in staying]
    again: list[EventId] = []
    if opened is not None:
        own = said.within({*opened, row.item.compartment, *past.compartments, *_said_in(rows, rested)})
        again = _say_it(wordings(past.texts, past.evidence, rested, own), own)
    messages = [each for each in dict.fromkeys((*rested, *again)) if each not in staying]
    newest = sorted(_told(rows, [*messages, *past.events], past), reverse=True)  # an id begins with its minute
    return (*messages, *newest)[:MOST_QUIET]


def returns_with(
    rows: Rows, owner: Handle, owned: Iterable[ItemRow], back: ForgottenRow, others: Iterable[ForgottenRow]
) -> tuple[EventId, ...]:
    """What comes back with an item, messages first. `others` are what its owner took back besides it."""
    mine, rest = _resting_on(back.evidence), [_past_of(rows, owner, each) for each in others]
    past, own = _past_of(rows, owner, back), _Said(rows, owner).quiet()
    rested = [each for each in _resting_on(past.evidence) if is_quiet(rows, each)]
    again = _say_it(wordings(past.texts, past.evidence, rested, own), own)
    more = [each for each in (*rested, *again) if not any(_keeps(other, each, own) for other in rest)]
    messages = [each for each in dict.fromkeys((*mine, *more)) if is_quiet(rows, each)]
    active = (row.item.evidence for row in owned if row.item.status == "active")
    staying = {*mine, *(message for evidence in active for message in _resting_on(evidence))}
    held = ((other, {*_resting_on(other.evidence), *other.events} - staying) for other in rest)
    gone = {answer for other, causes in held for answer in _told(rows, causes, other)}
    answers = sorted(_told(rows, [*mine, *more, *past.events], past) - gone, reverse=True)
    back_too = (each for each in answers if is_quiet(rows, each) and not _rests_on_quiet(rows, each, messages))
    return (*messages, *back_too)


class _Past(NamedTuple):
    """What an item was, and all that it ever rested on: it keeps no more than the newest of it."""

    events: tuple[EventId, ...]
    texts: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    compartments: frozenset[str]


def _past_of(rows: Rows, owner: Handle, forgotten: ForgottenRow) -> _Past:
    lies = Address(owner, forgotten.compartment, forgotten.id)
    return _with(lived(rows, lies), forgotten.was, forgotten.text, forgotten.evidence)


def _with(past: Past, events: tuple[EventId, ...], text: str, evidence: tuple[Evidence, ...]) -> _Past:
    return _Past(
        tuple(dict.fromkeys((*events, *past.events))),
        tuple(dict.fromkeys((text, *(each.text for each in past.items)))),
        tuple(dict.fromkeys((*evidence, *(each for item in past.items for each in item.evidence)))),
        frozenset(item.compartment for item in past.items),
    )


def _keeps(other: _Past, message: EventId, said: Mapping[EventId, str]) -> bool:
    """Whether something that is still taken back keeps a message quiet: it ever rested on it, or is said by it."""
    rests = _resting_on(other.evidence)
    return message in rests or wordings(other.texts, other.evidence, rests, said).says(said.get(message, ""))


def left_with(rows: Rows, forgotten: ForgottenRow) -> tuple[EventId, ...]:
    """What left recall with what was taken back, and has not returned."""
    return tuple(EventId(found.key) for found in rows.scan(QUIET) if found.row.event == forgotten.event)


def leaves_at_once(rows: Rows, causes: Iterable[EventId], items: Iterable[ItemUse], text: str) -> EventId | None:
    """By what an answer leaves recall that is only being given, with these `items` in its prompt; None where it stays:
    the event that took back something that it had before it, and may repeat.
    """
    before = _Before(rows)
    at_once = before.items(items) or before.said(causes)
    if at_once:
        return at_once[0]
    told = dict.fromkeys(by for answer in causes for by in before.answer(answer))
    return next((by for by in told if _tells_of(rows, by)(text)), None)


class _Before:
    """What took back what stood before an answer; of each answer that had such before it, it is asked once."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._seen: set[EventId] = set()

    def items(self, items: Iterable[ItemUse]) -> list[EventId]:
        """What took these items back."""
        rows = (self._rows.get(FORGOTTEN, forgotten_at(each.owner, each.compartment, each.id)) for each in items)
        return [row.event for row in rows if row is not None]

    def said(self, causes: Iterable[EventId]) -> list[EventId]:
        """What took the messages of people among these back."""
        quiet = ((each, self._rows.get(QUIET, each)) for each in causes)
        return [row.event for each, row in quiet if row is not None and not _is_answer(self._rows, each)]

    def answer(self, answer: EventId) -> list[EventId]:
        """All by which an answer left, or the assistant's own message; nothing for what did not."""
        left = self._rows.get(QUIET, answer)
        if left is None or answer in self._seen or not _is_answer(self._rows, answer):
            return []
        self._seen.add(answer)
        event, turn = self._rows.event(answer), find_turn(self._rows, answer)
        causes = () if event is None else event.causes
        more = (by for each in causes for by in self.answer(each))
        return [_took_back(self._rows, left.event), *self.items(turn.items if turn else ()), *self.said(causes), *more]


def _is_answer(rows: Rows, said: EventId) -> bool:
    """Whether something that was said is an answer, or the assistant's own message, and draws on what was before it."""
    if rows.get(TURN_PLACES, said) is not None:
        return True
    event = rows.event(said)
    return event is not None and bool(event.causes)


def _took_back(rows: Rows, left: EventId) -> EventId:
    """What a person did to what it was, where an event made something leave."""
    event = rows.event(left)
    return event.causes[0] if isinstance(event, TurnQuieted) else left


def _tells_of(rows: Rows, taken_back: EventId) -> Callable[[str], bool]:
    """What judges whether a text says something of what an event took back; nothing does where its words are gone."""
    event = rows.event(taken_back)
    if not isinstance(event, ItemEvent):
        return lambda _: False
    item = event.item
    return _tells(_with(lived(rows, address_of(item)), (), item.text, item.evidence))


# -- what rests on what ------------------------------------------------------------------------------------------------


def _resting_on(evidence: Iterable[Evidence]) -> list[EventId]:
    return list(dict.fromkeys(each.message for each in evidence if each.message))


def _answers(rows: Rows, causes: Iterable[EventId]) -> set[EventId]:
    """The answers whose prompt held one of these: of what is heard, the assistant's own alone has causes."""
    tags = (TurnAnswered.TAG, MessageHeard.TAG)
    return {effect for cause in causes for effect, tag in effects_of(rows, cause) if tag in tags}


def _told(rows: Rows, causes: Iterable[EventId], past: _Past) -> set[EventId]:
    """The answers whose prompt held one of these, and those that say something of the item because of them; of as many
    as may leave.
    """
    found = _answers(rows, causes)
    tells, waiting, seen = _tells(past), sorted(found)[-MOST_QUIET:], set(found)
    while waiting:
        behind = _answers(rows, [waiting.pop()]) - seen
        seen |= behind
        telling_it = sorted(each for each in behind if tells(_text_of(rows, each)))
        found.update(telling_it)
        waiting += telling_it
    return found


def _tells(past: _Past) -> Callable[[str], bool]:
    """What judges whether a text says something of an item, by all that it ever said and rested on."""
    return telling.telling((*past.texts, *(each.quote for each in past.evidence)))


def _text_of(rows: Rows, answer: EventId) -> str:
    """What an answer says, or the assistant's own message; nothing where it is gone."""
    turn = find_turn(rows, answer)
    event = rows.event(answer) if turn is None else None
    said = event.message.text if isinstance(event, MessageHeard) else ""
    return said if turn is None else turn.text


def _rests_on_quiet(rows: Rows, answer: EventId, returning: Collection[EventId]) -> bool:
    """Whether an answer had a message before it that stays out of recall."""
    event = rows.event(answer)
    causes = () if event is None else event.causes
    return any(each not in returning and is_quiet(rows, each) and _is_heard(rows, each) for each in causes)


def _is_heard(rows: Rows, said: EventId) -> bool:
    """Whether it is a message, and not the assistant's own."""
    event = rows.event(said)
    return isinstance(event, MessageHeard) and not event.causes


# -- their own messages ------------------------------------------------------------------------------------------------


def _say_it(words: Wordings, said: Mapping[EventId, str]) -> list[EventId]:
    return [message for message, text in said.items() if words.says(text)]


def _said_in(rows: Rows, messages: Iterable[EventId]) -> Iterator[str]:
    """The compartments in which messages were said."""
    for event in map(rows.event, messages):
        if isinstance(event, MessageHeard):
            yield said_in(rows, event.message.audience, event.message.guild)


class _Said:
    """What somebody said, folded, by message: read unit by unit, each once."""

    def __init__(self, rows: Rows, owner: Handle) -> None:
        self._rows = rows
        self._owner = owner
        self._units: list[tuple[str, SpokenRow]] | None = None
        self._read: dict[SpokenRow, dict[EventId, str]] = {}

    def within(self, compartments: Collection[str]) -> dict[EventId, str]:
        """What they said that lies in these compartments, or is what items there were learned from."""
        places = (readers_place(each) for each in compartments)
        wanted = {*compartments, *(in_channel(place) for place in places if place is not None)}
        found: dict[EventId, str] = {}
        for compartment, where in self._all():
            if compartment in wanted:
                if where not in self._read:
                    self._read[where] = dict(self._texts(where, lambda _: True))
                found |= self._read[where]
        return found

    def quiet(self) -> dict[EventId, str]:
        """What of it all has left recall."""
        gone = frozenset(self._rows.keys(QUIET, b""))
        units = self._all() if gone else []
        return {message: text for _, where in units for message, text in self._texts(where, gone.__contains__)}

    def _all(self) -> list[tuple[str, SpokenRow]]:
        """The units in which they said something, and where these lie."""
        if self._units is None:
            units = units_of(self._rows, self._owner) if self._owner else []
            self._units = [(said_in(self._rows, each.audience, each.guild), each) for each in units]
        return self._units

    def _texts(self, where: SpokenRow, wanted: Callable[[bytes], bool]) -> Iterator[tuple[EventId, str]]:
        for point in spoken_in(self._rows, self._owner, where):
            found = None
            if wanted(point.id):
                found = find_message(self._rows, where.session, where.audience.epoch, point)
            if found is not None:
                yield point.id, folded(found.row.message.text)
