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
    ItemClosed,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
)
from projections.events.people import NoticeGiven, PersonNoted, PersonRenamed, PersonSeen, SnapshotPosted
from projections.events.settings import ConfigSet
from projections.events.summaries import (
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
)
from projections.events.turns import (
    ToolCalled,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
    TurnInterrupted,
    TurnQuieted,
    TurnWithdrawn,
)
from projections.events.upkeep import (
    ImportBegan,
    ImportEnded,
    JobFailed,
    ModelResolved,
    RederivationAdopted,
    TextsEncoded,
)
from projections.events.work import (
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    ReflectionAnswered,
    ReplyWithdrawn,
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
    TurnInterrupted,
    TurnDelivered,
    TurnWithdrawn,
    TurnQuieted,
    ToolCalled,
    ItemRemembered,
    ItemUpserted,
    ItemDeprecated,
    ItemMerged,
    ItemEvicted,
    ItemForgotten,
    ItemRestored,
    ItemMoved,
    ItemRedacted,
    ItemWithdrawn,
    ItemReverted,
    ItemRefused,
    SummaryRefreshed,
    SummaryFailed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
    SummaryAnswered,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    ReflectionAnswered,
    ReplyWithdrawn,
    PersonSeen,
    PersonRenamed,
    PersonNoted,
    NoticeGiven,
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
    TextsEncoded,
    RederivationAdopted,
    JobFailed,
    ItemClosed,
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
RESERVED_TAGS = frozenset({"person.noted", "reflection.answered"})
"""Tags of events that nothing writes yet, and that are read and folded all the same."""

__all__ = [
    "EVENTS",
    "OLD",
    "RESERVED_TAGS",
    "UNSEALED_TAGS",
    "ConfigSet",
    "ErasureCompleted",
    "Event",
    "ExtractionAnswered",
    "ExtractionFailed",
    "ExtractionReplied",
    "ImportBegan",
    "ImportEnded",
    "ItemClosed",
    "ItemDeprecated",
    "ItemEvent",
    "ItemEvicted",
    "ItemForgotten",
    "ItemMerged",
    "ItemMoved",
    "ItemRedacted",
    "ItemRefused",
    "ItemRemembered",
    "ItemRestored",
    "ItemReverted",
    "ItemUpserted",
    "ItemWithdrawn",
    "JobFailed",
    "Lift",
    "MergeAnswered",
    "MergeFailed",
    "MergeReplied",
    "MessageDeleted",
    "MessageEdited",
    "MessageHeard",
    "MessageRedacted",
    "ModelResolved",
    "NoticeGiven",
    "PersonErased",
    "PersonNoted",
    "PersonOptedIn",
    "PersonOptedOut",
    "PersonRenamed",
    "PersonSeen",
    "PlaceAudienceChanged",
    "PlaceDescribed",
    "RederivationAdopted",
    "ReflectionAnswered",
    "ReplyWithdrawn",
    "SnapshotPosted",
    "SummaryAnswered",
    "SummaryFailed",
    "SummaryRefreshed",
    "SummaryReset",
    "SummaryReverted",
    "SummaryWithheld",
    "TextsEncoded",
    "ToolCalled",
    "TurnAnswered",
    "TurnDelivered",
    "TurnFailed",
    "TurnInterrupted",
    "TurnQuieted",
    "TurnWithdrawn",
]
