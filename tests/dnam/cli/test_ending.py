"""Being told to end: whoever sends SIGTERM or SIGHUP is told what Ctrl-C tells, and what there was is there still."""

import signal
from pathlib import Path

import pytest

from dnam.shadows import load
from replay.history import seq_key
from tests.dnam.cli.memories import Ran, bytes_of, dnam, ended, process
from tests.dnam.cli.test_rederiving import CAREFUL, SAMPLE
from tests.replay.keeping import damage

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
signalled = pytest.mark.parametrize(("sent", "code"), SIGNALS, ids=lambda each: str(each))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere"


def broken_off(commit: str, sent: signal.Signals, *arguments: str | Path, at: int = 1) -> Ran:
    """Run a command that gets this signal in front of a commit."""
    code = f"from tests.kills.interrupted import interrupted; interrupted({commit!r}, {at}, {int(sent)})"
    return ended(process(*arguments, code=code))


def told(words: str) -> str:
    return f"dnam: broken off: {words}\ndnam: interrupted\n"


@signalled
def test_a_replay(data: Path, sent: signal.Signals, code: int) -> None:
    before = bytes_of(data)
    ran = broken_off("views", sent, "replay", "--data", data)
    assert ran == (code, "", told("nothing is lost, and the log is as it was: `dnam replay` begins anew"))
    assert bytes_of(data) == before


@signalled
def test_a_first_backup_and_a_later_one(data: Path, place: Path, sent: signal.Signals, code: int) -> None:
    command = ("backup", place, "--data", data)
    none = f"dnam: what lies in {place} is no backup: nothing can be restored from it. Remove it, or try again there\n"
    assert broken_off("backup", sent, *command) == (code, "", f"{none}dnam: interrupted\n")
    assert dnam(*command).code == 0
    assert dnam("remember", "Kim", "plays the harp", "--data", data).code == 0
    whole = told(f"the backup in {place} is whole, and the same command brings it up to date")
    assert broken_off("backup", sent, *command) == (code, "", whole)
    assert dnam("restore-backup", place, "--check", "--data", data).code == 0
    assert "1 of them new" in dnam(*command).out


@signalled
def test_a_repair_and_a_restore(data: Path, place: Path, sent: signal.Signals, code: int) -> None:
    assert dnam("backup", place, "--data", data).code == 0
    shown = dnam("show", "Kim", "--data", data).out
    damage(data, b"bodies", seq_key(7))
    repair = ("repair", "--from", place, "--yes", "--data", data)
    ran = broken_off("repair", sent, *repair)
    half = "nothing is repaired by halves: run the same command again, which looks at what is still to be done"
    assert (ran.code, ran.out, ran.err.endswith(told(half))) == (code, "", True), ran
    assert dnam("verify", "--data", data).code == 1
    assert dnam(*repair).code == 0
    restore = ("restore-backup", place, "--yes", "--data", data)
    ran = broken_off("restore", sent, *restore)
    either = "either the log that was there is in force still, or all of the restored one: run the same again"
    assert (ran.code, ran.out, ran.err.endswith(told(either))) == (code, "", True), ran
    assert dnam("show", "Kim", "--data", data).out == shown
    assert dnam(*restore).code == 0


@signalled
def test_a_derivation(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    data = tmp_path / "data"
    assert dnam("import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--data", data).code == 0
    command = ("rederive", "--name", "careful", "--model", CAREFUL, "--data", data)
    ran = broken_off("log", sent, *command, at=3)
    goes_on = "what was made stays, and `dnam rederive --name careful` goes on"
    assert (ran.code, ran.out, ran.err.endswith(told(goes_on))) == (code, "", True), ran
    assert load(data, "careful").state != "complete"
    assert dnam("rederive", "--name", "careful", "--data", data).code == 0
    assert load(data, "careful").state == "complete"
