"""What is said where somebody asks to keep what they had forgotten there: they ask, so it is kept again."""

from dnam.commands.command import Invocation
from projections.items import forgotten_of
from projections.policies.compartments import opened
from projections.policies.refusals import Claim, refusal
from projections.policies.rephrasing import Rephrasing
from projections.rows import Rows

AGAIN = "\nYou had forgotten this here, or something that says it too: now that you ask, it is kept again."


def forgotten_before(rows: Rows, asked: Invocation, text: str, known: Rephrasing | None) -> str:
    """The words for it; empty where nothing of theirs that is opened here was forgotten and stands against the text."""
    here = {each.compartment for each in opened(rows, asked.sees) if each.owner == asked.person}
    gone = [found.row for found in forgotten_of(rows, asked.person) if found.row.compartment in here]
    return AGAIN if refusal(rows, gone, Claim(frozenset(), text, ()), known) is not None else ""
