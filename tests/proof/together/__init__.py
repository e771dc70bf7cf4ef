"""Many at once: processes and tasks that write the same memory, as if one at a time."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path

from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.together.courses import ends, tried
from tests.proof.together.ops import Order, Seen, Told, some_ops
from tests.proof.together.oracle import Model
from tests.proof.together.workers import Workers

WORKERS, TASKS, OPS = 4, 16, 1000
FEWEST_OVERLAPS = 0.2
"""The share of ops that must have been under way while others wrote: else nothing was tried at once."""
FEWEST_COLLISIONS = 0.02
"""The share of ops that must have collided: a message under an id that somebody else gives at the same time, an item
that another's op is about at the same time.
"""
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
        f"{FEWEST_OVERLAPS:.0%} of them were under way while others wrote, fewer than {FEWEST_COLLISIONS:.0%} while "
        f"another gave the same id, or fewer than {FEWEST_COLLISIONS:.0%} while another handled the same item",
    ),
    Claim("readers", "readers see what was committed, and nothing else", "another process looks all the while"),
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


def prove(trial: Trial) -> Iterator[Finding]:
    """Let them all write, and hold what they were told against the model."""
    data = trial.folder / "data"
    shape = (2, 4, 25) if trial.is_short else (WORKERS, TASKS, OPS)
    told, seen = _written(trial, data, *shape)
    size = _size(data)
    model = Model(told, ends(data))
    yield ordered(told, list(model.wrong(size)), shape, is_short=trial.is_short)
    wrongly = [each for one in seen for each in model.wrongly_seen(one)]
    often = len({one.upto for one in seen})
    came_out = f"{often} different states, {len(wrongly)} of them never so{_told(wrongly)}"
    yield Finding("readers", len(seen), "looks", came_out, not wrongly and often >= min(3, len(seen)))
    courses, steps = (SHORT_COURSES, SHORT_STEPS) if trial.is_short else (COURSES, STEPS)
    yield any_course(courses, steps, trial.dice("courses").randrange(2**32))
    yield _sound(data, size)


def _written(trial: Trial, data: Path, workers: int, tasks: int, ops: int) -> tuple[list[Told], list[Seen]]:
    """What the writers were told, and what a reader saw meanwhile."""
    writers, reader = list(range(workers)), workers
    with Workers(workers + 1) as processes:
        processes.ask(0, Order("open", str(data)), type(None))
        processes.everybody(writers[1:], Order("open", str(data)))
        processes.ask(reader, Order("open", str(data), is_reader=True), type(None))
        for each in writers:
            dice = trial.dice(f"ops {each}")
            every = tuple(tuple(some_ops(dice, each, task, ops)) for task in range(tasks))
            processes.send(each, Order("run", tasks=every))
        seen = [processes.ask(reader, Order("look"), Seen)]
        while not processes.are_done(writers, BETWEEN_LOOKS_SECONDS):
            seen.append(processes.ask(reader, Order("look"), Seen))
        told = [each for writer in writers for each in processes.answer(writer, list[Told])]
        seen.append(processes.ask(reader, Order("look"), Seen))
        trial.say(f"{len(told):,} ops, {len(seen)} looks")
    return told, seen


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
    met, ids, items = sum(map(_met, told)), *collided(told)
    came_out = (
        f"{len(wrong)} out of order, lost or double; {met / max(1, len(told)):.0%} of them were under way while others "
        f"wrote, {ids:,} while others gave the same id, {items:,} while others handled the same item{_told(wrong)}"
    )
    what = f"writes by {shape[0]} processes × {shape[1]} tasks"
    is_enough = ids + items > 0 if is_short else min(ids, items) >= FEWEST_COLLISIONS * len(told)
    is_tried = is_enough and met >= FEWEST_OVERLAPS * len(told) > 0
    return Finding("order", len(told), what, came_out, is_tried and not wrong)


def _met(told: Told) -> bool:
    """Whether others wrote while this was under way."""
    return told.after - told.before > len(told.seqs)


def collided(told: Sequence[Told]) -> tuple[int, int]:
    """How many messages were under way while another op gave the same id, and how many ops of items while another was
    about the same item. Two are under way together where neither ended before the other began.
    """
    by_thing: dict[tuple[bool, str], list[Told]] = {}
    for each in told:
        by_thing.setdefault((bool(each.op.key), each.op.key or each.op.text), []).append(each)
    counts = {True: 0, False: 0}
    for (is_message, _), some in by_thing.items():
        counts[is_message] += _together(some)
    return counts[True], counts[False]


def _together(some: Sequence[Told]) -> int:
    """How many of these overlap with another one of them."""
    begins, ends = sorted(each.before for each in some), sorted(each.after for each in some)
    found = 0
    for each in some:
        those = bisect_left(begins, each.after) - bisect_right(ends, each.before)
        found += those > 1 if each.before < each.after else those >= 0  # without itself, which may have lasted no time
    return found


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
