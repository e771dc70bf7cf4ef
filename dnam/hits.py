"""A search and its hits, in words: for `dnam search` and `!memory search`, by the same recall as the prompt.

A hit has one of the words itself, or something that is known and has one rests on it, or it was said on the day that is
named. What merely stands beside one is found as well, since its neighbours' words count, and is shown to whoever asks
for it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from dnam.contexts import Context
from dnam.finding import DIRECT
from projections.caller import Caller
from projections.errors import BadRequest
from projections.gathering import link_of
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.links import Direct
from projections.messages import MessageRow
from projections.places import find_place, place_of
from projections.retrieval import Vocabulary
from projections.rows import Rows
from projections.said import Entry
from projections.turns import TurnRow
from projections.window_line import entry_line

if TYPE_CHECKING:
    from projections.recall.search import FoundItem, Reason, Said, Wanted
_YEAR = re.compile("[0-9]{4}")
DEEP = 1_000
"""How many are looked through at the least for those that have a word themselves."""
ALL = 1 << 32
"""More than are kept anywhere, and so few that they can be counted with."""
SHARES: frozenset[str] = frozenset(("turn", "fact", "dated", "words"))
"""The fields by which something is a hit, and not beside one."""
FIELDS: Mapping[str, str] = {
    "turn": "it says so itself",
    "near": "said in it or within two messages of it",
    "around": "said in it or within seven messages of it",
    "day": "said there on that day",
    "reply": "it answers a question with the word",
    "fact": "something known that rests on it",
    "near fact": "something known that rests on what is near it",
    "date": "said at the date that is named, or in that month or year",
    "dated": "all of the date is right",
    "speaker": "said by who is named",
    "own": "who is named says it of themselves",
    "tells when": "it tells when something was",
    "names": "it has names in it",
    "first": "it begins a conversation",
    "asks": "it is a question itself",
    "meaning": "near in meaning",
    "fact meaning": "something known that rests on it is near in meaning",
    "near meaning": "what is near it is near in meaning",
    "words": "the item says so",
    "project": "a project, asked about one",
    "recent": "updated within seven days",
}
"""What each part of a score is for, in words."""


class Sought(NamedTuple):
    """What is looked for: a text, at a time (ms); perhaps only what one person said, or what was said in one place.
    `most` is how much of what was said is listed, `most_items` how many items. `beside`: what was said is listed also
    where it has none of the words itself. `asker` is who asks, and calls themself "I". The `vocabulary` tells what
    speaks of a project.
    """

    text: str
    now: int
    most: int
    most_items: int
    speaker: Handle = NOBODY
    place: Ref | None = None
    asker: Handle = NOBODY
    without: frozenset[EventId] = frozenset()
    beside: bool = False
    vocabulary: Vocabulary = Vocabulary()

    @property
    def is_narrowed(self) -> bool:
        """Whether it is only about what was said."""
        return bool(self.speaker) or self.place is not None


class Hits(NamedTuple):
    """What was found, each best first. `misses_day`: a day is named, and nothing was said on it, of all that may be
    found, however much of it is listed.
    """

    items: "tuple[FoundItem, ...]" = ()
    said: "tuple[Said, ...]" = ()
    misses_day: bool = False

    @property
    def empty(self) -> bool:
        return not (self.items or self.said)


def search(rows: Rows, contexts: Iterable[Context], sought: Sought) -> Hits:
    """What these contexts open and has something of what is looked for, counted as one: else a word would tell much
    where few say it, and little elsewhere, and what was found in two places could not be told apart by its score.

    Raises BadRequest where there is no word to look for.
    """
    from projections.recall import search as recall

    demand_words(sought.text)
    contexts = tuple(contexts)
    known = _wanted((each for each in contexts if each.known and not sought.is_narrowed), sought)
    heard = _wanted((each for each in contexts if each.said), sought)
    items = [] if known is None else list(recall.items(rows, known, _deep(sought.most_items), sharing=True))
    items.sort(key=lambda each: (-each.score, -each.found.seq))
    found = () if heard is None else recall.said(rows, heard, _deep(sought.most))
    misses_day = _names_day(sought.text) and (heard is None or not _any_on_day(rows, heard))
    is_hit = _says_more if misses_day else shares
    listed = (each for each in found if sought.beside or is_hit(each.reasons))
    return Hits(tuple(items[: sought.most_items]), tuple(islice(listed, min(sought.most, ALL))), misses_day)


def demand_words(text: str) -> None:
    """Raises BadRequest where there is no word to look for."""
    from projections.recall.words import asked

    if not asked(text):
        raise BadRequest("say what to look for: at least one word, number or emoji")


def _names_day(text: str) -> bool:
    from projections.recall.question import ask

    return any(date.days for date in ask(text, {}).question.dates)


def _any_on_day(rows: Rows, heard: "Wanted") -> bool:
    """Whether anything was said on the day that is named, of what may be found."""
    from projections.recall.search import said_on_day

    return any(said_on_day(rows, heard, DEEP))


def _says_more(reasons: "Iterable[Reason]") -> bool:
    """Whether something has a word of a question itself that is no month and no year: one may name the day that is
    asked for, and was said on another.
    """
    from projections.recall.english import NUMBERS

    found = (each.word.rpartition(" ")[2] for each in reasons if each.field in SHARES)
    return any(word not in NUMBERS and not _YEAR.fullmatch(word) for word in found)


def _wanted(contexts: Iterable[Context], sought: Sought) -> "Wanted | None":
    """What is looked for in some contexts; None where there are none."""
    from projections.recall.search import Wanted

    contexts = tuple(contexts)
    if not contexts:
        return None
    first, *others = contexts
    assert not any(each.room for each in others), "only in the first context there is a room"
    besides = tuple((each.setting, each.session) for each in others)
    return Wanted(
        sought.text, first.setting, first.session, sought.now, sought.without, sought.speaker, sought.asker,
        sought.place, first.room, vocabulary=sought.vocabulary, besides=besides,
    )  # fmt: skip


def _deep(most: int) -> int:
    """How many are looked through for so many."""
    return max(DEEP, 2 * min(most, ALL))


def shares(reasons: "Iterable[Reason]") -> bool:
    """Whether something has one of the words itself, or what is known of it has, or it is of the day that is named."""
    return any(each.field in SHARES for each in reasons)


# -- in words ----------------------------------------------------------------------------------------------------------


class Spoken(NamedTuple):
    """Something that was said, for people: `link` is None where its platform has none."""

    who: str
    where: str
    text: str
    link: str | None


class Telling:
    """How hits are told: whoever is named goes by the name of today. `direct` is the direct conversation in which they
    are, if it is one. `by_account`: namesakes are told apart by what a command takes.
    """

    def __init__(self, now: Rows, assistant: str, direct: Direct | None = None, *, by_account: bool = False) -> None:
        self._rows = now
        self._direct = direct
        self._caller = Caller(now, assistant, by_account=by_account)

    def spoken(self, hit: "Said") -> Spoken:
        """Who said it, where, its words, and where it can be seen."""
        line = entry_line(Entry(hit.key, hit.seq, hit.row), self._caller, {})
        return Spoken(line.name, self.where(hit.row), line.text, link_of(self._rows, hit.row, self._direct))

    def person(self, person: Handle) -> str:
        """What somebody is called."""
        return self._caller.person(person)

    def where(self, row: MessageRow | TurnRow) -> str:
        """A place by its name; a conversation of two is `dm`."""
        of = row if isinstance(row, TurnRow) else row.message
        if of.audience.kind == "direct":
            return DIRECT
        found = place_of(self._rows, of.session)
        if found is None:
            return of.audience.place.key
        above = None if found.row.parent is None else find_place(self._rows, found.row.parent)
        thread = f"a thread in {above.row.name}" if above is not None and above.row.name else ""
        return found.row.name or thread or found.row.place.key


def score(thousandths: int) -> str:
    """A hit's score, for people. What is a question gives some away, and a word that everything has is worth less than
    that: it is a hit all the same, behind all others, and as good as none.
    """
    return points(max(thousandths, 0))


def points(thousandths: int) -> str:
    """A part of a score, for people; less than nothing where it takes some away."""
    return f"{thousandths / 1024:.1f}"


def why(reasons: "Sequence[Reason]", most: int) -> str:
    """The greatest parts of a score in one line: `it says so itself: tea 4.1; it begins a conversation 2.0`."""
    shown = [f"{_part(each)} {points(each.points)}" for each in reasons[:most]]
    return "; ".join([*shown, *(["…"] if len(reasons) > most else [])])


def _part(reason: "Reason") -> str:
    field = FIELDS.get(reason.field, reason.field)
    return f"{field}: {reason.word}" if reason.word else field
