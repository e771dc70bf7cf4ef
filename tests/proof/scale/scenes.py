"""Scenes: short conversations that the real program keeps, of which a large community is made.

Each is held by its own people in its own place, so that whatever it led to rests on nothing outside of it, and another
cast can be put into it. The assistant (the offline model) answers, is delivered, extracts and summarises at the usual
cadence: every event of a scene is one that a decision made.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.languages import load
from dnam.memory import Memory
from dnam.settings import read
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from tests.bench.seed import ChatClock
from tests.bench.talk import FIRST_KEY, FIRST_SAID, GUILD, sentence

STEP_MS = 2_000
"""From one message of a scene to the next."""
KEYS = 1_000
"""How many numbers of messages a scene has; from the half on they are the assistant's."""
_LIKES = ("green tea", "long walks", "the early train", "dark blue paint", "tomatoes", "small boats", "old books")


class Kind(NamedTuple):
    """A kind of scene: where, by how many, how many messages; each `asks`-th is to the assistant (0: none). Of a
    hundred scenes in the community, `share` are of this kind.
    """

    name: str
    share: int
    people: int
    messages: int
    asks: int


KINDS = (
    Kind("chatter", 55, 6, 30, 0),
    Kind("asked", 15, 4, 40, 4),
    Kind("direct", 15, 1, 10, 1),
    Kind("thread", 10, 3, 16, 8),
    Kind("private", 5, 3, 20, 5),
)
VARIANTS = 4
"""How many scenes of each kind are held."""


class Scene(NamedTuple):
    """What was held: its kind, and the memory that kept it."""

    kind: Kind
    folder: Path


def place_of(kind: str, number: int, partner: Account | None = None) -> PlaceSeen:
    """The place of this number; each kind has its own numbers."""
    if kind == "direct":
        return PlaceSeen("discord", "", "direct", "", "direct", partner=partner)
    if kind == "thread":
        parent = Ref("discord", channel_key(number))
        return PlaceSeen(
            "discord", str(930_000_000_000_000_000 + number), "thread", "", "guild", guild=GUILD,
            guild_name="Garden Club", parent=parent, readers=parent,
        )  # fmt: skip
    if kind == "private":
        key = str(920_000_000_000_000_000 + number)
        return PlaceSeen("discord", key, "channel", "staff", "channel", guild=GUILD, guild_name="Garden Club")
    name = f"channel {number}"
    return PlaceSeen("discord", channel_key(number), "channel", name, "guild", guild=GUILD, guild_name="Garden Club")


def channel_key(number: int) -> str:
    """What the platform calls a public channel."""
    return str(910_000_000_000_000_000 + number)


def account(number: int) -> Account:
    """Somebody."""
    return Account("discord", str(800_000_000_000_000_000 + number), f"Person {number}")


def message(kind: Kind, place: PlaceSeen, who: int, text: str, key: int, said: int, *, asks: bool) -> HeardRequest:
    """Somebody says something."""
    return HeardRequest(str(key), place, "person", account(who), text, said, (), addressed=asks or kind.asks == 1)


def hold(folder: Path, variants: int, seed: int) -> list[Scene]:
    """Hold every scene so many times, each in a memory of its own: nothing of one is recalled in another."""
    dice = Random(f"{seed} scenes")
    kinds = [kind for kind in KINDS for _ in range(variants)]
    scenes = [Scene(kind, folder / f"scene-{number}") for number, kind in enumerate(kinds)]
    for number, each in enumerate(scenes):
        asyncio.run(_play(each, number, dice))
    return scenes


async def _play(scene: Scene, number: int, dice: Random) -> None:
    clock, kind = ChatClock(), scene.kind
    async with Memory.open(scene.folder, settings=read({}, {}), clock=clock) as memory:
        assistant = Assistant(memory, OfflineModel(load("en")))
        place = place_of(kind.name, number, account(0))
        for turn, text in enumerate(_texts(kind, dice)):
            asks = bool(kind.asks) and turn % kind.asks == 0
            said, key = FIRST_SAID + turn * STEP_MS, FIRST_KEY + turn
            request = message(kind, place, 0 if asks else turn % kind.people, text, key, said, asks=asks)
            clock.time = said + 100
            heard = await memory.hear(request)
            if asks:
                answered = await assistant.answer(heard)
                clock.time += 300
                await memory.delivered(heard, answered.turn, [Ref("discord", str(key + KEYS // 2))])
                assistant.after_turn(heard)
                await assistant.settle()


def _texts(kind: Kind, dice: Random) -> Sequence[str]:
    """What is said: where the assistant is asked, something that can be remembered."""
    said = [sentence(dice) for _ in range(kind.messages)]
    for turn in range(0, kind.messages, kind.asks or kind.messages + 1):
        said[turn] = f"I prefer {dice.choice(_LIKES)} number {_letters(dice.randrange(1_000))}. {said[turn]}"
    if not kind.asks:
        return [sentence(dice) for _ in said]
    return said


def _letters(number: int) -> str:
    """A number without digits."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))
