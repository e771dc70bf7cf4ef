"""Scale: a community whose log grows ten times as long, and which costs go with it.

`make prove` goes to a million events. Ten million take an hour or two and 60 GB: `python -m tests.proof.scale` (see its
`__main__`), which keeps what it measured in long.json; the last claim holds that against the same lines.
"""

from collections.abc import Iterator, Sequence
from os import sched_getaffinity

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.machine import GIB, Machine, machine
from tests.proof.scale.community import TOWN, Size
from tests.proof.scale.judging import LINES, RING, Judged, allowed, is_whole, judged, load, records
from tests.proof.scale.kept import LONG_RUN, LongRun, kept
from tests.proof.scale.measuring import LONG, SHORT, Measured, measured

LONG_EVENTS = 10_000_000
BUSY = 2
"""A load of so many a core is more than what is measured here makes itself."""
PAGED = {"_cpu_s": 3, "_s": 5}
"""How many times as long the processors, and the clock, may take to go through files that do not fit into memory."""
MB_OF_GIB = GIB / 1e6
RING_HELD = 4
"""MB that a process holds for each MB of both copies of the key ring: with 60,000 vaults of five people each, measured,
2.7 where it is open, and 3.9 while it is read anew or written.
"""
HOLDERS = {"replay_mb": 2, "verify_mb": 2, "erase_mb": 1, "write_mb": 1}
"""How many processes hold the ring: a replay and a `verify` have a helper."""
KNOWN = {
    "replay_mb": "the process and its helper hold the key ring as a whole, which grew",
    "verify_mb": "the process and its helper hold the key ring as a whole, which grew",
    "write_mb": "a writer holds the key ring as a whole, which grew",
    "erase_mb": "an erasure reads and writes the key ring as a whole, which grew",
}
"""Figures that may bend for a known reason, which the scorecard then tells: what falls short of a straight line."""
SLOW = "; an erasure took longer than a replay"
NEAR = 0.03
"""By so much of what is claimed what is counted may differ."""
RECORDS, NEAR_RECORDS = 24_000, 0.05
"""Of the ring that a million events add, and by how much of that it may differ."""
SAME = "a guest, of whom all have the same scenes"
"""Who is looked at: one for each size, since the last is erased then."""
OF_GUEST = {"show": "known", "audit": "lives", "person": "known", "erase": "known"}
"""By claim, the figure that says how many items its guest has: in the middle of the log, or in all of it."""
CLAIMS = (
    Claim(
        "sound",
        f"a community of {TOWN.people:,} people in {TOWN.channels:,} public channels is kept, and `verify` finds "
        "nothing in it",
        "copies of 20 scenes, five kinds of four, that the real program held with the offline model; copied around the "
        "engine and sealed as it seals, each with other people, places, times and ids, drawn by Zipf's law; other "
        "words only in messages that are not to the assistant, else the scene's own. 100,000 events, then 1,000,000. "
        f"People and channels are counted in the views, and may differ by {NEAR:.0%}. `verify` without --open: pages, "
        "headers, digests of the bodies as they are stored, the tree, rows; no body is opened",
    ),
    Claim(
        "open",
        f"opening grows with the key ring alone, to which a million events add some {RECORDS:,} records; so does a "
        "writer",
        f"median of 7, for a reader and a writer; at most: {allowed('open')}, or with the ring; records are counted, "
        f"and may differ by {NEAR_RECORDS:.0%}",
    ),
    Claim(
        "append",
        "an append does not grow with the log",
        f"200 durable ones (median), then 64 producers at once; at most: {allowed('append')}",
    ),
    Claim(
        "show",
        "`show --at` costs what a person's own events cost, in the middle of any log",
        f"{SAME}, 40 looks; at most: {allowed('show')}",
    ),
    Claim(
        "audit", "`audit` of a person does too", f"every life of theirs, in words; {SAME}; at most: {allowed('audit')}"
    ),
    Claim(
        "person",
        "recall in somebody's direct messages does not grow with what others say",
        f"60 queries, items and what was said; {SAME}; at most: {allowed('person')}",
    ),
    Claim(
        "guild",
        "recall in a guild grows no faster than what was said in it, nor does its memory",
        f"the same in a public channel; at most: {allowed('guild')}",
    ),
    Claim(
        "replay",
        "a rebuild is linear, and takes no more memory for a longer log",
        f"`replay` in a process of its own, with its helper's memory; at most: {allowed('replay')}",
    ),
    Claim("verify", "so is `verify`", f"in a process of its own; at most: {allowed('verify')}"),
    Claim(
        "erase",
        "erasing somebody writes the key ring anew, and copies the views: linear in either, and less than a replay",
        f"{SAME}; at most: {allowed('erase')}; "
        "a replay by the clock, and where other work runs beside it by the processors' time",
    ),
    Claim("disk", "an event takes as much disk in a long log as in a short one", f"at most: {allowed('disk')}"),
    Claim(
        "long",
        "the same holds from 1,000,000 to 10,000,000 events",
        "`python -m tests.proof.scale --events 10000000`, which `make prove` does not repeat: it is data of "
        "the commits that the line names; the same tolerances, "
        "`verify` finds nothing there either, and an erasure takes less than a replay",
    ),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Measure two sizes, and hold each figure against its line; then what was kept of the long run."""
    plan = SHORT if trial.is_short else LONG
    found = {each.events: each for each in measured(trial.folder, plan, trial.seed, trial.say)}
    smaller, larger = found.values()
    yield sound(list(found.values()), plan.size)
    for key in LINES:
        yield _finding(key, smaller, larger, is_timed=not trial.is_short)
    yield long(kept(LONG_RUN))


def sound(found: Sequence[Measured], size: Size) -> Finding:
    """Whether what was made is as it should be, and as large: else the figures mean nothing."""
    last = max(found, key=lambda each: each.events)
    problems = sum(each["problems"] for each in found)
    guests = size.guests - sum(each is not last for each in found)  # at each size one is erased
    came_out = (
        f"{last['people']:,.0f} people ({guests} guests among them), {last['channels']:,.0f} public channels, "
        f"{last.vaults:,} vaults, {last['rows']:,.0f} rows, {problems:.0f} problems"
    )
    counts = ((last["people"], size.people + guests), (last["channels"], size.channels))
    is_as_large = all(abs(count - wanted) <= NEAR * wanted for count, wanted in counts)
    return Finding("sound", last.events, "events", came_out, not problems and is_as_large)


def ring(smaller: Measured, larger: Measured) -> tuple[str, bool]:
    """How many records the ring has, in words, and whether as many came as is claimed."""
    before, after = records(smaller), records(larger)
    of_million = 1e6 * (after - before) / (larger.events - smaller.events)
    told = f"the ring has {before:,} → {after:,} records, {of_million:,.0f} more for a million events"
    return told, abs(of_million - RECORDS) <= NEAR_RECORDS * RECORDS


def _guest(key: str, smaller: Measured, larger: Measured) -> str:
    """How much the guest has that is looked at at each size, as far as it was kept."""
    figures = {OF_GUEST[key]: "items", "keys": "keys", "sealed": "events sealed by them"}
    told = (
        f"{smaller[figure]:,.0f} → {larger[figure]:,.0f} {what}"
        for figure, what in figures.items()
        if figure in smaller.figures.keys() & larger.figures.keys()
    )
    return f"the guest has {', '.join(told)}"


def _finding(key: str, smaller: Measured, larger: Measured, *, is_timed: bool) -> Finding:
    """One claim. Untimed (the short form), it holds where everything was measured."""
    lines = judged(key, smaller, larger)
    came_out = f"at {smaller.events:,} → {larger.events:,} events: {'; '.join(each.told() for each in lines)}"
    bent = [each for each in lines if not each.holds]
    slow = key == "erase" and is_slow(larger, len(sched_getaffinity(0)))
    came_out += SLOW if slow else ""
    came_out += f"; {_guest(key, smaller, larger)}" if key in OF_GUEST else ""
    told, is_as_claimed = ring(smaller, larger) if key == "open" else ("", True)
    came_out += f"; {told}" if told else ""
    holds = not is_timed or not (bent or slow or not is_as_claimed)
    short = "" if holds or slow or not is_as_claimed else excuse(bent, machine())
    figures = tuple(figure for each in lines if (figure := each.figure()))
    return Finding(key, larger.events, "events", came_out, holds, short, figures)


def is_slow(at: Measured, cores: int) -> bool:
    """Whether an erasure took longer than a replay; where other work ran beside it, by the processors' time too."""
    is_busy = load(at, "erase_s") > BUSY * cores
    return at["erase_s"] > at["replay_s"] and (not is_busy or at["erase_cpu_s"] > at["replay_cpu_s"])


def excuse(bent: Sequence[Judged], on: Machine) -> str:
    """Why these lines are not straight, where that is known of every one; else nothing: then they are broken."""
    reasons = [_known(each) or _paged(each, on) or _beside(each, on.cores) for each in bent]
    return "; ".join(dict.fromkeys(reasons)) if all(reasons) else ""


def _known(bent: Judged) -> str:
    """Memory goes with the key ring: what it is above the line's tolerance is no more than what the ring grew by, as it
    is held.
    """
    figure = bent.line.figure
    if figure not in KNOWN:
        return ""
    above = bent.larger[figure] - bent.most
    grown = bent.larger[RING] - bent.smaller[RING]
    return KNOWN[figure] if above <= HOLDERS[figure] * RING_HELD * grown else ""


def _paged(bent: Judged, on: Machine) -> str:
    """What goes through files that do not fit into memory waits for the disk, and reading page by page takes the
    processors' time too: twice as much for a log that was verified in half the memory of its files. No more than so
    many times is put down to it.
    """
    before, after = (each["log_disk_mb"] + each["views_disk_mb"] for each in (bent.smaller, bent.larger))
    figure = bent.line.figure
    most = next((most for end, most in PAGED.items() if figure.endswith(end)), 0)
    if bent.ratio > most or not before < on.memory * MB_OF_GIB < after:
        return ""
    return f"log and views, {after / 1000:.0f} GB, do not fit into {on.memory:g} GiB, and are read from the disk"


def _beside(bent: Judged, cores: int) -> str:
    """The clock tells also of other work that ran then. The processors' time, memory and disk do not. Work that shares
    the processors with so many times as many others takes as many times longer, and no more is put down to it.
    """
    before, after = (max(cores, load(each, bent.line.figure)) for each in (bent.smaller, bent.larger))
    if after <= BUSY * cores or bent.line.figure.endswith(("_mb", "_cpu_s")):
        return ""
    if bent.ratio > bent.line.most * after / before:
        return ""
    return f"other work ran beside it, a load of {after:.0f} on {cores} cores (before: {before:.0f})"


def long(run: LongRun | None) -> Finding:
    """The long run, as it was kept."""
    sizes = [] if run is None else [each for each in run.sizes if is_whole(each) and "problems" in each.figures]
    if run is None or len(sizes) < 2 or sizes[-1].events < LONG_EVENTS:
        return Finding("long", 0, "events", "not run", False, "it takes an hour or two, and 60 GB of disk")
    smaller, larger = sizes[-2:]
    bent, on = [each for key in LINES for each in judged(key, smaller, larger) if not each.holds], run.machine
    where = f"on {run.date}, commit {on.commit}, seed {run.seed}, {on.cores} cores, {on.memory:g} GiB"
    again = (f"{each.what} of {each.events:,} on {each.date}, commit {each.machine.commit}" for each in run.again)
    where += f" ({'; '.join(again)})" if run.again else ""
    where += f", {run.since()}"
    problems, slow = sum(each["problems"] for each in sizes), any(is_slow(each, on.cores) for each in (smaller, larger))
    told = "".join(f"; {each.told()}" for each in bent) + (SLOW if slow else "")
    told += f"; {ring(smaller, larger)[0]}; {_guest('show', smaller, larger)}"
    came_out = f"{where}: {problems:.0f} problems, {_figures(larger)}{told}"
    is_known = not (problems or slow)
    return Finding(
        "long", larger.events, "events", came_out, is_known and not bent, excuse(bent, on) if is_known and bent else ""
    )


def _figures(at: Measured) -> str:
    told = (
        f"opening {at['open_reader_ms']:.0f} ms, an append {at['append_ms']:.1f} ms, show --at {at['show_ms']:.2f} ms",
        f"recall in a guild p50 {at['guild_p50_ms']:.0f} ms",
        f"replay {at.events / at['replay_s']:,.0f} and verify {at.events / at['verify_s']:,.0f} events/s",
        f"erase {at['erase_s']:,.0f} s, keys after {at['keys_gone_ms']:.0f} ms",
    )
    return ", ".join(told)


PART = Part("scale", "Scale", CLAIMS, prove, is_timed=True)
