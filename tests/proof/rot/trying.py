"""One try after the other: damage, ask, count."""

import shutil
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from tests.proof.claim import Trial
from tests.proof.rot.damage import KINDS, PLACES, Damage, Ground, Where, chosen, chosen_beside, ground_beside, harmless
from tests.proof.rot.nursery import Nursery
from tests.proof.rot.tally import Tally, Tried

PHASES = {
    "log": ("events", "look", "rows", "verify", "write"),
    "ring": ("look", "rows", "verify", "write", "again"),
    "views": ("trees", "look", "rows", "verify", "write", "again"),
    "shadow": ("compare",),
    "backup": ("restore", "go on"),
}
BESIDE: tuple[Where, ...] = ("shadow", "backup")
REPAIRED_EVERY, LOOKED_EVERY = 2, 2


def tries_beside(trial: Trial, folder: Path, nursery: Nursery, each: int, tally: Tally) -> None:
    """So many tries of every kind of damage to a shadow, and to a backup. Copies are made in `folder`."""
    for where in BESIDE:
        source, files = _beside(tally, where)
        for number, (kind, turn) in enumerate(product(KINDS, range(each))):
            name = f"rot {where} {kind} {turn}"
            damage = chosen_beside(kind, where, files, trial.dice(name))
            tried = _tried(folder / "try", source, nursery, number, damage, PHASES[where])
            if tried is not None:
                tally.take_beside(name, tried)
        trial.say(f"{each * len(KINDS)} tries in a {where}")


def _beside(tally: Tally, where: Where) -> tuple[Path, Ground]:
    """What lies beside the memory: the folder that is copied, and the files of it that rot."""
    source = tally.whole.beside if where == "shadow" else tally.whole.backup
    return source, ground_beside(source, "shadows" if where == "shadow" else "")


def controls(trial: Trial, folder: Path, nursery: Nursery, each: int, tally: Tally) -> None:
    """At every place: nothing is damaged, and so many times what nobody uses."""
    for where in (*PLACES, *BESIDE):
        source, files = _beside(tally, where) if where in BESIDE else (tally.whole.data, tally.ground)
        phases = [*PHASES[where], *["repair"] * (where == "log")]
        for number in range(1 + each):
            name = f"rot {where} harmless {number}"
            damage = harmless(where, files, trial.dice(name) if number else None)
            copy = folder / "try"
            shutil.copytree(source, copy)
            damage.inflict(copy)
            tally.take_control(name, Tried(damage, nursery.tried(number, copy, phases)))
            shutil.rmtree(copy)


def tries(trial: Trial, folder: Path, nursery: Nursery, each: int, tally: Tally) -> None:
    """So many tries of every kind of damage at every place; a log is repaired in every REPAIRED_EVERYth, and a command
    shows something in every LOOKED_EVERYth. Copies are made in `folder`.
    """
    for number, name, damage in _damages(trial, tally.ground, each):
        phases = [phase for phase in PHASES[damage.where] if phase != "look" or number % LOOKED_EVERY == 0]
        is_log = damage.where == "log" and damage.files[0].endswith("data.mdb")
        for_repair = is_log and number % REPAIRED_EVERY == 0
        phases += ["repair"] * for_repair
        tried = _tried(folder / "try", tally.whole.data, nursery, number, damage, phases)
        if tried is None:
            tally.counts["nothing to change"] += 1
            continue
        tally.take(name, tried)
        if for_repair:
            tally.take_repair(name, tried)


def _damages(trial: Trial, files: Ground, each: int) -> Iterator[tuple[int, str, Damage]]:
    number = 0
    for where in PLACES:
        for kind in KINDS:
            for _ in range(each):
                number += 1
                name = f"rot {where} {kind} {number}"
                yield number, name, chosen(kind, where, files, trial.dice(name))
            trial.say(f"{number} tries, the last of them {kind} in {where}")


def _tried(
    copy: Path, source: Path, nursery: Nursery, number: int, damage: Damage, phases: Sequence[str]
) -> Tried | None:
    shutil.copytree(source, copy)
    try:
        return Tried(damage, nursery.tried(number, copy, phases)) if damage.inflict(copy) else None
    finally:
        shutil.rmtree(copy)
