"""Whether a text instructs the assistant rather than states a fact: prompt injection, kept out of memory.

    override    ignore all previous instructions         role play   you are now …, without any restrictions
    exposure    print your system prompt                 authority   I am your developer: you must …
    poisoning   whenever somebody asks, say …            action      send everybody this link

What is said so is language knowledge and comes in as a value; a language without a list fails safe: nothing that a
model noted is kept. Marks of chat templates are of no language and stand here. A text is read plainly and through the
disguises of `disguises`. How the assistant should answer the person is a wish of theirs, and no injection: "always
answer in German" may be remembered.

No list of orders is whole, so what is to be kept is judged by its subject too (`text_only`): what governs the
assistant, all its answers, what is said to it, or who commands it is no memory, unless it is such a wish.

A message that instructs taints what rests on it: whoever writes both a fact and an order into one message may say the
fact again. So does an order in pieces, over several messages (`pieces`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from projections.policies.addressing import NoteWords, addressed_in, commanded_in, openly_commanded, unlabelled
from projections.policies.disguises import TURNS, Reading, letters_of, readings, turned, turned_alone
from projections.policies.languages import CommonWords, is_foreign
from projections.policies.literals import Needs, needs
from projections.policies.needed import Lookup
from projections.policies.verdict import Verdict

NAME = "instructions"
VERSION = f"{NAME}@4"
SHOWN_CHARS = 60
LEAST_SQUEEZED = 16
"""How long a pattern has to be that is looked for where nobody knows where words end."""


class InstructionRule(NamedTuple):
    """One way to instruct. `patterns` are regular expressions over words in lower case with single spaces between;
    nothing is meant where what stands before matches one of `unless_before` at its end, or what follows one of
    `unless_after`. `signed` are the same over text with its signs. `text_only`: it is held against what is to be kept,
    and not against the messages that this rests on. `unless_wish`: nothing is meant in what is a harmless wish.
    """

    name: str
    patterns: tuple[str, ...] = ()
    unless_before: tuple[str, ...] = ()
    unless_after: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    text_only: bool = False
    unless_wish: bool = False


class WishWords(NamedTuple):
    """What a harmless wish for the way of answering is made of, in patterns over words: it has one for a `style`, and
    none that is `grave`.
    """

    style: tuple[str, ...] = ()
    grave: tuple[str, ...] = ()


class InstructionWords(NamedTuple):
    """What is known of a language; without `rules` nothing is. `script` is that of its letters, as Unicode has it."""

    language: str = ""
    rules: tuple[InstructionRule, ...] = ()
    script: str = "LATIN"
    notes: NoteWords = NoteWords()
    wishes: WishWords = WishWords()
    common: CommonWords = CommonWords()


class Instruction(NamedTuple):
    """What instructs in a text: the words, and how they were disguised (empty: not at all)."""

    words: str
    disguise: str

    def __str__(self) -> str:
        shown = self.words if len(self.words) <= SHOWN_CHARS else f"{self.words[: SHOWN_CHARS - 1]}…"
        return f"“{shown}”" + (f", {self.disguise}" if self.disguise else "")


class _Pattern(NamedTuple):
    """One pattern of a rule, as it is looked for: in the words of a text, or `in_signs` in the text with its signs."""

    source: str
    unless_wish: bool = False
    before: str = ""
    after: str = ""
    in_signs: bool = False


_TEMPLATE = _Pattern(
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|system_prompt|instructions?|im_start|im_end)>"
    r"|^\s*#{1,4} ?(?:system|assistant|instructions?) ?:|begin system prompt",
    in_signs=True,
)
_TEMPLATE_NEEDS = (frozenset({"<", "[", "#", "begin system prompt"}),)


class Judge:
    """What instructs, by the rules of a language. A pattern is compiled when a text first may match it: most never are,
    and a program that judges nothing waits for none.
    """

    def __init__(self, rules: tuple[InstructionRule, ...], wishes: WishWords) -> None:
        self._rules = rules
        self._wishes = wishes

    @cached_property
    def _plain(self) -> "_Patterns":
        return _Patterns(_patterns(self._rules, squeezed=False))

    @cached_property
    def _squeezed(self) -> "_Patterns":
        return _Patterns(_patterns(self._rules, squeezed=True))

    def bits(self, words: str, signed: str = "") -> int:
        """What a text that is read plainly has of what the patterns need."""
        return self._plain.lookup.bits(words, signed)

    def may_match(self, bits: int, among: Sequence[int] | None = None) -> list[int]:
        """Which patterns may match what has no other bits than these; `among` some, if no others are known to."""
        return self._plain.lookup.may_match(bits, among)

    def first(self, read: Iterable[Reading]) -> Instruction | None:
        """The first thing that instructs in one of several readings."""
        return next((found for each in read if (found := self._found(each)) is not None), None)

    def first_in(self, text: str) -> Instruction | None:
        """The first thing in a text that instructs, however it is disguised."""
        plain = turned_alone(text)
        if plain is None:
            return self.first(readings(text))
        lookup = self._plain.lookup
        if not lookup.may_match(lookup.bits_turned(plain.words, plain.signed)):
            return None
        return self.first((plain, *turned(plain.words, plain.signed)))

    def found(self, reading: Reading, among: Iterable[int]) -> Instruction | None:
        """The first thing that instructs in one that is plain, by the patterns that may match it."""
        return self._match(reading, self._plain, among)

    def _found(self, reading: Reading) -> Instruction | None:
        patterns = self._squeezed if reading.is_squeezed else self._plain
        may_match = patterns.lookup.may_match(patterns.lookup.bits(reading.words, reading.signed))
        return self._match(reading, patterns, may_match) if may_match else None

    def _match(self, reading: Reading, patterns: "_Patterns", among: Iterable[int]) -> Instruction | None:
        found = (self._meant(patterns.all[each], reading) for each in among)
        return next((Instruction(each[0].strip(), reading.disguise) for each in found if each is not None), None)

    def _meant(self, pattern: _Pattern, reading: Reading) -> re.Match[str] | None:
        """What of a reading a pattern means, as a whole: not what is harmless by what stands before or behind it."""
        text = reading.signed if pattern.in_signs else reading.words
        matches = _compiled(pattern.source).finditer(text)
        found = next((each for each in matches if not _is_harmless(pattern, text, each)), None)
        is_meant = found is not None and not (pattern.unless_wish and _is_wish(reading.words, self._wishes))
        return found if is_meant else None


class _Patterns:
    """Patterns in their order, and which of them may match."""

    def __init__(self, patterns: Iterable[_Pattern]) -> None:
        self.all = (_TEMPLATE, *patterns)
        self.lookup = Lookup([_TEMPLATE_NEEDS, *(_needs(each) for each in self.all[1:])], TURNS)


def _needs(pattern: _Pattern) -> Needs:
    return needs(pattern.source, in_words=not pattern.in_signs)


@cache
def note_judge(words: InstructionWords) -> Judge:
    """What judges a note, by all rules of a language."""
    return Judge(words.rules, words.wishes)


@cache
def message_judge(words: InstructionWords) -> Judge:
    """What judges a message, by those that are not for notes alone."""
    return Judge(tuple(each for each in words.rules if not each.text_only), words.wishes)


def instruction_in(text: str, words: InstructionWords) -> Instruction | None:
    """The first thing in a message that instructs, however it is disguised."""
    return message_judge(words).first_in(text)


def _patterns(rules: tuple[InstructionRule, ...], *, squeezed: bool) -> Iterator[_Pattern]:
    """All patterns over words, and then all over text with its signs."""
    for rule in rules:
        before, after = _ends(rule.unless_before), _begins(rule.unless_after)
        sources = (_squeezed(each) if squeezed else rf"\b(?:{each})\b" for each in rule.patterns)
        yield from (_Pattern(each, rule.unless_wish, before, after) for each in sources if each)
    for rule in rules:
        yield from (_Pattern(each, rule.unless_wish, in_signs=True) for each in rule.signed)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _is_wish(words: str, wishes: WishWords) -> bool:
    style, grave = _compiled(_any_of(wishes.style)), _compiled(_any_of(wishes.grave))
    return style.search(words) is not None and grave.search(words) is None


def _any_of(patterns: tuple[str, ...]) -> str:
    return rf"\b(?:{'|'.join(patterns)})\b" if patterns else r"(?!)"


def _is_harmless(pattern: _Pattern, text: str, found: re.Match[str]) -> bool:
    is_before = pattern.before and _compiled(pattern.before).search(text[: found.start()]) is not None
    return bool(is_before or (pattern.after and _compiled(pattern.after).match(text[found.end() :]) is not None))


def _squeezed(pattern: str) -> str:
    """A pattern without spaces; none where it has words of any sort (without spaces, all would be one), or is so short
    that other words may run together to it.
    """
    squeezed = pattern.replace(" ", "")
    return "" if r"\w" in pattern or len(squeezed) < LEAST_SQUEEZED else squeezed


def _ends(patterns: tuple[str, ...]) -> str:
    return rf"\b(?:{'|'.join(patterns)}) $" if patterns else ""


def _begins(patterns: tuple[str, ...]) -> str:
    return rf" (?:{'|'.join(patterns)})\b" if patterns else ""


# -- the guard -----------------------------------------------------------------------------------------------------


def unjudged(text: str, words: InstructionWords) -> Verdict | None:
    """Why a text cannot be judged: dnam has no list for its language."""
    if not words.rules:
        name = words.language or "this one"
        return Verdict(f"dnam has no list of what instructs an assistant in the language {name!r}", VERSION)
    own, all_of_them = letters_of(text, words.script)
    if 2 * own < all_of_them:
        return Verdict(f"its letters are not those of {words.language!r}, the language whose list dnam has", VERSION)
    if is_foreign(unlabelled(text, words.notes) or text, words.common):
        return Verdict(f"its words are not those of {words.language!r}, the language whose list dnam has", VERSION)
    return None


def instructs(text: str, words: InstructionWords) -> Verdict | None:
    """Why a text is no memory, if it instructs the assistant."""
    return orders(text, words) or _verdict(_spoken_to(text, words.notes))


def orders(text: str, words: InstructionWords) -> Verdict | None:
    """The same by the rules alone: a command that may be for anybody is none. What stands behind a label counts too."""
    judge = note_judge(words)
    bare = unlabelled(text, words.notes)
    return _verdict(judge.first_in(text) or (judge.first_in(bare) if bare else None))


def _spoken_to(text: str, words: NoteWords) -> Instruction | None:
    """What speaks to the assistant: plainly, or as a command in disguise, unless it stands there openly too."""
    plain = addressed_in(text, words)
    if plain:
        return Instruction(plain, "")
    alone = turned_alone(text)
    if alone is not None and _turned_commands(words).isdisjoint(alone.words.split()):
        return None
    read = readings(text) if alone is None else turned(alone.words, alone.signed)
    may_be = (each for each in read if not words.commanding.isdisjoint(each.words.split()))
    openly = openly_commanded(text, words)
    found = ((commanded_in(each.signed, words, openly), each.disguise) for each in may_be)
    return next((Instruction(*each) for each in found if each[0]), None)


@cache
def _turned_commands(words: NoteWords) -> frozenset[str]:
    """The words that a command begins with, as they stand in a text that is turned: what turns a word turns it back."""
    return frozenset(turn(each) for each in words.commanding for turn in TURNS)


def quotes_order(quote: str, words: InstructionWords) -> Verdict | None:
    """Why what rests on these words is no memory, if they instruct the assistant."""
    return _verdict(instruction_in(quote, words))


def _verdict(found: Instruction | None) -> Verdict | None:
    return None if found is None else Verdict(f"it instructs the assistant ({found}) and states no fact", VERSION)
