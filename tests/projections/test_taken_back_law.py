"""Law: once every message is taken back that had a word, in whatever order, no event that can be read has it.

The word is told on in every way there is: items are made of messages, put otherwise, merged, shared, undone, taken back
and brought back, evicted and imported; answers and summaries tell what they had before them; messages are edited and
read anew; and some of it is taken back on the way.
"""

from collections.abc import Callable
from contextlib import suppress
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.decisions import shelf
from projections.decisions.delete import gone
from projections.decisions.imported import import_item
from projections.decisions.moving import move, sharing
from projections.decisions.remember import RestoreRequest, restore
from projections.errors import BadRequest
from projections.events import ItemEvent, ItemReverted
from projections.events.values import OPERATOR, By, RowWas
from projections.ids import EventId, Point
from projections.items import ItemRow
from projections.turns import TURNS, find_turn
from tests.projections.learning import HOME, LATER, SELF
from tests.projections.reverting import Reverting, edits, forgets
from tests.projections.test_taken_back_in_turn import imported
from tests.world import NOW, origin

WORDS = [f"{each}mongery" for each in ("cheese", "fish", "iron", "rumour", "scare", "war", "cost", "fell")]
"""Each is long enough to be looked for alone."""


class Telling:
    """A town in which words are told on. `by_hand`: people keep items, which then do not say the words themselves."""

    def __init__(self, *, by_hand: bool) -> None:
        self.town = Reverting()
        self.by_hand = by_hand
        self.messages: list[Point] = [self.town.says("hello there")]
        self.number = 0

    # -- what there is -----------------------------------------------------------------------------------------------

    def items(self, *statuses: str) -> list[ItemRow]:
        return [row for row in self.town.items() if row.item.status in (statuses or ("active",))]

    def alone(self, *statuses: str) -> list[ItemRow]:
        """Those that no other item says too: a town finds its items by what they say."""
        texts = [row.item.text for row in self.town.items()]
        return [row for row in self.items(*statuses) if sum(row.item.text in each for each in texts) == 1]

    def there(self) -> list[Point]:
        return [each for each in self.messages if self.town.message(each) is not None]

    def words_in(self, *events: EventId) -> list[str]:
        """The words that an answer with these before it may tell: no prompt has the quotes of an item."""
        found = [self.town.rows.event(each) for each in events]
        told = " ".join(each.item.text if isinstance(each, ItemEvent) else repr(each) for each in found)
        return [each for each in WORDS if each in told]

    def text(self, n: int) -> str:
        return f"User likes jar{n % 7}." if self.by_hand else f"User likes {WORDS[n % len(WORDS)]}, jar{n % 7}."

    def name(self) -> str:
        self.number += 1
        return f"step {self.number}"

    # -- what happens ------------------------------------------------------------------------------------------------

    def learns(self, n: int, m: int) -> None:
        said = f"I like {WORDS[n % len(WORDS)]} very much, {m}"
        message = self.town.says(said)
        self.messages.append(message)
        self._read(message, said, n, m)

    def _read(self, message: Point, said: str, n: int, m: int) -> None:
        known = self.items()
        its = {"id": known[m % len(known)].item.id} if known and m % 3 else {}
        quotes = {} if m % 5 == 4 else {"evidence": said}
        text = self.text(n) if m % 2 or not its else known[m % len(known)].item.text
        superseded = {"supersedes": [known[0].item.id]} if known and m % 11 == 7 else {}
        work, request = self.town.extraction([message], {"text": text, **its, **quotes, **superseded})
        self.town.learns(work, request._replace(cap=4))

    def edits(self, n: int, m: int) -> None:
        message = self.there()[n % len(self.there())]
        self.number += 1
        self.town.edits(message, f"I mean {WORDS[m % len(WORDS)]}, {m}", after=500 + self.number)
        if m % 2:
            row = self.town.message(message)
            assert row is not None
            self._read(message, row.message.text, n, m)

    def merges(self, n: int, m: int) -> None:
        here = [row for row in self.alone() if row.item.owner and row.item.compartment == HOME]
        if len(here) > 1:
            one, other = here[n % len(here)], here[(n + 1) % len(here)]
            self.town.merges(one.item.text, other.item.text, self.text(m))

    def shares(self, n: int, m: int) -> None:
        known = [row for row in self.items() if row.item.owner]
        if known:
            row = known[n % len(known)]
            asked = sharing(self.town.ada, row.item.id, By("person", self.town.ada), LATER, origin(self.name()))
            self.town.world.decide(move, asked)

    def undoes(self, n: int, m: int) -> None:
        known = self.items()
        if known:
            row = known[n % len(known)]
            was = RowWas(row.tag, row.said, row.by)
            causes = (row.event,)
            self.town.world.add(
                ItemReverted(said=LATER, by=OPERATOR, causes=causes, item=row.item, was=was, undoes=causes, gone=True)
            )

    def forgets(self, n: int, m: int) -> None:
        known = [row for row in self.alone() if row.item.owner]
        if known:
            forgets(self.town, known[n % len(known)].item.text)

    def restores(self, n: int, m: int) -> None:
        known = self.items("forgotten", "evicted", "merged", "deprecated")
        if known and self.by_hand:
            row = known[n % len(known)]
            asked = RestoreRequest(
                row.item.owner, row.item.id, By("person", self.town.ada), LATER, origin(self.name()), cap=4
            )
            self.town.world.decide(restore, asked)

    def keeps(self, n: int, m: int) -> None:
        known = self.alone()
        if known and self.by_hand:
            edits(self.town, known[n % len(known)].item.text, f"{self.text(m)} {self.name()}")

    def imports(self, n: int, m: int) -> None:
        row = self.town.message(self.there()[n % len(self.there())])
        assert row is not None
        self.number += 1
        asked = imported(row, self.number)
        text = "Ada keeps bees" if self.by_hand else f"Ada keeps bees, and {WORDS[m % len(WORDS)]}"
        self.town.world.decide(import_item, asked._replace(text=text, quote=row.message.text[: 8 + m]))

    def answers(self, n: int, m: int) -> None:
        before = [self._cause(each) for each in (n, m)]
        told = self.words_in(*before)
        question = self.town.says("and what of today?")
        self.town.answers(
            question, f"I heard of {' and '.join(told[m % 2 :])}.", *(Point(NOW, each) for each in before)
        )

    def _cause(self, n: int) -> EventId:
        """A message as it now is, an item, an answer or a summary."""
        found = [row.event for each in self.there() if (row := self.town.message(each)) is not None]
        found += [row.event for row in self.town.items()]
        found += [each.row.event for each in self.town.rows.scan(TURNS)] * 2
        summary = self.town.summary()
        found += [] if summary is None else [summary.event]
        return found[n % len(found)]

    def sums_up(self, n: int, m: int) -> None:
        before, last = self._cause(n), self.there()[m % len(self.there())]
        old = self.town.summary()
        events = [each for each in (before, last.id, b"" if old is None else old.event) if each]
        told = " and ".join(self.words_in(*(EventId(each) for each in events)))
        self.town.sums_up(f"Of {told}, {self.name()}.", last, shown=[before, last.id])

    def retells(self, n: int, m: int) -> None:
        words = [each for each in WORDS if any(each in repr(self.town.message(at)) for at in self.there()[-9:])]
        if words:
            self.messages.append(self.town.says(f"You told me of {words[n % len(words)]}.", SELF))

    def takes_back(self, n: int, m: int) -> None:
        self._delete(self.there()[n % len(self.there())])

    def takes_back_an_answer(self, n: int, m: int) -> None:
        found = [each.row.event for each in self.town.rows.scan(TURNS)]
        row = find_turn(self.town.rows, found[n % len(found)]) if found else None
        for draft in [] if row is None else gone(self.town.rows, [], [row], LATER):
            self.town.world.record(draft)

    def _delete(self, message: Point) -> None:
        if message != self.messages[0]:  # one stays, to be there
            while self.town.deletes(message):
                pass

    def takes_back_all(self, order: int) -> None:
        left = [each for each in self.there() if each != self.messages[0]]
        while left:
            self._delete(left.pop(order % len(left)))
        self.town.deletes(self.messages[0])


Step = Callable[[Telling, int, int], None]
STEPS: tuple[Step, ...] = (
    Telling.learns, Telling.learns, Telling.learns, Telling.edits, Telling.edits, Telling.merges, Telling.merges,
    Telling.shares, Telling.shares, Telling.undoes, Telling.forgets, Telling.restores, Telling.keeps, Telling.imports,
    Telling.answers, Telling.answers, Telling.sums_up, Telling.retells, Telling.takes_back, Telling.takes_back,
    Telling.takes_back_an_answer,
)  # fmt: skip
NUMBERS = st.integers(0, 60)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), NUMBERS, NUMBERS), min_size=3, max_size=30),
    st.integers(0, 1_000_000),
    st.booleans(),
)
def test_what_is_taken_back_is_in_no_event_that_can_be_read(
    steps: list[tuple[Step, int, int]], order: int, by_hand: bool
) -> None:
    telling = Telling(by_hand=by_hand)
    with patch.object(shelf, "MOST_EVIDENCE", 3):
        for step, n, m in steps:
            with suppress(BadRequest):
                step(telling, n, m)
        telling.takes_back_all(order)
    assert {each: telling.town.tells(each) for each in WORDS if telling.town.tells(each)} == {}
