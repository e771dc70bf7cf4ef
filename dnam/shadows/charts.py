"""The charts of the page about a shadow: bars, drawn as SVG in the page itself, with their numbers in a table below."""

from collections.abc import Iterable, Iterator, Sequence

from dnam.pages import escaped
from dnam.shadows.report import MEASURED, OwnerWords, Report
from dnam.shadows.words import LABELS
from projections.rederiving.pairs import KINDS, Counts

WIDTH, NAMES, BAR, STEP = 800, 180, 16, 26
"""Of a chart: its width, how much of it names take, and how high a bar and its row are."""
BESIDE = 100
"""How much room a number has beside its bar."""
MOST_BARS = 40
"""How many people have a bar of their own; the others share one."""
NAME_CHARS = 22

STYLE = """
:root { --only_old: #c2685f; --only_new: #4f9a6b; --changed: #d2a03c; --same: #b9bec5; }
@media (prefers-color-scheme: dark) { :root { --only_old: #d98a83; --only_new: #74c08f; --changed: #e3bd6a;
  --same: #4b525a; } }
svg { display: block; height: auto; margin: 0.8rem 0; max-width: 100%; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; } svg .quiet { fill: var(--quiet); }
.only_old { fill: var(--only_old); } .only_new { fill: var(--only_new); } .changed { fill: var(--changed); }
.same { fill: var(--same); } .live { fill: var(--quiet); } .shadow { fill: var(--mark); }
"""


def counted(report: Report) -> str:
    """A bar per person: what only one side has, what changed, what is the same."""
    bars = [*_of_people(report.people), ("all items", report.items), ("summaries", report.summaries)]
    legend = " ".join(
        f'<span class="kind" style="border-left: 0.8rem solid var(--{kind})">{LABELS[kind]}</span>' for kind in KINDS
    )
    rows = ((name, *map(_number, counted)) for name, counted in bars)
    table = _table(("", *LABELS.values()), rows)
    return f"<section>\n<h2>What differs</h2>\n<p>{legend}</p>\n{_bars(bars)}{table}</section>\n"


def _of_people(people: Sequence[OwnerWords]) -> Iterator[tuple[str, Counts]]:
    """The people of whom most differs, in their order; the others in sum."""
    most = sorted(people, key=lambda each: each.items.same - sum(each.items))[:MOST_BARS]
    shown = {each.person for each in most}
    yield from ((each.name, each.items) for each in people if each.person in shown)
    rest = [each.items for each in people if each.person not in shown]
    if rest:
        yield f"{len(rest)} more people", Counts(*map(sum, zip(*rest, strict=True)))


def _bars(bars: Sequence[tuple[str, Counts]]) -> str:
    """Each bar is as long as its own whole: a person's share is what is looked for, and the numbers stand beside it."""
    drawn = "".join(_bar(number * STEP, name, counted) for number, (name, counted) in enumerate(bars))
    return _svg(len(bars) * STEP, "what differs, a bar for each person", drawn)


def _bar(top: int, name: str, counted: Counts) -> str:
    whole, at, drawn = max(sum(counted), 1), 0.0, _label(top, name)
    for kind, number in zip(KINDS, counted, strict=True):
        long = (WIDTH - NAMES) * number / whole
        drawn += _rect(kind, NAMES + at, top, long, f"{name}: {number:,} {LABELS[kind]}") if number else ""
        at += long
    return drawn


def judged_sides(report: Report) -> str:
    """Two bars for each measure, one a side; the longer one fills the row. Nothing where no items were compared."""
    if not report.old.items and not report.new.items:
        return ""
    pairs = list(zip(MEASURED.values(), report.old, report.new, strict=True))
    drawn = "".join(_two_bars(number * 2 * STEP, name, old, new) for number, ((name, _), old, new) in enumerate(pairs))
    rows = ((name, _number(old), _number(new), meaning) for (name, meaning), old, new in pairs)
    table = _table(("", "live", "shadow", "what is counted"), rows)
    chart = _svg(len(pairs) * 2 * STEP, "what is counted of the live memory and of the shadow", drawn)
    return f"<section>\n<h2>Judged</h2>\n{chart}{table}</section>\n"


def _two_bars(top: int, name: str, old: int, new: int) -> str:
    most, drawn = max(old, new, 1), _label(top, name)
    for row, (side, number) in enumerate((("live", old), ("shadow", new))):
        long = (WIDTH - NAMES - BESIDE) * number / most
        below = top + row * (BAR + 2)
        drawn += _rect(side, NAMES, below, long, f"{name}, {side}: {number:,}")
        drawn += f'<text class="quiet" x="{NAMES + long + 6:.1f}" y="{below + BAR - 3}">{number:,} {side}</text>\n'
    return drawn


def _svg(height: int, label: str, drawn: str) -> str:
    head = f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{label}">'
    return f"{head}\n{drawn}</svg>\n"


def _label(top: int, name: str) -> str:
    short = name if len(name) <= NAME_CHARS else f"{name[: NAME_CHARS - 1]}…"
    return f'<text x="0" y="{top + BAR - 3}">{escaped(short)}</text>\n'


def _rect(kind: str, left: float, top: int, long: float, title: str) -> str:
    where = f'x="{left:.1f}" y="{top}" width="{long:.1f}" height="{BAR}"'
    return f'<rect class="{kind}" {where}><title>{escaped(title)}</title></rect>\n'


def _number(value: int) -> str:
    return f"{value:,}"


def _table(titles: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escaped(each)}</th>" for each in titles)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return f"<table>\n<tr>{head}</tr>\n{body}</table>\n"


def _cell(text: str) -> str:
    return f"<td{_NUMBER if text.replace(',', '').isdigit() else ''}>{escaped(text)}</td>"


_NUMBER = ' class="number"'
