"""The life of one memory, in which every command is killed in turn while another process writes beside it."""

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.kills.child import Write
from tests.kills.nursery import Nursery
from tests.kills.victims import ALL, export, running
from tests.proof.crashes.afterwards import views_are_equal

PROJECT = Path(__file__).parents[3]
SAMPLE = PROJECT / "data" / "samples" / "garden-club.json"
CAREFUL = PROJECT / "data" / "samples" / "careful.toml"
ACKNOWLEDGED = re.compile("^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)
FACTS = 12
"""How many are typed at once: less than a pipe holds."""
ERASED = "visitor"


class Life:
    """One memory. `kept` are the facts that were acknowledged, `killed` what was being written at each kill, `unequal`
    the commands behind whose kill the views were not what a rebuild makes.
    """

    def __init__(self, folder: Path, nursery: Nursery, dice: random.Random) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.kept: list[str] = []
        self.rounds: Counter[str] = Counter()
        self.killed: Counter[Write | None] = Counter()
        self.erased: list[str] = []
        self.unequal: list[str] = []
        self._nursery = nursery
        self._dice = dice
        self._facts = 0
        self._messages = 0
        self._is_adopted = False

    def begin(self) -> None:
        """A memory with a shadow, which may be adopted."""
        self.folder.mkdir()
        self._must("import", str(SAMPLE), "--audience", "guild", "--assistant", "dnam", "--learn")
        self._must("rederive", "--model", f"script:{CAREFUL}", "--name", "careful", "--yes")

    def done(self, *command: str, typed: str = "") -> int:
        """Run a command to its end; its exit code."""
        with running(self._nursery, self.folder, *self._command(*command)) as child:
            child.process.write(typed)
            child.process.read()
            return child.process.wait()

    def round(self, name: str) -> None:
        """Kill one command, while somebody else remembers things; then they end in peace, and the views are looked at
        as whoever comes next sees them.
        """
        beside = self.folder / "beside"
        beside.mkdir(exist_ok=True)
        with running(self._nursery, beside, *self._command("chat", "--as", "marcy")) as other:
            other.process.write(self._some_facts())
            ROUNDS[name](self)
            other.process.write("exit\n")
            self.kept += ACKNOWLEDGED.findall(other.process.read())
        self.rounds[name] += 1
        if not views_are_equal(self.data):
            self.unequal.append(name)

    def _command(self, name: str, *arguments: str) -> tuple[str, ...]:
        return name, "--data", str(self.data), *arguments

    def _kill(self, commits: int, *command: str, among: frozenset[Write] = ALL, typed: str = "") -> str:
        """Kill a command at some moment inside a write; what it had printed."""
        with running(self._nursery, self.folder, *self._command(*command)) as victim:
            victim.process.write(typed)
            victim.kill_in_commit(self._dice.randint(1, commits), self._dice, among)
            if victim.is_killed:
                self.killed[victim.inside] += 1
            return victim.process.read()

    def _some_facts(self) -> str:
        first = self._facts
        self._facts += FACTS
        return "".join(f"!memory remember fact {number} of this life\n" for number in range(first, self._facts))

    # -- what is killed ------------------------------------------------------------------------------------------

    def chat(self) -> None:
        """Every other time by somebody new, whose first key is being written."""
        rings = self.rounds["chat"] % 2
        who = f"guest {self.rounds['chat']}" if rings else "ada"
        among: frozenset[Write] = frozenset({"ring"}) if rings else ALL
        typed = self._some_facts() + "exit\n"
        printed = self._kill(1 if rings else 10, "chat", "--as", who, among=among, typed=typed)
        self.kept += ACKNOWLEDGED.findall(printed)

    def bring(self) -> None:
        self._messages += 40
        self._kill(6, "import", "--no-learn", "--audience", "guild", str(export(self.folder, self._messages)))

    def learn(self) -> None:
        self._kill(8, "learn")

    def replay(self) -> None:
        """Every other time while the new views are put in force."""
        among: frozenset[Write] = frozenset({"swap"}) if self.rounds["replay"] % 2 else ALL
        self._kill(1, "replay", among=among)

    def back_up(self) -> None:
        self._kill(2, "backup", str(self.folder / "usb"))

    def erase(self) -> None:
        """Somebody who said things is erased; every other time their keys are being destroyed."""
        who = f"{ERASED} {len(self.erased)}"
        self.done("chat", "--as", who, typed=f"!memory remember the word of {who}\nexit\n")
        self.erased.append(who)
        among: frozenset[Write] = frozenset({"keys destroyed"}) if len(self.erased) % 2 else ALL
        self._kill(1, "erase", who, "--yes", among=among)

    def adopt(self) -> None:
        """Adopted, and taken back the next time; what was broken off goes on."""
        command = ("adopt", "--undo", "careful", "--yes") if self._is_adopted else ("adopt", "careful", "--yes")
        self._kill(3, *command)
        if self._dice.random() < 0.5:
            self.done(*command)
            self._is_adopted = not self._is_adopted

    def finish(self) -> None:
        """Whatever was broken off is done to its end."""
        self._must("import", "--no-learn", "--audience", "guild", str(export(self.folder, self._messages)))
        self._must("learn")
        self._must("backup", str(self.folder / "usb"))
        self._must("adopt", "careful", "--yes")
        for who in self.erased:
            self.done("erase", who, "--yes")  # nobody may be called so any more

    def _must(self, *command: str) -> None:
        code = self.done(*command)
        assert code == 0, f"{' '.join(command)} ended with {code}"

    @property
    def messages(self) -> int:
        """How many were imported, the sample's apart."""
        return self._messages


ROUNDS: Mapping[str, Callable[[Life], None]] = {
    "chat": Life.chat,
    "import": Life.bring,
    "extraction": Life.learn,
    "replay": Life.replay,
    "backup": Life.back_up,
    "erasure": Life.erase,
    "adoption": Life.adopt,
}
