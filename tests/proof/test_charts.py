"""The charts in docs are what the scorecard's data says, and the README shows every one."""

import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.proof.charts import CHARTS, FOLDER, drawn
from tests.proof.claim import Claim, Figure, Finding, Spread
from tests.proof.drawing import NOTHING, Bar, axis, number, svg
from tests.proof.machine import Machine
from tests.proof.peers import OUTSIDE
from tests.proof.scorecard import DATA, Line, Ran, load

ROOT = Path(__file__).parents[2]
MACHINE = Machine("abc123", "3.11.0", "Linux 6 x86_64", 2, 24.0)
ONCE = Spread.only(1.0)


def figure(what: str, unit: str, beside: str, ratio: tuple[float, float, float], goal: float | None = None) -> Figure:
    return Figure(what, unit, ONCE, beside, ONCE, Spread(*ratio), goal)


def picture(chart: str, *found: tuple[str, Figure], part: str = "peers") -> str:
    lines = tuple(Line(Claim(key, "", ""), Finding(key, 1, "figure", "", True, figures=(each,))) for key, each in found)
    ran = Ran(part, "", lines, 7, 3.0, "2026-11-22 10:00", MACHINE)
    return drawn([ran])[FOLDER / f"{chart}.svg"]


def told(svg: str) -> str:
    """What screen readers tell of a picture."""
    return Xml.fromstring(svg)[1].text or ""


def test_the_charts_in_docs_are_what_the_data_says() -> None:
    for path, expected in drawn(load(ROOT / DATA)).items():
        kept = ROOT / path
        assert kept.is_file(), f"{path} is missing: `make prove` draws it"
        assert kept.read_text(encoding="utf-8") == expected, f"{path} is not what {DATA} says: `make prove` draws it"
    assert sorted(each.stem for each in (ROOT / FOLDER).iterdir()) == sorted(each.name for each in CHARTS)


def test_the_readme_shows_every_chart_with_words_for_it() -> None:
    shown = re.findall(r"!\[(.+?)\]\((docs/charts/.+?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [path for _, path in shown] == [str(FOLDER / f"{each.name}.svg") for each in CHARTS]
    assert all(len(words) > 20 for words, _ in shown)


def test_what_was_not_measured_says_so() -> None:
    assert [told(each).endswith(NOTHING) for each in drawn([]).values()] == [True] * len(CHARTS)


def test_a_rate_is_told_with_its_spread_and_its_goal() -> None:
    lmdb = figure("append, one at a time", "/s", OUTSIDE["bare LMDB"], (0.7, 0.8, 1.2), 0.6)
    assert "append, one at a time, beside lmdb put and commit: 0.8 × [0.7 … 1.2], goal ≥ 0.6" in told(
        picture("append", ("append", lmdb))
    )


def test_what_takes_time_is_told_as_how_many_times_as_fast() -> None:
    tantivy = figure("recall: p50", "ms", OUTSIDE["tantivy"], (0.25, 0.5, 2.0), 0.8)
    assert "recall: p50, beside tantivy: 2 × [0.5 … 4], goal ≥ 1.25" in told(picture("search", ("recall", tantivy)))


def test_searching_adding_and_the_size_on_disk_are_not_mixed() -> None:
    add = figure("a memory: add", "/s", OUTSIDE["mem0"], (2, 3, 4), 1)
    size = figure("the index on disk", "bytes/document", OUTSIDE["tantivy"], (2, 3, 4))
    assert told(picture("search", ("recall", add))).endswith(NOTHING)
    assert told(picture("add", ("recall", size))).endswith(NOTHING)
    assert "3 × [2 … 4], goal ≥ 1" in told(picture("add", ("recall", add)))


def test_beside_whom_is_one_of_the_peers() -> None:
    own = figure("append, 64 at once", "/s", "one at a time", (10, 12, 14), 8)
    assert told(picture("append", ("append", own))).endswith(NOTHING)


def test_a_long_log_is_told_by_what_is_allowed() -> None:
    grown = figure("a reader", "ms, by record of the ring", "100,000 events", (0.9, 0.9, 0.9), 1.5)
    bar = "opening, by record of the ring: 0.9 ×, allowed ≤ 1.5"
    assert bar in told(picture("scale", ("open", grown), part="scale"))


def test_a_picture_has_its_words_its_whisker_and_its_goal() -> None:
    root = Xml.fromstring(svg("Search & find", "times", [Bar("a < b", Spread(0.5, 2, 4), True, 3, "goal ≥")], "foot"))
    assert (root.get("role"), root.get("aria-labelledby")) == ("img", "title told")
    texts = [each.text for each in root if each.tag.endswith("text")]
    assert texts[0] == "Search & find"
    assert {"a < b", "2 × [0.5 … 4], goal ≥ 3", "foot"} <= {*texts}
    along = axis([Bar("", Spread(0.5, 2, 4), True, 3)])
    (whisker,) = [each.get("d") or "" for each in root if each.tag.endswith("path")]
    assert whisker.startswith(f"M{along.x(0.5)} ")
    assert f"H{along.x(4)}" in whisker
    (dashed,) = [each for each in root if each.get("stroke-dasharray")]
    assert dashed.get("x1") == str(along.x(3))
    bars = [each for each in root if each.tag.endswith("rect")][1:]
    assert [(each.get("x"), each.get("width")) for each in bars] == [
        (str(along.x(1)), str(round(along.x(2) - along.x(1), 1)))
    ]


def test_a_slower_one_goes_to_the_left_in_another_colour() -> None:
    slow, fast = (Bar("", Spread.only(value), value >= 1) for value in (0.5, 2.0))
    root = Xml.fromstring(svg("", "", [slow, fast], ""))
    left, right = [each for each in root if each.tag.endswith("rect")][1:]
    one = axis([slow, fast]).x(1)
    assert float(left.get("x") or 0) + float(left.get("width") or 0) == pytest.approx(one, abs=0.2)
    assert float(right.get("x") or 0) == one
    assert left.get("fill") != right.get("fill")


@pytest.mark.parametrize("values", [(1.0, 1.0), (0.03, 700.0), (2.0, 90_000.0), (0.9, 1.1)])
def test_an_axis_holds_every_bar_and_has_few_ticks(values: tuple[float, float]) -> None:
    along = axis([Bar("", Spread.only(value), True) for value in values])
    assert along.low <= min(values) <= max(values) <= along.high
    assert 1.0 in along.ticks
    assert 2 <= len(along.ticks) <= 9
    assert all(24 <= along.x(each) <= 490 for each in (*values, *along.ticks))


@pytest.mark.parametrize(("value", "words"), [(0.8234, "0.823"), (12.0, "12"), (1234.5, "1,234"), (99.96, "100")])
def test_numbers_are_short(value: float, words: str) -> None:
    assert number(value) == words
