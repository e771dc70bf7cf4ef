"""One connection to the gateway: frames out of a session, in order, compressed as the client asked."""

import asyncio
import json
import zlib
from collections.abc import Callable
from enum import IntEnum

from aiohttp import web

from tests.loopback.discord.session import Session


class Opcode(IntEnum):
    """(Discord's documentation, Opcodes and Status Codes: Gateway Opcodes)"""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE_UPDATE = 3
    VOICE_STATE_UPDATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_GUILD_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Connection:
    """A cursor in a session, and the socket that it is written to."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request, changed: Callable[[], None]) -> None:
        self.session: Session | None = None
        self.acknowledged = 0
        """The number of the last event of which the client said that it read it."""
        self.was_cut = False
        self._socket = socket
        self._request = request
        self._changed = changed
        self.cursor = 0
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writer: asyncio.Task[None] | None = None
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None

    @property
    def closed(self) -> bool:
        return self._socket.closed or self.was_cut

    @property
    def up_to_date(self) -> bool:
        """Whether all there is was sent."""
        return self.closed or self.session is None or self.cursor >= self.session.last

    def attach(self, session: Session, cursor: int) -> None:
        """From now on, send what comes after `cursor`."""
        self.session = session
        self.cursor = cursor
        self._writer = asyncio.create_task(self._write(session))

    def detach(self) -> Session | None:
        """Send nothing more."""
        if self._writer is not None:
            self._writer.cancel()
        return self.session

    def hold(self, held: bool) -> None:
        """Keep events back, or let them go."""
        if held:
            self._flowing.clear()
        else:
            self._flowing.set()

    async def send(self, opcode: Opcode, data: object) -> None:
        """A frame that has no number."""
        await self._send(json.dumps({"op": int(opcode), "d": data, "s": None, "t": None}))

    async def cut(self, code: int | None) -> None:
        """Close with a code, or without a word."""
        self.was_cut = True
        if code is not None:
            await self._socket.close(code=code)
        elif self._request.transport is not None:
            self._request.transport.abort()

    async def _write(self, session: Session) -> None:
        while not self.closed:
            await self._flowing.wait()
            if self.cursor < session.last:
                await self._send(session.at(self.cursor + 1))
                self.cursor += 1
                self._changed()
            else:
                session.more.clear()
                await session.more.wait()

    async def _send(self, text: str) -> None:
        if self.closed:
            return
        try:
            if self._zlib is None:
                await self._socket.send_str(text)
            else:
                packed = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                await self._socket.send_bytes(packed)
        except ConnectionError:
            # The client has just gone; its session keeps what it missed.
            self._changed()
