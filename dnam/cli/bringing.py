"""Bringing things in: `import`.

An import that is broken off, by Ctrl-C or a broken file, keeps what it had; the same command goes on where it stopped.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dnam.cli.bringing_check import Asked, checked
from dnam.cli.command import Command, Data, Json, Yes
from dnam.cli.failures import COULD_NOT, INTERRUPTED, Ending
from dnam.cli.learning import learn_all, learner_of
from dnam.cli.piped import Given, readable_again
from dnam.cli.progress import unless_passed
from dnam.cli.rehearsing import rehearse
from dnam.cli.returning import take_back, the_export
from dnam.cli.screen import Screen, answer_to, can_be_asked, in_quotes, note
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from dnam.importers.source import Arrival, Channel, ImportFailed, Options, Source, Told
    from dnam.importing import Tally
    from dnam.learning import LearnedAll
    from dnam.memory import Memory
    from dnam.rehearsal import Rehearsal

TOLD: "tuple[Told, ...]" = ("guild", "channel", "dm")


def bring(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="Exported files, - for a pipe, or a DiscoClaw data folder.")
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
    how = How(
        audience, tuple(map(whole, assistant or ())), [_pair(whole(each)) for each in same_person or []], portable
    )
    with readable_again(paths) as given:
        _bring_given(shell, given, how, learn_after=learn_after, dry_run=dry_run)


class How(NamedTuple):
    """How somebody wants something brought in: who could read it, who the assistant was, who is one person, and whether
    items of programs without levels hold everywhere.
    """

    audience: str | None
    assistants: tuple[str, ...]
    same: list[tuple[str, str]]
    portable: bool


def _bring_given(shell: Shell, given: Given, how: How, *, learn_after: bool, dry_run: bool) -> None:
    same, sources = how.same, _sources(given.paths)
    export = the_export(sources, options=any(how))
    if export is not None:
        take_back(shell, export, dry_run=dry_run)
        return
    asked = Asked(sources, _options(sources, shell.out, how.audience, list(how.assistants)), same)
    options = checked(asked, partial(_rehearsing, shell), must_exist=not dry_run)
    brought = Brought(sources, options, same, how.portable, [], given.name)
    if dry_run:
        rehearse(shell, sources, brought.arrivals(), same, how.portable, brought.total)
    else:
        _bring(shell, brought, learn_after=learn_after)
    for error in brought.unread:
        for other in error.others:
            note(str(other))
        raise error


class Brought(NamedTuple):
    """What is brought in, and how. `unread` are the folders of which some files could not be read, once all was; `name`
    says how whoever gave a file calls it.
    """

    sources: "list[Source]"
    options: "Options"
    same: list[tuple[str, str]]
    portable: bool
    unread: "list[ImportFailed]"
    name: Callable[[Path], Path]

    @property
    def total(self) -> int | None:
        """How many messages there are, as the sources have it; None where one does not say before it is read."""
        counts = [channel.messages for source in self.sources for channel in source.channels]
        if any(count is None for count in counts) or not all(source.channels for source in self.sources):
            return None
        return sum(count or 0 for count in counts)

    def arrivals(self) -> "Iterator[Arrival]":
        """Everything in the sources that was said by now, in the order of `said`."""
        from dnam.importers.merge import by_now, in_order, located

        now = self.options.now
        return in_order([located(by_now(self._read(each), now), self.name(each.path)) for each in self.sources])

    def _read(self, source: "Source") -> "Iterator[Arrival]":
        """What a source holds. Of a folder each file stands for itself: a bad one stops nothing else."""
        from dnam.importers.order import until_broken

        read = source.read(self.options)
        return until_broken(read, self.unread) if source.format == "discoclaw" else read


def _bring(shell: Shell, brought: Brought, *, learn_after: bool) -> None:
    async def action(memory: "Memory") -> "tuple[Tally, LearnedAll | None]":
        tally = await _import(memory, brought, shell.out)
        _say_tally(shell.out, tally)
        if not learn_after or not (tally.people or tally.sessions):
            return tally, None
        async with learner_of(memory, shell.data, tally.people, tally.sessions) as learner:
            if not tally.events and not (await memory.look(learner.estimate)).calls:
                return tally, None
            return tally, await learn_all(memory, learner, shell.out)

    tally, learned = shell.run(action, create=True)
    if shell.out.as_json:
        shell.out.emit({"imported": _tally_json(tally), "learned": learned})
    if learned is not None and not learned.is_whole:
        raise Ending(COULD_NOT)


def _rehearsing(shell: Shell) -> "AbstractContextManager[Rehearsal]":
    from dnam.rehearsal import rehearsing

    return rehearsing(shell.settings, shell.data)


# -- what is read --------------------------------------------------------------------------------------------------


def _pair(text: str) -> tuple[str, str]:
    one, _, other = (each.strip() for each in text.partition("="))
    if not one or not other or one == other:
        raise BadRequest(f"--same-person takes two accounts as A=B, not {in_quotes(text)}")
    return one, other


def _sources(paths: list[Path]) -> "list[Source]":
    from dnam.importers.detect import detect

    return [detect(path) for path in paths]


def _options(sources: "list[Source]", out: Screen, audience: str | None, assistants: list[str]) -> "Options":
    from dnam.importers.source import Options

    told = None if audience is None else _told(audience)
    _tell_of_unknown(channel for source in sources for channel in source.channels)
    asked = {} if told is not None else _ask(sources, out)
    return Options(audience=told, audiences=asked, assistants=tuple(assistants), now=time.time_ns() // 1_000_000)


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


def _ask(sources: "list[Source]", out: Screen) -> "dict[str, Told]":
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


async def _import(memory: "Memory", brought: Brought, out: Screen) -> "Tally":
    from dnam.importing import Importer

    formats = [source.format for source in brought.sources]
    importer = Importer(memory, same=brought.same, portable=brought.portable, formats=formats)
    total = brought.total
    with out.progress("importing", "messages") as tell:
        try:
            tally = await importer.bring(
                brought.arrivals(), lambda tally: tell(tally.read, unless_passed(total, tally.read))
            )
        except BaseException:  # raised again, also Ctrl-C: what came in is told first
            if importer.tally.read:
                note(f"until then: {_in_words(importer.tally)}. What was imported stays; run the same command to go on")
            raise
        tell(tally.read, tally.read)
    for words in await importer.unjoined():
        note(f"--same-person: {words}")
    return tally


def _in_words(tally: "Tally") -> str:
    counts = [(tally.messages, "message"), (tally.edits, "edit"), (tally.items, "item"), (tally.summaries, "summary")]
    new = [counted(count, word) for count, word in counts if count]
    parts = [f"imported {', '.join(new)}" if new else "imported nothing new"]
    if tally.narrowed:
        parts.append(f"restricted {counted(tally.narrowed, 'channel')} that everybody in the guild could read")
    if tally.known:
        parts.append(f"{tally.known} known already")
    if tally.skipped:
        parts.append(f"{tally.skipped.total()} skipped")
    return "; ".join(parts)


def _say_tally(out: Screen, tally: "Tally") -> None:
    if out.as_json:
        return
    out.line(_in_words(tally).capitalize() + ".")
    for reason, count in Counter(tally.skipped).most_common():
        out.line(f"  skipped {count}: {reason}{tally.where(reason)}")


def _tally_json(tally: "Tally") -> dict[str, object]:
    return {
        "read": tally.read,
        "messages": tally.messages,
        "edits": tally.edits,
        "items": tally.items,
        "summaries": tally.summaries,
        "narrowed": tally.narrowed,
        "known": tally.known,
        "events": tally.events,
        "skipped": dict(tally.skipped),
        "skipped_at": tally.skipped_at,
    }


COMMANDS = (Command("import", bring, "import --audience guild data/samples/garden-club.json", changes=True),)
