"""The loopback Discord's gateway, as the real discord.py sees it."""

import asyncio
from typing import Any

import aiohttp
import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.bots import Listener, intents, listening, raw
from tests.loopback.discord import Channel, Guild, Intent, Permission, Person, World, running
from tests.loopback.discord.wire import Snowflakes
from tests.world import NOW

IDENTIFY: dict[str, Any] = {"op": 2, "d": {"token": "", "intents": 513, "properties": {}}}


async def test_a_client_hears_what_is_said_edited_and_deleted(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        hello = await kim.says(general, "hello")
        await kim.says(kim.dm, "psst")
        await kim.edits(hello, "hello there")
        await kim.deletes(hello)
        await world.gateway.flushed()
        await world.until(lambda: client.deleted)
    assert client.heard == ["hello", "psst"]
    assert client.edited == ["hello there"]
    assert client.deleted == [hello.id]
    assert hello.history == ["hello"]


async def test_who_is_dropped_resumes_and_misses_nothing(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        await kim.says(general, "one")
        await world.gateway.flushed()
        await world.gateway.drop()
        await kim.says(general, "two")
        await kim.says(general, "three")
        await world.until(lambda: client.resumes)
        await kim.says(general, "four")
        await world.until(lambda: len(client.heard) == 4)
        await world.gateway.flushed()
    assert client.heard == ["one", "two", "three", "four"]
    assert [name for name, _ in world.gateway.received] == ["IDENTIFY", "RESUME"]


async def test_a_drop_can_tell_the_last_events_again(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        for each in ("one", "two", "three"):
            await kim.says(general, each)
        await world.gateway.flushed()
        await world.gateway.drop(again=2)
        await world.until(lambda: len(client.heard) == 5)
    assert client.heard == ["one", "two", "three", "two", "three"]


async def test_a_single_event_can_be_told_again(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        world.redeliver(await kim.says(general, "once"))
        await world.until(lambda: len(client.heard) == 2)
    assert client.heard == ["once", "once"]


@pytest.mark.parametrize("code", [None, 1001, 4000])
async def test_a_connection_can_end_with_and_without_a_word(
    world: World, general: Channel, kim: Person, code: int | None
) -> None:
    async with listening(world) as client:
        await world.gateway.drop(code)
        await world.until(lambda: client.resumes)
        await kim.says(general, "still there?")
        await world.until(lambda: client.heard)
    assert client.heard == ["still there?"]


async def test_who_is_asked_to_come_back_does(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        await world.gateway.reconnect()
        await world.until(lambda: client.resumes)
        await kim.says(general, "hello")
        await world.until(lambda: client.heard)
    assert client.heard == ["hello"]


async def test_who_loses_the_session_identifies_anew(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        await world.gateway.invalidate()
        await world.until(lambda: [name for name, _ in world.gateway.received] == ["IDENTIFY", "IDENTIFY"])
        await world.ready()
        await kim.says(general, "hello")
        await world.until(lambda: client.heard)
    assert client.heard == ["hello"]
    assert client.resumes == 0


async def test_what_is_held_back_arrives_later_and_rest_goes_on(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        with world.gateway.held():
            await kim.says(general, "hello")
            found = [each async for each in client.text(general.id).history()]
            assert client.heard == []
        await world.until(lambda: client.heard)
    assert [each.content for each in found] == ["hello"]


async def test_a_wrong_token_is_refused(world: World) -> None:
    with pytest.raises(discord.LoginFailure):
        async with running(Listener(world), world, token="not-the-token"):
            raise AssertionError
    async with raw(world) as client, client.socket() as socket:
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json(IDENTIFY)
        assert (await socket.receive()).data == 4004


async def test_intents_that_are_not_enabled_are_refused(world: World) -> None:
    world.application.enabled = Intent.MEMBERS
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with running(Listener(world), world):
            raise AssertionError


async def test_nothing_can_be_asked_before_identifying(world: World) -> None:
    async with raw(world) as client, client.socket() as socket:
        await socket.receive_json()
        await socket.send_json({"op": 8, "d": {"guild_id": "1"}})
        assert (await socket.receive()).data == 4003


async def test_heartbeats_are_answered(world: World) -> None:
    async with raw(world) as client, client.socket() as socket:
        assert (await socket.receive_json())["d"] == {"heartbeat_interval": 41250}
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11


async def test_a_heartbeat_is_answered_a_round_trip_later(world: World) -> None:
    here = asyncio.Event()

    async def round_trip() -> None:
        await here.wait()

    world.gateway.round_trip = round_trip
    async with raw(world) as client, client.socket() as socket:
        await socket.receive_json()
        await socket.send_json({"op": 1, "d": 7})
        await world.until(lambda: [each.acknowledged for each in world.gateway.connections] == [7])
        await world.gateway.reconnect()
        assert (await socket.receive_json())["op"] == 7
        here.set()
        assert (await socket.receive_json())["op"] == 11


async def test_a_session_that_nobody_knows_cannot_be_resumed(world: World) -> None:
    async with raw(world) as client, client.socket() as socket:
        await socket.receive_json()
        await socket.send_json({"op": 6, "d": {"token": world.token, "session_id": "none", "seq": 1}})
        assert await socket.receive_json() == {"op": 9, "d": False, "s": None, "t": None}


async def test_who_says_goodbye_has_no_session_any_more(world: World) -> None:
    async with raw(world) as client, client.socket() as socket:
        await socket.receive_json()
        await socket.send_json(IDENTIFY | {"d": IDENTIFY["d"] | {"token": world.token}})
        ready = await socket.receive_json()
        assert ready["t"] == "READY"
        assert list(world.gateway.sessions) == [ready["d"]["session_id"]]
        await socket.close(code=1000)
        await world.until(lambda: not world.gateway.sessions)
        assert socket.close_code == 1000


async def test_without_the_intent_words_come_only_when_one_is_meant(
    world: World, general: Channel, kim: Person
) -> None:
    async with listening(world, intents(content=False)) as client:
        await kim.says(general, "among us")
        await kim.says(general, "and you?", mention=world.bot)
        await kim.says(kim.dm, "psst")
        await world.until(lambda: len(client.heard) == 3)
    assert client.heard == ["", f"{world.bot.mention} and you?", "psst"]


async def test_nothing_is_told_of_what_one_does_not_see(world: World, garden: Guild, kim: Person) -> None:
    cellar = garden.channel("cellar", hidden_from=[world.bot])
    general = garden.channel("general")
    async with listening(world) as client:
        await kim.says(cellar, "a secret")
        secret = await kim.begins_thread(general, "ours", private=True)
        await kim.says(secret, "another")
        await kim.says(general, "for all")
        await world.until(lambda: client.heard)
        await world.gateway.flushed()
    assert client.heard == ["for all"]


async def test_who_is_added_to_a_private_thread_hears_it(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        thread = await kim.begins_thread(general, "ours", private=True, add=[world.bot])
        await kim.says(thread, "welcome")
        await world.until(lambda: client.heard)
        await world.gateway.flushed()
        found = client.get_channel(thread.id)
    assert client.heard == ["welcome"]
    assert isinstance(found, discord.Thread)
    assert found.is_private()


async def test_a_client_that_may_know_members_gets_them_all(world: World, garden: Guild, kim: Person) -> None:
    ada = world.person("Ada", garden)
    async with listening(world, intents(members=True)) as client:
        await client.wait_until_ready()
        found = client.get_guild(garden.id)
        assert found is not None
        assert {each.id for each in found.members} >= {kim.id, ada.id, world.bot.id}
        tobi = world.person("Tobi", garden)
        await world.gateway.flushed()
        assert found.get_member(tobi.id)
    assert "REQUEST_GUILD_MEMBERS" in [name for name, _ in world.gateway.received]


async def test_a_guild_and_its_channels_may_come_and_change_later(world: World, kim: Person) -> None:
    async with listening(world) as client:
        attic = world.guild("Attic", kim)
        boxes = attic.channel("boxes")
        await kim.says(boxes, "dusty")
        await world.until(lambda: client.heard)
        attic.permit(boxes, world.bot, deny=Permission.VIEW_CHANNEL)
        await kim.says(boxes, "alone at last")
        attic.remove(world.bot)
        await world.gateway.flushed()
        assert client.get_guild(attic.id) is None
    assert client.heard == ["dusty"]


async def test_typing_is_told_both_ways(world: World, general: Channel, kim: Person) -> None:
    async with listening(world) as client:
        waiting = client.wait_for("typing")
        await kim.starts_typing(general)
        _, who, _ = await waiting
        assert who.id == kim.id
        async with client.text(general.id).typing():
            await world.until(lambda: world.requests("POST", "/typing"))


async def test_a_frame_larger_than_others_arrives_whole(world: World, general: Channel, kim: Person) -> None:
    """The compressed stream is one for the whole connection."""
    async with listening(world) as client:
        said = ["x" * 2000, "é" * 1000, "short"]
        for each in said:
            await kim.says(general, each)
        await world.until(lambda: len(client.heard) == 3)
    assert client.heard == said


@given(st.lists(st.integers(1_500_000_000_000, 1_900_000_000_000), min_size=1, max_size=50))
def test_ids_never_repeat_and_never_go_back(times: list[int]) -> None:
    clock = iter(times)
    ids = Snowflakes(lambda: next(clock))
    made = [ids.next() for _ in times]
    assert made == sorted(set(made))
    assert round(discord.utils.snowflake_time(made[0]).timestamp() * 1000) == times[0]


async def test_ids_and_times_follow_the_injected_clock() -> None:
    async with World(lambda: 1_700_000_000_000) as world:
        garden = world.guild("Garden")
        hello = await world.person("Ada", garden).says(garden.channel("general"), "hello")
        assert hello.wire()["timestamp"] == "2023-11-14T22:13:20.000000+00:00"


async def test_a_client_that_connects_while_nobody_listens_gets_nothing_old(
    world: World, general: Channel, kim: Person
) -> None:
    await kim.says(general, "before")
    async with listening(world) as client:
        await world.gateway.flushed()
        assert client.heard == []


async def test_the_server_closes_what_is_still_open() -> None:
    async with World() as world:
        session = aiohttp.ClientSession()
        socket = await session.ws_connect(world.gateway_url)
        await socket.receive_json()
    assert (await socket.receive()).data == 1001
    await socket.close()
    await session.close()


# Shards


class Sharded(discord.AutoShardedClient):
    """It keeps what each of its shards is told."""

    def __init__(self, world: World) -> None:
        super().__init__(intents=intents(), guild_ready_timeout=0.01)
        self.world = world
        self.heard: list[tuple[int, str]] = []

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the five seconds between two shards."""

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append((0 if message.guild is None else message.guild.shard_id, message.content))
        self.world.changed()


async def test_each_shard_is_told_of_its_guilds_and_the_first_of_direct_messages() -> None:
    times = [NOW]
    async with World(lambda: times[-1]) as world:
        kim = world.person("Kim")
        guilds: dict[int, Guild] = {}
        for _ in range(2):
            times.append(times[-1] + 1)  # Discord deals guilds out by the millisecond in which they were made
            made = world.guild("Shed", kim)
            guilds[(made.id >> 22) % 2] = made
        await _told_by_shards(world, kim, [guilds[number].channel("general") for number in range(2)])


async def _told_by_shards(world: World, kim: Person, channels: list[Channel]) -> None:
    world.state.settings.shards = 2
    client = Sharded(world)
    async with running(client, world):
        await client.wait_until_ready()
        assert (client.shard_count, len(client.guilds)) == (2, len(world.state.guilds_of(world.bot)))
        for number, channel in enumerate(channels):
            await kim.says(channel, f"to shard {number}")
        await kim.says(kim.dm, "psst")
        await world.gateway.flushed()
        await world.until(lambda: len(client.heard) == 3)
    assert sorted(client.heard) == [(0, "psst"), (0, "to shard 0"), (1, "to shard 1")]
    asked = [data["shard"] for name, data in world.gateway.received if name == "IDENTIFY"]
    assert asked == [[0, 2], [1, 2]]


async def test_a_shard_that_there_is_not_is_refused(world: World) -> None:
    async with raw(world) as client, client.socket() as socket:
        await socket.receive_json()
        data = IDENTIFY["d"] | {"token": world.token, "shard": [2, 2]}
        await socket.send_json(IDENTIFY | {"d": data})
        await socket.receive()
        assert socket.close_code == 4010
