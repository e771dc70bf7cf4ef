"""One bot for a token: two would answer everything twice.

There are two locks. One is on a file beside the log, named after a hash of the token, so that several bots can share a
memory. The other, for bots with the same token and another folder, is on a file among the user's own of this session
($XDG_RUNTIME_DIR), or else among temporary files: it is seen by nobody who has another such folder, as another user, a
container, or a service with a /tmp of its own.

The kernel lets both go with the process, however that ends; small files stay, and are no lock.

A disk that cannot be written to keeps no bot from answering: a file that is there is locked as it is, and where there
is none, that is told, and the other lock has to do.
"""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from discord.http import Route

from projections.errors import BadRequest
from replay.errors import CannotWrite
from replay.folder import make_private, write_all
from replay.lmdb_file import translated
from replay.lock import holder

MOST_BYTES = 4096
"""How much of a lock's file is read: which process holds it, and on which folder."""
NO_LOCK = (
    "there is no lock in {data} ({why}): a second bot with this token is noticed only where it runs on this machine and"
    " for this user, and would answer everything twice"
)


class AlreadyRunning(BadRequest):
    """A bot with this token runs already, so far as can be seen from here."""


def lock_path(data: Path, token: str) -> Path:
    """Where the lock of a token is in a folder. The name tells nothing of it."""
    return data / f"bot-{_digest(token)}.lock"


def token_path(token: str) -> Path:
    """Where the lock of a token is, whatever the folder; of a token at another Discord, elsewhere."""
    folder = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(folder) / f"dnam-{_digest(f'{Route.BASE} {token}')}.lock"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def alone(data: Path, token: str, tell: Callable[[str], None]) -> Iterator[None]:
    """Be the only bot with this token, for as long as the `with` lasts. AlreadyRunning says who is. `tell` hears it
    where the disk of the folder takes no lock.
    """
    with ExitStack() as held:
        try:
            _hold(lock_path(data, token), data, held)
        except CannotWrite as error:
            tell(NO_LOCK.format(data=data, why=error))
        with suppress(OSError):  # where there is no room for it, nobody sees a bot on another folder
            path = token_path(token)
            anywhere = _opened(path, held)
            _lock(anywhere, path, data)
            _sign(anywhere, data)
        yield


def _hold(path: Path, data: Path, held: ExitStack) -> None:
    """Hold the lock of the folder; CannotWrite where there can be none."""
    file = _file(path, data, held)
    _lock(file, path, data)
    with suppress(OSError):  # held it is all the same: who is refused hears less
        _sign(file, data)


def _file(path: Path, data: Path, held: ExitStack) -> int:
    """The file of the lock; where nothing can be written, that of an earlier bot: a lock needs no more."""
    try:
        with translated(data):
            make_private(data)
            return _opened(path, held)
    except CannotWrite:
        with suppress(OSError):
            return _opened(path, held, os.O_RDONLY)
        raise


def _opened(path: Path, held: ExitStack, how: int = os.O_RDWR | os.O_CREAT) -> int:
    file = os.open(path, how | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    held.callback(os.close, file)
    return file


def _lock(file: int, path: Path, data: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        signed, _, folder = os.pread(file, MOST_BYTES, 0).decode(errors="replace").partition(" ")
        process = holder(path) or signed or "unknown"
        raise AlreadyRunning(
            f"a bot with this token already runs on {folder or data} (process {process}), and two would"
            " answer everything twice: end it first, or give this one a token of its own"
        ) from None


def _sign(file: int, data: Path) -> None:
    """Who holds it, and where."""
    os.ftruncate(file, 0)
    write_all(file, f"{os.getpid()} {data.resolve()}".encode(errors="replace"), 0)
