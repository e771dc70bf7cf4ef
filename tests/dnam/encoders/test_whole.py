"""From what is said to what is found by its meaning: the real SDK, its API on loopback, a memory on disk, the bill."""

from pathlib import Path

from dnam.assistant import Assistant
from dnam.costs import costs
from dnam.meaning.embedding import Embedding
from dnam.meaning.encoders import opened
from dnam.meaning.question import Meaning, Sought
from dnam.memory import Memory
from dnam.settings import read
from projections.events import TextsEncoded
from projections.rows import Rows
from projections.vectors_texts import TABLES, RowKey, held_from
from replay.store import DiskStore
from tests.dnam.scripted import ScriptedModel
from tests.dnam.test_loops import recorded
from tests.loopback.voyage import Encodes, Fails, serving

BEES, *_ = SAID = ("bees swarm in June", "I like green tea", "the deploy failed")


def near(rows: Rows, there: Meaning, sought: Sought) -> list[str]:
    """What is near of all that was said."""
    texts = [text for _, text in held_from(rows.raw, RowKey(TABLES[0], b"")) if text is not None]
    assert sorted(text.text for text in texts) == sorted(SAID)
    return [texts[index].text for index in there.near(sought, [text.seq for text in texts], [], 5).said]


async def test_what_was_said_is_found_by_voyage_s_vectors_and_its_tokens_are_on_the_bill(tmp_path: Path) -> None:
    async with serving(lambda _: Encodes(tokens=1_000_000)) as server:
        values = {
            "VOYAGE_API_KEY": server.key,
            "VOYAGE_BASE_URL": server.url,
            "DNAM_ENCODER_DIMENSIONS": "256",
        }
        async with Memory.open(tmp_path, settings=read(values, {})) as memory, opened(memory.settings) as encoders:
            store, assistant = memory.engine.store, Assistant(memory, ScriptedModel())
            assert isinstance(store, DiskStore)
            assert encoders.chosen is not None
            vectors = store.vectors
            for text in SAID:
                await memory.heard("ada", text)
            await Embedding(assistant, vectors, encoders.chosen).catch_up()
            there = Meaning(memory, vectors, encoders)
            ada = await memory.person("ada")
            sought = await there.seek("when do bees swarm", ada)
            assert await memory.look(lambda rows: near(rows, there, sought)) == [BEES]
            assert [request.body["input_type"] for request in server.requests] == ["document", "query"]
            assert len(recorded(assistant, TextsEncoded)) == 2
            lines = (await memory.look(lambda rows: costs(rows, "model"))).lines
            assert [(line.name, line.calls, line.tokens_in, line.usd) for line in lines] == [
                ("voyage-3.5-lite", 2, 2_000_000, "$0.0400")
            ]
            server.script = lambda _: Fails(400)
            note = (await there.seek("tea", ada)).note
            assert note.startswith("the encoder failed (the request was refused: check DNAM_ENCODER_MODEL")
