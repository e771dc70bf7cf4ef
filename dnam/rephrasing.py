"""What is known of a language's ways to say the same, from its file to the value that the core takes."""

from functools import cache

from dnam.languages import Language, load
from projections.policies.rephrasing import Rephrasing, stems


def rephrasing_of(language: Language) -> Rephrasing:
    """What a text is held against what was forgotten by. A language without a file is compared as it is written."""
    return _rephrasing(language.name)


@cache
def _rephrasing(name: str) -> Rephrasing:
    language = load(name)
    table = language.rephrasing
    same = stems({word: row[0] for row in table.same for word in row}, table.stemmer)
    denied = stems(table.denied, table.stemmer)
    negations = language.negations | frozenset(table.negations)
    fillers = stems({word: word for word in table.fillers}, table.stemmer)
    meant = frozenset((*same, *denied, *table.relations, *table.numbers))
    return Rephrasing(
        language=name if language.known else "",
        stemmer=table.stemmer,
        stop_words=(language.stop_words - meant - negations) | frozenset(fillers),
        negations=negations,
        relations=frozenset(stems({word: same.get(word, word) for word in table.relations}, table.stemmer)),
        predicates=frozenset(stems({word: same.get(word, word) for word in table.predicates}, table.stemmer).values()),
        units=frozenset(stems({word: same.get(word, word) for word in table.units}, table.stemmer).values()),
        users=frozenset(table.users),
        joints=frozenset(table.joints),
        numbers=table.numbers,
        same=same,
        denied=denied,
        phrases={words: row[0] for row in table.phrases for words in row[1:]},
        singles={verb: name for name, verbs in table.singles.items() for verb in verbs},
        wide=frozenset(map(str.casefold, table.wide)),
        values=stems({word: name for name, words in table.values.items() for word in words}, table.stemmer),
    )
