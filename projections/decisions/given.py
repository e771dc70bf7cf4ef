"""What an event brings with it that was recorded before: it comes back from an export, and nothing is decided anew."""

from typing import ClassVar, Literal, NamedTuple

from projections.events.event import Event
from projections.events.values import OPERATOR
from projections.ids import Handle, VaultId

VaultKind = Literal["set", "era", "labelled"]


class GivenVault(NamedTuple):
    """A vault of another log, without its key: what it is found by here, and whose words it holds."""

    id: VaultId
    kind: VaultKind
    label: bytes
    people: frozenset[Handle]


class Given(NamedTuple):
    """When (ms) an event was recorded first, and which vault sealed it. Without `ring` the vault was erased."""

    at: int
    vault: VaultId
    ring: GivenVault | None = None


class Lost(Event, frozen=True, kw_only=True):
    """An event whose words are gone. No projection sees it and nothing of it is stored but its header, so that what is
    heard again is known, and what rests on it has something to rest on.
    """

    TAG: ClassVar[str] = ""
    tag: str
    version: int


def lost(tag: str, version: int) -> Lost:
    """What is left of an event of this tag and version."""
    return Lost(said=0, by=OPERATOR, tag=tag, version=version)
