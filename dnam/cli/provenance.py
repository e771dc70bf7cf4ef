"""Where memories come from: `audit`. It changes no byte on disk."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import At, Command, Data, Json, Said, User
from dnam.cli.filing import filed
from dnam.cli.looking import as_of, named
from dnam.cli.screen import in_quotes
from dnam.cli.shell import Shell, View
from projections.counting import counted
from projections.policies.text import whole

if TYPE_CHECKING:
    from dnam.page_vaults import Vaults
    from dnam.provenance import LifeWords, Narrator
    from projections.ids import Handle


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


# -- audit ---------------------------------------------------------------------------------------------------------


def audit(
    user: User,
    item: Annotated[
        str | None, typer.Option("--item", metavar="ID", callback=_whole, help="Only the item that has or had this id.")
    ] = None,
    at: At = None,
    said: Said = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write it as one page; `-` prints that page.")
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The life of every item of a person: what happened, who did it, why, and what was said.

    Also of what was forgotten, evicted, merged, moved or refused. As JSON: `person`, `name`, `as_of` and `items`, each
    with `id`, `owner`, `compartment`, `where`, `kind`, `text`, `status` and its `steps`. A step has `seq`, `event`,
    `tag`, `at`, `said`, `happened`, `who`, `by`, `model` (`name`, `version`, `prompt`), `policy`, `reason`, `why`,
    `text`, `words` (pieces with `fate` and `text`), `changed` (a field's values before and after), `messages` (with
    `seq`, `event`, `tag`, `state`, `author`, `said`, `text`, `quotes`, `link`, and `replaced`: it was edited since, and
    what it said then is gone), `quotes`, `gone` and `intent`.
    """
    from projections.people import name_of

    shell = Shell(data, as_json)
    if html == Path("-"):
        shell.refuse_printed_page("--html -")
    with shell.looking(at, said) as view:
        person = named(view, user)
        found = _told(shell, view, person, item or "")
        name = name_of(view.now, person)
        moment = as_of(view)
        vaults = _vaults(view, person, found) if html is not None else frozenset()
    if not found:
        _tell_of_none(shell, name, item, "yet" if moment is None else "by then")
    if html is not None:
        page = _page(shell, name, found, moment, vaults)
        if html == Path("-"):
            shell.out.exactly(page)
            return
        filed(html, page)
    if shell.out.as_json:
        shell.out.emit({"person": person, "name": name, "as_of": moment, "items": found})
    elif html is not None:
        shell.out.line(f"the audit of {counted(len(found), 'item')} of {name} is written to {html}")
    else:
        _tell(shell, found)


def _tell_of_none(shell: Shell, name: str, item: str | None, yet: str) -> None:
    from dnam.errors import Unknown

    if item is not None:
        raise Unknown(f"{name} had no item {in_quotes(item)} {yet}; `dnam show USER --all` lists the ids")
    shell.out.note(f"nothing was remembered of {name} {yet}")


def _told(shell: Shell, view: View, person: "Handle", item: str) -> "list[LifeWords]":
    from replay.audit import NOW
    from replay.audit import audit as audited
    from replay.reading import Reader

    moment = NOW if view.looked is None else view.looked.moment
    told = narrator(shell, view)
    return [told.life(each) for each in audited(view.now, Reader(view.engine.live), person, item, moment)]


def narrator(shell: Shell, view: View) -> "Narrator":
    """Who tells lives, with the names of today."""
    from dnam.provenance import Narrator

    return Narrator(view.now, shell.settings.assistant_name, by_account=True)


def _tell(shell: Shell, found: "list[LifeWords]") -> None:
    from dnam.cli.timeline import tell_life

    for each in found:
        tell_life(shell, each)


def _vaults(view: View, person: "Handle", found: "list[LifeWords]") -> "Vaults":
    from dnam.page_vaults import of_lives

    return of_lives(view.engine, view.now, person, found)


def _page(shell: Shell, name: str, found: "list[LifeWords]", moment: dict[str, Any] | None, vaults: "Vaults") -> str:
    from dnam.pages import audit_page

    then = "" if moment is None else f", as {moment['clock']} up to {moment['ms_iso'] or moment['seq']}"
    return audit_page(f"What is remembered of {name}{then}", found, shell.out.when, vaults)


COMMANDS = (Command("audit", audit, "audit Kim --item durable-9f86d081"),)
