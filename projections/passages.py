"""Relevant past conversations: what was said earlier that answers to a message, each with what stands around it.

    found       by recall, in what is open to the setting: never what stands in the window, nor the message, nor what
                is quoted whole above it, nor what the session's summary has already (`policies.summed_up`)
    around it   up to NEAR before and after in the same sitting; passages that overlap or touch are one
    the budget  best first; what does not fit is tried without what stands around it, and else left out

What may stand there is what may be told again at all (`telling`): words of people, and answers of this session's era.

A message that says nothing by itself ("yeah", "ok") goes on with what was said before: what the last answer of the
session had found stands there again, while that is fresh and as far as it is open still; else nothing is looked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from projections.caller import Caller
from projections.events.values import Audience, LeftOut, Limits, NearUse, PassageUse
from projections.gathering import BLOCK, NEAR, Gathering, Passage, Past, SaidRow
from projections.ids import EventId, Handle, Point, Ref
from projections.messages import MESSAGES, MessageRow, point_key, said_at, unit
from projections.nearness import IN_OTHER_WORDS, Nearness
from projections.people import SOMEONE, name_of
from projections.policies.compartments import Setting
from projections.policies.low_signal import is_low_signal
from projections.retrieval import Vocabulary
from projections.rows import Found, Rows
from projections.said import answers_behind
from projections.telling import MayTell
from projections.turns import TURNS, TurnRow
from projections.window import Window

if TYPE_CHECKING:
    from projections.recall.search import Said

FRESH_MS = 30 * 60_000
"""How long what was found for a message serves those after it that say nothing by themselves."""
SPARE = 3
"""How many times as much is looked for as may stand there: some of it may not, and some touches."""
SUMMED_UP = "the summary has it"

ANSWERING = frozenset({"turn", "fact", "dated", "meaning", "fact meaning"})
"""By what something is found that is relevant: a word of its own, or of an item that rests on it, the day that the
question names, or its meaning. What has none of these is found because it was said near something else, and stands
around that if at all. Nor is it by a common word alone where the question names a stranger (`recall.strangers`).
"""
Where = tuple[Audience, Ref | None]
"""To whom something was said, and in which guild."""


class ShownSummary(NamedTuple):
    """A session's summary as it stands in the prompt, and what it covers: what was said after `floor` up to `upto`."""

    text: str = ""
    floor: Point | None = None
    upto: Point | None = None


class Wished(NamedTuple):
    """What passages are for: the message `words`, where and when it is answered, who else is in the window, and the
    session's summary. With `nearness`, what says the same in other words is found too.
    `quoted` is what the message replies to, where the whole of that stands above it.
    """

    words: str
    setting: Setting
    session: str
    point: Point
    message: EventId
    window: Window
    room: tuple[Handle, ...]
    vocabulary: Vocabulary
    nearness: Nearness | None = None
    summary: ShownSummary = ShownSummary()
    quoted: EventId | None = None


class _Looked(NamedTuple):
    """What was found, best first, what there is to note, and what counted for being near in meaning."""

    hits: tuple["Said", ...] = ()
    note: str = ""
    nearest: tuple[NearUse, ...] = ()


def in_order(passages: Iterable[Passage]) -> list[Passage]:
    """As they stand in the prompt: oldest first."""
    return sorted(passages, key=lambda each: (each.lines[0].said, each.lines[0].id))


def past(rows: Rows, wished: Wished, limits: Limits, caller: Caller, may_tell: MayTell | None = None) -> Past:
    """The passages for a message. `may_tell` is for where it is answered, if it was needed for more than this."""
    if not limits.passages:
        return Past()
    from projections.recall.corpus import SITTING_MS
    from projections.recall.lying import around, read

    may, gathering = _May(rows, wished, may_tell), Gathering(rows, wished.window.authors, limits, caller)
    summed_up = _SummedUp(rows, wished, caller.assistant)
    known: dict[bytes, Found[SaidRow]] = {}
    looked = _looked(rows, wished, limits.passages * SPARE)
    for hit in looked.hits:
        if gathering.shows(hit) or not may(hit):
            continue
        near = around(rows, hit.key, NEAR + 1, NEAR + 1)
        keys = [each.key for each in near]
        if not gathering.takes(keys):
            continue
        if summed_up(hit):
            gathering.leave_out(hit, SUMMED_UP)
        elif gathering.fits(hit, keys):
            known[hit.key] = Found(hit.key, hit.seq, hit.row)
            known |= {each.key: read(rows, each) for each in near if each.key not in known}
            sitting = _sitting(hit, [known[key] for key in keys], SITTING_MS)
            around_it = (each for each in sitting if each.key == hit.key or (may(each) and not summed_up(each)))
            gathering.add(hit, list(around_it))
    noted = (LeftOut(BLOCK, IN_OTHER_WORDS, looked.note),) if looked.note else ()
    made = gathering.past()
    return Past(made.passages, (*noted, *made.left_out), looked.nearest)


# -- what is found -----------------------------------------------------------------------------------------------------


def _looked(rows: Rows, wished: Wished, most: int) -> _Looked:
    if is_low_signal(wished.words, wished.vocabulary):
        return _Looked(tuple(_found_before(rows, wished)))
    # Imported late: numpy takes longer to load than `dnam show` has.
    from projections.recall.search import Wanted, answers

    found = answers(rows, Wanted(
        wished.words, wished.setting, wished.session, wished.point.said,
        without=_standing(wished), room=wished.room, nearness=wished.nearness, question=wished.message,
    ), most)  # fmt: skip
    hits = (hit for hit in found.said if hit.score > 0 and any(field in ANSWERING for field, _ in hit.fields))
    return _Looked(
        tuple(hit for hit in hits if found.doubt is None or found.doubt.leaves(hit.fields)), found.note, found.nearest
    )


def _standing(wished: Wished) -> frozenset[EventId]:
    """What stands in the prompt already."""
    quoted = [] if wished.quoted is None else [wished.quoted]
    return frozenset([wished.message, *quoted, *[line.id for line in wished.window.lines]])


def _found_before(rows: Rows, wished: Wished) -> "Iterator[Said]":
    """What the last answer of this session had found, as far as it is there and open still."""
    from projections.recall.search import Said

    for use in _last_found(rows, wished):
        key = unit(use.session, use.epoch) + point_key(Point(use.said, use.id))
        found = rows.find(MESSAGES, key) or rows.find(TURNS, key)  # type: ignore[arg-type]  # of either table
        if found is not None and _is_open(rows, wished, found.row):
            yield Said(key, use.id, found.row.event, found.seq, use.said, found.row, 0, {}, {})


def _last_found(rows: Rows, wished: Wished) -> tuple[PassageUse, ...]:
    session, epoch, point = wished.session, wished.setting.audience.epoch, wished.point
    prefix = unit(session, epoch)
    before = rows.scan(TURNS, prefix, stop=prefix + point_key(point), reverse=True)
    turn = next(chain(answers_behind(rows, session, epoch, point), before), None)
    is_fresh = turn is not None and point.said - turn.row.said <= FRESH_MS
    return turn.row.passages if turn is not None and is_fresh else ()


def _is_open(rows: Rows, wished: Wished, row: SaidRow) -> bool:
    """Whether what was said is open to this setting, by where it lies."""
    from projections.recall.documents import zone_of
    from projections.recall.opened import Said as SaidWhere
    from projections.recall.opened import is_open, zones

    of = row if isinstance(row, TurnRow) else row.message
    zone = zone_of(of.audience, of.guild)
    where = SaidWhere(of.session, of.audience, of.guild)
    return zone in zones(wished.setting) and is_open(rows, wished.setting, wished.session, zone, where)


class _May:
    """Whether something may stand in a passage of this prompt."""

    def __init__(self, rows: Rows, wished: Wished, may_tell: MayTell | None) -> None:
        self._may_tell = may_tell or MayTell(rows, wished.session, wished.setting.audience.epoch)
        self._before_key = point_key(wished.point)
        self._without = _standing(wished)

    def __call__(self, said: "Found[SaidRow] | Said") -> bool:
        key, row = said.key, said.row
        return key[-24:] < self._before_key and key[-16:] not in self._without and self._may_tell(key, row)


class _SummedUp:
    """Whether the summary has something already. Who is mentioned and what files show has no word there."""

    def __init__(self, rows: Rows, wished: Wished, assistant: str) -> None:
        # Imported late, as recall is: it loads the stemmer.
        from projections.policies.summed_up import SummedUp

        self._rows = rows
        self._assistant = assistant
        self._summary = SummedUp(wished.summary.text, wished.vocabulary) if wished.summary.text else None
        self._unit = unit(wished.session, wished.setting.audience.epoch)
        self._after = b"" if wished.summary.floor is None else point_key(wished.summary.floor)
        self._upto = b"" if wished.summary.upto is None else point_key(wished.summary.upto)

    def __call__(self, said: "Found[SaidRow] | Said") -> bool:
        if self._summary is None:
            return False
        of = said.row if isinstance(said.row, TurnRow) else said.row.message
        if of.spans or (isinstance(said.row, MessageRow) and said.row.message.attachments):
            return False
        if self._summary.says(of.text):
            return True
        return self._is_covered(said.key) and self._summary.retells(of.text, lambda: self._name(said.row))

    def _is_covered(self, key: bytes) -> bool:
        return key[:-24] == self._unit and self._after < key[-24:] <= self._upto

    def _name(self, row: SaidRow) -> str:
        """What the summary calls whoever said it; nothing where nobody knows them."""
        if isinstance(row, TurnRow):
            return row.assistant or self._assistant
        if not row.message.speaker:
            return row.message.author_name
        name = name_of(self._rows, row.message.speaker)
        return "" if name == SOMEONE else name


# -- what stands around it, and fits --------------------------------------------------------------------------------


def _sitting(hit: "Said", near: Sequence[Found[SaidRow]], pause: int) -> list[Found[SaidRow]]:
    """Of what was said up to NEAR before and after, and one more on each side so that it is known what touches, what
    was said in the same sitting, without a `pause` (ms) between; and itself.
    """
    there = _where_of(hit.row)
    said = [each for each in near if (where := _where_of(each.row)) == there or _lies_with(where, there)]
    moments = [said_at(each.key) for each in said]
    first = last = next(at for at, each in enumerate(said) if each.key == hit.key)
    while first > 0 and moments[first] - moments[first - 1] <= pause:
        first -= 1
    while last < len(said) - 1 and moments[last + 1] - moments[last] <= pause:
        last += 1
    return said[first : last + 1]


def _where_of(row: SaidRow) -> Where:
    of = row if isinstance(row, TurnRow) else row.message
    return of.audience, of.guild


def _lies_with(where: Where, there: Where) -> bool:
    """Whether two things of one session were said to the same people: it may have been heard without its guild once."""
    from projections.recall.documents import zone_of

    return zone_of(*where) == zone_of(*there)
