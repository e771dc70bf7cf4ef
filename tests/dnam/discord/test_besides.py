"""What people send besides words: forwards, stickers, polls, voice messages. It is heard, and is nobody's own words."""

import asyncio
from pathlib import Path

import pytest

from dnam.erasing.person import erase
from dnam.model import Ask
from projections.events import ExtractionAnswered, ItemUpserted, MessageHeard, TurnAnswered
from projections.people import person_of
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle, opt_out, shown
from tests.dnam.scripted import Calling, ScriptedModel
from tests.loopback.discord import Channel, Message, World

PLAN = "the plan is to plant roses on Friday"
WORDS = {
    "a sticker": "[attachment: sticker wave]",
    "a poll": "[attachment: poll: Which rose? (red, white)]",
    "a voice message": "[attachment: voice-message.ogg]",
    "a forward": f"[attachment: forwarded message: {PLAN}]",
}


async def sent(what: str, world: World, here: Garden, where: Channel) -> Message:
    kim = here.kim
    match what:
        case "a sticker":
            return await kim.sticks(where, "wave")
        case "a poll":
            return await kim.asks_all(where, "Which rose?", "red", "white")
        case "a voice message":
            return await kim.speaks(where)
        case _:
            attic = here.guild.channel("attic", hidden_from=[world.bot])
            return await kim.forwards(await here.ada.says(attic, PLAN), where)


@pytest.mark.parametrize("what", WORDS)
async def test_it_is_answered_in_direct_messages(tmp_path: Path, what: str) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await sent(what, world, here, here.kim.dm)
        await idle(world, bot)
        assert shown(world, here.kim.dm) == ["yes"]
        assert model.asks[-1].prompt.splitlines()[-1].strip() == WORDS[what]
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert message.message.medium == ("voice" if what == "a voice message" else "text")
        assert heard(bot) == [""]


@pytest.mark.parametrize("what", WORDS)
async def test_it_stands_in_the_window_of_what_is_asked_next(tmp_path: Path, what: str) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await sent(what, world, here, here.general)
        await idle(world, bot)
        assert shown(world, here.general) == []
        await here.kim.says(here.general, "what of that?", mention=world.bot)
        await idle(world, bot)
        assert f"[Kim]: {WORDS[what]}" in model.asks[-1].prompt


async def test_it_is_read_back(tmp_path: Path) -> None:
    async with garden() as (world, here):
        for what in WORDS:
            await sent(what, world, here, here.general)
        async with bot_in(world, tmp_path) as bot:
            names = [each.message.attachments[0].name for each in events(bot, MessageHeard)]
            assert names == ["sticker wave", "poll", "voice-message.ogg", "forwarded message"]


async def test_nothing_is_learned_from_what_somebody_forwards(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, durable_every_n_turns="2") as bot:
        await sent("a forward", world, here, here.kim.dm)
        await here.kim.says(here.kim.dm, "I like tulips")
        await idle(world, bot)
        assert len(events(bot, ExtractionAnswered)) == 1
        (asked,) = [each.prompt for each in model.asks if each.purpose == "extraction"]
        assert "tulips" in asked
        assert PLAN not in asked


async def test_an_answer_that_repeats_a_forward_goes_with_it(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": lambda _: f"I see: {PLAN}."})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        forward = await sent("a forward", world, here, here.general)
        await here.kim.says(here.general, "what of that?", mention=world.bot)
        await idle(world, bot)
        assert len(events(bot, TurnAnswered)) == 1
        await here.kim.deletes(forward)
        await idle(world, bot)
        assert events(bot, TurnAnswered) == []


async def test_what_somebody_said_who_opted_out_is_not_heard_as_a_forward(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        lounge, pit = here.guild.channel("lounge"), here.guild.channel("pit")
        async with bot_in(world, tmp_path, model) as bot:
            await here.ada.says(here.general, "hi")
            await idle(world, bot)
            await opt_out(bot, here.ada)
            for where in (here.general, lounge, pit):  # where it heard of others, and where of nobody
                await here.kim.forwards(await here.ada.says(where, PLAN), here.general)
            await idle(world, bot)
            await here.kim.says(here.general, "what of that?", mention=world.bot)
            await idle(world, bot)
            assert model.asks[-1].prompt.count("[Kim]: [attachment: forwarded message]") == 3
            assert PLAN not in model.asks[-1].prompt
            assert PLAN not in repr(events(bot, MessageHeard))


async def test_a_forward_goes_with_the_message_that_it_forwards(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        plans = [await here.ada.says(here.general, f"{PLAN} {n}") for n in range(3)]
        await idle(world, bot)
        for plan in plans:
            await here.kim.forwards(plan, here.general)
        await idle(world, bot)
        assert len(events(bot, MessageHeard)) == 6
        await here.ada.deletes(plans[0])
        await here.ada.edits(plans[1], "never mind")
        await idle(world, bot)
        await here.kim.says(here.general, "what of that?", mention=world.bot)
        await idle(world, bot)
        shown_again = [each for each in model.asks[-1].prompt.splitlines() if "forwarded" in each]
        assert shown_again == [f"[Kim]: [attachment: forwarded message: {PLAN} 2]"]


def holding(folder: Path, words: str) -> list[str]:
    """The files in a folder in which these words can be read."""
    return [each.name for each in folder.rglob("*") if each.is_file() and words.encode() in each.read_bytes()]


async def test_a_forward_goes_with_whoever_said_what_it_forwards(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        plan = await here.ada.says(here.general, PLAN)
        await here.kim.says(here.general, "hello")
        await idle(world, bot)
        await here.kim.forwards(plan, here.general)
        await idle(world, bot)
        memory = bot.desk.memory
        with memory.engine.reading() as rows:
            ada = person_of(rows, "discord", str(here.ada.id))
        assert ada is not None
        receipt = await erase(memory, ada.row.person)
        assert (receipt.taken.events["message.heard"], receipt.taken.shared) == (2, 1)
        memory.engine.commit_views()
        assert heard(bot) == ["hello"]
        assert PLAN not in repr(events(bot, MessageHeard))
        assert await asyncio.to_thread(holding, tmp_path, PLAN) == [], "nor do the views hold it"
        await here.kim.forwards(plan, here.general)
        await idle(world, bot)
        assert PLAN not in repr(events(bot, MessageHeard)), "nor is it heard when it is forwarded again"


async def test_nor_does_the_answering_model_note_it_down_as_theirs(tmp_path: Path) -> None:
    note = {"namespace": "me", "text": PLAN, "quote": PLAN}

    def noting(ask: Ask) -> str | Calling:
        return "Noted." if ask.rounds else Calling((("memory_write", note),))

    async with garden() as (world, here), bot_in(world, tmp_path, ScriptedModel({"answer": noting})) as bot:
        await sent("a forward", world, here, here.kim.dm)
        await idle(world, bot)
        assert shown(world, here.kim.dm) == ["Noted."]
        assert events(bot, ItemUpserted) == []
        await here.kim.says(here.kim.dm, PLAN)
        await idle(world, bot)
        assert len(events(bot, ItemUpserted)) == 1, "what they say themselves is"
