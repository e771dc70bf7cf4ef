"""What dnam knows of people's languages: one TOML file each, read into one frozen struct.

A language without a file fails safe and says so: `load` returns one that is marked `known=False` and holds nothing, so
that its stop list is empty, and its answers say that dnam knows no such language. The offline model learns nothing in
it: what is said waits until it can be read.
"""

import re
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from projections.events.values import ItemType
from projections.policies.kinds import Kind
from projections.retrieval import Vocabulary

Replaces = Literal["never", "corrected", "always"]

FILE_NAME = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8})*")


class LanguageTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of everything that a language's file holds: a misspelt key is an error, not silence."""


class Reading(LanguageTable, frozen=True):
    """How a text falls apart into clauses, which words around a statement are no part of it, and what makes it nobody's
    or somebody else's.
    """

    jokes: tuple[str, ...] = ()
    retractions: tuple[str, ...] = ()
    own_headings: tuple[str, ...] = ()
    own_reports: tuple[str, ...] = ()
    foreign_headings: tuple[str, ...] = ()
    greetings: tuple[str, ...] = ()
    openers: tuple[str, ...] = ()
    closers: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    contrasts: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    starters: tuple[str, ...] = ()
    comma_starters: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    comma_joints: tuple[str, ...] = ()
    breaks: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    pronouns: dict[str, str] = {}
    endings: tuple[str, ...] = ()


class Statement(LanguageTable, frozen=True):
    """A kind of plain statement and the item it makes. Patterns name groups, `text` shows them as {group}.

    The group `what` is the object, `thing` what it is the name or the favourite of; `old` and `over` are words of the
    item that is replaced. An object must not begin with any of `bans`, unless with one of `unless_bans`.
    """

    slot: str
    kind: Kind
    text: str
    patterns: tuple[str, ...]
    tags: tuple[str, ...] = ()
    type: ItemType = "semantic"
    family: str = ""
    replaces: Replaces = "never"
    sentences: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    after: str = ""
    bans: tuple[str, ...] = ()
    unless_bans: tuple[str, ...] = ()
    thing_bans: tuple[str, ...] = ()


class Ending(LanguageTable, frozen=True):
    """What says that a known item, of one of `kinds` if there are any, holds no longer."""

    patterns: tuple[str, ...]
    kinds: tuple[Kind, ...] = ()


class Remember(LanguageTable, frozen=True):
    """An order to remember, and what may follow it that no statement covers."""

    pattern: str = r"(?!)"
    statement: str = r"(?!)"
    kind: Kind = "fact"
    text: str = "{what}"
    tags: tuple[str, ...] = ()


class Instructions(LanguageTable, frozen=True):
    """One way to instruct an assistant; the fields are those of `projections.policies.instructions.InstructionRule`,
    with @name@ for an entry of the table `orders`.
    """

    name: str
    patterns: tuple[str, ...] = ()
    unless_before: tuple[str, ...] = ()
    unless_after: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    text_only: bool = False
    unless_wish: bool = False


class Wishes(LanguageTable, frozen=True):
    """What a harmless wish for a way of answering is made of; the fields are those of
    `projections.policies.instructions.WishWords`.
    """

    style: tuple[str, ...] = ()
    grave: tuple[str, ...] = ()


class Notes(LanguageTable, frozen=True):
    """How a note speaks to an assistant instead of telling of somebody; the fields are those of
    `projections.policies.addressing.NoteWords`.
    """

    subjects: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    addressing: frozenset[str] = frozenset()
    polite: frozenset[str] = frozenset()
    commanding: frozenset[str] = frozenset()
    framing: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    asking: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


class Common(LanguageTable, frozen=True):
    """The small words that no sentence lacks, beside the stop words, and other languages' ones: the fields of
    `projections.policies.languages.CommonWords`.
    """

    own: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


class Asserting(LanguageTable, frozen=True):
    """What tells that something is denied, asked or supposed, and not said to be so: the fields of
    `projections.policies.asserting.AssertingWords`.
    """

    denying: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    supposing: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    turning: frozenset[str] = frozenset()
    agreeing: frozenset[str] = frozenset()


class Turned(LanguageTable, frozen=True):
    """The words by which a note says something else than was said: the fields of
    `projections.policies.turned.TurnedWords`.
    """

    former: frozenset[str] = frozenset()
    alternating: frozenset[str] = frozenset()
    oneself: frozenset[str] = frozenset()
    possessing: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    describing: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    equating: frozenset[str] = frozenset()


class Secrets(LanguageTable, frozen=True):
    """One kind of secret, as it is said: the fields of `projections.policies.secret_sentences.SecretWords`, with @name@
    for an entry of the table `guarded.parts`.
    """

    name: str
    hints: tuple[str, ...]
    leads: tuple[str, ...] = ()
    trails: tuple[str, ...] = ()
    value: Literal["word", "odd", "list", "number", "phrase", "latin"] = "word"


class Guarded(LanguageTable, frozen=True):
    """The words around secrets: the fields of `projections.policies.secret_sentences.Spoken`."""

    plain: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    parts: dict[str, str] = {}


class Telling(LanguageTable, frozen=True):
    """How secrets are said in languages that have no file of their own: looked for whatever language is set."""

    secrets: tuple[Secrets, ...] = ()
    guarded: Guarded = Guarded()


class Rephrased(LanguageTable, frozen=True):
    """What says the same in other words. Of each row of `same` and `phrases` the first word stands for the others;
    `denied` leads from a word to what it denies; `joints` join clauses; of each of the `values` there is one, where
    something is said of one day, month or time. `singles` are verbs of which one name holds at a time, by what it is
    of; a name that is `wide` may hold beside another, which lies in it. `stemmer` is a language of Snowball.
    """

    stemmer: str = ""
    fillers: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    denied: dict[str, str] = {}
    numbers: dict[str, str] = {}
    values: dict[str, tuple[str, ...]] = {}
    singles: dict[str, tuple[str, ...]] = {}
    wide: tuple[str, ...] = ()


class SummaryWords(LanguageTable, frozen=True):
    """Words that inform nobody: a sentence of nothing else is left out. What stands behind one of `orders` is to be
    kept. `nothing` is the summary where nothing is worth one.
    """

    fillers: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    nothing: str = ""


class Subjects(LanguageTable, frozen=True):
    """Of whom a question is. Patterns name the group `who`: with `relatives` somebody of the speaker's, with `slots`
    who stands there by a name that is known or written large, with `plain` whoever stands there in a question without
    the `first_person`. `pointing` words mean somebody whom the question does not name.
    """

    relatives: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    pointing: tuple[str, ...] = ()
    first_person: tuple[str, ...] = ()


class Replies(LanguageTable, frozen=True):
    """What the offline model says. The defaults serve a language that is not known, and are English. `nobodys` heads
    what is told of nobody in particular, by what it is about.
    """

    notice: str = "(I am the offline model, and I know no language of this name: {name}.)"
    everything: str = "{name}?"
    nobodys: dict[str, str] = {}
    relevant: str = "{name}?"
    conversation: str = "{name}?"
    related: str = "{name}?"
    kept: str = "{name}?"
    refused: str = "{name}?"
    more: str = ""
    forgetting: str = "{name}?"
    opting_out: str = "{name}?"
    unkept: str = "{name}?"
    secret: str = "{name}?"
    unknown: str = "I know no language of this name: {name}."
    empty: str = "I know no language of this name: {name}."
    acknowledge: str = "I know no language of this name: {name}."
    silence: str = "I know no language of this name: {name}."
    off: str = "I know no language of this name: {name}."
    nobody: str = "I know no language of this name: {name}."
    identity: str = "I know no language of this name: {name}."
    overview: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    recaps: tuple[str, ...] = ()
    forgets: tuple[str, ...] = ()
    opts_out: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    asking: frozenset[str] = frozenset()
    subjects: Subjects = Subjects()


class Harmless(LanguageTable, frozen=True):
    """A class of what is harmless: the fields of `projections.policies.promotion.Harmless`."""

    words: tuple[str, ...]
    around: tuple[str, ...] = ()
    ends_in_name: bool = False


class Sharing(LanguageTable, frozen=True):
    """What may be told of somebody anywhere, and what never (`projections/policies/promotion.py`). Where a language has
    none, nothing is shared by itself.
    """

    first_person: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    harmless: dict[str, Harmless] = {}


class Language(LanguageTable, frozen=True):
    """A language, whole. `version` counts up whenever the file changes what the offline model does."""

    name: str
    version: int = 0
    known: bool = True
    stop_words: frozenset[str] = frozenset()
    project_words: frozenset[str] = frozenset()
    backchannels: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    hedges: frozenset[str] = frozenset()
    hypotheticals: frozenset[str] = frozenset()
    fictions: frozenset[str] = frozenset()
    question_words: frozenset[str] = frozenset()
    question_tags: frozenset[str] = frozenset()
    reporting_words: frozenset[str] = frozenset()
    reading: Reading = Reading()
    macros: dict[str, str] = {}
    bans: dict[str, str] = {}
    statements: tuple[Statement, ...] = ()
    remember: Remember = Remember()
    endings: tuple[Ending, ...] = ()
    summary: SummaryWords = SummaryWords()
    sharing: Sharing = Sharing()
    rephrasing: Rephrased = Rephrased()
    orders: dict[str, str] = {}
    instructions: tuple[Instructions, ...] = ()
    notes: Notes = Notes()
    wishes: Wishes = Wishes()
    common: Common = Common()
    asserting: Asserting = Asserting()
    turned: Turned = Turned()
    secrets: tuple[Secrets, ...] = ()
    guarded: Guarded = Guarded()
    replies: Replies = Replies()

    @property
    def vocabulary(self) -> Vocabulary:
        """Its words, as the scorings ask for them."""
        return Vocabulary(self.stop_words, self.project_words, self.backchannels)


@cache
def elsewhere() -> Telling:
    """How secrets are said in languages without a file."""
    file = resources.files(__name__) / "elsewhere" / "secrets.toml"
    return msgspec.toml.decode(file.read_bytes(), type=Telling)


@cache
def load(name: str) -> Language:
    """The language of that name, in any case of letters; one that holds nothing when there is no file for it."""
    name = name.casefold()
    file = resources.files(__name__) / f"{name}.toml"
    if not FILE_NAME.fullmatch(name) or not file.is_file():
        return Language(name=name, known=False)
    return msgspec.toml.decode(file.read_bytes(), type=Language)


def available() -> tuple[str, ...]:
    """The names of the languages that have a file, in order."""
    files = (each.name for each in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))
