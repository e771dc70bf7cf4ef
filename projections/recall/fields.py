"""What a score is made of: the fields, and how much each counts.

1. The SEEDS documents with the highest BM25 of their own words and their dates (as in the table) are looked at, or as
   many as are asked for; whatever a known fact rests on or is near in meaning; and of what is `dated` as many: first
   what the one person said whom the question names, then what was recorded last. With each what was said up to NEAR
   before and after it in the same sitting.
2. Each of these has the sum of its fields, by the weights of the table below. Of a window the words of all its
   documents are counted together, as if they were one text; a term's idf is that of single documents throughout.
3. Of these, what has a word that is looked for is found, and of the rest whatever has a score above 0: a term's worth
   is 1/16 at the least, so that it tells something also where everything has it.
4. Ties go to what was recorded later. Of a long question the MOST_TERMS terms count that tell most.

    turn        its own words                                                       × 1
    near        those of two before and two after it, and its own                   × 1
    around      the same of seven                                                   × ¾
    day         those of all that was said in its unit on that day (UTC), but for   × ⅓
                what stands in more than COMMON documents
    reply       those of what was said just before, if that ends with a question    × 1
    fact        the words of the best item that rests on it                         × 1½
    near fact   the same of what is at most two before and after it, and its own    × ½
    date        for each of month, year and day of the month of when it was said that a date has which the 16
                question names, of the date of which it has most
    dated       it was said at all that the question names of a date, if that has a day of the month, or if nowhere 1
                stands any word that is looked for
    speaker     it is said by the one person whom the question names                3
    own         the same, and it says "I", "my" or "we"                             4
    tells when  it tells when something was, and the question asks for a time       6
    names       for each word with a capital letter within a sentence, up to three  up to 1½
    first       nothing was said before it in that sitting                          up to 2
    asks        it asks something itself                                            -2

    meaning, fact meaning   it is near in meaning, or the nearest item that rests on it     10 · 10 ÷ (10 + rank)
    near meaning            the same of what is at most two before and after it, and its own                  × ½

By `names` and `first` something may be worth having whatever is asked. They decide between what has the words, and do
not outweigh these: three names count at the most as much as the term that tells most does where it stands once. And
where a word stands somewhere as it is looked for (Mary, `foo_bar`), what has it in another form only (Marie, foo and
bar) has nothing of either, lest it come first for that.

The weights were found on five conversations of LoCoMo, each left out in turn, and rounded (`make eval` says what they
give): words count first, and the rest decides between what has them.
"""

from typing import NamedTuple

import numpy as np

from projections.recall.bm25 import ONE

NEAR, REACH = 2, 7
OF_WORDS = ("turn", "near", "around", "day", "reply")
"""The fields of words, in the order in which they are reckoned."""
TOGETHER = np.array([[1.0], [2 * NEAR + 1.0], [2 * REACH + 1.0]])
"""Of how many texts the words are counted together in the first three of them."""
WEIGHTS = {"turn": ONE, "near": ONE, "around": 768, "day": 341, "reply": ONE}
"""By how much a field's BM25 counts, in 1/1024."""
DATE, DATED, SPEAKER, OWN, TELLS_WHEN = (points * ONE for points in (16, 1, 3, 4, 6))
NAMES, FIRST, ASKING = (points * ONE // 2 for points in (3, 4, -4))
"""In 1/1024."""
IN_FULL = 3 * NAMES
"""So much the term that tells most weighs at the least where NAMES and FIRST count in full; else they do in proportion.
"""
COMMON = 16_384
"""A word that stands in more documents tells nothing of a day."""


class Counts(NamedTuple):
    """What is counted of all that is open: documents, their words, and days on which something was said."""

    documents: int
    words: int
    days: int
