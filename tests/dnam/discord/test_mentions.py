"""Whom somebody mentions in what they ask to keep is not kept with it: no erasure of theirs would reach it."""

import asyncio
from pathlib import Path

from dnam.adapters.discord.translate import Where, addressed_words, spelled
from dnam.adapters.discord.ui.pointing import pointed_at
from dnam.unnamed import NOTE
from projections.events import ItemEvent, MessageHeard
from replay.erasure import erase
from tests.dnam.discord.made import ADA, BOT, KIM, OWN, ROBO, message
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.dnam.discord.ui.stage import scene_in
from tests.dnam.scripted import ScriptedModel


async def test_a_typed_command_keeps_no_id(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.ada.says(here.general, "hi")
        await here.kim.says(here.general, f"!memory remember <@{here.ada.id}> gets a bicycle of <@{here.kim.id}>")
        await idle(world, bot)
        (reply,) = shown(world, here.general)
        assert reply.startswith("Remembered: someone gets a bicycle of Kim\n")
        assert reply.endswith(f"\n{NOTE}")
        await here.kim.says(here.general, "bicycle?", mention=world.bot)
        await here.kim.says(here.general, f"!memory forget <@{here.ada.id}> gets a bicycle of <@{here.kim.id}>")
        await idle(world, bot)
        prompt = model.asked("answer")[-1].prompt
        assert "someone gets a bicycle of Kim" in prompt
        assert str(here.ada.id) not in prompt
        assert "Forgot 1 item(s)." in shown(world, here.general)[-1]
        assert str(here.ada.id) not in repr(events(bot, ItemEvent))


async def test_nothing_of_the_erased_is_left_in_what_others_asked_to_keep(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        ada = f"<@{scene.ada.id}>"
        await scene.ada.says(scene.general, "hi")
        hello = await scene.kim.says(scene.general, f"{ada} hates the peas of <@{scene.kim.id}>")
        await scene.idle()
        reply = await scene.replied(scene.kim.applies("Remember this", hello))
        assert reply.said.content.startswith("Remembered: someone hates the peas of @Kim\n")
        assert reply.said.content.endswith(f"\n{NOTE}")
        await scene.remembers(scene.kim, f"{ada} gets a bicycle", "roses")
        roses = next(each.id for each in await scene.items(scene.kim) if each.text == "roses")
        edited = await scene.replied(scene.kim.uses(scene.general, f"/memory edit id:{roses} text:roses for {ada}"))
        assert edited.said.content.startswith("Edited: roses for someone\n")
        assert edited.said.content.endswith(f"\n{NOTE}")
        kept = repr(events(scene.bot, ItemEvent))
        assert str(scene.ada.id) not in kept
        assert "Ada" not in kept
        await asyncio.to_thread(erase, scene.bot.desk.memory.engine, await scene.handle(scene.ada))
        assert await scene.held(scene.kim) == [
            "roses for someone",
            "someone gets a bicycle",
            "someone hates the peas of @Kim",
        ]


def test_what_stands_for_who_types_bots_roles_channels_and_emoji_is_spelled() -> None:
    typed = f"<@{OWN}> !memory remember <@1>, <@2> and <@!3> of <@&51> meet in <#10> <:rose:77>, not in <#404>"
    said = message(typed, mentions=[KIM, ADA, ROBO, BOT])
    words = "Kim, <@2> and @robo of @gardeners meet in #channel-10 :rose:, not in <#404>"
    assert addressed_words(said, OWN) == f"!memory remember {words}"
    pointed = pointed_at(said, said.author, OWN)
    assert (pointed.text, pointed.is_command) == (f"@marcy !memory remember {words}", True)
    assert spelled("<@1> and <@3>", said.author, Where()) == "Kim and <@3>"


async def test_what_is_kept_where_all_can_read_names_no_channel_that_some_cannot_see(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        layoffs = scene.garden.channel("layoffs-in-march", only_for=[scene.kim, scene.world.bot])
        words = f"the list is in <#{layoffs.id}>, not in <#{scene.general.id}>"
        hello = await scene.kim.says(scene.general, words)
        await scene.idle()
        await scene.replied(scene.kim.applies("Remember this", hello))
        await scene.remembers(scene.kim, f"mind <#{layoffs.id}>")
        assert await scene.held(scene.kim) == ["mind a channel", "the list is in a channel, not in #general"]
        assert "layoffs-in-march" not in repr(events(scene.bot, ItemEvent, MessageHeard))


async def test_without_a_mention_nothing_is_said_of_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.general, "I like roses")
        await scene.idle()
        reply = await scene.replied(scene.kim.applies("Remember this", hello))
        assert NOTE not in reply.said.content
