"""Choosing what is adopted, group by group: with the words that came and went, and y, n, a or q for an answer.

y   take it                      a   take it, and all that follows
n   leave it                     q   leave it, and all that follows; the end of what is typed says the same
"""

import sys
from collections.abc import Mapping, Sequence

from dnam.adopting import Chosen, Offer, OfSession, choosing
from dnam.cli.shell import Shell
from dnam.cli.timeline import Span, line, spans_of
from projections.decisions.adopt import Part
from projections.ids import Handle
from projections.quoting import one_line
from projections.shadow_pairs import Pair
from projections.wording import wording

ANSWERS = ("y", "n", "a", "q")
SIGNS = {"only_new": "+", "changed": "~", "only_old": "-"}


def picked(shell: Shell, names: Mapping[Handle, str], offer: Offer) -> Chosen:
    """What is taken: of groups, then of summaries. `names` are those of the owners."""
    people = sorted(offer.people, key=lambda each: names[each.owner].casefold())
    parts = [(names[each.owner], part) for each in people for part in each.parts]
    sessions = [each for each in offer.sessions if not each.reason]
    asking = _Asking(shell, len(parts) + len(sessions))
    taken = frozenset(part.group.key for name, part in parts if asking.group(name, part))
    return choosing(offer, taken, frozenset(each.key for each in sessions if asking.summary(each)))


class _Asking:
    """Asks as long as nobody said what is to become of all the rest."""

    def __init__(self, shell: Shell, total: int) -> None:
        self._shell = shell
        self._total = total
        self._asked = 0
        self._rest: bool | None = None

    def group(self, name: str, part: Part) -> bool:
        """Whether a group is taken."""
        if self._rest is None:
            self._title(name)
            for pair in part.pairs:
                line(self._shell, *_pair(pair))
        return self._answer("these" if len(part.pairs) > 1 else "this")

    def summary(self, offered: OfSession) -> bool:
        """Whether a summary is taken."""
        made = offered.request.made
        if self._rest is None:
            self._title(f"the summary of {made.session}")
            line(self._shell, Span("    "), *spans_of(wording(offered.before, made.text)))
        return self._answer("this")

    def _title(self, what: str) -> None:
        self._asked += 1
        line(self._shell, Span(f"{self._asked} of {self._total}, {what}", "bold"))

    def _answer(self, what: str) -> bool:
        while self._rest is None:
            self._shell.out.aside(f"Adopt {what}? y: yes, n: no, a: yes to all the rest, q: no to all the rest")
            typed = sys.stdin.readline()
            answer = typed.strip().casefold()[:1] if typed else "q"
            if answer in ("a", "q"):
                self._rest = answer == "a"
            elif answer in ANSWERS:
                return answer == "y"
        return self._rest


def _pair(pair: Pair) -> Sequence[Span]:
    """An item as it would become; where its words stay, what else changes."""
    item = pair.row.item
    others = [name for name in pair.fields if name != "text"]
    more = [Span(f"  ({', '.join(others)})", "dim")] if others else []
    words = [Span(one_line(item.text))] if pair.kind == "only_new" else list(spans_of(pair.words))
    return [Span(f"  {SIGNS[pair.kind]} {item.id} [{item.kind}] "), *words, *more]
