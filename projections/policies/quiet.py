"""What leaves recall together with an item that a person takes back (design §8).

    leaves                                        unless
    ───────────────────────────────────────────   ─────────────────────────────────────────────────────────────────────
    the messages that it rests on, or ever did    another active item of theirs rests on them
    their own messages that say it again          the same (`alike`)
    the answers whose prompt held one of these    -
    or the item, as any of its events left it

Their own messages are looked through where the item is taken back, where it lay, and where what it rests on was said.
When it is brought back, so are the messages that it rests on, whatever else rests on them: an active item does again;
and of the rest what nothing else that is still taken back keeps quiet.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from projections.derived import effects_of
from projections.events import MessageHeard, TurnAnswered
from projections.events.values import Evidence
from projections.ids import NOBODY, EventId, Handle
from projections.items import QUIET, ForgottenRow, ItemRow, is_quiet
from projections.lived import Past, lived
from projections.lives import Address, address_of
from projections.messages import SpokenRow, find_message, ids_in, spoken_in, units_of
from projections.policies import alike
from projections.policies.alike import Wordings, wordings
from projections.policies.compartments import in_channel, readers_place, said_in
from projections.policies.text import folded
from projections.rows import Rows

VERSION = "quiet@2"
POLICY = f"{VERSION} {alike.VERSION}"
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
    newest = sorted(_answers(rows, [*messages, *past.events]), reverse=True)  # an id begins with its minute
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
    gone = {cause for other in rest for cause in (*_resting_on(other.evidence), *other.events)} - staying
    answers = sorted(_answers(rows, [*mine, *more, *past.events]) - _answers(rows, gone), reverse=True)
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


def resting_on_quiet(rows: Rows, session: str, epoch: int) -> frozenset[EventId]:
    """The answers of a session that had a message before them which has left recall: what they repeat of it has left
    too, also where they were given later.
    """
    if next(rows.scan(QUIET), None) is None:
        return frozenset()
    return frozenset(_answers(rows, (each for each in ids_in(rows, session, epoch + 1) if is_quiet(rows, each))))


# -- what rests on what ------------------------------------------------------------------------------------------------


def _resting_on(evidence: Iterable[Evidence]) -> list[EventId]:
    return list(dict.fromkeys(each.message for each in evidence if each.message))


def _answers(rows: Rows, causes: Iterable[EventId]) -> set[EventId]:
    return {effect for cause in causes for effect, tag in effects_of(rows, cause) if tag == TurnAnswered.TAG}


def _rests_on_quiet(rows: Rows, answer: EventId, returning: Collection[EventId]) -> bool:
    """Whether an answer had a message before it that stays out of recall."""
    event = rows.event(answer)
    causes = () if event is None else event.causes
    return any(each not in returning and is_quiet(rows, each) and _is_heard(rows, each) for each in causes)


def _is_heard(rows: Rows, event: EventId) -> bool:
    return isinstance(rows.event(event), MessageHeard)


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
