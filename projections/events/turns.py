"""A turn: the assistant answered a message, and the answer arrived, or was taken away again."""

from typing import ClassVar, Literal

from projections.events.event import Event
from projections.events.values import (
    Audience,
    FileDigest,
    ItemUse,
    LeftOut,
    Limits,
    ModelUse,
    NearUse,
    PassageUse,
    Span,
)
from projections.ids import EventId, Handle, Ref

ToolOutcome = Literal["written", "known", "refused", "found", "failed"]
"""What came of a call: an item was written; nothing, as it was there already; it was refused; something was looked for;
the call itself was wrong, or could not be made.
"""


class TurnAnswered(Event, frozen=True, kw_only=True):
    """An answer, recorded before it is sent. Its causes are everything that stood in the prompt.

    `policy` is what chose that: scoring, assembling and compartments, with their versions. `context_digest` is SHA-256
    of the prompt's text, so that one that is made again can be held against it. `besides` are the compartments that it
    was open to by what only the platform knew then. `passages` are what was found of earlier conversations and stood in
    the prompt, best first. Where things were looked for by their meaning too, `encoder` is whose vectors were compared,
    and `nearest` is whatever counted for being near: by these a prompt is made again without asking an encoder. Where
    things were looked for and words alone decided, or only a part could be compared, `left_out` says why.
    """

    TAG: ClassVar[str] = "turn.answered"
    session: str
    place: Ref
    audience: Audience
    era: int
    asker: Handle
    answers: EventId
    text: str
    call: ModelUse
    limits: Limits
    nonce: str = ""
    guild: Ref | None = None
    spans: tuple[Span, ...] = ()
    items: tuple[ItemUse, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    files: tuple[FileDigest, ...] = ()
    assistant: str = ""
    policy: str = ""
    context_digest: bytes = b""
    besides: tuple[str, ...] = ()
    passages: tuple[PassageUse, ...] = ()
    encoder: str = ""
    nearest: tuple[NearUse, ...] = ()


class TurnFailed(Event, frozen=True, kw_only=True):
    """A message that got no answer: the model could not be asked, or a limit was reached. Nobody asks again by itself.

    `error` says why; `told` is what the person was told instead, which is no answer and stands in no window.
    """

    TAG: ClassVar[str] = "turn.failed"
    session: str
    place: Ref
    audience: Audience
    era: int
    asker: Handle
    answers: EventId
    error: str
    call: ModelUse
    told: str = ""


class TurnInterrupted(Event, frozen=True, kw_only=True):
    """An answer was broken off, because the program ended; `call` is what it had taken by then. The question is open,
    and answered at the next chance.
    """

    TAG: ClassVar[str] = "turn.interrupted"
    session: str
    audience: Audience
    era: int
    asker: Handle
    answers: EventId
    call: ModelUse


class TurnDelivered(Event, frozen=True, kw_only=True):
    """The answer arrived, as these messages."""

    TAG: ClassVar[str] = "turn.delivered"
    turn: EventId
    session: str
    audience: Audience
    era: int
    asker: Handle
    messages: tuple[Ref, ...] = ()


class TurnWithdrawn(Event, frozen=True, kw_only=True):
    """An answer is taken away, whole: a message as which it arrived was deleted on its platform, or somebody (`by`)
    took it back, or a rule did.

    The row's key: session, audience, the turn's own `turn_said` and id. `call` is what the answer took, which is spent
    whatever becomes of its words. `policy` says by which rule it went with a message that was taken back.
    """

    TAG: ClassVar[str] = "turn.withdrawn"
    turn: EventId
    session: str
    audience: Audience
    era: int
    asker: Handle
    turn_said: int
    call: ModelUse
    policy: str = ""


class TurnQuieted(Event, frozen=True, kw_only=True):
    """An answer left recall as it was given: something stood in its prompt that had left with what a person took back,
    or that itself, so it may repeat it. So did what the assistant itself said, where an import brought it.

    Its causes are what took that back, and the answer, which `quiet` lists as `item.forgotten` does.
    """

    TAG: ClassVar[str] = "turn.quieted"
    session: str
    audience: Audience
    era: int
    asker: Handle
    quiet: tuple[EventId, ...]
    policy: str = ""


class ToolCalled(Event, frozen=True, kw_only=True):
    """The model that answers a message called a tool (`by`), before it answered. The message is its first cause.

    `tool` and `input` are as the model gave them, `number` says which call of the answer it was, from 1. `reason` is
    what it was told where nothing was done. `items` were written, or found; `found` are the other events whose words it
    was shown.

    `compartment` is set where the call noted down the asker's own words and nothing else: then it is as theirs as what
    it wrote. Else everything that the model had before it is a cause, and the call lies where the answer does.
    """

    TAG: ClassVar[str] = "tool.called"
    session: str
    place: Ref
    audience: Audience
    era: int
    asker: Handle
    answers: EventId
    tool: str
    input: str
    outcome: ToolOutcome
    number: int = 1
    guild: Ref | None = None
    compartment: str = ""
    reason: str = ""
    items: tuple[ItemUse, ...] = ()
    found: tuple[EventId, ...] = ()
    besides: tuple[str, ...] = ()
