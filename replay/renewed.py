"""An LMDB environment that can be opened anew while others use it: between two transactions, when none is under way.

LMDB keeps the memory of every page that its largest commit wrote, for the next one, and gives it back only when it is
closed; so it does with the addresses of what was read. It opens nothing twice in a process, and nothing that is closed
can be read: whoever begins a transaction meanwhile waits until it is open again, which takes about a ms.
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import lmdb


class Begun:
    """A transaction that is under way: it ends with its `with`, or with `abort`."""

    __slots__ = ("_ended", "transaction")

    def __init__(self, transaction: Any, ended: Callable[[], None]) -> None:
        self.transaction = transaction
        self._ended = ended

    def __enter__(self) -> Any:
        return self.transaction

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.transaction.__exit__(kind, error, trace)
        finally:
            self._ended()

    def abort(self) -> None:
        """Let go of it; what it wrote is as if it had never been."""
        try:
            self.transaction.abort()
        finally:
            self._ended()


class Renewed:
    """An environment, as `opening` opens it."""

    def __init__(self, opening: Callable[[], lmdb.Environment]) -> None:
        self._opening = opening
        self._environment = opening()
        self._gate = threading.Lock()
        self._under_way = 0

    def begin(self, *, write: bool = False) -> Begun:
        """A transaction. Where another one writes, it is waited for."""
        with self._gate:
            self._under_way += 1
            environment = self._environment
        try:
            return Begun(environment.begin(write=write), self._over)
        except BaseException:
            self._over()
            raise

    def _over(self) -> None:
        with self._gate:
            self._under_way -= 1

    def renew(self, opened: Callable[[], object]) -> bool:
        """Open it anew, unless a transaction is under way; whether it was. `opened` is called before one begins. Where
        it cannot be opened, it is closed.
        """
        with self._gate:
            if self._under_way:
                return False
            self._environment.close()
            self._environment = self._opening()
            opened()
            return True

    def open_db(self, name: bytes, *, create: bool) -> Any:
        """A table."""
        return self._environment.open_db(name, create=create)

    def sync(self) -> None:
        """Make all that was committed last."""
        self._environment.sync(True)

    def close(self) -> None:
        """Let it go: what is under way breaks off."""
        self._environment.close()
