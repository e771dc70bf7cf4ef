"""The table of `!memory` commands, and running one so that nothing is raised.

What is added here is in the terminal, in Discord's text and among its slash commands at once.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from dnam.assistant import Assistant
from dnam.commands import consent, gone, items, keep, lore, sessions, sharing, undo, why
from dnam.commands.command import NOTED, PREFIX, Arguments, Command, Confirms, Invocation, Parameter, Reply
from dnam.commands.compact import compact_log
from dnam.commands.config import PARAMETERS as CONFIG
from dnam.commands.config import config, only_looks
from dnam.commands.consent import OPTED_OUT, is_unheard
from dnam.commands.costs import costs
from dnam.commands.done_before import DONE, MENU_DONE, done_before, is_done
from dnam.commands.erase import PARAMETERS as ERASE
from dnam.commands.erase import SURE, erase_confirmed, erase_me
from dnam.commands.erase_guild import PARAMETERS as ERASE_GUILD
from dnam.commands.erase_guild import erase_guild_confirmed, erase_this_guild
from dnam.commands.export import export
from dnam.commands.history import history
from dnam.commands.parse import Call, Misread, parse
from dnam.commands.pointing import Menu, Pointed
from dnam.commands.redact import PARAMETERS as REDACT
from dnam.commands.redact import redact_message
from dnam.commands.search import find
from dnam.nearest import nearest
from projections.errors import BadRequest
from projections.ids import NOBODY
from replay.errors import LogError


async def show_help(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Every command that this person may use, with a line."""
    return Reply(listing(offered_to(assistant, asked)))


ITEM_ID = Parameter("id", "the id of an item, which `show` lists", completes="active")
ANY_ID = Parameter("id", "the id of an item, forgotten ones too", completes="any")
GONE_ID = Parameter("id", "an item's id, as `show all` lists it", completes="gone", optional=True, has_menu=True)
ALL = Parameter("all", "also what was forgotten or is no longer so, with its ids", choices=("yes",), optional=True)
WHAT = Parameter("what", "an item's id, or a piece of its text, at least 60 %", completes="active", has_menu=True)
SENTENCE = Parameter("text", "a sentence")
LORE = Parameter("text", "a sentence", optional=True)
MOMENT = Parameter("when", "a moment, as `yesterday 18:00`, `2026-03-06` or `3 days ago`")

COMMANDS: tuple[Command, ...] = (
    Command(
        "show",
        "what I remember here, with ids, and this session's summary; with `all` also what was forgotten",
        items.show,
        (ALL,),
    ),
    Command(
        "search",
        "what I remember and what was said here that has your words; also `--explain`, `--limit N`, `--all`",
        find,
        (Parameter("words", "some words"),),
    ),
    Command("at", "what I remembered here at a moment", items.at, (MOMENT,)),
    Command("history", "where an item comes from: what happened to it, who did it and why", history, (ANY_ID,)),
    Command("remember", "keep a sentence", items.remember, (SENTENCE,), changes=True),
    Command("edit", "change what an item says", items.edit, (ITEM_ID, SENTENCE), changes=True),
    Command("forget", "take items back: by id, or by words that stand in them", items.forget, (WHAT,), changes=True),
    Command(
        "restore",
        "bring a forgotten item back; without an id, list those that can be",
        items.restore,
        (GONE_ID,),
        changes=True,
        looks=gone.only_looks,
    ),
    Command("share", "let an item be told wherever I answer you", sharing.share, (ITEM_ID,), changes=True),
    Command(
        "keep-private",
        "let an item be told in your direct messages alone",
        sharing.keep_private,
        (ITEM_ID,),
        changes=True,
    ),
    Command(
        "lore",
        "what everybody of this server may know; with words, add to it",
        lore.lore,
        (LORE,),
        changes=True,
        looks=lore.only_looks,
    ),
    Command(
        "note",
        "keep a sentence about you, this server, me, or for my owner alone",
        lore.note,
        (Parameter("namespace", f"one of {', '.join(lore.NAMESPACES)}", choices=lore.NAMESPACES), SENTENCE),
        changes=True,
    ),
    Command(
        "undo",
        "take back what you changed last of what this place shows; once more, the change before it",
        undo.undo,
        undo.PARAMETERS,
        changes=True,
    ),
    Command(
        "reset rolling",
        "clear this session's rolling summary for good; where others read along, for all of them",
        sessions.reset_rolling,
        changes=True,
    ),
    Command("extract", "learn now from what you said here", sessions.extract, changes=True, slow=True),
    Command("export", "all that is yours, as a file for you alone", export, needs_memory=False, always=True),
    Command(
        "opt-out",
        "from now on, record nothing of what you say",
        consent.opt_out,
        needs_memory=False,
        changes=True,
        always=True,
    ),
    Command("opt-in", "hear you again", consent.opt_in, needs_memory=False, changes=True, always=True),
    Command(
        "erase",
        "all that I know of you, for good; says what it does, and asks",
        erase_me,
        ERASE,
        needs_memory=False,
        changes=True,
        always=True,
    ),
    Command(
        "redact",
        "take back at once a message that you wrote, or an answer to you, and what was made of it alone",
        redact_message,
        REDACT,
        needs_memory=False,
        changes=True,
        slow=True,
        always=True,
    ),
    Command(
        "erase-guild",
        "all that was said and learned in this server, for good, for who may manage it; asks first",
        erase_this_guild,
        ERASE_GUILD,
        needs_memory=False,
        changes=True,
        slow=True,
        always=True,
    ),
    Command(
        "compact",
        "take off the disk now what was taken back, and not at night",
        compact_log,
        for_owner=True,
        needs_memory=False,
        changes=True,
        slow=True,
        always=True,
    ),
    Command("costs", "what models cost lately", costs, for_owner=True, needs_memory=False),
    Command(
        "config",
        "what I do here, and change it where you may: your own always, as `config set me learn=none`",
        config,
        CONFIG,
        needs_memory=False,
        changes=True,
        looks=only_looks,
    ),
    Command("help", "list these commands", show_help, needs_memory=False, always=True),
)

TAKES_BACK = frozenset({"forget", "reset rolling", "undo"})
"""Commands that change something, and record nothing new of anybody: also for who opted out. `undo` refuses by itself
what would.
"""
FOR_EVERYBODY = frozenset({"export", "opt-out", "opt-in", "erase"})
"""Commands for everybody who is recorded: also for whom the bot does not answer, where only they see the reply."""

MENUS: tuple[Menu, ...] = (
    Menu("Remember this", "keep what you wrote here", keep.remember_message, changes=True),
    Menu("Why did you say that?", "what I remembered when I said that, and where it came from", why.why),
)
"""What can be asked of a message, where a platform has menus for that."""


def offered_by(assistant: Assistant) -> tuple[Command, ...]:
    """The commands that do something: without a memory, those that need none."""
    return tuple(each for each in COMMANDS if assistant.memory.settings.memory_enabled or not each.needs_memory)


def offered_to(assistant: Assistant, asked: Invocation) -> tuple[Command, ...]:
    """Those that this person may use, as they are typed there."""
    offered = (each for each in offered_by(assistant) if asked.is_owner or not each.for_owner)
    return tuple(_without_words(each) if asked.has_buttons else each for each in offered)


def _without_words(command: Command) -> Command:
    """Where a button stands for what else is typed."""
    return command._replace(parameters=tuple(each for each in command.parameters if not each.is_typed))


def listing(commands: Iterable[Command] = COMMANDS) -> str:
    """The commands, one a line."""
    return "\n".join(["**Memory commands:**", *map(_line, commands)])


def _line(command: Command) -> str:
    """A command, what it does, and what a word is for by which it is confirmed."""
    typed = "".join(f"; `{each.name}` {each.help}" for each in command.parameters if each.name == SURE)
    return f"`{command.usage}`: {command.help}{typed}{' (the owner)' if command.for_owner else ''}"


def read(text: str) -> Call | Misread | None:
    """What a text asks of this table; None when it is ordinary text."""
    return parse(text, COMMANDS)


async def run(assistant: Assistant, asked: Invocation, call: Call | Misread) -> Reply:
    """Do it. What cannot be done is the reply, in words."""
    if isinstance(call, Misread):
        more = "" if call.command is not None else _instead(call.word, offered_to(assistant, asked))
        return Reply(f"{call.problem}{more}", failed=True)
    command = call.command
    if command.for_owner and not asked.is_owner:
        return Reply("Only the owner of this bot can ask for that.", failed=True)
    return await guarded(
        assistant,
        asked,
        f"{PREFIX} {command.name}",
        lambda: _once(assistant, asked, call),
        anybody=command.for_owner or command.always or call.only_looks,
        needs_memory=command.needs_memory,
        records=call.changes and not command.always and command.name not in TAKES_BACK,
    )


async def _once(assistant: Assistant, asked: Invocation, call: Call) -> Reply:
    """Do it, unless the same message asked for it before, and it was done."""
    if call.changes and asked.origin is not None and await is_done(assistant, asked.origin):
        words = DONE.format(prefix=PREFIX, name=call.command.name)
        return await done_before(assistant, asked, words, asked.origin)
    return await call.command.run(assistant, asked, call.arguments)


def _instead(word: str, offered: Sequence[Command]) -> str:
    """What may be asked for instead of a command that there is not: the one that is most like it, else all of them."""
    near = nearest(word, dict.fromkeys(each.name.split()[0] for each in offered))
    if not near:
        return f"\n{listing(offered)}"
    names = [each.name for each in offered if each.name.split()[0] == near]
    return f" Did you mean `{PREFIX} {names[0] if len(names) == 1 else near}`? `{PREFIX} help` lists all."


CONFIRMED: Mapping[Confirms, Callable[[Assistant, Invocation], Awaitable[Reply]]] = {
    "erase": erase_confirmed,
    "erase-guild": erase_guild_confirmed,
}
"""What a button confirms."""


async def confirmed(assistant: Assistant, asked: Invocation, what: Confirms) -> Reply:
    """Do what a button confirms."""
    assert what
    return await guarded(
        assistant,
        asked,
        f"{PREFIX} {what}",
        lambda: CONFIRMED[what](assistant, asked),
        anybody=True,
        needs_memory=False,
    )


async def point(assistant: Assistant, asked: Invocation, menu: Menu, pointed: Pointed) -> Reply:
    """Do what a menu says with a message. What cannot be done is the reply, in words."""

    async def once() -> Reply:
        if menu.changes and asked.origin is not None and await is_done(assistant, asked.origin):
            return await done_before(assistant, asked, MENU_DONE.format(name=menu.name), asked.origin)
        return await menu.run(assistant, asked, pointed)

    return await guarded(assistant, asked, menu.name, once, records=menu.changes)


async def guarded(
    assistant: Assistant,
    asked: Invocation,
    name: str,
    do: Callable[[], Awaitable[Reply]],
    *,
    anybody: bool = False,
    needs_memory: bool = True,
    records: bool = False,
) -> Reply:
    """Do something of this name; nothing is raised but what nobody foresaw. `anybody`: also who keeps out of it.
    `records`: not for who opted out.

    What went wrong inside is told in its own words to whoever runs the bot alone, and else to the program's log.
    """
    if needs_memory and not assistant.memory.settings.memory_enabled:
        return Reply("Memory is switched off here (DNAM_MEMORY_ENABLED=0).", failed=True)
    try:
        if records and await assistant.memory.look(lambda rows: is_unheard(rows, asked)):
            return Reply(OPTED_OUT, failed=True)
        if asked.person == NOBODY and not anybody:
            return Reply("I keep nothing about you, so there is nothing to show or to change.", failed=True)
        return await do()
    except BadRequest as error:
        return Reply(_sentence(str(error)), failed=True)
    except (LogError, OSError) as error:
        if asked.is_told_why:
            return Reply(f"`{name}` could not be done: {error}", failed=True, hindered=True)
        assistant.failures.append(f"command: {error}", f"{name} could not be done: {error}")
        return Reply(f"`{name}` could not be done just now. {NOTED}", failed=True, hindered=True)


def _sentence(words: str) -> str:
    """What was refused, as a reply: with a capital letter, and a full stop where nothing else ends it, nor a list."""
    ends = "" if words.endswith((".", "!", "?")) or "\n" in words else "."
    return f"{words[:1].upper()}{words[1:]}{ends}"
