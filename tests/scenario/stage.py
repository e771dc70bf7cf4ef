"""Everything together: the world, Claude, the bot's lives; and what the chapters do with them."""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from dnam.adapters.discord.appearing import UNFINISHED
from tests.loopback.discord import Channel, Message, Person, World
from tests.loopback.discord.interactions import Interaction
from tests.loopback.messages import Fails, Reply, Server, serving
from tests.scenario.cast import Cast
from tests.scenario.claude import Claude
from tests.scenario.process import PATIENCE_SECONDS, Bot, bare
from tests.scenario.readers import Reader
from tests.scenario.readme import write_bot
from tests.scenario.transcript import Transcript

T = TypeVar("T")
CHATTER = (
    "the {word} is doing well",
    "did anybody see the {word}?",
    "{other} have a look at the {word}, please",
    "no idea, ask {other} about the {word}",
    "so much {word} this year",
    "{other} you were right about the {word}",
    "I put the {word} where it was",
)
"""What people say to each other; nothing of it is said to the bot."""


class Stage:
    """One run. `asked` are the messages that want an answer; `commands` those that ask something of the memory."""

    def __init__(self, world: World, server: Server, folder: Path, transcript: Transcript, seed: int) -> None:
        self.world = world
        self.server = server
        self.folder = folder
        self.transcript = transcript
        self.cast = Cast(world)
        self.claude = Claude(self._heard)
        self.asked: list[Message] = []
        self.commands: list[Message] = []
        self._dice = random.Random(seed)
        self._bot: Bot | None = None

    def _heard(self, kind: str, reply: Reply) -> None:
        what = type(reply).__name__.lower()
        self.transcript.line("Claude", "", f"{kind}: {what}{f' {reply.status}' if isinstance(reply, Fails) else ''}")
        self.world.changed()

    # -- the bot ----------------------------------------------------------------------------------------------------

    @property
    def env(self) -> dict[str, str]:
        """What the bot finds in its environment."""
        cast = self.cast
        return {
            **bare(),
            "DISCORD_TOKEN": self.world.token,
            "DISCORD_API_URL": self.world.api_url,
            "ANTHROPIC_API_KEY": self.server.key,
            "ANTHROPIC_BASE_URL": self.server.url,
            "DNAM_ALLOW_GUILDS": f"{cast.garden.id},{cast.harbour.id}",
            "DNAM_ALLOW_USERS": ",".join(str(each.id) for each in cast.people),
            "DNAM_MEMORY_CHANNEL_ID": str(cast.wall.id),
            "DNAM_DATA": str(self.folder / "data"),
            "XDG_RUNTIME_DIR": str(self.folder),
            "DNAM_TURNS_PER_MINUTE": "1000",
            "DNAM_DURABLE_EVERY_N_TURNS": "3",
        }

    @property
    def bot(self) -> Bot:
        """The bot that runs now."""
        assert self._bot is not None
        return self._bot

    async def start(self) -> None:
        """Start the bot, and go on at once: what is said before it is there, it reads back."""
        self.transcript.mark("started")
        self._bot = await Bot.started(self.env, self.folder, self.world.changed)

    async def start_another(self) -> None:
        """Start somebody else's bot in its place: README's, which has its memory by one line."""
        self.transcript.mark("started", "a bot of 20 lines, which loads the extension")
        command = [sys.executable, "-m", "tests.scenario.pointed", write_bot(self.folder)]
        env = self.env | {"LOOPBACK_GATEWAY_URL": self.world.gateway_url}
        self._bot = await Bot.started(env, self.folder, self.world.changed, command)

    async def there(self) -> None:
        """Until the bot is connected and has read of its guilds."""
        await self.until(lambda: self.world.gateway.connected, "the bot to connect")
        await self.world.ready()

    async def kill(self, when: str) -> None:
        """SIGKILL, and until Discord has noticed. Not while something waits for a slow log: that would be lost, which
        is lawful, and of it would not hold what holds here of every answer.
        """
        await self.until(lambda: not self.bot.waits, "what waits to be recorded to be recorded")
        self.bot.kill()
        self.transcript.mark("killed", when)
        await self.bot.ended()
        await self.until(lambda: not self.world.gateway.connections, "the dead connection to be noticed")

    async def end(self) -> None:
        """SIGTERM, and until it has ended, which it does cleanly."""
        self.bot.end()
        self.transcript.mark("told to end")
        await self.ended()

    async def ended(self) -> None:
        """Until it has ended as it was told to."""
        code = await self.bot.ended()
        self.transcript.mark("ended")
        assert code == 0, f"the bot ended with {code}:\n{self.bot.log[-2000:]}"

    async def stopped(self) -> None:
        """Whatever happened, it runs no more."""
        if self._bot is not None:
            await self._bot.stopped()

    async def until(self, holds: Callable[[], T], what: str) -> T:
        """Wait for something to happen in Discord or at Claude. Raises when the bot ends of itself meanwhile."""

        def watched() -> T:
            self.bot.check()
            return holds()

        return await self.world.until(watched, what)

    async def until_quiet(self, holds: Callable[[], T], what: str) -> T:
        """Wait for something to happen while no bot runs."""
        return await self.world.until(holds, what)

    # -- what people do ---------------------------------------------------------------------------------------------

    async def asks(self, person: Person, channel: Channel, text: str, reply_to: Message | None = None) -> Message:
        """Say something to the bot, which is to be answered once, whatever happens."""
        words = text.rpartition("> ")[2]
        assert words not in self.claude.readers, f"{words!r} is asked twice: nobody could tell which is answered"
        self.claude.readers[words] = Reader(person.name, self.cast.circle(channel))
        mention = () if channel.is_dm or reply_to is not None else self.world.bot
        message = await person.says(channel, text, mention=mention, reply_to=reply_to)
        self.asked.append(message)
        return message

    async def commands_it(self, person: Person, channel: Channel, text: str) -> Message:
        """Ask something of the memory in plain text, and wait for the reply."""
        message = await person.says(channel, text)
        self.commands.append(message)
        return await self.answer(message)

    async def chatters(self, count: int, *channels: Channel) -> None:
        """People talk among themselves."""
        for _ in range(count):
            channel = self._dice.choice(channels)
            company = self.cast.company(channel)
            person = self._dice.choice(company)
            other = self._dice.choice([each for each in company if each is not person])
            text = self._dice.choice(CHATTER)
            await person.says(channel, text.format(word=self.cast.word(person, channel), other=other.mention))

    # -- what comes back --------------------------------------------------------------------------------------------

    def answers(self, question: Message) -> list[Message]:
        """What of the bot's replies to a message and is whole."""
        said = self.world.bot_messages(self.world.state.channels[question.channel_id])
        return [each for each in said if each.reference is question and not each.content.endswith(UNFINISHED)]

    async def answer(self, question: Message) -> Message:
        """Until a message is answered."""
        return (await self.until(lambda: self.answers(question), f"an answer to {question}"))[0]

    async def answered(self, person: Person, channel: Channel, text: str) -> str:
        """Ask, and what is answered."""
        return (await self.answer(await self.asks(person, channel, text))).content

    async def told(self, person: Person, using: Interaction) -> Message:
        """The reply to a command, a menu or a button, which only who used it may see."""
        reply = await using.reply()
        self.transcript.line(str(using.channel), "Marcy", f"(to {person.name}) {reply.content}")
        return reply

    async def shows(self, person: Person, channel: Channel, words: str, but: str = "\0") -> None:
        """Ask what is remembered until this is in it, and that is not: it learns behind its answers."""
        shown = ""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while words not in shown or but in shown:
                    self.bot.check()
                    shown = (await (await person.uses(channel, "/memory show")).reply()).content
        except TimeoutError:
            raise AssertionError(f"{person.name} was shown no {words!r} in {channel}, but: {shown}") from None
        self.transcript.line(str(channel), person.name, f"/memory show: … {words} …")

    async def quiet(self) -> None:
        """Until all that was said so far has been read by the bot."""
        await self.world.gateway.flushed()


def without(text: str, words: Iterable[str]) -> bool:
    """Whether none of these is in a text."""
    return not any(each in text for each in words)


@asynccontextmanager
async def stage(folder: Path, transcript: Transcript, seed: int = 1) -> AsyncIterator[Stage]:
    """A world with nothing said in it yet, and no bot. Whatever happens, none is left behind."""
    async with serving() as server, World() as world:
        made = Stage(world, server, folder, transcript, seed)
        server.script = made.claude
        transcript.listen(world.state)
        try:
            yield made
        finally:
            await made.stopped()
