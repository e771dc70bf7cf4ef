"""What recall knows of English beside its stems, from the data file of `projections.languages`. It is part of what the
index is made of: `words.VERSION` rises with it.

Texts in other languages are found by their words as they stand.
"""

from projections.languages import ENGLISH

_KNOWN = ENGLISH.recall

IRREGULAR = {form: base for base, *others in _KNOWN.irregular for form in others}
"""Forms that no rule leads to their base, and everyday words of one meaning: each stands for the first of its row."""

ENDINGS = _KNOWN.endings
"""What the stem of a word lacks of it, as often as not: those that the stemmer takes off whole."""

STOP_WORDS = _KNOWN.stop_words
"""Nothing is looked for by these, unless there is nothing else to look for."""

CLITICS = _KNOWN.clitics
"""What stands behind an apostrophe and is only grammar, beside the "not" of "isn't"."""

WITHOUT_NOT = _KNOWN.without_not
"""What is left of a word without its "not", where that is not what stands before it."""

GREETINGS = _KNOWN.greetings
"""A name behind one of these is only addressed."""

MONTHS = _KNOWN.months

SHORT_MONTHS = _KNOWN.short_months
"""Names are among them, and other words: they are months only where a day or a year stands beside them."""

_NAMES = (MONTHS, SHORT_MONTHS)
NUMBERS = _KNOWN.other_months | {name: number for names in _NAMES for number, name in enumerate(names, 1) if name}
"""Which month each of these is, however it is called."""

ALSO_VERBS = _KNOWN.also_verbs
"""They are months only there as well, and behind one of the next."""

BEFORE_MONTHS = _KNOWN.before_months
"""Behind these a month stands, and no verb."""

ORDINALS, BETWEEN_DAYS = _KNOWN.ordinals, _KNOWN.between_days
"""What stands behind a number that is a day, and between two of them."""

ON_DAY, THE_DAY, OF_MONTH = _KNOWN.on_day, _KNOWN.the_day, _KNOWN.of_month
"""What stands around a day: "on the 13th", "the 13th of May"."""

TIME_WORDS = frozenset(MONTHS) | _KNOWN.time_words
"""A text with one of these tells when something was."""

FIRST_WORDS = _KNOWN.first_words
"""A text with one of these is about who says it."""

COUNTED = ENGLISH.counted
"""By which two words a question asks for a number. An answer has the number, and not the second of them."""

ASKS_BEHIND, REPORTS = ENGLISH.asking.behind, ENGLISH.asking.words
"""A question with one of the second shortly after one of the first asks for what somebody said, whatever they called
that.
"""

ASKS_WITH = {(before or each, each if before else after): each for before, each, after in ENGLISH.asking.pairs}
"""Which of two words that follow one another is the one that only asks."""

ASKS_WHEN = "|".join(_KNOWN.asks_when)
"""What a question has that asks for a time."""
