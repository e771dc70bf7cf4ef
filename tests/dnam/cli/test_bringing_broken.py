"""`import` of what breaks off: what a program reads of it, what came in, and what stays away."""

import json
import re
from pathlib import Path

import pytest

from replay.engine import Engine
from tests.dnam.cli.memories import Ran, dnam, ended, process
from tests.dnam.importers.files import BOT, export, message, sample, turn, write
from tests.dnam.importers.test_discoclaw import item, store
from tests.dnam.scripted import ScriptedModel, down
from tests.kills.victims import export as exported

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"
DAY, LATER = "1:00 pm on 8 May, 2023", "1:00 pm on 9 May, 2023"
COUNTS = {"read", "messages", "edits", "items", "summaries", "narrowed", "known", "events"}
ERROR = {"message", "file", "where", "others"}


def spoiled(folder: Path) -> Path:
    """An export with a byte that is no UTF-8 in its seventh message."""
    path = write(folder / "spoiled.json", export(*(message(n, f"number {n}!") for n in range(1, 13))))
    path.write_bytes(path.read_bytes().replace(b"number 7!", b"number \xff!"))
    return path


def cut_talks(folder: Path, talk: int) -> Path:
    """LoCoMo's file of two conversations, as that is written, cut inside this one, behind a whole session of it."""
    talks = []
    for key in ("c1", "c2"):
        sessions = [(DAY, [turn(1, n, "Ann", f"{key} one") for n in (1, 2)]), (LATER, [turn(2, 1, "Bo", f"{key} two")])]
        made = sample(key, "Ann", "Bo", *sessions)
        talks.append({name: made[name] for name in ("qa", "conversation", "observation", "sample_id")})
    text = json.dumps(talks)
    path = folder / f"talks{talk}.json"
    path.write_text(text[: text.index(f"c{talk} two")], encoding="utf-8")
    write(folder / "whole.json", talks)
    return path


def heard(data: Path) -> list[tuple[str, int]]:
    """The messages' ids and when they were said, in the log's order."""
    with Engine.open(data, writable=False) as engine:
        records = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    found = [record for record in records if record is not None and record.event.TAG == "message.heard"]
    return [(record.id.hex(), record.event.said) for record in found]


@pytest.mark.parametrize("option", ["--learn", "--no-learn", "--dry-run"])
def test_a_program_reads_what_came_in_until_a_file_broke_off(tmp_path: Path, option: str) -> None:
    path, data = spoiled(tmp_path), tmp_path / "d"
    ran = dnam("--json", "import", "--audience", "guild", option, path, "--data", data)
    assert ran.code == 3
    (came,) = [ran.value["imported" if option != "--dry-run" else "dry_run"]]
    assert came.keys() >= COUNTS - ({"events"} if option == "--dry-run" else set())
    assert (came["read"], came["messages"], came["known"]) == (6, 6, 0)
    assert option == "--dry-run" or ran.value["learned"] is None
    error = ran.value["error"]
    assert error.keys() == ERROR
    assert error["file"] == str(path)
    assert error["where"].startswith("after message 6, at byte ")
    assert error["message"] in ran.err
    assert error["others"] == []


@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_its_names_are_those_of_an_import_that_succeeds(tmp_path: Path, option: str) -> None:
    command = ("--json", "import", "--audience", "guild", option, "--data", tmp_path / "d")
    (whole,) = [dnam(*command, SAMPLE).value]
    broken = dnam(*command, spoiled(tmp_path)).value
    assert broken.keys() == whole.keys() | {"error"}
    name = "dry_run" if option == "--dry-run" else "imported"
    assert broken[name].keys() == whole[name].keys()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"messages": [', b"\xff\xfe{"])
def test_a_program_reads_of_a_file_that_dnam_does_not_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "strange.json"
    path.write_bytes(content)
    ran = dnam("--json", "import", path, "--data", tmp_path / "d")
    assert ran.code == 3
    assert (ran.value["imported"]["read"], ran.value["learned"]) == (0, None)
    assert ran.value["error"]["file"] == str(path)
    assert ran.value["error"]["message"] in ran.err
    assert not (tmp_path / "d").exists()


def test_wrong_use_is_told_in_words_alone(tmp_path: Path) -> None:
    ran = dnam("--json", "import", "--audience", "everyone", SAMPLE, "--data", tmp_path / "d")
    assert (ran.code, ran.out) == (2, "")


def test_of_a_folder_a_program_reads_every_file_that_could_not_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "claw"
    write(folder / "durable" / "1.json", store(item("a", "likes tea")))
    write(folder / "durable" / "2.json", {"version": 9, "items": []})
    (folder / "durable" / "3.json").write_text('{"version": 1, "it')
    ran = dnam("--json", "import", folder, "--data", tmp_path / "d")
    assert ran.code == 3
    assert ran.value["imported"]["items"] == 1
    assert ran.value["learned"] is not None
    error = ran.value["error"]
    assert (error["file"], error["where"]) == (str(folder / "durable" / "2.json"), "$.version")
    (other,) = error["others"]
    assert other["file"] == str(folder / "durable" / "3.json")
    assert other["message"] in ran.err


def test_what_could_not_be_learned_hides_no_file_that_could_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.models.choose", lambda *_: ScriptedModel({"extraction": down, "summary": down}))
    folder, talk = tmp_path / "claw", write(tmp_path / "talk.json", export(message(1, "I keep bees")))
    write(folder / "durable" / "1.json", {"version": 9, "items": []})
    ran = dnam("import", "--audience", "guild", folder, talk, "--data", tmp_path / "d")
    assert ran.code == 3
    assert "will be tried again by `dnam learn`" in ran.err
    assert "1.json has version 9 at $.version" in ran.err


def test_a_program_reads_what_came_in_until_somebody_ended_it(tmp_path: Path) -> None:
    data, path = tmp_path / "d", exported(tmp_path, 600)
    code = "from tests.kills.interrupted import interrupted; interrupted('log', 2)"
    ran = ended(process("--json", "import", "--audience", "guild", path, "--data", data, code=code))
    assert ran.code == 130
    assert 0 < ran.value["imported"]["messages"] == len(heard(data)) < 600
    assert ran.value["error"] == {"message": "interrupted", "file": None, "where": None, "others": []}


def test_a_program_reads_what_came_back_of_an_export_that_breaks_off(tmp_path: Path) -> None:
    assert dnam("import", "--no-learn", "--audience", "guild", SAMPLE, "--data", tmp_path / "d").code == 0
    out = tmp_path / "out.jsonl"
    assert dnam("export", "--out", out, "--data", tmp_path / "d").code == 0
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:20]) + lines[20][:40])
    ran = dnam("--json", "import", out, "--data", tmp_path / "back")
    assert ran.code == 3
    assert ran.value.keys() == {"imported", "error"}
    assert 0 < ran.value["imported"]["events"] < len(lines)
    assert ran.value["error"]["file"] == str(out)


def test_what_is_wrong_with_a_pipe_is_told_a_program_by_the_name_that_was_given(tmp_path: Path) -> None:
    import subprocess

    started = process("--json", "import", "--audience", "guild", "-", "--data", tmp_path / "d", stdin=subprocess.PIPE)
    out, err = started.communicate(spoiled(tmp_path).read_bytes())
    ran = Ran(started.returncode, out.decode(), err.decode())
    assert (ran.code, ran.value["error"]["file"]) == (3, "-")
    assert ran.value["error"]["message"].startswith("- is not UTF-8 after message 6")


@pytest.mark.parametrize("option", ["--learn", "--dry-run"])
def test_of_several_files_one_that_breaks_off_stops_no_other(tmp_path: Path, option: str) -> None:
    later = write(tmp_path / "later.json", export(*(message(n, f"later {n}") for n in range(20, 23)), id="501"))
    given = (spoiled(tmp_path), later, cut_talks(tmp_path, 1))
    ran = dnam("--json", "import", "--audience", "guild", option, *given, "--data", tmp_path / "d")
    came = ran.value["dry_run" if option == "--dry-run" else "imported"]
    assert (ran.code, came["messages"]) == (3, 9)
    error = ran.value["error"]
    assert {each["file"] for each in (error, *error["others"])} == {str(given[0]), str(given[2])}
    assert "run the same command" not in ran.err


# -- LoCoMo's files ------------------------------------------------------------------------------------------------

NONE_OF_IT = "A conversation comes in whole or not at all: its sample_id, which its turns are known by"


@pytest.mark.parametrize("option", ["--learn", "--dry-run"])
def test_of_a_conversation_that_is_cut_nothing_comes_in_and_that_is_told(tmp_path: Path, option: str) -> None:
    data, cut = tmp_path / "d", cut_talks(tmp_path, 1)
    ran = dnam("import", "--audience", "guild", option, cut, "--data", data)
    assert ran.code == 3
    assert f"{cut} breaks off after conversation 0, at byte " in ran.err
    assert NONE_OF_IT in ran.err
    if option == "--learn":
        assert ran.out == ""
        assert "nothing was imported\n" in ran.err
    assert not data.exists()


def test_whole_conversations_before_the_cut_come_in_as_by_the_whole_file(tmp_path: Path) -> None:
    cut = cut_talks(tmp_path, 2)
    command = ("import", "--audience", "guild", "--no-learn", "--data")
    ran = dnam(*command, tmp_path / "d", cut)
    assert ran.code == 3
    assert "until then: imported 3 messages. What was imported stays\n" in ran.err
    assert NONE_OF_IT in ran.err
    assert dnam(*command, tmp_path / "d", tmp_path / "whole.json").out == "Imported 3 messages; 3 known already.\n"
    assert dnam(*command, tmp_path / "e", tmp_path / "whole.json").code == 0
    with_times = [{said for _, said in heard(tmp_path / each)} for each in "de"]
    assert with_times[0] == with_times[1]


@pytest.mark.parametrize("option", ["--learn", "--no-learn"])
def test_where_nothing_comes_in_no_log_is_begun(tmp_path: Path, option: str) -> None:
    given = write(tmp_path / "talk.json", export(message(1, ""), message(2, "", type="GuildMemberJoin", author=BOT)))
    ran = dnam("import", "--audience", "guild", option, given, "--data", tmp_path / "d")
    assert ran.code == 0
    assert ran.out.startswith("Imported nothing new; 2 skipped.\n")
    assert not (tmp_path / "d").exists()


def test_a_log_that_is_there_stays_as_it_is_where_nothing_comes_in(tmp_path: Path) -> None:
    command = ("import", "--audience", "guild", "--no-learn", "--data", tmp_path / "d")
    assert dnam(*command, SAMPLE).code == 0
    before = dnam("stats", "--data", tmp_path / "d").out
    assert dnam(*command, cut_talks(tmp_path, 1)).code == 3
    assert dnam("stats", "--data", tmp_path / "d").out == before


@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_items_that_make_room_for_others_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.setenv("DNAM_DURABLE_MAX_ITEMS", "3")
    write(tmp_path / "claw" / "durable" / "1.json", store(*(item(f"i{n}", f"knows song {n}") for n in range(5))))
    ran = dnam("import", option, tmp_path / "claw", "--data", tmp_path / "d")
    assert re.search(r"change(?:d)? 2: an item that makes room for others, .*DNAM_DURABLE_MAX_ITEMS\)\n", ran.out)


# -- learning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["learn", "import"])
def test_a_program_reads_what_was_learned_until_somebody_ended_it(tmp_path: Path, command: str) -> None:
    data, path = tmp_path / "d", exported(tmp_path, 600)
    bring = ("import", "--audience", "guild", path, "--data", data)
    assert dnam(*bring, "--no-learn").code == 0
    code = "from tests.kills.interrupted import interrupted; interrupted('log', 9)"
    given = bring if command == "import" else ("learn", "--data", data)
    ran = ended(process("--json", *given, code=code))
    assert ran.code == 130
    learned = ran.value if command == "learn" else ran.value["learned"]
    assert learned["extractions"] > 0
    assert learned["left"] > 0
    assert f"{learned['extractions']} extractions; summaries refreshed" in ran.err
    assert f"{learned['left']} calls left: `dnam learn` goes on" in ran.err
    assert ran.value["error"]["message"] == "interrupted"
    assert command == "learn" or ran.value["imported"]["known"] == 600
