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
fact again. So does an order in pieces, over up to MOST_PIECES messages in a row.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from projections.ids import EventId
from projections.policies.addressing import NoteWords, addressed_in, commanded_in, unlabelled
from projections.policies.disguises import Reading, letters_of, plain_reading, readings, whole_reading
from projections.policies.evidence import InputMessage
from projections.policies.languages import CommonWords, is_foreign
from projections.policies.literals import Needs, all_of, may_match, needs, present_in
from projections.policies.verdict import Verdict

VERSION = "instructions@1"
MOST_PIECES = 4
"""Over how many messages in a row an order may be spread."""
SHOWN_CHARS = 60
LEAST_SQUEEZED = 16
"""How long a pattern has to be that is looked for where nobody knows where words end."""
_TEMPLATES = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|system_prompt|instructions?|im_start|im_end)>"
    r"|^\s*#{1,4} ?(?:system|assistant|instructions?) ?:|begin system prompt"
)


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


class _Compiled(NamedTuple):
    unless_wish: bool
    needs: Needs
    pattern: re.Pattern[str]
    before: re.Pattern[str] | None
    after: re.Pattern[str] | None


def instruction_in(text: str, words: InstructionWords) -> Instruction | None:
    """The first thing in a message that instructs, however it is disguised."""
    return _instruction_in(text, _of_messages(words.rules), words.wishes)


@cache
def _of_messages(rules: tuple[InstructionRule, ...]) -> tuple[InstructionRule, ...]:
    return tuple(each for each in rules if not each.text_only)


def _instruction_in(text: str, rules: tuple[InstructionRule, ...], wishes: WishWords) -> Instruction | None:
    found = (_found(reading, rules, wishes) for reading in readings(text))
    return next((each for each in found if each is not None), None)


def _found(
    reading: Reading,
    rules: tuple[InstructionRule, ...],
    wishes: WishWords,
    among: tuple[_Compiled, ...] | None = None,
) -> Instruction | None:
    """The first thing in one reading that instructs; `among` are the rules that may be kept, where that is known."""
    template = _TEMPLATES.search(reading.signed)
    if template is not None:
        return Instruction(template[0].strip(), reading.disguise)
    is_wish = _is_wish(reading.words, wishes)
    for rule in _may_match(reading, rules) if among is None else among:
        for found in rule.pattern.finditer(reading.words):
            if not (is_wish and rule.unless_wish) and not _is_harmless(rule, reading.words, found):
                return Instruction(found[0].strip(), reading.disguise)
    signed = (each.search(reading.signed) for each in _signed(rules, is_wish))
    return next((Instruction(each[0].strip(), reading.disguise) for each in signed if each is not None), None)


def _may_match(reading: Reading, rules: tuple[InstructionRule, ...]) -> tuple[_Compiled, ...]:
    """The patterns of which a word that they cannot do without stands in a reading."""
    present = present_in(reading.words, _needed(rules, squeezed=reading.is_squeezed))
    compiled = _compiled(rules, squeezed=reading.is_squeezed)
    return tuple([each for each in compiled if may_match(present, each.needs)])


def _is_wish(words: str, wishes: WishWords) -> bool:
    style, grave = _any_of(wishes.style), _any_of(wishes.grave)
    return style.search(words) is not None and grave.search(words) is None


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b" if patterns else r"(?!)")


def _is_harmless(rule: _Compiled, words: str, found: re.Match[str]) -> bool:
    before, after = words[: found.start()], words[found.end() :]
    is_before = rule.before is not None and rule.before.search(before) is not None
    return is_before or (rule.after is not None and rule.after.match(after) is not None)


@cache
def _compiled(rules: tuple[InstructionRule, ...], *, squeezed: bool) -> tuple[_Compiled, ...]:
    """The patterns, compiled when they are first needed: a program that judges nothing waits for none."""
    return tuple(
        _Compiled(rule.unless_wish, needs(pattern.pattern), pattern, before, after)
        for rule in rules
        for before, after in [(_ends(rule.unless_before), _begins(rule.unless_after))]
        for each in rule.patterns
        if (pattern := _squeezed(each) if squeezed else re.compile(rf"\b(?:{each})\b")) is not None
    )


@cache
def _needed(rules: tuple[InstructionRule, ...], *, squeezed: bool) -> tuple[str, ...]:
    """The words without which no pattern is found but those of which nothing is known."""
    return all_of(each.needs for each in _compiled(rules, squeezed=squeezed))


def _squeezed(pattern: str) -> re.Pattern[str] | None:
    """A pattern without spaces; none where it has words of any sort (without spaces, all would be one), or is so short
    that other words may run together to it.
    """
    squeezed = pattern.replace(" ", "")
    return None if r"\w" in pattern or len(squeezed) < LEAST_SQUEEZED else re.compile(squeezed)


def _ends(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile(rf"\b(?:{'|'.join(patterns)}) $") if patterns else None


def _begins(patterns: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile(rf" (?:{'|'.join(patterns)})\b") if patterns else None


@cache
def _signed(rules: tuple[InstructionRule, ...], is_wish: bool) -> tuple[re.Pattern[str], ...]:
    meant = (rule for rule in rules if not (is_wish and rule.unless_wish))
    return tuple(re.compile(each) for rule in meant for each in rule.signed)


# -- the guard -----------------------------------------------------------------------------------------------------


def tainted(messages: Sequence[InputMessage], words: InstructionWords) -> dict[EventId, Instruction]:
    """Which of these messages, in their order, instruct the assistant: on their own, or several in a row together."""
    alone = {each.id: found for each in messages if (found := instruction_in(each.text, words)) is not None}
    clean = [each for each in messages if each.id not in alone]
    return {**_together(clean, words), **alone}


def _together(messages: Sequence[InputMessage], words: InstructionWords) -> dict[EventId, Instruction]:
    """The shortest runs of messages that instruct when they are read as one text."""
    found: dict[EventId, Instruction] = {}
    among = among_all([each.text.strip() for each in messages], words)
    for run in _runs(messages):
        if not any(each.id in found for each in run):
            order = in_pieces([each.text.strip() for each in run], words, among)
            found |= {each.id: order for each in run} if order is not None else {}
    return found


Among = tuple[tuple[_Compiled, ...], ...]
"""What may match in runs of some texts: with a space between them, and without."""
BETWEEN = (" ", "")


def among_all(texts: Sequence[str], words: InstructionWords) -> Among:
    """What may match in any of the runs of these texts: looked up once, since a run says no word that all of them
    together do not.
    """
    rules = _of_messages(words.rules)
    return tuple(_may_match(whole_reading(between.join(texts)), rules) for between in BETWEEN)


def in_pieces(texts: Sequence[str], words: InstructionWords, among: Among | None = None) -> Instruction | None:
    """What several texts say together: read plainly; and through every disguise where none of them has a space, as code
    has none. `among` is what may match in the run of texts that these are of, where it was looked up.
    """
    if not any(" " in each for each in texts):
        order = instruction_in("".join(texts), words)
        if order is not None:
            return order
    rules = _of_messages(words.rules)
    readings_ = (plain_reading(between.join(texts)) for between in BETWEEN)
    may_match = (None, None) if among is None else among
    found = (_found(each, rules, words.wishes, known) for each, known in zip(readings_, may_match, strict=True))
    return next((each for each in found if each is not None), None)


def _runs(messages: Sequence[InputMessage]) -> Iterator[Sequence[InputMessage]]:
    for length in range(2, MOST_PIECES + 1):
        yield from (messages[start : start + length] for start in range(len(messages) - length + 1))


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
    """The same by the rules alone: a command that may be for anybody is none."""
    texts = (text, *filter(None, [unlabelled(text, words.notes)]))
    found = (_instruction_in(each, words.rules, words.wishes) for each in texts)
    return _verdict(next((each for each in found if each is not None), None))


def _spoken_to(text: str, words: NoteWords) -> Instruction | None:
    """What speaks to the assistant: plainly, or as a command in disguise."""
    plain = addressed_in(text, words)
    if plain:
        return Instruction(plain, "")
    disguised = (each for each in readings(text) if each.disguise and not each.is_squeezed)
    found = ((commanded_in(each.signed, words), each.disguise) for each in disguised)
    return next((Instruction(*each) for each in found if each[0]), None)


def quotes_order(quote: str, words: InstructionWords) -> Verdict | None:
    """Why what rests on these words is no memory, if they instruct the assistant."""
    return _verdict(instruction_in(quote, words))


def _verdict(found: Instruction | None) -> Verdict | None:
    return None if found is None else Verdict(f"it instructs the assistant ({found}) and states no fact", VERSION)
