"""Histories of a village: what three people say, change, take back and decide, and when they are learned from, in any
order. The same steps always tell the same story; a step that cannot be taken is left out.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from dnam.errors import Unknown
from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.delete import DeletedRequest, delete, message_identity
from projections.decisions.draft import Draft
from projections.decisions.moving import MoveRequest, keeping_private, move, sharing
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events import ExtractionAnswered, ExtractionFailed, SummaryAnswered
from projections.events.values import By, Item
from projections.ids import EventId
from projections.items import items_of
from projections.rows import Rows
from replay.erasure import erase
from replay.errors import ErasedMeanwhile
from replay.units import tagged
from tests.dnam.rederiving.village import GENERAL, STAFF, Village, reader, village
from tests.dnam.scripted import ScriptedModel

PEOPLE = ("kim", "ada", "tobi")
LIKED = ("green tea", "green tea with milk", "green tea with milk and honey", "long walks", "old maps", "rain")
RUNS = frozenset((ExtractionAnswered.TAG, ExtractionFailed.TAG, SummaryAnswered.TAG))


class Step(NamedTuple):
    """Something that happens: `who` does it, and to what, `number` says."""

    what: str
    who: int
    number: int


class Said(NamedTuple):
    """A message: its platform's key, who said it where, and when. `changed` is what it says since it was changed."""

    key: str
    who: str
    place: PlaceSeen
    said: int
    event: EventId
    canary: str
    changed: str = ""


class Told(Village):
    """A village in which steps happen. `gone` are the words that were taken back, `inputs` what each run of a loop was
    shown, and `outdated` the runs that would be shown something else now.
    """

    def __init__(self, there: Village, model: ScriptedModel) -> None:
        self.memory, self.assistant, self.said = there.memory, there.assistant, there.said
        self.model = model
        self.heard: list[Said] = []
        self.gone: list[str] = []
        self.inputs: dict[EventId, frozenset[EventId]] = {}
        self.outdated: set[EventId] = set()
        self.number = 0

    async def take(self, step: Step) -> None:
        """One step; nothing, where there is nothing to do it to."""
        self.number += 1
        with suppress(BadRequest, Unknown, ErasedMeanwhile):
            await STEPS[step.what](self, PEOPLE[step.who], step.number)
        for event_id, event in tagged(self.memory.engine, RUNS, self.memory.engine.head().size):
            inputs = event.inputs if isinstance(event, ExtractionAnswered | ExtractionFailed) else event.causes
            self.inputs.setdefault(event_id, frozenset(inputs))

    # -- what is said -----------------------------------------------------------------------------------------------

    async def tell(self, who: str, number: int) -> None:
        canary = f"canary{self.number}"
        text = f"I like {LIKED[number % len(LIKED)]}" + (f" {canary}" if number % 3 else "")
        place = STAFF if number % 4 == 3 else GENERAL
        key = await self.say(who, text, place)
        event = self.memory.engine.store.ring.event_id(message_identity("discord", key, "heard", self.said))
        self.heard.append(Said(key, who, place, self.said, event, canary))

    async def change(self, who: str, number: int) -> None:
        said = self._some_of(who, number)
        text = f"I like {LIKED[number % len(LIKED)]} after all"
        await self.edit(said.who, said.key, said.said, text, said.place)
        if text != said.changed:  # else it says what it said, and nothing is taken back
            self.heard[self.heard.index(said)] = said._replace(changed=text)
            self._is_gone(said)

    async def delete(self, who: str, number: int) -> None:
        said = self._some_of(who, number)
        self.said += 60_000
        session = f"discord:channel:{said.place.key}"
        request = DeletedRequest("discord", said.key, session, said.said, self.said)
        while (await self.memory.record(lambda rows: delete(rows, request))).records:
            pass
        self.heard.remove(said)
        self._is_gone(said)

    def _is_gone(self, said: Said) -> None:
        self.gone.append(said.canary)
        self.outdated |= {run for run, inputs in self.inputs.items() if said.event in inputs}

    def _some_of(self, who: str, number: int) -> Said:
        own = [each for each in self.heard if each.who == who]
        if not own:
            raise BadRequest("nothing was said")
        return own[number % len(own)]

    # -- loops ------------------------------------------------------------------------------------------------------

    async def read(self, who: str, number: int) -> None:
        await self.learn(who)

    async def read_badly(self, who: str, number: int) -> None:
        good = self.model.scripts["extraction"]
        self.model.scripts["extraction"] = lambda _: "no JSON at all"
        await self.learn(who)
        self.model.scripts["extraction"] = good

    async def sum_up(self, who: str, number: int) -> None:
        await self.summarise(STAFF if number % 3 == 0 else GENERAL)

    # -- what people decide -----------------------------------------------------------------------------------------

    async def remember(self, who: str, number: int) -> None:
        await self.memory.remember(await self.handle(who), f"keeps {number % 5} bees")

    async def forget(self, who: str, number: int) -> None:
        item = await self._item(who, number, "active")
        await self.memory.forget(await self.handle(who), id=item.id)

    async def forget_words(self, who: str, number: int) -> None:
        await self.memory.forget(await self.handle(who), f"likes {LIKED[number % len(LIKED)]}")

    async def restore(self, who: str, number: int) -> None:
        item = await self._item(who, number, "forgotten", "deprecated")
        await self.memory.restore(await self.handle(who), item.id)

    async def reword(self, who: str, number: int) -> None:
        item = await self._item(who, number, "active")
        await self.memory.edit(await self.handle(who), item.id, f"collects {number % 7} stamps")

    async def share(self, who: str, number: int) -> None:
        await self._move(who, number, sharing)

    async def hide(self, who: str, number: int) -> None:
        await self._move(who, number, keeping_private)

    async def _move(self, who: str, number: int, where: Callable[..., MoveRequest]) -> None:
        item, person = await self._item(who, number, "active"), await self.handle(who)
        request = where(person, item.id, By("person", person), self.memory.now(), self.memory.origin())
        await self.memory.record(lambda rows: move(rows, request))

    async def _item(self, who: str, number: int, *statuses: str) -> Item:
        person = await self.handle(who)
        found = await self.memory.look(lambda rows: [each.row.item for each in items_of(rows, person)])
        chosen = (each for each in found if each.status in statuses)
        meant = sorted(chosen, key=lambda item: (item.text, item.compartment.partition("/")[0], len(item.compartment)))
        if not meant:
            raise BadRequest("there is none")
        return meant[number % len(meant)]

    # -- who may know -----------------------------------------------------------------------------------------------

    async def narrow(self, who: str, number: int) -> None:
        self.said += 60_000
        seen = GENERAL._replace(audience="channel" if number % 2 else "guild")
        while True:
            request = AudienceRequest(seen, self.said, self.memory.origin())
            if not (await self.memory.record(partial(_narrowed, request))).records:
                return

    async def erase(self, who: str, number: int) -> None:
        if number % 4:
            return
        erase(self.memory.engine, await self.handle(who))
        for said in [each for each in self.heard if each.who == who]:
            self.heard.remove(said)
            self._is_gone(said)


def _narrowed(request: AudienceRequest, rows: Rows) -> list[Draft]:
    return change_audience(rows, request)


Act = Callable[[Told, str, int], Awaitable[None]]
STEPS: Mapping[str, Act] = {
    "tell": Told.tell,
    "read": Told.read,
    "read badly": Told.read_badly,
    "sum up": Told.sum_up,
    "remember": Told.remember,
    "forget": Told.forget,
    "forget words": Told.forget_words,
    "restore": Told.restore,
    "reword": Told.reword,
    "share": Told.share,
    "hide": Told.hide,
    "change": Told.change,
    "delete": Told.delete,
    "narrow": Told.narrow,
    "erase": Told.erase,
}
OFTEN = ("tell",) * 12 + ("read",) * 8 + ("sum up",) * 3 + ("remember", "forget", "reword")
TAKES_BACK = frozenset(("change", "delete", "narrow", "erase"))
"""After these, what a model is shown is not what it was."""


def histories(most: int = 24, *, but: frozenset[str] = frozenset()) -> st.SearchStrategy[list[Step]]:
    """Histories of up to so many steps, without some kinds of them."""
    kinds = st.sampled_from([each for each in (*STEPS, *OFTEN) if each not in but])
    step = st.builds(Step, kinds, st.integers(0, len(PEOPLE) - 1), st.integers(0, 40))
    return st.lists(step, min_size=most // 2, max_size=most)


async def tell(path: Path, steps: list[Step], model: ScriptedModel | None = None) -> Told:
    """Tell a history into a folder; what there is to know of it."""
    chosen = model or reader()
    async with village(path, chosen) as there:
        told = Told(there, chosen)
        for each in steps:
            await told.take(each)
        return told
