"""Nearness in meaning, as recall is handed it: whoever looks has a question's vector, and the core has no encoder.

Only texts that may be found are handed over, and items that may be known, so that what is closed is never compared with
anything.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from projections.ids import Seq

if TYPE_CHECKING:  # looks that need no meaning need no numpy either
    import numpy as np
    import numpy.typing as npt

Seqs: TypeAlias = "Sequence[Seq] | npt.NDArray[np.int64]"
"""Which rows are asked about: of much, an array."""

MOST_NEAR = 50
"""How many of the nearest are ranked: with twice as many recall found no more."""
IN_OTHER_WORDS = "what says it in other words"
"""What is left out of a prompt where an encoder cannot be asked, or has not read enough yet."""
_NOTHING: Mapping[int, int] = MappingProxyType({})


class Near(NamedTuple):
    """Which texts are near, of what was `said` and of the items that are `known`: their cosine in thousandths by their
    index, the nearest first. `note` says what there is to note, in the program's words.
    """

    said: Mapping[int, int] = _NOTHING
    known: Mapping[int, int] = _NOTHING
    note: str = ""


class Meant(NamedTuple):
    """How near something that was said is: its rank, from 1, and whether it has that by an item that rests on it."""

    rank: int
    by_item: bool = False


class Nearness(NamedTuple):
    """What tells how near texts are to what is looked for: by which encoder, given the seqs of the events that made the
    rows of what was said, and of items. `encoder` is empty where none could be asked.

    With `kept`, nobody is asked: these are the ranks that what was said, and what is known, had once, by the seqs of
    their rows. Where they are none, `note` may say why.
    """

    encoder: str
    among: Callable[[Seqs, Sequence[Seq]], Near]
    kept: Mapping[Seq, int] | None = None
    note: str = ""


def nothing_near(note: str) -> Nearness:
    """Nothing is near, and why: no encoder could be asked."""
    return as_kept("", {})._replace(note=note)


def as_kept(encoder: str, ranks: Mapping[Seq, int]) -> Nearness:
    """What was near once."""
    return Nearness(encoder, lambda said, known: Near(), ranks)  # noqa: ARG005 - as whoever asks calls it
