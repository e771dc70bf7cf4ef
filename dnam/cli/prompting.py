"""`prompt`: exactly what a model would be sent, and what every line of it rests on."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.looking import named
from dnam.cli.shell import Command, Data, Json, Place, Shell, Text, User, View

if TYPE_CHECKING:
    from projections.context import Basis, Block, Context, Line
    from projections.ids import Handle


def prompt(
    user: User,
    text: Text,
    place: Place = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say on stderr what every line rests on, and what was left out and why.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The prompt that a message would be answered from.

    Nothing is sent, and nothing is recorded.
    """
    shell = Shell(data, as_json)
    with shell.looking() as view:
        context = _assembled(shell, view, named(view, user), text, place)
        blocks = [_block_json(view, block) for block in context.blocks]
    if shell.out.as_json:
        shell.out.emit(_context_json(context, blocks))
        return
    shell.out.exactly(context.text if not sys.stdout.isatty() else f"{context.text}\n")
    if explain:
        for said in _explained(context, blocks):
            shell.out.aside(said)


def _assembled(shell: Shell, view: View, person: "Handle", text: str, place: str | None) -> "Context":
    from dnam.context_files import context_files
    from dnam.finding import whereabouts
    from dnam.whereabouts import Heard
    from projections.context import assemble
    from projections.ids import EventId, Point
    from projections.people import name_of
    from projections.places import find_place

    memory = shell.memory(view.engine)
    where = whereabouts(view.rows, person, None if view.empty else place)
    point = Point(memory.now(), EventId(b"\xff" * 16))
    heard = Heard(point, where.session, where.place, where.setting, text, name_of(view.rows, person))
    described = find_place(view.rows, where.place)
    files = context_files(shell.settings.context_dir, described.row.name if described else "")
    return assemble(view.rows, memory.request(heard, files=[each.digest for each in files]))


def _context_json(context: "Context", blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "text": context.text,
        "digest": context.digest,
        "chars": len(context.text),
        "blocks": blocks,
        "left_out": [{"block": each.block, "what": each.what, "why": each.why} for each in context.left_out],
        "causes": context.causes,
    }


def _block_json(view: View, block: "Block") -> dict[str, Any]:
    return {"name": block.name, "chars": block.chars, "lines": [_line_json(view, line) for line in block.lines]}


def _line_json(view: View, line: "Line") -> dict[str, Any]:
    if line.basis is None or not line.basis.seq:
        return {"text": line.text, "kind": None, "seq": None, "event": None, "item": None, "rests_on": []}
    basis = line.basis
    return {
        "text": line.text,
        "kind": basis.kind,
        "seq": basis.seq,
        "event": basis.event,
        "item": basis.item,
        "rests_on": _rests_on(view, basis),
    }


def _rests_on(view: View, basis: "Basis") -> list[int]:
    """The events that the line's own event names as its causes, by seq."""
    record = view.engine.live.folding.record_at(basis.seq)
    causes = () if record is None else record.event.causes
    found = (view.engine.store.log.find(event) for event in causes)
    return sorted(seq for seq in found if seq is not None)


def _explained(context: "Context", blocks: list[dict[str, Any]]) -> Iterator[str]:
    for block in blocks:
        yield f"{block['name']}: {block['chars']} characters, {len(block['lines'])} lines"
        yield from map(_line_explained, block["lines"])
    for each in context.left_out:
        yield f"left out of {each.block}: {each.what} ({each.why})"


def _line_explained(line: dict[str, Any]) -> str:
    start = " ".join(line["text"].split())[:60]
    if line["seq"] is None:
        return f"  given        {start}"
    item = f" {line['item'].id}" if line["item"] else ""
    causes = f" from {', '.join(f'#{seq}' for seq in line['rests_on'])}" if line["rests_on"] else ""
    return f"  #{line['seq']} {line['kind']}{item}{causes}: {start}"


COMMANDS = (Command("prompt", prompt, 'prompt Kim "what should I drink?" --in general --explain'),)
