"""The doctor looks at shadows: each that is not as it should be, with what to do."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dnam.adapters.anthropic.batch_book import Book
from dnam.doctor import shadows
from dnam.doctor.check import Finding
from dnam.memory import Memory
from dnam.rederiving.models import BOOK
from dnam.shadows.manifest import FILE, is_being_made, load, making, save
from dnam.shadows.source import rederived_of
from projections.decisions.adopted import next_adoption, of_owner
from projections.decisions.draft import Draft, Minter
from projections.events import ItemUpserted
from projections.events.values import By, Item
from projections.ids import Handle
from projections.rows import Rows
from replay.shadows.shadow import shadow_folder
from tests.dnam.cli.beside import HARMS, beside, nothing_recorded
from tests.dnam.cli.memories import bytes_of, dnam, garden, make
from tests.dnam.doctor.patients import looked, patient
from tests.dnam.scripted import FakeClock
from tests.projections.items import an_item
from tests.world import NOW


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "data"
    make(path, garden)
    beside(path, "next")
    return path


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    """A memory with a shadow that holds the same."""
    return Path(shutil.copytree(told, tmp_path / "data"))


def change(data: Path, **fields: object) -> None:
    save(data, msgspec.structs.replace(load(data, "next"), **fields))


async def of_next(data: Path) -> Finding:
    """What is to be done about the shadow; that anything is said of the room is another test's."""
    found = await shadows.beside(patient(data))
    (trouble,) = (each for each in found if each.state != "well")
    assert "next" in trouble.what
    assert "`dnam shadows drop next`" in trouble.do or "`dnam adopt" in trouble.do
    return trouble


async def test_none(tmp_path: Path) -> None:
    found = await looked(shadows.beside, patient(tmp_path))
    assert (found.state, found.what) == ("skipped", "there are no shadows")
    (tmp_path / "shadows" / ".DS_Store").mkdir(parents=True)
    assert (await looked(shadows.beside, patient(tmp_path))).state == "skipped"


async def test_well_with_the_room_that_it_takes(data: Path) -> None:
    before = bytes_of(data)
    found = await shadows.beside(patient(data))
    assert [each.state for each in found] == ["well", "well"]
    assert found[0].what.startswith("next is complete: it knows the log up to #")
    assert " of log: next " in found[1].what
    assert " in all beside " in found[1].what
    assert bytes_of(data) == before


async def test_one_that_was_broken_off_and_one_that_is_being_made(data: Path) -> None:
    change(data, state="under way")
    trouble = await of_next(data)
    assert (trouble.state, "is not complete" in trouble.what) == ("doubt", True)
    assert "`dnam rederive --name next` goes on" in trouble.do
    with making(data, "next"):
        assert is_being_made(data, "next")
        found = await shadows.beside(patient(data))
    assert "next is being made just now" in found[0].what
    assert {each.state for each in found} == {"well"}
    assert not is_being_made(data, "next")


async def test_one_that_was_broken_off_before_it_began(data: Path) -> None:
    nothing_recorded(data)
    trouble = await of_next(data)
    assert (trouble.state, "broken off before anything was made" in trouble.what) == ("doubt", True)
    with making(data, "next"):
        assert (await shadows.beside(patient(data)))[0].what == "next is being begun just now"
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0
    assert (await looked(shadows.beside, patient(data))).state == "skipped"


async def test_a_manifest_that_cannot_be_read(data: Path) -> None:
    (shadow_folder(data, "next") / FILE).write_text("no manifest")
    trouble = await of_next(data)
    assert (trouble.state, "cannot be read" in trouble.what) == ("wrong", True)


async def test_one_of_another_log(data: Path) -> None:
    change(data, of="00" * 16)
    trouble = await of_next(data)
    assert (trouble.state, "was made of another log" in trouble.what) == ("wrong", True)


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
async def test_one_that_is_broken_is_not_called_complete(data: Path, harm: Callable[[Path], str]) -> None:
    why = harm(data)
    trouble = await of_next(data)
    assert (trouble.state, "complete" in trouble.what) == ("wrong", False)
    assert f"next cannot be used: {why}" in trouble.what
    assert trouble.do == "`dnam shadows drop next`, then `dnam rederive --name next` again."


async def test_one_that_is_much_behind(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadows, "MUCH", 2)
    await asyncio.to_thread(make, data, lambda memory: memory.heard("100", "one more thing", platform="discord"))
    assert {each.state for each in await shadows.beside(patient(data))} == {"well"}
    await asyncio.to_thread(make, data, lambda memory: memory.heard("100", "and another", platform="discord"))
    trouble = await of_next(data)
    assert (trouble.state, trouble.what) == ("doubt", "next does not know 2 events of the log yet")


async def test_batches_that_wait(data: Path) -> None:
    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    assert "next: 1 batch waits at the API" in (await of_next(data)).what
    book.sent(book.begin(["two"], 0), "msgbatch_2")
    trouble = await of_next(data)
    assert (trouble.state, "2 batches wait" in trouble.what) == ("doubt", True)
    assert "`dnam rederive --name next` fetches" in trouble.do


async def test_a_book_of_batches_that_cannot_be_read(data: Path) -> None:
    (shadow_folder(data, "next") / BOOK).write_text("no book")
    trouble = await of_next(data)
    assert trouble.state == "wrong"
    assert "Batches that it knows of, if any, go on at the API" in trouble.what


async def test_an_adoption_that_was_broken_off(data: Path) -> None:
    """Its first decision is recorded, and it does not count yet."""
    made = rederived_of(load(data, "next"))
    async with Memory.open(data, clock=FakeClock()) as memory:
        kim = await memory.person("100", platform="discord")

        def first(rows: Rows) -> list[Draft]:
            minter = Minter(rows, next_adoption(rows, made.shadow, made.made).free(rows, of_owner(kim)))
            return [minter.draft(ItemUpserted(said=NOW, by=By("model", name="next"), item=_of(kim)))]

        await memory.record(first)
    trouble = await of_next(data)
    assert (trouble.state, "an adoption of next was broken off" in trouble.what) == ("doubt", True)
    assert "`dnam adopt next` goes on, `dnam adopt --undo next` takes it back" in trouble.do


def _of(person: Handle) -> Item:
    return an_item("likes rain", owner=person)


async def test_without_a_log_each_is_of_one_that_is_not_here(data: Path) -> None:
    shutil.rmtree(data / "log")
    assert "is of a log that is not here" in (await of_next(data)).what


@pytest.mark.parametrize("lost", ["keys", "log"])
async def test_with_a_log_that_cannot_be_opened_its_own_check_says_so(data: Path, lost: str) -> None:
    if lost == "keys":
        shutil.rmtree(data / "keys")
    else:
        (file,) = (data / "log").glob("0*/data.mdb")
        file.write_bytes(file.read_bytes()[: 4096 * 3])
    found = await shadows.beside(patient(data))
    assert [each.state for each in found] == ["well", "well"]
