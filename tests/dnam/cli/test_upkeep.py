"""replay and verify: what they find, and that they leave what they look at as it was."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import lmdb
import pytest

from dnam.memory import Memory
from projections.fold import Fold
from projections.registry import PROJECTIONS
from replay.builder import rebuild
from replay.errors import EndLost
from replay.pages.form import PAGE_SIZE
from replay.ring.records import SIZE
from replay.store import DiskStore
from tests.dnam.cli.memories import bytes_of, dnam, ended, garden, make, process
from tests.dnam.importers.files import SAMPLE
from tests.dnam.scripted import FakeClock

REPLAY_FIELDS = "events digest"
CHECK_FIELDS = "events equal live rebuilt index unusable views lost"
VERIFY_FIELDS = "events rows root problems views"

INTERRUPTED = """
import os, signal
from replay import builder
bring = builder.bring
def broken_off(*arguments, **options):
    bring(*arguments, **options)
    os.kill(os.getpid(), signal.SIGINT)
builder.bring = broken_off
from dnam.__main__ import main
main()
"""


def flip(folder: Path, table: bytes, *, last: int = 1) -> None:
    """Change one bit in the last bytes of the last entry of a table of the log."""
    current = folder / "log" / (folder / "log" / "CURRENT").read_text().strip()
    with lmdb.open(str(current), max_dbs=64) as environment:
        database = environment.open_db(table, create=False)
        with environment.begin(write=True, db=database) as transaction, transaction.cursor() as cursor:
            assert cursor.last()
            value = bytearray(cursor.value())
            value[-last] ^= 1
            transaction.put(cursor.key(), bytes(value))


def tables(folder: Path) -> list[bytes]:
    current = folder / "log" / (folder / "log" / "CURRENT").read_text().strip()
    with lmdb.open(str(current), max_dbs=64, readonly=True) as environment, environment.begin() as transaction:
        return [key for key, _ in transaction.cursor()]


def test_replay_puts_new_views_in_force_that_say_the_same(data: Path) -> None:
    before, shown = (data / "views" / "CURRENT").read_text(), dnam("show", "Kim", "--json", "--data", data).out
    value = dnam("replay", "--json", "--data", data).value
    assert " ".join(value) == REPLAY_FIELDS
    assert value["events"] == 25
    assert (data / "views" / "CURRENT").read_text() != before
    assert dnam("show", "Kim", "--json", "--data", data).out == shown
    assert dnam("replay", "--data", data).out == f"25 events replayed. Digest of all rows: {value['digest']}\n"


def test_check_compares_digests(data: Path) -> None:
    value = dnam("replay", "--check", "--json", "--data", data).value
    assert " ".join(value) == CHECK_FIELDS
    assert (value["events"], value["equal"], value["live"]) == (25, True, value["rebuilt"])
    assert dnam("replay", "--check", "--data", data).out.startswith("25 events: the views are what a rebuild makes")


def test_check_finds_a_row_that_no_event_made(data: Path) -> None:
    views = data / "views" / (data / "views" / "CURRENT").read_text().strip()
    with lmdb.open(str(views), max_dbs=64) as environment:
        database = environment.open_db(b"accounts@1", create=False)
        with environment.begin(write=True, db=database) as transaction, transaction.cursor() as cursor:
            assert cursor.first()
            assert transaction.delete(cursor.key())
    ran = dnam("replay", "--check", "--data", data)
    assert ran.code == 1
    assert ran.out.startswith("the views differ from a rebuild of 25 events: `dnam replay` makes them anew\n")
    assert dnam("replay", "--check", "--json", "--data", data).value["equal"] is False
    assert dnam("replay", "--data", data).code == 0
    assert dnam("replay", "--check", "--data", data).code == 0


def test_what_only_the_views_still_have_is_not_replayed_away(data: Path) -> None:
    """A body that is gone, and that no event took."""
    current = data / "log" / (data / "log" / "CURRENT").read_text().strip()
    with lmdb.open(str(current), max_dbs=64) as environment:
        database = environment.open_db(b"bodies", create=False)
        with environment.begin(write=True, db=database) as transaction:
            assert transaction.delete((9).to_bytes(8, "big"))
    before = dnam("replay", "--check", "--json", "--data", data)
    lost = "the body of #9 is missing, and no event says that it was dropped"
    assert (before.code, before.value["lost"]) == (1, [9])
    ran = dnam("replay", "--check", "--data", data)
    assert (ran.code, ran.out.startswith(f"{lost}. Run `dnam verify`")) == (1, True)

    ran = dnam("replay", "--data", data)

    assert (ran.code, lost in ran.err, "`dnam repair --from BACKUP`" in ran.err) == (3, True, True)
    assert dnam("replay", "--check", "--json", "--data", data).value == before.value
    shutil.rmtree(data / "views")
    assert dnam("replay", "--data", data).code == 0


def test_what_was_taken_back_is_replayed(data: Path) -> None:
    forgotten = dnam("redact", "#9", "--yes", "--data", data)
    assert forgotten.code == 0, forgotten.err
    assert dnam("replay", "--data", data).code == 0
    assert dnam("replay", "--check", "--json", "--data", data).value["lost"] == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "dnam: broken off: nothing is lost, and the log is as it was: `dnam replay` begins anew\n"),
        (("--check",), ""),
    ],
)
def test_ctrl_c_leaves_everything_as_it_was(data: Path, options: tuple[str, ...], told: str) -> None:
    before = bytes_of(data)
    ran = ended(process("replay", *options, "--data", data, code=INTERRUPTED))
    assert ran == (130, "", f"{told}dnam: interrupted\n")
    assert bytes_of(data) == before


async def test_an_open_memory_goes_on_and_sees_the_new_views(data: Path) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        ran = await asyncio.to_thread(lambda: ended(process("replay", "--data", data)))
        assert (ran.code, ran.err) == (0, "")
        await memory.remember("100", "plays the harp", platform="discord")
        assert len(await memory.show("100", platform="discord")) == 3
    assert dnam("replay", "--check", "--data", data).code == 0


def test_verify_says_what_it_looked_at(data: Path) -> None:
    value = dnam("verify", "--open", "--json", "--data", data).value
    assert " ".join(value) == VERIFY_FIELDS
    assert (value["events"], value["problems"]) == (25, [])
    assert value["root"] == dnam("stats", "--json", "--data", data).value["root"]
    out = dnam("verify", "--data", data).out
    assert out == f"25 events and {value['rows']} rows, root {value['root']}: all as it was written\n"


@pytest.mark.parametrize("table", [b"headers", b"bodies"])
def test_a_flipped_bit_is_named_by_the_seq_of_its_event(data: Path, table: bytes) -> None:
    assert table in tables(data)
    flip(data, table)
    ran = dnam("verify", "--data", data)
    assert ran.code == 1
    assert any(line.startswith("#25: ") for line in ran.out.splitlines())
    assert " found" in ran.out.splitlines()[-1]
    problems = dnam("verify", "--json", "--data", data).value["problems"]
    assert all(list(each) == ["seq", "what"] for each in problems)
    assert 25 in {each["seq"] for each in problems}


def test_views_that_cannot_be_opened_are_a_finding(data: Path) -> None:
    views = data / "views" / (data / "views" / "CURRENT").read_text().strip() / "data.mdb"
    views.write_bytes(b"no database")
    ran = dnam("verify", "--data", data)
    assert ran.code == 1
    assert "the views cannot be used" in ran.out
    assert dnam("replay", "--data", data).code == 0
    assert dnam("verify", "--data", data).code == 0


def test_nothing_here_is_not_told_to_be_well(tmp_path: Path) -> None:
    for arguments in (("replay",), ("replay", "--check"), ("verify",)):
        ran = dnam(*arguments, "--data", tmp_path / "none")
        assert (ran.code, ran.out) == (3, "")
        assert "there is no log in" in ran.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", [("people",), ("log",), ("stats",), ("learn",), ("learn", "--json")])
def test_who_looks_or_learns_where_nothing_is_has_an_empty_answer(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = dnam(*command, "--data", tmp_path / "none")
    assert ran.code == 0
    assert ran.err.startswith("dnam: nothing remembered here yet: there is no log in ")
    if command[0] == "learn":
        empty = dict.fromkeys(("extractions", "summaries", "events"), 0)
        assert (json.loads(ran.out).items() >= empty.items()) if ran.out else len(command) == 1
    assert not (tmp_path / "none").exists()
    named = dnam("learn", "--user", "Kim", "--data", tmp_path / "none")
    assert (named.code, "'Kim' is not known here" in named.err) == (2, True)


@pytest.mark.parametrize(
    "command",
    [("people",), ("stats",), ("learn",), ("verify",), ("replay",), ("import", "--audience", "guild", SAMPLE)],
    ids=lambda each: str(each[0]),
)
def test_a_file_in_place_of_the_log_is_told_by_every_command(tmp_path: Path, command: tuple[str | Path, ...]) -> None:
    data = tmp_path / "d"
    data.mkdir()
    (data / "log").write_text("mine")
    ran = dnam(*command, "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == f"dnam: {data / 'log'} is a file, and dnam keeps a folder there: move it away\n"
    assert [each.name for each in data.iterdir()] == ["log"]


@pytest.mark.parametrize("harm", ["cut short", "a page overwritten", "no file", "CURRENT"])
def test_a_check_of_views_that_cannot_be_used_finds_something(data: Path, harm: str) -> None:
    views = data / "views" / (data / "views" / "CURRENT").read_text().strip() / "data.mdb"
    if harm == "cut short":
        os.truncate(views, 8192)
    elif harm == "a page overwritten":
        content = bytearray(views.read_bytes())
        content[0 : 4 * 4096] = b"x" * (4 * 4096)
        views.write_bytes(content)
    elif harm == "no file":
        views.unlink()
    else:
        (data / "views" / "CURRENT").write_text("nonsense")
    ran = dnam("replay", "--check", "--data", data)
    assert ran.code == 1
    first, last = ran.out.splitlines()
    assert first.startswith("the views on disk cannot be used: ")
    assert last == "`dnam replay` makes them anew, from 25 events"
    ran = dnam("replay", "--check", "--json", "--data", data)
    assert (ran.code, ran.value["equal"], ran.value["index"]) == (1, False, None)
    assert ran.value["unusable"] in first
    assert dnam("replay", "--data", data).code == 0
    ran = dnam("replay", "--check", "--json", "--data", data)
    assert (ran.code, ran.value["equal"], ran.value["unusable"]) == (0, True, None)


def test_a_check_without_views_says_that_there_are_none(data: Path) -> None:
    shutil.rmtree(data / "views")
    ran = dnam("replay", "--check", "--data", data)
    assert ran.code == 0
    assert "no views are on disk" in ran.out
    value = dnam("replay", "--check", "--json", "--data", data).value
    assert (value["equal"], value["unusable"]) == (True, None)


def test_verify_says_what_to_do_about_what_it_found(data: Path) -> None:
    assert dnam("verify", "--data", data).err == ""
    ring = data / "keys" / "ring-a"
    whole = ring.read_bytes()
    ring.write_bytes(whole[:-20])
    mends = "dnam: what either copy of the key ring holds is not lost: the next command that writes mends the other\n"
    assert dnam("verify", "--data", data).err == mends
    assert dnam("verify", "--json", "--data", data).err == mends
    for copy in ("ring-a", "ring-b"):
        (data / "keys" / copy).write_bytes(whole[: 3 * SIZE])
    assert dnam("verify", "--data", data).err.splitlines() == [
        "dnam: keys are in no backup without --with-keys: put the `keys` folder back from where you keep it"
    ]
    for copy in ("ring-a", "ring-b"):
        (data / "keys" / copy).write_bytes(whole)
    flip(data, b"bodies")
    assert dnam("verify", "--data", data).err.splitlines() == [
        "dnam: what is wrong with events is put right from a backup: `dnam repair --from BACKUP`"
    ]


def test_verify_says_that_views_are_built_again(data: Path) -> None:
    views = next((data / "views").glob("*/data.mdb"))
    views.write_bytes(views.read_bytes()[: 2 * PAGE_SIZE].ljust(views.stat().st_size, b"\0"))
    ran = dnam("verify", "--data", data)
    assert (ran.code, ran.err) == (1, "dnam: views hold nothing of their own: `dnam replay` builds them again\n")
    assert dnam("replay", "--data", data).code == 0
    assert dnam("verify", "--data", data).err == ""


@pytest.mark.parametrize("is_there", [True, False])
def test_verify_says_that_there_are_no_views_and_who_builds_them(data: Path, *, is_there: bool) -> None:
    current = data / "views" / "CURRENT"
    current.write_text("") if is_there else current.unlink()
    before = bytes_of(data)
    ran = dnam("verify", "--data", data)
    assert (ran.code, ran.err.startswith("dnam: there are no views here")) == (0, True)
    assert "`dnam replay` builds them" in ran.err
    assert bytes_of(data) == before
    assert dnam("replay", "--data", data).code == 0
    assert dnam("verify", "--data", data).err == ""


def garble(folder: Path) -> None:
    for copy in ("ring-a", "ring-b"):
        (folder / "keys" / copy).write_bytes(b"\x5a" * 300)


KEYLESS: dict[str, tuple[Callable[[Path], None], str]] = {
    "no folder": (lambda folder: shutil.rmtree(folder / "keys"), "and no key ring in"),
    "garbage": (garble, "both copies of the key ring are damaged"),
}


@pytest.mark.parametrize("how", KEYLESS)
def test_without_a_key_ring_all_that_needs_no_key_is_verified(data: Path, how: str) -> None:
    harm, said = KEYLESS[how]
    whole = dnam("verify", "--json", "--data", data).value
    harm(data)
    before = bytes_of(data)
    for options in ((), ("--open",)):
        value = (ran := dnam("verify", *options, "--json", "--data", data)).value
        assert (ran.code, value["events"], value["root"]) == (1, 25, whole["root"])
        (problem,) = value["problems"]
        assert (problem["seq"], said in problem["what"], "Put the `keys` folder back" in problem["what"]) == (
            0,
            True,
            True,
        )
    flip(data, b"bodies")
    assert {each["seq"] for each in dnam("verify", "--json", "--data", data).value["problems"]} == {0, 25}
    flip(data, b"bodies")
    assert bytes_of(data).keys() == before.keys()


@pytest.mark.parametrize("how", KEYLESS)
def test_without_a_key_ring_events_are_counted_by_tag_and_nothing_else_is_told(data: Path, how: str) -> None:
    harm, said = KEYLESS[how]
    whole = dnam("stats", "--json", "--data", data).value
    harm(data)
    ran = dnam("stats", "--json", "--data", data)
    assert (ran.code, said in ran.err) == (3, True)
    counted = {name: whole[name] for name in ("events", "tags", "head", "root")}
    assert said in ran.value["error"]["message"]
    assert {**ran.value, "error": None} == {**dict.fromkeys(whole), **counted, "error": None}
    assert ["message.heard", "6"] in [line.split() for line in dnam("stats", "--data", data).out.splitlines()]
    assert dnam("stats", "--at", "3", "--data", data).out == ""
    for command in (("log",), ("people",), ("remember", "Kim", "a word"), ("replay",)):
        ran = dnam(*command, "--data", data)
        assert (ran.code, ran.out, said in ran.err) == (3, "", True)


def built_by(data: Path, version: int) -> None:
    """The views of a dnam that has another version of a projection."""
    fold = Fold(tuple(replace(each, version=version) if each.name == "config" else each for each in PROJECTIONS))
    store = DiskStore(data, fold, writable=True)
    try:
        rebuild(store, fold)
    finally:
        store.close()


OTHERS = {
    "earlier": (
        0,
        "the views are of an earlier version (config@1 is not there), and neither used nor compared: the next command "
        "that writes builds them anew, and so does `dnam replay`",
    ),
    "newer": (
        9,
        "the views are of a newer version (config@9 is there; config@1 is not there), and neither used nor compared: "
        "this dnam can read what is here, and must not write; install the newer one, or remove the folder `views`",
    ),
}


@pytest.mark.parametrize("version", OTHERS)
def test_views_of_another_version_are_no_damage(data: Path, version: str) -> None:
    number, told = OTHERS[version]
    built_by(data, number)
    before = bytes_of(data)
    ran = dnam("verify", "--data", data)
    assert (ran.code, ran.err) == (0, f"dnam: {told}\n")
    assert ran.out.endswith(": all as it was written\n")
    value = dnam("verify", "--json", "--data", data).value
    assert (value["problems"], value["views"]) == ([], version)
    ran = dnam("replay", "--check", "--data", data)
    assert (ran.code, ran.err) == (0, f"dnam: {told}\n")
    assert ran.out.startswith("25 events: what is folded from the log is what a rebuild makes of them")
    value = dnam("replay", "--check", "--json", "--data", data).value
    assert (value["equal"], value["index"], value["unusable"], value["views"]) == (True, None, None, version)
    ran = dnam("doctor", "--data", data)
    assert (ran.code, f"log: {told}" in ran.out) == (int(version == "newer"), True)
    assert bytes_of(data) == before
    flip(data, b"bodies")
    ran = dnam("verify", "--data", data)
    assert (ran.code, "#25: the body of this" in ran.out, told in ran.err) == (1, True, True)


def test_views_of_an_earlier_version_are_built_anew_by_who_writes(data: Path) -> None:
    number, told = OTHERS["earlier"]
    built_by(data, number)
    ran = dnam("remember", "Kim", "plays the harp", "--data", data)
    assert (ran.code, ran.err) == (0, f"dnam: noticed and mended: {told}\n")
    ran = dnam("verify", "--json", "--data", data)
    assert (ran.value["views"], ran.err) == ("current", "")


@pytest.mark.parametrize("version", [0, 1, 9])
def test_views_of_another_log_are_a_finding_whatever_their_version(data: Path, tmp_path: Path, version: int) -> None:
    make(tmp_path / "other", garden)
    built_by(tmp_path / "other", version)
    shutil.rmtree(data / "views")
    shutil.copytree(tmp_path / "other" / "views", data / "views")
    ran = dnam("verify", "--data", data)
    assert (ran.code, "views: they are of another log" in ran.out) == (1, True)
    assert dnam("verify", "--json", "--data", data).value["views"] == "unusable"
    assert dnam("replay", "--check", "--data", data).code == 1
    ran = dnam("doctor", "--data", data)
    assert (ran.code, "views: they are of another log" in ran.out) == (1, True)


def test_a_table_that_was_lost_is_damage_and_no_other_version(data: Path) -> None:
    views = data / "views" / (data / "views" / "CURRENT").read_text().strip()
    with lmdb.open(str(views), max_dbs=64) as environment:
        table = environment.open_db(b"config@1", create=False)
        with environment.begin(write=True) as transaction:
            transaction.drop(table)
    for command in (("verify",), ("replay", "--check"), ("doctor",)):
        ran = dnam(*command, "--data", data)
        assert (ran.code, "the views " in ran.out, "cannot be used" in ran.out) == (1, True, True)
        assert "config@1 is lost" in ran.out
    ran = dnam("remember", "Kim", "plays the harp", "--data", data)
    assert (ran.code, ran.err.startswith("dnam: noticed and mended: the views cannot be used")) == (0, True)
    assert dnam("verify", "--data", data).code == 0


@pytest.fixture
def cut(data: Path, tmp_path: Path) -> Path:
    """The memory with an older copy of its log put in the place of a longer one, of which the views were made."""
    shutil.copytree(data / "log", tmp_path / "older")
    make(data, lambda memory: memory.heard("100", "so long", platform="discord", key="late"))
    shutil.rmtree(data / "log")
    shutil.copytree(tmp_path / "older", data / "log")
    return data


LOST = "its end is lost, or an older copy of it was put in its place"


def test_a_log_that_lost_its_end_is_told_by_whoever_looks(cut: Path, tmp_path: Path) -> None:
    commands = (("people",), ("show", "Kim"), ("stats",), ("replay", "--check"), ("backup", tmp_path / "copy"))
    for command in commands:
        ran = dnam(*command, "--data", cut)
        assert (ran.code, ran.err.count(LOST)) == (int("--check" in command), 1), command
    for command in (("verify",), ("doctor",)):
        ran = dnam(*command, "--data", cut)
        assert (ran.code, ran.out.count(LOST)) == (1, 1), command


def test_a_log_that_lost_its_end_is_not_written_to_before_it_is_accepted(cut: Path) -> None:
    refused = (("remember", "Kim", "plays the harp"), ("import", SAMPLE), ("chat", "--as", "Kim"), ("checkpoint",))
    for _ in range(2):
        for command in refused:
            ran = dnam(*command, "--data", cut, given="hello\n")
            assert (ran.code, ran.err.count(LOST)) == (3, 1), command
    ran = dnam("replay", "--data", cut)
    assert (ran.code, ran.err.count(LOST), "pass --yes" in ran.err) == (2, 1, True)
    assert dnam("verify", "--data", cut).code == 1
    ran = dnam("replay", "--yes", "--data", cut)
    assert (ran.code, ran.err.count(LOST)) == (0, 1)
    assert dnam("verify", "--data", cut).code == 0
    assert dnam("remember", "Kim", "plays the harp", "--data", cut).code == 0


def test_somebody_who_is_asked_may_leave_a_log_that_lost_its_end_as_it_is(
    cut: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bytes_of(cut)
    monkeypatch.setattr("dnam.cli.screen.can_be_asked", lambda: True)
    ran = dnam("replay", "--data", cut, given="n\n")
    assert (ran.code, "nothing was changed" in ran.err + ran.out) == (1, True)
    assert bytes_of(cut) == before


def test_the_library_says_that_a_log_lost_its_end(cut: Path) -> None:
    async def asked() -> None:
        async with Memory.open(cut, clock=FakeClock()) as memory:
            assert LOST in str(memory.stopped)
            with pytest.raises(EndLost, match=LOST):
                await memory.remember(await memory.person("100", platform="discord"), "plays the harp")

    asyncio.run(asked())
