"""`shadows`: what was made anew beside the live memory, listed and dropped."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dnam.cli.command import Command, Data, Json, Yes, typed
from dnam.cli.failures import COULD_NOT, Ending
from dnam.cli.shell import Shell
from dnam.jsonable import jsonable
from projections.counting import counted
from projections.errors import BadRequest
from projections.quoting import one_line

if TYPE_CHECKING:
    from dnam.shadows.manifest import Manifest

NOT_USABLE = "not usable"
"""The state of a shadow that can only be dropped, or that a memory which cannot be read is in the way of."""
Name = Annotated[str, typer.Argument(metavar="NAME", callback=typed, help="The shadow, as `dnam shadows` lists it.")]


def list_shadows(data: Data = None, as_json: Json = False) -> None:
    """The shadows there are: what each was asked for, how far it is, and what it took.

    As JSON, one a line: its `state`, how it was `asked` for and what it took, how much of the log it has read (`upto`),
    `behind`: how many events since then it would read, null where that cannot be told, and `why_unusable`: the reasons
    why replies could not be used, counted. Of the `changed` runs, which
    read less than when they were recorded, `lost` has what they could not read. It ends with 3 where one
    cannot be used: its state is `not usable`, and `why` says why; of one that cannot be read there is no more.
    """
    from dnam.rederiving.unusable import why_unusable_at
    from dnam.shadows.behind import behind_each
    from dnam.shadows.manifest import listing

    shell, unusable = Shell(data, as_json), dict[str, str]()
    found = listing(shell.data, unusable.__setitem__)
    late = behind_each(shell.data, found, unusable.__setitem__)
    reasons = why_unusable_at(shell.data, (each for each in found if each.name not in unusable))
    for why in dict.fromkeys(unusable.values()):
        shell.out.note(why)
    if shell.out.as_json:
        for each in found:
            more = {"behind": late.get(each.name), "why_unusable": reasons.get(each.name, {})}
            shell.out.emit({**jsonable(each), **more, **_state(each.name, unusable)})
        for name in _unread(found, unusable):
            shell.out.emit({"name": name, **_state(name, unusable)})
    else:
        _tell(shell, found, late, unusable)
        for name, counts in reasons.items():
            shell.out.line(f"{name}: why replies could not be used")
            shell.out.lines("\n".join(f"    {count:,}: {one_line(reason)}" for reason, count in counts.items()))
    if unusable:
        raise Ending(COULD_NOT)


def _state(name: str, unusable: Mapping[str, str]) -> Mapping[str, str]:
    """What stands for the state of one that cannot be used."""
    return {"state": NOT_USABLE, "why": unusable[name]} if name in unusable else {}


def _unread(found: "Sequence[Manifest]", unusable: Mapping[str, str]) -> list[str]:
    """Those of which nothing is known."""
    return [name for name in unusable if all(each.name != name for each in found)]


def _tell(shell: Shell, found: "Sequence[Manifest]", late: Mapping[str, int], unusable: Mapping[str, str]) -> None:
    from dnam.shadows.manifest import cost_words

    if not found and not unusable:
        shell.out.line("There are no shadows. `dnam rederive --name NAME` makes one.")
    shell.out.table(
        ("name", "made", "model", "state", "up to", "behind", "calls", "unusable", "read less", "cost"),
        [
            (
                each.name,
                shell.out.when(each.made),
                each.by,
                NOT_USABLE if each.name in unusable else each.state,
                f"#{each.upto}",
                str(late.get(each.name, "")),
                str(each.calls),
                str(each.unusable),
                str(len(each.changed)),
                cost_words(each),
            )
            for each in found
        ]
        + [(name, "", "", NOT_USABLE, "", "", "", "", "", "") for name in _unread(found, unusable)],
    )


def drop(name: Name, data: Data = None, as_json: Json = False, yes: Yes = False) -> None:
    """Remove a shadow from the disk. The live memory stays as it is, also what it adopted from it; `dnam costs` goes on
    to count what it took.

    It is refused while a process makes or adopts the shadow, and where an adoption of it was broken off: that is to go
    on, or to be taken back, first.
    """
    import asyncio

    from dnam.rederiving.dropping import batches_under_way
    from dnam.shadows.costs import keep_cost
    from dnam.shadows.manifest import alone_with
    from replay.shadows.shadow import remove_shadow

    shell = Shell(data, as_json, yes)
    with alone_with(shell.data, name):
        _refuse_half_adopted(shell, name)
        took, batches = _took(shell, name), batches_under_way(shell.data, name, shell.out.note)
        going = f" {_batches(len(batches))} of its questions may be under way still." if batches else ""
        if not shell.out.confirm(f"Remove the shadow {name}{took}?{going}"):
            shell.out.nothing_done("not removed: nothing was changed")
            return
        cancelled = asyncio.run(_cancel(shell, name)) if batches else 0
        keep_cost(shell.data, name)
        remove_shadow(shell.data, name)
    if shell.out.as_json:
        shell.out.emit({"dropped": name, "cancelled": cancelled})
    else:
        shell.out.line(f"The shadow {name} is gone.")


def _refuse_half_adopted(shell: Shell, name: str) -> None:
    """BadRequest where an adoption of it was broken off: without the shadow it cannot go on. Where the log cannot be
    read that is not known, and keeps nobody from dropping it.
    """
    from dnam.adoption.half_adopted import is_named_half_adopted
    from replay.engine import Engine
    from replay.errors import LogError

    try:
        with Engine.open(shell.data, writable=False) as engine, engine.reading() as rows:
            is_half = is_named_half_adopted(engine, rows, shell.data, name)
    except (LogError, OSError):
        return
    if is_half:
        raise BadRequest(
            f"a part of the shadow {name} is adopted, which was broken off and does not count yet: "
            f"`{shell.command(f'adopt {name}')}` goes on, `{shell.command(f'adopt --undo {name}')}` takes it back: "
            "then it can be dropped"
        )


def _took(shell: Shell, name: str) -> str:
    """What it took to make; nothing where that cannot be read. BadRequest where there is no such shadow."""
    from dnam.errors import ShadowUnusable
    from dnam.shadows.manifest import checked, load
    from replay.shadows.shadow import shadow_folder

    folder = shadow_folder(shell.data, checked(name))
    try:
        return f", which took {counted(load(shell.data, name).calls, 'call')} to make"
    except ShadowUnusable as error:
        if not folder.is_dir():
            raise
        shell.out.note(str(error))
    except BadRequest:
        if not folder.is_dir():
            raise
        shell.out.note(
            f"{folder} does not say what it was made for: its making was broken off, or a part of it is lost"
        )
    return ""


async def _cancel(shell: Shell, name: str) -> int:
    """Cancel what is under way at the API; where that cannot be, say what is."""
    from dnam.rederiving.dropping import call_back

    found = await call_back(shell.data, shell.settings, name, shell.out.note)
    if found.cancelled:
        shell.out.note(f"cancelled at the API: {_batches(found.cancelled)}")
    if found.going:
        shell.out.note(found.words)
    return found.cancelled


def _batches(number: int) -> str:
    return "1 batch" if number == 1 else f"{number} batches"


def alone(context: typer.Context, data: Data = None, as_json: Json = False) -> None:
    """`dnam shadows` is `dnam shadows list`."""
    if context.invoked_subcommand is None:
        list_shadows(data, as_json)


COMMANDS = (
    Command("shadows list", list_shadows, "shadows list"),
    Command("shadows drop", drop, "shadows drop haiku", changes=True),
)
