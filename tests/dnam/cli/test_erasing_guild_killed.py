"""kill -9 in front of each step of `dnam erase --guild`: whoever opens for writing next finishes all of it. What is
said there meanwhile stays, and does not keep it from ending.
"""

import shutil
import signal
from pathlib import Path

import pytest

from dnam.erasing.guild import erase_whole_guild
from dnam.erasing.unfinished import unfinished_at
from dnam.memory import Memory
from projections.decisions.draft import Decision
from replay.group import Recorded
from tests.dnam.cli.memories import GARDEN, GENERAL, dnam, ended, process
from tests.dnam.cli.test_forgetting import holds
from tests.kills.erasing import GUILD_STEPS

SAID_THERE = ("good morning", "I prefer tea", "the gate is broken", "builds the bridge project")
OTHERS = ["sam.json"]
THEIRS = ["ada.md", "kim.json", "whole.jsonl"]


@pytest.fixture(scope="module")
def exported(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory with exports in its folder."""
    data = Path(shutil.copytree(built, tmp_path_factory.mktemp("exported") / "data"))
    kept = data / "exports"
    kept.mkdir()
    assert dnam("export", "Kim", "--out", kept / "kim.json", "--data", data).code == 0
    assert dnam("export", "Ada", "--markdown", "--out", kept / "ada.md", "--data", data).code == 0
    assert dnam("export", "discord:300", "--out", kept / "sam.json", "--data", data).code == 0
    assert dnam("export", "--out", kept / "whole.jsonl", "--data", data).code == 0
    assert dnam("export", "--discoclaw", data / "claw", "--data", data).code == 0
    return data


@pytest.fixture
def data(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "data"))


def exports(data: Path) -> list[str]:
    return sorted(each.name for each in (data / "exports").iterdir())


def whole(data: Path) -> None:
    """All of it is done, and nothing else is harmed."""
    log = dnam("log", "--data", data).out
    assert [each for each in SAID_THERE if each in log] == []
    assert exports(data) == OTHERS
    assert dnam("compact", "--data", data).code == 0
    assert holds(data, *SAID_THERE) == []
    assert "prefers tea over coffee" in dnam("show", "Kim", "--data", data).out  # in their direct messages
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0
    assert unfinished_at(data).guilds == ()


@pytest.mark.parametrize("step", GUILD_STEPS)
def test_killed_at_any_step_the_next_who_writes_finishes_all_of_it(step: str, data: Path) -> None:
    code = f"from tests.kills.erasing import dying_of_guild; dying_of_guild({step!r})"
    assert ended(process("erase", "--guild", "9", "--yes", "--data", data, code=code)).code == -signal.SIGKILL
    is_begun = step != "the note"
    assert unfinished_at(data).guilds == ((GARDEN,) if is_begun else ())
    doctor = dnam("doctor", "--data", data)
    left = "!!  erasures: the guild discord:9 is being erased, and some of it is not gone yet\n"
    assert (doctor.code, left in doctor.out) == ((1, True) if is_begun else (0, False))
    ran = dnam("remember", "Kim", "grows roses", "--data", data)
    assert ran.code == 0
    if is_begun:
        whole(data)
    else:
        assert exports(data) == sorted([*OTHERS, *THEIRS])


def test_the_exports_that_go_are_in_the_question_and_in_the_receipt(data: Path) -> None:
    assert " 3 export(s) in the data folder would be removed." in dnam("erase", "--guild", "9", "--data", data).err
    assert exports(data) == sorted([*OTHERS, *THEIRS])
    ran = dnam("erase", "--guild", "9", "--yes", "--json", "--data", data)
    assert sorted(Path(each).name for each in ran.value["taken"]["exports"]) == THEIRS
    whole(data)


def test_what_cannot_be_done_is_told_with_how_it_goes_on(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("dnam.erasing.guild.write_files_anew", full)
        ran = dnam("erase", "--guild", "9", "--yes", "--data", data)
        assert (ran.code, ran.out) == (3, "")
        assert "discord:9 is not erased yet, and whoever writes next goes on with it: the disk is full" in ran.err
        again = dnam("erase", "--guild", "9", "--yes", "--data", data)
        assert (again.code, again.out, "is finished now" in again.err) == (3, "", False)
        assert "it is tried again: the disk is full" in again.err
        ran = dnam("remember", "Kim", "grows roses", "--data", data)
    assert ran.code == 0
    assert "the guild discord:9 is not erased yet, and it is tried again: the disk is full" in ran.err
    ran = dnam("erase", "--guild", "9", "--yes", "--data", data)
    assert (ran.code, "what had been broken off is finished now" in ran.err) == (0, True)
    whole(data)
    assert dnam("erase", "--guild", "9", "--yes", "--data", data).code == 2


async def test_who_goes_on_talking_there_does_not_keep_it_from_ending(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Memory.open(data) as memory:
        begun, record, words = memory.now(), memory.record, list[str]()

        async def recording(decision: Decision) -> Recorded:
            """As ever, and then somebody says something."""
            recorded = await record(decision)
            if len(words) < 5:
                monkeypatch.setattr(memory, "record", record)
                words.append(f"number {len(words)}")
                said = begun + 60_000 * len(words)
                await memory.heard("200", words[-1], platform="discord", place=GENERAL, key=words[-1], said=said)
                monkeypatch.setattr(memory, "record", recording)
            return recorded

        monkeypatch.setattr(memory, "record", recording)
        receipt = await erase_whole_guild(memory, GARDEN)
    assert receipt.taken.messages == 3
    log = dnam("log", "--data", data).out
    assert [each for each in SAID_THERE if each in log] == []
    assert words
    assert [each for each in words if each not in log] == []
    assert "discord:channel:1  general" in dnam("sessions", "--data", data).out  # where it was said is known still
