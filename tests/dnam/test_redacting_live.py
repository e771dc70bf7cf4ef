"""Taking back while the loops go on: what is read, what is summed up, and what is on the disk afterwards."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.compacting import compact
from dnam.languages import load
from dnam.memory import Memory
from dnam.redacting import redact, the_message
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionAnswered, ExtractionFailed, SummaryAnswered, SummaryRefreshed, TurnAnswered
from projections.ids import Handle, Ref
from projections.items import items_of
from projections.places import PLACES
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay.folding import Folding
from replay.reading import Reader
from replay.store import DiskStore
from replay.verify import verify
from tests.dnam.discord.stage import events
from tests.dnam.held import HeldModel
from tests.dnam.scripted import ScriptedModel, lines_of, settings, talking
from tests.dnam.test_loops import recorded
from tests.replay.stage import contents
from tests.world import NOW

GUILD = Ref("local", "garden")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
KIM = Account("local", "kim", "Kim")
SECRET = "my locker opens with tangerine-monsoon"
OTHER = "my garden has a pond"


def message(key: str, text: str, said: int, edited: int | None = None) -> HeardRequest:
    return HeardRequest(key, ROOM, "person", KIM, text, said, (), addressed=True, edited=edited)


async def said(assistant: Assistant, key: str, text: str, said: int) -> None:
    heard = await assistant.memory.hear(message(key, text, said))
    answered = await assistant.answer(heard)
    await assistant.memory.delivered(heard, answered.turn)


async def deletes(memory: Memory, key: str, said: int) -> None:
    session = await memory.look(lambda rows: next(row.row.session for row in rows.scan(PLACES) if row.row.session))
    request = DeletedRequest("local", key, session, said, memory.now())
    await memory.record(lambda rows: delete(rows, request))


def learns(*texts: str) -> str:
    quoted = ", ".join(f'{{"text": "User: {text}.", "evidence": "{text}"}}' for text in texts)
    return f'{{"upserts": [{quoted}]}}'


def items(rows: Rows, person: Handle) -> list[str]:
    return sorted(found.row.item.text for found in items_of(rows, person) if found.row.item.status == "active")


async def test_an_edited_message_is_read_again_and_its_old_words_go(tmp_path: Path) -> None:
    model = ScriptedModel({"extraction": lambda _: learns(SECRET)})
    async with talking(tmp_path, model, None, summary_enabled="0") as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET, NOW)
        kim = await memory.person("kim")
        await assistant.extract(kim)
        assert await memory.look(lambda rows: items(rows, kim)) == [f"User: {SECRET}."]
        await memory.hear(message("1", OTHER, NOW, NOW + 5))
        assert await memory.look(lambda rows: items(rows, kim)) == [f"User: {SECRET}."]
        model.scripts["extraction"] = lambda _: learns(OTHER)
        await assistant.extract(kim)
        assert await memory.look(lambda rows: items(rows, kim)) == [f"User: {OTHER}."]
        assert len(recorded(assistant, ExtractionAnswered)) == 1
        asked = [line.text for ask in model.asks if ask.purpose == "extraction" for line in lines_of(ask)]
        assert asked == [SECRET, OTHER]
        await assistant.extract(kim)
        assert len(recorded(assistant, ExtractionAnswered)) == 1  # it was read


async def test_what_is_deleted_while_it_is_read_and_summed_up_leaves_no_word(tmp_path: Path) -> None:
    model = HeldModel()
    model.scripts |= {"extraction": lambda _: learns(SECRET), "summary": lambda _: f"Kim: {SECRET}"}
    model.hold("extraction")
    model.hold("summary")
    async with talking(tmp_path, model) as assistant:
        memory = assistant.memory
        heard = await memory.hear(message("1", SECRET, NOW))
        kim = await memory.person("kim")
        works = [
            asyncio.create_task(assistant.extract(kim)),
            asyncio.create_task(assistant.summarise(heard.session, heard.setting.audience, kim)),
        ]
        await model.reached["extraction"].wait()
        await model.reached["summary"].wait()
        await deletes(memory, "1", NOW)
        model.let_go()
        await asyncio.gather(*works)
        assert await memory.look(lambda rows: items(rows, kim)) == []
        assert len(recorded(assistant, ExtractionFailed)) == 1
        (answered,) = recorded(assistant, SummaryAnswered)
        assert isinstance(answered, SummaryAnswered)
        assert (answered.reply, recorded(assistant, SummaryRefreshed)) == ("", [])


async def test_a_withheld_summary_is_made_anew_without_the_words(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": lambda ask: " / ".join(line.text for line in lines_of(ask))})
    async with talking(tmp_path, model, None, summary_every_n_turns="2") as assistant:
        memory = assistant.memory
        for n, text in enumerate((OTHER, SECRET, "and more of it")):
            await said(assistant, f"{n}", text, NOW + n * 10)
        heard = await memory.hear(message("2", "and more of it", NOW + 20))
        await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        await deletes(memory, "1", NOW + 10)
        summary = await memory.look(lambda rows: [found.row.text for found in rows.scan(SUMMARIES)])
        assert summary == [""]
        heard = await memory.hear(message("3", "one more", NOW + 40))
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        (text,) = await memory.look(lambda rows: [found.row.text for found in rows.scan(SUMMARIES)])
        assert text == f"{OTHER} / and more of it / one more"


async def test_a_withheld_summary_is_due_with_the_next_turn(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": lambda ask: " / ".join(line.text for line in lines_of(ask))})
    async with talking(tmp_path, model, None, summary_every_n_turns="9") as assistant:
        memory = assistant.memory
        for n, text in enumerate((OTHER, SECRET)):
            await said(assistant, f"{n}", text, NOW + n * 10)
        heard = await memory.hear(message("1", SECRET, NOW + 10))
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        await deletes(memory, "1", NOW + 10)
        asked = len(model.asked("summary"))
        for n, text in enumerate(("one more", "and another"), 3):
            await said(assistant, f"{n}", text, NOW + n * 10)
            assistant.after_turn(heard)
            await assistant.settle()
        (text,) = await memory.look(lambda rows: [found.row.text for found in rows.scan(SUMMARIES)])
        assert (text, len(model.asked("summary"))) == (f"{OTHER} / one more", asked + 1)


async def test_after_compacting_no_byte_of_it_is_on_the_disk(tmp_path: Path) -> None:
    """Views are clear text; what is sealed is opened with every key that there is."""
    model = ScriptedModel({"extraction": lambda _: learns(SECRET, OTHER), "summary": lambda _: f"Kim: {SECRET}"})
    async with talking(tmp_path, model, None, view_commit_events="1") as assistant:
        memory = assistant.memory
        await said(assistant, "1", SECRET, NOW)
        await said(assistant, "2", OTHER, NOW + 10)
        heard = await memory.hear(message("2", OTHER, NOW + 10))
        await assistant.extract(heard.person)
        await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        await deletes(memory, "1", NOW)
        assert await memory.look(lambda rows: items(rows, heard.person)) == [f"User: {OTHER}."]
        await asyncio.to_thread(compact, memory.engine)
        await memory.heard("kim", "and on it goes", place=ROOM)
        store = memory.engine.store
        assert isinstance(store, DiskStore)
        folding = Folding(memory.engine.fold, store)
        told = [repr(record.event) for each in store.log.read(0) if (record := folding.record(each)) is not None]
        assert any(OTHER in each for each in told)
        assert not any("tangerine" in each for each in told)
        assert verify(store, folding, opened=True).problems == ()
    held = contents(tmp_path)
    assert any(b"garden has a pond" in each for each in held.values())
    for encoding in ("utf-8", "utf-16-le"):
        assert not any("tangerine".encode(encoding) in each for each in held.values())
    async with Memory.open(tmp_path, settings=settings()) as memory:
        assert await memory.look(lambda rows: items(rows, heard.person)) == [f"User: {OTHER}."]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("I am allergic to peanuts", "peanut"),
        ("I live in Zanzibar", "zanzibar"),
        ("My name is Ottokar", "ottokar"),
        ("I work at Siemens", "siemens"),
        ("I prefer tea over coffee", "coffee"),
        ("I am a nurse", "nurse"),
        ("I have a dog called Rex", "rex"),
        ("I play the cello", "cello"),
    ],
)
async def test_what_was_answered_from_an_item_goes_with_the_message_it_was_learned_from(
    tmp_path: Path, text: str, word: str
) -> None:
    """Answers have the item's words: what nobody can read any more is in no prompt, search or log, here or there."""
    async with Memory.open(tmp_path, settings=settings(summary_enabled="0")) as memory:
        assistant = Assistant(memory, OfflineModel(load("en")))
        await said(assistant, "1", text, NOW)
        kim = await memory.person("kim")
        await assistant.extract(kim)
        (learned,) = await memory.look(lambda rows: items(rows, kim))
        await said(assistant, "2", "what do you remember about me?", NOW + 10)
        await said(assistant, "3", "hello again, what time is it?", NOW + 20)
        answers = [each.text for each in events(memory, TurnAnswered)]
        assert len(answers) == 3
        assert any(learned in each for each in answers)
        row = await memory.look(lambda rows: the_message(rows, Reader(memory.engine.live), "local:1"))
        assert await redact(memory, row.event)
        store = memory.engine.store
        assert isinstance(store, DiskStore)
        folding = Folding(memory.engine.fold, store)
        told = [repr(record.event) for each in store.log.read(0) if (record := folding.record(each)) is not None]
        assert not any(word in each.casefold() for each in told)
        assert verify(store, folding, opened=True).problems == ()
