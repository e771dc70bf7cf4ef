"""What may not become memory, whatever a model or a person says: a table, walked in order, the first verdict holds.

    guard           what a model notes     what a person asks to keep or to change
    ────────────    ───────────────────    ───────────────────────────────────────
    lengths         refused                refused, in words, where it is too long or no word (`own_lengths`)
    secrets         refused                refused, in words
    instructions    quarantined            refused, in words
    about_others    refused                –  (they say it themselves)
    grounding       refused                –
    asserting       refused                –

Refused and quarantined both leave an `item.refused` with the guard's version and its reason: kept, listed, and in no
prompt. Quarantined is what instructs the assistant; in a language without a list, all that a model notes. By hand, what
cannot be judged is kept for its person alone, and is no lore.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from projections.ids import EventId
from projections.policies import about_others, asserting, grounding, instructions, lengths, own_lengths, secrets
from projections.policies.about_others import not_theirs
from projections.policies.asserting import AssertingWords, unasserted
from projections.policies.evidence import InputMessage
from projections.policies.grounding import ungrounded
from projections.policies.instructions import (
    Instruction,
    InstructionWords,
    instructs,
    orders,
    quotes_order,
    unjudged,
)
from projections.policies.lengths import wrong_length
from projections.policies.own_lengths import wrong_own_length
from projections.policies.rephrasing import Rephrasing
from projections.policies.replies import UpsertEntry
from projections.policies.secret_sentences import Spoken
from projections.policies.secrets import holds_secret
from projections.policies.turned import TurnedWords
from projections.policies.verdict import Verdict

VERSIONS = " ".join(each.VERSION for each in (lengths, secrets, instructions, about_others, grounding, asserting))
OF_MERGES = " ".join(each.VERSION for each in (lengths, secrets, instructions))
BY_HAND = " ".join(each.VERSION for each in (own_lengths, secrets, instructions))


class Guarding(NamedTuple):
    """What the guards know of a language. The shell reads it from a data file; without one nothing is judged."""

    instructions: InstructionWords = InstructionWords()
    spoken: Spoken = Spoken()
    rephrasing: Rephrasing | None = None
    asserting: AssertingWords = AssertingWords()
    turned: TurnedWords = TurnedWords()


class Proposed(NamedTuple):
    """What a model wants to note, and what it read. `rests_on` are the messages that it names or quotes, or else all;
    `tainted` tells of some messages which of them instruct the assistant.
    """

    entry: UpsertEntry
    inputs: tuple[InputMessage, ...]
    rests_on: tuple[EventId, ...]
    tainted: Callable[[Sequence[EventId]], Mapping[EventId, Instruction]]
    guarding: Guarding


Guard = Callable[[Proposed], Verdict | None]


def _lengths(proposed: Proposed) -> Verdict | None:
    return wrong_length(proposed.entry.text)


def _secrets(proposed: Proposed) -> Verdict | None:
    return holds_secret(proposed.entry.text, proposed.guarding.spoken)


def _instructions(proposed: Proposed) -> Verdict | None:
    words, entry = proposed.guarding.instructions, proposed.entry
    quoted = (quotes_order(each.quote, words) for each in entry.evidence)
    order = instructs(entry.text, words) or next((each for each in quoted if each is not None), None)
    return order or _tainted(proposed) or unjudged(entry.text, words)


def _tainted(proposed: Proposed) -> Verdict | None:
    orders = proposed.tainted(proposed.rests_on)
    if not orders:
        return None
    first = next(iter(orders.values()))
    return Verdict(f"it rests on a message that instructs the assistant ({first})", instructions.VERSION)


def _about_others(proposed: Proposed) -> Verdict | None:
    return not_theirs(proposed.entry.about, proposed.entry.evidence, proposed.inputs)


def _grounding(proposed: Proposed) -> Verdict | None:
    return ungrounded(proposed.entry, proposed.inputs, proposed.guarding.instructions.common.own)


def _asserting(proposed: Proposed) -> Verdict | None:
    """By all messages: it may rest on one that denies it, and quote what another one says."""
    said = (each.text for each in proposed.inputs)
    return unasserted(proposed.entry.text, said, proposed.guarding.asserting)


GUARDS: tuple[Guard, ...] = (_lengths, _secrets, _instructions, _about_others, _grounding, _asserting)


def held(proposed: Proposed) -> Verdict | None:
    """Why this is no memory; None when it may be one."""
    return next((verdict for guard in GUARDS if (verdict := guard(proposed)) is not None), None)


def held_text(text: str, guarding: Guarding) -> Verdict | None:
    """Why a text alone is no memory: for what a model makes of memories that there are."""
    words = guarding.instructions
    return wrong_length(text) or holds_secret(text, guarding.spoken) or instructs(text, words) or unjudged(text, words)


def held_imported(text: str, guarding: Guarding) -> Verdict | None:
    """Why what another program remembered is no memory here. It may be shorter ("vim") or longer than one that is made
    here, in any language, and a command that is not for the assistant: its person wrote it down, or had it noted.
    """
    return orders(text, guarding.instructions)


def held_by_hand(text: str, guarding: Guarding, *, for_all: bool) -> str:
    """Why a text that a person asks to keep is no memory, for them; empty when it may be one.

    In a language without a list they may: what they keep is told to nobody but those who read along with them. So may
    they note "send the invoice", which a model may not. What is `for_all`, in everybody's prompt, may be neither.
    """
    length = wrong_own_length(text)
    if length:
        return length
    secret = holds_secret(text, guarding.spoken)
    if secret is not None:
        return f"I keep no secrets, and {secret.reason}: nothing was kept. Say it without, and delete your message"
    words = guarding.instructions
    order = (instructs if for_all else orders)(text, words)
    if order is not None:
        fact = "a fact" if for_all else "a fact about yourself"
        return f"I keep what is so, and no orders, and {order.reason}: nothing was kept. Say it as {fact}"
    unknown = unjudged(text, words) if for_all and words.language else None
    if unknown is not None:
        return f"Everybody hears that, and I cannot tell a fact from an order: {unknown.reason}. Nothing was kept"
    return ""


def is_quarantined(policy: str) -> bool:
    """Whether something was refused because it instructs the assistant, by the policy of its `item.refused`: of this
    version or another.
    """
    return policy.partition("@")[0] == instructions.NAME
