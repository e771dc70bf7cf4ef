"""What deriving a memory anew may take, before anybody is asked.

A run takes as many tokens as it took when it was recorded; one of a model that counts none, a token for four characters
and what comes with every call (`dnam/guess.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

import msgspec

from dnam.guess import PROMPT_TOKENS, REPLY_TOKENS
from dnam.prices import FULL, Tokens, prices
from dnam.rederiving.replies import Again
from dnam.rederiving.turns import ORDERED
from projections.events.values import ModelUse
from projections.ids import EventId, Handle
from projections.rederiving.schedule import Recorded, Run

NOT_RECORDED = ModelUse(model="", version="")
"""The call of a run that was never recorded."""
BYTES_PER_TOKEN = 3
"""Of a prompt that is there: English has four, and no language is to be guessed too cheap."""
MODEL_MS = 3_000
"""How long a call is guessed to take where none was recorded, in ms."""


class Estimate(msgspec.Struct, frozen=True):
    """`runs` of the loops, of which `calls` ask the model, the `lessons` among them, which were never recorded; merges
    come on top, as many as were recorded behind these. Tokens and cost (10⁻⁶ USD; None where the price is not known)
    are those of all; `seconds`: how long these take side by side, but for batches. `in_a_row` of the calls are made one
    after the other, or more: merges, and what people did in between, are waited for too.
    """

    runs: int
    calls: int
    lessons: int
    merges: int
    tokens_in: int
    tokens_out: int
    cost_micros: int | None
    seconds: float
    in_a_row: int


class Terms(NamedTuple):
    """Which model is asked by loop, by its own name, what share of the price is paid, and how many calls at once."""

    models: Mapping[str, str]
    share: Decimal = FULL
    at_once: int = 1


def estimate(runs: Sequence[Run], merges: Sequence[ModelUse], again: Again, terms: Terms) -> Estimate:
    """What these runs may take, in the order in which they begin, with these merges."""
    asked = [run for run in runs if is_asked(run, again)]
    calls = [
        *((run.loop, run.call) for run in asked),
        *(("extraction", call) for call in merges),
    ]
    tokens = [(loop, _tokens(call)) for loop, call in calls]
    costs = [prices().cost_micros(terms.models[loop], each, terms.share) for loop, each in tokens]
    took = sum(_ms(call) for _, call in calls)
    return Estimate(
        runs=len(runs),
        calls=len(asked),
        lessons=sum(run.call == NOT_RECORDED for run in runs),
        merges=len(merges),
        tokens_in=sum(each.read_in for _, each in tokens),
        tokens_out=sum(each.out for _, each in tokens),
        cost_micros=None if None in costs else sum(each or 0 for each in costs),
        seconds=max(took / max(terms.at_once, 1), _longest(asked, lambda run: _ms(run.call))) / 1000,
        in_a_row=_longest(asked, lambda _: 1),
    )


def is_asked(run: Run, again: Again) -> bool:
    """Whether a run asks the model, and is not decided from what was replied then."""
    return not (again(run.call) and (run.reply is not None or run.error))


def merges_behind(recorded: Recorded, runs: Iterable[Run]) -> list[ModelUse]:
    """The calls of the merges that were recorded behind the extractions of what these read."""
    read: dict[Handle, set[EventId]] = defaultdict(set)
    for run in runs:
        if run.loop == "extraction":
            read[run.owner].update(run.reads or ())
    whose = (each for each in recorded.merged if each.owner in read)
    return [each.call for each in whose if not each.reads or not read[each.owner].isdisjoint(each.reads)]


def _ms(call: ModelUse) -> int:
    return call.latency_ms or MODEL_MS


def _longest(runs: Sequence[Run], weight: Callable[[Run], int]) -> int:
    """What the most of these weigh that wait for each other: the runs of one person, or of one session, and in a guild
    whoever decides waits for all who began before.
    """
    chains, turns = defaultdict[Hashable, int](int), defaultdict[str, int](int)
    for run in runs:
        chain = run.owner if run.audience is None else (run.session, run.audience.epoch)
        end = chains[chain] + weight(run)
        if run.audience is None and run.compartment.startswith(ORDERED):
            end = turns[run.compartment] = max(end, turns[run.compartment])
        chains[chain] = end
    return max(chains.values(), default=0)


def guessed_micros(model: str, prompt: str, share: Decimal = FULL) -> int:
    """What a call with this prompt may cost, in 10⁻⁶ USD; 0 where the price is not known."""
    tokens = Tokens(len(prompt.encode(errors="replace")) // BYTES_PER_TOKEN, REPLY_TOKENS)
    return prices().cost_micros(model, tokens, share) or 0


def _tokens(call: ModelUse) -> Tokens:
    return Tokens(call.tokens_in or PROMPT_TOKENS, call.tokens_out or REPLY_TOKENS)
