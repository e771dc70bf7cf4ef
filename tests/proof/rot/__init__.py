"""Rot: bits that flip, pages of zeros, files that are cut, in the log, the key ring and the views."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.rot.damage import Ground, ground
from tests.proof.rot.memory import Whole, save, whole
from tests.proof.rot.nursery import nursery
from tests.proof.rot.trying import Tally, tries, tries_beside

EACH, EACH_SHORT = 345, 1
"""Tries of each of three kinds of damage at each of three places."""
LARGE = 40
"""The same, of files that are opened as large ones are; none in the short form."""
BESIDE, BESIDE_SHORT = 80, 1
"""The same, in a shadow and in a backup."""
STORY, STORY_SHORT = 120, 0
"""How many steps of chance the memory has, beside one of each kind."""
MOST_IMPRECISE = 20
"""In one of so many tries, at most, more events that are as they were may be named than were changed."""
LARGE_TRIES = 300
MOST_DEAD = 25
"""Of files that nobody looks over, one try of so many, at most, may end the process."""
UNTRIED = "only the whole form tries it"
WHY_TRUSTED = (
    "LMDB trusts its pages, and a look at all of them takes a second or more for each GB, at each opening: `dnam "
    "verify` looks first"
)
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
        HOW,
    ),
    Claim(
        "repair",
        "`dnam repair` restores what a backup has; where too much is damaged, it tells of `dnam restore-backup`",
        "in every second try that damages the log: repair with a backup that ends before the log does, verify, "
        "compare. Where events are damaged that came after the backup, refusing is right",
    ),
    Claim(
        "copies",
        "What hits the same record in both copies of the key ring is noticed, and nothing is written then",
        "as above, in both files",
    ),
    Claim(
        "shadow",
        "A damaged shadow is compared as if it were whole, or refused in one line",
        "as above, in its log, its views and its manifest; then `dnam diff --shadow` and `dnam shadows list`",
    ),
    Claim(
        "backup",
        "A damaged backup is restored as it was, or refused in one line",
        "as above, in its events, its ledger and its manifest; then `dnam restore-backup` and another `dnam backup`",
    ),
    Claim(
        "large",
        "Of files that are opened as those of more than 4 MiB are, damage is named by `verify`, which alone looks them "
        "over",
        f"{HOW}. It is not claimed of them that views are built again by the next writer, nor that logs can be "
        "repaired: how many were not is told",
    ),
    Claim(
        "trusted",
        "Of such files, which were not looked over, no answer is another, and no process ends",
        "the same tries. LMDB follows the pages of a file unchecked, and rows that a damaged page leaves out are not "
        f"missed: it is BROKEN where more than one try of {MOST_DEAD} ends a process, or any is answered otherwise",
    ),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Try all of it."""
    made = whole(trial.folder, STORY_SHORT if trial.is_short else STORY, trial.dice("rot memory"))
    files = ground(made.data)
    save(trial.folder / "whole", made)
    tally = Tally(made, files)
    with _copies(trial) as folder:
        with nursery(trial.folder / "whole") as asked:
            tries(trial, folder, asked, EACH_SHORT if trial.is_short else EACH, tally)
            tries_beside(trial, folder, asked, BESIDE_SHORT if trial.is_short else BESIDE, tally)
        large = _large(trial, folder, made, files)
    yield from findings(tally, 0 if trial.is_short else 1000)
    yield from of_large(large, 0 if trial.is_short else LARGE_TRIES)
    for each in [*tally.bad, *(each for each in large.bad if not each.startswith("died"))]:
        trial.say(each)


@contextmanager
def _copies(trial: Trial) -> Iterator[Path]:
    """A folder for copies that rot: in memory where that can be, since no disk is waited for there."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="dnam-rot-", dir=memory if memory.is_dir() else trial.folder) as folder:
        yield Path(folder)


def _large(trial: Trial, folder: Path, made: Whole, files: Ground) -> Tally:
    tally = Tally(made, files)
    if not trial.is_short:
        with nursery(trial.folder / "whole", as_large=True) as asked:
            tries(trial, folder, asked, LARGE, tally)
    return tally


def findings(tally: Tally, fewest: int) -> Iterator[Finding]:
    """What came out. `fewest`: tries of each kind, and at each place."""
    count = tally.counts
    enough = all(count[each] >= fewest for each in ("flip", "zero", "cut", "log", "ring", "views"))
    hit = 2 * count["in use"] >= count["tries"] and count["changed"] * 6 >= count["log"]
    yield Finding(
        "named", count["changed"], "tries that changed events",
        _of_names(tally),
        enough and hit and not count["not named"] and count["imprecise"] * MOST_IMPRECISE <= count["changed"],
    )  # fmt: skip
    yield Finding(
        "views", count["damaged views"], "tries that damaged views",
        f"{count['unnoticed views']} were not noticed or not built again{tally.told('unnoticed views')}",
        enough and count["damaged views"] > 0 and not count["unnoticed views"],
    )  # fmt: skip
    by = ", ".join(f"{count[each]:,} {word}" for each, word in (("flip", "bits"), ("zero", "pages"), ("cut", "cuts")))
    yield Finding(
        "alive",
        count["tries"],
        f"tries: {by}",
        f"{count['died']} ended a process{tally.told('died')}",
        enough and hit and not count["died"],
    )
    yield Finding(
        "right", count["tries"], f"tries, {count['in use']:,} of them where something is",
        f"{count['wrong']} answered wrongly{tally.told('wrong')}, {count['earlier']} as of an earlier event, "
        f"{count['refused']:,} refused",
        enough and hit and not count["wrong"],
    )  # fmt: skip
    yield Finding(
        "repair", count["repairs"], "damaged logs",
        f"{count['repaired']:,} repaired as they were; of {count['restored']} `repair` said that `restore-backup` "
        f"helps, which restored all that the backup has; {count['beyond the backup']} refused, having lost what came "
        f"after the backup{tally.told('not repaired')}",
        enough
        and count["repaired"] >= min(200, fewest)
        and count["repaired"] + count["restored"] + count["beyond the backup"] == count["repairs"],
    )  # fmt: skip
    said = f"{count['both refused']} refused and told of, {count['both wrong']} not{tally.told('both wrong')}"
    yield Finding("copies", count["both"], "tries", said, count["both"] * 5 >= fewest and not count["both wrong"])
    for where in ("shadow", "backup"):
        said = (
            f"{count[f'{where} refused']} refused, {count[f'{where} wrong']} answered wrongly, or in more than a line"
            f"{tally.told(f'{where} wrong')}"
        )
        often = count[where] * 5 >= fewest
        yield Finding(where, count[where], "tries", said, often and not count[f"{where} wrong"])


def _of_names(tally: Tally) -> str:
    """How what was changed was named."""
    count = tally.counts
    return (
        f"{count['changed events']:,} changed events; all named in all but {count['not named']} tries"
        f"{tally.told('not named')}: {count['named singly']:,} one by one, {count['named from on']:,} by 'from … on', "
        f"and {count['named intact']:,} that are as they were, too many in {count['imprecise']} tries"
        f"{tally.told('imprecise')}; "
        f"{count['refused whole']} logs refused as a whole; of {count['flips']:,} flips LMDB could not read "
        f"{count['unread flips']}"
    )


def of_large(tally: Tally, fewest: int) -> Iterator[Finding]:
    """What came out for large files: that all is named; and that few end a process or are answered otherwise, which
    falls short. More, or nothing tried, is broken.
    """
    count = tally.counts
    repaired = count["repaired"] + count["restored"] + count["beyond the backup"]
    said = (
        f"{_of_names(tally)}; in {count['unseen views']} nothing was said of views{tally.told('unseen views')}; "
        f"{count['unnoticed views']} of {count['damaged views']} damaged views were left to `dnam replay`, "
        f"{count['repairs'] - repaired} of {count['repairs']} damaged logs were not repaired"
    )
    is_tried = count["tries"] >= max(fewest, 1)
    is_named = not (count["not named"] or count["unseen views"])
    is_tried_well = is_tried and count["changed"] > 0 and count["damaged views"] > 0
    yield Finding("large", count["tries"], "tries", said, is_tried_well and is_named, "" if count["tries"] else UNTRIED)
    said = f"{count['died']} ended a process, {count['wrong']} answered wrongly{tally.told('wrong')}"
    is_rare = count["died"] * MOST_DEAD <= count["tries"] and not count["wrong"]
    holds = is_tried and not (count["died"] or count["wrong"])
    why = WHY_TRUSTED if is_tried and is_rare and not holds else ""
    yield Finding("trusted", count["tries"], "tries", said, holds, why if count["tries"] else UNTRIED)


PART = Part("rot", "Rot", CLAIMS, prove)
