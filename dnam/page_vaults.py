"""The vaults whose words a page for a browser holds: by them it is known when a person is erased (exports/kept.py).

Where a page says something of whoever's is in the vault of an event, that vault is named; and of the people that it
names, those in which their accounts lie.
"""

from collections.abc import Iterable, Iterator

from dnam.provenance import LifeWords, Quoted
from dnam.shadows.report import OwnerWords, Report
from projections.ids import UNSEALED, Handle, Seq, VaultId
from projections.people import PEOPLE, accounts_of
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay import codec
from replay.engine import Engine

Vaults = frozenset[VaultId]


def of_lives(engine: Engine, now: Rows, person: Handle, lives: Iterable[LifeWords]) -> Vaults:
    """Of the audit of a person. `now` are the live rows."""
    steps = [step for life in lives for step in life.steps]
    people = {person, *(step.by.person for step in steps)}
    seqs = {step.seq for step in steps} | {seq for step in steps for seq in _seqs(step.messages)}
    found = {*_own(now, people), *_sealing(engine, seqs)}
    return _standing(engine, found)


def of_report(live: Engine, now: Rows, shadow: Engine, there: Rows, report: Report) -> Vaults:
    """Of what differs between the live memory and a shadow of it; both are open, with their rows."""
    ring = live.store.ring
    ring.refresh()  # a shadow's vaults come without an event in the live log
    found = {vault for owner in report.people if owner.person for vault in ring.listing(owner.person)}
    for owner in report.people:
        old, new = _sides(owner)
        found |= {*_sealing(live, old), *_sealing(shadow, new)}
    found |= {*_own(now, {each.person for each in report.less_read})}
    sessions = {each.session for each in report.sessions}
    for rows in (now, there):
        keys = [each.key for each in rows.scan(SUMMARIES) if each.row.session in sessions]
        found |= {stored.vault for key in keys if (stored := rows.raw.get(SUMMARIES.table, key)) is not None}
    return _standing(live, found)


def _sides(owner: OwnerWords) -> tuple[set[Seq], set[Seq]]:
    """The events behind what differs of one owner, in the live log, as messages are, and in the shadow's."""
    pairs = [pair for group in owner.groups for pair in group.pairs]
    sides = [side for pair in pairs for side in (pair.old, pair.new) if side is not None]
    old = {pair.old.seq for pair in pairs if pair.old is not None and pair.old.seq is not None}
    new = {pair.new.seq for pair in pairs if pair.new is not None and pair.new.seq is not None}
    return old | {seq for side in sides for seq in _seqs(side.messages)}, new


def _seqs(messages: Iterable[Quoted]) -> Iterator[Seq]:
    return (each.seq for each in messages)


def _own(now: Rows, people: Iterable[Handle]) -> Iterator[VaultId]:
    """The vaults of people's own in which their accounts lie."""
    keys = (each.key for person in people if person for each in accounts_of(now, person))
    return (stored.vault for key in keys if (stored := now.raw.get(PEOPLE.table, key)) is not None)


def _sealing(engine: Engine, seqs: Iterable[Seq]) -> Iterator[VaultId]:
    """What sealed these events."""
    found = (engine.store.log.get(seq) for seq in seqs)
    return (codec.decode_header(stored.header).vault for stored in found if stored is not None)


def _standing(engine: Engine, found: Iterable[VaultId]) -> Vaults:
    """Without what is gone already: of that no page has a word, and it would go with the next sweep."""
    return frozenset(found) - {UNSEALED} - engine.store.log.erased_vaults()
