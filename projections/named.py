"""Where people are named in a text, however their names are written there.

    "Tobiasz Quillfeather"     as it is; in any case; over two lines
    "Tobiasz", "quillfeather"  a word of it with three letters or more, which is in nobody else's name
    "@Tobiasz Quillfeathers"   behind an `@` as a prompt has it, whatever follows
    "will"                     not in small letters, where that is a word that every sentence has, and not their name so

A model that was shown a name writes it in its own way; what it wrote may lie where that person's erasure does not reach
(`decisions/answer`, `decisions/tools`).
"""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import Generic, NamedTuple, TypeVar

import msgspec

from projections.people import SOMEONE
from projections.recall.english import STOP_WORDS

FEWEST_LETTERS = 3
_WORD = re.compile(r"\w+")
_NEVER = "(?!)"
P = TypeVar("P", bound=Hashable)


class Named(NamedTuple, Generic[P]):
    """A name from `start` to `end`, with the `@` before it, and whose it may be."""

    start: int
    end: int
    people: frozenset[P]
    is_part: bool


def named_in(text: str, names: Mapping[P, str], others: Iterable[str] = ()) -> list[Named[P]]:
    """Every name of these people, in order. `others` are names that stay, with each word that is in one of them."""
    others = tuple(others)
    wholes, parts = _keyed(names.items(), _whole), _keyed(names.items(), _parts)
    stay = [(None, each) for each in others]
    keep = _keyed(stay, _parts).keys()
    of = {key: people for key, people in parts.items() if key not in keep} | wholes
    there = alike(text)
    if not any(_perhaps_in(there, of)):
        return []
    pattern = _pattern(there, [*of, *_keyed(stay, _whole)], names.values(), others)
    spelled = frozenset(word for name in names.values() for word in name.split())
    found: list[Named[P]] = []
    for match in pattern.finditer(text):
        name = match[1] or match[2]
        key = _key(name)
        if key in of and not (key in STOP_WORDS and name.islower() and name not in spelled):
            _add(found, text, Named(match.start(), match.end(), frozenset(of[key]), key not in wholes))
    return found


def _pattern(there: str, keys: Iterable[str], names: Collection[str], others: Collection[str]) -> re.Pattern[str]:
    """What finds these in a text, the longest first. Folding may change more than the case, so they are looked for as
    they are spelled, too; and behind an `@` as a prompt has them, whatever they are written together with there.

    Only those are looked for of which every word stands in `there`, what the text is alike: a pattern of all takes
    longer to make than to use, and `re` keeps the last 512 that it made.
    """
    words = (word for name in (*names, *others) for word in (name, *_WORD.findall(name)))
    forms = {*keys, *(each for word in words if (each := " ".join(word.split())))}
    mentioned = {name for name in (*names, *others) if name.strip()}
    choices, mentions = _choices(_perhaps_in(there, forms)), _choices(_perhaps_in(there, mentioned))
    return re.compile(rf"@((?-i:{mentions}))|(?<!\w)@?({choices})(?!\w)", re.IGNORECASE)


def _perhaps_in(there: str, forms: Iterable[str]) -> Iterator[str]:
    """Those of which every word stands in what a text is `alike`."""
    return (form for form in forms if all(alike(word) in there for word in form.split()))


def alike(text: str) -> str:
    """The same for all texts that are the same in any case, by whichever rule: that of `re` has one class for the `i`
    with a dot and without.
    """
    return text.casefold().replace("\u0131", "i").replace("i\u0307", "i")


def _choices(forms: Iterable[str]) -> str:
    longest_first = sorted(forms, key=lambda each: (-len(each), each))
    return "|".join(r"\s+".join(map(re.escape, each.split())) for each in longest_first) or _NEVER


def _add(found: list[Named[P]], text: str, name: Named[P]) -> None:
    """What one is called by word for word is one name."""
    last = found[-1] if found else None
    if last and last.is_part and name.is_part and last.people == name.people and text[last.end : name.start].isspace():
        found[-1] = name._replace(start=last.start)
    else:
        found.append(name)


def _keyed(names: Iterable[tuple[P, str]], keys: Callable[[str], Iterable[str]]) -> dict[str, set[P]]:
    found: dict[str, set[P]] = {}
    for person, name in names:
        for key in keys(name) if name != SOMEONE else ():
            found.setdefault(key, set()).add(person)
    return found


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _whole(name: str) -> Iterator[str]:
    if key := _key(name):
        yield key


def _parts(name: str) -> Iterator[str]:
    return (_key(word) for word in _WORD.findall(name) if sum(map(str.isalpha, word)) >= FEWEST_LETTERS)


def nameless(text: str, names: Iterable[str]) -> str:
    """The text with "someone" for each of these names."""
    kept: list[str] = []
    done = 0
    for each in named_in(text, dict(enumerate(names))):
        kept += [text[done : each.start], SOMEONE]
        done = each.end
    return "".join([*kept, text[done:]])


def nameless_json(text: str, names: Iterable[str]) -> str:
    """The same of JSON, also where letters are escaped; of what is none, as of any text."""
    names = tuple(names)
    try:
        given = msgspec.json.decode(text)
        left = _within(given, names)
    except (msgspec.DecodeError, RecursionError):
        return nameless(text, names)
    return text if left == given else msgspec.json.encode(left).decode()


def _within(given: object, names: tuple[str, ...]) -> object:
    match given:
        case str():
            return nameless(given, names)
        case list():
            return [_within(each, names) for each in given]
        case dict():
            return {nameless(key, names): _within(each, names) for key, each in given.items()}
        case _:
            return given
