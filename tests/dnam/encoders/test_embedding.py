"""Vectors made in the background: of what is there and of what comes, and what goes wrong disturbs nobody."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.erasing.person import erase
from dnam.meaning import embedding, texts_held
from dnam.meaning.embedding import (
    BATCH,
    FIRST_PAUSE_SECONDS,
    GATHER_SECONDS,
    HARMLESS,
    LONGEST_PAUSE_SECONDS,
    Embedding,
)
from dnam.meaning.encoder import EncoderDown, EncoderError
from dnam.meaning.encoding import encoded
from dnam.memory import Memory
from dnam.model import OverBudget
from dnam.whereabouts import LOCAL
from projections.decisions.delete import DeletedRequest, delete
from projections.events import JobFailed, TextsEncoded
from projections.vectors_texts import TABLES, Held, RowKey, held_from
from replay.errors import CannotWrite
from replay.store import DiskStore
from tests.dnam.encoders.fake import TOKENS, Worded
from tests.dnam.scripted import FakeClock, ScriptedModel, talking
from tests.dnam.test_loops import recorded
from tests.dnam.test_unbilled import full

ALONE = {"durable_every_n_turns": "1000", "summary_enabled": "0"}


class Naps:
    """Time that passes when it is told to: how long was asked for, in order."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()
        self._go_on = asyncio.Semaphore(0)

    async def sleep(self, seconds: float) -> None:
        await self.asked.put(seconds)
        await self._go_on.acquire()

    async def next(self) -> float:
        """How long the next one is; it goes on with `over`."""
        async with asyncio.timeout(10):
            return await self.asked.get()

    def over(self) -> None:
        self._go_on.release()


class Bench:
    """An assistant, its vectors, and what makes them."""

    def __init__(self, assistant: Assistant) -> None:
        store = assistant.memory.engine.store
        assert isinstance(store, DiskStore)
        self.assistant, self.memory = assistant, assistant.memory
        self.vectors = store.vectors
        self.encoder, self.naps = Worded(), Naps()

    def worker(self, encoder: Worded | None = None) -> Embedding:
        return Embedding(self.assistant, self.vectors, encoder or self.encoder, self.naps.sleep)

    async def say(self, *texts: str, who: str = "ada") -> None:
        for text in texts:
            await self.memory.heard(who, text)

    def texts(self) -> list[Held]:
        with self.memory.engine.reading() as rows:
            found = held_from(rows.raw, RowKey(TABLES[0], b""))
            return [text for _, text in found if text is not None]

    def lacking(self, encoder: Worded | None = None) -> list[str]:
        """The texts whose vector is not found by the seq of their row."""
        texts = self.texts()
        vectors = self.vectors.get((encoder or self.encoder).name, [each.seq for each in texts])
        return [each.text for each, vector in zip(texts, vectors, strict=True) if vector is None]


@asynccontextmanager
async def working(path: Path, **values: str) -> AsyncIterator[Bench]:
    async with talking(path, ScriptedModel(), None, **ALONE, **values) as assistant:
        yield Bench(assistant)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with working(tmp_path) as bench:
        yield bench


class TestCatchingUp:
    async def test_makes_the_vectors_of_what_is_there_each_text_of_a_person_once(self, bench: Bench) -> None:
        await bench.say("I keep bees", "ok", "ok", "  ")
        await bench.say("ok", who="kim")
        await bench.worker().catch_up()
        assert bench.lacking() == []
        assert sorted(bench.encoder.texts) == ["I keep bees", "ok"]
        assert (bench.vectors.in_force(), bench.vectors.size(bench.encoder.name)) == (bench.encoder.name, 3)

    async def test_goes_batch_by_batch(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedding, "BATCH", 3)
        monkeypatch.setattr(embedding, "LOOKED_AT", 4)
        monkeypatch.setattr(texts_held, "LOOKED_AT", 4)
        await bench.say(*map(str, range(9)))
        await bench.worker().catch_up()
        assert [len(texts) for texts in bench.encoder.asked] == [3, 1, 3, 1, 1]
        assert (bench.lacking(), BATCH) == ([], 128)

    async def test_asks_nothing_again_and_goes_on_where_it_was_broken_off(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(embedding, "BATCH", 2)
        await bench.say(*map(str, range(5)))
        await bench.worker().catch_up()
        asked = len(bench.encoder.asked)
        await bench.worker().catch_up()
        assert len(bench.encoder.asked) == asked
        await bench.say("5", "6", "7")
        again = bench.worker()
        bench.encoder.errors = [EncoderDown("it is down")]
        with pytest.raises(EncoderDown):
            await again.catch_up()
        await again.catch_up()
        assert (bench.encoder.asked[asked:], bench.lacking()) == ([("5", "6"), ("5", "6"), ("7",)], [])

    async def test_with_nothing_said_puts_the_encoder_in_force(self, bench: Bench) -> None:
        await bench.worker().catch_up()
        assert (bench.vectors.in_force(), bench.encoder.asked) == (bench.encoder.name, [])

    async def test_records_what_was_paid_and_nothing_of_what_is_free(self, bench: Bench) -> None:
        await bench.say("I keep bees", "tea")
        await bench.worker().catch_up()
        assert recorded(bench.assistant, TextsEncoded) == []
        await bench.say("ale")
        bench.encoder.is_free = False
        await bench.worker().catch_up()
        (event,) = recorded(bench.assistant, TextsEncoded)
        assert isinstance(event, TextsEncoded)
        assert (event.kind, event.texts, event.call.tokens_in, event.person) == ("document", 1, TOKENS, b"")

    async def test_builds_another_encoder_s_beside_and_swaps(self, bench: Bench) -> None:
        await bench.say("I keep bees", "tea")
        await bench.worker().catch_up()
        new = Worded("worded@2/64")
        new.errors = [EncoderDown("it is down")]
        again = bench.worker(new)
        with pytest.raises(EncoderDown):
            await again.catch_up()
        assert (bench.vectors.in_force(), bench.lacking()) == (bench.encoder.name, [])
        await again.catch_up()
        assert (bench.vectors.in_force(), bench.lacking(new)) == (new.name, [])
        assert bench.vectors.size(bench.encoder.name) == 0


class TestWhatIsTakenBack:
    async def test_goes_with_the_next_sweep(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        heard = await bench.memory.heard("ada", "I keep bees", key="1")
        await bench.say("tea")
        worker = bench.worker()
        await worker.catch_up()
        gone = DeletedRequest(LOCAL, "1", heard.session, heard.point.said, bench.memory.now())
        await bench.memory.record(lambda rows: delete(rows, gone))
        assert bench.vectors.size(bench.encoder.name) == 2
        await worker.catch_up()
        assert bench.vectors.size(bench.encoder.name) == 2
        monkeypatch.setattr(embedding, "SWEEP_EVERY_MS", 1)
        await worker.catch_up()
        assert (bench.vectors.size(bench.encoder.name), bench.lacking()) == (1, [])

    async def test_by_an_erasure_is_not_made_again(self, bench: Bench) -> None:
        await bench.say("I keep bees")
        await bench.say("tea", who="kim")
        worker = bench.worker()
        await worker.catch_up()
        await erase(bench.memory, await bench.memory.person("ada"))
        assert bench.vectors.size(bench.encoder.name) == 1
        await worker.catch_up()
        assert (bench.lacking(), sorted(bench.encoder.texts)) == ([], ["I keep bees", "tea"])

    async def test_by_deleting_the_folder_is_made_anew(self, bench: Bench) -> None:
        await bench.say("I keep bees")
        worker = bench.worker()
        await worker.catch_up()
        bench.vectors.drop(bench.memory.engine.store.ring.vaults)
        assert bench.lacking() == ["I keep bees"]
        await worker.catch_up()
        assert bench.lacking() == []


class TestOpenedAhead:
    """The first question does not wait until the vectors of all that was ever said are opened."""

    def ready(self, bench: Bench) -> list[str]:
        there = bench.vectors.in_memory()
        return [each.text for each in bench.texts() if each.seq in there]

    async def test_is_what_was_there_and_what_came(self, bench: Bench) -> None:
        await bench.say("I keep bees", "tea")
        await bench.worker().catch_up()
        assert sorted(self.ready(bench)) == ["I keep bees", "tea"]
        bench.vectors.let_go()
        again = bench.worker()
        await again.catch_up()
        assert sorted(self.ready(bench)) == ["I keep bees", "tea"], "as after a start"
        async with again.running():
            await bench.say("ale")
            assert await bench.naps.next() == GATHER_SECONDS
            bench.naps.over()
            await bench.say("mead")
            assert await bench.naps.next() == GATHER_SECONDS
        assert {"I keep bees", "tea", "ale"} <= {*self.ready(bench)}

    async def test_is_what_lies_in_another_folder_after_a_sweep_or_with_another_encoder(self, bench: Bench) -> None:
        heard = await bench.memory.heard("ada", "I keep bees", key="1")
        await bench.say("tea")
        await bench.worker().catch_up()
        gone = DeletedRequest(LOCAL, "1", heard.session, heard.point.said, bench.memory.now())
        await bench.memory.record(lambda rows: delete(rows, gone))
        assert self.ready(bench) == ["tea"]
        await bench.worker().catch_up()
        assert (self.ready(bench), bench.vectors.size(bench.encoder.name)) == (["tea"], 1)
        other = Worded("worded@2/64")
        await bench.worker(other).catch_up()
        assert (self.ready(bench), bench.vectors.encoders()) == (["tea"], [other.name])
        assert len(bench.vectors.in_memory()) == 1


class TestATextThatIsRefused:
    async def test_is_left_out_and_the_others_are_made(self, bench: Bench) -> None:
        await bench.say(*map(str, range(20)))
        bench.encoder.refuses = {"7"}
        worker = bench.worker()
        bench.memory.watchers.append(worker._recorded)
        await worker.catch_up()
        assert bench.lacking() == ["7"]
        await bench.say("7", "20")
        await worker.catch_up()
        assert bench.lacking() == ["7", "7"]
        assert bench.encoder.asked[-1] == ("20",)

    @pytest.mark.parametrize("texts", [1, 2, 20])
    async def test_by_an_encoder_that_refuses_everything_is_asked_for_a_few_times(
        self, texts: int, bench: Bench
    ) -> None:
        said = list(map(str, range(texts)))
        await bench.say(*said)
        bench.encoder.refuses = {*said, HARMLESS}
        worker = bench.worker()
        with pytest.raises(EncoderError, match="it does not take that"):
            await worker.catch_up()
        assert bench.encoder.asked[1:] == [(HARMLESS,)]
        bench.encoder.refuses = set()
        await worker.catch_up()
        assert bench.lacking() == []


class TestInTheBackground:
    async def test_what_comes_is_gathered_and_made(self, bench: Bench) -> None:
        await bench.say("before")
        async with bench.worker().running():
            await bench.encoder.reached.wait()
            await bench.say("I keep bees", "tea")
            assert await bench.naps.next() == GATHER_SECONDS
            await bench.say("ale")
            bench.naps.over()
            await bench.say("and then")
            assert await bench.naps.next() == GATHER_SECONDS
            assert set(bench.lacking()) <= {"and then"}
            bench.naps.over()
        assert bench.memory.watchers == []

    async def test_a_failure_is_told_once_and_tried_again_ever_later(self, bench: Bench) -> None:
        await bench.say("I keep bees")
        bench.encoder.errors = [EncoderDown("it is down")] * 8
        rests = []
        async with bench.worker().running():
            for _ in range(8):
                rests.append(await bench.naps.next())
                bench.naps.over()
            await bench.say("tea")
            assert await bench.naps.next() == GATHER_SECONDS
        assert rests == [FIRST_PAUSE_SECONDS * 2**n for n in range(6)] + [LONGEST_PAUSE_SECONDS] * 2
        (failed,) = recorded(bench.assistant, JobFailed)
        assert isinstance(failed, JobFailed)
        assert (failed.job, failed.error) == ("vectors", "it is down")
        assert list(bench.assistant.failures) == ["vectors: it is down"]

    async def test_what_came_while_it_failed_is_not_lost(self, bench: Bench) -> None:
        worker = bench.worker()
        async with worker.running():
            await bench.say("milk")
            assert await bench.naps.next() == GATHER_SECONDS
            await bench.say("tea")  # while it rests: what is said as it begins may be read at once
            bench.encoder.errors = [RuntimeError("somebody's words")]
            bench.naps.over()
            assert await bench.naps.next() == FIRST_PAUSE_SECONDS
            bench.naps.over()
            await bench.say("ale")
            assert await bench.naps.next() == GATHER_SECONDS
            assert "tea" not in bench.lacking()
        (failed,) = recorded(bench.assistant, JobFailed)
        assert failed.error == "RuntimeError"

    async def test_a_disk_that_takes_nothing_disturbs_nobody(
        self, bench: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise CannotWrite("the disk is full")

        monkeypatch.setattr(bench.vectors, "put", full)
        await bench.say("tea")
        async with bench.worker().running():
            assert await bench.naps.next() == FIRST_PAUSE_SECONDS
        assert list(bench.assistant.failures) == ["vectors: the disk is full"]

    async def test_an_encoder_that_hangs_is_given_up_at_the_end(self, bench: Bench) -> None:
        await bench.say("tea")
        bench.encoder.hangs = True
        async with bench.worker().running():
            await bench.encoder.reached.wait()
        assert bench.lacking() == ["tea"]


async def test_past_the_day_s_limit_it_waits_as_learning_does(tmp_path: Path) -> None:
    async with working(tmp_path, max_cost_per_day="0.0001") as bench:
        bench.encoder.is_free = False
        worker = bench.worker()
        await bench.say("tea")
        await worker.catch_up()
        await bench.say("ale")
        with pytest.raises(OverBudget, match="DNAM_MAX_COST_PER_DAY"):
            await bench.worker().catch_up()
        assert bench.encoder.texts == ["tea"]


async def test_what_it_took_while_the_log_takes_nothing_counts_and_is_billed_once_that_works(tmp_path: Path) -> None:
    async with working(tmp_path, max_cost_per_day="0.0001") as bench:
        bench.encoder.is_free = False
        unwritten, memory = bench.assistant.unwritten, bench.assistant.memory
        await bench.say("tea", "ale")
        with full(memory):
            await bench.worker().catch_up()
            assert (str(unwritten), unwritten.reason) == ("1 bill", "the disk is full")
            bench.vectors.keep_only([], [])  # as if they had to be made anew
            with pytest.raises(OverBudget, match="DNAM_MAX_COST_PER_DAY"):
                await bench.worker().catch_up()
        assert recorded(bench.assistant, TextsEncoded) == []
        assert await unwritten.again()
        assert [each.texts for each in recorded(bench.assistant, TextsEncoded)] == [2]
        assert memory.unbilled.on_day_of(memory.now()) == 0


async def test_of_a_memory_that_nobody_answers_with_no_bill_waits(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        encoder = Worded()
        encoder.is_free = False
        with full(memory):
            assert len((await encoded(memory, encoder, ["tea"])).vectors) == 1
        await encoded(memory, encoder, ["tea"])
        assert memory.engine.head().size == 1
