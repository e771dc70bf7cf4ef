"""Clanky's SQLite database: its table `memory_facts`.

    id · created_at · updated_at · scope · guild_id · user_id · channel_id · subject · fact · fact_type
       · evidence_text · source_message_id · confidence · is_active

Older versions have no `scope` and no `user_id`. The file is opened as one that nobody writes, so that not even a lock
is left beside it; therefore what lies in its write-ahead log only would not be seen, and such a file is refused.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import msgspec

from dnam.importers import order
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
    UnknownFormat,
    UnreadableImport,
    Where,
)
from dnam.importers.times import iso_ms, snowflake_ms
from dnam.importers.values import discord_ref, snowflake, thousandths
from projections.decisions.meet import Account
from projections.events.values import About
from projections.events.values import Source as ItemSource
from projections.ids import DISCORD

FORMAT: Format = "clanky"
MAGIC = b"SQLite format 3\x00"
"""How every SQLite file begins."""
TABLE = "memory_facts"
NEEDED = ("id", "subject", "fact")
WAL = "-wal"

LORE, SELF, OWNER = "__lore__", "__self__", "__owner__"
ABOUT: dict[str, About] = {LORE: "guild", SELF: "self", OWNER: "owner"}
"""Whom a subject that is no person is about."""

NOT_IN_FORM = "not in the form of a fact"
UNTIMED = "a fact without a time"
TWO_PEOPLE = "a fact whose subject and user_id are two people"


class _Fact(msgspec.Struct):
    """A row; NULL is its default. Clanky stores every id as text."""

    id: int | str
    subject: Annotated[str, msgspec.Meta(min_length=1)]
    fact: Annotated[str, msgspec.Meta(pattern=r"\S")]
    scope: str = ""
    guild_id: int | str = ""
    user_id: int | str = ""
    channel_id: int | str = ""
    fact_type: str = "other"
    evidence_text: str = ""
    source_message_id: int | str = ""
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    is_active: bool = True
    created_at: str = ""
    updated_at: str = ""


class Clanky:
    """A database file."""

    channels: tuple[Channel, ...] = ()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.format = FORMAT

    def read(self, options: Options) -> Iterator[Arrival]:  # noqa: ARG002 - its scopes say who could read it
        """See `Source.read`."""
        broken: list[ImportFailed] = []
        found = list(order.until_broken(_facts(self.path), broken))
        yield from sorted(found, key=lambda each: 0 if isinstance(each, Skipped) else each.said)
        if broken:
            raise broken[0]


def recognise(path: Path) -> Clanky:
    """An SQLite file as Clanky's. Raises UnknownFormat for another program's, BrokenImport for one that is damaged."""
    columns = _columns(path)
    missing = [each for each in NEEDED if each not in columns]
    if missing:
        raise UnknownFormat(path, f"{path} is an SQLite database without Clanky's {TABLE} ({', '.join(missing)}).")
    return Clanky(path)


DAMAGED = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged database raises: of a table's or a column's name that is no UTF-8, too."""

# -- the file ------------------------------------------------------------------------------------------------------


def _open(path: Path) -> sqlite3.Connection:
    """The database, read only and as one that nobody writes: neither it nor anything beside it is touched."""
    wal = path.with_name(path.name + WAL)
    if wal.exists() and wal.stat().st_size:
        wrong = f"{path} has changes that lie in {wal.name} only."
        raise UnreadableImport(
            path, f"{wrong} Stop Clanky, run `sqlite3 {path.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`, and import again."
        )
    opened = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    opened.text_factory = lambda data: data.decode("utf-8", "replace")
    opened.row_factory = sqlite3.Row
    return opened


def _columns(path: Path) -> list[str]:
    with closing(_open(path)) as database:
        try:
            return [row["name"] for row in database.execute(f"PRAGMA table_info({TABLE})")]
        except DAMAGED as error:
            raise _broken(path, "in its schema", error) from error


def _facts(path: Path) -> Iterator[ImportedItem | Skipped]:
    columns = _columns(path)
    names = ", ".join(each for each in _Fact.__struct_fields__ if each in columns)
    last = "before its first fact"
    with closing(_open(path)) as database:
        try:
            for row in database.execute(f"SELECT {names} FROM {TABLE} ORDER BY id"):
                yield _fact(dict(row), scoped="scope" in columns)
                last = f"after fact {row['id']}"
        except DAMAGED as error:
            raise _broken(path, last, error) from error


def _broken(path: Path, where: str, error: Exception) -> BrokenImport:
    wrong = f"{path} cannot be read {where}: {error}."
    return BrokenImport(
        path, where, f"{wrong} Take it from a backup; `sqlite3 {path.name} .recover` may save the rest."
    )


# -- one row -------------------------------------------------------------------------------------------------------


def _fact(value: dict[str, object], *, scoped: bool) -> ImportedItem | Skipped:
    place = f"fact {value['id']}"
    try:
        row = msgspec.convert({name: each for name, each in value.items() if each is not None}, _Fact, strict=False)
    except msgspec.ValidationError as error:
        return Skipped(NOT_IN_FORM, f"{place}: {error}")
    updated = iso_ms(row.updated_at) or iso_ms(row.created_at)
    if updated is None:
        return Skipped(UNTIMED, place)
    if _are_two(row):
        return Skipped(TWO_PEOPLE, place)
    found = _level(row, row.scope if scoped else "guild")
    if found.where is None:
        return Skipped(found.why, place)
    return _item(row, found, updated)


def _are_two(row: _Fact) -> bool:
    return row.subject not in ABOUT and bool(row.user_id) and str(row.user_id) != row.subject


def _level(row: _Fact, scope: str) -> Level:
    """The table's row for it; what cannot be placed is not taken."""
    person = snowflake(row.subject) is not None
    match scope, row.subject:
        case "user", _ if person:
            return level(FORMAT, "user, of a person")
        case ("user", "__self__") | ("guild", "__lore__") | ("guild", "__self__"):
            return _in_guild(row, f"{scope}, {row.subject}")
        case "guild", _ if person:
            return _in_guild(row, "guild, of a person")
        case "owner", _ if person or row.subject == OWNER:
            return level(FORMAT, "owner, __owner__ or of a person")
        case _:
            return level(FORMAT, "any other scope or subject")


def _in_guild(row: _Fact, name: str) -> Level:
    known = level(FORMAT, name)
    lacks = known.where == "guild" and discord_ref(row.guild_id) is None
    return level(FORMAT, "guild, without a guild_id") if lacks else known


def _item(row: _Fact, found: Level, updated: int) -> ImportedItem:
    assert found.where is not None
    message = str(row.source_message_id)
    author = None if found.owned else snowflake(row.user_id)
    about: About = "owner" if found.where == "owner" else ABOUT.get(row.subject, "person")
    return ImportedItem(
        account=Account(DISCORD, row.subject) if found.owned else None,
        id="",
        kind=row.fact_type,
        text=row.fact,
        tags=(),
        status="active" if row.is_active else "deprecated",
        source=_source(row, found),
        created=min(iso_ms(row.created_at) or updated, updated),
        updated=updated,
        program=FORMAT,
        key=f"{row.guild_id}/{row.subject}/{row.id}",
        where=Where(found.where, discord_ref(row.guild_id) if found.where == "guild" else None),
        portable=False,
        about=about,
        confidence=thousandths(row.confidence),
        quote=row.evidence_text.strip(),
        message_said=snowflake_ms(message),
        author=None if author is None else Account(DISCORD, author),
    )


def _source(row: _Fact, found: Level) -> ItemSource:
    """Where it was learned. What is not of a guild may be of a DM, whose id stands for the two people in it."""
    if found.where != "guild":
        return ItemSource("discord", message=discord_ref(row.source_message_id))
    return ItemSource(
        "discord", discord_ref(row.channel_id), discord_ref(row.source_message_id), discord_ref(row.guild_id)
    )
