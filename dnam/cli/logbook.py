"""The log and what can be counted in it: `log`, `stats` and `settings`. They change no byte on disk."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from dnam.cli.shell import Command, Data, Json, Shell, View
from dnam.times import iso
from projections.errors import BadRequest
from projections.policies.text import whole

if TYPE_CHECKING:
    from projections.fold import Record
    from projections.rows import Rows
    from replay.codec import Header
    from replay.log import StoredEvent

WORDS_CHARS = 100
Body = str
"""`known`, or why an event's words cannot be read: `redacted`, `erased`, `locked`, `unknown`, `damaged`."""


class Entry(NamedTuple):
    """An event of the log as far as it can be read; `record` is None when its body cannot."""

    seq: int
    header: "Header"
    body: Body
    record: "Record | None"


def _whole(value: str | None) -> str | None:
    return None if value is None else whole(value)


# -- log -----------------------------------------------------------------------------------------------------------


def log(
    tag: Annotated[
        str | None, typer.Option(metavar="TAG", callback=_whole, help="Only this tag, or this family, as `item`.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="SESSION", callback=_whole, help="Only what happened in this session.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="USER", callback=_whole, help="Only what this person did or is about.")
    ] = None,
    after: Annotated[int, typer.Option(metavar="N", min=0, help="Only events behind this seq.")] = 0,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """The events, one a line.

    Seq, when it was recorded and said, tag, who, and a few words.
    """
    shell = Shell(data, as_json)
    with shell.looking() as view:
        wanted = _wanted(view, session, user)
        for entry in _entries(view, after, _tag_test(tag)):
            if wanted(entry):
                _tell(shell, view, entry)


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


def _wanted(view: View, session: str | None, user: str | None) -> Callable[[Entry], bool]:
    """The test for an entry. What cannot be read belongs to nobody and to no session."""
    from dnam.finding import the_person, the_session
    from dnam.saying import people_of, session_of

    if view.empty:
        return lambda _: False
    place = None if session is None else the_session(view.rows, session).session
    person = None if user is None else the_person(view.rows, user)

    def wanted(entry: Entry) -> bool:
        if place is None and person is None:
            return True
        if entry.record is None:
            return False
        event = entry.record.event
        return (place is None or session_of(event) == place) and (person is None or person in people_of(event))

    return wanted


def _entries(view: View, after: int, tag: Callable[[str], bool]) -> Iterator[Entry]:
    from replay import codec
    from replay.errors import LogError

    for stored in view.engine.store.log.read(after):
        try:
            header = codec.decode_header(stored.header)
        except LogError as error:
            raise type(error)(f"event #{stored.seq}: {error}") from error
        if tag(header.tag):
            yield _entry(view, stored, header)


def _entry(view: View, stored: "StoredEvent", header: "Header") -> Entry:
    from replay.errors import Damaged, KeyMissing, UnknownEvent

    reasons = {Damaged: "damaged", KeyMissing: "locked", UnknownEvent: "unknown"}
    folding = view.engine.live.folding
    try:
        record = folding.record(stored)
    except tuple(reasons) as error:
        return Entry(stored.seq, header, reasons[type(error)], None)
    if record is not None:
        return Entry(stored.seq, header, "known", record)
    return Entry(stored.seq, header, "erased" if header.vault in folding.erased else "redacted", None)


def _tell(shell: Shell, view: View, entry: Entry) -> None:
    if shell.out.as_json:
        shell.out.emit(_json(entry))
    else:
        shell.out.line(_line(shell, view, entry))


def _line(shell: Shell, view: View, entry: Entry) -> str:
    from dnam.finding import by_words
    from dnam.saying import words

    recorded, record = shell.out.when(entry.header.at), entry.record
    if record is None:
        return f"#{entry.seq}  {recorded}  {entry.header.tag}  ({entry.body})"
    said, text = shell.out.when(record.event.said), words(record.event)
    short = text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"
    who = by_words(view.rows, record.event.by)
    return f"#{entry.seq}  {recorded}  {said}  {entry.header.tag}  {who}: {short}"


def _json(entry: Entry) -> dict[str, Any]:
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
        "body": entry.body,
        "event": None if record is None else record.event,
    }


# -- stats ---------------------------------------------------------------------------------------------------------


def stats(data: Data = None, as_json: Json = False) -> None:
    """What there is, counted.

    Nothing here changes without an event.
    """
    shell = Shell(data, as_json)
    with shell.looking() as view:
        counted = _counted(view)
    if shell.out.as_json:
        shell.out.emit(counted)
        return
    shell.out.table((), _stats_cells(counted))


def _stats_cells(counted: dict[str, Any], indent: str = "") -> Iterator[tuple[str, str]]:
    for name, value in counted.items():
        yield indent + name, "" if isinstance(value, dict) or value is None else str(value)
        if isinstance(value, dict):
            yield from _stats_cells(value, indent + "  ")


def _counted(view: View) -> dict[str, Any]:
    from projections.lookup import people
    from projections.places import PLACES

    head = view.engine.head()
    return {
        "events": head.size,
        "tags": _tags(view, head.size),
        "people": len(people(view.rows)),
        "sessions": sum(1 for found in view.rows.scan(PLACES) if found.row.session),
        "items": _item_counts(view.rows),
        "head": {"size": head.size, "at": head.at or None, "at_iso": iso(head.at or None), "epoch": head.epoch},
        "root": head.root().hex(),
    }


def _tags(view: View, size: int) -> dict[str, int]:
    from replay import codec

    headers = (codec.decode_header(stored.header) for stored in islice(view.engine.store.log.read(0), size))
    return dict(sorted(Counter(header.tag for header in headers).items()))


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


def settings(data: Data = None, as_json: Json = False) -> None:
    """Every setting: its value and where it is from.

    The value of a secret is not shown.
    """
    from dnam.settings import show

    shell = Shell(data, as_json)
    shown = show(shell.settings)
    if shell.out.as_json:
        for each in shown:
            shell.out.emit(each)
    else:
        shell.out.table(("name", "value", "from"), ((each.name, each.value, each.origin) for each in shown))


COMMANDS = (
    Command("log", log, "log --tag item --after 100"),
    Command("stats", stats, "stats"),
    Command("settings", settings, "settings"),
)
