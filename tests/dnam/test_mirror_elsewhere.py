"""The mirror's two folders where DiscoClaw's own settings say: written, moved, never over what somebody else wrote."""

import asyncio
from pathlib import Path

import pytest

from dnam.discoclaw.files import all_files, only_guild
from dnam.memory import Memory
from dnam.settings import read
from tests.dnam.cli.memories import garden, make
from tests.dnam.scripted import FakeClock


@pytest.fixture
def data(tmp_path: Path) -> Path:
    make(tmp_path / "data", garden)
    return tmp_path / "data"


def mirrored(data: Path, **environment: str | Path) -> dict[str, bytes]:
    """Open a memory with a mirror, close it again, and say what its files should be."""
    values = {"DNAM_JSON_MIRROR": "1", **{name: str(value) for name, value in environment.items()}}

    async def opened() -> dict[str, bytes]:
        async with Memory.open(data, settings=read(values, {}), clock=FakeClock()) as memory:
            found = await memory.look(lambda rows: all_files(rows, only_guild(rows)))
        return {name: content for name, content in found.files.items() if content is not None}

    return asyncio.run(opened())


def files_in(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.glob("*.json")}


def of(wanted: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {name.partition("/")[2]: content for name, content in wanted.items() if name.startswith(f"{folder}/")}


def test_each_folder_lies_where_its_variable_says(data: Path, tmp_path: Path) -> None:
    durable, rolling = tmp_path / "memory" / "durable", tmp_path / "summaries"
    wanted = mirrored(data, DISCOCLAW_DURABLE_DATA_DIR=durable, DNAM_SUMMARY_DATA_DIR=rolling)
    assert files_in(durable) == of(wanted, "durable") != {}
    assert files_in(rolling) == of(wanted, "rolling") != {}
    assert not list((data / "mirror").glob("*/*.json"))


def test_one_of_them_alone(data: Path, tmp_path: Path) -> None:
    wanted = mirrored(data, DISCOCLAW_SUMMARY_DATA_DIR=tmp_path / "rolling")
    assert files_in(tmp_path / "rolling") == of(wanted, "rolling")
    assert files_in(data / "mirror" / "durable") == of(wanted, "durable")


def test_what_moves_leaves_nothing_behind_and_comes_back_whole(data: Path, tmp_path: Path) -> None:
    wanted = mirrored(data)
    here, there = data / "mirror" / "durable", tmp_path / "durable"
    assert files_in(here) == of(wanted, "durable")
    assert mirrored(data, DNAM_DURABLE_DATA_DIR=there) == wanted
    assert (files_in(here), files_in(there)) == ({}, of(wanted, "durable"))
    mirrored(data)
    assert files_in(here) == of(wanted, "durable")


def test_the_usual_place_by_name_is_the_usual_place(data: Path) -> None:
    for _ in range(2):
        wanted = mirrored(data, DNAM_DURABLE_DATA_DIR=data / "mirror" / "durable")
        assert files_in(data / "mirror" / "durable") == of(wanted, "durable")


def test_files_of_discoclaw_s_own_stay_as_they_are(
    data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own = tmp_path / "durable"
    own.mkdir()
    (own / "100.json").write_text("{}", encoding="utf-8")
    mirrored(data, DNAM_DURABLE_DATA_DIR=own)
    assert files_in(own) == {"100.json": b"{}"}
    assert "holds files that dnam did not write" in caplog.text


def test_the_two_are_no_one_folder(data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    both = tmp_path / "memory"
    mirrored(data, DNAM_DURABLE_DATA_DIR=both, DNAM_SUMMARY_DATA_DIR=both)
    assert "have to be folders of their own" in caplog.text
    assert not both.exists()
