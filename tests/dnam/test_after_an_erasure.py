"""After an erasure what was made of somebody's words is gone at once, and made anew without them at the next cycle."""

import asyncio
import threading
from pathlib import Path

import pytest

from dnam import Memory
from dnam.access import Access
from dnam.erasing import person as erasing
from dnam.erasing import swept
from dnam.erasing.swept import Swept, sweep
from dnam.model import Ask, SummaryInputs
from projections.rows import Rows
from projections.summaries import find_summary
from replay.erasure import erase
from replay.errors import LogError
from replay.folder import replace_file
from replay.lock import WriteLock
from tests.dnam.scripted import ScriptedModel, talking
from tests.dnam.test_background import ROOM, turn

SECRET = "zqfigzq"
PATIENCE_SECONDS = 10.0


def all_of_it(ask: Ask) -> str:
    """A summary that leaves nothing out."""
    assert isinstance(ask.inputs, SummaryInputs)
    return " ".join([ask.inputs.previous, *(line.text for line in ask.inputs.lines)])


async def test_a_channel_s_summary_is_gone_at_once_and_made_anew_of_what_others_said(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": all_of_it})
    async with talking(tmp_path, model, summary_every_n_turns="2", durable_memory_enabled="0") as assistant:
        await turn(assistant, "ada", "tulips stand by the shed", ROOM)
        heard = await turn(assistant, "kim", f"figs are my {SECRET}", ROOM)
        await assistant.settle()

        def summary(rows: Rows) -> str:
            found = find_summary(rows, heard.session, heard.setting.audience.epoch)
            return "" if found is None else found.row.text

        assert SECRET in await assistant.memory.look(summary)
        await asyncio.to_thread(erase, assistant.memory.engine, heard.person)
        assert await assistant.memory.look(summary) == ""
        before = len(model.asks)
        for text in ("more of it", "and more"):
            await turn(assistant, "ada", text, ROOM)
            await assistant.settle()
        made = await assistant.memory.look(summary)
        assert "tulips" in made
        assert SECRET not in made
        assert not any(SECRET in ask.system + ask.prompt for ask in model.asks[before:])


async def test_closing_waits_for_an_erasure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that broke off there had LMDB's own error, and all that was left to do was the next opening's."""
    began, goes_on = threading.Event(), threading.Event()

    def slowly(memory: Access) -> Swept:
        began.set()
        assert goes_on.wait(PATIENCE_SECONDS)
        return sweep(memory)

    monkeypatch.setattr(erasing, "sweep", slowly)
    async with Memory.open(tmp_path) as memory:
        heard = await memory.heard("kim", f"figs are my {SECRET}")
        task = asyncio.create_task(erasing.erase(memory, heard.person))
        assert await asyncio.to_thread(began.wait, PATIENCE_SECONDS)
        asyncio.get_running_loop().call_later(0.2, goes_on.set)
    assert (await task).is_complete
    with pytest.raises(LogError, match="this memory is closed"):
        await erasing.erase(memory, heard.person)


async def test_those_who_sweep_at_once_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They write the same file, under the same name until it is whole: one had taken it from the other."""
    writing, most, enter, comes = list[Path](), list[int](), WriteLock.__enter__, threading.Event()

    def entered(lock: WriteLock) -> WriteLock:
        if writing:
            comes.set()
        return enter(lock)

    def until_the_other_comes(path: Path, data: bytes) -> None:
        writing.append(path)
        most.append(len(writing))
        assert comes.wait(PATIENCE_SECONDS)
        replace_file(path, data)
        writing.remove(path)

    monkeypatch.setattr(swept, "replace_file", until_the_other_comes)
    monkeypatch.setattr(WriteLock, "__enter__", entered)
    async with Memory.open(tmp_path) as memory:
        await asyncio.gather(*(asyncio.to_thread(sweep, memory) for _ in range(2)))
    assert most == [1, 1]
