"""What still says the old thing when a person put one item right, in a memory whose items another model made.

That model may have made several items of it, in words of its own. Besides the one that is found, these say it:

    it rests on                     nothing but the messages that they saw
    of the words that went          it has more than half: `Paris`, where `lives in Paris` became `lives in Rome`; or
                                    one of them, and more than half of all that it said. Where none went, or it was
                                    taken back, more than half of all
    of the words that came instead  it has no more than half: `moved from Paris to Rome` says the new thing
    a person                        has not put it so, or kept it

Where the very item that they saw is there, by its id, its words and its messages, nothing else is meant: what lies
beside it lay there before them too, as with the same model it did.

No language is asked, so it goes by words as they are written: a word is also found in one that is longer by some
letters (`Paris` in `Parisian`), and in scripts without spaces every sign is one. The share of the words tells as well
which of several items that rest on the same messages is meant.
"""

import re
from collections.abc import Iterable, Sequence

from projections.ids import EventId
from projections.items import ItemRow
from projections.policies.by_people import is_by_people
from projections.policies.text import folded

VERSION = "old_words@1"
PERCENT = 50
"""More of the words than this are to be there."""
FAMILY_CHARS = 4
"""How long a word is at least that is found in a longer one."""

_DENSE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")


def words_of(text: str) -> frozenset[str]:
    """The words of a text, in one case."""
    return frozenset(_WORD.findall(folded(text)))


def shared(words: frozenset[str], text: str) -> int:
    """How many percent of these words a text has; 0 of none."""
    there = words_of(text)
    return 100 * sum(_is_in(word, there) for word in words) // max(len(words), 1)


def _is_in(word: str, there: frozenset[str]) -> bool:
    return word in there or (len(word) >= FAMILY_CHARS and any(word in each for each in there))


def says_old(text: str, old: str, new: str) -> bool:
    """Whether a text says what an item said before it was put right; without `new`, before it was taken back."""
    before, after = words_of(old), words_of(new)
    wrong = shared(before - after or before, text)
    is_old = wrong > PERCENT or (wrong > 0 and shared(before, text) > PERCENT)
    return is_old and shared(after - before, text) <= PERCENT


def sayers(
    rows: Iterable[ItemRow], messages: frozenset[EventId], old: str, new: Sequence[str] = ("",)
) -> list[ItemRow]:
    """The items among these that still say the old thing, where it became one of these."""
    resting = (row for row in rows if row.item.status == "active" and not is_by_people(row))
    named = ((row, {each.message for each in row.item.evidence if each.message}) for row in resting)
    own = [row for row, rests in named if rests and rests <= messages]
    return [row for row in own if all(says_old(row.item.text, old, each) for each in new)]


def is_put_right(rows: Iterable[ItemRow], messages: Iterable[EventId], text: str) -> bool:
    """Whether a text, resting on these messages, says the old thing that a person put right in one of these items: on
    nothing but what they saw then.
    """
    rests = set(messages)
    return any(_has_put_right(row, rests, text) for row in rows)


def _has_put_right(row: ItemRow, rests: set[EventId], text: str) -> bool:
    intent = row.intent
    if intent is None or intent.action != "edit" or intent.saw is None:
        return False
    rested = {each.message for each in intent.saw.evidence}
    return bool(rests) and rests <= rested and says_old(text, intent.saw.text, row.item.text)
