"""How a command ends: exit codes, one line instead of a traceback, quiet pipes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from dnam.cli.failures import Ending, failures
from projections.errors import BadRequest
from replay import lmdb_file
from replay.errors import Damaged
from tests.dnam.cli.memories import ROOT, Ran, bytes_of, dnam, ended, process
from tests.hanging import HANGS

BROKEN_FOLDERS = ("a file", "another program's", "no ring", "unreadable ring", "another log's ring", "a cut log")


def break_folder(data: Path, how: str) -> None:
    keys, log = data / "keys", data / "log" / (data / "log" / "CURRENT").read_text().strip() / "data.mdb"
    match how:
        case "a file":
            shutil.rmtree(data)
            data.write_text("hello", encoding="utf-8")
        case "another program's":
            shutil.rmtree(data)
            lmdb.open(str(data)).close()
        case "no ring":
            shutil.rmtree(keys)
        case "unreadable ring":
            for each in keys.iterdir():
                each.write_bytes(b"nothing")
        case "another log's ring":
            assert dnam("remember", "Bo", "likes rain", "--new", "--data", data.parent / "other").code == 0
            shutil.rmtree(keys)
            shutil.copytree(data.parent / "other" / "keys", keys)
        case _:
            log.write_bytes(log.read_bytes()[: 4096 * 3])


@pytest.mark.parametrize("how", BROKEN_FOLDERS)
@pytest.mark.parametrize(
    "arguments",
    [("show", "Kim"), ("remember", "Kim", "x"), ("replay",), ("verify",), ("log",)],
    ids=lambda each: each[0],
)
def test_a_folder_that_cannot_be_opened_is_3_and_stays_as_it_is(
    data: Path, how: str, arguments: tuple[str, ...]
) -> None:
    break_folder(data, how)
    before = bytes_of(data) if data.is_dir() else data.read_bytes()
    ran = dnam(*arguments, "--data", data)
    if arguments == ("verify",) and how in ("no ring", "unreadable ring"):
        assert (ran.code, "Put the `keys` folder back" in ran.out) == (1, True), "what needs no key is verified"
        return
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("dnam: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert (bytes_of(data) if data.is_dir() else data.read_bytes()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_3(data: Path) -> None:
    (data / "log").chmod(0)
    try:
        assert dnam("people", "--data", data).code == 3
    finally:
        (data / "log").chmod(0o700)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadRequest("so not"), 2),
        (Damaged("so not"), 3),
        (OSError("so not"), 3),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
)
def test_every_failure_has_its_code_and_one_line(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Ending) as ending, failures():
        raise error
    assert ending.value.exit_code == code
    assert capsys.readouterr().err == {0: "", 130: "dnam: interrupted\n"}.get(code, "dnam: so not\n")


def test_what_lmdb_says_of_a_page_comes_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Ending) as ending, failures():
        raise lmdb.CorruptedError("MDB_CORRUPTED: Located page was wrong type")
    assert ending.value.exit_code == 3
    told = capsys.readouterr().err
    assert told.startswith("dnam: MDB_CORRUPTED: Located page was wrong type: a file of this memory is damaged")
    assert {"`dnam verify`", "`dnam replay`", "`dnam repair --from BACKUP`"} <= set(re.findall("`[^`]*`", told))


def test_a_folder_that_lmdb_gave_up_is_told_of_by_what_the_disk_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody looked into it between the refusal and the next look at whether it still lives."""
    monkeypatch.setattr(lmdb_file, "REFUSED", {tmp_path: "mdb_txn_commit: No space left on device"})
    with pytest.raises(Ending) as ending, failures():
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC: Update of meta page failed")
    assert ending.value.exit_code == 3
    told = capsys.readouterr().err
    assert f"the disk of {tmp_path} refused the end of a commit" in told
    assert "No space left on device" in told
    assert "MDB_PANIC" not in told


def test_what_nobody_expected_stays_a_traceback() -> None:
    with pytest.raises(ZeroDivisionError), failures():
        raise ZeroDivisionError


@pytest.mark.parametrize("arguments", [("log",), ("log", "--json"), ("people",), ("show", "Kim"), ("--help",)])
def test_a_closed_pipe_is_quiet(data: Path, arguments: tuple[str, ...]) -> None:
    with process("--data", data, *arguments) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=HANGS)) == (b"", 0)


AT_ONCE = "import sys; sys.stdout.reconfigure(line_buffering=True); from dnam.__main__ import main; main()"
"""Every line leaves when it is printed, as those behind the first 8 KB do anyway."""


@pytest.mark.parametrize(
    "arguments", [("doctor",), ("verify",), ("diff", "Kim", "--from", "3"), ("replay", "--check"), ("verify", "--json")]
)
def test_a_closed_pipe_hides_nothing_that_a_check_found(data: Path, arguments: tuple[str, ...]) -> None:
    next((data / "views").glob("*/data.mdb")).write_bytes(b"")
    with process("--data", data, *arguments, code=AT_ONCE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        told = started.stderr.read()
        assert (started.wait(timeout=HANGS), b"Broken pipe" in told, b"Traceback" in told) == (1, False, False)


ONE_LINE = f"""
import dnam.cli.logbook as logbook
tell, told = logbook._tell, []
def once(*arguments):
    assert not told, "nobody reads that"
    told.append(arguments)
    tell(*arguments)
logbook._tell = once
{AT_ONCE}
"""


@pytest.mark.parametrize("options", [(), ("--follow",)])
def test_a_log_that_nobody_reads_any_more_is_not_read_to_its_end(data: Path, options: tuple[str, ...]) -> None:
    with process("--data", data, "log", *options, code=ONE_LINE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=HANGS)) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_behind_stdout_is_3(data: Path) -> None:
    command = [sys.executable, "-m", "dnam", "--data", str(data), "people"]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"dnam: ")
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("format", [(), ("--json",)])
def test_what_was_done_is_said_to_be_done_where_it_could_not_be_printed(data: Path, format: tuple[str, ...]) -> None:
    for words in (
        ("remember", "Kim", "I like tea"),
        ("forget", "Kim", "I like tea"),
        ("config", "set", "global", "learn=none"),
        ("compact",),
        ("erase", "Kim", "--yes"),
    ):
        with Path("/dev/full").open("wb") as full, process("--data", data, *format, *words, stdout=full) as started:
            assert started.stderr is not None
            told, code = started.stderr.read().decode(), started.wait(timeout=HANGS)
        assert (code, "Traceback" in told) == (4, False), words
        assert "dnam: it is done, but what there is to say of it could not be printed: " in told
    assert '"name":"Kim"' not in dnam("people", "--json", "--data", data).out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("format", [(), ("--json",)])
def test_a_file_that_was_written_as_told_is_said_to_be_where_nothing_can_be_printed(
    data: Path, tmp_path: Path, format: tuple[str, ...]
) -> None:
    file = tmp_path / "written"
    for words in (("checkpoint", "--out"), ("prove", "1", "--out"), ("audit", "Kim", "--html")):
        file.unlink(missing_ok=True)
        assert untold(data, *format, *words, file) == (
            4,
            f"{file} is written, but what there is to say of it could not be printed: ",
        ), words
        assert file.stat().st_size


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_what_only_a_file_or_stdout_was_to_have_is_not_done_where_that_is_full(data: Path) -> None:
    for words in (
        ("checkpoint",), ("prove", "1"), ("audit", "Kim", "--html", "-"), ("export",), ("export", "Kim"),
        ("export", "Kim", "--markdown"),
    ):  # fmt: skip
        assert untold(data, *words) == (3, "what was printed could not be written: "), words
    for told in (
        ("checkpoint", "--yes", "--out"), ("prove", "1", "--out"), ("audit", "Kim", "--html"), ("export", "--out"),
        ("export", "Kim", "--out"),
    ):  # fmt: skip
        ran = dnam(*told, "/dev/full", "--data", data)
        assert (ran.code, ran.err.rpartition("dnam: ")[2].startswith("/dev/full cannot be written: ")) == (3, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_new_name_of_the_log_is_said_to_be_given_where_nothing_can_be_printed(data: Path) -> None:
    words = "the log has a new name and key, but what there is to say of it could not be printed: "
    assert untold(data, "checkpoint", "--new-origin", "--yes") == (4, words)


def untold(data: Path, *words: str | Path) -> tuple[int, str]:
    """How a command ends that can print nothing, and what it says of that, up to why."""
    with Path("/dev/full").open("wb") as full, process("--data", data, *words, stdout=full) as started:
        assert started.stderr is not None
        told, code = started.stderr.read().decode(), started.wait(timeout=HANGS)
    assert "Traceback" not in told
    return code, told.splitlines()[-1].removeprefix("dnam: ").partition("[")[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_what_was_not_done_is_not_said_to_be_where_nothing_can_be_printed(data: Path) -> None:
    with Path("/dev/full").open("wb") as full, process("--data", data, "forget", "Bo", "x", stdout=full) as started:
        assert started.stderr is not None
        told, code = started.stderr.read().decode(), started.wait(timeout=HANGS)
    assert (code, "could not be printed" in told) == (2, False)


def test_ctrl_c_before_anything_is_loaded_is_130_and_quiet() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "from dnam.__main__ import main\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "main()\n"
    )
    assert ended(process("people", code=code)) == (130, "", "")


def test_closed_streams_and_narrow_encodings_lose_nothing(data: Path) -> None:
    dnam("remember", "Kim", "drinks tea from a Tässchen", "--data", data)
    code = "import sys; sys.stdout.reconfigure(encoding='ascii'); from dnam.__main__ import main; main()"
    ran = ended(process("show", "Kim", "--data", data, code=code))
    assert (ran.code, r"T\xe4sschen" in ran.out) == (0, True)
    closed = "import sys; sys.stdout = sys.stderr = None; from dnam.__main__ import main; main()"
    assert ended(process("show", "Kim", "--data", data, code=closed)) == (3, "", "")
    assert ended(process("config", "list", "--data", data, code=closed)) == (0, "", "")


CLOSED = "standard output is closed"
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "DNAM_TIMEZONE": "UTC"}


def without_stdout(data: Path, *words: str | Path) -> Ran:
    """A command that has no standard output from the start."""
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "dnam", *map(str, words), "--data", str(data)]
    ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False, timeout=HANGS)
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("people",), 3),
        (("people", "--json"), 3),
        (("export",), 3),
        (("verify",), 3),
        (("people", "--help"), 3),
        (("config", "list"), 0),
        (("show", "Nobody"), 2),
        (("remember", "Kim", "plays the harp"), 4),
        (("export", "--out", "all.jsonl"), 4),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_a_standard_output_that_is_closed_from_the_start_cannot_be_printed_to(
    data: Path, words: tuple[str, ...], code: int
) -> None:
    ran = without_stdout(data, *words)
    assert (ran.code, ran.out, CLOSED in ran.err, "Traceback" in ran.err) == (code, "", code > 2, False)
    assert (CLOSED not in ran.err) or ran.err.count("\n") == 1
    if words == ("export",):
        assert ran.err.startswith("dnam: what was printed could not be written: ")
    if words[0] == "remember":
        assert "it is done, but what there is to say of it could not be printed" in ran.err
        assert "plays the harp" in dnam("show", "Kim", "--data", data).out
    assert dnam("verify", "--data", data).code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_chat_whose_answers_cannot_be_printed_has_recorded_what_was_said(data: Path, form: tuple[str, ...]) -> None:
    said = data.parent / "said"
    said.write_text("I play the harp\nwhat do I play?\n", encoding="utf-8")
    for number, out in enumerate((">/dev/full", ">&-")):
        command = f'exec "$@" {out} <{said}'
        words = ["sh", "-c", command, "sh", sys.executable, "-m", "dnam", "chat", *form, "--data", str(data)]
        ran = subprocess.run(words, env=ENVIRONMENT, capture_output=True, check=False, timeout=HANGS)
        told = ran.stderr.decode().splitlines()
        assert (ran.returncode, len(told)) == (4, 3)
        assert all(each.startswith("! this went wrong: [Errno ") for each in told[:-1])
        assert told[-1].startswith(
            "dnam: what was said is recorded, but what there is to say of it could not be printed"
        )
        assert len(dnam("log", "--tag", "message.heard", "--json", "--data", data).values) == 6 + 2 * (number + 1)


def test_the_end_does_not_wait_until_all_that_was_loaded_is_looked_through() -> None:
    """A bot has ten seconds to end in, and finds half of one for that a waste."""
    code = "import atexit, gc; atexit.register(lambda: print('held', gc.get_freeze_count() > 0)); "
    code += "from dnam.__main__ import main; main()"
    command = [sys.executable, "-c", code, "--version"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True, timeout=HANGS)
    assert ran.stdout.splitlines()[-1] == "held True"
