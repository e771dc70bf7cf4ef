"""Rot: bits that flip, pages of zeros, files that are cut, in the log, the key ring and the views."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.rot.damage import ground
from tests.proof.rot.judging import (
    LEAST_SAME,
    MOST_BLAMED,
    MOST_DEAD,
    MOST_IMPRECISE,
    MOST_IN_VAIN,
    MOST_LEFT,
    MOST_UNREPAIRED,
    findings,
    of_large,
    of_trusted,
)
from tests.proof.rot.memory import save, whole
from tests.proof.rot.nursery import Size, nursery
from tests.proof.rot.tally import Tally
from tests.proof.rot.trying import controls, tries, tries_beside

EACH, EACH_SHORT = 345, 1
"""Tries of each of three kinds of damage at each of three places."""
LARGER: dict[Size, int] = {"large": 20, "huge": 40}
"""The same, of files that are opened as larger ones are; none in the short form."""
BESIDE, BESIDE_SHORT = 80, 1
"""The same, in a shadow and in a backup."""
CONTROLS, CONTROLS_SHORT = 5, 1
"""How often, at each of five places, only that is damaged which nobody uses."""
STORY, STORY_SHORT = 120, 0
"""How many steps of chance the memory has, beside one of each kind."""
HOW = (
    "one bit, a page of zeros or a cut, by chance, in a copy of a memory with every kind of event; then its rows are "
    "read, it is verified and written to, and in every second try a command shows or searches it, each in a process "
    "that may die"
)
CLAIMS = (
    Claim(
        "named",
        "A stored event that was changed is found by `verify`, and named; a log of which not even the beginning is "
        "left is refused as a whole",
        f"{HOW}. What was changed is what LMDB reads otherwise, and by its place what cannot be read; of a flip where "
        f"LMDB refuses or dies: the event whose bytes it hits. In one of {MOST_IMPRECISE} tries at most more intact "
        "events are named than were changed, and a pageful",
    ),
    Claim("views", "Views that are damaged are noticed, and built again by the next writer", HOW),
    Claim("alive", "No damage in a file of up to 4 MiB (some 3,000 events) ends the process", HOW),
    Claim(
        "right",
        "With files of up to 4 MiB no answer is another than the undamaged memory's: it is that one, or that as of an "
        "earlier event, which it says, or it is refused in one line",
        f"{HOW}. Where nothing is changed that is used, everything must be as if nothing were; and in so much of the "
        f"tries nothing may be refused: {LEAST_SAME['log']:.0%} of those of a log, {LEAST_SAME['views']:.0%} of views",
    ),
    Claim(
        "repair",
        "`dnam repair` puts right what a backup has, and keeps what came after it; only where that is gone does it "
        "give up, or tell of `dnam restore-backup`",
        "in every second try that damages the log: repair with a backup that ends before the log does, verify, "
        "compare. What is gone is known by the pages that are gone and by what LMDB reads, not by what `repair` says. "
        f"It is BROKEN where more than one of {MOST_IN_VAIN} is given up though nothing is gone that came after the "
        f"backup, or one of {MOST_BLAMED} by blaming an event that is as it was",
    ),
    Claim(
        "copy",
        "What hits one of the two copies of the key ring is told of by `verify`, and put right by the next writer; all "
        "is answered as before",
        "as above, in one of the files; then verified again",
    ),
    Claim(
        "copies",
        "What hits the same record in both copies of the key ring is noticed, and nothing is written then",
        "as above, in both files",
    ),
    Claim(
        "shadow",
        "A damaged shadow is compared as if it were whole, or refused in one line",
        "as above, in its log, its views and its manifest; then `dnam diff --shadow` and `dnam shadows list`. "
        f"In {LEAST_SAME['shadow']:.0%} of the tries at least it is compared; always where nothing is changed that is "
        "used",
    ),
    Claim(
        "backup",
        "A damaged backup is restored as it was, or refused in one line",
        "as above, in its events, its ledger and its manifest; then `dnam restore-backup` and another `dnam backup`. "
        "Where nothing is changed, or bytes lie behind those that it counts, it must be restored",
    ),
    Claim(
        "large",
        "Of files that are opened as those of 4 to 256 MiB are, damage is named by `verify`, views are built again by "
        "the next writer, and a log is repaired",
        f"{HOW}. It is BROKEN where damage is not named, more than one of {MOST_LEFT} damaged views is left to `dnam "
        f"replay`, or more than one of {MOST_UNREPAIRED} damaged logs is not repaired",
    ),
    Claim(
        "huge",
        "The same, of files that are opened as those of more than 256 MiB are",
        "as above; it is BROKEN where damage is not named, or as many logs are not repaired",
    ),
    Claim(
        "trusted",
        "Of both, which readers do not look over, no answer is another, and no process ends",
        "the same tries. LMDB follows the pages of a file unchecked, and rows that a damaged page leaves out are not "
        f"missed: it is BROKEN where more than one try of {MOST_DEAD} ends a process, or any is answered otherwise",
    ),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Try all of it."""
    made = whole(trial.folder, STORY_SHORT if trial.is_short else STORY, trial.dice("rot memory"))
    save(trial.folder / "whole", made)
    tally = Tally(made, ground(made.data))
    with _copies(trial) as folder:
        with nursery(trial.folder / "whole") as asked:
            tries(trial, folder, asked, EACH_SHORT if trial.is_short else EACH, tally)
            tries_beside(trial, folder, asked, BESIDE_SHORT if trial.is_short else BESIDE, tally)
            controls(trial, folder, asked, CONTROLS_SHORT if trial.is_short else CONTROLS, tally)
        larger = {size: _larger(trial, folder, size, each, tally) for size, each in LARGER.items()}
    yield from findings(tally, 0 if trial.is_short else 1000)
    for size, each in LARGER.items():
        yield of_large(larger[size], size, 0 if trial.is_short else 8 * each)
    yield of_trusted([*larger.values()], 0 if trial.is_short else 8 * sum(LARGER.values()))
    of_larger = [told for each in larger.values() for told in each.bad if not told.startswith("died")]
    for told in [*tally.bad, *of_larger]:
        trial.say(told)


@contextmanager
def _copies(trial: Trial) -> Iterator[Path]:
    """A folder for copies that rot: in memory where that can be, since no disk is waited for there."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="dnam-rot-", dir=memory if memory.is_dir() else trial.folder) as folder:
        yield Path(folder)


def _larger(trial: Trial, folder: Path, size: Size, each: int, small: Tally) -> Tally:
    """The same memory, opened as if its files were larger; nothing in the short form."""
    tally = Tally(small.whole, small.ground)
    if not trial.is_short:
        with nursery(trial.folder / "whole", size) as asked:
            tries(trial, folder, asked, each, tally)
    return tally


PART = Part("rot", "Rot", CLAIMS, prove)
