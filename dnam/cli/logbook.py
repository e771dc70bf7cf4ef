"""The log: `log`, and what is in it as it grows. It changes no byte on disk."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, Json, whole_number
from dnam.cli.shell import Shell
from dnam.times import iso
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from projections.events import Event
    from projections.lookup import SessionCard
    from projections.rows import Rows
    from replay.engine import Engine
    from replay.reading import Reading

WORDS_CHARS = 100
Wanted = Callable[["Reading"], bool]
"""Whether an event is asked for."""


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


def log(
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", callback=_whole, help="Only this tag, or this family, as `item`.")
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(
            metavar="SESSION", callback=_whole, help="Only what happened in this session, or was learned there."
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="USER", callback=_whole, help="Only what this person did or is about.")
    ] = None,
    after: Annotated[
        int, typer.Option(metavar="N", parser=whole_number(0), help="Only events behind this seq, which is a number.")
    ] = 0,
    until: Annotated[
        str | None, typer.Option(metavar="WHEN", callback=_whole, help="Only what was recorded by then; as for --at.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what is recorded from now on, until Ctrl-C.")
    ] = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The events, one a line.

    Seq, when it was recorded and said, tag, who, and a few words.
    """
    if follow and until is not None:
        raise BadRequest("--follow goes on and --until ends: give one of them")
    shell = Shell(data, as_json)
    tags = _tag_test(tag)
    if follow:
        _follow(shell, tags, session, user, after)
        return
    with shell.looking(until, has_said=False) as view:
        wanted = _wanted(view.now, session, user)
        upto, is_told = None if view.looked is None else view.looked.moment.seq, False
        for entry in _entries(view.engine, after, upto, tags):
            if wanted(entry):
                _tell(shell, view.now, entry)
                is_told = True
                if shell.out.is_unread:
                    return
        if not is_told and not view.empty:
            shell.out.note("no event is of what was asked for")


def _follow(shell: Shell, tags: Callable[[str], bool], session: str | None, user: str | None, after: int) -> None:
    from contextlib import closing

    from dnam.cli.following import growth

    wanted: Wanted | None = None
    with closing(growth(shell, after)) as grown:
        for engine, rows, seen, upto in grown:
            wanted = wanted or _wanted(rows, session, user)
            for entry in _entries(engine, seen, upto, tags):
                if wanted(entry):
                    _tell(shell, rows, entry)
                    if shell.out.is_unread:
                        return


def _tag_test(tag: str | None) -> Callable[[str], bool]:
    from dnam.saying import WORDS

    known = {kind.TAG for kind in WORDS}
    if tag is None:
        return lambda _: True
    if tag in known:
        return lambda each: each == tag
    family = f"{tag.removesuffix('*').removesuffix('.')}."
    if not any(each.startswith(family) for each in known):
        raise BadRequest(f"there is no tag {tag!r}; there are {', '.join(sorted(known))}")
    return lambda each: each.startswith(family)


def _wanted(rows: "Rows", session: str | None, user: str | None) -> Wanted:
    """The test for an event. What cannot be read belongs to nobody and to no session."""
    from dnam.finding import the_person, the_session
    from dnam.saying import people_of

    there = None if session is None else _happened_in(rows, the_session(rows, session))
    person = None if user is None else the_person(rows, user)

    def wanted(entry: "Reading") -> bool:
        if entry.record is None:
            return there is None and person is None
        event = entry.record.event
        return (there is None or there(event)) and (person is None or person in people_of(event))

    return wanted


def _happened_in(rows: "Rows", card: "SessionCard") -> "Callable[[Event], bool]":
    """The test for what happened in a session, or rests on what was said in it: what was learned there."""
    from dnam.saying import session_of
    from projections.messages import ids_in

    said = ids_in(rows, card.session, card.audience.epoch + 1)
    return lambda event: session_of(event) == card.session or not said.isdisjoint(event.causes)


def _entries(engine: "Engine", after: int, upto: int | None, tag: Callable[[str], bool]) -> "Iterator[Reading]":
    """The events behind `after`, as far as they can be read; those of other tags are not opened."""
    from replay.reading import header_of, read

    for stored in engine.store.log.read(after, upto):
        if tag(header_of(stored).tag):
            yield read(engine.live.folding, stored)


def _tell(shell: Shell, rows: "Rows", entry: "Reading") -> None:
    if shell.out.as_json:
        shell.out.emit(_json(entry))
    else:
        shell.out.line(_line(shell, rows, entry))


def _line(shell: Shell, rows: "Rows", entry: "Reading") -> str:
    from dnam.finding import by_words
    from dnam.saying import words
    from projections.people import name_of

    recorded, record = shell.out.when(entry.header.at), entry.record
    if record is None:
        return f"#{entry.seq}  {recorded}  {entry.header.tag}  ({entry.state})"
    said, text = shell.out.when(record.event.said), words(record.event, partial(name_of, rows))
    short = text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"
    who = by_words(rows, record.event.by)
    return f"#{entry.seq}  {recorded}  {said}  {entry.header.tag}  {who}: {short}"


def _json(entry: "Reading") -> dict[str, Any]:
    header, record = entry.header, entry.record
    said = None if record is None else record.event.said
    return {
        "seq": entry.seq,
        "id": header.id,
        "tag": header.tag,
        "version": header.tag_version,
        "at": header.at,
        "at_iso": iso(header.at),
        "said": said,
        "said_iso": iso(said),
        "left": header.left,
        "vault": header.vault,
        "body": entry.state,
        "event": None if record is None else record.event,
    }


COMMANDS = (Command("log", log, "log --tag item --after 100"),)
