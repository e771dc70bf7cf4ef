"""A ceiling on what asking costs: never passed, and never refused while what is under way may leave room."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from dnam.errors import CostsTooMuch
from dnam.model import Ask, ExtractionInputs, Hear, ModelError, Reply, unheard
from dnam.rederiving.estimate import guessed_micros
from dnam.rederiving.rederivation import rederiving
from dnam.rederiving.spending import Spending
from dnam.shadows.manifest import Manifest, load
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import SETTINGS, Village, derive, reader
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

PEOPLE = ("kim", "ada", "tobi", "ines", "marcy", "lou")
ASK = Ask("extraction", "other", "extraction@4", "", "", ExtractionInputs("Kim", (), ()))


class Coming:
    """Everybody has come by now to ask, and finds room or waits for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, most: int = len(PEOPLE)) -> None:
        self._left = most
        self._all = asyncio.Event()
        room = Spending.room

        async def came(spending: Spending, ask: Ask) -> None:
            self._left -= 1
            if not self._left:
                self._all.set()
            await room(spending, ask)

        monkeypatch.setattr(Spending, "room", came)

    async def has_come(self) -> None:
        """Wait for it, and until whoever found room by then asks."""
        async with asyncio.timeout(60):
            await self._all.wait()
        for _ in range(20):
            await asyncio.sleep(0)


class Dear:
    """A model of which each call takes until everybody has come, and costs as much as the next of these (10⁻⁶ USD)."""

    name = version = "other"
    paid = False

    def __init__(self, coming: Coming, *costs: int) -> None:
        self._coming = coming
        self._model = reader("enjoys", name="other")
        self._costs = costs
        self._under_way = 0
        self.begun = 0
        self.most_at_once = 0

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        cost = self._costs[min(self.begun, len(self._costs) - 1)]
        self.begun += 1
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        await self._coming.has_come()
        self._under_way -= 1
        return msgspec.structs.replace(await self._model.ask(ask, hear), cost_micros=cost)


async def everybody(there: Village) -> None:
    """Each is learned from once, in direct messages: nobody waits for anybody."""
    for who in PEOPLE:
        account = Account("discord", who, who.title())
        await there.say(who, f"I like {who}", PlaceSeen("discord", "", "direct", "", "direct", partner=account))
    for who in PEOPLE:
        await there.learn(who)


@pytest.mark.parametrize(
    ("costs", "calls", "at_once"),
    [
        ((1_000,), 4, 2),  # dearer than was guessed: known once the first, which goes alone, is there
        ((4_000,), 1, 1),
        ((1_000, 2_000, 100), 3, 2),
        ((500,), 6, 3),  # cheaper: it is as if they cost what was guessed
    ],
)
def test_what_is_left_is_used_up_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, costs: Sequence[int], calls: int, at_once: int
) -> None:
    told(tmp_path, everybody)
    model = Dear(Coming(monkeypatch), *costs)
    guess = 900

    async def deriving() -> None:
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            monkeypatch.setattr(there, "_guess", lambda: lambda _: guess)
            await there.run(lambda *_: None, most_micros=4_500)

    if calls < len(PEOPLE):
        with pytest.raises(CostsTooMuch, match="may cost more than is left"):
            asyncio.run(deriving())
    else:
        asyncio.run(deriving())
    assert model.begun == load(tmp_path, "next").calls
    assert load(tmp_path, "next").cost_micros <= 4_500
    assert (model.begun, model.most_at_once) == (calls, at_once)


async def test_the_next_waits_for_what_is_under_way_before_it_is_refused() -> None:
    spending = Spending(2_500, guess=lambda _: 1_000)
    with spending.asking(ASK):
        await spending.room(ASK)
        with spending.asking(ASK):
            waiting = [asyncio.create_task(spending.room(ASK)) for _ in range(2)]
            await asyncio.sleep(0)
            assert not any(each.done() for each in waiting)
            spending.add(reply(400))
        await waiting[0]
        spending.add(reply(1_600))
    with pytest.raises(CostsTooMuch):
        await spending.room(ASK)


async def test_what_is_under_way_counts_as_what_the_dearest_cost() -> None:
    spending = Spending(10_000, guess=lambda _: 1_000)
    spending.add(reply(3_000))
    with spending.asking(ASK), spending.asking(ASK):
        third = asyncio.create_task(spending.room(ASK))
        await asyncio.sleep(0)
        assert not third.done()
        third.cancel()


async def test_by_a_batch_whoever_asks_the_same_needs_no_room_of_their_own() -> None:
    spending = Spending(1_500, guess=lambda _: 1_000, shares=True)
    with spending.asking(ASK):
        async with asyncio.timeout(5):
            await spending.room(ASK)
        with spending.asking(ASK):
            assert spending.under_way == [1_000]
        other = asyncio.create_task(spending.room(msgspec.structs.replace(ASK, prompt="another question")))
        await asyncio.sleep(0)
        assert not other.done()
        spending.took(ASK, reply(400))
    await other


def test_what_a_batch_replied_to_several_counts_once() -> None:
    spending, shared = Spending(shares=True), msgspec.structs.replace(reply(400), shared=True)
    assert spending.took(ASK, reply(400)).cost_micros == 400
    assert spending.took(ASK, shared).cost_micros == 0
    assert (spending.calls, spending.cost_micros) == (1, 400)
    assert spending.took(ASK, reply(400)).cost_micros == 400  # sent anew: what it replied was kept no longer
    begun_before = Spending(shares=True)
    assert begun_before.took(ASK, shared).cost_micros == 400  # nobody had recorded it


def reply(micros: int) -> Reply:
    return Reply("", "other", "1", cost_micros=micros)


def test_a_long_prompt_is_guessed_to_cost_more() -> None:
    short, long = (guessed_micros("claude-haiku-4-5", "word " * words) for words in (10, 10_000))
    assert 4_000 < short < 4_100
    assert long > 14_000
    assert guessed_micros("nobody's", "word") == 0


class Down(ScriptedModel):
    """The first call goes wrong once everybody has come."""

    coming: Coming | None = None

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        assert self.coming is not None
        await self.coming.has_come()
        raise ModelError("no answer")


def test_who_waits_for_room_asks_nobody_once_it_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(tmp_path, everybody)
    model = Down(name="other")
    model.coming = Coming(monkeypatch)

    async def deriving() -> None:
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            monkeypatch.setattr(there, "_guess", lambda: lambda _: 600)
            await there.run(lambda *_: None, most_micros=1_000)

    with pytest.raises(ModelError, match="no answer"):
        asyncio.run(deriving())
    assert len(model.asks) == 1
    assert asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER)).calls == len(PEOPLE)
