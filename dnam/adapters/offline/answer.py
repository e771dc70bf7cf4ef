"""Answers: what is remembered and fits the message, word for word, or the plain statement that there is nothing.

It opens with the notice that it is offline when nothing was answered in the session yet: the conversation starts.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import msgspec

from dnam.adapters.offline.clauses import Reader
from dnam.adapters.offline.subjects import Others, Subjects, lines_of
from dnam.adapters.offline.words import LINE_CHARS, Vocabulary, any_of, compiled, one_line, straight
from dnam.languages import Language
from dnam.model import AnswerInputs, KnownItem, Round
from dnam.tool_table import MemoryWrite
from projections.policies.secret_shapes import MARK

ITEMS = 12
QUOTES = 3
LINE_SHOWN_CHARS = 280
# Discord refuses a message of more than 2,000 characters.
ANSWER_CHARS = 1800

T = TypeVar("T")


class Answerer:
    """Answers in one language. `can_keep` tells whether anything is kept of what a message asks to be remembered."""

    def __init__(self, language: Language, can_keep: Callable[[str], bool]) -> None:
        self._can_keep = can_keep
        self._known = language.known
        self._name = one_line(language.name, 32)
        self._replies = language.replies
        self._nothing = language.summary.nothing
        self._vocabulary = Vocabulary(language)
        self._asking = frozenset(map(self._vocabulary.stem, language.replies.asking))
        self._question = compiled(any_of(language.question_words))
        self._forgets = [compiled(pattern) for pattern in language.replies.forgets]
        self._identities = [compiled(pattern) for pattern in language.replies.identities]
        self._recaps = [compiled(pattern) for pattern in language.replies.recaps]
        self._opts_out = [compiled(pattern) for pattern in language.replies.opts_out]
        self._orders = [compiled(pattern) for pattern in language.replies.orders]
        self._overview = [compiled(pattern) for pattern in language.replies.overview]
        self._reader = Reader(language)
        self._subjects = Subjects(language)

    def answer(self, inputs: AnswerInputs, *, nobody: bool = False) -> str:
        """Never empty, and never more than Discord takes. `nobody`: nothing that is kept of who asks is used."""
        body = self._body(inputs, nobody=nobody) if self._known or not _begins(inputs) else ""
        return self._opened(inputs, body)

    def asks_to_remember(self, message: str) -> bool:
        """Whether a message may ask for something to be remembered."""
        return self._reader.asks_to_remember(message)

    def noted(self, inputs: AnswerInputs, rounds: Iterable[Round]) -> str:
        """What came of the notes that were to be kept."""
        kept, refused = list[str](), list[str]()
        for call, result in (pair for each in rounds for pair in zip(each.calls, each.results, strict=True)):
            note = msgspec.json.decode(call.input, type=MemoryWrite)
            if result.failed:
                refused.append(f"{one_line(note.quote)} ({one_line(result.text)})")
            else:
                kept.append(f"[{note.kind}] {one_line(note.text)}")
        told = [(self._replies.kept, kept), (self._replies.refused, refused)]
        return self._opened(inputs, _sections([each for each in told if each[1]]))

    def _opened(self, inputs: AnswerInputs, body: str) -> str:
        """An answer, behind the notice where a conversation begins with it."""
        notice = self._replies.notice if _begins(inputs) else ""
        return "\n".join(part for part in (self._filled(notice), body) if part)

    def _body(self, inputs: AnswerInputs, *, nobody: bool) -> str:
        replies = self._replies
        message = one_line(straight(inputs.message))
        if not self._known:
            return self._filled(replies.unknown)
        if not message:
            return replies.silence
        if _fits(self._overview, message):
            return self._filled(replies.nobody) if nobody and inputs.remembers else self._to_overview(inputs)
        if inputs.remembers and _fits(self._opts_out, message):
            return replies.opting_out
        if inputs.remembers and _fits(self._forgets, message):
            return replies.forgetting
        if inputs.remembers and _fits(self._orders, message) and not self._can_keep(inputs.message):
            return self._unkept(message, nobody=nobody)
        if _fits(self._identities, message):
            return replies.identity
        if _fits(self._recaps, message):
            return self._to_recap(inputs, message)
        asked = "?" in message or any(self._question.match(clause.text) for clause in self._reader.clauses(message))
        return self._to_question(inputs, message) if asked else self._to_statement(inputs, message)

    def _unkept(self, message: str, *, nobody: bool) -> str:
        """That a wish to have something remembered was not granted, and what grants it."""
        if MARK in message:
            return self._replies.secret
        return self._filled(self._replies.nobody) if nobody else self._replies.unkept

    def _to_overview(self, inputs: AnswerInputs) -> str:
        own = [_shown(item) for item in inputs.items if item.about == "person"]
        nobodys = [
            (heading, [_shown(item) for item in inputs.items if item.about == about])
            for about, heading in self._replies.nobodys.items()
        ]
        told = _sections([self._of_the_person(inputs, own), *(each for each in nobodys if each[1])])
        return f"{told}\n{self._replies.more}" if self._replies.more and len(inputs.items) >= ITEMS else told

    def _of_the_person(self, inputs: AnswerInputs, own: Sequence[str]) -> tuple[str, Sequence[str]]:
        """What is remembered of who asks, else what was said in the conversation."""
        if own:
            return self._replies.everything, own
        found = list(filter(None, map(one_line, self._summed_up(inputs))))[-ITEMS:]
        return (self._replies.conversation if found else self._lacking(inputs, self._replies.empty)), found

    def _to_recap(self, inputs: AnswerInputs, message: str) -> str:
        """What was said in the conversation, by people, as far as it is summed up or stands in the window."""
        said = dict.fromkeys(filter(None, map(one_line, [*self._summed_up(inputs), *_by_people(inputs)])))
        found = [line for line in said if not line.endswith(("?", message))][-ITEMS:]
        return _listed(self._replies.conversation, found) if found else self._lacking(inputs, self._replies.unknown)

    def _to_question(self, inputs: AnswerInputs, message: str) -> str:
        """What shares the most words with it: what is remembered, or what was said where that shares more."""
        query = self._query(message) or self._vocabulary.plain_stems(message)
        others = self._subjects.others(inputs, message)
        items = self._fitting(inputs, query, others)
        said = self._said(inputs, message, others)
        if items and (not said or _most(items) >= _most(said)):
            return _listed(self._replies.relevant, (_shown(item) for _, item in items))
        found = list(dict.fromkeys(line for _, line in said))[-QUOTES:]
        return _listed(self._replies.conversation, found) if found else self._lacking(inputs, self._replies.unknown)

    def _to_statement(self, inputs: AnswerInputs, message: str) -> str:
        items = [_shown(item) for _, item in self._fitting(inputs, self._query(message), Others())[:QUOTES]]
        related = _listed(self._replies.related, items)
        return related if items else self._lacking(inputs, self._replies.acknowledge)

    def _lacking(self, inputs: AnswerInputs, words: str) -> str:
        """What is said where nothing is found: with memory switched off there is nothing to look in."""
        return words if inputs.remembers else self._replies.off

    def _query(self, message: str) -> frozenset[str]:
        """What a message looks for."""
        return self._vocabulary.stems(message) - self._asking

    def _fitting(self, inputs: AnswerInputs, query: frozenset[str], others: Others) -> list[tuple[int, KnownItem]]:
        """The items that share the most words with a query, and how many, in the order in which they came. One's own
        answer nothing of others whom they do not name.
        """
        stems = [(self._vocabulary.stems(f"{item.text} {' '.join(item.tags)}"), item) for item in inputs.items]
        fit = ((of_item, item) for of_item, item in stems if item.about != "person" or others.fit(of_item))
        return _best((len(query & of_item), item) for of_item, item in fit)

    def _said(self, inputs: AnswerInputs, message: str, others: Others) -> list[tuple[int, str]]:
        """The lines of the summary and the window that share the most words with the message, and how many; none that
        asks as well. Who says it counts where it says something else that is looked for, or where only they are.
        """
        query = self._query(message)
        found = list[tuple[int, str]]()
        for name, text in lines_of(inputs):
            line = one_line(f"{name}: {text}" if name else text)
            if line == self._nothing or line.endswith(("?", message)):
                continue
            by, stems = self._subjects.name(name), self._vocabulary.stems(text)
            shared = len(query & (stems | by if stems & query or query <= by else stems))
            if others.fit(stems | by):
                found.append((shared, line))
        return _best(found)

    def _summed_up(self, inputs: AnswerInputs) -> list[str]:
        """The lines of the summary; not that there was nothing to keep."""
        return [line for line in inputs.summary[: LINE_CHARS * 2].splitlines() if line != self._nothing]

    def _filled(self, text: str) -> str:
        return text.replace("{name}", self._name)


def _fits(patterns: Iterable[re.Pattern[str]], message: str) -> bool:
    return any(pattern.search(message) for pattern in patterns)


def _best(counted: Iterable[tuple[int, T]]) -> list[tuple[int, T]]:
    """What shares more than half as many words as what shares the most."""
    found = [each for each in counted if each[0]]
    most = _most(found)
    return [each for each in found if each[0] * 2 > most]


def _most(counted: Iterable[tuple[int, object]]) -> int:
    return max((count for count, _ in counted), default=0)


def _begins(inputs: AnswerInputs) -> bool:
    return not inputs.goes_on and not any(line.assistant for line in inputs.window)


def _by_people(inputs: AnswerInputs) -> list[str]:
    """What people said in the window."""
    return [f"{line.name}: {line.text[:LINE_CHARS]}" for line in inputs.window if not line.assistant]


def _shown(item: KnownItem) -> str:
    return f"[{one_line(item.kind, 32)}] {one_line(item.text)}"


def _listed(heading: str, lines: Iterable[str]) -> str:
    return _sections([(heading, list(lines))])


def _sections(told: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Lines under their headings, as far as one message goes."""
    text = ""
    for heading, lines in told:
        if len(text) + len(heading) > ANSWER_CHARS:
            break
        text += f"\n{heading}" if text else heading
        for line in lines[:ITEMS]:
            shown = line if len(line) <= LINE_SHOWN_CHARS else line[: LINE_SHOWN_CHARS - 1] + "…"
            if len(text) + len(shown) > ANSWER_CHARS:
                break
            text += f"\n- {shown}"
    return text
