"""Dynamic configuration, by scope."""

from typing import ClassVar

from projections.events.event import Event
from projections.ids import NOBODY, Handle


class ConfigSet(Event, frozen=True, kw_only=True):
    """A setting for a scope: `global`, `guild/…`, `channel/…` or `person/…` (then `person` is set). None unsets it."""

    TAG: ClassVar[str] = "config.set"
    scope: str
    key: str
    value: str | None
    person: Handle = NOBODY
