"""`export`, and `import` of what it wrote, on the command line."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from dnam.outfile import writing
from replay.engine import Engine
from tests.dnam.cli.memories import bytes_of, dnam, ended, make, process
from tests.dnam.test_mirror import remember
from tests.replay.stage import FakeClock, digest, says

BEFORE = '{"line":"dnam","of":"the one before"}'

LARGE = 6_000


def rows(data: Path) -> bytes:
    with Engine.open(data, writable=False) as engine:
        return digest(engine)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that takes a moment to export."""
    folder = tmp_path_factory.mktemp("large") / "data"
    with Engine.open(folder, create=True, clock=FakeClock()) as engine:
        for future in [engine.submit(says(f"{number}", "word " * 200)) for number in range(LARGE)]:
            future.result()
    return folder


# -- everything ----------------------------------------------------------------------------------------------------


def test_a_memory_goes_out_and_comes_back(data: Path, tmp_path: Path) -> None:
    out, before = tmp_path / "e.jsonl", bytes_of(data)
    ran = dnam("export", "--data", data, "--out", out)
    assert (ran.code, ran.out, ran.err) == (0, f"Exported 25 events to {out}.\n", "")
    assert bytes_of(data) == before
    assert out.stat().st_mode & 0o777 == 0o600
    came = dnam("import", "--data", tmp_path / "here", out)
    assert (came.code, came.out) == (0, "Took back 25 of 25 events.\n")
    assert rows(tmp_path / "here") == rows(data)
    again = dnam("import", "--data", tmp_path / "here", out, "--json")
    assert again.value == {"imported": {"read": 25, "events": 0, "gaps": 0, "known": 25}}
    assert dnam("verify", "--open", "--data", tmp_path / "here").code == 0
    assert dnam("replay", "--check", "--data", tmp_path / "here").code == 0


def test_to_standard_output_it_is_the_lines_alone(data: Path, tmp_path: Path) -> None:
    printed = ended(process("export", "--data", data))
    kinds = [json.loads(line)["line"] for line in printed.out.splitlines()]
    assert (printed.code, printed.err, kinds[0], kinds[-1]) == (0, "", "dnam", "end")
    assert kinds.count("event") == 25
    (tmp_path / "e.jsonl").write_text(printed.out)
    assert dnam("import", "--data", tmp_path / "here", tmp_path / "e.jsonl").code == 0
    assert rows(tmp_path / "here") == rows(data)


def test_a_reader_that_goes_away_is_no_failure(large: Path) -> None:
    started = process("export", "--data", large)
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.read(10)
    started.stdout.close()
    assert started.stderr.read() == b""
    started.stderr.close()
    assert started.wait(60) == 0


def test_as_json_it_says_what_it_wrote(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    wrote = dnam("export", "--data", data, "--out", out, "--json").value
    assert wrote == {"exported": {"events": 25, "gaps": 0}, "file": str(out)}


def test_without_the_id_key_it_says_what_that_means(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    assert dnam("export", "--data", data, "--out", out, "--no-id-key").code == 0
    assert json.loads(out.read_text().splitlines()[0])["id_key"] is None
    came = dnam("import", "--data", tmp_path / "here", out)
    assert came.code == 0
    assert "is taken for a new one" in came.err
    assert rows(tmp_path / "here") == rows(data)


def test_a_dry_run_counts_and_writes_nothing(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    dnam("export", "--data", data, "--out", out)
    assert dnam("import", "--dry-run", "--data", tmp_path / "here", out).out == "Would take back 25 of 25 events.\n"
    assert not (tmp_path / "here").exists()
    known = dnam("import", "--dry-run", "--data", data, out, "--json").value
    assert known == {"dry_run": {"read": 25, "events": 0, "gaps": 0, "known": 25}}


def test_where_there_is_nothing_nothing_is_written(tmp_path: Path) -> None:
    every: list[list[str | Path]] = [[], ["--discoclaw", tmp_path / "files"], ["--out", tmp_path / "e.jsonl"]]
    for arguments in every:
        ran = dnam("export", "--data", tmp_path / "none", *arguments)
        assert (ran.code, ran.out) == (3, "")
        assert "nothing remembered here yet" in ran.err
    assert list(tmp_path.iterdir()) == []


# -- interrupted ---------------------------------------------------------------------------------------------------


def test_a_broken_off_export_says_what_came_in_and_what_is_missing(data: Path, tmp_path: Path) -> None:
    lines = ended(process("export", "--data", data)).out.splitlines(keepends=True)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(lines[:-8]))
    ran = dnam("import", "--data", tmp_path / "here", cut)
    assert (ran.code, ran.out) == (3, "")
    assert "until then: 19 of 25 events" in ran.err
    assert "breaks off after event 19 of 25: 6 are missing" in ran.err
    assert dnam("verify", "--open", "--data", tmp_path / "here").code == 0
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(lines))
    assert dnam("import", "--data", tmp_path / "here", whole).out == "Took back 6 of 25 events; 19 known already.\n"
    assert rows(tmp_path / "here") == rows(data)


def _begun(started: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Wait until it writes."""
    while started.poll() is None and not any(each.stat().st_size for each in folder.glob(".e.jsonl*")):
        pass


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_export_leaves_no_half_file(large: Path, tmp_path: Path, sent: signal.Signals) -> None:
    out = tmp_path / "e.jsonl"
    out.write_text(BEFORE)
    started = process("export", "--data", large, "--out", out)
    _begun(started, tmp_path)
    started.send_signal(sent)
    ran = ended(started)
    assert out.read_text() == BEFORE
    if sent != signal.SIGKILL:
        assert (ran.code, ran.err) == (128 + sent, "dnam: interrupted\n")
        assert [each.name for each in tmp_path.iterdir()] == ["e.jsonl"]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "e.jsonl"
    out.write_text(BEFORE)

    def fill() -> None:
        with writing(out) as file:
            file.write(b"half")
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        fill()
    assert [each.read_text() for each in tmp_path.iterdir()] == [BEFORE]


# -- one person ----------------------------------------------------------------------------------------------------


def test_of_a_person_it_is_all_that_is_theirs_and_of_nobody_else(data: Path, tmp_path: Path) -> None:
    ran = dnam("export", "--data", data, "Kim")
    theirs = ran.value
    assert [each["name"] for each in theirs["names"]] == ["Kimberly", "Kim"]
    assert [each["text"] for each in theirs["messages"]] == ["good morning", "I prefer tea", "which tea?"]
    assert theirs["messages"][0]["said_iso"] == "2023-11-14T22:13:20.000Z"
    assert {each["text"] for each in theirs["items"]} == {
        "prefers tea over coffee", "builds the bridge project", "hates rain",
    }  # fmt: skip
    assert [each["text"] for each in theirs["direct"][0]["lines"]] == ["which tea?", "Green tea."]
    for other in ("Ada", "Sam", '"200"', "the gate is broken", "They compared teas"):
        assert other not in ran.out
    page = tmp_path / "kim.md"
    wrote = dnam("export", "--data", data, "Kim", "--markdown", "--out", page)
    assert wrote.out == f"Exported Kim: 3 messages, 3 items, 1 direct conversation, to {page}.\n"
    assert page.read_text().startswith("# What is here of Kim\n")
    assert "Ada" not in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["Nobody"], "nobody here goes by 'Nobody'"),
        (["Sam"], "may be any of"),
        (["--markdown"], "name a USER"),
        (["--guild", "Garden"], "goes with --discoclaw"),
        (["Kim", "--markdown", "--json"], "--markdown prints the page where --json prints its value"),
        (["Kim", "--discoclaw", "files"], "without USER"),
        (["--out", ""], "--out '' names nothing to write to"),
        (["Kim", "--out", " "], "--out ' ' names nothing to write to"),
        (["--discoclaw", ""], "--discoclaw '' names nothing to write to"),
    ],
)
def test_what_does_not_fit_is_refused(data: Path, arguments: list[str], words: str) -> None:
    ran = dnam("export", "--data", data, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert [each.name for each in Path().iterdir()] == ["data"]


# -- DiscoClaw's files ---------------------------------------------------------------------------------------------


def test_discoclaw_s_files_are_written_and_say_what_is_not_in_them(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    first = dnam("export", "--data", data, "--discoclaw", folder)
    assert first.code == 0
    assert "no names: who comes back from it by `dnam import` is `someone`" in first.err
    assert first.out.startswith(f"2 files in {folder}, 2 of them written or removed just now.\n  left out 1: ")
    names = {str(each.relative_to(folder)) for each in folder.rglob("*.json")}
    assert names == {"durable/100.json", "rolling/discord-channel-1.json"}
    again = dnam("export", "--data", data, "--discoclaw", folder, "--guild", "Garden", "--json").value
    assert (again["files"], again["changed"], sum(again["left_out"].values())) == (2, 0, 2)


def test_what_is_no_longer_remembered_leaves_the_folder(data: Path, tmp_path: Path) -> None:
    dnam("export", "--data", data, "--discoclaw", tmp_path / "files")
    assert dnam("forget", "--data", data, "Kim", "builds the bridge project", "--in", "general").code == 0
    dnam("export", "--data", data, "--discoclaw", tmp_path / "files")
    assert not (tmp_path / "files" / "durable" / "100.json").exists()


def test_a_folder_that_a_mirror_keeps_up_is_left_to_it(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dnam.discoclaw.file_set import FileSet

    keeper = FileSet(data / "mirror")
    assert keeper.claim()
    ran = dnam("export", "--data", data, "--discoclaw", data / "mirror")
    assert ran.code == 2
    assert "is being kept up" in ran.err
    keeper.release()


def test_a_command_that_changes_something_keeps_the_mirror_up(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_JSON_MIRROR", "1")
    make(data, lambda memory: remember(memory, "likes jam"))  # by a program without a mirror
    assert dnam("remember", "--data", data, "Kim", "likes figs", "--in", "general").code == 0
    assert b"jam" in (data / "mirror" / "durable" / "100.json").read_bytes()
    assert b"figs" in (data / "mirror" / "durable" / "100.json").read_bytes()


def test_an_export_for_another_guild_is_put_right_by_the_mirror(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_JSON_MIRROR", "1")
    assert dnam("remember", "--data", data, "Kim", "likes figs", "--in", "general").code == 0
    folder = data / "mirror"
    (folder / "durable" / "100.json").unlink()
    dnam("export", "--data", data, "--discoclaw", folder)
    (folder / "durable" / "100.json").unlink()
    assert dnam("remember", "--data", data, "Ada", "likes jam", "--in", "staff").code == 0
    assert (folder / "durable" / "100.json").exists()


# -- importing it --------------------------------------------------------------------------------------------------


def test_an_export_comes_in_alone_and_into_its_own_memory(data: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "e.jsonl", tmp_path / "other.jsonl"
    dnam("export", "--data", data, "--out", out)
    dnam("export", "--data", data, "--out", other, "--no-id-key")
    for arguments in ([out, other], [out, "--audience", "guild"], [out, "--portable"]):
        ran = dnam("import", "--data", tmp_path / "here", *arguments)
        assert ran.code == 2
    make(tmp_path / "here", lambda memory: remember(memory, "likes jam"))
    ran = dnam("import", "--data", tmp_path / "here", out)
    assert ran.code == 2
    assert "another memory" in ran.err


def test_an_export_of_one_person_is_refused_by_import_as_what_it_is(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "kim.json"
    assert dnam("export", "Kim", "--data", data, "--out", out).code == 0
    for arguments in ((), ("--dry-run",)):
        ran = dnam("import", out, *arguments, "--data", data)
        assert ran.code in (2, 3)
        assert f"{out} is one person's export, as `dnam export USER` writes it, which cannot be imported" in ran.err
        assert "`dnam export` without USER writes what can" in ran.err
