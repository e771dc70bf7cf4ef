"""Summaries: the informative sentences of what was said, under those of the summary so far, the newest kept.

Each line of a summary is `<name>: <sentence>`. A sentence informs by the words in it that count: no stop words, nothing
that is only said to go on with what was said before, and no name of anybody who takes part. When a summary grows over
its budget, the lines that inform least go first, and of those the oldest; a line of a few such words informs as much as
any, or old long ones would stay for ever. What only asks informs nobody, nor does what the assistant listed: items are
told as items.

Where nothing informs and there is no summary yet, the newest lines make one: of an empty one nobody knows how far it
reached, so that the same would be asked again and again. Where the guards would leave nothing of it ("tell me a joke"),
it says that there is nothing to keep. That goes as soon as there is something.
"""

import re
from collections.abc import Iterable, Iterator

from dnam.adapters.offline.clauses import Reader
from dnam.adapters.offline.words import LINE_CHARS, WORD, Vocabulary, any_of, compiled, one_line, straight
from dnam.guarding import guarding_of
from dnam.languages import Language
from dnam.model import Line, SummaryInputs
from projections.policies.sentences import without_orders

NAME_CHARS = 32
SENTENCE_CHARS = 300
SENTENCES_OF_A_LINE = 8
# The assistant's answers can be long, and their gist stands first.
SENTENCES_OF_AN_ANSWER = 1
# How many lines stand in a summary of talk that says nothing.
NEWEST_LINES = 3
# How many words that count a sentence has at least, and with how many it informs as much as any.
LEAST_WORDS = 2
ENOUGH_WORDS = 4
ELLIPSIS = "…"
SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
CODE = re.compile(r"```.{0,4000}?(?:```|\Z)", re.DOTALL)
QUOTE = re.compile(r"^\s*>[^\n]*", re.MULTILINE)
LISTED = re.compile(r"^- [^\n]*", re.MULTILINE)
# Scripts that put no space between words: two characters stand for a word.
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2}")


class Summarizer:
    """Summarizes in one language."""

    def __init__(self, language: Language) -> None:
        self._vocabulary = Vocabulary(language)
        self._backchannels = language.backchannels
        self._reader = Reader(language)
        self._guarding = guarding_of(language)
        self._filler = re.compile(any_of(language.summary.fillers), re.IGNORECASE)
        self._orders = [compiled(pattern) for pattern in language.summary.orders]
        self._nothing = language.summary.nothing
        replies = language.replies
        headings = (replies.everything, replies.relevant, replies.conversation, replies.related)
        found = (
            replies.notice,
            replies.more,
            replies.forgetting,
            replies.unknown,
            replies.empty,
            replies.acknowledge,
            replies.silence,
            replies.off,
            replies.nobody,
            replies.identity,
        )
        self._headings = tuple(filter(None, (*headings, replies.kept, replies.refused)))
        self._own = tuple(map(one_line, (*self._headings, *found)))

    def summarize(self, inputs: SummaryInputs) -> str:
        """The summary, of `max_chars` code points at most."""
        before = [*self._previous(inputs.previous, inputs.max_chars)]
        names = _names(inputs, before)
        units = before + [unit for line in inputs.lines for unit in self._units(line, inputs.assistant, names)]
        kept = _without_repetition(units) or [*self._newest(inputs)]
        counts = [min(self._count(unit.partition(": ")[2] or unit, names), ENOUGH_WORDS) for unit in kept]
        return self._standing(_fitted(kept, counts, inputs.max_chars), before, inputs)

    def _standing(self, text: str, before: list[str], inputs: SummaryInputs) -> str:
        """The same, or with it that there is nothing to keep, where the guards would leave nothing of it."""
        if not (self._nothing and inputs.lines) or any(line in before for line in text.splitlines()):
            return text
        both = f"{text}\n{self._nothing}".strip()
        offered = [text, *([both] if len(both) <= inputs.max_chars else [])]
        standing = (each for each in offered if self._is_left(each, inputs))
        return next(standing, _shortened(self._nothing, inputs.max_chars))

    def _is_left(self, text: str, inputs: SummaryInputs) -> bool:
        words, spoken = self._guarding.instructions, self._guarding.spoken
        return without_orders(text, words, spoken, speakers=inputs.speakers).text != ""

    def _newest(self, inputs: SummaryInputs) -> Iterator[str]:
        """The last lines as they are, but for questions and the assistant's canned ones."""
        said = [line for line in inputs.lines if not self._is_idle(one_line(line.text), line)]
        for line in said[-NEWEST_LINES:]:
            yield f"{_name(line, inputs.assistant)}: {_shortened(one_line(line.text), SENTENCE_CHARS) or ELLIPSIS}"

    def _previous(self, previous: str, max_chars: int) -> Iterator[str]:
        """The lines of the summary so far; a long one, as another model writes them, in sentences. Not that there was
        nothing to keep.
        """
        for line in previous[: max(max_chars, 0) * 4].splitlines():
            if not self._nothing or line != self._nothing:
                yield from SENTENCE_END.split(line) if len(line) > SENTENCE_CHARS else (line,)

    def _units(self, line: Line, assistant: str, names: frozenset[str]) -> Iterator[str]:
        name = _name(line, assistant)
        text = QUOTE.sub("", CODE.sub("", line.text[:LINE_CHARS]))
        if line.assistant and any(heading in text for heading in self._headings):
            text = LISTED.sub("", text)
        sentences = map(self._told, map(one_line, SENTENCE_END.split(text)))
        informative = [sentence for sentence in sentences if self._informs(sentence, line, names)]
        for sentence in informative[: SENTENCES_OF_AN_ANSWER if line.assistant else SENTENCES_OF_A_LINE]:
            yield f"{name}: {_shortened(sentence, SENTENCE_CHARS)}"

    def _informs(self, sentence: str, line: Line, names: frozenset[str]) -> bool:
        return not self._is_idle(sentence, line) and self._count(sentence, names) >= LEAST_WORDS

    def _told(self, sentence: str) -> str:
        """What a sentence tells, without the order to remember it."""
        found = (pattern.match(straight(sentence)) for pattern in self._orders)
        return next((sentence[each.end() :].lstrip() for each in found if each is not None), sentence)

    def _is_idle(self, text: str, line: Line) -> bool:
        return self._is_canned(text, line) or self._only_asks(text)

    def _only_asks(self, text: str) -> bool:
        return text.endswith("?") and all(clause.tainted for clause in self._reader.clauses(text))

    def _count(self, sentence: str, names: frozenset[str]) -> int:
        """How many words that count a sentence has."""
        left = self._filler.sub(" ", straight(sentence))
        words = self._vocabulary.words(UNSPACED.sub(" ", left))
        return sum(word not in self._backchannels and word not in names for word in words) + len(UNSPACED.findall(left))

    def _is_canned(self, sentence: str, line: Line) -> bool:
        return line.assistant and any(own and (own in sentence or sentence in own) for own in self._own)


def _name(line: Line, assistant: str) -> str:
    return one_line(line.name or (assistant if line.assistant else ""), NAME_CHARS).strip("[]: ") or "?"


def _names(inputs: SummaryInputs, previous: Iterable[str]) -> frozenset[str]:
    """The words of the names of those who take part, case-folded."""
    said = (_name(line, inputs.assistant) for line in inputs.lines)
    summed_up = (unit.partition(": ")[0] for unit in previous if ": " in unit[: NAME_CHARS + 2])
    return frozenset(WORD.findall(" ".join((inputs.assistant, *said, *summed_up)).casefold()))


def _without_repetition(units: list[str]) -> list[str]:
    """Each line once, where it was said last."""
    latest = {_folded(unit): index for index, unit in enumerate(units)}
    cleaned = [one_line(unit) for unit in units]
    return [unit for index, unit in enumerate(cleaned) if unit and latest[_folded(units[index])] == index]


def _folded(unit: str) -> str:
    return " ".join(WORD.findall(unit.casefold()))


def _fitted(units: list[str], counts: list[int], max_chars: int) -> str:
    """What finds room, in order: without those that inform least, the oldest of them first."""
    over = sum(len(unit) + 1 for unit in units) - 1 - max_chars
    gone: set[int] = set()
    for index in sorted(range(len(units)), key=counts.__getitem__):
        if over <= 0:
            break
        gone.add(index)
        over -= len(units[index]) + 1
    kept = [unit for index, unit in enumerate(units) if index not in gone]
    if not kept and units:
        return _shortened(units[-1], max_chars)
    return "\n".join(kept)


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + ELLIPSIS if limit > 0 else ""
