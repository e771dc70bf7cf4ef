"""Consent and forgetting. These bodies are stored unsealed, so they hold ids, keyed hashes and times, and no word of
anybody.
"""

from typing import ClassVar

from projections.events.event import Event
from projections.events.values import Gap
from projections.ids import EventId, VaultId


class PersonOptedOut(Event, frozen=True, kw_only=True):
    """Nothing of theirs is recorded from here on. `hashes` are keyed hashes of their platform ids."""

    TAG: ClassVar[str] = "person.opted_out"
    hashes: tuple[bytes, ...]


class PersonOptedIn(Event, frozen=True, kw_only=True):
    """They may be recorded again."""

    TAG: ClassVar[str] = "person.opted_in"
    hashes: tuple[bytes, ...]


class PersonErased(Event, frozen=True, kw_only=True):
    """Every key that lists the person is destroyed. Nothing said up to `until` (ms) comes back by an import."""

    TAG: ClassVar[str] = "person.erased"
    vaults: tuple[VaultId, ...]
    hashes: tuple[bytes, ...]
    until: int


class ErasureCompleted(Event, frozen=True, kw_only=True):
    """Everything that was built from the erased bodies has been built anew."""

    TAG: ClassVar[str] = "erasure.completed"
    erased: EventId


class MessageRedacted(Event, frozen=True, kw_only=True):
    """The bodies of these events are dropped in the commit that records this. `gaps` is what they had rested on, as far
    as that may still be taken back: what came of it by way of them goes with it then.
    """

    TAG: ClassVar[str] = "message.redacted"
    events: tuple[EventId, ...]
    gaps: tuple[Gap, ...] = ()
