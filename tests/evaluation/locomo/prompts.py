"""Whether the evidence stands in the prompt: through import, extraction, recall and assembling, as the bot does it, and
with an encoder where there is one.

The question is not recorded, as `dnam prompt` does not: what is asked in an evaluation must not be found by the next
question.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median, quantiles
from types import MappingProxyType
from typing import NamedTuple

from dnam.memory import Memory
from dnam.whereabouts import Heard
from projections.blocks import Basis
from projections.context import Context
from projections.ids import EventId, Point
from projections.items import ITEMS, ItemRow
from projections.messages import MESSAGES
from projections.nearness import Nearness
from projections.quoting import SEPARATOR, TITLES
from projections.rows import Rows
from projections.tokens import CHARS_A_TOKEN, by_characters
from tests.evaluation.locomo.rankings import Named, Progress
from tests.evaluation.locomo.remembering import MOST_TOKENS, Told, context_of
from tests.evaluation.locomo.talks import Question, Talk

_LAST = EventId(b"\xff" * 16)


class Held(NamedTuple):
    """What a prompt holds of a question's evidence: which part stands there `itself`, as the message that it is in a
    passage or in the window; which part does or has an item there that rests on it (`or_item`); and how many tokens the
    whole prompt has.
    """

    talk: str
    category: int
    itself: float
    or_item: float
    tokens: int


class There(NamedTuple):
    """Which part of several questions has all, or any, of its evidence in the prompt, and which part of the evidence is
    there on average.
    """

    all: float
    any: float
    evidence: float


class Rate(NamedTuple):
    """Of several questions: how many, what is there, in the two meanings of `Held`, and the tokens used: median, 95 in
    100, most.
    """

    questions: int
    itself: There
    or_item: There
    tokens_median: float
    tokens_p95: float
    tokens_most: int


def held_in_prompts(
    rows: Rows,
    memory: Memory,
    talks: Sequence[Talk],
    told: Mapping[str, Told],
    progress: Progress,
    nearness: Mapping[Named, Nearness] = MappingProxyType({}),
) -> list[Held]:
    """The prompt for every question, and what it holds; with an encoder where the question has a `nearness`."""
    sources = Sources(rows)
    found: list[Held] = []
    for talk in talks:
        for number, question in enumerate(talk.questions):
            heard = _asked(rows, talk, told[talk.key], number, question)
            context = memory.assembled(rows, heard, nearness=nearness.get((talk.key, question.text)))
            found.append(_held(talk, question, context, sources))
            progress(len(found))
    return found


def _asked(rows: Rows, talk: Talk, told: Told, number: int, question: Question) -> Heard:
    """The question as if it were heard."""
    setting, session, at, _ = context_of(rows, talk, told, number)
    return Heard(Point(at, _LAST), session, setting.audience.place, setting, question.text, "")


class Sources:
    """The turns that a line of a prompt shows, or rests on, by the event in its basis."""

    def __init__(self, rows: Rows) -> None:
        messages = [each.row for each in rows.scan(MESSAGES)]
        self._turns = {row.heard: row.message.ref.key for row in messages}
        self._versions = {row.event: row.heard for row in messages}
        self._items = {each.row.event: each.row for each in rows.scan(ITEMS)}

    def shown(self, basis: Basis) -> Iterator[str]:
        """The turn that stands in the line itself, by its key: `conversation/turn`."""
        return self._keys([self._versions.get(basis.event, basis.event)])

    def rested_on(self, basis: Basis) -> Iterator[str]:
        """The turns that the item in the line rests on, by their keys; none where it is no item."""
        row: ItemRow | None = self._items.get(basis.event)
        return self._keys([] if row is None else [each.message for each in row.item.evidence])

    def _keys(self, events: Iterable[EventId]) -> Iterator[str]:
        return (self._turns[event] for event in events if event in self._turns)


def _held(talk: Talk, question: Question, context: Context, sources: Sources) -> Held:
    bases = list(_within(context))
    shown = {key for basis in bases for key in sources.shown(basis)}
    rested_on = {key for basis in bases for key in sources.rested_on(basis)}
    evidence = {f"{talk.key}/{id}" for id in question.evidence}
    itself, or_item = (len(evidence & there) / len(evidence) for there in (shown, shown | rested_on))
    return Held(talk.key, question.category, itself, or_item, by_characters(context.text))


def _within(context: Context) -> Iterator[Basis]:
    """What the lines rest on that end within the first MOST_TOKENS tokens."""
    chars = 0
    for block in context.blocks:
        chars += len(SEPARATOR) * (chars > 0) + len(TITLES[block.name])
        for line in block.lines:
            chars += 1 + len(line.text)
            if line.basis is not None and chars <= MOST_TOKENS * CHARS_A_TOKEN:
                yield line.basis


def rate(held: Sequence[Held]) -> Rate:
    """The rates over at least one question."""
    tokens = [each.tokens for each in held]
    return Rate(
        questions=len(held),
        itself=_there([each.itself for each in held]),
        or_item=_there([each.or_item for each in held]),
        tokens_median=median(tokens),
        tokens_p95=quantiles(tokens, n=20, method="inclusive")[18] if len(tokens) > 1 else tokens[0],
        tokens_most=max(tokens),
    )


def _there(shares: Sequence[float]) -> There:
    return There(fmean(each == 1 for each in shares), fmean(each > 0 for each in shares), fmean(shares))
