"""What a memory is asked: what its commands print, and the digest of all its rows, now and after one more message."""

import json
from pathlib import Path

from replay.engine import Engine
from tests.dnam.cli.memories import dnam
from tests.replay.stage import FakeClock, digest, says

LATER = "2023-11-15 12:00:00"
"""When the commands are run: some tell how long ago something was."""
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("people", "--json"),
    ("show", "Kim", "--all", "--json"),
    ("show", "Ada", "--all", "--json"),
    ("prompt", "Kim", "which tea?", "--in", "general", "--json"),
    ("sessions", "--json"),
    ("search", "tea", "--json"),
    ("show", "Kim", "--at", "30", "--json"),
)
"""Everybody is shown by some of these tries; each try asks one of them."""


SHADOW = "next"
JUDGED = ("differs", "items", "summaries", "old", "new", "people", "sessions")
"""Of a comparison with a shadow, everything but what its manifest says of its own making."""


def compared(data: Path) -> str:
    """What `dnam diff --shadow` judges, or why it does not, in its one line."""
    ran = dnam("diff", "--shadow", SHADOW, "--json", "--data", data)
    return ran.err if ran.code > 1 else json.dumps([ran.value[each] for each in JUDGED], sort_keys=True)


def digested(data: Path) -> bytes:
    """The digest of all rows, by a reader."""
    with Engine.open(data, writable=False, clock=FakeClock()) as engine:
        return digest(engine)


def recorded(data: Path) -> bytes:
    """The digest of all rows once a writer has recorded another message."""
    with Engine.open(data, clock=FakeClock()) as engine:
        engine.record(says("and on", "the kettle sings on"))
        return digest(engine)
