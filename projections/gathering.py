"""Passages as they come together: what was found and what was said around it, joined where it touches."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from projections.caller import Caller
from projections.days import utc_date
from projections.events.values import LeftOut, Limits, NearUse, PassageUse
from projections.ids import Ref
from projections.links import Direct, jump_link
from projections.messages import MessageRow
from projections.places import place_of
from projections.rows import Found, Rows
from projections.said import Entry
from projections.turns import DELIVERIES, TurnRow
from projections.window_line import WindowLine, entry_chars, entry_line

if TYPE_CHECKING:
    from projections.recall.search import Said

BLOCK = "past"
NEAR = 2
"""How many messages before and after what was found stand with it."""
SaidRow = MessageRow | TurnRow


class Passage(NamedTuple):
    """Something that was found, and what was said around it, oldest first; `uses` are what was found, best first,
    `links` where each of it can be seen, empty where its platform has none, and `hits` the same with why.
    """

    uses: tuple[PassageUse, ...]
    lines: tuple[WindowLine, ...]
    links: tuple[str, ...]
    hits: tuple["Said", ...] = ()

    @property
    def head(self) -> str:
        """When it was said (UTC), and where the best of it can be seen."""
        return _head(self.lines[0].said, self.links[0])


def _head(said: int, link: str) -> str:
    return f"- {utc_date(said)}{f' {link}' if link else ''}"


_DATE_CHARS = len(_head(0, ""))
"""How long a head is without a link, on whatever day."""


class Past(NamedTuple):
    """The passages of a prompt, best first, what was left out and why, and what of all that was looked at was near."""

    passages: tuple[Passage, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    nearest: tuple[NearUse, ...] = ()


class Stretch(NamedTuple):
    """What is shown of what was said in a row, by key; `reach` are their keys and those of what is next to them, and
    `chars` are the code points of its head and its lines, with a line break behind each.
    """

    hits: tuple["Said", ...]
    shown: Mapping[bytes, Found[SaidRow]]
    reach: frozenset[bytes]
    chars: int


class Gathering:
    """The passages so far: what was found is added, best first, as long as there is room. Most of it finds none: lines
    are measured first, and made of what stands there in the end.
    """

    def __init__(self, rows: Rows, authors: Mapping[Ref, str], limits: Limits, caller: Caller) -> None:
        self._rows = rows
        self._limits = limits
        self._caller = caller
        self._authors = dict(authors)
        self._rendered: dict[bytes, WindowLine] = {}
        self._lengths: dict[bytes, int] = {}
        self._links: dict[bytes, str] = {}
        self._heads: dict[bytes, int] = {}
        self._stretches: list[Stretch] = []
        self._shown: set[bytes] = set()
        self._reach: set[bytes] = set()
        """What they show together, and reach: of most that was found nothing touches any of them."""
        self._left_out: list[LeftOut] = []

    def shows(self, hit: "Said") -> bool:
        """Whether it stands with something that was found before."""
        return hit.key in self._shown

    def takes(self, near: Iterable[bytes]) -> bool:
        """Whether something with these keys around it could still be added: there is room, or it stands beside what
        was found before.
        """
        return len(self._stretches) < self._limits.passages or not self._shown.isdisjoint(near)

    def fits(self, hit: "Said", near: Iterable[bytes]) -> bool:
        """Whether there may be room for what was found, if need be for it alone: what does not fit is left out, before
        anything around it is read. How long it is together with what was found before, where it touches that with these
        keys around it, is not known yet; nor how long the line of a reply is.
        """
        if not self._reach.isdisjoint(near):
            return True
        chars = entry_chars(hit.row, self._caller)
        if chars is None:
            return True
        alone = self._head_chars(hit) + 1 + chars + 1
        fits = self._size([alone, *[each.chars for each in self._stretches]]) <= self._limits.passage_chars
        if not fits:
            self.leave_out(hit, self._over)
        return fits

    def leave_out(self, hit: "Said", why: str) -> None:
        """Note that something was found and does not stand there."""
        self._left_out.append(LeftOut(BLOCK, hit.id.hex(), why))

    @property
    def _over(self) -> str:
        return f"over {self._limits.passage_chars} characters"

    def add(self, hit: "Said", around: Sequence[Found[SaidRow]]) -> None:
        """What was found and what stands around it, or else itself alone, or nothing of it."""
        at = [each.key for each in around].index(hit.key)
        for near in (NEAR, 0):
            first, last = max(at - near, 0), at + near + 1
            shown = {each.key: each for each in around[first:last]}
            self._measure(shown)
            chars, touching = self._chars(hit, shown), self._touching(shown)
            if not touching:
                if len(self._stretches) == self._limits.passages:
                    return
                if self._size([chars, *[each.chars for each in self._stretches]]) > self._limits.passage_chars:
                    continue
            reach = frozenset(each.key for each in around[max(first - 1, 0) : last + 1])
            stretches = self._with(Stretch((hit,), shown, reach, chars), touching)
            if self._size([each.chars for each in stretches]) <= self._limits.passage_chars:
                self._stretches = stretches
                self._shown.update(shown)
                self._reach.update(reach)
                return
        self.leave_out(hit, self._over)

    def _touching(self, shown: Iterable[bytes]) -> list[Stretch]:
        if self._reach.isdisjoint(shown):
            return []
        return [each for each in self._stretches if not each.reach.isdisjoint(shown)]

    def _with(self, made: Stretch, touching: Sequence[Stretch]) -> list[Stretch]:
        """The stretches and one more; what touches is one, and stands where the best of it stood."""
        if not touching:
            return [*self._stretches, made]
        joined = self._joined([*touching, made])
        others = (each for each in self._stretches if not any(each is gone for gone in touching[1:]))
        return [joined if each is touching[0] else each for each in others]

    def _joined(self, touching: Sequence[Stretch]) -> Stretch:
        """What touches, as one."""
        shown = {key: said for each in touching for key, said in each.shown.items()}
        hits = tuple(hit for each in touching for hit in each.hits)
        return Stretch(hits, shown, frozenset().union(*(each.reach for each in touching)), self._chars(hits[0], shown))

    def _chars(self, hit: "Said", shown: Iterable[bytes]) -> int:
        """Code points of a head and these lines."""
        return self._head_chars(hit) + 1 + sum([self._lengths[key] + 1 for key in shown])

    def _measure(self, shown: Mapping[bytes, Found[SaidRow]]) -> None:
        """How long the lines are of what is to be shown; those are made that say more than what was said."""
        new = [each for key, each in shown.items() if key not in self._lengths]
        for each in new:
            if isinstance(each.row, MessageRow) and each.row.message.ref not in self._authors:
                self._authors[each.row.message.ref] = self._caller.author(each.row.message)
        for each in new:
            chars = entry_chars(each.row, self._caller)
            if chars is None:
                line = self._rendered[each.key] = entry_line(Entry(*each), self._caller, self._authors)
                chars = len(line.rendered)
            self._lengths[each.key] = chars

    def _size(self, chars: Iterable[int]) -> int:
        """Code points of stretches that are so long, with a line break between each two."""
        return sum(chars) - 1

    def _head_chars(self, hit: "Said") -> int:
        """How long the head of a passage is: as long on every day."""
        chars = self._heads.get(hit.key)
        if chars is None:
            link = self._link(hit)
            chars = self._heads[hit.key] = _DATE_CHARS + (1 + len(link) if link else 0)
        return chars

    def _passage(self, stretch: Stretch) -> Passage:
        lines = tuple(self._line(stretch.shown[key]) for key in sorted(stretch.shown))
        return Passage(tuple(map(_use, stretch.hits)), lines, tuple(map(self._link, stretch.hits)), stretch.hits)

    def _line(self, said: Found[SaidRow]) -> WindowLine:
        line = self._rendered.get(said.key)
        return entry_line(Entry(*said), self._caller, self._authors) if line is None else line

    def _link(self, hit: "Said") -> str:
        if hit.key not in self._links:
            self._links[hit.key] = link_of(self._rows, hit.row) or ""
        return self._links[hit.key]

    def past(self) -> Past:
        return Past(tuple(map(self._passage, self._stretches)), tuple(self._left_out))


def _use(hit: "Said") -> PassageUse:
    of = hit.row if isinstance(hit.row, TurnRow) else hit.row.message
    return PassageUse(of.session, of.audience.epoch, hit.said, hit.id)


def link_of(rows: Rows, row: SaidRow, direct: Direct | None = None) -> str | None:
    """Where something that was said can be seen, on platforms that have links; an answer at its first message. What was
    said in the `direct` conversation in which it is told is seen there.
    """
    if isinstance(row, MessageRow):
        message = row.message
        return jump_link(message.ref, message.place, message.guild, message.audience, direct)
    delivery = rows.get(DELIVERIES, row.event)
    place = _place_of(rows, row) if delivery is not None and delivery.messages else None
    if delivery is None or place is None:
        return None
    return jump_link(delivery.messages[0], place, row.guild, row.audience, direct)


def _place_of(rows: Rows, turn: TurnRow) -> Ref | None:
    """Where an answer was given; a DM has the name of its audience."""
    if turn.audience.kind == "direct":
        return turn.audience.place
    found = place_of(rows, turn.session)
    return None if found is None else found.row.place
