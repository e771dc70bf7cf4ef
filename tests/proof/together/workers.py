"""Several workers, as they are seen from outside."""

import select
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Self, TypeVar

import msgspec

from tests.proof.together.ops import Order

T = TypeVar("T")


class Workers:
    """Processes that are gone afterwards. What is sent to several is done at the same time."""

    def __init__(self, count: int) -> None:
        command = [sys.executable, "-m", "tests.proof.together.worker"]
        self._processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)
        ]

    def send(self, worker: int, order: Order) -> None:
        """Begin something."""
        pipe = self._processes[worker].stdin
        assert pipe is not None
        pipe.write(msgspec.json.encode(order) + b"\n")
        pipe.flush()

    def _answers(self, worker: int) -> IO[bytes]:
        pipe = self._processes[worker].stdout
        assert pipe is not None
        return pipe

    def answer(self, worker: int, kind: type[T]) -> T:
        """What it answers to the oldest order that was not answered. EOFError where it has ended."""
        line = self._answers(worker).readline()
        if not line:
            raise EOFError(f"worker {worker} ended with {self._processes[worker].wait()}")
        return msgspec.json.decode(line, type=kind)

    def are_done(self, workers: Sequence[int], within: float) -> bool:
        """Whether an answer, or its end, is there already of each; where not, after so many seconds at the most."""
        under_way = [pipe for pipe in map(self._answers, workers) if not select.select([pipe], [], [], 0)[0]]
        return not under_way or len(select.select(under_way, [], [], within)[0]) == len(under_way)

    def ask(self, worker: int, order: Order, kind: type[T]) -> T:
        """Send, and wait for the answer."""
        self.send(worker, order)
        return self.answer(worker, kind)

    def everybody(self, workers: Sequence[int], order: Order) -> None:
        """Have all of them do the same, and wait for it."""
        for each in workers:
            self.send(each, order)
        for each in workers:
            self.answer(each, type(None))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.close()
        for process in self._processes:
            if kind is not None:
                process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
