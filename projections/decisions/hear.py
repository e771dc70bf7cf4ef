"""Hearing: what arrives from a platform becomes a message, once.

What people say has no causes. What the assistant itself said, where no turn of it is known (an import, a read-back),
draws on what stood before it: it rests on the window before it and on what it replies to, and goes with them. Once
somebody was erased, nothing says any more which of it repeats their words: what is from before then is not heard. Nor
is what answers a message that was taken back, or somebody who is not heard themself: it says theirs again.

What somebody forwards they do not say: it is heard where that stands, has it as its cause, and goes with it
(`forwards`).

Who opted out and rewrites what was heard before takes its old words back, as by deleting it; the new ones stay unheard.
"""

from itertools import islice
from typing import NamedTuple

import msgspec

from projections.consent import last_erasure, was_out
from projections.decisions.audience import MOST_MOVED, moves_from
from projections.decisions.delete import (
    DeletedRequest,
    delete,
    find_said,
    gone,
    is_taken_back,
    message_identity,
)
from projections.decisions.draft import Draft, Minter, Origin
from projections.decisions.forwards import Forwarded, bare, may_be_shown, source_of
from projections.decisions.meet import Account, Meeting, is_unwelcome
from projections.decisions.place import (
    UNSAID,
    PlaceSeen,
    as_read,
    is_unsaid,
    place_ref,
    places_news,
    refuse_other_guild,
    seen_audience,
    session_of,
)
from projections.decisions.quieted import quieted_message
from projections.decisions.redact import Redaction, redacted, redaction_of
from projections.decisions.shelf import policy_by
from projections.errors import BadRequest
from projections.events import ItemRefused, MessageEdited, MessageHeard, PlaceAudienceChanged, PlaceDescribed
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Attachment,
    Audience,
    AuthorKind,
    By,
    Medium,
    Message,
    Span,
    SpanKind,
)
from projections.ids import MINUTE_MS, NOBODY, EventId, Handle, Identity, Point, Ref
from projections.messages import MessageRow
from projections.people import person_of
from projections.places import PlaceRow, audience_of, epoch_of, open_threads_in
from projections.policies.compartments import place_said
from projections.policies.secrets import doubt
from projections.recall.documents import spoken_text
from projections.rows import Rows
from projections.said import Entry, backwards
from projections.summaries import era_of
from projections.turns import SENT, sent_key

TOO_MANY = (
    "its channel was open to more, and more threads and items rest on it than one decision can close: change its "
    "audience first"
)
__all__ = ["DeletedRequest", "HeardRequest", "Mention", "accounts", "delete", "hear", "message_identity"]
DOUBTED, DOUBTED_TEXT = "message", "a whole message"
"""What a message is called that may hold a secret: its words stand in it alone."""
NEVER = -1
"""The epoch before the first."""
WINDOW = 20
"""How much of what was said before a message of the assistant's own counts as what it rests on."""
ON_ITS_WAY_MS = 60 * MINUTE_MS
"""How long after an erasure an answer may still arrive that was begun before it."""


class Mention(NamedTuple):
    """Somebody named in a text, at code point `at` of the text without the mention itself."""

    at: int
    account: Account
    kind: SpanKind = "mention"


class Answered(NamedTuple):
    """What a message of the assistant's own answers: a message, when it was said (ms), and by whose account, where that
    is a person's.
    """

    ref: Ref
    said: int
    by: Account | None = None


class HeardRequest(NamedTuple):
    """A message that arrived. `said` and `edited` are the platform's times in ms; `fresh` are unused random handles,
    at least one for each account that is named in it. `reply_said` is when the message that it replies to was said,
    where the platform tells. `only_known`: it counts as an edit, and one that was never heard stays unheard. `answers`
    is what one of the assistant's own answers, as far as its source shows, be it marked as a reply or not. `forwards`
    is what it forwards, where the platform tells: the attachment FORWARDED, and those behind it, show that.
    """

    key: str
    place: PlaceSeen
    author: AuthorKind
    speaker: Account
    text: str
    said: int
    fresh: tuple[Handle, ...]
    mentions: tuple[Mention, ...] = ()
    edited: int | None = None
    reply_to: Ref | None = None
    attachments: tuple[Attachment, ...] = ()
    addressed: bool = False
    medium: Medium = "text"
    reply_said: int | None = None
    only_known: bool = False
    answers: Answered | None = None
    forwards: Forwarded | None = None


def accounts(request: HeardRequest) -> list[Account]:
    """Everybody a request names, once each; the shell hands in as many fresh handles."""
    partner = [request.place.partner] if request.place.partner else []
    return list(dict.fromkeys([request.speaker, *partner, *(mention.account for mention in request.mentions)]))


def hear(rows: Rows, request: HeardRequest) -> list[Draft]:
    """A message, with whom and what it brings to light for the first time; nothing when it is known as it is. To be
    decided again until nothing comes of it, where it takes back what rests on more than a decision has room for.

    Raises BadRequest for a new one of which nobody said who could read it, in a place that is known as open; for one
    that closes a place on which more items rest than one decision can move; and for one in a place that is known as
    another guild's.
    """
    request = _without_what_is_gone(rows, request._replace(place=as_read(rows, request.place)))
    refuse_other_guild(rows, request.place)
    concerned = _concerned(request)
    if _is_kept_out(rows, request, concerned):
        rewritten = _rewritten(rows, request)
        return [] if rewritten is None else gone(rows, [rewritten], [], request.edited or request.said)
    narrowed = _narrowed(rows, request)
    if narrowed is None:
        return _heard(rows, request, concerned, None)
    return [*_closing(rows, request, narrowed), *_heard(rows, request, concerned, narrowed.audience)]


def is_kept_out(rows: Rows, request: HeardRequest) -> bool:
    """Whether it is not heard because of whom it concerns: one of them opted out, or was erased after it was said."""
    return _is_kept_out(rows, request, _concerned(request))


def takes_back(rows: Rows, request: HeardRequest) -> bool:
    """Whether something that is not heard takes back what was heard of it before."""
    return _rewritten(rows, _without_what_is_gone(rows, request)) is not None


def _without_what_is_gone(rows: Rows, request: HeardRequest) -> HeardRequest:
    """The message without what it forwards, where that is not to be heard."""
    if request.forwards is None or may_be_shown(rows, request.forwards, request.said):
        return request
    return request._replace(attachments=bare(request.attachments), forwards=None)


def _rewritten(rows: Rows, request: HeardRequest) -> MessageRow | None:
    """The message that was heard with words which its platform has no more; None where they are the same."""
    if request.edited is None or request.author != "person":
        return None
    with_whom = request.place.partner
    partner = None if with_whom is None else person_of(rows, with_whom.platform, with_whom.id)
    session = session_of(request.place, NOBODY if partner is None else partner.row.person)
    heard = rows.ids.event_id(message_identity(request.place.platform, request.key, "heard", request.said))
    found = find_said(rows, session, epoch_of(rows, session), Point(request.said, heard))
    if found is None or request.edited <= (found.row.message.edited or 0):
        return None
    old, named = found.row.message, tuple(each.at for each in request.mentions)
    is_same = (old.text, old.attachments, tuple(each.at for each in old.spans)) == (
        request.text,
        request.attachments,
        named,
    )
    return None if is_same else found.row


def _is_kept_out(rows: Rows, request: HeardRequest, concerned: frozenset[Account]) -> bool:
    return any(is_unwelcome(rows, each, request.said) for each in concerned)


def _concerned(request: HeardRequest) -> frozenset[Account]:
    """By whom it is, in whose DM, and whom the assistant answered with it."""
    speaker = [request.speaker] if request.author == "person" else []
    partner = [request.place.partner] if request.place.partner else []
    answered = request.answers if request.author == "self" else None
    asker = [answered.by] if answered is not None and answered.by is not None else []
    return frozenset((*speaker, *partner, *asker))


def _narrowed(rows: Rows, request: HeardRequest) -> PlaceAudienceChanged | None:
    """The new epoch of a place that fewer can read than was known, when the operator says so; its first one where
    nothing was known but threads in it.
    """
    seen = request.place
    if not seen.told or seen.audience != "channel":
        return None
    known = audience_of(rows, place_ref(seen)) or Audience("guild", place_ref(seen), NEVER)
    if known.kind != "guild":
        return None
    return PlaceAudienceChanged(
        said=request.said,
        by=OPERATOR,
        place=place_ref(seen),
        audience=seen_audience(seen, known.place, known.epoch + 1),
        previous=known,
        session=session_of(seen),
        guild=seen.guild,
    )


def _closing(rows: Rows, request: HeardRequest, narrowed: PlaceAudienceChanged) -> list[Draft]:
    """The new epoch, that of each open thread in it, and the guild's items that rest on these alone: nothing stays open
    that should be closed.
    """
    place, epoch = narrowed.place, str(narrowed.audience.epoch)
    minter = Minter(rows, Origin(Identity(place.platform, "place", place.key, epoch, request.said)))
    changed = minter.draft(narrowed)  # of a place that was not known, its description says who can read it
    threads = open_threads_in(rows, place)
    closed = [minter.draft(_closed_with(narrowed, *each)) for each in threads]
    moves = list(islice(moves_from(rows, request.place, narrowed.previous, request.said, threads), MOST_MOVED + 1))
    if len(moves) + len(threads) > MOST_MOVED:
        raise BadRequest(TOO_MANY)
    return [*map(minter.draft, moves), *closed, *([] if narrowed.previous.epoch == NEVER else [changed])]


def _closed_with(narrowed: PlaceAudienceChanged, thread: PlaceRow, known: Audience) -> PlaceAudienceChanged:
    """A thread that has the readers of a channel which fewer can read."""
    return msgspec.structs.replace(
        narrowed,
        place=thread.place,
        audience=Audience("channel", narrowed.audience.place, known.epoch + 1),
        previous=known,
        session=thread.session,
    )


def _heard(rows: Rows, request: HeardRequest, concerned: frozenset[Account], audience: Audience | None) -> list[Draft]:
    platform = request.place.platform
    if request.author == "self" and rows.get(SENT, sent_key(Ref(platform, request.key))) is not None:
        return []
    identity = message_identity(platform, request.key, "heard", request.said)
    heard = rows.ids.event_id(identity)
    match rows.ids.status(heard):
        case "unknown" if request.only_known or _may_repeat(rows, request) or _was_out(rows, request, concerned):
            return []
        case "unknown" if is_unsaid(rows, request.place):
            raise BadRequest(UNSAID)
        case "unknown":
            return _first(rows, request, identity, concerned, audience)
        case "known" | "redacted" if request.edited is not None:  # redacted: an edit took its first words
            return _again(rows, request, heard, concerned, audience)
        case _:
            return []


def _was_out(rows: Rows, request: HeardRequest, concerned: frozenset[Account]) -> bool:
    """Whether it was said while somebody whom it concerns had opted out: what they were told not to be heard stays so
    when they are heard again.
    """
    return any(was_out(rows, rows.ids.keyed_hash(each.platform, each.id), request.said) for each in concerned)


def _may_repeat(rows: Rows, request: HeardRequest) -> bool:
    """Whether it is the assistant's own, and may say again what is gone. Its turn may have gone with somebody who was
    erased: what was erased of it in the log stands in the channel still. Or it answers what was taken back.
    """
    if request.author != "self":
        return False
    erased = last_erasure(rows)
    if erased is not None and request.said <= erased + ON_ITS_WAY_MS:
        return True
    return any(is_taken_back(rows, each) for each in _answered(rows, request))


def _answered(rows: Rows, request: HeardRequest) -> list[EventId]:
    """What a message of the assistant's own answers, marked as a reply or not."""
    answers = request.answers
    return [
        *_made_of(rows, request.reply_to, request.reply_said),
        *([] if answers is None else _made_of(rows, answers.ref, answers.said)),
    ]


def _first(
    rows: Rows,
    request: HeardRequest,
    identity: Identity,
    concerned: frozenset[Account],
    audience: Audience | None,
) -> list[Draft]:
    minter = Minter(rows, Origin(identity))
    heard = minter.next()
    meeting = Meeting(rows, minter, request.fresh, request.said, welcome=concerned)
    places, message = _translate(rows, request, meeting, minter, audience)
    event = MessageHeard(
        said=request.said,
        by=_by(message),
        causes=_rests_on(rows, request, message, heard),
        message=message,
        era=_era(rows, message),
    )
    beside = [*quieted_message(rows, minter, heard, event), *_doubted(rows, minter, message, heard)]
    return [*meeting.drafts, *places, Draft(heard, event, natural=True), *beside]


def _again(
    rows: Rows, request: HeardRequest, heard: EventId, concerned: frozenset[Account], audience: Audience | None
) -> list[Draft]:
    assert request.edited is not None
    action = f"edited {request.edited}"
    identity = message_identity(request.place.platform, request.key, action, request.said)
    minter = Minter(rows, Origin(identity))
    edited = minter.next()
    meeting = Meeting(rows, minter, request.fresh, request.edited, request.said, concerned)
    places, copy = _translate(rows, request, meeting, minter, audience)
    old = find_said(rows, copy.session, copy.audience.epoch, Point(request.said, heard))
    if old is None or request.edited <= (old.row.message.edited or 0):
        return []
    message = _addressed_as(copy, old.row.message)
    event = MessageEdited(
        said=request.edited,
        by=_by(message),
        causes=tuple(dict.fromkeys((heard, *_rests_on(rows, request, message, heard)))),
        heard=heard,
        message=message,
        era=_era(rows, message),
    )
    taken = _taken_back(rows, old.row, message)
    if taken.first is not None:
        return redacted(Minter(rows, taken.first), taken, request.edited, PLATFORM)
    taken_back = redacted(minter, taken, request.edited, PLATFORM)
    doubted = _doubted(rows, minter, message, edited)
    return [*meeting.drafts, *places, Draft(edited, event, natural=True), *taken_back, *doubted]


def _doubted(rows: Rows, minter: Minter, message: Message, said: EventId) -> list[Draft]:
    """Why what a person said may hold a secret, for the audit; nothing where it does not look so."""
    verdict = doubt(message.text) if message.speaker != NOBODY else None
    if verdict is None:
        return []
    event = ItemRefused(
        said=message.said if message.edited is None else message.edited,
        by=policy_by(verdict.policy),
        causes=(said,),
        owner=message.speaker,
        compartment=place_said(rows, message.speaker, message.audience, message.guild),
        kind=DOUBTED,
        text=DOUBTED_TEXT,
        reason=verdict.reason,
        policy=verdict.policy,
    )
    return [minter.draft(event)]


def _taken_back(rows: Rows, old: MessageRow, message: Message) -> Redaction:
    """What goes with the words that a message had until now; nothing where they are the same."""
    if (old.message.text, old.message.spans, old.message.attachments) == (
        message.text,
        message.spans,
        message.attachments,
    ):
        return Redaction((), ())
    assert message.edited is not None
    return redaction_of(rows, [old], message.edited, spoken_text(message).strip())


def _rests_on(rows: Rows, request: HeardRequest, message: Message, heard: EventId) -> tuple[EventId, ...]:
    """What a message of the assistant's own draws on: what was said before it, and what it replies to. And any: what it
    forwards, if that was heard.
    """
    forwarded = () if request.forwards is None else (source_of(rows, request.forwards),)
    own = _draws_on(rows, request, message, heard) if request.author == "self" else ()
    # What was dropped still lists its people; what was erased is nothing to rest on.
    causes = dict.fromkeys((*own, *forwarded))
    return tuple(each for each in causes if rows.ids.status(each) in ("known", "redacted"))


def _draws_on(rows: Rows, request: HeardRequest, message: Message, heard: EventId) -> tuple[EventId, ...]:
    before = backwards(rows, message.session, message.audience.epoch, Point(request.said, heard))
    known = [event for entry in islice(before, WINDOW) for event in _events(entry)]
    return (*known, *_answered(rows, request))


def _events(entry: Entry) -> tuple[EventId, ...]:
    return (entry.row.heard, entry.row.event) if isinstance(entry.row, MessageRow) else (entry.row.event,)


def _made_of(rows: Rows, ref: Ref | None, said: int | None) -> list[EventId]:
    """The event of a message, said at a time (ms): the turn that was sent as it, or the message that was heard."""
    if ref is None:
        return []
    sent = rows.get(SENT, sent_key(ref))
    if sent is not None:
        return [sent.turn]
    return [] if said is None else [rows.ids.event_id(message_identity(ref.platform, ref.key, "heard", said))]


def _era(rows: Rows, message: Message) -> int:
    """The era whose key seals it: what the assistant said lies with its answers, what others say is their own."""
    return era_of(rows, message.session, message.audience.epoch) if message.author == "self" else 0


def _addressed_as(message: Message, old: Message) -> Message:
    """An edit changes the words, not to whom they were said."""
    return msgspec.structs.replace(message, addressed=old.addressed, audience=old.audience)


def _by(message: Message) -> By:
    return By("person", message.speaker) if message.author == "person" else PLATFORM


def _translate(
    rows: Rows, request: HeardRequest, meeting: Meeting, minter: Minter, changed: Audience | None
) -> tuple[list[Draft], Message]:
    """The message with handles for accounts, and the places it brings to light. `changed` is the place's audience from
    now on.
    """
    partner = meeting.handle(request.place.partner) if request.place.partner else NOBODY
    speaker = meeting.handle(request.speaker) if request.author == "person" else NOBODY
    place = place_ref(request.place, partner)
    session = session_of(request.place, partner)
    audience = changed or audience_of(rows, place) or seen_audience(request.place, place)
    message = Message(
        ref=Ref(request.place.platform, request.key),
        place=place,
        session=session,
        audience=audience,
        author=request.author,
        said=request.said,
        text=request.text,
        speaker=speaker,
        author_name="" if request.author == "person" else request.speaker.name or request.speaker.username,
        guild=request.place.guild,
        spans=tuple(Span(each.at, meeting.handle(each.account), each.kind) for each in request.mentions),
        reply_to=request.reply_to,
        attachments=request.attachments,
        addressed=request.addressed,
        medium=request.medium,
        edited=request.edited,
    )
    return [minter.draft(each) for each in _places(rows, request, message, partner)], message


def _places(rows: Rows, request: HeardRequest, message: Message, partner: Handle) -> list[PlaceDescribed]:
    return places_news(rows, request.place, message.audience, partner, request.said)
