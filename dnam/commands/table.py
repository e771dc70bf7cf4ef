"""The table of `!memory` commands, and running one so that nothing is raised.

What is added here is in the terminal, in Discord's text and among its slash commands at once.
"""

from dnam.assistant import Assistant
from dnam.commands import items, sessions
from dnam.commands.command import PREFIX, Arguments, Command, Invocation, Parameter, Reply
from dnam.commands.history import history
from dnam.commands.parse import Call, Misread, parse
from projections.errors import BadRequest
from projections.ids import NOBODY
from replay.errors import LogError


async def show_help(_: Assistant, __: Invocation, ___: Arguments) -> Reply:
    """Every command with a line."""
    return Reply(listing())


ITEM_ID = Parameter("id", "the id of an item, which `show` lists", is_item=True)
SENTENCE = Parameter("text", "a sentence")
MOMENT = Parameter("when", "a moment, as `yesterday 18:00`, `2026-03-06` or `3 days ago`")

COMMANDS: tuple[Command, ...] = (
    Command("show", "what I remember here, with ids, and this session's summary", items.show),
    Command(
        "at", "what I remembered here at a moment", items.at, (Parameter("when", "a moment, as `yesterday 18:00`"),)
    ),
    Command("history", "where an item comes from: what happened to it, who did it and why", history, (ITEM_ID,)),
    Command("remember", "keep a sentence", items.remember, (SENTENCE,)),
    Command("edit", "change what an item says", items.edit, (ITEM_ID, SENTENCE)),
    Command(
        "forget",
        "take items back: by id, or by most of their words",
        items.forget,
        (Parameter("what", "an item's id, or most of its words", is_item=True),),
    ),
    Command("restore", "bring a forgotten item back", items.restore, (ITEM_ID,)),
    Command("reset rolling", "clear this session's rolling summary", sessions.reset_rolling),
    Command("extract", "learn now from what you said here", sessions.extract),
    Command("help", "list these commands", show_help),
)


def listing() -> str:
    """The commands, one a line."""
    return "\n".join(["**Memory commands:**", *(f"`{each.usage}`: {each.help}" for each in COMMANDS)])


def read(text: str) -> Call | Misread | None:
    """What a text asks of this table; None when it is ordinary text."""
    return parse(text, COMMANDS)


async def run(assistant: Assistant, asked: Invocation, call: Call | Misread) -> Reply:
    """Do it. What cannot be done is the reply, in words."""
    if isinstance(call, Misread):
        return Reply(f"{call.problem}\n{listing()}" if call.command is None else call.problem, failed=True)
    if not assistant.memory.settings.memory_enabled:
        return Reply("Memory is switched off here (DNAM_MEMORY_ENABLED=0).", failed=True)
    if asked.person == NOBODY and call.command.run is not show_help:
        return Reply("I keep nothing about you, so there is nothing to show or to change.", failed=True)
    try:
        return await call.command.run(assistant, asked, call.arguments)
    except BadRequest as error:
        return Reply(f"{str(error)[:1].upper()}{str(error)[1:]}", failed=True)
    except (LogError, OSError) as error:
        return Reply(f"`{PREFIX} {call.command.name}` could not be done: {error}", failed=True)
