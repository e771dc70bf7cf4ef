"""Rate limits, and everything that goes wrong on demand.

Limits are counted as Discord counts them: a bucket for a route and its major parameter (the channel, guild or webhook),
with the headers that say how full it is. Faults are handed out to requests that match, in the order of asking.

Source: Discord's documentation, Rate Limits.
"""

import asyncio
import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from fnmatch import fnmatchcase

from tests.loopback.discord.wire import Wire

MAJOR = ("channel_id", "guild_id", "webhook_id", "interaction_id")
PLENTY = 10_000
"""Requests per second of a route, unless a test says less: a suite does not wait for limits that it does not test."""


ANY = "*"
"""Whatever the method is."""


def anything(_: Wire) -> bool:
    """Whatever is asked."""
    return True


class Kind(Enum):
    """What goes wrong."""

    STATUS = auto()
    """An answer with an error status."""
    LIMIT = auto()
    """429, whatever the bucket says."""
    SLOW = auto()
    """No answer until the test opens the gate."""
    GARBLED = auto()
    """200 with half of a JSON document."""
    CUT = auto()
    """The connection ends without an answer."""


@dataclass(eq=False)
class Fault:
    """What goes wrong with the next `times` requests that match."""

    kind: Kind
    method: str
    path: str
    """A route's template, a path, or a pattern with `*`."""
    times: int = 1
    status: int = 500
    code: int = 0
    """Discord's own, beside the status."""
    seconds: float = 0
    everywhere: bool = False
    """Of a limit: it is the global one."""
    after: bool = False
    """The request is carried out, and only then goes wrong: the client cannot know."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    met: int = 0
    """How many requests met it so far."""
    asks: Callable[[Wire], bool] = anything
    """Whether a request with this body is meant; where it has none, that is empty."""

    def open(self) -> None:
        """Let the slow ones go on."""
        self.gate.set()

    def matches(self, method: str, template: str, path: str, body: Wire) -> bool:
        same = self.path == template or fnmatchcase(path, self.path)
        return self.times > 0 and self.method in (method, ANY) and same and self.asks(body)

    def meet(self) -> "Fault":
        self.times -= 1
        self.met += 1
        return self


@dataclass
class Rate:
    """How many requests a bucket of matching routes takes in a while."""

    method: str
    path: str
    limit: int
    seconds: float


@dataclass
class Bucket:
    """One route with one major parameter: how much is left of its window."""

    name: str
    limit: int
    seconds: float
    ends: float = 0
    used: int = 0

    def take(self, now: float) -> bool:
        """Whether there was room for one more."""
        if now >= self.ends:
            self.ends, self.used = now + self.seconds, 0
        if self.used == self.limit:
            return False
        self.used += 1
        return True


class Limits:
    """All buckets and all faults to come."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._buckets: dict[tuple[str, ...], Bucket] = {}
        self.rates: list[Rate] = []
        self.faults: list[Fault] = []

    def rate(self, method: str, path: str, limit: int, seconds: float) -> None:
        """From now on, matching buckets take `limit` requests in `seconds`."""
        self.rates.insert(0, Rate(method, path, limit, seconds))
        self._buckets.clear()

    def fault(self, method: str, template: str, path: str, body: Wire) -> Fault | None:
        """What goes wrong with this request."""
        found = next((each for each in self.faults if each.matches(method, template, path, body)), None)
        return found.meet() if found else None

    def bucket(self, method: str, template: str, path: str, parameters: dict[str, str]) -> Bucket:
        """The bucket that a request falls into."""
        major = tuple(parameters.get(each, "") for each in MAJOR)
        key = (method, template, *major)
        if key not in self._buckets:
            rate = next((each for each in self.rates if each.method == method and fnmatchcase(path, each.path)), None)
            name = hashlib.sha256(f"{method} {template}".encode()).hexdigest()[:32]
            limit, seconds = (rate.limit, rate.seconds) if rate else (PLENTY, 1.0)
            self._buckets[key] = Bucket(name, limit, seconds)
        return self._buckets[key]

    def headers(self, bucket: Bucket) -> dict[str, str]:
        """What every answer says of its bucket."""
        left = max(0.0, bucket.ends - self._clock())
        return {
            "X-RateLimit-Limit": str(bucket.limit),
            "X-RateLimit-Remaining": str(bucket.limit - bucket.used),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{math.ceil(left * 1000) / 1000:.3f}",
            "X-RateLimit-Bucket": bucket.name,
        }

    def take(self, bucket: Bucket) -> float | None:
        """Use one request of a bucket; None, or the seconds to wait for when it is empty."""
        now = self._clock()
        return None if bucket.take(now) else bucket.ends - now


def too_many(seconds: float, everywhere: bool) -> tuple[Wire, dict[str, str]]:
    """The body and headers of a 429. `Via` says that it comes from Discord, not from the wall before it."""
    body = {
        "message": "You are being rate limited.",
        "retry_after": math.ceil(seconds * 1000) / 1000,
        "global": everywhere,
        "code": 0,
    }
    headers = {"Retry-After": str(max(1, round(seconds))), "Via": "1.1 google"}
    headers["X-RateLimit-Scope"] = "global" if everywhere else "user"
    return body, headers | ({"X-RateLimit-Global": "true"} if everywhere else {})
