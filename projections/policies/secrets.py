"""Secrets are taken out of what is said before it is an event, and are no memory (seed 001's key filter).

    a key, a token, a card number       by its shape (`secret_shapes`)          redacted; no memory
    "my password is …"                  by how it is said (`secret_sentences`)  redacted; no memory
    64 hexadecimal digits               may be a key, may be a hash             the message stays, flagged; no memory

All of them as the text is read (`legible`): what cannot be seen makes no difference.

In the place of what is taken out stands what it was: `[redacted: api key]`.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from projections.policies.legible import legible
from projections.policies.secret_sentences import Spoken, spoken_secrets
from projections.policies.secret_shapes import MARK, Stretch, shaped, unknown_hex
from projections.policies.verdict import Verdict

VERSION = "secrets@1"
UNKNOWN_HEX = "it holds 64 hexadecimal digits, which may be a private key"


class Redacted(NamedTuple):
    """A text without its secrets, and where each of them stood in the text as it was."""

    text: str
    stretches: tuple[Stretch, ...] = ()

    def at(self, place: int) -> int:
        """Where a code point of the old text is in the new one; inside of a secret: behind its mark."""
        moved = place
        for stretch in self.stretches:
            if place > stretch.start:
                moved += len(_mark(stretch.name)) - min(place, stretch.end) + stretch.start
        return moved


def _mark(name: str) -> str:
    return f"{MARK} {name}]"


def redact(text: str, spoken: Spoken) -> Redacted:
    """A text with marks in the place of its secrets."""
    if not text:
        return Redacted(text)
    seen = legible(text)
    found = [*shaped(seen.text), *spoken_secrets(seen.text, spoken)]
    stretches = tuple(_apart(Stretch(*seen.span(each.start, each.end), each.name) for each in found))
    return Redacted("".join(_pieces(text, stretches)), stretches) if stretches else Redacted(text)


def _apart(found: Iterable[Stretch]) -> Iterator[Stretch]:
    """Stretches that do not lie over each other, in order: of those that do, one that holds them all. Those that only
    touch stay two, each with its name.
    """
    current: Stretch | None = None
    for stretch in sorted(found, key=lambda each: (each.start, -each.end)):
        if current is None or stretch.start >= current.end:
            if current is not None:
                yield current
            current = stretch
        elif stretch.end > current.end:
            current = current._replace(end=stretch.end)
    if current is not None:
        yield current


def _pieces(text: str, stretches: Iterable[Stretch]) -> Iterator[str]:
    at = 0
    for stretch in stretches:
        yield text[at : stretch.start]
        yield _mark(stretch.name)
        at = stretch.end
    yield text[at:]


def holds_secret(text: str, spoken: Spoken) -> Verdict | None:
    """Why a text is no memory, if it holds a secret."""
    found = redact(text, spoken).stretches
    if found:
        return Verdict(f"it holds a secret ({found[0].name})", VERSION)
    return doubt(text)


def doubt(text: str) -> Verdict | None:
    """Why a text may hold a secret, where nobody can tell."""
    return Verdict(UNKNOWN_HEX, VERSION) if unknown_hex(legible(text).text) else None
