"""What deriving a memory anew may take, before anybody is asked.

A run takes as many tokens as it took when it was recorded; one of a model that counts none, a token for four characters
and what comes with every call (`dnam/guess.py`).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from dnam.guess import PROMPT_TOKENS, REPLY_TOKENS
from dnam.prices import FULL, Tokens, prices
from dnam.rederiving.replies import Again
from projections.events.values import ModelUse
from projections.rederiving.schedule import Recorded, Run

NOT_RECORDED = ModelUse(model="", version="")
"""The call of a run that was never recorded."""
MODEL_MS = 3_000
"""How long a call is guessed to take where none was recorded, in ms."""


class Estimate(msgspec.Struct, frozen=True):
    """`runs` of the loops, of which `calls` ask the model, the `lessons` among them, which were never recorded; merges
    come on top, as many as were recorded. Tokens and cost (10⁻⁶ USD; None where the price is not known) are those of
    all; `seconds`: how long these take side by side, but for batches.
    """

    runs: int
    calls: int
    lessons: int
    merges: int
    tokens_in: int
    tokens_out: int
    cost_micros: int | None
    seconds: float


class Terms(NamedTuple):
    """Which model is asked by loop, by its own name, what share of the price is paid, and how many calls at once."""

    models: Mapping[str, str]
    share: Decimal = FULL
    at_once: int = 1


def estimate(recorded: Recorded, runs: Sequence[Run], lessons: int, again: Again, terms: Terms) -> Estimate:
    """What these runs may take, and so many lessons."""
    asked = [run for run in runs if not (again(run.call) and (run.reply is not None or run.error))]
    merges = [call for _, call in recorded.merges.values() if not again(call)]
    calls = [
        *((run.loop, run.call) for run in asked),
        *(("extraction", call) for call in merges),
        *[("extraction", NOT_RECORDED)] * lessons,
    ]
    tokens = [(loop, _tokens(call)) for loop, call in calls]
    costs = [prices().cost_micros(terms.models[loop], each, terms.share) for loop, each in tokens]
    took = [call.latency_ms or MODEL_MS for _, call in calls]
    return Estimate(
        runs=len(runs) + lessons,
        calls=len(asked) + lessons,
        lessons=lessons,
        merges=len(merges),
        tokens_in=sum(each.read_in for _, each in tokens),
        tokens_out=sum(each.out for _, each in tokens),
        cost_micros=None if None in costs else sum(each or 0 for each in costs),
        seconds=sum(took) / 1000 / max(terms.at_once, 1),
    )


def guessed_micros(model: str, share: Decimal = FULL) -> int:
    """What a call may cost before any was made, in 10⁻⁶ USD; 0 where the price is not known."""
    return prices().cost_micros(model, _tokens(NOT_RECORDED), share) or 0


def _tokens(call: ModelUse) -> Tokens:
    return Tokens(call.tokens_in or PROMPT_TOKENS, call.tokens_out or REPLY_TOKENS)
