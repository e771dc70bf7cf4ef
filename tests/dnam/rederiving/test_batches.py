"""Deriving by batches: the same memory, for half the price, whatever becomes of a batch; nothing is paid for twice."""

import asyncio
import shutil
from collections import Counter
from pathlib import Path

import pytest

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.errors import CostsTooMuch
from dnam.prices import BATCHED, Tokens, prices
from dnam.rederiving.drive import Stopped
from dnam.shadows.manifest import Asked, Manifest, load
from replay.shadows.shadow import shadow_engine
from tests.dnam.claude.batch_stage import Desk, office, stop
from tests.dnam.rederiving.crowd import chat, replies
from tests.dnam.rederiving.test_merges_expected import alike as same
from tests.dnam.rederiving.test_rederiving import told as tell
from tests.dnam.rederiving.test_taken_back import redact
from tests.dnam.rederiving.village import derive, memories, village
from tests.loopback.messages import Expires, Fails, Reply, Request, Script, serving

HAIKU = "claude-haiku-4-5"
ASKED = Asked(HAIKU, HAIKU, "extraction@4", "summary@2", "closeness@2")
DAY = 24 * 60 * 60.0


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory, and a shadow of it that was made at once."""
    folder = tmp_path_factory.mktemp("told") / "data"

    async def tell() -> None:
        async with village(folder) as there:
            await chat(there, 1)
        async with serving(replies()) as server:
            model = Claude(Access(server.key, server.url))
            await derive(folder, model, "at-once", ASKED)
            await model.close()

    asyncio.run(tell())
    return folder


class Shadows:
    """Two shadows of one memory: one that was made at once, and one that is made by batches."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def by_batches(self, desk: Desk, most_micros: int | None = None) -> Manifest:
        """A run, which may go on with an earlier one."""
        model = desk.run(interval_seconds=6 * 60 * 60)
        await model.prepare()
        return await derive(self.path, model, "batched", ASKED, send=model.send, most_micros=most_micros)

    @property
    def at_once(self) -> Manifest:
        return load(self.path, "at-once")

    @property
    def batched(self) -> Manifest:
        return load(self.path, "batched")

    def are_alike(self) -> bool:
        """Whether both are complete and hold the same."""
        held = []
        for name in ("at-once", "batched"):
            with shadow_engine(self.path, name) as shadow:
                held.append(memories(shadow))
        return held[0] == held[1] and bool(held[0]["items"]) and self.batched.state == "complete"


@pytest.fixture
def alike(tmp_path: Path) -> Shadows:
    """Of two people who say the same, so that the same is asked of both: eleven replies to nine questions."""
    folder = tmp_path / "data"
    tell(folder, same)
    return Shadows(folder)


@pytest.fixture
def shadows(told: Path, tmp_path: Path) -> Shadows:
    return Shadows(Path(shutil.copytree(told, tmp_path / "data")))


def each_was_paid_once(desk: Desk) -> bool:
    """Whether no question was answered in two batches."""
    rows = (row for batch in desk.api.made for row in batch.results)
    paid = Counter(row["custom_id"] for row in rows if row["result"]["type"] == "succeeded")
    return set(paid.values()) == {1}


def failing(*bad: Reply) -> Script:
    """A script by which every third question goes wrong the first time, in one of these ways after the other."""
    good, seen = replies(), list[str]()

    def script(request: Request) -> Reply:
        if request.prompt in seen:
            return good(request)
        seen.append(request.prompt)
        return good(request) if len(seen) % 3 else bad[len(seen) // 3 % len(bad)]

    return script


async def test_by_batches_it_is_the_same_shadow_for_half_the_price(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        batched, paid = await shadows.by_batches(desk), shadows.at_once
        assert shadows.are_alike()
        assert (batched.calls, batched.tokens_in, batched.tokens_out) == (paid.calls, paid.tokens_in, paid.tokens_out)
        assert batched.cost_micros * 2 == pytest.approx(paid.cost_micros, abs=2 * paid.calls)
        assert len(desk.api.asked()) == len(set(desk.api.asked())) == paid.calls
        assert len(desk.api.made[0].ids) > 2  # what can be asked at once is in one batch
        assert len(desk.api.made) < paid.calls


async def test_what_does_not_fit_beside_what_is_under_way_is_in_a_later_batch(tmp_path: Path, shadows: Shadows) -> None:
    guess = 2_700
    async with office(tmp_path, replies()) as desk:
        most = shadows.at_once.cost_micros // 2 + 2 * guess
        assert (await shadows.by_batches(desk, most)).cost_micros < most
        assert shadows.are_alike()
        assert max(len(batch.ids) for batch in desk.api.made) == 2
        assert each_was_paid_once(desk)


async def test_left_while_it_waits_it_is_picked_up(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = DAY / 2
        for _ in range(2):
            desk.stays = True
            deriving = asyncio.create_task(shadows.by_batches(desk))
            await desk.waited.wait()
            await stop(deriving)
            assert desk.told[-1].endswith("nothing is sent, or paid for, twice")
            assert shadows.batched.state == "under way"
            desk.waited.clear()
            desk.time += DAY / 2  # meanwhile it is answered
        desk.stays = False
        await shadows.by_batches(desk)
        assert shadows.are_alike()
        assert len(desk.api.asked()) == len(set(desk.api.asked())) == shadows.batched.calls


async def test_what_expired_or_failed_is_asked_again(tmp_path: Path, shadows: Shadows) -> None:
    bad = Expires(), Fails(529, "overloaded_error"), Fails(500)
    async with office(tmp_path, failing(*bad)) as desk:
        await shadows.by_batches(desk)
        assert shadows.are_alike()
        assert each_was_paid_once(desk)
        assert shadows.batched.calls < len(desk.api.asked())


async def test_half_of_a_batch_expires(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = 2 * DAY

        async def hurry() -> None:
            desk.api.takes_seconds = 60

        desk.meanwhile = hurry
        await shadows.by_batches(desk)
        assert shadows.are_alike()
        assert each_was_paid_once(desk)
        assert shadows.batched.calls < len(desk.api.asked())


async def test_a_batch_that_is_cancelled_breaks_it_off_and_it_goes_on(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = DAY

        async def cancel() -> None:
            desk.api.cancel(desk.api.made[-1])

        desk.meanwhile = cancel
        with pytest.raises(Stopped, match=r"cancelled before this question was asked\. To ask it, run the same again"):
            await shadows.by_batches(desk)
        assert shadows.batched.state == "under way"
        desk.meanwhile = None
        await shadows.by_batches(desk)
        assert shadows.are_alike()
        assert each_was_paid_once(desk)


async def test_what_is_refused_breaks_it_off_and_no_other_is_paid_twice(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, failing(Fails(400, "invalid_request_error", "this went wrong"))) as desk:
        with pytest.raises(Stopped, match="the request was refused"):
            await shadows.by_batches(desk)
        desk.server.script = replies()
        await shadows.by_batches(desk)
        assert shadows.are_alike()
        assert each_was_paid_once(desk)


async def test_what_is_asked_of_two_people_is_paid_once(tmp_path: Path, alike: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        made = await alike.by_batches(desk)
        assert len(desk.api.asked()) == len(set(desk.api.asked())) == made.calls == 9
        assert (made.tokens_in, made.tokens_out, made.cost_micros) == paid(desk)


async def test_what_is_asked_again_by_a_later_run_is_paid_once_too(tmp_path: Path, alike: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = DAY / 2
        for _ in range(4):
            desk.stays = True
            deriving = asyncio.create_task(alike.by_batches(desk))
            await desk.waited.wait()
            await stop(deriving)
            desk.waited.clear()
            desk.time += DAY / 2
        desk.stays = False
        made = await alike.by_batches(desk)
        assert made.calls == len(desk.api.asked()) == 9
        assert made.cost_micros == paid(desk)[2]


def paid(desk: Desk) -> tuple[int, int, int]:
    """What the API counted: tokens in and out, and the price of them."""
    rows = [row for batch in desk.api.made for row in batch.results if row["result"]["type"] == "succeeded"]
    used = [row["result"]["message"]["usage"] for row in rows]
    costs = (prices().cost_micros(HAIKU, Tokens(each["input_tokens"], each["output_tokens"]), BATCHED) for each in used)
    tokens_in, tokens_out = sum(each["input_tokens"] for each in used), sum(each["output_tokens"] for each in used)
    return tokens_in, tokens_out, sum(each or 0 for each in costs)


async def left_and_taken_back(desk: Desk, shadows: Shadows) -> None:
    """A run that is left once its first batch is sent; then one of the messages that are asked about is redacted."""
    desk.stays = True
    deriving = asyncio.create_task(shadows.by_batches(desk))
    await desk.waited.wait()
    await stop(deriving)
    desk.stays = False
    assert any("I like green tea number 0" in str(each["params"]) for each in desk.api.made[0].requests)
    redact(shadows.path, "I like green tea number 0")


async def test_what_is_of_no_use_any_more_is_paid_for_and_counted(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = DAY / 2
        await left_and_taken_back(desk, shadows)
        desk.time += DAY / 2
        made = await shadows.by_batches(desk)
        assert (made.tokens_in, made.tokens_out, made.cost_micros) == paid(desk)
        assert made.calls == len(desk.api.asked())
        assert made.useless > 0
        assert {each.state for each in desk.book.entries} == {"ended"}
        again = await shadows.by_batches(desk)
        assert (again.calls, again.cost_micros, again.useless) == (made.calls, made.cost_micros, made.useless)


async def test_what_is_of_no_use_any_more_is_a_part_of_what_it_may_cost(tmp_path: Path, shadows: Shadows) -> None:
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = DAY / 2
        await left_and_taken_back(desk, shadows)
        desk.time += DAY / 2
        with pytest.raises(CostsTooMuch):
            await shadows.by_batches(desk, 1)
        assert shadows.batched.cost_micros == paid(desk)[2] > 0
