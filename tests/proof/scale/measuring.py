"""A community's memory, measured at one size after the other while it grows."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import getloadavg
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import msgspec

from projections.people import PEOPLE
from projections.places import PLACES, audience_of
from projections.registry import FOLD
from replay.engine import Engine
from replay.store import DiskStore
from tests.proof.scale.asking import ASKED, SELDOM, Told, ask
from tests.proof.scale.community import HAMLET, TOWN, Community, Size
from tests.proof.scale.copying import template
from tests.proof.scale.scenes import VARIANTS, hold

Asking = Callable[[str, Path, int], Told]


_COMMAND = "from tests.proof.scale.asking import main; main()"


class Measured(msgspec.Struct, frozen=True):
    """What was measured at one size, by name: ms, seconds, MB (10⁶ bytes of a file, 2²⁰ of memory), rates, and the
    machine's load (processes that run or wait, over a minute) when it was: other work makes everything slower.
    """

    events: int
    vaults: int
    figures: dict[str, float]

    def __getitem__(self, name: str) -> float:
        return self.figures[name]


class Plan(NamedTuple):
    """Of which community, at which sizes, out of how many variants of each scene, and who asks."""

    size: Size
    events: Sequence[int]
    variants: int
    asking: Asking


def asked_apart(what: str, folder: Path, who: int) -> Told:
    """Ask it in a process of its own, whose memory is its own."""
    command = [sys.executable, "-c", _COMMAND, what, str(folder), str(who)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Told)


LONG = Plan(TOWN, (100_000, 1_000_000), VARIANTS, asked_apart)
SHORT = Plan(HAMLET, (400, 800), 1, partial(ask, often=SELDOM))


def measured(folder: Path, plan: Plan, seed: int, say: Callable[[str], None]) -> Iterator[Measured]:
    """Let a community talk, and measure it at each size; told anew after each thing that was asked, so that what was
    measured is kept where a long run breaks off.
    """
    say("holding the scenes that everything is made of")
    templates = [template(each) for each in hold(folder / "scenes", plan.variants, seed)]
    data = folder / "data"
    community = Community(data, plan.size, templates, seed)
    say(f"{plan.size.people:,} people meet in {plan.size.channels:,} channels")
    community.meet()
    for number, events in enumerate(plan.events):
        say(f"talking until there are {events:,} events")
        before, began = _ends(data)[0], perf_counter()
        reached = community.grow_to(events)
        figures = {"grown_per_s": (reached - before) / (perf_counter() - began)}
        for what in ASKED:
            say(f"{what} at {reached:,} events")
            vaults = _ends(data)[1]
            figures |= plan.asking(what, data, plan.size.people + number)
            if what == "replay":  # before anything is appended or erased
                figures |= _disk(data) | counted(data)
            figures[f"{what}_load"] = getloadavg()[0]
            yield Measured(reached, vaults, dict(figures))


def events_of(data: Path) -> int:
    """How many events there are."""
    return _ends(data)[0]


def _ends(data: Path) -> tuple[int, int]:
    """How many events and vaults there are."""
    store = DiskStore(data, FOLD, writable=False)
    found = store.log.head().size, len(store.ring.vaults)
    store.close()
    return found


def counted(data: Path) -> Told:
    """How many people there are, and how many public channels, by the views."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        people = {found.row.person for found in rows.scan(PEOPLE)}
        places = [found.row for found in rows.scan(PLACES) if found.row.kind == "channel"]
        audiences = [audience_of(rows, each.place) for each in places]
        public = sum(each is not None and each.kind == "guild" for each in audiences)
    return {"people": len(people), "channels": public}


def _disk(data: Path) -> Told:
    """MB of the log, the views and both copies of the ring."""
    return {
        f"{name}_disk_mb": sum(each.stat().st_size for each in (data / folder).rglob("*") if each.is_file()) / 1e6
        for name, folder in (("log", "log"), ("views", "views"), ("ring", "keys"))
    }
