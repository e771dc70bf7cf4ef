"""Whether a note says the opposite of what was said, or says it of somebody else, by words that need not be said.

    said                              the note                      turned
    ───────────────────────────────   ───────────────────────────   ──────────────────────────────────────────────
    "I'm allergic to nuts"            "I'm not allergic to nuts"    they did not deny it
    "I work at Acme"                  "I used to work at Acme"      they did not say that it is over
    "I used to work at Acme"          "I work at Acme"              they said that it is over
    "My sister hates tea"             "I hate tea"                  they said it of their sister
    "My sister hates tea"             "My tea hates sister"         the same

What a clause of the note says is looked for in the clauses of theirs that have all of its words. A word of the note
that denies has to be among them, in front of the same; so has what turns a sentence otherwise (without, only), and what
says that it is over. What they said of somebody or something of theirs, or of others, is noted of that, in their order,
or with "my" before it where the two are one ("Rolf is my dog"). Where they speak of themselves too in that clause, it
is not judged, nor in languages of which nothing is known. This is asked of notes alone (`decisions/noting`), whose
words are their own; what is learned is put in other words.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from projections.policies.asserting import AssertingWords, Clause, carries, clauses
from projections.policies.own_words import said_in
from projections.policies.verdict import Verdict

VERSION = "turned@1"
DENIED = "they did not say that it is not"
OVER = "they did not say that it is over"
STILL = "they said that it is over"
OF_OTHERS = "they said it of somebody or something else"


class TurnedWords(NamedTuple):
    """What is known of a language. `former` say that something is over; what is denied of one thing is denied of what
    stands behind one of `alternating` too ("no tea or coffee"). `oneself` are for who speaks, `possessing` and
    `others` in front of what is said of something of theirs, and of others. What has one of `describing` is still the
    same, what is one of `attributes` is who speaks, and `equating` stand between two names for one.
    """

    former: frozenset[str] = frozenset()
    alternating: frozenset[str] = frozenset()
    oneself: frozenset[str] = frozenset()
    possessing: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    describing: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    equating: frozenset[str] = frozenset()


def turned(text: str, said: Iterable[str], words: AssertingWords, known: TurnedWords) -> Verdict | None:
    """Why a note says something else than was said; None where it may say the same."""
    wider = words._replace(joining=words.joining - known.alternating)
    told = list(dict.fromkeys(each for one in said for of in (words, wider) for each in clauses(one, of)))
    judge = _Judge(words, known)
    found = next((why for each in clauses(text, words) if (why := judge.why(each, told))), "")
    return Verdict(f"{found}: only what they say can be noted down", VERSION) if found else None


class _Judge:
    """One note, clause by clause."""

    def __init__(self, words: AssertingWords, known: TurnedWords) -> None:
        self._words = words
        self._known = known
        self._denying = words.denying | words.naming
        self._small = words.between | words.around | known.oneself | known.possessing

    def why(self, note: Clause, told: Sequence[Clause]) -> str:
        """What they said or did not say, so that it is not theirs; empty where it may be."""
        marks = self._denying | self._words.turning | self._known.former
        content = [each for each in note.words if each not in self._small | marks]
        if not content:
            return ""
        carrying = [each for each in told if carries(each, content)]
        if not self._denying.isdisjoint(note.words) and not any(self._denies(each, content) for each in carrying):
            return DENIED
        turning = [each for each in note.words if each in self._words.turning]
        if turning and not any(carries(each, turning) for each in carrying):
            return DENIED
        return self._over(note, carrying) or (
            OF_OTHERS if carrying and all(self._is_of_others(note, content, each) for each in carrying) else ""
        )

    def _denies(self, clause: Clause, content: Sequence[str]) -> bool:
        """Whether a word denies in a clause what stands behind it, and that is of the content."""
        says = said_in(" ".join(content))
        for at, word in enumerate(clause.words):
            skipped = self._words.around if word in self._words.naming else self._words.between | self._words.around
            behind = (each for each in clause.words[at + 1 :] if says(each) or each not in skipped)
            if word in self._denying and says(next(behind, "")):
                return True
        return False

    def _over(self, note: Clause, carrying: Sequence[Clause]) -> str:
        """What is wrong about its being over, or not."""
        is_over = not self._known.former.isdisjoint(note.words)
        if is_over:
            return "" if any(not self._known.former.isdisjoint(each.words) for each in carrying) else OVER
        was = [self._was(each) for each in carrying]
        return STILL if carrying and all(each and each in note.words for each in was) else ""

    def _was(self, clause: Clause) -> str:
        """The word that a clause says to be over, as it stands; empty where it says so of none."""
        at = next((at for at, each in enumerate(clause.words) if each in self._known.former), len(clause.words))
        return next((each for each in clause.words[at + 1 :] if each not in self._words.between), "")

    def _is_of_others(self, note: Clause, content: Sequence[str], clause: Clause) -> bool:
        """Whether a clause says the content of somebody or something, and the note does not say it of that."""
        heads = self._known.possessing | self._known.others
        at = next((at for at, each in enumerate(clause.words) if each in heads), len(clause.words))
        rest = clause.words[at + 1 :]
        before = said_in(" ".join(clause.words[:at]))
        if not rest or any(map(before, content)) or not self._known.oneself.isdisjoint(clause.words):
            return False
        if clause.words[at] in self._known.others:
            return self._known.others.isdisjoint(note.words)
        head = next((each for each in rest if each not in self._known.describing), rest[0])
        if head in self._known.attributes:
            return False
        is_head = said_in(head)
        if not any(map(is_head, note.words)):
            return True
        return not (_in_order(content, rest) or (self._is_equated(clause) and self._is_theirs(note, head)))

    def _is_equated(self, clause: Clause) -> bool:
        return not self._known.equating.isdisjoint(clause.words)

    def _is_theirs(self, note: Clause, head: str) -> bool:
        """Whether the note says of the same thing that it is theirs."""
        plain = [each for each in note.words if each not in self._known.describing]
        is_head = said_in(head)
        return any(one in self._known.possessing and is_head(other) for one, other in pairwise(plain))


def _in_order(content: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether words stand in a clause one behind the other, in whatever form."""
    left = iter(behind)
    return all(any(said_in(each)(word) for each in left) for word in content)
