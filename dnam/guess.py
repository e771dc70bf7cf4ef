"""What learning may cost, before anybody is asked: a guess, so that nobody agrees to a bill of another size."""

from dnam.learning.learner import Estimate
from dnam.models import in_use
from dnam.prices import Prices, Tokens, prices
from dnam.settings import Settings

CHARS_PER_TOKEN = 4
PROMPT_TOKENS = 1_500
"""What a call sends beside what was said: the prompt, the items that are known, the summary so far."""
REPLY_TOKENS = 800
"""What a call brings back, thinking counted."""


def guessed_micros(settings: Settings, estimate: Estimate, table: Prices | None = None) -> int | None:
    """The cost in 10⁻⁶ USD, as if everything were said in calls of one length; None where a price is not known."""
    prices_ = table or prices()
    stands = in_use(settings)
    said = estimate.characters // CHARS_PER_TOKEN // max(estimate.calls, 1)
    call = Tokens(PROMPT_TOKENS + said, REPLY_TOKENS)
    each = [
        (estimate.extractions, prices_.cost_micros(stands[settings.durable_model], call)),
        (estimate.summaries, prices_.cost_micros(stands[settings.summary_model], call)),
    ]
    total = 0
    for count, micros in each:
        if count and micros is None:
            return None
        total += count * (micros or 0)
    return total
