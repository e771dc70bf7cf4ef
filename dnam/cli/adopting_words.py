"""What `adopt` and `adopt --undo` both say: whose items, how many, what stays and why, and how to go on."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dnam.cli.shell import Shell
from projections.counting import counted

if TYPE_CHECKING:
    from dnam.adoption.adopted import Taken
    from projections.ids import Handle
    from projections.rows import Rows

NOT_DONE = "nothing was changed"


@contextmanager
def told_broken_off(shell: Shell) -> Iterator[None]:
    """What to do when it breaks off."""
    try:
        yield
    except BaseException:  # raised again, also Ctrl-C: what to do is told first
        shell.out.note("broken off: what was recorded until then stays, and the same command goes on")
        raise


def show_left(shell: Shell, reasons: Iterable[str]) -> None:
    """What stays as it is, counted by why."""
    for reason, count in sorted(Counter(reasons).items()):
        stay = "1 stays as it is here:" if count == 1 else f"{count} stay as they are here, each because"
        shell.out.line(f"    {stay} {reason}")


def names_of(rows: "Rows", owners: "Iterable[Handle]") -> "dict[Handle, str]":
    """Whose items they are: namesakes with an account."""
    from dnam.namesakes import apart
    from projections.people import name_of

    return apart(rows, {owner: name_of(rows, owner) if owner else "what is nobody's" for owner in owners})


def in_words(taken: "Taken") -> str:
    """What was taken over, or back."""
    people = "1 person" if taken.people == 1 else f"{taken.people} people"
    return f"{counted(taken.items, 'item')} of {people} and {counted(taken.summaries, 'summary')}"
