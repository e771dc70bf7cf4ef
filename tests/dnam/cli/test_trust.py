"""checkpoint, verify --since and prove: what one is handed, and what it can be held against."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lmdb
import pytest

from dnam.memory import Memory
from replay.checkpoint import KEY_FILE, LAST_FILE
from replay.notes import Note, Signer, Verifier
from replay.tree_head import Checkpoint
from tests.dnam.cli.memories import ROOT, Ran, bytes_of, dnam, ended, make, process
from tests.dnam.cli.test_upkeep import flip
from tests.dnam.scripted import FakeClock

CHECKPOINT_FIELDS = "origin size root vkey key checkpoint file"
VERIFY_FIELDS = "events rows root problems views since"
SINCE_FIELDS = "origin size root added proof"
PROOF_FIELDS = "origin seq size header path root checkpoint"
CHECKER = ROOT / "tests" / "check_inclusion.py"


def checkpoint(data: Path, *more: str | Path) -> Any:
    return dnam("checkpoint", "--json", *more, "--data", data).value


def since(data: Path, kept: Path | str, *more: str | Path, given: str = "") -> Ran:
    return dnam("verify", "--since", kept, *more, "--data", data, given=given)


async def harp(memory: Memory) -> None:
    await memory.remember("100", "plays the harp", platform="discord")


async def lute(memory: Memory) -> None:
    await memory.remember("100", "plays the lute", platform="discord")
    await memory.remember("200", "tunes it", platform="discord")


@pytest.fixture
def kept(data: Path, tmp_path: Path) -> Path:
    """A checkpoint of the memory as it is."""
    file = tmp_path / "monday.checkpoint"
    assert dnam("checkpoint", "--out", file, "--data", data).code == 0
    return file


# -- checkpoint ----------------------------------------------------------------------------------------------------


def test_a_checkpoint_on_stdout_is_the_note_and_nothing_else(data: Path) -> None:
    ran = dnam("checkpoint", "--data", data)
    assert ran.code == 0
    note, head = Note.parse(ran.out.encode()), dnam("stats", "--json", "--data", data).value
    read = Checkpoint.parse(note.text)
    assert (read.size, read.root.hex()) == (25, head["root"])
    told = ran.err.splitlines()
    assert told[0].startswith("dnam: made the key that signs this log's checkpoints")
    assert told[1].startswith(f"verifier key: {read.origin}+")
    note.check(Verifier.parse(told[1].removeprefix("verifier key: ")))


def test_a_checkpoint_in_a_file_and_as_json(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "a checkpoint"
    ran = dnam("checkpoint", "--out", file, "--data", data)
    value = checkpoint(data)
    assert ran.out == f"checkpoint of 25 events written to {file}\nverifier key: {value['vkey']}\n"
    assert " ".join(value) == CHECKPOINT_FIELDS
    assert file.read_text(encoding="utf-8") == value["checkpoint"]
    assert (value["size"], value["key"], value["file"]) == (25, "kept", None)
    asked = dnam("checkpoint", "--out", file, "--data", data)
    assert (asked.code, f"{file} is there already. Replace it?" in asked.err) == (2, True)
    assert checkpoint(data, "--out", file, "--yes")["file"] == str(file)
    assert [each.name for each in tmp_path.iterdir() if each != data] == ["a checkpoint"]


def test_a_checkpoint_writes_no_event_and_touches_no_other_file(data: Path) -> None:
    before = bytes_of(data)
    assert dnam("checkpoint", "--data", data).code == 0
    after = bytes_of(data)
    new = {f"keys/{KEY_FILE}", f"keys/{LAST_FILE}", "write.lock"}
    assert {name for name in after if after[name] != before.get(name)} <= new
    assert before.keys() <= after.keys()


def test_a_key_that_was_lost_is_made_anew_and_told(data: Path, kept: Path) -> None:
    vkey = checkpoint(data)["vkey"]
    (data / "keys" / KEY_FILE).unlink()
    ran = dnam("checkpoint", "--data", data)
    assert ran.code == 0
    assert "the key that signed this log's checkpoints is gone, and another was made" in ran.err
    refused = since(data, kept)
    assert (refused.code, refused.out) == (3, "")
    assert "give the verifier key of then: --vkey" in refused.err
    assert since(data, kept, "--vkey", vkey).code == 0


def test_where_a_file_cannot_be_written(data: Path, tmp_path: Path) -> None:
    for target, why in ((tmp_path, "is a folder"), (tmp_path / "no" / "such", "cannot be written: No such file")):
        ran = dnam("checkpoint", "--out", target, "--data", data)
        assert (ran.code, ran.out) == (3, "")
        assert why in ran.err


def test_a_new_origin_is_asked_for_first(data: Path, kept: Path) -> None:
    before = checkpoint(data)
    ran = dnam("checkpoint", "--new-origin", "--data", data)
    assert ran.code == 2
    assert "pass --yes" in ran.err
    assert checkpoint(data) == before
    value = checkpoint(data, "--new-origin", "--yes")
    assert value["origin"].startswith(before["origin"] + "/")
    assert value["vkey"] != before["vkey"]
    refused = since(data, kept)
    assert refused.code == 3
    assert "one of them went on from a copy of the other" in refused.err
    assert since(data, kept, "--vkey", before["vkey"]).code == 0


def test_whoever_says_no_keeps_the_origin(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = checkpoint(data)
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    assert dnam("checkpoint", "--new-origin", "--data", data) == (0, "", "dnam: not signed: nothing was changed\n")
    assert checkpoint(data) == {**before, "key": "kept"}


async def test_a_checkpoint_of_a_memory_that_is_open(data: Path) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        await memory.remember("100", "plays the harp", platform="discord")
        ran = await asyncio.to_thread(lambda: ended(process("checkpoint", "--json", "--data", data)))
        assert (ran.code, ran.value["size"]) == (0, 26)
        await memory.remember("100", "plays the lute", platform="discord")
    assert checkpoint(data)["size"] == 27


def test_whoever_asks_first_makes_the_key_for_all(data: Path) -> None:
    started = [process("checkpoint", "--json", "--data", data) for _ in range(4)]
    values = [ended(each).value for each in started]
    assert len({each["vkey"] for each in values}) == 1
    assert sorted(each["key"] for each in values) == ["first", "kept", "kept", "kept"]


@pytest.mark.parametrize("command", [("checkpoint",), ("prove", "1")])
def test_nothing_here_is_not_signed(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = dnam(*command, "--data", tmp_path / "none")
    assert (ran.code, ran.out) == (3, "")
    assert "there is no log in" in ran.err
    assert not (tmp_path / "none").exists()


# -- verify --since ------------------------------------------------------------------------------------------------


def test_a_log_that_grew_says_by_how_much(data: Path, kept: Path) -> None:
    assert since(data, kept).out.startswith("the log only grew since the checkpoint of 25 events: none added\n25 ev")
    make(data, harp)
    before = bytes_of(data)
    ran = since(data, kept)
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "the log only grew since the checkpoint of 25 events: 1 added"
    assert bytes_of(data) == before


def test_the_same_as_json_has_the_proof(data: Path, kept: Path) -> None:
    make(data, harp)
    value = since(data, kept, "--json").value
    assert " ".join(value) == VERIFY_FIELDS
    assert " ".join(value["since"]) == SINCE_FIELDS
    assert (value["since"]["size"], value["since"]["added"]) == (25, 1)
    assert value["since"]["proof"]
    assert all(len(each) == 64 for each in value["since"]["proof"])


def test_a_checkpoint_comes_from_a_pipe_too(data: Path, kept: Path) -> None:
    assert since(data, "-", given=kept.read_text(encoding="utf-8")).code == 0
    refused = since(data, "-")
    assert refused.code == 3
    assert "what stands in standard input is no checkpoint: this is no signed note" in refused.err


def test_a_checkpoint_is_checked_without_the_key_file(data: Path, kept: Path) -> None:
    vkey = checkpoint(data)["vkey"]
    for name in (KEY_FILE, LAST_FILE):
        (data / "keys" / name).unlink()
    refused = since(data, kept)
    assert (refused.code, refused.out) == (3, "")
    assert "--vkey" in refused.err
    assert since(data, kept, "--vkey", vkey).code == 0
    assert not (data / "keys" / KEY_FILE).exists()


def test_a_checkpoint_of_another_log_is_refused(data: Path, kept: Path, tmp_path: Path) -> None:
    make(tmp_path / "other", harp)
    ran = since(tmp_path / "other", kept)
    assert (ran.code, ran.out) == (3, "")
    assert "the checkpoint is of another log" in ran.err


def test_a_forged_checkpoint_is_refused(data: Path, kept: Path) -> None:
    kept.write_text(kept.read_text(encoding="utf-8").replace("\n25\n", "\n24\n"), encoding="utf-8")
    ran = since(data, kept)
    assert (ran.code, ran.out) == (3, "")
    assert "forged or damaged" in ran.err


def test_a_checkpoint_that_somebody_else_signed_in_its_name_is_refused(data: Path, kept: Path) -> None:
    text = Note.parse(kept.read_bytes()).text
    forger = Signer.fresh(text.partition("\n")[0])
    kept.write_text(forger.sign(text), encoding="utf-8")
    ran = since(data, kept)
    assert (ran.code, ran.out) == (3, "")
    assert "and not by dnam/" in ran.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "this is no signed note"),
        ("some text\n", "this is no signed note"),
        (Signer.fresh("dnam/x").sign("some text\n"), "this note is no checkpoint"),
    ],
)
def test_a_malformed_checkpoint_is_refused(data: Path, tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "note").write_text(text, encoding="utf-8")
    ran = since(data, tmp_path / "note")
    assert (ran.code, ran.out) == (3, "")
    assert f"{tmp_path / 'note'} is no checkpoint: {why}" in ran.err


@pytest.mark.parametrize("seq", ["x", "#1", "1.5"])
def test_what_is_no_seq_is_told(data: Path, seq: str) -> None:
    ran = dnam("prove", seq, "--data", data)
    assert (ran.code, f"'{seq}' is not a whole number of 0 or more" in ran.err) == (2, True)


def test_wrong_use_is_told(data: Path, kept: Path) -> None:
    for arguments, why in (
        (("--since", "no such file"), "cannot be read: No such file"),
        (("--since", kept, "--vkey", "x"), "no verifier key"),
        (("--vkey", "x"), "name the checkpoint with --since"),
    ):
        ran = dnam("verify", *arguments, "--data", data)
        assert (ran.code, ran.out) == (2, "")
        assert why in ran.err


@pytest.fixture
def cut(data: Path, kept: Path, tmp_path: Path) -> Path:
    """An older copy of a memory whose checkpoint is newer: what the file `kept` holds."""
    older = Path(shutil.copytree(data, tmp_path / "older"))
    make(data, harp)
    assert dnam("checkpoint", "--out", kept, "--yes", "--data", data).code == 0
    return older


def test_a_log_that_was_cut_is_a_finding(cut: Path, kept: Path) -> None:
    ran = since(cut, kept)
    assert ran.code == 1
    assert ran.out.splitlines()[0].startswith(
        "the checkpoint has 26 events and the log 25: it lacks #26. The log was cut"
    )
    assert "1 problem found" in ran.out.splitlines()[-1]
    value = since(cut, kept, "--json").value
    assert [each["seq"] for each in value["problems"]] == [0]
    assert (value["since"]["size"], value["since"]["added"], value["since"]["proof"]) == (26, None, None)


def test_a_history_that_was_rewritten_is_a_finding(cut: Path, kept: Path) -> None:
    make(cut, lute)
    assert dnam("verify", "--open", "--data", cut).code == 0
    ran = since(cut, kept)
    assert ran.code == 1
    assert ran.out.startswith("history was rewritten: #1 to #26 had the root ")


def test_a_damaged_header_is_named_and_the_checkpoint_does_not_hold(data: Path, kept: Path) -> None:
    flip(data, b"headers")
    ran = since(data, kept)
    assert ran.code == 1
    assert any(line.startswith("#25: ") for line in ran.out.splitlines())
    assert any(line.startswith("history was rewritten: #1 to #25") for line in ran.out.splitlines())
    assert "only grew" not in ran.out


def test_what_was_damaged_behind_the_checkpoint_is_named_and_the_checkpoint_holds(data: Path, kept: Path) -> None:
    make(data, harp)
    flip(data, b"headers")
    ran = since(data, kept)
    assert ran.code == 1
    assert any(line.startswith("#26: ") for line in ran.out.splitlines())
    assert "the log only grew since the checkpoint of 25 events: 1 added" in ran.out


# -- prove ---------------------------------------------------------------------------------------------------------


def proofs(data: Path, folder: Path, *seqs: int) -> list[Path]:
    files = [folder / f"{seq}.json" for seq in seqs]
    for seq, file in zip(seqs, files, strict=True):
        assert dnam("prove", str(seq), "--out", file, "--data", data).code == 0
    return files


def checked(*files: Path) -> "subprocess.CompletedProcess[str]":
    """What the stand-alone script says of them, in a folder and a Python of its own."""
    command = [sys.executable, "-I", "-S", str(CHECKER), *map(str, files)]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)


def test_a_proof_has_all_that_is_needed(data: Path) -> None:
    value = dnam("prove", "12", "--data", data).value
    assert " ".join(value) == PROOF_FIELDS
    signed = Checkpoint.parse(Note.parse(value["checkpoint"].encode()).text)
    assert (value["origin"], value["size"], value["root"]) == (signed.origin, 25, signed.root.hex())
    assert value["seq"] == 12
    assert len(value["path"]) == 5


def test_a_proof_in_a_file(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "12.json"
    ran = dnam("prove", "12", "--out", file, "--data", data)
    value = json.loads(file.read_bytes())
    assert ran.out == f"proof that #12 is among the 25 events of {value['origin']} written to {file}\n"
    told = dnam("prove", "12", "--out", file, "--json", "--data", data).value
    assert told == {"seq": 12, "size": 25, "root": value["root"], "file": str(file)}
    assert dnam("prove", "12", "--data", data).value == value


@pytest.mark.parametrize("seq", ["0", "26", "99999999999999999999"])
def test_an_event_that_is_not_there_cannot_be_proved(data: Path, seq: str) -> None:
    before = bytes_of(data)
    ran = dnam("prove", seq, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert f"there is no event #{seq}: the log has 25" in ran.err
    assert bytes_of(data) == before


def test_a_damaged_header_is_not_proved(data: Path) -> None:
    flip(data, b"headers")
    ran = dnam("prove", "25", "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert "#25 cannot be proved" in ran.err


def test_a_missing_header_is_not_proved(data: Path) -> None:
    current = data / "log" / (data / "log" / "CURRENT").read_text().strip()
    with lmdb.open(str(current), max_dbs=64) as environment:
        headers = environment.open_db(b"headers", create=False)
        with environment.begin(write=True, db=headers) as transaction:
            assert transaction.delete((12).to_bytes(8, "big"))
    for seq in ("12", "11"):
        ran = dnam("prove", seq, "--data", data)
        assert (ran.code, ran.out) == (3, "")
        assert "`dnam verify` names what is damaged" in ran.err


# -- the stand-alone script ----------------------------------------------------------------------------------------


def test_the_script_is_short_and_stands_alone() -> None:
    source = CHECKER.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 100
    imported = {line.split()[1] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names
    assert "NOT CHECKED: the Ed25519 signature" in source


def test_the_script_takes_every_proof(data: Path, tmp_path: Path) -> None:
    files = proofs(data, tmp_path, *range(1, 26))
    ran = checked(*files)
    assert (ran.returncode, ran.stderr) == (0, "")
    origin = json.loads(files[0].read_bytes())["origin"]
    assert ran.stdout.splitlines() == [
        f"{file}: #{seq} is among the 25 events of {origin} (signature not checked)"
        for seq, file in enumerate(files, 1)
    ]


def refused(folder: Path, contents: Iterator[bytes]) -> None:
    """Every one of these is refused, each for itself, with its reason."""
    files = []
    for number, data in enumerate(contents):
        files.append(folder / f"tampered-{number}.json")
        files[-1].write_bytes(data)
    ran = checked(*files)
    said = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr, len(said)) == (1, "", len(files))
    taken = [file.read_bytes() for file, line in zip(files, said, strict=True) if not line.startswith(f"{file}: REF")]
    assert taken == []


def test_the_script_refuses_every_changed_byte(data: Path, tmp_path: Path) -> None:
    """But those of the signature, which it says that it does not check, and of the line's end of the file."""
    (file,) = proofs(data, tmp_path, 12)
    proof = file.read_bytes().rstrip()
    begin = proof.rindex(b" ") + 1  # of the signature, to the line's end behind it
    unchecked = range(begin, proof.index(b"\\n", begin))
    places = [at for at in range(len(proof)) if at not in unchecked]
    refused(
        tmp_path,
        (proof[:at] + bytes([proof[at] ^ mask]) + proof[at + 1 :] for at in places for mask in (1, 0x20, 0x80)),
    )


def test_the_script_refuses_every_changed_field(data: Path, tmp_path: Path) -> None:
    file, other = proofs(data, tmp_path, 12, 13)
    proof, beside = json.loads(file.read_bytes()), json.loads(other.read_bytes())
    note, path = proof["checkpoint"], proof["path"]
    changes: list[dict[str, Any]] = [
        {"origin": "dnam/another"}, {"seq": 13}, {"seq": 0}, {"seq": -12}, {"seq": True}, {"seq": 12.0}, {"seq": "12"},
        {"seq": 26}, {"size": 24}, {"size": 26}, {"size": 0}, {"header": beside["header"]}, {"header": ""},
        {"header": proof["header"].upper()}, {"root": "00" * 32}, {"root": proof["root"][:-2]}, {"path": path[1:]},
        {"path": path[:-1]}, {"path": path[::-1]}, {"path": []}, {"path": [*path, path[0]]}, {"path": None},
        {"path": [None]}, {"path": [each[:-2] for each in path]}, {"checkpoint": ""}, {"checkpoint": note[:-1]},
        {"checkpoint": note.replace("\n25\n", "\n24\n")}, {"checkpoint": note.partition("—")[0]}, {"more": 1},
        {"checkpoint": note.replace("— dnam", "— other")}, {"checkpoint": note.replace("—", "-")},
    ]  # fmt: skip
    tampered = [json.dumps({**proof, **change}).encode() for change in changes]
    lacking = [json.dumps({name: proof[name] for name in proof if name != gone}).encode() for gone in proof]
    refused(tmp_path, iter([*tampered, *lacking, b"", b"[]", b"null", b"\xff", b"[" * 100_000]))


def test_the_script_refuses_what_is_not_there_and_nothing_at_all(tmp_path: Path) -> None:
    ran = checked(tmp_path / "none.json")
    assert ran.returncode == 1
    assert "REFUSED" in ran.stdout
    assert checked().returncode == 1


@pytest.mark.parametrize("command", [("checkpoint",), ("prove", "3")])
def test_a_dash_is_standard_output(data: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    assert dnam("checkpoint", "--data", data).code == 0
    plain, dashed = (dnam(*command, *out, "--data", data).out for out in ((), ("--out", "-")))
    assert dashed == plain != ""
    assert not (tmp_path / "-").exists()


def test_of_one_event_nothing_is_said_in_the_plural(tmp_path: Path) -> None:
    data, kept, page = tmp_path / "data", tmp_path / "kept", tmp_path / "page"
    dnam("opt-out", "discord:100", "--data", data)
    told = [
        dnam(*words, "--data", data).out
        for words in (
            ("checkpoint", "--out", kept),
            ("prove", "1", "--out", page),
            ("verify", "--since", kept),
            ("replay",),
            ("replay", "--check"),
            ("export", "--out", tmp_path / "export"),
            ("backup", tmp_path / "backup"),
        )
    ]
    assert all("1 event" in each for each in told), told
    assert "1 events" not in "".join(told)


@pytest.mark.parametrize("words", [("checkpoint",), ("checkpoint", "--new-origin", "--yes"), ("prove", "1")])
@pytest.mark.parametrize("where", [".", "nowhere/monday"])
def test_where_nothing_can_be_written_no_key_is_made_and_no_name_given(
    data: Path, tmp_path: Path, words: tuple[str, ...], where: str
) -> None:
    before = bytes_of(data)
    ran = dnam(*words, "--out", tmp_path / where, "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith(f"dnam: {tmp_path / where} ")
    assert bytes_of(data) == before
