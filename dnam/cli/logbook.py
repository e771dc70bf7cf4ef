"""The log and what can be counted in it: `log`, `stats` and `settings`. They change no byte on disk."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import At, Command, Data, Json, Place, Said, typed
from dnam.cli.looking import as_of
from dnam.cli.shell import Shell, View
from dnam.cli.upkeep import data_folder
from dnam.times import iso
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from dnam.configuration import Held
    from projections.events import Event
    from projections.lookup import SessionCard
    from projections.rows import Rows
    from replay.engine import Engine
    from replay.log import StoredEvent
    from replay.reading import Reading

WORDS_CHARS = 100
Wanted = Callable[["Reading"], bool]
"""Whether an event is asked for."""


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


# -- log -----------------------------------------------------------------------------------------------------------


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
    after: Annotated[int, typer.Option(metavar="N", min=0, help="Only events behind this seq.")] = 0,
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


# -- stats ---------------------------------------------------------------------------------------------------------


def stats(at: At = None, said: Said = None, data: Data = None, as_json: Json = False) -> None:
    """What there is, counted; now, or at a moment of the past.

    Nothing here changes without an event. By what had been said, there is no head and no root: the tree is over what
    was recorded, in its order. Without a key ring, only what needs no key is counted, and it ends with 3.
    """
    from replay.errors import KeyRingDamaged, KeyRingMissing

    shell = Shell(data, as_json)
    try:
        with shell.looking(at, said) as view:
            counted = _counted(view)
    except (KeyRingMissing, KeyRingDamaged):
        if at is None and said is None:
            _tell_without_keys(shell)
        raise
    if shell.out.as_json:
        shell.out.emit({**counted, "as_of": as_of(view)})
        return
    shell.out.table((), _stats_cells(counted))


def _tell_without_keys(shell: Shell) -> None:
    """What the headers alone say; no header is sealed."""
    with data_folder(shell, writable=False, keyless=True) as store:
        head = store.log.head()
        tags = _tags_of(store.log.read(0, head.size))
        counted = {**_by_tag(tags), **_head(head.size, head.at, head.epoch, head.root())}
    if shell.out.as_json:
        shell.out.emit(counted)
    else:
        shell.out.table((), _stats_cells(counted))


def _stats_cells(counted: dict[str, Any], indent: str = "") -> Iterator[tuple[str, str]]:
    for name, value in counted.items():
        yield indent + name, "" if isinstance(value, dict) or value is None else str(value)
        if isinstance(value, dict):
            yield from _stats_cells(value, indent + "  ")


def _counted(view: View) -> dict[str, Any]:
    from projections.lookup import people
    from projections.places import PLACES

    tags = _tags(view)
    return {
        **_by_tag(tags),
        "people": len(people(view.rows)),
        "sessions": sum(1 for found in view.rows.scan(PLACES) if found.row.session),
        "items": _item_counts(view.rows),
        **_tree(view),
    }


def _tags(view: View) -> Counter[str]:
    """Events by tag; where they are counted by what had been said, of those that can be read."""
    log, moment = view.engine.store.log, None if view.looked is None else view.looked.moment
    if moment is not None and moment.said is not None:
        found = map(view.engine.live.folding.record, log.read(0))
        return Counter(each.event.TAG for each in found if each is not None and each.event.said <= moment.said)
    size = view.engine.head().size if moment is None else moment.seq
    return _tags_of(log.read(0, size))


def _tags_of(events: "Iterable[StoredEvent]") -> Counter[str]:
    from replay import codec

    return Counter(codec.decode_header(stored.header).tag for stored in events)


def _by_tag(tags: Counter[str]) -> dict[str, Any]:
    return {"events": tags.total(), "tags": dict(sorted(tags.items()))}


def _tree(view: View) -> dict[str, Any]:
    """Where the log ended, and the root of its tree then."""
    from replay import codec
    from replay.proofs import root_at

    log, moment = view.engine.store.log, None if view.looked is None else view.looked.moment
    if moment is None:
        head = view.engine.head()
        return _head(head.size, head.at, head.epoch, head.root())
    if moment.seq is None:
        return {"head": None, "root": None}
    stored = log.get(moment.seq)
    at = 0 if stored is None else codec.decode_header(stored.header).at
    epoch = len({seq for _, seq in log.erasures() if seq <= moment.seq})
    return _head(moment.seq, at, epoch, root_at(log, moment.seq))


def _head(size: int, at: int, epoch: int, root: bytes) -> dict[str, Any]:
    return {"head": {"size": size, "at": at or None, "at_iso": iso(at or None), "epoch": epoch}, "root": root.hex()}


def _item_counts(rows: "Rows") -> dict[str, dict[str, int]]:
    from dnam.finding import compartment_class
    from projections.items import ITEMS

    items = [found.row.item for found in rows.scan(ITEMS)]
    by: dict[str, Counter[str]] = {
        "kind": Counter(item.kind for item in items),
        "status": Counter(item.status for item in items),
        "compartment": Counter(compartment_class(item.compartment) for item in items),
    }
    return {name: dict(sorted(counts.items())) for name, counts in by.items()}


# -- settings ------------------------------------------------------------------------------------------------------


def settings(
    place: Place = None,
    user: Annotated[str | None, typer.Option("--user", metavar="USER", callback=typed, help="For this person.")] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Every setting: its value and where it is from.

    The value of a secret is not shown. With --in or --user also what `dnam config` makes of it in that place, for that
    person: which scope each value is from.
    """
    from dnam.settings import show

    shell = Shell(data, as_json)
    shown, held = show(shell.settings), _held(shell, place, user) if place or user else ()
    if shell.out.as_json:
        for each in (*shown, *held):
            shell.out.emit(each)
        return
    lines = [(each.name, each.value, each.origin) for each in shown]
    lines += [(each.key, each.value, each.origin) for each in held]
    shell.out.table(("name", "value", "from"), lines)


def _held(shell: Shell, place: str | None, user: str | None) -> "tuple[Held, ...]":
    """What holds for a person in a place, each with the scope or the source that it is from."""
    from dnam.configuration import held
    from dnam.finding import the_person, the_session
    from dnam.scopes import scope_words
    from projections.ids import NOBODY

    with shell.looking() as view:
        person = the_person(view.rows, user) if user else NOBODY
        there = the_session(view.rows, place).place if place else None
        where = (None, None) if there is None else (there.place, there.guild)
        found = held(view.rows, shell.settings, person, *where)
        if shell.out.as_json:
            return found
        return tuple(each._replace(origin=scope_words(view.rows, each.origin)) for each in found)


COMMANDS = (
    Command("log", log, "log --tag item --after 100"),
    Command("stats", stats, "stats"),
    Command("settings", settings, "settings"),
)
