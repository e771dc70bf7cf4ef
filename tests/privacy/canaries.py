"""Histories of a town, for the canary property: whatever people do, nobody gets to see what they may not.

says, mentions      a message with a canary, answered (or only heard); summaries and items come of it at once
remembers, shares   `!memory remember` anywhere, `!memory share` of an item
learns              what was said since is learned from only now; else that is done after every third turn
joins, leaves       somebody joins a guild, or is let into a restricted channel, or is taken out of one
opens, closes       a channel opens to its whole guild, or closes
goes, returns       the bot is away: what is said meanwhile is read back, who can read is compared at its return
looks               everything that one person gets to see in one place is checked
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import hypothesis
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dnam.commands.picking import plain
from projections.events import Event, ItemMerged, ItemMoved, ItemUpserted
from projections.events.values import By
from tests.privacy.oracle import Oracle
from tests.privacy.town import CANARY, GARDEN, HARBOUR, PEOPLE, Town, town

What = Literal["says", "mentions", "hears", "remembers", "shares", "learns", "joins", "leaves", "opens",
               "closes", "goes", "returns", "looks"]  # fmt: skip
OFTEN: tuple[What, ...] = (
    *("says",) * 6, *("hears",) * 2, "mentions", *("remembers",) * 2, "shares", "learns", "joins", "leaves", "opens",
    *("closes",) * 2, "goes", "returns", "looks",
)  # fmt: skip
RESTRICTED = ("cellar", "attic", "nook", "hold", "club")
CHANGING = ("general", "general", "cellar", "cellar", "terrace", "docks", "hold")
TALKERS = (*("kim",) * 4, *("ada",) * 2, "ines", "tobi")
PLACES = (*("general",) * 4, "terrace", "bench", *("cellar",) * 3, "shelf", "nook", "docks", "hold", "club", "dm", "dm")
STYLES = (
    "I always like big round jars from the old market named {}",
    "everybody knows the big round jars from the old market named {}",
    "my doctor says that I am ill of jars named {}",
)
SETTINGS = {
    "summary_every_n_turns": "1",
    "durable_every_n_turns": "3",
    "learn": "heard",
    "durable_inject_max_items": "60",
    "durable_inject_max_chars": "20000",
    "summary_max_chars": "5000",
}


class Step(NamedTuple):
    """Something that happens; `which` chooses among what there is to choose from."""

    what: What
    person: str
    place: str
    which: int


def histories(least: int = 12, most: int = 40) -> st.SearchStrategy[list[Step]]:
    """Any history of these."""
    step = st.builds(
        Step, st.sampled_from(OFTEN), st.sampled_from(TALKERS), st.sampled_from(PLACES), st.integers(0, 99)
    )
    return st.lists(step, min_size=least, max_size=most)


class Told(NamedTuple):
    """What came of a history: canaries, renderings that were checked, how many of these held a canary; how many items
    were merged, moved, shared by their person and promoted.
    """

    canaries: int
    rendered: int
    holding: int
    merged: int
    moved: int
    shared: int
    promoted: int


def total(told: Sequence[Told]) -> Told:
    """All of them together."""
    return Told(*map(sum, zip(*told, strict=True)))


def tried(examples: int, least: int = 30, *, seed: int = 0) -> Told:
    """So many histories; AssertionError where somebody sees what they may not. It is not made smaller: that would take
    minutes, and every step says what it does.
    """
    told: list[Told] = []

    @given(histories(least))
    @settings(max_examples=examples, phases=[Phase.explicit, Phase.generate], database=None, deadline=None)
    def some(history: list[Step]) -> None:
        told.append(asyncio.run(play(history)))

    hypothesis.seed(seed)(some)()
    return total(told)


async def play(history: Sequence[Step]) -> Told:
    """Let it happen; AssertionError when somebody sees what they may not."""
    async with town(SETTINGS) as made:
        player = _Player(made)
        for step in history:
            await player.takes(step)
        await made.reconnects()
        rendered = await made.everything(sorted(PEOPLE), list(made.oracle.places))
        made.check(*rendered)
        holding = sum(bool(CANARY.search(each.text)) for each in rendered)
        happened = Counter(map(_kind, made.events()))
        return Told(
            len(made.oracle.canaries), len(rendered), holding, happened["merged"], happened["narrowed"], player.shared,
            happened["promoted"],
        )  # fmt: skip


def _kind(event: Event) -> str:
    match event:
        case ItemMerged():
            return "merged"
        case ItemMoved(by=By(name="audience")):
            return "narrowed"
        case ItemMoved(by=By(kind="policy")):
            return "promoted"
        case ItemUpserted(item=item) if item.compartment.endswith("/everywhere") and event.by.kind == "model":
            return "promoted"
        case _:
            return ""


class _Player:
    def __init__(self, made: Town) -> None:
        self._town = made
        self.shared = 0
        self._count = 0

    @property
    def _oracle(self) -> Oracle:
        return self._town.oracle

    def _canary(self) -> str:
        self._count += 1
        return f"zq{''.join(chr(ord('a') + int(each)) for each in str(self._count + 100))}qz"

    async def takes(self, step: Step) -> None:
        """One step; nothing where it cannot be."""
        place = f"dm {step.person}" if step.place == "dm" else step.place
        match step.what:
            case "says" | "hears" | "mentions" if self._can(step.person, place):
                await self._says(step, place)
            case "remembers" if self._can(step.person, place) and self._town.is_online:
                await self._town.remembers(step.person, place, STYLES[0].format(self._canary()))
            case "shares" if self._town.is_online:
                await self._shares(step)
            case "learns" if self._town.is_online:
                await self._town.learns(step.person)
            case "joins" | "leaves":
                self._moves(step)
            case "opens" | "closes":
                await self._changes(step)
            case "goes":
                self._town.leaves()
            case "returns":
                await self._town.reconnects()
            case "looks" if self._town.is_online:
                self._town.check(*await self._town.everything([step.person], [place]))
            case _:
                pass

    def _can(self, person: str, place: str) -> bool:
        return person in self._oracle.readers(place)

    async def _says(self, step: Step, place: str) -> None:
        text = STYLES[step.which % len(STYLES)].format(self._canary())
        others = [each for each in sorted(PEOPLE) if each != step.person]
        mentioned = [others[step.which % len(others)]] if step.what == "mentions" else []
        await self._town.says(step.person, place, text, *mentioned, addressed=step.what != "hears")

    async def _shares(self, step: Step) -> None:
        items = await self._town.items(step.person)
        if not items:
            return
        item = items[step.which % len(items)]
        reply = await self._town.command(step.person, f"dm {step.person}", f"share {plain(item.id)}")
        if not reply.failed:
            self.shared += 1
            for canary in CANARY.findall(item.text):
                self._oracle.shares(canary)

    def _moves(self, step: Step) -> None:
        """Who can read a place changes, without its being open or closed."""
        place = (GARDEN, HARBOUR, *RESTRICTED)[step.which % (2 + len(RESTRICTED))]
        members = self._oracle.guilds.get(place) or self._oracle.places[place].members
        if step.what == "joins":
            members.add(step.person)
        elif place in RESTRICTED:
            members.discard(step.person)

    async def _changes(self, step: Step) -> None:
        place = CHANGING[step.which % len(CHANGING)]
        change = self._oracle.open if step.what == "opens" else self._oracle.close
        change(place)
        await self._town.compares()
