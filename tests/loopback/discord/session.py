"""A session of the gateway: what was told to one client, numbered."""

import asyncio
import json
from typing import NamedTuple

from tests.loopback.discord.described import check_event
from tests.loopback.discord.state import Event
from tests.loopback.discord.users import Intent
from tests.loopback.discord.wire import Wire

KEPT = 2_000
"""How many events can be told again. Who missed more has to identify anew."""


class Shard(NamedTuple):
    """One of so many parts of what there is to tell: the guilds that fall to it; to the first also all that is in none.

    Source: Discord's documentation, Gateway, Sharding.
    """

    number: int
    of: int

    def has(self, guild: int | None) -> bool:
        return (0 if guild is None else (guild >> 22) % self.of) == self.number

    @property
    def is_one(self) -> bool:
        return 0 <= self.number < self.of


WHOLE = Shard(0, 1)


class Session:
    """Everything that a client is told, first to last, whether or not it is connected."""

    def __init__(self, session: str, intents: Intent, shard: Shard = WHOLE) -> None:
        self.id = session
        self.intents = intents
        self.shard = shard
        self.more = asyncio.Event()
        self._told: dict[int, str] = {}
        self.last = 0

    @property
    def first(self) -> int:
        """The number before the first event that is kept."""
        return self.last - len(self._told)

    def remembers(self, number: int) -> bool:
        """Whether a client that read up to here can go on."""
        return self.first <= number <= self.last

    def tell(self, event: Event) -> None:
        """An event, if this client wants it, as far as it may read it."""
        if not self.shard.has(event.guild) or (event.intent and not event.intent & self.intents):
            return
        self.say(event.name, event.data if event.bare is None or self.intents & Intent.CONTENT else event.bare)

    def say(self, name: str, data: Wire) -> None:
        """The next event."""
        check_event(name, data)
        self.last += 1
        self._told[self.last] = json.dumps({"op": 0, "t": name, "s": self.last, "d": data})
        self._told.pop(self.last - KEPT, None)
        self.more.set()

    def at(self, number: int) -> str:
        """The event of this number, as it goes over the wire."""
        return self._told[number]
