"""What deriving a memory anew may take, before anybody is asked.

A run takes as many tokens as it took when it was recorded; one of a model that counts none, a token for four characters
and what comes with every call (`dnam/guess.py`).
"""

import msgspec

from dnam.guess import PROMPT_TOKENS, REPLY_TOKENS
from dnam.prices import Tokens, prices
from dnam.rederiving.replies import Again
from projections.rederiving.schedule import Recorded, Run

MODEL_MS = 3_000
"""How long a call is guessed to take where none was recorded, in ms."""


class Estimate(msgspec.Struct, frozen=True):
    """`runs` of the loops, of which `calls` ask the model; merges come on top, as many as were recorded. Tokens and
    cost (10⁻⁶ USD; None where the price is not known) are those of the calls; `seconds`: how long these take side by
    side.
    """

    runs: int
    calls: int
    merges: int
    tokens_in: int
    tokens_out: int
    cost_micros: int | None
    seconds: float


def estimate(recorded: Recorded, runs: list[Run], again: Again, models: dict[str, str], at_once: int) -> Estimate:
    """What these runs may take. `models` are the models' own names by loop."""
    asked = [run for run in runs if not (again(run.call) and (run.reply is not None or run.error))]
    tokens = [_tokens(run) for run in asked]
    costs = [prices().cost_micros(models[run.loop], each) for run, each in zip(asked, tokens, strict=True)]
    merges = sum(1 for _, call in recorded.merges.values() if not again(call))
    took = [run.call.latency_ms or MODEL_MS for run in asked]
    return Estimate(
        runs=len(runs),
        calls=len(asked),
        merges=merges,
        tokens_in=sum(each.read_in for each in tokens),
        tokens_out=sum(each.out for each in tokens),
        cost_micros=None if None in costs else sum(each or 0 for each in costs),
        seconds=sum(took) / 1000 / max(at_once, 1),
    )


def _tokens(run: Run) -> Tokens:
    call = run.call
    return Tokens(call.tokens_in or PROMPT_TOKENS, call.tokens_out or REPLY_TOKENS)
