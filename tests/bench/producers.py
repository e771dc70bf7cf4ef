"""Many producers at once, each waiting for its own append before the next: threads, or tasks of one event loop."""

import asyncio
from collections.abc import Awaitable, Callable
from statistics import median, quantiles
from threading import Barrier, Thread
from time import perf_counter
from typing import NamedTuple


class Produced(NamedTuple):
    """What a run of many producers took, in seconds: all of it, and each append, as its producer saw it."""

    took: float
    latencies: list[float]

    @property
    def median(self) -> float:
        """The append in the middle."""
        return median(self.latencies)

    @property
    def p99(self) -> float:
        """What one append in a hundred takes or more."""
        return quantiles(self.latencies, n=100)[98]


def produce(producers: int, each: int, append: Callable[[int], object]) -> Produced:
    """Let them append, `each` times; `append` is told which producer it is."""
    latencies: list[float] = []
    start = Barrier(producers + 1)
    threads = [Thread(target=_produce, args=(which, each, append, start, latencies)) for which in range(producers)]
    for thread in threads:
        thread.start()
    start.wait()
    began = perf_counter()
    for thread in threads:
        thread.join()
    took = perf_counter() - began
    if len(latencies) != producers * each:
        raise RuntimeError(f"{producers * each - len(latencies)} of {producers * each} appends failed")
    return Produced(took, latencies)


def _produce(which: int, each: int, append: Callable[[int], object], start: Barrier, latencies: list[float]) -> None:
    start.wait()
    for _ in range(each):
        began = perf_counter()
        append(which)
        latencies.append(perf_counter() - began)


def produce_in_tasks(producers: int, each: int, append: Callable[[], Awaitable[object]]) -> Produced:
    """The same in one event loop, as the library is used."""
    return asyncio.run(_produce_in_tasks(producers, each, append))


async def _produce_in_tasks(producers: int, each: int, append: Callable[[], Awaitable[object]]) -> Produced:
    latencies: list[float] = []

    async def task() -> None:
        for _ in range(each):
            began = perf_counter()
            await append()
            latencies.append(perf_counter() - began)

    began = perf_counter()
    await asyncio.gather(*(task() for _ in range(producers)))
    return Produced(perf_counter() - began, latencies)
