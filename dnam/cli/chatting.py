"""The chat in the terminal: `run` and `chat`."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json, Place, typed
from dnam.cli.failures import Ending
from dnam.cli.filing import DONE
from dnam.cli.screen import UNPRINTED
from dnam.cli.shell import Shell, refuse_lost_end
from dnam.cli.spot import spot_of
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.adapters.terminal.reading import Lines
    from dnam.adapters.terminal.screen import TextScreen
    from dnam.conversation import Spot
    from dnam.failures import Tell
    from dnam.memory import Memory
    from dnam.opening import Waiting
    from replay.engine import Engine

CHAT_ONLY = "--as and --in are for the chat in the terminal: `dnam chat`. With DISCORD_TOKEN set this starts the bot."
NO_TOKEN = "DISCORD_TOKEN is not set: this is the chat, which ends with its input"


Self = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        callback=typed,
        help="Who you are: a known USER, or a new name. Without it: the name you are logged in with.",
    ),
]


def run(user: Self = None, place: Place = None, data: Data = None, as_json: Json = False) -> None:
    """Start the assistant: the bot in Discord when DISCORD_TOKEN is set, else the chat in this terminal.

    The bot runs until Ctrl-C or SIGTERM, and ends within ten seconds; an answer that takes more than seven and
    a half of them is given up, and the next start answers.
    """
    shell = Shell(data, as_json)
    if not shell.settings.discord_token:
        if not sys.stdin.isatty():
            shell.out.note(NO_TOKEN)
        _chat(shell, user, place)
    elif user or place:
        raise BadRequest(CHAT_ONLY)
    else:
        _bot(shell)


def chat(user: Self = None, place: Place = None, data: Data = None, as_json: Json = False) -> None:
    """Talk with the assistant. `!memory help` lists what you may ask of its memory; Ctrl-D ends.

    Under a new name, or one of this machine's own, you are the operator, who may do everything. As somebody who is
    known from elsewhere you have their rights.
    Without --in it is a direct message. From a pipe, every line is one message, and Ctrl-C ends the chat.
    """
    _chat(Shell(data, as_json), user, place)


def _chat(shell: Shell, user: str | None, place: str | None) -> None:
    import asyncio

    shell.tell_unheeded()
    code = asyncio.run(_talk(shell, user, place))
    if code:
        raise Ending(code)


def _bot(shell: Shell) -> None:
    import asyncio
    import logging
    import os

    from dnam.logs import logging_to
    from dnam.settings import unheeded

    with logging_to(shell.settings):
        for words in unheeded(os.environ, Path()):
            logging.getLogger("dnam").warning("%s", words)
        asyncio.run(_be_in_discord(shell))


async def _be_in_discord(shell: Shell) -> None:
    import logging

    from dnam.adapters.discord.alone import alone
    from dnam.adapters.discord.bot import at, ending_before, run
    from dnam.assistant import Assistant
    from dnam.models import opened
    from dnam.serving import serving
    from dnam.steadiness import few_heaps, steady

    few_heaps()
    settings = shell.settings
    warn = logging.getLogger("dnam").warning
    with ending_before(), at(settings.discord_api_url), alone(shell.data, settings.discord_token, warn):
        async with _memory(shell, warn, stays=True) as memory, opened(memory, warn) as model:
            with steady():
                assistant = Assistant(memory, model)
                async with serving(assistant, warn):
                    await run(assistant, settings.discord_token)


async def _talk(shell: Shell, user: str | None, place: str | None) -> int:
    from dnam.adapters.terminal.chat import chat as talk
    from dnam.adapters.terminal.reading import is_typed
    from dnam.assistant import Assistant
    from dnam.models import opened
    from dnam.steadiness import steady
    from dnam.understanding import understanding

    async with _memory(shell, shell.out.note) as memory:
        spot = await memory.look(lambda rows: spot_of(rows, user, place))
        lines, screen = _ends(shell, spot)
        async with opened(memory, screen.note) as model:
            assistant = Assistant(memory, model)
            with steady():
                async with understanding(assistant, screen.note):
                    presses = 2 if is_typed() else 1
                    code = await talk(assistant, spot.who, spot.where, lines, screen, presses=presses)
                    if screen.unprinted is not None:
                        UNPRINTED.append(screen.unprinted)
                        DONE.append("what was said is recorded")
                    return code


def _ends(shell: Shell, spot: "Spot") -> "tuple[Lines, TextScreen]":
    """Where lines come from and where they go."""
    import sys

    from dnam.adapters.terminal.reading import EditedLines, PipedLines, is_terminal
    from dnam.adapters.terminal.screen import JsonScreen, TextScreen
    from dnam.conversation import is_operator
    from projections.quoting import line_name

    if shell.out.as_json:
        return PipedLines.of_stdin(), JsonScreen(sys.stdout, sys.stderr)
    if not is_terminal():
        return PipedLines.of_stdin(), TextScreen(sys.stdout, sys.stderr)
    screen = TextScreen(sys.stdout, sys.stderr, styled=sys.stderr.isatty())
    where = "direct messages" if spot.where.partner else spot.where.name or spot.where.key
    name = line_name(spot.who.name)
    rights = "you are the operator here" if is_operator(spot.who) else f"you speak as {name}, with {name}'s rights"
    screen.note(f"{where}; {rights}; `!memory help` for what I remember, Ctrl-D or `exit` to end")
    return EditedLines(f"{name}> "), screen


# -- opening -----------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _memory(shell: Shell, tell: "Tell", *, stays: bool = False) -> "AsyncIterator[Memory]":
    """The memory for writing; where it cannot be written yet, for reading until it can: answers are given all the same.
    While another program is waited for, that is told; whoever `stays` waits on, and is not gone when that ends.
    """
    import asyncio

    from dnam.discoclaw.mirror import mirroring
    from dnam.erasing.guild import go_on_erasing_guilds
    from dnam.erasing.swept import sweep_what_is_left
    from dnam.opening import Waiting, in_thread
    from dnam.regaining import regaining
    from dnam.shadows.followed import shadows_followed

    waiting = Waiting(tell)
    engine = await in_thread(lambda: _engine(shell, waiting, tell, stays=stays), waiting)
    try:
        refuse_lost_end(engine)
        shell.tell(engine, tell)
        memory = shell.memory(engine)
        await asyncio.to_thread(sweep_what_is_left, memory, tell)
        await go_on_erasing_guilds(memory, tell)
        async with mirroring(memory, tell), shadows_followed(memory, tell), regaining(memory, tell):
            yield memory
    finally:
        await asyncio.to_thread(engine.close)
        shell.tell_what_failed(engine, tell)


def _engine(shell: Shell, waiting: "Waiting", tell: "Tell", *, stays: bool) -> "Engine":
    """`stays`: it waits for whoever holds the log for as long as that takes."""
    from replay.errors import Busy

    while True:
        try:
            return _open(shell, waiting, tell)
        except Busy as error:
            if not stays or waiting.is_over:
                raise
            tell(str(error))


def _open(shell: Shell, waiting: "Waiting", tell: "Tell") -> "Engine":
    from dnam.opening import UNRECORDED
    from replay.engine import Engine
    from replay.errors import CannotWrite, NothingHere

    commit = shell.settings.view_commit_events
    try:
        return Engine.open(shell.data, create=True, view_commit_events=commit, waits=waiting)
    except CannotWrite as error:
        try:
            engine = Engine.open(shell.data, writable=False, view_commit_events=commit)
        except NothingHere:  # nor is there anything to read: what is in the way of beginning is what there is to say
            raise error from None
        tell(UNRECORDED.format(why=error))
        return engine


COMMANDS = (
    Command("run", run, "run", ends_itself=True),
    Command("chat", chat, "chat --as Ada", ends_itself=True),
)
