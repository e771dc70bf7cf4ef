"""What an extraction added and nobody looked at yet for what is close to it, because the program ended in between; and
what a model had replied about it by then.

Nothing records that somebody looked: where nothing is close, nothing is asked. So what an extraction added counts as
looked at once the log went on for `MERGING_MS` behind it, by when it was.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dnam.loops.extraction import learned_from
from dnam.loops.kept import TRIED, is_given_up, kept_merges
from dnam.loops.merge import MOST_MERGES
from projections.consent import is_out
from projections.derived import effects_of
from projections.events import ExtractionAnswered, MergeReplied
from projections.fold import Record
from projections.ids import EventId, Handle
from projections.items import items_in, owner_key
from projections.policies.compartments import everywhere
from projections.rows import Rows
from projections.work import EXTRACTIONS
from replay.chronicle import LogChronicle

MERGING_MS = 3_600_000
"""How long an extraction's merges may take, with models that are slow and many who wait for them."""


class Unmerged(NamedTuple):
    """Items of one extraction in a compartment, by id, as it left them; how many pairs it may still lead to."""

    compartment: str
    added: tuple[str, ...]
    room: int


def unmerged(rows: Rows, log: LogChronicle, person: Handle, since: int) -> list[Unmerged]:
    """What a person's last extractions added, each in its compartment, where they were recorded after `since` (ms)."""
    if is_out(rows, person):
        return []
    return [left for decided in _lately(rows, log, person, since) for left in _left(rows, log, person, decided)]


def undecided(rows: Rows, log: LogChronicle, person: Handle, since: int) -> list[MergeReplied]:
    """What a model replied about what a person's last extractions added, since then, and nothing came of yet."""
    if is_out(rows, person):
        return []
    made = (record.id for decided in _lately(rows, log, person, since) for record in decided)
    return kept_merges(rows, log, made)


def _lately(rows: Rows, log: LogChronicle, person: Handle, since: int) -> Iterator[Sequence[Record]]:
    """The decisions of a person's last extractions, where they were recorded after `since` (ms)."""
    found = (each.row for each in rows.scan(EXTRACTIONS, owner_key(person)))
    return (log.decision(row.event) for row in found if row.at > since)


def _left(rows: Rows, log: LogChronicle, person: Handle, decided: Sequence[Record]) -> Iterator[Unmerged]:
    if not decided or not isinstance(first := decided[0].event, ExtractionAnswered):
        return
    made = {record.id for record in decided}
    tried = {effect for each in made for effect, tag in effects_of(rows, each) if tag in TRIED}
    room = MOST_MERGES - sum(1 for each in tried if not is_given_up(log, each))
    learned = learned_from([record.event for record in decided])
    for where, items in ((first.compartment, learned.added), (everywhere(person), learned.promoted)):
        added = _standing(rows, person, where, items, made) if room > 0 else ()
        if added:
            yield Unmerged(where, added, room)


def _standing(rows: Rows, person: Handle, where: str, items: tuple[str, ...], made: set[EventId]) -> tuple[str, ...]:
    """Those of them that are as the extraction left them."""
    as_made = {found.row.item.id for found in items_in(rows, person, where) if found.row.event in made}
    return tuple(each for each in items if each in as_made)
