"""The process in which tests run: once to learn which lines each test reaches, then against every mutant.

    python -m tests.proof.mutants.run reach ORDER ANSWER     all tests, each alone in its coverage context
    python -m tests.proof.mutants.run try ORDER ANSWER       a fork for each mutant: its tests, until one fails

Tests are collected once, and none has run before a fork: nothing that was computed and kept hides a mutant. A function
that runs when its module is imported is changed before that. Nothing of dnam is imported before coverage begins.
"""

import gc
import os
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time

import msgspec
import pytest

from tests.proof.mutants.forks import Tell, change, change_before, forked, limited, run
from tests.proof.mutants.orders import ROOT, Attempt, Outcome, Reached, ReachOrder, Tries, TryOrder

IMPORTING, IMPORT_S = "(importing)", 30
"""What is told while modules are imported, and how many seconds of a processor that may take."""
MOST_FILES = 3
"""Of so many files the tests are collected anew for a mutant that is there first."""


class _Reaching:
    """Runs all tests, each in its own coverage context."""

    def __init__(self, order: ReachOrder) -> None:
        from coverage import Coverage

        self.files = order.files
        self.seconds: dict[str, float] = {}
        self.bad: set[str] = set()
        self.coverage = Coverage(data_file=None, config_file=False, include=[str(ROOT / each) for each in order.files])
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.coverage.switch_context(item.nodeid)
        began = process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = process_time() - began
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.bad.add(report.nodeid)

    def reached(self) -> Reached:
        """What was learned."""
        self.coverage.stop()
        names = [name for name in self.seconds if name not in self.bad]
        place = {name: number for number, name in enumerate(names)}
        lines = {
            file: {
                line: sorted(place[each] for each in by if each in place) for line, by in self._by_line(file).items()
            }
            for file in self.files
        }
        imported = {file: sorted(line for line, by in self._by_line(file).items() if "" in by) for file in self.files}
        return Reached(names, [round(self.seconds[name], 4) for name in names], lines, imported)

    def _by_line(self, file: str) -> dict[int, list[str]]:
        return self.coverage.get_data().contexts_by_lineno(str(ROOT / file))


class _Trying:
    """Collects the tests; instead of running them, forks for every mutant."""

    def __init__(self, order: TryOrder) -> None:
        self.attempts = order.attempts
        self.early = {n: _early(each, order) for n, each in enumerate(order.attempts) if each.mutant.module}
        self.tries = Tries([], [])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        gc.freeze()
        found = [self.early[n] if n in self.early else _late(each, items) for n, each in enumerate(self.attempts)]
        outcomes = [each[-1] if each else Outcome() for each in found]
        seconds = dict(pair for each in self.attempts for pair in _named(items, each.tests))
        killers = sorted((each, seconds[each]) for each in {each.test for each in outcomes} if each in items)
        self.tries = Tries(outcomes, forked(lambda tell: run(items, killers, tell, until_one=False)))
        return True


def _late(attempt: Attempt, items: Mapping[str, pytest.Item]) -> list[Outcome]:
    """Try a mutant of a function that runs in tests alone."""

    def work(tell: Tell) -> None:
        change(attempt.mutant)
        run(items, _named(items, attempt.tests), tell, until_one=True)

    return forked(work)


def _early(attempt: Attempt, order: TryOrder) -> list[Outcome]:
    """Try a mutant of a function that runs at import already: nothing of dnam was imported until now."""
    files = list(dict.fromkeys(test.partition("::")[0] for test, _ in attempt.tests))[:MOST_FILES]
    tests = [(test, seconds) for test, seconds in attempt.tests if test.partition("::")[0] in files]

    def work(tell: Tell) -> None:
        change_before(attempt.mutant)
        alone = _Alone(tests, tell)
        tell(IMPORTING)
        limited(IMPORT_S)
        _pytest(files, alone, *_without_traces(order))
        if not alone.ended:
            raise RuntimeError(f"{attempt.mutant}: its tests were not run")

    return forked(work)


class _Alone:
    """Runs the tests against a mutant that was there first."""

    def __init__(self, tests: Sequence[tuple[str, float]], tell: Tell) -> None:
        self.tests, self.tell, self.ended = tests, tell, False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        if session.testsfailed:
            self.tell(f"{IMPORTING}\tit fails")
        else:
            run(items, _named(items, self.tests), self.tell, until_one=True)
        self.ended = True
        return True


def _named(items: Iterable[str], tests: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Single tests: a file stands for all of its tests, and a function for all of its cases."""
    every: list[tuple[str, float]] = []
    for name, seconds in tests:
        begins = (f"{name}::", f"{name}[")
        every += [(each, seconds) for each in items if each == name or each.startswith(begins)]
    return every


class _Quick:
    """Properties fail without looking for a smaller example: that they fail is enough."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings(phases=[Phase.explicit, Phase.generate], print_blob=False))
        settings.load_profile("mutants")


def _pytest(tests: Sequence[str], plugin: object, *more: str) -> bool:
    """Whether the tests could be run: collected, and what the plugin made of them."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=no", *more]
    ended = pytest.main([*options, *tests], plugins=[_Quick(), plugin])
    return ended in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def _without_traces(order: TryOrder) -> tuple[str, ...]:
    return f"--basetemp={order.folder}", "--assert=plain"


def main(what: str, order: str, answer: str) -> None:
    """Do one of the two, and write what came of it."""
    os.chdir(ROOT)
    data, came = Path(order).read_bytes(), Path(answer)
    if what == "reach":
        asked = msgspec.json.decode(data, type=ReachOrder)
        reaching = _Reaching(asked)
        if _pytest(asked.tests, reaching):
            came.write_bytes(msgspec.json.encode(reaching.reached()))
    else:
        wanted = msgspec.json.decode(data, type=TryOrder)
        trying = _Trying(wanted)
        if _pytest(wanted.tests, trying, *_without_traces(wanted)):
            came.write_bytes(msgspec.json.encode(trying.tries))


if __name__ == "__main__":
    main(*sys.argv[1:])
