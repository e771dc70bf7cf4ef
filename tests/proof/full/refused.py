"""Commands of `dnam` on a disk that refuses, one by one: what each says, and what is left of the memory behind it."""

import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from tests.kills.victims import export
from tests.proof.full.child import Ended, Order
from tests.proof.full.faults import FAULTS, Fault, Page, compiled, environment
from tests.proof.full.looking import UNOPENED, half_derived, look, look_again, stood
from tests.proof.full.said import DONE, SHADOW, Healthy, Left, Said, left, told_badly, unkept

CHILD = "from tests.proof.full.child import main; main()"
FACTS = "I prefer tea over coffee\n" + "".join(f"!memory remember fact {n}\n" for n in range(3)) + "what do I prefer?\n"
HEALTHY_RUNS, RUNS = 5, 8
"""Healthy runs in which calls are counted; and runs at the most, of which one is to make the call that fails."""
ENVIRONMENT = {"DNAM_VIEW_COMMIT_EVENTS": "8", "DNAM_TIMEZONE": "UTC", "PYTHONHASHSEED": "0"}


class Command(NamedTuple):
    """A command, as it is typed after `dnam`, with DATA, EXPORT and PLACE for paths; what is typed into it, and whether
    it adds anything to the log.
    """

    name: str
    words: tuple[str, ...]
    given: str = ""
    adds: bool = False


CHAT = Command("chat", ("chat", "--data", "DATA", "--as", "ada"), FACTS, adds=True)
IMPORT = Command("import", ("import", "--data", "DATA", "--audience", "guild", "EXPORT"), adds=True)
BACKUP = Command("backup", ("backup", "PLACE", "--data", "DATA", "--without-keys"))
REDERIVE = Command("rederive", ("rederive", "--name", SHADOW, "--model", "offline", "--data", "DATA"))
REPLAY = Command("replay", ("replay", "--data", "DATA"))
COMMANDS = (
    CHAT,
    IMPORT,
    Command("erase", ("erase", "kim", "--yes", "--data", "DATA"), adds=True),
    REPLAY,
    BACKUP,
    Command("compact", ("compact", "--data", "DATA")),
    REDERIVE,
    Command("restore-backup", ("restore-backup", "PLACE", "--data", "DATA", "--yes")),
)


class Nursery:
    """The process that runs commands (child.py), and where they run."""

    def __init__(self, folder: Path) -> None:
        self.place, self.ours = folder / "place", folder / "ours"
        self.place.mkdir(parents=True)
        self.ours.mkdir()
        page = folder / "page"
        Page(page)
        surroundings = environment(compiled(folder), page, self.place) | ENVIRONMENT
        surroundings |= {"HOME": str(self.ours)}
        surroundings.pop("ANTHROPIC_API_KEY", None)
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD], env=surroundings, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._answer()

    def _answer(self) -> Ended:
        assert self._process.stdout is not None
        return msgspec.json.decode(self._process.stdout.readline(), type=Ended)

    def run(
        self,
        words: Sequence[str],
        given: str = "",
        fault: Fault | None = None,
        first: int = 0,
        *,
        planted: bool = False,
    ) -> Ended:
        """Run a command to its end; without `first` nothing fails. `planted`: with a log that acknowledges what it
        could not write.
        """
        assert self._process.stdin is not None
        paths = {"DATA": self.place / "data", "PLACE": self.place / "backup", "EXPORT": self.ours / "plans.json"}
        command = [str(paths.get(word, word)) for word in words]
        order = Order(command, str(self.ours), given, FAULTS.index(fault) if fault else 0, first, planted)
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        return self._answer()

    @property
    def out(self) -> str:
        """What the last one printed."""
        return (self.ours / "out").read_text(encoding="utf-8")

    @property
    def err(self) -> str:
        """What the last one told."""
        return (self.ours / "err").read_text(encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (self._process.stdin, self._process.stdout):
            assert each is not None
            each.close()
        self._process.wait()


class Tried(NamedTuple):
    """One command that met a fault: whether it told of it, what is wrong with how, what it said and is not so, and what
    else does not hold of what it left; what was passed over right behind the fault; and how many commits a planted log
    swallowed of it.
    """

    told: bool
    badly_told: list[str]
    unkept: list[str]
    problems: list[str]
    passed: frozenset[str]
    swallowed: int = 0


class Memory:
    """The memory that every try begins with: a small one, with a backup beside it."""

    def __init__(self, nursery: Nursery, *, is_small: bool = False) -> None:
        self.nursery = nursery
        self._kept = nursery.ours / "kept"
        export(nursery.ours, 12)
        kim = Command("", ("chat", "--data", "DATA", "--as", "kim"), "I like rain\n!memory remember fact of kim\n")
        for command in (IMPORT,) if is_small else (IMPORT, CHAT, kim, BACKUP):
            ended = nursery.run(command.words, command.given)
            assert ended.status == DONE, nursery.err
        export(nursery.ours, 20)
        shutil.copytree(nursery.place, self._kept)
        self.stood = stood(nursery.place / "data")
        self._before: Left = left(nursery.place)
        self._healthy: dict[str, Healthy] = {}

    def again(self) -> None:
        """As it was at first."""
        shutil.rmtree(self.nursery.place)
        shutil.copytree(self._kept, self.nursery.place)

    def calls(self, command: Command, fault: Fault) -> int:
        """How many calls of a command may fail so: of some healthy runs, whose threads write in whatever order, what
        the one in the middle makes.
        """
        return sorted(self._calls(command, fault) for _ in range(HEALTHY_RUNS))[HEALTHY_RUNS // 2]

    def _calls(self, command: Command, fault: Fault) -> int:
        self.again()
        ended = self.nursery.run(command.words, command.given, fault)
        assert ended.status == DONE, self.nursery.err
        return ended.calls

    def healthy(self, command: Command) -> Healthy:
        """What a command says and leaves where nothing fails."""
        if command.name not in self._healthy:
            self.again()
            said = self._said(self.nursery.run(command.words, command.given))
            assert said.status == DONE, said.err
            self._healthy[command.name] = Healthy(said, left(self.nursery.place))
        return self._healthy[command.name]

    def _said(self, ended: Ended) -> Said:
        return Said(ended.status, self.nursery.out, self.nursery.err)

    def met(self, command: Command, fault: Fault, first: int) -> Tried | None:
        """What came of a command whose call `first` fails. Where a run makes fewer calls than that, another one may
        make more; None where none of them did.
        """
        runs = (self.tried(command, fault, first) for _ in range(RUNS))
        return next((each for each in runs if each is not None), None)

    def tried(self, command: Command, fault: Fault, first: int, *, planted: bool = False) -> Tried | None:
        """Run a command that meets a fault, hold what it said against what is there, look what else is left, and run it
        again once the fault is cleared; None where it met none.
        """
        healthy = self.healthy(command)
        self.again()
        ended = self.nursery.run(command.words, command.given, fault, first, planted=planted)
        if not ended.failed:
            return None
        data, said = self.nursery.place / "data", self._said(ended)
        told = said.status != DONE or bool(said.beyond(healthy.said)) or bool(said.refused())
        badly, looked = list(told_badly(said, healthy.said, fault)), look(data, self.stood)
        is_open = not any(each.startswith(UNOPENED) for each in looked.problems)
        unheld = (
            list(unkept(self.nursery.place, said, self._before, healthy, rebuilds=command is REPLAY)) if is_open else []
        )
        problems = looked.problems + ([] if planted else self._again(command))
        return Tried(told, badly, unheld, problems, looked.passed, ended.swallowed)

    def _again(self, command: Command) -> list[str]:
        """What does not hold once the command has come again, on a disk that is well. Nothing is passed over."""
        data, found = self.nursery.place / "data", list[str]()
        ended = self.nursery.run(command.words, command.given)
        if ended.status != DONE and not self._was_done(command):
            found.append(f"it does not go on: exit {ended.status}, {self.nursery.err.strip()[-300:]}")
        found += look_again(data, self.stood, adds=command.adds)
        return found + (list(half_derived(data)) if command is REDERIVE else [])

    def _was_done(self, command: Command) -> bool:
        """Whoever was erased is not known any more when the command comes again."""
        return command.name == "erase" and "nobody" in self.nursery.err.lower()


def some(calls: int, most: int | None, dice: random.Random) -> list[int]:
    """Every call (`most` None), or so many of them, the first and the last among them."""
    if most is None or calls <= most:
        return list(range(1, calls + 1))
    return sorted({1, calls, *dice.sample(range(2, calls), most - 2)})
