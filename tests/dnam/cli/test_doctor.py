"""`dnam doctor`: a line for each check, what to do, and 1 when something is wrong."""

import shutil
from pathlib import Path

import pytest

from tests.dnam.cli.memories import bytes_of, dnam

CHECKED = [
    *("settings", "log", "erasures", "clock", "disk", "keys", "shadows", "import", "context", "claude"),
    *(
        "budget",
        "learning",
        "encoder",
        "recall",
        "token",
        "intents",
        "allowed",
        "permissions",
        "transparency",
        "running",
    ),
]


def test_every_check_is_told_and_nothing_is_changed(data: Path) -> None:
    before = bytes_of(data)
    ran = dnam("doctor", "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert bytes_of(data) == before
    told = [line[4:].partition(":")[0] for line in ran.out.splitlines() if not line.startswith("      ")]
    assert told[:-1] == CHECKED
    assert ran.out.endswith("nothing is wrong\n")
    assert "ok  log: 25 events; the last 25 read whole\n" in ran.out


def test_something_wrong_ends_with_1_and_says_what_to_do(data: Path) -> None:
    shutil.rmtree(data / "keys")
    ran = dnam("doctor", "--data", data)
    assert ran.code == 1
    assert "\n!!  log: " in f"\n{ran.out}"
    assert "Put the `keys` folder back" in ran.out
    assert "`dnam verify` looks at everything that needs no key" in ran.out
    assert ran.out.endswith("1 thing wrong\n")


def test_views_that_cannot_be_used_are_wrong_and_no_log_is_to_be_restored_for_them(data: Path) -> None:
    next((data / "views").glob("*/data.mdb")).write_bytes(b"")
    for command in ("doctor", "verify"):
        ran = dnam(command, "--data", data)
        assert ran.code == 1
        assert "the views cannot be used" in ran.out
        assert "restore-backup" not in ran.out + ran.err
        assert "Put it back" not in ran.out + ran.err
        assert "nothing is wrong" not in ran.out
    assert dnam("replay", "--data", data).code == 0
    assert dnam("doctor", "--data", data).code == 0


def test_as_json_a_finding_a_line(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_API_URL", "http://127.0.0.1:1/api")  # nobody is asked: there is no token
    ran = dnam("doctor", "--json", "--data", data)
    assert [" ".join(each) for each in ran.values] == ["check state what do"] * len(ran.values)
    assert [each["check"] for each in ran.values] == CHECKED
    by_name = {each["check"]: each["state"] for each in ran.values}
    assert (by_name["log"], by_name["keys"], by_name["token"]) == ("well", "doubt", "skipped")


def test_an_empty_folder_is_no_failure(tmp_path: Path) -> None:
    ran = dnam("doctor", "--data", tmp_path / "none")
    assert ran.code == 0
    assert not (tmp_path / "none").exists()
    assert "there is no log here yet" in ran.out
    assert "the log could not be read" not in ran.out
