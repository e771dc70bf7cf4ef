"""Taking messages apart: message -> sentences -> clauses, of which only what the speaker plainly states remains.

A pattern later has to match a clause from end to end. What is quoted is blanked out first; what follows an "if", a
"she said" or an "imagine" is tainted. Nothing ever moves: a clause knows where it stands in the message, so that the
evidence is the message's own words.

    "Imagine this"      taints the message from there on
    "if …", "he said"   taint the sentence from there on, up to a "but"
    "maybe …"           taints its own clause
    a question          taints itself, not the statements before it: "I'm vegan, what can I eat?"
    "Kim wrote:"        at the end of a line taints what stands below it; "about me:" does not
    "Actually no."      taints the message up to there
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from operator import or_

import msgspec

from dnam.adapters.offline.words import LINE_CHARS, any_of, compiled, straight
from dnam.languages import Language, Reading

BLANK = "\ufffc"
TAKEN_BACK_CHARS = 40
CLAUSE_CHARS = 400
# Whom a message is said to, as `@name` in front of it: in a channel that is how one speaks to the assistant.
ADDRESSED = re.compile(r"\A\s{0,9}@\S{1,40}(?=\s)")
# Fenced and inline code, quoted lines, text in quotation marks, a sentence in italics.
QUOTED = re.compile(
    r"```.{0,4000}?(?:```|\Z)|`[^`\n]{1,400}`|^[ \t]{0,8}>[^\n]*"
    r"|(?<!\*)\*(?!\*)[^*\n ]{1,100} [^*\n ]{1,100} [^*\n]{1,400}\*(?!\*)"
    r"|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|(?<!\w)'[^'\n]{2,400}'(?!\w)",
    re.DOTALL | re.MULTILINE,
)
PICTURES = "\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d"
HEADING = re.compile(r"^([^\n]{1,200}):[ \t]*\n", re.MULTILINE)
FACE = r"(?<!\S)[:;xX=]['-]?[()DPpO3/|]+(?!\S)"


class Clause(msgspec.Struct, frozen=True):
    """What may be a statement. `lead` is what stands before it in the message, openers too; `rest` what follows it in
    its sentence. `start` and `end` are where it stands in the message.
    """

    text: str
    start: int
    end: int
    sentence: int
    lead: str
    opener: str
    closer: str
    rest: str
    remember: bool
    tainted: bool


class Reader:
    """Takes texts of one language apart."""

    def __init__(self, language: Language) -> None:
        reading = language.reading
        self._jokes = [compiled(joke) for joke in reading.jokes]
        stop = rf"[?!…]+|(?<!\.)\.+(?=\s|$)|\n+|;|[{PICTURES}]+|{FACE}"
        shorten = "".join(rf"(?<!\b{re.escape(word)})" for word in reading.abbreviations)
        self._sentence = re.compile(stop.replace(r"(?<!\.)\.+", rf"(?<!\.){shorten}\.+"), re.IGNORECASE)
        self._boundary = re.compile(_boundary(reading), re.IGNORECASE)
        self._openers = re.compile(rf"(?:{any_of(reading.openers)}[\s,:.!–—-]*)+", re.IGNORECASE)
        self._closer = re.compile(rf"[\s,.~:!–—-]*(?:{any_of(reading.closers)})?[\s,.~:!–—-]*$", re.IGNORECASE)
        self._fiction = re.compile(any_of(language.fictions), re.IGNORECASE)
        self._carried = re.compile(any_of(language.hypotheticals | language.reporting_words), re.IGNORECASE)
        self._hedge = re.compile(any_of(language.hedges), re.IGNORECASE)
        disowned = any_of(language.hedges | language.reporting_words)
        self._disowned = re.compile(rf"[\s,–—(-]{{0,9}}(?:[\w']{{1,20}}\s{{1,9}}){{0,2}}{disowned}", re.IGNORECASE)
        self._follows = [compiled(rf"[\s,–—-]{{0,9}}{pattern}") for pattern in reading.consequences]
        self._aside = re.compile(rf",\s?{any_of(language.reporting_words)}", re.IGNORECASE)
        self._question = re.compile(any_of(language.question_words), re.IGNORECASE)
        self._tag = re.compile(any_of(language.question_tags), re.IGNORECASE)
        self._contrast = re.compile(any_of(reading.contrasts), re.IGNORECASE)
        self._remember = compiled(language.remember.pattern)
        self._retractions = [compiled(pattern) for pattern in reading.retractions]
        self._own_report = re.compile(any_of(reading.own_reports), re.IGNORECASE)
        self._own = re.compile(any_of(reading.own_headings), re.IGNORECASE)
        foreign = any_of((*language.reporting_words, *reading.foreign_headings))
        self._foreign = re.compile(foreign, re.IGNORECASE)

    def is_joke(self, text: str) -> bool:
        return any(joke.search(text[:LINE_CHARS]) for joke in self._jokes)

    def takes_back(self, text: str) -> bool:
        """Whether a message is nothing but the sign of a joke, or takes back what was said: it speaks of the message
        before it.
        """
        return len(text) <= TAKEN_BACK_CHARS and (self.is_joke(text) or self._retracts(straight(text).strip()))

    def asks_to_remember(self, message: str) -> bool:
        """Whether a message may ask for something to be remembered: who has not, need not be read further."""
        return self._remember.search(straight(message[:LINE_CHARS])) is not None

    def clauses(self, message: str) -> Iterator[Clause]:
        """What the speaker may have stated, in order; what is tainted is marked."""
        text = ADDRESSED.sub(lambda match: " " * len(match[0]), straight(message[:LINE_CHARS]))
        text = QUOTED.sub(lambda match: BLANK * len(match[0]), text)
        if self.is_joke(text):
            return
        fiction = self._fiction.search(text)
        sentences = list(self._sentences(text))
        taken_back = max((start for start, end, _ in sentences if self._retracts(text[start:end].strip())), default=0)
        others = self._of_others(text)
        for number, (start, end, mark) in enumerate(sentences):
            fictional = fiction is not None and fiction.start() < end
            tainted = fictional or start < taken_back or any(first <= start < last for first, last in others)
            yield from self._of_sentence(text, number, start, end, asked="?" in mark, tainted=tainted)

    def _retracts(self, sentence: str) -> bool:
        return any(pattern.match(sentence) for pattern in self._retractions)

    def _of_others(self, text: str) -> list[tuple[int, int]]:
        """From where to where somebody else's words stand: below a line that ends in a colon, up to the next such."""
        headings = [(each.end(), self._is_own(each[1])) for each in HEADING.finditer(text)]
        ends = [*(start for start, _ in headings), len(text) + 1][1:]
        return [(start, end) for (start, is_own), end in zip(headings, ends, strict=True) if not is_own]

    def _is_own(self, heading: str) -> bool:
        """Whether a heading says that the speaker's own words follow."""
        others = self._own_report.sub(" ", heading)
        is_own = others != heading or self._own.search(heading) is not None
        return is_own and self._foreign.search(others) is None

    def _sentences(self, text: str) -> Iterator[tuple[int, int, str]]:
        start = 0
        for match in self._sentence.finditer(text):
            yield start, match.start(), match[0]
            start = match.end()
        yield start, len(text), ""

    def _of_sentence(
        self, text: str, number: int, start: int, end: int, *, asked: bool, tainted: bool
    ) -> Iterator[Clause]:
        spans = list(self._spans(text, start, end))
        questioned = self._questioned(text, spans, asked=asked)
        carried = False
        for index, (left, right, joint) in enumerate(spans):
            carried = carried and not self._contrast.search(joint)
            clause = self._clause(text, number, left, right, end)
            if clause is not None:
                doubtful = tainted or carried or questioned[index] or self._doubted(clause)
                yield msgspec.structs.replace(clause, tainted=doubtful)
            after = self._opened(text, left, right)
            carried = carried or BLANK in text[left:right] or self._carried.search(text, after, right) is not None

    def _doubted(self, clause: Clause) -> bool:
        """Whether a clause takes itself back: "maybe …", "…, or maybe not", "…, he said", or words that are quoted."""
        within = self._hedge.search(clause.text) or self._aside.search(clause.text) or BLANK in clause.text
        behind = clause.closer + clause.rest
        disowned = self._disowned.match(behind) and not any(each.match(behind) for each in self._follows)
        return bool(within or disowned)

    def _spans(self, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Where the clauses of a sentence stand, and what joins each to the one before it."""
        joint = ""
        opened = self._opened(text, start, end)
        for match in self._boundary.finditer(text, start, end):
            if match.start() >= opened:
                yield start, match.start(), joint
                start, joint = match.end(), match[0]
                opened = self._opened(text, start, end)
        yield start, end, joint

    def _opened(self, text: str, start: int, end: int) -> int:
        """Where the openers end that stand at `start`."""
        opened = self._openers.match(text, start, end)
        return opened.end() if opened else start

    def _questioned(self, text: str, spans: list[tuple[int, int, str]], *, asked: bool) -> list[bool]:
        asking = [self._asks(text[left:right]) for left, right, _ in spans]
        if asking[0]:
            return [True] * len(spans)
        last = text[slice(*spans[-1][:2])].strip()
        if not asked:
            return list(accumulate(asking, or_))
        apart = len(spans) > 1 and asking[-1] and not self._tag.fullmatch(last)
        return list(accumulate(asking, or_)) if apart else [True] * len(spans)

    def _asks(self, clause: str) -> bool:
        stripped = clause.lstrip()
        return self._question.match(stripped, self._opened(stripped, 0, len(stripped))) is not None

    def _clause(self, text: str, number: int, left: int, right: int, end: int) -> Clause | None:
        start = left + len(text[left:right]) - len(text[left:right].lstrip(" \t,.:–—-*•"))
        begin = self._opened(text, start, right)
        remember = self._remember.match(text, start, right) or self._remember.match(text, begin, right)
        begin = remember.end() if remember else begin
        body = self._closed(text[begin:right])
        if not body or right - begin > CLAUSE_CHARS:
            return None
        return Clause(
            text=body,
            start=begin,
            end=begin + len(body),
            sentence=number,
            lead=text[max(0, begin - 60) : begin],
            opener=text[left:begin],
            closer=text[begin + len(body) : right],
            rest=text[right:end],
            remember=remember is not None,
            tainted=False,
        )

    def _closed(self, text: str) -> str:
        """The text without what only rounds it off."""
        text = text[: CLAUSE_CHARS + 100]
        while True:
            match = self._closer.search(text)
            if match is None or match.start() == len(text):
                return text
            text = text[: match.start()]


def _boundary(reading: Reading) -> str:
    """Where one clause may end and the next begin."""
    starters = any_of(reading.starters)
    after_comma = any_of((*reading.starters, *reading.comma_starters))
    joints = "|".join((*map(re.escape, reading.joints), "[/&]"))
    joints_after_comma = "|".join(map(re.escape, (*reading.joints, *reading.comma_joints))) or r"(?!)"
    space = r"\s{0,9}"
    return "|".join(
        (
            rf",{space}(?:(?:{joints_after_comma})\s{space})?(?={after_comma})",
            rf"\s{space}(?:{joints})\s{space}(?={starters})",
            rf"\s?[-–—]{{1,3}}\s{space}|[()]",
            rf",?\s?{any_of(reading.breaks)}",
        )
    )
