"""An answer that had before it what a person took back leaves recall in the decision that records it: no search ever
counts a word of it.
"""

from collections.abc import Iterable

from projections.decisions.draft import Draft, Minter
from projections.decisions.shelf import policy_by
from projections.events import MessageHeard, TurnAnswered, TurnQuieted
from projections.events.values import ItemUse
from projections.ids import EventId
from projections.policies import quiet
from projections.policies.quiet import leaves_at_once
from projections.rows import Rows
from projections.vaults import partner_of


def quieted_turn(rows: Rows, minter: Minter, turn: EventId, event: TurnAnswered) -> list[Draft]:
    """That an answer leaves; nothing where it stays."""
    by = _left_by(rows, event.causes, event.items, event.text)
    if by is None:
        return []
    left = TurnQuieted(
        said=event.said,
        by=policy_by(quiet.VERSION),
        causes=(by, turn),
        session=event.session,
        audience=event.audience,
        era=event.era,
        asker=event.asker,
        quiet=(turn,),
        policy=quiet.POLICY,
    )
    return [minter.draft(left)]


def quieted_message(rows: Rows, minter: Minter, heard: EventId, event: MessageHeard) -> list[Draft]:
    """The same of what the assistant itself said, brought by an import. What people say, or forward, is theirs."""
    message = event.message
    by = _left_by(rows, event.causes, (), message.text) if message.author == "self" else None
    if by is None:
        return []
    left = TurnQuieted(
        said=event.said,
        by=policy_by(quiet.VERSION),
        causes=(by, heard),
        session=message.session,
        audience=message.audience,
        era=event.era,
        asker=partner_of(message.audience),
        quiet=(heard,),
        policy=quiet.POLICY,
    )
    return [minter.draft(left)]


def _left_by(rows: Rows, causes: Iterable[EventId], items: Iterable[ItemUse], text: str) -> EventId | None:
    return leaves_at_once(rows, causes, items, text) if text.strip() else None
