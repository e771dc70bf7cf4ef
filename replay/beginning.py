"""How a memory begins with the id key of another log, so that what its platforms named keeps the ids it had there."""

from pathlib import Path

from replay.errors import ForeignKeyRing
from replay.folder import Folder, make_private
from replay.lmdb_file import translated
from replay.lock import WriteLock
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.records import ID_KEY, RingRecord


def begin_with(path: Path, id_key: bytes) -> bool:
    """Put a key ring with this id key, and nothing else, where there is no log yet; False where there is one.

    The next writer that opens the folder begins its log under it. ForeignKeyRing where another ring lies there.
    """
    if Folder(path / "log").current() is not None:
        return False
    with translated(path):
        make_private(path)
        lock = WriteLock(path / "write.lock")
        try:
            with lock:
                return _put(path, id_key)
        finally:
            lock.close()


def _put(path: Path, id_key: bytes) -> bool:
    if Folder(path / "log").current() is not None:  # another process made one just now
        return False
    keys = FileRingStore(path / "keys")
    try:
        if not keys.exists():
            keys.create([RingRecord(ID_KEY, payload=id_key)])
        if KeyRing.open(keys).id_key != id_key:
            raise ForeignKeyRing(f"there is a key ring of another log in {path / 'keys'}: choose a new folder")
    finally:
        keys.close()
    return True
