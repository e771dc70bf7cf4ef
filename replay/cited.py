"""What something rests on, as it can be read now: a message in the words that it has by now, or an answer.

An edit takes the earlier words of a message away, and the message stands: whoever names it as it was first heard means
what it says since. Only where it was taken back is there nothing to read.
"""

from typing import NamedTuple

from projections.derived import effects_of
from projections.events import MessageEdited, MessageHeard
from projections.rows import Rows
from replay.reading import Reader, Reading

SAID_TAGS = ("message.", "turn.")


class Cited(NamedTuple):
    """A message or an answer that something rests on, and the words that are quoted from it. `replaced`: the message
    said something else then, and these words are gone.
    """

    reading: Reading
    quotes: tuple[str, ...] = ()
    replaced: bool = False


def is_said(reading: Reading) -> bool:
    """Whether it is a message or an answer."""
    return reading.header.tag.startswith(SAID_TAGS)


def cited(rows: Rows, reader: Reader, reading: Reading, upto: int, quotes: tuple[str, ...] = ()) -> Cited:
    """What an event at `upto` (a seq) rests on; `rows` are those of now."""
    versions = _versions(rows, reader, reading)
    then = max((each for each in versions if each.seq <= upto), key=lambda each: each.seq, default=reading)
    return Cited(as_it_is(rows, reader, reading), quotes, then.state == "redacted" and _stands(versions))


def as_it_is(rows: Rows, reader: Reader, reading: Reading) -> Reading:
    """A message whose words were replaced, as the last edit has it; whatever else, and what was taken back, itself."""
    versions = _versions(rows, reader, reading)
    return versions[-1] if _stands(versions) else reading


def _versions(rows: Rows, reader: Reader, reading: Reading) -> list[Reading]:
    """A message as it was heard, if these words are gone, and behind that every edit of it; just itself otherwise."""
    if reading.state != "redacted" or reading.header.tag != MessageHeard.TAG:
        return [reading]
    edits = (reader.find(effect) for effect, tag in effects_of(rows, reading.id) if tag == MessageEdited.TAG)
    return [reading, *sorted((each for each in edits if each is not None), key=lambda each: each.seq)]


def _stands(versions: list[Reading]) -> bool:
    return versions[-1].state != "redacted"
