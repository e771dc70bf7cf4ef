"""Which of what was said a context opens: the zones that are read, and in them the units.

    answered in     opens
    ─────────────   ───────────────────────────────────────────────────────────
    a guild         what everyone in the guild can read now
    a channel       the same, and what those of the channel can read now
    P's own DMs     P's direct messages

It is the table of `compartments` for what was said: `guild/G`, `channel/C`, `person/P/direct`. Of a session it is only
the epoch that it is in now: narrowing closes what was said before, widening opens nothing old. What is said in another
DM than that of whoever is answered is nobody's to search.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from projections.events.values import Audience, Message
from projections.ids import Ref
from projections.messages import MESSAGES
from projections.places import PLACES, audience_of, place_of
from projections.policies.compartments import Setting
from projections.recall.columns import Flags
from projections.recall.corpus import NONE, Corpus, corpus_of
from projections.recall.documents import documents_in, zone_of
from projections.rows import Corpora, Rows
from projections.turns import TURNS, TurnRow


class Part(NamedTuple):
    """What is open of a zone: by number of unit, with False for none. None: all of it. What lies at the place `silent`
    counts as if it had not been said yet.
    """

    corpus: Corpus
    open: Flags | None
    silent: int = NONE


class Said(NamedTuple):
    """Where something was said: its session, who could read it, and in which guild."""

    session: str
    audience: Audience
    guild: Ref | None


def zones(setting: Setting) -> tuple[bytes, ...]:
    """The zones that a context reads."""
    here = zone_of(setting.audience, setting.guild)
    if setting.audience.kind == "direct":
        own = setting.audience.place.key == f"dm:{setting.person.hex()}"
        return (here,) if own else ()
    if setting.guild is None:
        return (here,)
    return tuple(dict.fromkeys((zone_of(Audience("guild", setting.guild), setting.guild), here)))


def is_open(rows: Rows, setting: Setting, session: str, zone: bytes, said: Said) -> bool:
    """Whether what was said somewhere is open in a zone, for an answer in a session."""
    if zone_of(said.audience, said.guild) != zone:
        return False
    return is_open_here(setting, said.audience) if said.session == session else is_open_elsewhere(rows, said)


def is_open_here(setting: Setting, audience: Audience) -> bool:
    """Whether what an audience could read of a session is open for an answer in it."""
    return audience.kind == "direct" or audience == setting.audience


def is_open_elsewhere(rows: Rows, said: Said) -> bool:
    """Whether what was said in a session is open for answers in the others that read its zone."""
    if said.audience.kind == "direct":
        return True
    place = place_of(rows, said.session)
    return place is not None and audience_of(rows, place.row.place) == said.audience


def parts(rows: Rows, setting: Setting, session: str) -> tuple[Part, ...]:
    """What a context opens of what was said."""
    if rows.corpora is None:
        units = _units(_places_now(rows), setting, session)
        return tuple(Part(_gathered(rows, units, zone), None) for zone in zones(setting))
    corpora = rows.corpora()
    found = ((zone, corpora.corpus(zone)) for zone in zones(setting))
    return tuple(Part(each, _open_units(rows, corpora, setting, session, zone, each)) for zone, each in found)


def together(rows: Rows, contexts: Iterable[tuple[Setting, str]]) -> list[Part]:
    """What any of some contexts opens, each with its session: a zone once, and in it what any of them opens. Without
    corpora they open the same of it, as long as each is in an audience of now: so it is gathered for the first of them.
    """
    if rows.corpora is None:
        return _gathered_together(rows, contexts)
    found: dict[bytes, Part] = {}
    for setting, session in contexts:
        for zone, part in zip(zones(setting), parts(rows, setting, session), strict=True):
            there = found.setdefault(zone, part)
            if there.open is not None and there.corpus is part.corpus:
                found[zone] = part._replace(open=None if part.open is None else part.open | there.open)
    return list(found.values())


def _open_units(
    rows: Rows, corpora: Corpora, setting: Setting, session: str, zone: bytes, corpus: Corpus
) -> Flags | None:
    """Which units of a zone are open; looked up again when that may have changed."""
    known = corpus.open
    if not isinstance(known, _Units):
        known = corpus.open = _Units()
    known.follow(rows, corpora.turn, zone, corpus)
    return known.open_in(setting, session)


class _Units:
    """The units of a zone: where each is, and whether it is open to what is answered in another session. Every session
    of a guild asks, and of all units only its own answer it in another way.
    """

    def __init__(self) -> None:
        self._asked = (-1, -1)
        self._where: list[Said | None] = []
        self._flags: Flags = np.zeros(1, np.bool_)
        self._are_all_open = False
        self._of: dict[str, list[int]] = {}

    def follow(self, rows: Rows, turn: int, zone: bytes, corpus: Corpus) -> None:
        """Look for the units in which something was said where nothing was; at every one where a place changed."""
        if self._asked == (turn, corpus.begun):
            return
        self._where += [None] * (len(corpus.units.all) - len(self._where))
        flags = np.zeros(len(self._where) + 1, np.bool_)  # the last one says nothing
        if turn == self._asked[0]:
            flags[: len(self._flags) - 1] = self._flags[:-1]
        for number, unit in enumerate(corpus.units.all):
            if self._where[number] is None and (said := _where(rows, zone, unit)) is not None:
                self._where[number] = said
                self._of.setdefault(said.session, []).append(number)
            elif turn == self._asked[0]:
                continue
            there = self._where[number]
            flags[number] = there is not None and is_open_elsewhere(rows, there)
        self._asked, self._flags = (turn, corpus.begun), flags
        self._are_all_open = bool(flags[:-1].all())

    def open_in(self, setting: Setting, session: str) -> Flags | None:
        """The flags for an answer in a session, one more than there are units; None when all are open."""
        own = [(number, said.audience) for number in self._of.get(session, ()) if (said := self._where[number])]
        others = {number for number, audience in own if self._flags[number] != is_open_here(setting, audience)}
        if not others:
            return None if self._are_all_open else self._flags
        flags = self._flags.copy()
        for number in others:
            flags[number] = not flags[number]
        return None if flags[:-1].all() else flags


def _where(rows: Rows, zone: bytes, unit: bytes) -> Said | None:
    """Where a unit is, as any row of it says that lies in the zone; None where all of them are gone."""
    messages = (each.row.message for each in rows.scan(MESSAGES, unit))
    turns = (each.row for each in rows.scan(TURNS, unit))
    found = (Said(each.session, each.audience, each.guild) for each in chain[Message | TurnRow](messages, turns))
    return next((each for each in found if zone_of(each.audience, each.guild) == zone), None)


# -- without corpora: every row that is open is read -------------------------------------------------------------------


def _gathered_together(rows: Rows, contexts: Iterable[tuple[Setting, str]]) -> list[Part]:
    places = _places_now(rows)
    found: dict[bytes, Part] = {}
    for setting, session in contexts:
        new = [zone for zone in zones(setting) if zone not in found]
        units = _units(places, setting, session) if new else []
        found |= {zone: Part(_gathered(rows, units, zone), None) for zone in new}
    return list(found.values())


def _gathered(rows: Rows, units: Sequence[tuple[bytes, Said]], zone: bytes) -> Corpus:
    there = (of for where, of in units if where == zone)
    documents = (each for of in there for each in documents_in(rows.raw, of.session, of.audience.epoch))
    return corpus_of(each for each in documents if each.zone == zone)


def _units(places: Iterable[tuple[bytes, Said]], setting: Setting, session: str) -> list[tuple[bytes, Said]]:
    """Every session of which something may be open, in the epoch that it is in now, each with its zone."""
    here = Said(session, setting.audience, setting.guild)
    return [(zone_of(here.audience, here.guild), here), *(each for each in places if each[1].session != session)]


def _places_now(rows: Rows) -> list[tuple[bytes, Said]]:
    """The session of every place in the audience that it has now, with its zone."""
    found = []
    for place in (each.row for each in rows.scan(PLACES)):
        now = audience_of(rows, place.place) if place.session else None
        if now is not None:
            found.append((zone_of(now, place.guild), Said(place.session, now, place.guild)))
    return found
