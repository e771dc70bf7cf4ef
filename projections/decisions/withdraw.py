"""Withdrawing: somebody deleted an answer on its platform, so its words are taken away here too.

An answer is one thing, in however many messages it arrived: who deletes any part of it wants its text gone, and all of
it goes. The turn leaves the window and the next summary with its row, and its body is dropped in the same decision.
That there was an answer, when, and what it cost stays: its question counts as answered, and nobody answers it again.
"""

from typing import NamedTuple

import msgspec

from projections.decisions.draft import Origin
from projections.decisions.shelf import policy_by
from projections.events import TurnWithdrawn
from projections.events.values import PLATFORM, By
from projections.ids import EventId, Identity, Point, Ref
from projections.rows import Rows
from projections.turns import SENT, TurnRow, answer_id, find_turn, sent_key


class WithdrawRequest(NamedTuple):
    """Messages were deleted on their platform, all in one session; parts of answers may be among them. `said` is when,
    in ms. `questions` are those of whose answers a part was shown and deleted before all of it had arrived.
    """

    platform: str
    keys: tuple[str, ...]
    session: str
    said: int
    questions: tuple[Point, ...] = ()


def turns_meant(rows: Rows, request: WithdrawRequest) -> list[TurnRow]:
    """The answers that are there and of which a part was deleted, each once."""
    found = (_find(rows, request.session, turn) for turn in _turns(rows, request))
    return [row for row in found if row is not None]


def _turns(rows: Rows, request: WithdrawRequest) -> list[EventId]:
    """The answers that are meant, each once."""
    sent = (rows.get(SENT, sent_key(Ref(request.platform, key))) for key in request.keys)
    arrived = (each.turn for each in sent if each is not None)
    return list(dict.fromkeys((*arrived, *(answer_id(rows.ids, question) for question in request.questions))))


def _find(rows: Rows, session: str, turn: EventId) -> TurnRow | None:
    """An answer of a session in whichever epoch it was given."""
    found = find_turn(rows, turn)
    return found if found is not None and found.session == session else None


def withdrawal_origin(turn: TurnRow) -> Origin:
    """What names the withdrawal of an answer."""
    return Origin(Identity("dnam", "turn", turn.event.hex(), "withdrawn", turn.said))


def turn_withdrawn(turn: TurnRow, said: int, policy: str = "", by: By = PLATFORM) -> TurnWithdrawn:
    """An answer is taken away at `said` (ms): deleted on its platform, by somebody's hand, or by a rule (`policy`)."""
    return TurnWithdrawn(
        said=max(said, turn.said),
        by=policy_by(policy) if policy else by,
        causes=(turn.event,),
        turn=turn.event,
        session=turn.session,
        audience=turn.audience,
        era=turn.era,
        asker=turn.asker,
        turn_said=turn.said,
        call=msgspec.structs.replace(turn.call, prompt_digest=b""),
        policy=policy,
    )
