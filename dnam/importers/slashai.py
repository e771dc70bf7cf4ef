"""slashAI's table `memories`, as PostgreSQL and its tools write it out: CSV with a header, a JSON array, or JSON lines.

    CSV           id,user_id,topic_summary,raw_dialogue,embedding,memory_type,privacy_level,…
    JSON array    [{"id": 1, "user_id": 42, "topic_summary": …}, …]; also as {"memories": […]}
    JSON lines    {"id": 1, "user_id": 42, "topic_summary": …}

Only `user_id`, `topic_summary`, `privacy_level` and a time must be there. A row that is not in the form of a memory
does not lose the others. Files are read row by row; what is kept of a row until all can be given in order is small.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from dnam.importers import order, stream
from dnam.importers.levels import Level, level
from dnam.importers.source import (
    Arrival,
    BrokenImport,
    Channel,
    Format,
    ImportedItem,
    ImportFailed,
    Options,
    Skipped,
    Where,
)
from dnam.importers.times import iso_ms
from dnam.importers.values import discord_ref, snowflake, thousandths
from projections.decisions.meet import Account
from projections.events.values import ItemType
from projections.events.values import Source as ItemSource
from projections.ids import DISCORD, Ref
from replay.codec import UNREADABLE

FORMAT: Format = "slashai"
Layout = Literal["csv", "array", "table", "lines"]
PREFIXES: dict[Layout, str] = {"array": "item", "table": "memories.item"}
"""Where in a JSON file the rows lie, as ijson has it."""

SIGN = "topic_summary"
"""The column that no other program's file has."""
NEEDED = ("user_id", SIGN, "privacy_level")
DELIMITERS = ",;\t"
MOST_FIELD_CHARS = 1 << 24
"""A dialogue may be longer than the 131,072 characters that the csv module allows by itself."""

TYPES: dict[str, ItemType] = {
    "semantic": "semantic",
    "episodic": "episodic",
    "procedural": "procedural",
    "inferred_preference": "semantic",
}
"""slashAI's memory_type in dnam's words; any other is something that somebody saw: episodic, slashAI's default."""
KINDS = {"procedural": "preference", "inferred_preference": "preference"}
"""slashAI has no kinds. What it calls procedural are learned preferences; any other is a fact."""

NOT_IN_FORM = "not in the form of a memory"
UNTIMED = "a memory without a time"
NO_USER = "a memory whose user_id is no Discord user"


class _Row(msgspec.Struct):
    """A row. NULL, in CSV an empty field, is its default; columns of newer versions are passed over."""

    user_id: int | str
    topic_summary: Annotated[str, msgspec.Meta(pattern=r"\S")]
    privacy_level: str
    id: int | str = ""
    raw_dialogue: str = ""
    memory_type: str = "episodic"
    origin_channel_id: int | str = ""
    origin_guild_id: int | str = ""
    source_count: Annotated[int, msgspec.Meta(ge=1, lt=1 << 31)] = 1
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    created_at: str = ""
    updated_at: str = ""
    last_accessed_at: str = ""
    retrieval_count: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)] = 0
    agent_id: str = ""
    source_platform: str = DISCORD


class SlashAI:
    """A file with the table's rows."""

    channels: tuple[Channel, ...] = ()

    def __init__(self, path: Path, layout: Layout) -> None:
        self.path = path
        self.format = FORMAT
        self._layout = layout

    def read(self, options: Options) -> Iterator[Arrival]:  # noqa: ARG002 - its levels say who could read it
        """See `Source.read`."""
        broken: list[ImportFailed] = []
        found = list(order.until_broken(self._rows(), broken))
        yield from sorted(found, key=lambda each: 0 if isinstance(each, Skipped) else each.said)
        if broken:
            raise broken[0]

    def _rows(self) -> Iterator[ImportedItem | Skipped]:
        for place, value in self._values():
            yield _memory(value, place)

    def _values(self) -> Iterator[tuple[str, object]]:
        match self._layout:
            case "csv":
                return _csv(self.path)
            case "lines":
                return _lines(self.path)
            case _:
                values = stream.values(self.path, PREFIXES[self._layout], "memory")
                return ((f"memory {number}", value) for number, value in enumerate(values, 1))


def header(path: Path) -> list[str] | None:
    """The columns of a CSV file with slashAI's memories; None where it is none."""
    delimiter = _delimiter(path)
    return None if delimiter is None else _columns(_first_line(path), delimiter)


def _delimiter(path: Path) -> str | None:
    first = _first_line(path)
    return next((each for each in DELIMITERS if SIGN in _columns(first, each)), None)


def _first_line(path: Path) -> str:
    with stream.opened(path) as raw:
        return raw.readline(stream.CHUNK_BYTES).removeprefix(stream.BOM).decode(errors="replace")


def _columns(line: str, delimiter: str) -> list[str]:
    """The fields of a first line; none where it is no CSV."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


# -- rows of each layout -------------------------------------------------------------------------------------------


def _csv(path: Path) -> Iterator[tuple[str, object]]:
    """The rows of a CSV file, each with its line. Raises BrokenImport for a header or quotes that cannot be read, and
    where it is no UTF-8.
    """
    delimiter = _delimiter(path) or DELIMITERS[0]
    missing = [each for each in NEEDED if each not in _columns(_first_line(path), delimiter)]
    if missing:
        wrong = f"{path} has no column {', '.join(missing)} in line 1."
        raise BrokenImport(path, "line 1", f"{wrong} Export the whole table: \\copy memories to FILE csv header")
    spot = stream.first_not_utf8(path)
    with stream.opened(path) as raw, io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="") as text:
        before = csv.field_size_limit(MOST_FIELD_CHARS)
        rows = csv.DictReader(text, delimiter=delimiter, strict=True)
        whole: object = {}
        try:
            for row in rows:
                if spot is not None and rows.line_num >= spot.line:
                    raise stream.not_utf8(path, f"at byte {spot.byte} in line {spot.line}")
                whole = _whole(row)
                yield f"line {rows.line_num}", whole
            if whole is None and stream.tail(path, 1) != b"\n":
                raise _cut(path, f"line {rows.line_num}")
        except csv.Error as error:
            where = f"line {rows.reader.line_num}"
            wrong = f"{path} cannot be read as CSV at {where}: {error}."
            raise BrokenImport(path, where, f"{wrong} Export it again; what came before it is taken.") from error
        finally:
            csv.field_size_limit(before)


def _whole(row: Mapping[str | None, object]) -> object:
    """What a row says; None where it has more or fewer fields than the header."""
    if None in row or None in row.values():
        return None
    return {name: value for name, value in row.items() if value != ""}


def _cut(path: Path, where: str) -> BrokenImport:
    """A last line without an end that is no whole row."""
    return BrokenImport(path, where, f"{path} breaks off in {where}. Export it again; what came before it is taken.")


def _lines(path: Path) -> Iterator[tuple[str, object]]:
    with stream.opened(path) as raw:
        for number, line in enumerate(chain([raw.readline().removeprefix(stream.BOM)], raw), 1):
            if not line.strip():
                continue
            value = _decoded(line)
            if value is None and not line.endswith(b"\n"):
                raise _cut(path, f"line {number}")
            yield f"line {number}", value


def _decoded(line: bytes) -> object:
    try:
        return msgspec.json.decode(stream.mended(line))
    except UNREADABLE:
        return None


# -- one row -------------------------------------------------------------------------------------------------------


def _memory(value: object, place: str) -> ImportedItem | Skipped:
    try:
        row = msgspec.convert(_without_nulls(value), _Row, strict=False)
    except msgspec.ValidationError as error:
        return Skipped(NOT_IN_FORM, f"{place}: {error}")
    user, updated = snowflake(row.user_id), iso_ms(row.updated_at) or iso_ms(row.created_at)
    if user is None:
        return Skipped(NO_USER, place)
    if updated is None:
        return Skipped(UNTIMED, place)
    found = _level(row)
    where = _where(row, found)
    if where is None:
        return Skipped(found.why, place)
    return _item(row, user, where, updated)


def _without_nulls(value: object) -> object:
    if not isinstance(value, dict):
        return value
    return {name: each for name, each in value.items() if each is not None and name != "embedding"}


def _level(row: _Row) -> Level:
    """The table's row for it; what cannot be placed is not taken."""
    if row.agent_id:
        return level(FORMAT, "any, with an agent_id")
    if row.source_platform != DISCORD:
        return level(FORMAT, "any, not from Discord")
    match row.privacy_level:
        case "dm" | "global":
            return level(FORMAT, row.privacy_level)
        case "channel_restricted" | "guild_public":
            known = level(FORMAT, row.privacy_level)
            return known if _place(row, known) else level(FORMAT, "any, without its channel or guild")
        case _:
            return level(FORMAT, "any other level")


def _where(row: _Row, found: Level) -> Where | None:
    return None if found.where is None else Where(found.where, _place(row, found))


def _place(row: _Row, found: Level) -> Ref | None:
    """The channel or the guild that a level holds in."""
    match found.where:
        case "channel":
            return discord_ref(row.origin_channel_id)
        case "guild":
            return discord_ref(row.origin_guild_id)
        case _:
            return None


def _item(row: _Row, user: str, where: Where, updated: int) -> ImportedItem:
    return ImportedItem(
        account=Account(DISCORD, user),
        id="",
        kind=KINDS.get(row.memory_type, "fact"),
        text=row.topic_summary,
        tags=(),
        status="active",
        source=_source(row, where),
        created=min(iso_ms(row.created_at) or updated, updated),
        updated=updated,
        hits=row.retrieval_count,
        last_hit=iso_ms(row.last_accessed_at),
        program=FORMAT,
        key=f"{user}/{row.id or row.topic_summary}",
        where=where,
        portable=False,
        type=TYPES.get(row.memory_type, "episodic"),
        confidence=thousandths(row.confidence),
        quote=row.raw_dialogue.strip(),
        source_count=row.source_count,
        row=Ref(FORMAT, f"memories/{row.id}") if row.id else None,
    )


def _source(row: _Row, where: Where) -> ItemSource:
    """Where it was learned. A DM's channel, which is of no guild, stands for the two people in it: it is not kept."""
    guild = discord_ref(row.origin_guild_id)
    of_many = where.kind == "channel" or (guild is not None and where.kind != "direct")
    return ItemSource("discord", place=discord_ref(row.origin_channel_id) if of_many else None, guild=guild)
