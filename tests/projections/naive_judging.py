"""Judging without any short cut: every code is tried, and every pattern is searched for in every reading. What
`projections.policies.instructions` and `pieces` find must be just this, only sooner.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from projections.ids import EventId
from projections.lookalikes import LOOKALIKES
from projections.policies import disguises
from projections.policies.disguises import LEAST_HYPHENS, LONGEST_WORD, MOST_CHARS, Reading
from projections.policies.evidence import InputMessage
from projections.policies.instructions import LEAST_SQUEEZED, Instruction, InstructionRule, InstructionWords, WishWords

MOST_PIECES = 4
HYPHEN = re.compile(r"(?<=\w)[-·.*~|/](?=\w)")
APOSTROPHE = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")
INVISIBLE = {"Cf", "Mn", "Me", "Cc", "Co", "Cn"}
TEMPLATES = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|system_prompt|instructions?|im_start|im_end)>"
    r"|^\s*#{1,4} ?(?:system|assistant|instructions?) ?:|begin system prompt"
)


def naive_instruction_in(text: str, words: InstructionWords) -> Instruction | None:
    """The first thing in a message that instructs."""
    return _first(readings(text), [each for each in words.rules if not each.text_only], words.wishes)


def naive_orders(text: str, words: InstructionWords) -> Instruction | None:
    """The first thing that instructs in a text without a label that is to be kept."""
    return _first(readings(text), words.rules, words.wishes)


def naive_tainted(messages: Sequence[InputMessage], words: InstructionWords) -> dict[EventId, Instruction]:
    """Which messages instruct, alone and several in a row."""
    alone = {each.id: found for each in messages if (found := naive_instruction_in(each.text, words))}
    clean = [each for each in messages if each.id not in alone]
    together: dict[EventId, Instruction] = {}
    for length in range(2, MOST_PIECES + 1):
        for start in range(len(clean) - length + 1):
            run = clean[start : start + length]
            found = naive_in_pieces([each.text.strip() for each in run], words)
            if found is not None and not any(each.id in together for each in run):
                together |= dict.fromkeys((each.id for each in run), found)
    return together | alone


def naive_in_pieces(texts: Sequence[str], words: InstructionWords) -> Instruction | None:
    """What several texts say together."""
    order = None if any(" " in each for each in texts) else naive_instruction_in("".join(texts), words)
    rules = [each for each in words.rules if not each.text_only]
    joined = (_reading(_plain(between.join(texts)[:MOST_CHARS]), "") for between in (" ", ""))
    return order or _first(joined, rules, words.wishes)


def _first(read: Iterable[Reading], rules: Sequence[InstructionRule], wishes: WishWords) -> Instruction | None:
    return next((found for each in read if (found := _found(each, rules, wishes))), None)


def _found(reading: Reading, rules: Sequence[InstructionRule], wishes: WishWords) -> Instruction | None:
    is_wish = bool(_any_of(wishes.style).search(reading.words)) and not _any_of(wishes.grave).search(reading.words)
    meant = [each for each in rules if not (is_wish and each.unless_wish)]
    found = [
        TEMPLATES.search(reading.signed),
        *(_in_words(each, rule, reading) for rule in meant for each in rule.patterns),
        *(re.compile(each).search(reading.signed) for rule in meant for each in rule.signed),
    ]
    return next((Instruction(each[0].strip(), reading.disguise) for each in found if each), None)


def _in_words(pattern: str, rule: InstructionRule, reading: Reading) -> re.Match[str] | None:
    squeezed = pattern.replace(" ", "")
    if reading.is_squeezed and (r"\w" in pattern or len(squeezed) < LEAST_SQUEEZED):
        return None
    compiled = _compiled(squeezed if reading.is_squeezed else rf"\b(?:{pattern})\b")
    return next(
        (each for each in compiled.finditer(reading.words) if not _is_harmless(rule, reading.words, each)), None
    )


def _is_harmless(rule: InstructionRule, words: str, found: re.Match[str]) -> bool:
    before = rule.unless_before and _compiled(rf"\b(?:{'|'.join(rule.unless_before)}) $").search(words[: found.start()])
    after = rule.unless_after and _compiled(rf" (?:{'|'.join(rule.unless_after)})\b").match(words[found.end() :])
    return bool(before or after)


def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return _compiled(rf"\b(?:{'|'.join(patterns)})\b" if patterns else r"(?!)")


_compiled = cache(re.compile)


def readings(text: str) -> Iterator[Reading]:
    """Every way in which a text may be meant to be read."""
    text = text[:MOST_CHARS]
    yield from _open(text, "")
    for disguise, decoded in _decoded(text):
        yield from _open(decoded, disguise)
        for inner, twice in _decoded(decoded):
            yield from _open(twice, f"{inner} in {disguise}")


def _decoded(text: str) -> list[tuple[str, str]]:
    found = [(disguise, decode(text)) for disguise, decode in disguises._CODES]
    return [(disguise, decoded) for disguise, decoded in found if decoded and decoded != text]


def _open(text: str, disguise: str) -> Iterator[Reading]:
    plain = _plain(text)
    yield _reading(plain, disguise)
    if any(each.isdecimal() or each in "@$!|€" for each in plain):
        called = re.sub(r"!+(?=[^\w@$!|€]|$)", ".", plain)
        yield _reading(called.translate(disguises._DIGITS), disguise or "digits for letters")
    if len(HYPHEN.findall(plain)) >= LEAST_HYPHENS:
        yield _reading(HYPHEN.sub("", plain), disguise or "signs between letters")
    if _is_apart(_words(plain)):
        squeezed = _words(plain).replace(" ", "")
        yield Reading(disguise or "letters apart", squeezed, squeezed, is_squeezed=True)
    yield _reading(plain[::-1], disguise or "written backwards")
    yield _reading(codecs.encode(plain, "rot13"), disguise or "rot13")


def _reading(plain: str, disguise: str) -> Reading:
    return Reading(disguise, _words(plain), plain)


def _plain(text: str) -> str:
    spread = unicodedata.normalize("NFKD", text)
    seen = "".join(each for each in spread if each.isspace() or unicodedata.category(each) not in INVISIBLE)
    return re.sub(r"\s+", " ", seen.casefold().translate(LOOKALIKES)).strip()


def _words(plain: str) -> str:
    return re.sub(r"[\W_]+", " ", APOSTROPHE.sub("", plain)).strip()


def _is_apart(words: str) -> bool:
    parts = words.split()
    if re.search(r"(?:\b\w \b){4}\w\b", words) or any(len(each) > LONGEST_WORD for each in parts):
        return True
    return len(parts) >= 6 and 10 * sum(len(each) <= 3 for each in parts) >= 9 * len(parts)
