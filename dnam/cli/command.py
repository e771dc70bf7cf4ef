"""A command: its line in the table, and the parameters that it shares with others.

A command is a function whose last parameters are `data: Data = None, as_json: Json = False`, each accepted before the
command's name too.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand

from projections.errors import BadRequest
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


WRITTEN = frozenset({"FILE", "DIR", "DEST"})
PATHS = WRITTEN | {"SRC", "PATH…", "BACKUP", "CHECKPOINT"}
"""What stands for a file or a folder in the help of a parameter; the first ones are written to."""


class PathsNamed(TyperCommand):
    """A command whose paths name something: an empty one, as of a variable that is not set, would be the folder in
    which it runs. An empty `--data` is none.
    """

    # The contexts and parameters are those of typer's own click, whose classes have no public name.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for each in self.params:
            if each.metavar in PATHS and each.name != "data":
                value = given.get(each.name or "")
                _refuse_nothing(each, value if isinstance(value, tuple) else (value,))
        return super().parse_args(ctx, args)


def _refuse_nothing(parameter: Any, values: tuple[str | None, ...]) -> None:
    name = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar
    for value in values:
        if value is not None and not value.strip():
            what = "nothing to write to" if parameter.metavar in WRITTEN else "nothing"
            raise BadRequest(f"{name} {value!r} names {what}")


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
