"""kill -9 in front of each step of `dnam erase`: the person is wholly there, or gone for whoever reads; and whoever
opens for writing next, with whatever, finishes all of it: keys, exports, DiscoClaw's files, mirror, views.
"""

import asyncio
import shutil
import signal
from pathlib import Path

import pytest

from dnam.erasing.finishing import finishing
from dnam.languages import load
from dnam.memory import Memory
from projections.decisions.meet import Account
from projections.events import ErasureCompleted, PersonErased
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import LogFull
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.dnam.cli.memories import dnam, ended, process
from tests.dnam.cli.test_forgetting import HOLDS_KIM, holds, tags
from tests.dnam.scripted import settings
from tests.dnam.test_compacting import Nights
from tests.kills.erasing import STEPS
from tests.replay.stage import handle_of

OTHERS = ["ada.json", "ada.md"]
THEIRS = ["kim.json", "kim.md", "whole.jsonl"]


@pytest.fixture(scope="module")
def exported(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The memory with exports in its folder."""
    data = Path(shutil.copytree(built, tmp_path_factory.mktemp("exported") / "data"))
    kept = data / "exports"
    kept.mkdir()
    for user in ("Kim", "Ada"):
        for way, ending in (((), "json"), (("--markdown",), "md")):
            assert dnam("export", user, *way, "--out", kept / f"{user.lower()}.{ending}", "--data", data).code == 0
    assert dnam("export", "--out", kept / "whole.jsonl", "--data", data).code == 0
    assert dnam("export", "--discoclaw", data / "claw", "--data", data).code == 0
    return data


def exports(data: Path) -> list[str]:
    return sorted(each.name for each in (data / "exports").iterdir())


def killed(data: Path, step: str) -> None:
    code = f"from tests.kills.erasing import dying; dying({step!r})"
    assert ended(process("erase", "Kim", "--yes", "--data", data, code=code)).code == -signal.SIGKILL


def opened_for_writing(data: Path) -> None:
    """By a command that has nothing to do with it."""
    assert dnam("remember", "Ada", "grows roses", "--in", "general", "--data", data).code == 0


def whole(data: Path) -> None:
    """All of it is done, and nothing of others is harmed."""
    assert tags(data).count(PersonErased.TAG) == tags(data).count(ErasureCompleted.TAG) == 1
    assert exports(data) == OTHERS
    assert holds(data, *HOLDS_KIM) == []
    assert holds(data, "the gate is broken") == ["the gate is broken"]
    assert {each.name for folder in ("mirror", "claw") for each in (data / folder).rglob("*.json")} == {"200.json"}
    assert len([each for each in (data / "views").iterdir() if each.is_dir()]) == 1
    store = DiskStore(data, FOLD, writable=False)
    try:
        assert not store.log.erased_vaults() & store.ring.vaults.keys()
        assert check(store, FOLD).equal
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
    finally:
        store.close()


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_the_next_who_writes_finishes_all_of_it(
    step: str, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_JSON_MIRROR", "1")
    data = Path(shutil.copytree(exported, tmp_path / "data"))
    opened_for_writing(data)
    killed(data, step)
    is_begun = step != "the keys"
    assert (PersonErased.TAG in tags(data)) is is_begun
    assert dnam("show", "Kim", "--data", data).code == (2 if is_begun else 0)
    opened_for_writing(data)
    if is_begun:
        whole(data)
    else:  # whoever is not erased has lost nothing
        assert exports(data) == sorted([*OTHERS, *THEIRS])


def test_an_erasure_that_was_made_without_the_folder_is_followed_in_it_once(exported: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(exported, tmp_path / "data"))
    with Engine.open(data) as engine:
        erase(engine, handle_of(engine, Account("discord", "100")))
    assert exports(data) == sorted([*OTHERS, *THEIRS])
    opened_for_writing(data)
    assert exports(data) == OTHERS
    assert holds(data, *HOLDS_KIM) == []
    looked = (data / "swept").stat().st_mtime_ns
    opened_for_writing(data)
    assert (data / "swept").stat().st_mtime_ns == looked


def test_a_folder_that_cannot_be_swept_is_told_and_tried_again(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("the disk is read-only")

    data = Path(shutil.copytree(exported, tmp_path / "data"))
    with monkeypatch.context() as broken:
        broken.setattr("dnam.erasing.swept.remove", full)
        ran = dnam("erase", "Kim", "--yes", "--data", data)
        assert (ran.code, ran.out) == (3, "")
        not_gone = "Kim is erased, but copies in the views or in exports are not gone yet: the disk is read-only. "
        assert f"{not_gone}Then run `dnam erase Kim --yes --data {data}` again: it finishes" in ran.err
        assert tags(data).count(ErasureCompleted.TAG) == 1  # the views do not wait for a file
        ran = dnam("remember", "Ada", "grows roses", "--in", "general", "--data", data)
    assert ran.code == 0
    assert "exports of people who were erased may be left" in ran.err
    opened_for_writing(data)
    assert exports(data) == OTHERS


@pytest.fixture
def data(exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, with a mirror that is kept up."""
    monkeypatch.setenv("DNAM_JSON_MIRROR", "1")
    data = Path(shutil.copytree(exported, tmp_path / "data"))
    opened_for_writing(data)
    return data


def test_the_second_erase_finishes_a_killed_one_and_prints_the_receipt(data: Path, tmp_path: Path) -> None:
    taken = dnam("erase", "Kim", "--yes", "--json", "--data", Path(shutil.copytree(data, tmp_path / "twin"))).value
    killed(data, "exports")
    ran = dnam("erase", "Kim", "--yes", "--json", "--data", data)
    assert ran.code == 0
    assert "nobody here goes by 'Kim'; but an erasure had been broken off, and is finished now" in ran.err
    assert ran.value["taken"]["events"] == taken["taken"]["events"]
    assert [Path(each).name for each in ran.value["taken"]["exports"]] == THEIRS
    whole(data)
    assert dnam("erase", "Kim", "--yes", "--data", data).code == 2


@pytest.mark.parametrize(("step", "where"), [("ring a", "the views and exports"), ("completed", "the views")])
def test_the_doctor_and_people_say_what_was_broken_off(step: str, where: str, data: Path) -> None:
    killed(data, step)
    left = f"and copies in {where} are not gone yet"
    doctor, people = dnam("doctor", "--data", data), dnam("people", "--data", data)
    assert (doctor.code, people.code) == (1, 0)
    assert left in doctor.out
    assert "`dnam compact` goes on with it" in doctor.out
    assert left in people.err
    assert "Kim" not in people.out
    assert dnam("compact", "--data", data).code == 0
    whole(data)
    assert dnam("people", "--data", data).err == ""
    assert "ok  erasures: none was broken off\n" in dnam("doctor", "--data", data).out


@pytest.mark.parametrize("what", ["views", "keys"])
def test_a_full_disk_says_what_is_done_and_the_second_erase_finishes(
    what: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full: make room")

    with monkeypatch.context() as broken:
        broken.setattr({"views": "replay.erasure.thin_out", "keys": "replay.ring.file.replace_file"}[what], full)
        ran = dnam("erase", "Kim", "--yes", "--data", data)
        assert (ran.code, ran.out) == (3, "")
        not_yet = {"views": "copies in the views or in exports are not gone", "keys": "not every key is destroyed"}
        assert f"Kim is erased, but {not_yet[what]} yet: the disk is full: make room. Then run `dnam" in ran.err
        if what == "views":
            again = dnam("erase", "Kim", "--yes", "--data", data)
            assert (again.code, "somebody is erased, but copies in the views" in again.err) == (3, True)
            assert "is finished now" not in again.err
    ran = dnam("erase", "Kim", "--yes", "--data", data)
    assert ran.code == 0
    assert ran.out.startswith("Erased: 3 messages, 1 answer, 1 summary, ")
    assert "What stays:" in ran.out
    whole(data)


def test_a_disk_that_was_full_before_anything_was_done_says_so(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full: make room")

    with monkeypatch.context() as broken:
        broken.setattr("replay.lmdb_log.LmdbLog.append", full)
        ran = dnam("erase", "Kim", "--yes", "--data", data)
    assert (ran.code, ran.out, ran.err) == (
        3,
        "",
        "dnam: nobody was erased, and nothing was changed: the disk is full: make room\n",
    )
    assert dnam("show", "Kim", "--data", data).code == 0


@pytest.mark.parametrize("step", ["ring a", "exports", "completed"])
async def test_a_bot_that_runs_meanwhile_finishes_a_killed_one(step: str, data: Path) -> None:
    told: list[str] = []
    soon = Nights()
    async with Memory.open(data, settings=settings(json_mirror="1")) as memory, finishing(memory, told.append, soon):
        await asyncio.to_thread(killed, data, step)
        await soon.come()
        await soon.asked.get()
        assert memory.engine.finisher is not None
        await asyncio.to_thread(memory.engine.finisher.join)
        goes_on = ["an erasure that another process began is not done yet, and goes on now"]
        assert told == goes_on
        soon.pass_by()
        await soon.asked.get()
        assert told == goes_on
        assert exports(data) == OTHERS
    whole(data)


async def test_of_who_was_seen_anew_the_receipt_names_also_what_a_killed_erasure_left(data: Path) -> None:
    async with Memory.open(data) as memory:
        await asyncio.to_thread(killed, data, "exports")
        await memory.heard("100", "here I am", platform="discord", name="Kim")
    ran = await asyncio.to_thread(dnam, "erase", "Kim", "--yes", "--json", "--data", data)
    assert ran.code == 0
    assert "an erasure that had been broken off before is finished too" in ran.err
    assert ran.value["taken"]["events"]["message.heard"] == 1
    assert [Path(each).name for each in ran.value["taken"]["exports"]] == THEIRS
    assert exports(data) == OTHERS


async def test_what_a_bot_cannot_finish_is_told_and_tried_again(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full")

    told: list[str] = []
    soon = Nights()
    async with Memory.open(data) as memory, finishing(memory, told.append, soon):
        await asyncio.to_thread(killed, data, "completed")
        with monkeypatch.context() as broken:
            broken.setattr("dnam.erasing.finishing.unfinished", full)
            await soon.come()
            await soon.asked.get()
        assert told == ["what is left of an erasure cannot be done, and is tried again: the disk is full"]
        assert memory.engine.finisher is None
        soon.pass_by()
        await soon.asked.get()
        assert memory.engine.finisher is not None


async def test_a_memory_without_a_disk_and_one_for_reading_finish_nothing(data: Path) -> None:
    told: list[str] = []
    soon = Nights()
    killed(data, "completed")
    for engine in (Engine.in_memory(), Engine.open(data, writable=False)):
        async with finishing(Memory(engine, settings(), load("en")), told.append, soon):
            await soon.come()
            await soon.asked.get()
        engine.close()
    assert told == []
