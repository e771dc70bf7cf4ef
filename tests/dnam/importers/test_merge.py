"""Several sources, one stream."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.importers.detect import detect
from dnam.importers.merge import in_order
from dnam.importers.source import Arrival, BrokenImport, Options, Skipped
from tests.dnam.importers.files import export, message, requests, until_error, write


def reading(path: Path, *numbers: int, cut: int | None = None, **more: Any) -> Path:
    text = json.dumps(export(*(message(n, f"{path.name}{n}", **more) for n in numbers)))
    path.write_text(text[:cut], encoding="utf-8")
    return path


def test_sources_are_merged_by_when_it_was_said(tmp_path: Path) -> None:
    paths = [reading(tmp_path / "a", 1, 4, 5), reading(tmp_path / "b", 2, 3, 4), reading(tmp_path / "c")]
    merged = in_order(detect(path).read(Options()) for path in paths)
    assert [each.text for each in requests(merged)] == ["a1", "b2", "b3", "a4", "b4", "a5"]


def test_what_is_skipped_comes_along(tmp_path: Path) -> None:
    one, two = reading(tmp_path / "a", 1, 2, type="Call"), reading(tmp_path / "b", 3)
    merged = list(in_order([detect(one).read(Options()), detect(two).read(Options())]))
    assert sum(isinstance(each, Skipped) for each in merged) == 2
    assert len(merged) == 3


def test_a_break_is_raised_when_its_turn_comes(tmp_path: Path) -> None:
    broken, whole = reading(tmp_path / "a", 1, 3, 9, cut=-120), reading(tmp_path / "b", 0, 2, 4)
    given, error = until_error(in_order([detect(broken).read(Options()), detect(whole).read(Options())]))
    assert [each.text for each in requests(given)] == ["b0", "a1", "b2", "a3"]
    assert isinstance(error, BrokenImport)
    assert error.path == broken


def test_no_source_no_stream() -> None:
    assert list(in_order([])) == []


@given(st.lists(st.lists(st.one_of(st.none(), st.integers(0, 50))), max_size=4))
def test_nothing_is_lost_and_all_is_in_order(times: list[list[int | None]]) -> None:
    readings: list[list[Arrival]] = []
    for each_source in times:
        known = sorted(each for each in each_source if each is not None)
        readings.append([Skipped("x", "") if each is None else arrived(known.pop(0)) for each in each_source])
    merged = list(in_order(readings))
    assert len(merged) == sum(map(len, readings))
    said = [each.said for each in requests(merged)]
    assert said == sorted(said)


def arrived(said: int) -> Arrival:
    from dnam.importers.source import Arrived
    from projections.decisions.hear import HeardRequest
    from projections.decisions.meet import Account
    from projections.decisions.place import PlaceSeen

    place = PlaceSeen("test", "p", "channel", "", "channel")
    return Arrived(HeardRequest(str(said), place, "person", Account("test", "1"), "", said, ()))


def test_files_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "x", export(message(1, "one")))
    with pytest.raises(StopIteration):
        next(in_order([iter(())]))
    assert [each.text for each in requests(in_order([detect(path).read(Options())]))] == ["one"]
