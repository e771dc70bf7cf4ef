"""`import` and `learn` as they are typed: counts, questions, broken files, two at once, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from projections.lookup import people
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.store import DiskStore
from tests.dnam.cli.memories import dnam
from tests.kills.test_kills import export

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"


def heard(data: Path) -> int:
    """How many messages the log holds, each counted once by its id."""
    with Engine.open(data, writable=False) as engine:
        records = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    ids = [record.id for record in records if record is not None and record.event.TAG == "message.heard"]
    assert len(ids) == len(set(ids))
    return len(ids)


def test_an_import_says_what_it_did_and_learned(tmp_path: Path) -> None:
    ran = dnam("import", "--audience", "guild", "--assistant", "dnam", SAMPLE, "--data", tmp_path / "d")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Imported 41 messages.\nLearned: ")
    again = dnam("import", "--audience", "guild", "--assistant", "dnam", SAMPLE, "--data", tmp_path / "d")
    assert again.out == "Imported nothing new; 41 known already.\n"


def test_json_has_stable_names(tmp_path: Path) -> None:
    ran = dnam("import", "--json", "--audience", "guild", SAMPLE, "--data", tmp_path / "d")
    printed = json.loads(ran.out)
    assert set(printed) == {"imported", "learned"}
    assert set(printed["imported"]) == {"read", "messages", "items", "summaries", "known", "events", "skipped"}
    assert set(printed["learned"]) == {"extractions", "summaries", "events", "errors"}
    assert json.loads(dnam("learn", "--json", "--data", tmp_path / "d").out)["events"] == 0


def test_learning_can_wait(tmp_path: Path) -> None:
    data = tmp_path / "d"
    assert dnam("import", "--no-learn", "--audience", "guild", SAMPLE, "--data", data).out == "Imported 41 messages.\n"
    assert dnam("learn", "--user", "Tobi", "--data", data).out.endswith("summaries refreshed 0 times.\n")
    assert "summaries refreshed 9 times" in dnam("learn", "--session", "plot-talk", "--data", data).out
    assert dnam("learn", "--data", data).out.startswith("Learned: ")
    assert dnam("learn", "--data", data).out == "Nothing to learn: everything has been read.\n"
    assert dnam("learn", "--user", "nobody", "--data", data).code == 2
    assert dnam("learn", "--session", "nowhere", "--data", data).code == 2


def test_what_nobody_said_counts_as_restricted(tmp_path: Path) -> None:
    ran = dnam("import", "--no-learn", SAMPLE, "--data", tmp_path / "d")
    assert ran.code == 0
    assert "count as restricted" in ran.err
    (session,) = [json.loads(line) for line in dnam("sessions", "--json", "--data", tmp_path / "d").out.splitlines()]
    assert "channel" in json.dumps(session)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--audience", "everyone"), "guild, channel, dm"),
        (("--same-person", "kim"), "A=B"),
        (("--audience", "dm"), "--audience channel"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_written(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    ran = dnam("import", *options, SAMPLE, "--data", tmp_path / "d")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "d" / "log").exists() or heard(tmp_path / "d") == 0


def test_a_broken_file_keeps_what_came_before_and_says_where(tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    cut = tmp_path / "cut.json"
    cut.write_text(text[: len(text) // 2], encoding="utf-8")
    ran = dnam("import", "--audience", "guild", cut, "--data", tmp_path / "d")
    assert ran.code == 3
    assert "cut.json" in ran.err
    assert "imported" in ran.err
    before = heard(tmp_path / "d")
    assert before > 0
    whole = dnam("import", "--no-learn", "--audience", "guild", SAMPLE, "--data", tmp_path / "d")
    assert whole.out == f"Imported {41 - before} messages; {before} known already.\n"


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2]", b"\x00\xff", b'{"messages": 3}'])
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "strange.json"
    path.write_bytes(content)
    ran = dnam("import", path, "--data", tmp_path / "d")
    assert ran.code in (2, 3)
    assert "strange.json" in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "d" / "log").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = dnam("import", tmp_path / "gone.json", "--data", tmp_path / "d")
    assert ran.code in (2, 3)
    assert "gone.json" in ran.err


def start(*arguments: object) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "dnam", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_at_once_bring_in_every_message_once(tmp_path: Path) -> None:
    data, path = tmp_path / "d", export(tmp_path, 300)
    both = [start("import", "--audience", "guild", path, "--data", data) for _ in range(2)]
    ended = [(process.wait(), process.communicate()) for process in both]
    assert [code for code, _ in ended] == [0, 0], ended
    assert heard(data) == 300
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert len(people(rows)) == 5


@pytest.mark.parametrize("command", ["import", "replay"])
def test_ctrl_c_keeps_what_there_is(tmp_path: Path, command: str) -> None:
    data, path = tmp_path / "d", export(tmp_path, 5000)
    bring = ("import", "--audience", "guild", path, "--data", data)
    if command == "replay":
        assert dnam(*bring[:3], "--no-learn", *bring[3:]).code == 0
    process = start(*bring) if command == "import" else start("replay", "--data", data)
    sign = data / "log" / "CURRENT" if command == "import" else data / "views" / "000002"
    while process.poll() is None and not sign.exists():
        os.sched_yield()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode in (130, 0), (out, err)
    assert "Traceback" not in err
    assert dnam(*bring[:3], "--no-learn", *bring[3:]).code == 0
    assert heard(data) == 5000
    store = DiskStore(data, FOLD, writable=False)
    assert check(store, FOLD).equal
    store.close()
