"""Discord: token, intents, allow-lists, what the bot may do in each channel, and the transparency channel.

The real client logs in and asks over REST; it connects to no gateway, so a running bot notices nothing.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from dnam.doctor.check import Finding, Patient, doubt, skipped, well, wrong
from dnam.unreached import no_answer
from projections.counting import counted
from replay.errors import LogError

if TYPE_CHECKING:
    import discord

NO_TOKEN = "DISCORD_TOKEN is not set: there is no bot"
NEW_TOKEN = (
    "Copy the token anew: Discord's developer portal, your application, Bot, Reset Token; then set DISCORD_TOKEN."
)
ENABLE = "Discord's developer portal, your application, Bot, Privileged Gateway Intents: enable {}."
REACH = "Check the network, and DISCORD_API_URL where it is set; https://discordstatus.com says whether Discord is up."
LET_IN = "Set DNAM_ALLOW_GUILDS to the ids of servers in which the bot is, or invite it there."
NOWHERE = "the bot is in no server of DNAM_ALLOW_GUILDS, and DNAM_ALLOW_USERS names nobody: only its owner is answered"
NEEDED = ("read_message_history", "send_messages", "send_messages_in_threads")
"""What the bot needs in a channel that it sees."""
MOST_CHANNELS = 20
"""How many channels are named at the most; the others are counted."""


class NotAsked(Exception):
    """Discord could not be asked; `finding` says why, `at_login` whether nothing at all can be asked of it."""

    def __init__(self, finding: Finding, *, at_login: bool = True) -> None:
        super().__init__(finding.what)
        self.finding = finding
        self.at_login = at_login


@asynccontextmanager
async def logged_in(patient: Patient) -> "AsyncIterator[discord.Client]":
    """A client with this token, over REST alone. NotAsked where that, or what is asked with it, is not to be had."""
    import discord

    from dnam.adapters.discord.bot import at, without_voice

    without_voice()
    if not patient.settings.discord_token:
        raise NotAsked(Finding("skipped", NO_TOKEN, "README.md, Run it in Discord, says how to make one."))
    async with discord.Client(intents=discord.Intents.none()) as client:
        with at(patient.settings.discord_api_url), _asking(client):
            await client.login(patient.settings.discord_token)
            yield client


@contextmanager
def _asking(client: "discord.Client") -> Iterator[None]:
    import aiohttp
    import discord

    try:
        yield
    except discord.LoginFailure:
        raise NotAsked(Finding("wrong", "Discord does not accept the token", NEW_TOKEN)) from None
    except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
        status = getattr(error, "status", None)
        reason = f"status {status}" if status else no_answer(error)
        finding = Finding("wrong", f"Discord cannot be asked: {reason}", REACH)
        raise NotAsked(finding, at_login=client.user is None) from None


async def token(patient: Patient) -> list[Finding]:
    """Whether Discord takes the token, and whose it is."""
    try:
        async with logged_in(patient) as client:
            assert client.user is not None
            return well(f"the bot is {client.user.name} ({client.user.id})")
    except NotAsked as reason:
        return [reason.finding]


async def intents(patient: Patient) -> list[Finding]:
    """Without Message Content Intent the bot hears mentions alone."""
    try:
        async with logged_in(patient) as client:
            flags = (await client.application_info()).flags
    except NotAsked as reason:
        return _elsewhere(reason)
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        return well("Message Content Intent is enabled")
    return wrong(
        "Message Content Intent is not enabled: Discord refuses the bot", ENABLE.format("Message Content Intent")
    )


def _elsewhere(reason: NotAsked) -> list[Finding]:
    """Why nothing at all can be asked, the token's own check has said already."""
    return skipped(reason.finding.what) if reason.at_login else [reason.finding]


async def allowed(patient: Patient) -> list[Finding]:
    """An empty allow-list answers nobody, nor does one of servers alone in none of which the bot is."""
    from dnam.adapters.discord.respond import strangers

    settings = patient.settings
    if not settings.discord_token:
        return skipped(NO_TOKEN)
    if not settings.allow_users and not settings.allow_guilds:
        return wrong(
            "DNAM_ALLOW_USERS and DNAM_ALLOW_GUILDS are both empty: nobody is answered, and what is said where the bot "
            "can read it is recorded all the same",
            "Set DNAM_ALLOW_USERS to the ids of those who are to be answered, or DNAM_ALLOW_GUILDS to servers. "
            "(Discord: Settings, Advanced, Developer Mode; then right-click, Copy ID.)",
        )
    there = await _there(patient)
    guilds = frozenset(map(int, settings.allow_guilds))
    if there is not None and not settings.allow_users and not guilds & there.keys():
        return wrong(NOWHERE, f"{LET_IN} Or name people in DNAM_ALLOW_USERS.")
    if strange := strangers(guilds, there or {}):
        return doubt(strange, LET_IN)
    named = counted(len(settings.allow_users), "user"), counted(len(settings.allow_guilds), "guild")
    return well(f"answered: {', '.join(named)}")


async def _there(patient: Patient) -> dict[int, str] | None:
    """The servers that the bot is in, by id and name; None where that cannot be asked, which the token's check says."""
    try:
        async with logged_in(patient) as client:
            return {each.id: each.name async for each in client.fetch_guilds(limit=None)}
    except NotAsked:
        return None


# -- permissions ---------------------------------------------------------------------------------------------------


async def permissions(patient: Patient) -> list[Finding]:
    """What the bot lacks, channel by channel; a channel that it does not see is none of its own."""
    try:
        async with logged_in(patient) as client:
            guilds = [each async for each in client.fetch_guilds(limit=None)]
            found = [finding for each in guilds for finding in await _of_guild(client, each.id)]
    except NotAsked as reason:
        return _elsewhere(reason)
    if not guilds:
        return doubt("the bot is in no server", "Invite it: README.md, Run it in Discord.")
    lacking = [each for each in found if each.state != "well"]
    more = len(lacking) - MOST_CHANNELS
    rest = doubt(f"and in {counted(more, 'more channel')}", "Grant the bot's role there what it lacks.")
    return [*lacking[:MOST_CHANNELS], *(rest if more > 0 else [])] or well(", ".join(each.what for each in found))


async def _of_guild(client: "discord.Client", guild_id: int) -> list[Finding]:
    guild = await client.fetch_guild(guild_id, with_counts=False)
    me = await guild.fetch_member(_own_id(client))
    channels = await guild.fetch_channels()
    found = [finding for channel in channels for finding in _of_channel(channel, me)]
    seen = sum(channel.permissions_for(me).view_channel for channel in channels)
    return found or well(f"{guild.name}: all that is needed in {counted(seen, 'channel')} that it sees")


def _own_id(client: "discord.Client") -> int:
    assert client.user is not None
    return client.user.id


def _of_channel(channel: "discord.abc.GuildChannel", me: "discord.Member") -> Iterator[Finding]:
    import discord

    from dnam.adapters.discord.memory_channel import in_words

    may = channel.permissions_for(me)
    if not may.view_channel or isinstance(channel, discord.CategoryChannel):
        return
    lacks = [in_words(name) for name in NEEDED if not getattr(may, name)]
    if lacks:
        where = f"{channel.guild.name}, {channel.name} ({channel.id})"
        yield Finding("wrong", f"{where}: the bot lacks {', '.join(lacks)}", "Grant it to the bot's role there.")


# -- transparency --------------------------------------------------------------------------------------------------


async def transparency(patient: Patient) -> list[Finding]:
    """Whether the memory channel can be written to, and whether its messages are pinned."""
    from dnam.adapters.discord.memory_channel import hindrance

    channel_id = patient.settings.memory_channel_id
    if not channel_id:
        return skipped("DNAM_MEMORY_CHANNEL_ID is not set: there is no transparency channel")
    try:
        async with logged_in(patient) as client:
            hindered = await hindrance(client, int(channel_id))
    except NotAsked as reason:
        return _elsewhere(reason)
    found = [] if hindered is None else wrong(*hindered)
    return [*found, *_unpinned(patient)] or well(f"channel {channel_id} can be written to, and its messages are pinned")


def _unpinned(patient: Patient) -> list[Finding]:
    from projections.snapshots import unpinned
    from replay.engine import Engine

    try:
        with Engine.open(patient.data, writable=False) as engine, engine.reading() as rows:
            count = len(unpinned(rows))
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return []
    if not count:
        return []
    are = "is" if count == 1 else "are"
    return doubt(
        f"{count} of its messages {are} not pinned: the channel holds no more pins, or the bot may not pin",
        "Unpin what is old there, or take another channel; the next change of a memory tries again.",
    )
