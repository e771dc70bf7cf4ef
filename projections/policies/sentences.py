"""What of a summary may be told on: all of it but its secrets, and the sentences that instruct (`instructions`).

A summary goes into every later prompt, so an order in it is one for as long as the conversation lasts, with a line
break in it too. A sentence that only asks is kept: what is open belongs into a summary.

Who is called like the assistant stands there as `user dnam`, the name that a prompt gives them (`speaker_name`). What
comes behind that name and a colon is theirs, and is judged as anybody's; so is the name, by itself.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from projections.policies.instructions import VERSION, InstructionWords, instructs
from projections.policies.pieces import Pieces, runs
from projections.policies.secret_sentences import Spoken
from projections.policies.secrets import holds_secret, redact

_NAMESAKE = re.compile(r"^\s*user ([^:()\n]{1,32})(?: \([^():\n]{1,16}\))?:(?=\s)")
_ANYBODY = "user:"
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


def without_orders(text: str, words: InstructionWords, spoken: Spoken = UNSPOKEN, *, before: str = "") -> Told:
    """A summary without its secrets, nor the sentences that instruct, where something is known of the language.

    `before` is the summary that it follows: what stood there was judged then. Judging takes a millisecond a sentence,
    and more over lines, and most of a summary is the one before.
    """
    lines = redact(text, spoken).text.split("\n")
    stood = _split(before.split("\n"))
    judged = frozenset(each.text for each in stood)
    alone = [
        each if each.text in judged else each._replace(why=_against(each.text, words, spoken)) for each in _split(lines)
    ]
    pieces = _over_lines(alone, words, _runs(_said(stood)))
    if not any(each.why for each in pieces):
        return Told("\n".join(lines))
    told = (_line(line, [each for each in pieces if each.line == number]) for number, line in enumerate(lines))
    left_out = tuple(dict.fromkeys(each.why for each in pieces if each.why))
    return Told("\n".join(line for line in told if line is not None).strip(), left_out)


def _split(lines: Sequence[str]) -> list[_Piece]:
    return [_Piece(number, each, "") for number, line in enumerate(lines) for each in _SENTENCE_END.split(line)]


def _said(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Those that say something, and are told on."""
    return [each for each in pieces if each.text.strip() and not each.why]


def _texts(pieces: Sequence[_Piece]) -> tuple[str, ...]:
    return tuple(each.text for each in pieces)


def _against(piece: str, words: InstructionWords, spoken: Spoken) -> str:
    name = _NAMESAKE.match(piece)
    said = [_judged(piece).rstrip("?"), *([name[1]] if name else [])]
    verdict = next((found for each in said if (found := instructs(each, words))), None) if words.rules else None
    verdict = verdict or holds_secret(piece, spoken)
    return "" if verdict is None else f"{verdict.reason} ({verdict.policy})"


def _judged(piece: str) -> str:
    """What is judged of a sentence: all of it, but a namesake of the assistant's is anybody."""
    return _NAMESAKE.sub(_ANYBODY, piece).strip()


def _over_lines(pieces: Sequence[_Piece], words: InstructionWords, judged: frozenset[tuple[str, ...]]) -> list[_Piece]:
    """The same, with why where several in a row instruct together; `judged` are runs that do not."""
    found: dict[_Piece, str] = {}
    said = _said(pieces)
    texts = Pieces([_judged(each.text) for each in said], words)
    for start, stop in runs(len(said)):
        run = said[start:stop]
        over = run[0].line != run[-1].line and _texts(run) not in judged
        if over and not any(each in found for each in run):
            order = texts.order(start, stop)
            found |= (
                dict.fromkeys(run, f"it instructs the assistant ({order}) and states no fact ({VERSION})")
                if order
                else {}
            )
    return [each._replace(why=each.why or found.get(each, "")) for each in pieces]


def _runs(pieces: Sequence[_Piece]) -> frozenset[tuple[str, ...]]:
    return frozenset(_texts(pieces[start:stop]) for start, stop in runs(len(pieces)))


def _line(line: str, pieces: Sequence[_Piece]) -> str | None:
    """What is left of a line; None where nothing is."""
    if not any(each.why for each in pieces):
        return line
    return "".join(each.text for each in pieces if not each.why).strip() or None
