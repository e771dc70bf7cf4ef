"""Answers: what is remembered and fits the message, word for word, or the plain statement that there is nothing.

It opens with the notice that it is offline when nothing was answered in the session yet: the conversation starts.
"""

from collections.abc import Iterable, Iterator

import msgspec

from dnam.adapters.offline.clauses import Reader
from dnam.adapters.offline.words import LINE_CHARS, Vocabulary, any_of, compiled, one_line, straight
from dnam.languages import Language
from dnam.model import AnswerInputs, KnownItem, Round
from dnam.tool_table import MemoryWrite

ITEMS = 12
QUOTES = 3
LINE_SHOWN_CHARS = 280
# Discord refuses a message of more than 2,000 characters.
ANSWER_CHARS = 1800


class Answerer:
    """Answers in one language."""

    def __init__(self, language: Language) -> None:
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
        self._overview = [compiled(pattern) for pattern in language.replies.overview]
        self._reader = Reader(language)

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
        return self._opened(inputs, "\n".join(_listed(heading, lines) for heading, lines in told if lines))

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
        if any(pattern.search(message) for pattern in self._overview):
            return self._filled(self._replies.nobody) if nobody and inputs.remembers else self._to_overview(inputs)
        if inputs.remembers and any(pattern.search(message) for pattern in self._forgets):
            return replies.forgetting
        if any(pattern.search(message) for pattern in self._identities):
            return replies.identity
        if any(pattern.search(message) for pattern in self._recaps):
            return self._to_recap(inputs, message)
        asked = "?" in message or any(self._question.match(clause.text) for clause in self._reader.clauses(message))
        return self._to_question(inputs, message) if asked else self._to_statement(inputs, message)

    def _to_overview(self, inputs: AnswerInputs) -> str:
        if inputs.items:
            told = _listed(self._replies.everything, map(_shown, inputs.items))
            return f"{told}\n{self._replies.more}" if self._replies.more and len(inputs.items) >= ITEMS else told
        found = list(filter(None, map(one_line, self._summed_up(inputs))))[-ITEMS:]
        return _listed(self._replies.conversation, found) if found else self._lacking(inputs, self._replies.empty)

    def _to_recap(self, inputs: AnswerInputs, message: str) -> str:
        """What was said in the conversation, by people, as far as it is summed up or stands in the window."""
        said = dict.fromkeys(filter(None, map(one_line, [*self._summed_up(inputs), *_by_people(inputs)])))
        found = [line for line in said if not line.endswith(("?", message))][-ITEMS:]
        return _listed(self._replies.conversation, found) if found else self._lacking(inputs, self._replies.unknown)

    def _to_question(self, inputs: AnswerInputs, message: str) -> str:
        query = self._query(message) or self._vocabulary.plain_stems(message)
        items = self._fitting(inputs, query)
        if items:
            return _listed(self._replies.relevant, map(_shown, items))
        said = list(dict.fromkeys(self._said(inputs, message)))
        found = said[-QUOTES:]
        return _listed(self._replies.conversation, found) if found else self._lacking(inputs, self._replies.unknown)

    def _to_statement(self, inputs: AnswerInputs, message: str) -> str:
        items = self._fitting(inputs, self._query(message))[:QUOTES]
        related = _listed(self._replies.related, map(_shown, items))
        return related if items else self._lacking(inputs, self._replies.acknowledge)

    def _lacking(self, inputs: AnswerInputs, words: str) -> str:
        """What is said where nothing is found: with memory switched off there is nothing to look in."""
        return words if inputs.remembers else self._replies.off

    def _query(self, message: str) -> frozenset[str]:
        """What a message looks for."""
        return self._vocabulary.stems(message) - self._asking

    def _fitting(self, inputs: AnswerInputs, query: frozenset[str]) -> list[KnownItem]:
        """The items that share the most words with a query, in the order in which they came."""
        shared = [len(query & self._vocabulary.stems(f"{item.text} {' '.join(item.tags)}")) for item in inputs.items]
        best = max(shared, default=0)
        return [item for item, count in zip(inputs.items, shared, strict=True) if best and count * 2 > best]

    def _said(self, inputs: AnswerInputs, message: str) -> Iterator[str]:
        """Lines of the summary and the window that share words with the message; none that asks as well."""
        query = self._query(message)
        for line in map(one_line, [*self._summed_up(inputs), *_by_people(inputs)]):
            shares = self._vocabulary.stems(line.partition(": ")[2] or line) & query
            if shares and not line.endswith(("?", message)):
                yield line

    def _summed_up(self, inputs: AnswerInputs) -> list[str]:
        """The lines of the summary; not that there was nothing to keep."""
        return [line for line in inputs.summary[: LINE_CHARS * 2].splitlines() if line != self._nothing]

    def _filled(self, text: str) -> str:
        return text.replace("{name}", self._name)


def _begins(inputs: AnswerInputs) -> bool:
    return not inputs.goes_on and not any(line.assistant for line in inputs.window)


def _by_people(inputs: AnswerInputs) -> list[str]:
    """What people said in the window."""
    return [f"{line.name}: {line.text[:LINE_CHARS]}" for line in inputs.window if not line.assistant]


def _shown(item: KnownItem) -> str:
    return f"[{one_line(item.kind, 32)}] {one_line(item.text)}"


def _listed(heading: str, lines: Iterable[str]) -> str:
    text = heading
    for line in list(lines)[:ITEMS]:
        shown = line if len(line) <= LINE_SHOWN_CHARS else line[: LINE_SHOWN_CHARS - 1] + "…"
        if len(text) + len(shown) > ANSWER_CHARS:
            break
        text += f"\n- {shown}"
    return text
