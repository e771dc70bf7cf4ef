"""`/memory …`: slash commands made from the table of `dnam.commands`, one for one.

A command of two words is one of a group: `reset rolling` is `/memory reset rolling`. A parameter that a menu can ask
for need not be given.
"""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any

import discord
from discord import app_commands

from dnam.adapters.discord.translate import Where, spelled
from dnam.adapters.discord.ui.asking import CONTEXTS, INSTALLS, Asking
from dnam.adapters.discord.ui.picking import offered
from dnam.adapters.discord.ui.scoping import scopes_offered
from dnam.commands.command import Command, Completes, Parameter
from dnam.commands.picking import Act, completions
from dnam.commands.table import offered_by

NAME = "memory"
HELP = "what I remember of you here"
MOST_HELP = 100
MOST_CHOICES = 25
MOST_CHOICE_CHARS = 100
ACTS: dict[str, Act] = {"forget": "forget", "restore": "restore"}
"""Commands that a menu can do."""

Callback = Callable[..., Coroutine[Any, Any, None]]
Complete = Callable[[discord.Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]


class Slash(app_commands.Command[app_commands.Group, ..., None]):
    """A command whose completions fail as everything else that is asked: recorded, and without a traceback."""

    def __init__(self, asking: Asking, *, name: str, description: str, callback: Callback) -> None:
        super().__init__(name=name, description=description, callback=callback)
        self._asking = asking

    async def _invoke_autocomplete(
        self, interaction: discord.Interaction, name: str, namespace: app_commands.Namespace
    ) -> None:
        """discord.py has no place for an error handler here."""
        try:
            await super()._invoke_autocomplete(interaction, name, namespace)
        except Exception as error:  # noqa: BLE001 - one completion; nobody can be told, and it is recorded
            await self._asking.desk.failed(f"completing /{self.qualified_name}", error)


def memory_group(asking: Asking) -> app_commands.Group:
    """All commands of the table that are offered."""
    group = app_commands.Group(name=NAME, description=HELP, allowed_contexts=CONTEXTS, allowed_installs=INSTALLS)
    groups: dict[str, app_commands.Group] = {}
    for command in offered_by(asking.desk.assistant):
        first, _, second = command.name.partition(" ")
        if second and first not in groups:
            groups[first] = app_commands.Group(name=first, description=f"{first} …", parent=group)
        parent = groups[first] if second else group
        parent.add_command(_slash(asking, command, second or first))
    return group


def _slash(asking: Asking, command: Command, name: str) -> Slash:
    return Slash(asking, name=name, description=command.help[:MOST_HELP], callback=_callback(asking, command))


def _callback(asking: Asking, command: Command) -> Callback:
    """A function with the command's parameters, as discord.py reads them off one."""

    async def callback(interaction: discord.Interaction, **given: str | None) -> None:
        typed = {name: value.strip() for name, value in given.items() if value is not None and value.strip()}
        where = Where(interaction.guild, interaction.channel)
        values = {name: spelled(value, interaction.user, where) for name, value in typed.items()}
        act = ACTS.get(command.name)
        if act is None:
            await asking.command(interaction, command, values)
        else:
            await offered(asking, interaction, act, next(iter(values.values()), ""))

    shown = [each for each in command.parameters if not each.is_typed]
    parameters = [_parameter(each) for each in shown]
    first = inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction)
    callback.__signature__ = inspect.Signature([first, *parameters])  # type: ignore[attr-defined]  # discord.py reads it
    made: Callback = callback
    made = app_commands.describe(**{each.name: each.help[:MOST_HELP] for each in shown})(made)
    for each in shown:
        if each.choices:
            choices = [app_commands.Choice(name=choice, value=choice) for choice in each.choices]
            made = app_commands.choices(**{each.name: choices})(made)
        if each.completes:
            made = app_commands.autocomplete(**{each.name: _completing(asking, each)})(made)
    return made


def _completing(asking: Asking, parameter: Parameter) -> Complete:
    if parameter.completes == "scope":
        return completing_scope(asking)
    return completing(asking, parameter.completes, of_nobody=parameter.has_menu)


def _parameter(parameter: Parameter) -> inspect.Parameter:
    default = None if parameter.optional or parameter.has_menu else inspect.Parameter.empty
    kind = str if default is inspect.Parameter.empty else str | None
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def completing(asking: Asking, completes: Completes, *, of_nobody: bool = False) -> Complete:
    """What may stand in a parameter: the person's own items that the place opens, by id or by words of theirs; with
    `of_nobody` also what is nobody's, where they may take it back or bring it back.
    """

    async def complete(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        if not asking.admits(interaction) or asking.is_unsure(interaction):
            return []
        asked = await asking.peek(interaction)
        found = await asking.desk.memory.look(
            lambda rows: completions(rows, asked, completes, typed, of_nobody=of_nobody)
        )
        return [
            app_commands.Choice(name=each.words[:MOST_CHOICE_CHARS], value=each.id)
            for each in found
            if len(each.id) <= MOST_CHOICE_CHARS
        ][:MOST_CHOICES]

    return complete


def completing_scope(asking: Asking) -> Complete:
    """What somebody may configure there."""

    async def complete(interaction: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        if not asking.admits(interaction):
            return []
        return scopes_offered(interaction, is_owner=asking.desk.is_owner(interaction.user), typed=typed)

    return complete
