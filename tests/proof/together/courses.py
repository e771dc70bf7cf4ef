"""Any course of things: two writers and a reader on one folder, which chance lets write at once or in turn, start again
and look, held against the model after each step (a hypothesis state machine).
"""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from projections.ids import Seq
from replay.codec import decode_header
from replay.engine import Engine
from tests.proof.together.ops import Op, Order, Ran, Seen, Told, text_of
from tests.proof.together.oracle import Model
from tests.proof.together.workers import Workers

MANY = 3
"""So many of what is wrong are told of."""
OPS = st.one_of(
    st.builds(lambda n: Op("hear", f"word {n}", f"key {n}"), st.integers(0, 5)),
    st.builds(lambda kind, n: Op(kind, text_of(n)), st.sampled_from(("remember", "forget")), st.integers(0, 3)),
)
TASKS = st.lists(st.lists(OPS, max_size=4).map(tuple), max_size=3).map(tuple)


class Course(RuleBasedStateMachine):
    """Two writers and a reader on one folder, and the model of what they were told."""

    workers: Workers
    counts: Counter[str]

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory()
        self.data = str(Path(self.place.name) / "data")
        self.told: list[Told] = []

    @initialize()
    def begin(self) -> None:
        """All of them open it."""
        for number in range(3):
            self.workers.ask(number, Order("open", self.data, is_reader=number == 2), type(None))

    @rule(left=TASKS, right=TASKS)
    def both_write(self, left: tuple[tuple[Op, ...], ...], right: tuple[tuple[Op, ...], ...]) -> None:
        """Each process some tasks, at once."""
        for number, tasks in enumerate((left, right)):
            self.workers.send(number, Order("run", tasks=tasks))
        for number in range(2):
            self.told += self.workers.answer(number, Ran).told
        self.counts["at once"] += bool(left and right)

    @rule(writer=st.integers(0, 1), op=OPS)
    def one_writes(self, writer: int, op: Op) -> None:
        """While nobody else does."""
        self.told += self.workers.ask(writer, Order("run", tasks=((op,),)), Ran).told

    @rule(number=st.integers(0, 2))
    def one_starts_again(self, number: int) -> None:
        """A writer, or the reader."""
        self.workers.ask(number, Order("close"), type(None))
        self.workers.ask(number, Order("open", self.data, is_reader=number == 2), type(None))
        self.counts["starts"] += 1

    @rule(number=st.integers(0, 2))
    def one_looks(self, number: int) -> None:
        """It sees what was committed, all of it."""
        seen = self.workers.ask(number, Order("look"), Seen)
        wrong = list(self.model().wrongly_seen(seen))
        assert not wrong, "; ".join(wrong[:MANY])
        events = sum(len(each.seqs) for each in self.told)
        assert seen.upto == events, f"{seen.upto} events were seen of {events}"
        self.counts["looks"] += 1

    def model(self) -> Model:
        """What they were told, one at a time."""
        return Model(self.told, ends(Path(self.data)))

    def teardown(self) -> None:
        """Hold all of it against the model."""
        for number in range(3):
            self.workers.ask(number, Order("close"), type(None))
        wrong = list(self.model().wrong(sum(len(each.seqs) for each in self.told)))
        self.place.cleanup()
        self.counts["courses"] += 1
        self.counts["writes"] += len(self.told)
        assert not wrong, "; ".join(wrong[:MANY])


def ends(data: Path) -> list[Seq]:
    """The seqs at which a decision ends."""
    with Engine.open(data, writable=False) as engine:
        return [each.seq for each in engine.store.log.read(0) if not decode_header(each.header).left]


def tried(courses: int, steps: int, first: int) -> Counter[str]:
    """Run so many courses of up to so many steps, by chance that begins with `first`; how many there were, with how
    many writes, looks, starts, and steps in which both wrote. AssertionError with the shortest course that was found
    wrong, as far as it was made shorter.
    """
    with Workers(3) as workers:

        class Found(Course):
            """Those of this run."""

        Found.workers, Found.counts = workers, Counter()
        how = settings(
            max_examples=courses, stateful_step_count=steps, deadline=None, database=None,
            suppress_health_check=[HealthCheck.too_slow],
        )  # fmt: skip
        run_state_machine_as_test(seed(first)(Found), settings=how)
        return Found.counts
