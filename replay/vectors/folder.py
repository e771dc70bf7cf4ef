"""The folder with the vectors: opened when it is needed, followed where another process replaced it, copied to remove.

What cannot be opened counts as nothing, and is begun anew: nothing in it is the only copy. What is removed is left
behind by a logical copy into a new folder, so that its bytes are off the disk (as rewriting.py does with the log).
"""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import lmdb

from replay.errors import LogError
from replay.folder import Folder, Stamp, make_private
from replay.lmdb_file import check_file, open_environment, translated

META, IN_FORCE = b"meta", b"in force"
_COPIED = 4096
"""How many entries are copied at once."""
Entry = tuple[bytes, bytes, bytes]
"""A table, a key in it, and the value."""
Keep = Callable[[Entry], bool]
"""Whether an entry stays."""


class VectorsFolder:
    """Named tables of LMDB in `path`. For several threads at once: whoever looks or writes holds the lock."""

    def __init__(self, path: Path, *, writable: bool, changed: Callable[[], None]) -> None:
        self._folder = Folder(path)
        self._writable = writable
        self._changed = changed
        """Told when what is open is another folder than before."""
        self.lock = threading.RLock()
        self._copying = threading.Lock()
        self._stamp: Stamp | None = None
        self._environment: lmdb.Environment | None = None
        self._retired: list[lmdb.Environment] = []
        self._tables: dict[bytes, Any] = {}

    @contextmanager
    def reading(self, *names: bytes) -> Iterator[tuple[Any, ...] | None]:
        """A transaction and these tables; None where one of them is not there."""
        with self.lock:
            self.follow()
            tables = [self._table(name) for name in names]
            if self._environment is None or None in tables:
                yield None
                return
            with self._environment.begin() as transaction:
                yield (transaction, *tables)

    @contextmanager
    def writing(self, *names: bytes) -> Iterator[tuple[Any, ...]]:
        """A transaction and these tables, which are made if need be. CannotWrite where the disk does not take it."""
        with self.lock, translated(self._folder.path):
            environment = self._made()
            for name in names:
                if name not in self._tables:
                    self._tables[name] = environment.open_db(name)
            with environment.begin(write=True) as transaction:
                yield (transaction, *(self._tables[name] for name in names))

    def names(self) -> list[bytes]:
        """Every table but `meta`."""
        with self.lock:
            self.follow()
            return [] if self._environment is None else _names(self._environment)

    def in_force(self) -> str:
        """What `meta` says is in force."""
        with self.reading(META) as found:
            return "" if found is None else bytes(found[0].get(IN_FORCE, b"", db=found[1])).decode()

    def without(self, keep: Keep) -> list[Entry]:
        """Leave behind what is not to be kept; what that was, without values. Where it is nothing, nothing is done."""
        with self._copying, translated(self._folder.path):
            with self.lock:
                self.follow()
                environment = self._environment
                names = [] if environment is None else _names(environment)
            if environment is None:
                shutil.rmtree(self._folder.path, ignore_errors=True)  # nothing of it can be used
                return []
            self._folder.remove_orphans()
            gone = [(*entry[:2], b"") for entry in _entries(environment, names) if not keep(entry)]
            if gone:
                self._copy(environment, names, keep, self.in_force())
            return gone

    def copy(self, keep: Keep, in_force: str) -> None:
        """Put a new folder in force with what is kept. What is written meanwhile is lost, and is to be made again."""
        with self._copying, translated(self._folder.path):
            with self.lock:
                environment = self._made()
                names = _names(environment)
            self._copy(environment, names, keep, in_force)

    def _copy(self, environment: lmdb.Environment, names: Sequence[bytes], keep: Keep, in_force: str) -> None:
        before = Path(environment.path())
        with self._folder.building() as fresh:
            copy = open_environment(fresh, writable=True, durable=False, building=True)
            try:
                _fill(copy, (entry for entry in _entries(environment, names) if keep(entry)), in_force)
                copy.sync(True)
            finally:
                copy.close()
            self._folder.put_in_force(fresh)
        with self.lock:
            self.follow()
            self._let_go()
        shutil.rmtree(before, ignore_errors=True)

    def stamp(self) -> Stamp | None:
        """Changes whenever another folder is in force."""
        return self._folder.stamp()

    def follow(self) -> None:
        """Open what is in force now, if it can be opened."""
        stamp = self._folder.stamp()
        if stamp == self._stamp:
            return
        self._retire()
        self._stamp = stamp
        try:
            current = self._folder.current()
            if current is not None:
                check_file(current)
                self._environment = open_environment(current, writable=self._writable, durable=False)
        except LogError:
            self._environment = None

    def close(self, *, writable: bool | None = None) -> None:
        """Let every file go. What is asked for later is opened again: as before, or as `writable` says."""
        with self._copying, self.lock:
            self._retire()
            self._stamp = None
            self._let_go()
            if writable is not None:
                self._writable = writable

    def _retire(self) -> None:
        """Use what is open no more. It is closed when nobody copies from it."""
        if self._environment is not None:
            self._retired.append(self._environment)
        self._environment, self._tables = None, {}
        self._changed()
        if not self._copying.locked():
            self._let_go()

    def _let_go(self) -> None:
        while self._retired:
            self._retired.pop().close()

    def _made(self) -> lmdb.Environment:
        """What is in force, for writing; begun anew where it cannot be used."""
        self.follow()
        if self._environment is None:
            shutil.rmtree(self._folder.path, ignore_errors=True)
            make_private(self._folder.path)
            with self._folder.building() as fresh:
                open_environment(fresh, writable=True, durable=False).close()
                self._folder.put_in_force(fresh)
            self.follow()
        assert self._environment is not None, "it was made just now"
        return self._environment

    def _table(self, name: bytes) -> Any:
        """A table that is there, or None."""
        if name not in self._tables and self._environment is not None:
            try:
                self._tables[name] = self._environment.open_db(name, create=False)
            except lmdb.NotFoundError:
                return None
        return self._tables.get(name)


def _names(environment: lmdb.Environment) -> list[bytes]:
    """Every table but `meta`."""
    with environment.begin() as transaction:
        names = [bytes(name) for name in transaction.cursor().iternext(values=False)]
    return [name for name in names if name != META]


def _entries(environment: lmdb.Environment, names: Sequence[bytes]) -> Iterator[Entry]:
    for name in names:
        database = environment.open_db(name, create=False)
        with environment.begin() as transaction:
            for key, value in transaction.cursor(db=database):
                yield name, bytes(key), bytes(value)


def _fill(copy: lmdb.Environment, entries: Iterator[Entry], in_force: str) -> None:
    while some := list(islice(entries, _COPIED)):
        tables = {name: copy.open_db(name) for name in {name for name, _, _ in some}}
        with copy.begin(write=True) as transaction:
            for name, key, value in some:
                put = transaction.put(key, value, db=tables[name], append=True)
                assert put, "entries are copied in their order"
    meta = copy.open_db(META)
    with copy.begin(write=True) as transaction:
        transaction.put(IN_FORCE, in_force.encode(), db=meta)
