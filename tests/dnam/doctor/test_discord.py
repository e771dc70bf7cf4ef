"""The doctor and Discord: the real client against the loopback server, everything well and each thing that is not."""

from pathlib import Path

import pytest

from dnam.doctor import discord, log
from dnam.doctor.check import Look
from dnam.memory import Memory
from projections.decisions.snapshots import PostRequest, post_snapshot
from projections.ids import Ref
from tests.dnam.doctor.patients import at_discord, dated, looked, patient
from tests.dnam.scripted import FakeClock
from tests.loopback.discord import Intent, Permission, World
from tests.loopback.discord.permissions import BOT, Overwrite
from tests.world import NOW

OVER_REST: tuple[Look, ...] = (discord.token, discord.intents, discord.permissions)
NO_CONTENT = Intent.MEMBERS | Intent.PRESENCES


@pytest.mark.parametrize("look", [*OVER_REST, discord.allowed])
async def test_without_a_token_there_is_nothing_to_ask(look: Look, tmp_path: Path) -> None:
    assert (await looked(look, patient(tmp_path))).state == "skipped"


async def test_all_is_well(tmp_path: Path) -> None:
    async with World() as world:
        garden = world.guild("Garden")
        channel = garden.channel("memory")
        named = {"DNAM_MEMORY_CHANNEL_ID": str(channel.id), "DNAM_ALLOW_GUILDS": str(garden.id)}
        who = at_discord(world, tmp_path, DNAM_ALLOW_USERS="1,2", **named)
        found = {look.__name__: await looked(look, who) for look in (*OVER_REST, discord.allowed, discord.transparency)}
        assert not world.gateway.connected
    assert {each.state for each in found.values()} == {"well"}, found
    assert found["token"].what == f"the bot is {world.bot.wire()['username']} ({world.bot.id})"
    assert found["permissions"].what == "Garden: all that is needed in 1 channel that it sees"
    assert found["allowed"].what == "answered: 2 users, 1 guild"


async def test_a_token_that_is_not_accepted(tmp_path: Path) -> None:
    async with World() as world:
        who = at_discord(world, tmp_path, DISCORD_TOKEN="wrong.token.here", DNAM_MEMORY_CHANNEL_ID="1")
        found = await looked(discord.token, who)
        others = [await looked(look, who) for look in (discord.intents, discord.permissions, discord.transparency)]
    assert (found.state, found.what) == ("wrong", "Discord does not accept the token")
    assert "Reset Token" in found.do
    assert "wrong.token" not in str(found)
    assert {each.state for each in others} == {"skipped"}  # said once is enough


async def test_discord_is_not_to_be_reached(tmp_path: Path) -> None:
    async with World() as world:
        who = at_discord(world, tmp_path)
    found = await looked(discord.token, who)
    assert found.state == "wrong"
    assert "cannot be asked" in found.what
    assert "DISCORD_API_URL" in found.do
    assert (await looked(log.clock, who)).state == "well"


async def test_what_is_refused_after_the_login_is_its_own_check_s(tmp_path: Path) -> None:
    async with World() as world:
        guild = world.guild("Garden")
        world.fail("GET", f"/guilds/{guild.id}/channels", status=403)
        found = await looked(discord.permissions, at_discord(world, tmp_path))
    assert (found.state, found.what) == ("wrong", "Discord cannot be asked: status 403")


async def test_a_connection_that_breaks_is_told_like_none(tmp_path: Path) -> None:
    async with World() as world:
        world.cut("GET", "/users/@me", times=100)
        found = await looked(discord.token, at_discord(world, tmp_path))
    assert (found.state, found.what) == ("wrong", "Discord cannot be asked: Server disconnected")


async def test_the_intent_is_not_enabled(tmp_path: Path) -> None:
    async with World() as world:
        world.application.enabled = NO_CONTENT
        found = await looked(discord.intents, at_discord(world, tmp_path))
    assert found.state == "wrong"
    assert "enable Message Content Intent" in found.do


async def test_nobody_is_allowed(tmp_path: Path) -> None:
    found = await looked(discord.allowed, patient(tmp_path, DISCORD_TOKEN="some.token.here"))
    assert found.state == "wrong"
    assert "nobody is answered" in found.what
    assert "DNAM_ALLOW_USERS" in found.do


async def test_a_server_that_the_bot_is_not_in_is_named(tmp_path: Path) -> None:
    async with World() as world:
        garden = world.guild("Garden")
        named = {"DNAM_ALLOW_GUILDS": f"12345,{garden.id}"}
        found = await looked(discord.allowed, at_discord(world, tmp_path, **named))
        unasked = await looked(discord.allowed, at_discord(world, tmp_path, DISCORD_TOKEN="wrong.token.here", **named))
    there = f"it is in Garden ({garden.id})"
    assert (found.state, found.what) == (
        "doubt", f"the bot is in no server 12345, as DNAM_ALLOW_GUILDS names it; {there}"
    )  # fmt: skip
    assert unasked.state == "well", "the token's own check says what is wrong with it"


@pytest.mark.parametrize("is_elsewhere", [True, False])
async def test_servers_in_none_of_which_it_is_are_as_good_as_no_list(tmp_path: Path, is_elsewhere: bool) -> None:
    async with World() as world:
        if is_elsewhere:
            world.guild("Garden")
        found = await looked(discord.allowed, at_discord(world, tmp_path, DNAM_ALLOW_GUILDS="12345"))
        named = await looked(
            discord.allowed, at_discord(world, tmp_path, DNAM_ALLOW_GUILDS="12345", DNAM_ALLOW_USERS="1")
        )
    assert (found.state, found.what) == ("wrong", discord.NOWHERE)
    assert "DNAM_ALLOW_USERS" in found.do
    assert named.state == ("doubt" if is_elsewhere else "well")


async def test_what_the_bot_lacks_channel_by_channel(tmp_path: Path) -> None:
    async with World() as world:
        garden = world.guild("Garden")
        garden.channel("general")
        quiet = garden.channel("quiet")
        quiet.overwrites.append(denied(world, Permission.SEND_MESSAGES))
        garden.channel("hidden", hidden_from=[world.bot])
        world.guild("Harbour", bot=Permission.VIEW_CHANNEL).channel("pier")
        found = await discord.permissions(at_discord(world, tmp_path))
    assert [each.what for each in found if each.state == "wrong"] == [
        f"Garden, quiet ({quiet.id}): the bot lacks Send Messages"
    ]
    assert all(each.do for each in found)


def denied(world: World, permission: Permission) -> Overwrite:
    return Overwrite(world.bot.id, member=True, deny=permission)


async def test_many_channels_are_counted(tmp_path: Path) -> None:
    async with World() as world:
        garden = world.guild("Garden")
        for number in range(discord.MOST_CHANNELS + 3):
            quiet = garden.channel(f"quiet-{number}")
            quiet.overwrites.append(denied(world, Permission.READ_MESSAGE_HISTORY))
        found = await discord.permissions(at_discord(world, tmp_path))
    assert len(found) == discord.MOST_CHANNELS + 1
    assert found[-1].what == "and in 3 more channels"


async def test_a_bot_that_was_never_invited(tmp_path: Path) -> None:
    async with World() as world:
        world.guild("Garden", bot=None)
        found = await looked(discord.permissions, at_discord(world, tmp_path))
    assert (found.state, found.what) == ("doubt", "the bot is in no server")


class TestTransparency:
    async def test_none(self, tmp_path: Path) -> None:
        assert (await looked(discord.transparency, patient(tmp_path))).state == "skipped"

    async def test_a_channel_that_is_none(self, tmp_path: Path) -> None:
        async with World() as world:
            world.guild("Garden")
            found = await looked(discord.transparency, at_discord(world, tmp_path, DNAM_MEMORY_CHANNEL_ID="77"))
        assert (found.state, found.what) == ("wrong", "the bot does not see the channel 77")

    async def test_a_direct_message_is_no_channel_for_it(self, tmp_path: Path) -> None:
        async with World() as world:
            kim = world.person("Kim", world.guild("Garden"))
            who = at_discord(world, tmp_path, DNAM_MEMORY_CHANNEL_ID=str(kim.dm.id))
            found = await looked(discord.transparency, who)
        assert found.state == "wrong"

    async def test_a_bot_that_may_not_pin(self, tmp_path: Path) -> None:
        async with World() as world:
            channel = world.guild("Garden", bot=BOT & ~Permission.PIN_MESSAGES).channel("memory")
            who = at_discord(world, tmp_path, DNAM_MEMORY_CHANNEL_ID=str(channel.id))
            found = await looked(discord.transparency, who)
        assert found.state == "wrong"
        assert "the bot lacks Pin Messages" in found.what

    @pytest.mark.parametrize("denied_", [Permission.SEND_MESSAGES_IN_THREADS, Permission.SEND_MESSAGES, None])
    async def test_a_thread_is_one_as_its_channel_lets_it(self, tmp_path: Path, denied_: Permission | None) -> None:
        async with World() as world:
            garden = world.guild("Garden")
            kim, above = world.person("Kim", garden), garden.channel("general")
            thread = await kim.begins_thread(above, "memory")
            above.overwrites += [] if denied_ is None else [denied(world, denied_)]
            found = await looked(
                discord.transparency, at_discord(world, tmp_path, DNAM_MEMORY_CHANNEL_ID=str(thread.id))
            )
        lacks = denied_ == Permission.SEND_MESSAGES_IN_THREADS
        assert (found.state, "Send Messages in Threads" in found.what) == ("wrong" if lacks else "well", lacks)

    async def test_what_is_not_pinned(self, tmp_path: Path) -> None:
        async with World() as world:
            channel = world.guild("Garden").channel("memory")
            who = at_discord(world, tmp_path, DNAM_MEMORY_CHANNEL_ID=str(channel.id))
            await post(tmp_path, Ref("discord", str(channel.id)))
            found = await looked(discord.transparency, who)
        assert found.state == "doubt"
        assert "1 of its messages is not pinned" in found.what
        assert "Unpin" in found.do


async def post(data: Path, channel: Ref) -> None:
    """Kim's snapshot stands in a channel, unpinned."""
    async with Memory.open(data, clock=FakeClock()) as memory:
        heard = await memory.heard("100", "hello")
        request = PostRequest(
            heard.person, channel, Ref("discord", "5"), bytes(32), False, memory.now(), memory.origin()
        )
        await memory.record(lambda rows: post_snapshot(rows, request))


@pytest.mark.parametrize(
    ("seconds", "state", "words"),
    [
        (3_600, "wrong", "this clock is 1:00:00 ahead of Discord's"),
        (-60, "wrong", "this clock is 0:01:00 behind Discord's"),
        (4, "wrong", "this clock is 0:00:04 ahead of Discord's"),
        (-2, "wrong", "this clock is 0:00:02 behind Discord's"),
        (2, "well", "not off"),
        (-1, "well", "not off"),
    ],
)
async def test_a_clock_that_is_off(tmp_path: Path, seconds: int, state: str, words: str) -> None:
    async with dated("Tue, 14 Nov 2023 22:13:20 GMT") as url:
        who = patient(tmp_path, now=NOW + seconds * 1_000, DISCORD_TOKEN="some.token.here", DISCORD_API_URL=url)
        found = await looked(log.clock, who)
    assert found.state == state
    assert words in found.what


async def test_a_date_that_is_none_tells_nothing(tmp_path: Path) -> None:
    async with dated("sometime") as url:
        who = patient(tmp_path, DISCORD_TOKEN="some.token.here", DISCORD_API_URL=url)
        assert (await looked(log.clock, who)).state == "well"
