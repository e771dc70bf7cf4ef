"""In a guild, what runs lead to is recorded in the recorded order, whenever their replies come; and a reply that comes
before its turn is there when the derivation is broken off.
"""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.model import Ask, ExtractionInputs, Hear, ModelError, Reply, SummaryInputs, unheard
from dnam.rederiving.drive import Stopped
from dnam.rederiving.rederivation import Rederivation, rederiving
from dnam.shadows.manifest import Manifest, load
from projections.decisions.delete import DeletedRequest, delete
from projections.events import Event, ExtractionAnswered, ExtractionReplied
from projections.people import name_of
from replay.engine import Engine
from replay.group import Recorded
from replay.shadows.shadow import shadow_engine
from replay.units import tagged
from tests.dnam.rederiving.test_laws import rows_of
from tests.dnam.rederiving.village import ASKED, SETTINGS, Village, both, derive, reader, village
from tests.dnam.scripted import FakeClock
from tests.world import NOW

PEOPLE = ("Kim", "Ada", "Tobi")
OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")


class Backwards:
    """A model that replies to whoever was asked about last first, and to the first one not at all where it `fails`.
    What comes before its turn is recorded before the next reply comes.
    """

    paid = True

    def __init__(self, *, fails: bool = False) -> None:
        self._model = reader("enjoys", about="guild", name="other")
        self.name, self.version = self._model.name, self._model.version
        self._fails = fails
        self._kept = {name: asyncio.Event() for name in PEOPLE}

    @property
    def asks(self) -> list[Ask]:
        """What was answered."""
        return self._model.asks

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if isinstance(ask.inputs, ExtractionInputs):
            await self._wait_for_others(PEOPLE.index(ask.inputs.user))
        reply = await self._model.ask(ask, hear)
        return msgspec.structs.replace(reply, tokens_in=100, tokens_out=10, cost_micros=1000)

    async def _wait_for_others(self, number: int) -> None:
        for behind in PEOPLE[number + 1 :]:
            await self._kept[behind].wait()
        if self._fails and number == 0:
            raise ModelError("down")

    def watch(self, derivation: Rederivation) -> None:
        """See what is recorded."""

        def seen(recorded: Recorded) -> None:
            for event in recorded.events:
                if isinstance(event, ExtractionReplied):
                    with derivation.memory.engine.reading() as rows:
                        self._kept[name_of(rows, event.owner)].set()

        derivation.memory.watchers.append(seen)


async def say_the_same(there: Village) -> None:
    """Each of three says the same, and is learned from: whoever comes first is whose it is."""
    for name in PEOPLE:
        await there.say(name.lower(), "I like green tea")
    await there.summarise()
    for name in PEOPLE:
        await there.learn(name.lower())


async def made(path: Path, name: str, model: Backwards) -> Manifest:
    manifest = Manifest(name, OTHER, NOW, "", "")
    async with rederiving(path, SETTINGS, model, manifest, FakeClock()) as derivation:
        model.watch(derivation)
        return await derivation.run(lambda *_: None)


def of_kind(path: Path, name: str, kind: type[Event]) -> list[Any]:
    with shadow_engine(path, name) as shadow:
        return [event for _, event in tagged(shadow, {kind.TAG}, shadow.head().size)]


def rows_in(path: Path, name: str) -> dict[str, dict[bytes, Any]]:
    with shadow_engine(path, name) as shadow:
        return rows_of(shadow)


@pytest.fixture
def told(tmp_path: Path) -> Path:
    async def tell() -> None:
        async with village(tmp_path) as there:
            await say_the_same(there)

    asyncio.run(tell())
    return tmp_path


def in_order(path: Path) -> None:
    """The shadow `whole`, whose replies come one after the other."""
    asyncio.run(derive(path, reader("enjoys", about="guild", name="other"), "whole", OTHER, at_once=1))


def test_when_replies_come_makes_no_difference(told: Path) -> None:
    in_order(told)
    done = asyncio.run(made(told, "next", Backwards()))
    assert len(of_kind(told, "next", ExtractionReplied)) == 3
    assert both(told)[1] == both(told, "whole")[1]
    assert rows_in(told, "next") == rows_in(told, "whole")
    assert (done.calls, done.tokens_in, done.cost_micros) == (4, 400, 4000)


def test_a_reply_that_waits_for_its_turn_is_there_when_all_is_broken_off(told: Path) -> None:
    in_order(told)
    broken = Backwards(fails=True)
    with pytest.raises(Stopped):
        asyncio.run(made(told, "next", broken))
    assert len(of_kind(told, "next", ExtractionReplied)) == 2
    assert of_kind(told, "next", ExtractionAnswered) == []  # nobody is before their turn
    assert load(told, "next").cost_micros == 3000
    working = reader("enjoys", about="guild", name="other")
    working.paid = True
    asyncio.run(estimated_one(told))
    done = asyncio.run(derive(told, working, asked=OTHER))
    prompts = [ask.prompt for ask in (*broken.asks, *working.asks)]
    assert len(working.asks) == 1
    assert len(set(prompts)) == len(prompts) == 4
    assert (done.calls, both(told)[1]) == (4, both(told, "whole")[1])
    assert rows_in(told, "next") == rows_in(told, "whole")


async def estimated_one(path: Path) -> None:
    async with rederiving(path, SETTINGS, reader(name="other"), load(path, "next"), FakeClock()) as derivation:
        assert derivation.estimate().calls == 1


def test_what_waits_goes_with_the_words_it_was_made_of(told: Path) -> None:
    with pytest.raises(Stopped):
        asyncio.run(made(told, "next", Backwards(fails=True)))

    async def take_back() -> None:
        async with village(told) as there:
            said = there.said + 2 * 60_000  # ada's
            request = DeletedRequest("discord", f"m{said}", "discord:channel:1", said, said + 600_000)
            assert (await there.memory.record(lambda rows: delete(rows, request))).records

    asyncio.run(take_back())
    working = reader("enjoys", about="guild", name="other")
    asyncio.run(derive(told, working, asked=OTHER))
    inputs = [ask.inputs for ask in working.asks]
    assert [each.user for each in inputs if isinstance(each, ExtractionInputs)] == ["Kim"]
    summaries = [each for each in inputs if isinstance(each, SummaryInputs)]
    assert [[line.name for line in each.lines] for each in summaries] == [["Kim", "Tobi"]]
    assert len(of_kind(told, "next", ExtractionReplied)) == 2  # tobi's, and now kim's
    with Engine.open(told, writable=False) as live, shadow_engine(told, "next", beside=live) as shadow:
        assert shadow.head().epoch == live.head().epoch
