"""`import --dry-run`: what an import would do, and the table by which levels become compartments. It writes nothing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dnam.cli.progress import unless_passed
from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from dnam.importers.levels import Level
    from dnam.importers.source import Arrival, Source
    from dnam.importing import Importer, Tally
    from dnam.rehearsal import Planned, Rehearsal


def rehearse(
    shell: Shell,
    sources: "list[Source]",
    arrivals: "Iterator[Arrival]",
    same: list[tuple[str, str]],
    portable: bool,
    total: int | None,
) -> None:
    """Read everything, decide everything, and say what would come of it. A file that breaks is told behind that."""
    import asyncio

    from dnam.importers.source import ImportFailed
    from dnam.importing import Importer
    from dnam.rehearsal import rehearsing

    with rehearsing(shell.settings, shell.data) as memory:
        importer = Importer(memory, same=same, portable=portable)
        broken: ImportFailed | None = None
        try:
            asyncio.run(_bring(shell, importer, arrivals, total))
        except ImportFailed as error:
            broken = error
        _say(shell, _levels(sources), memory, importer.tally)
        for words in asyncio.run(importer.unjoined()):
            shell.out.note(f"--same-person: {words}")
    if broken is not None:
        raise broken


async def _bring(shell: Shell, importer: "Importer", arrivals: "Iterator[Arrival]", total: int | None) -> None:
    with shell.out.progress("reading", "messages") as tell:
        tally = await importer.bring(arrivals, lambda tally: tell(tally.read, unless_passed(total, tally.read)))
        tell(tally.read, tally.read)


def _levels(sources: "list[Source]") -> "list[Level]":
    """The parts of the table of the programs that were recognised, each once."""
    from dnam.importers.levels import of_program

    programs = dict.fromkeys(source.format for source in sources)
    return [each for program in programs for each in of_program(program)]


def _say(shell: Shell, levels: "list[Level]", memory: "Rehearsal", tally: "Tally") -> None:
    planned = sorted(memory.planned.items())
    if shell.out.as_json:
        shell.out.emit({"dry_run": _json(levels, planned, tally)})
        return
    shell.out.line("Where it goes (P: its person, C: its channel or group, G: its guild):")
    shell.out.table(("program", "level", "compartment", "why"), map(_level_cells, levels))
    shell.out.line()
    shell.out.line(_headline(tally))
    shell.out.table(("what", "kind", "type", "compartment", "count"), map(_planned_cells, planned))
    for reason, count in Counter(tally.skipped).most_common():
        shell.out.line(f"  would skip {count}: {reason}{tally.where(reason)}")
    shell.out.line("Nothing was written.")


def _headline(tally: "Tally") -> str:
    known = f", {tally.known} known already" if tally.known else ""
    skipped = f", {tally.skipped.total()} skipped" if tally.skipped else ""
    edited = f", {counted(tally.edits, 'edit')}" if tally.edits else ""
    closed = f", {counted(tally.narrowed, 'channel')} would be restricted" if tally.narrowed else ""
    new = tally.messages + tally.items + tally.summaries
    return f"Read {tally.read}: {new} would be new{edited}{closed}{known}{skipped}."


def _level_cells(each: "Level") -> Sequence[str]:
    return each.program, each.level, each.compartment, each.why


def _planned_cells(each: "tuple[Planned, int]") -> Sequence[str]:
    planned, count = each
    return *planned, str(count)


def _json(levels: "list[Level]", planned: "list[tuple[Planned, int]]", tally: "Tally") -> dict[str, object]:
    return {
        "levels": [
            {"program": each.program, "level": each.level, "compartment": each.compartment, "why": each.why}
            for each in levels
        ],
        "planned": [
            {"what": each.what, "kind": each.kind, "type": each.type, "compartment": each.compartment, "count": count}
            for each, count in planned
        ],
        "read": tally.read,
        "messages": tally.messages,
        "edits": tally.edits,
        "items": tally.items,
        "summaries": tally.summaries,
        "narrowed": tally.narrowed,
        "known": tally.known,
        "skipped": dict(tally.skipped),
        "skipped_at": tally.skipped_at,
    }
