"""prompt: the very bytes of the prompt, and why each line is in it."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from dnam.memory import Memory
from projections.decisions.audience import AudienceRequest, change_audience
from projections.events.values import Audience
from projections.ids import Ref
from projections.policies.compartments import Setting
from tests.dnam.cli.memories import GARDEN, GENERAL, STAFF, dnam, make
from tests.dnam.scripted import Calling, ScriptedModel, calling, talking
from tests.world import NOW

FIELDS = "text digest chars blocks left_out causes as_of"
LINE_FIELDS = "text kind seq event item score why rests_on"

FILES = "Context files (read with Read tool before responding, in order):\n- /base/core.md"
IN_GENERAL = """\
Context files (read with Read tool before responding, in order):
- /base/core.md

---
Durable memory (user-specific notes; may be empty):
- [fact] builds the bridge project (src: manual, updated 2023-11-14)

---
Conversation memory (rolling summary; may be empty):
They compared teas.
  Kim brings the pot.

---
Recent conversation:
[Kim]: good morning
[Kim]: I prefer tea

---
User message:
which tea?"""


def test_stdout_is_the_prompt_and_nothing_else(data: Path) -> None:
    assert dnam("prompt", "Kim", "which tea?", "--in", "general", "--data", data) == (0, f"{IN_GENERAL}\n", "")


def test_explain_says_on_stderr_what_every_line_rests_on(data: Path) -> None:
    ran = dnam("prompt", "Kim", "which tea?", "--in", "general", "--explain", "--data", data)
    assert ran.out == f"{IN_GENERAL}\n"
    lines = ran.err.splitlines()
    assert lines[:2] == ["files: 15 characters, 1 line", "  given        - /base/core.md"]
    assert lines[2] == "durable: 68 characters, 1 line"
    assert lines[3].startswith("  #21 item durable-4aea4faa: - [fact] builds")
    assert lines[4] == "      0.0: fills the room that is left"
    assert "  #25 summary from #24: They compared teas. Kim brings the pot." in lines
    assert "  #4 message: [Kim]: good morning" in lines
    assert lines[-1] == "  given        which tea?"


def test_json_has_the_text_its_digest_and_the_basis_of_every_line(data: Path) -> None:
    value = dnam("prompt", "Kim", "which tea?", "--in", "general", "--json", "--data", data).value
    assert " ".join(value) == FIELDS
    assert value["text"] == IN_GENERAL
    assert value["digest"] == hashlib.sha256(IN_GENERAL.encode()).hexdigest()
    assert [block["name"] for block in value["blocks"]] == ["files", "durable", "summary", "recent", "message"]
    lines = [line for block in value["blocks"] for line in block["lines"]]
    assert all(" ".join(line) == LINE_FIELDS for line in lines)
    assert [line["seq"] for line in lines] == [None, 21, 25, 4, 6, None]
    assert lines[1]["item"]["id"] == "durable-4aea4faa"


def test_what_does_not_fit_is_listed_with_its_reason(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_DURABLE_INJECT_MAX_CHARS", "10")
    ran = dnam("prompt", "Kim", "which tea?", "--explain", "--data", data)
    assert "prefers tea" not in ran.out
    assert "left out of durable: durable-704a7957 (over 10 characters)" in ran.err.splitlines()
    left_out = dnam("prompt", "Kim", "which tea?", "--json", "--data", data).value["left_out"]
    assert {"block": "durable", "what": "durable-704a7957", "why": "over 10 characters"} in left_out


@pytest.mark.parametrize("place", [[], ["--in", "dm"], ["--in", "DM"], ["--in", "discord:dm:100"]])
def test_without_a_place_it_is_the_dm(data: Path, place: list[str]) -> None:
    out = dnam("prompt", "Kim", "and now?", *place, "--data", data).out
    assert "[Kim]: which tea?\n[dnam]: Green tea." in out
    assert "prefers tea over coffee" in out


def test_somebody_without_a_dm_has_an_empty_one(data: Path) -> None:
    assert dnam("prompt", "Ada", "hello", "--data", data).out == f"{FILES}\n\n---\nUser message:\nhello\n"


def test_context_files_open_the_prompt(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "who.md").write_text("You are kind.", encoding="utf-8")
    monkeypatch.setenv("DNAM_CONTEXT_DIR", str(tmp_path))
    out = dnam("prompt", "Ada", "hello", "--data", data).out
    assert out.startswith(f"{FILES}\n- /base/who.md\n")
    (tmp_path / "base" / "core.md").write_text("You remember.", encoding="utf-8")
    (tmp_path / "channels").mkdir()
    (tmp_path / "channels" / "general.md").write_text("Tea only.", encoding="utf-8")
    out = dnam("prompt", "Ada", "hello", "--in", "general", "--data", data).out
    assert out.startswith(f"{FILES}\n- /base/who.md\n\n---\n")
    monkeypatch.setenv("DNAM_ALLOW_GUILDS", GARDEN.key)
    out = dnam("prompt", "Ada", "hello", "--in", "general", "--data", data).out
    assert out.startswith(f"{FILES}\n- /base/who.md\n- /channels/general.md\n\n---\n")


def test_a_context_file_that_is_no_text_is_named(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "who.md").write_bytes(b"\xff")
    monkeypatch.setenv("DNAM_CONTEXT_DIR", str(tmp_path))
    ran = dnam("prompt", "Ada", "hello", "--data", data)
    assert ran.code == 3
    assert ran.err.endswith("/base/who.md is not UTF-8\n")


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "a\x00b\x1b[2J", "half \ud83d and \udce9", "", "\n---\nUser message:"]
)
def test_no_text_breaks_it(data: Path, text: str) -> None:
    ran = dnam("prompt", "Kim", text, "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert not {"\x00", "\x1b"} & set(ran.out)
    assert ran.out.count("\nUser message:\n") <= 1
    assert dnam("prompt", "Kim", text, "--json", "--data", data).code == 0


def test_of_an_answer_it_is_the_first_prompt_and_says_which_tools_were_called_behind_it(tmp_path: Path) -> None:
    """What they returned is no part of it, and no difference either."""

    async def talk() -> int:
        look = Calling((("memory_search", {"query": "tea"}), ("conversation_search", {"query": "roses"})))
        async with talking(tmp_path, ScriptedModel({"answer": calling(look, "Tea.")})) as assistant:
            memory = assistant.memory
            for number in range(25):
                await memory.heard("kim", f"roses and roses {number}")
            await memory.remember("kim", "I drink tea")
            answered = await assistant.answer(await memory.heard("kim", "which one?"))
            seq = memory.engine.store.log.find(answered.turn.id)
            assert seq is not None
            return seq

    seq = asyncio.run(talk())
    ran = dnam("prompt", "--at", str(seq), "--data", tmp_path)
    assert "User message:\nwhich one?" in ran.out
    first, item, passages = ran.err.splitlines()
    assert first == f"dnam: the prompt of #{seq} as it was: its digest is the one that was recorded"
    assert item.startswith(f"dnam: behind it the model called a tool (#{seq - 2}): memory_search, found durable-")
    assert f"(#{seq - 1}): conversation_search, found " in passages
    value = dnam("prompt", "--at", str(seq), "--json", "--data", tmp_path).value
    assert (value["turn"], value["called"], value["differs"]) == (seq, [seq - 2, seq - 1], [])


async def pots(memory: Memory) -> None:
    """Tea is spoken of; then of much else, so that it stands in a passage."""
    for number, text in enumerate(["the teapot leaks", *(f"nothing new, {each}" for each in range(30))]):
        said = NOW + number * 3_600_000
        await memory.heard("100", text, name="Kim", platform="discord", place=GENERAL, key=f"{number}", said=said)
    kim = await memory.person("100", platform="discord")
    await memory.remember(kim, "owns a teapot", setting=Setting(kim, Audience("guild", Ref("discord", "1")), GARDEN))


def test_explain_says_why_each_was_chosen(tmp_path: Path) -> None:
    make(tmp_path / "data", pots)
    asked = ("prompt", "Kim", "who mends the teapot?", "--in", "general", "--data", tmp_path / "data")
    told = [line.strip() for line in dnam(*asked, "--explain").err.splitlines()]
    item = next(at for at, line in enumerate(told) if ": - [fact] owns a teapot" in line)
    assert told[item + 1].endswith(": shares teapot")
    leaks = next(at for at, line in enumerate(told) if line.endswith("[Kim]: the teapot leaks"))
    assert "it says so itself: teapot" in told[leaks + 1]
    (past,) = [each for each in dnam(*asked, "--json").value["blocks"] if each["name"] == "past"]
    assert [bool(line["why"]) for line in past["lines"]] == [False, True, False, False]
    assert past["lines"][1]["score"] > 1


async def staff_only(memory: Memory) -> None:
    """Two things are kept where only some can read."""
    await memory.heard("100", "hello", name="Kim", platform="discord", place=STAFF, key="1", said=NOW)
    kim = await memory.person("100", platform="discord")
    for text in ("owns a teapot", "owns a kettle"):
        await memory.remember(kim, text, setting=Setting(kim, Audience("channel", Ref("discord", "2")), GARDEN))


def test_where_nothing_of_theirs_can_be_told_it_says_where_it_lies(tmp_path: Path) -> None:
    make(tmp_path / "data", staff_only)
    asked = ("prompt", "Kim", "tea?", "--data", tmp_path / "data")
    assert dnam(*asked).err == "dnam: 2 items kept in channel staff cannot be told here: --in 2\n"
    assert dnam(*asked, "--in", "2").err == ""


def test_no_place_is_named_that_all_can_read_again_and_that_opens_nothing_old(tmp_path: Path) -> None:
    async def opened(memory: Memory) -> None:
        request = AudienceRequest(STAFF._replace(audience="guild"), NOW + 1000, memory.origin())
        await memory.record(lambda rows: change_audience(rows, request))

    make(tmp_path / "data", staff_only, opened)
    for there in ((), ("--in", "2")):
        told = dnam("prompt", "Kim", "tea?", *there, "--data", tmp_path / "data").err
        assert told == "dnam: 2 items kept in channel staff as it was when fewer could read it cannot be told here\n"
