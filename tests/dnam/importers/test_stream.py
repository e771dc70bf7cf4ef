"""Bytes are mended before they are parsed, and nothing else about them changes."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.importers.detect import detect
from dnam.importers.source import BrokenImport, ImportFailed, Options, UnknownFormat, UnreadableImport
from dnam.importers.stream import BOM, CHUNK_BYTES, MendedStream, is_blank, values

TEXTS = st.text(st.one_of(st.characters(), st.characters(categories=["Cs"]), st.sampled_from('\\"\ud83d\ude00u\x00')))


def mended(data: bytes, size: int) -> bytes:
    stream = MendedStream(io.BytesIO(data))
    return b"".join(iter(lambda: stream.read(size), b""))


@given(TEXTS, st.integers(1, 30))
def test_lone_surrogates_are_replaced_wherever_a_chunk_ends(text: str, size: int) -> None:
    data = json.dumps(text).encode()
    given = mended(data, size)
    assert len(given) == len(data)
    # Neighbouring escapes of a high and a low half are a pair to JSON, however they came there.
    read = json.loads(given)
    assert read == "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in json.loads(data))


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.integers(1, 9))
def test_well_formed_bytes_stay_as_they_are(text: str, size: int) -> None:
    for data in (text.encode(), json.dumps(text).encode(), json.dumps(text, ensure_ascii=False).encode()):
        if not data.startswith(BOM):
            assert mended(data, size) == data


@pytest.mark.parametrize("size", range(1, 8))
def test_raw_surrogates_are_replaced(size: int) -> None:
    data = "a\ud800b\udfff".encode("utf-8", "surrogatepass")
    assert mended(data, size).decode() == "a\ufffdb\ufffd"


def test_an_escaped_backslash_is_no_surrogate(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(rb'["\\ud83d", "\\\ud83d", "\ud83d\ude00", "\u0000"]')
    assert list(values(path, "item", "value")) == ["\\ud83d", "\\\ufffd", "😀", "\0"]


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(BOM + b"[1]")
    assert list(values(path, "item", "value")) == [1]
    path.write_bytes(BOM + b" \n")
    assert is_blank(path)


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"[1, 2, ", "after number 2, at byte 7"),
        (b"[1, 2, x, 3]", "after number 2, before byte 12"),
        (b"[1, 2] x", "after number 2, before byte 8"),
        (b'[1, "\xff"]', "after number 1, at byte 6 in line 1"),
        (b'[1,\n2,\n"\xc3\xa9\xe9"]', "after number 2, at byte 11 in line 3"),
        (
            b'[1,\n"' + b"\xc3\xa9" * CHUNK_BYTES + b'\xe9\xe9"]',
            f"after number 1, at byte {2 * CHUNK_BYTES + 6} in line 2",
        ),
        (b'["' + b"a" * (CHUNK_BYTES - 3) + b'\xe2("]', f"after number 0, at byte {CHUNK_BYTES} in line 1"),
        (b'[1, x, "\xff"]', "after number 1, before byte 11"),
        (b'[1, "a\xc3', "after number 1, at byte 7"),
        (b'[1, "\n"]', "after number 1, before byte 8"),
    ],
)
def test_what_stands_before_a_break_is_read_and_the_break_is_named(tmp_path: Path, data: bytes, where: str) -> None:
    path = tmp_path / "broken"
    path.write_bytes(data)
    read: list[int] = []
    with pytest.raises(BrokenImport) as caught:
        read.extend(values(path, "item", "number"))
    assert caught.value.where == where
    assert f"after number {len(read)}," in where
    assert str(path) in str(caught.value)
    assert ("Export it again" in str(caught.value)) == ("line" not in where)
    assert ("is not UTF-8" in str(caught.value)) == ("line" in where)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-16", "UTF-16"), ("utf-16-be", "UTF-16"), ("utf-32", "UTF-32"), ("utf-32-be", "UTF-32")],
)
def test_another_encoding_is_told_by_its_mark(tmp_path: Path, encoding: str, said: str) -> None:
    mark = "\ufeff" if encoding.endswith("be") else ""
    path = tmp_path / "durable" / "1.json"
    path.parent.mkdir()
    path.write_bytes((mark + json.dumps({"version": 1, "items": []})).encode(encoding))
    told = f"{path} is in {said}, as its first bytes say, and dnam reads UTF-8"
    with pytest.raises(UnknownFormat, match=re.escape(told)):
        detect(path)
    with pytest.raises(UnknownFormat, match=re.escape(told)):
        list(detect(tmp_path).read(Options()))


def test_a_disk_that_fails_on_the_way_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 2:
                raise OSError(5, "Input/output error")
            return super().read(size)

    monkeypatch.setattr(Path, "open", lambda self, mode: Failing(b'["a"' + b" " * 10))
    with pytest.raises(UnreadableImport, match="past byte 0: Input/output error"):
        list(values(tmp_path / "a", "item", "value"))


@pytest.mark.parametrize(
    "number", ["9" * 4301, "-" + "9" * 20_000, "1e99999999999999999999", "1E-99999999999999999999"]
)
@pytest.mark.parametrize("form", ["[{}]", '{{"messages": [{}]}}', "{}", '{{"guild": {{"id": {}}}, "messages": []}}'])
def test_no_number_is_too_much_for_the_parser(tmp_path: Path, number: str, form: str) -> None:
    path = tmp_path / "long.json"
    path.write_text(form.format(number), encoding="utf-8")
    before = sys.get_int_max_str_digits()
    with pytest.raises(ImportFailed):
        detect(path)
    assert sys.get_int_max_str_digits() == before
