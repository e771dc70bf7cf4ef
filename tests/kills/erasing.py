"""A `dnam` command that dies by SIGKILL in front of a named step of an erasure, of a person or of a guild.

from tests.kills.erasing import dying; dying("exports")
from tests.kills.erasing import dying_of_guild; dying_of_guild("exports")
"""

import os
import shutil
import signal
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import dnam.erasing.guild
import dnam.erasing.person
import dnam.erasing.swept
import replay.ring.file
from replay.erasure import destroy_keys
from replay.folder import Folder
from replay.lmdb_log import LmdbLog
from replay.views import Views


class Step(NamedTuple):
    """What is called at a step, and which call of it since the erasure began that is, from 1."""

    owner: Any
    name: str
    call: int = 1


STEPS: Mapping[str, Step] = {
    "the keys": Step(LmdbLog, "append"),
    "ring a": Step(replay.ring.file, "replace_file"),
    "ring b": Step(replay.ring.file, "replace_file", 2),
    "the folder": Step(dnam.erasing.person, "sweep"),
    "exports": Step(dnam.erasing.swept, "remove"),
    "files of DiscoClaw": Step(dnam.erasing.swept, "write_anew"),
    "swept": Step(dnam.erasing.swept, "replace_file"),
    "views": Step(Views, "sync"),
    "views in force": Step(Folder, "put_in_force"),
    "old views": Step(shutil, "rmtree"),
    "completed": Step(LmdbLog, "append", 2),
}
"""In the order in which they come."""
GUILD_STEPS: Mapping[str, Step] = {
    "the note": Step(dnam.erasing.guild, "replace_file"),
    "exports": Step(dnam.erasing.guild, "remove"),
    "the first part": Step(dnam.erasing.guild, "erase_guild"),
    "the second part": Step(dnam.erasing.guild, "erase_guild", 2),
    "files of DiscoClaw": Step(dnam.erasing.guild, "write_files_anew"),
    "completed": Step(dnam.erasing.guild, "_note", 2),
}
BEGINNING = destroy_keys.__name__


def dying(name: str) -> None:
    """Run the command, and die there: nothing is cleaned up, and nobody is told."""

    def begin(*arguments: Any, **options: Any) -> Any:
        _arm(STEPS[name])
        return destroy_keys(*arguments, **options)

    setattr(dnam.erasing.person, BEGINNING, begin)
    from dnam.__main__ import main

    main()


def dying_of_guild(name: str) -> None:
    """The same for the erasing of a guild."""
    _arm(GUILD_STEPS[name])
    from dnam.__main__ import main

    main()


def _arm(step: Step) -> None:
    method: Callable[..., Any] = getattr(step.owner, step.name)
    calls = 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == step.call:
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*arguments, **options)

    setattr(step.owner, step.name, counted)
