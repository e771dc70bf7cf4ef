"""Relevant past conversations: what was said earlier that answers to a message, each with what stands around it.

    found       by recall, in what is open to the setting: never what stands in the window, nor the message
    around it   up to NEAR before and after in the same sitting; passages that overlap or touch are one
    the budget  best first; what does not fit is tried without what stands around it, and else left out

Words of people may stand there. Of the assistant only its answers in this session's era may, as in the window: the
vault of an era grows by everybody in the prompts of its answers, and one from elsewhere would bring all of its people
into it.

A message that says nothing by itself ("yeah", "ok") goes on with what was said before: what the last answer of the
session had found stands there again, while that is fresh and as far as it is open still; else nothing is looked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from projections.days import utc_date
from projections.events.values import Audience, LeftOut, Limits, NearUse, PassageUse
from projections.ids import EventId, Handle, Point, Ref
from projections.items import is_quiet
from projections.links import jump_link
from projections.messages import MESSAGES, MessageRow, key_point, point_key, unit
from projections.nearness import Nearness
from projections.policies.compartments import Setting
from projections.policies.low_signal import is_low_signal
from projections.retrieval import Vocabulary
from projections.rows import Found, Rows
from projections.summaries import era_of
from projections.turns import DELIVERIES, TURNS, TurnRow
from projections.window import Caller, Entry, Window, WindowLine, entry_line, of_era, says_something

if TYPE_CHECKING:
    from projections.recall.search import Said

BLOCK = "past"
NEAR = 2
"""How many messages before and after what was found stand with it."""
FRESH_MS = 30 * 60_000
"""How long what was found for a message serves those after it that say nothing by themselves."""
SPARE = 3
"""How many times as much is looked for as may stand there: some of it may not, and some touches."""

ANSWERING = frozenset({"turn", "fact", "meaning"})
"""By what something is found that is relevant: a word of its own, or of an item that rests on it, or its meaning. What
has none of these is found because it was said near something else, and stands around that if at all.
"""
IN_OTHER_WORDS = "what says it in other words"
"""What is left out where an encoder cannot be asked, or has not read enough yet."""

SaidRow = MessageRow | TurnRow


class Wished(NamedTuple):
    """What passages are for: the message `words`, where and when it is answered, who else is in the window. With
    `nearness`, what says the same in other words is found too.
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


class Passage(NamedTuple):
    """Something that was found, and what was said around it, oldest first; `uses` are what was found, best first."""

    uses: tuple[PassageUse, ...]
    lines: tuple[WindowLine, ...]
    link: str

    @property
    def head(self) -> str:
        """When it was said (UTC), and where it can be seen."""
        return _head(self.lines[0].said, self.link)


def _head(said: int, link: str) -> str:
    return f"- {utc_date(said)}{f' {link}' if link else ''}"


class Past(NamedTuple):
    """The passages of a prompt, best first, what was left out and why, and what of all that was looked at was near."""

    passages: tuple[Passage, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    nearest: tuple[NearUse, ...] = ()


class _Looked(NamedTuple):
    """What was found, best first, and what there is to note."""

    hits: tuple["Said", ...] = ()
    note: str = ""


def in_order(passages: Iterable[Passage]) -> list[Passage]:
    """As they stand in the prompt: oldest first."""
    return sorted(passages, key=lambda each: (each.lines[0].said, each.lines[0].id))


def past(rows: Rows, wished: Wished, limits: Limits, caller: Caller) -> Past:
    """The passages for a message."""
    if not limits.passages:
        return Past()
    may, gathering = _May(rows, wished), _Gathering(rows, wished, limits, caller)
    looked = _looked(rows, wished, limits.passages * SPARE)
    for hit in looked.hits:
        if not gathering.shows(hit) and may(hit):
            gathering.add(hit, [each for each in _around(rows, hit) if may(each)])
    noted = (LeftOut(BLOCK, IN_OTHER_WORDS, looked.note),) if looked.note else ()
    made = gathering.past()
    nearest = tuple(NearUse(hit.by_meaning, hit.event) for hit in looked.hits if hit.by_meaning)
    return Past(made.passages, (*noted, *made.left_out), nearest)


# -- what is found -----------------------------------------------------------------------------------------------------


def _looked(rows: Rows, wished: Wished, most: int) -> _Looked:
    if is_low_signal(wished.words, wished.vocabulary):
        return _Looked(tuple(_found_before(rows, wished)))
    # Imported late: numpy takes longer to load than `dnam show` has.
    from projections.recall.search import Wanted, answers

    found, note = answers(rows, Wanted(
        wished.words, wished.setting, wished.session, wished.point.said,
        without=_standing(wished), room=wished.room, nearness=wished.nearness,
    ), most)  # fmt: skip
    return _Looked(tuple(hit for hit in found if any(each.field in ANSWERING for each in hit.reasons)), note)


def _standing(wished: Wished) -> frozenset[EventId]:
    """What stands in the prompt already."""
    return frozenset((wished.message, *(line.id for line in wished.window.lines)))


def _found_before(rows: Rows, wished: Wished) -> "Iterator[Said]":
    """What the last answer of this session had found, as far as it is there and open still."""
    from projections.recall.search import Said

    for use in _last_found(rows, wished):
        key = unit(use.session, use.epoch) + point_key(Point(use.said, use.id))
        found = rows.find(MESSAGES, key) or rows.find(TURNS, key)  # type: ignore[arg-type]  # of either table
        if found is not None and _is_open(rows, wished, found.row):
            yield Said(key, use.id, found.row.event, found.seq, use.said, found.row, 0, ())


def _last_found(rows: Rows, wished: Wished) -> tuple[PassageUse, ...]:
    prefix = unit(wished.session, wished.setting.audience.epoch)
    before = rows.scan(TURNS, prefix, stop=prefix + point_key(wished.point), reverse=True)
    turn = next(before, None)
    is_fresh = turn is not None and wished.point.said - turn.row.said <= FRESH_MS
    return turn.row.passages if turn is not None and is_fresh else ()


def _is_open(rows: Rows, wished: Wished, row: SaidRow) -> bool:
    """Whether what was said is open to this setting, by where it lies."""
    from projections.recall.documents import zone_of
    from projections.recall.opened import Said as Where
    from projections.recall.opened import is_open, zones

    of = row if isinstance(row, TurnRow) else row.message
    zone = zone_of(of.audience, of.guild)
    where = Where(of.session, of.audience, of.guild)
    return zone in zones(wished.setting) and is_open(rows, wished.setting, wished.session, zone, where)


class _May:
    """Whether something may stand in a passage of this prompt."""

    def __init__(self, rows: Rows, wished: Wished) -> None:
        epoch = wished.setting.audience.epoch
        self._rows = rows
        self._here = unit(wished.session, epoch)
        self._era = era_of(rows, wished.session, epoch)
        self._point = wished.point
        self._without = _standing(wished)

    def __call__(self, said: "Found[SaidRow] | Said") -> bool:
        point = key_point(said.key)
        return (
            point < self._point
            and point.id not in self._without
            and says_something(said.row)
            and (_is_of_others(said.row) or self._is_answer_here(said))
            and not is_quiet(self._rows, point.id)
        )

    def _is_answer_here(self, said: "Found[SaidRow] | Said") -> bool:
        """Whether the assistant's own words would stand in the window, were it longer."""
        return said.key[:16] == self._here and any(of_era([Entry(said.key, said.seq, said.row)], self._era))


def _is_of_others(row: SaidRow) -> bool:
    return isinstance(row, MessageRow) and row.message.author != "self"


# -- what stands around it, and fits --------------------------------------------------------------------------------


def _around(rows: Rows, hit: "Said") -> list[Found[SaidRow]]:
    """What was said up to NEAR before and after in the same sitting, and itself; and one more on each side, so that it
    is known what touches.
    """
    from projections.recall.corpus import SITTING_MS
    from projections.recall.search import neighbours

    said = neighbours(rows, hit, NEAR + 1, NEAR + 1)
    at = next(n for n, each in enumerate(said) if each.key == hit.key)
    first = next((n for n in range(at, 0, -1) if _silence(said[n - 1], said[n]) > SITTING_MS), 0)
    last = next((n for n in range(at, len(said) - 1) if _silence(said[n], said[n + 1]) > SITTING_MS), len(said) - 1)
    return list(said[first : last + 1])


def _silence(before: Found[SaidRow], after: Found[SaidRow]) -> int:
    return key_point(after.key).said - key_point(before.key).said


class _Stretch(NamedTuple):
    """What is shown of what was said in a row, by key; `reach` are their keys and those of what is next to them."""

    hits: tuple["Said", ...]
    shown: Mapping[bytes, WindowLine]
    reach: frozenset[bytes]

    def touches(self, other: "_Stretch") -> bool:
        return not self.reach.isdisjoint(other.shown)

    def joined(self, other: "_Stretch") -> "_Stretch":
        return _Stretch(self.hits + other.hits, {**self.shown, **other.shown}, self.reach | other.reach)


class _Gathering:
    """The passages so far: what was found is added, best first, as long as there is room."""

    def __init__(self, rows: Rows, wished: Wished, limits: Limits, caller: Caller) -> None:
        self._rows = rows
        self._limits = limits
        self._caller = caller
        self._authors = dict(wished.window.authors)
        self._rendered: dict[bytes, WindowLine] = {}
        self._lengths: dict[bytes, int] = {}
        self._links: dict[bytes, str] = {}
        self._stretches: list[_Stretch] = []
        self._left_out: list[LeftOut] = []

    def shows(self, hit: "Said") -> bool:
        """Whether it stands with something that was found before."""
        return any(hit.key in each.shown for each in self._stretches)

    def add(self, hit: "Said", around: Sequence[Found[SaidRow]]) -> None:
        """What was found and what stands around it, or else itself alone, or nothing of it."""
        for near in (NEAR, 0):
            stretches = self._with(self._stretch(hit, around, near))
            if len(stretches) > self._limits.passages:
                return
            if self._size(stretches) <= self._limits.passage_chars:
                self._stretches = stretches
                return
        self._left_out.append(LeftOut(BLOCK, hit.id.hex(), f"over {self._limits.passage_chars} characters"))

    def _with(self, made: _Stretch) -> list[_Stretch]:
        """The stretches and one more; what touches is one, and stands where the best of it stood."""
        touching = [each for each in self._stretches if each.touches(made)]
        if not touching:
            return [*self._stretches, made]
        joined = reduce(_Stretch.joined, [*touching, made])
        others = (each for each in self._stretches if each not in touching[1:])
        return [joined if each == touching[0] else each for each in others]

    def _stretch(self, hit: "Said", around: Sequence[Found[SaidRow]], near: int) -> _Stretch:
        at = next(n for n, each in enumerate(around) if each.key == hit.key)
        first, last = max(at - near, 0), at + near + 1
        reach = frozenset(each.key for each in around[max(first - 1, 0) : last + 1])
        return _Stretch((hit,), self._lines(around[first:last]), reach)

    def _lines(self, near: Sequence[Found[SaidRow]]) -> dict[bytes, WindowLine]:
        for each in near:
            if isinstance(each.row, MessageRow) and each.row.message.ref not in self._authors:
                self._authors[each.row.message.ref] = self._caller.author(each.row.message)
        for each in near:
            if each.key not in self._rendered:
                line = self._rendered[each.key] = entry_line(Entry(*each), self._caller, self._authors)
                self._lengths[each.key] = len(line.rendered)
        return {each.key: self._rendered[each.key] for each in near}

    def _size(self, stretches: Iterable[_Stretch]) -> int:
        """Code points of all of these, with a line break between each two."""
        heads = sum(len(_head(0, self._link(each.hits[0]))) + 1 for each in stretches)
        return heads + sum(self._lengths[key] + 1 for each in stretches for key in each.shown) - 1

    def _passage(self, stretch: _Stretch) -> Passage:
        lines = tuple(line for _, line in sorted(stretch.shown.items()))
        return Passage(tuple(map(_use, stretch.hits)), lines, self._link(stretch.hits[0]))

    def _link(self, hit: "Said") -> str:
        if hit.key not in self._links:
            self._links[hit.key] = _link(self._rows, hit.row)
        return self._links[hit.key]

    def past(self) -> Past:
        return Past(tuple(map(self._passage, self._stretches)), tuple(self._left_out))


def _use(hit: "Said") -> PassageUse:
    of = hit.row if isinstance(hit.row, TurnRow) else hit.row.message
    return PassageUse(of.session, of.audience.epoch, hit.said, hit.id)


def _link(rows: Rows, row: SaidRow) -> str:
    """Where it can be seen; empty where its platform has no links."""
    ref, place, guild, audience = _where(rows, row)
    return (jump_link(ref, place, guild, audience) or "") if ref is not None else ""


def _where(rows: Rows, row: SaidRow) -> tuple[Ref | None, Ref, Ref | None, Audience]:
    if isinstance(row, MessageRow):
        return row.message.ref, row.message.place, row.message.guild, row.message.audience
    delivery = rows.get(DELIVERIES, row.event)
    first = None if delivery is None else next(iter(delivery.messages), None)
    return first, row.audience.place, row.guild, row.audience
