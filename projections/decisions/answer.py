"""Turns: an answer is recorded before it is sent, and its delivery after. A question is answered once, or fails."""

from typing import NamedTuple

import msgspec

from projections import retrieval
from projections.context import Context
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import TurnAnswered, TurnDelivered, TurnFailed, TurnInterrupted
from projections.events.values import PLATFORM, Audience, By, FileDigest, Limits, ModelUse
from projections.ids import EventId, Handle, Identity, Point, Ref
from projections.policies import compartments
from projections.policies.text import whole
from projections.rows import Rows
from projections.summaries import era_of
from projections.window import without_names

POLICY = f"{retrieval.VERSION} context@2 {compartments.VERSION}"
"""What chose that which stood in the prompt: scoring, assembling (`projections.context`), compartments."""


class AnswerRequest(NamedTuple):
    """An answer to the message at `question`, made from `context`. `said` is when it was finished, in ms."""

    question: Point
    session: str
    place: Ref
    audience: Audience
    guild: Ref | None
    asker: Handle
    text: str
    context: Context
    call: ModelUse
    limits: Limits
    said: int
    assistant: str
    files: tuple[FileDigest, ...] = ()
    besides: tuple[str, ...] = ()


class FailTurnRequest(NamedTuple):
    """The message at `question` got no answer. `error` says why, `told` what the asker was told instead; `call` has an
    empty model where none was asked. `said` is when it was given up, in ms.
    """

    question: Point
    session: str
    place: Ref
    audience: Audience
    asker: Handle
    error: str
    call: ModelUse
    said: int
    told: str = ""


class InterruptRequest(NamedTuple):
    """The answer to the message at `question` was broken off at `said` (ms), and `call` is what it took until then."""

    question: Point
    session: str
    audience: Audience
    asker: Handle
    call: ModelUse
    said: int


class DeliverRequest(NamedTuple):
    """An answer arrived as these messages."""

    turn: EventId
    session: str
    audience: Audience
    era: int
    asker: Handle
    messages: tuple[Ref, ...]
    said: int


def turn_origin(question: Point) -> Origin:
    """What a turn's id is made from: the question, so that there is one answer to it."""
    return Origin(Identity("dnam", "turn", question.id.hex(), "answered", question.said))


def answer(rows: Rows, request: AnswerRequest) -> list[Draft]:
    """The turn; nothing when this question was answered before. Of one by DM to somebody of whom nothing is kept, what
    it took and no more.

    It lies in the vault of those whose words it draws on, so the name of somebody who was merely mentioned is a span of
    it, and no part of its text.
    """
    origin = turn_origin(request.question)
    if decided_before(rows, origin):
        return []
    if _is_nobodys(request):
        request = _without_words(request)
    minter = Minter(rows, origin)
    turn = minter.next()
    text, spans = without_names(whole(request.text), request.context.mentioned)
    event = TurnAnswered(
        said=max(request.said, request.question.said + 1),
        by=By("model", name=request.call.model, version=request.call.version),
        causes=request.context.causes,
        session=request.session,
        place=request.place,
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=request.question.id,
        text=text,
        call=request.call,
        limits=request.limits,
        nonce=turn.hex()[-25:],
        guild=request.guild,
        spans=spans,
        items=request.context.items,
        left_out=request.context.left_out,
        files=request.files,
        assistant=request.assistant,
        policy=POLICY,
        context_digest=request.context.digest,
        besides=request.besides,
    )
    return [Draft(turn, event, natural=True)]


def fail_turn(rows: Rows, request: FailTurnRequest) -> list[Draft]:
    """The failure, so that the question is not asked of a model again by itself; nothing when it was answered, or has
    failed before.

    Its cause is the question alone: nothing that stood in the prompt came of it.
    """
    question = request.question
    origin = Origin(Identity("dnam", "turn", question.id.hex(), "failed", question.said))
    answered = decided_before(rows, turn_origin(question))
    if answered or decided_before(rows, origin):
        return []
    event = TurnFailed(
        said=max(request.said, question.said + 1),
        by=PLATFORM,
        causes=_known(rows, question),
        session=request.session,
        place=request.place,
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=question.id,
        error=whole(request.error),
        call=request.call,
        told=request.told,
    )
    return [Minter(rows, origin).draft(event)]


def interrupt_turn(rows: Rows, request: InterruptRequest) -> list[Draft]:
    """What was spent for nothing, once for each time; the question is as open as before."""
    question = request.question
    origin = Origin(Identity("dnam", "turn", question.id.hex(), f"interrupted {request.said}", question.said))
    if decided_before(rows, origin):
        return []
    event = TurnInterrupted(
        said=max(request.said, question.said + 1),
        by=PLATFORM,
        causes=_known(rows, question),
        session=request.session,
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=question.id,
        call=request.call,
    )
    return [Minter(rows, origin).draft(event)]


def _known(rows: Rows, question: Point) -> tuple[EventId, ...]:
    """The question as a cause, where it is recorded."""
    return (question.id,) if rows.ids.status(question.id) in ("known", "redacted") else ()


def deliver(rows: Rows, request: DeliverRequest) -> list[Draft]:
    """The delivery; nothing when it was recorded before, or its turn was not."""
    origin = Origin(Identity("dnam", "turn", request.turn.hex(), "delivered", request.said))
    if decided_before(rows, origin) or _is_nobodys(request):
        return []
    event = TurnDelivered(
        said=request.said,
        by=PLATFORM,
        causes=(request.turn,),
        turn=request.turn,
        session=request.session,
        audience=request.audience,
        era=request.era,
        asker=request.asker,
        messages=request.messages,
    )
    return [Minter(rows, origin).draft(event)]


def _without_words(request: AnswerRequest) -> AnswerRequest:
    """The answer without a word of it or of what it was made from."""
    call = msgspec.structs.replace(request.call, prompt_digest=b"")
    bare = request.context._replace(causes=(), items=(), left_out=(), digest=b"", mentioned={})
    return request._replace(text="", context=bare, call=call)


def _is_nobodys(request: AnswerRequest | DeliverRequest) -> bool:
    """A DM without its person: all who opted out share it."""
    return request.audience.kind == "direct" and not request.asker
