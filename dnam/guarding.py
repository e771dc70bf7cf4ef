"""What the guards know of a language, from its file to the values that the core takes.

A language without a file has no list: then nothing that a model noted is kept, and each `item.refused` says so. Secrets
in a sentence are looked for in every language that has a file, whatever language is set: people mix them.
"""

import re
from functools import cache

from dnam.languages import Instructions, Language, Secrets, Telling, available, elsewhere, load
from dnam.rephrasing import rephrasing_of
from projections.policies.addressing import NoteWords
from projections.policies.asserting import AssertingWords
from projections.policies.guards import Guarding
from projections.policies.instructions import InstructionRule, InstructionWords, WishWords
from projections.policies.languages import CommonWords
from projections.policies.secret_sentences import SecretWords, Spoken
from projections.policies.turned import TurnedWords

_MACRO = re.compile(r"@([a-z]+)@")


def guarding_of(language: Language) -> Guarding:
    """The guards' knowledge for what is learned in this language. It is one value for all memories of a language that
    comes from its file: what is kept by it is found by its identity, and not by comparing every pattern.
    """
    return _of_file(language.name) if load(language.name) is language else _guarding(language)


@cache
def _of_file(name: str) -> Guarding:
    return _guarding(load(name))


def _guarding(language: Language) -> Guarding:
    rules = tuple(_rule(each, language) for each in language.instructions)
    notes = language.notes
    words = NoteWords(
        notes.subjects,
        notes.telling,
        notes.addressing,
        notes.polite,
        notes.commanding,
        notes.framing,
        notes.opening,
        notes.times,
        notes.around,
        notes.asking,
        notes.predicates,
    )
    wishes = WishWords(language.wishes.style, language.wishes.grave)
    others = language.common.shared | language.common.foreign
    own = (language.stop_words | language.common.own) - others
    common = CommonWords(own, language.common.shared, language.common.foreign)
    judged = InstructionWords(language.name, rules, notes=words, wishes=wishes, common=common)
    return Guarding(judged, all_spoken(), rephrasing_of(language), _asserting(language), _turned(language))


def _asserting(language: Language) -> AssertingWords:
    words = language.asserting
    return AssertingWords(
        words.denying,
        words.naming,
        words.asking,
        words.supposing,
        words.between,
        words.around,
        words.joining,
        words.turning,
        words.agreeing,
    )


def _turned(language: Language) -> TurnedWords:
    words = language.turned
    return TurnedWords(
        words.former,
        words.alternating,
        words.oneself,
        words.possessing,
        words.others,
        words.describing,
        words.attributes,
        words.equating,
    )


def _rule(rule: Instructions, language: Language) -> InstructionRule:
    orders = language.orders
    return InstructionRule(
        rule.name,
        _filled(rule.patterns, orders),
        _filled(rule.unless_before, orders),
        _filled(rule.unless_after, orders),
        _filled(rule.signed, orders),
        rule.text_only,
        rule.unless_wish,
    )


@cache
def all_spoken() -> Spoken:
    """How secrets are said, in all languages that have a file, and in those that share one."""
    tellings: list[Language | Telling] = [*map(load, available()), elsewhere()]
    guarded = [each.guarded for each in tellings]
    return Spoken(
        tuple(_words(secrets, each.guarded.parts) for each in tellings for secrets in each.secrets),
        frozenset().union(*(each.plain for each in guarded)),
        frozenset().union(*(each.fillers for each in guarded)),
        frozenset().union(*(each.joining for each in guarded)),
        frozenset().union(*(each.counted for each in guarded)),
        tuple(ending for each in guarded for ending in each.endings),
    )


def _words(secrets: Secrets, parts: dict[str, str]) -> SecretWords:
    leads, trails = _filled(secrets.leads, parts), _filled(secrets.trails, parts)
    return SecretWords(secrets.name, secrets.hints, leads, trails, secrets.value)


def _filled(patterns: tuple[str, ...], parts: dict[str, str]) -> tuple[str, ...]:
    return tuple(_MACRO.sub(lambda match: parts[match[1]], each) for each in patterns)
