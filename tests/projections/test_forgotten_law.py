"""Law: no search finds or counts what somebody took back, nor an answer that had it before it, whenever that was given.

By counting: of each item that is taken back, the message that it rests on is gone, the answers that had this in their
window, and the answers behind those that have its word. What is left is what there is to be found, and all that is
scored.
"""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.decisions.answer import AnswerRequest, answer
from projections.decisions.remember import ForgetRequest, RestoreRequest, forget, restore
from projections.events import TurnAnswered
from projections.events.values import By, Limits
from projections.ids import EventId
from projections.items import ItemRow
from projections.policies.compartments import Opening, Setting
from projections.recall.search import Wanted, said
from tests.examples import examples
from tests.projections.learning import CALL, HERE, LATER, SESSION
from tests.projections.recall import oracle_said
from tests.projections.recall.stage import documents_of, kept
from tests.projections.reverting import Reverting
from tests.projections.test_quiet import context
from tests.world import NOW, origin

WINDOW = 3
WORDS = [
    f"{start}{end}" for end in ("monger", "wright", "herd") for start in ("cheese", "iron", "ship", "wheel", "goat")
]


class Talk:
    """People say things, of which each becomes known; they take them back, bring them back, and are answered."""

    def __init__(self) -> None:
        self.town = Reverting()
        self.words: dict[EventId, str] = {}
        """What each message says."""
        self.order: list[EventId] = []
        """What was said, and what was answered."""
        self.causes: dict[EventId, tuple[EventId, ...]] = {}
        self.texts: dict[EventId, str] = {}
        self.number = 0

    def says(self, n: int) -> None:
        if len(self.words) == len(WORDS):
            return
        word = WORDS[len(self.words)]
        message = self.town.learned(f"User likes {word}.", f"I like {word} so much")
        self.words[message.id] = word
        self.order.append(message.id)

    def row(self, word: str) -> ItemRow:
        return self.town.item(f"User likes {word}.")

    def forgotten(self) -> dict[EventId, str]:
        """The messages whose items are taken back, and their words."""
        return {each: word for each, word in self.words.items() if self.row(word).item.status == "forgotten"}

    def forgets(self, n: int) -> None:
        there = [word for each, word in self.words.items() if each not in self.forgotten()]
        if there:
            self.number += 1
            row, by = self.row(there[n % len(there)]), By("person", self.town.ada)
            here = (Opening(row.item.owner, row.item.compartment),)
            named = origin(f"forget {self.number}")
            assert self.town.world.decide(forget, ForgetRequest(row.item.owner, here, by, LATER, named, id=row.item.id))

    def restores(self, n: int) -> None:
        if gone := list(self.forgotten().values()):
            self.number += 1
            row, by = self.row(gone[n % len(gone)]), By("person", self.town.ada)
            asked = RestoreRequest(row.item.owner, row.item.id, by, LATER, origin(f"restore {self.number}"))
            self.town.world.decide(restore, asked)

    def answers(self, n: int) -> None:
        """With the last few before it: it repeats what those say, some of it, or nothing."""
        window = tuple(self.order[-WINDOW:])
        told = [word for word in WORDS if any(word in self.said(each) for each in window)]
        text = f"You like {' and '.join(told[n % 3 :])}." if told[n % 3 :] else "What weather we have."
        question = self.town.says("and what of today?")
        asked = context(self.town.world)._replace(causes=(question.id, *window), items=())
        request = AnswerRequest(
            question, SESSION, HERE.place, HERE, None, self.town.ada, text, asked, CALL, Limits(), NOW, "dnam"
        )
        (turn, *_) = self.town.world.decide(answer, request)
        assert isinstance(turn, TurnAnswered)
        made = next(each.id for each in self.town.world.records if each.event is turn)
        self.causes[made], self.texts[made] = window, text
        self.order += [question.id, made]

    def said(self, each: EventId) -> str:
        return self.words.get(each, self.texts.get(each, ""))

    def gone(self) -> set[EventId]:
        """What nobody is to find any more."""
        return {each for message, word in self.forgotten().items() for each in self._gone_with(message, word)}

    def _gone_with(self, message: EventId, word: str) -> set[EventId]:
        gone = {message}
        for turn, causes in self.causes.items():  # in their order
            has_it, has_told = message in causes, not gone.isdisjoint(causes) and word in self.texts[turn]
            gone |= {turn} if has_it or has_told else set()
        return gone


Step = Callable[[Talk, int], None]
STEPS: tuple[Step, ...] = (Talk.says, Talk.says, Talk.forgets, Talk.answers, Talk.answers, Talk.answers, Talk.restores)


@settings(max_examples=examples(60, 400), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 60)), min_size=4, max_size=24))
def test_what_was_taken_back_is_nowhere_whenever_an_answer_repeats_it(steps: list[tuple[Step, int]]) -> None:
    talk = Talk()
    for step, n in steps:
        step(talk, n)
        gone = talk.gone()
        there = {each.id for each in documents_of(talk.town.world.raw)}
        assert there & {*talk.words, *talk.causes} == {*talk.words, *talk.causes} - gone


@settings(max_examples=examples(20, 200), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 60)), min_size=4, max_size=24))
def test_and_nothing_of_it_is_scored(steps: list[tuple[Step, int]]) -> None:
    """A word that only what is gone has finds nothing, not even what is near; and what another finds is what counting
    finds.
    """
    talk = Talk()
    for step, n in steps:
        step(talk, n)
    rows, gone = talk.town.world.rows, talk.gone()
    left = [talk.said(each) for each in {*talk.words, *talk.causes} - gone]
    for word in WORDS[: len(talk.words)]:
        wanted = Wanted(word, Setting(talk.town.ada, HERE), SESSION, LATER)
        found = said(kept(talk.town.world), wanted, 1 << 20)
        counted = oracle_said.search(rows, wanted, oracle_said.Dated(), 1 << 20, 1 << 20)
        assert [(each.seq, each.score) for each in found] == [(each.seq, each.score) for each in counted]
        if not any(word in each for each in left):
            assert found == ()
