"""What people are owed, by the operator's hand: `erase`, `redact`, `opt-out`, `opt-in`, and `compact`, which takes what
was dropped off the disk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.shell import Command, Data, Json, MaybeUser, Shell, User, Yes, typed
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.erasing import Receipt, Taken
    from dnam.memory import Memory
    from dnam.redacting import Meant
    from projections.ids import EventId, Handle, Ref
    from projections.rows import Rows

NOT_ERASED = "not erased: nothing was changed"

# -- erase ---------------------------------------------------------------------------------------------------------


def erase(
    user: MaybeUser = None,
    guild: Annotated[
        str | None,
        typer.Option("--guild", metavar="GUILD", callback=typed, help="Everything said and learned in this guild."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Erase a person: destroy every key that seals anything of theirs. It cannot be undone.

    Answers and summaries that drew on them go with it, and exports of them in the data folder. It says what it will
    take, and asks; the receipt counts what is gone, and holds nothing of it. A bot may go on meanwhile. With --guild
    everything that was said and learned in a guild is redacted instead; people's own memories elsewhere stay.
    """
    if (user is None) == (guild is None):
        raise BadRequest("say whom to erase: a USER, or --guild GUILD")
    shell = Shell(data, as_json, yes)
    if user is not None:
        _erase_person(shell, user)
    else:
        assert guild is not None
        _erase_guild(shell, guild)


def _erase_person(shell: Shell, user: str) -> None:
    async def action(memory: "Memory") -> "Receipt | None":
        from dnam.erasing import erase, look
        from dnam.finding import the_person

        person = await memory.look(lambda rows: the_person(rows, user))
        with shell.out.progress("counting") as progress:
            taken = await look(memory, person, progress)
        if not shell.out.confirm(await memory.look(lambda rows: _question(rows, person, taken))):
            return None
        with shell.out.progress("making the views anew") as progress:
            return await erase(memory, person, progress=progress)

    receipt = shell.run(action)
    if receipt is None:
        shell.out.note(NOT_ERASED)
    elif shell.out.as_json:
        shell.out.emit(receipt)
    else:
        _tell(shell, receipt)


def _question(rows: "Rows", person: "Handle", taken: "Taken") -> str:
    from dnam.erasing import counted, keys_words
    from projections.people import accounts_of, name_of

    accounts = ", ".join(f"{each.row.platform}:{each.row.platform_id}" for each in accounts_of(rows, person))
    exports = f" {len(taken.exports)} export(s) in the data folder are removed." if taken.exports else ""
    return (
        f"{name_of(rows, person)} ({accounts}) is erased: {counted(taken)}, under {keys_words(taken)}.{exports} "
        "It cannot be undone. Go on?"
    )


def _tell(shell: Shell, receipt: "Receipt") -> None:
    from dnam.erasing import counted, keys_words

    out = shell.out
    if receipt.event is None:
        out.line("There was nothing to erase.")
        return
    out.line(f"Erased: {counted(receipt.taken)}.")
    out.line(f"Destroyed: {keys_words(receipt.taken)}.")
    for export in receipt.taken.exports:
        out.line(f"Removed: the export {export}")
    for folder in receipt.left:
        out.line(f"Left to the process that writes them: the files in {folder}")
    out.line(f"Recorded as {receipt.event.hex()}.")
    _listed(shell, "What stays:", receipt.stays)
    _listed(shell, "What this cannot reach:", receipt.cannot_reach)
    out.line("The sealed bytes, which no key opens any more, leave the disk with `dnam compact`.")


def _listed(shell: Shell, title: str, lines: Sequence[str]) -> None:
    shell.out.line(title)
    for each in lines:
        shell.out.line(f"  - {each}")


def _erase_guild(shell: Shell, name: str) -> None:
    async def action(memory: "Memory") -> int | None:
        from dnam.discoclaw_files import the_guild
        from dnam.finding import place_words

        guild = await memory.look(lambda rows: the_guild(rows, name))
        named = await memory.look(lambda rows: place_words(rows, str(guild)))
        question = f"Everything that was said and learned in {named} ({guild}) is redacted. It cannot be undone. Go on?"
        return await _redact_guild(memory, guild) if shell.out.confirm(question) else None

    bodies = shell.run(action)
    if bodies is None:
        shell.out.note(NOT_ERASED)
    elif shell.out.as_json:
        shell.out.emit({"redacted": bodies})
    else:
        shell.out.line(
            f"Redacted {bodies} event(s). Their bytes leave the disk with `dnam compact`, or a bot's next night."
        )


async def _redact_guild(memory: "Memory", guild: "Ref") -> int:
    """Part by part, until nothing is left; how many events lost their words."""
    from projections.decisions.erase_guild import EraseGuildRequest, erase_guild
    from projections.events import MessageRedacted

    bodies = 0
    while True:
        request = EraseGuildRequest(guild, memory.now(), memory.origin())
        recorded = await memory.record(lambda rows, request=request: erase_guild(rows, request))  # type: ignore[misc]
        if not recorded.records:
            return bodies
        bodies += sum(len(each.events) for each in recorded.events if isinstance(each, MessageRedacted))


# -- redact --------------------------------------------------------------------------------------------------------


def redact(
    message: Annotated[
        str,
        typer.Argument(
            metavar="MESSAGE", callback=typed, help="A message's id on its platform, its event's id, or its #SEQ."
        ),
    ],
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Take a message or an answer back, with what a model made of it alone. It cannot be undone.

    What a person asked to keep stands until they forget it. The message itself stays in Discord.
    """
    shell = Shell(data, as_json, yes)

    async def action(memory: "Memory") -> "tuple[EventId, int] | None":
        from dnam.redacting import redact, the_message, what_goes
        from replay.reading import Reader

        reader = Reader(memory.engine.live)
        meant = await memory.look(lambda rows: the_message(rows, reader, message))
        taken = await memory.look(lambda rows: what_goes(rows, meant, memory.now()))
        question = await memory.look(lambda rows: _redaction_question(shell, rows, meant, len(taken.bodies)))
        return (meant.event, await redact(memory, meant.event)) if shell.out.confirm(question) else None

    done = shell.run(action)
    if done is None:
        shell.out.note("not redacted: nothing was changed")
    elif shell.out.as_json:
        shell.out.emit({"redacted": done[0], "bodies": done[1]})
    else:
        shell.out.line(f"Redacted {done[0].hex()}: the words of {done[1]} event(s) are gone.")
        shell.out.line("Their bytes leave the disk with `dnam compact`, or a bot's next night.")


def _redaction_question(shell: Shell, rows: "Rows", meant: "Meant", bodies: int) -> str:
    from projections.people import name_of

    if meant.message is None:
        assert meant.turn is not None
        what = f"The answer of {shell.out.when(meant.turn.said)}"
    else:
        message = meant.message.message
        who = name_of(rows, message.speaker) if message.speaker else message.author_name or message.author
        what = f"The message of {who}, {shell.out.when(message.said)}"
    more = f", and {bodies - 1} event(s) that were made of it," if bodies > 1 else ""
    return f"{what}{more} would lose its words. It cannot be undone. Go on?"


# -- opting out and in ---------------------------------------------------------------------------------------------


def opt_out(user: User, data: Data = None, as_json: Json = False) -> None:
    """Record nothing of somebody's any more: no message, no memory, no answer's words.

    USER may also be an account that nobody has heard of, as discord:100. What is there of them stays: `dnam erase`
    takes it away.
    """
    _consent(Shell(data, as_json), user, out=True)


def opt_in(user: User, data: Data = None, as_json: Json = False) -> None:
    """Record what somebody says again, from now on. What was said meanwhile is not heard."""
    _consent(Shell(data, as_json), user, out=False)


def _consent(shell: Shell, user: str, *, out: bool) -> None:
    async def action(memory: "Memory") -> bool:
        from dnam.consenting import consent, whom

        person, accounts = await memory.look(lambda rows: whom(rows, user))
        return await consent(memory, person, accounts, out=out)

    changed = shell.run(action)
    if shell.out.as_json:
        shell.out.emit({"done": "opted out" if out else "opted in", "changed": changed})
    elif out:
        shell.out.line("Nothing of theirs is recorded from now on." if changed else "They had opted out already.")
        shell.out.line(f"What is there of them stays: `dnam erase {user}` takes it away.")
    else:
        shell.out.line("What they say is recorded again, from now on." if changed else "They had not opted out.")


# -- compact -------------------------------------------------------------------------------------------------------


def compact(data: Data = None, as_json: Json = False) -> None:
    """Take what was dropped off the disk: the log is written anew without it, and the views are built anew.

    Nothing else changes: no event, no id, no proof. A bot may go on; what it records waits while the log is copied.
    """
    shell = Shell(data, as_json)

    async def action(memory: "Memory") -> None:
        import asyncio

        from dnam.compacting import compact

        with shell.out.progress("writing anew") as progress:
            done = await asyncio.to_thread(compact, memory.engine, progress)
        if shell.out.as_json:
            shell.out.emit(done)
            return
        left = f", without {done.left_behind} that no key opens any more" if done.left_behind else ""
        shell.out.line(f"{done.events} events were written anew{left}.")
        shell.out.line(f"Log and views: {done.bytes_before:,} bytes before, {done.bytes_after:,} now.")

    shell.run(action)


COMMANDS = (
    Command("erase", erase, "erase Kim"),
    Command("redact", redact, "redact discord:1183000000000000000"),
    Command("opt-out", opt_out, "opt-out discord:100"),
    Command("opt-in", opt_in, "opt-in Kim"),
    Command("compact", compact, "compact"),
)
