"""Forks in which tests run: against a mutant until one fails, or all of them."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from textwrap import indent
from types import CodeType, FunctionType
from typing import NoReturn

import pytest

from tests.proof.mutants.orders import ROOT, STUCK, Mutant, Outcome

LEAST_S, TIMES, WALL_S = 1.5, 10, 90
"""A test is stuck that takes more seconds of a processor than the first and than so many times what it took, or more
seconds than the last, whatever it does.
"""
Tell = Callable[[str], None]
"""Tells the parent a line: the name of a test that begins, or, after a tab, how it failed."""


def forked(work: Callable[[Tell], None]) -> list[Outcome]:
    """Do some work in a child; what failed there. RuntimeError when it raised."""
    there, here = os.pipe()
    child = os.fork()
    if not child:
        os.close(there)
        _child(work, here)
    os.close(here)
    with os.fdopen(there, "rb") as told:
        lines = told.read().decode(errors="replace").splitlines()
    _, status = os.waitpid(child, 0)
    outcomes = [Outcome(test, how) for test, sign, how in (line.partition("\t") for line in lines) if sign]
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        outcomes.append(Outcome(lines[-1], STUCK if name in ("SIGVTALRM", "SIGALRM") else name))
    elif os.WEXITSTATUS(status):
        raise RuntimeError(" ".join(lines[-1:]))
    return outcomes


def _child(work: Callable[[Tell], None], pipe: int) -> NoReturn:
    """Work, without a word to the terminal."""

    def tell(line: str) -> None:
        os.write(pipe, f"{line}\n".encode(errors="replace"))

    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nowhere, descriptor)
        work(tell)
        code = 0
    except BaseException as error:  # noqa: BLE001 - told, and the child ends here whatever it was
        tell(f"{type(error).__name__}: {error}".replace("\t", " "))
    finally:
        os._exit(code)


def run(items: Mapping[str, pytest.Item], tests: Sequence[tuple[str, float]], tell: Tell, *, until_one: bool) -> None:
    """Run tests here: until one fails, or all of them. One that is stuck ends the process."""
    for test, seconds in tests:
        tell(test)
        failures = _Failures()
        items[test].config.pluginmanager.register(failures)
        limited(LEAST_S + TIMES * seconds)
        items[test].ihook.pytest_runtest_protocol(item=items[test], nextitem=None)
        limited(0)
        items[test].config.pluginmanager.unregister(failures)
        if failures.found:
            tell(f"{test}\t{failures.found[0]}")
            if until_one:
                break


def limited(seconds: float) -> None:
    """End the process after so many seconds of a processor, or much later; never, after 0."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, WALL_S if seconds else 0)


class _Failures:
    """What failed in this process."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            said = getattr(report.longrepr, "reprcrash", None)
            lines = str(said.message if said else report.longrepr).splitlines()
            self.found.append(" ".join(lines[:1]).replace("\t", " ")[:120])


def change(mutant: Mutant) -> None:
    """Put a mutant into the living function, so that whoever has imported it has the mutant."""
    module = import_module(mutant.file.removesuffix(".py").replace("/", "."))
    owner: object = module
    *outer, name = mutant.function.split(".")
    for each in outer:
        owner = getattr(owner, each)
    old = vars(owner)[name]
    old = getattr(old, "__func__", old)
    source = mutant.source
    if old.__closure__:  # it says super()
        source = f"def {name}(__class__):\n{indent(source, '    ')}\n    return {name}"
    made: dict[str, FunctionType] = {}
    exec(compile(source, mutant.file, "exec"), module.__dict__, made)
    new = made[name](owner) if old.__closure__ else made[name]
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__


def change_before(mutant: Mutant) -> None:
    """Have the module imported with a mutant in it: what is computed at import shows the change too."""
    path, whole = str(ROOT / mutant.file), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        return compile(mutant.module, path, "exec") if self.path == path else whole(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # this process alone loads the mutant
