"""What a person did to an item means the same in a memory made anew, whatever wrong words it had when they did it.

Of two memories in which the same was said, and the same done to the items on the same messages, the one with the right
words and the other with wrong ones, this must hold of what another model makes of them:

    act               the same in both                                 what they saw, and so another
    ───────────────   ──────────────────────────────────────────────   ────────────────────────────────────────
    forget by id      what rests on those messages is forgotten, and   the words that stand as a refusal beside it
                      leaves recall
    edit by id        it says the new words, and is kept               the old words, as a refusal beside it
    keep private      it lies in their direct messages, and says       -
                      what the model says there

It does not hold of these, and is not meant to, because the words that they saw are what they decided:

    share             it opens what they saw, in those words, and nothing else
    restore           it brings back all that the forgetting had taken back: the words that they saw as well
    forget by words   which items the words cover is a question of what those say
    erase             whoever is erased saw nothing

What is refused by its words is refused in the words that they saw. So everything is said once here: what is said again
is not refused in both.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions.delete import message_identity
from projections.errors import BadRequest
from projections.events.values import Item
from projections.items import ITEMS, ItemRow, items_of
from projections.lookup import people
from projections.people import name_of
from projections.rows import Rows
from projections.summaries import SUMMARIES
from tests.dnam.rederiving.histories import PEOPLE, Said, Step, Told
from tests.dnam.rederiving.test_laws import OTHER, folder, held_in, other
from tests.dnam.rederiving.village import GENERAL, STAFF, derive, reader, village
from tests.dnam.scripted import ScriptedModel

LAW = settings(
    max_examples=int(os.environ.get("DNAM_LAWS", "6")), suppress_health_check=list(HealthCheck), derandomize=True
)
ACTS = ("forget", "reword", "hide")
WORDS = ("anvils", "bonnets", "cellos", "dahlias", "easels", "flutes", "gliders", "harps", "inkwells", "jigsaws")


class Pointing(Told):
    """Everything is said once, and an item is pointed at by what it rests on."""

    did: Counter[str]
    """What was recorded, by kind."""

    async def tell(self, who: str, number: int) -> None:
        place = STAFF if number % 4 == 3 else GENERAL
        key = await self.say(who, f"I like {unlike(self.number)}", place)
        event = self.memory.engine.store.ring.event_id(message_identity("discord", key, "heard", self.said))
        self.heard.append(Said(key, who, place, self.said, event, f"word{self.number}x"))

    async def change(self, who: str, number: int) -> None:
        said = self._some_of(who, number)
        await self.edit(said.who, said.key, said.said, f"I like {unlike(self.number)}", said.place)

    async def take(self, step: Step) -> None:
        self.number += 1
        before = self.memory.engine.head().size
        with suppress(BadRequest):
            await STEPS[step.what](self, PEOPLE[step.who], step.number)
        self.did[step.what] += self.memory.engine.head().size > before

    async def _item(self, who: str, number: int, *statuses: str) -> Item:
        person = await self.handle(who)
        found = await self.memory.look(lambda rows: [each.row.item for each in items_of(rows, person)])
        chosen = sorted((each for each in found if each.status in statuses), key=_rests)
        if not chosen:
            raise BadRequest("there is none")
        return chosen[number % len(chosen)]


STEPS: Mapping[str, Callable[[Pointing, str, int], Awaitable[None]]] = {
    "tell": Pointing.tell,
    "read": Pointing.read,
    "read badly": Pointing.read_badly,
    "sum up": Pointing.sum_up,
    "remember": Pointing.remember,
    "change": Pointing.change,
    "delete": Pointing.delete,
    "forget": Pointing.forget,
    "reword": Pointing.reword,
    "hide": Pointing.hide,
}
OFTEN = ("tell",) * 5 + ("read",) * 4 + ACTS


def unlike(number: int) -> str:
    """Words that nobody has said before, and that are like none."""
    return f"{WORDS[number % len(WORDS)]} word{number}x"


def _rests(item: Item) -> tuple[object, ...]:
    refs = sorted(str(each.ref) for each in item.evidence)
    return refs, item.text if not refs else "", item.compartment.partition("/")[0], len(item.compartment)


def mistaken() -> ScriptedModel:
    """It takes everything for something else, which is like nothing that was said."""
    model = reader("owns")
    right = model.scripts["extraction"]

    def extract(ask: Any) -> str:
        reply = right(ask)
        assert isinstance(reply, str)
        for line in ask.inputs.lines:
            liked = line.text.partition("I like ")[2]
            reply = reply.replace(f'"owns {liked}"', f'"mistook {crc32(liked.encode()):x}"')
        return reply

    model.scripts["extraction"] = extract
    return model


async def tell(path: Path, steps: list[Step], model: ScriptedModel, did: Counter[str]) -> None:
    async with village(path, model) as there:
        told = Pointing(there, model)
        told.did = did
        for each in steps:
            await told.take(each)


def stories() -> st.SearchStrategy[list[Step]]:
    """People are told of and learned from, and act on what was learned."""
    step = st.builds(Step, st.sampled_from((*STEPS, *OFTEN)), st.integers(0, 1), st.integers(0, 40))
    return st.lists(step, min_size=15, max_size=30)


def test_an_act_means_the_same_whatever_the_item_said() -> None:
    did: Counter[str] = Counter()

    @LAW
    @given(stories())
    def some(steps: list[Step]) -> None:
        held = []
        with folder() as path:
            for name, model in (("right", reader()), ("wrong", mistaken())):
                asyncio.run(tell(path / name, steps, model, did))
                asyncio.run(derive(path / name, other(), asked=OTHER))
                held.append((held_in(path / name, "next", told_of), held_in(path / name, "next", recalled)))
        assert held[0] == held[1]

    some()
    assert all(did[each] for each in ACTS), "there were such acts"


def told_of(engine: Any) -> list[object]:
    """Every item in words, without ids; of what they saw and took back, only that they did."""
    with engine.reading() as rows:
        return sorted((_told(rows, found.row) for found in rows.scan(ITEMS)), key=str)


def recalled(engine: Any) -> list[str]:
    """The summaries."""
    with engine.reading() as rows:
        return sorted(found.row.text for found in rows.scan(SUMMARIES))


def _told(rows: Rows, row: ItemRow) -> tuple[object, ...]:
    names = {person.hex(): name_of(rows, person) for person in people(rows)}
    item = row.item
    where = "/".join(names.get(part, part) for part in item.compartment.split("/"))
    if item.status != "active" and not item.text.startswith(("enjoys", "keeps", "collects")):
        return names.get(item.owner.hex(), ""), where, item.kind, "what they saw"
    rests = sorted((each.quote, str(each.ref)) for each in item.evidence)
    return names.get(item.owner.hex(), ""), where, item.kind, item.text, item.status, rests
