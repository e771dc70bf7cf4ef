"""What is set, and where it is from: `settings`. It changes no byte on disk."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json, Place, typed
from dnam.cli.screen import note
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.configuration import Held
    from dnam.settings.showing import SettingShown


def settings(
    place: Place = None,
    user: Annotated[str | None, typer.Option("--user", metavar="USER", callback=typed, help="For this person.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Every setting: its value and where it is from.

    The value of a secret is not shown. What `dnam config` sets globally wins, and is told as from there. With --in or
    --user also what `dnam config` makes of it in that place, for that person: which scope each value is from.
    """
    from dnam.settings import show

    shell = Shell(data, as_json)
    config = _global(shell)
    shown = [_in_force(each, config.get(each.name)) for each in show(shell.settings)]
    held = _held(shell, place, user) if place or user else ()
    if shell.out.as_json:
        for each in (*shown, *held):
            shell.out.emit(each)
        return
    lines = [(each.name, each.value, each.origin) for each in shown]
    lines += [(each.key, each.value, each.origin) for each in held]
    shell.out.table(("name", "value", "from"), lines)


def _in_force(setting: "SettingShown", config: "Held | None") -> "SettingShown":
    return setting if config is None else replace(setting, value=config.value, origin=f"dnam config {config.origin}")


def _global(shell: Shell) -> "dict[str, Held]":
    """What `dnam config` sets for everything, by the name of the setting in whose place it holds."""
    from dnam.configuration import SETTING_OF, held
    from projections.config import GLOBAL
    from projections.ids import NOBODY
    from replay.engine import Engine
    from replay.errors import LogError, NothingHere

    try:
        with Engine.open(shell.data, writable=False) as engine, engine.reading() as rows:
            found = held(rows, shell.settings, NOBODY, None, None)
    except NothingHere:
        return {}
    except (LogError, OSError) as error:
        note(f"what `dnam config` sets is not shown, since the memory cannot be read: {error}")
        return {}
    return {SETTING_OF[each.key](shell.settings)[0]: each for each in found if each.origin == str(GLOBAL)}


def _held(shell: Shell, place: str | None, user: str | None) -> "tuple[Held, ...]":
    """What holds for a person in a place, each with the scope or the source that it is from."""
    from dnam.configuration import held
    from dnam.finding import the_person, the_session
    from dnam.scopes import scope_words
    from projections.ids import NOBODY

    with shell.looking() as view:
        person = the_person(view.rows, user) if user else NOBODY
        there = the_session(view.rows, place).place if place else None
        where = (None, None) if there is None else (there.place, there.guild)
        found = held(view.rows, shell.settings, person, *where)
        if shell.out.as_json:
            return found
        return tuple(each._replace(origin=scope_words(view.rows, each.origin)) for each in found)


COMMANDS = (Command("settings", settings, "settings"),)
