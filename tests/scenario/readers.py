"""Who may read what: every prompt that was sent is held against design §7, by its words.

    answered in        the prompt may hold the words of
    ─────────────────  ──────────────────────────────────────────────────────────
    a DM               its person, everywhere: their own items follow them
    the cellar         the cellar, and the garden
    the garden         the garden
    harbour, wharf     both, as long as everybody of Harbour reads both; then each only its own

A loop is shown what one circle said: the same holds for some circle whose words are in it.
"""

from typing import NamedTuple

from tests.scenario.cast import WORDS

SPLIT = ("harbour", "wharf")
TOGETHER = {"cellar": {"cellar", "garden"}, "harbour": set(SPLIT), "wharf": set(SPLIT)}
"""What is read together with a circle, where that is more than itself."""


class Reader(NamedTuple):
    """For whom something is answered, and in which circle."""

    person: str
    circle: str


class Prompt(NamedTuple):
    """One prompt: what it was for, what it says, for whom if it is an answer's, and whether by then the wharf was the
    crew's alone.
    """

    kind: str
    text: str
    reader: Reader | None
    narrowed: bool


def words_in(text: str) -> frozenset[str]:
    """Which of the cast's words stand in a text."""
    lower = text.casefold()
    return frozenset(word for word in WORDS.values() if word in lower)


def open_to(reader: Reader, narrowed: bool) -> frozenset[str]:
    """The words that may stand in a prompt that is made for somebody in a circle."""
    person, circle = reader
    if circle == "direct":
        return frozenset(word for (who, _), word in WORDS.items() if who == person)
    opened = {circle} if narrowed and circle in SPLIT else TOGETHER.get(circle, {circle})
    return frozenset(word for (_, where), word in WORDS.items() if where in opened)


def leak(prompt: Prompt) -> str:
    """What is wrong with a prompt, in words; empty when nothing is."""
    found = words_in(prompt.text)
    if prompt.kind == "answer":
        assert prompt.reader is not None, f"nobody asked for this: {prompt.text[-200:]}"
        readers = [prompt.reader]
    else:
        readers = [Reader(*whose) for whose, word in WORDS.items() if word in found]
    if not found or any(found <= open_to(each, prompt.narrowed) for each in readers):
        return ""
    return f"a prompt ({prompt.kind}, for {prompt.reader or 'a loop'}) holds {', '.join(sorted(found))}"
