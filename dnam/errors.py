"""The shell's own errors; each names what was asked for and what there is instead."""

from collections.abc import Iterable

from projections.errors import BadRequest, DnamError
from replay.errors import LogError


class Unknown(BadRequest):
    """A user, session or place that nobody knows."""


class Ambiguous(BadRequest):
    """More than one user or session goes by this; `candidates` says which."""

    def __init__(self, message: str, candidates: tuple[str, ...]) -> None:
        super().__init__(f"{message}:\n" + "\n".join(f"  {each}" for each in candidates))
        self.candidates = candidates


class Unsuitable(DnamError):
    """The place that a setting names cannot be used for that; the words quote nobody."""


class OptedOut(DnamError):
    """Whom work was under way for opted out meanwhile: it ends without writing."""


class NothingDone(LogError):
    """What cannot be undone could not be begun: nothing was changed."""


class BrokenOff(LogError):
    """What cannot be undone was begun, and some of it is still to be done: whoever opens for writing next goes on."""


class ShadowUnusable(DnamError):
    """A shadow that can only be dropped and made anew; `why` says what is wrong with it."""

    def __init__(self, name: str, why: str) -> None:
        remedy = f"`dnam shadows drop {name}`, then `dnam rederive --name {name}` again"
        super().__init__(f"the shadow {name!r} cannot be used: {why}. {remedy}")
        self.why = why


class CostsTooMuch(DnamError):
    """What something may cost is reached; `most_micros` is that, in 10⁻⁶ USD."""

    def __init__(self, most_micros: int) -> None:
        from dnam.prices import exact_dollars

        super().__init__(f"the next call may cost more than is left of {exact_dollars(most_micros)} (--max-cost)")
        self.most_micros = most_micros


class NoKey(BadRequest):
    """A model is to be asked, and there is no key for it."""

    def __init__(self, model: str) -> None:
        super().__init__(f"to ask {model} there must be a key: set ANTHROPIC_API_KEY, or use --model offline")


class PriceUnknown(BadRequest):
    """What something may cost cannot be held to: what these models cost is not known."""

    def __init__(self, models: Iterable[str]) -> None:
        from dnam.prices import prices

        super().__init__(
            f"the price of {', '.join(models)} is not in the table of {prices().as_of}, so --max-cost cannot hold and "
            "nothing is asked: leave --max-cost out, or name a model whose price is known"
        )
