"""What the core itself knows of people's languages: data files beside the code, each read once into one frozen struct.

An index, what is found in it, and what a redaction takes along are the same whatever language is set, so this holds for
all of them, and is as constant as the code: it is read as this module is imported, and nothing is read later. What
depends on the language that is set lies in `dnam/languages`, and is handed in.

    en.toml           English
    elsewhere.toml    what is known of languages that have no file of their own

Texts in other languages fail safe: they are found by their words as they stand, and each of their words tells of an
item.
"""

from importlib import resources

import msgspec


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of everything that a file holds: a misspelt key is an error, not silence."""


class Recall(Table, frozen=True):
    """What an index is made by, and a question read by: `projections.recall.english` says what each is for."""

    irregular: tuple[tuple[str, ...], ...]
    endings: frozenset[str]
    stop_words: frozenset[str]
    clitics: tuple[str, ...]
    without_not: dict[str, str]
    greetings: tuple[str, ...]
    months: tuple[str, ...]
    short_months: tuple[str, ...]
    other_months: dict[str, int]
    also_verbs: frozenset[str]
    before_months: tuple[str, ...]
    ordinals: tuple[str, ...]
    between_days: tuple[str, ...]
    on_day: str
    the_day: str
    of_month: str
    time_words: frozenset[str]
    first_words: frozenset[str]
    asks_when: tuple[str, ...]


class Asking(Table, frozen=True):
    """How a question asks for what somebody said or knows: `projections.recall.english` says what each is for."""

    behind: frozenset[str]
    words: frozenset[str]
    pairs: frozenset[tuple[str, str, str]]


class Telling(Table, frozen=True):
    """What tells nothing of an item: the sets of `projections.policies.telling`."""

    users: frozenset[str] = frozenset()
    frame: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()


class Retold(Table, frozen=True):
    """What a sentence may lose as it is told again, and may not: the sets of `projections.policies.summed_up`."""

    grammar: frozenset[str] = frozenset()
    denials: frozenset[str] = frozenset()
    hedges: frozenset[str] = frozenset()
    from_now: frozenset[str] = frozenset()


class Language(Table, frozen=True):
    """A language, as far as the core knows it; `cards` is what a card is called before its number."""

    cards: tuple[str, ...] = ()
    telling: Telling = Telling()
    retold: Retold = Retold()


class Known(Language, frozen=True, kw_only=True):
    """A language, whole."""

    recall: Recall
    counted: frozenset[tuple[str, str]]
    """By which two words a question asks for a number: no part of what an index is made by."""
    asking: Asking
    """Nor is this."""


_FILES = resources.files(__name__)
ENGLISH = msgspec.toml.decode((_FILES / "en.toml").read_bytes(), type=Known)
ELSEWHERE = msgspec.toml.decode((_FILES / "elsewhere.toml").read_bytes(), type=dict[str, Language])
"""By the names of the languages."""
LANGUAGES = (ENGLISH, *ELSEWHERE.values())
