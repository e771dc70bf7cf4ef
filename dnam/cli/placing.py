"""Where items may be told: `share`, `keep-private`, `lore` and `why-not`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, ItemId, Json, Place, User, typed
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from dnam.memory import Memory
    from dnam.why_not import WhyNot
    from projections.events.values import Item
    from projections.rows import Rows

GuildName = Annotated[
    str | None,
    typer.Option("--guild", metavar="GUILD", callback=typed, help="The lore of this guild: its id, or its name."),
]
OwnersLayer = Annotated[
    bool, typer.Option("--owner", help="The operator's private layer, told in the owner's DMs alone.")
]
OfItself = Annotated[bool, typer.Option("--self", help="What the assistant knows of itself, told everywhere.")]


def share(user: User, item: ItemId, place: Place = None, data: Data = None, as_json: Json = False) -> None:
    """Let an item be told wherever its person is answered.

    By hand, as its person could with `!memory share`. `dnam keep-private` is the other way.
    """
    _move(user, item, place, Shell(data, as_json), private=False)


def keep_private(user: User, item: ItemId, place: Place = None, data: Data = None, as_json: Json = False) -> None:
    """Let an item be told in its person's direct messages alone."""
    _move(user, item, place, Shell(data, as_json), private=True)


def _move(user: str, item: str, place: str | None, shell: Shell, *, private: bool) -> None:
    async def action(memory: "Memory") -> "tuple[Sequence[Item], str]":
        from dnam.finding import the_person, whereabouts
        from dnam.placing import BOTH, is_beside
        from projections.events.values import OPERATOR

        person = await memory.look(lambda rows: the_person(rows, user))
        setting = None
        if place is not None:
            setting = await memory.look(lambda rows: whereabouts(rows, person, place).setting)
        move = memory.keep_private if private else memory.share
        items = await move(person, item, by=OPERATOR, setting=setting)
        beside = await memory.look(lambda rows: any(is_beside(rows, each, item) for each in items))
        return items, BOTH.format(id=item) if beside else ""

    items, beside = shell.run(action, named=user)
    where = "in direct messages alone" if private else "wherever its person is answered"
    already = f"It is told {where} already."
    if shell.out.as_json:
        done = "kept private" if private else "shared"
        shell.out.emit({"done": done, "items": items} if items else {"done": None, "why": already, "items": []})
        return
    for each in items:
        shell.out.line(f"Told {where} from now on: {each.text} ({each.id})")
    if beside:
        shell.out.line(beside)
    if not items:
        shell.out.line(already)


# -- what belongs to nobody ------------------------------------------------------------------------------------------


def compartment_of(rows: "Rows", guild: str | None, owner: bool, of_itself: bool) -> str:
    """Which of nobody's compartments is meant. BadRequest when it is none, or more than one."""
    from dnam.scopes import the_scope
    from projections.errors import BadRequest
    from projections.policies.compartments import OWNER, SELF, in_guild

    if sum((guild is not None, owner, of_itself)) != 1:
        raise BadRequest("say which: --guild GUILD, --owner or --self")
    if guild is None:
        return OWNER if owner else SELF
    ref = the_scope(rows, f"guild/{guild}").ref
    assert ref is not None
    return in_guild(ref)


def lore(
    guild: GuildName = None,
    owner: OwnersLayer = False,
    of_itself: OfItself = False,
    all_items: Annotated[
        bool, typer.Option("--all", help="Also what was forgotten or is gone otherwise, and which.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """What belongs to nobody: a guild's lore, the owner's layer, what the assistant knows of itself.

    `dnam remember --guild GUILD TEXT` adds to it, `dnam forget --guild GUILD ID` takes it back.
    """
    from projections.ids import NOBODY
    from projections.items import items_in

    shell = Shell(data, as_json)
    with shell.looking() as view:
        compartment = compartment_of(view.rows, guild, owner, of_itself)
        found = (each.row for each in items_in(view.rows, NOBODY, compartment))
        rows = [row for row in found if all_items or row.item.status == "active"]
        rows.sort(key=lambda row: (-row.item.updated, row.item.id))
        if shell.out.as_json:
            shell.out.emit({"compartment": compartment, "items": [row.item for row in rows]})
            return
        if not rows:
            shell.out.note("there is nothing there yet")
            return
        titles = ("id", "status", "kind", "text", "updated")
        cells = [
            (row.item.id, row.item.status, row.item.kind, row.item.text, shell.out.when(row.item.updated))
            for row in rows
        ]
        shell.out.table(titles, cells)


# -- why not -----------------------------------------------------------------------------------------------------------


def why_not(
    user: User,
    item: ItemId,
    place: Annotated[
        str | None,
        typer.Option("--in", metavar="PLACE", callback=typed, help="Where it is not told: as in `dnam show`, or `dm`."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Why an item is not told in a place: which compartment it lives in, and what would open that.

    Whether what is open there is in a prompt is a matter of the words: `dnam prompt` shows it.
    """
    from datetime import UTC, datetime

    from dnam.cli.looking import named
    from dnam.finding import whereabouts
    from dnam.standing import settings_say
    from dnam.why_not import why_not as answer

    shell = Shell(data, as_json)
    with shell.looking() as view:
        person = named(view, user)
        there = whereabouts(view.rows, person, place)
        there = there._replace(setting=settings_say(view.rows, there.setting, shell.settings.owner_ids))
        now = int(datetime.now(UTC).timestamp() * 1000)
        found = answer(view.rows, person, item, there, now)
        if shell.out.as_json:
            shell.out.emit([_json(each) for each in found])
            return
        for each in found:
            _show(shell, each, user, place or "dm")


def _json(found: "WhyNot") -> dict[str, Any]:
    return {
        "item": found.item.id,
        "text": found.item.text,
        "owner": found.item.owner,
        "status": found.item.status,
        "compartment": found.item.compartment,
        "where": found.where,
        "open": found.is_open,
        "reasons": found.reasons,
        "opened_by": found.opens_it,
        "do": found.do,
    }


def _show(shell: Shell, found: "WhyNot", user: str, place: str) -> None:
    from shlex import quote

    out, item = shell.out, found.item
    out.line(f"{item.id}  {item.text}")
    out.line(f"  lives {found.where} ({item.compartment})")
    if found.reasons:
        for reason in found.reasons:
            out.line(f"  not told in {place}: {reason}")
    else:
        out.line(f"  open in {place}: whether it is told there is a matter of the words (`dnam prompt`)")
    for opener in found.opens_it:
        out.line(f"  opened by {opener}")
    if found.do:
        out.line(f"  to change that: {shell.command(f'{found.do} {quote(user)} {item.id}')}")


COMMANDS = (
    Command("share", share, "share Kim durable-1234abcd", changes=True),
    Command("keep-private", keep_private, "keep-private Kim durable-1234abcd", changes=True),
    Command("lore", lore, 'lore --guild "Garden club"'),
    Command("why-not", why_not, "why-not Kim durable-1234abcd --in general"),
)
