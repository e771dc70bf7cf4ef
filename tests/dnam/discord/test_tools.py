"""An answer in Discord for which the model calls a tool: what is seen is what it says in the end, in one message."""

import asyncio
from pathlib import Path

from dnam.adapters.discord.appearing import UNFINISHED
from dnam.model import Ask, Hear, Reply, ToolCall, unheard
from projections.events import Event, ItemUpserted, ToolCalled, TurnAnswered
from projections.ids import Ref
from tests.dnam.discord.stage import Edits, bot_in, events, garden, idle, shown
from tests.dnam.scripted import ScriptedModel

NOTE = '{"namespace": "me", "text": "my roses are red", "quote": "my roses are red"}'


class Noting(ScriptedModel):
    """A model that says something, notes something down, and once it is let go says something else."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        if not ask.rounds:
            hear("Let me note that down")
            call = ToolCall("1", "memory_write", NOTE)
            return Reply("Let me note that down", self.name, self.version, tokens_in=3, calls=(call,))
        await self.go.wait()
        hear("Red.")
        return Reply("Red.", self.name, self.version, tokens_in=4)


async def test_what_was_said_before_a_call_gives_way_to_the_answer(tmp_path: Path) -> None:
    model = Noting()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        asked = await here.kim.says(here.general, "remember that my roses are red", mention=world.bot)
        await world.until(
            lambda: shown(world, here.general) == [f"Let me note that down{UNFINISHED}"], "the first words"
        )
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == ["Red."]
        (call,) = events(bot, ToolCalled)
        (item,) = events(bot, ItemUpserted)
        (turn,) = events(bot, TurnAnswered)
        assert isinstance(call, ToolCalled)
        assert isinstance(item, ItemUpserted)
        assert isinstance(turn, TurnAnswered)
        assert (call.outcome, call.place, call.guild) == (
            "written", Ref("discord", str(here.general.id)), Ref("discord", str(here.guild.id)),
        )  # fmt: skip
        assert item.item.source.message == Ref("discord", str(asked.id))
        assert (turn.text, turn.call.tokens_in) == ("Red.", 7)


async def test_a_question_that_is_deleted_meanwhile_takes_the_note_along(tmp_path: Path) -> None:
    model = Noting()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        asked = await here.kim.says(here.general, "remember that my roses are red", mention=world.bot)
        await world.until(
            lambda: shown(world, here.general) == [f"Let me note that down{UNFINISHED}"], "the first words"
        )
        await here.kim.deletes(asked)
        await idle(world, bot)
        assert events(bot, ToolCalled, ItemUpserted, TurnAnswered) == []
        assert "roses" not in repr(events(bot, Event))
