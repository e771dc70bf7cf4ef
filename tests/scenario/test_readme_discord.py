"""README's "Run it in Discord", followed step by step at the loopback servers.

Whatever the section says is taken from it: the intent to enable, the names in `.env`, what is said to the bot, the bot
that only loads the extension; the permissions are those of the link that the bot prints. Only what is somebody's own
(token, key, id) is filled in, and the two addresses are added.
"""

import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from tests.loopback.discord import Channel, Guild, Intent, Message, Permission, Person, World
from tests.loopback.discord.guilds import Member, Role
from tests.loopback.discord.permissions import BOT
from tests.loopback.messages import Server, serving
from tests.scenario.process import ROOT, Bot, bare, dnam, ran
from tests.scenario.readme import blocks, section, write_bot

LINK = re.compile(r"https://discord\.com/(?:api/)?oauth2/authorize\?client_id=(\d+)&scope=(\S+?)&permissions=(\d+)")
SCOPES = {"bot", "applications.commands"}


class Place(NamedTuple):
    """Where the section is followed: what its reader has after the second step."""

    world: World
    server: Server
    folder: Path
    guild: Guild
    general: Channel
    ada: Person

    @property
    def own(self) -> dict[str, str]:
        """What the reader fills in."""
        return {
            "DISCORD_TOKEN": self.world.token,
            "DNAM_ALLOW_GUILDS": str(self.guild.id),
            "ANTHROPIC_API_KEY": self.server.key,
        }

    @property
    def addresses(self) -> dict[str, str]:
        """What is not in the section: where Discord and Claude are here."""
        found = {"DISCORD_API_URL": self.world.api_url, "LOOPBACK_GATEWAY_URL": self.world.gateway_url}
        found["XDG_RUNTIME_DIR"] = str(self.folder)
        return {**bare(), **found, "ANTHROPIC_BASE_URL": self.server.url}

    async def until_answered(self, question: Message) -> str:
        """The reply to a message, once it is whole."""

        def replies() -> list[str]:
            said = self.world.bot_messages(self.general)
            return [each.content for each in said if each.reference is question and not each.content.endswith(" …")]

        return (await self.world.until(replies, f"an answer to {question}"))[0]

    def invite(self, permissions: int) -> None:
        """What opening the link does."""
        role = Role(self.world.state.ids.next(), self.world.bot.name, Permission(permissions), managed=True)
        self.guild.roles[role.id] = role
        self.world.state.joins(self.guild, Member(self.world.bot, self.world.state.ids.now(), [role]))


@asynccontextmanager
async def place_in(folder: Path) -> AsyncIterator[Place]:
    """Where the first step has been done: an application with the intent that it tells of, which is in no server."""
    assert "**Message Content Intent**" in section()
    async with serving() as server, World() as world:
        world.application.enabled = Intent.CONTENT
        guild = world.guild("Garden", bot=None)
        ada = world.person("Ada", guild)
        yield Place(world, server, folder, guild, guild.channel("general"), ada)


@asynccontextmanager
async def started(place: Place, env: dict[str, str], command: list[str]) -> AsyncIterator[Bot]:
    """The bot, connected. It is killed at the end, if it has not ended by then."""
    bot = await Bot.started(env, place.folder, place.world.changed, command)

    def connected() -> bool:
        bot.check()
        return place.world.gateway.connected

    try:
        await place.world.until(connected, "the bot to connect")
        await place.world.ready()
        yield bot
    finally:
        await bot.stopped()


def write_env(place: Place) -> None:
    """The second step: the names in the section, with what is the reader's own."""
    (lines,) = blocks("env")
    names = [line.partition("=")[0] for line in lines]
    assert set(names) == set(place.own), "whoever changes the section fills in here what it asks for"
    (place.folder / ".env").write_text("".join(f"{name}={place.own[name]}\n" for name in names), encoding="utf-8")


async def test_the_section_works_as_it_stands(tmp_path: Path) -> None:
    assert "`make run` starts the bot" in section()
    assert ".venv/bin/dnam run $(RUN_ARGS)" in (ROOT / "Makefile").read_text(encoding="utf-8")
    hello = re.search(r"`@your-bot ([^`]+)`", section())
    assert hello, "it says what to say first"
    async with place_in(tmp_path) as place:
        write_env(place)
        async with started(place, place.addresses, dnam("run")) as bot:
            link = await place.world.until(lambda: LINK.search(bot.log), "the link that invites it")
            assert link
            assert (link[1], set(link[2].split("+"))) == (str(place.world.application.id), SCOPES)
            place.invite(int(link[3]))
            question = await place.ada.says(place.general, hello[1], mention=place.world.bot)
            assert await place.until_answered(question)
            looked = await ran(dnam("doctor"), place.addresses, tmp_path)
            assert looked.code == 0, looked.out
            bot.end()
            assert await bot.ended() == 0
            assert "Traceback" not in bot.log


async def test_the_bot_of_the_section_has_memory_by_one_line(tmp_path: Path) -> None:
    bot = write_bot(tmp_path)
    async with place_in(tmp_path) as place:
        place.invite(int(BOT))
        write_env(place)
        env = place.addresses
        command = [sys.executable, "-m", "tests.scenario.pointed", bot]
        async with started(place, env, command):
            asked = await place.ada.says(place.general, "do you know roses?", mention=place.world.bot)
            assert await place.until_answered(asked)
            assert (tmp_path / "data" / "log").is_dir()
