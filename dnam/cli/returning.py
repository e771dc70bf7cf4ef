"""`import` of an export of dnam's own: the memory comes back as it was."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnam.cli.half_done import SoFar
from dnam.cli.screen import note
from dnam.cli.shell import Shell
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.exports.returning import Tally
    from dnam.importers.dnam_export import DnamExport
    from dnam.importers.source import Source
    from dnam.memory import Memory


def the_export(sources: "Sequence[Source]", *, options: bool) -> "DnamExport | None":
    """The export among what is to be imported, which must then be alone and without options; None when none is one."""
    from dnam.importers.dnam_export import DnamExport

    exports = [each for each in sources if isinstance(each, DnamExport)]
    if not exports:
        return None
    if len(sources) > 1:
        raise BadRequest(f"{exports[0].path} is an export of a whole memory: import it alone")
    if options:
        raise BadRequest(f"{exports[0].path} says itself who could read what, and who is who: leave the options away")
    return exports[0]


def take_back(shell: Shell, export: "DnamExport", so_far: SoFar, *, dry_run: bool) -> None:
    """Record what it holds as it was, or only say what would be."""
    from dnam.exports.returning import Tally

    tally = Tally()
    so_far.value = lambda: {"dry_run" if dry_run else "imported": tally}
    if export.head.id_key is None:
        note(export.head.says)
    if dry_run:
        _rehearse(shell, export, tally)
    else:
        _take(shell, export, tally)
    if shell.out.as_json:
        shell.out.emit(so_far.value())
    else:
        shell.out.line(f"{'Would take' if dry_run else 'Took'} back {_in_words(tally, export.head.events)}.")


def _take(shell: Shell, export: "DnamExport", tally: "Tally") -> None:
    from dnam.exports.returning import Returning, prepare

    prepare(export.head, shell.data)

    async def action(memory: "Memory") -> None:
        returning = Returning(memory, export.head, tally)
        with shell.out.progress("importing") as tell:
            try:
                await returning.bring(export.decisions(), tell)
            except BaseException:  # raised again, also Ctrl-C: what came back is told first
                if tally.read:
                    then = _in_words(tally, export.head.events)
                    note(f"until then: {then}. What came back stays; the same command goes on")
                raise

    shell.run(action, create=True)


def _rehearse(shell: Shell, export: "DnamExport", tally: "Tally") -> None:
    from dnam.exports.returning import refuse_another

    with shell.looking() as view:
        if not view.empty:
            refuse_another(export.head, view.engine)
        for returned in export.decisions():
            new = {draft.id for draft in returned.drafts if view.now.ids.status(draft.id) == "unknown"}
            tally.read += len(returned.drafts)
            tally.events += len(new)
            tally.gaps += len(new & returned.gaps)
            tally.known += len(returned.drafts) - len(new)


def _in_words(tally: "Tally", total: int) -> str:
    gaps = f", {tally.gaps} of them without words, which were taken back" if tally.gaps else ""
    known = f"; {tally.known} known already" if tally.known else ""
    return f"{tally.events} of {total} events{gaps}{known}"
