"""Histories of a town, for the canary property: whatever people do, nobody gets to see what they may not.

says, mentions      a message with a canary, answered (or only heard); summaries and items come of it at once
remembers, tells    `!memory remember` anywhere; `!memory lore`, which is its owner's to write
points              *Remember this* on any message of a place, by its author or by somebody else
shares, hides       `!memory share` of an item, and `!memory keep-private`
forgets, restores   `!memory forget` of an item, and `!memory restore`
edits, deletes      a message says something else from now on, or is gone from the platform
erases              somebody is erased, and goes on as somebody new
learns              what was said since is learned from only now; else that is done after every third turn
joins, leaves       somebody joins a guild, or is let into a restricted channel, or is taken out of one
opens, closes       a channel opens to its whole guild, or closes
goes, returns       the bot is away: what is said meanwhile is read back, who can read is compared at its return
looks               everything that one person gets to see in one place is checked
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import hypothesis
import msgspec
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from dnam.commands.picking import plain
from projections.events import Event, ItemMerged, ItemMoved, ItemUpserted, SummaryRefreshed
from projections.events.values import By, Item
from tests.privacy.oracle import Oracle
from tests.privacy.town import CANARY, GARDEN, HARBOUR, OWNER, PEOPLE, Message, Town, town

What = Literal["says", "mentions", "hears", "remembers", "tells", "points", "shares", "hides", "forgets", "restores",
               "edits", "deletes", "erases", "learns", "joins", "leaves", "opens", "closes", "goes", "returns",
               "looks"]  # fmt: skip
OFTEN: tuple[What, ...] = (
    *("says",) * 6, *("hears",) * 2, "mentions", *("remembers",) * 2, "tells", *("points",) * 2, *("shares",) * 2,
    "hides", *("forgets",) * 2, "restores", "edits", "deletes", "erases", "learns", "joins", "leaves", "opens",
    *("closes",) * 2, "goes", "returns", "looks",
)  # fmt: skip
OF_ITEMS: Mapping[What, tuple[str, tuple[str, ...]]] = {
    "shares": ("share", ("active",)),
    "hides": ("keep-private", ("active",)),
    "forgets": ("forget", ("active",)),
    "restores": ("restore", ("forgotten", "merged")),
}
"""What is done with an item, by which command, and what an item may be for it."""
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
    "room_max_items": "60",
    "room_max_chars": "20000",
    "passages": "20",
    "passages_max_chars": "20000",
    "prompt_max_tokens": "0",
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


EVERYTHING: tuple[Step, ...] = (
    Step("says", "kim", "general", 0),
    Step("says", "kim", "general", 3),
    Step("mentions", "ada", "general", 0),
    Step("says", "kim", "bench", 0),
    Step("hears", "kim", "cellar", 0),
    Step("says", "kim", "dm", 0),
    Step("says", "kim", "club", 0),
    Step("learns", "kim", "general", 0),
    Step("remembers", "kim", "dm", 0),
    Step("shares", "kim", "dm", 0),
    Step("hides", "kim", "dm", 0),
    Step("looks", "kim", "general", 0),
    Step("shares", "kim", "dm", 0),
    Step("forgets", "kim", "dm", 0),
    Step("looks", "kim", "general", 0),
    Step("restores", "kim", "dm", 0),
    Step("hears", "ada", "terrace", 0),
    Step("points", "kim", "terrace", 0),
    Step("deletes", "ada", "terrace", 0),
    Step("hears", "ines", "terrace", 0),
    Step("learns", "ines", "terrace", 0),
    Step("says", "ines", "bench", 2),
    Step("deletes", "ines", "terrace", 0),
    Step("looks", "ines", "bench", 0),
    Step("tells", "ines", "general", 0),
    Step("hears", "ada", "terrace", 0),
    Step("says", "kim", "terrace", 0),
    Step("points", "kim", "terrace", 1),
    Step("edits", "kim", "general", 0),
    Step("joins", "tobi", "general", 0),
    Step("leaves", "ada", "cellar", 2),
    Step("looks", "kim", "general", 0),
    Step("opens", "kim", "cellar", 2),
    Step("points", "ada", "cellar", 0),
    Step("closes", "kim", "general", 0),
    Step("goes", "kim", "general", 0),
    Step("says", "kim", "terrace", 0),
    Step("joins", "ada", "attic", 3),
    Step("leaves", "kim", "nook", 4),
    Step("opens", "kim", "hold", 6),
    Step("closes", "kim", "docks", 5),
    Step("returns", "kim", "general", 0),
    Step("erases", "ada", "general", 0),
    Step("looks", "kim", "terrace", 0),
    Step("erases", "kim", "general", 2),
    Step("says", "kim", "general", 0),
)
"""One history in which all of it happens, whatever the others are: Kim is told what Ada said, which goes with Ada; Ines
in the bench what she said elsewhere, which goes with that; what was said in the cellar is no lore once that opens.
"""
THREADS = ("bench", "shelf", "nook")
DONE = frozenset({
    "says", "hears", "mentions", "in DMs", "in threads", "in groups", "while away", "remembers", "tells", "points",
    "points at others", "shares", "hides", "forgets", "restores", "edits", "deletes", "erases", "gone", "learns",
    "joins", "leaves", "joins while away", "leaves while away", "opens", "closes", "opens while away",
    "closes while away", "goes", "returns", "looks", "summarised", "learned", "merged", "moved",
})  # fmt: skip
"""Everything that a history can be made of, as it really happens: what cannot be where it comes up does not count."""
SURFACES = frozenset({"prompt", "show", "search", "snapshot", "export", "mirror"})


class Told(NamedTuple):
    """What came of a history: canaries, renderings that were checked; what was done, and which surfaces held a canary,
    each as often as it was.
    """

    canaries: int
    rendered: int
    did: Counter[str]
    holding: Counter[str]


def total(told: Sequence[Told]) -> Told:
    """All of them together."""
    return Told(
        sum(each.canaries for each in told),
        sum(each.rendered for each in told),
        sum((each.did for each in told), Counter()),
        sum((each.holding for each in told), Counter()),
    )


def tried(examples: int, least: int = 30, *, seed: int = 0) -> Told:
    """So many histories; AssertionError where somebody sees what they may not. It is not made smaller: that would take
    minutes, and every step says what it does.
    """
    told: list[Told] = []

    @example(list(EVERYTHING))
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
        holding = Counter(each.surface for each in rendered if CANARY.search(each.text))
        events = made.events()
        written = "\n".join(msgspec.json.encode(msgspec.to_builtins(each)).decode() for each in events)
        assert not made.oracle.gone.intersection(CANARY.findall(written)), "what is gone cannot be read anywhere"
        happened = Counter(filter(None, map(_kind, events)))
        return Told(len(made.oracle.canaries), len(rendered), player.did + happened, holding)


def _kind(event: Event) -> str:
    match event:
        case ItemMerged():
            return "merged"
        case ItemMoved(by=By(name="audience")):
            return "moved"
        case ItemMoved(by=By(kind="policy")):
            return "promoted"
        case ItemUpserted(item=item) if item.compartment.endswith("/everywhere") and event.by.kind == "model":
            return "promoted"
        case ItemUpserted():
            return "learned"
        case SummaryRefreshed():
            return "summarised"
        case _:
            return ""


class _Player:
    def __init__(self, made: Town) -> None:
        self._town = made
        self.did: Counter[str] = Counter()
        self._count = 0
        self._shared: set[tuple[str, str]] = set()
        self._held: set[str] = set()

    @property
    def _oracle(self) -> Oracle:
        return self._town.oracle

    def _canary(self) -> str:
        """So long a word that an answer which repeats it alone goes with the message."""
        self._count += 1
        return f"zqword{''.join(chr(ord('a') + int(each)) for each in str(self._count + 100))}qz"

    async def takes(self, step: Step) -> None:
        """One step; nothing where it cannot be."""
        place = f"dm {step.person}" if step.place == "dm" else step.place
        match step.what:
            case "says" | "hears" | "mentions" if self._can(step.person, place):
                await self._says(step, place)
            case "remembers" if self._can(step.person, place) and self._town.is_online:
                await self._town.remembers(step.person, place, STYLES[0].format(self._canary()))
                self.did["remembers"] += 1
            case "tells" if self._can(OWNER, place) and self._oracle.places[place].guild and self._town.is_online:
                await self._town.tells_lore(place, STYLES[1].format(self._canary()))
                self.did["tells"] += 1
            case "shares" | "hides" | "forgets" | "restores" if self._town.is_online:
                await self._acts_on_item(step)
            case "points" | "edits" | "deletes" if self._can(step.person, place) and self._town.is_online:
                await self._acts_on_message(step, place)
            case "erases" if self._town.is_online:
                await self._erases(sorted(PEOPLE)[step.which % len(PEOPLE)])
            case "learns" if self._town.is_online:
                await self._town.learns(step.person)
                self.did["learns"] += 1
            case "joins" | "leaves":
                self._moves(step)
            case "opens" | "closes":
                await self._changes(step)
            case "goes":
                self.did["goes"] += self._town.is_online
                self._town.leaves()
            case "returns":
                self.did["returns"] += not self._town.is_online
                await self._town.reconnects()
            case "looks" if self._town.is_online:
                self.did["looks"] += 1
                self._town.check(*await self._town.everything([step.person], [place]))
            case _:
                pass

    def _can(self, person: str, place: str) -> bool:
        return person in self._oracle.readers(place)

    async def _says(self, step: Step, place: str) -> None:
        text = STYLES[step.which % len(STYLES)].format(self._canary())
        others = [each for each in sorted(PEOPLE) if each != step.person]
        mentioned = [others[step.which % len(others)]] if step.what == "mentions" else []
        self._says_where(step, place)
        await self._town.says(step.person, place, text, *mentioned, addressed=step.what != "hears")

    def _says_where(self, step: Step, place: str) -> None:
        where = self._oracle.places[place]
        kinds = {"in DMs": where.partner, "in threads": place in THREADS, "in groups": place == "club"}
        self.did.update(name for name, is_so in kinds.items() if is_so)
        self.did[step.what if self._town.is_online else "while away"] += 1

    async def _acts_on_item(self, step: Step) -> None:
        """With one of their own items, in their DMs."""
        command, statuses = OF_ITEMS[step.what]
        items = await self._town.items(step.person, *statuses)
        if not items:
            return
        item = items[step.which % len(items)]
        reply = await self._town.command(step.person, f"dm {step.person}", f"{command} {plain(item.id)}")
        if not reply.failed:
            self.did[step.what] += 1
            await self._reckon(step, item)

    async def _reckon(self, step: Step, item: Item) -> None:
        """What they share now: what stands in an item that they shared, and have not hidden nor forgotten since."""
        if step.what == "shares":
            self._shared.add((step.person, item.id))
        elif step.what == "hides":
            self._shared.discard((step.person, item.id))
            for canary in CANARY.findall(item.text):
                if self._oracle.speakers[canary] == step.person:
                    self._oracle.hides(canary, step.person)
        else:
            self._held.update(CANARY.findall(item.text))
        shared = [each for each in await self._town.items(step.person) if (step.person, each.id) in self._shared]
        told = {canary for each in shared for canary in CANARY.findall(each.text)}
        for canary in (each for each, speaker in self._oracle.speakers.items() if speaker == step.person):
            if canary in told:
                self._oracle.shares(canary)
            else:
                self._oracle.keeps_private(canary)

    async def _acts_on_message(self, step: Step, place: str) -> None:
        """Anybody points at any message of a place; who wrote one edits or deletes it."""
        is_pointed = step.what == "points"
        there = [each for each in self._town.messages if each.place == place]
        messages = [each for each in there if is_pointed or each.person == step.person]
        if not messages:
            return
        message = messages[step.which % len(messages)]
        match step.what:
            case "points":
                await self._points(step, message)
            case "edits":
                await self._town.edits(message, STYLES[step.which % len(STYLES)].format(self._canary()))
                self.did["edits"] += 1
            case _:
                await self._deletes(message)

    async def _points(self, step: Step, message: Message) -> None:
        if (await self._town.points(step.person, message)).failed:
            return
        is_own = message.person == step.person
        self.did["points" if is_own else "points at others"] += 1
        if is_own:
            self._held |= message.canaries

    async def _deletes(self, message: Message) -> None:
        """It is gone for good, but for what its author kept or took back as an item, and for what is merged with what
        they said elsewhere.
        """
        await self._town.deletes(message)
        self.did["deletes"] += 1
        for canary in message.canaries - self._held - self._oracle.joined:
            self._oracle.takes_back(canary)
            self.did["gone"] += 1

    async def _erases(self, person: str) -> None:
        await self._town.erases(person)
        self._shared = {each for each in self._shared if each[0] != person}
        self.did["erases"] += 1

    def _moves(self, step: Step) -> None:
        """Who can read a place changes, without its being open or closed."""
        place = (GARDEN, HARBOUR, *RESTRICTED)[step.which % (2 + len(RESTRICTED))]
        members = self._oracle.guilds.get(place) or self._oracle.places[place].members
        before = set(members)
        if step.what == "joins":
            members.add(step.person)
        elif place in RESTRICTED:
            members.discard(step.person)
        self.did[self._now(step.what)] += members != before

    def _now(self, what: str) -> str:
        return what if self._town.is_online else f"{what} while away"

    async def _changes(self, step: Step) -> None:
        place = CHANGING[step.which % len(CHANGING)]
        change = self._oracle.open if step.what == "opens" else self._oracle.close
        self.did[self._now(step.what)] += self._oracle.places[place].is_restricted == (step.what == "opens")
        change(place)
        await self._town.compares()
