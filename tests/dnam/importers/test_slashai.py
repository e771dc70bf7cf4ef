"""slashAI's memories, from every layout in which a table is written out."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from dnam.importers.detect import detect
from dnam.importers.levels import UNKNOWN_LEVEL, level
from dnam.importers.slashai import NO_USER, NOT_IN_FORM, UNTIMED
from dnam.importers.source import Arrival, BrokenImport, ImportedItem, Options, Where
from dnam.importers.stream import BOM
from projections.decisions.meet import Account
from projections.events.values import Source
from projections.ids import Ref
from tests.dnam.importers.files import T0, reasons, until_error, write

COLUMNS = (
    "id", "user_id", "topic_summary", "raw_dialogue", "embedding", "memory_type", "privacy_level", "origin_channel_id",
    "origin_guild_id", "source_count", "confidence", "created_at", "updated_at", "last_accessed_at",
)  # fmt: skip
DIALOGUE = 'User: my "farm", you know,\nis broken\nAssistant: check the light'


def memory(key: int = 7, **more: Any) -> dict[str, Any]:
    """A row as PostgreSQL has it."""
    made = {"id": key, "user_id": 100, "topic_summary": "User built a farm", "raw_dialogue": DIALOGUE}
    made |= {"embedding": "[0.25,-0.5]", "memory_type": "episodic", "privacy_level": "guild_public"}
    made |= {"origin_channel_id": 5, "origin_guild_id": 9, "source_count": 2, "confidence": 0.8}
    made |= {"created_at": "2023-11-14 22:13:19+00", "updated_at": "2023-11-14 23:13:20.000+01"}
    return made | {"last_accessed_at": None} | more


def as_csv(path: Path, *rows: dict[str, Any], columns: Sequence[str] = COLUMNS, delimiter: str = ",") -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, delimiter=delimiter, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def read(path: Path) -> list[Arrival]:
    return list(detect(path).read(Options()))


def items(path: Path) -> list[ImportedItem]:
    return [each for each in read(path) if isinstance(each, ImportedItem)]


def as_array(path: Path, *rows: dict[str, Any]) -> Path:
    return write(path, list(rows))


def as_table(path: Path, *rows: dict[str, Any]) -> Path:
    return write(path, {"exported": "today", "memories": rows})


def as_lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("make", [as_csv, as_array, as_table, as_lines])
def test_a_row_is_read_whole_from_every_layout(tmp_path: Path, make: Any) -> None:
    path = make(tmp_path / "any.name", memory())
    assert detect(path).format == "slashai"
    assert detect(path).channels == ()
    assert read(path) == [
        ImportedItem(
            account=Account("discord", "100"),
            id="",
            kind="fact",
            text="User built a farm",
            tags=(),
            status="active",
            source=Source("discord", Ref("discord", "5"), None, Ref("discord", "9")),
            created=T0 - 1000,
            updated=T0,
            program="slashai",
            key="100/7",
            where=Where("guild", Ref("discord", "9")),
            portable=False,
            type="episodic",
            confidence=800,
            quote=DIALOGUE,
            source_count=2,
            row=Ref("slashai", "memories/7"),
        )
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_told_by_its_columns_whatever_parts_them(tmp_path: Path, delimiter: str) -> None:
    path = as_csv(tmp_path / "a", memory(), delimiter=delimiter)
    path.write_bytes(BOM + path.read_bytes())
    assert [each.quote for each in items(path)] == [DIALOGUE]


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("dm", Where("direct")),
        ("channel_restricted", Where("channel", Ref("discord", "5"))),
        ("guild_public", Where("guild", Ref("discord", "9"))),
        ("global", Where("everywhere")),
    ],
)
def test_each_level_has_its_compartment(tmp_path: Path, name: str, where: Where) -> None:
    (found,) = items(as_csv(tmp_path / "a.csv", memory(privacy_level=name)))
    assert (found.where, found.portable) == (where, False)
    assert level("slashai", name).where == where.kind


@pytest.mark.parametrize("name", ["dm", "global"])
def test_the_channel_of_a_dm_is_not_kept(tmp_path: Path, name: str) -> None:
    (found,) = items(as_array(tmp_path / "a", memory(privacy_level=name, origin_guild_id=None)))
    assert found.source == Source("discord")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"privacy_level": "friends"}, UNKNOWN_LEVEL),
        ({"privacy_level": "GLOBAL"}, UNKNOWN_LEVEL),
        ({"privacy_level": None}, NOT_IN_FORM),
        ({"privacy_level": "channel_restricted", "origin_channel_id": None}, "its level needs a channel"),
        ({"privacy_level": "guild_public", "origin_guild_id": 0}, "its level needs a channel"),
        ({"agent_id": "lena", "privacy_level": "global"}, "it belongs to one of several agents"),
        ({"source_platform": "minecraft", "privacy_level": "global"}, "it is from another platform"),
        ({"user_id": "kim"}, NO_USER),
        ({"topic_summary": " "}, NOT_IN_FORM),
        ({"confidence": 1.5}, NOT_IN_FORM),
        ({"confidence": "sure"}, NOT_IN_FORM),
        ({"source_count": 0}, NOT_IN_FORM),
        ({"created_at": "infinity", "updated_at": "soon"}, UNTIMED),
        ({"created_at": None, "updated_at": None}, UNTIMED),
    ],
)
def test_a_row_that_is_not_taken_is_counted_and_loses_no_other(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    columns = (*COLUMNS, "agent_id", "source_platform")
    for path in (
        as_csv(tmp_path / "a.csv", memory(1, **change), memory(2), columns=columns),
        as_lines(tmp_path / "a.jsonl", memory(2), memory(1, **change)),
    ):
        found = read(path)
        assert [each.key for each in found if isinstance(each, ImportedItem)] == ["100/2"]
        (skipped,) = reasons(found)
        assert skipped.startswith(reason)


@pytest.mark.parametrize(
    ("type_", "kind", "expected"),
    [
        ("semantic", "fact", "semantic"),
        ("procedural", "preference", "procedural"),
        ("inferred_preference", "preference", "semantic"),
        ("community_observation", "fact", "episodic"),
    ],
)
def test_types_are_kept_and_kinds_follow_them(tmp_path: Path, type_: str, kind: str, expected: str) -> None:
    (found,) = items(as_csv(tmp_path / "a.csv", memory(memory_type=type_)))
    assert (found.kind, found.type) == (kind, expected)


def test_times_come_with_and_without_a_zone_and_one_is_enough(tmp_path: Path) -> None:
    rows = (
        memory(1, created_at="2023-11-14T22:13:20Z", updated_at=None),
        memory(2, created_at=None, updated_at="2023-11-14 22:13:21"),
        memory(3, created_at="2023-11-15T00:00:00", updated_at="2023-11-14T17:13:22-05:00"),
    )
    found = items(as_array(tmp_path / "a", *reversed(rows)))
    assert [(each.created - T0, each.updated - T0) for each in found] == [(0, 0), (1000, 1000), (2000, 2000)]


def test_how_often_it_was_recalled_is_kept(tmp_path: Path) -> None:
    row = memory(retrieval_count=3, last_accessed_at="2023-11-14T22:13:20.5Z")
    (found,) = items(as_array(tmp_path / "a", row))
    assert (found.hits, found.last_hit) == (3, T0 + 500)


def test_a_row_without_an_id_is_known_by_its_words(tmp_path: Path) -> None:
    (found,) = items(as_array(tmp_path / "a", memory(id=None)))
    assert (found.key, found.row) == ("100/User built a farm", None)


def test_a_row_of_another_length_and_a_line_that_is_not_json_are_counted(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "a.csv", memory(1), memory(2))
    path.write_text(path.read_text() + "3,100\n" + "4," * 20 + "\n")
    assert reasons(read(path)) == {NOT_IN_FORM: 2}
    lines = as_lines(tmp_path / "a.jsonl", memory(1), memory(2))
    lines.write_text(lines.read_text() + '{"id": 3, "user\n[1]\n')
    assert reasons(read(lines)) == {NOT_IN_FORM: 2}
    assert len(items(lines)) == 2


def test_lone_surrogates_do_not_lose_a_row(tmp_path: Path) -> None:
    (found,) = items(as_lines(tmp_path / "a", memory(topic_summary="tea \ud83d")))
    assert found.text == "tea \ufffd"


def test_a_long_dialogue_is_read_whole(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    (found,) = items(as_csv(tmp_path / "a.csv", memory(raw_dialogue="x" * 200_000)))
    assert len(found.quote) == 200_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("id,topic_summary\n1,x\n", "line 1", "no column user_id, privacy_level"),
        ('user_id,topic_summary,privacy_level,updated_at\n1,a,dm,2024-01-01\n1,"b,dm', "line 3", "as CSV at line 3"),
    ],
)
def test_a_csv_that_cannot_be_read_names_file_and_line(tmp_path: Path, text: str, where: str, words: str) -> None:
    path = tmp_path / "memories.csv"
    path.write_text(text)
    given, error = until_error(detect(path).read(Options()))
    assert isinstance(error, BrokenImport)
    assert (error.path, error.where) == (path, where)
    assert words in str(error)
    assert str(path) in str(error)
    assert len(given) == (1 if where == "line 3" else 0)


def test_a_csv_that_is_not_utf8_names_byte_and_line_and_gives_what_stands_before(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "memories.csv", memory(1), memory(2, topic_summary="User likes caf\u00e9s"), memory(3))
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xe9"))
    before, _, _ = path.read_bytes().partition(b"\xe9")
    given, error = until_error(detect(path).read(Options()))
    assert isinstance(error, BrokenImport)
    assert error.where == f"at byte {len(before) + 1} in line {1 + before.count(10)}"
    assert "is not UTF-8" in str(error)
    assert [each.key for each in given if isinstance(each, ImportedItem)] == ["100/1"]


def test_a_json_file_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    path = as_array(tmp_path / "a.json", memory(1), memory(2))
    path.write_text(path.read_text()[:-40])
    given, error = until_error(detect(path).read(Options()))
    assert [each.key for each in given if isinstance(each, ImportedItem)] == ["100/1"]
    assert isinstance(error, BrokenImport)
    assert "after memory 1" in error.where


@pytest.mark.parametrize("layout", ["lines", "csv"])
def test_a_last_line_that_is_cut_is_told_as_that(tmp_path: Path, layout: str) -> None:
    """It was only counted as one that is not in the form of a memory, and nobody knew that there had been more."""
    rows = [memory(1), memory(2, raw_dialogue="tea", topic_summary="User likes tea")]
    path = tmp_path / "memories"
    if layout == "lines":
        path.write_text("".join(f"{json.dumps(each)}\n" for each in rows), encoding="utf-8")
    else:
        as_csv(path, *rows)
    whole = path.read_bytes()
    for end, count in ((len(whole), 2), (len(whole) - 1, 2), (whole.index(b"likes"), 1)):
        path.write_bytes(whole[:end])
        given, error = until_error(detect(path).read(Options()))
        assert sum(isinstance(each, ImportedItem) for each in given) == count
        assert (error is None) == (count == 2)
        assert error is None or str(error).startswith(f"{path} breaks off in line ")
