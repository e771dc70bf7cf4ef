"""Trying mutants, and what came of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tests.proof.claim import Trial
from tests.proof.mutants.orders import STUCK, Attempt, Mutant, Outcome, Reached, Tries, TryOrder
from tests.proof.mutants.reaching import asked, reached
from tests.proof.mutants.scope import Scope
from tests.proof.mutants.survivors import explained

if TYPE_CHECKING:
    from tests.proof.mutants.made import Place  # made of mutmut, which may not be installed

SPENT_S = 4.0
"""What the tests against one mutant may take of a processor, by what they took when they were learned."""
UNCHANGED = 5
"""So many functions of each scope are tried as they are: they must survive."""


class Tried(NamedTuple):
    """How many mutants a scope has, in how many files; those that were tried and what became of each; functions that
    were put in as they are, and what became of those.
    """

    total: int
    files: int
    mutants: list[Mutant]
    outcomes: list[Outcome]
    unchanged: list[Outcome]

    @property
    def killed(self) -> int:
        """By a test that fails, or does not end."""
        return sum(bool(each.test) for each in self.outcomes)

    @property
    def stuck(self) -> int:
        """Of those, by a test that does not end."""
        return sum(each.how == STUCK for each in self.outcomes)

    @property
    def survivors(self) -> list[Mutant]:
        """Those that no test noticed."""
        return [mutant for mutant, each in zip(self.mutants, self.outcomes, strict=True) if not each.test]

    @property
    def unexplained(self) -> list[Mutant]:
        """Survivors that are not accepted."""
        return [each for each in self.survivors if not explained(each)]

    def by_file(self) -> Iterator[str]:
        """A line for each file, and one for each survivor that is not explained."""
        counts = Counter(each.file for each in self.mutants)
        left = Counter(each.file for each in self.survivors)
        for file, count in sorted(counts.items()):
            yield f"{file}: {count - left[file]} of {count} killed"
        for each in self.unexplained:
            yield f"survived: {each.file}:{each.lines[0]} {each.function}: {each.before} -> {each.after}"


class Draw(NamedTuple):
    """What is tried of a scope."""

    total: int
    files: int
    attempts: list[Attempt]
    unchanged: list[Attempt]


def tried(trial: Trial, scopes: Sequence[Scope], is_wanted: "Callable[[Place], bool] | None" = None) -> list[Tried]:
    """Draw mutants of each scope, or take those that are wanted, and run the tests against them, all in one process."""
    draws = [_drawn(trial, scope, is_wanted) for scope in scopes]
    attempts = [each for draw in draws for each in (*draw.attempts, *draw.unchanged)]
    trial.say(f"trying {sum(len(draw.attempts) for draw in draws)} of {sum(draw.total for draw in draws):,} mutants")
    tests = sorted({test.partition("::")[0] for each in attempts for test, _ in each.tests})
    order = TryOrder(str(trial.folder / "tests"), tests, attempts)
    tries = msgspec.json.decode(asked(trial.folder, "try", order), type=Tries)
    for each in tries.false:
        trial.say(f"{each.test} fails without a mutant, and kills none: {each.how}")
    false = {each.test for each in tries.false}
    outcomes = iter([Outcome() if each.test in false else each for each in tries.outcomes])
    return [
        Tried(
            draw.total,
            draw.files,
            [each.mutant for each in draw.attempts],
            [next(outcomes) for _ in draw.attempts],
            [next(outcomes) for _ in draw.unchanged],
        )
        for draw in draws
    ]


def sample(scope: Scope, seed: int) -> list[Mutant]:
    """What is drawn by a seed."""
    from tests.proof.mutants.made import drawn, mutant, places

    every = [place for file in scope.found() for place in places(file)]
    return [mutant(place) for place in drawn(every, seed, scope.share)]


def _drawn(trial: Trial, scope: Scope, is_wanted: "Callable[[Place], bool] | None") -> Draw:
    from tests.proof.mutants.made import drawn, in_module, mutant, places, unchanged

    files = scope.found()
    every = [place for file in files for place in places(file)]
    chosen = drawn(every, trial.seed, scope.share) if is_wanted is None else list(filter(is_wanted, every))
    mutants = [mutant(place) for place in chosen]
    few = 1 if trial.is_short else UNCHANGED
    same = [unchanged(place) for place in trial.dice(scope.key).sample(chosen, min(len(chosen), few))]
    if trial.is_short:  # then all tests there are: to learn which reach what takes longer
        tests = [[(test, 0.1) for test in scope.tests] for _ in (*mutants, *same)]
    else:
        found = reached(trial, scope, files)
        tests = [picked(found, each) for each in (*mutants, *same)]
        mutants = [
            msgspec.structs.replace(each, module=in_module(place)) if some and _runs_at_import(found, each) else each
            for place, each, some in zip(chosen, mutants, tests, strict=False)
        ]
    attempts = [Attempt(each, some) for each, some in zip((*mutants, *same), tests, strict=True)]
    return Draw(len(every), len({place.file for place in every}), attempts[: len(mutants)], attempts[len(mutants) :])


def picked(found: Reached, mutant: Mutant) -> list[tuple[str, float]]:
    """The tests to run against a mutant, as long as time allows: those that reach its lines, then those that reach
    anything in its file, since what is computed once and kept is reached by the first test that asks for it alone.
    None for a mutant that is listed as surviving: it counts as one that does.
    """
    if explained(mutant):
        return []
    near = _reaching(found, mutant.file, *mutant.lines) or _reaching(found, mutant.file, *mutant.body)
    far = _reaching(found, mutant.file, 1, max(found.lines.get(mutant.file, {0: []}))) - near
    some: list[tuple[str, float]] = []
    left = SPENT_S
    for each in (*_in_turns(found, near, mutant.file), *_in_turns(found, far, mutant.file)):
        if found.seconds[each] <= left:
            left -= found.seconds[each]
            some.append((found.tests[each], found.seconds[each]))
    return some


def _in_turns(found: Reached, tests: Iterable[int], file: str) -> list[int]:
    """Those of the file that is named after a file first, then one of each file in turn, the quickest first."""
    by_file: dict[str, list[int]] = {}
    for each in sorted(tests, key=lambda number: (found.seconds[number], number)):
        by_file.setdefault(found.tests[each].partition("::")[0], []).append(each)
    own = f"/test_{PurePath(file).stem}.py"
    first = [each for name in list(by_file) if name.endswith(own) for each in by_file.pop(name)]
    return [*first, *(each for turn in zip_longest(*by_file.values()) for each in turn if each is not None)]


def _reaching(found: Reached, file: str, first: int, last: int) -> set[int]:
    """The tests that reach a line among these."""
    return {test for line, tests in found.lines.get(file, {}).items() if first <= line <= last for test in tests}


def _runs_at_import(found: Reached, mutant: Mutant) -> bool:
    """Whether its function does, besides being defined."""
    return any(mutant.body[0] <= line <= mutant.body[1] for line in found.imported.get(mutant.file, ()))
