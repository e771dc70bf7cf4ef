"""What a program reads of a command that fails on its way: a value with its names, and the error beside them."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dnam import reverting
from dnam.cli.half_done import error_value, told_so_far
from dnam.cli.screen import Screen
from projections.errors import BadRequest
from replay.errors import LogFull
from replay.history import seq_key
from tests.dnam.cli import test_adopting, test_reverting
from tests.dnam.cli.memories import Ran, dnam, ended, process
from tests.dnam.cli.test_rederiving import CAREFUL, SAMPLE
from tests.replay.keeping import damage

derived, told = test_adopting.derived, test_reverting.told
FAILED = {"message", "file", "where", "others"}


def interrupted(commit: str, *arguments: str | Path, at: int = 1) -> Ran:
    """Run a command, read by a program, in which Ctrl-C is pressed in front of a commit."""
    code = f"from tests.kills.interrupted import interrupted; interrupted({commit!r}, {at})"
    return ended(process("--json", *arguments, code=code))


def full(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def is_as_when_done(ran: Ran, done: Ran) -> bool:
    """Whether it has the names of one that was done, and the error."""
    return bool(ran.value.keys() == done.value.keys() | {"error"} and ran.value["error"].keys() == FAILED)


def test_a_replay(data: Path) -> None:
    ran = interrupted("views", "replay", "--data", data)
    assert (ran.code, is_as_when_done(ran, dnam("--json", "replay", "--data", data))) == (130, True)
    assert (ran.value["events"], ran.value["error"]["message"]) == (None, "interrupted")


def test_a_backup_and_what_is_restored_of_it(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    ran = interrupted("backup", "backup", place, "--data", data)
    done = dnam("--json", "backup", place, "--data", data)
    assert (ran.code, is_as_when_done(ran, done), ran.value["place"]) == (130, True, str(place))
    restore = ("restore-backup", place, "--yes", "--data", data)
    ran = interrupted("restore", *restore)
    assert (ran.code, is_as_when_done(ran, dnam("--json", *restore))) == (130, True)


def test_a_repair(data: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    assert dnam("backup", place, "--data", data).code == 0
    damage(data, b"bodies", seq_key(7))
    repair = ("repair", "--from", place, "--yes", "--data", data)
    ran = interrupted("repair", *repair)
    assert (ran.code, is_as_when_done(ran, dnam("--json", *repair))) == (130, True)


@pytest.mark.parametrize("of", [(), ("Kim",)])
def test_an_export(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: tuple[str, ...]) -> None:
    out = tmp_path / "out"
    command: tuple[str | Path, ...] = ("--json", "export", *of, "--out", out, "--data", data)
    with monkeypatch.context() as broken:
        broken.setattr("dnam.given_file.os.replace", full)
        ran = dnam(*command)
    assert (ran.code, is_as_when_done(ran, dnam(*command))) == (3, True)
    assert (ran.value["exported"], ran.value["file"]) == (None, str(out))
    assert os.strerror(errno.ENOSPC) in ran.value["error"]["message"]


def test_discoclaw_s_files(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("--json", "export", "--discoclaw", tmp_path / "claw", "--data", data)
    with monkeypatch.context() as broken:
        broken.setattr("dnam.discoclaw.file_set.FileSet.put", full)
        ran = dnam(*command)
    done = dnam(*command)
    assert (ran.code, is_as_when_done(ran, done)) == (3, True)
    assert (ran.value["files"], ran.value["changed"]) == (done.value["files"], None)


def test_a_derivation(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert dnam("import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--data", data).code == 0
    ran = interrupted("log", "rederive", "--name", "careful", "--model", CAREFUL, "--data", data, at=9)
    done = dnam("--json", "rederive", "--name", "careful", "--data", data)
    assert (ran.code, is_as_when_done(ran, done)) == (130, True)
    assert (ran.value["name"], ran.value["made"]) == ("careful", done.value["made"])
    assert ran.value["calls"] <= done.value["calls"]


def test_an_adoption_and_its_undoing(derived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(shutil.copytree(derived, tmp_path / "data"))
    for command, what in (("adopt", "next"), ("adopt", "--undo")):
        name = ("next",) if what == "--undo" else ()
        given = ("--json", "--yes", command, what, *name, "--data", data)
        with monkeypatch.context() as broken:
            broken.setattr(
                "dnam.adoption.unadopting.Unadopting.undo" if name else "dnam.adoption.adopting.Adopting.adopt",
                failing(LogFull("full")),
            )
            ran = dnam(*given)
        done = dnam(*given)
        assert (ran.code, is_as_when_done(ran, done)) == (3, True)
        assert (ran.value["shadow"], ran.value["error"]["message"]) == ("next", "full")
        assert ran.value["people"] == done.value["people"] != []
        assert ran.value["undone" if name else "adopted"] is None


def failing(error: Exception) -> Callable[..., Any]:
    async def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_revert(told: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(shutil.copytree(told, tmp_path / "data"))
    command = ("--json", "--yes", "revert", "--model", "worse", "--between", "1", "now", "--data", data)
    record, left = reverting._record, [1]

    async def once(*given: Any) -> Any:
        if not left:
            raise LogFull("full")
        left.pop()
        return await record(*given)

    with monkeypatch.context() as broken:
        broken.setattr(reverting, "_record", once)
        ran = dnam(*command)
    assert ran.code == 3
    assert ran.value["events"] > 0
    assert ran.value["undo"] is not None
    assert is_as_when_done(ran, dnam(*command))


def test_an_erasure(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("replay.erasure.thin_out", failing_at_once(LogFull("the disk is full")))
        ran = dnam("--json", "erase", "Kim", "--yes", "--data", data)
    assert (ran.code, "is erased, but" in ran.value["error"]["message"]) == (3, True)
    assert is_as_when_done(ran, dnam("--json", "erase", "Ada", "--yes", "--data", data))


def failing_at_once(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_a_compaction(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("dnam.compacting.compact", failing_at_once(LogFull("the disk is full")))
        ran = dnam("--json", "compact", "--data", data)
    assert (ran.code, is_as_when_done(ran, dnam("--json", "compact", "--data", data))) == (3, True)


@pytest.mark.parametrize("harm", ["gone", "damaged"])
def test_what_is_counted_without_readable_keys(data: Path, harm: str) -> None:
    done = dnam("--json", "stats", "--data", data)
    for each in ("ring-a", "ring-b"):
        (data / "keys" / each).unlink() if harm == "gone" else (data / "keys" / each).write_bytes(b"x" * 999)
    ran = dnam("--json", "stats", "--data", data)
    assert (ran.code, is_as_when_done(ran, done)) == (3, True)
    assert (ran.value["events"], ran.value["tags"]) == (done.value["events"], done.value["tags"])
    assert [name for name, value in ran.value.items() if value is None] == ["people", "sessions", "items", "as_of"]
    then = dnam("--json", "stats", "--at", "3", "--data", data)
    assert (then.code, is_as_when_done(then, done), then.value["events"]) == (3, True, None)


@pytest.mark.parametrize("of", [(), ("--since", "FILE")])
def test_a_verify_of_a_folder_without_a_log(data: Path, tmp_path: Path, of: tuple[str, ...]) -> None:
    kept = tmp_path / "kept.checkpoint"
    assert dnam("checkpoint", "--out", kept, "--data", data).code == 0
    since = [kept if each == "FILE" else each for each in of]
    ran = dnam("--json", "verify", *since, "--data", tmp_path / "nothing")
    assert (ran.code, is_as_when_done(ran, dnam("--json", "verify", *since, "--data", data))) == (3, True)
    assert "there is no log in" in ran.value["error"]["message"]


# -- what it does not tell -----------------------------------------------------------------------------------------


def failed(error: BaseException, *, as_json: bool = True, emitted: bool = False) -> None:
    screen = Screen(as_json=as_json)
    with told_so_far(screen, lambda: {"done": 1}):
        if emitted:
            screen.emit({"done": 2})
        raise error


@pytest.mark.parametrize("error", [BadRequest("no such thing"), BrokenPipeError(), ValueError("a bug")])
def test_wrong_use_and_what_nobody_reads_or_expects_is_no_value(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(type(error)):
        failed(error)
    assert capsys.readouterr().out == ""


def test_a_person_reads_no_value(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LogFull):
        failed(LogFull("full"), as_json=False)
    assert capsys.readouterr().out == ""


def test_one_value_is_printed_however_late_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LogFull):
        failed(LogFull("full"), emitted=True)
    assert capsys.readouterr().out == '{"done":2}\n'


def test_an_error_of_no_file_names_none() -> None:
    assert error_value(LogFull("full")) == {"message": "full", "file": None, "where": None, "others": []}
