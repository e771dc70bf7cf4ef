"""What a person took back stays taken back: a model that says it again is refused, in all of their compartments.

It says it again under its id; where one of the two texts covers 60 % of the other; in other words, or all of it among
others (`rephrasing`), in the tags too; where an encoder finds the two near each other (`closeness`), and no name,
number, relation or denial tells them apart; or by the messages that left recall with it. Where there is no encoder, the
words alone decide.
"""

from collections.abc import Sequence
from typing import NamedTuple

from projections.ids import NOBODY, EventId, Handle
from projections.items import QUIET, ForgottenRow, forgotten_of
from projections.policies import closeness, rephrasing
from projections.policies.closeness import Measure
from projections.policies.matching import STANDARD, Matching, close
from projections.policies.rephrasing import UNKNOWN, Rephrasing, about, likeness, says_all, told_apart
from projections.rows import Rows

VERSION = "refusals@3"
POLICY = f"{VERSION} {rephrasing.VERSION} {closeness.VERSION}"


class Claim(NamedTuple):
    """What a model wants remembered: under which ids, in which words, resting on which messages, with which tags."""

    ids: frozenset[str]
    text: str
    messages: tuple[EventId, ...]
    tags: tuple[str, ...] = ()


class Refusal(NamedTuple):
    """Why not, and the id of the forgotten item that stands against it."""

    against: str
    reason: str


def refusal(
    rows: Rows,
    forgotten: Sequence[ForgottenRow],
    claim: Claim,
    known: Rephrasing | None = None,
    measure: Measure | None = None,
    rule: Matching = STANDARD,
) -> Refusal | None:
    """What stands against a claim among what its owner forgot; None when nothing does. `known` is what is known of the
    language: without it other words are others. `measure` is an encoder's, where there is one.
    """
    return (
        _by_id(forgotten, claim)
        or _by_text(forgotten, claim, rule)
        or _in_other_words(forgotten, claim, known)
        or _among_others(forgotten, claim, known or UNKNOWN)
        or _by_vectors(forgotten, claim, known or UNKNOWN, measure)
        or _by_evidence(rows, claim)
    )


def _by_id(forgotten: Sequence[ForgottenRow], claim: Claim) -> Refusal | None:
    found = next((row for row in forgotten if row.id in claim.ids), None)
    return None if found is None else Refusal(found.id, "the person forgot this very item")


def _by_text(forgotten: Sequence[ForgottenRow], claim: Claim, rule: Matching) -> Refusal | None:
    found = next((row for row in forgotten if close(row.text, claim.text, rule)), None)
    reason = f"its text and what the person forgot cover each other by {rule.percent} %"
    return None if found is None else Refusal(found.id, reason)


def _in_other_words(forgotten: Sequence[ForgottenRow], claim: Claim, known: Rephrasing | None) -> Refusal | None:
    if known is None:
        return None
    found = ((row, likeness(row.text, claim.text, known)) for row in forgotten)
    same = max(((like.percent, row.id, like.reason) for row, like in found if like.same), default=None)
    return None if same is None else Refusal(same[1], f"it says in other words what the person forgot: {same[2]}")


def _among_others(forgotten: Sequence[ForgottenRow], claim: Claim, known: Rephrasing) -> Refusal | None:
    if not forgotten:
        return None
    meant = [(row.id, about(row.text, known)) for row in forgotten]
    for where, text in _said(claim):
        said = about(text, known)
        against = next((item_id for item_id, mine in meant if says_all(mine, text, said, known)), None)
        if against is not None:
            return Refusal(against, f"among others, {where} says all that the person forgot")
    return None


def _said(claim: Claim) -> list[tuple[str, str]]:
    """Every text of a claim, and what it is: the tags are read each alone and together."""
    tags = [("one of its tags", each) for each in claim.tags]
    return [("its text", claim.text), *tags, ("all that it is tagged with", " ".join(claim.tags))]


def _by_vectors(
    forgotten: Sequence[ForgottenRow], claim: Claim, known: Rephrasing, measure: Measure | None
) -> Refusal | None:
    if measure is None:
        return None
    measured = ((measure(row.text, claim.text), row) for row in forgotten)
    near = ((found.thousandths, row.id, found.reason, row.text) for found, row in measured if found.close)
    nearest = max((each for each in near if not told_apart(each[3], claim.text, known)), default=None)
    return None if nearest is None else Refusal(nearest[1], f"it is near what the person forgot: {nearest[2]}")


def _by_evidence(rows: Rows, claim: Claim) -> Refusal | None:
    """Every message that it rests on left recall with something forgotten; one on which more rests did not leave."""
    quiet = [rows.get(QUIET, message) for message in claim.messages]
    left = [row for row in quiet if row is not None]
    if not left or len(left) < len(quiet):
        return None
    return Refusal(left[0].item, "it rests only on messages that left recall with what the person forgot")


def taken_back(rows: Rows, owner: Handle, compartment: str) -> list[ForgottenRow]:
    """What stands against whatever is learned of somebody there: the lore that was taken back there, and what they took
    back anywhere.
    """
    lore = (found.row for found in forgotten_of(rows, NOBODY) if found.row.compartment == compartment)
    return [*lore, *(found.row for found in forgotten_of(rows, owner))]
