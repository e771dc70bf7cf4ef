"""What is set up wrongly, so that the bot would be silent, is said when it starts, in the doctor's words."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from dnam.adapters.discord.cog import invitation
from dnam.adapters.discord.respond import MOST_SERVERS, strangers
from dnam.doctor.discord import allowed, transparency
from tests.dnam.discord.stage import bot_in, garden
from tests.dnam.discord.ui.stage import garden_in
from tests.dnam.doctor.patients import at_discord, looked
from tests.loopback.discord import Permission
from tests.loopback.discord.permissions import BOT


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    ours = (each for each in caplog.records if each.name.startswith("dnam"))
    return [each.getMessage() for each in ours if each.levelname == "WARNING"]


async def test_a_server_that_the_bot_is_not_in(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, allow_guilds=f"12345,{here.guild.id}"):
            pass
        found = await looked(allowed, at_discord(world, tmp_path, DNAM_ALLOW_GUILDS=f"12345,{here.guild.id}"))
        words = f"the bot is in no server 12345, as DNAM_ALLOW_GUILDS names it; it is in Garden ({here.guild.id})"
    assert (found.what, warned(caplog)) == (words, [f"discord: {words}"])


async def test_servers_that_it_is_in_are_no_strangers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with garden() as (world, _), bot_in(world, tmp_path):
        assert warned(caplog) == []


def test_many_servers_are_counted_and_none_is_told_elsewhere() -> None:
    assert strangers([5], {}) == ""
    assert strangers([5], dict.fromkeys(range(10, 13 + MOST_SERVERS), "")).endswith(f", {9 + MOST_SERVERS}, 3 more")


@pytest.mark.parametrize("how", ["unknown", "silent"])
async def test_a_transparency_channel_that_it_cannot_keep(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path / "before") as scene:
            scene.garden.permit(scene.wall, scene.world.bot, deny=Permission.SEND_MESSAGES)
            channel = str(scene.wall.id) if how == "silent" else "77"
            named = {"DNAM_MEMORY_CHANNEL_ID": channel}
            found = await looked(transparency, at_discord(scene.world, tmp_path / "data", **named))
        assert warned(caplog) == []
        async with starting(tmp_path / "data", memory_channel_id=channel):
            pass
    assert found.state == "wrong"
    assert warned(caplog) == [f"discord: transparency channel: {found.what}. {found.do}"]


async def test_a_channel_that_it_can_keep_is_not_talked_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with garden_in() as starting, starting(tmp_path, shows=True):
        assert warned(caplog) == []


def test_the_invitation_asks_for_what_the_bot_uses_and_no_more() -> None:
    asked = int(parse_qs(urlsplit(invitation(5)).query)["permissions"][0])
    names = {each.name for each in Permission if each & asked}
    assert names == {
        "VIEW_CHANNEL", "SEND_MESSAGES", "SEND_MESSAGES_IN_THREADS", "READ_MESSAGE_HISTORY", "PIN_MESSAGES"
    }  # fmt: skip
    assert asked & ~BOT == 0, "the tests' own bots may do no less and use no more"
