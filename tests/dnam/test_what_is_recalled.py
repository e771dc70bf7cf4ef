"""What an answer's prompt holds beside the asker's own: as recorded, as made again, and where recall fails."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.model import Ask, ExtractionInputs
from dnam.prompting import without_recall
from dnam.turn_prompts import TurnPrompt, prompt_of
from projections.context import Context
from projections.decisions.place import PlaceSeen
from projections.events import JobFailed, TurnAnswered
from projections.events.values import By, Source
from projections.ids import Ref, Seq
from projections.recall import search
from projections.tokens import Counter
from replay.errors import LogError
from tests.dnam.scripted import ScriptedModel, settings, talking

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
SHED = PlaceSeen("discord", "2", "channel", "shed", "guild", guild=GUILD, guild_name="Garden")
FEW = {"message_history_count": "2", "summary_enabled": "0"}


def model(answer: str = "I see.") -> ScriptedModel:
    return ScriptedModel({"answer": lambda _: answer})


async def talk(assistant: Assistant) -> None:
    """Tobi told of a boiler in the shed and Kim keeps bees; then they speak of other things in general."""
    memory = assistant.memory
    for user, text, place in (
        ("tobi", "the boiler in the shed leaks", SHED), ("kim", "good morning", GENERAL), ("tobi", "hello", GENERAL),
    ):  # fmt: skip
        await memory.heard(user, text, name=user.title(), platform="discord", place=place)
    kim = await memory.person("kim", platform="discord")
    heard = await memory.heard("kim", "bees", name="Kim", platform="discord", place=GENERAL)
    await memory.remember(kim, "Keeps bees", setting=heard.setting, source=Source("manual"), by=By("person", kim))


async def asks(assistant: Assistant, text: str, user: str = "ada") -> tuple[Context, TurnAnswered, Seq]:
    """Somebody asks in general; the prompt, and the turn as it is recorded."""
    memory = assistant.memory
    heard = await memory.heard(user, text, name=user.title(), platform="discord", place=GENERAL)
    answered = await assistant.answer(heard)
    seq = memory.engine.store.log.find(answered.turn.id)
    record = None if seq is None else memory.engine.live.folding.record_at(seq)
    assert record is not None
    assert isinstance(record.event, TurnAnswered)
    return answered.context, record.event, record.seq


async def test_the_turn_says_what_was_found_and_whom_it_drew_on(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **FEW) as assistant:
        await talk(assistant)
        context, turn, _ = await asks(assistant, "who knows of the boiler, and of bees?")
        assert "Relevant past conversations:\n- 2023-11-14\n[Tobi]: the boiler in the shed leaks" in context.text
        assert "People in the room (what everyone here could know of them):\n- Kim: [fact] Keeps bees" in context.text
        assert turn.passages == context.passages
        assert [use.session for use in turn.passages] == ["discord:channel:2"]
        assert [use.owner for use in turn.items] == [await assistant.memory.person("kim", platform="discord")]
        assert {turn.passages[0].id, turn.items[0].event} <= set(turn.causes)
        assert turn.policy == "recall@8 context@7 compartments@2"
        assert turn.limits == assistant.memory.limits()


async def made_again(assistant: Assistant, turn: TurnAnswered, seq: Seq) -> TurnPrompt:
    return await asyncio.to_thread(prompt_of, assistant.memory.engine, seq, turn, assistant.memory.vocabulary)


async def test_its_prompt_can_be_made_again_from_the_rows_of_then(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **FEW) as assistant:
        await talk(assistant)
        context, turn, seq = await asks(assistant, "who knows of the boiler, and of bees?")
        for text in ("the boiler is new now", "I keep bees too"):
            await assistant.memory.heard("tobi", text, name="Tobi", platform="discord", place=SHED)
        made = await made_again(assistant, turn, seq)
        assert (made.differs, made.context.text) == ((), context.text)
        low, turn, seq = await asks(assistant, "yeah")
        assert low.passages == context.passages
        made = await made_again(assistant, turn, seq)
        assert (made.differs, made.context.text) == ((), low.text)


async def test_a_budget_that_was_counted_otherwise_is_said(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **FEW, prompt_max_tokens="40") as assistant:
        await talk(assistant)
        assistant.memory.counter = Counter("words", lambda text: len(text.split()))
        _, turn, seq = await asks(assistant, "who knows of the boiler, and of bees?")
        assert turn.limits.counter == "words"
        made = await made_again(assistant, turn, seq)
        assert "tokens were counted by words, and are counted by characters@2 now" in made.differs


async def test_where_recall_fails_the_answer_is_made_without_it_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> search.Answers:
        raise RuntimeError("the words of somebody")

    async with talking(tmp_path, model(), None, **FEW) as assistant:
        await talk(assistant)
        logged: list[str] = []
        assistant.failures.tell = logged.append
        monkeypatch.setattr(search, "answers", broken)
        context, turn, _ = await asks(assistant, "who knows of the boiler, and of bees?")
        assert (turn.text, context.past) == ("I see.", ())
        assert "- Kim: [fact] Keeps bees" in context.text
        assert turn.limits == without_recall(assistant.memory.limits())
        assert turn.policy == "dnam-scoring@1 context@7 compartments@2"
        assert logged == ["recall failed: RuntimeError"]
        engine = assistant.memory.engine
        events = [engine.live.folding.record_at(Seq(seq + 1)) for seq in range(engine.head().size)]
        assert [each.event.job for each in events if each and isinstance(each.event, JobFailed)] == ["recall"]


async def test_where_nothing_can_be_read_the_answer_is_made_from_the_message_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, model(), None, **FEW) as assistant:
        heard = await assistant.memory.heard("ada", "who knows of the boiler?")

        def unreadable(*_: object, **__: object) -> Context:
            raise LogError("it is gone")

        monkeypatch.setattr(assistant.memory, "assembled", unreadable)
        thought = await assistant.think(heard)
        assert thought.context.text.endswith("User message:\nwho knows of the boiler?")
        assert list(assistant.failures) == ["reading: it is gone"]


async def test_what_was_recalled_is_not_learned_from(tmp_path: Path) -> None:
    """An extraction is shown what its person said, and nothing of what stood in prompts."""
    scripted = ScriptedModel({"answer": lambda _: "I see.", "extraction": lambda _: '{"upserts": []}'})
    async with talking(tmp_path, scripted, None, **FEW, learn="heard") as assistant:
        await talk(assistant)
        context, *_ = await asks(assistant, "who knows of the boiler, and of bees?")
        assert "leaks" in context.text
        assert await assistant.extract(await assistant.memory.person("ada", platform="discord"))
        (asked,) = scripted.asked("extraction")
        assert "who knows of the boiler" in asked.prompt
        assert "leaks" not in asked.prompt
        assert "Keeps bees" not in asked.prompt


@pytest.mark.parametrize(
    ("given", "items", "room", "passages"),
    [
        ({}, 12, 8, 5),
        ({"memory_enabled": "0"}, 0, 0, 0),
        ({"durable_memory_enabled": "0"}, 0, 0, 5),
        ({"room_max_items": "0", "passages": "2"}, 12, 0, 2),
    ],
)
async def test_what_is_switched_off_has_no_room(
    tmp_path: Path, given: dict[str, str], items: int, room: int, passages: int
) -> None:
    async with talking(tmp_path, model(), None, **given) as assistant:
        limits = assistant.memory.limits()
        assert (limits.items, limits.room_items, limits.passages) == (items, room, passages)
        assert without_recall(limits).passages == 0


def test_the_defaults_are_those_of_the_settings() -> None:
    chosen = settings()
    assert (chosen.scoring, chosen.room_max_chars, chosen.passages_max_chars, chosen.prompt_max_tokens) == (
        "recall", 1000, 2000, 8000,
    )  # fmt: skip


def test_numpy_is_not_loaded_before_something_is_searched() -> None:
    """`dnam show` has a start-up budget, and numpy would take half of it."""
    code = "import sys, projections.context, dnam.cli.looking; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_what_was_forgotten_comes_back_by_no_answer_that_repeated_it_later(tmp_path: Path) -> None:
    replies = iter(["Noted.", "Your locker code is swordfish.", *["I see."] * 9])
    scripted = ScriptedModel({"answer": lambda _: next(replies)})
    async with talking(tmp_path, scripted, None, message_history_count="4", summary_enabled="0") as assistant:
        memory = assistant.memory
        await asks(assistant, "my locker code is swordfish")
        ada = await memory.person("ada", platform="discord")

        def extracted(ask: Ask) -> str:
            assert isinstance(ask.inputs, ExtractionInputs)
            quote = {"quote": "my locker code is swordfish", "message": ask.inputs.lines[0].id}
            return json.dumps({"upserts": [{"kind": "fact", "text": "Locker code is swordfish", "evidence": [quote]}]})

        scripted.scripts["extraction"] = extracted
        await assistant.extract(ada)
        heard = await memory.heard("ada", "so", name="Ada", platform="discord", place=GENERAL)
        assert await memory.forget(ada, "Locker code is swordfish", setting=heard.setting)
        assert "swordfish" in (await asks(assistant, "what was it again?"))[0].text
        for n in range(6):
            await asks(assistant, f"chatter number {n} about clouds", "kim")
        assert "swordfish" not in (await asks(assistant, "does anybody know a locker code?", "kim"))[0].text


async def test_a_question_is_not_looked_for_in_itself(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **FEW) as assistant:
        await talk(assistant)
        context, _, _ = await asks(assistant, "who mends boilars?")
        assert "the boiler in the shed leaks" in context.text
