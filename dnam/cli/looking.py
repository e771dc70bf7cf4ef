"""What is known of whom: `show` and `summary`. They change no byte on disk."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import At, Command, Data, Json, Said, SessionName, User
from dnam.cli.screen import note
from dnam.cli.shell import Shell, View
from dnam.times import iso

if TYPE_CHECKING:
    from dnam.moments import Looked
    from dnam.taken_back import TakenBack
    from projections.groups import Group
    from projections.ids import Handle
    from projections.items import ItemRow, RefusalRow
    from projections.rows import Found, Rows
    from projections.summaries import SummaryRow


# -- one person ----------------------------------------------------------------------------------------------------


def show(
    user: User,
    all_items: Annotated[
        bool, typer.Option("--all", help="Also what was forgotten, deprecated, evicted, merged or held, and why.")
    ] = False,
    at: At = None,
    said: Said = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """What is remembered of a person.

    Their items by where they hold (People), what everybody may know where they spoke, and of the assistant itself
    (Community), of an owner what is for the owner alone (Owner Private), and the summaries of their sessions; now, or
    at a moment of the past. Owners are who owns the bot in Discord, and whoever has an account of this machine's own,
    as in `dnam chat`.
    """
    from dnam.quarantine import quarantined
    from dnam.standing import is_operator
    from dnam.standing import is_owner as owns
    from projections.consent import is_out
    from projections.people import name_of

    shell = Shell(data, as_json)
    with shell.looking(at, said) as view:
        now, person = view.now, named(view, user)
        is_owner = owns(now, person, shell.settings.owner_ids) or is_operator(now, person)
        groups = _groups(view.rows, person, all_items=all_items, is_owner=is_owner)
        units = _units(view.rows, person)
        summaries = list(_summaries(view.rows, units))
        _tell_taken_back(view, person, units)
        if shell.out.as_json:
            shell.out.emit(
                {
                    "person": person,
                    "name": name_of(now, person),
                    "opted_out": is_out(now, person),
                    "items": [_item_json(now, each) for each in groups["People"]],
                    "community": [_item_json(now, each) for each in groups.get("Community", ())],
                    "owner_private": [_item_json(now, each) for each in groups.get("Owner Private", ())],
                    "counts": {group: len(found) for group, found in groups.items()},
                    "summaries": [_summary_json(now, each) for each in summaries],
                    "held": [_held_json(each) for each in quarantined(view.rows, person)] if all_items else [],
                    "as_of": as_of(view),
                }
            )
            return
        shell.out.line(_headline(now, person))
        if not _is_any(groups) and not summaries:
            yet = "yet" if view.looked is None else "by then"
            shell.out.note(f"nothing is remembered of {name_of(now, person)} {yet}")
        _show_groups(shell, now, groups, with_reasons=all_items)
        for row in quarantined(view.rows, person) if all_items else ():
            shell.out.line(f"held: [{row.kind}] {row.text}: {row.reason}")
        for each in summaries:
            _show_summary(shell, now, each)


def _tell_taken_back(view: View, person: "Handle", units: Sequence[tuple[str, int]]) -> None:
    """Say what was taken back since the moment that is looked at: of a person's items, and of these sessions."""
    from dnam.taken_back import taken_back

    if view.looked is not None:
        found = taken_back(view.engine, view.looked.moment)
        tell_taken_back(found.of(view.engine, person).and_of(found.in_force(view.rows, units)))


def tell_taken_back(found: "TakenBack", option: str = "") -> bool:
    """Say that something of a moment is not as it was, where it is so; whether it is."""
    told = found.note()
    if told:
        note(f"{option}: {told}" if option else told)
    return bool(told)


def as_of(view: View) -> dict[str, Any] | None:
    """The moment that is looked at, for programs: its clock, its last event by that clock, and its time."""
    return None if view.looked is None else looked_json(view.looked)


def looked_json(looked: "Looked") -> dict[str, Any]:
    """The same of one moment."""
    return {"clock": looked.clock, "seq": looked.moment.seq, "ms": looked.ms, "ms_iso": iso(looked.ms)}


def _headline(rows: "Rows", person: "Handle") -> str:
    """Who was found, so that nobody takes one Kim for another, and whether they opted out."""
    from projections.consent import is_out
    from projections.people import accounts_of, name_of

    ids = ", ".join(f"{each.row.platform}:{each.row.platform_id}" for each in accounts_of(rows, person))
    out = ", opted out: nothing of theirs is recorded" if is_out(rows, person) else ""
    return f"{name_of(rows, person)} ({ids or 'unknown'}){out}"


def named(view: View, user: str) -> "Handle":
    """Who is meant."""
    from dnam.finding import the_person

    return the_person(view.now, user)


def _groups(rows: "Rows", person: "Handle", *, all_items: bool, is_owner: bool) -> "dict[Group, list[Found[ItemRow]]]":
    """Their own items, and of nobody's those of where they spoke, of the assistant itself and, to an owner, the
    owner's; the groups that there are for them.
    """
    from projections.ids import NOBODY
    from projections.items import items_in, items_of
    from projections.policies.compartments import OWNER, SELF

    where = _compartments(rows, person)
    itself = list(items_in(rows, NOBODY, SELF))
    found: dict[Group, Iterable[Found[ItemRow]]] = {"People": items_of(rows, person)}
    if where or any(all_items or each.row.item.status == "active" for each in itself):
        there = (each for compartment in where for each in items_in(rows, NOBODY, compartment))
        found["Community"] = (*there, *itself)
    if is_owner:
        found["Owner Private"] = items_in(rows, NOBODY, OWNER)
    return {group: _in_order(items, all_items=all_items) for group, items in found.items()}


def _is_any(groups: "dict[Group, list[Found[ItemRow]]]") -> bool:
    """Whether there is anything besides what the assistant knows of itself, which is there for everybody."""
    from projections.policies.compartments import SELF

    return any(each.row.item.compartment != SELF for found in groups.values() for each in found)


def _compartments(rows: "Rows", person: "Handle") -> list[str]:
    """Where that lies which everybody may know in the places in which a person spoke, as they can be read now."""
    from projections.messages import units_of
    from projections.policies.compartments import in_guild, said_in

    spoke = [each for each in units_of(rows, person) if each.audience.kind != "direct"] if person else []
    there = {said_in(rows, each.audience, each.guild) for each in spoke}
    return sorted(there | {in_guild(each.guild) for each in spoke if each.guild is not None})


def _in_order(items: "Iterable[Found[ItemRow]]", *, all_items: bool) -> "list[Found[ItemRow]]":
    """By where they hold, newest first."""
    wanted = (each for each in items if all_items or each.row.item.status == "active")
    return sorted(wanted, key=lambda each: (each.row.item.compartment, -each.row.item.updated, each.row.item.id))


def _item_json(rows: "Rows", found: "Found[ItemRow]") -> dict[str, Any]:
    """An item by its fields, where it holds in words, and the event that left it as it is."""
    from dnam.finding import compartment_words

    row, item = found.row, found.row.item
    return {
        **{name: getattr(item, name) for name in item.__struct_fields__},
        "where": compartment_words(rows, item.compartment),
        "created_iso": iso(item.created),
        "updated_iso": iso(item.updated),
        "seq": found.seq,
        "event": row.event,
        "tag": row.tag,
        "by": row.by,
        "reason": row.reason,
        "policy": row.policy,
    }


def _show_groups(
    shell: Shell, rows: "Rows", groups: "dict[Group, list[Found[ItemRow]]]", *, with_reasons: bool
) -> None:
    """Each group with how much there is of it; none where there is nothing at all."""
    for group, found in groups.items() if any(groups.values()) else ():
        shell.out.line(f"{group} ({len(found)})")
        _show_items(shell, rows, found, with_reasons=with_reasons)
        if not found:
            shell.out.line()


def _show_items(shell: Shell, rows: "Rows", found: "list[Found[ItemRow]]", *, with_reasons: bool) -> None:
    from dnam.finding import compartment_words

    titles = ["id", "kind", "text", "updated", "source", *(("status", "why") if with_reasons else ())]
    for compartment, group in groupby(found, key=lambda each: each.row.item.compartment):
        shell.out.line(f"{compartment_words(rows, compartment)}:")
        shell.out.table(titles, [_item_cells(shell, rows, each.row, with_reasons) for each in group])
        shell.out.line()


def _item_cells(shell: Shell, rows: "Rows", row: "ItemRow", with_reasons: bool) -> Sequence[str]:
    from dnam.finding import by_words, source_words

    item = row.item
    cells = (item.id, item.kind, item.text, shell.out.when(item.updated), source_words(rows, item.source))
    if not with_reasons:
        return cells
    why = "" if item.status == "active" else f"{row.reason} ({by_words(rows, row.by)})"
    return *cells, item.status, why


# -- summaries -----------------------------------------------------------------------------------------------------


def _units(rows: "Rows", person: "Handle") -> list[tuple[str, int]]:
    """The sessions in which a person spoke, and the conversations with them alone, each in its epoch."""
    from projections.lookup import sessions_with
    from projections.messages import units_of

    if not person:
        return []
    spoken = [(each.session, each.audience.epoch) for each in units_of(rows, person)]
    direct = [(card.session, card.audience.epoch) for card in sessions_with(rows, person)]
    return sorted({*spoken, *direct})


def _summaries(rows: "Rows", units: Iterable[tuple[str, int]]) -> "Iterator[Found[SummaryRow]]":
    """The summaries of these that there are."""
    from projections.summaries import find_summary

    for session, epoch in units:
        found = find_summary(rows, session, epoch)
        if found is not None and found.row.text:
            yield found


def _held_json(row: "RefusalRow") -> dict[str, Any]:
    return {
        "kind": row.kind,
        "text": row.text,
        "reason": row.reason,
        "policy": row.policy,
        "event": row.event,
        "said": row.said,
        "said_iso": iso(row.said),
    }


def _summary_json(rows: "Rows", found: "Found[SummaryRow]") -> dict[str, Any]:
    row = found.row
    return {
        "key": _shown(rows, row.session),
        "session": row.session,
        "text": row.text,
        "said": row.said,
        "said_iso": iso(row.said),
        "era": row.era,
        "refresh": row.refresh,
        "covered": row.covered,
        "model": row.model,
        "seq": found.seq,
        "event": row.event,
    }


def _shown(rows: "Rows", session: str) -> str:
    from projections.lookup import shown_session
    from projections.places import place_of

    place = place_of(rows, session)
    return session if place is None else shown_session(rows, session, place.row.person)


def _show_summary(shell: Shell, rows: "Rows", found: "Found[SummaryRow]") -> None:
    row = found.row
    title = f"summary of {_shown(rows, row.session)}, {shell.out.when(row.said)}"
    shell.out.line(f"{title}, {row.covered} new since the one before:")
    shell.out.lines(row.text, indent="  ")
    shell.out.line()


def summary(session: SessionName, at: At = None, said: Said = None, data: Data = None, as_json: Json = False) -> None:
    """The rolling summary of a session, now or at a moment of the past."""
    from dnam.taken_back import TakenBack, taken_back
    from projections.summaries import find_summary

    shell = Shell(data, as_json)
    with shell.looking(at, said) as view:
        where = _unit_of(view, session)
        found = find_summary(view.rows, *where)
        told = None if found is None or not found.row.text else found
        gone = TakenBack() if view.looked is None else taken_back(view.engine, view.looked.moment)
        if tell_taken_back(gone.in_force(view.rows, [where])) and told is not None:
            shell.out.note("this is the last one before it that can be read")
        elif told is None:
            shell.out.note(_no_summary(shell, view, session, found))
        if shell.out.as_json:
            shell.out.emit(None if told is None else {**_summary_json(view.now, told), "as_of": as_of(view)})
        elif told is not None:
            shell.out.lines(told.row.text)


def _unit_of(view: View, session: str) -> tuple[str, int]:
    """A session in the epoch of then: who can read a place may have changed since."""
    from dnam.finding import the_session
    from projections.places import audience_of

    card = the_session(view.now, session)
    audience = audience_of(view.rows, card.place.place) or card.audience
    return card.session, audience.epoch


def _no_summary(shell: Shell, view: View, session: str, found: "Found[SummaryRow] | None") -> str:
    """That there is none, or that it waits to be made anew."""
    from projections.summaries import is_withheld

    if found is None or not is_withheld(found.row):
        return f"there is no summary of {session} {'yet' if view.looked is None else 'by then'}"
    why = "something that it covered was taken back"
    if view.looked is not None:
        return f"the summary of {session} was withheld then: {why}"
    learn = shell.command("learn")
    return f"the summary of {session} is withheld, since {why}: the next one is made with `{learn}`, or in talk"


COMMANDS = (
    Command("show", show, "show Kim"),
    Command("summary", summary, "summary general"),
)
