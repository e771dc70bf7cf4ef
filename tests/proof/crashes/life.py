"""The life of one memory, in which every command is killed in turn while another process writes beside it."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from time import sleep

from replay.engine import Engine
from tests.kills.child import Write
from tests.kills.nursery import Nursery
from tests.kills.victims import ALL, Child, export, running
from tests.proof.crashes.adoptions import SHADOW, Adopted, Effect, effect_of
from tests.proof.crashes.afterwards import Acknowledged, Held, held, left, left_in_copy
from tests.proof.crashes.backups import Kept, read_whole, restored
from tests.proof.crashes.beside import ACKNOWLEDGED, Beside
from tests.proof.crashes.kill import Kill, Run
from tests.proof.crashes.stood import NOTHING, Stood

PROJECT = Path(__file__).parents[3]
SAMPLE = PROJECT / "data" / "samples" / "garden-club.json"
CAREFUL = PROJECT / "data" / "samples" / "careful.toml"
FACTS = 12
"""How many are typed at once into a chat that is killed: less than a pipe holds."""
ERASED = "visitor"
LASTS = 0.3
"""Seconds that a command takes, as long as nothing is known of it."""
LONGER, SHORTER = 1.15, 0.7
"""By what that changes when it was killed in time, and when it had ended: it ends before one of four."""


class Life:
    """One memory. `kept`, `imported`, `learned`, `gone` and `adopted` are what was acknowledged; `broken_off` counts
    how often the log did not go on, behind a round that had ended, from what it was at the kill, and `without_views`
    how often there were no views on disk then. `effects` are what each adoption that was acknowledged had done, just
    behind it; `backups` what the backup was like, read whole, before anything was done again, at the end, and restored.
    """

    def __init__(self, folder: Path, nursery: Nursery, dice: random.Random) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.place = folder / "usb"
        self.kept: list[str] = []
        self.imported = 0
        self.learned = 0
        self.gone: list[str] = []
        self.rounds: Counter[str] = Counter()
        self.kills: list[Kill] = []
        self.erased: list[str] = []
        self.adopted: list[Adopted] = []
        self.adopted_at_last: list[Adopted] = []
        self.effects: list[Effect] = []
        self.backups: list[Kept] = []
        self.broken_off = self.without_views = 0
        self._nursery = nursery
        self._dice = dice
        self._facts = (f"!memory remember fact {number} of this life\n" for number in count())
        self._typed: Iterator[str] = (f"!memory remember fact {number} of a chat\n" for number in count())
        self._messages = 0
        self._is_adopted = False
        self._is_random = False
        self._lasts: dict[str, float] = {}
        self._stood = self._backed_up = NOTHING
        self._beside: Beside

    def begin(self) -> None:
        """A memory with a shadow, which may be adopted."""
        self.folder.mkdir()
        self._must("import", str(SAMPLE), "--audience", "guild", "--assistant", "dnam", "--learn")
        self._must("rederive", "--model", f"script:{CAREFUL}", "--name", SHADOW, "--yes")
        self._goes_on()

    def done(self, *command: str) -> int:
        """Run a command to its end; its exit code."""
        return self._ran(*command).code

    def _ran(self, *command: str, typed: str = "", data: Path | None = None) -> Run:
        with running(self._nursery, self.folder, *self._command(*command, data=data)) as child:
            child.process.write(typed)
            return Run(child.process.read(), child.process.wait())

    def round(self, name: str, *, is_random: bool) -> bool:
        """Kill one command, at any moment or inside of a write, while somebody else remembers one thing after the
        other, and ends in peace behind it. Whether it was killed: not where it had ended.
        """
        kills, self._is_random = len(self.kills), is_random
        folder = self.folder / "beside"
        folder.mkdir(exist_ok=True)
        with (
            running(self._nursery, folder, *self._command("chat", "--as", "marcy")) as other,
            Beside(other, self._facts) as self._beside,
        ):
            ROUNDS[name](self)
            self.kept += self._beside.ended()
        self.rounds[name] += 1
        self._goes_on()
        return len(self.kills) > kills

    def _goes_on(self) -> None:
        now = left(self.data, self._stood)
        self.broken_off += not now.goes_on
        self.without_views += not now.has_views
        self._stood = now.stood

    def _command(self, name: str, *arguments: str, data: Path | None = None) -> tuple[str, ...]:
        return name, "--data", str(data or self.data), *arguments

    def _kill(self, commits: int, *command: str, among: frozenset[Write] = ALL, typed: str = "") -> Run:
        """Kill a command at some moment inside a write, or at any moment."""
        other = self._beside.child
        other.begun()
        before = left(self.data, self._stood).stood
        with running(self._nursery, self.folder, *self._command(*command)) as victim:
            victim.process.write(typed)
            if self._is_random:
                sleep(self._dice.random() * self._lasts.get(command[0], LASTS))
            else:
                victim.hold_in_commit(self._dice.randint(1, commits), self._dice, among)
            assert other.stop(), "the other process has ended"
            victim.kill()
            if self._is_random:
                by = LONGER if victim.is_killed else SHORTER
                self._lasts[command[0]] = self._lasts.get(command[0], LASTS) * by
            if victim.is_killed:
                self._look(command[0], victim, other, before)
            other.go_on()
            self._beside.enough()
            return Run(victim.process.read(), victim.process.wait())

    def _look(self, command: str, victim: Child, other: Child, before: Stood) -> None:
        """How the kill left the memory, while the other process is held."""
        place = self.place if command == "backup" else None
        found = left_in_copy(self.data, self.folder / "left", before, place, self._backed_up)
        self._stood = found.stood
        if found.backup is not None and found.backup.stood is not None:
            self._backed_up = found.backup.stood
        kill = Kill(
            command, self._is_random, victim.inside, other.writes, other.begun(), found.goes_on, found.has_views,
            found.is_equal, found.backup,
        )  # fmt: skip
        self.kills.append(kill)

    def _is_to_be_done(self) -> bool:
        """Every other time, what was broken off is done to its end at once; else the next kill comes on top of it."""
        return self._dice.random() < 0.5

    # -- what is killed ------------------------------------------------------------------------------------------

    def chat(self) -> None:
        """Every other time by somebody new, whose first key is being written."""
        rings = self.rounds["chat"] % 2
        who = f"guest {self.rounds['chat']}" if rings else "ada"
        among: frozenset[Write] = frozenset({"ring"}) if rings else ALL
        typed = "".join(next(self._typed) for _ in range(FACTS)) + "exit\n"
        run = self._kill(1 if rings else 10, "chat", "--as", who, among=among, typed=typed)
        self.kept += ACKNOWLEDGED.findall(run.printed)

    def bring(self) -> None:
        command = self._import(40)
        if not self._kill(6, *command).code or (self._is_to_be_done() and not self.done(*command)):
            self.imported = self._messages

    def _import(self, more: int) -> tuple[str, ...]:
        self._messages += more
        return "import", "--no-learn", "--audience", "guild", str(export(self.folder, self._messages))

    def learn(self) -> None:
        """From something that came in just before."""
        self._must(*self._import(20))
        self.imported = self._messages
        if not self._kill(8, "learn").code or (self._is_to_be_done() and not self.done("learn")):
            self.learned = self.imported

    def replay(self) -> None:
        """Every other time while the new views are put in force."""
        among: frozenset[Write] = frozenset({"swap"}) if self.rounds["replay"] % 2 else ALL
        self._kill(1, "replay", among=among)

    def back_up(self) -> None:
        """What is said to be backed up must be in whatever a later kill leaves."""
        run = self._kill(2, *self._backup())
        if run.code and self._is_to_be_done():
            run = self._ran(*self._backup())
        if not run.code:
            self._has_backed_up(run)

    def _backup(self) -> tuple[str, ...]:
        return "backup", str(self.place), "--json"

    def _has_backed_up(self, run: Run) -> None:
        told = json.loads(run.printed)
        self._backed_up = Stood(told["events"], bytes.fromhex(told["root"]))

    def erase(self) -> None:
        """Somebody who said things is erased; every other time their keys are being destroyed."""
        who = f"{ERASED} {len(self.erased)}"
        word = f"the word of {who}"
        run = self._ran("chat", "--as", who, typed=f"!memory remember {word}\nexit\n")
        assert (run.code, f"Remembered: {word}" in run.printed) == (0, True), f"{who} is not known: {run}"
        self.erased.append(who)
        among: frozenset[Write] = frozenset({"keys destroyed"}) if len(self.erased) % 2 else ALL
        command = ("erase", who, "--yes")
        if not self._kill(1, *command, among=among).code or (self._is_to_be_done() and not self.done(*command)):
            self.gone.append(who)

    def adopt(self) -> None:
        """Adopted, and taken back the next time; what was broken off goes on."""
        command = ("adopt", SHADOW, *(("--undo",) if self._is_adopted else ()), "--yes", "--json")
        run = self._kill(3, *command)
        if run.code and self._is_to_be_done():
            run = self._ran(*command)
        if not run.code:
            self._is_adopted = not self._is_adopted
            self.adopted += self._has_adopted(run)

    def _has_adopted(self, run: Run) -> list[Adopted]:
        """What was said, if anything was to be done; what it did is looked at."""
        said = Adopted.said(run.printed)
        self.effects.append(effect_of(self.data, said))
        return [] if said is None else [said]

    # -- the end -------------------------------------------------------------------------------------------------

    def look(self) -> Held:
        """What the log holds before anything is done again; the backup is read whole."""
        self.backups.append(read_whole(self.place, self.data, self._backed_up))
        return held(self.data)

    def finish(self) -> None:
        """Whatever was broken off is done to its end, and backed up; a memory of its own is made of the backup."""
        self._must(*self._import(0))
        self._must("learn")
        self.adopted_at_last = self._has_adopted(self._must("adopt", SHADOW, "--yes", "--json"))
        for who in self.erased:
            self.done("erase", who, "--yes")  # nobody may be called so any more
        Engine.open(self.data).close()  # finishes what was broken off
        self._has_backed_up(self._must(*self._backup()))
        self._goes_on()
        self.backups.append(read_whole(self.place, self.data, self._backed_up))
        self.backups.append(self._restored())

    def _restored(self) -> Kept:
        """Into a new folder, with the keys beside it: they are kept elsewhere."""
        fresh = self.folder / "restored"
        shutil.copytree(self.data / "keys", fresh / "keys")
        run = self._ran("restore-backup", str(self.place), "--yes", data=fresh)
        if run.code:
            return Kept(None, (f"restore-backup ended with {run.code}",))
        found = restored(fresh, self.data, self._backed_up)
        shutil.rmtree(fresh)
        return found

    def _must(self, *command: str) -> Run:
        run = self._ran(*command)
        assert run.code == 0, f"{' '.join(command)} ended with {run.code}"
        return run

    @property
    def acknowledged(self) -> Acknowledged:
        """What was said to be done before the end."""
        return Acknowledged(self.kept, self.imported, self.learned, self.gone, self.adopted)

    @property
    def in_the_end(self) -> Acknowledged:
        """What was to be done, behind it."""
        adopted = [*self.adopted, *self.adopted_at_last]
        return Acknowledged(self.kept, self._messages, self._messages, self.erased, adopted)


ROUNDS: Mapping[str, Callable[[Life], None]] = {
    "chat": Life.chat,
    "import": Life.bring,
    "learn": Life.learn,
    "replay": Life.replay,
    "backup": Life.back_up,
    "erase": Life.erase,
    "adopt": Life.adopt,
}
