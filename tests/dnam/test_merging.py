"""Merging, driven by a script: when a model is asked, what it sees, what comes of it, and that it can be undone."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.commands.command import Invocation
from dnam.commands.parse import Call
from dnam.commands.table import read as command
from dnam.commands.table import run
from dnam.consenting import consent
from dnam.languages import load
from dnam.learning.learner import LearnedAll, Learner
from dnam.loops.unmerged import MERGING_MS
from dnam.meaning.encoder import Encoded
from dnam.model import Ask, ExtractionInputs, MergedItem, MergeInputs, Reply
from projections.events import ItemMerged, ItemUpserted, JobFailed, MergeAnswered, MergeFailed, TextsEncoded
from projections.events.upkeep import EncodedKind
from projections.events.values import Item, ModelUse
from projections.policies.closeness import Vector
from replay.errors import LogFull
from tests.dnam.held import HeldModel
from tests.dnam.scripted import FakeClock, Script, ScriptedModel, down, say, talking
from tests.dnam.test_loops import recorded

TEA = "User likes tea."
GREEN = "User likes green tea."
ONE = {"merged_summary": "User likes tea, green tea best.", "merged_dialogue": "", "confidence": 0.9}
EVERY_TURN = {"durable_every_n_turns": "1", "summary_enabled": "0"}


def learns(ask: Ask) -> str:
    """A model that notes each line as an item that says it in other words."""
    assert isinstance(ask.inputs, ExtractionInputs)
    said = {"I like tea": TEA, "green tea": GREEN, "I keep bees": "User keeps bees."}
    entries = [
        {"kind": "preference", "text": said[line.text], "evidence": [{"quote": line.text, "message": line.id}]}
        for line in ask.inputs.lines
    ]
    return json.dumps({"upserts": entries})


def model(merge: Script | None = None) -> ScriptedModel:
    return ScriptedModel({"extraction": learns, "merge": merge or (lambda _: json.dumps(ONE))})


async def items(assistant: Assistant) -> list[str]:
    return sorted(item.text for item in await assistant.memory.show("ada"))


async def test_what_is_close_becomes_one_and_the_model_sees_that_pair_alone(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I keep bees", "I like tea", "green tea")
        (ask,) = script.asked("merge")
        assert ask.inputs == MergeInputs(
            "preference", MergedItem(TEA, ("I like tea",)), MergedItem(GREEN, ("green tea",))
        )
        assert json.loads(ask.prompt)["new"] == {"summary": GREEN, "dialogue": ["green tea"]}
        assert ask.prompt_name == "merge@1"
        assert ask.person == await assistant.memory.person("ada")
        answered, merged = recorded(assistant, MergeAnswered, ItemMerged)
        assert isinstance(merged, ItemMerged)
        assert isinstance(answered, MergeAnswered)
        assert merged.reason == "2 of 3 words are shared, more than 60 % is close"
        assert [quote.quote for quote in merged.item.evidence] == ["I like tea", "green tea"]
        assert (merged.item.source_count, merged.by.name) == (2, "scripted")
        assert answered.inputs == answered.causes
        assert {quote.message for quote in merged.item.evidence} < set(merged.causes)
        assert await items(assistant) == ["User keeps bees.", ONE["merged_summary"]]
        assert not assistant.failures


async def test_every_work_has_the_model_that_is_named_for_it(tmp_path: Path) -> None:
    script, every = model(), {"summary_every_n_turns": "1", "durable_every_n_turns": "1"}
    named = {"answer_model": "one", "summary_model": "two", "durable_model": "three"}
    async with talking(tmp_path, script, None, **every, **named) as assistant:
        await say(assistant, "ada", "I like tea", "green tea")
    works = {("answer", "one"), ("summary", "two"), ("extraction", "three"), ("merge", "three")}
    assert {(ask.purpose, ask.model) for ask in script.asks} == works


async def test_a_restart_between_an_extraction_and_its_merge_learns_nothing_twice_and_merges(tmp_path: Path) -> None:
    held = HeldModel(model().scripts)
    await _ended_before_its_merge(tmp_path, held, FakeClock())
    async with talking(tmp_path, held, None, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert await items(assistant) == [ONE["merged_summary"]]
        assert len(held.asked("extraction")) == len(recorded(assistant, ItemUpserted)) == 2
        assert len(recorded(assistant, ItemMerged)) == 1
        assert not assistant.failures
    async with talking(tmp_path, held, None, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert len(held.asked("merge")) == 1  # the other was given up


APART = {"merged_summary": "", "merged_dialogue": ""}


@pytest.mark.parametrize("replied", [json.dumps(APART), "no"])
async def test_what_was_looked_at_is_not_looked_at_again_after_a_restart(tmp_path: Path, replied: str) -> None:
    script = model(lambda _: replied)
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea", "green tea")
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert await items(assistant) == [GREEN, TEA]
    assert len(script.asked("merge")) == 1


async def test_what_was_learned_long_before_the_program_ended_counts_as_looked_at(tmp_path: Path) -> None:
    held, clock = HeldModel(model().scripts), FakeClock()
    await _ended_before_its_merge(tmp_path, held, clock)
    async with talking(tmp_path, held, clock, **EVERY_TURN) as assistant:
        clock.time += MERGING_MS
        await assistant.memory.heard("kim", "hello")
    async with talking(tmp_path, held, clock, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert await items(assistant) == [GREEN, TEA]


async def test_nothing_of_who_opted_out_is_looked_at(tmp_path: Path) -> None:
    held, clock = HeldModel(model().scripts), FakeClock()
    await _ended_before_its_merge(tmp_path, held, clock)
    async with talking(tmp_path, held, clock, **EVERY_TURN) as assistant:
        assert await consent(assistant.memory, await assistant.memory.person("ada"), out=True)
        async with assistant.watching():
            await assistant.settle()
        assert held.asked("merge") == []


async def _ended_before_its_merge(path: Path, held: HeldModel, clock: FakeClock) -> None:
    held.hold("merge")
    async with talking(path, held, clock, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea")
        heard = await assistant.memory.heard("ada", "green tea")
        await assistant.answer(heard)
        assistant.after_turn(heard)
        await held.reached["merge"].wait()
        await assistant.stop()
    held.let_go()


@pytest.mark.parametrize(("merge", "why"), [(down, "no answer to merge"), (lambda _: "no", "the reply holds no JSON")])
async def test_a_failed_merge_adds(tmp_path: Path, merge: Script, why: str) -> None:
    async with talking(tmp_path, model(merge), None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea", "green tea")
        (failed,) = recorded(assistant, MergeFailed)
        assert isinstance(failed, MergeFailed)
        assert why in failed.error
        assert await items(assistant) == [GREEN, TEA]
        assert [why in each for each in assistant.failures] == [True]


@pytest.mark.parametrize(("merge", "why"), [(down, "no answer to merge"), (lambda _: "no", "the reply holds no JSON")])
async def test_whoever_had_it_learned_hears_of_a_failed_merge(tmp_path: Path, merge: Script, why: str) -> None:
    async with talking(tmp_path, model(merge), None, **EVERY_TURN) as assistant:
        learned = await _learned(assistant, "I like tea", "green tea")
        assert (learned.extractions, learned.errors, learned.is_whole) == (2, (), False)
        assert [why in each for each in learned.unmerged] == [True]
        assert await items(assistant) == [GREEN, TEA]
        again = await Learner(assistant).learn(lambda *_: None)
        assert (again.extractions, again.is_whole) == (0, True)


async def test_and_of_one_that_the_disk_did_not_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Ask) -> str:
        monkeypatch.setattr(assistant.memory, "record", _refuse)
        return json.dumps(ONE)

    async with talking(tmp_path, model(full), None, **EVERY_TURN) as assistant:
        learned = await _learned(assistant, "I like tea", "green tea")
        assert (learned.extractions, learned.errors, learned.unmerged) == (2, (), ("the disk is full",))
        monkeypatch.undo()
        assert await items(assistant) == [GREEN, TEA]
        assert recorded(assistant, JobFailed) == []  # the disk did not take that either
        assert [each.partition(":")[0] for each in assistant.failures] == ["merge", "recording that"]


async def _refuse(_: object) -> None:
    raise LogFull("the disk is full")


async def _learned(assistant: Assistant, *texts: str) -> LearnedAll:
    for text in texts:
        await assistant.memory.heard("ada", text)
    return await Learner(assistant).learn(lambda *_: None)


async def test_what_a_person_wrote_is_never_absorbed(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        await assistant.memory.remember("ada", TEA)
        await say(assistant, "ada", "green tea")
        await assistant.memory.edit("ada", (await _green(assistant)).id, "User likes the green tea.")
        await say(assistant, "ada", "I like tea")
        assert script.asked("merge") == []


async def _green(assistant: Assistant) -> Item:
    return next(item for item in await assistant.memory.show("ada") if item.text == GREEN)


async def test_what_changes_while_the_model_thinks_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = model()
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:

        async def forget(ask: Ask, *_: object) -> Reply:
            if ask.purpose == "merge":
                await assistant.memory.forget("ada", GREEN)
            return await ScriptedModel.ask(script, ask)

        monkeypatch.setattr(script, "ask", forget)
        await say(assistant, "ada", "I like tea", "green tea")
        (failed,) = recorded(assistant, MergeFailed)
        assert failed.error == "one of the two was changed while the model was thinking"
        assert await items(assistant) == [TEA]


async def test_a_person_takes_two_apart_again(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea", "green tea")
        (merged,) = recorded(assistant, ItemMerged)
        assert isinstance(merged, ItemMerged)
        restored = await assistant.memory.restore("ada", merged.absorbed[0].id)
        assert [item.text for item in restored] == [GREEN, TEA]
        assert await items(assistant) == [GREEN, TEA]
        assert await assistant.memory.restore("ada", merged.absorbed[0].id) == []
        asked = len(script.asked("merge"))
        await say(assistant, "ada", "I keep bees", "green tea")
        assert len(script.asked("merge")) == asked, "what a person took apart stays apart"


async def test_who_asks_to_extract_is_told_what_became_part_of_another(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, summary_enabled="0") as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        await assistant.memory.heard("ada", "green tea")
        call = command("!memory extract")
        assert isinstance(call, Call)
        reply = await run(assistant, Invocation(heard.setting, heard.session), call)
        assert "Learned 1 item(s).\n- [preference] User likes tea, green tea best." in reply.text
        assert "Became part of another: 1 item(s).\n- [preference] User likes green tea." in reply.text
        assert "No longer held" not in reply.text


async def test_several_are_taken_apart_as_one_act(tmp_path: Path) -> None:
    async with talking(tmp_path, model(), None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea", "green tea")
        (merged,) = recorded(assistant, ItemMerged)
        assert isinstance(merged, ItemMerged)
        await assistant.memory.restore_all(merged.absorbed, by=merged.by)
        assert await items(assistant) == [GREEN, TEA]


class Encoder:
    """Vectors by a table."""

    name = "tiny@1"

    def __init__(self, vectors: dict[str, Vector] | None, use: ModelUse | None = None) -> None:
        self._vectors = vectors
        self._use = use

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        if self._vectors is None:
            raise RuntimeError("no vectors today")
        return Encoded([self._vectors[text] for text in texts], self._use)


async def test_with_an_encoder_its_vectors_decide(tmp_path: Path) -> None:
    script = model()
    encoder = Encoder({TEA: (1.0, 0.0), GREEN: (0.0, 1.0), "User keeps bees.": (1.0, 0.1)})
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        assistant.encoder = encoder
        await say(assistant, "ada", "I like tea", "green tea")
        assert script.asked("merge") == []
        await say(assistant, "ada", "I keep bees")
        (merged,) = recorded(assistant, ItemMerged)
        assert merged.reason == "cosine 0.995 by tiny@1, more than 0.850 is close"


async def test_what_an_encoder_took_is_on_the_bill_of_whose_items_they_are(tmp_path: Path) -> None:
    use = ModelUse("tiny", "1", tokens_in=7, cost_micros=3)
    async with talking(tmp_path, model(), None, **EVERY_TURN) as assistant:
        assistant.encoder = Encoder({TEA: (1.0, 0.0)}, use)
        await say(assistant, "ada", "I like tea")
        (encoded,) = recorded(assistant, TextsEncoded)
        assert isinstance(encoded, TextsEncoded)
        assert (encoded.call, encoded.texts, encoded.failed) == (use, 1, False)
        assert encoded.person == await assistant.memory.person("ada")


async def test_the_threshold_is_a_setting(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, merge_threshold="1", **EVERY_TURN) as assistant:
        assistant.encoder = Encoder({TEA: (1.0, 0.0), GREEN: (1.0, 0.0)})
        await say(assistant, "ada", "I like tea", "green tea")
        assert script.asked("merge") == []


async def test_a_threshold_between_two_thousandths_is_not_cut_down(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, merge_threshold="0.9999", **EVERY_TURN) as assistant:
        assistant.encoder = Encoder({TEA: (1.0, 0.0), GREEN: (0.9995, (1 - 0.9995**2) ** 0.5)})
        await say(assistant, "ada", "I like tea", "green tea")
        assert script.asked("merge") == []


async def test_an_encoder_that_fails_is_told_and_the_words_decide(tmp_path: Path) -> None:
    script = model()
    async with talking(tmp_path, script, None, **EVERY_TURN) as assistant:
        assistant.encoder = Encoder(None)
        await say(assistant, "ada", "I like tea", "green tea")
        assert len(script.asked("merge")) == 1
        assert list(assistant.failures) == ["encoder: no vectors today"] * 2
        jobs = recorded(assistant, JobFailed)
        assert {(each.job, each.error) for each in jobs} == {("encoder", "RuntimeError")}


async def test_a_bug_in_merging_leaves_what_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("dnam.learning.tending.plan_merges", broken)
    async with talking(tmp_path, model(), None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea")
        assert await items(assistant) == [TEA]
        assert len(recorded(assistant, ItemUpserted, JobFailed)) == 2
        assert list(assistant.failures) == ["merge: oh"]


@pytest.mark.parametrize(
    ("existing", "new", "summary"),
    [
        (TEA, GREEN, GREEN),
        (GREEN, TEA, GREEN),
        ("User likes black tea.", GREEN, ""),
        ("User likes tea!", TEA, TEA),
    ],
)
def test_the_offline_model_takes_what_says_more_and_else_keeps_both(existing: str, new: str, summary: str) -> None:
    inputs = MergeInputs("preference", MergedItem(existing, ("I like tea",)), MergedItem(new, ("green tea",)))
    reply = json.loads(OfflineModel(load("en")).reply(inputs).text)
    assert reply["merged_summary"] == summary
    assert reply["merged_dialogue"] == ("I like tea\ngreen tea" if summary else "")
