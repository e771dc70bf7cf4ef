"""Many at once: processes and tasks that write the same memory, as if one at a time."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.together.collisions import collided, met
from tests.proof.together.courses import ends, tried
from tests.proof.together.looks import stale, went_back
from tests.proof.together.ops import Order, Ran, Seen, Told, some_ops
from tests.proof.together.oracle import Model
from tests.proof.together.workers import Workers

WORKERS, TASKS, OPS = 4, 16, 1000
FEWEST_MET = 0.22
"""The share of ops that must have been under way while another process wrote: else nothing was tried at once."""
FEWEST_IDS, FEWEST_ITEMS = 0.008, 0.14
"""The share of ops that must have collided with another process: messages under an id that it gives at the same time,
ops of an item that one of its ops is about at the same time.
"""
LOOKS_EVERY = 10
"""After so many ops the first task of each writer looks."""
FEWEST_STATES, FEWEST_OWN_STATES = 400, 240
"""How many different states the reader must have seen, and the writers together; in short, three each."""
BETWEEN_LOOKS_SECONDS = 0.1
MANY = 3
COURSES, STEPS = 60, 20
SHORT_COURSES, SHORT_STEPS = 8, 8
OF_COURSES, FEWEST_EACH = ("writes", "looks", "starts", "at once"), 0.5
"""What must have come in courses, and how often in each of them, on average."""

CLAIMS = (
    Claim(
        "order",
        "what many do at once ends as if they had done it one at a time",
        "processes × tasks on one folder: messages under colliding ids, one person's items remembered and forgotten; "
        "each acknowledgement held against a model that is run in the log's order; fails where fewer than "
        f"{FEWEST_MET:.0%} of them were under way while another process wrote, {FEWEST_IDS:.1%} while another process "
        f"gave the same id, or {FEWEST_ITEMS:.0%} while another process handled the same item",
    ),
    Claim(
        "readers",
        "whoever looks sees what was committed, all of it, and nothing else",
        "another process looks all the while, and so does each that writes; each look is held against the same model, "
        "at the size of the log that it tells; it reaches as far as that process's looks before it, and as what was "
        "committed (for the reader) or acknowledged to the same process (for a writer) before it began; fails where "
        f"the reader saw fewer than {FEWEST_STATES} different states, or the writers fewer than {FEWEST_OWN_STATES}",
    ),
    Claim(
        "courses",
        "so does any course of things that chance thinks of",
        "a hypothesis state machine: two writers and a reader in processes of their own, which write at once or in "
        f"turn, are closed and opened, and look; {COURSES} courses of up to {STEPS} steps, each in a new folder, held "
        "against the same model at every look and at the end; fails where fewer were run, or where of writes, looks, "
        f"starts and steps in which both write there were fewer than {FEWEST_EACH:g} a course",
    ),
    Claim("sound", "afterwards every byte verifies, and the views are a rebuild's", "verify --open, replay --check"),
)


class Written(NamedTuple):
    """What the writers were told, what they saw, and what the reader saw, each process's looks in order."""

    told: list[Told]
    own: list[Seen]
    seen: list[Seen]


def prove(trial: Trial) -> Iterator[Finding]:
    """Let them all write, and hold what they were told against the model."""
    data = trial.folder / "data"
    shape = (2, 4, 40) if trial.is_short else (WORKERS, TASKS, OPS)
    written = _written(trial, data, *shape)
    size = _size(data)
    model = Model(written.told, ends(data))
    yield ordered(written.told, list(model.wrong(size)), shape, is_short=trial.is_short)
    yield looked(written, model, is_short=trial.is_short)
    courses, steps = (SHORT_COURSES, SHORT_STEPS) if trial.is_short else (COURSES, STEPS)
    yield any_course(courses, steps, trial.dice("courses").randrange(2**32))
    yield _sound(data, size)


def _written(trial: Trial, data: Path, workers: int, tasks: int, ops: int) -> Written:
    """Have them write, while a reader looks."""
    writers, reader = list(range(workers)), workers
    with Workers(workers + 1) as processes:
        processes.ask(0, Order("open", str(data)), type(None))
        processes.everybody(writers[1:], Order("open", str(data)))
        processes.ask(reader, Order("open", str(data), is_reader=True), type(None))
        for each in writers:
            dice = trial.dice(f"ops {each}")
            every = tuple(tuple(some_ops(dice, each, task, ops)) for task in range(tasks))
            processes.send(each, Order("run", tasks=every, every=LOOKS_EVERY))
        with Engine.open(data, writable=False) as engine:

            def look() -> Seen:
                committed = engine.head().size
                return msgspec.structs.replace(processes.ask(reader, Order("look"), Seen), least=committed)

            seen = [look()]
            while not processes.are_done(writers, BETWEEN_LOOKS_SECONDS):
                seen.append(look())
            ran = [processes.answer(writer, Ran) for writer in writers]
            seen.append(look())
    told, own = [each for one in ran for each in one.told], [each for one in ran for each in one.seen]
    trial.say(f"{len(told):,} ops, {len(seen)} looks of the reader, {len(own)} of the writers")
    return Written(told, own, seen)


def _size(data: Path) -> int:
    """How many events there are."""
    with Engine.open(data, writable=False) as engine:
        return engine.head().size


def any_course(courses: int, steps: int, first: int) -> Finding:
    """Whether every course of things is as if one at a time."""
    try:
        counts = tried(courses, steps, first)
    except Exception as error:  # noqa: BLE001 - whatever ends a course is what was found
        return Finding("courses", 1, "courses", f"one is wrong: {type(error).__name__}: {error}", holds=False)
    came_out = ", ".join(f"{counts[each]:,} {each}" for each in OF_COURSES)
    is_enough = counts["courses"] >= courses and all(counts[each] >= courses * FEWEST_EACH for each in OF_COURSES)
    return Finding("courses", counts["courses"], "courses", f"{came_out}; none of them otherwise", is_enough)


def ordered(told: Sequence[Told], wrong: list[str], shape: tuple[int, int, int], *, is_short: bool = False) -> Finding:
    """Whether all went as if one at a time, and enough of it at once; in short, one collision of any sort is enough."""
    at_once, ids, items = met(told), *collided(told)
    came_out = (
        f"{len(wrong)} out of order, lost or double; {at_once / max(1, len(told)):.0%} of them were under way while "
        f"another process wrote, {ids:,} while another gave the same id, {items:,} while another handled the same item"
        f"{_told(wrong)}"
    )
    what = f"writes by {shape[0]} processes × {shape[1]} tasks"
    least = (FEWEST_MET, FEWEST_IDS, FEWEST_ITEMS)
    is_enough = all(found >= share * len(told) > 0 for found, share in zip((at_once, ids, items), least, strict=True))
    is_tried = at_once > 0 and ids + items > 0 if is_short else is_enough
    return Finding("order", len(told), what, came_out, is_tried and not wrong)


def looked(written: Written, model: Model, *, is_short: bool = False) -> Finding:
    """Whether every look saw what was so, no less than before, and no less than there was for certain."""
    every = [*written.seen, *written.own]
    never, back, old = [each for one in every for each in model.wrongly_seen(one)], [*went_back(every)], [*stale(every)]
    states, own = ({one.upto for one in some} for some in (written.seen, written.own))
    came_out = (
        f"{len(states)} different states seen by the reader, {len(own)} by the writers; {len(never)} never so, "
        f"{len(back)} behind an earlier look, {len(old)} behind what was there before{_told([*never, *back, *old])}"
    )
    least = (3, 3) if is_short else (FEWEST_STATES, FEWEST_OWN_STATES)
    is_enough = len(states) >= least[0] and len(own) >= least[1]
    return Finding("readers", len(every), "looks", came_out, is_enough and not (never or back or old))


def _sound(data: Path, size: int) -> Finding:
    store = DiskStore(data, FOLD, writable=False)
    try:
        problems = verify(store, Folding(FOLD, store), opened=True).problems
        equal = check(store, FOLD).equal
    finally:
        store.close()
    named = [f"#{each.seq} {each.what}" for each in problems]
    came_out = f"{len(problems)} problems{_told(named)}; views {'equal' if equal else 'differ'}"
    return Finding("sound", size, "events", came_out, not problems and equal)


def _told(some: list[str]) -> str:
    return f": {'; '.join(some[:MANY])}" if some else ""


PART = Part("together", "Many at once", CLAIMS, prove)
