"""What an adoption is decided from: the rows and events of a shadow beside those of the live memory."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from dnam.access import Access
from dnam.adapters.script import script_of
from dnam.rederiving.following import gone_since, has_lost_words, is_any_gone
from dnam.rederiving.undone import is_as_undone, undoings_behind
from dnam.shadows.manifest import Manifest
from projections.decisions.adopt_pairs import AdoptRequest, standing
from projections.decisions.adopt_rests import SAID_TAGS, said_behind
from projections.decisions.adopt_summary import AdoptSummaryRequest
from projections.decisions.adopted import VERSION, Adoption
from projections.decisions.adopted_all import Rederived
from projections.decisions.revert import VERSION as REVERT
from projections.decisions.shelf import policy_by, rests_on
from projections.events import Event, ItemEvent, ItemReverted, SummaryRefreshed
from projections.events.summaries import SummaryEvent
from projections.events.values import By
from projections.fold import AnyProjection, Record
from projections.ids import EventId, Handle
from projections.items import ITEMS, ItemRow, items_of
from projections.messages import unit
from projections.people import PEOPLE
from projections.policies.capacity import address
from projections.rederiving.pairs import Address, Pair, compare
from projections.rederiving.scope import has_summary
from projections.rows import Rows
from projections.summaries import SUMMARIES, SummaryRow
from replay.chronicle import LogChronicle
from replay.engine import Engine

OWNER_BYTES = 16
"""How much of an item's key says whose it is."""


class Both(NamedTuple):
    """The rows of both memories, of one look."""

    live: Rows
    shadow: Rows


class Source:
    """An open shadow beside an open memory."""

    def __init__(self, memory: Access, shadow: Engine, manifest: Manifest) -> None:
        self.memory = memory
        self.manifest = manifest
        self._shadow = shadow
        self._taken_back: tuple[int, Sequence[Record]] = (-1, ())
        """Up to where the live log was looked through for what was taken back behind the shadow's end, and that."""

    @property
    def rederived(self) -> Rederived:
        """What the event that makes an adoption count tells of it."""
        return rederived_of(self.manifest)

    @contextmanager
    def both(self) -> Iterator[Both]:
        """The rows as they are now. Keep it short."""
        with self.memory.engine.reading() as live, self._shadow.reading() as shadow:
            yield Both(live, shadow)

    # -- items -------------------------------------------------------------------------------------------------------

    def request(self, both: Both, adoption: Adoption, owner: Handle) -> AdoptRequest:
        """What an owner's items are taken over by. Only what is said behind those that differ is read."""
        there, here = LogChronicle(self._shadow.live), LogChronicle(self.memory.engine.live)
        mine = [each.row for each in items_of(both.live, owner)]
        found = [each.row for each in items_of(both.shadow, owner)]
        pairs = compare(mine, found)
        gone = self._gone(both, pairs, there)
        events = {pair.new.event for pair in gone if pair.new is not None}
        items = tuple(row for row in found if row.event not in events)
        pairs = compare(mine, items) if gone else pairs
        news = [pair.new for pair in pairs if pair.new is not None and pair.kind != "same"]
        old = [pair.old for pair in pairs if pair.old is not None and pair.kind != "same"]
        rests = {row.event: _said_in(here, behind(row, there)) for row in news if not rests_on(row.item.evidence)}
        said = {each for row in news for each in (*rests_on(row.item.evidence), *rests.get(row.event, ()))}
        asked, memory = self.manifest.asked, self.memory
        return AdoptRequest(
            adoption=adoption,
            owner=owner,
            items=items,
            name=self.manifest.name,
            by=By("model", name=self.manifest.by) if self.manifest.by else policy_by(VERSION),
            prompt=asked.extraction_prompt,
            upto=self.manifest.upto,
            rests=rests,
            heard=heard_of(both.live, LogChronicle(memory.engine.live), said),
            stood={each: standing(both.live, each) for each in said},
            cap=memory.settings.durable_max_items,
            guarding=memory.guarding,
            sharing=memory.sharing,
            scope=asked.scope,
            reverted=frozenset(address(row.item) for row in old if _is_reverted(row, here)),
            spoiled=frozenset(_told_by(gone, mine)),
            undone=frozenset(
                address(each.item)
                for each in map(_event, self._undone(both))
                if isinstance(each, ItemEvent) and each.item.owner == owner
            ),
        )

    def _undone(self, both: Both) -> Iterator[Record]:
        """What was taken back here of what the shadow has as it was recorded, and does not know of."""
        live = self.memory.engine
        size, records = live.head().size, self._taken_back[1]
        if self._taken_back[0] != size:
            records = list(undoings_behind(live, self.manifest.upto, self.manifest.asked.since))
            self._taken_back = size, records
        return (each for each in records if is_as_undone(live, both.shadow, each))

    def _gone(self, both: Both, pairs: Iterable[Pair], there: LogChronicle) -> list[Pair]:
        """The pairs of which the shadow's item has words that are gone here."""
        return [
            pair
            for pair in pairs
            if pair.new is not None
            and (
                gone_since(self.memory.engine, both.live, pair.new, behind(pair.new, there))
                or (pair.kind != "same" and has_lost_words(pair.new, there))
            )
        ]

    # -- summaries ---------------------------------------------------------------------------------------------------

    def summaries(self, both: Both, adoption: Adoption) -> list[AdoptSummaryRequest]:
        """Every summary that the shadow has of what it was asked for, by session."""
        find, manifest = LogChronicle(self._shadow.live).event, self.manifest
        undone = {_unit(each) for each in map(_event, self._undone(both)) if isinstance(each, SummaryEvent)}
        requests: list[AdoptSummaryRequest] = []
        for found in both.shadow.scan(SUMMARIES):
            made = find(found.row.event) if found.row.text else None
            if isinstance(made, SummaryRefreshed) and has_summary(both.live, manifest.asked.scope, made.session):
                rests = said_behind(made.causes, find)
                if is_any_gone(both.live, rests):
                    continue  # made anew with the next derivation
                request = AdoptSummaryRequest(adoption, made, rests, manifest.name, manifest.upto)
                requests.append(request._replace(is_undone=_unit(made) in undone))
        return sorted(requests, key=lambda each: (each.made.session, each.made.audience.epoch))


def _event(record: Record) -> Event:
    return record.event


def _unit(event: SummaryEvent) -> bytes:
    return unit(event.session, event.audience.epoch)


def _told_by(gone: Sequence[Pair], mine: Iterable[ItemRow]) -> Iterator[Address]:
    """Where the items lie of which the shadow tells in those that are gone: the same ones, and what rests on the same
    messages.
    """
    yield from (address(pair.old.item) for pair in gone if pair.old is not None)
    messages = {each for pair in gone if pair.new is not None for each in rests_on(pair.new.item.evidence)}
    yield from (address(row.item) for row in mine if messages.intersection(rests_on(row.item.evidence)))


def behind(row: ItemRow, there: LogChronicle) -> tuple[EventId, ...]:
    """What was said behind an item of the shadow that quotes nothing; nothing for one that quotes."""
    return () if rests_on(row.item.evidence) else said_behind((row.event,), there.event)


def _said_in(here: LogChronicle, events: Iterable[EventId]) -> tuple[EventId, ...]:
    """Those of these events that are messages and answers here, or nothing. What people decided names what they saw
    here: in the shadow too, which does not have it.
    """
    return tuple(each for each in events if (here.tag(each) or SAID_TAGS[0]).startswith(SAID_TAGS))


def summary_behind(row: SummaryRow, there: LogChronicle) -> tuple[EventId, ...]:
    """What was said behind a summary of the shadow, and all summaries that it goes on from."""
    return said_behind((row.event,), there.event)


def _is_reverted(row: ItemRow, here: LogChronicle) -> bool:
    """Whether an item says what it says because the operator reverted what had come of it."""
    record = here.find(row.event)
    return record is not None and isinstance(record.event, ItemReverted) and record.event.policy.startswith(REVERT)


def rederived_of(manifest: Manifest) -> Rederived:
    """What an adoption tells of a shadow."""
    asked = manifest.asked
    return Rederived(
        shadow=bytes.fromhex(manifest.log),
        name=manifest.name,
        made=manifest.made,
        upto=manifest.upto,
        model="script" if script_of(asked.model) else manifest.by,  # what its author calls it is their own words
        extraction_prompt=asked.extraction_prompt,
        summary_prompt=asked.summary_prompt,
        merges=asked.merge_policy,
        calls=manifest.calls,
        tokens_in=manifest.tokens_in,
        tokens_out=manifest.tokens_out,
        cost_micros=manifest.cost_micros,
    )


def heard_of(rows: Rows, chronicle: LogChronicle, messages: Iterable[EventId]) -> dict[EventId, Event]:
    """Messages as they now are, by the ids under which they were first heard."""
    found: dict[EventId, Event] = {}
    for message in messages:
        now = standing(rows, message)
        record = None if now is None else chronicle.find(now)
        if record is not None:
            found[message] = record.event
    return found


def owners_of(rows: Rows) -> list[Handle]:
    """Whoever has items, and nobody, in the order of their handles."""
    return [Handle(each.rstrip(b"\0") and each) for each in _prefixes(rows, ITEMS)]


def everybody(rows: Rows) -> list[Handle]:
    """Whoever has items or is known: also those of whom an adoption left nothing."""
    known = {Handle(each) for each in _prefixes(rows, PEOPLE)}
    return sorted({*owners_of(rows), *known, Handle(b"")})


def _prefixes(rows: Rows, table: AnyProjection) -> Iterator[bytes]:
    """The first parts of a table's keys, each once; a key is read for each."""
    start = b""
    while (key := next(rows.keys(table, b"", start=start), None)) is not None:
        yield key[:OWNER_BYTES]
        start = key[:OWNER_BYTES] + b"\xff" * (table.key_size - OWNER_BYTES + 1)
