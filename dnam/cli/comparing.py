"""`diff`: what differs between two moments, of a person's memory or of a session's summary; or between the live memory
and a shadow of it. It changes no byte on disk.

exit 0    nothing differs
exit 1    something does
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, Json
from dnam.cli.failures import FOUND_SOMETHING, Ending
from dnam.cli.looking import looked_json, tell_taken_back
from dnam.cli.screen import in_quotes
from dnam.cli.shell import Shell
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from dnam.moments import Looked
    from dnam.taken_back import TakenBack
    from projections.differences import Difference
    from projections.ids import Handle
    from projections.lookup import SessionCard
    from projections.rows import Rows
    from projections.wording import Piece
    from replay.engine import Engine


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


def diff(
    who: Annotated[
        str | None,
        typer.Argument(
            metavar="USER|SESSION", callback=_whole, help="As in `dnam show` or `dnam summary`; @NAME and #NAME tell."
        ),
    ] = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="WHEN", callback=_whole, help="The earlier moment, as for --at.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="WHEN", callback=_whole, help="The later moment; now without it.")
    ] = None,
    said: Annotated[
        bool, typer.Option("--said", help="Both moments go by when things were said, not by when they were recorded.")
    ] = False,
    shadow: Annotated[
        str | None,
        typer.Option("--shadow", metavar="NAME", callback=_whole, help="Between now and what a shadow has instead."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="With --shadow: write it as one page, too; `-` prints that page."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """What differs between two moments, or between now and a shadow; the exit code is 1 when something does.

    Of a person: what was learned, changed (word by word), dropped and restored. Of a session: the words of its summary
    that came and went. As JSON of a person: `person`, `name`, `from`, `to` and `differences`, each with `kind`,
    `before`, `after`, `words`, `why`, `who` and `seq`; of a session: `key`, `session`, `from`, `to` and `words`.

    With --shadow: what `dnam adopt` would take over, of everybody or of one USER or SESSION: what only one of both has,
    what changed, by which they were matched, and what it rests on; and how good either side is, as far as that can be
    counted. What adopting would leave as it is, is shown with the reason (`held`), and is nothing that differs.

    As JSON: `shadow` (how it was made), `live`, `of` (whom and what alone it is of, none where it is of all),
    `differs`, `items` and `summaries` (counts, of summaries without those that are `held`), `old` and `new` (what was
    judged: the live memory, the shadow), `people` (each with `groups` of `pairs`, and `faults`), `sessions`, `behind`
    (how many events the shadow does not know yet), `less_read` (the runs that could not read all that they had read
    when they were recorded, each with the `inputs` that are gone) and `html` (where the page was written, if it was).
    """
    shell = Shell(data, as_json)
    if shadow is None:
        differs = _between_moments(shell, who, first, last, said=said, html=html)
    else:
        differs = _beside_shadow(shell, who, shadow, html, moments=bool(first or last or said))
    if differs:
        raise Ending(FOUND_SOMETHING)


def _beside_shadow(shell: Shell, who: str | None, name: str, html: Path | None, *, moments: bool) -> bool:
    """Tell what differs between the live memory and a shadow; whether anything does."""
    from dnam.cli.shadow_difference import difference

    if moments:
        raise BadRequest("--shadow compares with now: leave --from, --to and --said away")
    return difference(shell, name, html, None if who is None else lambda rows: _meant(rows, who))


# -- two moments ---------------------------------------------------------------------------------------------------


def _between_moments(
    shell: Shell, who: str | None, first: str | None, last: str | None, *, said: bool, html: Path | None
) -> bool:
    """Tell what differs between two moments; whether anything does."""
    if who is None:
        raise BadRequest("say whose: USER or SESSION, as in `dnam diff Kim --from yesterday`; or --shadow NAME")
    if html is not None:
        raise BadRequest("--html goes with --shadow; `dnam audit USER --html FILE` writes a person's history as a page")
    if first is None:
        raise BadRequest("say from when: `--from WHEN`, as in --from yesterday")
    with shell.opened() as (engine, empty), engine.reading() as rows:
        if empty:
            _meant(rows, who)  # nobody is known where there is no log, and that is told rather than what no moment is
        moments = _moments(shell, engine, rows, first, last or "now", said=said)
        return _compare(shell, engine, rows, who, moments)


def _moments(
    shell: Shell, engine: "Engine", rows: "Rows", first: str, last: str, *, said: bool
) -> "tuple[Looked, Looked]":
    """Both moments; what there is to know of them is told."""
    found = shell.moment(engine, rows, first, said=said), shell.moment(engine, rows, last, said=said)
    for option, looked in zip(("--from", "--to"), found, strict=True):
        for text in looked.notes:
            shell.out.note(f"{option}: {text}")
    before, after = (each.moment.seq if each.moment.said is None else each.moment.said for each in found)
    if before is not None and after is not None and before > after:
        raise BadRequest(f"--from {first!r} is later than --to {last!r}: turn them round")
    return found


def _compare(shell: Shell, engine: "Engine", rows: "Rows", who: str, moments: "tuple[Looked, Looked]") -> bool:
    """Tell what differs; whether anything does."""
    card = _meant(rows, who)
    there = zip(("--from", "--to"), moments, strict=True)
    gone = [tell_taken_back(_taken_back(engine, rows, card, looked), option) for option, looked in there]
    readable = ", as far as it can still be read" if any(gone) else ""
    if isinstance(card, bytes):
        return _compare_person(shell, engine, rows, card, moments, readable)
    return _compare_summary(shell, engine, rows, card, moments, readable)


def _taken_back(engine: "Engine", rows: "Rows", card: "Handle | SessionCard", looked: "Looked") -> "TakenBack":
    """What of a person or a session at a moment was taken back since."""
    from dnam.taken_back import taken_back
    from replay.audit import rows_at

    found = taken_back(engine, looked.moment)
    if isinstance(card, bytes):
        return found.of(engine, card)
    then = rows_at(rows, engine.live, looked.moment)
    return found.in_force(then, [(card.session, _epoch(then, card))])


def _meant(rows: "Rows", who: str) -> "Handle | SessionCard":
    """A person or a session; a name that is both is ambiguous, unless a sign before it tells."""
    from dnam.errors import Ambiguous, Unknown
    from dnam.finding import the_person, the_session
    from projections.lookup import find_people, find_sessions

    people = [] if who.startswith("#") else find_people(rows, who)
    sessions = [] if who.startswith("@") else find_sessions(rows, who)
    if people and sessions:
        raise Ambiguous(f"{in_quotes(who)} is a person and a session", (f"@{who}  the person", f"#{who}  the session"))
    if not people and not sessions:
        raise Unknown(f"nobody and no session goes by {in_quotes(who)}; `dnam people` and `dnam sessions` list them")
    return the_person(rows, who) if people else the_session(rows, who)


# -- a person ------------------------------------------------------------------------------------------------------


def _compare_person(
    shell: Shell, engine: "Engine", rows: "Rows", person: "Handle", moments: "tuple[Looked, Looked]", readable: str
) -> bool:
    from projections.people import name_of
    from replay.audit import differences

    first, last = moments
    found = differences(rows, engine.live, person, first.moment, last.moment)
    told = [_difference(engine, rows, each) for each in found]
    if shell.out.as_json:
        name = name_of(rows, person)
        ends = {"from": looked_json(first), "to": looked_json(last)}
        shell.out.emit({"person": person, "name": name, **ends, "differences": told})
    elif not found:
        shell.out.note(f"nothing that is remembered of {name_of(rows, person)} differs{readable}")
    else:
        _tell_differences(shell, rows, told)
    return bool(found)


def _difference(engine: "Engine", rows: "Rows", each: "Difference") -> dict[str, Any]:
    from dnam.finding import by_words

    before, after = (None if row is None else row.item for row in (each.before, each.after))
    seq = None if each.after is None else engine.store.log.find(each.after.event)
    return {
        "kind": each.kind,
        "before": before,
        "after": after,
        "words": _words(before.text if before else "", after.text if after else ""),
        "why": "its events cannot be read any more" if each.after is None else each.after.reason,
        "who": "" if each.after is None else by_words(rows, each.after.by),
        "seq": seq,
    }


def _words(before: str, after: str) -> "Sequence[Piece]":
    from projections.wording import wording

    return wording(before, after)


def _tell_differences(shell: Shell, rows: "Rows", told: list[dict[str, Any]]) -> None:
    from itertools import groupby

    from dnam.cli.timeline import Span, line

    for kind, group in groupby(told, key=lambda each: str(each["kind"])):
        line(shell, Span(f"{kind}:", "bold"))
        for each in group:
            _tell_difference(shell, rows, each)


def _tell_difference(shell: Shell, rows: "Rows", each: dict[str, Any]) -> None:
    from dnam.cli.timeline import Span, line, spans_of
    from dnam.finding import compartment_words
    from projections.lives import changed_fields
    from projections.quoting import one_line

    item = each["after"] or each["before"]
    text = (
        list(spans_of(each["words"])) if each["kind"] == "changed" else [Span(one_line(item.text), _look(each["kind"]))]
    )
    line(shell, Span(f"  {item.id} [{item.kind}] "), *text)
    because = f"{each['why']} ({each['who']}, #{each['seq']})" if each["seq"] else each["why"]
    line(shell, Span(f"      {compartment_words(rows, item.compartment)}; {one_line(because)}", "dim"))
    for name in changed_fields(each["before"], each["after"]) if each["kind"] == "changed" else ():
        if name != "text":
            line(shell, Span(f"      {name}: {getattr(each['before'], name)} -> {getattr(each['after'], name)}"))


def _look(kind: str) -> str:
    return {"learned": "added", "restored": "added", "dropped": "removed"}[kind]


# -- a session -----------------------------------------------------------------------------------------------------


def _compare_summary(
    shell: Shell, engine: "Engine", rows: "Rows", card: "SessionCard", moments: "tuple[Looked, Looked]", readable: str
) -> bool:
    from dnam.cli.timeline import by_line, line, spans_of
    from projections.wording import differs, wording

    before, after = (_summary(engine, rows, card, each) for each in moments)
    words = wording(before, after)
    if shell.out.as_json:
        first, last = map(looked_json, moments)
        shell.out.emit({"key": card.key, "session": card.session, "from": first, "to": last, "words": words})
    elif not differs(words):
        shell.out.note(f"the summary of {card.key} is the same{readable}")
    else:
        for each in by_line(words):
            line(shell, *spans_of(each))
    return differs(words)


def _summary(engine: "Engine", rows: "Rows", card: "SessionCard", looked: "Looked") -> str:
    """The text of then, in the epoch of then; empty where there was none."""
    from projections.summaries import find_summary
    from replay.audit import rows_at

    then = rows_at(rows, engine.live, looked.moment)
    found = find_summary(then, card.session, _epoch(then, card))
    return "" if found is None else found.row.text


def _epoch(then: "Rows", card: "SessionCard") -> int:
    from projections.places import audience_of

    return (audience_of(then, card.place.place) or card.audience).epoch


COMMANDS = (Command("diff", diff, "diff Kim --from yesterday"),)
