"""Turns: an answer is recorded before it is sent, and its delivery after. A question is answered once, or fails.

Who opted out between their question and that is nobody from then on: what it took is recorded, and no more.
"""

from typing import NamedTuple, TypeVar

import msgspec

from projections.caller import without_names
from projections.consent import is_out
from projections.context import Context
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.place import PlaceSeen, place_ref, seen_audience, session_of
from projections.decisions.quieted import quieted_turn
from projections.events import TurnAnswered, TurnDelivered, TurnFailed, TurnInterrupted
from projections.events.values import PLATFORM, Audience, By, FileDigest, Limits, ModelUse
from projections.ids import NOBODY, EventId, Handle, Identity, Point, Ref
from projections.policies.text import whole
from projections.rows import Rows
from projections.summaries import era_of
from projections.times import DAY_MS
from projections.turns import answer_identity, last_said, nonce_of

AHEAD_MS = DAY_MS
"""How far the clock of a platform may be ahead of ours. What lies further was said at no such time."""


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


R = TypeVar("R", AnswerRequest, FailTurnRequest, InterruptRequest, DeliverRequest)


def turn_origin(question: Point) -> Origin:
    """What a turn's id is made from: the question, so that there is one answer to it."""
    return Origin(answer_identity(question))


def answer(rows: Rows, request: AnswerRequest) -> list[Draft]:
    """The turn; nothing when this question was answered before. Of one to somebody of whom nothing is kept, what it
    took and no more.

    It lies in the vault of those whose words it draws on, so the name of somebody who was merely mentioned is a span of
    it, and no part of its text.
    """
    origin = turn_origin(request.question)
    if decided_before(rows, origin):
        return []
    kept = _as_kept(rows, request)
    request = kept if kept.asker else _without_words(kept)
    minter = Minter(rows, origin)
    turn = minter.next()
    text, spans = without_names(whole(request.text), request.context.mentioned, _speak(request))
    event = TurnAnswered(
        said=_finished(rows, request),
        by=By("model", name=request.call.model, version=request.call.version),
        causes=request.context.causes,
        session=request.session,
        place=_place(request),
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=request.question.id,
        text=text,
        call=request.call,
        limits=request.limits,
        nonce=nonce_of(turn),
        guild=request.guild,
        spans=spans,
        items=request.context.items,
        left_out=request.context.left_out,
        files=request.files,
        assistant=request.assistant,
        policy=request.context.policy,
        context_digest=request.context.digest,
        besides=request.besides,
        passages=request.context.passages,
        encoder=request.context.encoder,
        nearest=request.context.nearest,
    )
    return [Draft(turn, event, natural=True), *quieted_turn(rows, minter, turn, event)]


def _speak(request: AnswerRequest) -> list[str]:
    """The names of those who speak in the prompt, and of the assistant; "user" is dnam's own word, in front of one."""
    context = request.context
    past = (line for passage in context.past for line in passage.lines)
    return [request.assistant, "user", *(line.name for line in (context.message, *context.window.lines, *past))]


def _finished(rows: Rows, request: AnswerRequest) -> int:
    """When it was finished, in ms: later than all that was said there by now, whatever the clock says. A platform's may
    be ahead of it, and what a summary has read ends with something that was said: it must not end behind an answer that
    is still to come.
    """
    last = last_said(rows, request.session, request.audience.epoch, request.said + AHEAD_MS)
    return max(request.said, request.question.said + 1, (last or 0) + 1)


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
    causes = _causes(rows, request)
    request = _as_kept(rows, request)
    event = TurnFailed(
        said=max(request.said, question.said + 1),
        by=PLATFORM,
        causes=causes,
        session=request.session,
        place=_place(request),
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=question.id,
        error=whole(request.error),
        call=_without_digest(request.call) if not request.asker else request.call,
        told=request.told,
    )
    return [Minter(rows, origin).draft(event)]


def interrupt_turn(rows: Rows, request: InterruptRequest) -> list[Draft]:
    """What was spent for nothing, once for each time; the question is as open as before."""
    question = request.question
    origin = Origin(Identity("dnam", "turn", question.id.hex(), f"interrupted {request.said}", question.said))
    if decided_before(rows, origin):
        return []
    causes = _causes(rows, request)
    request = _as_kept(rows, request)
    event = TurnInterrupted(
        said=max(request.said, question.said + 1),
        by=PLATFORM,
        causes=causes,
        session=request.session,
        audience=request.audience,
        era=era_of(rows, request.session, request.audience.epoch),
        asker=request.asker,
        answers=question.id,
        call=_without_digest(request.call) if not request.asker else request.call,
    )
    return [Minter(rows, origin).draft(event)]


def _causes(rows: Rows, request: FailTurnRequest | InterruptRequest) -> tuple[EventId, ...]:
    """The question as a cause, where it is recorded and its asker is to be."""
    question = request.question.id
    return (question,) if rows.ids.status(question) in ("known", "redacted") and not is_out(rows, request.asker) else ()


def deliver(rows: Rows, request: DeliverRequest) -> list[Draft]:
    """The delivery; nothing when it was recorded before, or in the DM that all share who opted out. Elsewhere it says
    of them too which messages are the assistant's: read back, those would be heard with all their words.
    """
    origin = Origin(Identity("dnam", "turn", request.turn.hex(), "delivered", request.said))
    request = _as_kept(rows, request)
    if decided_before(rows, origin) or (request.audience.kind == "direct" and not request.asker):
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
    context = request.context
    bare = context._replace(causes=(), items=(), left_out=(), digest=b"", mentioned={}, past=(), nearest=())
    return request._replace(text="", context=bare, call=_without_digest(request.call), besides=(), files=())


def _without_digest(call: ModelUse) -> ModelUse:
    """What it took, and nothing that its words can be guessed by."""
    return msgspec.structs.replace(call, prompt_digest=b"")


def _as_kept(rows: Rows, request: R) -> R:
    """The request; as nobody's where its asker opted out since they asked, in the DM that all of those share."""
    if not is_out(rows, request.asker):
        return request
    audience, session = request.audience, request.session
    if audience.kind == "direct":
        seen = PlaceSeen(audience.place.platform, "", "direct", "", "direct")
        audience, session = seen_audience(seen, place_ref(seen)), session_of(seen)
    return request._replace(asker=NOBODY, audience=audience, session=session)


def _place(request: AnswerRequest | FailTurnRequest) -> Ref:
    """Where it was asked; a DM has the name of its audience."""
    return request.audience.place if request.audience.kind == "direct" else request.place
