"""`import` of a folder of Discord exports, as exporting a server leaves it; and the assistant of an export by name."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnam.importers.given import sources
from dnam.importers.merge import in_order
from dnam.importers.order import NEARBY
from dnam.importers.source import Arrival, Options
from projections.messages import MESSAGES
from replay.engine import Engine
from tests.dnam.cli.memories import dnam
from tests.dnam.importers.files import BOT, KIM, LEE, export, message, sample, turn, user, write

DAY = "1:00 pm on 8 May, 2023"


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A folder with two channels' exports, and what else may lie there."""
    folder = tmp_path / "server"
    write(
        folder / "b.json", export(message(1, "I keep bees"), message(3, "so I do", author=BOT), id="501", name="bees")
    )
    write(folder / "A.JSON", export(message(2, "I like tea", author=LEE), id="502", name="tea"))
    write(folder / "talks.json", [sample("c", "Ann", "Bo", (DAY, [turn(1, 1, "Ann")]))])
    write(folder / "A.JSON_Files" / "attached.json", export(message(9, "attached"), id="509"))
    (folder / "notes.txt").write_text("hello")
    (folder / "list.json").write_text("[1, 2]")
    (folder / ".hidden.json").write_text("{")
    return folder


def texts(data: Path) -> list[str]:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return sorted(found.row.message.text for found in rows.scan(MESSAGES))


def own(data: Path) -> list[str]:
    """What the assistant is taken to have said."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return sorted(found.row.message.text for found in rows.scan(MESSAGES) if found.row.message.author == "self")


def test_a_folder_of_exports_comes_in_and_says_what_it_took(tmp_path: Path, server: Path) -> None:
    command = ("import", "--audience", "guild", "--no-learn", server, "--data", tmp_path / "d")
    ran = dnam(*command)
    assert (ran.code, ran.out) == (0, "Imported 3 messages.\n")
    taken, left = ran.err.splitlines()
    assert taken == f"dnam: {server}: 2 exports of Discord channels: A.JSON, b.json"
    assert left == (f"dnam: {server}: left out, being something else: A.JSON_Files, list.json, notes.txt, talks.json")
    assert texts(tmp_path / "d") == ["I keep bees", "I like tea", "so I do"]
    assert dnam(*command).out == "Imported nothing new; 3 known already.\n"


@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_a_program_reads_which_files_of_a_folder_were_taken(tmp_path: Path, server: Path, option: str) -> None:
    ran = dnam("--json", "import", "--audience", "guild", option, server, "--data", tmp_path / "d")
    came = ran.value["dry_run" if option == "--dry-run" else "imported"]
    assert came["files"] == [str(server / name) for name in ("A.JSON", "b.json")]
    assert [each["file"] for each in came["left_out"]] == [
        str(server / name) for name in ("A.JSON_Files", "list.json", "notes.txt", "talks.json")
    ]
    assert [each["why"].partition(" (")[0] for each in came["left_out"]][2:] == [
        "no JSON, by its name",
        "a LoCoMo JSON file",
    ]


def test_of_a_file_by_its_name_a_program_reads_the_name(tmp_path: Path, server: Path) -> None:
    ran = dnam("--json", "import", "--audience", "guild", "--no-learn", server / "b.json", "--data", tmp_path / "d")
    assert ran.value["imported"]["files"] == [str(server / "b.json")]
    assert (ran.value["imported"]["left_out"], ran.err) == ([], "")


@pytest.mark.parametrize("option", ["--learn", "--dry-run"])
def test_an_export_of_a_folder_that_breaks_off_stops_no_other(tmp_path: Path, server: Path, option: str) -> None:
    whole = (server / "b.json").read_text(encoding="utf-8")
    (server / "a-cut.json").write_text(whole[: whole.index("so I do")].replace("501", "503").replace("bees", "wasps"))
    (server / "z-cut.json").write_text('{"guild": {"id": "1", "na')
    ran = dnam("--json", "import", "--audience", "guild", option, server, "--data", tmp_path / "d")
    assert ran.code == 3
    came = ran.value["dry_run" if option == "--dry-run" else "imported"]
    assert (came["read"], came["messages"], came["known"]) == (4, 3, 1)
    error = ran.value["error"]
    broken = [(each["file"], each["where"].partition(",")[0]) for each in (error, *error["others"])]
    assert sorted(broken) == [
        (str(server / "a-cut.json"), "after message 1"),
        (str(server / "z-cut.json"), "before its first message"),
    ]
    assert all(each["message"] in ran.err for each in (error, *error["others"]))


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path, server: Path) -> None:
    os.mkfifo(server / "c.json")
    (server / "d.json").symlink_to(server / "gone.json")
    ran = dnam("--json", "import", "--dry-run", server, "--data", tmp_path / "d")
    left = {Path(each["file"]).name: each["why"] for each in ran.value["dry_run"]["left_out"]}
    assert (left["c.json"], left["d.json"]) == ("no file", "no file")


def test_a_folder_in_which_no_export_can_be_read_is_refused(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write(tmp_path / "server" / "x", 1)
        (tmp_path / "server" / name).write_text('{"guild": {"id": "1", "na')
    ran = dnam("--json", "import", tmp_path / "server", "--data", tmp_path / "d")
    assert ran.code == 3
    assert ran.value["error"]["file"] == str(tmp_path / "server" / "a.json")
    assert ran.value["error"]["others"][0]["file"] == str(tmp_path / "server" / "b.json")


def test_a_folder_without_exports_is_refused_as_before(tmp_path: Path) -> None:
    write(tmp_path / "server" / "talks.json", [sample("c", "Ann", "Bo", (DAY, [turn(1, 1, "Ann")]))])
    ran = dnam("import", tmp_path / "server", "--data", tmp_path / "d")
    assert ran.code == 3
    assert "is no DiscoClaw data folder" in ran.err
    assert (
        "holds no export of a Discord channel. To import other files that lie in it, name them one by one." in ran.err
    )
    assert not (tmp_path / "d").exists()


def test_a_folder_may_be_named_beside_files_and_once_more(tmp_path: Path, server: Path) -> None:
    other = write(tmp_path / "other.json", export(message(7, "elsewhere"), id="507"))
    command = ("import", "--audience", "guild", "--no-learn", server, other, server / "b.json")
    assert dnam(*command, "--data", tmp_path / "d").out == "Imported 4 messages; 2 known already.\n"


def test_the_assistant_is_looked_for_in_all_files_of_a_folder(tmp_path: Path, server: Path) -> None:
    command = ("import", "--audience", "guild", "--no-learn", server, "--data", tmp_path / "d", "--assistant")
    assert dnam(*command, "nobody").code == 2
    assert dnam(*command, "dnam").code == 0
    assert own(tmp_path / "d") == ["so I do"]


# -- a bot that an export has without a number ---------------------------------------------------------------------

HELPER = user("helper", "11", bot=True, disc="0000")


def brought(folder: Path, *messages: dict[str, Any]) -> tuple[str | Path, ...]:
    given = write(folder / "talk.json", export(*messages))
    return ("import", "--audience", "guild", "--no-learn", given, "--data", folder / "d", "--assistant")


@pytest.mark.parametrize("name", ["helper", "Helper", "11"])
def test_a_bot_without_a_number_is_the_assistant_by_its_name(tmp_path: Path, name: str) -> None:
    command = brought(tmp_path, message(1, "hello"), message(2, "I help", author=HELPER), message(3, author=KIM))
    assert dnam(*command, name).code == 0
    assert own(tmp_path / "d") == ["I help"]


def test_a_bot_without_a_number_may_be_shown_by_several_names(tmp_path: Path) -> None:
    nicknamed = [HELPER | {"nickname": nickname} for nickname in (None, "Helping Hand")]
    command = brought(tmp_path, *(message(n, f"n{n}", author=each) for n, each in enumerate(nicknamed)))
    assert dnam(*command, "helping hand").code == 0
    assert own(tmp_path / "d") == ["n0", "n1"]


def test_one_that_lends_itself_to_many_is_meant_by_its_id_alone(tmp_path: Path) -> None:
    proxied = [user(name, "11", bot=True, disc="0000") for name in ("Ann", "helper")]
    command = brought(tmp_path, *(message(n, f"n{n}", author=each) for n, each in enumerate(proxied)))
    ran = dnam(*command, "helper")
    which = "give its id where all that it wrote is the assistant's"
    assert (ran.code, ran.err) == (
        2,
        f"dnam: --assistant: 'helper' is one of several names of the webhook 11: {which}\n",
    )
    assert not (tmp_path / "d").exists()
    assert dnam(*command, "11").code == 0
    assert own(tmp_path / "d") == ["n0", "n1"]


def test_between_a_person_and_a_bot_without_a_number_of_one_name_nobody_guesses(tmp_path: Path) -> None:
    command = brought(tmp_path, message(1, author=user("helper", "78")), message(2, "I help", author=HELPER))
    ran = dnam(*command, "helper")
    assert (ran.code, "'helper' fits 2 accounts: give one of 11, 78" in ran.err) == (2, True)
    assert dnam(*command, "11").code == 0


def test_a_bot_with_its_number_goes_before_one_without(tmp_path: Path) -> None:
    command = brought(
        tmp_path, message(1, "I", author=user("helper", "78", bot=True)), message(2, "hook", author=HELPER)
    )
    assert dnam(*command, "helper").code == 0
    assert own(tmp_path / "d") == ["I"]


def test_more_large_exports_than_a_process_may_have_files_open(tmp_path: Path) -> None:
    """Each holds more than is held back to find its order, so that all are read side by side."""
    count, each_has = 40, NEARBY + 50
    for n in range(count):
        write(tmp_path / "server" / f"{n}.json", export(*map(message, range(each_has)), id=str(600 + n)))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + count // 2, hard))
    try:
        read = list(in_order(_read_all(tmp_path / "server")))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(read) == count * each_has


def _read_all(folder: Path) -> list[Iterator[Arrival]]:
    return [each.read(Options()) for each in sources([folder]).all]
