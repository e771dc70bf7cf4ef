"""Found by meaning, from what is said to an answer's prompt: the real SDK, its API on loopback, a memory on disk."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from dnam.assistant import Assistant
from dnam.compacting import compact
from dnam.costs import costs
from dnam.erasing.person import erase
from dnam.languages import load
from dnam.meaning.embedding import GATHER_SECONDS, Embedding
from dnam.meaning.encoder import NO_ENCODER
from dnam.meaning.encoders import opened
from dnam.meaning.question import Meaning
from dnam.memory import Memory
from dnam.settings import read
from dnam.tools import NOTHING
from dnam.turn_prompts import TurnPrompt, prompt_of
from dnam.understanding import understanding
from dnam.whereabouts import LOCAL
from projections.context import Context
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.place import PlaceSeen
from projections.events import ToolCalled, TurnAnswered
from projections.events.values import LeftOut
from projections.ids import Ref, Seq
from projections.nearness import IN_OTHER_WORDS
from projections.recall import search as recall
from projections.recall.meaning import VERSION
from replay.engine import Engine
from replay.errors import CannotWrite
from replay.store import VECTORS, DiskStore
from tests.dnam.cli.memories import dnam
from tests.dnam.cli.test_chatting import chatted
from tests.dnam.encoders.test_embedding import Naps
from tests.dnam.scripted import Calling, FakeClock, ScriptedModel, calling
from tests.dnam.test_loops import recorded
from tests.loopback.voyage import Encodes, Fails, Holds, Reply, Request, Server, serving
from tests.replay.stage import contents

GARDEN = Ref("discord", "9")
ROOM = PlaceSeen("discord", "1", "channel", "room", "guild", guild=GARDEN, guild_name="Garden")
ALE, QUESTION = "Grandpa brews ale", "beer ?"
MEANINGS = {"beer": "ale", "stout": "ale"}
ENCODER = "voyage-3.5-lite/256"
FEW = {
    "MESSAGE_HISTORY_COUNT": "0",
    "SUMMARY_ENABLED": "0",
    "DURABLE_EVERY_N_TURNS": "1000",
    "ENCODER_DIMENSIONS": "256",
}


class Table(NamedTuple):
    """An assistant that understands, and what it asks with."""

    assistant: Assistant
    server: Server
    model: ScriptedModel
    naps: Naps
    told: list[str]

    @property
    def memory(self) -> Memory:
        return self.assistant.memory

    @property
    def store(self) -> DiskStore:
        store = self.memory.engine.store
        assert isinstance(store, DiskStore)
        return store

    async def hears(self, *texts: str, user: str = "ada", place: PlaceSeen | None = None) -> None:
        for text in texts:
            await self.memory.heard(user, text, place=place, platform=place.platform if place else LOCAL)

    async def asks(
        self, text: str = QUESTION, user: str = "ada", place: PlaceSeen | None = None
    ) -> tuple[Context, TurnAnswered, Seq]:
        """Somebody asks; the prompt, and the turn as it is recorded."""
        heard = await self.memory.heard(user, text, place=place, platform=place.platform if place else LOCAL)
        answered = await self.assistant.answer(heard)
        seq = self.memory.engine.store.log.find(answered.turn.id)
        record = None if seq is None else self.memory.engine.live.folding.record_at(seq)
        assert record is not None
        assert isinstance(record.event, TurnAnswered)
        return answered.context, record.event, record.seq

    async def reads(self) -> None:
        """Everything that was said by now has its vector."""
        async with opened(self.memory.settings) as encoders:
            assert encoders.chosen is not None
            await Embedding(self.assistant, self.store.vectors, encoders.chosen).catch_up()


def settings_of(server: Server, **values: str) -> dict[str, str]:
    ours = {f"DNAM_{name}": value for name, value in {**FEW, **values}.items()}
    return {"VOYAGE_API_KEY": server.key, "VOYAGE_BASE_URL": server.url, **ours}


@asynccontextmanager
async def sitting(
    path: Path,
    server: Server,
    *before: str,
    clock: FakeClock | None = None,
    first: Callable[["Table"], Awaitable[None]] | None = None,
    **values: str,
) -> AsyncIterator[Table]:
    """An assistant that has read what Ada said before."""
    server.meanings = MEANINGS
    model, naps, told = ScriptedModel(), Naps(), list[str]()
    chosen = read(settings_of(server, **values), {})
    async with Memory.open(path, settings=chosen, clock=clock or FakeClock()) as memory:
        table = Table(Assistant(memory, model), server, model, naps, told)
        if first is not None:
            await first(table)
        await table.hears(*before)
        if before or first is not None:  # before the background begins, which keeps what was said by then
            await table.reads()
        async with understanding(table.assistant, told.append, naps.sleep):
            yield table
        await table.assistant.settle()


def notes(turn: TurnAnswered) -> list[LeftOut]:
    """What the turn says of finding what was said."""
    return [each for each in turn.left_out if each.block == "past"]


def said_in(context: Context) -> list[str]:
    return [line.words for each in context.past for line in each.lines]


async def made_again(table: Table, turn: TurnAnswered, seq: Seq) -> TurnPrompt:
    memory = table.memory
    return await asyncio.to_thread(prompt_of, memory.engine, seq, turn, memory.vocabulary)


async def test_what_was_said_in_other_words_stands_in_the_prompt_and_what_it_took_on_the_bill(tmp_path: Path) -> None:
    async with serving(lambda _: Encodes(tokens=500_000)) as server, sitting(tmp_path, server, ALE) as table:
        context, turn, _ = await table.asks()
        assert said_in(context)[0] == ALE
        assert f"Relevant past conversations:\n- 2023-11-14\n[ada]: {ALE}" in context.text
        assert (turn.encoder, [use.rank for use in turn.nearest]) == (ENCODER, [1])
        assert [turn.nearest[0].event] == [use.id for use in turn.passages]
        assert turn.policy == f"recall@8 context@7 compartments@2 {VERSION}"
        assert notes(turn) == []
        (query,) = [request for request in server.requests if request.body["input_type"] == "query"]
        assert query.texts == [QUESTION]
        (line,) = (await table.memory.look(lambda rows: costs(rows, "model"))).lines[:1]
        assert line.name == "voyage-3.5-lite"  # the answer's own vector may be on its way
        assert line.tokens_in in [500_000 * each for each in (len(server.requests) - 1, len(server.requests))]
        table.assistant.meaning = None
        context, turn, _ = await table.asks("a stout ?")
        assert (context.past, turn.encoder, turn.nearest) == ((), "", ())


def queries(server: Server) -> list[list[str]]:
    """What the encoder was asked for questions."""
    return [each.texts for each in server.requests if each.body["input_type"] == "query"]


async def test_vectors_have_as_much_room_in_memory_as_the_settings_give(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE, ENCODER_MEMORY_MB="3") as table:
        assert table.store.vectors._opened.most_bytes == 3 << 20
        await table.asks()
        assert table.store.vectors.in_memory()


async def test_its_prompt_is_made_again_without_the_encoder(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE, "the stout is mine", "the deploy failed") as table:
        context, turn, seq = await table.asks()
        assert {ALE, "the stout is mine"} <= set(said_in(context))
        await table.hears("beer and stout and ale", "I had a beer")  # and what is heard is read in the background
        asked = queries(server)
        made = await made_again(table, turn, seq)
        assert (made.differs, made.context.digest, made.context.nearest) == ((), turn.context_digest, turn.nearest)
        assert queries(server) == asked
        plain = turn.__class__(**{**{name: getattr(turn, name) for name in turn.__struct_fields__}, "nearest": ()})
        assert (await made_again(table, plain, seq)).differs != ()


async def knows(table: Table) -> None:
    """Ada said something that says little by itself, and what it was about is noted; the rest is far from it."""
    await table.hears("since last June, yes")
    note = {"kind": "fact", "text": "User brews ale", "evidence": [{"quote": "since last June, yes"}]}
    table.model.scripts["extraction"] = lambda _: json.dumps({"upserts": [note]})
    await table.assistant.extract(await table.memory.person("ada"))


async def test_what_is_known_leads_to_what_it_rests_on_by_its_meaning(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, first=knows) as table:
        context, turn, seq = await table.asks()
        assert said_in(context)[0] == "since last June, yes"
        assert ([use.rank for use in turn.nearest], notes(turn)) == ([1, 1], [])
        item, near = turn.nearest
        assert ([item.event], [near.event]) == ([use.event for use in turn.items], [use.id for use in turn.passages])
        made = await made_again(table, turn, seq)
        assert (made.differs, made.context.digest, made.context.nearest) == ((), turn.context_digest, turn.nearest)
        await table.memory.forget("ada", "User brews ale")
        context, turn, _ = await table.asks()  # by now the first question may have its vector, and be near
        assert "since last June, yes" not in said_in(context)
        assert near.event not in [use.event for use in turn.nearest]


async def knows_much(table: Table) -> None:
    """Ale is one of many things that Ada asked to keep, and not among the first of them."""
    for text in (ALE, *(f"Room {number} is painted" for number in range(31))):
        await table.memory.remember("ada", text)


async def test_an_item_that_says_it_in_other_words_is_known_and_stands_in_the_prompt_that_is_made_again(
    tmp_path: Path,
) -> None:
    async with serving() as server, sitting(tmp_path, server, first=knows_much) as table:
        context, turn, seq = await table.asks()
        best = context.memory.hits[0]
        assert (best.item.text, best.reason) == (ALE, "near in meaning; updated within 7 days")
        assert len(context.memory.hits) == 12
        assert [(use.rank, use.event) for use in turn.nearest] == [(1, best.found.row.event)]
        assert turn.policy.endswith(VERSION)
        assert IN_OTHER_WORDS not in [each.what for each in turn.left_out]
        asked = queries(server)
        made = await made_again(table, turn, seq)
        assert (made.differs, made.context.digest, made.context.nearest) == ((), turn.context_digest, turn.nearest)
        assert queries(server) == asked
        table.assistant.meaning = None
        context, turn, _ = await table.asks("a stout ?")
        assert ALE not in [hit.item.text for hit in context.memory.hits]
        assert (turn.encoder, turn.nearest) == ("", ())


async def test_dnam_s_own_scoring_of_items_asks_no_encoder(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, first=knows_much, SCORING="dnam") as table:
        context, turn, _ = await table.asks()
        assert ALE not in [hit.item.text for hit in context.memory.hits]
        assert turn.nearest == ()
        table.model.scripts["answer"] = calling(Calling((("memory_search", {"query": "a stout"}),)), "He does.")
        await table.asks("what does he make?")
        (result,) = table.model.asked("answer")[-1].rounds[0].results
        assert (result.text, ["a stout"] in queries(server)) == (NOTHING, False)


async def test_the_model_s_search_in_memory_finds_an_item_in_other_words(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, first=knows_much) as table:
        table.model.scripts["answer"] = calling(Calling((("memory_search", {"query": "a stout"}),)), "He does.")
        await table.asks("what does he make?")
        (result,) = table.model.asked("answer")[-1].rounds[0].results
        assert f"[fact] {ALE} " in result.text.split("\n")[0]
        assert ["a stout"] in queries(server)


async def test_items_without_vectors_are_found_by_words_and_the_turn_says_so(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, *(["so it goes"] * 20)) as table:
        server.script = lambda request: Encodes() if request.body["input_type"] == "query" else Fails(401)
        await table.memory.remember("ada", ALE)
        _, turn, _ = await table.asks()
        noted = [each for each in turn.left_out if each.what == IN_OTHER_WORDS]
        missing = "texts have no vector yet: items are found by their words alone"
        assert [(each.block, each.why) for each in noted] == [
            ("durable", f"1 of 1 {missing}"),
            ("past", f"1 of 21 {missing}"),
        ]
        assert turn.nearest == ()


async def test_a_question_is_encoded_without_the_names_of_those_who_speak_there(tmp_path: Path) -> None:
    async def both_speak(table: Table) -> None:
        await table.hears(ALE, place=ROOM)
        await table.hears("so it is", user="kim", place=ROOM)

    async with serving() as server, sitting(tmp_path, server, first=both_speak) as table:
        context, _, _ = await table.asks("ada's beer ?", user="kim", place=ROOM)
        assert said_in(context)[0] == ALE
        await table.asks("eve's beer ?", user="kim", place=ROOM)
        assert queries(server) == [["beer ?"], ["eve's beer ?"]]


async def test_names_that_cannot_be_looked_up_fail_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise CannotWrite("it is full of moths")

    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        monkeypatch.setattr(recall, "nameless", broken)
        context, _, _ = await table.asks()
        assert (said_in(context)[0], queries(server)) == (ALE, [[QUESTION]])


async def test_an_encoder_that_is_down_leaves_a_note_in_the_turn_and_words_decide(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        server.script = lambda _: Fails(401)
        context, turn, seq = await table.asks("ale and beer")
        (note,) = notes(turn)
        assert note.what == IN_OTHER_WORDS
        assert note.why.startswith("the encoder failed (")
        assert note.why.endswith(": only words decide")
        assert said_in(context)[0] == ALE
        assert (turn.encoder, turn.nearest) == ("", ())
        again = await made_again(table, turn, seq)
        assert (again.differs, again.context.left_out) == ((), turn.left_out)


async def test_with_half_the_vectors_missing_words_decide_and_the_turn_says_so(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        server.script = lambda request: Encodes() if request.body["input_type"] == "query" else Fails(401)
        await table.hears("the deploy failed", "the roof is red")
        context, turn, seq = await table.asks()
        assert notes(turn) == [
            LeftOut("past", IN_OTHER_WORDS, "2 of 3 texts have no vector yet: only words decide"),
        ]
        assert (await made_again(table, turn, seq)).context.left_out == turn.left_out
        assert (context.past, turn.encoder, turn.nearest) == ((), ENCODER, ())


async def test_vectors_that_cannot_be_read_fail_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise CannotWrite("it is full of moths")

    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        monkeypatch.setattr(Meaning, "near", broken)
        _, turn, _ = await table.asks("ale and beer")
        assert notes(turn)[0].why == "the vectors cannot be compared (CannotWrite): only words decide"
        assert turn.passages != ()


async def test_who_was_erased_is_found_no_more_and_their_vectors_are_off_the_disk(tmp_path: Path) -> None:
    async def both_speak(table: Table) -> None:
        await table.hears(ALE, place=ROOM)
        await table.hears("so it is", user="kim", place=ROOM)

    async with serving() as server, sitting(tmp_path, server, first=both_speak) as table:
        context, _, _ = await table.asks(user="kim", place=ROOM)
        assert said_in(context)[0] == ALE
        ada = await table.memory.person("ada", platform="discord")
        gone = list(map(bytes, table.store.ring.listing(ada)))
        folder = table.store.path / VECTORS
        assert gone
        assert any(vault in data for vault in gone for data in contents(folder).values())
        await erase(table.memory, ada)
        assert not any(vault in data for vault in gone for data in contents(folder).values())
        assert table.store.vectors.size(ENCODER) > 0
        context, _, _ = await table.asks(user="kim", place=ROOM)
        assert ALE not in said_in(context)


async def test_what_was_taken_back_leaves_the_vectors_with_the_next_compaction(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, "so it goes") as table:
        heard = await table.memory.heard("ada", ALE, key="1")
        await table.reads()
        before = table.store.vectors.size(ENCODER)
        gone = DeletedRequest(LOCAL, "1", heard.session, heard.point.said, table.memory.now())
        await table.memory.record(lambda rows: delete(rows, gone))
        await asyncio.to_thread(compact, table.memory.engine)
        assert table.store.vectors.size(ENCODER) == before - 1


async def test_the_old_encoder_is_in_force_until_the_new_one_has_read_everything(tmp_path: Path) -> None:
    holds = Holds(asyncio.Event(), asyncio.Event())

    def script(request: Request) -> Reply:
        return holds if (request.dimensions, request.body["input_type"]) == (512, "document") else Encodes()

    clock = FakeClock()
    async with serving() as server:
        async with sitting(tmp_path, server, ALE, clock=clock):
            pass
        server.script = script
        async with sitting(tmp_path, server, clock=clock, ENCODER_DIMENSIONS="512") as table:
            await holds.reached.wait()
            context, turn, _ = await table.asks()
            assert (said_in(context)[0], turn.encoder, server.requests[-1].dimensions) == (ALE, ENCODER, 256)
            holds.let_go.set()
            assert await table.naps.next() == GATHER_SECONDS
            context, turn, _ = await table.asks()
            assert (said_in(context)[0], turn.encoder) == (ALE, "voyage-3.5-lite/512")
            assert table.store.vectors.encoders() == ["voyage-3.5-lite/512"]


async def test_what_says_nothing_by_itself_is_not_looked_for_nor_anything_where_there_are_no_passages(
    tmp_path: Path,
) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        await table.asks("ok")
        assert "query" not in [request.body["input_type"] for request in server.requests]
    async with serving() as server, sitting(tmp_path / "none", server, ALE, PASSAGES="0") as table:
        await table.asks()
        assert "query" not in [request.body["input_type"] for request in server.requests]


async def test_the_model_s_own_search_finds_it_too(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ALE) as table:
        search = Calling((("conversation_search", {"query": "a stout"}),))
        table.model.scripts["answer"] = calling(search, "He does.")
        await table.asks("what does he make?")
        (call,) = recorded(table.assistant, ToolCalled)
        assert isinstance(call, ToolCalled)
        assert len(call.found) > 0
        assert ["a stout"] in [request.texts for request in server.requests]
        (result,) = table.model.asked("answer")[-1].rounds[0].results
        assert f"[ada]: {ALE}" in result.text


async def test_what_is_said_meanwhile_is_read_behind_the_answers(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server) as table:
        await table.hears(ALE)
        assert await table.naps.next() == GATHER_SECONDS
        await table.hears("the roof is red")
        table.naps.over()
        await table.hears("well")
        assert await table.naps.next() == GATHER_SECONDS
        assert table.store.vectors.size(ENCODER) >= 2
        assert table.assistant.encoder is not None


async def test_an_encoder_that_is_not_there_is_told_and_answers_go_on(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ENCODER="voyage") as table:
        assert (table.told, table.assistant.meaning is None) == ([], False)
    async with serving() as server:
        server.key = ""
        async with sitting(tmp_path / "none", server, ENCODER="voyage") as table:
            assert table.told == [
                "DNAM_ENCODER is voyage, and there is no VOYAGE_API_KEY. "
                "Until then things are found by their words alone."
            ]
            assert table.assistant.meaning is None
            context, turn, _ = await table.asks()
            why = "DNAM_ENCODER is voyage, and there is no VOYAGE_API_KEY: only words decide"
            assert (context.past, turn.left_out) == ((), (LeftOut("past", "what says it in other words", why),))
            assert not (table.store.path / VECTORS).exists()


async def test_without_an_encoder_or_a_folder_there_is_nothing_to_understand_with(tmp_path: Path) -> None:
    async with serving() as server, sitting(tmp_path, server, ENCODER="none") as table:
        _, turn, seq = await table.asks()
        assert (table.assistant.meaning, table.assistant.encoder, server.requests) == (None, None, [])
        assert not table.store.has_vectors
        assert (turn.encoder, notes(turn)) == ("", [LeftOut("past", IN_OTHER_WORDS, NO_ENCODER)])
        again = await made_again(table, turn, seq)
        assert (again.differs, again.context.left_out) == ((), turn.left_out)
        _, silent, _ = await table.asks("ok")
        assert notes(silent) == []  # nothing was looked for
    settings = read({"VOYAGE_API_KEY": "pa-1"}, {})
    with Engine.in_memory(FakeClock()) as engine:
        assistant = Assistant(Memory(engine, settings, load(settings.language)), ScriptedModel())
        async with understanding(assistant, lambda _: None):
            assert assistant.meaning is None


async def test_a_memory_that_cannot_be_written_is_searched_and_makes_no_vectors(tmp_path: Path) -> None:
    async with serving() as server:
        async with sitting(tmp_path, server, ALE):
            pass
        settings = read(settings_of(server), {})
        async with Memory.open(tmp_path, settings=settings, writable=False, clock=FakeClock()) as memory:
            assistant = Assistant(memory, ScriptedModel())
            async with understanding(assistant, lambda _: None):
                assert memory.watchers == []
                assert assistant.meaning is not None
                assert (await assistant.meaning.seek(QUESTION)).encoder == ENCODER


PATIENT = "from dnam.meaning import question; question.SEEK_SECONDS = 600"
"""A busy machine is no encoder that is silent."""


async def test_the_chat_understands_and_its_prompt_can_be_seen(tmp_path: Path) -> None:
    async with serving() as server:
        async with sitting(tmp_path / "new", server, ALE):
            pass
        given = settings_of(server)
        ran = await asyncio.to_thread(
            chatted, tmp_path / "new", f"{QUESTION}\n", "chat", "--as", "ada", before=PATIENT, **given
        )
        assert (ran.code, ran.err) == (0, "")
        assert [QUESTION] in [request.texts for request in server.requests]
    (turn,) = dnam("log", "--tag", "turn.answered", "--json", "--data", tmp_path / "new").values
    shown = dnam("prompt", "--at", str(turn["seq"]), "--data", tmp_path / "new")
    assert f"[ada]: {ALE}" in shown.out
    assert "the prompt of" in shown.err
    assert "as it was" in shown.err


async def test_the_chat_without_an_encoder_says_so_where_its_prompt_is_explained(tmp_path: Path) -> None:
    ran = await asyncio.to_thread(chatted, tmp_path, f"{ALE}\nwho drinks ale?\n", "chat", "--as", "ada")
    assert ran.code == 0
    *_, turn = dnam("log", "--tag", "turn.answered", "--json", "--data", tmp_path).values
    note = {"block": "past", "what": IN_OTHER_WORDS, "why": NO_ENCODER}
    assert note in turn["event"]["left_out"]
    again = ("prompt", "--at", str(turn["seq"]), "--data", tmp_path)
    assert note in dnam(*again, "--json").value["left_out"]
    assert f"left out of past: {IN_OTHER_WORDS} ({NO_ENCODER})" in dnam(*again, "--explain").err
