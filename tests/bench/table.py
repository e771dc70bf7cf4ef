"""The rows, for people and for programs."""

from collections.abc import Sequence
from typing import Any

from tests.bench.measure import Row, Spread

HEADINGS = ("what", "measured", "peer", "ratio", "goal", "")


def table(rows: Sequence[Row]) -> str:
    """A row a demand: the median, and in brackets the least and the most."""
    cells = [HEADINGS, *map(_cells, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"  {row.what}: {row.note}" for row in rows if row.note]
    missed = sum(not row.met for row in rows)
    end = "every goal is met" if not missed else f"{missed} missed"
    return "\n".join([*lines, "", *notes, "", f"{end}; medians are judged, [least … most]", ""])


def _cells(row: Row) -> tuple[str, ...]:
    peer = "" if row.peer is None else f"{row.peer.name}: {_figure(row.peer.figure, row.unit)}"
    goal = "" if row.goal is None else f"{row.goal.sign} {_number(row.goal.bound)}"
    return (row.what, _figure(row.ours, row.unit), peer, _figure(row.ratio, "×"), goal, _verdict(row))


def _verdict(row: Row) -> str:
    if row.broken:
        return f"MISSED: {row.broken}"
    if not row.met:
        return "MISSED"
    return "met" if row.goal else ""


def _figure(spread: Spread | None, unit: str) -> str:
    if spread is None:
        return ""
    if spread.low == spread.high:
        return f"{_number(spread.middle)} {unit}"
    return f"{_number(spread.middle)} {unit} [{_number(spread.low)} … {_number(spread.high)}]"


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The same with stable names."""
    return [
        {
            "what": row.what,
            "unit": row.unit,
            "measured": _spread(row.ours),
            "peer": None if row.peer is None else {"name": row.peer.name, "measured": _spread(row.peer.figure)},
            "ratio": _spread(row.ratio),
            "goal": None if row.goal is None else {"sign": row.goal.sign, "bound": row.goal.bound},
            "met": row.met,
            "note": row.note,
            "broken": row.broken,
        }
        for row in rows
    ]


def _spread(spread: Spread | None) -> dict[str, float] | None:
    return None if spread is None else {"min": spread.low, "median": spread.middle, "max": spread.high}
