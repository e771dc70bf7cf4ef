"""`adopt --undo`: what would be taken back, of whom, and what stays; then it is done."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dnam.cli.adopting_words import NOT_DONE, in_words, names_of, show_left, told_broken_off
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from dnam.adoption.adopted import Taken
    from dnam.adoption.freed import Freed
    from dnam.adoption.unadopting import Unadopting, UndoOffer
    from dnam.memory import Memory
    from projections.rows import Rows

CHANGED = "it was made anew since"
WITHHELD = "a person took back what it said before"


def undo(shell: Shell, name: str) -> None:
    """Take back the last adoption of a shadow, once it was agreed to."""
    from dnam.adoption.alone import adopting_alone
    from dnam.adoption.unadopting import Unadopting

    async def action(memory: "Memory") -> None:
        undoing = Unadopting(memory, shell.data, name)
        with adopting_alone(shell.data, "undoing", name):
            await _undo(shell, memory, name, undoing, so_far)

    with told_so_far(shell.out, lambda: {**dict.fromkeys(NAMES), "shadow": name}) as so_far:
        shell.run(action)


async def _undo(shell: Shell, memory: "Memory", name: str, undoing: "Unadopting", so_far: SoFar) -> None:
    from dnam.adoption.freed import freed_by

    offer = await undoing.look()
    if offer is None:
        await memory.look(undoing.refuse_unknown)
        await memory.look(lambda rows: _tell_undone(shell, rows, name, None, None))
        return
    if not shell.out.as_json:
        await memory.look(lambda rows: _show_undo(shell, rows, offer))
    if offer.is_empty:
        await memory.look(lambda rows: _tell_undone(shell, rows, name, offer, None))
        return
    if not shell.out.confirm(f"Take the adoption of {name} back?"):
        shell.out.note(NOT_DONE)
        if shell.out.as_json:
            await memory.look(lambda rows: _tell_undone(shell, rows, name, offer, None))
        return
    value = await memory.look(lambda rows: _undone(rows, name, offer, None, ()))
    so_far.value = lambda: value
    with told_broken_off(shell), shell.out.progress("taking back", "decisions") as progress:
        taken = await undoing.undo(offer, progress)
    freed = await memory.look(lambda rows: freed_by(undoing, rows, shell.data, offer))
    await memory.look(lambda rows: _tell_undone(shell, rows, name, offer, taken, freed))


def _show_undo(shell: Shell, rows: "Rows", offer: "UndoOffer") -> None:
    from projections.decisions.adopt_pairs import OUT

    def becomes(count: int) -> str:
        """What is agreed to already is; what will be asked about would be."""
        return "would be" if not shell.out.yes else "is" if count == 1 else "are"

    names = names_of(rows, (each.owner for each in offer.people))
    for each in sorted(offer.people, key=lambda each: names[each.owner].casefold()):
        back = f"{counted(each.items, 'item')} {becomes(each.items)} again as before"
        shell.out.line(f"{names[each.owner]}: {back if each.items else f'nothing {becomes(1)} taken back'}")
        show_left(shell, (left.reason for left in each.left))
    if offer.sessions or offer.changed or offer.out:
        shell.out.line(f"{counted(len(offer.sessions), 'summary')} of sessions")
        if offer.withheld:
            gone = len(offer.withheld)
            until = "it is" if gone == 1 else "they are"
            shell.out.line(f"    {gone} {becomes(gone)} gone until {until} made anew: {WITHHELD}")
        show_left(shell, (*(CHANGED for _ in offer.changed), *(OUT for _ in offer.out)))


def _tell_undone(
    shell: Shell,
    rows: "Rows",
    name: str,
    offer: "UndoOffer | None",
    taken: "Taken | None",
    freed: "Sequence[Freed]" = (),
) -> None:
    if shell.out.as_json:
        shell.out.emit(_undone(rows, name, offer, taken, freed))
    elif offer is None:
        shell.out.line(f"There is no adoption of {name} to take back.")
    elif taken is None:
        shell.out.line("Nothing of that adoption can be taken back now: nothing was changed, and it can be later.")
    else:
        shell.out.line(f"Took back {in_words(taken)}, as #{taken.seq}.")
        if offer.waits:
            shell.out.line("What stays of who opted out is taken back by the same command once they opted in again.")
        for each in freed:
            shell.out.line(_freed(shell, each))


def _freed(shell: Shell, freed: "Freed") -> str:
    """What lay under it, and can be taken back now."""
    what = f"{counted(freed.items, 'item')} and {counted(freed.summaries, 'summary')}"
    undo = f"`{shell.command(f'adopt --undo {freed.shadow}')}`"
    if freed.begun:
        return f"What lay under it of the adoption of {freed.shadow} can be taken back now: {undo} goes on with {what}."
    return f"The adoption of {freed.shadow}, which lay under it, still counts: {undo} takes back {what}."


NAMES = ("shadow", "people", "summaries", "summaries_withheld", "summaries_left", "undone", "below")
"""What a program reads of it."""


def _undone(
    rows: "Rows", name: str, offer: "UndoOffer | None", taken: "Taken | None", freed: "Sequence[Freed]"
) -> dict[str, Any]:
    people = () if offer is None else offer.people
    names = names_of(rows, (each.owner for each in people))
    return {
        "shadow": name,
        "people": [
            {
                "person": each.owner or None,
                "name": names[each.owner],
                "items": each.items,
                "left": [{"id": left.address.id, "text": left.text, "reason": left.reason} for left in each.left],
            }
            for each in people
        ],
        "summaries": [] if offer is None else list(offer.sessions),
        "summaries_withheld": [] if offer is None else list(offer.withheld),
        "summaries_left": [] if offer is None else [*offer.changed, *offer.out],
        "undone": taken,
        "below": list(freed),
    }
