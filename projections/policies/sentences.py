"""What of a summary may be told on: all of it but the sentences that instruct the assistant (`instructions`).

A summary goes into every later prompt, so an order in it is one for as long as the conversation lasts. A sentence that
only asks is kept: what is open belongs into a summary.
"""

import re
from typing import NamedTuple

from projections.policies.instructions import InstructionWords, instructs

_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s)")


class Told(NamedTuple):
    """The text without such sentences, and why each of them was left out: the reason, and the policy's version."""

    text: str
    left_out: tuple[str, ...] = ()


def without_orders(text: str, words: InstructionWords) -> Told:
    """A summary without the sentences that instruct; as it is where nothing is known of the language."""
    if not words.rules:
        return Told(text)
    lines = [_without(line, words) for line in text.split("\n")]
    left_out = tuple(reason for line in lines for reason in line.left_out)
    return Told("\n".join(line.text for line in lines if line.text or not line.left_out).strip(), left_out)


def _without(line: str, words: InstructionWords) -> Told:
    judged = [(each, instructs(each.strip().rstrip("?"), words)) for each in _SENTENCE_END.split(line)]
    left_out = tuple(f"{verdict.reason} ({verdict.policy})" for _, verdict in judged if verdict is not None)
    kept = "".join(each for each, verdict in judged if verdict is None)
    return Told(kept.strip() if left_out else line, left_out)
