"""A DiscoClaw data folder: what it durably remembers of people, and its rolling summaries. No messages.

    durable/<user id>.json     {"version": 1 or 2, "updatedAt", "items": [{id, kind, text, …}, …]}
    rolling/<session>.json     {"summary", "updatedAt"}; in some versions summaries/<session>.json

The folders lie in the data folder itself, in its memory/, or in data/ of the program's own folder. One bad item does
not lose the others, and neither does one bad file: its error is raised when they have been given.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from dnam.importers import order, stream
from dnam.importers.source import (
    Arrival,
    BrokenImport,
    Channel,
    Format,
    ImportedItem,
    ImportedSummary,
    ImportFailed,
    Milliseconds,
    NonEmpty,
    Options,
    Skipped,
)
from dnam.importers.times import snowflake_ms
from projections.decisions.meet import Account
from projections.events.values import Source as ItemSource
from projections.events.values import SourceType
from projections.ids import DISCORD, Ref
from projections.policies.item_ids import fresh_id
from projections.policies.kinds import read_kind
from projections.policies.text import normalise

FORMAT: Format = "discoclaw"
ROOTS = (".", "memory", "data", "data/memory")
DURABLE = "durable"
SUMMARIES = ("rolling", "summaries")
VERSIONS = (1, 2)

SOURCES: dict[str, SourceType] = {
    "discord": "discord",
    "manual": "manual",
    "summary": "model",
    "consolidation": "model",
}
"""DiscoClaw's word for where an item came from, in dnam's; any other is `import`."""

SAID_TWICE = "an item that its file has twice in the same words: the active one counts, or the newer one"
"""Why something is skipped: nothing is lost by it."""

USER = re.compile(r"[0-9]{1,20}")
# DiscoClaw puts "-" for what a file name may not hold; older and other versions put "_" or "-" for the colons too.
SESSION = re.compile(r"discord([:_-])(dm|thread|channel)\1([0-9]{1,20})")


class _Source(msgspec.Struct, rename="camel"):
    type: str = "import"
    channel_id: str | None = None
    message_id: str | None = None
    guild_id: str | None = None


class _Item(msgspec.Struct, rename="camel"):
    id: NonEmpty
    kind: NonEmpty
    text: Annotated[str, msgspec.Meta(pattern=r"\S")]
    created_at: Milliseconds
    updated_at: Milliseconds
    status: Literal["active", "deprecated"] = "active"
    tags: tuple[str, ...] = ()
    source: _Source = msgspec.field(default_factory=_Source)
    hit_count: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)] = 0
    last_hit_at: Milliseconds = 0


class _Store(msgspec.Struct, rename="camel"):
    version: int
    items: list[Any]


class _Summary(msgspec.Struct, rename="camel"):
    summary: str
    updated_at: Milliseconds


class _File(NamedTuple):
    """A file with the name it has within the folder."""

    path: Path
    name: str


class DiscoClaw:
    """A data folder. What it holds is small: each reading holds it all, to give it in order."""

    channels: tuple[Channel, ...] = ()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.format = FORMAT

    def read(self, options: Options) -> Iterator[Arrival]:  # noqa: ARG002 - nothing in here was said to anybody
        """See `Source.read`."""
        broken: list[ImportFailed] = []
        found = [*self._items(broken), *self._summaries(broken)]
        yield from sorted(found, key=lambda each: 0 if isinstance(each, Skipped) else each.said)
        if broken:
            first, *others = broken
            first.others = tuple(others)
            raise first

    def files(self) -> Iterator[_File]:
        """What dnam would read, in the order of names."""
        return (each for folder in (DURABLE, *SUMMARIES) for each in self._in(folder))

    def _in(self, folder: str) -> Iterator[_File]:
        for root in ROOTS:
            for path in sorted((self.path / root / folder).glob("*.json")):
                yield _File(path, str(path.relative_to(self.path)))

    def _items(self, broken: list[ImportFailed]) -> Iterator[Arrival]:
        for file in self._in(DURABLE):
            if not USER.fullmatch(file.path.stem):
                yield Skipped("durable file that is not named after a Discord user", file.name)
                continue
            yield from _one_of_each(order.until_broken(_durable(file), broken))

    def _summaries(self, broken: list[ImportFailed]) -> Iterator[Arrival]:
        summaries: dict[str, ImportedSummary] = {}
        for file in (file for folder in SUMMARIES for file in self._in(folder)):
            for each in order.until_broken(_rolling(file), broken):
                if isinstance(each, Skipped):
                    yield each
                    continue
                other = summaries.get(each.session_key)
                if other is not None:
                    yield Skipped("older summary of the same session", file.name)
                if other is None or each.updated > other.updated:
                    summaries[each.session_key] = each
        yield from summaries.values()


def _durable(file: _File) -> Iterator[ImportedItem | Skipped]:
    store = _whole(file, _Store)
    if store.version not in VERSIONS:
        wrong = f"{file.path} has version {store.version} at $.version; dnam knows 1 and 2."
        raise BrokenImport(file.path, "$.version", f"{wrong} A newer dnam may know it.")
    account = Account(DISCORD, file.path.stem)
    for number, value in enumerate(store.items):
        try:
            yield _item(account, msgspec.convert(value, _Item))
        except msgspec.ValidationError as error:
            yield Skipped("not in the form of an item", f"{file.name} $.items[{number}]: {error}")


def _item(account: Account, item: _Item) -> ImportedItem:
    return ImportedItem(
        account=account,
        id=item.id,
        kind=item.kind,
        text=item.text,
        tags=item.tags,
        status=item.status,
        source=_source(item.source),
        created=item.created_at,
        updated=item.updated_at,
        hits=item.hit_count,
        last_hit=item.last_hit_at or None,
        message_said=snowflake_ms(item.source.message_id or ""),
    )


def _source(source: _Source) -> ItemSource:
    return ItemSource(
        type=SOURCES.get(source.type, "import"),
        place=_ref(source.channel_id),
        message=_ref(source.message_id),
        guild=_ref(source.guild_id),
    )


def _ref(key: str | None) -> Ref | None:
    return Ref(DISCORD, key) if key else None


def _one_of_each(items: Iterator[ImportedItem | Skipped]) -> Iterator[ImportedItem | Skipped]:
    """One item for an id, and for each of its texts. DiscoClaw adds a deprecated text anew beside the old item, under
    the same id: of one text the active one counts, and of two alike the one that was updated last. Where the texts
    differ, as after an item was given other words, these are several items: the best one keeps the id.
    """
    best: dict[str, dict[tuple[str, str], ImportedItem]] = {}
    for item in items:
        if isinstance(item, Skipped):
            yield item
            continue
        of_id, said = best.setdefault(item.id, {}), (read_kind(item.kind), normalise(item.text))
        other = of_id.get(said)
        if other is not None:
            yield Skipped(SAID_TWICE, f"{item.id} of {item.user}")
        if other is None or _rank(item) > _rank(other):
            of_id[said] = item
    yield from _each_with_its_id(best)


def _each_with_its_id(best: dict[str, dict[tuple[str, str], ImportedItem]]) -> Iterator[ImportedItem]:
    """Of each id the best item, and the others with ids of their own, made from their words: the same every time."""
    taken = set(best)
    for of_id in best.values():
        first, *others = sorted(of_id.values(), key=_rank, reverse=True)
        yield first
        for item in others:
            fresh = fresh_id(read_kind(item.kind), item.text, taken)
            taken.add(fresh)
            yield msgspec.structs.replace(item, id=fresh, was=item.id)


def _rank(item: ImportedItem) -> tuple[bool, int]:
    return item.status == "active", item.updated


def _rolling(file: _File) -> Iterator[ImportedSummary | Skipped]:
    named = SESSION.fullmatch(file.path.stem)
    if named is None:
        yield Skipped("summary whose session its file name does not tell", file.name)
        return
    read = _whole(file, _Summary)
    if not read.summary.strip():
        yield Skipped("empty summary", file.name)
        return
    _, kind, key = named.groups()
    account = Account(DISCORD, key) if kind == "dm" else None
    yield ImportedSummary(f"{DISCORD}:{kind}:{key}", read.summary, read.updated_at, account)


def _whole(file: _File, form: type[stream.Form]) -> stream.Form:
    """The one value in a file. Raises BrokenImport, also for a file that is empty."""
    if stream.is_blank(file.path):
        raise BrokenImport(file.path, "$", f"{file.path} is empty. Take it from a backup, or remove it.")
    try:
        return msgspec.convert(next(stream.values(file.path, "", "value"), None), form)
    except msgspec.ValidationError as error:
        where = found[0] if (found := re.findall(r"`(\$\S*)`", str(error))) else "$"
        wrong = f"{file.path} is not as DiscoClaw writes it: {error}."
        raise BrokenImport(file.path, where, f"{wrong} Mend it, or remove it from the folder.") from error
