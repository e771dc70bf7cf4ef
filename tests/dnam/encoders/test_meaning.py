"""Finding by meaning: near in what is meant, and words alone wherever a vector is not to be had."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnam.erasing.person import erase
from dnam.meaning import question as meaning
from dnam.meaning.encoder import NO_ENCODER, Encoder, EncoderDown
from dnam.meaning.encoders import Encoders
from dnam.meaning.question import NO_VECTORS, Meaning, Sought
from dnam.memory import Memory
from dnam.settings import read
from projections.events import TextsEncoded
from projections.ids import Handle, Seq
from projections.nearness import Near
from projections.vectors import quantised
from projections.vectors_texts import Held
from replay.store import DiskStore
from tests.dnam.encoders.fake import TOKENS, Worded
from tests.dnam.scripted import FakeClock, settings
from tests.loopback.voyage.server import of_words
from tests.world import handle

SAID = ("bees swarm in June", "I like green tea", "the deploy failed")


class Some(Encoders):
    """These encoders, whatever the settings say."""

    def __init__(self, *encoders: Encoder) -> None:
        super().__init__(read({}, {}))
        self._all = {each.name: each for each in encoders}
        self.chosen = encoders[-1] if encoders else None

    def named(self, name: str) -> Encoder | None:
        return self._all.get(name)


class Bench:
    """A memory, its vectors, and an encoder."""

    def __init__(self, memory: Memory) -> None:
        store = memory.engine.store
        assert isinstance(store, DiskStore)
        self.memory = memory
        self.vectors = store.vectors
        self.encoder = Worded()
        self.vault = store.ring.set_vault(frozenset({handle("ann")}))
        store.ring.flush()

    def meaning(self, *encoders: Encoder) -> Meaning:
        return Meaning(self.memory, self.vectors, Some(*(encoders or (self.encoder,))))

    def keep(self, *texts: str, encoder: str = "") -> None:
        held = [Held(Seq(n), self.vault, text) for n, text in enumerate(texts, 1)]
        made = {text: quantised(of_words(text, 64)) for text in texts}
        self.vectors.put(encoder or self.encoder.name, held, made)

    def recorded(self) -> list[TextsEncoded]:
        engine = self.memory.engine
        records = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
        return [each.event for each in records if each is not None and isinstance(each.event, TextsEncoded)]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    async with Memory.open(tmp_path, settings=settings(), clock=FakeClock()) as memory:
        yield Bench(memory)


async def test_what_is_near_is_found_and_a_question_is_encoded_as_one(bench: Bench) -> None:
    bench.keep(*SAID)
    there = bench.meaning()
    sought = await there.seek("when do bees swarm ?")
    assert bench.encoder.kinds == ["query"]
    found = there.near(sought, [Seq(3), Seq(1), Seq(2)], [], 5)
    assert (list(found.said), found.known, found.note) == ([1], {}, "")
    assert found.said[1] > 300
    assert there.near(sought, [Seq(3)], [Seq(2), Seq(1)], 5) == Near({}, {1: found.said[1]})


async def test_the_threshold_is_a_setting(tmp_path: Path) -> None:
    async with Memory.open(tmp_path, settings=settings(encoder_threshold="0.9"), clock=FakeClock()) as memory:
        bench = Bench(memory)
        bench.keep(*SAID)
        there = bench.meaning()
        assert there.near(await there.seek("bees swarm where"), [Seq(1)], [], 5) == Near()
        assert there.near(await there.seek("bees swarm in June"), [Seq(1)], [], 5).said == {0: 1000}


async def test_what_it_took_is_recorded_for_who_asked(bench: Bench) -> None:
    bench.keep(*SAID)
    bench.encoder.is_free = False
    person = await bench.memory.person("ada", make=True)
    await bench.meaning().seek("bees", person)
    (event,) = bench.recorded()
    assert (event.person, event.kind, event.texts, event.call.tokens_in) == (person, "query", 1, TOKENS)


async def test_somebody_who_was_erased_meanwhile_is_nobody_on_the_bill(bench: Bench) -> None:
    bench.keep(*SAID)
    bench.encoder.is_free = False
    person = await bench.memory.person("ada", make=True)
    await erase(bench.memory, person)
    assert (await bench.meaning().seek("bees", person)).numbers is not None
    assert [event.person for event in bench.recorded()] == [b""]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (EncoderDown("Voyage's service is down"), "Voyage's service is down"),
        (RuntimeError("bees!"), "RuntimeError"),
    ],
)
async def test_an_encoder_that_fails_leaves_a_note_in_the_program_s_words(
    bench: Bench, error: Exception, why: str
) -> None:
    bench.keep(*SAID)
    bench.encoder.errors = [error]
    there = bench.meaning()
    sought = await there.seek("bees")
    assert sought == Sought(note=f"the encoder failed ({why}): only words decide")
    assert there.near(sought, [Seq(1)], [], 5) == Near(note=sought.note)


async def test_an_answer_does_not_wait_long(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "SEEK_SECONDS", 0.01)
    bench.keep(*SAID)
    bench.encoder.hangs = True
    assert "sent nothing within 0.01 seconds" in (await bench.meaning().seek("bees")).note


async def test_without_an_encoder_or_vectors_words_decide_and_it_is_said(bench: Bench) -> None:
    without = Meaning(bench.memory, bench.vectors, Some())
    assert await without.seek("bees") == Sought(note=NO_ENCODER)
    assert await bench.meaning().seek("bees") == Sought(note=NO_VECTORS)
    bench.keep(*SAID)
    assert await bench.meaning().seek("  ") == Sought()
    assert bench.encoder.asked == []


async def test_while_another_encoder_s_vectors_are_made_the_old_one_is_asked(bench: Bench) -> None:
    bench.keep(*SAID)
    new = Worded("worded@2/64")
    bench.keep(SAID[0], encoder=new.name)
    there = bench.meaning(bench.encoder, new)
    assert (await there.seek("bees")).encoder == bench.encoder.name
    bench.vectors.swap(new.name)
    assert (await there.seek("bees")).encoder == new.name
    assert (bench.encoder.texts, new.texts) == (["bees"], ["bees"])


async def test_vectors_of_an_encoder_that_cannot_be_asked_are_not_searched(bench: Bench) -> None:
    bench.keep(*SAID, encoder="gone@1/64")
    assert (await bench.meaning().seek("bees")).note == (
        "the vectors are of gone@1/64, which cannot be asked: only words decide"
    )


async def test_with_half_the_vectors_missing_words_decide(bench: Bench) -> None:
    bench.keep(SAID[0])
    there = bench.meaning()
    found = there.near(await there.seek("bees"), [Seq(1), Seq(2)], [Seq(1)], 5)
    assert found == Near(note="1 of 3 texts have no vector yet: only words decide")


async def test_a_search_may_be_given_up(bench: Bench) -> None:
    bench.keep(*SAID)
    bench.encoder.hangs = True
    seeking = asyncio.create_task(bench.meaning().seek("bees", Handle(b"")))
    await bench.encoder.reached.wait()
    seeking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await seeking
