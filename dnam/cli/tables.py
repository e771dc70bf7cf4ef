"""Tables for people: drawn where stdout is a terminal, plain columns anywhere else. Nothing in a cell is cut, and its
width counts in columns of the terminal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Marked = Sequence[tuple[int, int]]
"""From where to where something is highlighted, in code points."""
WRAPPED_FROM = 30
"""A column of a drawn table is wrapped only when a cell is longer: ids and times stay whole."""
LEAST_WRAPPED = 24
"""How wide a wrapped column has to be: where there is less room, rows are drawn one after the other."""
GAP = 3
"""Between two columns of a drawn table: a space behind one, what divides them, and a space before the next."""
EDGES = 2
"""What stands at its two sides."""


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of plain columns, for what is no terminal."""
    widths = [max(width_of(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell + " " * (width - width_of(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two, an accent of its own none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def unmarked(_: str) -> Marked:
    """Nothing is highlighted."""
    return ()


def _text(cells: Sequence[str], column: int, marks: Callable[[str], Marked]) -> "Text":
    from rich.text import Text

    text = Text(cells[column], overflow="fold")
    for start, stop in marks(cells[column]) if column == len(cells) - 1 else ():
        text.stylize("bold yellow", start, stop)
    return text


def draw(titles: Sequence[str], rows: Sequence[Sequence[str]], marks: Callable[[str], Marked]) -> None:
    """In columns where they fit, else a row after the other: ids and times are never cut, and texts stay readable."""
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the program with 1

    console = Quiet(highlight=False)
    longest = [max(map(width_of, cells)) for cells in zip(*([titles] if titles else []), *rows, strict=True)]
    whole = sum(each for each in longest if each <= WRAPPED_FROM)
    wrapped = sum(each > WRAPPED_FROM for each in longest)
    framed = GAP * (len(longest) - 1) + EDGES
    if console.width - whole - framed < wrapped * LEAST_WRAPPED:
        for row in rows:
            _draw_row(console, titles, row, marks)
    else:
        _draw_table(console, titles, rows, longest, marks)


def _draw_table(
    console: "Console",
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    longest: Sequence[int],
    marks: Callable[[str], Marked],
) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, pad_edge=False, show_header=bool(titles))
    for column, most in enumerate(longest):
        table.add_column(titles[column] if titles else "", no_wrap=most <= WRAPPED_FROM)
    for row in rows:
        table.add_row(*(_text(row, column, marks) for column in range(len(row))))
    console.print(table)


def _draw_row(console: "Console", titles: Sequence[str], row: Sequence[str], marks: Callable[[str], Marked]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(row[0], style="bold", overflow="fold"))
    for column, title in enumerate(titles[1:] or [""] * (len(row) - 1), 1):
        if row[column]:
            cell = _text(row, column, marks)
            cell.style = "not dim"
            shown = Text(f"{title}: " if title else "", style="dim").append(cell)
            console.print(Padding(shown, (0, 0, 0, 2)), overflow="fold")
