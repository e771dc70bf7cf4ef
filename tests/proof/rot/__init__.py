"""Rot: bits that flip, pages of zeros, files that are cut, in the log, the key ring and the views."""

from collections import Counter
from collections.abc import Iterator

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.rot.damage import Ground, ground
from tests.proof.rot.memory import Whole, save, whole
from tests.proof.rot.nursery import nursery
from tests.proof.rot.trying import Tally, tries

EACH, EACH_SHORT = 345, 1
"""Tries of each of three kinds of damage at each of three places."""
LARGE = 40
"""The same, of files that are opened as large ones are; none in the short form."""
STORY, STORY_SHORT = 120, 0
"""How many steps of chance the memory has, beside one of each kind."""
HOW = (
    "one bit, a page of zeros or a cut, by chance, in a copy of a memory with every kind of event; then it is shown, "
    "searched, verified and written to, each in a process that may die"
)
CLAIMS = (
    Claim("named", "A stored event that was changed is found by `verify`, and named", HOW),
    Claim("views", "Views that are damaged are noticed, and built again by the next writer", HOW),
    Claim("alive", "No damage in a file of up to 4 MiB ends the process", HOW),
    Claim(
        "right", "No answer is another than the undamaged memory's: it is that one, or it is refused in one line", HOW
    ),
    Claim("repair", "`dnam repair` restores what a backup has", "after the damage to the log: repair, verify, compare"),
    Claim("copies", "What hits the same record in both copies of the key ring is refused", "as above, in both files"),
    Claim("large", "The same for files of more than 4 MiB, which are looked over by `verify` only", HOW),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Try all of it."""
    made = whole(trial.folder, STORY_SHORT if trial.is_short else STORY)
    files = ground(made.data)
    save(trial.folder / "whole", made)
    tally = Tally(made, files)
    with nursery(trial.folder / "whole") as asked:
        tries(trial, made, files, asked, EACH_SHORT if trial.is_short else EACH, tally)
    yield from findings(tally, 0 if trial.is_short else 1000)
    yield _of_large(_large(trial, made, files))
    for each in tally.bad:
        trial.say(each)


def _large(trial: Trial, made: Whole, files: Ground) -> Tally:
    tally = Tally(made, files)
    if not trial.is_short:
        with nursery(trial.folder / "whole", as_large=True) as asked:
            tries(trial, made, files, asked, LARGE, tally)
    return tally


def findings(tally: Tally, fewest: int) -> Iterator[Finding]:
    """What came out. `fewest`: tries of each kind, and at each place."""
    count = tally.counts
    enough = all(count[each] >= fewest for each in ("flip", "zero", "cut", "log", "ring", "views"))
    hit = 2 * count["in use"] >= count["tries"] and count["changed"] * 6 >= count["log"]
    yield Finding(
        "named", count["changed"], "tries that changed events",
        f"{count['changed events']:,} changed events; all named in all but {count['not named']} tries",
        enough and hit and not count["not named"],
    )  # fmt: skip
    yield Finding(
        "views", count["damaged views"], "tries that damaged views",
        f"{count['unnoticed views']} were not noticed or not built again",
        enough and count["damaged views"] > 0 and not count["unnoticed views"],
    )  # fmt: skip
    by = ", ".join(f"{count[each]:,} {word}" for each, word in (("flip", "bits"), ("zero", "pages"), ("cut", "cuts")))
    yield Finding(
        "alive",
        count["tries"],
        f"tries: {by}",
        f"{count['died']} ended a process",
        enough and hit and not count["died"],
    )
    yield Finding(
        "right", count["tries"], f"tries, {count['in use']:,} of them where something is",
        f"{count['wrong']} answered wrongly, {count['refused']:,} refused", enough and hit and not count["wrong"],
    )  # fmt: skip
    yield Finding(
        "repair", count["repairs"], "damaged logs",
        f"{count['repaired']:,} as they were, {count['restored']} as the backup by `restore-backup`, as `repair` said, "
        f"{count['beyond the backup']} refused, having lost what came after the backup",
        enough
        and count["repaired"] >= min(200, fewest)
        and count["repaired"] + count["restored"] + count["beyond the backup"] == count["repairs"],
    )  # fmt: skip
    yield _of_copies(count)


def _of_copies(count: Counter[str]) -> Finding:
    said = f"{count['both refused']} refused, {count['both wrong']} written to with a record lost for good"
    why = "a writer takes what neither copy has any more for a record that a crash cut short; `verify` tells"
    holds = not count["both wrong"]
    return Finding("copies", count["both"], "tries", said, holds, "" if holds else why)


def _of_large(tally: Tally) -> Finding:
    count = tally.counts
    said = (
        f"{count['died']} ended a process, {count['wrong']} answered wrongly, "
        f"in {count['not named']} an event was not named"
    )
    holds = not (count["died"] or count["wrong"] or count["not named"])
    why = "LMDB trusts its pages, and a look at all of them takes too long at each opening: `dnam verify` looks first"
    return Finding("large", count["tries"], "tries", said, holds, "" if holds else why)


PART = Part("rot", "Rot", CLAIMS, prove)
