"""The real bot at a Discord on loopback, each in a process of its own: how long a message takes to the model's request.

`python -m tests.bench.in_discord town FOLDER COUNT` is the Discord. It starts the bot, lets Kim say so much, and prints
the bot's figures as JSON. Measured is what is the bot's own: from discord.py's event to the request.
"""

import asyncio
import json
import re
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

import discord

from dnam.adapters.discord.bot import at, run
from dnam.adapters.discord.hearing import Hearing
from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.memory import Memory
from dnam.model import AnswerInputs, Ask, Hear, Reply, unheard
from dnam.settings import read
from dnam.steadiness import steady
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from projections.recall.reckoners import use_compiled
from tests.bench.answers import ITEMS, LIMITED, PER_SECOND, QuickModel
from tests.bench.talk import texts
from tests.loopback.discord import Channel
from tests.loopback.discord.world import World

_NUMBER = re.compile(r"\((\d+)\)$")
WARM = 50
"""Messages before anything is measured."""


class Watching(QuickModel):
    """Knows its messages by the number at their end: the bot's name in front of them is not what Discord calls it."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        reply = await super().ask(ask, hear)
        if isinstance(ask.inputs, AnswerInputs):
            self.asked_at[_number(ask.inputs.message)] = self.asked_at.pop(ask.inputs.message)
        return reply


def _number(text: str) -> str:
    found = _NUMBER.search(text)
    return found[1] if found else ""


def _answered(world: World, where: Channel, times: int) -> bool:
    return len(world.bot_messages(where)) >= times


async def bot(folder: Path, url: str, token: str, guild: str, channel: str, kim: str) -> None:
    """The bot, which knows much of Kim, until it is told to end; then what it measured is printed."""
    model, arrivals = Watching(), dict[str, float]()
    real = Hearing.message

    def arriving(self: Hearing, message: discord.Message) -> None:
        arrivals[_number(message.content)] = perf_counter()
        real(self, message)

    given = {"DISCORD_API_URL": url, "DNAM_ALLOW_GUILDS": guild, **LIMITED}
    async with Memory.open(folder, settings=read(given, {})) as memory:
        place = PlaceSeen("discord", channel, "channel", "general", "guild", guild=Ref("discord", guild))
        heard = await memory.heard(kim, "hello", platform="discord", name="Kim", place=place)
        for number in range(ITEMS):
            await memory.remember(heard.person, f"keeps fact {number} about the garden plan", setting=heard.setting)
        use_compiled()  # as `dnam run` does
        with at(url), steady(), patch.object(Hearing, "message", arriving):
            await run(Assistant(memory, Budgeted(model, memory)), token)
    took = [model.asked_at[each] - at for each, at in arrivals.items() if each in model.asked_at]
    json.dump(took[WARM:], sys.stdout)


async def town(folder: Path, count: int) -> list[float]:
    """The Discord: Kim says something, waits for the answer, and says the next thing: 50 a second, as in `arrival`."""
    async with World() as world:
        garden = world.guild("Garden")
        kim = world.person("Kim", garden)
        general = garden.channel("general")
        told = (world.api_url, world.token, str(garden.id), str(general.id), str(kim.id))
        command = (sys.executable, "-m", "tests.bench.in_discord", "bot", str(folder), *told)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        await world.ready()
        stock = texts()
        for number in range(WARM + count):
            await asyncio.sleep(1 / PER_SECOND)
            await kim.says(general, f"{stock[number % len(stock)]} ({number})", mention=world.bot)
            await world.until(partial(_answered, world, general, number + 1))
        process.terminate()
        said, _ = await process.communicate()
    took: list[float] = json.loads(said)
    return took


if __name__ == "__main__":
    if sys.argv[1] == "bot":
        asyncio.run(bot(Path(sys.argv[2]), *sys.argv[3:8]))
    else:
        json.dump(asyncio.run(town(Path(sys.argv[2]), int(sys.argv[3]))), sys.stdout)
