"""What of a summary may be told on: all of it but its secrets, and the sentences that instruct (`instructions`).

A summary goes into every later prompt, so an order in it is one for as long as the conversation lasts, with a line
break in it too. A sentence that only asks is kept: what is open belongs into a summary.

Who is called like the assistant stands there as `user dnam`, the name that a prompt gives them (`speaker_name`). What
comes behind that name and a colon is theirs, and is judged as anybody's; so is the name, by itself.

What stands in front of a colon is no part of what was said, where it is the name of somebody who spoke (`Speakers`):
a line that seems to instruct is told on all the same, if it only asks the assistant what it knows or thinks ("Kim: what
do you know of tea?"), tells on what the assistant listed ("dnam: - [fact] tea is green"), or if it is the name alone
that seems to call the assistant ("Bot: …") or to command ("Mark Twain: …"). All else in it is judged as ever.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from projections.policies.addressing import begins_with_predicate, unasked
from projections.policies.instructions import VERSION, InstructionWords, instruction_in, instructs, orders, unjudged
from projections.policies.kinds import KINDS
from projections.policies.pieces import Pieces, runs
from projections.policies.secret_sentences import Spoken
from projections.policies.secrets import holds_secret, redact
from projections.policies.speakers import NOBODY_SPOKE, Speakers

_NAMESAKE = re.compile(r"^\s*user ([^:()\n]{1,32})(?: \([^():\n]{1,16}\))?:(?=\s)")
_ANYBODY = "user:"
_SOMEBODY = "x:"
"""Somebody of whom no note is: what is commanded behind that name tells nothing of its person."""
_LABEL = re.compile(r"^\s*([^:\n]{1,48}): +(?=\S)")
_LISTED = re.compile(rf"^- \[(?:{'|'.join(map(re.escape, KINDS))})\] +(?=\S)")
_SELF = "dnam"
"""The assistant, by the name that the rules know, whatever it is called."""
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


def without_orders(
    text: str,
    words: InstructionWords,
    spoken: Spoken = UNSPOKEN,
    *,
    before: str = "",
    speakers: Speakers = NOBODY_SPOKE,
) -> Told:
    """A summary without its secrets, nor the sentences that instruct, where something is known of the language.

    `before` is the summary that it follows: what stood there was judged then. Judging takes a millisecond a sentence,
    and more over lines, and most of a summary is the one before.
    """
    lines = redact(text, spoken).text.split("\n")
    stood = _split(before.split("\n"))
    judged = frozenset(each.text for each in stood)
    alone = [
        each if each.text in judged else each._replace(why=_against(each.text, words, spoken, speakers))
        for each in _split(lines)
    ]
    pieces = _over_lines(alone, words, _runs(_said(stood)), speakers)
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


def _against(piece: str, words: InstructionWords, spoken: Spoken, speakers: Speakers) -> str:
    name = _NAMESAKE.match(piece)
    said = [_judged(piece).rstrip("?"), *([name[1]] if name else [])]
    verdict = next((found for each in said if (found := instructs(each, words))), None) if words.rules else None
    if verdict is not None and _seems_only(piece, words, speakers):
        verdict = None
    verdict = verdict or holds_secret(piece, spoken)
    return "" if verdict is None else f"{verdict.reason} ({verdict.policy})"


def _judged(piece: str) -> str:
    """What is judged of a sentence: all of it, but a namesake of the assistant's is anybody."""
    return _NAMESAKE.sub(_ANYBODY, piece).strip()


def _neutral(piece: str, speakers: Speakers) -> str:
    """A sentence of the assistant's under the name that the rules know."""
    label = _LABEL.match(piece)
    is_its = label is not None and label[1] in speakers.assistants
    return f"{_SELF}: {piece[label.end() :]}" if label is not None and is_its else piece


def _seems_only(piece: str, words: InstructionWords, speakers: Speakers) -> bool:
    """Whether a sentence behind somebody's name only seems to instruct: by how the assistant is called, as one of the
    items that it listed, or because it asks the assistant something.
    """
    label = _LABEL.match(piece)
    if label is None:
        return False
    name, said = label[1], piece[label.end() :].strip()
    if name in speakers.assistants:
        listed = _LISTED.match(said)
        if listed is None:
            return instructs(_neutral(piece, speakers), words) is None
        return _lists_fact(said[listed.end() :], words)
    return name in speakers.people and not _orders_of(name, said, words)


def _orders_of(name: str, said: str, words: InstructionWords) -> bool:
    """Whether what a person says instructs, or together with their name does; not what they only ask the assistant, and
    who is called Mark Twain commands nobody.
    """
    asked = unasked(said, words.notes) or said.rstrip("?")
    return bool(
        instruction_in(f"{name}: {said}", words)
        or orders(f"{name}: {asked}", words)
        or instructs(f"{_SOMEBODY} {asked}", words)
    )


def _lists_fact(item: str, words: InstructionWords) -> bool:
    """Whether an item that the assistant lists may be one, and instructs nobody either if it is meant of the assistant:
    one that begins with a predicate may be.
    """
    is_predicate = begins_with_predicate(item, words.notes)
    return not (
        is_predicate
        or unjudged(item, words)
        or any(instructs(each, words) for each in (item, f"{_SOMEBODY} {item}", f"{_SELF} is {item}"))
    )


def _over_lines(
    pieces: Sequence[_Piece], words: InstructionWords, judged: frozenset[tuple[str, ...]], speakers: Speakers
) -> list[_Piece]:
    """The same, with why where several in a row instruct together; `judged` are runs that do not."""
    found: dict[_Piece, str] = {}
    said = _said(pieces)
    texts = Pieces([_neutral(_judged(each.text), speakers) for each in said], words)
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
