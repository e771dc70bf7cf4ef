"""Nearness in meaning, as recall is handed it: whoever looks has a question's vector, and the core has no encoder.

Only texts that may be found are handed over, so that what is closed is never compared with anything.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from projections.ids import Seq

MOST_NEAR = 50
"""How many of the nearest texts are ranked: what fusing them with what words find was measured with."""


class Near(NamedTuple):
    """Which texts are near: their rank, from 1 and the nearest first, by their index. `note` says what there is to
    note, in the program's words; where there are no ranks, only words decide.
    """

    ranks: Mapping[int, int] = MappingProxyType({})
    note: str = ""


class Nearness(NamedTuple):
    """What tells how near texts are to what is looked for: by which encoder, given the seqs of the events that made the
    rows of the texts. `encoder` is empty where none could be asked.
    """

    encoder: str
    among: Callable[[Sequence[Seq]], Near]
