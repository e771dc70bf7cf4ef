"""The rests that the API asked for, each of one model: by model its limits are counted.

    told to     the model's answers rest   its loops rest
    an answer   yes                        yes
    a loop      no                         yes

What a loop was told keeps nobody from an answer: it is asked for once, and hears for itself how things are.
"""

from dnam.adapters.anthropic.aliases import resolve
from dnam.adapters.circuit import Seconds
from dnam.adapters.rest import Refusal, Rest
from dnam.model import Ask


class Rests:
    """`refuse` before every ask."""

    def __init__(self, seconds: Seconds) -> None:
        self._seconds = seconds
        self._answers: dict[str, Rest] = {}
        self._loops: dict[str, Rest] = {}

    def ask(self, ask: Ask, seconds: float, refusal: Refusal) -> None:
        """So many seconds were asked for in place of a reply to this."""
        model = resolve(ask.model)
        for rests in (self._answers, self._loops) if ask.purpose == "answer" else (self._loops,):
            rests.setdefault(model, Rest(self._seconds)).ask(seconds, refusal)

    def refuse(self, ask: Ask) -> None:
        """Raise what this is refused with, as long as its model rests."""
        rests = self._answers if ask.purpose == "answer" else self._loops
        if rests:  # else the SDK may not be loaded yet, which says what a name stands for
            rest = rests.get(resolve(ask.model))
            if rest is not None:
                rest.refuse()
