"""One adoption at a time for a data folder, or one undoing: while it goes on, nobody counts or takes back what it is
about to record.

    adopt          adopting.lock, from what it offers until it counts; and the shadow's making.lock
    adopt --undo   adopting.lock, from what it offers until it counts

The shadow's own lock would make an undoing wait for a derivation, which may take a day, and has nothing to do with it;
and the shadow may be gone. The bot takes neither: what it records meanwhile is looked at with every decision. The lock
is a flock, which the kernel lets go with the process, however that ends; the small file says who has it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from replay.errors import Busy
from replay.lmdb_file import translated
from replay.lock import takes

FILE = "adopting.lock"
MOST_BYTES = 200
"""So much of what the file says is read."""
What = Literal["adoption", "undoing"]


@contextmanager
def adopting_alone(data: Path, what: What, name: str) -> Iterator[None]:
    """Be the only one who adopts here or takes an adoption back, as long as the `with` lasts. Busy where another
    process does.
    """
    with translated(data):
        file = os.open(data / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if not takes(file):
                raise Busy(_words(os.pread(file, MOST_BYTES, 0).decode("utf-8", "replace")))
            os.ftruncate(file, 0)
            os.pwrite(file, f"{what} {name}\n".encode(), 0)
        except BaseException:
            os.close(file)
            raise
    try:
        yield
    finally:
        os.ftruncate(file, 0)
        os.close(file)


def _words(text: str) -> str:
    """Who has it, as the file says."""
    what, _, name = text.strip().partition(" ")
    if what == "undoing":
        return (
            f"another process is taking an adoption of {name} back just now: wait for it, or end it. "
            f"What it took back until then stays so, and `dnam adopt --undo {name}` goes on"
        )
    if what == "adoption":
        return (
            f"an adoption of {name} is under way in another process: wait for it, or end it. "
            f"What it adopted until then stays, and `dnam adopt --undo {name}` takes it back"
        )
    return "an adoption, or the undoing of one, is under way in another process: wait for it, or end it"
