"""What there is, counted: `stats`. It changes no byte on disk."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dnam.cli.command import At, Command, Data, Json, Said
from dnam.cli.half_done import SoFar, told_so_far
from dnam.cli.looking import as_of, tell_taken_back
from dnam.cli.shell import Shell, View
from dnam.cli.upkeep import data_folder
from dnam.times import iso

if TYPE_CHECKING:
    from projections.rows import Rows
    from replay.log import StoredEvent


FIELDS = ("events", "tags", "people", "sessions", "items", "head", "root", "as_of")
"""What is counted, as it is named for programs; null is what was not."""


def stats(at: At = None, said: Said = None, data: Data = None, as_json: Json = False) -> None:
    """What there is, counted; now, or at a moment of the past.

    Nothing here changes without an event. By what had been said, there is no head and no root: the tree is over what
    was recorded, in its order. Without a key ring, only what needs no key is counted, and it ends with 3; as JSON,
    what is not counted is null, and `error` says why.
    """
    from replay.errors import KeyRingDamaged, KeyRingMissing

    shell = Shell(data, as_json)
    with told_so_far(shell.out, lambda: dict.fromkeys(FIELDS)) as so_far:
        try:
            with shell.looking(at, said) as view:
                counted = _counted(view)
                _tell_items_taken_back(view)
        except (KeyRingMissing, KeyRingDamaged):
            if at is None and said is None:
                _tell_without_keys(shell, so_far)
            raise
    if shell.out.as_json:
        shell.out.emit({**counted, "as_of": as_of(view)})
        return
    shell.out.table((), _stats_cells(counted))


def _tell_items_taken_back(view: View) -> None:
    """Say that items which were counted then are not counted any more."""
    from dnam.taken_back import taken_back

    if view.looked is not None:
        tell_taken_back(taken_back(view.engine, view.looked.moment)._replace(summaries={}))


def _tell_without_keys(shell: Shell, so_far: SoFar) -> None:
    """What the headers alone say; no header is sealed."""
    with data_folder(shell, writable=False, keyless=True) as store:
        head = store.log.head()
        tags = _tags_of(store.log.read(0, head.size))
        counted = {**_by_tag(tags), **_head(head.size, head.at, head.epoch, head.root())}
    so_far.value = lambda: dict.fromkeys(FIELDS) | counted
    if not shell.out.as_json:
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


COMMANDS = (Command("stats", stats, "stats"),)
