"""What was said, found once more: every message and answer that rows hold, which of it is open, and its rank.

Written from what `documents`, `opened`, `question` and `search` say of themselves, and shares no code with them.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from projections.events.values import Audience, Message
from projections.ids import NOBODY, EventId, Handle, Ref, Seq
from projections.items import is_quiet
from projections.messages import MESSAGES
from projections.people import name_of
from projections.places import audience_of, place_of
from projections.policies.compartments import Setting
from projections.recall.search import Wanted
from projections.rows import Rows
from projections.turns import TURNS, TurnRow
from tests.projections.recall import oracle
from tests.projections.recall.oracle_items import items_in, keys, open_to
from tests.projections.recall.oracle_words import Looked, flags, is_named, looked_for, told, with_misspelt, years


class Dated(NamedTuple):
    """What a question names of one date beside years, and by which words: they count less where there is a day."""

    months: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()


Zone = tuple[str, Ref | None]
"""A guild, or one place of another kind: what is looked at is counted in each by itself."""


class Document(NamedTuple):
    """A message or an answer, and where it was said."""

    id: EventId
    session: str
    audience: Audience
    guild: Ref | None
    text: oracle.Text
    stems: frozenset[str]

    @property
    def zone(self) -> Zone:
        kind = self.audience.kind
        return kind, self.guild if kind == "guild" else self.audience.place


def search(rows: Rows, wanted: Wanted, dated: Dated, most: int, seeds: int) -> list[oracle.Hit]:
    """The best of what was said and has a score, best first. `dated` is what the text names of dates; of each zone
    `seeds` are looked at, or as many as are asked for.
    """
    there = [each for each in documents(rows) if is_open(rows, wanted.setting, wanted.session, each)]
    heard = [each for each in there if each.id != wanted.question]
    looked = _looked_for(rows, wanted.text, dated, heard)
    when = re.search(r"\bwhen\b", wanted.text, re.IGNORECASE) is not None
    in_years = years(wanted.text)
    date = oracle.Date(dated.months, in_years, dated.days)
    asked = oracle.Asked(looked.shares, looked.speaker, [date] if any(date) else [], when, looked.forms)
    facts = _facts(rows, wanted, looked, heard)
    zones: dict[Zone, list[oracle.Text]] = {}
    for each in heard:
        zones.setdefault(each.zone, []).append(each.text)
    return oracle.search([*zones.values()], asked, most, max(most, seeds), facts, _allowed(rows, wanted, heard))


def documents(rows: Rows) -> list[Document]:
    """All that was said, wherever it was: not what says nothing, nor what left recall with a forgotten item."""
    messages = [_message(each.seq, each.row.heard, each.row.message) for each in rows.scan(MESSAGES)]
    answers = [_answer(each.seq, each.row) for each in rows.scan(TURNS)]
    return [each for each in (*messages, *answers) if each is not None and not is_quiet(rows, each.id)]


def _message(seq: Seq, heard: EventId, message: Message) -> Document | None:
    captions = [each.caption for each in message.attachments]
    if not (message.text.strip() or message.spans or any(captions)):
        return None
    people = tuple(each.person for each in message.spans if each.person)
    found = told(" ".join((message.text, *captions)), people)
    text = oracle.Text(
        seq,
        f"{message.session} {message.audience.epoch}".encode(),
        message.said,
        message.speaker,
        {term: min(count, 255) for term, count in found.counts.items()},
        min(found.length, 255),
        flags(message.text),
    )
    return Document(heard, message.session, message.audience, message.guild, text, found.stems)


def _answer(seq: Seq, turn: TurnRow) -> Document | None:
    """An answer is as a message that nobody said."""
    said = Message(
        ref=Ref("", ""), place=turn.audience.place, session=turn.session, audience=turn.audience, author="self",
        said=turn.said, text=turn.text, guild=turn.guild, spans=turn.spans,
    )  # fmt: skip
    return _message(seq, turn.event, said)


# -- what is open ------------------------------------------------------------------------------------------------------


def is_open(rows: Rows, setting: Setting, session: str, document: Document) -> bool:
    """Whether an answer in a session may be made of it: its audience has all who read that, and is the one of now."""
    audience, here = document.audience, setting.audience
    if here.kind == "direct":
        is_own = here.place.key == f"dm:{setting.person.hex()}"
        return is_own and audience.kind == "direct" and audience.place == here.place
    is_same_place = audience.kind == here.kind == "channel" and audience.place == here.place
    if not is_same_place and not (audience.kind == "guild" and document.guild == setting.guild):
        return False
    return audience == (here if document.session == session else _audience_now(rows, document.session))


def _audience_now(rows: Rows, session: str) -> Audience | None:
    place = place_of(rows, session)
    return None if place is None else audience_of(rows, place.row.place)


def _allowed(rows: Rows, wanted: Wanted, heard: Sequence[Document]) -> Callable[[oracle.Text], bool]:
    """Which texts may be found; all of them are counted."""
    by_seq = {each.text.seq: each for each in heard}

    def allowed(text: oracle.Text) -> bool:
        document = by_seq[text.seq]
        theirs = not wanted.speaker or text.speaker == wanted.speaker
        return theirs and document.id not in wanted.without and _is_in(rows, document.session, wanted.place)

    return allowed


def _is_in(rows: Rows, session: str, place: Ref | None) -> bool:
    where = place_of(rows, session)
    return place is None or (where is not None and place in (where.row.place, where.row.parent))


# -- what is asked, and what is known ----------------------------------------------------------------------------------


def _looked_for(rows: Rows, text: str, dated: Dated, heard: Sequence[Document]) -> Looked:
    people = {Handle(each.text.speaker) for each in heard} - {NOBODY}
    names = {person: name_of(rows, person) for person in people}
    named = {person: name for person, name in names.items() if is_named(name, text)}
    having = Counter(term for each in heard for term in each.text.counts)
    told = {term for each in heard for term in each.text.counts if not each.text.flags & oracle.ASKS}
    there = told | {term for term, number in having.items() if number > 8}
    looked = looked_for(text, named)
    if dated.days:
        light = {term for term, word in looked.words.items() if word.removeprefix("exactly ") in dated.words}
        shares = {term: share // 8 if term in light else share for term, share in looked.shares.items()}
        looked = looked._replace(shares=shares)
    stems = {stem for each in heard for stem in each.stems}
    return with_misspelt(looked, there, stems, dated.words, in_items=False)


def _facts(rows: Rows, wanted: Wanted, looked: Looked, heard: Sequence[Document]) -> Mapping[int, int]:
    """What the best item gives that rests on each text, by seq; of others in the room, and of who is named, as well."""
    room = [*wanted.room, *([looked.speaker] if looked.speaker else [])]
    items = items_in(rows, open_to(rows, wanted.setting, room), wanted.said)
    there, best = {each.id: each.text.seq for each in heard}, dict[int, int]()
    for points, item in keys(items, looked.shares):
        for evidence in item.evidence:
            if evidence.message in there:
                seq = there[evidence.message]
                best[seq] = max(best.get(seq, 0), points)
    return best
