"""Taking over a shadow, for whoever asks: what it would change, doing it person by person, and making it count.

look     one look at both memories: what would be taken, of whom, and what is left as it is, with the reason
take     a decision for each owner and each session, made anew from what is there by then. Broken off at any point, it
         goes on by being started again: nothing is recorded twice
count    one last event, in the clear, which says what was taken over and makes it count

The memory may be in use meanwhile, by this process or another: these are decisions like any other.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from dnam.adoption.adopted import Taken, counted, touched_by
from dnam.loops.loop import Compare, Comparing, by_words_alone
from dnam.shadows.source import Both, Source, owners_of
from projections.decisions.adopt import Left, Part, Plan, addresses, planned
from projections.decisions.adopt_pairs import AdoptRequest
from projections.decisions.adopt_summary import AdoptSummaryRequest, adopt_summary, against, is_other
from projections.decisions.adopted import Adoption, next_adoption, of_owner, of_session
from projections.decisions.draft import Draft
from projections.ids import NOBODY, Handle
from projections.items import forgotten_of, items_of
from projections.lives import Address as Placed
from projections.lives import address_of
from projections.rederiving.pairs import Address, Pair, compare
from projections.rows import Rows
from projections.summaries import find_summary
from replay.builder import silent
from replay.errors import ErasedMeanwhile

Progress = Callable[[int, int], None]


EVERYTHING = 1 << 30
"""How many events a look has room for."""


class OfOwner(NamedTuple):
    """What would be taken of one owner, NOBODY for what is nobody's."""

    owner: Handle
    parts: tuple[Part, ...]
    left: tuple[Left, ...]


class OfSession(NamedTuple):
    """A summary that would be taken, and the text that it takes the place of; `reason` says why it would not."""

    request: AdoptSummaryRequest
    before: str
    reason: str = ""

    @property
    def key(self) -> bytes:
        """The session and its epoch."""
        return self.request.whose


class Offer(NamedTuple):
    """What an adoption would change. `goes_on`: part of it was recorded before it broke off. `encoded`: how many
    characters an encoder is sent, where one compares what comes with what was taken back.
    """

    adoption: Adoption
    people: tuple[OfOwner, ...]
    sessions: tuple[OfSession, ...]
    goes_on: bool
    encoded: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be taken."""
        return not any(each.parts for each in self.people) and not any(not each.reason for each in self.sessions)


class Chosen(NamedTuple):
    """What is to be taken: of each owner the addresses of the items, and sessions by their keys; None for all."""

    items: Mapping[Handle, frozenset[Address]] | None = None
    sessions: frozenset[bytes] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is chosen, of anything."""
        return self.items is not None and not any(self.items.values()) and not self.sessions

    def of(self, owner: Handle) -> frozenset[Address] | None:
        """Of one owner's items."""
        return None if self.items is None else self.items.get(owner, frozenset())

    def has(self, session: bytes) -> bool:
        """Whether a session's summary is chosen."""
        return self.sessions is None or session in self.sessions


MEANWHILE = "it changed meanwhile"
"""Why something is not taken over against which nothing else stands."""


class Missed(NamedTuple):
    """What was offered and chosen and is not taken over, an item of an owner or a session's summary, and why."""

    owner: Handle
    name: str
    reason: str


class Adopting:
    """An adoption of a shadow: of everybody, or of these people alone, without what is nobody's or everybody's.
    `compare` is an encoder's, by which what was forgotten is known in other words.
    """

    def __init__(
        self, source: Source, people: frozenset[Handle] | None = None, compare: Comparing = by_words_alone
    ) -> None:
        self._source = source
        self._compare = compare
        self._memory = source.memory
        self._people = people

    # -- what it would change ----------------------------------------------------------------------------------------

    async def look(self, progress: Progress = silent) -> Offer:
        """What would be taken over now."""
        return await asyncio.to_thread(self._look, progress)

    def _look(self, progress: Progress) -> Offer:
        with self._source.both() as both:
            adoption, owners = self._adoption(both.live), self._owners(both)
            goes_on = any(adoption.decisions(both.live, each) for each in self._whose(both, adoption))
            sessions = self._sessions(both, adoption)
        people: list[OfOwner] = []
        encoded = 0
        for done, owner in enumerate(owners):
            progress(done, len(owners))
            with self._source.both() as both:
                request = self._source.request(both, adoption, owner)
                plan = planned(both.live, request, EVERYTHING)
                encoded += sum(map(len, dict.fromkeys(_measured_texts(request, both.live))))
            people.append(OfOwner(owner, tuple(plan.parts), tuple(plan.left)))
        found = tuple(each for each in people if each.parts or each.left)
        return Offer(adoption, found, tuple(sessions), goes_on, encoded)

    def _adoption(self, live: Rows) -> Adoption:
        made = self._source.rederived
        return next_adoption(live, made.shadow, made.made)

    def _owners(self, both: Both) -> list[Handle]:
        owners = sorted({*owners_of(both.live), *owners_of(both.shadow)})
        return [each for each in owners if self._people is None or each in self._people]

    def _whose(self, both: Both, adoption: Adoption) -> list[bytes]:
        """For whom anything may have been recorded before it broke off: for anybody, whoever is wanted now."""
        owners = {*owners_of(both.live), *owners_of(both.shadow)}
        sessions = (each.whose for each in self._source.summaries(both, adoption))
        return [*map(of_owner, sorted(owners)), *sessions]

    def _sessions(self, both: Both, adoption: Adoption) -> list[OfSession]:
        wanted = (each for each in self._source.summaries(both, adoption) if self._is_wanted(each))
        return [_offered(both.live, each) for each in wanted if is_other(both.live, each.made)]

    def _is_wanted(self, request: AdoptSummaryRequest) -> bool:
        """Of one person's sessions only their direct messages are theirs alone."""
        return self._people is None or request.made.person in self._people

    # -- doing it ----------------------------------------------------------------------------------------------------

    async def adopt(self, chosen: Chosen | None = None, progress: Progress = silent) -> Taken:
        """Take over what is chosen of what differs by now, and make it count."""
        chosen = chosen or Chosen()
        adoption, owners, sessions = await asyncio.to_thread(self._wanted, chosen)
        total = len(owners) + len(sessions)
        for done, owner in enumerate(owners):
            progress(done, total)
            request = await asyncio.to_thread(self._request, adoption, owner, chosen)
            await self._take(await self._measured(request))
        for done, session in enumerate(sessions, len(owners)):
            progress(done, total)
            await self._sum_up(session)
        progress(total, total)
        return await self._count(adoption)

    async def missed(self, offer: Offer, chosen: Chosen, taken: Taken) -> list[Missed]:
        """What of an offer was chosen and is not taken over: something stands against it since it was offered."""
        return await asyncio.to_thread(self._missed, offer, chosen, taken)

    def _missed(self, offer: Offer, chosen: Chosen, taken: Taken) -> list[Missed]:
        with self._source.both() as both:
            adoptions = {offer.adoption, offer.adoption._replace(id=taken.event or offer.adoption.id)}
            touched = [touched_by(self._memory.engine, both.live, each) for each in adoptions]
        items = {at for each in touched for found in each.items.values() for at in found}
        keys = {of_session(key) for each in touched for key in each.summaries}
        pairs = [each for each in _pairs(offer, chosen) if items.isdisjoint(_both(each[1]))]
        wanted = (each for each in offer.sessions if not each.reason and chosen.has(each.key))
        sessions = [each for each in wanted if each.key not in keys]
        if not pairs and not sessions:
            return []
        now = self._look(silent)
        why = {at: left.reason for each in now.people for left in each.left for at in _both(left.pair)}
        told = {each.key: each.reason for each in now.sessions if each.reason}
        return [
            *(Missed(owner, pair.row.item.id, _reason(why, pair)) for owner, pair in pairs),
            *(Missed(NOBODY, each.request.made.session, told.get(each.key, MEANWHILE)) for each in sessions),
        ]

    def _wanted(self, chosen: Chosen) -> tuple[Adoption, list[Handle], list[AdoptSummaryRequest]]:
        with self._source.both() as both:
            adoption = self._adoption(both.live)
            owners = [each for each in self._owners(both) if chosen.items is None or chosen.items.get(each)]
            found = (each for each in self._source.summaries(both, adoption) if self._is_wanted(each))
            sessions = [each for each in found if chosen.has(each.whose)]
            return adoption, owners, sessions

    def _request(self, adoption: Adoption, owner: Handle, chosen: Chosen) -> AdoptRequest:
        with self._source.both() as both:
            return self._source.request(both, adoption, owner)._replace(chosen=chosen.of(owner))

    async def _measured(self, request: AdoptRequest) -> AdoptRequest:
        """With how near what comes is to what was taken back, where there is an encoder."""
        found = await self._compare(Compare(partial(_measured_texts, request), request.owner))
        return request._replace(measure=found.measure)

    async def _take(self, request: AdoptRequest) -> None:
        """One owner's, in as many decisions as it takes. Nothing of whoever was erased meanwhile."""
        plans: list[Plan] = []

        def decide(rows: Rows) -> list[Draft]:
            plans.append(planned(rows, request))
            return plans[-1].drafts

        try:
            while not plans or plans[-1].more:
                await self._memory.record(decide)
        except ErasedMeanwhile:
            return

    async def _sum_up(self, request: AdoptSummaryRequest) -> None:
        try:
            await self._memory.record(lambda rows: adopt_summary(rows, request))
        except ErasedMeanwhile:
            return

    async def _count(self, adoption: Adoption) -> Taken:
        return await counted(self._memory, self._source.rederived, adoption)


def choosing(offer: Offer, groups: frozenset[str], sessions: frozenset[bytes]) -> Chosen:
    """What of an offer is to be taken: groups by their keys, and sessions."""
    items: dict[Handle, frozenset[Address]] = {}
    for each in offer.people:
        wanted = (part.group for part in each.parts if part.group.key in groups)
        items[each.owner] = frozenset(address for group in wanted for address in addresses(group))
    return Chosen(items, sessions)


def _pairs(offer: Offer, chosen: Chosen) -> Iterator[tuple[Handle, Pair]]:
    """The items of an offer that are chosen, by their owners."""
    for person in offer.people:
        wanted = chosen.of(person.owner)
        for part in person.parts:
            if wanted is None or addresses(part.group) <= wanted:
                yield from ((person.owner, pair) for pair in part.pairs)


def _both(pair: Pair) -> list[Placed]:
    """Where an item lies, on either side."""
    return [address_of(row.item) for row in (pair.old, pair.new) if row is not None]


def _reason(why: Mapping[Placed, str], pair: Pair) -> str:
    return next((why[each] for each in _both(pair) if each in why), MEANWHILE)


def _measured_texts(request: AdoptRequest, rows: Rows) -> list[str]:
    """What an encoder is to compare: what comes, and what was taken back; nothing where nothing was. It may be paid."""
    taken_back = [each.row.text for each in forgotten_of(rows, request.owner)]
    if not taken_back:
        return []
    pairs = compare((each.row for each in items_of(rows, request.owner)), request.items)
    return [*(pair.new.item.text for pair in pairs if pair.new is not None and pair.kind != "same"), *taken_back]


def _offered(live: Rows, request: AdoptSummaryRequest) -> OfSession:
    found = find_summary(live, request.made.session, request.made.audience.epoch)
    return OfSession(request, "" if found is None else found.row.text, against(live, request))
