"""What models were asked and what they replied, recorded before anything is decided from it."""

from typing import ClassVar, Literal

from projections.events.event import Event
from projections.events.summaries import SummaryEvent
from projections.events.values import Audience, ModelUse
from projections.ids import NOBODY, EventId, Handle, Point

Asked = Literal["extraction", "merge", "reflection", "summary"]
"""For what a model was asked, where its reply is kept."""


class WorkEvent(Event, frozen=True, kw_only=True):
    """A model's work for one person and compartment, over the messages `inputs` after `after` up to `upto`.

    `policy` is what set it off: the cadence with its version, or `on request`.
    """

    owner: Handle
    compartment: str
    after: Point | None
    upto: Point
    call: ModelUse
    inputs: tuple[EventId, ...] = ()
    policy: str = ""


class ExtractionAnswered(WorkEvent, frozen=True, kw_only=True):
    """The raw reply of an extraction."""

    TAG: ClassVar[str] = "extraction.answered"
    reply: str


class ExtractionReplied(WorkEvent, frozen=True, kw_only=True):
    """The raw reply of an extraction that waits, since it is made anew or an encoder is asked: by it nothing counts as
    read or spent, and `extraction.answered` says it again when it is decided from.
    """

    TAG: ClassVar[str] = "extraction.replied"
    reply: str


class ExtractionFailed(WorkEvent, frozen=True, kw_only=True):
    """An extraction that changed nothing: `error` says why, `reply` keeps what the model said, if anything."""

    TAG: ClassVar[str] = "extraction.failed"
    error: str
    reply: str = ""


class MergeAnswered(WorkEvent, frozen=True, kw_only=True):
    """The raw reply about two close items."""

    TAG: ClassVar[str] = "merge.answered"
    reply: str


class MergeReplied(WorkEvent, frozen=True, kw_only=True):
    """The raw reply about two close items that waits, since it is asked for anew or an encoder is asked: by it nothing
    counts as spent, and `merge.answered` says it again when it is decided from.
    """

    TAG: ClassVar[str] = "merge.replied"
    reply: str


class MergeFailed(WorkEvent, frozen=True, kw_only=True):
    """A merge that changed nothing: both items stand. `error` says why, `reply` keeps what the model said, if
    anything.
    """

    TAG: ClassVar[str] = "merge.failed"
    error: str
    reply: str = ""


class ReflectionAnswered(WorkEvent, frozen=True, kw_only=True):
    """The raw reply of a reflection over a session that went quiet."""

    TAG: ClassVar[str] = "reflection.answered"
    reply: str


class SummaryAnswered(SummaryEvent, frozen=True, kw_only=True):
    """The raw reply of a summary refresh. Behind it, in the same decision, stands what came of it; one that is too long
    stands alone until a shorter one, of which it is the cause, has come.
    """

    TAG: ClassVar[str] = "summary.answered"
    after: Point | None
    upto: Point
    reply: str
    call: ModelUse


class ReplyWithdrawn(Event, frozen=True, kw_only=True):
    """The raw reply of a model lost its body, because something that it was shown was taken back.

    What stays is what it was asked for and what it took: `at` is when the reply was recorded (ms), `failed` whether
    nothing came of it. An extraction's `inputs` are what it read and is not read again. `upto` is set where it is this
    extraction that says how far its compartment was read, `tried` where it is the last that was tried there.

    `owner` and `compartment` are those of an extraction, a merge or a reflection; `session`, `audience`, `era` and
    `person` those of a summary.
    """

    TAG: ClassVar[str] = "reply.withdrawn"
    reply: EventId
    work: Asked
    call: ModelUse
    at: int
    failed: bool = False
    owner: Handle = NOBODY
    compartment: str = ""
    inputs: tuple[EventId, ...] = ()
    upto: Point | None = None
    tried: Point | None = None
    session: str = ""
    audience: Audience | None = None
    era: int = 0
    person: Handle = NOBODY
