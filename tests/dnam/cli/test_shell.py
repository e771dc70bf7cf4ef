"""What is the same for every command: help, options, settings, and what opening tells."""

import errno
import os
import shutil
from pathlib import Path

import pytest
from typer.models import CommandInfo, TyperInfo

from dnam.cli import TABLES, app
from tests.dnam.cli.memories import ROOT, dnam, ended, process

SAMPLE = ROOT / "data" / "samples" / "garden-club.json"
COMMANDS = [command for table in TABLES for command in table]


def test_every_command_has_help_and_an_example() -> None:
    for command in COMMANDS:
        ran = dnam(*command.name.split(), "--help")
        assert ran.code == 0
        assert "".join(f"Example: dnam {command.example}".split()) in "".join(ran.out.split())
        assert f"{command.example} ".startswith(f"{command.name} ")
        assert {"--data", "--json"} <= set(ran.out.split())


def test_help_lists_every_command() -> None:
    out = dnam("--help").out
    assert all(f"\n  {command.name.split()[0]} " in out for command in COMMANDS)


def test_version_names_program_log_and_views() -> None:
    value = dnam("--version", "--json").value
    assert list(value) == ["program", "log_format", "views"]
    assert "items@1" in value["views"]
    out = dnam("--version").out
    assert out.startswith(f"dnam {value['program']}\nlog format 1\nviews ")


@pytest.mark.parametrize(
    "arguments", [(), ("bogus",), ("show",), ("show", "a", "b"), ("--bogus",), ("log", "--after", "x")]
)
def test_wrong_use_is_2(arguments: tuple[str, ...]) -> None:
    ran = dnam(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_options_may_stand_before_the_command_and_behind_it(data: Path) -> None:
    behind = dnam("people", "--data", data, "--json")
    assert behind.out
    assert dnam("--data", data, "--json", "people") == behind
    assert dnam("--json", "people", "--data", data) == behind
    assert dnam("--data", "/nowhere", "people", "--json", "--data", data) == behind


def test_the_folder_is_the_option_else_the_setting_else_data(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = dnam("people", "--data", data).out
    assert dnam("people").out == dnam("people", "--data", "").out == people  # ./data, which the fixture made
    monkeypatch.setenv("DNAM_DATA", str(tmp_path / "other"))
    assert dnam("people").out == ""
    shutil.move(data, tmp_path / "other")
    assert dnam("people").out == people


def test_a_setting_that_is_not_allowed_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_DURABLE_MAX_ITEMS", "many")
    ran = dnam("people")
    assert ran.code == 2
    assert ran.err.startswith("dnam: DNAM_DURABLE_MAX_ITEMS: 'many' is not allowed")


def test_importing_the_command_line_reads_and_makes_nothing(tmp_path: Path) -> None:
    ran = ended(process(code="import dnam.cli, sys; print('rich' in sys.modules, 'lmdb' in sys.modules)"))
    assert ran == (0, "False False\n", "")
    assert list(tmp_path.iterdir()) == []


def nested(group: TyperInfo) -> list[CommandInfo]:
    assert group.typer_instance is not None
    return group.typer_instance.registered_commands


def test_the_app_is_the_table() -> None:
    of_one_word = [command.name for command in COMMANDS if " " not in command.name]
    grouped = [f"{group.name} {each.name}" for group in app.registered_groups for each in nested(group)]
    assert [command.name for command in app.registered_commands] == of_one_word
    assert grouped == [command.name for command in COMMANDS if " " in command.name]
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


def test_what_opening_mended_is_told(data: Path) -> None:
    with (data / "keys" / "ring-b").open("ab") as ring:
        ring.write(b"torn")
    (data / "log" / "000099").mkdir()
    ran = dnam("remember", "Ada", "likes figs", "--data", data)
    assert ran.code == 0
    assert "noticed and mended: key ring" in ran.err
    assert "noticed and mended: removed" in ran.err
    assert dnam("remember", "Ada", "likes plums", "--data", data).err == ""


def test_a_context_folder_that_is_none_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_CONTEXT_DIR", str(data / "nowhere"))
    ran = dnam("people", "--data", data)
    assert ran.code == 2
    assert "DNAM_CONTEXT_DIR" in ran.err


@pytest.mark.parametrize("command", [("import", str(SAMPLE)), ("rederive", "--name", "again")])
def test_keys_that_are_on_the_disk_once_are_told_of(
    command: tuple[str, ...], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for is done, and one copy of its keys is enough."""
    monkeypatch.setattr("replay.ring.second_copy._failure_of", lambda _: OSError(errno.EIO, os.strerror(errno.EIO)))
    ran = dnam(*command, "--data", data)
    assert ran.code == 0
    told = [line for line in ran.err.splitlines() if "one copy only" in line]
    assert len(told) == 1, ran.err
    assert told[0].startswith("dnam: the latest keys may be on the disk in one copy only, and the next key has both")
    assert "ring-b: [Errno 5] Input/output error" in told[0]
