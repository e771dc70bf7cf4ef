"""A language's statements, ready to match: a clause in, a finding out; an item's text in, its slot and object out."""

import re
from collections.abc import Iterator, Mapping

import msgspec

from dnam.adapters.offline.clauses import BLANK, Clause
from dnam.adapters.offline.words import BAD, any_of, compiled
from dnam.languages import Language, Statement

GROUP = re.compile(r"\{(\w+)\}")
EDGES = ' \t\n,.;:!–—-~*_()[]"“”'
# A sentence that says what is no more and what is instead may hold a comma, so it is matched whole, up to this length.
SENTENCE_CHARS = 200


PAIRS = {"[": "]", "(": ")", "“": "”"}
LEAD, END = re.compile(r"(\*+|_+|[\[(“\"])\Z"), re.compile(r"\A(\*+|_+|[\])”\"])")


def trimmed(text: str) -> str:
    """The text without what only stands around it; a bracket or a mark stays with the other one of its pair."""
    kept = text.strip(EDGES)
    before, _, after = text.partition(kept) if kept else ("", "", "")
    openers = {closer: opener for opener, closer in PAIRS.items()}
    while (mark := LEAD.search(before)) and _is_unpaired(kept, mark[0], PAIRS.get(mark[0], mark[0])):
        before, kept = before[: mark.start()], mark[0] + kept
    while (mark := END.match(after)) and _is_unpaired(kept, mark[0], openers.get(mark[0], mark[0])):
        kept, after = kept + mark[0], after[mark.end() :]
    return kept


def _is_unpaired(text: str, mark: str, other: str) -> bool:
    """Whether there is one of its pair in a text that has none beside it."""
    return text.count(other) % 2 == 1 if mark == other else text.count(other) > text.count(mark)


class Found(msgspec.Struct, frozen=True):
    """A statement that somebody made: which, with what in its groups, and where it stands in the message."""

    statement: Statement
    groups: dict[str, str]
    text: str
    start: int
    end: int

    @property
    def family(self) -> str:
        return self.statement.family or self.statement.slot


class Reading(msgspec.Struct, frozen=True):
    """What a known item says, in the terms of the statements: its family, its object and its thing, if it has one."""

    family: str
    what: str
    thing: str


class Matcher:
    """One statement's patterns. `texts` recognises the items that it makes."""

    def __init__(
        self, statement: Statement, macros: Mapping[str, str], bans: Mapping[str, str], negation: re.Pattern[str]
    ) -> None:
        self.statement = statement
        self._patterns = [compiled(pattern, macros) for pattern in statement.patterns]
        self._sentences = [compiled(pattern, macros) for pattern in statement.sentences]
        self._after = compiled(statement.after, macros) if statement.after else None
        self._bans = [compiled(bans[name], macros) for name in statement.bans] + [negation]
        self._thing_bans = [compiled(bans[name], macros) for name in statement.thing_bans]
        self._allowed = re.compile(any_of(statement.unless_bans), re.IGNORECASE)
        self.texts = [compiled(_reversed(statement.text))]
        self.texts += [compiled(rf"(?:{known})[.]?") for known in statement.known]

    def groups(self, clause: Clause) -> dict[str, str] | None:
        if self._after and not self._after.fullmatch(clause.lead):
            return None
        return self._first(self._patterns, clause.text)

    def groups_of_sentence(self, text: str) -> dict[str, str] | None:
        return self._first(self._sentences, text)

    def _first(self, patterns: list[re.Pattern[str]], text: str) -> dict[str, str] | None:
        for pattern in patterns:
            match = pattern.fullmatch(text)
            if match:
                groups = {name: trimmed(value) for name, value in match.groupdict().items() if value}
                if self._admits(groups.get("what", ""), groups.get("thing", "")):
                    return groups
        return None

    def _admits(self, what: str, thing: str) -> bool:
        if not what or any(ban.match(thing) for ban in self._thing_bans):
            return False
        return self._allowed.match(what) is not None or not any(ban.match(what) for ban in self._bans)


class Statements:
    """All statements of a language."""

    def __init__(self, language: Language) -> None:
        greeting = {"greeting": any_of(language.reading.greetings)}
        self._macros = {**language.macros, **greeting}
        negation = compiled(any_of(language.negations))
        self._matchers = [Matcher(each, self._macros, language.bans, negation) for each in language.statements]
        self._pronouns = language.reading.pronouns
        self._pronoun = re.compile(any_of(self._pronouns), re.IGNORECASE)
        self._remember = language.remember
        self._remembered = compiled(language.remember.statement, self._macros)

    @property
    def macros(self) -> Mapping[str, str]:
        return self._macros

    def find(self, clause: Clause) -> Found | None:
        """What a clause, or the sentence from it on, states."""
        sentence = (clause.text + clause.closer + clause.rest).rstrip(EDGES)
        if len(sentence) <= SENTENCE_CHARS and BLANK not in sentence:
            for matcher in self._matchers:
                groups = matcher.groups_of_sentence(sentence)
                if groups:
                    return self._found(matcher.statement, groups, clause.start, clause.start + len(sentence))
        for matcher in self._matchers:
            groups = matcher.groups(clause)
            if groups:
                return self._found(matcher.statement, groups, clause.start, clause.end)
        return self._to_remember(clause) if clause.remember else None

    def read(self, text: str) -> Iterator[Reading]:
        """What an item's text says, in each way that it can be read."""
        for matcher in self._matchers:
            for pattern in matcher.texts:
                match = pattern.fullmatch(text)
                if match:
                    groups = match.groupdict()
                    family = matcher.statement.family or matcher.statement.slot
                    yield Reading(family, groups.get("what") or "", groups.get("thing") or "")

    def _to_remember(self, clause: Clause) -> Found | None:
        match = self._remembered.fullmatch(clause.text)
        if match is None:
            return None
        order = self._remember
        statement = Statement(
            slot="remember", kind=order.kind, text=order.text, patterns=(order.statement,), tags=order.tags
        )
        return self._found(statement, {"what": trimmed(match["what"])}, clause.start, clause.end)

    def _found(self, statement: Statement, groups: dict[str, str], start: int, end: int) -> Found:
        told = {name: self._told(value) for name, value in groups.items()}
        text = GROUP.sub(lambda match: told.get(match[1], ""), statement.text)
        return Found(statement, told, " ".join(BAD.sub(" ", text).split()), start, end)

    def _told(self, text: str) -> str:
        """The speaker's words as somebody else tells them: "my desk" is "their desk"."""
        return self._pronoun.sub(lambda match: self._pronouns[match[0].casefold()], text)


def _reversed(text: str) -> str:
    """The pattern of the items that a statement's `text` makes."""
    parts = GROUP.split(text)
    shapes = {"thing": r".{1,60}?", "what": r".+"}
    named = [
        rf"(?P<{part}>{shapes.get(part, r'[^ ]{1,20}')})" if index % 2 else re.escape(part).replace(r"\ ", " ")
        for index, part in enumerate(parts)
    ]
    return "".join(named).removesuffix(r"\.") + "[.]?"
