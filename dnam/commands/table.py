"""The table of `!memory` commands, and running one so that nothing is raised.

What is added here is in the terminal, in Discord's text and among its slash commands at once.
"""

from collections.abc import Awaitable, Callable, Iterable

from dnam.assistant import Assistant
from dnam.commands import items, keep, sessions, undo, why
from dnam.commands.command import PREFIX, Arguments, Command, Invocation, Parameter, Reply
from dnam.commands.config import PARAMETERS as CONFIG
from dnam.commands.config import config
from dnam.commands.costs import costs
from dnam.commands.history import history
from dnam.commands.parse import Call, Misread, parse
from dnam.commands.pointing import Menu, Pointed
from projections.errors import BadRequest
from projections.ids import NOBODY
from replay.errors import LogError


async def show_help(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Every command that this person may use, with a line."""
    return Reply(listing(offered_to(assistant, asked)))


ITEM_ID = Parameter("id", "the id of an item, which `show` lists", completes="active")
GONE_ID = Parameter("id", "the id of an item, which `show` lists", completes="gone", has_menu=True)
WHAT = Parameter("what", "an item's id, or most of its words", completes="active", has_menu=True)
SENTENCE = Parameter("text", "a sentence")
MOMENT = Parameter("when", "a moment, as `yesterday 18:00`, `2026-03-06` or `3 days ago`")

COMMANDS: tuple[Command, ...] = (
    Command("show", "what I remember here, with ids, and this session's summary", items.show),
    Command(
        "search",
        "what I remember here that shares words with yours",
        items.search,
        (Parameter("words", "some words"),),
    ),
    Command("at", "what I remembered here at a moment", items.at, (MOMENT,)),
    Command("history", "where an item comes from: what happened to it, who did it and why", history, (ITEM_ID,)),
    Command("remember", "keep a sentence", items.remember, (SENTENCE,), changes=True),
    Command("edit", "change what an item says", items.edit, (ITEM_ID, SENTENCE), changes=True),
    Command("forget", "take items back: by id, or by most of their words", items.forget, (WHAT,), changes=True),
    Command("restore", "bring a forgotten item back", items.restore, (GONE_ID,), changes=True),
    Command("undo", "take back the last thing that you changed here", undo.undo, changes=True),
    Command("reset rolling", "clear this session's rolling summary", sessions.reset_rolling, changes=True),
    Command("extract", "learn now from what you said here", sessions.extract, changes=True),
    Command("costs", "what models cost lately", costs, for_owner=True, needs_memory=False),
    Command(
        "config",
        "what I do here, and change it where you may: `config set me learn=none` is for everybody",
        config,
        CONFIG,
        needs_memory=False,
        changes=True,
    ),
    Command("help", "list these commands", show_help, needs_memory=False),
)


MENUS: tuple[Menu, ...] = (
    Menu("Remember this", "keep what you wrote here", keep.remember_message, changes=True),
    Menu("Why did you say that?", "what I remembered when I said that, and where it came from", why.why),
)
"""What can be asked of a message, where a platform has menus for that."""


def offered_by(assistant: Assistant) -> tuple[Command, ...]:
    """The commands that do something: without a memory, those that need none."""
    return tuple(each for each in COMMANDS if assistant.memory.settings.memory_enabled or not each.needs_memory)


def offered_to(assistant: Assistant, asked: Invocation) -> tuple[Command, ...]:
    """Those that this person may use."""
    return tuple(each for each in offered_by(assistant) if asked.is_owner or not each.for_owner)


def listing(commands: Iterable[Command] = COMMANDS) -> str:
    """The commands, one a line."""
    lines = (f"`{each.usage}`: {each.help}{' (the owner)' if each.for_owner else ''}" for each in commands)
    return "\n".join(["**Memory commands:**", *lines])


def read(text: str) -> Call | Misread | None:
    """What a text asks of this table; None when it is ordinary text."""
    return parse(text, COMMANDS)


async def run(assistant: Assistant, asked: Invocation, call: Call | Misread) -> Reply:
    """Do it. What cannot be done is the reply, in words."""
    if isinstance(call, Misread):
        more = f"\n{listing(offered_to(assistant, asked))}" if call.command is None else ""
        return Reply(f"{call.problem}{more}", failed=True)
    command = call.command
    if command.for_owner and not asked.is_owner:
        return Reply("Only the owner of this bot can ask for that.", failed=True)
    return await guarded(
        assistant,
        asked,
        f"{PREFIX} {command.name}",
        lambda: command.run(assistant, asked, call.arguments),
        anybody=command.for_owner or command.run is show_help,
        needs_memory=command.needs_memory,
    )


async def point(assistant: Assistant, asked: Invocation, menu: Menu, pointed: Pointed) -> Reply:
    """Do what a menu says with a message. What cannot be done is the reply, in words."""
    return await guarded(assistant, asked, menu.name, lambda: menu.run(assistant, asked, pointed))


async def guarded(
    assistant: Assistant,
    asked: Invocation,
    name: str,
    do: Callable[[], Awaitable[Reply]],
    *,
    anybody: bool = False,
    needs_memory: bool = True,
) -> Reply:
    """Do something of this name; nothing is raised but what nobody foresaw. `anybody`: also who keeps out of it."""
    if needs_memory and not assistant.memory.settings.memory_enabled:
        return Reply("Memory is switched off here (DNAM_MEMORY_ENABLED=0).", failed=True)
    if asked.person == NOBODY and not anybody:
        return Reply("I keep nothing about you, so there is nothing to show or to change.", failed=True)
    try:
        return await do()
    except BadRequest as error:
        return Reply(f"{str(error)[:1].upper()}{str(error)[1:]}", failed=True)
    except (LogError, OSError) as error:
        return Reply(f"`{name}` could not be done: {error}", failed=True)
