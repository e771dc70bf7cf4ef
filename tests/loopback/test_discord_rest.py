"""The loopback Discord's REST side, as the real discord.py sees it; and where that cannot go, by bare requests."""

import asyncio
import io
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial
from inspect import isawaitable
from pathlib import Path

import aiohttp
import discord
import pytest

from tests.loopback.bots import Listener, intents, listening, raw
from tests.loopback.discord import Channel, ChannelKind, Guild, Intent, Permission, Person, User, Violation, World
from tests.loopback.discord.description import check_object, check_response, routes
from tests.loopback.discord.guilds import Member, Role
from tests.loopback.discord.limits import ANY
from tests.loopback.discord.routes import TABLE
from tests.loopback.discord.threads import archive

MESSAGES = "/channels/*/messages"
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def client(world: World, general: Channel, kim: Person) -> AsyncIterator[Listener]:
    """Connected once there is somewhere to talk."""
    async with listening(world) as client:
        yield client


async def test_the_bot_writes_edits_and_deletes(client: Listener, world: World, general: Channel) -> None:
    said = await client.text(general.id).send("hello")
    await said.edit(content="hello there")
    assert [each.content for each in world.bot_messages(general)] == ["hello there"]
    await said.delete()
    assert world.bot_messages(general) == []


async def test_the_bot_answers_a_message_and_mentions_only_whom_it_may(
    client: Listener, world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    gardeners = garden.role("gardeners", Permission.VIEW_CHANNEL, kim)
    words = f"@everyone {kim.mention} {gardeners.mention}"
    hello = await kim.says(general, "hello")
    await world.gateway.flushed()
    heard = await client.text(general.id).fetch_message(hello.id)
    humble = await heard.reply(words)
    assert (humble.mention_everyone, humble.role_mentions) == (False, [])
    garden.permit(general, world.bot, allow=Permission.MENTION_EVERYONE)
    quiet = await heard.reply(words, allowed_mentions=discord.AllowedMentions.none())
    loud = await heard.reply(words)
    _, second, third = world.bot_messages(general)
    assert (second.reference, second.said.mentions) == (hello, [])
    assert (third.reference, third.said.mentions) == (hello, [kim])
    assert (quiet.mention_everyone, quiet.role_mentions) == (False, [])
    assert (loud.mention_everyone, [each.id for each in loud.role_mentions]) == (True, [gardeners.id])
    assert [each.id for each in loud.mentions] == [kim.id]


async def test_a_role_that_anybody_may_call_is_called_by_the_bot_and_by_people(
    client: Listener, world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    gardeners = garden.role("gardeners", Permission.VIEW_CHANNEL, kim)
    gardeners.mentionable = True
    await world.gateway.flushed()
    said = await client.text(general.id).send(f"rain {gardeners.mention}")
    assert [each.id for each in said.role_mentions] == [gardeners.id]
    said = await said.edit(content=f"no rain {gardeners.mention}", allowed_mentions=discord.AllowedMentions.none())
    assert said.role_mentions == []
    own = await kim.says(general, f"sun {gardeners.mention}")
    assert list(own.said.mention_roles) == [gardeners.id]
    await kim.edits(own, "sun")
    assert list(own.said.mention_roles) == []


async def test_an_answer_to_a_message_that_is_gone_is_refused(
    client: Listener, general: Channel, kim: Person, world: World
) -> None:
    hello = await kim.says(general, "hello")
    await world.gateway.flushed()
    heard = await client.text(general.id).fetch_message(hello.id)
    await kim.deletes(hello)
    with pytest.raises(discord.HTTPException, match="Unknown message") as raised:
        await heard.reply("too late")
    assert raised.value.code == 50035


async def test_more_than_two_thousand_characters_are_refused(client: Listener, general: Channel) -> None:
    with pytest.raises(discord.HTTPException, match="2000 or fewer") as raised:
        await client.text(general.id).send("x" * 2001)
    assert raised.value.code == 50035
    with pytest.raises(discord.HTTPException) as raised:
        await client.text(general.id).send("")
    assert raised.value.code == 50006


async def test_the_same_nonce_says_it_once(client: Listener, world: World, general: Channel) -> None:
    world.fail("POST", MESSAGES, 503, after=True)
    with pytest.raises(discord.DiscordServerError):
        await client.text(general.id).send("hello", nonce="n1")
    again = await client.text(general.id).send("hello", nonce="n1")
    assert [each.id for each in world.bot_messages(general)] == [again.id]


async def test_the_past_is_read_back_in_parts(client: Listener, general: Channel, kim: Person) -> None:
    said = [await kim.says(general, str(n)) for n in range(10)]
    channel = client.text(general.id)
    middle = discord.Object(said[5].id)
    assert [each.content async for each in channel.history(limit=3)] == ["9", "8", "7"]
    assert [each.content async for each in channel.history(limit=3, before=middle)] == ["4", "3", "2"]
    assert [each.content async for each in channel.history(limit=3, after=middle)] == ["6", "7", "8"]
    assert [each.content async for each in channel.history(limit=3, around=middle)] == ["6", "5", "4"]
    assert len([each async for each in channel.history(limit=None)]) == 10


async def test_files_go_both_ways(client: Listener, world: World, general: Channel, kim: Person) -> None:
    await kim.says(general, "look", files=[("notes.txt", b"tea at four")])
    heard = await anext(client.text(general.id).history(limit=1))
    assert await heard.attachments[0].read() == b"tea at four"
    sent = await heard.reply("thanks", file=discord.File(io.BytesIO(b"copy"), "copy.txt"))
    assert [each.name for each in world.bot_messages(general)[0].said.attachments] == ["copy.txt"]
    assert await sent.attachments[0].read() == b"copy"


async def test_an_edited_answer_still_means_whom_it_answers(
    client: Listener, world: World, general: Channel, kim: Person
) -> None:
    said = await client.text(general.id).send("hello")
    answer = await kim.replies(world.bot_messages(general)[0], "hi")
    await kim.edits(answer, "hi there")
    await world.until(lambda: client.edited)
    heard = await client.text(general.id).fetch_message(answer.id)
    assert [each.id for each in heard.mentions] == [world.bot.id]
    assert heard.reference is not None
    assert heard.reference.message_id == said.id


async def test_who_pins_is_named_in_the_channel(client: Listener, world: World, general: Channel, kim: Person) -> None:
    hello = await kim.says(general, "hello")
    with pytest.raises(AssertionError, match="may not pin"):
        await kim.pins(hello)
    await (await client.text(general.id).fetch_message(hello.id)).pin()
    line = await anext(client.text(general.id).history(limit=1))
    assert (line.type, line.author.id) == (discord.MessageType.pins_add, world.bot.id)


async def test_many_are_deleted_at_once(
    client: Listener, world: World, garden: Guild, general: Channel, kim: Person
) -> None:
    garden.permit(general, world.bot, allow=Permission.MANAGE_MESSAGES)
    said = [await kim.says(general, str(n)) for n in range(3)]
    await client.text(general.id).delete_messages([discord.Object(each.id) for each in said[:2]])
    assert [each.content for each in world.messages(general)] == ["2"]


async def test_pins_hold_to_their_limit(client: Listener, world: World, general: Channel) -> None:
    world.state.settings.pin_limit = 1
    first, second = [await client.text(general.id).send(each) for each in ("one", "two")]
    await first.pin()
    assert [each.content async for each in client.text(general.id).pins()] == ["one"]
    with pytest.raises(discord.HTTPException) as raised:
        await second.pin()
    assert raised.value.code == 30003
    await first.unpin()
    await second.pin()
    async with raw(world) as asked:
        old = await asked.ask("GET", f"/channels/{general.id}/pins")
    assert [each["content"] for each in old[1]] == ["two"]


@pytest.mark.parametrize(
    ("lacking", "code"),
    [
        (Permission.VIEW_CHANNEL, 50001),
        (Permission.SEND_MESSAGES, 50013),
    ],
)
async def test_who_may_not_speak_is_refused(
    client: Listener, garden: Guild, general: Channel, world: World, lacking: Permission, code: int
) -> None:
    garden.permit(general, world.bot, deny=lacking)
    with pytest.raises(discord.Forbidden) as raised:
        await client.text(general.id).send("hello")
    assert raised.value.code == code


async def test_a_pin_needs_more_than_managing_messages(client: Listener, garden: Guild, general: Channel) -> None:
    said = await client.text(general.id).send("hello")
    garden.permit(general, garden.state.bot, deny=Permission.PIN_MESSAGES)
    with pytest.raises(discord.Forbidden) as raised:
        await said.pin()
    assert raised.value.code == 50013


async def test_without_managing_messages_others_words_stay(
    client: Listener, garden: Guild, general: Channel, kim: Person, world: World
) -> None:
    hello = await kim.says(general, "hello")
    heard = await client.text(general.id).fetch_message(hello.id)
    with pytest.raises(discord.Forbidden) as raised:
        await heard.edit(content="I said so")
    assert raised.value.code == 50005
    garden.permit(general, world.bot, deny=Permission.MANAGE_MESSAGES)
    with pytest.raises(discord.Forbidden) as raised:
        await heard.delete()
    assert raised.value.code == 50013


async def test_a_role_grants_and_an_administrator_may_everything(
    client: Listener, garden: Guild, general: Channel, world: World, kim: Person
) -> None:
    garden.permit(general, kim, deny=Permission.SEND_MESSAGES)
    with pytest.raises(AssertionError, match="cannot write"):
        await kim.says(general, "hello")
    garden.role("admin", Permission.ADMINISTRATOR, kim)
    await kim.says(general, "hello")
    assert general.allowed(kim) & Permission.MANAGE_GUILD


async def test_who_takes_no_messages_gets_none(client: Listener, kim: Person, world: World) -> None:
    user = await client.fetch_user(kim.id)
    await user.send("hello")
    kim.takes_messages = False
    with pytest.raises(discord.Forbidden) as raised:
        await user.send("hello?")
    assert raised.value.code == 50007
    assert [each.content for each in world.bot_messages(kim.dm)] == ["hello"]


async def test_without_the_intent_the_past_has_no_words(
    client: Listener, world: World, general: Channel, kim: Person
) -> None:
    world.application.enabled = Intent.MEMBERS
    await kim.says(general, "among us")
    await kim.says(general, "and you", mention=world.bot)
    found = [each.content async for each in client.text(general.id).history()]
    assert found == [f"{world.bot.mention} and you", ""]


async def test_the_bot_begins_threads_and_talks_in_them(client: Listener, world: World, general: Channel) -> None:
    at = await client.text(general.id).send("a plan")
    thread = await at.create_thread(name="the plan")
    await thread.send("step one")
    assert thread.id == at.id
    assert [each.content for each in world.messages(world.state.channels[thread.id])] == ["", "step one"]
    await thread.edit(archived=True)
    assert [each.id async for each in client.text(general.id).archived_threads()] == [thread.id]


async def test_archived_threads_come_page_by_page_what_was_archived_last_first(
    world: World, general: Channel, kim: Person
) -> None:
    threads = [await kim.begins_thread(general, each) for each in ("a", "b", "c", "d")]
    for at, each in enumerate(threads):
        each.archived, each.archived_at = True, f"2026-01-01T00:00:0{at}+00:00"
    threads[-1].gone = True
    path = f"/channels/{general.id}/threads/archived/public"
    async with raw(world) as asked:
        _, first, _ = await asked.ask("GET", path, query={"limit": "2"})
        before = first["threads"][-1]["thread_metadata"]["archive_timestamp"]
        _, rest, _ = await asked.ask("GET", path, query={"before": before})
    assert [each["name"] for each in (*first["threads"], *rest["threads"])] == ["c", "b", "a"]
    assert (first["has_more"], rest["has_more"]) == (True, False)


async def test_what_is_written_in_an_archived_thread_opens_it_and_that_is_told_first(
    client: Listener, world: World, general: Channel, kim: Person
) -> None:
    thread = await kim.begins_thread(general, "tulips")
    archive(world.state, thread)
    await kim.says(thread, "still here?")
    await world.gateway.flushed()
    assert [each.name for each in world.gateway.events][-2:] == ["THREAD_UPDATE", "MESSAGE_CREATE"]
    assert (thread.archived, client.get_channel(thread.id) is not None) == (False, True)


async def test_a_forum_takes_threads_and_no_messages(world: World, garden: Guild, general: Channel) -> None:
    forum = garden.channel("ideas", ChannelKind.FORUM)
    async with listening(world) as client, raw(world) as asked:
        found = client.get_channel(forum.id)
        assert isinstance(found, discord.ForumChannel)
        made = await found.create_thread(name="tea", content="more of it")
        assert [each.content for each in world.bot_messages(world.state.channels[made.thread.id])] == ["more of it"]
        status, body, _ = await asked.ask("POST", f"/channels/{forum.id}/messages", {"content": "hello"})
    assert (status, body["code"]) == (400, 50035)


async def test_the_application_has_an_owner_or_a_team(world: World, kim: Person) -> None:
    ada = world.person("Ada")
    async with listening(world) as client:
        assert (await client.application_info()).owner.id == world.application.owner.id
        world.application.team = [kim, ada]
        team = (await client.application_info()).team
    assert team is not None
    assert [each.id for each in team.members] == [kim.id, ada.id]
    assert team.owner_id == kim.id


async def test_where_the_gateway_is_can_be_asked(world: World) -> None:
    async with raw(world) as asked:
        assert (await asked.ask("GET", "/gateway/bot"))[1]["url"] == world.gateway_url
        assert (await asked.ask("GET", "/users/@me", token="wrong"))[0] == 401


async def test_the_guild_s_things_can_be_asked(world: World, garden: Guild, general: Channel, kim: Person) -> None:
    hidden = garden.channel("cellar", hidden_from=[world.bot])
    thread = await kim.begins_thread(general, "plan")
    async with listening(world, intents(members=True)) as client:
        guild = await client.fetch_guild(garden.id)
        assert [each.id for each in await guild.fetch_channels()] == [general.id, hidden.id]
        assert (await guild.fetch_member(kim.id)).name == "kim"
        assert {each.id async for each in guild.fetch_members(limit=None)} == set(garden.members)
        assert [each.name for each in await guild.fetch_roles()] == ["@everyone", world.bot.name]
        assert [each.id for each in await guild.active_threads()] == [thread.id]
        assert [each.id async for each in client.fetch_guilds()] == [garden.id]
        with pytest.raises(discord.Forbidden):
            await client.fetch_channel(hidden.id)
        with pytest.raises(discord.NotFound):
            await client.fetch_user(12345)


# Trouble


@pytest.mark.parametrize("everywhere", [False, True])
async def test_who_is_limited_waits_and_says_it_once(
    client: Listener, world: World, general: Channel, everywhere: bool
) -> None:
    limited = world.limit("POST", MESSAGES, 0.001, times=2, everywhere=everywhere)
    await client.text(general.id).send("hello")
    assert [each.status for each in world.requests("POST", "/messages")] == [429, 429, 200]
    assert limited.met == 2
    assert len(world.bot_messages(general)) == 1


async def test_a_full_bucket_is_told_and_holds(world: World, general: Channel) -> None:
    world.rate("GET", MESSAGES, limit=2, seconds=60)
    async with raw(world) as asked:
        answers = [await asked.ask("GET", f"/channels/{general.id}/messages") for _ in range(3)]
    assert [status for status, _, _ in answers] == [200, 200, 429]
    assert [headers["X-RateLimit-Remaining"] for _, _, headers in answers] == ["1", "0", "0"]
    assert answers[2][1]["retry_after"] > 1
    assert answers[0][2]["X-RateLimit-Bucket"] == answers[2][2]["X-RateLimit-Bucket"]


async def test_a_bucket_fills_again_and_everything_is_sent(client: Listener, world: World, general: Channel) -> None:
    world.rate("POST", MESSAGES, limit=1, seconds=0.01)
    for each in ("one", "two", "three"):
        await client.text(general.id).send(each)
    assert [each.content for each in world.bot_messages(general)] == ["one", "two", "three"]


async def test_errors_come_on_demand(world: World, general: Channel) -> None:
    world.fail("POST", MESSAGES, 500, times=2)
    world.fail("POST", "/channels/{channel_id}/messages", 502, after=True)
    async with raw(world) as asked:
        statuses = [(await asked.ask("POST", f"/channels/{general.id}/messages", {"content": n}))[0] for n in "abcd"]
    assert statuses == [500, 500, 502, 200]
    assert [each.content for each in world.bot_messages(general)] == ["c", "d"]


async def test_half_an_answer_and_none(client: Listener, world: World, general: Channel) -> None:
    world.garble("POST", MESSAGES)
    with pytest.raises(json.JSONDecodeError):
        await client.text(general.id).send("one")
    world.cut("POST", MESSAGES, after=True)
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await client.text(general.id).send("two")
    assert [each.content for each in world.bot_messages(general)] == ["two"]


async def test_a_slow_answer_comes_when_the_test_says_so(client: Listener, world: World, general: Channel) -> None:
    slow = world.slow("POST", MESSAGES)
    sending = asyncio.create_task(client.text(general.id).send("hello"))
    await world.until(lambda: slow.met)
    assert world.bot_messages(general) == []
    slow.open()
    await sending
    assert len(world.bot_messages(general)) == 1


async def test_what_is_slow_is_told_by_what_it_says_however_it_is_said(
    client: Listener, world: World, general: Channel
) -> None:
    slow = world.slow(ANY, f"{MESSAGES}*", asks=lambda body: body.get("content") == "whole")
    said = await client.text(general.id).send("a part")
    editing = asyncio.create_task(said.edit(content="whole"))
    await world.until(lambda: slow.met)
    assert [each.content for each in world.bot_messages(general)] == ["a part"]
    slow.open()
    await editing
    assert [each.content for each in world.bot_messages(general)] == ["whole"]


# What Discord describes


def test_every_route_that_is_described_is_answered_and_no_other() -> None:
    assert {each.name for each in TABLE} == routes()


async def asked_wrongly(method: str, path: str, body: object = None, query: dict[str, str] | None = None) -> None:
    """A request in a world of its own, in which channel 0 is #general; then a wait for what never comes."""
    async with World() as world, raw(world) as asked:
        channel = world.guild("Garden").channel("general")
        status, _, _ = await asked.ask(method, path.replace("/0/", f"/{channel.id}/"), body, query=query)
        assert status >= 400
        await world.until(lambda: False)


BUTTON = {"type": 1, "components": [{"type": 2, "style": 99, "label": "x", "custom_id": "x"}]}


@pytest.mark.parametrize(
    ("method", "path", "body", "query", "message"),
    [
        ("POST", "/channels/0/messages", {"contents": "x"}, None, r"'contents' was unexpected.*value: \{\"contents"),
        ("POST", "/channels/0/messages", {"components": [BUTTON]}, None, r"\.components\[0\]\.components\[0\]\.style"),
        ("POST", "/channels/0/typing", {"for": 10}, None, "describes no body"),
        ("POST", "/channels/0/threads", None, None, "value: null"),
        ("GET", "/channels/0/messages", None, {"untill": "5"}, "'untill' was unexpected"),
        ("GET", "/users/@me", None, {"with": "1"}, "describes no parameters"),
        ("GET", "/voice/regions", None, None, "no such route here"),
    ],
)
async def test_a_request_that_discord_does_not_describe_fails_the_test(
    method: str, path: str, body: object, query: dict[str, str] | None, message: str
) -> None:
    with pytest.raises(Violation, match=message):
        await asked_wrongly(method, path, body, query)


async def test_a_violation_that_nobody_waited_for_is_raised_at_the_end() -> None:
    world = World()
    async with raw(await world.__aenter__()) as asked:
        await asked.ask("GET", "/voice/regions")
    with pytest.raises(Violation, match="no such route here"):
        await world.__aexit__(None, None, None)


async def test_an_answer_that_discord_does_not_describe_fails_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's own: it may answer nothing that its author only thinks Discord would."""
    world = World()
    async with raw(await world.__aenter__()) as asked:
        monkeypatch.setattr(User, "wire", lambda user: {"id": str(user.id), "username": user.name})
        await asked.ask("GET", f"/users/{world.bot.id}")
    with pytest.raises(Violation, match=r"response 200 GET /users/\{user_id\}.* is a required property"):
        await world.__aexit__(None, None, None)


async def carried_out(does: Callable[[], object]) -> None:
    """What somebody does, who may have to be waited for."""
    told = does()
    if isawaitable(told):
        await told


NONSENSE = {"id": "not a number"}


@pytest.mark.parametrize(
    ("whose", "unlikely"),
    [
        (User, lambda world, garden, kim: kim.says(garden.channel("shed"), "hello")),
        (User, lambda world, garden, kim: world.person("Ada", garden)),
        (User, lambda world, garden, kim: garden.remove(kim)),
        (Role, lambda world, garden, kim: garden.role("gardeners", Permission.VIEW_CHANNEL)),
        (Member, lambda world, garden, kim: garden.role("gardeners", Permission.VIEW_CHANNEL, world.bot)),
    ],
)
async def test_an_event_that_discord_does_not_describe_fails_the_test(
    whose: type, unlikely: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with World() as world:
        garden = world.guild("Garden")
        kim = world.person("Kim", garden)
        async with listening(world, intents(members=True)):
            monkeypatch.setattr(whose, "wire", lambda *_: NONSENSE)
            with pytest.raises(Violation):
                await carried_out(partial(unlikely, world, garden, kim))
            monkeypatch.undo()


def test_the_server_s_own_words_are_held_against_the_description(world: World, general: Channel, kim: Person) -> None:
    with pytest.raises(Violation, match=r"UserResponse: \.username: 5 is not of type 'string'; the value: 5"):
        check_object("UserResponse", kim.wire() | {"username": 5})
    with pytest.raises(Violation, match="'shoe_size' was unexpected"):
        check_object("UserResponse", kim.wire() | {"shoe_size": 43})
    with pytest.raises(Violation, match="describes no answer 202"):
        check_response("GET /users/@me", 202, {})
    with pytest.raises(Violation, match=r"response 200 GET /channels/\{channel_id\}/messages\[0\]"):
        check_response("GET /channels/{channel_id}/messages", 200, [{"id": "1"}])


@pytest.mark.parametrize(
    "unlikely",
    [
        lambda kim, ada, hello: kim.edits(hello, "x" * 2001),
        lambda kim, ada, hello: ada.edits(hello, "mine"),
        lambda kim, ada, hello: ada.deletes(hello),
        lambda kim, ada, hello: ada.clicks(hello, "Next"),
    ],
)
async def test_people_cannot_do_what_discord_would_not_let_them(
    world: World, garden: Guild, general: Channel, kim: Person, unlikely: object
) -> None:
    ada = world.person("Ada", garden)
    hello = await kim.says(general, "hello")
    assert callable(unlikely)
    with pytest.raises(AssertionError):
        await unlikely(kim, ada, hello)


async def test_it_runs_alone() -> None:
    command = [sys.executable, "-m", "tests.loopback.discord"]
    pipe = asyncio.subprocess.PIPE
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, cwd=ROOT, env=environment)
    assert process.stdout is not None
    settings = dict([(await process.stdout.readline()).decode().strip().split("=", 1) for _ in range(5)])
    headers = {"Authorization": f"Bot {settings['DISCORD_TOKEN']}"}
    async with aiohttp.ClientSession() as session:
        url = settings["DISCORD_API_URL"] + "/users/@me"
        async with session.get(url, headers=headers) as response:
            assert (await response.json())["bot"] is True
        async with session.get(settings["DISCORD_API_URL"] + "/applications/@me", headers=headers) as response:
            assert (await response.json())["owner"]["id"] == settings["DNAM_OWNER_IDS"]
        url = f"{settings['DISCORD_API_URL']}/guilds/{settings['DNAM_ALLOW_GUILDS']}"
        async with session.get(url, headers=headers) as response:
            assert (await response.json())["name"] == "Garden"
    process.send_signal(signal.SIGTERM)
    rest, _ = await process.communicate()
    assert process.returncode == 0
    assert b"#general" in rest


async def test_a_thread_at_a_message_shows_it_first(
    client: Listener, world: World, general: Channel, kim: Person
) -> None:
    question = await kim.says(general, "my roses have black spots")
    thread = await kim.begins_thread(general, "roses", at=question)
    place = await client.fetch_channel(thread.id)
    assert isinstance(place, discord.Thread)
    (first,) = [each async for each in place.history()]
    assert first.type is discord.MessageType.thread_starter_message
    assert first.reference is not None
    assert isinstance(first.reference.resolved, discord.Message)
    assert (first.reference.resolved.id, first.reference.resolved.content) == (thread.id, question.content)
