"""What adopting a shadow would leave as it is, and why: for whoever shows the difference. It is asked of what adopts.

in the difference                             what stands against it
───────────────────────────────────────────   ──────────────────────────────────────────────────────────────────
an item that would be taken over              nothing
one that would be left as it is               the reason that `dnam adopt` has for it
one of which nothing would be recorded        what of it can be taken over is here
a summary that only the live memory has       nothing takes its place: what it tells was not read, or there was
                                              nothing left to make one of. To clear it is a person's to decide
"""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from dnam.adoption.adopting import EVERYTHING
from dnam.shadows.source import Both, Source
from projections.decisions.adopt import planned
from projections.decisions.adopt_summary import AdoptSummaryRequest, against
from projections.decisions.adopted import next_adoption
from projections.ids import Handle
from projections.items import ItemRow
from projections.messages import unit
from projections.policies.capacity import address
from projections.rederiving.pairs import Address, Pair, SummaryPair

ALL_HERE = "what of it can be taken over is here already"
ALONE = "the shadow has no summary there, and nothing takes its place"
Where = tuple[Address | None, Address | None]
"""Where the items of a pair lie."""


class OfOwner(NamedTuple):
    """What a shadow has of an owner that can be compared, and why adopting leaves pairs of it as they are: empty of
    what it would take over.
    """

    items: tuple[ItemRow, ...]
    reasons: Mapping[Where, str]

    def against(self, pair: Pair) -> str:
        """Why adopting would leave a differing pair as it is; empty where it would not."""
        return self.reasons.get(_where(pair), ALL_HERE)


class Verdicts:
    """Those of an adoption of a shadow, as both memories are now."""

    def __init__(self, source: Source, both: Both) -> None:
        self._source = source
        self._both = both
        made = source.rederived
        self._adoption = next_adoption(both.live, made.shadow, made.made)

    def of_owner(self, owner: Handle) -> OfOwner:
        """Of one owner's items."""
        request = self._source.request(self._both, self._adoption, owner)
        plan = planned(self._both.live, request, EVERYTHING)
        taken = {_where(pair): "" for part in plan.parts for pair in part.pairs}
        return OfOwner(request.items, {**taken, **{_where(left.pair): left.reason for left in plan.left}})

    def of_summary(self, pair: SummaryPair) -> str:
        """Why adopting would leave a session's summary as it is, where it differs."""
        request = self._summaries.get(pair.key)
        if request is not None:
            return against(self._both.live, request)
        return ALONE if pair.new is None else ALL_HERE

    @cached_property
    def _summaries(self) -> dict[bytes, AdoptSummaryRequest]:
        found = self._source.summaries(self._both, self._adoption)
        return {unit(each.made.session, each.made.audience.epoch): each for each in found}


def _where(pair: Pair) -> Where:
    old, new = (None if row is None else address(row.item) for row in (pair.old, pair.new))
    return old, new
