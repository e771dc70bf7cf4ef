"""A whole Discord on loopback: what a test starts, sets up, drives and looks at."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from aiohttp import web

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.gateway import Gateway
from tests.loopback.discord.guilds import Guild, Member, Role
from tests.loopback.discord.limits import Fault, Kind, anything
from tests.loopback.discord.messages import Attachment, Message
from tests.loopback.discord.permissions import BOT, TALKING, Permission
from tests.loopback.discord.person import Person
from tests.loopback.discord.rest import BASE, Rest, Seen
from tests.loopback.discord.routes import TABLE
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import Application, Intent, User
from tests.loopback.discord.wire import Clock, Wire

T = TypeVar("T")
TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.loopback.not-a-real-token"


def _now() -> int:
    return time.time_ns() // 1_000_000


class World:
    """The server, and everybody on it. Use as `async with World() as world:`; leaving it raises any Violation."""

    def __init__(self, clock: Clock = _now, *, name: str = "Marcy", token: str = TOKEN, port: int = 0) -> None:
        self.state = State(clock, name, token)
        self.gateway = Gateway(self.state)
        self.rest = Rest(self.state, TABLE)
        self._port = port
        self._runner: web.AppRunner | None = None

    # Starting and stopping

    async def __aenter__(self) -> "World":
        app = web.Application()
        app.router.add_get("/gateway/", self.gateway.connect)
        app.router.add_get("/gateway", self.gateway.connect)
        app.router.add_get("/attachments/{id}/{name}", self._file)
        self.rest.mount(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        port = self._runner.addresses[0][1]
        self.state.settings.address = f"http://127.0.0.1:{port}"
        self.state.settings.gateway_url = f"ws://127.0.0.1:{port}/gateway"
        return self

    async def __aexit__(self, kind: object, raised: object, trace: object) -> None:
        assert self._runner is not None
        for each in self.rest.limits.faults:
            each.open()
        await self.gateway.close()
        await self._runner.cleanup()
        if raised is None:
            self.state.check()

    @property
    def api_url(self) -> str:
        """The base of REST: what DISCORD_API_URL is set to."""
        return self.state.settings.address + BASE

    @property
    def gateway_url(self) -> str:
        """What GET /gateway/bot says."""
        return self.state.settings.gateway_url

    @property
    def token(self) -> str:
        return self.state.application.token

    # Setting up

    @property
    def bot(self) -> User:
        """The bot under test."""
        return self.state.bot

    @property
    def application(self) -> Application:
        """What was created in the developer portal: owner, team, which privileged intents are enabled."""
        return self.state.application

    def person(self, name: str, *guilds: Guild, bot: bool = False) -> Person:
        """Somebody new, and the guilds that they are in; `bot`: another bot."""
        user = Person(self.state.ids.next(), name, bot, state=self.state, gateway=self.gateway)
        self.state.users[user.id] = user
        for each in guilds:
            each.add(user)
        return user

    def guild(self, name: str, *members: User, owner: User | None = None, bot: Permission | None = BOT) -> Guild:
        """A new guild. `bot` is what the bot's own role grants it there; None: it was not invited."""
        number = self.state.ids.next()
        holder = owner or self.application.owner
        guild = Guild(self.state, number, name, holder)
        guild.roles[number] = Role(number, "@everyone", TALKING, position=0)
        for each in dict.fromkeys([holder, *members]):
            guild.members[each.id] = Member(each, self.state.ids.now())
        if bot is not None:
            role = Role(self.state.ids.next(), self.bot.name, bot, managed=True, bot=self.bot.id)
            guild.roles[role.id] = role
            guild.members[self.bot.id] = Member(self.bot, self.state.ids.now(), [role])
        self.state.new_guild(guild)
        return guild

    # Looking and waiting

    async def until(self, holds: Callable[[], T], what: str = "") -> T:
        """Wait until a condition is true, and return its value. It is looked at after every change here: a request, an
        event, a frame. Of what else changes, say so with `world.changed()`. Raises Violation as soon as there is one.
        """
        return await self.state.until(holds, what)

    def changed(self) -> None:
        """Look at all conditions again."""
        self.state.changed()

    async def ready(self) -> None:
        """Until the bot is connected, identified, and has read of all its guilds."""
        await self.until(lambda: self.gateway.connected, "the bot to connect")
        await self.gateway.sent()
        await self.gateway.flushed()

    def messages(self, channel: Channel) -> list[Message]:
        """What stands in a channel, oldest first."""
        return [channel.messages[each] for each in sorted(channel.messages)]

    def bot_messages(self, channel: Channel) -> list[Message]:
        """What the bot said there, oldest first, as it now stands."""
        return [each for each in self.messages(channel) if each.author is self.bot]

    def private_messages(self, person: User) -> list[Message]:
        """What the bot said to somebody alone, in answers to what they did; oldest first, as it now stands."""
        said = (message for each in self.state.interactions.values() for message in each.messages)
        return sorted((each for each in said if each.only_for is person and not each.deleted), key=lambda each: each.id)

    def requests(self, method: str = "", path: str = "") -> list[Seen]:
        """The requests of the bot so far, those of a method, those whose path ends so."""
        found = (each for each in self.rest.requests if not method or each.method == method)
        return [each for each in found if each.path.endswith(path)]

    # Trouble

    def redeliver(self, what: Event | Message) -> None:
        """Tell an event a second time, under a new number; of a message, that it was written."""
        self.gateway.redeliver(self._created(what) if isinstance(what, Message) else what)

    def _created(self, message: Message) -> Event:
        number = str(message.id)
        told = (each for each in self.gateway.events if each.name == "MESSAGE_CREATE")
        return next(each for each in told if each.data["id"] == number)

    def limit(self, method: str, path: str, seconds: float, *, times: int = 1, everywhere: bool = False) -> Fault:
        """429 for the next requests; `everywhere`: as the global limit. `path` is a route's template, or has `*`."""
        return self._fault(Fault(Kind.LIMIT, method, path, times, seconds=seconds, everywhere=everywhere))

    def rate(self, method: str, path: str, limit: int, seconds: float) -> None:
        """From now on a bucket takes so many requests in so many seconds."""
        self.rest.limits.rate(method, path, limit, seconds)

    def fail(
        self, method: str, path: str, status: int = 500, *, code: int = 0, times: int = 1, after: bool = False
    ) -> Fault:
        """An error for the next requests; `after`: once they were carried out."""
        return self._fault(Fault(Kind.STATUS, method, path, times, status=status, code=code, after=after))

    def cut(self, method: str, path: str, *, times: int = 1, after: bool = False) -> Fault:
        """No answer for the next requests: the connection ends."""
        return self._fault(Fault(Kind.CUT, method, path, times, after=after))

    def garble(self, method: str, path: str, *, times: int = 1, after: bool = False) -> Fault:
        """Half of a JSON document for the next requests."""
        return self._fault(Fault(Kind.GARBLED, method, path, times, after=after))

    def slow(self, method: str, path: str, *, times: int = 1, asks: Callable[[Wire], bool] = anything) -> Fault:
        """The next requests wait until the test calls `open()` on what this returns; `met` counts those that wait.
        `asks` says of a body whether its request is one of them; `method` may be ANY.
        """
        return self._fault(Fault(Kind.SLOW, method, path, times, asks=asks))

    def _fault(self, fault: Fault) -> Fault:
        self.rest.limits.faults.append(fault)
        return fault

    async def _file(self, request: web.Request) -> web.Response:
        found = _attachment(list(self.state.channels.values()), request.match_info["id"])
        if found is None:
            raise web.HTTPNotFound
        return web.Response(body=found.content, content_type="application/octet-stream")


def _attachment(channels: Sequence[Channel], number: str) -> Attachment | None:
    messages = (message for channel in channels for message in channel.messages.values())
    return next((each for message in messages for each in message.said.attachments if str(each.id) == number), None)


__all__ = ["Intent", "World"]
