"""How many secrets are taken out of what people write, and how many harmless words go with them."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.secrets import without_secrets

HERE = Path(__file__).parent
LEAST_TAKEN_PERCENT = 95
MOST_MISTAKEN_PERCENT = 2


class _Said(msgspec.Struct, frozen=True):
    said: tuple[tuple[str, ...], ...]


class _LookAlikes(msgspec.Struct, frozen=True):
    look_alikes: tuple[str, ...]


class Rates(NamedTuple):
    """Messages of which a secret stays, look-alikes that do not stay as they are, and messages that lose more than
    their secrets; each out of how many.
    """

    said: int
    kept: tuple[str, ...]
    look_alikes: int
    mistaken: tuple[str, ...]
    wide: tuple[str, ...]

    @property
    def taken_percent(self) -> float:
        """Of how many messages the secrets were taken out."""
        return 100 * (self.said - len(self.kept)) / self.said

    @property
    def mistaken_percent(self) -> float:
        """How many look-alikes lost something."""
        return 100 * len(self.mistaken) / self.look_alikes

    @property
    def wide_percent(self) -> float:
        """How many messages lost more than their secrets."""
        return 100 * len(self.wide) / self.said

    def __str__(self) -> str:
        return (
            f"secrets: taken out of {self.taken_percent:.1f} % of {self.said} messages, {self.wide_percent:.1f} % of "
            f"which lost more; {self.mistaken_percent:.1f} % of {self.look_alikes} look-alikes lost something"
        )


def said() -> tuple[tuple[str, ...], ...]:
    """Messages, each with its secrets."""
    return msgspec.toml.decode((HERE / "said.toml").read_bytes(), type=_Said).said


def look_alikes() -> tuple[str, ...]:
    """Messages without one."""
    return msgspec.toml.decode((HERE / "look_alikes.toml").read_bytes(), type=_LookAlikes).look_alikes


def rates() -> Rates:
    """Both tables, through what every message goes through."""
    messages, harmless = said(), look_alikes()
    return Rates(
        len(messages),
        tuple(text for text, *secrets in messages if any(each in without_secrets(text) for each in secrets)),
        len(harmless),
        tuple(text for text in harmless if without_secrets(text) != text),
        tuple(text for text, *secrets in messages if not _stays(text, secrets)),
    )


def _stays(text: str, secrets: list[str]) -> bool:
    """Whether what stands around the secrets is there afterwards, in order."""
    clean, at = without_secrets(text), 0
    for secret in (*secrets, ""):
        around, _, text = text.partition(secret) if secret else (text, "", "")
        at = clean.find(around, at)
        if at < 0:
            return False
        at += len(around)
    return True
