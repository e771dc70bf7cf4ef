"""The vocabulary: every event that a log can hold, by tag and version.

To add one: write the struct in its family's file, list it here, give it to the tests' generator and add a golden
example. To change one: copy the struct under a new VERSION, keep the old in OLD with a function that lifts it.
"""

from collections.abc import Callable
from typing import Any

from projections.events.consent import ErasureCompleted, MessageRedacted, PersonErased, PersonOptedIn, PersonOptedOut
from projections.events.event import Event
from projections.events.heard import MessageDeleted, MessageEdited, MessageHeard, PlaceAudienceChanged, PlaceDescribed
from projections.events.items import (
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemUpserted,
)
from projections.events.people import PersonNoted, PersonRenamed, PersonSeen, SnapshotPosted
from projections.events.settings import ConfigSet
from projections.events.summaries import SummaryFailed, SummaryRefreshed, SummaryReset
from projections.events.turns import TurnAnswered, TurnDelivered, TurnFailed
from projections.events.upkeep import ImportBegan, ImportEnded, JobFailed, ModelResolved
from projections.events.work import (
    ExtractionAnswered,
    ExtractionFailed,
    MergeAnswered,
    MergeFailed,
    ReflectionAnswered,
    SummaryAnswered,
)

EVENTS: tuple[type[Event], ...] = (
    MessageHeard,
    MessageEdited,
    MessageDeleted,
    PlaceDescribed,
    PlaceAudienceChanged,
    TurnAnswered,
    TurnFailed,
    TurnDelivered,
    ItemRemembered,
    ItemUpserted,
    ItemDeprecated,
    ItemMerged,
    ItemEvicted,
    ItemForgotten,
    ItemRestored,
    ItemMoved,
    ItemRefused,
    SummaryRefreshed,
    SummaryFailed,
    SummaryReset,
    SummaryAnswered,
    ExtractionAnswered,
    ExtractionFailed,
    MergeAnswered,
    MergeFailed,
    ReflectionAnswered,
    PersonSeen,
    PersonRenamed,
    PersonNoted,
    SnapshotPosted,
    ConfigSet,
    PersonOptedOut,
    PersonOptedIn,
    PersonErased,
    ErasureCompleted,
    MessageRedacted,
    ImportBegan,
    ImportEnded,
    ModelResolved,
    JobFailed,
)

Lift = Callable[[Any], Event]
OLD: dict[tuple[str, int], tuple[type[Event], Lift]] = {}
"""(tag, version) of an earlier form: its struct, and the function that lifts it to the form of today."""

UNSEALED_TAGS = frozenset(
    {
        "person.opted_out",
        "person.opted_in",
        "person.erased",
        "erasure.completed",
        "message.redacted",
        "rederivation.adopted",
        "mirror.published",
    }
)
"""Tags whose bodies lie in the clear: ids, counts and times, no free text (design §5)."""

__all__ = [
    "EVENTS",
    "OLD",
    "UNSEALED_TAGS",
    "ConfigSet",
    "ErasureCompleted",
    "Event",
    "ExtractionAnswered",
    "ExtractionFailed",
    "ImportBegan",
    "ImportEnded",
    "ItemDeprecated",
    "ItemEvent",
    "ItemEvicted",
    "ItemForgotten",
    "ItemMerged",
    "ItemMoved",
    "ItemRefused",
    "ItemRemembered",
    "ItemRestored",
    "ItemUpserted",
    "JobFailed",
    "Lift",
    "MergeAnswered",
    "MergeFailed",
    "MessageDeleted",
    "MessageEdited",
    "MessageHeard",
    "MessageRedacted",
    "ModelResolved",
    "PersonErased",
    "PersonNoted",
    "PersonOptedIn",
    "PersonOptedOut",
    "PersonRenamed",
    "PersonSeen",
    "PlaceAudienceChanged",
    "PlaceDescribed",
    "ReflectionAnswered",
    "SnapshotPosted",
    "SummaryAnswered",
    "SummaryFailed",
    "SummaryRefreshed",
    "SummaryReset",
    "TurnAnswered",
    "TurnDelivered",
    "TurnFailed",
]
