"""Deleting: messages are gone from their platform, and here with all that a model made of them alone.

Those that go at once are one decision and one redaction, and what rests on several of them is made again once; where a
decision has no room for all that comes of them, they are several.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, as_many
from projections.decisions.redact import redacted, redaction_of
from projections.decisions.withdraw import WithdrawRequest, turn_withdrawn, turns_meant, withdrawal_origin
from projections.derived import effects_of
from projections.events import MessageDeleted, MessageEdited
from projections.events.values import PLATFORM
from projections.ids import EventId, Identity, Point
from projections.messages import MessageRow, find_message
from projections.places import epoch_of
from projections.rows import Found, Rows
from projections.turns import TurnRow


class DeletedRequest(NamedTuple):
    """A message was deleted on its platform."""

    platform: str
    key: str
    session: str
    heard_said: int
    said: int


def message_identity(platform: str, key: str, action: str, said: int) -> Identity:
    """What was done with a message, as the platform names it."""
    return Identity(platform, "message", key, action, said)


def find_said(rows: Rows, session: str, epoch: int, point: Point) -> Found[MessageRow] | None:
    """A message of a session in whichever epoch it was said, at the latest in this one."""
    found = (find_message(rows, session, each, point) for each in range(epoch, -1, -1))
    return next((each for each in found if each is not None), None)


def is_taken_back(rows: Rows, heard: EventId) -> bool:
    """Whether a message that was heard is gone. The first words of one that was edited are gone too, and it is not."""
    effects = dict(effects_of(rows, heard))
    match rows.ids.status(heard):
        case "erased":
            return True
        case "redacted" if not any(tag == MessageEdited.TAG for tag in effects.values()):
            return True
        case _:
            return MessageDeleted.TAG in effects.values()


def delete(rows: Rows, request: DeletedRequest) -> list[Draft]:
    """A message is gone; nothing when it was never heard or is gone already."""
    return delete_all(rows, [request])


def delete_all(rows: Rows, requests: Iterable[DeletedRequest], answers: WithdrawRequest | None = None) -> list[Draft]:
    """Messages are gone, and answers of which a part was deleted, or the first of them; nothing for those that are gone
    already. To be decided again until nothing comes of it.
    """
    requests = list(requests)
    found = {row.heard: row for each in requests if (row := _meant(rows, each)) is not None}
    messages, turns = list(found.values()), [] if answers is None else turns_meant(rows, answers)
    said = max((each.said for each in requests), default=0 if answers is None else answers.said)
    return as_many(lambda most: gone(rows, messages[:most], turns[:most], said), max(len(messages), len(turns)))


def _meant(rows: Rows, request: DeletedRequest) -> MessageRow | None:
    heard = rows.ids.event_id(message_identity(request.platform, request.key, "heard", request.heard_said))
    found = find_said(rows, request.session, epoch_of(rows, request.session), Point(request.heard_said, heard))
    return None if found is None else found.row


def gone(rows: Rows, messages: Sequence[MessageRow], turns: Sequence[TurnRow], said: int) -> list[Draft]:
    """These messages and answers are gone from `said` (ms) on: an event for each, what goes with them, and one
    redaction of all bodies. Where that is too much, a part of what says them again, and they stand until it is gone.
    """
    if not messages and not turns:
        return []
    taken = redaction_of(rows, messages, said, answers=turns)
    if taken.first is not None:
        return redacted(Minter(rows, taken.first), taken, said, PLATFORM)
    minters = [Minter(rows, _origin(row)) for row in messages]
    deleted = [minter.draft(_deleted(row, said)) for minter, row in zip(minters, messages, strict=True)]
    others = [turn for turn in turns if turn.event not in taken.bodies]
    answers = [Minter(rows, withdrawal_origin(turn)) for turn in others]
    withdrawn = [minter.draft(turn_withdrawn(turn, said)) for minter, turn in zip(answers, others, strict=True)]
    whole = taken._replace(bodies=(*taken.bodies, *(turn.event for turn in others)))
    drafts = (*deleted, *withdrawn)
    causes, latest = tuple(each.id for each in drafts), max(each.event.said for each in drafts)
    first = (*minters, *answers)[0]  # an answer that another one takes along is no other: there is a message then
    return [*drafts, *redacted(first, whole, latest, PLATFORM, causes)]


def _origin(row: MessageRow) -> Origin:
    ref = row.message.ref
    return Origin(message_identity(ref.platform, ref.key, "deleted", row.message.said))


def _deleted(row: MessageRow, said: int) -> MessageDeleted:
    message = row.message
    return MessageDeleted(
        said=max(said, message.said),
        by=PLATFORM,
        causes=(row.heard,),
        heard=row.heard,
        session=message.session,
        audience=message.audience,
        heard_said=message.said,
    )
