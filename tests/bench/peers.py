"""Who stands beside us: bare LMDB, and `eventsourcing` with SQLite in a file, both with their defaults."""

import os
from pathlib import Path
from typing import Any

import lmdb


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


class Sourced:
    """An `eventsourcing` application: one aggregate a channel, one event a message. ImportError where it is missing."""

    def __init__(self, path: Path) -> None:
        from tests.bench.sourced import Chat

        self.app = Chat(env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)})
        self._path = path
        self.padding = ""

    def channel(self, number: int) -> Any:
        """A new aggregate, saved."""
        from tests.bench.sourced import Channel

        channel = Channel(name=f"channel {number}")
        self.app.save(channel)
        return channel

    def say(self, channel: Any, speaker: str, text: str) -> None:
        """One durable event."""
        channel.hear(speaker, text, self.padding)
        self.app.save(channel)

    def pad_to(self, size: int) -> int:
        """Make events as large as ours: `size` bytes of stored state. What they have then."""
        channel = self.channel(-1)
        self.say(channel, "800000000000000000", "x" * 120)
        self.padding = "." * max(0, size - self._last_size())
        self.say(channel, "800000000000000000", "x" * 120)
        return self._last_size()

    def _last_size(self) -> int:
        last = self.app.recorder.max_notification_id()
        assert last is not None
        (stored,) = self.app.recorder.select_notifications(start=last, limit=1)
        return len(stored.state) + len(stored.topic) + 32

    def fill(self, channels: int, events: int) -> list[Any]:
        """As many events, in large commits; the ids of their aggregates."""
        ids: list[Any] = []
        for number in range(channels):
            channel = self.channel(number)
            ids.append(channel.id)
            for at in range(events // channels):
                channel.hear("800000000000000000", f"{at:06} " + "x" * 113, self.padding)
                if at % 1000 == 999:
                    self.app.save(channel)
            self.app.save(channel)
        return ids

    def rebuild(self, ids: list[Any]) -> int:
        """Make every aggregate again from its events; how many messages they have."""
        return sum(len(self.app.repository.get(each).messages) for each in ids)

    def close(self) -> None:
        """Let it go."""
        self.app.close()


def size_on_disk(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(os.stat(each).st_blocks * 512 for each in folder.rglob("*") if each.is_file())
