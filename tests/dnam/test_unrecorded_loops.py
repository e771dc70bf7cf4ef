"""A log that takes nothing while a loop talks with its model: what was paid for waits, is decided from once it can be
recorded, and is asked of nobody again; until then no loop begins.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.cli.learning import learner_of
from dnam.commands import table
from dnam.commands.command import Invocation
from dnam.consenting import consent
from dnam.driver import AT_ONCE, NotRecorded
from dnam.exchange import Exchanges
from dnam.metrics import Metrics
from dnam.model import Ask, ModelError, Reply
from dnam.observing import watch
from dnam.unwritten import Unwritten
from dnam.whereabouts import Heard
from projections.calls import calls
from projections.items import ITEMS
from projections.summaries import SUMMARIES
from replay.errors import LogFull
from tests.dnam.scripted import Script, ScriptedModel, talking

TEA = '{"upserts": [{"kind": "preference", "text": "User likes tea."}]}'
BY_HAND = {"summary_every_n_turns": "100", "durable_every_n_turns": "100"}
FULL = "the disk is full"
SPENT = Reply("", "scripted", "1", cost_micros=7)


class Filling(ScriptedModel):
    """A model whose replies find the log full, until there is room again."""

    patch: pytest.MonkeyPatch
    assistant: Assistant

    def fills(self, purpose: str, script: Script) -> None:
        """From when this is asked the log takes nothing."""

        def filling(ask: Ask) -> str:
            self.patch.setattr(self.assistant.memory.engine, "hand_in", refuse)
            said = script(ask)
            assert isinstance(said, str)
            return said

        self.scripts[purpose] = filling

    def room(self) -> None:
        """The log takes everything again."""
        self.patch.undo()
        self.scripts.clear()


def refuse(_: object) -> None:
    raise LogFull(FULL)


def filling(patch: pytest.MonkeyPatch) -> Filling:
    model = Filling()
    model.patch = patch
    return model


async def extract(assistant: Assistant, heard: Heard) -> bool:
    return bool(await assistant.extract(heard.person))


async def summarise(assistant: Assistant, heard: Heard) -> bool:
    return await assistant.summarise(heard.session, heard.setting.audience, heard.person)


async def bill(assistant: Assistant) -> list[tuple[str, int, bool]]:
    """Every call, what it cost, and whether it failed."""
    return await assistant.memory.look(
        lambda rows: [(each.work, each.cost_micros, each.failed) for each in calls(rows)]
    )


async def known(assistant: Assistant) -> list[str]:
    """All items and summaries."""
    return await assistant.memory.look(
        lambda rows: [
            *(found.row.item.text for found in rows.scan(ITEMS)),
            *(found.row.text for found in rows.scan(SUMMARIES)),
        ]
    )


@pytest.mark.parametrize(
    ("purpose", "work", "reply", "comes"),
    [
        ("extraction", extract, TEA, ["User likes tea."]),
        ("summary", summarise, "Ada likes tea.", ["Ada likes tea."]),
        ("summary", summarise, "long " * 500, ["They talked."]),
    ],
)
async def test_a_reply_waits_and_is_decided_from_and_asked_of_nobody_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    purpose: str,
    work: Callable[[Assistant, Heard], Awaitable[bool]],
    reply: str,
    comes: list[str],
) -> None:
    model, metrics = filling(monkeypatch), Metrics()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        heard = await assistant.memory.heard("ada", "I like tea")
        watch(metrics, assistant.memory, assistant.unwritten)
        model.fills(purpose, lambda _: reply)
        with pytest.raises(LogFull):
            await work(assistant, heard)
        assert str(assistant.unwritten) == "1 call"
        assert metrics.health.report().reasons == {"unwritten": f"1 call wait: {FULL}"}
        assert b"dnam_unwritten 1.0" in metrics.text()
        for other in (extract, summarise):
            with pytest.raises(NotRecorded, match=FULL):
                await other(assistant, heard)
        assert len(model.asks) == 1
        model.room()
        await work(assistant, heard)
        assert (len(assistant.unwritten), assistant.unwritten.lost.total) == (0, 0)
        assert await known(assistant) == comes
        assert await bill(assistant) == [(purpose, 0, False)] * len(model.asks)
        assert len(model.asks) == (2 if len(reply) > 2000 else 1)


async def test_what_a_failure_took_waits_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = filling(monkeypatch)

    def fails(_: Ask) -> str:
        raise ModelError("a refusal", spent=SPENT)

    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        heard = await assistant.memory.heard("ada", "I like tea")
        model.fills("extraction", fails)
        with pytest.raises(LogFull):
            await extract(assistant, heard)
        model.room()
        await assistant.recorded()
        assert await bill(assistant) == [("extraction", 7, True)]


async def test_it_stands_in_the_queue_of_whoever_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, unwritten = filling(monkeypatch), Unwritten()
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        Exchanges(assistant, unwritten)
        heard = await assistant.memory.heard("ada", "I like tea")
        model.fills("extraction", lambda _: TEA)
        with pytest.raises(LogFull):
            await extract(assistant, heard)
        assert str(unwritten) == "1 call"
        model.room()
        assert await unwritten.again()
        assert await known(assistant) == ["User likes tea."]


async def test_no_more_waits_than_talk_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = filling(monkeypatch)
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        everybody = [await assistant.memory.heard(f"p{n}", "I like tea") for n in range(AT_ONCE + 4)]
        model.fills("extraction", lambda _: TEA)
        await asyncio.gather(*(extract(assistant, heard) for heard in everybody), return_exceptions=True)
        assert len(assistant.unwritten) == len(model.asks) <= AT_ONCE


async def test_of_who_opts_out_meanwhile_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = filling(monkeypatch)
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        heard = await assistant.memory.heard("ada", "I like tea")
        model.fills("extraction", lambda _: TEA)
        with pytest.raises(LogFull):
            await extract(assistant, heard)
        model.room()
        assert await consent(assistant.memory, heard.person, out=True)
        await assistant.recorded()
        assert (len(assistant.unwritten), assistant.unwritten.lost.total) == (0, 0)
        assert (await known(assistant), await bill(assistant)) == ([], [])


async def test_who_asks_to_learn_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = filling(monkeypatch)
    async with talking(tmp_path, model, None, **BY_HAND) as assistant:
        model.assistant = assistant
        heard = await assistant.memory.heard("ada", "I like tea")
        model.fills("summary", lambda _: "They talked.")
        with pytest.raises(LogFull):
            await summarise(assistant, heard)
        call = table.read("!memory extract")
        assert call is not None
        reply = await table.run(assistant, Invocation(heard.setting, heard.session), call)
        assert (reply.text, reply.failed) == (NotRecorded.words, True)
        model.room()


@pytest.mark.parametrize("room", [True, False])
async def test_learning_by_itself_tries_once_more_at_its_end_and_says_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, room: bool
) -> None:
    async with talking(tmp_path, ScriptedModel(), None, **BY_HAND) as assistant:
        await assistant.memory.heard("ada", "I like tea")
        memory = assistant.memory

        async def learn() -> None:
            async with learner_of(memory, tmp_path, None, None) as learner:
                monkeypatch.setattr(memory.engine, "hand_in", refuse)
                try:
                    await learner.learn(lambda _, __: None)
                finally:
                    if room:
                        monkeypatch.undo()

        with pytest.raises(LogFull):
            await learn()
        monkeypatch.undo()
        said = capsys.readouterr().err
        assert (f"not recorded, and given up: 1 call; {FULL}" in said) is not room
        assert bool(await bill(assistant)) is room
