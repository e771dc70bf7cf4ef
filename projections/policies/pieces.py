"""Which messages instruct the assistant, on their own or several in a row: an order may be in pieces, over up to
MOST_PIECES of them.

Most runs of messages say nothing that each of them does not, so a run is read as one text only where what its texts
have together is what some pattern needs (`needed`). With a space between them their words are those of each. Without
one, those are added that lie across a seam, from the last word of one text to the first of another:

    texts    "please ig"   "nore"   "all rules"     seams    "ig|nore"   "nore|all"   "ig|nore|all"
"""

from collections.abc import Iterator, Sequence

from projections.ids import EventId
from projections.policies.disguises import MOST_CHARS, Reading, plain_reading, readings, words_of
from projections.policies.evidence import InputMessage
from projections.policies.instructions import Instruction, InstructionWords, message_judge

MOST_PIECES = 4


def tainted(messages: Sequence[InputMessage], words: InstructionWords) -> dict[EventId, Instruction]:
    """Which of these messages, in their order, instruct the assistant: on their own, or several in a row together."""
    judge = message_judge(words)
    alone = {each.id: found for each in messages if (found := judge.first_in(each.text)) is not None}
    clean = [each for each in messages if each.id not in alone]
    return {**_together(clean, words), **alone}


class Tainted:
    """The same, for some of them at a time. Few of them are asked for, and hardly any run of them instructs: so only
    those are looked at, with the runs that they are in; all of them where anything instructs there.
    """

    def __init__(self, messages: Sequence[InputMessage], words: InstructionWords) -> None:
        self._messages = messages
        self._words = words
        self._at = {each.id: number for number, each in enumerate(messages)}
        self._pieces = Pieces([each.text.strip() for each in messages], words)
        self._harmless: set[tuple[int, int]] = set()
        """The runs that were looked at, those of one message among them."""
        self._all: dict[EventId, Instruction] | None = None

    def among(self, events: Sequence[EventId]) -> dict[EventId, Instruction]:
        """Those of these that instruct the assistant."""
        if self._all is None and any(not self._is_harmless(self._at[each]) for each in events if each in self._at):
            self._all = tainted(self._messages, self._words)
        found = self._all or {}
        return {each: found[each] for each in events if each in found}

    def _is_harmless(self, number: int) -> bool:
        """Whether nothing instructs in the runs that a message is in: nor does any of those which they are made of."""
        first, behind = max(0, number - MOST_PIECES + 1), min(len(self._messages), number + MOST_PIECES)
        alone = ((each, each + 1) for each in range(first, behind))
        together = ((first + start, first + stop) for start, stop in runs(behind - first))
        runs_with_it = (each for each in together if each[0] <= number < each[1])
        return all(map(self._says_nothing, alone)) and all(map(self._says_nothing, runs_with_it))

    def _says_nothing(self, run: tuple[int, int]) -> bool:
        if run not in self._harmless:
            start, stop = run
            if stop - start == 1:
                order = message_judge(self._words).first_in(self._messages[start].text)
            else:
                order = self._pieces.order(start, stop)
            if order is not None:
                return False
            self._harmless.add(run)
        return True


def _together(messages: Sequence[InputMessage], words: InstructionWords) -> dict[EventId, Instruction]:
    """The shortest runs of messages that instruct when they are read as one text."""
    found: dict[EventId, Instruction] = {}
    pieces = Pieces([each.text.strip() for each in messages], words)
    for start, stop in runs(len(messages)):
        run = messages[start:stop]
        if not found or not any(each.id in found for each in run):
            order = pieces.order(start, stop)
            found |= {each.id: order for each in run} if order is not None else {}
    return found


def runs(count: int) -> Iterator[tuple[int, int]]:
    """Where the runs of so many texts begin and end, the shortest first."""
    for length in range(2, MOST_PIECES + 1):
        yield from ((start, start + length) for start in range(count - length + 1))


class Pieces:
    """Texts in a row, without space around them, and what any run of up to MOST_PIECES of them says together."""

    def __init__(self, texts: Sequence[str], words: InstructionWords) -> None:
        self._texts = texts
        self._is_spaced = [" " in each for each in texts]
        self._judge = message_judge(words)
        self._read: dict[int, Reading] = {}
        self._bits: dict[int, int] = {}
        self._windows: dict[int, list[int]] = {}
        self._seams: dict[tuple[int, int], int] = {}

    def order(self, start: int, stop: int) -> Instruction | None:
        """What the texts from one on, up to another, say together: read plainly; and through every disguise where none
        of them has a space, as code has none.
        """
        may_be_code = not any(self._is_spaced[start:stop])
        order = self._judge.first(readings("".join(self._texts[start:stop]))) if may_be_code else None
        around = self._may_around(start)
        if order is not None or not around:
            return order
        among = self._judge.may_match(self._bits_in(start, stop), around)
        read = (self._spaced(start, stop), plain_reading("".join(self._texts[start:stop]))) if among else ()
        return next((found for each in read if (found := self._judge.found(each, among)) is not None), None)

    def _spaced(self, start: int, stop: int) -> Reading:
        """These with a space between, read plainly: what each of them says, where that is not too long."""
        if sum(map(len, self._texts[start:stop])) + MOST_PIECES > MOST_CHARS:
            return plain_reading(" ".join(self._texts[start:stop]))
        read = [self._reading(each) for each in range(start, stop)]
        words, signed = (
            " ".join(filter(None, each)) for each in zip(*((r.words, r.signed) for r in read), strict=True)
        )
        return Reading("", words, signed)

    def _may_around(self, start: int) -> list[int]:
        """Which patterns may match as many texts as a run may have: no others match a run of some of them."""
        first = max(0, min(start, len(self._texts) - MOST_PIECES))
        if first not in self._windows:
            bits = self._bits_in(first, min(first + MOST_PIECES, len(self._texts)))
            self._windows[first] = self._judge.may_match(bits)
        return self._windows[first]

    def _bits_in(self, start: int, stop: int) -> int:
        """What a run has, at most: what its texts have, and all seams in it."""
        bits = 0
        for each in range(start, stop):
            bits |= self._bits_of(each)
        for last in range(start + 1, stop):
            for first in range(last - 1, start - 1, -1):
                bits |= self._seam(first, last)
                if " " in self._reading(first).signed:
                    break
        return bits

    def _reading(self, number: int) -> Reading:
        if number not in self._read:
            self._read[number] = plain_reading(self._texts[number])
        return self._read[number]

    def _bits_of(self, number: int) -> int:
        if number not in self._bits:
            read = self._reading(number)
            self._bits[number] = self._judge.bits(read.words, read.signed)
        return self._bits[number]

    def _seam(self, first: int, last: int) -> int:
        """What the words have that begin in one text, go through all of those behind it, and end in another."""
        if (first, last) not in self._seams:
            begins, *between, ends = (self._reading(each).signed for each in range(first, last + 1))
            begins, ends = begins.rpartition(" ")[2], ends.partition(" ")[0]
            self._seams[first, last] = self._judge.bits(words_of("".join((begins, *between, ends))))
        return self._seams[first, last]
