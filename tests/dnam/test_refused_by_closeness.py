"""What a person forgot and a model says again in other words is refused by an encoder's vectors, too."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from dnam.assistant import Assistant
from dnam.meaning.encoder import Encoded
from dnam.model import Ask, ExtractionInputs
from projections.decisions.draft import Draft
from projections.events import (
    ItemEvicted,
    ItemMerged,
    ItemRefused,
    JobFailed,
)
from projections.events.upkeep import EncodedKind
from projections.events.values import OPERATOR
from projections.ids import EventId
from projections.items import items_of
from projections.policies.closeness import Vector
from tests.dnam.scripted import ScriptedModel, talking
from tests.dnam.test_loops import recorded
from tests.world import handle

BEES = "User keeps bees."
AGAIN = "Apiculture is a hobby of the user."
"""In no list of words it says that of the bees."""
BEER = "User keeps beer."
ALE = "User makes ale."
NOT_AGAIN = "User never practised apiculture."
WHOSE = "The user's sister practises apiculture."
SAID = {
    "I keep bees": BEES,
    "apiculture, that is my hobby": AGAIN,
    "I keep beer": BEER,
    "I brew ale": ALE,
    "I never practised apiculture": NOT_AGAIN,
    "my sister practises apiculture": WHOSE,
}
VECTORS: dict[str, Vector] = {
    BEES: (1.0, 0.0),
    AGAIN: (0.96, 0.28),
    BEER: (0.0, 1.0),
    ALE: (0.1, 1.0),
    NOT_AGAIN: (1.0, 0.1),
    WHOSE: (1.0, 0.1),
}
REASON = "it is near what the person forgot: cosine 0.960 by tiny@1, more than 0.850 is close"
BY_HAND = {"durable_every_n_turns": "1000", "summary_enabled": "0"}


class Encoder:
    """Vectors by a table; `asked` are the texts of each call. It may be broken; of one call it never comes back."""

    name = "tiny@1"

    def __init__(self, *, is_broken: bool = False, hangs_at: int = 0) -> None:
        self.asked: list[Sequence[str]] = []
        self.is_broken = is_broken
        self._hangs_at = hangs_at
        self.hangs = asyncio.Event()

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        self.asked.append(texts)
        if len(self.asked) == self._hangs_at:
            self.hangs.set()
            await asyncio.Event().wait()
        if self.is_broken:
            raise RuntimeError("no vectors today")
        return Encoded([VECTORS[text] for text in texts])


def learns(ask: Ask) -> str:
    """A model that notes each line as the table has it."""
    assert isinstance(ask.inputs, ExtractionInputs)
    entries = [
        {
            "kind": "preference",
            "text": SAID[line.text],
            "evidence": [{"quote": line.text, "message": line.id}],
        }
        for line in ask.inputs.lines
    ]
    return json.dumps({"upserts": entries})


def model(merged: str = AGAIN) -> ScriptedModel:
    return ScriptedModel({"extraction": learns, "merge": lambda _: json.dumps({"merged_summary": merged})})


@asynccontextmanager
async def forgetful(path: Path, script: ScriptedModel | None = None, **values: str) -> AsyncIterator[Assistant]:
    """An assistant that learned of somebody's bees, which they forgot; no encoder had a part in it."""
    async with talking(path, script or model(), None, **BY_HAND, **values) as assistant:
        await hears(assistant, "I keep bees")
        await assistant.memory.forget("ada", BEES)
        yield assistant


async def hears(assistant: Assistant, *texts: str) -> None:
    """Somebody says things, and what they said is learned from."""
    for text in texts:
        await assistant.memory.heard("ada", text)
    await assistant.extract(await assistant.memory.person("ada"))
    await assistant.settle()


async def items(assistant: Assistant) -> list[str]:
    return sorted(item.text for item in await assistant.memory.show("ada"))


async def test_what_is_near_what_was_forgotten_is_refused_and_the_event_says_by_what(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        assistant.encoder = encoder = Encoder()
        await hears(assistant, "apiculture, that is my hobby", "I keep beer")
        (refused,) = recorded(assistant, ItemRefused)
        assert isinstance(refused, ItemRefused)
        assert (refused.text, refused.reason) == (AGAIN, REASON)
        assert refused.policy == "refusals@3 rephrasing@1 closeness@2"
        assert refused.against
        assert await items(assistant) == [BEER], "what is not near is learned"
        assert set(encoder.asked[0]) == {BEES, AGAIN, BEER}
        assert not assistant.failures


async def test_without_an_encoder_the_words_decide(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        await hears(assistant, "apiculture, that is my hobby")
        assert recorded(assistant, ItemRefused) == []
        assert await items(assistant) == [AGAIN]


async def test_an_encoder_that_fails_is_told_and_the_words_decide(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        assistant.encoder = Encoder(is_broken=True)
        await hears(assistant, "apiculture, that is my hobby", "I keep bees")
        (refused,) = recorded(assistant, ItemRefused)
        assert refused.text == BEES
        assert await items(assistant) == [AGAIN]
        assert set(assistant.failures) == {"encoder: no vectors today"}
        assert {each.error for each in recorded(assistant, JobFailed)} == {"RuntimeError"}


async def test_the_threshold_in_force_is_the_setting_s(tmp_path: Path) -> None:
    async with forgetful(tmp_path, merge_threshold="0.97") as assistant:
        assistant.encoder = Encoder()
        await hears(assistant, "apiculture, that is my hobby")
        assert await items(assistant) == [AGAIN]


@pytest.mark.parametrize("said", ["I never practised apiculture", "my sister practises apiculture"])
async def test_what_says_something_else_is_learned_however_near_it_is(tmp_path: Path, said: str) -> None:
    async with forgetful(tmp_path) as assistant:
        assistant.encoder = Encoder()
        await hears(assistant, said)
        assert await items(assistant) == [SAID[said]]


async def test_it_is_refused_also_once_the_item_itself_was_evicted(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        ada = await assistant.memory.person("ada")
        (row,) = await assistant.memory.look(lambda rows: [found.row for found in items_of(rows, ada)])
        gone = ItemEvicted(
            said=row.said, by=OPERATOR, causes=(row.event,), item=replace(row.item, status="evicted"), cap=1
        )
        await assistant.memory.record(lambda _: [Draft(EventId(handle("gone")), gone)])
        assistant.encoder = Encoder()
        await hears(assistant, "apiculture, that is my hobby")
        assert await items(assistant) == []


async def test_what_a_person_asks_to_keep_is_never_refused(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        assistant.encoder = Encoder()
        await assistant.memory.remember("ada", AGAIN)
        await assistant.memory.remember("ada", BEES)
        assert await items(assistant) == [AGAIN, BEES]


async def test_nothing_is_encoded_where_nothing_was_forgotten(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **BY_HAND) as assistant:
        assistant.encoder = encoder = Encoder()
        await hears(assistant, "I keep bees")
        assert encoder.asked == [(BEES,)], "for a merge alone"


async def test_what_a_merge_makes_is_refused_by_it_too(tmp_path: Path) -> None:
    async with forgetful(tmp_path) as assistant:
        await hears(assistant, "I keep beer")
        assistant.encoder = Encoder()
        await hears(assistant, "I brew ale")
        assert recorded(assistant, ItemMerged) == []
        refused = recorded(assistant, ItemRefused)
        assert [(each.text, each.reason) for each in refused] == [(AGAIN, REASON)]
        assert await items(assistant) == [BEER, ALE]


async def test_what_a_merge_makes_that_is_near_nothing_forgotten_becomes_one(tmp_path: Path) -> None:
    async with forgetful(tmp_path, model(BEER)) as assistant:
        await hears(assistant, "I keep beer")
        assistant.encoder = Encoder()
        await hears(assistant, "I brew ale")
        assert len(recorded(assistant, ItemMerged)) == 1
        assert await items(assistant) == [BEER]
