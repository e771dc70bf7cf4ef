"""What some methods of a class, or functions of a module, took, wherever they are called from."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter, thread_time
from types import ModuleType
from typing import Any
from unittest.mock import patch


class Watched:
    """The seconds that calls took, those of them in which they computed, and the names of the threads they ran in: one
    that shares the interpreter with others waits for them too.
    """

    def __init__(self) -> None:
        self.seconds = self.computing = 0.0
        self.calls = 0
        self.threads: set[str] = set()

    def around(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """The method, timed."""

        def timed(*arguments: Any, **named: Any) -> Any:
            start, computed = perf_counter(), thread_time()
            try:
                return method(*arguments, **named)
            finally:
                self.seconds += perf_counter() - start
                self.computing += thread_time() - computed
                self.calls += 1
                self.threads.add(threading.current_thread().name)

        return timed


@contextmanager
def watching(of: type | ModuleType, *methods: str) -> Iterator[Watched]:
    """What these methods take while the `with` lasts. They do not call each other."""
    watched = Watched()
    with ExitStack() as stack:
        for name in methods:
            stack.enter_context(patch.object(of, name, watched.around(getattr(of, name))))
        yield watched
