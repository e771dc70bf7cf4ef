"""The gateway: clients connect, identify, are told events, lose the connection and resume.

A session is a numbered list of what was told; a connection is a cursor in it. Resuming puts the cursor back to where
the client says it was, so whatever it missed is told by the same code as everything else.

    HELLO → IDENTIFY → READY → GUILD_CREATE … → events      (a new session)
    HELLO → RESUME → what was missed → RESUMED → events     (an old one)

Source: Discord's documentation, Gateway, and Opcodes and Status Codes.
"""

import asyncio
import itertools
import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from aiohttp import WSMsgType, web

from tests.loopback.discord.connection import Connection, Opcode
from tests.loopback.discord.guilds import guild_create
from tests.loopback.discord.session import WHOLE, Session, Shard
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import PRIVILEGED, Intent
from tests.loopback.discord.welcome import chunks, ready
from tests.loopback.discord.wire import Wire

UNKNOWN_OPCODE, NOT_AUTHENTICATED, WRONG_TOKEN, INVALID_SHARD, DISALLOWED_INTENTS = 4001, 4003, 4004, 4010, 4014
GOING_AWAY = 1001
KNOWN_INTENTS = sum(Intent)
KEPT = 10_000
"""How much of what was said is kept for tests to look at."""
ROUND_TRIP_SECONDS = 0.05
"""How late a heartbeat is acknowledged. At once would be sooner than anywhere: discord.py notes in a thread of its own
when it sent one, and takes what comes before that for the answer to the one before.
"""


class Gateway:
    """All sessions of the bot, and what a test does to them."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.sessions: dict[str, Session] = {}
        self.connections: list[Connection] = []
        self.events: deque[Event] = deque(maxlen=KEPT)
        """All that was told to anybody, oldest first."""
        self.received: deque[tuple[str, Wire]] = deque(maxlen=KEPT)
        """What clients sent, heartbeats left out: (opcode's name, data)."""
        self.round_trip: Callable[[], Awaitable[None]] = _round_trip
        """What lies between a heartbeat and its acknowledgement."""
        self._acknowledging: set[asyncio.Task[None]] = set()
        self._rewind = 0
        self._held = False
        self._forgets = False
        self._numbers = itertools.count(1)
        state.listeners.append(self.tell)

    # What happens to clients

    def tell(self, event: Event) -> None:
        """Tell every session that asked for it and may know it."""
        if self._forgets:
            return
        self.events.append(event)
        if event.channel is not None and not event.channel.sees(self._state.bot):
            return
        for each in self.sessions.values():
            each.tell(event)

    async def sent(self) -> None:
        """Until every connected client was sent all there is."""
        await self._state.until(
            lambda: self._held or all(each.up_to_date for each in self.connections), "events to be sent"
        )

    async def flushed(self) -> None:
        """Until every connected client has *processed* all that it was sent: it answers a heartbeat with the number of
        the last event that it read. Then whatever it did not do, it decided not to do. At most a hundred times a
        minute: discord.py sends no more than that.
        """
        await self.sent()
        asked = [(each, each.cursor) for each in self.connections if each.acknowledged < each.cursor]
        for each, _ in asked:
            await each.send(Opcode.HEARTBEAT, None)
        await self._state.until(
            lambda: all(each.closed or each.acknowledged >= last for each, last in asked), "heartbeats"
        )

    @property
    def connected(self) -> bool:
        """Whether a client is there that is identified or resumed."""
        return any(each.session is not None for each in self.connections)

    async def drop(self, code: int | None = None, again: int = 0) -> None:
        """Cut every connection, as a network does, or close it with a code. The sessions can be resumed, and are then
        told the last `again` events a second time.
        """
        self._rewind = again
        for each in list(self.connections):
            await each.cut(code)
        await self._state.until(lambda: not self.connections, "connections to be cut")

    async def reconnect(self) -> None:
        """Ask every client to come back (opcode 7)."""
        for each in list(self.connections):
            await each.send(Opcode.RECONNECT, None)

    async def invalidate(self, resumable: bool = False) -> None:
        """Say that the session is no more (opcode 9); a client has to identify anew, or may resume."""
        if not resumable:
            self.sessions.clear()
        for each in list(self.connections):
            await each.send(Opcode.INVALID_SESSION, resumable)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Within, events are kept back, while REST goes on: what a slow gateway looks like."""
        self._hold(True)
        try:
            yield
        finally:
            self._hold(False)

    @contextmanager
    def forgetting(self) -> Iterator[None]:
        """Within, nobody is told of anything, then or later: what a gateway loses. REST knows of it."""
        self._forgets = True
        try:
            yield
        finally:
            self._forgets = False

    def redeliver(self, event: Event) -> None:
        """Tell an event again, with a new number."""
        self.tell(event)

    # What clients do

    async def connect(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, from HELLO to its end."""
        socket = web.WebSocketResponse(compress=False, timeout=1.0)
        await socket.prepare(request)
        connection = Connection(socket, request, self._state.changed)
        connection.hold(self._held)
        self.connections.append(connection)
        try:
            await connection.send(Opcode.HELLO, {"heartbeat_interval": 41_250})
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    await self._receive(connection, json.loads(frame.data))
        finally:
            self._leave(connection, socket.close_code)
        return socket

    async def close(self) -> None:
        """Send everybody home."""
        for task in self._acknowledging:
            task.cancel()
        for each in list(self.connections):
            await each.cut(GOING_AWAY)

    async def _receive(self, connection: Connection, frame: Wire) -> None:
        opcode, data = Opcode(frame["op"]), frame["d"]
        if opcode != Opcode.HEARTBEAT:
            self.received.append((opcode.name, data))
        match opcode:
            case Opcode.HEARTBEAT:
                await self._heartbeat(connection, data)
            case Opcode.IDENTIFY:
                await self._identify(connection, data)
            case Opcode.RESUME:
                await self._resume(connection, data)
            case Opcode.REQUEST_GUILD_MEMBERS if connection.session is not None:
                self._members(connection.session, data)
            case Opcode.PRESENCE_UPDATE | Opcode.VOICE_STATE_UPDATE if connection.session is not None:
                pass  # nobody looks at the bot's presence, nobody hears it
            case _:
                await connection.cut(NOT_AUTHENTICATED if connection.session is None else UNKNOWN_OPCODE)
        self._state.changed()

    async def _heartbeat(self, connection: Connection, number: int | None) -> None:
        connection.acknowledged = max(connection.acknowledged, number or 0)
        task = asyncio.create_task(self._acknowledge(connection))
        self._acknowledging.add(task)
        task.add_done_callback(self._acknowledging.discard)

    async def _acknowledge(self, connection: Connection) -> None:
        await self.round_trip()
        await connection.send(Opcode.HEARTBEAT_ACK, None)

    async def _identify(self, connection: Connection, data: Wire) -> None:
        application = self._state.application
        intents, shard = Intent(data["intents"] & KNOWN_INTENTS), Shard(*data.get("shard", WHOLE))
        if data["token"].removeprefix("Bot ") != application.token:
            await connection.cut(WRONG_TOKEN)
        elif intents & PRIVILEGED & ~application.enabled:
            await connection.cut(DISALLOWED_INTENTS)
        elif not shard.is_one:
            await connection.cut(INVALID_SHARD)
        else:
            self._begin(connection, intents, shard)

    def _begin(self, connection: Connection, intents: Intent, shard: Shard) -> None:
        session = Session(f"session-{next(self._numbers)}", intents, shard)
        self.sessions[session.id] = session
        guilds = [each for each in self._state.guilds_of(self._state.bot) if shard.has(each.id)]
        session.say("READY", ready(self._state, session.id, guilds, shard))
        if intents & Intent.GUILDS:
            for each in guilds:
                session.say("GUILD_CREATE", guild_create(self._state.bot, each, intents))
        connection.attach(session, 0)

    async def _resume(self, connection: Connection, data: Wire) -> None:
        session = self.sessions.get(data["session_id"])
        if data["token"].removeprefix("Bot ") != self._state.application.token:
            await connection.cut(WRONG_TOKEN)
        elif session is None or not session.remembers(data["seq"]):
            await connection.send(Opcode.INVALID_SESSION, False)
        else:
            session.say("RESUMED", {})
            connection.attach(session, max(session.first, data["seq"] - self._rewind))
            self._rewind = 0

    def _members(self, session: Session, data: Wire) -> None:
        for each in chunks(self._state, data):
            session.say("GUILD_MEMBERS_CHUNK", each)

    def _leave(self, connection: Connection, code: int | None) -> None:
        """A client that says goodbye (1000, 1001) ends its session; one that is lost may come back."""
        session = connection.detach()
        self.connections.remove(connection)
        if session is not None and code in (1000, 1001) and not connection.was_cut:
            self.sessions.pop(session.id, None)
        self._state.changed()

    def _hold(self, held: bool) -> None:
        self._held = held
        for each in self.connections:
            each.hold(held)


async def _round_trip() -> None:
    await asyncio.sleep(ROUND_TRIP_SECONDS)
