"""The menu of a message in a loopback Discord: *Remember this* and *Why did you say that?*."""

import re
from pathlib import Path

import pytest

from dnam.commands.keep import COMMAND
from dnam.commands.keep_others import OTHERS, OWN
from dnam.commands.why import NO_ANSWER
from tests.dnam.discord.ui.stage import scene_in
from tests.loopback.discord.permissions import Permission

REMEMBER, WHY = "Remember this", "Why did you say that?"


async def test_one_s_own_message_is_remembered_and_undone(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.general, "I like roses")
        await scene.idle()
        reply = await scene.replied(scene.kim.applies(REMEMBER, hello))
        assert reply.said.content.startswith(
            "Remembered: I like roses\nIt may be told wherever everyone in this server"
        )
        assert reply.only_for is scene.kim
        [item] = await scene.items(scene.kim)
        assert [(each.quote, bool(each.message)) for each in item.evidence] == [("I like roses", True)]
        await scene.pressed(scene.kim.clicks(reply, "Undo"), reply, "Undone `remember`: this is forgotten.")


async def test_somebody_else_s_message_is_not(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.staff, "I fear dogs")
        await scene.idle()
        scene.garden.permit(scene.staff, scene.ada, allow=Permission.VIEW_CHANNEL)
        await scene.idle()
        reply = await scene.replied(scene.ada.applies(REMEMBER, hello))
        assert reply.said.content == OTHERS


async def test_what_the_bot_said_itself_is_not(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.general, "what do you know?", mention=scene.world.bot)
        await scene.idle()
        (answer,) = scene.world.bot_messages(scene.general)
        reply = await scene.replied(scene.kim.applies(REMEMBER, answer))
        assert reply.said.content == f"T{OWN[1:]}."


async def test_where_all_can_read_somebody_else_s_message_becomes_lore(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.general, "I fear dogs")
        await scene.idle()
        reply = await scene.replied(scene.ada.applies(REMEMBER, hello))
        assert reply.said.content.startswith("Remembered: A member said: “I fear dogs”\nIt is lore of this server")
        assert await scene.held(scene.ada) == []
        await scene.pressed(scene.ada.clicks(reply, "Undo"), reply, "Undone `remember`: this is forgotten.")


@pytest.mark.parametrize("begins", ["", "<@{}> ", "  <@!{}>\n"])
async def test_a_typed_command_is_not_kept_whatever_name_stands_in_front_of_it(tmp_path: Path, begins: str) -> None:
    async with scene_in(tmp_path) as scene:
        typed = await scene.kim.says(scene.general, f"{begins.format(scene.world.bot.id)}!memory remember I own a boat")
        await scene.idle()
        assert await scene.held(scene.kim) == ["I own a boat"]
        for person in (scene.kim, scene.ada):
            assert (await scene.replied(person.applies(REMEMBER, typed))).said.content == COMMAND
        assert await scene.held(scene.kim) == ["I own a boat"]
        assert await scene.bot.desk.memory.nobodys(f"guild/discord:{scene.garden.id}") == []


@pytest.mark.parametrize("said", ["I like !memory remember", "<@{ada}> !memory show"])
async def test_what_holds_a_command_and_is_none_is_kept(tmp_path: Path, said: str) -> None:
    async with scene_in(tmp_path) as scene:
        message = await scene.kim.says(scene.general, said.format(ada=scene.ada.id))
        await scene.idle()
        await scene.replied(scene.kim.applies(REMEMBER, message))
        assert len(await scene.held(scene.kim)) == 1


async def test_what_is_nobody_s_is_taken_back_and_brought_back_by_who_may(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.general, "I fear dogs")
        await scene.idle()
        [item] = re.findall("durable-[0-9a-f]+", (await scene.replied(scene.ada.applies(REMEMBER, hello))).said.content)
        tobi = scene.world.person("Tobi", scene.garden)
        told = await scene.replied(tobi.uses(scene.general, "/memory forget what:I fear dogs"))
        assert told.said.content.startswith("No matching items found. That is lore of this server: ")
        gone = await scene.replied(scene.kim.uses(scene.general, "/memory forget what:I fear dogs"))
        assert gone.said.content.startswith(
            "This would be forgotten, 1 item(s):\n- [fact] A member said: “I fear dogs”"
        )
        await scene.pressed(scene.kim.clicks(gone, "Forget 1"), gone, "Forgot 1 item(s).")
        back = await scene.replied(scene.kim.uses(scene.general, "/memory restore"))
        await scene.pressed(
            scene.kim.selects(back, "A member said: “I fear dogs”"), back, "This would be remembered again"
        )
        await scene.pressed(scene.kim.clicks(back, "Restore 1"), back, "Restored 1 item(s).")
        choices = [each.value for each in await scene.kim.completes(scene.general, "/memory forget what:fear")]
        assert choices == [item]
        assert await tobi.completes(scene.general, "/memory forget what:fear") == []
        assert await scene.kim.completes(scene.general, "/memory edit id:fear") == []
        menu = await scene.replied(scene.kim.uses(scene.general, "/memory forget"))
        await scene.pressed(scene.kim.selects(menu, "A member said: “I fear dogs”"), menu, "This would be forgotten")
        nothing = await scene.replied(tobi.uses(scene.general, "/memory forget"))
        assert nothing.said.content == "No matching items found."


async def test_why_tells_what_stood_in_the_prompt_with_a_link_to_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.general, "I like roses")
        await scene.idle()
        await scene.replied(scene.kim.applies(REMEMBER, hello))
        await scene.kim.says(scene.general, "what do I like?", mention=scene.world.bot)
        await scene.world.until(lambda: scene.world.bot_messages(scene.general))
        await scene.idle()
        [answer] = [each for each in scene.world.bot_messages(scene.general) if each.only_for is None]
        reply = await scene.replied(scene.kim.applies(WHY, answer))
        assert reply.only_for is scene.kim
        assert "- **[fact] I like roses** `durable-" in reply.said.content
        link = f"https://discord.com/channels/{scene.garden.id}/{scene.general.id}/{hello.id}"
        assert f'"I like roses" {link}' in reply.said.content
        others = await scene.replied(scene.ada.applies(WHY, answer))
        assert "roses" not in others.said.content
        assert others.said.content.startswith("1 item(s) more that are not told here.")
        none = await scene.replied(scene.kim.applies(WHY, hello))
        assert none.said.content == NO_ANSWER


async def test_why_links_to_what_was_said_directly_where_it_is_asked_there(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        hello = await scene.kim.says(scene.kim.dm, "I like roses")
        await scene.idle()
        await scene.replied(scene.kim.applies(REMEMBER, hello))
        await scene.kim.says(scene.kim.dm, "what do I like?")
        await scene.idle()
        answer = scene.world.bot_messages(scene.kim.dm)[-1]
        reply = await scene.replied(scene.kim.applies(WHY, answer))
        link = f"https://discord.com/channels/@me/{scene.kim.dm.id}/{hello.id}"
        assert f'"I like roses" {link}' in reply.said.content
        [item] = await scene.items(scene.kim)
        await scene.kim.says(scene.kim.dm, f"!memory history {item.id}")
        await scene.idle()
        assert link in scene.world.bot_messages(scene.kim.dm)[-1].content
        elsewhere = await scene.replied(scene.kim.uses(scene.general, f"/memory history id:{item.id}"))
        assert "channels/@me" not in elsewhere.said.content
