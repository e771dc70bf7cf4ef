"""What all tables have in common."""

from rich.table import Table

from tests.evaluation.locomo.measures import Spread


def table(title: str, *headings: str) -> Table:
    """An empty table; all columns but an unnamed first one are numbers."""
    shown = Table(title=title, title_justify="left")
    for heading in headings:
        shown.add_column(heading, justify="right" if heading else "left")
    return shown


def per_cent(value: float) -> str:
    """A share from 0 to 1."""
    return f"{100 * value:.1f}"


def between(each: Spread) -> str:
    """From the least to the most of a share."""
    return f"{100 * each.low:.1f} … {100 * each.high:.1f}"
