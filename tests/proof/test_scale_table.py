"""The table of how large it can grow, in docs/scale.md, says what was measured: long.json, rounded."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from tests.proof.scale.judging import records
from tests.proof.scale.kept import LONG_RUN, LongRun, kept
from tests.proof.scale.measuring import Measured

ROOT = Path(__file__).parents[2]
COLUMNS = 3
"""Sizes that were measured; the column behind them is reckoned."""


def large(megabytes: float) -> str:
    """Of a file."""
    return f"{megabytes:.0f} MB" if megabytes < 1_000 else f"{megabytes / 1_000:.3g} GB"


def duration(seconds: float) -> str:
    """To two digits, from ten seconds on to the second or minute."""
    if seconds < 1:
        return f"{seconds:.1g} s"
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def opening(at: Measured) -> str:
    """By a reader and a writer, in seconds."""
    return ", ".join(
        f"{s:.2f}" if s < 1 else f"{s:.1f}" for s in (at["open_reader_ms"] / 1e3, at["open_writer_ms"] / 1e3)
    )


def recalling(at: Measured) -> str:
    """In the middle, and the first."""
    first = at["guild_first_ms"]
    middle = f"{round(at['guild_p50_ms'], -1 if at['guild_p50_ms'] > 100 else None):.0f}"
    return f"{middle} ms, {first / 1e3:.0f} s" if first > 10_000 else f"{middle}, {float(f'{first:.2g}'):,.0f} ms"


def micros(at: Measured, figure: str) -> float:
    """What it takes a record of the ring, in µs."""
    return 1e3 * at[figure] / records(at)


CELLS: dict[str, tuple[Callable[[Measured], str], ...]] = {
    "log on disk": (
        *[lambda at: large(at["log_disk_mb"])] * 2,
        lambda at: f"{large(at['log_disk_mb'])}, {1e6 * at['log_disk_mb'] / at.events:,.0f} bytes an event",
    ),
    "views on disk": (
        *[lambda at: large(at["views_disk_mb"])] * 2,
        lambda at: f"{large(at['views_disk_mb'])}, {at['rows'] / at.events:.1f} rows an event",
    ),
    "key ring, one copy (88 bytes a record)": (
        *[lambda at: f"{at['ring_disk_mb'] / 2:.1f} MB"] * 2,
        lambda at: f"{at['ring_disk_mb'] / 2:.0f} MB",
    ),
    "opening: reader, writer": (
        *[lambda at: f"{opening(at)} s"] * 2,
        lambda at: (
            f"{opening(at)} s: {micros(at, 'open_reader_ms'):.1f} and {micros(at, 'open_writer_ms'):.1f} µs a record"
        ),
    ),
    "one durable append; of 64 at once": (*[lambda at: f"{at['append_ms']:.1f}, {at['many_ms']:.2f} ms"] * 3,),
    "`show --at`, `audit` of 70 items": (*[lambda at: f"{at['show_ms']:.1f}, {at['audit_ms']:.0f} ms"] * 3,),
    "recall in a guild, p50; the first": (*[recalling] * 3,),
    "its memory": (*[lambda at: f"{float(format(at['guild_mb'], '.2g')):,.0f} MB"] * 3,),
    "`replay`": (
        lambda at: duration(at["replay_s"]),
        lambda at: f"{duration(at['replay_s'])} ({at['replay_cpu_s']:.0f} s)",
        lambda at: f"{duration(at['replay_s'])} ({at['replay_cpu_s']:.0f} s of two processors)",
    ),
    "`verify`": (
        lambda at: duration(at["verify_s"]),
        lambda at: f"{duration(at['verify_s'])} ({at['verify_cpu_s']:.1f} s)",
        lambda at: f"{duration(at['verify_s'])} ({at['verify_cpu_s']:.0f} s)",
    ),
    "erasing somebody: keys gone": (
        *[lambda at: duration(at["keys_gone_ms"] / 1e3)] * 2,
        lambda at: f"{at['keys_gone_ms'] / 1e3:.1f} s: {micros(at, 'keys_gone_ms'):.0f} µs a record of the ring",
    ),
    "erasing somebody: all done": (
        lambda at: f"{at['erase_s']:.0f} s",
        *[lambda at: f"{duration(at['erase_s'])} ({at['erase_cpu_s']:.0f} s)"] * 2,
    ),
    "memory of `replay`, `verify`, an erasure": (
        *[lambda at: f"{at['replay_mb']:.0f}, {at['verify_mb']:.0f}, {at['erase_mb']:.0f} MB"] * 2,
        lambda at: f"{at['replay_mb']:.0f}, {at['verify_mb']:.0f}, {at['erase_mb']:.0f} MB: the ring in each process",
    ),
}
"""By the first cell of a row, what stands behind it for each size."""
SAID: tuple[Callable[[Measured], str], ...] = (
    lambda at: f"{(at['log_disk_mb'] + at['views_disk_mb']) / 1e3:.1f} GB of log\nand views did not fit into memory",
    lambda at: f"it has {records(at) / 1e3:,.0f},000 records",
)
"""What the text beside the table says of the largest size."""


def wrong(text: str, run: LongRun) -> Iterator[str]:
    """What the text says otherwise than what was measured."""
    rows = {cells[0]: cells for line in text.splitlines() if line.startswith("| ") and (cells := cells_of(line))}
    for name, each in CELLS.items():
        measured = [cell(at) for cell, at in zip(each, run.sizes, strict=True)]
        said = rows.get(name, [])[1 : 1 + COLUMNS]
        if said != measured:
            yield f"{name}: {' | '.join(measured)}"
    yield from (told for each in SAID if (told := each(run.sizes[-1])) not in text)


def cells_of(line: str) -> list[str]:
    """The cells of a row of a table."""
    return [each.strip() for each in line.strip().strip("|").split("|")]


@pytest.fixture(scope="module")
def run() -> LongRun:
    found = kept(LONG_RUN)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def section() -> str:
    return (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def test_the_table_says_what_was_measured(run: LongRun, section: str) -> None:
    assert list(wrong(section, run)) == []
    rows = [cells_of(line) for line in section.splitlines() if line.startswith("| ")]
    assert {each[0] for each in rows if each[0]} == set(CELLS), "every row of the table is held against the data"
    assert rows[0][1 : 1 + COLUMNS] == ["10⁵", "10⁶", "10⁷"]
    assert [round(each.events, -4) for each in run.sizes] == [10**5, 10**6, 10**7]


@pytest.mark.parametrize("name", CELLS)
def test_a_figure_that_is_typed_otherwise_is_found(name: str, run: LongRun, section: str) -> None:
    line = next(each for each in section.splitlines() if each.startswith(f"| {name} |"))
    for column in range(1, 1 + COLUMNS):
        cells = cells_of(line)
        digit = next(each for each in cells[column] if each.isdigit() and each != "0")
        cells[column] = cells[column].replace(digit, str(int(digit) % 9 + 1), 1)
        (found,) = wrong(section.replace(line, f"| {' | '.join(cells)} |"), run)
        assert found.startswith(f"{name}: ")


def test_another_measurement_is_found(run: LongRun, section: str) -> None:
    """What the table and the text say are of the data that is there, and of no other."""
    figures = {name: 3 * value for name, value in run.sizes[-1].figures.items()}
    other = msgspec.structs.replace(run.sizes[-1], figures=figures)
    found = list(wrong(section, msgspec.structs.replace(run, sizes=(*run.sizes[:-1], other))))
    assert len(found) == len(CELLS) + len(SAID)
