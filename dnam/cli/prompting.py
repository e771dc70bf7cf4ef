"""`prompt`: exactly what a model would be sent, with a line end behind it, and what every line of it rests on."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dnam.cli.command import At, Command, Data, Json, MaybeText, MaybeUser, Place, Said
from dnam.cli.looking import as_of, named
from dnam.cli.shell import Shell, View
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from projections.blocks import Basis, Block, Line
    from projections.context import Context
    from projections.ids import Handle

BY_SCORE = frozenset(("durable", "room", "past"))
"""The blocks whose lines are chosen by a score."""
MOST_REASONS = 6
"""How many parts of a score are told."""
_NOT_SAID = ("kind", "seq", "event", "item", "score", "why")
"""What there is not to say of a line that the operator or the asker gave."""


def prompt(
    user: MaybeUser = None,
    text: MaybeText = None,
    place: Place = None,
    at: At = None,
    said: Said = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Say on stderr what every line rests on, why it was chosen, and what was left out."
        ),
    ] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The prompt that a message would be answered from.

    Now, or at a moment of the past; with --at the seq of an answer and nothing else, the prompt of that answer as it
    was. Nothing is sent, and nothing is recorded: of items and past conversations it holds what words find, and not
    what an encoder would; the prompt of an answer has that too. In the direct messages of `dnam chat`, whoever has an
    account of this machine's own is the operator, to whom what is for the owner alone is told; what else somebody's own
    direct messages open by what only their platform knows is not looked up.
    """
    shell = Shell(data, as_json)
    if user is None and at is not None and said is None:
        _prompt_of_turn(shell, at, explain=explain)
        return
    if user is None or text is None:
        raise BadRequest("say USER and TEXT; or give the seq of an answer with --at, to see the prompt that it had")
    with shell.looking(at, said) as view:
        person = named(view, user)
        context = _assembled(shell, view, person, text, place)
        blocks = _blocks_json(view, context)
        for each in _closed(view, person, context):
            shell.out.note(each)
    _tell(shell, context, blocks, {"as_of": as_of(view)}, explain=explain)


def _prompt_of_turn(shell: Shell, at: str, *, explain: bool) -> None:
    from dnam.saying import words
    from dnam.turn_prompts import prompt_of, turn_at

    seq = at.strip().removeprefix("#")
    with shell.looking() as view:
        turn = turn_at(view.engine, int(seq)) if seq.isdecimal() else None
        if turn is None:
            raise BadRequest(f"{at!r} is not the seq of an answer; `dnam log --tag turn.answered` lists them")
        made = prompt_of(view.engine, int(seq), turn, shell.memory(view.engine).vocabulary)
        blocks = _blocks_json(view, made.context)
    for each in made.differs:
        shell.out.note(f"this is not quite the prompt of #{seq}: {each}")
    if not made.differs:
        shell.out.note(f"the prompt of #{seq} as it was: its digest is the one that was recorded")
    for record in made.called:
        shell.out.note(f"behind it the model called a tool (#{record.seq}): {words(record.event)}")
    extra = {
        "as_of": {"clock": "recorded", "seq": made.moment.seq},
        "turn": made.seq,
        "differs": made.differs,
        "called": [each.seq for each in made.called],
    }
    _tell(shell, made.context, blocks, extra, explain=explain)


def _tell(
    shell: Shell, context: "Context", blocks: list[dict[str, Any]], extra: dict[str, Any], *, explain: bool
) -> None:
    if shell.out.as_json:
        shell.out.emit({**_context_json(context, blocks), **extra})
        return
    shell.out.exactly(f"{context.text}\n")
    if explain:
        for said in _explained(context, blocks):
            shell.out.aside(said)


def _assembled(shell: Shell, view: View, person: "Handle", text: str, place: str | None) -> "Context":
    from dnam.context_files import channel_names, context_files
    from dnam.finding import whereabouts
    from dnam.standing import settings_say
    from dnam.whereabouts import Heard
    from projections.context import assemble
    from projections.errors import DnamError
    from projections.ids import LAST, Point
    from projections.people import name_of

    memory = shell.memory(view.engine)
    where = whereabouts(view.now, person, place)
    asked = memory.now() if view.looked is None or view.looked.ms is None else view.looked.ms
    point = Point(asked, LAST)
    setting = settings_say(view.now, where.setting, shell.settings.owner_ids)
    heard = Heard(point, where.session, where.place, setting, text, name_of(view.now, person))
    channel = channel_names(view.now, where.place, shell.settings.allow_guilds)
    try:
        files = context_files(shell.settings.context_dir, *channel)
    except UnicodeDecodeError as error:
        raise DnamError(f"a context file cannot be read: {error}") from error
    request = memory.request(heard, files=[each.digest for each in files])
    return assemble(view.rows, request._replace(limits=memory.limits_in(view.rows, heard)))


def _closed(view: View, person: "Handle", context: "Context") -> Iterator[str]:
    """What is kept of somebody and lies elsewhere, where nothing of it can stand in their prompt."""
    from collections import Counter

    from dnam.finding import compartment_words, place_option
    from projections.counting import counted
    from projections.items import items_of
    from projections.policies.compartments import is_of_before

    if any(use.owner == person for use in context.items):
        return
    active = (each.row.item for each in items_of(view.rows, person) if each.row.item.status == "active")
    for compartment, count in sorted(Counter(item.compartment for item in active).items()):
        where = compartment_words(view.now, compartment)
        option = "" if is_of_before(view.now, compartment) else place_option(compartment)
        try_it = f": --in {shlex.quote(option)}" if option else ""
        yield f"{counted(count, 'item')} kept {where} cannot be told here{try_it}"


def _context_json(context: "Context", blocks: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "text": context.text,
        "digest": context.digest,
        "chars": len(context.text),
        "blocks": blocks,
        "left_out": [{"block": each.block, "what": each.what, "why": each.why} for each in context.left_out],
        "causes": context.causes,
    }


class _Why(NamedTuple):
    """Why something stands in a prompt: its score, and what that is made of."""

    score: float | None = None
    words: str | None = None


def _whys(context: "Context") -> dict[int, _Why]:
    """By the seq of what was chosen by its score: items, and of passages what was found."""
    from dnam.hits import why
    from projections.retrieval import Hit

    whys: dict[int, _Why] = {}
    for hit in (*context.memory.hits, *context.room):
        score = float(hit.score) if isinstance(hit, Hit) else round(hit.score / 1024, 3)
        whys[hit.found.seq] = _Why(score, hit.reason)
    for said in (hit for passage in context.past for hit in passage.hits):
        again = "it was found for the message before, and this one goes on with that"
        found = why(said.reasons, MOST_REASONS) if said.score else again
        whys[said.seq] = _Why(round(said.score / 1024, 3), found)
    return whys


def _blocks_json(view: View, context: "Context") -> list[dict[str, Any]]:
    whys, heads = _whys(context), frozenset(passage.head for passage in context.past)

    def why(block: "Block", line: "Line") -> _Why:
        if line.basis is None or block.name not in BY_SCORE or line.text in heads:
            return _Why()
        return whys.get(line.basis.seq, _Why())

    return [
        {
            "name": block.name,
            "chars": block.chars,
            "lines": [_line_json(view, line, why(block, line)) for line in block.lines],
        }
        for block in context.blocks
    ]


def _line_json(view: View, line: "Line", why: _Why) -> dict[str, Any]:
    if line.basis is None or not line.basis.seq:
        return {"text": line.text, **dict.fromkeys(_NOT_SAID), "rests_on": []}
    basis = line.basis
    return {
        "text": line.text,
        "kind": basis.kind,
        "seq": basis.seq,
        "event": basis.event,
        "item": basis.item,
        "score": why.score,
        "why": why.words,
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
        yield f"{block['name']}: {block['chars']} characters, {counted(len(block['lines']), 'line')}"
        for line in block["lines"]:
            yield _line_explained(line)
            if line["why"]:
                yield f"      {line['score']:.1f}: {line['why']}"
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
