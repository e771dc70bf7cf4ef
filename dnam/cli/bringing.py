"""Bringing things in: `import`.

An import that is broken off, by Ctrl-C or a broken file, keeps what it had; the same command goes on where it stopped.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dnam.cli.bringing_check import Asked, checked
from dnam.cli.bringing_words import in_words, say_tally, tally_value, tell_folders
from dnam.cli.brought import Brought
from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.failures import COULD_NOT, INTERRUPTED, Ending
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.learning import learn_all, learner_of
from dnam.cli.piped import Given, readable_again
from dnam.cli.progress import unless_passed
from dnam.cli.rehearsing import nothing_rehearsed, rehearse
from dnam.cli.returning import take_back, the_export
from dnam.cli.screen import Screen, answer_to, can_be_asked, in_quotes, note
from dnam.cli.shell import Shell
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from dnam.importers.source import Arrival, Channel, Options, Source, Told
    from dnam.importing.rehearsal import Rehearsal
    from dnam.importing.tally import Tally
    from dnam.learning.learner import Learner
    from dnam.memory import Memory

TOLD: "tuple[Told, ...]" = ("guild", "channel", "dm")


def bring(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH…", help="Exported files, - for a pipe, a folder of Discord exports, or DiscoClaw's."
        ),
    ],
    audience: Annotated[
        str | None, typer.Option(metavar="WHO", help="Who could read it: guild, channel or dm. Unsaid: restricted.")
    ] = None,
    assistant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The name or id of the account that was the assistant; repeatable, where it had several. A bot's name "
            "goes before people's.",
        ),
    ] = None,
    same_person: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A=B",
            help="Two accounts, by id or name, that are one person. Two people who are known here stay two.",
        ),
    ] = None,
    portable: Annotated[
        bool, typer.Option(help="Let items of programs without levels hold everywhere, not only in direct messages.")
    ] = False,
    learn_after: Annotated[bool, typer.Option("--learn/--no-learn", help="Learn from what came in.")] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would come in, and where it would go. Writes nothing.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Bring in Discord exports, LoCoMo files, and what DiscoClaw, slashAI, Clanky or Snowclaw remembered.

    What is known already is passed over, so the same import can be run again after it was broken off.
    """
    shell = Shell(data, as_json, yes)
    shell.tell_unheeded()
    how = How(
        audience, tuple(map(whole, assistant or ())), [_pair(whole(each)) for each in same_person or []], portable
    )
    nothing = nothing_rehearsed if dry_run else nothing_brought
    with told_so_far(shell.out, nothing) as so_far, readable_again(paths) as given:
        _bring_given(shell, given, how, so_far, learn_after=learn_after, dry_run=dry_run)


def nothing_brought() -> dict[str, object]:
    """What a program reads where nothing was read yet."""
    from dnam.importing.tally import Tally

    return {"imported": tally_value(Tally()), "learned": None}


class How(NamedTuple):
    """How somebody wants something brought in: who could read it, who the assistant was, who is one person, and whether
    items of programs without levels hold everywhere.
    """

    audience: str | None
    assistants: tuple[str, ...]
    same: list[tuple[str, str]]
    portable: bool


def _bring_given(shell: Shell, given: Given, how: How, so_far: SoFar, *, learn_after: bool, dry_run: bool) -> None:
    from dnam.importers.given import sources

    found = sources(given.paths)
    tell_folders(found)
    export = the_export(found.all, options=any(how))
    if export is not None:
        take_back(shell, export, so_far, dry_run=dry_run)
        return
    asked = Asked(found.all, _options(found.all, shell, how.audience, list(how.assistants)), how.same)
    options = checked(asked, partial(_rehearsing, shell), must_exist=not dry_run)
    brought = Brought(found, options, how.same, how.portable, list(found.broken), given.name)
    if dry_run:
        rehearse(shell, brought, so_far)
    else:
        _bring(shell, brought, so_far, learn_after=learn_after)


def _bring(shell: Shell, brought: Brought, so_far: SoFar, *, learn_after: bool) -> None:
    from dnam.importing.tally import Tally, ahead_of_what_comes_in

    tally, learning = Tally(), list["Learner"]()

    def value() -> dict[str, object]:
        learned = learning[0].so_far() if learning else None
        return {"imported": brought.value(tally), "learned": learned}

    async def action(memory: "Memory") -> None:
        assert arrivals is not None
        await _import(memory, brought, arrivals, tally, shell.out)
        say_tally(shell.out, tally)
        if not learn_after or not (tally.people or tally.sessions):
            return
        async with learner_of(memory, shell.data, tally.people, tally.sessions) as learner:
            if tally.events or (await memory.look(learner.estimate)).calls:
                learning.append(learner)
                await learn_all(memory, learner, shell.out)

    so_far.value = value
    with _told_until_then(tally):
        arrivals = ahead_of_what_comes_in(brought.arrivals(), tally)
    if arrivals is None:  # nothing is written, and where there is no log, none is begun
        say_tally(shell.out, tally)
    else:
        shell.run(action, create=True)
    brought.refuse_unread()
    if shell.out.as_json:
        shell.out.emit(value())
    if learning and not learning[0].so_far().is_whole:
        raise Ending(COULD_NOT)


def _rehearsing(shell: Shell) -> "AbstractContextManager[Rehearsal]":
    from dnam.importing.rehearsal import rehearsing

    return rehearsing(shell.settings, shell.data)


# -- what is read --------------------------------------------------------------------------------------------------


def _pair(text: str) -> tuple[str, str]:
    one, _, other = (each.strip() for each in text.partition("="))
    if not one or not other or one == other:
        raise BadRequest(f"--same-person takes two accounts as A=B, not {in_quotes(text)}")
    return one, other


def _options(sources: "Sequence[Source]", shell: Shell, audience: str | None, assistants: list[str]) -> "Options":
    from dnam.importers.source import Options

    told = None if audience is None else _told(audience)
    _tell_of_unknown(channel for source in sources for channel in source.channels)
    asked = {} if told is not None else _ask(sources, shell.out)
    return Options(
        audience=told,
        audiences=asked,
        assistants=tuple(assistants),
        now=time.time_ns() // 1_000_000,
        memory_channel=shell.settings.memory_channel_id,
    )


def _tell_of_unknown(channels: "Iterable[Channel]") -> None:
    """Say of each channel of a type that is not known that no word makes it public."""
    for channel in channels:
        if channel.unknown_type is not None:
            named = f"{channel.name or channel.key} is of a type that dnam does not know"
            note(f"{named} ({in_quotes(channel.unknown_type)}): it counts as restricted, whatever is said of it")


def _told(text: str) -> "Told":
    for each in TOLD:
        if text.strip().casefold() == each:
            return each
    raise BadRequest(f"--audience is one of {', '.join(TOLD)}, not {in_quotes(text)}")


def _ask(sources: "Sequence[Source]", out: Screen) -> "dict[str, Told]":
    """Ask once for each channel of which the file does not say who could read it; only in a terminal."""
    channels = [channel for source in sources for channel in source.channels if channel.must_ask]
    if not _may_ask(out):
        if channels:
            count = len({each.key for each in channels})
            unsaid = f"who could read {count} channel(s) is unsaid (--audience): they count as restricted"
            note(f"{unsaid}, and nothing new comes into one that is known as open")
        return {}
    answers: dict[str, Told] = {}
    for channel in channels:
        if channel.key not in answers:  # several files may hold parts of one
            answers[channel.key] = _answer_for(channel)
    return answers


def _may_ask(out: Screen) -> bool:
    """Whether somebody sits there who sees a question."""
    return not (out.yes or out.as_json) and can_be_asked() and sys.stderr.isatty()


def _answer_for(channel: "Channel") -> "Told":
    """Ask until there is an answer. Where what is typed ends, nothing was agreed to: nothing comes in."""
    while True:
        typed = answer_to(f"Who could read {channel.name or channel.key}? guild, channel or dm [channel] ")
        if not typed:
            note("ended at the question: nothing was imported")
            raise Ending(INTERRUPTED)
        answer = typed.strip().casefold() or "channel"
        for each in TOLD:
            if answer == each:
                return each
        note(f"one of {', '.join(TOLD)}, not {in_quotes(typed.strip())}")


# -- importing -----------------------------------------------------------------------------------------------------


async def _import(
    memory: "Memory", brought: Brought, arrivals: "Iterator[Arrival]", tally: "Tally", out: Screen
) -> None:
    from dnam.importing.importer import Importer

    formats = [source.format for source in brought.found.all]
    importer = Importer(memory, same=brought.same, portable=brought.portable, formats=formats, tally=tally)
    total = brought.total
    with out.progress("importing", "messages") as tell:
        with _told_until_then(tally):
            await importer.bring(arrivals, lambda tally: tell(tally.read, unless_passed(total, tally.read)))
        tell(tally.read, tally.read)
    for words in await importer.unjoined():
        note(f"--same-person: {words}")


@contextmanager
def _told_until_then(tally: "Tally") -> Iterator[None]:
    """Whoever it breaks off for is told what came in; also that nothing did."""
    from dnam.importers.source import ImportFailed

    try:
        yield
    except BaseException as error:  # raised again, also Ctrl-C: what came in is told first
        is_broken = isinstance(error, ImportFailed)
        if tally.read:
            goes_on = "" if is_broken else "; run the same command to go on"
            note(f"until then: {in_words(tally)}. What was imported stays{goes_on}")
        elif is_broken:
            note("nothing was imported")
        raise


COMMANDS = (Command("import", bring, "import --audience guild data/samples/garden-club.json", changes=True),)
