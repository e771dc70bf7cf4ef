"""`import --dry-run`: the table, the counts, and not a byte written. What it says is what the import then does."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dnam.importers.levels import LEVELS, level, of_program
from dnam.importers.source import FORMATS
from projections.ids import NOBODY
from projections.items import items_of
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.store import DiskStore
from tests.dnam.cli.memories import bytes_of, dnam
from tests.dnam.importers.files import SAMPLE, T0, export, flake, message, write
from tests.dnam.importers.test_clanky import database, fact, lore
from tests.dnam.importers.test_discoclaw import item, store
from tests.dnam.importers.test_slashai import as_csv, memory
from tests.dnam.importers.test_snowclaw import HEX, file, group, shipped


def slashai(folder: Path) -> Path:
    rows = (
        memory(1, privacy_level="dm", topic_summary="User moved house", memory_type="semantic"),
        memory(2, privacy_level="channel_restricted", topic_summary="User runs the staff rota"),
        memory(3),
        memory(4, privacy_level="global", topic_summary="User plays as Farmhand", memory_type="procedural"),
        memory(5, privacy_level="friends", topic_summary="User whispers"),
        memory(6, user_id=200, privacy_level="global", topic_summary="x" * 30_000),
    )
    return as_csv(folder / "memories.csv", *rows)


def clanky(folder: Path) -> Path:
    rows = (
        fact(user_id="300", subject="300"),
        fact("Kim is a regular", scope="guild", guild_id="9", user_id="300", subject="300", is_active=0),
        lore(),
        fact("It likes puns", subject="__self__", user_id=None),
        fact("The owner travels on Monday", scope="owner", subject="__owner__"),
        fact("odd", scope="channel"),
    )
    return database(folder / "clanky.db", *rows)


def snowclaw(folder: Path) -> Path:
    return file(folder, {HEX: shipped(preferences={"language": "fi"}), "aabb": shipped()}, {"techteam": group()})


def discoclaw(folder: Path) -> Path:
    write(
        folder / "disco" / "durable" / "400.json",
        store(item("durable-0a1b2c3d"), item("b", "old", status="deprecated")),
    )
    write(folder / "disco" / "rolling" / "discord-dm-400.json", {"summary": "All is well.", "updatedAt": T0})
    write(folder / "disco" / "rolling" / "discord-channel-7.json", {"summary": "Nobody was heard.", "updatedAt": T0})
    return folder / "disco"


def garden_club(folder: Path) -> Path:
    return SAMPLE


MAKERS: list[Callable[[Path], Path]] = [slashai, clanky, snowclaw, discoclaw, garden_club]


def dry(*arguments: Any) -> dict[str, Any]:
    ran = dnam("import", "--dry-run", "--json", "--audience", "guild", *arguments)
    assert ran.code == 0, ran.err
    value: dict[str, Any] = ran.value["dry_run"]
    return value


def bring(*arguments: Any) -> dict[str, Any]:
    ran = dnam("import", "--no-learn", "--json", "--audience", "guild", *arguments)
    assert ran.code == 0, ran.err
    value: dict[str, Any] = ran.value["imported"]
    return value


def by_compartment(said: dict[str, Any]) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in said["planned"]:
        found[each["compartment"]] += each["count"]
    return found


@pytest.mark.parametrize("maker", MAKERS)
def test_what_it_says_is_what_the_import_does(tmp_path: Path, maker: Callable[[Path], Path]) -> None:
    path, data = maker(tmp_path), tmp_path / "d"
    said = dry(path, "--data", data)
    assert not data.exists()
    done = bring(path, "--data", data)
    assert {name: said[name] for name in done if name != "events"} == {
        name: value for name, value in done.items() if name != "events"
    }
    new = sum(each["count"] for each in said["planned"] if not each["what"].startswith("evicted"))
    assert new == done["messages"] + done["items"] + done["summaries"] > 0


@pytest.mark.parametrize("maker", MAKERS)
def test_twice_appends_nothing_and_replay_agrees(tmp_path: Path, maker: Callable[[Path], Path]) -> None:
    path, data = maker(tmp_path), tmp_path / "d"
    first = bring(path, "--data", data)
    rows = DiskStore(data, FOLD, writable=False)
    assert check(rows, FOLD).equal
    rows.close()
    again = bring(path, "--data", data)
    assert again["messages"] + again["items"] + again["summaries"] == 0
    assert again["known"] == first["messages"] + first["items"] + first["summaries"]
    said = dry(path, "--data", data)
    assert (said["planned"], said["known"]) == ([], again["known"])


def test_a_memory_is_looked_at_and_not_touched(tmp_path: Path, data: Path) -> None:
    before = bytes_of(data)
    for maker in MAKERS:
        dry(maker(tmp_path), "--data", data)
    assert bytes_of(data) == before


def test_all_at_once_by_compartment(tmp_path: Path) -> None:
    paths = [maker(tmp_path) for maker in MAKERS]
    said = dry(*paths, "--data", tmp_path / "d")
    found: Counter[tuple[str, str]] = Counter()
    for each in said["planned"]:
        found[each["what"], each["compartment"]] += each["count"]
    assert found == {
        ("message", "guild/G"): 41,
        ("summary", "person/P/direct"): 1,
        ("item", "person/P/direct"): 2,
        ("deprecated item", "person/P/direct"): 1,
        ("item", "person/P/channel/C"): 4,
        ("item", "channel/C"): 3,
        ("item", "guild/G (P's own)"): 1,
        ("deprecated item", "guild/G (P's own)"): 1,
        ("item", "guild/G"): 1,
        ("item", "person/P/everywhere"): 2,
        ("item", "self"): 1,
        ("item", "owner"): 1,
    }
    assert {each["program"] for each in said["levels"]} == set(FORMATS) - {"locomo", "dnam-export"}


def test_portable_widens_only_what_has_no_level(tmp_path: Path) -> None:
    paths = slashai(tmp_path), snowclaw(tmp_path)
    narrow, wide = (
        by_compartment(dry(*paths, *options, "--data", tmp_path / "d")) for options in ((), ("--portable",))
    )
    assert wide - narrow == {"person/P/everywhere": 3}
    assert narrow - wide == {"person/P/channel/C": 3}


def test_show_tells_what_came_in(tmp_path: Path) -> None:
    data = tmp_path / "d"
    bring(slashai(tmp_path), clanky(tmp_path), "--data", data)
    shown = dnam("show", "100", "--data", data).out
    assert "User moved house" in shown
    assert "in channel discord:5:" in shown
    assert "in guild discord:9:" in shown
    assert "everywhere:" in shown
    (kim,) = dnam("show", "300", "--json", "--data", data).value["items"]
    assert (kim["kind"], kim["confidence"], kim["about"]) == ("profile", 850, "person")
    assert kim["evidence"][0]["quote"] == "I keep bees"
    (deprecated,) = [
        each
        for each in dnam("show", "300", "--all", "--json", "--data", data).value["items"]
        if each["status"] == "deprecated"
    ]
    assert deprecated["compartment"] == "guild/discord:9"


def test_lore_is_nobody_s_and_rests_on_its_message_when_that_is_known(tmp_path: Path) -> None:
    data, said = tmp_path / "d", T0 - 2000
    written = message(-2, "Fridays are for tea!")
    assert written["id"] == flake(said)
    talk = export(written, id="5")
    talk["guild"]["id"] = "9"
    bring(write(tmp_path / "talk.json", talk), "--data", data)
    bring(clanky(tmp_path), "--data", data)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        found = {each.row.item.compartment: each.row.item for each in items_of(rows, NOBODY)}
    assert set(found) == {"guild/discord:9", "self", "owner"}
    assert found["guild/discord:9"].evidence[0].quote == "I keep bees"
    assert found["guild/discord:9"].evidence[0].message
    assert (found["self"].evidence, found["owner"].evidence) == ((), ())


def test_for_people_it_prints_the_table_and_the_counts(tmp_path: Path) -> None:
    ran = dnam("import", "--dry-run", slashai(tmp_path), "--data", tmp_path / "d")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "Where it goes (P: its person, C: its channel or group, G: its guild):"
    assert any(line.split()[:3] == ["slashai", "dm", "person/P/direct"] for line in lines)
    assert any(line.startswith("slashai  embedding") and "not taken" in line for line in lines)
    assert "Read 6: 4 would be new, 2 skipped." in lines
    assert any(line.split() == ["item", "fact", "semantic", "person/P/direct", "1"] for line in lines)
    unknown = "  would skip 1: a level that dnam does not know: who could read it is not known either ("
    assert any(line.startswith(unknown) for line in lines)
    assert any("is too long" in line for line in lines)
    assert lines[-1] == "Nothing was written."
    assert not (tmp_path / "d").exists()


def test_a_broken_file_is_told_behind_what_could_be_read(tmp_path: Path) -> None:
    path = slashai(tmp_path)
    path.write_text(path.read_text() + '7,100,"cut')
    for options in ((), ("--json",)):
        ran = dnam("import", "--dry-run", *options, path, "--data", tmp_path / "d")
        assert ran.code == 3
        assert f"{path} cannot be read as CSV at line " in ran.err
        assert "dm" in ran.out
        assert not (tmp_path / "d").exists()


def test_a_file_of_no_format_is_refused_before_anything(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name,age\nKim,7\n")
    ran = dnam("import", "--dry-run", path, "--data", tmp_path / "d")
    assert (ran.code, ran.out) == (3, "")
    assert "a.csv is not JSON. dnam reads" in ran.err


def test_names_that_join_nobody_are_told(tmp_path: Path) -> None:
    ran = dnam("import", "--dry-run", "--same-person", "100=ghost", slashai(tmp_path), "--data", tmp_path / "d")
    assert ran.code == 0
    assert "--same-person: 'ghost' matched nobody" in ran.err


def test_a_memory_that_could_not_be_written_to_is_no_place_to_rehearse(tmp_path: Path, data: Path) -> None:
    shutil.rmtree(data / "keys")
    before = bytes_of(data)
    ran = dnam("import", "--dry-run", slashai(tmp_path), "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert "key" in ran.err
    assert bytes_of(data) == before


def test_the_cap_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_DURABLE_MAX_ITEMS", "2")
    said = dry(slashai(tmp_path), "--data", tmp_path / "d")
    assert sum(each["count"] for each in said["planned"] if each["what"] == "evicted by the cap") == 2


def test_the_table_is_whole() -> None:
    assert {each.program for each in LEVELS} == set(FORMATS) - {"dnam-export"}  # which comes back as it was
    assert len({(each.program, each.level) for each in LEVELS}) == len(LEVELS)
    assert all(each.why and each.compartment for each in LEVELS)
    assert [each.level for each in of_program("locomo")] == [
        "--audience guild or channel, or unsaid",
        "--audience dm",
    ]
    assert level("slashai", "embedding").compartment == "not taken"
