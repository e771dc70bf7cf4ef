"""A reply that was paid for goes to the disk by itself, before anything else is done with it; and until it is there
nobody else is asked in its place.
"""

import asyncio
import errno
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import msgspec
import pytest

from dnam.meaning.encoder import Encoded, EncoderError
from dnam.model import Ask, Hear, Reply, SummaryInputs, unheard
from dnam.prompts import digest
from dnam.rederiving.rederivation import Rederivation, rederiving
from dnam.shadows.manifest import Manifest
from projections.decisions.work import WorkRequest, record_reply, record_work
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionReplied,
    ItemMerged,
    MergeAnswered,
    MergeReplied,
    SummaryAnswered,
)
from projections.events.upkeep import EncodedKind
from projections.events.work import WorkEvent
from projections.ids import NOBODY
from replay.codec import decode_header
from replay.errors import LogError
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head
from replay.shadows.shadow import shadow_engine
from replay.units import tagged
from tests.dnam.rederiving.crowd import chat
from tests.dnam.rederiving.test_merges_expected import alike
from tests.dnam.rederiving.test_rederiving import told
from tests.dnam.rederiving.village import ASKED, SETTINGS, STAFF, Village, both, derive, reader
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.world import NOW

OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")
BEES = "keeps bees"
PAIRS: tuple[tuple[type[WorkEvent], type[WorkEvent]], ...] = (
    (ExtractionReplied, ExtractionAnswered),
    (MergeReplied, MergeAnswered),
)
KEPT = frozenset(each.TAG for each in (ExtractionReplied, MergeReplied, SummaryAnswered))


Kind = TypeVar("Kind", bound=Event)


class Watched:
    """A model that looks, whenever it is asked, at what it replied before: `open` is how much of that was under way or
    not on the disk by then, with the new question.
    """

    paid = True

    def __init__(self) -> None:
        self._model = reader("enjoys", name="other")
        self.name, self.version = self._model.name, self._model.version
        self.derivation: Rederivation | None = None
        self.asked: list[bytes] = []
        self.open: list[int] = []

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        assert self.derivation is not None
        self.asked.append(digest(ask.system, ask.prompt))
        self.open.append(len(self.asked) - len(on_disk(self.derivation) & {*self.asked}))
        await asyncio.sleep(0.002)
        reply = await self._model.ask(ask, hear)
        return msgspec.structs.replace(reply, tokens_in=100, tokens_out=10, cost_micros=1000)


def on_disk(derivation: Rederivation) -> set[bytes]:
    """The digests of the questions whose replies a shadow's log has."""
    engine = derivation.memory.engine
    events = [event for _, event in tagged(engine, KEPT, engine.store.log.head().size)]
    return {each.call.prompt_digest for each in events if isinstance(each, WorkEvent | SummaryAnswered)}


def in_shadow(path: Path, *kinds: type[Kind]) -> list[Kind]:
    with shadow_engine(path, "next") as shadow:
        found = [event for _, event in tagged(shadow, {kind.TAG for kind in kinds}, shadow.head().size)]
    of_these = [each for each in found if isinstance(each, kinds)]
    assert len(of_these) == len(found)
    return of_these


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_is_paid_for_and_not_on_the_disk_than_may_be_under_way(tmp_path: Path, at_once: int) -> None:
    told(tmp_path, chat)
    model = Watched()

    async def made() -> None:
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            model.derivation = there
            await there.run(lambda *_: None, at_once=at_once)

    asyncio.run(made())
    assert max(model.open) == at_once
    assert len(model.asked) == len(set(model.asked))
    for replied, answered in PAIRS:
        first, again = ([each.call for each in in_shadow(tmp_path, kind)] for kind in (replied, answered))
        assert first
        assert sorted(map(repr, first)) == sorted(map(repr, again))
    merged = in_shadow(tmp_path, ItemMerged)
    assert merged


class Slow:
    """An encoder that fails, but not before a reply is on the disk that was not decided from. `saw` is of what kind."""

    name = "slow"

    def __init__(self) -> None:
        self.derivation: Rederivation | None = None
        self.saw: set[type[WorkEvent]] = set()

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        if BEES in texts:
            await self._wait()
        raise EncoderError("slow")

    async def _wait(self) -> None:
        for _ in range(300):
            waiting = {replied for replied, answered in PAIRS if self._count(replied) > self._count(answered)}
            if waiting:
                self.saw |= waiting
                return
            await asyncio.sleep(0.01)

    def _count(self, kind: type[WorkEvent]) -> int:
        assert self.derivation is not None
        engine = self.derivation.memory.engine
        return sum(1 for _ in tagged(engine, {kind.TAG}, engine.store.log.head().size))


async def forgets_and_says_the_same_twice(there: Village) -> None:
    """In a channel of a few, where no turn is waited for."""
    ada = await there.handle("ada") if await there.say("ada", "hello", STAFF) else NOBODY
    await there.memory.remember(ada, BEES)
    await there.memory.forget(ada, BEES)
    for text in ("I like rain with honey", "I like rain with honey and salt"):
        await there.say("ada", text, STAFF)
        await there.learn("ada")


def test_a_reply_is_on_the_disk_while_texts_are_compared(tmp_path: Path) -> None:
    told(tmp_path, forgets_and_says_the_same_twice)
    encoder = Slow()

    async def made() -> None:
        model = reader("enjoys", name="other")
        async with rederiving(tmp_path, SETTINGS, model, Manifest("next", OTHER, NOW, "", ""), FakeClock()) as there:
            encoder.derivation = there
            await there.run(lambda *_: None, encoder=encoder)

    asyncio.run(made())
    assert encoder.saw == {ExtractionReplied, MergeReplied}


def other() -> ScriptedModel:
    return reader("enjoys", name="other")


def wordy() -> ScriptedModel:
    """The same, whose summaries are too long at first."""
    model = other()
    summarise = model.scripts["summary"]

    def at_length(ask: Ask) -> str:
        assert isinstance(ask.inputs, SummaryInputs)
        return f"{summarise(ask)} " * (200 if ask.inputs.lines else 1)

    model.scripts["summary"] = at_length
    return model


@pytest.mark.parametrize(
    ("tag", "made", "is_alone"),
    [
        (ExtractionReplied.TAG, other, False),
        (MergeReplied.TAG, other, False),
        (SummaryAnswered.TAG, other, False),
        (SummaryAnswered.TAG, wordy, False),
        pytest.param(SummaryAnswered.TAG, other, True, id="an older program, which recorded a reply by itself"),
    ],
)
def test_broken_off_behind_any_reply_nobody_is_asked_again(
    tmp_path: Path, tag: str, made: Callable[[], ScriptedModel], is_alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes a reply and nothing behind it."""
    told(tmp_path, chat)
    asyncio.run(derive(tmp_path, made(), "whole", OTHER, at_once=1))
    broken, log_append = made(), LmdbLog.append
    is_full = False

    def append(self: LmdbLog, commit: Commit, *rest: Any) -> Head:
        nonlocal is_full
        if is_full:
            raise OSError(errno.ENOSPC, "full")
        head = log_append(self, commit, *rest)
        is_full = any(decode_header(each.header).tag == tag for each in commit.entries)
        return head

    with monkeypatch.context() as patched:
        patched.setattr(LmdbLog, "append", append)
        if is_alone:
            patched.setattr("dnam.loops.summary.settle", lambda rows, work, _: record_work(rows, work))
        with pytest.raises((OSError, LogError)):
            asyncio.run(derive(tmp_path, broken, asked=OTHER, at_once=1))
    assert is_full
    working = made()
    asyncio.run(derive(tmp_path, working, asked=OTHER))
    prompts = Counter(ask.prompt for ask in (*broken.asks, *working.asks))
    again = [prompt for prompt, count in prompts.items() if count > 1]
    assert again in ([], [broken.asks[-1].prompt])  # the one that was asked when the disk was found to be full
    assert both(tmp_path)[1] == both(tmp_path, "whole")[1]


async def sums_up_and_is_killed(there: Village) -> None:
    """While a shorter summary was asked for; the next refresh takes the longer one up, and more was said by then."""
    await there.say("kim", "I like rain")
    asked = there.assistant.model.ask

    async def dies(ask: Ask, hear: Hear = unheard) -> Reply:
        assert isinstance(ask.inputs, SummaryInputs)
        if not ask.inputs.lines:
            raise asyncio.CancelledError
        return await asked(ask, hear)

    with patch.object(there.assistant.model, "ask", dies), suppress(asyncio.CancelledError):
        await there.summarise()
    await there.say("ada", "I like snow")
    await there.summarise()
    await there.summarise()


def test_what_was_taken_up_is_one_run_and_decided_anew_nobody_is_asked(tmp_path: Path) -> None:
    live = wordy()
    live.name = ASKED.model
    told(tmp_path, sums_up_and_is_killed, model=live)
    assert [len(inputs.lines) for inputs in live.given(SummaryInputs)] == [1, 0, 1, 0]
    model = reader()
    manifest = asyncio.run(derive(tmp_path, model))
    assert (model.asks, manifest.calls) == ([], 0)
    here, there = both(tmp_path)
    assert here == there
    assert list(here["summaries"].values())


class Paid(ScriptedModel):
    """A call costs a thousandth of a dollar."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        return msgspec.structs.replace(await super().ask(ask, hear), cost_micros=1_000)


def test_of_two_who_were_asked_the_same_both_replies_count_though_one_was_not_decided_from_yet(tmp_path: Path) -> None:
    told(tmp_path, alike)
    model = Paid(reader("enjoys").scripts, name="other")
    made = asyncio.run(derive(tmp_path, model, asked=OTHER))

    async def counted() -> int:
        async with rederiving(tmp_path, SETTINGS, model, made, FakeClock()) as there:
            engine = there.memory.engine
            (*_, (_, reply)) = tagged(engine, {MergeReplied.TAG}, engine.head().size)
            assert isinstance(reply, MergeReplied)
            request = WorkRequest(reply, there.memory.origin())
            await there.memory.record(lambda rows: record_reply(rows, request))
            return there._took().cost_micros

    assert asyncio.run(counted()) == made.cost_micros + 1_000
