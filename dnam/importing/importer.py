"""Bringing in what other programs kept: each thing becomes events by the same decisions as what is heard live.

Everything is keyed by what its platform calls it, so an import can be broken off and run again: what is known is
passed over, and only what is new is appended.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dnam.importers.census import Census, names_of
from dnam.importers.source import Arrival, Arrived, ImportedItem, ImportedSummary, Skipped
from dnam.importing.items import item_request
from dnam.importing.summaries import in_dm, is_heard, place_of_summary, record_summary, was_narrower
from dnam.importing.tally import Tally
from dnam.in_flight import IN_FLIGHT, InFlight
from dnam.memory import Memory
from dnam.secrets import account_without_secrets
from dnam.whereabouts import new_handle, with_handles
from projections.decisions.draft import Decision, Draft, Minter
from projections.decisions.hear import DOUBTED, HeardRequest, accounts, hear
from projections.decisions.imported import (
    NOBODY_HEARD,
    ONCE_ERASED,
    ONCE_NARROWER,
    import_item,
    may_repeat_erased,
)
from projections.decisions.meet import Account, is_unwelcome, meet
from projections.decisions.place import WIDER, PlaceSeen, describe, session_of, widens
from projections.errors import BadRequest
from projections.events import (
    Event,
    ImportBegan,
    ImportEnded,
    ItemEvicted,
    ItemRefused,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    PlaceAudienceChanged,
    SummaryRefreshed,
)
from projections.events.values import OPERATOR
from projections.ids import NOBODY, Handle, seeded_id
from projections.lookup import find_people
from projections.people import accounts_of, person_of
from projections.quoting import in_quotes
from projections.rows import Rows
from replay.group import Recorded

UNWANTED = "its person, or who said what it was learned of, opted out or was erased since"
"""Why an item or a summary is not taken; what it is counted by."""
QUARANTINED = "it instructs the assistant, and is listed in the quarantine"
"""Another reason."""
SENTENCE = "a sentence of a summary that instructs the assistant"
"""Another reason."""

RENAMED = "an id that two items of a file have: the second comes in under one made of its words"
"""How something that was taken is not as its file has it."""

EVICTED = "an item that makes room for others, since a person has so many (DNAM_DURABLE_MAX_ITEMS)"
"""Another reason: it came in, or was there before, and is listed as evicted."""

Progress = Callable[["Tally"], None]


@dataclass
class Span:
    """From when to when what was read is, in ms."""

    first: int | None = None
    last: int | None = None

    def take(self, said: int) -> None:
        """Something was said then."""
        self.first = said if self.first is None else min(self.first, said)
        self.last = said if self.last is None else max(self.last, said)


class Importer:
    """Records arrivals in the order in which they come. `tally` has what was read ahead of them."""

    def __init__(
        self,
        memory: Memory,
        *,
        same: Iterable[tuple[str, str]] = (),
        portable: bool = False,
        formats: Iterable[str] = (),
        tally: Tally | None = None,
    ) -> None:
        self._memory = memory
        self._formats = tuple(sorted(set(formats)))
        self._start = Draft(seeded_id(os.urandom(32), 0, memory.now()), self._began(), natural=True)
        self._has_begun = False
        self._span = Span()
        self._same = list(same)
        self._portable = portable
        self._joined: set[Account] = set()
        self._told: set[str] = set()
        self._spoke: set[Account] = set()
        self._partners: set[tuple[str, Account]] = set()
        self._in_flight = InFlight(memory, self._count, self._refused)
        self.tally = Tally() if tally is None else tally

    async def bring(self, arrivals: Iterator[Arrival], progress: Progress) -> Tally:
        """Record everything; what was read before an error or an interruption is recorded too."""
        try:
            while (arrival := await asyncio.to_thread(next, arrivals, None)) is not None:
                await self._take(arrival)
                if self.tally.read % IN_FLIGHT == 0:
                    progress(self.tally)
            await self._in_flight.settle()
            await self._memory.look(self._name)
            await self._end()
        finally:
            await self._in_flight.settle()
            progress(self.tally)
        return self.tally

    def _began(self) -> ImportBegan:
        return ImportBegan(said=self._memory.now(), by=OPERATOR, formats=self._formats)

    def _beginning(self, decision: Decision) -> Decision:
        """The decision with the event that this import began, where it records anything: it comes first, and once."""
        if self._has_begun:
            return decision

        def begins(rows: Rows) -> list[Draft]:
            drafts = list(decision(rows))
            return [self._start, *drafts] if drafts else []

        return begins

    async def _end(self) -> None:
        """Record that all of it came in, where anything did."""
        known = await self._memory.look(lambda rows: rows.ids.status(self._start.id))
        if known != "known" or self._span.first is None or self._span.last is None:
            return
        ended = ImportEnded(
            said=self._memory.now(),
            by=OPERATOR,
            causes=(self._start.id,),
            began=self._start.id,
            formats=self._formats,
            first_said=self._span.first,
            last_said=self._span.last,
            messages=self.tally.messages,
            items=self.tally.items,
            summaries=self.tally.summaries,
        )
        origin = self._memory.origin()
        await self._memory.record(lambda rows: [Minter(rows, origin).draft(ended)])

    async def _take(self, arrival: Arrival) -> None:
        self.tally.read += 1
        match arrival:
            case Skipped(reason=reason, where=where):
                self.tally.skip(reason, where)
            case Arrived(request=request):
                await self._join(accounts(request))
                self._note(request)
                self._span.take(request.said)
                await self._tell_of_wider(request)
                ready = with_handles(request)
                await self._submit("messages", lambda rows: hear(rows, ready))
            case ImportedItem():
                await self._item(arrival)
            case ImportedSummary():
                await self._summary(arrival)

    async def _tell_of_wider(self, request: HeardRequest) -> None:
        """Count each place of which the operator told more readers than it is known to have: that changes nothing."""
        if request.place.told and request.place.key not in self._told:
            self._told.add(request.place.key)
            if await self._memory.look(lambda rows: widens(rows, request.place)):
                self.tally.skipped[WIDER] += 1

    def _note(self, request: HeardRequest) -> None:
        self.tally.own += request.author == "self"
        if request.author == "person":
            self._spoke.add(request.speaker)
        if request.place.partner is None:
            self.tally.sessions.add(session_of(request.place))
        else:
            self._partners.add((request.place.platform, request.place.partner))

    def _name(self, rows: Rows) -> None:
        """Who spoke, and the sessions of their DMs, by the handles that they have by now."""
        spoke = (person_of(rows, each.platform, each.id) for each in self._spoke)
        self.tally.people.update(found.row.person for found in spoke if found is not None)
        for platform, partner in self._partners:
            found = person_of(rows, partner.platform, partner.id)
            if found is not None:
                self.tally.sessions.add(session_of(in_dm(platform, partner), found.row.person))

    async def _submit(self, kind: str, decision: Decision) -> None:
        await self._in_flight.submit(kind, self._beginning(decision))

    def _refused(self, error: BadRequest) -> None:
        self.tally.skipped[str(error)] += 1

    def _count(self, kind: str, recorded: Recorded) -> None:
        new = [record for record in recorded.records if record.id != self._start.id]
        self._has_begun = self._has_begun or len(new) < len(recorded.records)
        self.tally.events += len(new)
        events = [record.event for record in new]
        self.tally.skipped.update(reason for event in events for reason in _held(event))
        if evicted := sum(isinstance(event, ItemEvicted) for event in events):
            self.tally.changed[EVICTED] += evicted
        self.tally.narrowed += sum(isinstance(event, PlaceAudienceChanged) for event in events)
        came = _came(kind, events)
        if came:
            setattr(self.tally, came, getattr(self.tally, came) + 1)

    async def unjoined(self) -> list[str]:
        """What came of nothing among the pairs that are to be one person, in words."""
        return await self._memory.look(lambda rows: [words for pair in self._same for words in _unjoined(rows, pair)])

    # -- people of whom the operator says that they are the same ------------------------------------------------------

    async def _join(self, met: Iterable[Account]) -> None:
        for account in met:
            others = self._others(account)
            if others and account not in self._joined:
                await self._in_flight.settle()
                self._joined.add(account)
                await self._join_one(account, others)

    def _others(self, account: Account) -> list[str]:
        names = names_of(account)
        pairs = (pair for pair in self._same if any(each in names for each in pair))
        return [each for pair in pairs for each in pair if each not in names]

    async def _join_one(self, account: Account, others: list[str]) -> None:
        known = await self._memory.look(lambda rows: [each for name in others for each in find_people(rows, name)])
        if len(set(known)) != 1:
            return
        person, origin, said = known[0], self._memory.origin(), self._memory.now()
        own = await self._memory.look(lambda rows: person_of(rows, account.platform, account.id))
        if own is not None and own.row.person != person:
            called = account.name or account.username or account.id
            raise BadRequest(
                f"{called} is a person of their own here already; `--same-person` joins accounts "
                "when they are first seen. Import into a new folder to join them"
            )
        named = account_without_secrets(account)
        await self._memory.record(self._beginning(lambda rows: meet(rows, named, origin, (), said, person)))

    # -- what another program remembered ------------------------------------------------------------------------------

    async def _item(self, item: ImportedItem) -> None:
        person = NOBODY if item.account is None else await self._person(item.account, item.created)
        author = NOBODY if item.author is None else await self._person(item.author, item.created)
        if (item.account is not None and not person) or (item.author is not None and not author):
            self.tally.skipped[UNWANTED] += 1
            return
        if item.was:
            self.tally.change(RENAMED, f"{item.was} of {item.user} is {item.id} here")
        cap = self._memory.settings.durable_max_items
        guarding = self._memory.guarding
        request = item_request(item, person, author, portable=self._portable, cap=cap, guarding=guarding)
        self.tally.people.update([person] if person else [])
        self._span.take(item.updated)
        await self._submit("items", lambda rows: import_item(rows, request))

    async def _person(self, account: Account, said: int) -> Handle:
        """Whose account it is; NOBODY for somebody who opted out, or was erased after `said`."""
        await self._join([account])
        origin, fresh, named = self._memory.origin(), (new_handle(),), account_without_secrets(account)
        await self._memory.record(self._beginning(lambda rows: meet(rows, named, origin, fresh, said)))
        return await self._memory.look(lambda rows: _wanted(rows, account, said))

    async def _summary(self, summary: ImportedSummary) -> None:
        person = NOBODY if summary.account is None else await self._person(summary.account, summary.updated)
        seen = place_of_summary(summary)
        await self._in_flight.settle()
        why_not = "" if person else await self._memory.look(lambda rows: _why_not_taken(rows, summary, seen))
        if why_not:  # nor does its place become known: what is said there later may be open to more
            self.tally.skip(why_not, summary.session_key)
            return
        origin = self._memory.origin()
        await self._memory.record(self._beginning(lambda rows: describe(rows, seen, person, summary.updated, origin)))
        self._span.take(summary.updated)
        self.tally.sessions.add(session_of(seen, person))
        words = self._memory.guarding.instructions
        await self._submit("summaries", lambda rows: record_summary(rows, summary, seen, person, words))


def _why_not_taken(rows: Rows, summary: ImportedSummary, seen: PlaceSeen) -> str:
    """Why a summary that is no known person's is not taken; empty when it is."""
    if summary.account is not None:
        return UNWANTED
    if may_repeat_erased(rows, seen.audience, summary.updated):
        return ONCE_ERASED
    if not is_heard(rows, seen, summary.updated):
        return NOBODY_HEARD
    return ONCE_NARROWER if was_narrower(rows, seen, summary.updated) else ""


def candidates(rows: Rows, found: Census, text: str) -> list[str]:
    """The people whom a name or an id fits, here and in what is brought in, each by the ids that tell them apart."""
    persons, unmet = _meant(rows, found, text)
    met = [[f"{each.row.platform}:{each.row.platform_id}" for each in accounts_of(rows, one)] for one in persons]
    return sorted([*unmet, *map(" or ".join, met)])


def stay_apart(rows: Rows, found: Census, one: str, other: str) -> bool:
    """Whether two that are to be one person are two people already."""
    (met, unmet), (met_too, unmet_too) = (_meant(rows, found, each) for each in (one, other))
    return bool(met and met_too) and not (unmet or unmet_too) and met != met_too


def _meant(rows: Rows, found: Census, text: str) -> tuple[dict[Handle, None], set[str]]:
    """The people whom a name or an id fits, and the ids of those whom nobody has met yet."""
    persons = dict.fromkeys(find_people(rows, text))
    unmet: set[str] = set()
    for account in found.called(text):
        known = person_of(rows, account.platform, account.id)
        if known is None:
            unmet.add(f"{account.platform}:{account.id}")
        else:
            persons[known.row.person] = None
    return persons, unmet


def _came(kind: str, events: list[Event]) -> str:
    """As what something counts by the events that came of it; empty for what was refused. A message that only closed
    its channel was known.
    """
    if kind == "messages" and events:
        is_new = any(isinstance(event, MessageHeard) for event in events)
        is_edited = any(isinstance(event, MessageEdited | MessageRedacted) for event in events)
        return "messages" if is_new else "edits" if is_edited else "known"
    if not events:
        return "known"
    return "" if any(map(_is_refused, events)) else kind


def _is_refused(event: Event) -> bool:
    """Whether it says that something was not taken in. A message that may hold a key was."""
    return isinstance(event, ItemRefused) and event.kind != DOUBTED


def _held(event: Event) -> tuple[str, ...]:
    """Why something of what came in is not remembered, once for each thing."""
    match event:
        case _ if _is_refused(event):
            return (QUARANTINED,)
        case SummaryRefreshed(left_out=left_out):
            return (SENTENCE,) * len(left_out)
        case _:
            return ()


def _unjoined(rows: Rows, pair: tuple[str, str]) -> list[str]:
    found = {name: sorted(set(find_people(rows, name))) for name in pair}
    lost = [f"{in_quotes(name)} matched nobody" for name, each in found.items() if not each]
    lost += [
        f"{in_quotes(name)} matched {len(each)} people: give an id" for name, each in found.items() if len(each) > 1
    ]
    if lost or len({each[0] for each in found.values()}) == 1:
        return lost
    one, other = pair
    return [f"{in_quotes(one)} and {in_quotes(other)} stay two people: accounts are joined when they are first seen"]


def _wanted(rows: Rows, account: Account, said: int) -> Handle:
    found = person_of(rows, account.platform, account.id)
    unwanted = is_unwelcome(rows, account, said)
    return NOBODY if unwanted or found is None else found.row.person
