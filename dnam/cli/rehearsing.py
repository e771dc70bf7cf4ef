"""`import --dry-run`: what an import would do, and the table by which levels become compartments. It writes nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnam.cli.bringing_words import say_reasons, tally_value
from dnam.cli.brought import Brought
from dnam.cli.half_done import SoFar
from dnam.cli.progress import unless_passed
from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from dnam.importers.levels import Level
    from dnam.importers.source import Source
    from dnam.importing.importer import Importer
    from dnam.importing.rehearsal import Planned, Rehearsal
    from dnam.importing.tally import Tally


def nothing_rehearsed() -> dict[str, object]:
    """What a program reads where nothing was read yet."""
    from dnam.importing.tally import Tally

    return {"dry_run": _value([], [], tally_value(Tally()))}


def rehearse(shell: Shell, brought: Brought, so_far: SoFar) -> None:
    """Read everything, decide everything, and say what would come of it. A file that breaks is told behind that."""
    import asyncio

    from dnam.importers.source import ImportFailed
    from dnam.importing.importer import Importer
    from dnam.importing.rehearsal import rehearsing

    levels = _levels(brought.found.all)
    with rehearsing(shell.settings, shell.data) as memory:
        importer = Importer(memory, same=brought.same, portable=brought.portable)

        def value() -> dict[str, object]:
            return {"dry_run": _value(levels, sorted(memory.planned.items()), brought.value(importer.tally))}

        so_far.value = value
        broken: ImportFailed | None = None
        try:
            asyncio.run(_bring(shell, importer, brought))
        except ImportFailed as error:
            broken = error
        if not shell.out.as_json:
            _say(shell, levels, memory, importer.tally)
        for words in asyncio.run(importer.unjoined()):
            shell.out.note(f"--same-person: {words}")
    if broken is not None:
        raise broken
    brought.refuse_unread()
    if shell.out.as_json:
        shell.out.emit(value())


async def _bring(shell: Shell, importer: "Importer", brought: Brought) -> None:
    total = brought.total
    with shell.out.progress("reading", "messages") as tell:
        arrivals = brought.arrivals()
        tally = await importer.bring(arrivals, lambda tally: tell(tally.read, unless_passed(total, tally.read)))
        tell(tally.read, tally.read)


def _levels(sources: "Sequence[Source]") -> "list[Level]":
    """The parts of the table of the programs that were recognised, each once."""
    from dnam.importers.levels import of_program

    programs = dict.fromkeys(source.format for source in sources)
    return [each for program in programs for each in of_program(program)]


def _say(shell: Shell, levels: "list[Level]", memory: "Rehearsal", tally: "Tally") -> None:
    shell.out.line("Where it goes (P: its person, C: its channel or group, G: its guild):")
    shell.out.table(("program", "level", "compartment", "why"), map(_level_cells, levels))
    shell.out.line()
    shell.out.line(_headline(tally))
    shell.out.table(
        ("what", "kind", "type", "compartment", "count"), map(_planned_cells, sorted(memory.planned.items()))
    )
    say_reasons(shell.out, tally, "would skip", "would change")
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


def _value(levels: "list[Level]", planned: "list[tuple[Planned, int]]", came: dict[str, object]) -> dict[str, object]:
    return {
        "levels": [
            {"program": each.program, "level": each.level, "compartment": each.compartment, "why": each.why}
            for each in levels
        ],
        "planned": [
            {"what": each.what, "kind": each.kind, "type": each.type, "compartment": each.compartment, "count": count}
            for each, count in planned
        ],
        **{name: each for name, each in came.items() if name != "events"},
    }
