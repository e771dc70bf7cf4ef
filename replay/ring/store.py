"""Where a key ring is kept: what it asks of its store, and one in memory. The one on disk is file.py."""

from collections.abc import Iterable
from typing import Protocol

from replay.errors import CannotWrite
from replay.ring.records import RingRecord, Stand


class RingStore(Protocol):
    """Where a ring is kept."""

    def exists(self) -> bool: ...

    def create(self, records: Iterable[RingRecord]) -> None: ...

    def read(self) -> list[RingRecord]:
        """All records that hold, each once, in order. KeyRingDamaged where some are lost in both copies."""
        ...

    def left(self) -> list[RingRecord]:
        """The same, whatever is lost."""
        ...

    def stand(self) -> Stand | None:
        """How far the ring goes; None where that is not known, or where another process wrote it since."""
        ...

    def last_seen(self) -> Stand | None:
        """How far it went when this process saw or wrote it last, without a look."""
        ...

    def refuse_cut(self, reached: Stand) -> None:
        """KeyRingDamaged where the ring ends before where it is known to have gone."""
        ...

    def news(self) -> list[RingRecord] | None:
        """Records appended since the last look, by whomever; None when the ring was written anew."""
        ...

    def append(self, records: list[RingRecord]) -> None:
        """Add records and make them last in one copy at least."""
        ...

    def settle(self) -> CannotWrite | None:
        """Wait until what was appended lasts in every copy. The refusal, where one was not synced since this was asked
        last: the next append mends it.
        """
        ...

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        """Replace all records."""
        ...

    def damage(self) -> list[str]:
        """What is wrong with the copies, in words; empty when they agree."""
        ...

    def close(self) -> None: ...


class MemoryRingStore:
    """A ring that is gone with the process."""

    def __init__(self) -> None:
        self._records: list[RingRecord] = []

    def exists(self) -> bool:
        return bool(self._records)

    def create(self, records: Iterable[RingRecord]) -> None:
        self._records = list(records)

    def read(self) -> list[RingRecord]:
        return list(self._records)

    left = read

    def stand(self) -> Stand | None:
        return None

    last_seen = stand

    def refuse_cut(self, reached: Stand) -> None: ...

    def news(self) -> list[RingRecord] | None:
        return []

    def append(self, records: list[RingRecord]) -> None:
        self._records.extend(records)

    def settle(self) -> CannotWrite | None:
        return None

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        self._records = list(records)

    def damage(self) -> list[str]:
        return []

    def close(self) -> None: ...
