"""What commands print: questions, times, tables, bars, and JSON."""

import io
import re
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from dnam.cli.progress import Lines
from dnam.cli.screen import MOST_NOTE_CHARS, Screen, jsonable
from dnam.cli.tables import columns, width_of
from dnam.times import age, iso
from projections.errors import BadRequest
from projections.events.values import Audience, By
from projections.ids import Handle, Ref
from tests.world import NOW


def test_yes_answers_and_without_a_terminal_the_question_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Screen(yes=True).confirm("Sure?")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(BadRequest, match="--yes"):
        Screen().confirm("Sure?")


@pytest.mark.parametrize(
    ("typed", "answer"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_question_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, answer: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert Screen().confirm("Sure?") is answer
    assert capsys.readouterr() == ("", "Sure? [y/N] ")


def test_json_has_field_names_and_hex() -> None:
    audience = Audience("guild", Ref("discord", "1"))
    assert jsonable([audience, By("person", Handle(b"\x01")), {"a": (1, None)}, Path("x"), "\ud800"]) == [
        {"kind": "guild", "place": {"platform": "discord", "key": "1"}, "epoch": 0},
        {"kind": "person", "person": "01", "name": "", "version": ""},
        {"a": [1, None]},
        "x",
        "\ufffd",
    ]


@pytest.mark.parametrize(
    ("milliseconds", "for_programs", "for_people"),
    [
        (None, None, ""),
        (NOW, "2023-11-14T22:13:20.000Z", "2023-11-14 23:13+01:00"),
        (-1, "1969-12-31T23:59:59.999Z", "1970-01-01 00:59+01:00"),
        (10**18, "9999-12-31T23:59:59.999Z", "9999-12-31 23:59+00:00"),
        (-(10**18), "0001-01-01T00:00:00.000Z", "0001-01-01 00:53+00:53:28"),
    ],
)
def test_times(milliseconds: int | None, for_programs: str | None, for_people: str) -> None:
    assert iso(milliseconds) == for_programs
    assert Screen(timezone="Europe/Berlin").when(milliseconds) == for_people


def test_without_a_zone_times_are_the_system_s() -> None:
    assert Screen().when(NOW).startswith("2023-11-1")


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (-5, "just now"),
        (59_999, "just now"),
        (60_000, "1 minute ago"),
        (7_200_000, "2 hours ago"),
        (90_000_000, "1 day ago"),
        (64_000_000_000, "2 years ago"),
        (-59_999, "just now"),
        (-60_000, "in 1 minute"),
        (-64_000_000_000, "in 2 years"),
    ],
)
def test_ages(passed: int, words: str) -> None:
    assert age(NOW - passed, NOW) == words


def test_a_long_note_is_cut_and_shows_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().note("\x1b" + "x" * 5000 + "\nsecond")
    said = capsys.readouterr().err
    assert said.startswith("dnam: �x")
    assert said.endswith("… (5001 characters)\nsecond\n")
    assert len(said) < MOST_NOTE_CHARS + 100


WIDE = "東京都に行きたいと思います。"


def test_what_is_written_in_wide_characters_stands_in_columns_too() -> None:
    rows = [("name", "said"), (WIDE, "a"), ("cafe\u0301", "b"), ("Kim", "c")]
    assert list(columns(rows)) == [
        f"name{' ' * 24}  said",
        f"{WIDE}  a",
        f"cafe\u0301{' ' * 24}  b",
        f"Kim{' ' * 25}  c",
    ]


@pytest.mark.parametrize(("width", "drawn"), [(130, True), (95, False)])
def test_what_is_written_in_wide_characters_is_given_the_room_that_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, *, drawn: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    Screen().table(("id", "name", "updated", "text"), [["durable-84983c8f", WIDE, "2026-03-05 16:49+00:00", WIDE * 4]])
    out = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert ("─" in out) == drawn
    assert max(map(width_of, out.splitlines())) <= width
    assert WIDE in out
    assert len(out.splitlines()) < 10  # in no column of a few characters


def test_in_a_terminal_tables_are_drawn_and_markup_means_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    Screen().table(("name",), [["[red]Kim[/red]"]])
    out = capsys.readouterr().out
    assert "[red]Kim[/red]" in out
    assert "─" in out


@pytest.mark.parametrize(("width", "drawn"), [(140, True), (60, False), (40, False)])
def test_where_a_table_has_no_room_rows_stand_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, *, drawn: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(width))
    text = "User prefers growing from seed over buying seedlings."
    Screen().table(("id", "text", "updated", ""), [["durable-84983c8f", text, "2026-03-05 16:49+00:00", ""]])
    out = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert "durable-84983c8f" in out
    assert "2026-03-05 16:49+00:00" in out
    assert ("─" in out) == drawn
    assert max(map(len, out.splitlines())) <= width
    assert "".join(out.split()).count("Userprefers") == 1


COSTS = [["2026-11-29", "12", "3 400 (1 200 cached)", "210", "$0.0123", "0", "2.1 s"]] * 2
LORE = [["durable-d98db569", "fact", "2026-11-29 09:12+00:00", "2026-11-29 09:12+00:00", "the gate opens at 9 " * 5]]
SHAPES = {
    "short cells": (["day", "calls", "tokens in", "tokens out", "cost", "failed", "slowest"], COSTS),
    "one that is wrapped": (["id", "kind", "said", "recorded", "text"], LORE),
    "two that are": (["id", "text", "text then"], [["durable-1", "word " * 30, "other " * 30]]),
    "without titles": ([], [["2026-11-29 09:12+00:00", "a" * 20, "b" * 25]]),
    "one column": (["ids"], [["durable-d98db569"]]),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_at_no_width_a_cell_is_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shape: tuple[list[str], list[list[str]]]
) -> None:
    titles, rows = shape
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for width in range(40, 141):
        monkeypatch.setenv("COLUMNS", str(width))
        Screen().table(titles, rows)
        out = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
        lines = out.splitlines()
        assert max(map(width_of, lines)) <= width
        there, drawn = Counter("".join(out.split())), "─" in out
        for shown in (*chain(*rows), *(titles if drawn else ())):
            there.subtract("".join(shown.split()))
        assert min(there.values()) >= 0, (width, out)
        for cell in chain(*rows):
            assert len(cell) > 30 or any(cell in line for line in lines), (width, cell, out)


def test_a_bar_is_drawn_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with Screen().progress("replaying") as tell:
        tell(1, 2)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Screen().progress("replaying") as tell:
        tell(1, 2)
        tell(2, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "replaying" in err
    with Screen().counting("deriving", "runs") as count:
        count(1, 2, "$0.0001 so far")
        count(2, 2, "$0.0002 so far")
    assert "deriving, $0.0002 so far" in capsys.readouterr().err


def test_a_bar_of_what_nobody_counted_is_not_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for before in (None, 10):
        with Screen().progress("importing", "messages") as tell:
            tell(5, before)
            tell(1_792, None)
        last = capsys.readouterr().err.rsplit("importing", 1)[1]
        assert "1792/?" in last
        assert "0:00" not in last


def test_a_line_tells_of_no_end_that_nobody_knows() -> None:
    told: list[str] = []
    seconds = iter([0.0, 6.0])
    Lines(told.append, "deriving", "runs", lambda: next(seconds))(1_000, None)
    assert told == ["deriving: 1,000 runs"]


def test_where_no_bar_is_drawn_a_line_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    seconds = 0.0
    lines = Lines(told.append, "deriving", "runs", lambda: seconds)
    for done in range(1, 1_201):
        seconds += 1 / 64
        lines(done, 1_200, "$0.0100 so far" if done > 600 else "")
    assert told == [
        "deriving: 320 of 1,200 runs",
        "deriving: 640 of 1,200 runs, $0.0100 so far",
        "deriving: 960 of 1,200 runs, $0.0100 so far",
    ]
    with Screen().counting("deriving", "runs") as tell:
        tell(1, 2)
    assert capsys.readouterr() == ("", "")
