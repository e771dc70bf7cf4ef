"""What goes over the wire: JSON objects, snowflakes and times.

A snowflake is `ms since 2015 << 22 | worker << 12 | count`; ids of one server never repeat and never go back, whatever
its clock does. (discord/discord-api-docs, Reference: Snowflakes)
"""

import datetime
from collections.abc import Callable
from typing import Any

Wire = dict[str, Any]
"""A JSON object as Discord writes it; its shape is checked by the description, not by the type checker."""
Clock = Callable[[], int]
"""The time now, in ms since 1970."""

DISCORD_EPOCH = 1_420_070_400_000
"""2015-01-01T00:00:00Z, in ms."""
WORKER = 1 << 12


class Snowflakes:
    """Ids by a clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._at = 0
        self._count = 0

    def next(self) -> int:
        """A new id, larger than all before it."""
        at = max(self._clock() - DISCORD_EPOCH, self._at)
        self._count = self._count + 1 if at == self._at else 0
        if self._count == WORKER:
            at, self._count = at + 1, 0
        self._at = at
        return at << 22 | WORKER | self._count

    def now(self) -> str:
        """The time now, as Discord writes it."""
        return written(max(self._clock(), self._at + DISCORD_EPOCH))

    def seconds(self) -> int:
        """The time now, in seconds since 1970."""
        return self._clock() // 1000


def made_at(snowflake: int) -> str:
    """When a thing with this id was made, as Discord writes it."""
    return written((snowflake >> 22) + DISCORD_EPOCH)


def written(ms: int) -> str:
    """A time as Discord writes it: RFC 3339 with an offset."""
    seconds, rest = divmod(ms, 1000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC) + datetime.timedelta(milliseconds=rest)
    return moment.isoformat(timespec="microseconds")
