"""What is said in the benchmarks: an invented chat, the same in every run.

Twenty channels of one guild, some hundred people, messages of about 120 characters.
"""

import os
from random import Random

from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import Handle, Ref

FIRST_KEY = 1_000_000_000_000_000_000
"""Where the messages' numbers begin: nineteen digits, as Discord's have."""
FIRST_SAID = 1_700_000_000_000
STEP_MS = 20_000
CHANNELS = 20
PEOPLE = 200
CHARS = 120
GUILD = Ref("discord", "900000000000000001")

_PROSE = """
the garden plan for sunday needs two more people and someone has to bring water because last time we ran out
before noon I prefer the early train but Kim said the bridge is closed until march so maybe we meet at the old
library instead my sister works on a small boat and she thinks tomatoes should never be planted near the wall
does anybody remember which paint we used for the fence it was green or maybe dark blue and it dried within a day
"""


def sentence(dice: Random) -> str:
    """About 120 characters that somebody could have typed."""
    vocabulary = _PROSE.split()
    words: list[str] = []
    while sum(map(len, words)) + len(words) < CHARS:
        words.append(dice.choice(vocabulary))
    return " ".join(words).capitalize() + "."


def texts(count: int = 997, seed: int = 7) -> list[str]:
    """A stock of sentences."""
    dice = Random(seed)
    return [sentence(dice) for _ in range(count)]


def channel(number: int) -> PlaceSeen:
    """One of the guild's channels."""
    key = str(910_000_000_000_000_000 + number)
    return PlaceSeen("discord", key, "channel", f"channel {number}", "guild", guild=GUILD, guild_name="Garden Club")


def account(number: int) -> Account:
    """One of its people."""
    return Account("discord", str(800_000_000_000_000_000 + number), f"Person {number}")


class Talk:
    """Messages one after the other; each is a request with fresh handles, as the shell hands it in."""

    def __init__(self, first: int = 0, people: int = PEOPLE, channels: int = CHANNELS) -> None:
        self._next = first
        self._people = people
        self._channels = [channel(number) for number in range(channels)]
        self._texts = texts()

    def next(self, speaker: int | None = None, *, addressed: bool = False) -> HeardRequest:
        """The next message; by the person of this number, or by whose turn it is."""
        number = self._next
        self._next += 1
        return HeardRequest(
            key=str(FIRST_KEY + number),
            place=self._channels[number // 25 % len(self._channels)],
            author="person",
            speaker=account(number * 7 % self._people if speaker is None else speaker),
            text=self._texts[number % len(self._texts)],
            said=FIRST_SAID + number * STEP_MS,
            fresh=(Handle(os.urandom(16)),),
            addressed=addressed,
        )
