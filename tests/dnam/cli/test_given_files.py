"""Files that somebody names to be written: never a memory's own ones, and what is no regular file stays what it is."""

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from dnam.cli import app
from dnam.cli.command import PATHS
from dnam.discoclaw.file_set import FileSet
from dnam.given_file import write_to, writing_to
from projections.errors import BadRequest
from replay.errors import CannotWrite
from tests.dnam.cli.beside import beside
from tests.dnam.cli.memories import bytes_of, dnam

BEFORE = '{"line":"dnam","of":"the one before"}'

WRITERS = {
    "export": ("export", "--out"),
    "a person's": ("export", "Kim", "--out"),
    "checkpoint": ("checkpoint", "--out"),
    "prove": ("prove", "1", "--out"),
    "audit": ("audit", "Kim", "--html"),
    "diff": ("diff", "--shadow", "next", "--html"),
}


PATHS_GIVEN = {
    **WRITERS,
    "discoclaw": ("export", "--discoclaw"),
    "backup": ("backup",),
    "restore": ("restore-backup",),
    "repair": ("repair", "--from"),
    "import": ("import",),
    "verify": ("verify", "--since"),
}
"""Every command that takes a path, up to it."""


def own_files(data: Path) -> list[Path]:
    return sorted(path for path in data.rglob("*") if path.is_file())


# -- nothing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", PATHS_GIVEN)
def test_an_empty_path_is_said_to_be_one(data: Path, command: str) -> None:
    before = bytes_of(data)
    ran = dnam(*PATHS_GIVEN[command], "", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert " '' names nothing" in ran.err
    assert "folder" not in ran.err
    assert bytes_of(data) == before


def test_among_several_paths_none_is_empty(data: Path, tmp_path: Path) -> None:
    ran = dnam("import", tmp_path, "", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "dnam: PATH… '' names nothing\n"


def test_every_path_is_known_to_be_one() -> None:
    root: Any = get_command(app)  # typer's own click, whose classes have no public name
    found = {
        (name, next((option for option in each.opts if option.startswith("--")), ""))
        for name, command in root.commands.items()
        for each in command.params
        if each.name != "data" and (type(each.type).__name__ == "TyperPath" or each.metavar in PATHS)
    }
    assert found == {(given[0], given[-1] if len(given) > 1 else "") for given in PATHS_GIVEN.values()}


# -- a memory's own --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("own", ["log/000001/data.mdb", "log/CURRENT", "keys/ring-a", "write.lock", "views/new.html"])
def test_what_a_memory_consists_of_is_not_written_over(data: Path, writer: str, own: str) -> None:
    beside(data, "next")
    before = bytes_of(data)
    ran = dnam(*WRITERS[writer], data / own, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert f"{data / own} is inside the memory in {data}" in ran.err
    assert bytes_of(data) == before


def test_every_file_of_a_memory_that_was_used_is_known(data: Path, tmp_path: Path) -> None:
    beside(data, "next")
    dnam("checkpoint", "--data", data)
    dnam("erase", "Kim", "--yes", "--data", data)
    assert dnam("accept-clock", "--yes", "--data", data).code == 0
    dnam("backup", tmp_path / "backup", "--data", data)
    assert dnam("restore-backup", tmp_path / "backup", "--yes", "--data", data).code == 0
    for lock in ("bot-0a1b.lock", "learning.lock", "adopting.lock"):
        (data / lock).touch()
    found = own_files(data)
    assert {path.relative_to(data).parts[0] for path in found} >= {"log", "keys", "views", "shadows", "replaced"}
    for path in found:
        with pytest.raises(BadRequest, match="is inside the memory"):
            write_to(path, "over it")


def test_it_is_known_by_every_spelling(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(data / "log" / "CURRENT")
    (tmp_path / "folder").symlink_to(data)
    monkeypatch.chdir(data / "keys")
    before = bytes_of(data)
    for spelled in ("ring-a", "../keys/ring-a", "../../data/log/CURRENT", "../../link", "../../folder/log/CURRENT"):
        ran = dnam("export", "--out", spelled, "--data", data)
        assert (ran.code, ran.out) == (2, ""), spelled
        assert f"{spelled} is inside the memory in {data}" in ran.err
    assert bytes_of(data) == before


def test_a_folder_that_is_a_link_to_another_disk_is_the_memory_s_too(data: Path, tmp_path: Path) -> None:
    (data / "log").rename(tmp_path / "disk")
    (data / "log").symlink_to(tmp_path / "disk")
    assert dnam("export", "--out", data / "log" / "CURRENT", "--data", data).code == 2


def test_another_memory_and_a_damaged_one_are_not_written_into_either(data: Path, tmp_path: Path) -> None:
    other = shutil.copytree(data, tmp_path / "other")
    assert dnam("export", "--out", data / "keys" / "ring-a", "--data", other).code == 2
    (data / "log" / "CURRENT").unlink()
    with pytest.raises(BadRequest, match="is inside the memory"):
        write_to(data / "log" / "CURRENT", "over it")


def test_a_checkpoint_that_is_refused_makes_no_key(data: Path) -> None:
    before = bytes_of(data)
    assert dnam("checkpoint", "--out", data / "keys" / "kept", "--data", data).code == 2
    assert bytes_of(data) == before


def test_discoclaw_s_files_are_not_put_among_them(data: Path) -> None:
    with pytest.raises(BadRequest, match="is inside the memory"):
        FileSet(data / "shadows").claim()
    ran = dnam("export", "--discoclaw", data / "keys" / "claw", "--data", data)
    assert ran.code == 2
    assert not (data / "keys" / "claw").exists()


def test_beside_them_and_under_such_names_elsewhere_it_is_written(data: Path, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    for path in (data / "a.html", data / "pages.html", tmp_path / "log" / "a.html", tmp_path / "write.txt"):
        assert dnam("audit", "Kim", "--html", path, "--data", data).code == 0
        assert path.read_text().startswith("<!doctype html>")


# -- what is no regular file -----------------------------------------------------------------------------------------


def test_a_fifo_is_written_into_and_stays_one(data: Path, tmp_path: Path) -> None:
    fifo, read = tmp_path / "fifo", []
    os.mkfifo(fifo)
    for arguments in (("export", "--out"), ("checkpoint", "--out"), ("audit", "Kim", "--html")):
        reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
        reader.start()
        assert dnam(*arguments, fifo, "--data", data).code == 0
        assert fifo.is_fifo()
        reader.join(60)
    assert [each[:15] for each in read] == [b'{"line":"dnam",', b"dnam/" + read[1][5:15], b"<!doctype html>"]
    assert [each.name for each in tmp_path.glob(".*.new")] == []


def test_a_reader_of_a_fifo_that_goes_away_is_told(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    descriptor = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    def half() -> None:
        with writing_to(fifo) as file:
            os.close(descriptor)
            file.write(b"half")

    with pytest.raises(CannotWrite, match="fifo cannot be written: Broken pipe"):
        half()
    assert fifo.is_fifo()


def test_a_symlink_stays_and_its_target_is_replaced_in_one_step(data: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "there" / "target.json", tmp_path / "link"
    target.parent.mkdir()
    target.write_text(BEFORE)
    link.symlink_to("there/target.json")
    before = target.stat().st_ino
    assert dnam("export", "--out", link, "--data", data).code == 0
    assert link.is_symlink()
    assert target.read_bytes().startswith(b'{"line":"dnam",')
    assert target.stat().st_ino != before
    target.unlink()
    assert dnam("checkpoint", "--out", link, "--data", data).code == 0
    assert (link.is_symlink(), target.exists()) == (True, True)


@pytest.mark.parametrize(
    "command", [("export",), ("export", "Kim"), ("export", "Kim", "--markdown"), ("prove", "1")], ids=" ".join
)
def test_a_file_that_dnam_did_not_write_stays(data: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    theirs, link = tmp_path / "README.md", tmp_path / "link"
    theirs.write_text("# A project of theirs\n")
    link.symlink_to(theirs)
    for out in (theirs, link):
        ran = dnam(*command, "--out", out, "--data", data)
        assert ran.code == 2
        assert "is there already, and dnam did not write it: name another file" in ran.err
    assert theirs.read_text() == "# A project of theirs\n"
    mine = tmp_path / "mine"
    assert [dnam(*command, "--out", mine, "--data", data).code for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(
    "command",
    [("export", "--out"), ("checkpoint", "--out"), ("prove", "1", "--out"), ("audit", "Kim", "--html")],
    ids=lambda command: command[0],
)
def test_a_file_in_a_folder_that_is_not_there_could_not_be_written(data: Path, command: tuple[str, ...]) -> None:
    ran = dnam(*command, "no/such/folder/file", "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.endswith("dnam: no/such/folder/file cannot be written: No such file or directory\n")


def test_a_broken_off_write_through_a_symlink_leaves_what_was_there(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text(BEFORE)
    link.symlink_to(target)

    def fill() -> None:
        with writing_to(link) as file:
            file.write(b"half")
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        fill()
    assert (target.read_text(), sorted(each.name for each in tmp_path.iterdir())) == (
        BEFORE,
        ["link", "target"],
    )


def test_a_symlink_to_itself_and_a_folder_are_refused(data: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (loop, tmp_path):
        ran = dnam("checkpoint", "--out", path, "--data", data)
        assert (ran.code, ran.out) == (3, "")
    assert loop.is_symlink()
