"""Whether a text says in other words what another one says: the closeness by which what a person forgot is refused.

Both texts become what they are about, and the two are held against each other:

    words         case folded, without stop words, by their stems; words of one meaning are one (`likes`, `loves`)
    denials       `not`, `never`, and words that hold one (`dislikes` is `not` and `likes`)
    numbers       in digits: `three` is 3, `85k` and `85,000` are 85000
    relations     of whom it is said: `sister`, `boss`; also in `my sister's`

    predicates    what is done with it, where that is a common verb: `lives`, `works`, `likes`
    units         what is counted in: `a month`, `euros`
    subject       whether it is said of the user, or of whom the sentence begins with

They are close where at least PERCENT of the words of the two that are no predicates are shared (WITHIN, where the one
has no others), and nothing tells them apart: of denials both have one or none, their relations are the same, no name,
number, unit or predicate of the one stands in place of another's, and nobody in the place of the user. Words with a
capital letter within a sentence are names; a word that is a part of another one is of its family (`boat`, `sailboat`).

What is like it and says something else differs in exactly these, or in one word of few: PERCENT is what three shared
words with one other word each do not reach. A predicate says little alone: a person who `works as a nurse` `is a
nurse`. What a language is not known for is compared as it is written.

A text that says all of another one and more says it too, however long the rest is (`says_all`): all of its words,
predicates and units stand in one clause, and up to the last of them nothing denies it or tells it of somebody else.
What is one word long (`User is vegan`) is so said by everything that has it: rather too much is held than too little.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from projections.remembered import of_people

VERSION = "rephrasing@1"
PERCENT = 65
WITHIN = 50
"""The same where all words of the one are among those of the other: it says the same, and more."""
FAMILY_CHARS = 5
"""How long a word is at least that is looked for in a longer one."""
FEWEST = 2
"""How many words are shared at least: a single one is a topic."""

USER = "user"

_TOKEN = re.compile(r"\d[\d.,]*\s?k\b|\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)*", re.IGNORECASE)
_SUBJECT = re.compile(r"\W*\w+(?:['’]s \w+)?")
_SENTENCE = re.compile(r"(?:^|[.!?:]\s+)\W*\w+")


class Rephrasing(NamedTuple):
    """What is known of a language, in case-folded words. `stemmer` is a language of Snowball; empty for none.

    `same` leads from a word, or its stem, to the one that stands for its meaning; `denied` from one to what it denies;
    `phrases` from several words to one; `values` from a weekday, a month or their like to what such are called;
    `singles` from a verb to what that is of which there is one at a time, and `wide` are names in which other such lie.
    `predicates` are verbs that say little alone, `units`
    what is counted in, `users` what the user is called, `joints` what one clause is joined to another with.
    """

    language: str = ""
    stemmer: str = ""
    stop_words: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    predicates: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    joints: frozenset[str] = frozenset()
    numbers: Mapping[str, str] = {}
    same: Mapping[str, str] = {}
    denied: Mapping[str, str] = {}
    phrases: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    singles: Mapping[str, str] = {}
    wide: frozenset[str] = frozenset()


UNKNOWN = Rephrasing()


class Doer(NamedTuple):
    """What a sentence begins with, and what follows it, by their stems."""

    who: str = ""
    does: str = ""


class About(NamedTuple):
    """What a text is about. `words` are without the `predicates` and `units`, unless there are no others."""

    words: frozenset[str]
    numbers: frozenset[str]
    relations: frozenset[str]
    names: frozenset[str]
    denied: bool
    predicates: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    doer: Doer = Doer()


class Likeness(NamedTuple):
    """Whether two texts say the same, the share of their words that both have, and the same in words."""

    same: bool
    percent: int
    reason: str


def likeness(one: str, other: str, known: Rephrasing = UNKNOWN) -> Likeness:
    """How far two texts say the same."""
    mine, theirs = _weighed(*_akin(about(one, known), about(other, known)))
    shared, every = mine.words & theirs.words, mine.words | theirs.words
    share = 100 * len(shared) // max(len(every), 1)
    parted = _apart(mine, theirs) or _otherwise(mine, theirs)
    in_common = len(shared | (mine.predicates & theirs.predicates))
    within = shared in (mine.words, theirs.words) and in_common >= FEWEST
    enough = len(shared) >= min(FEWEST, len(mine.words), len(theirs.words)) and bool(shared)
    same = enough and share >= (WITHIN if within else PERCENT) and not parted
    words = f" ({', '.join(_written(other, shared, known))})" if same else ""
    return Likeness(same, share, parted or f"{share} % of the words of both are shared{words}")


def _written(text: str, shared: Iterable[str], known: Rephrasing) -> list[str]:
    """The words of a text that stand for what it shares, as they are written there: nobody wrote a stem."""
    meant = [(token.casefold(), _meaning(token, known)) for token, _ in _tokens(_in_words(text, known))]
    return sorted({word for word, meaning in meant for each in shared if meaning == each or _is_part(each, meaning)})


def says_all(mine: About, said: str, all_of_it: About, known: Rephrasing = UNKNOWN) -> bool:
    """Whether a text says all that another one is about, whatever else it says. `all_of_it` is what it is about."""
    needed = _every(mine)
    if not needed or not needed <= _every(_akin(mine, all_of_it)[1]) or _of_another(mine, said, known):
        return False
    parts = (part for clause in _clauses(said, known) for part in _beginnings(clause))
    return next((not _apart(*found) for part in parts if (found := _holding(mine, part, known))), False)


def _of_another(mine: About, said: str, known: Rephrasing) -> bool:
    """Whether a text is of somebody whom it begins with, and nowhere of the user, as the other one is."""
    words = [token for token, _ in _tokens(said)]
    who = _doer([word.casefold() for word in words], known).who
    is_named = words[0][0].isupper() and who not in _every(mine)
    return mine.doer.who == USER and is_named and not known.users.intersection(map(str.casefold, words))


def _every(one: About) -> frozenset[str]:
    return one.words | one.predicates | one.units


def _holding(mine: About, said: str, known: Rephrasing) -> tuple[About, About] | None:
    """Both, where what is said has all words of the one."""
    one, other = _akin(mine, about(said, known))
    return (one, other) if _every(one) <= _every(other) else None


def _clauses(text: str, known: Rephrasing) -> list[str]:
    """Each clause, behind what the text begins with, where it has no such word of its own; and the whole text."""
    joints = "|".join(rf"\b{re.escape(each)}\b" for each in known.joints)
    parts = [part for part in re.split(rf"[.!?;]\s|{joints}" if joints else r"[.!?;]\s", text) if part.strip()]
    who = _SUBJECT.match(text)
    subject = "" if who is None else f"{who[0]} "
    own = [part if _begins(part, known) else subject + part for part in parts[1:]]
    return [*parts[:1], *own, text]


def _begins(clause: str, known: Rephrasing) -> bool:
    """Whether a clause says by itself of whom it is."""
    word = _TOKEN.search(clause)
    return word is not None and (word[0][0].isupper() or word[0].casefold() in known.users)


def _beginnings(clause: str) -> list[str]:
    """A clause up to each of its words."""
    return [clause[: match.end()] for match in _TOKEN.finditer(clause)]


def told_apart(one: str, other: str, known: Rephrasing = UNKNOWN) -> str:
    """What tells two texts apart, whatever else they share; empty for nothing."""
    return _apart(about(one, known), about(other, known))


def denier(known: Rephrasing) -> Callable[[str], bool]:
    """Tells whether a text denies something, without asking what: for many texts, each word is looked up once."""
    denials = cache(lambda word: sum(_denies(token, known) for token, _ in _tokens(word)))
    harmless: set[str] = set()

    def denies(text: str) -> bool:
        words = text.replace("’", "'").split()
        if harmless.issuperset(words):
            return False
        harmless.update(word for word in words if not denials(word))
        return sum(map(denials, words)) % 2 == 1

    return denies


def _apart(mine: About, theirs: About) -> str:
    """What tells two texts apart, whatever words they share; empty for nothing."""
    if mine.denied != theirs.denied:
        return "one denies what the other says"
    if mine.relations != theirs.relations:
        return "they are about different people"
    for what in ("numbers", "names", "units"):
        one, other = getattr(mine, what), getattr(theirs, what)
        if one - other and other - one:
            return f"they have different {what}"
    return "they are about different people" if _is_swapped(mine.doer, theirs.doer) else ""


def _otherwise(mine: About, theirs: About) -> str:
    """Whether two say different things of the same."""
    is_other = mine.predicates and theirs.predicates and not mine.predicates & theirs.predicates
    return "they say different things of it" if is_other else ""


def _is_swapped(one: Doer, other: Doer) -> bool:
    """Whether two do the same: `User owes Ada` and `Ada owes the user`."""
    return bool(one.does) and one.does == other.does and one.who != other.who


def _weighed(mine: About, theirs: About) -> tuple[About, About]:
    """Both with their predicates among the words where each says something that the other does not."""
    one, other = mine.words | mine.predicates, theirs.words | theirs.predicates
    more, less = one - other, other - one
    if not (more and less) or more | less <= mine.predicates | theirs.predicates:
        return mine, theirs
    return mine._replace(words=one), theirs._replace(words=other)


def _akin(mine: About, theirs: About) -> tuple[About, About]:
    """Both with one word for what is of a family."""
    more, less = theirs.words - mine.words, mine.words - theirs.words
    family = {long: short for long in more for short in less if _is_part(short, long)}
    family |= {long: short for long in less for short in more if _is_part(short, long)}
    return _renamed(mine, family), _renamed(theirs, family)


def _is_part(short: str, long: str) -> bool:
    return FAMILY_CHARS <= len(short) < len(long) and short in long and not short[0].isdigit()


def _renamed(one: About, family: Mapping[str, str]) -> About:
    return one._replace(
        words=frozenset(family.get(each, each) for each in one.words),
        names=frozenset(family.get(each, each) for each in one.names),
    )


def about(text: str, known: Rephrasing) -> About:
    """What a text is about, as far as the language is known."""
    text = _in_words(unicodedata.normalize("NFC", text).replace("’", "'"), known)
    tokens = _tokens(text)
    first = {match.end() for match in _SENTENCE.finditer(text)}
    meant = [_meaning(token, known) for token, _ in tokens]
    names = {
        word
        for (token, end), word in zip(tokens, meant, strict=True)
        if token[0].isupper() and end not in first and word and word not in known.relations
    }
    every = frozenset(word for word in meant if word)
    predicates, units = every & known.predicates, every & known.units
    words = every - predicates - units or every
    numbers = frozenset(word for word in words if word[0].isdigit())
    denials = sum(_denies(token, known) for token, _ in tokens)
    relations = words & known.relations
    doer = _doer([match[0].casefold() for match in _TOKEN.finditer(text)], known)
    return About(words, numbers, relations, frozenset(names) - numbers, denials % 2 == 1, predicates, units, doer)


def _doer(said: Sequence[str], known: Rephrasing) -> Doer:
    """Who a sentence begins with, and what stands behind that, without stop words. Nobody where it begins with what
    somebody has.
    """
    meant = [each for each in said if each in known.users or each not in known.stop_words]
    if meant and meant[0].endswith("'s"):
        return Doer()
    return Doer(*(USER if each in known.users else _stem(each, known.stemmer) for each in meant[:2]))


def _in_words(text: str, known: Rephrasing) -> str:
    """The text with one word for each phrase."""
    for phrase, word in known.phrases.items():
        if phrase in text.casefold():
            text = re.sub(rf"\b{re.escape(phrase)}\b", word, text, flags=re.IGNORECASE)
    return text


def _tokens(text: str) -> list[tuple[str, int]]:
    """Words and numbers with where each ends; the `s` of `sister's` is none."""
    found = ((match[0], match.end()) for match in _TOKEN.finditer(text))
    return [(token.removesuffix("'s").removesuffix("'S"), end) for token, end in found]


def _denies(token: str, known: Rephrasing) -> bool:
    word = token.casefold()
    return word in known.negations or _known(word, known.denied, known) is not None


def _meaning(token: str, known: Rephrasing) -> str:
    """The word that stands for what a token means; empty where it means nothing of its own."""
    word = token.casefold()
    if word[0].isdigit():
        return _digits(word)
    if word in known.numbers:
        return known.numbers[word]
    if word in known.stop_words or word in known.negations or _stem(word, known.stemmer) in known.stop_words:
        return ""
    found = _known(word, known.denied, known) or word
    return _known(found, known.same, known) or _stem(found, known.stemmer)


def _known(word: str, table: Mapping[str, str], known: Rephrasing) -> str | None:
    """What a table says of a word, or of its stem; stems stand in it too."""
    return table.get(word) or table.get(_stem(word, known.stemmer))


def stems(table: Mapping[str, str], language: str) -> dict[str, str]:
    """A table that knows the stems of its words, too."""
    return {_stem(word, language): meaning for word, meaning in table.items()} | dict(table)


def _digits(number: str) -> str:
    thousands = number.endswith("k")
    digits = re.sub(r"[.,](?=\d{3}\b)|\s|k$", "", number)
    return f"{digits}000" if thousands and digits.isdigit() else digits


@of_people
@lru_cache(4096)
def _stem(word: str, language: str) -> str:
    """The stem of a word by Snowball's rules; a stemmer is made for each, since one is not for two threads."""
    # Here, because it brings every language.
    import snowballstemmer

    return str(snowballstemmer.stemmer(language).stemWord(word)) if language else word
