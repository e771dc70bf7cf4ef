"""What is in flight when a person's decision comes by is there first."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from dnam.model import Ask, ExtractionInputs, Hear, Model, Reply, unheard
from dnam.rederiving.chains import Chains, Key
from dnam.rederiving.drive import Stopped
from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Manifest
from projections.decisions.draft import Draft
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.rows import Rows
from tests.dnam.rederiving.test_rederiving import BrokenOff
from tests.dnam.rederiving.village import ASKED, SETTINGS, Village, both, derive, reader, village
from tests.dnam.scripted import FakeClock, down
from tests.world import NOW

OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")


class Slow:
    """A model whose summaries come when they are waited for, or when it is too late."""

    paid = False

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.version = model.name, model.version
        self.let_go = asyncio.Event()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if ask.purpose == "summary":
            await self.let_go.wait()
        return await self._model.ask(ask, hear)


async def story(there: Village) -> None:
    """Two summaries, and then kim takes back what the second one has read."""
    await there.say("kim", "I like green tea")
    await there.learn("kim")
    await there.summarise()
    await there.say("kim", "I like long walks")
    await there.learn("kim")
    await there.summarise()
    await there.memory.forget(await there.handle("kim"), "likes long walks")


async def test_a_summary_is_made_of_what_was_there_before_a_person_took_it_back(tmp_path: Path) -> None:
    async with village(tmp_path) as there:
        await story(there)
    slow, wait, loop = Slow(reader("enjoys", name="other")), Chains.wait, asyncio.get_running_loop()

    async def waiting(chains: Chains, keys: Iterable[Key]) -> None:
        keys = list(keys)
        if any(kind == "session" for kind, _ in keys):
            slow.let_go.set()
        await wait(chains, keys)

    def applied(rows: Rows, request: ReapplyRequest) -> list[Draft]:
        loop.call_soon_threadsafe(slow.let_go.set)
        return reapply(rows, request)

    with (
        patch.object(Chains, "wait", waiting),
        patch("dnam.rederiving.walk.reapply", applied),
        patch("dnam.rederiving.walk.once_more", lambda *_: []),  # it is looked at before it is made without
    ):
        await derive(tmp_path, slow, asked=OTHER)
    live, shadow = await asyncio.to_thread(both, tmp_path)
    ((was, *_),), ((text, *_),) = live["summaries"].values(), shadow["summaries"].values()
    assert text == was.replace("likes", "enjoys")
    assert "long walks" in text


async def close(there: Village) -> None:
    """Two things that are close, learned one after the other, and a third behind something that kim decides."""
    await there.say("kim", "I like green tea with milk")
    await there.learn("kim")
    await there.say("kim", "I like green tea with milk and honey")
    await there.learn("kim")
    await there.memory.remember(await there.handle("kim"), "keeps bees")
    await there.say("kim", "I like rain")
    await there.learn("kim")


async def test_whether_two_are_one_is_not_asked_again_by_an_earlier_run(tmp_path: Path) -> None:
    """Broken off behind runs that were merged after: each pair belongs to the run that found it."""
    async with village(tmp_path) as there:
        await close(there)
    model = reader("enjoys", name="other")
    model.scripts["merge"] = lambda _: "no JSON"

    def tell(done: int, *_: int) -> None:
        if done == 3:
            raise BrokenOff

    async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as derivation:
        with pytest.raises(BrokenOff):
            await derivation.run(tell)
    assert len(model.asked("merge")) == 1
    await derive(tmp_path, model, asked=OTHER)
    assert len(model.asked("merge")) == 1


async def edited(there: Village) -> None:
    """Kim is learned from and then says something else, twice: the first time the reply goes, and of what it had read
    the rest is known, which goes the second time. Ada is learned from behind it.
    """
    said = [(await there.say("kim", text), there.said) for text in ("I like green tea", "I like old maps")]
    await there.learn("kim")
    for key, when in said:
        await there.edit("kim", key, when, "I like long walks")
    await there.say("ada", "I like rain")
    await there.learn("ada")


async def test_what_was_edited_later_is_not_read_by_a_run_that_is_come_back_to(tmp_path: Path) -> None:
    async with village(tmp_path) as there:
        await edited(there)
    model = reader("enjoys", name="other")
    good = model.scripts["extraction"]
    model.scripts["extraction"] = down
    with pytest.raises(Stopped):
        await derive(tmp_path, model, asked=OTHER)
    model.scripts["extraction"] = good
    await derive(tmp_path, model, asked=OTHER)
    assert {inputs.user for inputs in model.given(ExtractionInputs)} == {"Ada"}
