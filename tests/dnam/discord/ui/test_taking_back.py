"""Taking a message back by its link, and erasing a server by a button, in Discord."""

from pathlib import Path

from dnam.commands.redact import NOT_YOURS
from tests.dnam.discord.stage import heard
from tests.dnam.discord.ui.stage import garden_in, scene_in
from tests.loopback.discord.menus import labels
from tests.loopback.discord.permissions import Permission


async def test_a_message_is_taken_back_by_its_link_and_stays_in_discord(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        message = await scene.kim.says(scene.general, "I grow pumpkins")
        await scene.ada.says(scene.general, "hello Kim")
        await scene.idle()
        link = f"/memory redact message:https://discord.com/channels/{scene.garden.id}/{scene.general.id}/{message.id}"
        assert (await scene.replied(scene.ada.uses(scene.general, link))).content == NOT_YOURS
        told = await scene.replied(scene.kim.uses(scene.general, link))
        assert told.content.startswith("Taken back: its words are gone here.")
        assert heard(scene.bot) == ["hello Kim"]
        assert message.id in scene.general.messages


async def test_what_somebody_else_said_is_taken_back_by_the_owner_once_they_confirm_it(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            owner = str(scene.ada.id)
        async with starting(tmp_path, owner_ids=owner) as scene:
            message = await scene.kim.says(scene.general, "I grow pumpkins")
            await scene.ada.says(scene.general, "hello Kim")
            await scene.idle()
            asked = await scene.replied(scene.ada.uses(scene.general, "/memory redact", message=str(message.id)))
            assert asked.content.startswith("This takes back a message of Kim's")
            assert heard(scene.bot) == ["I grow pumpkins", "hello Kim"]
            sure = scene.ada.uses(scene.general, "/memory redact", message=str(message.id), yes="yes")
            assert (await scene.replied(sure)).content.startswith("Taken back")
            assert heard(scene.bot) == ["hello Kim"]


async def test_a_server_is_erased_by_the_button_under_what_it_takes(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.general, "I grow pumpkins")
        await scene.ada.says(scene.ada.dm, "between us")
        await scene.idle()
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        message = await scene.replied(scene.ada.uses(scene.general, "/memory erase-guild"))
        assert labels(message) == ["Erase this server", "Cancel"]
        assert "1 message" in message.content
        await scene.pressed(scene.ada.clicks(message, "Erase this server"), message, "**Erased:** 1 message")
        assert heard(scene.bot) == ["between us"]
