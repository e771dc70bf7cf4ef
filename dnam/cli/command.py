"""A command: its line in the table, and the parameters that it shares with others.

A command is a function whose last parameters are `data: Data = None, as_json: Json = False`, each accepted before the
command's name too.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import typer

from projections.policies.text import whole


def _or_before(context: typer.Context, parameter: typer.CallbackParam, value: object) -> object:
    """An option's value, or what was given for it before the command's name, or before the first word of it."""
    before = context.parent
    while not value and before is not None:
        value = before.params.get(parameter.name or "")
        before = before.parent
    return value


Data = Annotated[
    str | None,
    typer.Option(
        "--data",
        metavar="DIR",
        callback=_or_before,
        help="The folder of the memory. Without it: the setting DNAM_DATA, else `data`.",
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", callback=_or_before, help="Print JSON for programs: one value, or one a line."),
]
Yes = Annotated[bool, typer.Option("--yes", callback=_or_before, help="Answer every question with yes.")]


def typed(value: str | None) -> str | None:
    """What was typed, as something that can be stored: a terminal may hand in bytes that are no UTF-8."""
    return None if value is None else whole(value)


def whole_number(least: int) -> Callable[[str | int], int]:
    """What reads an option that is a whole number, and says so of what is none."""

    def read(value: str | int) -> int:
        try:
            number = int(value)
        except ValueError:
            number = least - 1
        if number < least:
            raise typer.BadParameter(f"{value!r} is not a whole number of {least} or more")
        return number

    return read


User = Annotated[
    str, typer.Argument(metavar="USER", callback=typed, help="A platform's id, a handle, or a name, current or former.")
]
MaybeUser = Annotated[str | None, typer.Argument(metavar="USER", callback=typed, help="As in `dnam show`.")]
UserOrNobody = Annotated[
    str | None,
    typer.Argument(metavar="USER", callback=typed, help="As in `dnam show`; leave it out of what is nobody's."),
]
MaybeText = Annotated[str | None, typer.Argument(metavar="TEXT", callback=typed, help="The words; quote them.")]
SessionName = Annotated[
    str, typer.Argument(metavar="SESSION", callback=typed, help="A session key or a channel's name.")
]
ItemId = Annotated[str, typer.Argument(metavar="ID", callback=typed, help="An item's id, as `dnam show` lists it.")]
Text = Annotated[str, typer.Argument(metavar="TEXT", callback=typed, help="The words; quote them in a shell.")]
Place = Annotated[
    str | None,
    typer.Option("--in", metavar="PLACE", callback=typed, help="A session key, a channel's name, or `dm`."),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="WHEN", callback=typed,
        help="As it was known then: a seq (and what was recorded together with it), a date, a time, or words like "
        "'yesterday 18:00', 'before the last import'. A date includes its day, a time its minute or second; a number "
        "alone is a seq, not a year.",
    ),
]  # fmt: skip
Said = Annotated[
    str | None,
    typer.Option(
        "--said", metavar="WHEN", callback=typed,
        help="As it had been said by then: a date, a time, or words, as for --at. So imported years are travelled.",
    ),
]  # fmt: skip


class Command(NamedTuple):
    """A line in the table of commands: what runs, and an example of it, without `dnam`. `ends_itself`: it has a way of
    its own to be told to end; any other is broken off by SIGTERM and SIGHUP as by Ctrl-C. `changes`: what it did stays
    done where it cannot be printed.
    """

    name: str
    run: Callable[..., None]
    example: str
    ends_itself: bool = False
    changes: bool = False
