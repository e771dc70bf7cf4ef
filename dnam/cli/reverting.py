"""Undoing what a model got wrong: `revert`, with a look before it, and `revert --undo`."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dnam.cli.command import Command, Data, Json, Yes, typed
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.memory import Memory
    from dnam.reverting import Asked, Done, Plan
    from projections.decisions.reversal import Change, Left
    from projections.rows import Rows

NOT_DONE = "not reverted: nothing was changed"
MARKS = {"goes": "-", "goes again": "-", "comes back": "+", "says again": "~", "rests again": "~"}


class Meant(NamedTuple):
    """What was given: one of the three, and a span with a model."""

    caused_by: str | None
    model: str | None
    between: tuple[str, str] | None
    undo: str | None


def revert(
    caused_by: Annotated[
        str | None,
        typer.Option(
            "--caused-by", metavar="SEQ", callback=typed, help="What came of this event, as `dnam log` has it."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            callback=typed,
            help="What came of its replies: NAME, of all versions, or NAME@VERSION.",
        ),
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--between", metavar="A B", help="Of that model: recorded after A and up to B, moments as for --at."
        ),
    ] = None,
    undo: Annotated[
        str | None,
        typer.Option("--undo", metavar="SEQ", callback=typed, help="Take a revert back, by the event that it named."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="USER", callback=typed, help="Only what is remembered of this person."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would become of whom.")] = False,
    data: Data = None,
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Undo a bad extraction: what came of it goes, and what it displaced comes back.

    Of a model's work: the items that it added go, those that it changed say again what they said, and those that it
    deprecated, evicted or merged come back; a summary says what it said before. Of a message or an answer: what rests
    on it alone. What a person wrote, changed, keeps or forgot stays as it is, and so does what was learned since. It
    says what becomes of whom, asks, and names the event by which --undo takes it back. What was read is not read again.

    As JSON: `what`, `undoes`, `models` (whose replies are meant, and how many), `people` (with `person`, `name`,
    `changes` and `left`), `summaries`, `summaries_left`, `events`, how many were recorded, and `undo`, the first of
    them. A change has `kind`, `id`, `compartment`, `where`, `before`, `after`, `why` and `undoes`, the seqs of what is
    taken back.
    """
    shell, meant = Shell(data, as_json, yes), Meant(caused_by, model, between, undo)
    _one_of_them(meant)

    async def action(memory: "Memory") -> "tuple[dict[str, Any], str, Plan, Done | None]":
        from dnam.finding import the_person
        from dnam.reverting import carry_out, in_words, plan

        def look(rows: "Rows") -> "tuple[dict[str, Any], str, Plan]":
            person = None if user is None else the_person(rows, user)
            found = plan(memory, rows, _asked(shell, memory, rows, meant), person)
            return _told(rows, found), in_words(rows, found.asked.what), found

        told, what, found = await memory.look(look)
        if not as_json:
            _show(shell, told)
        if dry_run or not found.changes:
            return told, what, found, None
        if not shell.out.confirm(_question(found, what)):
            shell.out.note(NOT_DONE)
            return told, what, found, None
        so_far.value = partial(_value, told, None)
        return told, what, found, await carry_out(memory, found, partial(_note_done, so_far, told))

    with told_so_far(shell.out, lambda: _value(dict.fromkeys(NAMES), None)) as so_far:
        told, what, found, done = shell.run(action, named=user)
    if as_json:
        shell.out.emit(_value(told, done))
    else:
        _receipt(shell, found, what, done)


def _note_done(so_far: SoFar, told: "dict[str, Any]", done: "Done") -> None:
    so_far.value = partial(_value, told, done)


def _value(told: "dict[str, Any]", done: "Done | None") -> dict[str, object]:
    return {**told, "events": done.events if done else 0, "undo": done.first if done else None}


def _one_of_them(meant: Meant) -> None:
    if sum(each is not None for each in (meant.caused_by, meant.model, meant.undo)) != 1:
        raise BadRequest("say what to revert: --caused-by SEQ, --model MODEL --between A B, or --undo SEQ")
    if (meant.model is None) != (meant.between is None):
        raise BadRequest("--model and --between belong together: --model MODEL --between A B")


def _asked(shell: Shell, memory: "Memory", rows: "Rows", meant: Meant) -> "Asked":
    from dnam.reverting import by_model, caused_by, the_revert
    from replay.chronicle import LogChronicle
    from replay.reading import Reader

    live = memory.engine.live
    reader, chronicle = Reader(live), LogChronicle(live)
    if meant.caused_by is not None:
        return caused_by(rows, reader, chronicle, _seq(meant.caused_by))
    if meant.undo is not None:
        return the_revert(rows, reader, chronicle, _seq(meant.undo))
    assert meant.model is not None
    assert meant.between is not None
    first, last = meant.between
    after, upto = (shell.moment(memory.engine, rows, each).moment.seq or 0 for each in (first, last))
    if after > upto:
        raise BadRequest(f"{first!r} is later than {last!r}: turn them round")
    return by_model(rows, chronicle, meant.model, after, upto)


def _seq(text: str) -> int:
    number = text.strip().removeprefix("#")
    if not number.isascii() or not number.isdigit():
        raise BadRequest(f"{text!r} is no SEQ: `dnam log` and `dnam audit` show them, as in 12 or '#12'")
    return int(number[:19])


# -- what becomes of whom ------------------------------------------------------------------------------------------


NAMES = ("what", "undoes", "models", "people", "summaries", "summaries_left")
"""What a program reads of a plan."""


def _told(rows: "Rows", found: "Plan") -> "dict[str, Any]":
    """The plan as a program reads it."""
    from dnam.cli.adopting_words import names_of

    names = names_of(rows, (part.owner for part in found.parts))
    return {
        "what": found.asked.what,
        "undoes": found.asked.undoes,
        "models": list(found.asked.models),
        "people": [
            {
                "person": part.owner or None,
                "name": names[part.owner],
                "changes": [_change(rows, each) for each in part.reversal.changes],
                "left": [_left(each) for each in part.reversal.left],
            }
            for part in found.parts
        ],
        "summaries": [
            {"session": each.now.session, "before": each.now.text, "after": each.then.text if each.then else None}
            for each in found.changed
        ],
        "summaries_left": [each._asdict() for each in found.left],
    }


def _change(rows: "Rows", change: "Change") -> "dict[str, Any]":
    from dnam.finding import compartment_words
    from dnam.reverting import kind_of

    item, now, then = change.item, change.now, change.then
    return {
        "kind": kind_of(change),
        "id": item.id,
        "compartment": item.compartment,
        "where": compartment_words(rows, item.compartment),
        "before": None if now is None else {"status": now.item.status, "text": now.item.text},
        "after": None if then is None else {"status": then.item.status, "text": then.item.text},
        "why": change.note,
        "undoes": [each.seq for each in change.undone],
    }


def _left(left: "Left") -> "dict[str, Any]":
    item = left.row.item
    return {"id": item.id, "status": item.status, "text": item.text, "why": left.reason, "since": left.since}


def _show(shell: Shell, told: "dict[str, Any]") -> None:
    if told["models"]:
        replies = (f"{counted(each.replies, 'reply')} of {each.model} {each.version}" for each in told["models"])
        shell.out.line(f"Meant: {', '.join(replies)}")
    for each in told["people"]:
        shell.out.line(f"{each['name']}:")
        shell.out.table((), [line for change in each["changes"] for line in _change_lines(change)])
        shell.out.table((), [_left_line(left) for left in each["left"]])
    for each in told["summaries"]:
        then = "is to be made anew" if each["after"] is None else f"says again: {each['after']}"
        shell.out.lines(f"The summary of {each['session']} {then}")
    for each in told["summaries_left"]:
        shell.out.line(f"The summary of {each['session']} stays (#{each['since']}): {each['reason']}")


def _change_lines(change: "dict[str, Any]") -> Iterator[tuple[str, ...]]:
    from projections.quoting import one_line

    now, then = change["before"], change["after"]
    why = f" ({change['why']})" if change["why"] else ""
    shown = now["text"] if then is None else then["text"]
    if change["kind"] == "says again":
        shown = f"{then['text']} (now: {now['text']})"
    yield (f"  {MARKS[change['kind']]}", change["kind"], change["id"], one_line(shown) + why)


def _left_line(left: "dict[str, Any]") -> tuple[str, ...]:
    from projections.quoting import one_line

    return ("  =", "stays", left["id"], f"{one_line(left['text'])} (#{left['since']}: {left['why']})")


def _question(found: "Plan", what: str) -> str:
    done = "Take the revert back of" if found.asked.undoes else "Revert"
    stays = f", {found.stays} stay as they are" if found.stays else ""
    return f"{done} {what}: {counted(found.changes, 'change')}{stays}. Go on?"


def _receipt(shell: Shell, found: "Plan", what: str, done: "Done | None") -> None:
    if not found.changes or (done is not None and done.first is None):
        shell.out.line(_nothing(found, what))
    elif done is not None and found.asked.undoes:
        shell.out.line(f"Took back the revert of {what}: {counted(done.events, 'event')}, from #{done.first} on.")
    elif done is not None:
        shell.out.line(f"Reverted {what}: {counted(done.events, 'event')}, from #{done.first} on.")
        shell.out.line(f"`{shell.command(f'revert --undo {done.first}')}` takes it back.")


def _nothing(found: "Plan", what: str) -> str:
    if found.asked.undoes:
        return f"Nothing is left of the revert of {what} to take back."
    begun = what.removeprefix("what came of ")
    return (
        f"Nothing that came of {begun} goes."
        if found.stays
        else f"Nothing came of {begun}, or it was reverted already."
    )


COMMANDS = (Command("revert", revert, "revert --caused-by 120", changes=True),)
