"""Choosing what is adopted, group by group: with the words that came and went, where it holds, what it rests on and
what was judged of it, and y, n, a, d or q for an answer.

y   take it          a   take it, and all that follows          q   quit: nothing is adopted
n   leave it         d   done: leave it, and all that follows

Where what is typed ends before that, it is broken off, and nothing is adopted: what was not answered was not agreed to.
--yes answers yes to all of them.
"""

from collections.abc import Callable, Mapping, Sequence

from dnam.adoption.adopting import Chosen, Offer, OfSession, choosing
from dnam.cli.failures import INTERRUPTED, Ending
from dnam.cli.screen import answer_to
from dnam.cli.shadow_difference import tell_faults, tell_sides
from dnam.cli.shell import Shell
from dnam.cli.timeline import Span, line, spans_of
from dnam.shadows.grounds import Grounds
from dnam.shadows.words import ids_words
from projections.decisions.adopt import Part
from projections.ids import Handle
from projections.quoting import one_line
from projections.rederiving.pairs import Pair
from projections.wording import wording

QUESTION = "Adopt {what}? y: yes, n: no, a: yes to all the rest, d: done, no to all the rest, q: quit, adopt nothing "
ENDED = (
    "broken off, nothing was adopted: the input ended after {asked} of {total} questions. `d` adopts what was picked "
    "until then"
)
GroundsOf = Callable[[Handle, Part], Grounds]
"""Of a group of an owner's."""
SIGNS = {"only_new": "+", "changed": "~", "only_old": "-"}


class Quit(Exception):
    """Nothing is to be adopted, as somebody said."""


def picked(shell: Shell, names: Mapping[Handle, str], offer: Offer, grounds: GroundsOf) -> Chosen | None:
    """What is taken: of groups, then of summaries; None where somebody quits. Where the answers end before the
    questions, it ends as what is broken off. `names` are those of the owners.
    """
    try:
        return _picked(shell, names, offer, grounds)
    except Quit:
        return None


def _picked(shell: Shell, names: Mapping[Handle, str], offer: Offer, grounds: GroundsOf) -> Chosen:
    people = sorted(offer.people, key=lambda each: names[each.owner].casefold())
    parts = [(each.owner, part) for each in people for part in each.parts]
    sessions = [each for each in offer.sessions if not each.reason]
    asking = _Asking(shell, len(parts) + len(sessions), grounds)
    taken = frozenset(part.group.key for owner, part in parts if asking.group(names[owner], owner, part))
    return choosing(offer, taken, frozenset(each.key for each in sessions if asking.summary(each)))


class _Asking:
    """Asks as long as nobody said what is to become of all the rest."""

    def __init__(self, shell: Shell, total: int, grounds: GroundsOf) -> None:
        self._shell = shell
        self._grounds = grounds
        self._total = total
        self._asked = 0
        self._rest: bool | None = True if shell.out.yes else None

    def group(self, name: str, owner: Handle, part: Part) -> bool:
        """Whether a group is taken."""
        if self._rest is None:
            self._title(name)
            grounds = self._grounds(owner, part)
            for pair, words in zip(part.pairs, grounds.group.pairs, strict=True):
                line(self._shell, *_pair(pair))
                line(self._shell, Span(f"      {words.where}", "dim"))
                tell_sides(self._shell, words)
            tell_faults(self._shell, grounds.faults)
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
            typed = answer_to(QUESTION.format(what=what))
            if not typed:
                self._shell.out.note(ENDED.format(asked=self._asked - 1, total=self._total))
                raise Ending(INTERRUPTED)
            answer = typed.strip().casefold()[:1]
            if answer == "q":
                raise Quit
            if answer in ("a", "d"):
                self._rest = answer == "a"
            elif answer in ("y", "n"):
                return answer == "y"
        return self._rest


def _pair(pair: Pair) -> Sequence[Span]:
    """An item as it would become; where its words stay, what else changes."""
    item = pair.row.item
    others = [name for name in pair.fields if name != "text"]
    more = [Span(f"  ({', '.join(others)})", "dim")] if others else []
    words = [Span(one_line(item.text))] if pair.kind == "only_new" else list(spans_of(pair.words))
    known = ids_words(*("" if row is None else row.item.id for row in (pair.old, pair.new)))
    return [Span(f"  {SIGNS[pair.kind]} {known} [{item.kind}] "), *words, *more]
