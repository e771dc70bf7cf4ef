"""backup, restore-backup and repair: what they say, what they ask, and what they refuse."""

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import termios
import time
from pathlib import Path

import lmdb
import pytest
from freezegun import freeze_time

from dnam.cli import backing, repairing
from dnam.cli.backing import _size
from dnam.memory import Memory
from projections.decisions.meet import Account
from replay import lmdb_file
from replay.backups.backup import Backup
from replay.engine import Engine
from replay.erasure import erase
from replay.history import seq_key
from replay.pages.form import PAGE_SIZE
from replay.ring.records import SIZE
from replay.ring.wrapped import Wrapping, unwrapped
from tests.dnam.cli.memories import ROOT, bytes_of, dnam, ended, garden, make, process
from tests.replay.keeping import cheap_wrapping, damage
from tests.replay.stage import FakeClock, handle_of
from tests.replay.test_pages import spoil

BACKUP_FIELDS = "place log run events new dropped facts root bytes_shipped bytes_total keys"
RESTORE_FIELDS = "events again size root origin replaced unopened"
REPAIR_FIELDS = "repaired events root problems"
CHECK_FIELDS = "log size root made run format keys facts"
PASSPHRASE = "correct horse"
ADA = Account("discord", "200", "Ada")


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that are wrapped in a blink."""
    monkeypatch.setattr(Wrapping, "__new__", cheap_wrapping)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


class Terminal:
    """Somebody who types these passphrases, one after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *typed: str) -> None:
        self._typed = list(typed)
        self.prompts: list[str] = []
        monkeypatch.setattr("getpass.getpass", self._asked)
        monkeypatch.setattr(backing, "_in_a_terminal", lambda: True)

    def _asked(self, prompt: str, stream: object = None) -> str:
        self.prompts.append(prompt)
        return self._typed.pop(0)


# -- backup --------------------------------------------------------------------------------------------------------


def test_a_backup_says_what_it_wrote_and_that_it_cannot_be_opened_alone(data: Path, place: Path) -> None:
    ran = dnam("backup", place, "--data", data)
    assert ran.code == 0
    assert ran.out.startswith(f"backup 1 in {place}: 25 events, 25 of them new; ")
    assert "it cannot be opened alone" in ran.err
    again = dnam("backup", place, "--json", "--data", data).value
    assert " ".join(again) == BACKUP_FIELDS
    assert (again["events"], again["new"], again["run"], again["keys"]) == (25, 0, 2, False)
    assert again["root"] == dnam("verify", "--json", "--data", data).value["root"]


def test_a_backup_tells_how_many_bodies_it_dropped(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    with Engine.open(data, clock=FakeClock()) as engine:
        erase(engine, handle_of(engine, ADA))
    assert " bodies dropped; " in dnam("backup", place, "--data", data).out


def test_a_first_backup_on_a_full_disk_says_that_what_it_leaves_is_none(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("replay.backups.backing_up.write_manifest", full)
        ran = dnam("backup", place, "--data", data)
    none, why = ran.err.splitlines()
    assert (ran.code, none) == (
        3, f"dnam: what lies in {place} is no backup: nothing can be restored from it. Remove it, or try again there"
    )  # fmt: skip
    assert "is full" in why
    assert dnam("restore-backup", place, "--check", "--data", data).code == 3
    assert dnam("backup", place, "--data", data).code == 0
    with monkeypatch.context() as patch:
        patch.setattr("replay.backups.backing_up.write_manifest", full)
        ran = dnam("backup", place, "--data", data)
    assert (ran.code, ran.err.count("\n")) == (3, 1), "the one that was there is whole"
    assert dnam("restore-backup", place, "--check", "--data", data).code == 0


def test_what_another_process_writes_to_is_not_spoken_ill_of(data: Path, place: Path) -> None:
    place.mkdir()
    with (place / "backup.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = dnam("backup", place, "--data", data)
    assert (ran.code, ran.err.count("\n")) == (3, 1)
    assert "another process is writing" in ran.err


def test_sizes_are_for_people() -> None:
    assert [_size(each) for each in (0, 1023, 1024, 1536 * 1024, 5 << 30, 3 << 40)] == [
        "0 bytes", "1023 bytes", "1.0 KiB", "1.5 MiB", "5.0 GiB", "3072.0 GiB",
    ]  # fmt: skip


def test_keys_come_with_a_passphrase_from_the_setting(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    ran = dnam("backup", place, "--with-keys", "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert (place / "keys.json").exists()
    refused = dnam("backup", place, "--data", data)
    assert refused.code == 2
    assert "say --with-keys again, or --without-keys" in refused.err
    assert dnam("backup", place, "--without-keys", "--data", data).code == 0
    assert not (place / "keys.json").exists()
    shown = dnam("settings", "--json").out
    assert PASSPHRASE not in shown


def test_a_passphrase_is_asked_for_twice(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(monkeypatch, PASSPHRASE, f" {PASSPHRASE} ")
    assert dnam("backup", place, "--with-keys", "--data", data).code == 0
    assert len(terminal.prompts) == 2
    Terminal(monkeypatch, PASSPHRASE, "correct house")
    differ = dnam("backup", place, "--with-keys", "--data", data)
    assert (differ.code, "the two passphrases differ" in differ.err) == (2, True)
    Terminal(monkeypatch, "short")
    short = dnam("backup", place, "--with-keys", "--data", data)
    assert (short.code, "8 or more characters" in short.err) == (2, True)


def test_in_a_real_terminal_it_is_not_echoed(data: Path, place: Path) -> None:
    ours, theirs = os.openpty()

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    code = "from dnam.__main__ import main; main()"
    command = [sys.executable, "-c", code, "backup", str(place), "--with-keys", "--data", str(data)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    started = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, preexec_fn=own_terminal
    )
    os.close(theirs)
    said = b""
    for prompt in (b"Passphrase of the keys in the backup: ", b"The same again: "):
        while not said.endswith(prompt):
            said += os.read(ours, 1000)
        os.write(ours, PASSPHRASE.encode() + b"\n")
    while b"root" not in said:
        said += os.read(ours, 1000)
    assert started.wait(60) == 0
    os.close(ours)
    assert PASSPHRASE.encode() not in said
    assert unwrapped(place / "keys.json", PASSPHRASE, Backup(place).manifest.log)


def test_without_a_terminal_the_setting_is_named(data: Path, place: Path) -> None:
    ran = dnam("backup", place, "--with-keys", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "set DNAM_BACKUP_PASSPHRASE" in ran.err
    assert not place.exists()


def test_a_place_that_is_something_else_is_refused(data: Path, place: Path, tmp_path: Path) -> None:
    place.mkdir()
    (place / "photo.jpg").write_bytes(b"x")
    ran = dnam("backup", place, "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert "choose an empty folder" in ran.err
    assert dnam("backup", data / "inside", "--data", data).code == 2
    assert dnam("backup", place, "--data", tmp_path / "none").code == 3


def test_a_backup_changes_nothing_in_the_memory(data: Path, place: Path) -> None:
    before = bytes_of(data)
    dnam("backup", place, "--data", data)
    assert bytes_of(data) == before


def test_a_place_where_no_folder_can_be_made_is_told(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = dnam("backup", tmp_path / "file" / "x", "--data", data)
    assert (ran.code, "[Errno" in ran.err) == (3, False)
    assert f"the folder {tmp_path / 'file' / 'x'} cannot be made there: choose another place" in ran.err


# -- restore-backup ------------------------------------------------------------------------------------------------


def test_a_check_says_what_the_backup_is(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    out = dnam("restore-backup", place, "--check", "--data", data).out
    assert out.endswith("all as it was written\n")
    assert "without keys: 25 events" in out
    value = dnam("restore-backup", place, "--check", "--json", "--data", data).value
    assert " ".join(value) == CHECK_FIELDS
    os.truncate(next((place / "events").iterdir()), 700)
    ran = dnam("restore-backup", place, "--check", "--data", data)
    assert (ran.code, ran.out) == (1, "")
    assert "was cut to 700" in ran.err


def test_a_check_says_how_far_a_moment_goes_and_refuses_one_that_is_none(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    out = dnam("restore-backup", place, "--check", "--at", "7", "--data", data).out
    assert "all as it was written\n#1 to #9 of it, recorded up to 2023-11-14 22:" in out
    assert out.endswith(", would be restored with this --at\n")
    value = dnam("restore-backup", place, "--check", "--at", "7", "--json", "--data", data).value
    assert " ".join(value) == f"{CHECK_FIELDS} until"
    assert value["until"] == 9  # the decision of #7 ends there
    for at, why in (
        ("99", "no event #99 in the backup"),
        ("2023", "--at 2023: a number alone is taken for a seq; a date is written as 2023-12-31\n"),
        ("2001-01-01", "an empty log"),
        ("soon", "is no moment"),
    ):
        ran = dnam("restore-backup", place, "--check", "--at", at, "--data", data)
        assert (ran.code, ran.out) == (2, "")
        assert why in ran.err


@pytest.mark.parametrize("harm", ["a bit", "removed"])
@pytest.mark.parametrize("passphrase", ["", PASSPHRASE])
def test_a_check_finds_keys_that_are_damaged_or_gone(
    data: Path, place: Path, harm: str, passphrase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", passphrase)
    sound = dnam("restore-backup", place, "--check", "--data", data)
    assert (sound.code, "under a passphrase that opens them:" in sound.out) == (0, bool(passphrase))
    keys = place / "keys.json"
    whole = keys.read_bytes()
    keys.write_bytes(whole[:300] + bytes([whole[300] ^ 1]) + whole[301:])
    if harm == "removed":
        keys.unlink()
    ran = dnam("restore-backup", place, "--check", "--data", data)
    assert (ran.code, ran.out, str(keys) in ran.err) == (1, "", True)


def test_a_log_that_current_does_not_name_is_moved_aside(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    dnam("remember", "Kim", "said after the backup was made", "--data", data)
    log = (data / "log" / "000001" / "data.mdb").read_bytes()
    (data / "log" / "CURRENT").write_text("000003\n")
    ran = dnam("restore-backup", place, "--yes", "--data", data)
    assert (ran.code, f"lies in {data / 'replaced' / '000001'}." in ran.out) == (0, True)
    assert (data / "replaced" / "000001" / "log" / "000001" / "data.mdb").read_bytes() == log


def test_a_restored_memory_answers_as_before(
    data: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    shown = dnam("show", "Kim", "--json", "--data", data).out
    ran = dnam("restore-backup", place, "--data", tmp_path / "new")
    assert ran.code == 0
    assert ran.out.startswith(f"restored #1 to #25 into {tmp_path / 'new'}\n25 events, root ")
    assert "It goes on as a log of its own: dnam/" in ran.out
    assert "what was erased or redacted after" in ran.err
    assert dnam("show", "Kim", "--json", "--data", tmp_path / "new").out == shown
    for arguments in (("verify", "--open"), ("replay", "--check")):
        assert dnam(*arguments, "--data", tmp_path / "new").code == 0


def test_a_log_that_is_there_is_asked_about(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dnam("backup", place, "--data", data)
    before = bytes_of(data)
    refused = dnam("restore-backup", place, "--at", "5", "--data", data)
    assert refused.code == 2
    assert "holds a log of 25 events. It is moved aside, and #1 to #" in refused.err
    assert "pass --yes" in refused.err
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    declined = dnam("restore-backup", place, "--data", data)
    assert (declined.code, declined.out) == (0, "")
    assert "nothing was changed" in declined.err
    assert bytes_of(data) == before


def test_a_moment_is_restored_and_the_old_log_kept(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    value = dnam("restore-backup", place, "--at", "5", "--yes", "--json", "--data", data).value
    assert " ".join(value) == RESTORE_FIELDS
    assert 5 <= value["events"] == value["size"] - value["again"] < 25
    assert value["again"] == 1, "what was forgotten since"
    assert value["replaced"] == str(data / "replaced" / "000001")
    assert dnam("verify", "--open", "--data", data).code == 0
    ran = dnam("backup", place, "--data", data)
    assert (ran.code, "Back it up to another place" in ran.err) == (3, True)
    said = dnam("restore-backup", place, "--yes", "--data", data).out
    assert f"The log that was there lies in {data / 'replaced' / '000002'}. Remove it when" in said


def test_what_was_erased_since_is_recorded_anew(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    with Engine.open(data, clock=FakeClock()) as engine:
        erase(engine, handle_of(engine, ADA))
    dnam("backup", place, "--data", data)
    asked = dnam("restore-backup", place, "--at", "20", "--data", data)
    assert "Recorded anew behind them: 1 later erasure, redaction or opt-out at the most." in asked.err
    ran = dnam("restore-backup", place, "--at", "20", "--yes", "--data", data)
    assert ", and 2 later events that take something back recorded anew behind them\n" in ran.out
    assert dnam("show", "Ada", "--data", data).code == 2
    assert dnam("verify", "--open", "--data", data).code == 0
    assert dnam("replay", "--check", "--data", data).code == 0


def test_what_was_forgotten_or_set_since_stays_so(data: Path, place: Path) -> None:
    dnam("remember", "Ada", "grows zinnias", "--data", data)
    dnam("backup", place, "--data", data)
    assert "zinnias" in dnam("show", "Ada", "--data", data).out
    assert dnam("forget", "Ada", "grows zinnias", "--data", data).code == 0
    assert dnam("config", "set", "person/Ada", "learn=none", "--data", data).code == 0
    ran = dnam("restore-backup", place, "--yes", "--data", data)
    assert ", and 2 later events that take something back recorded anew behind them\n" in ran.out
    told = "forgotten, kept private, closed to readers, cleared (summaries), or set so that less is learned or kept"
    assert f"and so does what was {told}" in ran.err
    assert "zinnias" not in dnam("show", "Ada", "--data", data).out
    assert "none" in dnam("config", "list", "--data", data).out
    for arguments in (("verify", "--open"), ("replay", "--check")):
        assert dnam(*arguments, "--data", data).code == 0


def test_what_restricted_and_cannot_be_opened_is_told_before_and_after(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    dnam("config", "set", "global", "learn=none", "--data", data)
    dnam("config", "set", "global", "retention_days=30", "--yes", "--data", data)
    assert "none" in dnam("config", "list", "--data", data).out
    for ring in (data / "keys").glob("ring-*"):
        ring.unlink()
    locked = "dnam: 2 events (2 config.set) in the log that is here, which the backup does not have, cannot be opened"
    asked = dnam("restore-backup", place, "--data", data)
    assert (asked.code, locked in asked.err) == (2, True)
    ran = dnam("restore-backup", place, "--yes", "--data", data)
    assert (ran.code, locked in ran.err) == (0, True)
    assert ", in the log that is here, as far as it can be opened; what another copy" in ran.err
    assert ran.err.splitlines()[-1] == (
        "dnam: warning: 2 events (2 config.set) of the log that was there could not be opened, and are not in force. "
        "Look over `dnam config list`, and set again what restricted; forget or keep private again what was. The log "
        f"that was there is kept in {data / 'replaced' / '000001'}"
    )
    assert dnam("config", "list", "--json", "--data", data).out.count("learn") == 0
    assert dnam("config", "set", "global", "learn=none", "--data", data).code == 0


def test_as_json_what_cannot_be_opened_is_counted_by_its_kind(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    dnam("config", "set", "global", "learn=none", "--data", data)
    for ring in (data / "keys").glob("ring-*"):
        ring.unlink()
    ran = dnam("restore-backup", place, "--yes", "--json", "--data", data)
    assert (ran.code, ran.value["unopened"]) == (0, {"config.set": 1})
    assert "dnam: warning: 1 event (1 config.set) of the log that was there could not be opened" in ran.err
    again = dnam("restore-backup", place, "--yes", "--json", "--data", data)
    assert (again.code, again.value["unopened"], "warning" in again.err) == (0, {}, False)


@freeze_time("2026-03-06 12:00")
def test_moments_that_are_none_are_told(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    for when, said in (
        ("1999-01-01", "nothing was recorded by then"),
        ("99", "it ends at #25"),
        ("before the last import", "nothing was ever imported"),
        ("once upon a time", "no moment that I can read"),
    ):
        ran = dnam("restore-backup", place, "--at", when, "--yes", "--data", data)
        assert (ran.code, said in ran.err) == (2, True), when
    future = dnam("restore-backup", place, "--at", "2030-01-01", "--yes", "--data", data)
    assert (future.code, "in the future" in future.err) == (0, True)


def test_a_wrong_passphrase_is_told_and_nothing_replaced(
    data: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    monkeypatch.delenv("DNAM_BACKUP_PASSPHRASE")
    asked = dnam("restore-backup", place, "--data", tmp_path / "new")
    assert (asked.code, "set DNAM_BACKUP_PASSPHRASE" in asked.err) == (2, True)
    terminal = Terminal(monkeypatch, "wrong words")
    ran = dnam("restore-backup", place, "--data", tmp_path / "new")
    assert (ran.code, ran.out, len(terminal.prompts)) == (3, "", 1)
    assert "the passphrase does not open" in ran.err
    assert not (tmp_path / "new").exists()


def test_a_lost_key_is_told_of_by_every_command_and_comes_back_with_the_backup_s(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_BACKUP_PASSPHRASE", PASSPHRASE)
    dnam("backup", place, "--with-keys", "--data", data)
    shown = dnam("show", "Kim", "--json", "--data", data).out
    for ring in (data / "keys").glob("ring-*"):
        whole = ring.read_bytes()
        ring.write_bytes(whole[:SIZE] + bytes(SIZE) + whole[SIZE * 2 :])
    before = bytes_of(data)
    lost = "1 record (#2) cannot be read in either copy. Put the `keys` folder back"
    verified = dnam("verify", "--data", data)
    assert (verified.code, lost in verified.out) == (1, True)
    for arguments in (
        ("show", "Kim"),
        ("remember", "Kim", "likes figs"),
        ("backup", place, "--with-keys"),
    ):
        ran = dnam(*arguments, "--data", data)
        assert (ran.code, ran.out) == (3, "")
        assert lost in ran.err
        assert len(ran.err.splitlines()) == 1
    assert bytes_of(data) == before
    assert dnam("restore-backup", place, "--yes", "--data", data).code == 0
    assert dnam("verify", "--open", "--data", data).code == 0
    assert dnam("show", "Kim", "--json", "--data", data).out == shown


def test_a_lost_key_stays_lost_without_a_backup_s(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    for ring in (data / "keys").glob("ring-*"):
        whole = ring.read_bytes()
        ring.write_bytes(whole[:SIZE] + bytes(SIZE) + whole[SIZE * 2 :])
    before = bytes_of(data)
    ran = dnam("restore-backup", place, "--yes", "--data", data)
    assert (ran.code, "cannot be read in either copy" in ran.err, "Nothing was changed" in ran.err) == (3, True, True)
    assert bytes_of(data) == before


def test_without_any_keys_that_is_told(data: Path, place: Path, tmp_path: Path) -> None:
    dnam("backup", place, "--data", data)
    ran = dnam("restore-backup", place, "--data", tmp_path / "new")
    assert (ran.code, "put the `keys` folder back" in ran.err) == (3, True)
    assert not (tmp_path / "new").exists()


def test_a_log_that_cannot_be_read_is_asked_about_too(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    current = data / "log" / (data / "log" / "CURRENT").read_text().strip()
    (current / "data.mdb").write_bytes(b"no database")
    asked = dnam("restore-backup", place, "--data", data)
    assert "holds a log that cannot be read" in asked.err
    assert dnam("restore-backup", place, "--yes", "--data", data).code == 0
    assert dnam("verify", "--open", "--data", data).code == 0


CHATS = """
import asyncio, sys
from dnam.memory import Memory
async def chat():
    async with Memory.open(sys.argv[1]):
        print("ready", flush=True)
        await asyncio.sleep(60)
asyncio.run(chat())
"""


def test_a_restore_over_a_running_bot_is_refused(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    bot = process(data, code=CHATS)
    assert bot.stdout is not None
    assert bot.stdout.readline() == b"ready\n"
    ran = ended(process("restore-backup", place, "--yes", "--data", data))
    assert (ran.code, ran.out) == (3, "")
    assert f"is open in another process ({bot.pid})" in ran.err
    bot.kill()
    bot.communicate()
    assert ended(process("restore-backup", place, "--yes", "--data", data)).code == 0


def test_no_backup_and_a_truncated_one_replace_nothing(data: Path, place: Path, tmp_path: Path) -> None:
    before = bytes_of(data)
    none = dnam("restore-backup", tmp_path / "none", "--yes", "--data", data)
    there_is_none = f"there is no backup in {tmp_path / 'none'}: there is no such folder"
    assert (none.code, none.err) == (3, f"dnam: {there_is_none}\n")
    (tmp_path / "none").mkdir()
    none = dnam("restore-backup", tmp_path / "none", "--yes", "--data", data)
    assert none.err.endswith(": it has no manifest.json, as a folder has that `dnam backup` wrote\n")
    dnam("backup", place, "--data", data)
    os.truncate(place / "manifest.json", 100)
    cut = dnam("restore-backup", place, "--yes", "--data", data)
    assert (cut.code, "manifest.json cannot be read" in cut.err) == (3, True)
    assert bytes_of(data) == before


# -- repair --------------------------------------------------------------------------------------------------------


def test_damage_is_told_asked_about_and_repaired(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    damage(data, b"bodies", seq_key(7))
    damage(data, b"headers", seq_key(9), 8)
    asked = dnam("repair", "--from", place, "--data", data)
    assert asked.code == 2
    assert "#7: the body of this" in asked.err
    assert "#9: its header is damaged" in asked.err
    assert "Repair 2 events?" in asked.err
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert ran.code == 0
    assert [line[:12] for line in ran.out.splitlines()[:2]] == ["#7: repaired", "#9: repaired"]
    assert ran.out.endswith(": all as it was written\n")
    assert dnam("verify", "--open", "--data", data).code == 0
    assert dnam("replay", "--check", "--data", data).code == 0


def test_a_log_whose_pages_do_not_fit_is_saved_as_far_as_it_can_be_read(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dnam("backup", place, "--data", data)
    page = spoil(data, "log", "bodies", 0)
    refused = dnam("show", "Kim", "--data", data)
    assert refused.code == 3
    assert f"page {page} (bodies): it is not the page that should be there; what cannot be read is" in refused.err
    before = bytes_of(data)
    with monkeypatch.context() as patched:
        patched.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
        assert dnam("repair", "--from", place, "--data", data).code == 1
    assert bytes_of(data) == before
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, ran.out[:12]) == (0, "#1: repaired")
    assert dnam("verify", "--open", "--data", data).code == 0


def test_a_log_that_no_longer_says_what_it_is_is_asked_about_with_its_end(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dnam("backup", place, "--data", data)

    async def more(memory: Memory) -> None:
        await memory.heard("100", "one more word", platform="discord", key="more")

    make(data, more)
    damage(data, b"bodies", seq_key(26))
    spoil(data, "log", "meta", 0)
    before = bytes_of(data)
    asked = dnam("repair", "--from", place, "--data", data)
    assert (asked.code, bytes_of(data)) == (2, before)
    assert "it ends with #26, and the backup with #25\n" in asked.err
    assert "#26: the body of this message.heard is damaged; the backup cannot help\n" in asked.err
    assert "Keep what can be read of the log, which ends with #26, and fetch the rest from the backup?" in asked.err
    with monkeypatch.context() as patched:
        patched.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
        assert dnam("repair", "--from", place, "--data", data).code == 1
    assert bytes_of(data) == before
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, ran.out.startswith("repaired (what the log says of itself is lost, and follows from")) == (
        1,
        True,
    )
    assert ran.out.endswith(": 1 problem left\n")


def test_a_log_whose_first_page_is_gone_is_repaired_with_what_came_after_the_backup(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)

    async def more(memory: Memory) -> None:
        await memory.heard("100", "one more word", platform="discord", key="more")

    make(data, more)
    whole = dnam("log", "--data", data).out
    path = next((data / "log").glob("*/data.mdb"))
    path.write_bytes(bytes(PAGE_SIZE) + path.read_bytes()[PAGE_SIZE:])
    refused = dnam("log", "--data", data)
    assert refused.code == 3
    assert "is not an LMDB file: " in refused.err
    assert "`dnam repair --from BACKUP`, which keeps what can be read of it" in refused.err
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, ran.out.endswith(": all as it was written\n")) == (0, True)
    assert dnam("log", "--data", data).out == whole


def test_a_large_log_that_lmdb_cannot_follow_is_repaired_too(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dnam("backup", place, "--data", data)
    page = spoil(data, "log", "meta", 0)
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, f"page {page} (meta): it is not the page that should be there" in ran.err) == (0, True)
    assert ran.out.endswith(": all as it was written\n")


def test_what_lmdb_says_of_a_log_whose_pages_fit_is_told(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dnam("backup", place, "--data", data)

    def full(*_: object) -> None:
        raise lmdb.ReadersFullError("there is no room for a reader")

    monkeypatch.setattr(repairing, "_asked", full)
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, "there is no room for a reader" in ran.err) == (3, True)


def test_a_repair_that_is_declined_changes_nothing(data: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dnam("backup", place, "--data", data)
    damage(data, b"bodies", seq_key(7))
    before = bytes_of(data)
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    ran = dnam("repair", "--from", place, "--data", data)
    assert (ran.code, ran.out) == (1, "")
    assert bytes_of(data) == before


def test_a_repair_as_json(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    clean = dnam("repair", "--from", place, "--json", "--data", data)
    assert " ".join(clean.value) == REPAIR_FIELDS
    assert (clean.code, clean.value["repaired"], clean.value["problems"]) == (0, [], [])
    damage(data, b"bodies", seq_key(7))
    value = dnam("repair", "--from", place, "--json", "--yes", "--data", data).value
    assert [(each["seq"], each["part"], each["can"]) for each in value["repaired"]] == [(7, "body", True)]
    assert value["problems"] == []


def test_a_clean_log_needs_no_repair_and_a_backup_of_its_own(data: Path, place: Path, tmp_path: Path) -> None:
    dnam("backup", place, "--data", data)
    ran = dnam("repair", "--from", place, "--data", data)
    assert (ran.code, ran.out.endswith(": all as it was written\n")) == (0, True)
    assert dnam("repair", "--from", tmp_path / "none", "--data", data).code == 3
    make(tmp_path / "other", garden)
    ran = dnam("repair", "--from", place, "--data", tmp_path / "other")
    assert (ran.code, "is of another log" in ran.err) == (3, True)


@pytest.mark.parametrize("current", ["000009\n", "\0", None])
def test_current_is_written_anew_without_a_backup(data: Path, current: str | None) -> None:
    before = bytes_of(data)
    path = data / "log" / "CURRENT"
    path.unlink()
    if current is not None:
        path.write_text(current)
    for command in (("show", "Kim"), ("verify",), ("doctor",)):
        ran = dnam(*command, "--data", data)
        assert ran.code != 0
        assert "The log itself is in 000001, and `dnam repair` writes CURRENT anew" in ran.out + ran.err
    assert dnam("repair", "--data", data).code == 2, "it asks"
    ran = dnam("repair", "--yes", "--data", data)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "repaired (CURRENT names 000001 again)")
    assert {name: bytes_of(data)[name] for name in before} == before
    assert dnam("verify", "--data", data).code == 0


def test_current_is_written_anew_and_the_rest_comes_from_a_backup(
    data: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dnam("backup", place, "--data", data)
    damage(data, b"bodies", seq_key(7))
    (data / "log" / "CURRENT").unlink()
    with monkeypatch.context() as patched:
        patched.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
        assert dnam("repair", "--from", place, "--data", data).code == 1
    assert not (data / "log" / "CURRENT").exists()
    value = dnam("repair", "--from", place, "--json", "--yes", "--data", data).value
    assert [(each["seq"], each["part"]) for each in value["repaired"]] == [(0, "current"), (7, "body")]
    assert value["problems"] == []


def test_a_repair_without_a_backup_mends_nothing_but_current_and_keys(data: Path) -> None:
    ran = dnam("repair", "--yes", "--data", data)
    assert (ran.code, "--from BACKUP" in ran.err) == (2, True)


def test_a_copy_of_the_key_ring_is_repaired_from_the_other_without_a_backup(data: Path) -> None:
    whole = bytes_of(data)
    os.truncate(data / "keys" / "ring-b", 100)
    before = bytes_of(data)
    asked = dnam("repair", "--data", data)
    assert (asked.code, "Repair the key ring, one copy from the other? There is no" in asked.err) == (2, True)
    assert bytes_of(data) == before
    ran = dnam("repair", "--yes", "--json", "--data", data)
    assert (ran.code, {each["part"] for each in ran.value["repaired"]}, ran.value["problems"]) == (0, {"ring"}, [])
    assert (data / "keys" / "ring-a").read_bytes() == (data / "keys" / "ring-b").read_bytes()
    assert len((data / "keys" / "ring-b").read_bytes()) == len(whole["keys/ring-b"])
    assert dnam("verify", "--open", "--data", data).code == 0


def test_what_is_damaged_besides_the_key_ring_is_left_for_a_backup(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.truncate(data / "keys" / "ring-b", 100)
    damage(data, b"bodies", seq_key(7))
    before = bytes_of(data)
    with monkeypatch.context() as patched:
        patched.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
        assert dnam("repair", "--data", data).code == 1
    assert bytes_of(data) == before
    ran = dnam("repair", "--yes", "--data", data)
    assert (ran.code, "#7: not repaired" in ran.out) == (1, True)
    assert (data / "keys" / "ring-a").read_bytes() == (data / "keys" / "ring-b").read_bytes()


def test_which_of_two_logs_current_named_is_not_guessed(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    shutil.copytree(data / "log" / "000001", data / "log" / "000002")
    (data / "log" / "CURRENT").unlink()
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, "`dnam restore-backup`" in ran.err) == (3, True)
    assert dnam("restore-backup", place, "--yes", "--data", data).code == 0
    assert sorted(each.name for each in (data / "replaced" / "000001" / "log").iterdir()) == ["000001", "000002"]


def test_where_the_log_is_gone_or_cut_the_messages_name_the_way_out(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    os.truncate(data / "log" / "000001" / "data.mdb", 20480)
    for command in (("show", "Kim"), ("verify",), ("doctor",)):
        ran = dnam(*command, "--data", data)
        assert "`dnam restore-backup BACKUP`" in ran.out + ran.err
    shutil.rmtree(data / "log" / "000001")
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, "[Errno" in ran.err, "`dnam restore-backup`" in ran.err) == (3, False, True)


def test_what_cannot_be_repaired_is_told(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)

    async def more(memory: Memory) -> None:
        await memory.heard("100", "one more word", platform="discord", key="more")

    make(data, more)
    damage(data, b"bodies", seq_key(7))
    damage(data, b"bodies", seq_key(26))
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert ran.code == 1
    assert "#26: the body of this message.heard is damaged; the backup cannot help" in ran.err
    assert "#7: repaired" in ran.out
    assert "#26: not repaired: the body of this" in ran.out
    assert ran.out.endswith(": 1 problem left\n")
    damage(data, b"headers", seq_key(26), 8)
    lost = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (lost.code, "Nothing was changed" in lost.err) == (3, True)


def test_tables_that_follow_from_the_headers_are_made_again(data: Path, place: Path) -> None:
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, ADA))
    assert erased is not None
    dnam("backup", place, "--data", data)
    damage(data, b"erased", erased.vaults[0], None)
    asked = dnam("repair", "--from", place, "--data", data)
    assert "Repair the tables that follow from the headers?" in asked.err
    assert dnam("repair", "--from", place, "--yes", "--data", data).code == 0
    assert dnam("verify", "--data", data).code == 0


def test_a_damaged_copy_of_the_key_ring_is_told_asked_about_and_mended(data: Path, place: Path) -> None:
    dnam("backup", place, "--data", data)
    ring = data / "keys" / "ring-b"
    os.truncate(ring, 20)
    before = bytes_of(data)
    asked = dnam("repair", "--from", place, "--data", data)
    assert (asked.code, f"dnam: key ring: {ring}: 0 damaged records, 20 bytes over" in asked.err) == (2, True)
    assert "Repair the key ring, one copy from the other?" in asked.err
    assert bytes_of(data) == before
    ran = dnam("repair", "--from", place, "--yes", "--data", data)
    assert (ran.code, f"repaired (key ring: {ring}: 0 damaged records, 20 bytes over)\n" in ran.out) == (0, True)
    assert ran.out.endswith(": all as it was written\n")
    os.truncate(ring, 20)
    damage(data, b"bodies", seq_key(7))
    asked = dnam("repair", "--from", place, "--data", data)
    assert "Repair the key ring, one copy from the other and 1 event?" in asked.err
    told = dnam("repair", "--from", place, "--yes", "--json", "--data", data).value
    assert [(each["seq"], each["part"]) for each in told["repaired"]] == [(0, "ring"), (0, "ring"), (7, "body")]
    assert told["problems"] == []
    assert dnam("verify", "--open", "--data", data).code == 0


def test_help_is_fast_to_import() -> None:
    ran = ended(
        process(code="import sys; import dnam.cli; print([m for m in ('lmdb', 'cryptography') if m in sys.modules])")
    )
    assert ran.out == "[]\n"


def test_the_clock_is_the_system_s() -> None:
    assert abs(backing.now() - time.time() * 1000) < 5_000


def test_a_copy_of_the_folder_is_no_backup(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "copy")
    ran = dnam("restore-backup", tmp_path / "copy", "--yes", "--data", data)
    assert (ran.code, "has no manifest.json" in ran.err) == (3, True)
