"""Recall: what was said, and what is known, that answers best to a text; from the compartments that are open."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from projections.consent import is_out
from projections.events.values import Item, NearUse
from projections.ids import NOBODY, EventId, Handle, Ref, Seq
from projections.items import ITEMS, ItemRow, compartment_key
from projections.messages import MESSAGES, MessageRow
from projections.nearness import Nearness
from projections.people import name_of
from projections.places import place_of
from projections.policies.compartments import Opening, Setting, opened
from projections.policies.told_of_others import is_told_to, opened_there
from projections.recall import facts as knowing
from projections.recall.corpus import NONE, Corpus
from projections.recall.documents import id_of
from projections.recall.english import FIRST_WORDS
from projections.recall.facts import Known, KnownItems, known_items
from projections.recall.lying import Lying
from projections.recall.meaning import Nearby, Place, nearby
from projections.recall.numbers import Numbers, among
from projections.recall.opened import Part, parts, together
from projections.recall.question import Asked, ask, without_names
from projections.recall.scoring import Question, Scored, search
from projections.recall.seeds import Allowed
from projections.recall.spelling import likes_there
from projections.recall.standing import TermsIn
from projections.recall.strangers import Doubt, doubt
from projections.recall.words import words
from projections.retrieval import Vocabulary, query
from projections.rows import Found, Rows
from projections.turns import TURNS, TurnRow

MOST_FACTS = 32
"""How many items are taken as keys to what they rest on."""
MOST_MISSPELT = 3
"""How many words of a question that nobody ever said are taken for misspelt ones, the longest first: some hundred
others are tried for each. Where as much of the question is known, one is: the rest says enough, and who spells nothing
wrong does not wait for it. So it is where anything of it stands in an item, since most of what is asked stands in none
of the few that somebody has.
"""
_DATED = ("dated", b"")
"""The part of a score that says that all of a date is right."""
MOST_LIKES = 4
"""Of a word that more words are spelled like than these, none is taken to be meant: it tells too little of which, and
each would be looked up. Of 1,231 English words that stood nowhere in a conversation (LoCoMo's; its questions as they
are, and misspelt by one letter), one had four, and none more; in a guild with tens of thousands of words some have.
"""


class Wanted(NamedTuple):
    """What is looked for, by whom and where. `said` is when (ms). `without` names messages and turns that are not to be
    found; `speaker` and `place` narrow it to what one person said, or what was said in one place. `asker` is who calls
    themself "I" in the text, where that counts as a name. `room` are others who take part: what is known of them here
    counts as well. With `nearness`, what is near in meaning is found too; the `vocabulary` tells what speaks of a
    project. `besides` are other contexts, each with its session, that are open to whoever sees what is found: all of
    them are counted as one.
    """

    text: str
    setting: Setting
    session: str
    said: int
    without: frozenset[EventId] = frozenset()
    speaker: Handle = NOBODY
    asker: Handle = NOBODY
    place: Ref | None = None
    room: tuple[Handle, ...] = ()
    question: EventId = EventId(b"")
    nearness: Nearness | None = None
    vocabulary: Vocabulary = Vocabulary()
    besides: tuple[tuple[Setting, str], ...] = ()

    @property
    def contexts(self) -> tuple[tuple[Setting, str], ...]:
        """What is open is what any of these opens."""
        return (self.setting, self.session), *self.besides


class Reason(NamedTuple):
    """A part of a score, in 1/1024: the field, and of a field of words also the word, what it is spelled like, or what
    it is exactly.
    """

    field: str
    word: str
    points: int


class Said(NamedTuple):
    """Something that was said. `id` names the message or the turn; `event`, at `seq`, made it as it now is.
    `score` is in 1/1024, `fields` what it is made of, and `asked` the words that were looked for, by their term.
    """

    key: bytes
    id: EventId
    event: EventId
    seq: Seq
    said: int
    row: MessageRow | TurnRow
    score: int
    fields: Mapping[tuple[str, bytes], int]
    asked: Mapping[bytes, str]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it has its score, what counts most first."""
        return _reasons(self.fields, self.asked)


class Answers(NamedTuple):
    """What was said that answers best, best first. `note` is what there is to note of finding by meaning; `nearest`,
    everything whose nearness counts in the scores: by these, the same is found without an encoder. With a `doubt`, not
    all of it is about whom the question names.
    """

    said: tuple[Said, ...]
    note: str = ""
    nearest: tuple[NearUse, ...] = ()
    doubt: Doubt | None = None


class FoundItem(NamedTuple):
    """An item where it stands among others, and the words that were looked for, by their term."""

    ranked: knowing.Ranked
    asked: Mapping[bytes, str]

    @property
    def found(self) -> Found[ItemRow]:
        return self.ranked.known.found

    @property
    def item(self) -> Item:
        return self.found.row.item

    @property
    def score(self) -> int:
        """In 1/1024."""
        return self.ranked.score

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it has its score, what counts most first."""
        return _reasons(self.ranked.fields, self.asked)


def said(rows: Rows, wanted: Wanted, most: int) -> tuple[Said, ...]:
    """What was said that answers best, best first."""
    return answers(rows, wanted, most).said


def answers(rows: Rows, wanted: Wanted, most: int) -> Answers:
    """The same, and what there is to note."""
    opened_parts = [_without(part, wanted.question) for part in _parts(rows, wanted)]
    terms = TermsIn(opened_parts)
    asked = _by_asker(ask(wanted.text, _named(rows, wanted.text, opened_parts)).by_days, wanted)
    there = frozenset(terms.told(asked.question.terms.keys()))
    unknown = _unknown(asked, there)
    tried = unknown[: MOST_MISSPELT if len(unknown) > len(there) else 1]
    asked = _with_likes(asked, tried, lambda word: likes_there(word, terms.like))
    allowed = [_allowed(rows, part.corpus, wanted) for part in opened_parts]
    known = _known(rows, _open_to(rows, wanted, _who(wanted, asked)), wanted.said)
    evidence = _Evidence(opened_parts)
    near = Nearby()
    if wanted.nearness is not None:
        items = [each for part in known for each in part.known]
        near = nearby(opened_parts, allowed, wanted.nearness, items, evidence)
    scored = search(terms, asked.question, most, _facts(known, asked, evidence), allowed, near.meant)
    lying = Lying(rows)
    found = (_said(lying, opened_parts[each.part].corpus, each, asked.words) for each in scored)
    return Answers(
        tuple(each for each in found if each is not None),
        near.note,
        _nearest(lying, opened_parts, near, scored),
        doubt(wanted.text, asked, there, known, terms) if unknown else None,
    )


def said_on_day(rows: Rows, wanted: Wanted, most: int) -> tuple[Said, ...]:
    """What was said on the day that a text names, whatever else it looks for."""
    days = tuple(each for each in ask(wanted.text, {}).question.dates if each.days)
    question, opened_parts = Question({}, dates=days), _parts(rows, wanted)
    allowed = [_allowed(rows, part.corpus, wanted) for part in opened_parts]
    scored = search(TermsIn(opened_parts), question, most, allowed=allowed)
    lying = Lying(rows)
    found = (_said(lying, opened_parts[each.part].corpus, each, {}) for each in scored if _DATED in each.fields)
    return tuple(each for each in found if each is not None)


def nameless(rows: Rows, setting: Setting, session: str, text: str) -> str:
    """A text without the names of those who said something where it is open: as texts become vectors (`vectors_texts`),
    so that a question is not near whatever names somebody.
    """
    return without_names(text, _named(rows, text, parts(rows, setting, session)).values())


def items(rows: Rows, wanted: Wanted, most: int, *, sharing: bool = False) -> tuple[FoundItem, ...]:
    """What is known that answers best, best first: active items of what is open to the asker, of themself and of the
    others in the room, with a score above 0; or those alone that are `sharing` a word.
    """
    known = _known(rows, _open_to(rows, wanted, wanted.room), wanted.said)
    asked = with_likes_in(known, ask(wanted.text, {}))
    about_project = query(wanted.text, "", wanted.said, wanted.vocabulary).about_project
    ranked = knowing.rank(known, asked.question, wanted.said, about_project=about_project, nearness=wanted.nearness)
    best = (each for each in ranked if (each.words if sharing else each.score) > 0)
    found = (FoundItem(each, asked.words) for each in best)
    return tuple(islice(_told(found, wanted) if wanted.room else found, most))


def _told(found: Iterable[FoundItem], wanted: Wanted) -> Iterator[FoundItem]:
    """Those of what was found that may be told to whoever asks."""
    askers = [setting.person for setting, _ in wanted.contexts]
    return (each for each in found if is_told_to(each.item, *askers))


def with_likes_in(known: Sequence[KnownItems], asked: Asked) -> Asked:
    """A question about items, with what in them is spelled like a word of it that stands in none."""
    there = set[bytes]().union(*(part.having.keys() & asked.question.terms.keys() for part in known))
    unknown = _unknown(asked, there)[: 1 if there else MOST_MISSPELT]
    return _with_likes(asked, unknown, lambda word: likes_there(word, partial(_in_items, known)))


# -- what is open ------------------------------------------------------------------------------------------------------


def _parts(rows: Rows, wanted: Wanted) -> Sequence[Part]:
    if not wanted.besides:
        return parts(rows, wanted.setting, wanted.session)
    return together(rows, wanted.contexts)


def _opened(rows: Rows, wanted: Wanted) -> Iterable[Opening]:
    if not wanted.besides:
        return opened(rows, wanted.setting)
    return dict.fromkeys(each for setting, _ in wanted.contexts for each in opened(rows, setting))


# -- what is asked -----------------------------------------------------------------------------------------------------


def _without(part: Part, question: EventId) -> Part:
    return part._replace(silent=part.corpus.places_of([question])[0]) if question else part


def _named(rows: Rows, text: str, opened_parts: Sequence[Part]) -> dict[Handle, str]:
    """Those who said something where it is open and whose name may stand in a text."""
    said_words = frozenset(words(text))
    found: dict[Handle, str] = {}
    for part in opened_parts:
        called = part.corpus.called
        for speaker in called.unknown(part.corpus.speakers.all):
            called.call(speaker, name_of(rows, speaker) if speaker else "")
        found |= {person: called.names[person] for person in called.by(said_words) if _speaks(part, person)}
    return found


def _speaks(part: Part, person: Handle) -> bool:
    """Whether somebody said something that is open."""
    corpus, size = part.corpus, part.corpus.size
    theirs = (corpus.speaker[:size] == corpus.speakers.find(person)) & corpus.alive[:size]
    if part.silent != NONE:
        theirs[part.silent] = False
    return bool((theirs if part.open is None else theirs & part.open[corpus.unit[:size]]).any())


def _by_asker(asked: Asked, wanted: Wanted) -> Asked:
    """The question about the asker, where it names nobody and says "I"."""
    question = asked.question
    if question.speaker is not None or not wanted.asker or FIRST_WORDS.isdisjoint(words(wanted.text)):
        return asked
    return asked._replace(question=question._replace(speaker=wanted.asker))


def _unknown(asked: Asked, standing: Set[bytes]) -> list[bytes]:
    """The terms of a question that may be misspelt, the longest words first: all but those that are `standing`
    somewhere. What is not a word alone, as what is looked for as it stands, is not misspelt.
    """
    perhaps = asked.question.terms.keys() - standing - asked.dated
    unknown = [term for term in asked.question.terms if term in perhaps and asked.words[term].isalpha()]
    return sorted(unknown, key=lambda term: len(asked.words[term]), reverse=True) if unknown else unknown


def _with_likes(asked: Asked, unknown: Sequence[bytes], likes: Callable[[str], Iterable[bytes]]) -> Asked:
    """The question with words spelled like some of its own that stand nowhere, at half their weight; `likes` says what
    does that is spelled like a word. What is like two of them counts for the first.
    """
    if not unknown:
        return asked
    found: dict[bytes, bytes] = {}
    for term in unknown:
        found = {like: term for like in _few(likes(asked.words[term])) if like not in asked.words} | found
    terms = {**asked.question.terms, **{like: asked.question.terms[term] // 2 for like, term in found.items()}}
    told = {like: f"spelled like {asked.words[term]}" for like, term in found.items()}
    return asked._replace(question=asked.question._replace(terms=terms), words={**told, **asked.words})


def _few(likes: Iterable[bytes]) -> Sequence[bytes]:
    """All of them; none where they are too many."""
    first = tuple(islice(likes, MOST_LIKES + 1))
    return first if len(first) <= MOST_LIKES else ()


def _in_items(known: Sequence[KnownItems], likes: Numbers) -> Set[bytes]:
    """Which of many terms, given as numbers, stand in items."""
    return set[bytes]().union(*(among(likes, part.numbers) for part in known if part.known))


# -- what may be found -------------------------------------------------------------------------------------------------


def _allowed(rows: Rows, corpus: Corpus, wanted: Wanted) -> Allowed:
    speaker = corpus.speakers.find(wanted.speaker) if wanted.speaker else None
    units = None
    if wanted.place is not None:
        units = np.array([*(_is_in(rows, unit, wanted.place) for unit in corpus.units.all), False])
    places = [at for at in corpus.places_of(sorted(wanted.without)) if at != NONE]
    return Allowed(corpus, np.array(places, np.int32), speaker, units)


def _is_in(rows: Rows, unit: bytes, place: Ref) -> bool:
    """Whether a unit is of a place, or of a thread in it."""
    where = place_of(rows, _session_of(rows, unit))
    return where is not None and place in (where.row.place, where.row.parent)


def _session_of(rows: Rows, unit: bytes) -> str:
    """Of which session a unit is; empty where nothing is left of it."""
    message = next(rows.scan(MESSAGES, unit), None)
    if message is not None:
        return message.row.message.session
    turn = next(rows.scan(TURNS, unit), None)
    return "" if turn is None else turn.row.session


# -- facts -------------------------------------------------------------------------------------------------------------


def _who(wanted: Wanted, asked: Asked) -> tuple[Handle, ...]:
    """Those who take part or are named."""
    named = asked.question.speaker
    return (*wanted.room, *([Handle(named)] if named else []))


def _open_to(rows: Rows, wanted: Wanted, people: Iterable[Handle]) -> Iterable[Opening]:
    """Where the items lie that are looked for: what is open to the asker, and here of these people."""
    others = (person for person in people if person != wanted.setting.person and not is_out(rows, person))
    return dict.fromkeys((*_opened(rows, wanted), *opened_there(wanted.setting, others)))


def _facts(known: Sequence[KnownItems], asked: Asked, evidence: "_Evidence") -> dict[Place, int]:
    """The best item that rests on each document, of those that this audience may see."""
    best: dict[Place, int] = {}
    for points, each in knowing.best_by_words(known, asked.question, MOST_FACTS):
        for place in evidence(each):
            best.setdefault(place, points)  # the best comes first
    return best


class _Evidence:
    """Where that lies which items rest on, as far as it is open and not silent; each is looked up once in a
    search.
    """

    def __init__(self, opened_parts: Sequence[Part]) -> None:
        self._parts = opened_parts
        self._places: dict[bytes, list[Place]] = {}

    def __call__(self, known: Known) -> Sequence[Place]:
        if not known.evidence:
            return ()
        places = self._places.get(known.found.key)
        if places is None:
            places = self._places[known.found.key] = self._found(known.evidence)
        return places

    def _found(self, evidence: Sequence[int]) -> list[Place]:
        found = []
        for number, (corpus, open_units, silent) in enumerate(self._parts):
            for short in evidence:
                at = corpus.place_of(short)
                if at not in (NONE, silent) and (open_units is None or open_units[corpus.unit[at]]):
                    found.append((number, at))
        return found


def _known(rows: Rows, openings: Iterable[Opening], said: int) -> list[KnownItems]:
    return [
        rows.gathered(ITEMS, compartment_key(owner, compartment), known_items).holding(said)
        for owner, compartment in openings
    ]


# -- what was found ----------------------------------------------------------------------------------------------------


def _said(lying: Lying, corpus: Corpus, scored: Scored, words: Mapping[bytes, str]) -> Said | None:
    at = scored.at
    found = lying.row(corpus, at)
    if found is None:
        return None
    key, seq, row = found
    return Said(key, id_of(key), row.event, seq, corpus.said.item(at), row, scored.score, scored.fields, words)


def _nearest(lying: Lying, opened_parts: Sequence[Part], near: Nearby, scored: Sequence[Scored]) -> tuple[NearUse, ...]:
    """Everything whose nearness counts in what was found."""
    places = dict.fromkeys((each.part, at) for each in scored for at in each.nearest)
    found = ((near.meant[place].rank, lying.row(opened_parts[place[0]].corpus, place[1])) for place in places)
    return tuple(NearUse(rank, row.row.event) for rank, row in found if row is not None)


def _reasons(fields: Mapping[tuple[str, bytes], int], words: Mapping[bytes, str]) -> tuple[Reason, ...]:
    reasons = (Reason(field, words.get(term, ""), points) for (field, term), points in fields.items())
    return tuple(sorted(reasons, key=lambda each: (-abs(each.points), each.field, each.word)))
