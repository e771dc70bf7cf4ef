"""A Discord to try things on by hand: `python -m tests.loopback.discord [PORT]`.

It prints what the bot needs to find it. What is then typed, Kim says: in #general, with `@` before it mentioning the
bot, with `dm` before it directly to the bot; `/…` is a slash command, with its options by name: `/memory remember
text:I like tea`. With `owner` before all that, Ines says it, who owns the server and the bot. What the bot says is
printed.
"""

import argparse
import asyncio
import signal
from collections.abc import AsyncIterator

from dnam.adapters.terminal.reading import PipedLines
from tests.loopback.discord.channels import Channel
from tests.loopback.discord.messages import MessageFlag
from tests.loopback.discord.person import Person
from tests.loopback.discord.state import Event
from tests.loopback.discord.users import User
from tests.loopback.discord.world import World

HELLO = """DISCORD_API_URL={url}
DISCORD_TOKEN={token}
DNAM_ALLOW_GUILDS={guild_id}
DNAM_ALLOW_USERS={id}
DNAM_OWNER_IDS={owner_id}

{guild} ({guild_id}) has {channels}; {person} ({id}) and the bot are in it. Its owner {owner} ({owner_id}) owns the bot
too. Type what {person} says: `@ …` mentions the bot, `dm …` is said directly, `/…` is a command, with its options by
name: `/memory remember text:I like tea`. `owner …` has {owner} say it. Ctrl-C ends.
"""


async def serve(port: int) -> None:
    """Until Ctrl-C."""
    stopped = _stopped()
    async with World(port=port) as world:
        ines = world.person("Ines")
        world.application.owner = ines
        garden = world.guild("Garden", owner=ines)
        kim = world.person("Kim", garden)
        general = garden.channel("general")
        garden.channel("owners", only_for=[world.bot])
        names = ", ".join(f"#{each.name}" for each in garden.channels.values())
        known = {"url": world.api_url, "token": world.token, "guild": garden.name, "channels": names}
        known |= {"guild_id": str(garden.id), "owner_id": str(ines.id), "owner": ines.name}
        print(HELLO.format(person=kim.name, id=kim.id, **known), flush=True)
        world.state.listeners.append(lambda event: _printed(world, event))
        typing = asyncio.create_task(_typed(world, (kim, ines), general))
        await stopped.wait()
        typing.cancel()
        for each in world.state.violations:
            print(f"! {each}", flush=True)
        world.state.violations.clear()


async def _typed(world: World, people: tuple[Person, Person], general: Channel) -> None:
    async for line in _lines():
        try:
            await say(world, people, general, line)
        except AssertionError as wrong:
            print(f"! {wrong}", flush=True)


async def say(world: World, people: tuple[Person, Person], general: Channel, line: str) -> None:
    """What was typed is said by the first of these people, or by the second, the owner."""
    who, words = (people[1], line[6:]) if line.startswith("owner ") else (people[0], line)
    if words.startswith("/"):
        await who.uses(general, words)
    elif words.startswith("@"):
        await who.says(general, words[1:].strip(), mention=world.bot)
    elif words.startswith("dm "):
        await who.says(who.dm, words[3:])
    elif words:
        await who.says(general, words)


def _printed(world: World, event: Event) -> None:
    """What the bot says, as it says it, and who alone sees it; not that it thinks."""
    if event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or event.data["author"]["id"] != str(world.bot.id):
        return
    flags = MessageFlag(event.data.get("flags", 0))
    if flags & MessageFlag.LOADING:
        return
    channel = world.state.channels[int(event.data["channel_id"])]
    edited = " (edited)" if event.name == "MESSAGE_UPDATE" else ""
    private = f" (only {_user_of(world, event).name} sees it)" if flags & MessageFlag.EPHEMERAL else ""
    print(f"{world.bot.name} in {channel}{private}{edited}: {event.data['content']}", flush=True)


def _user_of(world: World, event: Event) -> User:
    """Who used the command, menu or button that a message replies to."""
    return world.state.users[int(event.data["interaction_metadata"]["user"]["id"])]


async def _lines() -> AsyncIterator[str]:
    """What is typed, or comes from a pipe, a file or `/dev/null`; at its end the server goes on."""
    lines = PipedLines.of_stdin()
    while (line := await lines.next()) is not None:
        yield line.strip()


def _stopped() -> asyncio.Event:
    """Set by Ctrl-C, from now on."""
    stopped = asyncio.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, stopped.set)
    return stopped


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.loopback.discord", description=__doc__)
    parser.add_argument("port", nargs="?", type=int, default=0, help="the port on 127.0.0.1; without one, any")
    asyncio.run(serve(parser.parse_args().port))


if __name__ == "__main__":
    main()
