"""What a program takes back of people: opting out and in, and erasing, while the memory is open."""

import asyncio
import threading
from pathlib import Path

import pytest

from dnam import Identity, Memory, Origin
from dnam.access import Access
from dnam.erasing import person as erasing
from dnam.erasing.swept import Swept, sweep
from dnam.errors import BrokenOff, Unknown
from projections.errors import BadRequest
from projections.events import ErasureCompleted, PersonErased, PersonOptedIn, PersonOptedOut
from projections.events.values import OPERATOR, By
from projections.ids import NOBODY, UNSEALED, Handle
from projections.messages import MESSAGES
from replay import codec
from replay.errors import LogError
from replay.folder import replace_file
from replay.shadows.shadow import shadow_engine
from tests.dnam.discord.stage import events
from tests.dnam.scripted import FakeClock
from tests.dnam.test_removing import POND, SECRET, SHED, WORD, garden, learned, said, shown, size, told
from tests.dnam.test_shadows_followed import data
from tests.replay.stage import contents
from tests.world import NOW

__all__ = ["data"]
STRANGER = Handle(bytes(range(16)))
PATIENCE_SECONDS = 10.0


# -- opting out and in ---------------------------------------------------------------------------------------------


async def test_who_opted_out_is_heard_no_more_until_they_opt_in(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", POND, place=SHED)
        assert await memory.opt_out("kim")
        assert (await memory.heard("kim", SECRET, place=SHED)).person == NOBODY
        assert WORD not in told(memory)
        assert POND in await shown(memory)  # what is there stays
        before = size(memory)
        assert not await memory.opt_out("kim")
        assert size(memory) == before
        assert await memory.opt_in("kim")
        before = size(memory)
        assert not await memory.opt_in("kim")
        assert size(memory) == before
        assert (await memory.heard("kim", "hello again", place=SHED)).person == await memory.person("kim")


async def test_an_account_that_nobody_has_heard_of_opts_out_ahead(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assert not await memory.opt_in("kim", platform="slack")
        assert await memory.opt_out("kim", platform="slack")
        assert (await memory.heard("kim", SECRET, platform="slack")).person == NOBODY
        assert (await memory.heard("kim", POND)).person != NOBODY
        assert WORD not in told(memory)


async def test_somebody_is_meant_by_their_handle_too_and_by_no_strange_one(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        kim = (await memory.heard("kim", POND)).person
        before = size(memory)
        for attempt in (memory.opt_out(STRANGER), memory.opt_in(NOBODY), memory.erase(STRANGER), memory.erase(NOBODY)):
            with pytest.raises(Unknown, match="this handle is nobody's"):
                await attempt
        assert size(memory) == before
        assert await memory.opt_out(kim)
        assert (await memory.heard("kim", SECRET)).person == NOBODY


async def test_the_same_request_opts_out_once(tmp_path: Path) -> None:
    asked = Origin(Identity("local", "message", "m9", "asked", NOW))
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assert await memory.opt_out("kim", origin=asked)
        assert await memory.opt_in("kim")
        assert not await memory.opt_out("kim", origin=asked)  # it came twice
        assert (await memory.heard("kim", POND)).person != NOBODY


async def test_nobody_is_named_in_the_clear(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        kim, ada = (await memory.heard("kim", POND)).person, (await memory.heard("ada", POND)).person
        before = size(memory)
        for attempt in (memory.opt_out, memory.opt_in, memory.erase):
            with pytest.raises(BadRequest, match="`by` is another person"):
                await attempt("kim", by=By("person", ada))
        assert size(memory) == before
        await memory.opt_out("kim", by=By("person", kim))
        await memory.opt_in("kim", by=By("operator", name="somebody's name"))
        await memory.erase("kim")
        (out,), (back,), (erased,) = (events(memory, each) for each in (PersonOptedOut, PersonOptedIn, PersonErased))
        assert (out.by, back.by, erased.by) == (By("person"), OPERATOR, By("person"))
        headers = [codec.decode_header(header) for _, header in memory.engine.store.log.headers(0, size(memory))]
        assert {each.vault for each in headers if each.tag.startswith("person.opted")} == {UNSEALED}


# -- erasing -------------------------------------------------------------------------------------------------------


async def test_who_was_erased_is_nowhere_any_more_and_the_receipt_counts_it(tmp_path: Path) -> None:
    async with garden(tmp_path) as assistant:
        memory = assistant.memory
        kim = await said(assistant, "1", SECRET)
        await said(assistant, "2", POND, user="ada")
        await memory.remember("kim", SECRET)
        await learned(assistant, kim)
        ring = memory.engine.store.ring
        keys = len(ring.listing(kim))
        receipt = await memory.erase("kim")
        assert receipt.event is not None
        assert receipt.is_complete
        assert (receipt.taken.keys, receipt.taken.events["message.heard"]) == (keys, 2)
        assert ring.listing(kim) == []
        assert WORD not in told(memory)
        assert POND in told(memory)
        assert len(events(memory, ErasureCompleted)) == 1
        with pytest.raises(Unknown):
            await memory.show("kim")
        context = await memory.context(await memory.heard("ada", "what opens the locker?", place=SHED))
        assert WORD not in context.text
        assert POND in context.text
        memory.engine.commit_views()
        views = {name: held for name, held in contents(tmp_path).items() if name.startswith("views")}
        assert any(b"garden has a pond" in each for each in views.values())
        assert not any(WORD.encode() in each for each in views.values())


async def test_the_second_time_there_is_nothing_to_erase(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        kim = (await memory.heard("kim", SECRET, key="1", said=NOW)).person
        await memory.erase(kim)
        before = size(memory)
        receipt = await memory.erase("kim")
        assert (receipt.event, receipt.taken.keys, receipt.taken.events, receipt.is_complete) == (None, 0, {}, True)
        with pytest.raises(Unknown, match="this handle is nobody's"):
            await memory.erase(kim)
        with pytest.raises(Unknown, match="nobody here has the id local:ada"):
            await memory.erase("ada")
        assert await memory.deleted("1") == []
        assert not await memory.edited("1", POND)
        assert size(memory) == before
        await memory.heard("kim", SECRET, key="1", said=NOW)  # what was said before does not come back
        assert WORD not in told(memory)


async def test_who_speaks_again_is_somebody_new_and_can_be_erased_again(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        kim = (await memory.heard("kim", SECRET)).person
        await memory.erase("kim")
        clock.time += 60_000
        again = await memory.heard("kim", POND)
        assert again.person not in (kim, NOBODY)
        assert (await memory.erase("kim")).taken.events["message.heard"] == 1
        assert len(events(memory, PersonErased)) == 2


async def test_who_opted_out_can_be_erased_and_stays_out(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET)
        await memory.opt_out("kim")
        assert (await memory.erase("kim")).event is not None
        assert (await memory.heard("kim", POND)).person == NOBODY
        assert await memory.opt_in("kim")


def in_shadow(folder: Path, memory: Memory) -> list[str]:
    with shadow_engine(folder, "next", beside=memory.engine) as shadow, shadow.reading() as rows:
        return [found.row.message.text for found in rows.scan(MESSAGES)]


async def test_a_shadow_is_without_them_when_it_returns(data: Path) -> None:
    async with Memory.open(data, clock=FakeClock()) as memory:
        assert in_shadow(data, memory) == ["I like tea", "I like rain"]
        receipt = await memory.erase("kim", platform="discord")
        assert receipt.taken.shadows == ("next",)
        held = [each for name, each in contents(data / "shadows").items() if "views" in name]
        assert held
        assert not any(b"I like" in each for each in held)
        assert in_shadow(data, memory) == []


async def test_what_broke_off_is_finished_when_it_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET)
        monkeypatch.setattr(erasing, "finish_erasures", full)
        with pytest.raises(BrokenOff, match="not gone yet: no space left"):
            await memory.erase("kim")
        assert events(memory, ErasureCompleted) == []
        monkeypatch.undo()
        receipt = await memory.erase("kim")
        assert (receipt.event is not None, receipt.is_complete) == (True, True)
        assert receipt.taken.events["message.heard"] == 1
        assert len(events(memory, ErasureCompleted)) == 1
        assert (await memory.erase("kim")).event is None


async def test_others_are_heard_while_somebody_is_erased_and_closing_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, goes_on = threading.Event(), threading.Event()

    def slowly(memory: Access) -> Swept:
        began.set()
        assert goes_on.wait(PATIENCE_SECONDS)
        return sweep(memory)

    monkeypatch.setattr(erasing, "sweep", slowly)
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET)
        task = asyncio.create_task(memory.erase("kim"))
        assert await asyncio.to_thread(began.wait, PATIENCE_SECONDS)
        await memory.heard("ada", POND)
        assert [each.text for each in await memory.show("ada")] == []
        with pytest.raises(Unknown):  # the keys are gone already
            await memory.show("kim")
        asyncio.get_running_loop().call_later(0.2, goes_on.set)
    assert (await task).is_complete
    for attempt in (memory.erase("ada"), memory.deleted("1"), memory.opt_out("ada")):
        with pytest.raises(LogError, match="this memory is closed"):
            await attempt


async def test_who_does_not_wait_for_an_erasure_has_it_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, goes_on = threading.Event(), threading.Event()

    def slowly(path: Path, content: bytes) -> None:
        began.set()
        assert goes_on.wait(PATIENCE_SECONDS)
        replace_file(path, content)

    monkeypatch.setattr("dnam.erasing.swept.replace_file", slowly)
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET)
        task = asyncio.create_task(memory.erase("kim"))
        assert await asyncio.to_thread(began.wait, PATIENCE_SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        goes_on.set()
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assert len(events(memory, ErasureCompleted)) == 1
        assert WORD not in told(memory)


async def test_two_who_erase_at_once_do_it_once(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        await memory.heard("kim", SECRET)
        receipts = await asyncio.gather(*(memory.erase("kim") for _ in range(3)))
        assert len(events(memory, PersonErased)) == 1
        assert sum(each.event is not None for each in receipts) >= 1
