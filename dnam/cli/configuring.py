"""`config`: what the assistant does where, changed while it runs; `settings` beside it is read once, at start."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dnam.cli.command import Command, Data, Json, Yes, typed
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.memory import Memory
    from projections.rows import Rows

ScopeName = Annotated[
    str,
    typer.Argument(metavar="SCOPE", callback=typed, help="global, guild/ID, channel/ID or person/USER."),
]
MaybeScope = Annotated[str | None, typer.Argument(metavar="SCOPE", callback=typed, help="As in `dnam config set`.")]
MaybeKey = Annotated[str | None, typer.Argument(metavar="KEY", callback=typed, help="One key; without it, all.")]


OLDER = (
    "{taken} would not be kept any longer: their words go with what was learned from them alone, at the next"
    " start of a bot or a chat, or within a day of one that runs. It cannot be undone. Go on?"
)


class Line(NamedTuple):
    """A value as `config list` and `config get` show it. `by` is who set it."""

    scope: str
    key: str
    value: str
    by: str


def set_(
    scope: ScopeName,
    assignment: Annotated[
        str,
        typer.Argument(
            metavar="KEY=VALUE",
            callback=typed,
            help="respond_mode=mention|all|owner|none, context_history=N, learn=addressed|heard|none, "
            "retention_days=N, tools=on|off.",
        ),
    ],
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Set a key of a scope; a running bot goes by it with the next message.

    The narrowest scope wins: a person's, the channel's, the guild's, global; below them dnam.toml, the environment and
    the default. Where retention_days takes away what stands now, it says how much, and asks.
    """
    from dnam.scopes import assignment as parts

    key, value = parts(assignment)
    _change(Shell(data, as_json, yes), scope, key, value)


def unset(
    scope: ScopeName,
    key: Annotated[str, typer.Argument(metavar="KEY", callback=typed, help="The key.")],
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Take a key of a scope back: what is wider holds again."""
    _change(Shell(data, as_json, yes), scope, key, None)


def _change(shell: Shell, scope: str, key: str, value: str | None) -> None:
    from dnam.overdue import taken_by
    from dnam.scopes import caution, is_seen, scope_words, set_config, the_scope
    from projections.events.values import OPERATOR
    from projections.policies.configurable import check, the_key

    if value is None:
        the_key(key)
    else:
        check(key, value)  # before a folder is made for it

    async def action(memory: "Memory") -> tuple[str, bool, bool] | None:
        meant = await memory.look(lambda rows: the_scope(rows, scope))
        taken = await taken_by(memory, meant, key, value)
        if any(taken) and not shell.out.confirm(OLDER.format(taken=taken)):
            return None
        changed = await set_config(memory, meant, key, value, OPERATOR)
        named, seen = await memory.look(lambda rows: (scope_words(rows, str(meant)), is_seen(rows, meant)))
        return named, changed, seen

    done = shell.run(action, create=True)
    if done is None:
        shell.out.nothing_done("not set: nothing was changed")
        return
    named, changed, seen = done
    if value is not None and not seen:
        shell.out.note(f"nothing was heard in {named} yet: it holds once something is, if the id is right")
    if told := caution(key, value):
        shell.out.note(f"{told}, and so does `dnam config`")
    if shell.out.as_json:
        shell.out.emit({"scope": named, "key": key, "value": value, "changed": changed})
        return
    now = f"{key} is not set" if value is None else f"{key} = {value}"
    shell.out.line(f"{named}: {now}{'' if changed else ', as before'}")


def get(scope: ScopeName, key: MaybeKey = None, data: Data = None, as_json: Json = False) -> None:
    """What is set for a scope itself; `dnam settings --in` shows what holds in a place."""
    _show(Shell(data, as_json), scope, key)


def list_(scope: MaybeScope = None, data: Data = None, as_json: Json = False) -> None:
    """Everything that is set, by scope."""
    _show(Shell(data, as_json), scope, None)


def alone(context: typer.Context, data: Data = None, as_json: Json = False) -> None:
    """`dnam config` is `dnam config list`."""
    if context.invoked_subcommand is None:
        list_(None, data, as_json)


def _show(shell: Shell, scope: str | None, key: str | None) -> None:
    from projections.policies.configurable import the_key

    if key is not None:
        the_key(key)
    with shell.looking() as view:
        lines = _lines(view.rows, scope, key)
    if shell.out.as_json:
        for each in lines:
            shell.out.emit(each)
    elif lines:
        shell.out.table(("scope", "key", "value", "set by"), lines)
    else:
        shell.out.note("nothing is set: `dnam settings` shows what holds then")


def _lines(rows: "Rows", scope: str | None, key: str | None) -> list[Line]:
    from dnam.finding import by_words
    from dnam.scopes import scope_words, the_scope
    from projections.config import config_rows

    wanted = None if scope is None else str(the_scope(rows, scope))
    return sorted(
        Line(scope_words(rows, row.scope), row.key, row.value, by_words(rows, row.by))
        for row in config_rows(rows)
        if wanted in (None, row.scope) and key in (None, row.key)
    )


COMMANDS = (
    Command("config set", set_, "config set guild/123 respond_mode=all", changes=True),
    Command("config get", get, "config get channel/456 learn"),
    Command("config list", list_, "config list"),
    Command("config unset", unset, "config unset guild/123 respond_mode", changes=True),
)
