"""Taking over a shadow, for whoever asks: what it would change, doing it person by person, and making it count.

look     one look at both memories: what would be taken, of whom, and what is left as it is, with the reason
take     a decision for each owner and each session, made anew from what is there by then. Broken off at any point, it
         goes on by being started again: nothing is recorded twice
count    one last event, in the clear, which says what was taken over and makes it count

The memory may be in use meanwhile, by this process or another: these are decisions like any other.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

from dnam.adopted import Taken, counted
from dnam.loops.loop import Compare, Comparing, by_words_alone
from dnam.shadow_source import Both, Source, owners_of
from projections.decisions.adopt import Left, Part, Plan, addresses, planned
from projections.decisions.adopt_pairs import AdoptRequest
from projections.decisions.adopt_summary import AdoptSummaryRequest, adopt_summary, against, is_other
from projections.decisions.adopted import Act, adoption, of_owner
from projections.decisions.draft import Draft
from projections.ids import Handle
from projections.items import forgotten_of
from projections.rows import Rows
from projections.shadow_pairs import Address
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
    """What an adoption would change. `goes_on`: part of it was recorded before it broke off."""

    act: Act
    people: tuple[OfOwner, ...]
    sessions: tuple[OfSession, ...]
    goes_on: bool

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
            act, owners = self._act(both.live), self._owners(both)
            goes_on = any(act.decisions(both.live, each) for each in self._whose(both, act))
            sessions = self._sessions(both, act)
        people: list[OfOwner] = []
        for done, owner in enumerate(owners):
            progress(done, len(owners))
            with self._source.both() as both:
                plan = planned(both.live, self._source.request(both, act, owner), EVERYTHING)
            people.append(OfOwner(owner, tuple(plan.parts), tuple(plan.left)))
        return Offer(act, tuple(each for each in people if each.parts or each.left), tuple(sessions), goes_on)

    def _act(self, live: Rows) -> Act:
        made = self._source.rederived
        return adoption(live, made.shadow, made.made)

    def _owners(self, both: Both) -> list[Handle]:
        owners = sorted({*owners_of(both.live), *owners_of(both.shadow)})
        return [each for each in owners if self._people is None or each in self._people]

    def _whose(self, both: Both, act: Act) -> list[bytes]:
        """For whom anything may have been recorded before it broke off: for anybody, whoever is wanted now."""
        owners = {*owners_of(both.live), *owners_of(both.shadow)}
        sessions = (each.whose for each in self._source.summaries(both, act))
        return [*map(of_owner, sorted(owners)), *sessions]

    def _sessions(self, both: Both, act: Act) -> list[OfSession]:
        wanted = (each for each in self._source.summaries(both, act) if self._is_wanted(each))
        return [_offered(both.live, each) for each in wanted if is_other(both.live, each.made)]

    def _is_wanted(self, request: AdoptSummaryRequest) -> bool:
        """Of one person's sessions only their direct messages are theirs alone."""
        return self._people is None or request.made.person in self._people

    # -- doing it ----------------------------------------------------------------------------------------------------

    async def adopt(self, chosen: Chosen | None = None, progress: Progress = silent) -> Taken:
        """Take over what is chosen of what differs by now, and make it count."""
        chosen = chosen or Chosen()
        act, owners, sessions = await asyncio.to_thread(self._wanted, chosen)
        total = len(owners) + len(sessions)
        for done, owner in enumerate(owners):
            progress(done, total)
            request = await asyncio.to_thread(self._request, act, owner, chosen)
            await self._take(await self._measured(request))
        for done, session in enumerate(sessions, len(owners)):
            progress(done, total)
            await self._sum_up(session)
        progress(total, total)
        return await self._count(act)

    def _wanted(self, chosen: Chosen) -> tuple[Act, list[Handle], list[AdoptSummaryRequest]]:
        with self._source.both() as both:
            act = self._act(both.live)
            owners = [each for each in self._owners(both) if chosen.items is None or chosen.items.get(each)]
            found = (each for each in self._source.summaries(both, act) if self._is_wanted(each))
            return act, owners, [each for each in found if chosen.sessions is None or each.whose in chosen.sessions]

    def _request(self, act: Act, owner: Handle, chosen: Chosen) -> AdoptRequest:
        with self._source.both() as both:
            return self._source.request(both, act, owner)._replace(chosen=chosen.of(owner))

    async def _measured(self, request: AdoptRequest) -> AdoptRequest:
        """With how near what comes is to what was taken back, where there is an encoder."""

        def texts(rows: Rows) -> list[str]:
            news = [row.item.text for row in request.items if row.item.status == "active"]
            return [*news, *(each.row.text for each in forgotten_of(rows, request.owner))]

        found = await self._compare(Compare(texts, request.owner))
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

    async def _count(self, act: Act) -> Taken:
        return await counted(self._memory, self._source.rederived, act)


def choosing(offer: Offer, groups: frozenset[str], sessions: frozenset[bytes]) -> Chosen:
    """What of an offer is to be taken: groups by their keys, and sessions."""
    items: dict[Handle, frozenset[Address]] = {}
    for each in offer.people:
        wanted = (part.group for part in each.parts if part.group.key in groups)
        items[each.owner] = frozenset(address for group in wanted for address in addresses(group))
    return Chosen(items, sessions)


def _offered(live: Rows, request: AdoptSummaryRequest) -> OfSession:
    found = find_summary(live, request.made.session, request.made.audience.epoch)
    return OfSession(request, "" if found is None else found.row.text, against(live, request))
