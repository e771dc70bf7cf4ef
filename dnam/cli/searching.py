"""`search`: what is known and what was said that answers to a text, and why. It changes no byte on disk."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import At, Command, Data, Json, Place, Said, Text, typed, whole_number
from dnam.cli.looking import as_of, named
from dnam.cli.shell import Shell, View
from dnam.times import iso

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dnam.contexts import Context
    from dnam.hits import Hits, Sought, Telling
    from dnam.marking import Marks
    from projections.ids import Ref
    from projections.recall.search import FoundItem, Reason
    from projections.recall.search import Said as SaidHit

MOST = 10
AskedBy = Annotated[
    str | None,
    typer.Option("--user", metavar="USER", callback=typed, help="What this person may be told; without --in, in DMs."),
]
SaidBy = Annotated[str | None, typer.Option("--by", metavar="USER", callback=typed, help="Only what this person said.")]
SaidIn = Annotated[
    str | None,
    typer.Option("--from", metavar="PLACE", callback=typed, help="Only what was said there, and in its threads."),
]


def search(
    text: Text,
    user: AskedBy = None,
    place: Place = None,
    by: SaidBy = None,
    said_in: SaidIn = None,
    at: At = None,
    said: Said = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", parser=whole_number(1), help="How many of each are listed.")
    ] = MOST,
    beside: Annotated[
        bool, typer.Option("--all", help="Also what was said, has none of the words and stands beside what has.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="What each hit's score is made of.")] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """What is known and what was said that answers to a text, best first.

    It looks where somebody is answered, and sees what is open there: with --user, what this person may be told (with
    --in in that place, else in their direct messages), who is meant by "I"; with --in alone, what anybody may be told
    in that place; without either, whatever anybody may be told anywhere, direct messages too. With --at or --said, what
    was known by then, which takes longer. It looks for words, and asks no encoder; answers are also made from what says
    the same in other words, where there is one.
    """
    from dnam.hits import Hits, Telling, demand_words
    from dnam.hits import search as found_in

    demand_words(text)

    shell = Shell(data, as_json)
    with shell.looking(at, said) as view:
        sought = _sought(shell, view, text, user, by, said_in, limit, beside=beside)
        contexts = _contexts(shell, view, user, place, sought.now)
        hits = Hits() if view.empty else found_in(view.rows, contexts, sought)
        telling = Telling(view.now, shell.settings.assistant_name, by_account=True)
        if shell.out.as_json:
            shell.out.emit(_json(view, telling, contexts, sought, hits))
            return
        _show(shell, view, telling, text, hits)
        if explain:
            _explain(shell, hits)
    if view.empty:
        return
    if hits.empty:
        shell.out.note(_nothing(view, contexts, sought, hits, place))
    elif hits.said and hits.misses_day:
        shell.out.note(f"{_no_day(sought)}: what is listed was said on others")


def _sought(
    shell: Shell,
    view: View,
    text: str,
    user: str | None,
    by: str | None,
    said_in: str | None,
    limit: int,
    *,
    beside: bool,
) -> "Sought":
    from time import time_ns

    from dnam.hits import Sought
    from dnam.languages import load
    from projections.ids import NOBODY

    looked = view.looked
    now = time_ns() // 1_000_000 if looked is None or looked.ms is None else looked.ms
    speaker, asker = [NOBODY if each is None else named(view, each) for each in (by, user)]
    where, vocabulary = _the_place(view, said_in), load(shell.settings.language).vocabulary
    return Sought(text, now, limit, limit, speaker, where, asker, beside=beside, vocabulary=vocabulary)


def _the_place(view: View, said_in: str | None) -> "Ref | None":
    from dnam.finding import the_session

    return None if said_in is None else the_session(view.now, said_in).place.place


def _contexts(shell: Shell, view: View, user: str | None, place: str | None, now: int) -> "list[Context]":
    from dnam.contexts import everywhere, in_place, of_person, with_room
    from dnam.finding import the_session
    from projections.ids import LAST, Point

    owners = shell.settings.owner_ids
    if user is not None:
        memory, point = shell.memory(view.engine), Point(now, LAST)
        found = of_person(view.now, view.rows, named(view, user), place, owners)
        return [with_room(view.rows, memory, each, point) for each in found]
    return everywhere(view.rows, owners) if place is None else in_place(view.rows, the_session(view.now, place).place)


def _nothing(view: View, contexts: "Sequence[Context]", sought: "Sought", hits: "Hits", place: str | None) -> str:
    """Why there is nothing, as far as that can be told."""
    if not contexts and view.looked is None:
        return f"nobody has said anything {'yet' if place is None else 'there yet'}"
    if not contexts:
        return "nobody had said anything by then" if place is None else "there was no such place by then"
    if hits.misses_day:
        return _no_day(sought)
    found = f"nothing{_only(sought)} that is open there has one of these words"
    return found if sought.beside else f"{found}; `--all` also lists what stands beside such"


def _no_day(sought: "Sought") -> str:
    return f"nothing{_only(sought)} that is open there was said on the day that is named"


def _only(sought: "Sought") -> str:
    return " of what is looked for with --by or --from" if sought.is_narrowed else ""


# -- for people --------------------------------------------------------------------------------------------------------


def _show(shell: Shell, view: View, telling: "Telling", text: str, hits: "Hits") -> None:
    from dnam.finding import compartment_words
    from dnam.hits import score
    from dnam.marking import excerpt, marker
    from projections.people import name_of

    marks = marker(text)
    if hits.items:
        shell.out.line("known:")
    rows = [
        (
            f"i{number}",
            score(hit.score),
            shell.out.when(hit.item.updated),
            compartment_words(view.now, hit.item.compartment),
            name_of(view.now, hit.item.owner) if hit.item.owner else "",
            excerpt(hit.item.text, marks),
        )
        for number, hit in enumerate(hits.items, 1)
    ]
    shell.out.table(("hit", "score", "updated", "where", "of", "text"), rows, marks=marks)
    if hits.said:
        shell.out.line("said:")
    shell.out.table(
        ("hit", "score", "said", "where", "by", "text"),
        [_said_cells(shell, telling, number, hit, marks) for number, hit in enumerate(hits.said, 1)],
        marks=marks,
    )


def _said_cells(shell: Shell, telling: "Telling", number: int, hit: "SaidHit", marks: "Marks") -> "Sequence[str]":
    from dnam.hits import score
    from dnam.marking import excerpt

    spoken = telling.spoken(hit)
    text = excerpt(spoken.text, marks)
    return f"s{number}", score(hit.score), shell.out.when(hit.said), spoken.where, spoken.who, text


def _explain(shell: Shell, hits: "Hits") -> None:
    """Every part of every score."""
    from dnam.hits import FIELDS, points

    parts = [
        (f"{letter}{number}", points(each.points), each.field, each.word, FIELDS.get(each.field, ""))
        for letter, found in (("i", [each.reasons for each in hits.items]), ("s", [each.reasons for each in hits.said]))
        for number, reasons in enumerate(found, 1)
        for each in reasons
    ]
    if parts:
        shell.out.line("why:")
    shell.out.table(("hit", "points", "field", "word", "for"), parts)


# -- for programs ------------------------------------------------------------------------------------------------------


def _json(
    view: View, telling: "Telling", contexts: "Sequence[Context]", sought: "Sought", hits: "Hits"
) -> dict[str, Any]:
    return {
        "text": sought.text,
        "contexts": [
            {
                "session": each.session,
                "person": each.setting.person,
                "audience": each.setting.audience.kind,
                "place": each.setting.audience.place,
            }
            for each in contexts
        ],
        "items": [_item_json(view, each) for each in hits.items],
        "said": [_said_json(telling, each) for each in hits.said],
        "as_of": as_of(view),
    }


def _item_json(view: View, hit: "FoundItem") -> dict[str, Any]:
    from dnam.finding import compartment_words

    item = hit.item
    return {
        "id": item.id,
        "owner": item.owner,
        "compartment": item.compartment,
        "where": compartment_words(view.now, item.compartment),
        "kind": item.kind,
        "text": item.text,
        "updated": item.updated,
        "updated_iso": iso(item.updated),
        "seq": hit.found.seq,
        "event": hit.found.row.event,
        **_score_json(hit.score, hit.reasons),
    }


def _said_json(telling: "Telling", hit: "SaidHit") -> dict[str, Any]:
    from projections.turns import TurnRow

    spoken = telling.spoken(hit)
    of = hit.row if isinstance(hit.row, TurnRow) else hit.row.message
    return {
        "id": hit.id,
        "event": hit.event,
        "seq": hit.seq,
        "tag": "turn" if isinstance(hit.row, TurnRow) else "message",
        "session": of.session,
        "where": spoken.where,
        "speaker": b"" if isinstance(hit.row, TurnRow) else hit.row.message.speaker,
        "name": spoken.who,
        "said": hit.said,
        "said_iso": iso(hit.said),
        "text": spoken.text,
        "link": spoken.link,
        **_score_json(hit.score, hit.reasons),
    }


def _score_json(score: int, reasons: "Iterable[Reason]") -> dict[str, Any]:
    return {
        "score": round(score / 1024, 3),
        "reasons": [
            {"field": each.field, "word": each.word, "points": round(each.points / 1024, 3)} for each in reasons
        ],
    }


COMMANDS = (Command("search", search, 'search "green tea" --in general --explain'),)
