"""Who stands beside us: bare LMDB and bare SQLite, and `eventsourcing` with SQLite in a file."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import lmdb

if TYPE_CHECKING:
    from tests.bench.sourced import Channel

SOURCED = "eventsourcing, SQLite"
LMDB = "lmdb put and commit"
SQLITE = "SQLite insert and commit"
SPEAKER = "800000000000000000"
_TEXT = "x" * 120
_ROW_BYTES = 40
"""What a stored event has beside its topic and state: an aggregate's id, as 32 characters, and two numbers."""


class BareLmdb:
    """One table, one put and one commit for each value, default flags: every commit is on disk when it returns."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._environment = lmdb.open(str(folder), map_size=1 << 40)
        self._next = 0

    def put(self, value: bytes) -> None:
        """Make a value last."""
        with self._environment.begin(write=True) as transaction:
            transaction.put(self._next.to_bytes(8, "big"), value)
        self._next += 1

    def close(self) -> None:
        """Let it go."""
        self._environment.close()


class BareSqlite:
    """One table, one insert and one commit for each value, in its quickest form that is durable: a write-ahead log that
    is synced with every commit.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE events (number INTEGER PRIMARY KEY, value BLOB)")

    def put(self, value: bytes) -> None:
        """Make a value last."""
        with self._connection:
            self._connection.execute("INSERT INTO events (value) VALUES (?)", (value,))

    def close(self) -> None:
        """Let it go."""
        self._connection.close()


class Sourced:
    """An `eventsourcing` application: one aggregate a channel, one event a message."""

    def __init__(self, path: Path) -> None:
        from tests.bench.sourced import Chat

        self.app = Chat(env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)})
        self._path = path
        self._padding = ""
        self._views = 0

    def channel(self, number: int) -> "Channel":
        """A new aggregate, saved."""
        from tests.bench.sourced import Channel

        channel = Channel(name=f"channel {number}")
        self.app.save(channel)
        return channel

    def say(self, channel: "Channel", speaker: str, text: str) -> None:
        """One durable event."""
        channel.hear(speaker, text, self._padding)
        self.app.save(channel)

    def pad_to(self, size: int) -> int:
        """Make events as large as ours; how large they are then, in bytes."""
        channel = self.channel(-1)
        self.say(channel, SPEAKER, _TEXT)
        self._padding = "." * max(0, size - self._last_size())
        self.say(channel, SPEAKER, _TEXT)
        return self._last_size()

    def _last_size(self) -> int:
        (stored,) = self.app.recorder.select_notifications(start=self._last(), limit=1)
        return len(stored.state) + len(stored.topic) + _ROW_BYTES

    def _last(self) -> int:
        last = self.app.recorder.max_notification_id()
        assert last is not None
        return last

    def fill(self, channels: int, events: int) -> list[UUID]:
        """So many events, a thousand in a commit; the ids of their aggregates."""
        ids: list[UUID] = []
        for number in range(channels):
            channel = self.channel(number)
            ids.append(channel.id)
            for at in range(1, events // channels):
                channel.hear(SPEAKER, _TEXT, self._padding)
                if at % 1000 == 0:
                    self.app.save(channel)
            self.app.save(channel)
        return ids

    def project(self) -> None:
        """Build a view of all events anew, row by row, in a file of its own."""
        from tests.bench.sourced import project

        self._views += 1
        view = self._path.with_name(f"{self._path.name}-view-{self._views}")
        project(self.app, str(view))

    def rebuild(self, ids: Sequence[UUID]) -> int:
        """Make every aggregate again from its events; how many messages they have."""
        return sum(self.app.heard_in(each) for each in ids)

    def close(self) -> None:
        """Let it go."""
        self.app.close()


def open_sourced(path: Path, size: int) -> Sourced | None:
    """The peer with events of so many bytes; None where it is not installed."""
    try:
        peer = Sourced(path)
    except ImportError:
        return None
    peer.pad_to(size)
    return peer
