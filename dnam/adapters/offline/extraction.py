"""Extraction: what one person plainly states becomes items; what they correct becomes updates and deprecations.

The messages are walked in order over a working list that begins with the known items, so that a person who says one
thing and then another within the same batch has corrected themselves too. What is known already is not said again.
"""

import json
import re
from collections.abc import Sequence

import msgspec

from dnam.adapters.offline.clauses import Clause, Reader
from dnam.adapters.offline.statements import Found, Statements
from dnam.adapters.offline.words import BAD, Vocabulary, any_of, compiled
from dnam.languages import Ending, Language
from dnam.model import ExtractionInputs, KnownItem, Line
from projections.policies.secret_shapes import MARK

TAGS = 5
CONFIDENCE = 0.9
# "Actually I prefer coffee" may stand against "tea"; of longer objects nobody can tell that they exclude each other.
SHORT_OBJECT_WORDS = 2
QUOTE_CHARS = 300


class Evidence(msgspec.Struct, frozen=True):
    quote: str
    message: str


class Upsert(msgspec.Struct, frozen=True, omit_defaults=True):
    """An item as the model proposes it; without `id` a new one."""

    kind: str
    text: str
    tags: tuple[str, ...]
    type: str
    about: str
    confidence: float
    evidence: tuple[Evidence, ...]
    id: str = ""


class Deprecation(msgspec.Struct, frozen=True):
    id: str
    reason: str


class Extraction(msgspec.Struct, frozen=True):
    """What comes of an extraction, as JSON."""

    upserts: tuple[Upsert, ...]
    deprecations: tuple[Deprecation, ...]


class Entry(msgspec.Struct):
    """A line of the working list. `id` is empty for what is new; `upsert` is None for what only was known."""

    id: str
    kind: str
    text: str
    upsert: Upsert | None = None
    ended: str = ""
    ended_in: tuple[int, int] = (-1, -1)


class Extractor:
    """Extracts in one language."""

    def __init__(self, language: Language) -> None:
        self._reader = Reader(language)
        self._statements = Statements(language)
        self._vocabulary = Vocabulary(language)
        self._endings = [
            (ending, [compiled(pattern, self._statements.macros) for pattern in ending.patterns])
            for ending in language.endings
        ]
        corrections = any_of(language.reading.corrections)
        self._correction = re.compile(corrections, re.IGNORECASE)
        self._corrects = re.compile(rf"[\s,]{{0,9}}{corrections}", re.IGNORECASE)
        negations = any_of(language.negations)
        instead = any_of(language.reading.instead_of)
        self._contrast = re.compile(rf"\W*(?:{instead}\s+)?{negations}\s+(?P<old>\S.{{0,60}})", re.IGNORECASE)

    def extract(self, inputs: ExtractionInputs) -> str:
        """A JSON text: `{"upserts": […], "deprecations": […]}`."""
        entries = [Entry(item.id, item.kind, item.text) for item in inputs.items]
        lines = [line for line in inputs.lines if not line.assistant]
        for number, line in enumerate(lines):
            taken_back = number + 1 < len(lines) and self._reader.takes_back(lines[number + 1].text)
            if not taken_back:
                self._read_line(entries, number, line)
        return _json(entries)

    def asked_to_keep(self, message: str, items: Sequence[KnownItem]) -> tuple[Upsert, ...]:
        """What a message asks to be remembered in so many words: "remember that I like tea". What is known is not among
        it; an upsert with an id corrects that item.
        """
        entries = [Entry(item.id, item.kind, item.text) for item in items]
        self._read_line(entries, 0, Line("", message, 0), asked=True)
        return tuple(entry.upsert for entry in entries if entry.upsert and not entry.ended)

    def _read_line(self, entries: list[Entry], number: int, line: Line, *, asked: bool = False) -> None:
        """With `asked`, only what is to be remembered."""
        read_to = 0
        for clause in self._reader.clauses(line.text):
            place = (number, clause.sentence)
            if clause.tainted or clause.start < read_to or (asked and not clause.remember):
                continue
            if self._end(entries, clause, place):
                continue
            found = self._statements.find(clause)
            quote = line.text[found.start : found.end] if found else ""
            if found and MARK not in quote and not BAD.search(quote):
                read_to = found.end
                self._state(
                    entries,
                    found,
                    clause,
                    _upsert(found, Evidence(quote[:QUOTE_CHARS], line.id), self._tags(found)),
                    place,
                )

    def _end(self, entries: list[Entry], clause: Clause, place: tuple[int, int]) -> bool:
        """Ends what the clause says is over. True when it says so, whether or not anything was known of it."""
        sentence = clause.text + clause.closer
        for ending, patterns in self._endings:
            for pattern in patterns:
                match = pattern.fullmatch(clause.text) or pattern.fullmatch(sentence.strip(" .!"))
                if match:
                    entry = self._ended(entries, ending, match["what"], self._vocabulary.stems(clause.text))
                    if entry:
                        entry.ended, entry.ended_in = " ".join(BAD.sub(" ", sentence).split()), place
                    return True
        return False

    def _ended(self, entries: list[Entry], ending: Ending, what: str, said: frozenset[str]) -> Entry | None:
        """The item that shares the most with what was `said`, and says the least beside it, if it has all the words of
        `what`.
        """
        words = self._vocabulary.key(what)
        stems = [
            (entry, self._vocabulary.stems(entry.text) | self._object_words(entry))
            for entry in entries
            if not entry.ended
        ]
        fitting = [
            (-len(of_item & said), len(of_item - words), index)
            for index, (entry, of_item) in enumerate(stems)
            if words and words <= of_item and (not ending.kinds or entry.kind in ending.kinds)
        ]
        return stems[min(fitting)[-1]][0] if fitting else None

    def _object_words(self, entry: Entry) -> frozenset[str]:
        readings = self._statements.read(entry.text)
        return frozenset(word for each in readings for word in self._vocabulary.key(each.what))

    def _state(
        self, entries: list[Entry], found: Found, clause: Clause, upsert: Upsert, place: tuple[int, int]
    ) -> None:
        """Puts a statement on the list: as nothing, when it is known; in the place of what it replaces; or as new."""
        replaced = self._replaced(entries, found, clause, place)
        if replaced is None:
            entries.append(Entry("", upsert.kind, upsert.text, upsert))
        elif _same(replaced.text, upsert.text):
            replaced.ended = ""
        else:
            replaced.kind, replaced.text, replaced.ended = upsert.kind, upsert.text, ""
            replaced.upsert = msgspec.structs.replace(upsert, id=replaced.id)

    def _replaced(self, entries: list[Entry], found: Found, clause: Clause, place: tuple[int, int]) -> Entry | None:
        for entry in entries:
            if _same(entry.text, found.text):
                return entry
        relatives = [(entry, what) for entry in entries for what in self._objects(entry, found)]
        words = self._vocabulary.key(found.groups["what"])
        for entry, what in relatives:
            if found.statement.replaces == "always" or entry.ended_in == place or self._vocabulary.key(what) == words:
                return entry
        standing = [each for each in relatives if not each[0].ended]
        named = self._named_as_old(standing, found, clause)
        if named is not None or found.statement.replaces == "never":
            return named
        return self._corrected(standing, found, clause)

    def _objects(self, entry: Entry, found: Found) -> list[str]:
        """The objects of an item, as far as it is of the statement's family and about the same thing."""
        thing = found.groups.get("thing", "")
        readings = self._statements.read(entry.text)
        whats = (each.what for each in readings if each.family == found.family and _same(each.thing, thing))
        return list(dict.fromkeys(whats))

    def _corrected(self, relatives: list[tuple[Entry, str]], found: Found, clause: Clause) -> Entry | None:
        """What a correction is against, where it names nothing as old: the only thing that it can mean."""
        corrects = self._correction.search(clause.opener) or self._corrects.match(clause.closer + clause.rest)
        if not corrects or self._old(found, clause):
            return None
        sharing = self._sharing(relatives, found.groups["what"] + " " + found.groups.get("over", ""))
        if sharing or len(relatives) != 1:
            return sharing
        entry, what = relatives[0]
        longest = max(len(what.split()), len(found.groups["what"].split()))
        return entry if longest <= SHORT_OBJECT_WORDS else None

    def _named_as_old(self, relatives: list[tuple[Entry, str]], found: Found, clause: Clause) -> Entry | None:
        """What a statement itself says that it takes the place of: "peanuts, not shellfish"."""
        old = self._old(found, clause)
        return self._sharing(relatives, old) if old else None

    def _old(self, found: Found, clause: Clause) -> str:
        contrast = self._contrast.match(clause.rest)
        return found.groups.get("old") or (contrast["old"] if contrast else "")

    def _sharing(self, relatives: list[tuple[Entry, str]], words: str) -> Entry | None:
        stems = self._vocabulary.key(words)
        return next((entry for entry, what in relatives if self._vocabulary.key(what) & stems), None)

    def _tags(self, found: Found) -> tuple[str, ...]:
        words = self._vocabulary.words(found.groups.get("thing", "") + " " + found.groups["what"])
        return tuple(dict.fromkeys([*found.statement.tags, *words]))[:TAGS]


def _upsert(found: Found, evidence: Evidence, tags: tuple[str, ...]) -> Upsert:
    statement = found.statement
    return Upsert(
        kind=statement.kind,
        text=found.text,
        tags=tags,
        type=statement.type,
        about="person",
        confidence=CONFIDENCE,
        evidence=(evidence,),
    )


def _same(one: str, other: str) -> bool:
    return one.strip(" .").casefold() == other.strip(" .").casefold()


def _json(entries: list[Entry]) -> str:
    extraction = Extraction(
        upserts=tuple(entry.upsert for entry in entries if entry.upsert and not entry.ended),
        deprecations=tuple(Deprecation(entry.id, entry.ended) for entry in entries if entry.id and entry.ended),
    )
    # The standard library's encoder escapes what is no UTF-8, where msgspec's refuses it.
    return json.dumps(msgspec.to_builtins(extraction), ensure_ascii=True)
