"""A secret in a sentence: "my password is …". How that is said is language knowledge, and comes in as a value.

my password for the router is   hunter2         word: what has a digit or a sign in it, what stands in quotes, and
└── lead ──────────────────────┘└─ value ─┘     words that no plain sentence goes on with ("is wrong", "is required")
my password, by the way, is   hunter2           odd: only what has digits or signs among its letters, or hides
my passwords are   hunter2 and swordfish        list: words, with "and" between
my PIN is   4821                                number
my seed phrase is   apple river …               phrase: all that follows on its line
密码是   hunter2                                   latin: what is odd or a number, among other signs
swordfish   is my password                      a word, or an odd one, before a trail

A value may stand in quotes, in code, behind a spoiler, or be emphasised: `||hunter2||`, `**hunter2**`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import Literal, NamedTuple

from projections.policies.secret_shapes import MARK, Stretch, hinted

ValueKind = Literal["word", "odd", "list", "number", "phrase", "latin"]
MOST_WORDS = 8
"""The most words that a password of words has."""
LEAST_PHRASE = 4
"""From so many words on, one of them may be plain: "correct horse battery staple"."""
LEAST_ODD = 5
"""Shorter than so, what has digits among its letters is rather "2nd" or "v2"."""
MOST_QUOTED = 200
LONGEST_CLAUSE = 400
"""A text is read so far behind a lead, in code points."""
LEAST_ENDING = 6
"""In a shorter word than so, "-ing" and the like are no ending."""

_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"(?P<value>\d(?:[\d -]{1,14})\d)\b")
_CLOSING = ".,;:!?)\"'`*|”’“_~»›"
_TRIMMED = _CLOSING.replace("!", "")
_BEHIND = re.compile(r"(?:(?<!\s)[*_~|`\"'”]{1,3}(?=[ \t]))?\s*")
_SIGN = r"\|\||```(?:[a-z]*\n)?|``|`|\"|''|'|“|”|„|‘|’|«|‹|\*{1,3}|__?|~~|\("
_OPENED = re.compile(rf"(?:{_SIGN})*")
_LAST_SIGN = re.compile(rf"(?:{_SIGN})\Z")
_CLOSERS = {"“": "”", "„": "“”", "‘": "’", "«": "»", "‹": "›", "”": "”", "’": "’"}
_EMPHASIS = frozenset("*_~(")
_PLACEHOLDER = re.compile(r"<.+|\$\{.*|\$\(.*|\$[A-Z_]{3,}|\{\{.*|[*•xX.…-]+")
_NO_SECRET = re.compile(
    r"\w+://.*|\d{1,3}(?:[.,/:]\d+)*(?:%|st|nd|rd|th|x|k|m|km|cm|mm|ft|in|s|ms|h|min|kg|g|px|[gmkt]b|[gm]hz|bits?|[ap]m)?"
    r"|\d{1,3}-[a-z]+"
)
_LATIN = re.compile(r"[!-~]{4,64}")
_PARAMETER = re.compile(r"[^\s&#]*")
_ADDRESS = re.compile(r"[~/.:=>]|id_|npub1|ssh-|[@#]|[\w.+-]+@[\w-]+\.\w")


class SecretWords(NamedTuple):
    """How one kind of secret is said: what stands before it and behind it (regular expressions, without regard to
    case, a space for any white space), and what it is. `hints`: a text with one holds one of these, in lower case.
    """

    name: str
    hints: tuple[str, ...]
    leads: tuple[str, ...] = ()
    trails: tuple[str, ...] = ()
    value: ValueKind = "word"


class Spoken(NamedTuple):
    """All that is known of how secrets are said. `plain` are words that go on a sentence and are no secret, as are
    words with one of `endings`; `fillers` stand before an odd one ("is now …", "was changed to …"), `joining` between
    two; what is `counted` is none ("12345 characters").
    """

    kinds: tuple[SecretWords, ...] = ()
    plain: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()


class _Place(NamedTuple):
    """Where a value begins. `end` is where it does, if it stands in quotes; else 0. `is_assigned`: it follows a sign
    (":", "=") and no verb.
    """

    start: int
    end: int
    is_assigned: bool


Span = tuple[int, int]


def spoken_secrets(text: str, spoken: Spoken) -> Iterator[Stretch]:
    """Everything in a text that is said to be a secret."""
    lower = text.lower()
    for kind in spoken.kinds:
        if hinted(lower, kind.hints):
            yield from _led(text, kind, spoken)
            yield from _trailed(text, kind, spoken)


def _led(text: str, kind: SecretWords, spoken: Spoken) -> Iterator[Stretch]:
    for lead in _compiled(kind.leads):
        for found in lead.finditer(text):
            place = _place(text, found)
            if place is not None:
                yield from (Stretch(*each, kind.name) for each in _VALUES[kind.value](text, place, spoken))


def _trailed(text: str, kind: SecretWords, spoken: Spoken) -> Iterator[Stretch]:
    for trail in _compiled(kind.trails):
        for found in trail.finditer(text):
            start, end = found.span("value")
            word = text[start:end]
            is_value = _is_mixed(word, spoken) or (kind.value != "odd" and _is_said(word, spoken))
            if is_value and not text[:start].endswith(f"{MARK} "):
                yield Stretch(*_trimmed(text, start, end), kind.name)


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE) for each in patterns)


def _place(text: str, lead: re.Match[str]) -> _Place | None:
    """Where the value behind a lead begins; None where there is none, or one that was taken out."""
    behind = _BEHIND.match(text, lead.end())
    opened = behind and _OPENED.match(text, behind.end())
    if opened is None or opened.end() == len(text) or _is_mark(text, lead.end(), opened.end()):
        return None
    if text[max(0, lead.start() - 1) : lead.start()] in ("?", "&"):  # in an address
        value = _PARAMETER.match(text, lead.end())
        assert value is not None, "it takes nothing, too"
        return _Place(lead.end(), value.end(), is_assigned=True)
    is_assigned = lead[0].rstrip()[-1:] in ":=>→"
    return _Place(opened.end(), _end_of_quote(text, opened), is_assigned)


def _is_mark(text: str, end: int, start: int) -> bool:
    """Whether the lead that ends here is a mark's own word, or the value that starts here is a mark."""
    mark = text.rfind(MARK, 0, end)
    return (mark >= 0 and "]" not in text[mark:end]) or text.startswith(MARK, start)


def _end_of_quote(text: str, opened: re.Match[str]) -> int:
    """Where the quotation that was opened ends; 0 where nothing was, where it does not, and where it is emphasis."""
    sign = _LAST_SIGN.search(opened[0])
    if sign is None or _EMPHASIS.issuperset(opened[0]):
        return 0
    closing = _CLOSERS.get(sign[0], sign[0].strip("abcdefghijklmnopqrstuvwxyz\n"))
    ends = [end for end in (text.find(each, opened.end()) for each in (*closing, closing)) if end >= 0]
    end = min(ends, default=0)
    is_line = sign[0].startswith("```") or "\n" not in text[opened.end() : end]
    return end if is_line and end - opened.end() <= MOST_QUOTED else 0


def _word(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    """A value in quotes; or an odd one; or words up to the end of the clause, none of which is plain."""
    if place.end:
        return _stripped(text, place.start, place.end)
    words = _clause(text, place.start)
    if _is_counted(words, spoken):
        return []
    if words and _is_odd(words[0][0], spoken):
        return _with_more(text, _trimmed(text, *words[0].span()), spoken)
    if words and not place.is_assigned and _key(words[0][0]) in spoken.fillers:
        return _odd(text, place, spoken)
    said = sum(not _is_bare(each[0], spoken, place.is_assigned) for each in words)
    if not words or len(words) > MOST_WORDS or said > (len(words) >= LEAST_PHRASE):
        return []
    return [_trimmed(text, words[0].start(), words[-1].end())]


def _odd(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    """A value that is no word, behind words that fill; or one behind a spoiler."""
    if place.end and text.startswith("||", place.end):
        return _stripped(text, place.start, place.end)
    words = _clause(text, place.start)
    rest = words[len(list(takewhile(lambda each: _key(each[0]) in spoken.fillers, words))) :]
    if not rest or not _is_mixed(rest[0][0], spoken):
        return []
    return _with_more(text, _trimmed(text, *rest[0].span()), spoken)


def _list(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    """Words with "and" between, if there is nothing else."""
    words = _clause(text, place.start)
    named = [each for each in words if _key(each[0]) not in spoken.joining]
    if place.end or len(named) > MOST_WORDS or not all(_is_said(each[0], spoken) for each in named):
        return _word(text, place, spoken)
    return [_trimmed(text, *each.span()) for each in named]


def _number(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    found = _NUMBER.match(text, place.start)
    return [] if found is None or _is_counted(_clause(text, place.start), spoken) else [found.span("value")]


def _phrase(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    """Words that a person would hardly say: at least three, of which no more than one is plain, or one of six."""
    line = text[place.start :].split("\n", 1)[0].rstrip()
    words = _WORD.findall(line)
    if place.end or len(words) < 3 or _too_plain(words, spoken):
        return _word(text, place, spoken)
    return [(place.start, place.start + len(line))]


def _too_plain(words: Sequence[str], spoken: Spoken) -> bool:
    return sum(_key(each) in spoken.plain for each in words) > max(1, len(words) // 6)


def _latin(text: str, place: _Place, spoken: Spoken) -> list[Span]:
    found = _LATIN.match(text, place.start)
    return [_trimmed(text, *found.span())] if found is not None and _is_odd(found[0], spoken) else []


_VALUES: dict[ValueKind, Callable[[str, _Place, Spoken], list[Span]]] = {
    "word": _word,
    "odd": _odd,
    "list": _list,
    "number": _number,
    "phrase": _phrase,
    "latin": _latin,
}


def _with_more(text: str, first: Span, spoken: Spoken) -> list[Span]:
    """A value, and the odd ones that are joined to it: "hunter2 and Sw0rdf1sh"."""
    found = [first]
    last = _WORD.match(text, first[1] - 1)
    assert last is not None, "a value ends with something to see"
    for each in _WORD.finditer(text, last.end()):
        if _is_mixed(each[0], spoken):
            found.append(_trimmed(text, *each.span()))
        elif _key(each[0]) not in spoken.joining:
            break
    return found


def _clause(text: str, start: int) -> list[re.Match[str]]:
    """The words of a line up to the first that ends a clause."""
    end = text.find("\n", start, start + LONGEST_CLAUSE)
    words = list(_WORD.finditer(text, start, start + LONGEST_CLAUSE if end < 0 else end))
    whole = list(takewhile(lambda each: each[0][-1] not in ".,;:!?)", words))
    return words[: len(whole) + 1]


def _is_counted(words: Sequence[re.Match[str]], spoken: Spoken) -> bool:
    """Whether a number says how many there are of what follows it."""
    return len(words) > 1 and words[0][0].isdecimal() and _key(words[1][0]) in spoken.counted


def _is_said(word: str, spoken: Spoken) -> bool:
    """Whether a word may be a secret."""
    return _is_odd(word, spoken) or _is_bare(word, spoken, is_assigned=False)


def _is_bare(word: str, spoken: Spoken, is_assigned: bool) -> bool:
    """Whether a word may be a secret for lack of any other sense. Behind a verb, "ridiculous" has one."""
    inner, key = word.strip(_CLOSING), _key(word)
    if len(inner) < 3 or key in spoken.plain or _PLACEHOLDER.fullmatch(inner):
        return False
    return is_assigned or len(key) < LEAST_ENDING or not key.endswith(spoken.endings)


def _key(word: str) -> str:
    return word.strip(_CLOSING + "(").replace("’", "'").casefold()


def _is_odd(word: str, spoken: Spoken) -> bool:
    """Whether a word is none: with a digit among letters, a sign inside, or capitals where none belong."""
    inner = word.strip(_CLOSING + "(")
    if len(inner) < 3 or _key(word) in spoken.plain or _PLACEHOLDER.fullmatch(inner) or _NO_SECRET.fullmatch(inner):
        return False
    digits, letters = any(map(str.isdecimal, inner)), any(map(str.isalpha, inner))
    signs = any(not each.isalnum() and each not in "'’-./…" for each in inner)
    capital = letters and any(map(str.isupper, inner[1:])) and any(map(str.islower, inner))
    return (digits and (letters or len(inner) > 3)) or (signs and (letters or digits)) or capital


def _is_mixed(word: str, spoken: Spoken) -> bool:
    """Whether a word is none wherever it stands: digits or loud signs among its letters, and no address or path."""
    inner = word.strip(_CLOSING + "(")
    if len(inner) < LEAST_ODD or not _is_odd(word, spoken) or _ADDRESS.match(inner):
        return False
    return any(map(str.isalpha, inner)) and any(each.isdecimal() or each in "!@#$%^&*?" for each in inner)


def _stripped(text: str, start: int, end: int) -> list[Span]:
    """The stretch without white space around; none where nothing is left."""
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return [(start, start + len(inner.strip()))] if inner.strip() else []


def _trimmed(text: str, start: int, end: int) -> Span:
    """The stretch without the signs around; "!" may be part of a password, and goes with it."""
    while end - 1 > start and text[end - 1] in _TRIMMED:
        end -= 1
    while start < end - 1 and text[start] in _TRIMMED + "(":
        start += 1
    return start, end
