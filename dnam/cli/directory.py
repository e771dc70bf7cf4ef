"""Who there is, and where: `people` and `sessions`. They change no byte on disk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dnam.cli.command import Command, Data, Json
from dnam.cli.shell import Shell
from dnam.times import iso

if TYPE_CHECKING:
    from projections.lookup import PersonCard, SessionCard


def people(data: Data = None, as_json: Json = False) -> None:
    """Everybody there is, and what USER may be.

    Names over time, ids, how much they said, and when they last said something. Behind the name of who opted out
    stands that: nothing of theirs is recorded, and of whom nothing was recorded before, nobody is listed. Where an
    erasure was broken off, it says so.
    """
    from dnam.erasing.unfinished import GOES_ON, told, unfinished_in
    from projections.consent import is_out
    from projections.lookup import people as everybody
    from projections.lookup import person_card

    shell = Shell(data, as_json)
    with shell.looking() as view:
        cards = [person_card(view.rows, person) for person in everybody(view.rows)]
        out = frozenset(card.person for card in cards if is_out(view.rows, card.person))
        left = told(unfinished_in(view.engine))
    for each in left:
        shell.out.note(f"{each}: {GOES_ON}")
    cards.sort(key=lambda card: (card.name.casefold(), [each.platform_id for each in card.accounts]))
    if shell.out.as_json:
        for card in cards:
            shell.out.emit(_person_json(card, opted_out=card.person in out))
    else:
        titles = ("name", "also", "ids", "messages", "items", "last said")
        shell.out.table(titles, (_person_cells(shell, card, opted_out=card.person in out) for card in cards))


def _person_json(card: "PersonCard", *, opted_out: bool) -> dict[str, Any]:
    return {
        "person": card.person,
        "name": card.name,
        "opted_out": opted_out,
        "accounts": [
            {"platform": each.platform, "platform_id": each.platform_id, "name": each.name} for each in card.accounts
        ],
        "names": [
            {"name": each.name, "platform": each.platform, "said": each.said, "said_iso": iso(each.said)}
            for each in card.names
        ],
        "messages": card.messages,
        "items": card.items,
        "last_said": card.last_said,
        "last_said_iso": iso(card.last_said),
    }


def _person_cells(shell: Shell, card: "PersonCard", *, opted_out: bool) -> Sequence[str]:
    former = dict.fromkeys(each.name for each in card.names if each.name != card.name)
    ids = ", ".join(f"{each.platform}:{each.platform_id}" for each in card.accounts)
    last = shell.out.since(card.last_said)
    name = f"{card.name} (opted out)" if opted_out else card.name
    return name, ", ".join(former), ids, str(card.messages), str(card.items), last


def sessions(data: Data = None, as_json: Json = False) -> None:
    """Every session there is, and what SESSION and PLACE may be.

    Messages from before who can read it changed are closed: they are counted apart, and told there no more.
    """
    from projections.lookup import sessions as every_session

    shell = Shell(data, as_json)
    with shell.looking() as view:
        cards = every_session(view.rows)
    if shell.out.as_json:
        for card in cards:
            shell.out.emit(_session_json(card))
    else:
        titles = ("session", "name", "who can read it", "messages", "turns", "summary", "last said")
        shell.out.table(titles, (_session_cells(shell, card) for card in cards))


def _session_json(card: "SessionCard") -> dict[str, Any]:
    return {
        "key": card.key,
        "session": card.session,
        "name": card.name,
        "kind": card.place.kind,
        "place": card.place.place,
        "guild": card.place.guild,
        "audience": card.audience.kind,
        "epoch": card.audience.epoch,
        "messages": card.messages,
        "closed": card.closed,
        "turns": card.turns,
        "summarised": card.summarised,
        "last_said": card.last_said,
        "last_said_iso": iso(card.last_said),
    }


READERS = {"guild": "everybody in the guild", "channel": "who is in the channel", "direct": "the two of them"}


def _session_cells(shell: Shell, card: "SessionCard") -> Sequence[str]:
    closed = f", {card.closed} closed" if card.closed else ""
    counts = f"{card.messages}{closed}", str(card.turns), "yes" if card.summarised else ""
    return card.key, card.name, READERS[card.audience.kind], *counts, shell.out.since(card.last_said)


COMMANDS = (
    Command("people", people, "people"),
    Command("sessions", sessions, "sessions"),
)
