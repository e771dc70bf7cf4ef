"""An LMDB environment that can be opened anew while others use it: between two transactions, when none is under way.

LMDB keeps the memory of every page that its largest commit wrote, for the next one, and gives it back only when it is
closed; so it does with the addresses of what was read. It opens nothing twice in a process, and nothing that is closed
can be read: whoever begins a transaction meanwhile waits until it is open again, which takes about a ms.

Every look at the rows begins two, so they are counted without a lock, which would take as long as LMDB. Whoever begins
one first says so, and then looks whether it is being opened anew; that is said first too, and then it is looked whether
one is under way. So at least one of the two gives way.
"""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

import lmdb


class Begun:
    """A transaction that is under way, for a `with`."""

    __slots__ = ("_ended", "_transaction")

    def __init__(self, transaction: Any, ended: Callable[[], object]) -> None:
        self._transaction = transaction
        self._ended = ended

    def __enter__(self) -> Any:
        return self._transaction

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._transaction.__exit__(kind, error, trace)
        finally:
            self._ended()


class Renewed:
    """An environment, as `opening` opens it."""

    def __init__(self, opening: Callable[[], lmdb.Environment]) -> None:
        self._opening = opening
        self._environment = opening()
        self._under_way: list[None] = []
        """As long as there are transactions: a list grows and shrinks at once, whichever threads want it to."""
        self._is_renewed = False
        """Whether it is being opened anew."""
        self._renewing = threading.Lock()
        """Held meanwhile."""

    def begin(self, *, write: bool = False) -> Begun:
        """A transaction, for a `with`. Where another one writes, it is waited for."""
        return Begun(self.begun(write=write), self._under_way.pop)

    def begun(self, *, write: bool = False) -> lmdb.Transaction:
        """The same for who says when it is `over`: that takes half as long as a `with`."""
        self._under_way.append(None)
        if self._is_renewed:
            self._wait()
        try:
            return self._environment.begin(write=write)
        except BaseException:
            self._under_way.pop()
            raise

    def over(self, transaction: lmdb.Transaction) -> None:
        """End what has `begun`; what it wrote is as if it had never been."""
        transaction.abort()
        self._under_way.pop()

    def _wait(self) -> None:
        while self._is_renewed:
            self._under_way.pop()
            with self._renewing:
                self._under_way.append(None)

    def renew(self, opened: Callable[[], object]) -> bool:
        """Open it anew, unless a transaction is under way; whether it was. `opened` is called before one begins. Where
        it cannot be opened, it is closed.
        """
        with self._renewing:
            self._is_renewed = True
            try:
                if self._under_way:
                    return False
                self._environment.close()
                self._environment = self._opening()
                opened()
                return True
            finally:
                self._is_renewed = False

    def open_db(self, name: bytes, *, create: bool) -> Any:
        """A table."""
        return self._environment.open_db(name, create=create)

    def reader_check(self) -> None:
        """Strike dead readers from the table of readers."""
        self._environment.reader_check()

    def sync(self) -> None:
        """Make all that was committed last."""
        self._environment.sync(True)

    def close(self) -> None:
        """Let it go: what is under way breaks off."""
        self._environment.close()
