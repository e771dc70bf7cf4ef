"""The command line: the table of commands, and what stands before them.

A command is a line in its module's COMMANDS. To add a module: list it in TABLES.
"""

from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from dnam.cli import (
    adopting,
    backing,
    bringing,
    changing,
    chatting,
    clock,
    compacting,
    comparing,
    configuring,
    consenting,
    costs,
    directory,
    doctor,
    exporting,
    forgetting,
    learning,
    logbook,
    looking,
    noticing,
    placing,
    prompting,
    provenance,
    rederiving,
    repairing,
    restoring,
    reverting,
    searching,
    settings,
    shadows,
    stats,
    tracing,
    trust,
    upkeep,
)
from dnam.cli.command import Command, Data, Json, PathsNamed, Yes
from dnam.cli.ending import ending_as_by_ctrl_c
from dnam.cli.failures import RUN, Ending, Group

TABLES: tuple[tuple[Command, ...], ...] = (
    chatting.COMMANDS,
    bringing.COMMANDS,
    learning.COMMANDS,
    exporting.COMMANDS,
    directory.COMMANDS,
    looking.COMMANDS,
    searching.COMMANDS,
    changing.COMMANDS,
    reverting.COMMANDS,
    placing.COMMANDS,
    forgetting.COMMANDS,
    consenting.COMMANDS,
    compacting.COMMANDS,
    configuring.COMMANDS,
    prompting.COMMANDS,
    provenance.COMMANDS,
    tracing.COMMANDS,
    comparing.COMMANDS,
    rederiving.COMMANDS,
    shadows.COMMANDS,
    adopting.COMMANDS,
    noticing.COMMANDS,
    costs.COMMANDS,
    logbook.COMMANDS,
    stats.COMMANDS,
    settings.COMMANDS,
    upkeep.COMMANDS,
    doctor.COMMANDS,
    clock.COMMANDS,
    trust.COMMANDS,
    backing.COMMANDS,
    restoring.COMMANDS,
    repairing.COMMANDS,
)

HELP = {
    "config": "What the assistant does where, changed while it runs.",
    "shadows": "What other models would have made of what was said, beside the live memory.",
}
"""What the first word of a command of two words stands for."""
ALONE = {"config": configuring.alone, "shadows": shadows.alone}
"""What it does without a second one."""

app = typer.Typer(
    cls=Group,
    rich_markup_mode=None,  # rich's help costs more time than all the rest
    pretty_exceptions_enable=False,
    add_completion=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def root(
    context: typer.Context,
    data: Data = None,  # noqa: ARG001 - the command reads it, as it does `yes`
    as_json: Json = False,
    yes: Yes = False,  # noqa: ARG001 - as `data`
    version: Annotated[bool, typer.Option("--version", help="Show what this program is and what it reads.")] = False,
) -> None:
    """A memory for assistants that can say where everything in it came from.

    Where a question is answered with no, there is nothing to forget, or an item or a consent is so already, nothing is
    changed, and --json prints `done`: null, and `why`.
    """
    if version:
        _print_version(as_json)
        raise Ending
    if context.invoked_subcommand is None:
        context.fail("say which command: `dnam --help` lists them")


def _print_version(as_json: bool) -> None:
    from dnam import __version__
    from dnam.cli.screen import Screen
    from projections.registry import PROJECTIONS
    from replay.log import FORMAT

    out, views = Screen(as_json=as_json), [projection.table for projection in PROJECTIONS]
    if as_json:
        out.emit({"program": __version__, "log_format": FORMAT, "views": views})
        return
    out.line(f"dnam {__version__}")
    out.line(f"log format {FORMAT}")
    out.line(f"views {' '.join(views)}")


GROUPS: dict[str, typer.Typer] = {}


def _add(command: Command) -> None:
    group, _, name = command.name.rpartition(" ")
    run = _known_to_run(command)
    run = run if command.ends_itself else ending_as_by_ctrl_c()(run)
    _group(group).command(name, cls=PathsNamed, epilog=f"Example: dnam {command.example}".strip())(run)


def _known_to_run(command: Command) -> Callable[..., None]:
    """What a command runs, which is noted ahead of that."""

    @wraps(command.run)
    def run(*arguments: object, **options: object) -> None:
        RUN[:] = [command]
        command.run(*arguments, **options)

    return run


def _group(name: str) -> typer.Typer:
    """What a command's first word stands for where it has two; the app itself where it has one."""
    if not name:
        return app
    if name not in GROUPS:
        GROUPS[name] = typer.Typer(rich_markup_mode=None, invoke_without_command=True, help=HELP[name])
        GROUPS[name].callback()(ALONE[name])
        app.add_typer(GROUPS[name], name=name)
    return GROUPS[name]


for _table in TABLES:
    for _command in _table:
        _add(_command)
