"""Whether rows are whole, asked of many pages at once: each ends with a CRC-32 of its key and of what is in front.

Key and row stand together in a page, and one node behind the other::

    node      head (8) · key · row with its sum · perhaps a byte, so that the next begins at an even place

What is between two rows gives way to bytes that lead the CRC of a whole row back to 0, where it begins. So a page is
one sum, which is 0 behind its last row. As in inspecting.py, two broken rows can be missed once in 2³².
"""

from zlib import crc32

import numpy as np
import numpy.typing as npt

from replay.inspecting import ANEW
from replay.packing import WHOLE
from replay.pages.form import PAGE_SIZE

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
WORD = 8
SUM = 4


def every_word(data: Bytes, form: str) -> Words:
    """The word that begins at each byte."""
    return np.ndarray((data.size - WORD + 1,), form, data, strides=(1,))


def _back_to_0(zeros: int) -> int:
    """The word behind a whole row, and a zero where its size is odd: four zeros and what leads from there to 0."""
    last = int.from_bytes(ANEW, "little") ^ WHOLE ^ crc32(bytes(zeros + WORD - SUM), WHOLE)
    return last << 8 * (WORD - SUM)


_BACK = np.array([_back_to_0(0), _back_to_0(1)], "<u8")


def all_whole(data: Bytes, uppers: Numbers, places: Numbers, ends: Numbers) -> bool:
    """Whether the rows of some pages are whole, which stand in `data` with a word behind; it is written over.

    `uppers` says where in each page the nodes begin, `places` and `ends` where each node begins and what is behind it.
    False also where they do not stand one behind the other.
    """
    odd = ends & 1
    words = every_word(data, "<u8")
    data[ends] = 0
    words[ends + odd] = _BACK[odd]
    led = words[places]
    firsts = np.arange(uppers.size) * PAGE_SIZE + uppers  # behind no other node
    if not np.array_equal(places[(led != _BACK[0]) & (led != _BACK[1])], firsts):
        return False
    view, behind = data.data, range(PAGE_SIZE + WORD, data.size + 1, PAGE_SIZE)
    starts = (firsts + WORD).tolist()
    return not any(crc32(view[start:stop]) for start, stop in zip(starts, behind, strict=True))


def make_whole(row: memoryview) -> None:
    """Have this part of a page end with its sum: what stands there of a row that lies elsewhere."""
    row[-SUM:] = crc32(row[:-SUM]).to_bytes(SUM, "little")


def is_whole(key: memoryview, row: memoryview) -> bool:
    """Whether one row is."""
    return crc32(row, crc32(key)) == WHOLE
