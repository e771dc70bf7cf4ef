"""The rolling summary of a session."""

from typing import ClassVar

from projections.events.event import Event
from projections.events.values import Audience, Intent, ModelUse
from projections.ids import EventId, Handle, Point


class SummaryEvent(Event, frozen=True, kw_only=True):
    """`audience` and `era` say where it belongs; `person` is set in a DM. `policy` is what set it off: the cadence with
    its version, or `on request`.
    """

    session: str
    audience: Audience
    era: int
    person: Handle = Handle(b"")
    policy: str = ""


class SummaryRefreshed(SummaryEvent, frozen=True, kw_only=True):
    """A new text that covers what was said after `after` up to `upto`. `refresh` counts within the era, from 1.

    `cut` says that the model's text was over its limit even after a second try and was cut hard. `floor` is how far the
    last reset reached: nothing said until then comes back, in a later era neither. `left_out` says why sentences of the
    model's text are not in it, one reason each.
    """

    TAG: ClassVar[str] = "summary.refreshed"
    text: str
    refresh: int
    after: Point | None
    upto: Point
    covered: int
    call: ModelUse
    previous: EventId | None = None
    cut: bool = False
    floor: Point | None = None
    left_out: tuple[str, ...] = ()


class SummaryFailed(SummaryEvent, frozen=True, kw_only=True):
    """The model could not be asked, or its reply could not be used. The old summary and its date stay."""

    TAG: ClassVar[str] = "summary.failed"
    error: str
    after: Point | None
    upto: Point
    call: ModelUse


class SummaryWithheld(SummaryEvent, frozen=True, kw_only=True):
    """Something that the summary covered was taken back: nothing is told of it until it is made anew, which the next
    refresh does. `upto` is how far it had come, `floor` as in `summary.refreshed`. It holds nobody's words, and lies
    under no era's key: ahead of an event that puts an older summary out of force, it keeps that one out.
    """

    TAG: ClassVar[str] = "summary.withheld"
    refresh: int
    upto: Point | None
    floor: Point | None = None


class SummaryReverted(SummaryEvent, frozen=True, kw_only=True):
    """What the events `undoes` had made of a summary is undone: it says again what it said when it was `made` (ms).
    `gone`: before them there was none. The other fields are those that the rows had; `tried` and `error` tell of the
    last attempt.
    """

    TAG: ClassVar[str] = "summary.reverted"
    text: str
    refresh: int
    upto: Point | None
    covered: int
    model: str
    made: int
    undoes: tuple[EventId, ...] = ()
    floor: Point | None = None
    tried: Point | None = None
    error: str = ""
    gone: bool = False


class SummaryReset(SummaryEvent, frozen=True, kw_only=True):
    """A person cleared the summary. What was said until `upto` does not come back into the next one."""

    TAG: ClassVar[str] = "summary.reset"
    upto: Point | None
    intent: Intent | None = None
