"""What every event has in common."""

from typing import ClassVar

import msgspec

from projections.events.values import By
from projections.ids import EventId


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A past-tense fact. `said` is ms since 1970; `causes` are the ids of everything it rests on.

    `said` is when a person or the assistant said it; for what is derived, the latest `said` among the causes.
    TAG and VERSION stand in the header. A changed field list is a new VERSION with the old struct kept beside it.

    An event refers to nothing that could refer to it, nor do the values in it or the rows that are made of it: the
    collector of garbage need not look at them (`gc`), of which there are many thousands.
    """

    TAG: ClassVar[str]
    VERSION: ClassVar[int] = 1

    said: int
    by: By
    causes: tuple[EventId, ...] = ()
