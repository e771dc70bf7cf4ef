"""What every benchmark is handed: a scratch folder, sizes, and large logs that are made once."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from projections.registry import FOLD
from replay.builder import rebuild
from replay.store import DiskStore
from tests.bench.loader import copy_seed
from tests.bench.measure import ROUNDS, Row
from tests.bench.seed import plant


@dataclass
class Bench:
    """`small`, `middle` and `large` are sizes of logs in events; `vaults` is how many keys the full ring has."""

    scratch: Path
    quick: bool = False
    rounds: int = ROUNDS
    _logs: dict[int, Path] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, int, int]:
        return (1_000, 10_000, 100_000) if self.quick else (10_000, 100_000, 1_000_000)

    @property
    def vaults(self) -> int:
        return 10_000 if self.quick else 100_000

    def folder(self, name: str) -> Path:
        """A folder of one's own, empty or not there yet."""
        return self.scratch / name

    def say(self, text: str) -> None:
        """Tell whoever waits what goes on."""
        sys.stderr.write(f"bench: {text}\n")

    def log_of(self, events: int, *, views: bool = True) -> Path:
        """A data folder with about so many events, and `views` up to its end; the same one each time."""
        if events not in self._logs:
            folder = self.scratch / f"log-{events}"
            self.say(f"making a log of {events:,} events")
            copy_seed(self._seed(), folder, events)
            if views:
                build_views(folder)
            self._logs[events] = folder
        return self._logs[events]

    def _seed(self) -> Path:
        folder = self.scratch / "seed"
        if not folder.exists():
            self.say("holding the conversation that all logs are made of")
            plant(folder, 200 if self.quick else 2_000)
        return folder


def build_views(folder: Path) -> None:
    """Views for a log that has outgrown them."""
    store = DiskStore(folder, FOLD, writable=True)
    try:
        rebuild(store, FOLD)
    finally:
        store.close()


Benchmark = Callable[[Bench], Iterator[Row]]
"""Measures something; its rows."""
