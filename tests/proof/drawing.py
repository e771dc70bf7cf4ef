"""Bars on a logarithmic axis, as SVG: how many times as much as something else, from 1 to the left or to the right.

    Title
    what the axis says
    name of the bar
    ........|█████████├──┤  ┆     12 × [10 … 14]
            1               goal
    foot

Everything that is drawn stands there as text too, and once more in the description that screen readers tell. The
picture has a ground of its own: it reads the same on a light page and on a dark one.
"""

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple
from xml.sax.saxutils import escape

from tests.proof.claim import Spread

WIDTH, LEFT, RIGHT, NUMBERS = 760, 24, 490, 508
"""Pixels: of the picture, where the axis begins and ends, where numbers begin."""
TOP, ROW, BAR, BOTTOM = 82, 46, 14, 62
GROUND, BORDER, GRID, INK, GREY = "#ffffff", "#d0d7de", "#e4e8ec", "#1f2328", "#59636e"
GOOD, POOR, GOAL = "#2f6fde", "#bc5a14", "#1a7f37"
FONT = "-apple-system,Segoe UI,Helvetica,Arial,sans-serif"
MOST_TICKS = 9
NOTHING = "Not measured yet: `make prove` draws this chart."


class Bar(NamedTuple):
    """How many times as much, its goal (the same) in words and as a figure, and whether it is as one would like it."""

    name: str
    times: Spread
    is_good: bool
    goal: float | None = None
    sign: str = ""

    def told(self) -> str:
        """In words."""
        spread = "" if self.times.min == self.times.max else f" [{number(self.times.min)} … {number(self.times.max)}]"
        goal = "" if self.goal is None else f", {self.sign} {number(self.goal)}"
        return f"{number(self.times.median)} ×{spread}{goal}"


class Axis(NamedTuple):
    """From which to which value, and where its ticks are."""

    low: float
    high: float
    ticks: Sequence[float]

    def x(self, value: float) -> float:
        """The pixel of a value."""
        share = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return round(LEFT + share * (RIGHT - LEFT), 1)


def number(value: float) -> str:
    """With three digits, or as many as it has before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def svg(title: str, says: str, bars: Sequence[Bar], foot: str) -> str:
    """The picture; without bars it says that nothing was measured yet."""
    height = TOP + ROW * max(1, len(bars)) + (BOTTOM if bars else 0)
    told = "; ".join(f"{each.name}: {each.told()}" for each in bars) or NOTHING
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title told" width="{WIDTH}" '
            f'height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="{FONT}" font-size="12">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="told">{escape(f"{says}. {told}")}</desc>',
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" fill="{GROUND}" '
            f'stroke="{BORDER}"/>',
            _text(LEFT, 30, title, size=16, weight="600"),
            _text(LEFT, 51, says, fill=GREY),
            *(_drawn(bars, height) if bars else [_text(LEFT, TOP + 18, NOTHING, size=14)]),
            *([_text(LEFT, height - 14, foot, size=11, fill=GREY)] if bars else []),
            "</svg>\n",
        )
    )


def axis(bars: Sequence[Bar]) -> Axis:
    """Wide enough for every bar, whisker and goal, and for 1 with room on both sides."""
    values = [value for each in bars for value in (*_ends(each), 1.0)]
    low, high = min(*values, 0.5), max(*values, 2.0)
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    steps = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
    low, high = max(each for each in steps if each <= low), min(each for each in steps if each >= high)
    ticks = [each for each in steps if low <= each <= high]
    if len(ticks) > MOST_TICKS:
        ticks = [10.0**decade for decade in decades if low <= 10.0**decade <= high]
    return Axis(low, high, ticks)


def _ends(bar: Bar) -> tuple[float, ...]:
    return (bar.times.min, bar.times.max, *(() if bar.goal is None else (bar.goal,)))


def _drawn(bars: Sequence[Bar], height: int) -> Iterator[str]:
    along = axis(bars)
    end = height - BOTTOM + 4
    for tick in along.ticks:
        yield _line(along.x(tick), TOP - 8, end, GREY if tick == 1 else GRID)
        yield _text(along.x(tick), end + 15, number(tick), fill=GREY, anchor="middle")
    for at, each in enumerate(bars):
        yield from _bar(each, along, TOP + at * ROW)


def _bar(bar: Bar, along: Axis, top: int) -> Iterator[str]:
    yield _text(LEFT, top + 10, bar.name, more=f' paint-order="stroke" stroke="{GROUND}" stroke-width="4"')
    yield _text(NUMBERS, top + 29, bar.told(), weight="600")
    first, last = sorted((along.x(1), along.x(bar.times.median)))
    fill, y = GOOD if bar.is_good else POOR, top + 18
    yield f'<rect x="{first}" y="{y}" width="{round(last - first, 1)}" height="{BAR}" fill="{fill}"/>'
    least, most = along.x(bar.times.min), along.x(bar.times.max)
    if least != most:
        middle = y + BAR // 2
        yield f'<path d="M{least} {y + 3}v8M{least} {middle}H{most}M{most} {y + 3}v8" stroke="{INK}" fill="none"/>'
    if bar.goal is not None:
        yield _line(along.x(bar.goal), y - 3, y + BAR + 3, GOAL, ' stroke-width="2" stroke-dasharray="3 2"')


def _line(x: float, top: int, bottom: int, stroke: str, more: str = "") -> str:
    return f'<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" stroke="{stroke}"{more}/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    weight: str = "400",
    fill: str = INK,
    anchor: str = "start",
    more: str = "",
) -> str:
    how = f'font-size="{size}" font-weight="{weight}" fill="{fill}" text-anchor="{anchor}"{more}'
    return f'<text x="{x}" y="{y}" {how}>{escape(text)}</text>'
