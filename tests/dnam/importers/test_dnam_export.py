"""Reading dnam's own export: whole, broken off at any byte, changed, or of a newer program."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnam.exports.exporting import Export
from dnam.importers.detect import detect
from dnam.importers.dnam_export import DnamExport, Returned
from dnam.importers.source import BrokenImport, Options, UnreadableImport
from projections.errors import BadRequest
from replay.engine import Engine
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, tell


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    with Engine.in_memory(FakeClock()) as engine:
        tell(engine, fixed_story(20).decisions())
        return list(Export(engine).lines(lambda done, total: None))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.jsonl"


def given_until_it_breaks(export: DnamExport) -> tuple[list[Returned], str]:
    """What it gives, and what it then raises; nothing when it is whole."""
    given: list[Returned] = []
    try:
        given.extend(export.decisions())
    except BrokenImport as error:
        return given, str(error)
    return given, ""


def sealed(lines: list[bytes]) -> bytes:
    """Lines with a last line that fits them."""
    body = b"".join(lines[:-1])
    end = json.loads(lines[-1]) | {"digest": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def changed(line: bytes, **values: Any) -> bytes:
    return json.dumps(json.loads(line) | values).encode() + b"\n"


def test_it_is_recognised_and_gives_every_event(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(b"".join(lines))
    export = detect(path)
    assert isinstance(export, DnamExport)
    assert export.format == "dnam-export"
    assert export.whole
    given, broken = given_until_it_breaks(export)
    assert broken == ""
    assert sum(len(each.drafts) for each in given) == export.head.events == export.channels[0].messages
    assert given == given_until_it_breaks(export)[0]


def missing_of(events: int, taken: int) -> str:
    if taken == events:
        return f"has all of its {events} events, and not its last line, by which it is known to be unchanged."
    missing = "the last one is missing" if taken == events - 1 else f"{events - taken} are missing"
    return f"breaks off after event {taken} of {events}: {missing}."


@pytest.mark.parametrize("left_out", [1, 2, 3])
def test_without_its_last_lines_it_says_what_is_missing_and_what_is_not(
    path: Path, lines: list[bytes], left_out: int
) -> None:
    path.write_bytes(b"".join(lines[:-left_out]))
    export = DnamExport(path)
    given, broken = given_until_it_breaks(export)
    taken = sum(len(each.drafts) for each in given)
    assert left_out > 1 or taken == export.head.events
    assert broken.startswith(f"{path} {missing_of(export.head.events, taken)} Export it again")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(share=st.floats(0, 1, exclude_max=True))
def test_broken_off_anywhere_it_gives_whole_decisions_and_says_what_is_missing(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], share: float
) -> None:
    path, data = tmp_path_factory.mktemp("cut") / "memory.jsonl", b"".join(lines)
    path.write_bytes(data[: len(lines[0]) + int(share * (len(data) - len(lines[0])))])
    export = DnamExport(path)
    given, broken = given_until_it_breaks(export)
    taken = sum(len(each.drafts) for each in given)
    assert not export.whole
    assert broken.startswith(f"{path} {missing_of(export.head.events, taken)} Export it again")
    assert all(each.drafts[-1].given is not None for each in given)


def test_broken_off_in_its_first_line_it_is_told_so(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(lines[0][:-20])
    with pytest.raises(BrokenImport, match="does not begin"):
        detect(path)


@pytest.mark.parametrize("line", [1, 5, -2])
def test_a_changed_export_is_refused_before_anything_comes_of_it(path: Path, lines: list[bytes], line: int) -> None:
    path.write_bytes(b"".join([*lines[:line], lines[line].replace(b"}", b" }", 1), *lines[line:][1:]]))
    with pytest.raises(BrokenImport, match="was changed since it was exported"):
        detect(path)


def test_a_line_that_is_gone_is_noticed(path: Path, lines: list[bytes]) -> None:
    events = [number for number, line in enumerate(lines) if b'"line":"event"' in line]
    path.write_bytes(b"".join([*lines[: events[3]], *lines[events[3] + 1 : -1]]))
    assert "should be" in given_until_it_breaks(DnamExport(path))[1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": "AAAA"}, "is not as dnam exports it"),
        ({"tag": "mood.felt"}, "does not know"),
        ({"event": {"said": "late"}}, "is not as dnam exports it"),
    ],
)
def test_an_event_that_is_none_is_named_by_its_line(
    path: Path, lines: list[bytes], changes: dict[str, Any], words: str
) -> None:
    number = next(number for number, line in enumerate(lines) if b'"line":"event"' in line and b'"left":0' in line)
    path.write_bytes(sealed([*lines[:number], changed(lines[number], **changes), *lines[number + 1 :]]))
    broken = given_until_it_breaks(DnamExport(path))[1]
    assert words in broken
    assert f"line {number + 1}" in broken


def test_a_newer_form_is_told(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(sealed([changed(lines[0], dnam_export=2), *lines[1:]]))
    with pytest.raises(BrokenImport, match="A newer dnam"):
        detect(path)


def test_it_does_not_come_in_among_other_things(path: Path, lines: list[bytes]) -> None:
    path.write_bytes(b"".join(lines))
    with pytest.raises(BadRequest, match="import it alone"):
        DnamExport(path).read(Options())


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnreadableImport):
        DnamExport(tmp_path / "none.jsonl")


@pytest.mark.parametrize("more", [b"x", b"\n", b'{"line":"event"}\n'])
def test_an_export_that_goes_on_behind_its_end_is_refused(path: Path, lines: list[bytes], more: bytes) -> None:
    path.write_bytes(b"".join(lines) + more)
    with pytest.raises(BrokenImport, match=r"goes on behind its last line\. Nothing was imported"):
        DnamExport(path)
