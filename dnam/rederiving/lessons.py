"""What was said and no recorded run has read: it is read at DNAM's cadence, or at another one that was asked for, in
its place between all that was recorded.

    talk         whenever so many messages of a person lie in one compartment, or so many turns in a session (messages,
                 where none was ever answered there)
    an import    where it ends, by when things were said; a rest that is fewer with it
    at the end   a rest that is fewer, where something was read before it, or a recorded run had read some of it

What some recorded run has read is left to it (`projections/rederiving/covered.py`), unless another cadence is asked
for; so is what DNAM would not learn from: where it learns from what is addressed to it, other talk is nobody's lesson,
but for what an import brought in. Nor is what was recorded before that which is derived anew (`rederive --from`), but
for what a run had read only behind that and another cadence reads instead.

It follows from the memory's log alone, so that a derivation that goes on finds the same runs under the same names. Each
is named after the last message that it reads, and where messages were edited, after these versions of them. What one
extraction has no room for is another one.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import heappop, heappush
from itertools import count

from dnam.configuration import learned_as
from dnam.loops.extraction import INPUT_CHARS
from dnam.rederiving.estimate import NOT_RECORDED
from dnam.rederiving.piles import Piece, Pile, Waiting
from dnam.rederiving.scope import LiveScope
from dnam.settings import Settings
from dnam.shadows.manifest import Asked
from projections.config import CONFIG_GIVEN
from projections.events import Event, ImportBegan, ImportEnded, MessageEdited, MessageHeard, TurnAnswered
from projections.ids import NOBODY, EventId, Handle, Point, Seq
from projections.items import is_quiet
from projections.lookup import SessionCard, sessions
from projections.messages import MessageRow, unit
from projections.places import place_of
from projections.policies.cadence import VERSION
from projections.policies.compartments import Setting, place_item, place_said
from projections.policies.learned_from import RISING, Learn, is_learned_from
from projections.rederiving.covered import Covered, Session
from projections.rederiving.schedule import Recorded, Run
from projections.rows import Found, Rows
from projections.turns import answer_id
from replay.codec import decode_header
from replay.engine import Engine
from replay.travel import Moment
from replay.units import stored_with

LOOKED_AT = (MessageHeard, MessageEdited, TurnAnswered, ImportBegan, ImportEnded)
TAGS = frozenset(each.TAG for each in LOOKED_AT)
"""The tags of what is looked at."""
MOST_CHARS = INPUT_CHARS * 2 // 3
"""What is read at once, so that it has room with the names and files that stand in its lines."""
Whose = tuple[Handle, str]
Taking = Callable[[Pile, int], list[Piece]]
Held = tuple[int, int, Callable[[], None]]
"""What waits for the run with a seq, by when it came: what piles it up."""


class Lessons:
    """What waits to be read while a log is walked. `is_due` says that something may be: `due` has what is."""

    def __init__(self, live: Engine, settings: Settings, asked: Asked, recorded: Recorded, scope: LiveScope) -> None:
        self._live = live
        self._settings = settings
        self._scope = scope
        self._since = asked.since
        self._every = asked.cadence or settings.durable_every_n_turns
        self._lines = asked.cadence or settings.summary_every_n_turns
        find = live.store.log.find
        kept = (run for run in recorded.every if not run.error and (find(run.event) or 0) <= asked.since)
        self._then_read = Covered(recorded.every, find)
        self._kept = Covered(kept, find)
        """What runs had read that stay as they were recorded."""
        self._covered = Covered((), find) if asked.cadence else self._then_read
        with live.reading() as rows:
            summarises = settings.memory_enabled and settings.summary_enabled
            self._cards = {(card.session, card.audience.epoch): card for card in sessions(rows)} if summarises else {}
            learns = settings.memory_enabled and settings.durable_memory_enabled
            self._most = _most_learned(rows, settings) if learns else "none"
        self._piles: dict[Whose, Pile] = defaultdict(Pile)
        self._sessions: dict[Session, Pile] = defaultdict(Pile)
        self._ripe: dict[Whose, None] = {}
        self._ripe_sessions: dict[Session, None] = {}
        self._held: list[Held] = []
        self._numbers = count()
        self._began: int | None = None
        """When the import began that is coming in, in ms."""
        self._has_ended = False
        self._seq = 0

    @property
    def is_due(self) -> bool:
        """Whether there is as much of something as is read at a time."""
        return self._seq > self._since and bool(self._ripe or self._ripe_sessions or self._has_ended)

    # -- what comes by ------------------------------------------------------------------------------------------------

    def take(self, seq: Seq, event_id: EventId, event: Event | None) -> None:
        """An event comes by."""
        self._seq = seq
        if isinstance(event, LOOKED_AT):
            self._release(seq)
        match event:
            case MessageHeard(message=message):
                self._hear(seq, MessageRow(event_id, event_id, message))
            case MessageEdited(message=message, heard=heard):
                self._hear(seq, MessageRow(event_id, heard, message))
            case TurnAnswered(session=session, audience=audience, said=said):
                self._gather((session, audience.epoch), Waiting(Point(said, event_id), seq))
            case ImportBegan(said=said):
                self._began = said
            case ImportEnded():
                self._began, self._has_ended = None, seq > self._since
            case _:
                pass

    def _hear(self, seq: Seq, row: MessageRow) -> None:
        message = row.message
        is_imported = self._began is not None and message.said < self._began
        was_read = row.heard in self._then_read.messages
        waiting = Waiting(Point(message.said, row.heard), seq, row, is_imported=is_imported, was_read=was_read)
        self._gather((message.session, message.audience.epoch), waiting)
        if message.speaker == NOBODY or not message.text.strip() or row.heard in self._covered.messages:
            return
        if not self._is_anew(seq, was_read and row.heard not in self._kept.messages):
            return
        if self._may_be_learned(waiting, row):
            key = message.speaker, place_item(Setting(message.speaker, message.audience, message.guild))
            self._hold(
                self._covered.of_person(message.speaker, waiting.point),
                partial(self._pile, key, waiting),
                is_new=self._is_new(waiting),
            )

    def _is_anew(self, seq: Seq, was_read_since: bool) -> bool:
        """Whether what was said is of what is derived anew: by when it was recorded, or when a run had read it."""
        return seq > self._since or was_read_since

    def _is_new(self, waiting: Waiting) -> bool:
        """Whether it may make a pile ripe: not in the middle of an import, unless that came before all that is due."""
        return not waiting.is_imported or waiting.seq <= self._since

    def _may_be_learned(self, waiting: Waiting, row: MessageRow) -> bool:
        """Whether anything that was ever set lets a message be learned from: it is judged when it is due."""
        if self._most != "addressed" or row.message.addressed or waiting.is_imported or waiting.was_read:
            return self._most != "none"
        return self._live.store.log.find(answer_id(self._live.store.ring, waiting.point)) is not None

    def _pile(self, key: Whose, waiting: Waiting, *, is_new: bool) -> None:
        self._piles[key].waiting.append(waiting)
        if is_new and self._piles[key].size >= self._every:
            self._ripe[key] = None

    def _gather(self, key: Session, waiting: Waiting) -> None:
        """Where something was ever answered, answers count, and else what was said; of an import always that."""
        card = self._cards.get(key)
        if card is None or self._covered.is_summarised(key, waiting.point, waiting.seq):
            return
        was_read = self._then_read.is_summarised(key, waiting.point, waiting.seq)
        is_kept = self._kept.is_summarised(key, waiting.point, waiting.seq)
        if not self._is_anew(waiting.seq, was_read and not is_kept):
            return
        counts = waiting.is_imported or (waiting.message is None) is (card.turns > 0)
        gathered = partial(self._pile_up, key, waiting._replace(message=None, counts=counts, was_read=was_read))
        self._hold(self._covered.of_session(key, waiting.point), gathered, is_new=self._is_new(waiting))

    def _pile_up(self, key: Session, waiting: Waiting, *, is_new: bool) -> None:
        self._sessions[key].waiting.append(waiting)
        if is_new and waiting.counts and self._sessions[key].size >= self._lines:
            self._ripe_sessions[key] = None

    def _hold(self, until: int, pile: Callable[..., None], *, is_new: bool) -> None:
        """Pile something up, at once or behind the run with this seq."""
        if until <= self._seq:
            pile(is_new=is_new)
        else:
            held: Held = (until, next(self._numbers), partial(pile, is_new=True))
            heappush(self._held, held)

    def _release(self, seq: int) -> None:
        """Pile up what waited for the runs before this seq."""
        while self._held and self._held[0][0] <= seq:
            heappop(self._held)[2]()

    # -- what is due --------------------------------------------------------------------------------------------------

    def due(self, seq: int) -> list[Run]:
        """What is due behind the event with this seq, in the order of what was said last in each."""
        if self._has_ended:
            return self._left(seq, Pile.all)
        found = self._runs(self._placed(self._ripe, seq), self._ripe_sessions, Pile.full)
        self._clear()
        return found

    def rest(self, seq: int) -> list[Run]:
        """All that is due there at the end, and what is left of it."""
        return self._left(seq, Pile.last)

    def _left(self, seq: int, taken: Taking) -> list[Run]:
        self._release(seq)
        self._clear()
        return self._runs(self._placed(self._piles, seq), self._sessions, taken)

    def _clear(self) -> None:
        self._ripe.clear()
        self._ripe_sessions.clear()
        self._has_ended = False

    def _placed(self, keys: Iterable[Whose], seq: int) -> list[Whose]:
        """Put what waits in these where it belongs by then: fewer may be able to read it, and what is not to be learned
        from is not. Where it lies now.
        """
        waiting = [(person, each) for person, where in keys for each in self._take_off((person, where))]
        found: dict[Whose, None] = {}
        with self._live.past(Moment(seq)) as then:
            for person, each in waiting:
                assert each.message is not None, "answers are nobody's"
                message = each.message.message
                if self._is_learned(then, person, each, each.message):
                    key = person, place_said(then, person, message.audience, message.guild)
                    self._piles[key].waiting.append(each)
                    found[key] = None
        return [*found]

    def _take_off(self, key: Whose) -> Piece:
        pile = self._piles[key]
        waiting, pile.waiting = pile.waiting, []
        return waiting

    def _is_learned(self, then: Rows, person: Handle, waiting: Waiting, row: MessageRow) -> bool:
        """Whether DNAM would learn from a message by then. What a person took back is not learned from anew."""
        message, place = row.message, place_of(then, row.message.session)
        where = message.audience.place if place is None else place.row.place
        learn = learned_as(then, self._settings, person, where, message.guild)(Found(b"", waiting.seq, row))
        if learn == "none" or is_quiet(then, row.heard):
            return False
        return waiting.is_imported or waiting.was_read or is_learned_from(then, row, learn)

    def _runs(self, whose: Iterable[Whose], where: Iterable[Session], taken: Taking) -> list[Run]:
        found = [
            self._extraction(*key, part)
            for key in whose
            for piece in taken(self._piles[key], self._every)
            for part in _with_room(piece)
        ]
        found += [
            self._summary(self._cards[key], piece) for key in where for piece in taken(self._sessions[key], self._lines)
        ]
        return [run for run in sorted(found, key=lambda run: (run.said, run.event)) if self._scope.has_run(run)]

    def _extraction(self, person: Handle, compartment: str, piece: Piece) -> Run:
        last = piece[-1].point
        name = self._named(last.id, piece)
        run = Run(name, "extraction", last.said, VERSION, NOT_RECORDED, tuple(each.id for each in piece))
        return run._replace(owner=person, compartment=compartment)

    def _summary(self, card: SessionCard, piece: Piece) -> Run:
        last = piece[-1].point
        first = EventId(hashlib.sha256(unit(card.session, card.audience.epoch) + last.id).digest()[:16])
        name = self._named(first, piece)
        run = Run(name, "summary", last.said, VERSION, NOT_RECORDED, tuple(each.id for each in piece))
        person = card.place.person if card.audience.kind == "direct" else NOBODY
        return run._replace(session=card.session, audience=card.audience, person=person)

    def _named(self, name: EventId, piece: Piece) -> EventId:
        """A name that is another one where another version is read of a message that was edited."""
        edited = [each.seq for each in piece if self._live.store.log.find(each.id) != each.seq]
        return EventId(hashlib.sha256(name + repr(edited).encode()).digest()[:16]) if edited else name

    # -- without walking ----------------------------------------------------------------------------------------------

    def pass_by(self, after: int, upto: int) -> list[Run]:
        """What is due behind `after` up to a seq, and what is left of it there."""
        return [*self._on_the_way(after, upto), *self.rest(upto)] if upto > after else []

    def _on_the_way(self, after: int, upto: int) -> Iterator[Run]:
        for stored in stored_with(self._live, TAGS, after, upto):
            header = decode_header(stored.header)
            if self._is_read(EventId(header.id), header.tag):
                self._seq = stored.seq
                self._release(stored.seq)
            else:
                record = self._live.live.folding.record(stored)
                self.take(stored.seq, EventId(header.id), None if record is None else record.event)
            if self.is_due:
                yield from self.due(stored.seq)

    def _is_read(self, event: EventId, tag: str) -> bool:
        """Whether recorded runs have read an event in every way: it need not be opened."""
        if event not in self._covered.spoken:
            return False
        return event in self._covered.messages if tag == MessageHeard.TAG else tag == TurnAnswered.TAG


def _most_learned(rows: Rows, settings: Settings) -> Learn:
    """The most that messages were ever learned from, wherever that was."""
    given = {found.row.value for found in rows.scan(CONFIG_GIVEN)}
    return max((each for each in RISING if each in given or each == settings.learn), key=RISING.index)


def _with_room(piece: Piece) -> Iterator[Piece]:
    """A piece in parts of which each has room in one extraction."""
    part: Piece = []
    room = MOST_CHARS
    for each in piece:
        room -= 0 if each.message is None else len(each.message.message.text)
        if room < 0 and part:
            yield part
            part, room = [], MOST_CHARS - (0 if each.message is None else len(each.message.message.text))
        part.append(each)
    if part:
        yield part
