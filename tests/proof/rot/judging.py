"""What came out, as findings: what holds, what falls short and why, and what is broken."""

from collections.abc import Iterator, Sequence

from tests.proof.claim import Finding
from tests.proof.rot.damage import PLACES, Where
from tests.proof.rot.tally import Tally

MOST_IMPRECISE = 20
"""In one of so many tries at most, more events that are as they were may be named than were changed."""
LEAST_SAME: dict[Where, float] = {"log": 0.2, "views": 0.7, "shadow": 0.27}
"""The share of the tries in which all has to be answered as if nothing were damaged: about 0.7 of what was measured.
Of a backup all that is used is looked at before any of it is: there, and in the key ring, only what is harmless counts.
"""
LEAST_REPAIRED = 0.5
"""The same, of the logs that `dnam repair` puts right as they were."""
MOST_IN_VAIN = 50
"""Of the repairs, one of so many at most may be given up though nothing is gone that came after the backup."""
MOST_BLAMED = 100
"""The same, of those that blame an event that is as it was."""
IN_VAIN = (
    "where the pages that say what lies where do not fit beyond doubt, `repair` does not guess, and gives up events "
    "that could still be read"
)
MOST_DEAD = 25
"""Of files that nobody looks over, one try of so many at most may end the process."""
MOST_LEFT = 3
"""Of damaged views that only a writer looks over, one of so many at most may be left to `dnam replay`."""
MOST_UNREPAIRED = 10
"""Of damaged logs that are not looked over when they are opened, one of so many at most may not be repaired."""
UNTRIED = "only the whole form tries it"
WHY_TRUSTED = (
    "LMDB trusts its pages, and a look at all of them takes a second or more for each GB, at each opening: `dnam "
    "verify` looks first"
)
WHY_LEFT = {
    "large": "a writer looks over the pages of such a file and not each row: whoever comes upon a damaged row refuses, "
    "and says `dnam replay`",
    "huge": "a look at all pages takes a second or more for each GB, and no writer waits for it: whoever comes upon "
    "damage refuses, and says `dnam replay`",
}
WHY_UNREPAIRED = f"of the logs: {IN_VAIN}"


def findings(tally: Tally, fewest: int) -> Iterator[Finding]:
    """What came out. `fewest`: tries of each kind, and at each place; without any, no share of them is asked for."""
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
    yield _right(tally, enough and hit, fewest)
    yield _repair(tally, enough, fewest)
    yield _copy(tally, fewest)
    said = f"{count['both refused']} refused and told of, {count['both wrong']} not{tally.told('both wrong')}"
    yield Finding("copies", count["both"], "tries", said, count["both"] * 5 >= fewest and not count["both wrong"])
    yield from (_beside(tally, where, fewest) for where in ("shadow", "backup"))


def _right(tally: Tally, is_tried: bool, fewest: int) -> Finding:
    count = tally.counts
    said = (
        f"{count['wrong']} answered wrongly{tally.told('wrong')}, {count['earlier']} as of an earlier event, "
        f"{count['refused']:,} refused; all the same in {_same(tally, 'log')} of a log, {_same(tally, 'views')} of "
        f"views; {_harmless(tally, PLACES)}"
    )
    is_answered = _is_answered(tally, PLACES, fewest)
    counted = f"tries, {count['in use']:,} of them where something is"
    return Finding("right", count["tries"], counted, said, is_tried and is_answered and not count["wrong"])


def _same(tally: Tally, where: Where) -> str:
    return f"{tally.counts[f'{where} same']:,} of {tally.counts[where]:,} tries"


def _harmless(tally: Tally, places: Sequence[Where]) -> str:
    """How it went where nothing was changed that anybody uses."""
    tried = sum(tally.counts[f"{where} controls"] for where in places)
    touched = sum(tally.counts[f"{where} controls touched"] for where in places)
    first = "".join(tally.told(f"{where} controls touched") for where in places)
    return f"of {tried} tries that changed nothing in use, {touched} were not as without them{first}"


def _is_quiet(tally: Tally, places: Sequence[Where]) -> bool:
    """Whether everything was as it was where nothing was changed that anybody uses, and that was tried."""
    count = tally.counts
    return all(count[f"{where} controls"] > 0 and not count[f"{where} controls touched"] for where in places)


def _is_answered(tally: Tally, places: Sequence[Where], fewest: int) -> bool:
    """Whether enough was answered as if nothing were damaged: what refuses everything answers nothing wrongly."""
    count = tally.counts
    is_enough = (count[f"{where} same"] >= LEAST_SAME.get(where, 0) * count[where] for where in places)
    return _is_quiet(tally, places) and (not fewest or all(is_enough))


def _repair(tally: Tally, enough: bool, fewest: int) -> Finding:
    count = tally.counts
    said = (
        f"{count['repaired']:,} repaired as they were; where something was gone that came after the backup, "
        f"{count['restored']} were brought back as far as the backup goes by `restore-backup`, of which `repair` told, "
        f"and {count['beyond the backup']} refused; {count['in vain']} were given up so though nothing was gone that "
        f"came after the backup{tally.told('in vain')}, {count['blamed']} of them by blaming an event that was as it "
        f"was; {count['not repaired']} came out otherwise{tally.told('not repaired')}"
    )
    is_enough = enough and (not fewest or count["repaired"] >= max(1, LEAST_REPAIRED * count["repairs"]))
    is_sound = is_enough and _is_all_told(tally) and _is_quiet(tally, ("log",))
    is_few = count["in vain"] * MOST_IN_VAIN <= count["repairs"] and count["blamed"] * MOST_BLAMED <= count["repairs"]
    holds = is_sound and not count["in vain"]
    short = IN_VAIN if is_sound and is_few and not holds else ""
    return Finding("repair", count["repairs"], "damaged logs", said, holds, short)


def _is_all_told(tally: Tally) -> bool:
    """Whether every repair came out in one of the ways that are told of."""
    count = tally.counts
    done = sum(count[each] for each in ("repaired", "restored", "beyond the backup", "in vain"))
    return done == count["repairs"] and not count["not repaired"]


def _copy(tally: Tally, fewest: int) -> Finding:
    count = tally.counts
    said = (
        f"{count['copy untold']} were not told of by `verify`{tally.told('copy untold')}, in {count['copy otherwise']} "
        f"something was not answered as before{tally.told('copy otherwise')}, and {count['copy left']} were not put "
        f"right by the next writer{tally.told('copy left')}; {_harmless(tally, ('ring',))}"
    )
    wrong = count["copy untold"] + count["copy otherwise"] + count["copy left"]
    holds = 2 * count["one copy"] >= fewest and not wrong and _is_quiet(tally, ("ring",))
    return Finding("copy", count["one copy"], "tries", said, holds)


def _beside(tally: Tally, where: Where, fewest: int) -> Finding:
    count = tally.counts
    said = (
        f"{count[f'{where} same']} as if it were whole, {count[f'{where} refused']} refused, {count[f'{where} wrong']} "
        f"answered wrongly, or in more than a line{tally.told(f'{where} wrong')}; {_harmless(tally, (where,))}"
    )
    is_tried = count[where] * 5 >= fewest and _is_answered(tally, (where,), fewest)
    return Finding(where, count[where], "tries", said, is_tried and not count[f"{where} wrong"])


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


def of_large(tally: Tally, size: str, fewest: int) -> Finding:
    """What came out for `large` files, which only writers look over, or `huge` ones, which nobody does. Views that the
    next writer left as they were and logs that were not repaired fall short, up to a bound; what `verify` did not name,
    or nothing tried, is broken.
    """
    count = tally.counts
    left, unrepaired = count["unnoticed views"], count["in vain"] + count["not repaired"]
    said = (
        f"{_of_names(tally)}; in {count['unseen views']} nothing was said of views{tally.told('unseen views')}; "
        f"{left} of {count['damaged views']} damaged views were left to `dnam replay`, "
        f"{unrepaired} of {count['repairs']} damaged logs were not repaired though the backup has what is gone"
    )
    is_tried = count["tries"] >= max(fewest, 1) and all(count[each] for each in ("changed", "damaged views", "repairs"))
    is_named = not (count["not named"] or count["unseen views"])
    most_left = count["damaged views"] if size == "huge" else count["damaged views"] / MOST_LEFT
    is_few = left <= most_left and unrepaired * MOST_UNREPAIRED <= count["repairs"]
    holds = is_tried and is_named and not (left or unrepaired)
    why = "; ".join([WHY_LEFT[size]] * bool(left) + [WHY_UNREPAIRED] * bool(unrepaired))
    short = why if is_tried and is_named and is_few else ""
    return Finding(size, count["tries"], "tries", said, holds, short if count["tries"] else UNTRIED)


def of_trusted(tallies: Sequence[Tally], fewest: int) -> Finding:
    """What came out for both: that few end a process falls short. More, or any answered otherwise, is broken."""
    tried, died, wrong = (sum(each.counts[what] for each in tallies) for what in ("tries", "died", "wrong"))
    said = f"{died} ended a process, {wrong} answered wrongly{''.join(each.told('wrong') for each in tallies)}"
    is_tried = tried >= max(fewest, 1)
    why = WHY_TRUSTED if is_tried and died and died * MOST_DEAD <= tried and not wrong else ""
    return Finding("trusted", tried, "tries", said, is_tried and not (died or wrong), why if tried else UNTRIED)
