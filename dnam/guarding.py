"""What the guards know of a language, from its file to the values that the core takes.

A language without a file has no list: then nothing that a model noted is kept, and each `item.refused` says so. Secrets
in a sentence are looked for in every language that has a file, whatever language is set: people mix them.
"""

import re
from functools import cache

from dnam.languages import Instructions, Language, Secrets, available, load
from dnam.rephrasing import rephrasing_of
from projections.policies.addressing import NoteWords
from projections.policies.guards import Guarding
from projections.policies.instructions import InstructionRule, InstructionWords
from projections.policies.secret_sentences import SecretWords, Spoken

_MACRO = re.compile(r"@([a-z]+)@")


def guarding_of(language: Language) -> Guarding:
    """The guards' knowledge for what is learned in this language."""
    rules = tuple(_rule(each, language) for each in language.instructions)
    notes = language.notes
    words = NoteWords(notes.subjects, notes.telling, notes.addressing, notes.polite, notes.commanding)
    return Guarding(InstructionWords(language.name, rules, notes=words), all_spoken(), rephrasing_of(language))


def _rule(rule: Instructions, language: Language) -> InstructionRule:
    def filled(patterns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_MACRO.sub(lambda match: language.orders[match[1]], each) for each in patterns)

    return InstructionRule(
        rule.name,
        filled(rule.patterns),
        filled(rule.unless_before),
        filled(rule.unless_after),
        filled(rule.signed),
        rule.text_only,
    )


@cache
def all_spoken() -> Spoken:
    """How secrets are said, in all languages that have a file."""
    languages = [load(name) for name in available()]
    kinds = tuple(_words(each) for language in languages for each in language.secrets)
    return Spoken(kinds, frozenset(word for language in languages for word in language.guarded.plain))


def _words(secrets: Secrets) -> SecretWords:
    return SecretWords(secrets.name, secrets.hints, secrets.leads, secrets.trails, secrets.value)
