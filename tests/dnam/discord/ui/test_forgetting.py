"""Erasing, opting out and exporting in a loopback Discord: a button confirms, a file goes to its person alone."""

import asyncio
import json
from pathlib import Path

import pytest

from dnam.adapters.discord.desk import NO_DIRECT
from dnam.adapters.discord.ui.asking import NOT_HERE, YOURS
from dnam.adapters.discord.ui.picking import UNCHANGED
from dnam.adapters.discord.ui.presses import NOT_YOURS, OUTDATED
from dnam.commands.consent import IN, OUT
from dnam.commands.export import NAME, SENT
from projections.events import PersonErased, PersonOptedOut
from replay.erasure import unfinished
from tests.dnam.discord.stage import events, heard
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.loopback.discord import Message
from tests.loopback.discord.menus import labels

ROSES = "I like roses"


async def erasing(scene: Scene) -> Message:
    await scene.kim.says(scene.general, "hello")
    await scene.ada.says(scene.general, "hello Kim")
    await scene.idle()
    await scene.remembers(scene.kim, ROSES)
    return await scene.replied(scene.kim.uses(scene.general, "/memory erase"))


async def finished(scene: Scene) -> None:
    finisher = scene.bot.desk.memory.engine.finisher
    assert finisher is not None
    await asyncio.to_thread(finisher.join)
    assert unfinished(scene.bot.desk.memory.engine) == []


async def test_a_button_confirms_it_and_the_receipt_takes_its_place(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        message = await erasing(scene)
        assert labels(message) == ["Erase everything", "Cancel"]
        assert "This cannot be undone." in message.said.content
        assert len(await scene.shown()) == 1
        assert events(scene.bot, PersonErased) == []
        receipt = await scene.pressed(scene.kim.clicks(message, "Erase everything"), message, "**Erased.**")
        assert "Discord: messages there stay" in receipt
        assert "roses" not in receipt
        assert message.said.components == []
        await finished(scene)
        assert heard(scene.bot) == ["hello Kim"]
        assert await scene.shown() == []  # their message in the transparency channel
        assert len(events(scene.bot, PersonErased)) == 1


async def test_what_it_says_fits_into_one_message(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.kim.dm, "hello")
        await scene.idle()
        message = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory erase"))
        assert "`/memory opt-out` keeps me" in message.said.content
        receipt = await scene.pressed(scene.kim.clicks(message, "Erase everything"), message, "**Erased.**")
        assert receipt.endswith("finished at my next start.")


async def test_cancelling_changes_nothing_and_nobody_else_may_press(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.kim.dm, "hello")
        await scene.idle()
        await scene.kim.says(scene.general, "!memory erase")
        await scene.idle()
        (typed,) = scene.world.bot_messages(scene.general)
        assert labels(typed) == ["Erase everything", "Cancel"]
        told = await scene.replied(scene.ada.clicks(typed, "Erase everything"))
        assert told.said.content == NOT_YOURS
        await scene.pressed(scene.kim.clicks(typed, "Cancel"), typed, UNCHANGED)
        assert events(scene.bot, PersonErased) == []


async def test_who_typed_it_in_a_channel_has_nothing_counted_there(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.general, "hello")
        await scene.idle()
        await scene.kim.says(scene.general, "!memory erase")
        await scene.idle()
        (typed,) = scene.world.bot_messages(scene.general)
        assert " key" not in typed.said.content.partition("What stays:")[0]
        receipt = await scene.pressed(scene.kim.clicks(typed, "Erase everything"), typed, "**Erased.**")
        assert "1 message" not in receipt
        assert "leave the disk in a bot's next night" in receipt
        alone = await erasing(scene)
        assert "under 2 keys" in alone.said.content or "under 1 key" in alone.said.content
        told = await scene.pressed(scene.kim.clicks(alone, "Erase everything"), alone, "**Erased.**")
        assert "1 message" in told


async def test_the_button_works_after_a_restart(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            message = await erasing(scene)
        async with starting(tmp_path) as scene:
            await scene.pressed(scene.kim.clicks(message, "Erase everything"), message, "**Erased.**")
            await finished(scene)
            assert heard(scene.bot) == ["hello Kim"]


async def test_a_button_of_an_older_program_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.adapters.discord.ui.shown.CONFIRMS", {"explode": "Erase everything"})
    monkeypatch.setattr("dnam.commands.erase.BUTTON", "explode")
    async with scene_in(tmp_path) as scene:
        message = await erasing(scene)
        await scene.pressed(scene.kim.clicks(message, "Erase everything"), message, OUTDATED)
        assert events(scene.bot, PersonErased) == []


async def test_the_file_goes_to_their_direct_messages_and_is_nothing_that_was_said(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            await scene.kim.says(scene.general, "hello")
            await scene.idle()
            told = await scene.replied(scene.kim.uses(scene.general, "/memory export"))
            assert told.said.content == SENT
            assert told.said.attachments in ((), [])
            (message,) = scene.world.bot_messages(scene.kim.dm)
            (file,) = message.said.attachments
            assert file.name == NAME
            assert [each["text"] for each in json.loads(file.content)["messages"]] == ["hello"]
            await scene.kim.says(scene.kim.dm, "thanks")
            await scene.idle()
        async with starting(tmp_path) as scene:  # what was said is read back
            assert "" not in heard(scene.bot)


async def test_typed_in_a_channel_the_file_goes_to_their_direct_messages_too(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.general, "!memory export")
        await scene.idle()
        assert [each.said.content for each in scene.world.bot_messages(scene.general)] == [SENT]
        assert len(scene.world.bot_messages(scene.kim.dm)) == 1


async def test_who_takes_no_direct_messages_is_told_so(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.world.state.users[scene.kim.id].takes_messages = False
        told = await scene.replied(scene.kim.uses(scene.general, "/memory export"))
        assert told.said.content == NO_DIRECT


async def test_who_opts_out_is_not_heard_and_their_message_is_taken_down(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await erasing(scene)
        assert len(await scene.shown()) == 1
        await scene.replied(scene.kim.uses(scene.general, "/memory opt-out"))
        await scene.kim.says(scene.general, "not for you")
        await scene.idle()
        assert heard(scene.bot) == ["hello", "hello Kim"]
        assert await scene.shown() == []
        assert len(events(scene.bot, PersonOptedOut)) == 1
        await scene.replied(scene.kim.uses(scene.general, "/memory opt-in"))
        await scene.kim.says(scene.general, "here I am again")
        await scene.idle()
        assert heard(scene.bot) == ["hello", "hello Kim", "here I am again"]


async def test_who_is_on_no_list_is_recorded_and_may_opt_out_export_and_erase_and_nobody_else_sees_it(
    tmp_path: Path,
) -> None:
    async with scene_in(tmp_path, allow_guilds="", allow_users="1") as scene:
        kim, general = scene.kim, scene.general
        await kim.says(general, "my dog is Rumpel")
        await scene.idle()
        said = [await scene.replied(kim.uses(general, f"/memory {each}")) for each in ("opt-out", "export", "erase")]
        assert [each.said.content.partition("\n")[0] for each in said[:2]] == [OUT, SENT]
        assert [each.only_for for each in said] == [kim] * 3
        await kim.says(general, "not for you")
        await scene.idle()
        assert heard(scene.bot) == ["my dog is Rumpel"]
        assert len(scene.world.bot_messages(kim.dm)) == 1  # the export
        await scene.pressed(kim.clicks(said[2], "Erase everything"), said[2], "**Erased.**")
        await finished(scene)
        assert heard(scene.bot) == []
        assert (await scene.replied(kim.uses(kim.dm, "/memory opt-in"))).said.content == IN
        assert (await scene.replied(kim.uses(general, "/memory show"))).said.content == f"{NOT_HERE} {YOURS}"
