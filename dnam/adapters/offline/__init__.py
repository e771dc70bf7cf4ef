"""The offline model: no network, no cost, no surprise. The same question always has the same answer.

It works from an ask's typed `inputs` and never reads the prompt. What it knows of a language is that language's file
(`dnam/languages`); these modules only walk its tables: `clauses` takes texts apart, `extraction` finds statements,
`summary` keeps sentences, `merge` tells what says more, `answer` finds what fits, `subjects` of whom a question is.

Of the tools it has while it answers it calls one: what a message asks to be remembered in so many words is kept at
once, as a model would, and not only when learning is due.
"""

from functools import cached_property
from typing import assert_never

import msgspec

from dnam.adapters.offline.answer import Answerer
from dnam.adapters.offline.extraction import Extractor
from dnam.adapters.offline.merge import Merger
from dnam.adapters.offline.summary import Summarizer
from dnam.languages import Language
from dnam.model import (
    AnswerInputs,
    Ask,
    ExtractionInputs,
    Hear,
    MergeInputs,
    ModelError,
    Reply,
    SummaryInputs,
    ToolCall,
    unheard,
)
from dnam.tool_table import WRITE, Kind, MemoryWrite
from projections.ids import NOBODY

# Counts up when this code changes what comes out; a language's own version stands beside it.
CODE_VERSION = 7
UNKNOWN = "the offline model knows no language of this name: {name}"
MOST_KEPT = 3
"""How many notes one message is taken for at the most: one fewer than an answer may make calls."""

Inputs = AnswerInputs | ExtractionInputs | SummaryInputs | MergeInputs


class OfflineModel:
    """A `Model` that answers from what is remembered, extracts plain statements and keeps informative sentences."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._version = f"offline-{language.name}@{CODE_VERSION}.{language.version}"
        self._answerer = Answerer(language, self._can_keep)
        self._summarizer = Summarizer(language)
        self._merger = Merger(language)

    @cached_property
    def _extractor(self) -> Extractor:
        """Made when there is something to extract from: no first answer waits for its hundreds of patterns."""
        return Extractor(self._language)

    def _can_keep(self, message: str) -> bool:
        """Whether something of what a message asks to be remembered is a statement that can be kept."""
        return bool(self._extractor.asked_to_keep(message, ()))

    @property
    def name(self) -> str:
        return "offline"

    @property
    def version(self) -> str:
        return self._version

    @property
    def paid(self) -> bool:
        return False

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply, which takes no time that is worth counting. ModelError where it is to learn in a language that it
        does not know: what was said is read by whoever does.
        """
        calls = self._calls(ask)
        if calls:
            return Reply("", self.name, self.version, calls=calls)
        if ask.rounds and isinstance(ask.inputs, AnswerInputs):
            reply = Reply(self._answerer.noted(ask.inputs, ask.rounds), self.name, self.version)
        else:
            reply = self.reply(ask.inputs, nobody=ask.person == NOBODY and bool(ask.account))
        hear(reply.text)
        return reply

    def _calls(self, ask: Ask) -> tuple[ToolCall, ...]:
        """What it writes down before it answers; it asks for that once."""
        inputs = ask.inputs
        if not isinstance(inputs, AnswerInputs) or WRITE not in ask.tools or ask.rounds or not ask.may_call:
            return ()
        if not self._answerer.asks_to_remember(inputs.message):
            return ()
        notes = (
            MemoryWrite("me", each.text, each.evidence[0].quote, msgspec.convert(each.kind, Kind), each.id)
            for each in self._extractor.asked_to_keep(inputs.message, inputs.items)[:MOST_KEPT]
        )
        return tuple(
            ToolCall(f"note-{number}", WRITE.name, msgspec.json.encode(note).decode())
            for number, note in enumerate(notes, 1)
        )

    def reply(self, inputs: Inputs, *, nobody: bool = False) -> Reply:
        """The same, without an event loop. `nobody`: an account asks of whom nothing is recorded."""
        return Reply(text=self._text(inputs, nobody=nobody), model=self.name, version=self.version)

    def _text(self, inputs: Inputs, *, nobody: bool) -> str:
        match inputs:
            case AnswerInputs():
                return self._answerer.answer(inputs, nobody=nobody)
            case ExtractionInputs() if not self._language.known:
                raise ModelError(UNKNOWN.format(name=self._language.name))
            case ExtractionInputs():
                return self._extractor.extract(inputs)
            case SummaryInputs():
                return self._summarizer.summarize(inputs)
            case MergeInputs():
                return self._merger.merge(inputs)
            case _:
                assert_never(inputs)
