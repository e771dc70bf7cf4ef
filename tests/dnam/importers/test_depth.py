"""Depth is counted in the bytes, wherever a piece ends, and brackets in strings do not count."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.importers.depth import DepthCounter
from dnam.importers.stream import MendedStream, TooDeep

TEXTS = st.text(st.sampled_from('[]{}\\"\na'), max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    TEXTS | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)


def depth_of(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def taken(data: bytes, size: int, most: int) -> tuple[bytes, bool]:
    """What is let through of data that comes in pieces, and whether that is short of its end."""
    counter, through = DepthCounter(most), b""
    for begin in range(0, len(data), size):
        given, is_cut = counter.take(data[begin : begin + size])
        through += given
        if is_cut:
            return through, True
    return through, False


@given(VALUES, st.integers(1, 9), st.integers(0, 4))
def test_it_is_cut_where_it_is_deeper_and_nowhere_else(value: object, size: int, most: int) -> None:
    data = json.dumps(value).encode()
    through, is_cut = taken(data, size, most)
    assert data.startswith(through)
    assert is_cut == (depth_of(value) > most)
    assert is_cut or through == data
    assert not is_cut or data[len(through) :][:1] in (b"[", b"{")
    assert taken(data, len(data), most) == (through, is_cut)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 16])
def test_a_stream_gives_all_that_is_shallow_and_then_raises(size: int) -> None:
    shallow = b'["]]]", ' + b"[" * 63
    stream = MendedStream(io.BytesIO(shallow + b"[" * 10))
    pieces: list[bytes] = []
    with pytest.raises(TooDeep):
        list(map(pieces.append, iter(lambda: stream.read(size), b"")))
    assert b"".join(pieces) == shallow
    assert stream.position == len(shallow)
