"""What `rederive` says: which shadow it makes and by whom, what it may take, and for what it waits before it ends."""

from typing import TYPE_CHECKING

from projections.counting import counted

if TYPE_CHECKING:
    from dnam.rederiving.estimate import Estimate
    from dnam.rederiving.rederivation import Rederivation

NOT_DONE = "nothing was asked, and nothing was changed"


def whose(derivation: "Rederivation", *, is_new: bool) -> str:
    """Which shadow is made, and by whom."""
    from dnam.resolving import resolved

    manifest, asked = derivation.manifest, derivation.manifest.asked
    reads, sums_up = (resolved(derivation.model, each) for each in (asked.model, asked.summary_model))
    between = "and" if reads == sums_up else f"and {sums_up} with"
    by = f"by {reads} with {asked.extraction_prompt} {between} {asked.summary_prompt}"
    return f"a new shadow {manifest.name}, {by}" if is_new else f"going on with the shadow {manifest.name}, {by}"


def estimate_words(guess: "Estimate", *, is_paid: bool, is_batched: bool) -> str:
    """What it may take, in a sentence or two."""
    from dnam.prices import dollars

    if not (guess.calls or guess.merges):
        return f"{counted(guess.runs, 'run')} of the loops, decided anew from what was replied then: nobody is asked."
    merges = f", and up to {counted(guess.merges, 'merge')}" if guess.merges else ""
    runs = f"{counted(guess.runs, 'run')} of the loops, {counted(guess.calls, 'call')} of the model{merges}"
    if not is_paid:
        return f"{runs}: it costs nothing."
    cost = "what it costs is not known" if guess.cost_micros is None else f"about {dollars(guess.cost_micros)}"
    tokens = f"about {guess.tokens_in:,} tokens in and {guess.tokens_out:,} out"
    return f"{runs}: {tokens}, {cost}{_how_long(guess, is_batched=is_batched)}."


def waiting_words(calls: int, *, is_paid: bool) -> str:
    """For what it waits that was told to end, and what telling it again leads to."""
    waits = f"breaking off behind what is under way, {counted(calls, 'call')}"
    if not is_paid:
        return f"{waits}. Ctrl-C again gives that up"
    return (
        f"{waits}, since that is paid for already. Ctrl-C again gives it up: it is paid for once more when this goes on"
    )


def _how_long(guess: "Estimate", *, is_batched: bool) -> str:
    if is_batched:
        batches = f"{_batches(max(guess.in_a_row, 1))} at the least, one after another"
        waits = "more where merges, or what people did in between, are waited for"
        return f"; {batches}, and {waits}; each takes up to a day, mostly less than an hour"
    minutes = f"{guess.seconds / 60:.0f} minutes" if guess.seconds >= 90 else counted(round(guess.seconds), "second")
    return f", {minutes} or so"


def _batches(number: int) -> str:
    return "1 batch" if number == 1 else f"{number} batches"
