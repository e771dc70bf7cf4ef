"""Clanky's memory_facts, out of SQLite files that are made here."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dnam.importers.clanky import NOT_IN_FORM, TWO_PEOPLE, UNTIMED
from dnam.importers.detect import detect
from dnam.importers.levels import UNKNOWN_LEVEL
from dnam.importers.source import (
    Arrival,
    BrokenImport,
    ImportedItem,
    Options,
    UnknownFormat,
    UnreadableImport,
    Where,
)
from projections.decisions.meet import Account
from projections.events.values import Source
from projections.ids import Ref
from tests.dnam.importers.files import T0, flake, reasons, until_error

TYPES = {
    "id": "INTEGER PRIMARY KEY", "created_at": "TEXT", "updated_at": "TEXT", "scope": "TEXT", "guild_id": "TEXT",
    "user_id": "TEXT", "channel_id": "TEXT", "subject": "TEXT", "fact": "TEXT", "fact_type": "TEXT",
    "evidence_text": "TEXT", "source_message_id": "TEXT", "confidence": "REAL", "is_active": "INTEGER",
}  # fmt: skip
LATER = ("scope", "user_id")
GUILD = Where("guild", Ref("discord", "9"))


def fact(text: str = "Kim keeps bees", **more: Any) -> dict[str, Any]:
    """A row as Clanky writes it."""
    made: dict[str, Any] = {
        "created_at": "2023-11-14T22:13:19.000Z",
        "updated_at": "2023-11-14T22:13:20.000Z",
        "scope": "user",
    }
    made |= {"guild_id": None, "user_id": "100", "channel_id": "5", "subject": "100", "fact": text}
    made |= {"fact_type": "profile", "evidence_text": "I keep bees", "source_message_id": flake(T0 - 2000)}
    return made | {"confidence": 0.85, "is_active": 1} | more


def lore(text: str = "Fridays are for tea", **more: Any) -> dict[str, Any]:
    return fact(text, scope="guild", guild_id="9", user_id=None, subject="__lore__", fact_type="other") | more


def database(path: Path, *rows: dict[str, Any], without: tuple[str, ...] = ()) -> Path:
    columns = [each for each in TYPES if each not in without]
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(f"CREATE TABLE memory_facts ({', '.join(f'{each} {TYPES[each]}' for each in columns)})")
        names = [each for each in columns if each != "id"]
        marks = ", ".join("?" * len(names))
        for row in rows:
            values = [row[each] for each in names]
            made.execute(f"INSERT INTO memory_facts ({', '.join(names)}) VALUES ({marks})", values)
    return path


def read(path: Path) -> list[Arrival]:
    return list(detect(path).read(Options()))


def items(path: Path) -> list[ImportedItem]:
    return [each for each in read(path) if isinstance(each, ImportedItem)]


def test_a_fact_is_read_whole(tmp_path: Path) -> None:
    path = database(tmp_path / "no-name", lore())
    assert (detect(path).format, detect(path).channels) == ("clanky", ())
    assert read(path) == [
        ImportedItem(
            account=None,
            id="",
            kind="other",
            text="Fridays are for tea",
            tags=(),
            status="active",
            source=Source("discord", Ref("discord", "5"), Ref("discord", flake(T0 - 2000)), Ref("discord", "9")),
            created=T0 - 1000,
            updated=T0,
            program="clanky",
            key="9/__lore__/1",
            where=GUILD,
            portable=False,
            about="guild",
            confidence=850,
            quote="I keep bees",
            message_said=T0 - 2000,
        )
    ]


@pytest.mark.parametrize(
    ("scope", "subject", "where", "about", "owned"),
    [
        ("user", "100", Where("everywhere"), "person", True),
        ("user", "__self__", Where("self"), "self", False),
        ("guild", "100", GUILD, "person", True),
        ("guild", "__lore__", GUILD, "guild", False),
        ("guild", "__self__", GUILD, "self", False),
        ("owner", "__owner__", Where("owner"), "owner", False),
        ("owner", "100", Where("owner"), "owner", False),
    ],
)
def test_each_scope_and_subject_has_its_compartment(
    tmp_path: Path, scope: str, subject: str, where: Where, about: str, owned: bool
) -> None:
    row = fact(scope=scope, subject=subject, guild_id="9", user_id="100")
    (found,) = items(database(tmp_path / "a.db", row))
    assert (found.where, found.about, found.portable) == (where, about, False)
    assert found.account == (Account("discord", "100") if owned else None)


def test_only_a_guild_s_fact_says_where_it_was_learned(tmp_path: Path) -> None:
    (found,) = items(database(tmp_path / "a.db", fact(guild_id="9")))
    assert (found.source.place, found.source.guild) == (None, None)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scope": "channel"}, UNKNOWN_LEVEL),
        ({"scope": None}, UNKNOWN_LEVEL),
        ({"subject": "__lore__", "user_id": None}, UNKNOWN_LEVEL),
        ({"subject": "__owner__"}, UNKNOWN_LEVEL),
        ({"scope": "guild", "subject": "__owner__", "guild_id": "9"}, UNKNOWN_LEVEL),
        ({"scope": "owner", "subject": "__lore__"}, UNKNOWN_LEVEL),
        ({"subject": "kim", "user_id": None}, UNKNOWN_LEVEL),
        ({"scope": "guild"}, "its level needs a channel or guild"),
        ({"scope": "guild", "subject": "__lore__", "guild_id": "dm"}, "its level needs a channel or guild"),
        ({"user_id": "200"}, TWO_PEOPLE),
        ({"fact": " "}, NOT_IN_FORM),
        ({"fact": b"\x00"}, NOT_IN_FORM),
        ({"confidence": 7}, NOT_IN_FORM),
        ({"is_active": 3}, NOT_IN_FORM),
        ({"created_at": None, "updated_at": "today"}, UNTIMED),
    ],
)
def test_a_fact_that_is_not_taken_is_counted_and_loses_no_other(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    found = read(database(tmp_path / "a.db", fact() | change, fact("good")))
    assert [each.text for each in found if isinstance(each, ImportedItem)] == ["good"]
    (skipped,) = reasons(found)
    assert skipped.startswith(reason)


def test_what_is_archived_stays_deprecated_and_all_comes_in_order(tmp_path: Path) -> None:
    rows = (fact("new", updated_at="2023-11-14 22:13:30"), fact("old", is_active=0, user_id=None))
    found = items(database(tmp_path / "a.db", *rows))
    assert [(each.text, each.status) for each in found] == [("old", "deprecated"), ("new", "active")]


def test_an_older_schema_is_of_its_guild(tmp_path: Path) -> None:
    rows = (fact("Kim", guild_id="9"), lore("lore"), lore("bot", subject="__self__"))
    found = items(database(tmp_path / "a.db", *rows, without=LATER))
    assert {each.where for each in found} == {GUILD}
    assert [each.account and each.account.id for each in found] == ["100", None, None]


def test_nothing_is_written_beside_the_file(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", fact())
    before = path.read_bytes()
    tmp_path.chmod(0o555)
    try:
        assert len(items(path)) == 1
    finally:
        tmp_path.chmod(0o755)
    assert [each.name for each in tmp_path.iterdir()] == ["a.db"]
    assert path.read_bytes() == before


def test_a_file_whose_changes_lie_in_its_write_ahead_log_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db")
    with closing(sqlite3.connect(path)) as busy:
        busy.execute("PRAGMA journal_mode = WAL")
        busy.execute("INSERT INTO memory_facts (subject, fact) VALUES ('100', 'x')")
        busy.commit()
        with pytest.raises(UnreadableImport, match=r"a\.db-wal only.*Stop Clanky"):
            detect(path)
    assert reasons(read(path)) == {UNTIMED: 1}


def test_another_program_s_database_is_named_so(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE memory_facts (id INTEGER, content TEXT)")
    with pytest.raises(UnknownFormat, match=r"without Clanky's memory_facts \(subject, fact\)"):
        detect(path)


def test_a_damaged_database_gives_what_stands_before(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", *(fact(f"fact {number} " + "x" * 300) for number in range(100)))
    whole = bytearray(path.read_bytes())
    whole[-8192:-4096] = b"\xff" * 4096
    path.write_bytes(whole)
    given, error = until_error(detect(path).read(Options()))
    assert isinstance(error, BrokenImport)
    assert error.where == f"after fact {len(given)}"
    assert str(path) in str(error)
    assert 0 < len(given) < 100


def test_a_database_that_is_cut_off_is_broken(tmp_path: Path) -> None:
    path = database(tmp_path / "a.db", *(fact(f"fact {number} " + "x" * 300) for number in range(100)))
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(BrokenImport, match=r"a\.db cannot be read in its schema"):
        detect(path)


def test_a_schema_that_cannot_be_read_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 200)
    with pytest.raises(BrokenImport, match="in its schema"):
        detect(path)


def test_who_said_what_is_nobody_s_is_told_where_it_is_known(tmp_path: Path) -> None:
    rows = [lore(user_id="100"), lore("Mondays are free"), fact(user_id="100"), lore("Tea", user_id="nobody")]
    told = {each.text: each.author for each in items(database(tmp_path / "a", *rows))}
    assert told.pop("Fridays are for tea") == Account("discord", "100")
    assert set(told.values()) == {None}
