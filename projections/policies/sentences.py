"""What of a summary may be told on: all of it but its secrets, and the sentences that instruct (`instructions`).

A summary goes into every later prompt, so an order in it is one for as long as the conversation lasts, with a line
break in it too. A sentence that only asks is kept: what is open belongs into a summary.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from projections.policies.instructions import MOST_PIECES, VERSION, InstructionWords, in_pieces, instructs
from projections.policies.secret_sentences import Spoken
from projections.policies.secrets import holds_secret, redact

_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s)")
UNSPOKEN = Spoken()


class Told(NamedTuple):
    """The text without such sentences, and why each of them was left out: the reason, and the policy's version."""

    text: str
    left_out: tuple[str, ...] = ()


class _Piece(NamedTuple):
    """A sentence, or what of it stands in one line, and why it is left out; empty for not at all."""

    line: int
    text: str
    why: str


def without_orders(text: str, words: InstructionWords, spoken: Spoken = UNSPOKEN) -> Told:
    """A summary without its secrets, nor the sentences that instruct, where something is known of the language."""
    lines = redact(text, spoken).text.split("\n")
    alone = [
        _Piece(number, each, _against(each, words, spoken))
        for number, line in enumerate(lines)
        for each in _SENTENCE_END.split(line)
    ]
    pieces = _over_lines(alone, words)
    if not any(each.why for each in pieces):
        return Told("\n".join(lines))
    told = (_line(line, [each for each in pieces if each.line == number]) for number, line in enumerate(lines))
    left_out = tuple(dict.fromkeys(each.why for each in pieces if each.why))
    return Told("\n".join(line for line in told if line is not None).strip(), left_out)


def _against(piece: str, words: InstructionWords, spoken: Spoken) -> str:
    verdict = instructs(piece.strip().rstrip("?"), words) if words.rules else None
    verdict = verdict or holds_secret(piece, spoken)
    return "" if verdict is None else f"{verdict.reason} ({verdict.policy})"


def _over_lines(pieces: Sequence[_Piece], words: InstructionWords) -> list[_Piece]:
    """The same, with why where several in a row instruct together."""
    said = [each for each in pieces if each.text.strip() and not each.why]
    found: dict[_Piece, str] = {}
    for run in _runs(said):
        if run[0].line != run[-1].line and not any(each in found for each in run):
            order = in_pieces([each.text.strip() for each in run], words)
            found |= (
                dict.fromkeys(run, f"it instructs the assistant ({order}) and states no fact ({VERSION})")
                if order
                else {}
            )
    return [each._replace(why=each.why or found.get(each, "")) for each in pieces]


def _runs(pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
    for length in range(2, MOST_PIECES + 1):
        yield from (pieces[start : start + length] for start in range(len(pieces) - length + 1))


def _line(line: str, pieces: Sequence[_Piece]) -> str | None:
    """What is left of a line; None where nothing is."""
    if not any(each.why for each in pieces):
        return line
    return "".join(each.text for each in pieces if not each.why).strip() or None
