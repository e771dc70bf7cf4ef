"""What of words that were taken back lies elsewhere under the data folder: it is named, or written anew."""

import asyncio
import shutil
from pathlib import Path

import pytest

from dnam.compacting import compacting
from dnam.memory import Memory
from tests.dnam.cli.memories import SUMMARY, dnam
from tests.dnam.cli.test_forgetting import holds
from tests.dnam.test_compacting import Nights

THERE = SUMMARY.splitlines()[0]


@pytest.fixture
def restored(data: Path, tmp_path: Path) -> Path:
    """A memory that was restored over itself, with exports."""
    assert dnam("backup", tmp_path / "backup", "--data", data).code == 0
    assert dnam("restore-backup", tmp_path / "backup", "--yes", "--data", data).code == 0
    for name, arguments in {"whole.jsonl": (), "kim.json": ("Kim",), "sam.json": ("discord:300",)}.items():
        assert dnam("export", *arguments, "--out", data / name, "--data", data).code == 0
    assert dnam("export", "--discoclaw", data / "claw", "--data", data).code == 0
    return data


def test_a_redaction_names_what_it_does_not_reach_and_writes_the_rest_anew(restored: Path) -> None:
    assert holds(restored / "claw", THERE) == [THERE]
    ran = dnam("redact", "m1", "--yes", "--data", restored)
    assert ran.code == 0
    assert ran.out.splitlines()[2:] == [
        f"Not taken out of the log that a restore moved to {restored / 'replaced' / '000001'}: remove it when you can.",
        f"Not taken out of the export {restored / 'kim.json'}, which may hold it: remove it, or export anew.",
        f"Not taken out of the export {restored / 'whole.jsonl'}, which may hold it: remove it, or export anew.",
    ]
    assert holds(restored / "claw", THERE) == []
    value = dnam("redact", "d2", "--yes", "--json", "--data", restored).value
    assert [Path(each).name for each in value["copies"]["exports"]] == ["kim.json", "whole.jsonl"]
    assert [Path(each).name for each in value["copies"]["logs"]] == ["000001"]


def test_files_that_cannot_be_written_anew_are_told(restored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("dnam.erasing.copies.write_anew", full)
    ran = dnam("redact", "m1", "--yes", "--data", restored)
    assert (ran.code, ran.out.splitlines()[0].partition(":")[0][:8]) == (0, "Redacted")
    assert "DiscoClaw's files could not be written anew, and may hold it: the disk is full" in ran.err


def test_compacting_and_erasing_a_guild_name_the_older_logs(restored: Path) -> None:
    older = restored / "replaced" / "000001"
    ran = dnam("erase", "--guild", "9", "--yes", "--data", restored)
    assert f"Not taken out of the log that a restore moved to {older}: remove it when you can.\n" in ran.out
    told = dnam("compact", "--data", restored).out.splitlines()
    assert told[2:] == [f"Not written anew is the older log in {older}: it holds what it held. Remove it when you can."]
    shutil.rmtree(restored / "replaced")
    assert len(dnam("compact", "--data", restored).out.splitlines()) == 2


def test_the_bot_s_night_names_them_too(restored: Path) -> None:
    told: list[str] = []
    assert dnam("redact", "m1", "--yes", "--data", restored).code == 0

    async def passing() -> None:
        night = Nights()
        async with Memory.open(restored) as memory, compacting(memory, told.append, night):
            await night.come()
            await night.asked.get()

    asyncio.run(passing())
    assert [each.partition(": ")[0] for each in told] == [
        f"what was taken back is off the disk, but for 1 older log in {restored / 'replaced'}"
    ]
