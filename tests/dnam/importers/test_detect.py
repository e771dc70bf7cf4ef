"""What a file is, is told by what is in it."""

import io
import json
import tracemalloc
from pathlib import Path

import pytest

from dnam.importers.detect import detect
from dnam.importers.source import FORMATS, Arrival, BrokenImport, Options, UnknownFormat, UnreadableImport
from dnam.importers.stream import BOM
from tests.dnam.importers.files import SAMPLE, export, message, requests, sample, source, turn, write


def test_each_format_is_told_whatever_its_name_is(tmp_path: Path) -> None:
    assert source(tmp_path, export(message(1))).format == "discord-export"
    assert source(tmp_path, [sample("c", "A", "B")]).format == "locomo"
    folder = tmp_path / "folder.json"
    write(folder / "memory" / "durable" / "1.json", {"version": 1, "updatedAt": 1, "items": []})
    assert detect(folder).format == "discoclaw"
    assert detect(SAMPLE).path == SAMPLE


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for value in (export(message(1)), [sample("c", "A", "B", ("1:00 pm on 1 May, 2023", [turn(1, 1, "A")]))]):
        path.write_bytes(BOM + json.dumps(value).encode())
        assert len(requests(detect(path).read(Options()))) == 1


@pytest.mark.parametrize(
    "value", [{}, [], {"messages": {}}, [{"text": "hi"}], 7, "text", {"a": [{"conversation": {}}]}]
)
def test_json_of_another_shape_is_refused_with_what_was_looked_for(tmp_path: Path, value: object) -> None:
    with pytest.raises(UnknownFormat) as caught:
        source(tmp_path, value)
    assert all(words in str(caught.value) for words in FORMATS.values())
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("missing", ["guild", "channel"])
def test_an_export_without_its_head_is_refused(tmp_path: Path, missing: str) -> None:
    value = export(message(1))
    del value[missing]
    with pytest.raises(UnknownFormat, match=f'no "{missing}"'):
        source(tmp_path, value)


def test_the_head_may_stand_behind_the_messages(tmp_path: Path) -> None:
    value = export(message(1))
    turned = dict(reversed(value.items()))
    assert len(requests(source(tmp_path, turned).read(Options()))) == 1


def test_what_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("hello there", encoding="utf-8")
    with pytest.raises(UnknownFormat, match="is not JSON"):
        detect(path)
    path.write_bytes(bytes(range(256)))
    with pytest.raises(UnknownFormat, match="is not JSON"):
        detect(path)


def test_a_file_that_breaks_off_before_it_can_be_told_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_text('{"guild": {"id": "1"', encoding="utf-8")
    with pytest.raises(BrokenImport, match="breaks off before its first message, at byte 20"):
        detect(path)


@pytest.mark.parametrize("data", [b"", b" \n", BOM])
def test_an_empty_file_is_named_so(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty"
    path.write_bytes(data)
    with pytest.raises(UnknownFormat, match="empty file"):
        detect(path)


def test_an_empty_folder_and_one_with_other_things_are_named_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="empty folder"):
        detect(tmp_path)
    (tmp_path / "durable").mkdir()
    with pytest.raises(UnknownFormat, match="no DiscoClaw data folder"):
        detect(tmp_path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImport, match="no such file"):
        detect(tmp_path / "nowhere")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path / "mine", [])
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableImport, match="may not be read"):
        detect(path)


def test_a_folder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(UnreadableImport, match="cannot be read: Permission denied"):
        detect(tmp_path)


def test_a_link_that_leads_to_itself(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UnreadableImport, match="cannot be read"):
        detect(tmp_path / "loop")


def test_a_disk_that_fails_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 2:
                raise OSError(5, "Input/output error")
            return super().read(size)

    monkeypatch.setattr("dnam.importers.detect.stream.is_blank", lambda path: False)
    monkeypatch.setattr(Path, "open", lambda self, mode: Failing(b'{"a": 1}'))
    with pytest.raises(UnreadableImport, match="past byte 0: Input/output error"):
        detect(tmp_path / "a")


DEEP = "[" * 10_000 + "]" * 10_000


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"messages":' + DEEP + "}", '{"a":' + '{"a":' * 10_000, '[{"conversation":' + DEEP + "}]"],
)
def test_a_file_that_is_nested_without_end_does_not_fill_the_memory(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(text)
    tracemalloc.start()
    try:
        with pytest.raises(UnknownFormat, match=r"deep\.json is nested more than 64 deep"):
            list(detect(path).read(Options()))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("depth", [1_000, 10_000])
def test_a_message_that_is_nested_too_deep_ends_an_import_behind_those_before_it(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "deep.json"
    deep = json.dumps(export(message(1), message(2, extra="?"), message(3))).replace('"?"', "[" * depth + "]" * depth)
    path.write_text(deep)
    arrivals: list[Arrival] = []
    tracemalloc.start()
    try:
        with pytest.raises(UnknownFormat, match=r"deep\.json is nested more than 64 deep"):
            list(map(arrivals.append, detect(path).read(Options())))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert len(arrivals) == 1
