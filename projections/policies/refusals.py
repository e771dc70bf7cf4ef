"""What a person took back stays taken back: a model that says it again is refused, in all of their compartments."""

from collections.abc import Sequence
from typing import NamedTuple

from projections.ids import EventId
from projections.items import QUIET, ForgottenRow
from projections.policies.matching import STANDARD, Matching, close
from projections.rows import Rows

VERSION = "refusals@1"


class Claim(NamedTuple):
    """What a model wants remembered: under which ids, in which words, resting on which messages."""

    ids: frozenset[str]
    text: str
    messages: tuple[EventId, ...]


class Refusal(NamedTuple):
    """Why not, and the id of the forgotten item that stands against it."""

    against: str
    reason: str


def refusal(rows: Rows, forgotten: Sequence[ForgottenRow], claim: Claim, rule: Matching = STANDARD) -> Refusal | None:
    """What stands against a claim among what its owner forgot; None when nothing does."""
    return _by_id(forgotten, claim) or _by_text(forgotten, claim, rule) or _by_evidence(rows, claim)


def _by_id(forgotten: Sequence[ForgottenRow], claim: Claim) -> Refusal | None:
    found = next((row for row in forgotten if row.id in claim.ids), None)
    return None if found is None else Refusal(found.id, "the person forgot this very item")


def _by_text(forgotten: Sequence[ForgottenRow], claim: Claim, rule: Matching) -> Refusal | None:
    found = next((row for row in forgotten if close(row.text, claim.text, rule)), None)
    reason = f"its text and what the person forgot cover each other by {rule.percent} %"
    return None if found is None else Refusal(found.id, reason)


def _by_evidence(rows: Rows, claim: Claim) -> Refusal | None:
    """Every message that it rests on left recall with something forgotten; one on which more rests did not leave."""
    quiet = [rows.get(QUIET, message) for message in claim.messages]
    left = [row for row in quiet if row is not None]
    if not left or len(left) < len(quiet):
        return None
    return Refusal(left[0].item, "it rests only on messages that left recall with what the person forgot")
