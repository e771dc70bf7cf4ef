"""What recall knows of English beside its stems. It is part of what the index is made of: `words.VERSION` rises with
it.

Texts in other languages are found by their words as they stand.
"""

IRREGULAR = {
    form: base
    for forms in (
        "go went gone", "buy bought", "bring brought", "think thought", "catch caught", "teach taught", "fight fought",
        "seek sought", "find found", "feel felt", "keep kept", "sleep slept", "leave left", "lose lost", "meet met",
        "make made", "say said", "pay paid", "send sent", "spend spent", "build built", "hold held", "tell told",
        "sell sold", "hear heard", "lead led", "feed fed", "stand stood", "understand understood", "sit sat", "win won",
        "begin began begun", "swim swam swum", "sing sang sung", "drink drank drunk", "ring rang rung", "run ran",
        "come came", "become became", "give gave given", "take took taken", "eat ate eaten", "see saw seen",
        "know knew known", "grow grew grown", "fly flew flown", "draw drew drawn", "throw threw thrown",
        "write wrote written", "ride rode ridden", "drive drove driven", "choose chose chosen", "break broke broken",
        "speak spoke spoken", "wake woke woken", "steal stole stolen", "freeze froze frozen", "wear wore worn",
        "tear tore torn", "fall fell fallen", "forget forgot forgotten", "get got gotten", "hide hid hidden",
        "bite bit bitten", "shoot shot", "strike struck", "stick stuck", "hang hung", "dig dug", "slide slid",
        "mean meant", "deal dealt", "dream dreamt", "learn learnt", "burn burnt", "bend bent", "lend lent", "lay laid",
        "shake shook shaken", "shine shone", "show shown", "prove proven", "spin spun", "sweep swept", "weep wept",
        "child children", "man men", "woman women", "person people", "foot feet", "tooth teeth", "mouse mice",
        "goose geese", "wife wives", "life lives", "knife knives", "leaf leaves", "shelf shelves", "half halves",
        "wolf wolves", "good better best", "bad worse worst", "far further furthest farther", "old elder eldest",
        "mother mom mum mommy", "father dad daddy", "child kid kids", "picture photo photos pic pics", "bicycle bike",
        "television tv", "favorite fave fav favourite",
    )
    for base, *others in (forms.split(),)
    for form in others
}  # fmt: skip
"""Forms that no rule leads to their base, and everyday words of one meaning: each stands for the first of its row."""


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


ENDINGS = _words("s e ed es ing er ly al ion ions ation able ful ate ness ity ive ment ments ings ers")
"""What the stem of a word lacks of it, as often as not: those that the stemmer takes off whole."""

STOP_WORDS = _words(
    "a an the and or but if then than so as of at by for with about into to from in on off out over under up down",
    "i me my mine we us ours our you your yours he him his she her hers it its they them their theirs this that these",
    "those is am are was were be been being do does did doing have has had having will would shall should can could",
    "may might must not no nor s t d ll m re ve don didn doesn isn wasn aren weren won wouldn couldn shouldn haven",
    "hasn hadn ain what when where which who whom whose why how there here just very too also any some such own same",
    "other both each few more most all only",
)
"""Nothing is looked for by these, unless there is nothing else to look for."""

MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

SHORT_MONTHS = ("jan", "feb", "mar", "apr", "", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""Names are among them, and other words: they are months only where a day or a year stands beside them."""

ALSO_VERBS = frozenset(("march", "may"))
"""They are months only there as well, and behind one of the next."""

BEFORE_MONTHS = (
    "in", "of", "last", "next", "since", "until", "till", "by", "during", "during this", "from", "before", "after",
    "between", "around", "early", "late", "mid",
)  # fmt: skip
"""Behind these a month stands, and no verb."""

TIME_WORDS = frozenset(MONTHS) | _words(
    "yesterday today tonight tomorrow last next ago week weeks weekend weekends month months year years day days",
    "morning mornings evening evenings night nights summer winter spring fall autumn recently soon since",
    "monday tuesday wednesday thursday friday saturday sunday",
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
)
"""A text with one of these tells when something was."""

FIRST_WORDS = _words("i my we our me us")
"""A text with one of these is about who says it."""

COUNTED = frozenset(("many", "much"))
"""Behind "how" they ask for a number, and no answer has them: it has the number, or the things one by one."""

ASKS_WHEN = (
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|\bhow long\b|"
    r"\bhow (?:many|much) (?:day|week|month|year)s?\b"
)
"""What a question has that asks for a time."""
