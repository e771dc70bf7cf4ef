"""What people are owed, by the operator's hand: `erase` and `redact`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from dnam.cli.command import Command, Data, Json, MaybeUser, Yes, typed
from dnam.cli.failures import Ending
from dnam.cli.half_done import told_so_far, unknown
from dnam.cli.shell import Shell
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.erasing.copies import Copies
    from dnam.erasing.guild import GuildReceipt
    from dnam.erasing.person import Receipt, Taken
    from dnam.memory import Memory
    from dnam.redacting import Meant
    from dnam.rederiving.dropping import CalledBack
    from projections.ids import EventId, Handle
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
    everything that was said and learned in a guild is redacted instead; people's own memories elsewhere stay. What was
    broken off is finished by the same command, or by whoever writes next.
    """
    if (user is None) == (guild is None):
        which = "say whom to erase" if user is None else "say one of them"
        raise BadRequest(f"{which}: a USER, or --guild GUILD")
    shell = Shell(data, as_json, yes)
    if user is not None:
        _erase_person(shell, user)
    else:
        assert guild is not None
        _erase_guild(shell, guild)


def _erase_person(shell: Shell, user: str) -> None:
    from dnam.erasing.person import Receipt
    from dnam.erasing.unfinished import unfinished_at

    left = unfinished_at(shell.data)  # before it is opened for writing, which goes on with it

    async def action(memory: "Memory") -> Receipt | None:
        from dnam.erasing.person import erase, go_on, look, with_exports
        from dnam.errors import Unknown
        from dnam.finding import the_only_person

        try:
            person = await memory.look(lambda rows: the_only_person(rows, user))
        except Unknown as error:
            if not left.erasures:
                raise
            with _told_broken_off(shell, user, "somebody"), shell.out.progress("making the views anew") as progress:
                receipt = await go_on(memory, left, progress)
            shell.out.note(f"{str(error).partition('.')[0]}; but an erasure had been broken off, and is finished now")
            return receipt
        with shell.out.progress("counting") as progress:
            taken = await look(memory, person, progress)
        if not shell.out.confirm(await memory.look(lambda rows: _question(rows, person, taken))):
            return None
        name = await memory.look(lambda rows: _name(rows, person))
        with _told_broken_off(shell, user, name), shell.out.progress("making the views anew") as progress:
            receipt = await erase(memory, person, progress=progress)
        if left.erasures:
            shell.out.note("an erasure that had been broken off before is finished too")
        return with_exports(receipt, left.exports)

    with told_so_far(shell.out, lambda: unknown(Receipt)):
        receipt = _with_batches(shell, shell.run(action, named=user))
    if receipt is None:
        shell.out.nothing_done(NOT_ERASED)
    elif shell.out.as_json:
        shell.out.emit(receipt)
    else:
        _tell(shell, receipt)


R = TypeVar("R", "Receipt", "GuildReceipt", "Receipt | None", "GuildReceipt | None")


def _with_batches(shell: Shell, receipt: R) -> R:
    """The receipt, with what became of the batches under way in which it may have stood."""
    import msgspec

    if receipt is None:
        return receipt
    found = _called_back(shell)
    return msgspec.structs.replace(receipt, cancelled=found.cancelled, batches=found.going)


def _called_back(shell: Shell) -> "CalledBack":
    """Cancel every batch under way, and tell of it; where that cannot be, name it."""
    import asyncio

    from dnam.rederiving.dropping import call_all_back

    found = asyncio.run(call_all_back(shell.data, shell.settings, shell.out.note))
    if found.cancelled:
        batches = "1 batch of questions" if found.cancelled == 1 else f"{found.cancelled} batches of questions"
        shell.out.note(f"cancelled at the API, since it may have stood in them: {batches}")
    if found.going:
        shell.out.note(f"it may stand in batches of questions, {found.words}")
    return found


@contextmanager
def _told_broken_off(shell: Shell, user: str, name: str) -> Iterator[None]:
    """What is done by then, what is not, and how it is finished."""
    from shlex import quote

    from dnam.errors import BrokenOff

    try:
        yield
    except BrokenOff as error:
        again = f"Then run `{shell.command(f'erase {quote(user)} --yes')}` again: it finishes"
        raise BrokenOff(f"{name} is erased, but {error}. {again}") from error


def _name(rows: "Rows", person: "Handle") -> str:
    from projections.people import name_of

    return name_of(rows, person)


def _question(rows: "Rows", person: "Handle", taken: "Taken") -> str:
    from dnam.erasing.person import keys_words, person_counted
    from projections.people import accounts_of, name_of

    accounts = ", ".join(f"{each.row.platform}:{each.row.platform_id}" for each in accounts_of(rows, person))
    exports = f" {len(taken.exports)} export(s) in the data folder would be removed." if taken.exports else ""
    if taken.shadows:
        exports += f" It would be gone from {len(taken.shadows)} shadow(s) too."
    return (
        f"{name_of(rows, person)} ({accounts}) would be erased: {person_counted(taken)}, under {keys_words(taken)}."
        f"{exports} It cannot be undone. Go on?"
    )


def _tell(shell: Shell, receipt: "Receipt") -> None:
    from dnam.erasing.person import keys_words, person_counted

    out = shell.out
    if receipt.event is None:
        out.line("There was nothing to erase.")
        return
    out.line(f"Erased: {person_counted(receipt.taken)}.")
    out.line(f"Destroyed: {keys_words(receipt.taken)}.")
    for export in receipt.taken.exports:
        out.line(f"Removed: the export {export}")
    for shadow in receipt.taken.shadows:
        out.line(f"Gone from the shadow {shadow} too.")
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
    from dnam.erasing.guild import GuildReceipt
    from dnam.erasing.unfinished import unfinished_at, unfinished_in

    left = unfinished_at(shell.data)  # before it is opened for writing, which goes on with it

    async def action(memory: "Memory") -> GuildReceipt | None:
        from dnam.discoclaw.files import the_guild
        from dnam.erasing.guild import erase_whole_guild, guild_counted, look_at_guild
        from dnam.finding import place_words

        try:
            guild = await memory.look(lambda rows: the_guild(rows, name))
        except BadRequest:
            if not left.guilds:
                raise
            if unfinished_in(memory.engine).guilds:  # it was told why
                raise Ending(3) from None
            shell.out.note("no guild goes by that any more; what had been broken off is finished now")
            raise Ending(0) from None
        named = await memory.look(lambda rows: place_words(rows, str(guild)))
        taken = await look_at_guild(memory, guild)
        exports = f" {len(taken.exports)} export(s) in the data folder would be removed." if taken.exports else ""
        question = (
            f"Everything that was said and learned in {named} ({guild}) would be redacted: {guild_counted(taken)}. "
            "Its settings would go too, but for those by which less is learned or kept (learn, retention_days)."
            f"{exports} It cannot be undone. Go on?"
        )
        return await erase_whole_guild(memory, guild) if shell.out.confirm(question) else None

    with told_so_far(shell.out, lambda: unknown(GuildReceipt)):
        receipt = _with_batches(shell, shell.run(action, named=name))
    if receipt is None:
        shell.out.nothing_done(NOT_ERASED)
    elif shell.out.as_json:
        shell.out.emit(receipt)
    else:
        _tell_of_guild(shell, receipt)


def _tell_of_guild(shell: Shell, receipt: "GuildReceipt") -> None:
    from dnam.erasing.copies import Copies, named
    from dnam.erasing.guild import guild_counted

    out = shell.out
    out.line(f"Redacted: {guild_counted(receipt.taken)}; {receipt.redacted} event(s) in all lost their words.")
    for export in receipt.taken.exports:
        out.line(f"Removed: the export {export}")
    for folder in receipt.left:
        out.line(f"Left to the process that writes them: the files in {folder}")
    for line in named(Copies(receipt.logs)):
        out.line(line)
    _listed(shell, "What stays:", receipt.stays)
    _listed(shell, "What this cannot reach:", receipt.cannot_reach)


# -- redact --------------------------------------------------------------------------------------------------------


def redact(
    message: Annotated[
        str,
        typer.Argument(
            metavar="MESSAGE",
            callback=typed,
            help="A message's id on its platform, its link, its event's id, or its number in the log, as 12 or '#12'.",
        ),
    ],
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Take a message or an answer back, with what a model made of it alone. It cannot be undone.

    What a person asked to keep stands until they forget it. The message itself stays in Discord.
    """
    from dnam.erasing.copies import named

    shell = Shell(data, as_json, yes)

    async def action(memory: "Memory") -> "tuple[EventId, int, Copies] | None":
        from dnam.erasing.copies import copies, write_files_anew
        from dnam.redacting import redact, the_message, what_goes
        from replay.reading import Reader

        reader = Reader(memory.engine.live)
        meant = await memory.look(lambda rows: the_message(rows, reader, message))
        taken = await memory.look(lambda rows: what_goes(rows, meant, memory.now()))
        question = await memory.look(lambda rows: _redaction_question(shell, rows, meant, len(taken.bodies)))
        if not shell.out.confirm(question):
            return None
        bodies = await redact(memory, meant.event)
        try:
            write_files_anew(memory)
        except OSError as error:
            shell.out.note(f"DiscoClaw's files could not be written anew, and may hold it: {error}")
        return meant.event, bodies, copies(memory, taken.bodies)

    done = shell.run(action)
    if done is None:
        shell.out.nothing_done("not redacted: nothing was changed")
        return
    called = _called_back(shell)
    if shell.out.as_json:
        copied = done[2]._asdict()
        batches = {"cancelled": called.cancelled, "batches": called.going}
        shell.out.emit({"redacted": done[0], "bodies": done[1], "copies": copied, **batches})
    else:
        shell.out.line(f"Redacted {done[0].hex()}: the words of {done[1]} event(s) are gone.")
        shell.out.line("Their bytes leave the disk with `dnam compact`, or a bot's next night.")
        shell.out.lines("\n".join(named(done[2])))


def _redaction_question(shell: Shell, rows: "Rows", meant: "Meant", bodies: int) -> str:
    from projections.people import name_of

    if meant.message is None:
        assert meant.turn is not None
        what = f"The answer of {shell.out.when(meant.turn.said)}"
    else:
        message = meant.message.message
        who = name_of(rows, message.speaker) if message.speaker else message.author_name or message.author
        what = f"The message of {who}, {shell.out.when(message.said)}"
    return f"{what}{made_of_it(bodies - 1)} words. It cannot be undone. Go on?"


def made_of_it(events: int) -> str:
    """What would lose their words with a message, and whose words that would be."""
    from projections.counting import counted

    if not events:
        return " would lose its"
    were = "was" if events == 1 else "were"
    return f", and {counted(events, 'event')} that {were} made of it, would lose their"


COMMANDS = (
    Command("erase", erase, "erase Kim", changes=True),
    Command("redact", redact, "redact discord:1183000000000000000", changes=True),
)
