"""A process that does what it is told on a memory: orders by lines, each answered by one.

python -m tests.proof.together.worker
"""

import asyncio
import os
import sys
from contextlib import AsyncExitStack, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path

import msgspec

from dnam.errors import Unknown
from dnam.memory import Memory
from dnam.settings import read
from projections.decisions.draft import Decision
from projections.items import items_of
from projections.messages import MESSAGES
from projections.people import person_of
from projections.rows import Rows
from replay.group import Recorded
from tests.proof.together.ops import PERSON, Op, Order, Ran, Seen, Told

SETTINGS = read({"DNAM_ENCODER": "none", "DNAM_VIEW_COMMIT_EVENTS": "500"}, {})
SEQS: ContextVar[list[int]] = ContextVar("seqs")


class Worker:
    """An open memory, if one is open, and how far the log reached when it acknowledged something for the last time."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._memory: Memory | None = None
        self._acknowledged = 0

    async def do(self, order: Order) -> object:
        """Do it; the answer."""
        match order.do:
            case "open":
                await self._open(order)
                return None
            case "run":
                seen: list[Seen] = []
                tasks = (self._task(ops, 0 if number else order.every, seen) for number, ops in enumerate(order.tasks))
                ran = await asyncio.gather(*tasks)
                return Ran([told for task in ran for told in task], seen)
            case "look":
                return await self._look()
            case _:
                self._memory = None
                await self._stack.aclose()
                return None

    @property
    def memory(self) -> Memory:
        assert self._memory is not None, "nothing is open"
        return self._memory

    async def _open(self, order: Order) -> None:
        memory = Memory.open(Path(order.folder), settings=SETTINGS, writable=not order.is_reader)
        self._memory = await self._stack.enter_async_context(memory)
        self._acknowledged = 0
        record = self._memory.record

        async def noting(decision: Decision) -> Recorded:
            recorded = await record(decision)
            seqs = [each.seq for each in recorded.records]
            SEQS.get().extend(seqs)
            self._acknowledged = max(self._acknowledged, *seqs) if seqs else self._acknowledged
            return recorded

        self._memory.record = noting  # type: ignore[method-assign]  # all that goes through this memory is noted

    async def _task(self, ops: tuple[Op, ...], every: int, seen: list[Seen]) -> list[Told]:
        told: list[Told] = []
        for op in ops:
            told.append(await self._one(op))
            if every and len(told) % every == 0:
                seen.append(await self._look())
        return told

    async def _one(self, op: Op) -> Told:
        SEQS.set([])
        before = self.memory.engine.head().size
        if op.kind == "hear":
            await self.memory.heard(PERSON, op.text, name="Kim", key=op.key, said=1)
        elif op.kind == "remember":
            await self.memory.remember(PERSON, op.text)
        else:
            with suppress(Unknown):  # nobody was met yet: there is nothing to forget
                await self.memory.forget(PERSON, op.text)
        return Told(op, tuple(SEQS.get()), before, self.memory.engine.head().size, os.getpid())

    async def _look(self) -> Seen:
        return await self.memory.look(partial(self._seen, self._acknowledged))

    def _seen(self, least: int, rows: Rows) -> Seen:
        found = person_of(rows, "local", PERSON)
        items = [] if found is None else items_of(rows, found.row.person)
        active = frozenset(each.row.item.text for each in items if each.row.item.status == "active")
        heard = sum(1 for _ in rows.keys(MESSAGES, b""))
        return Seen(self.memory.engine.live.folded, active, heard, least, os.getpid())


async def main() -> None:
    """Serve, until nobody orders any more."""
    worker, orders = Worker(), sys.stdin.buffer
    while line := await asyncio.to_thread(orders.readline):
        answer = await worker.do(msgspec.json.decode(line, type=Order))
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
    await worker.do(Order("close"))


if __name__ == "__main__":
    asyncio.run(main())
