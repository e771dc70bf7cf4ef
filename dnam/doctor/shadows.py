"""Shadows: which there are, whether each is of this log and complete, how far it is behind, what waits for it, and how
much room they take beside the log.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dnam.doctor.check import Finding, Patient, doubt, skipped, well, wrong
from dnam.doctor.disk import bytes_words
from dnam.errors import ShadowUnusable
from dnam.shadows.manifest import Manifest, is_being_made, is_name, known
from projections.counting import counted
from projections.errors import BadRequest
from replay.errors import LogError, LogMissing, NothingHere
from replay.shadows.shadow import SHADOWS, shadow_folder

if TYPE_CHECKING:
    from replay.engine import Engine

MUCH = 1_000
"""How many events that it would read a shadow is behind before that is worth a word."""


async def beside(patient: Patient) -> list[Finding]:
    """Each shadow, and what all of them take."""
    folder = patient.data / SHADOWS
    names = sorted(each.name for each in folder.iterdir() if is_name(each.name)) if folder.is_dir() else []
    if not names:
        return skipped("there are no shadows")
    found = [finding for name in names for finding in _shadow(patient.data, name)]
    return [*found, *well(_room(patient.data, names))]


def _shadow(data: Path, name: str) -> list[Finding]:
    drop = f"`dnam shadows drop {name}` removes it"
    try:
        manifest = known(data, name)
        return _unbegun(data, name, drop) if manifest is None else _seen(data, manifest)
    except BadRequest as error:
        return wrong(f"{name}: {error}", f"{drop}. What is in it cannot be compared or adopted.")
    except ShadowUnusable as error:
        anew = f"`dnam shadows drop {name}`, then `dnam rederive --name {name}` again."
        return wrong(f"{name} cannot be used: {error.why}", anew)


def _unbegun(data: Path, name: str, drop: str) -> list[Finding]:
    if is_being_made(data, name):
        return well(f"{name} is being begun just now")
    begin = f"{drop}, `dnam rederive --name {name}` begins."
    return doubt(f"{name} was broken off before anything was made of it", begin)


def _seen(data: Path, manifest: Manifest) -> list[Finding]:
    """All there is to say of one; ShadowUnusable where that is all."""
    name = manifest.name
    try:
        of_log = _of_log(data, manifest)
    except (NothingHere, LogMissing):
        return doubt(f"{name} is of a log that is not here", f"`dnam shadows drop {name}` removes it.")
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return _state(data, manifest)
    return [*_state(data, manifest), *_batches(data, name), *of_log]


def _state(data: Path, manifest: Manifest) -> list[Finding]:
    """Whether it is there as it is to be, or being made, or was broken off."""
    name, upto = manifest.name, f"it knows the log up to #{manifest.upto}"
    if manifest.state == "complete":
        return well(f"{name} is complete: {upto}")
    if is_being_made(data, name):
        return well(f"{name} is being made just now: {upto}")
    go_on = f"`dnam rederive --name {name}` goes on where it was; `dnam shadows drop {name}` removes it."
    return doubt(f"{name} is not complete: {upto}, and nobody is making it just now", go_on)


def _batches(data: Path, name: str) -> list[Finding]:
    """What was asked by the Message Batches API and not fetched yet, as far as the book of it can be read."""
    from dnam.rederiving.dropping import batches_under_way

    damaged: list[str] = []
    waiting = len(batches_under_way(data, name, damaged.append))
    repair = f"`dnam shadows drop {name}` removes it; console.anthropic.com lists what is under way."
    found = [finding for what in damaged for finding in wrong(f"{name}: {what}", repair)]
    if waiting:
        number = "1 batch waits" if waiting == 1 else f"{waiting} batches wait"
        fetch = f"`dnam rederive --name {name}` fetches what is answered, `dnam shadows drop {name}` cancels it."
        found += doubt(f"{name}: {number} at the API, and costs whether it is fetched or not", fetch)
    return found


def _of_log(data: Path, manifest: Manifest) -> list[Finding]:
    """What only the log can tell: how far it is behind, and whether an adoption was broken off. ShadowUnusable where it
    is not of that log, or is not whole.
    """
    from dnam.shadows.opening import refuse_unusable
    from replay.engine import Engine

    with Engine.open(data, writable=False) as engine:
        refuse_unusable(engine, data, manifest)
        return [*_behind(engine, manifest), *_adoption(engine, manifest)]


def _behind(engine: "Engine", manifest: Manifest) -> list[Finding]:
    from dnam.shadows.behind import behind

    late = behind(engine, manifest)
    if late < MUCH or manifest.state != "complete":
        return []
    name = manifest.name
    return doubt(
        f"{name} does not know {counted(late, 'event')} of the log yet",
        f"`dnam rederive --name {name}` goes on, as `dnam adopt {name}` does before it adopts.",
    )


def _adoption(engine: "Engine", manifest: Manifest) -> list[Finding]:
    from dnam.adoption.half_adopted import is_half_adopted

    with engine.reading() as rows:
        if not is_half_adopted(engine, rows, manifest):
            return []
    name = manifest.name
    return doubt(
        f"an adoption of {name} was broken off: a part of it is recorded, and does not count yet",
        f"`dnam adopt {name}` goes on, `dnam adopt --undo {name}` takes it back.",
    )


def _room(data: Path, names: list[str]) -> str:
    sizes = {name: _size(shadow_folder(data, name)) for name in names}
    each = ", ".join(f"{name} {bytes_words(size)}" for name, size in sizes.items())
    return f"{bytes_words(sum(sizes.values()))} in all beside {bytes_words(_size(data / 'log'))} of log: {each}"


def _size(folder: Path) -> int:
    """What it takes on the disk: LMDB's files have holes. What is removed meanwhile takes nothing."""
    size = 0
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            size += file.stat().st_blocks * 512 if file.is_file() else 0
    return size
