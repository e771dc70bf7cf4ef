"""Adoptions taken back in any order, over generated histories: in the end everything is as before the first of them.

DNAM_LAWS says how many histories it is tried on; the ordinary run does a few.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from dnam.adoption.unadopting import Unadopting
from dnam.reverting import Asked, Done, carry_out, caused_by, plan, the_revert
from projections.decisions.came_of import Chronicle
from projections.errors import BadRequest
from projections.events import ExtractionAnswered, ItemUpserted
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.reading import Reader
from tests.dnam.rederiving.histories import Step
from tests.dnam.rederiving.moody import Moody, moods
from tests.dnam.rederiving.square import steps
from tests.dnam.rederiving.test_adopted_histories import LAW, OPENING, Story, Telling, but, folder, state, withheld_of
from tests.dnam.rederiving.village import ASKED, both, derive

NAMES = ("earlier", "other")


class Stack(NamedTuple):
    """What happens before; then shadows are adopted, by their names and of every so many groups, and taken back, with
    reverts between, by a number: which goes on until nothing is left of any, nor of the reverts. `live` and `other` are
    moods, `cap` and `dice` as a story's.
    """

    before: list[Step]
    live: frozenset[str]
    other: frozenset[str]
    adopted: list[tuple[str, int]]
    undone: list[str | int]
    cap: int = 200
    dice: int = 0


def stacks() -> st.SearchStrategy[Stack]:
    """Any of them."""
    name = st.sampled_from(NAMES)
    return st.builds(
        Stack,
        steps(8, 20).map(lambda some: [*OPENING, *some]),
        moods(),
        moods(),
        st.lists(st.tuples(name, st.integers(1, 3)), min_size=2, max_size=4),
        st.lists(st.one_of(name, st.integers(0, 40)), max_size=5),
        st.sampled_from((200, 200, 5)),
        st.integers(0, 99),
    )


_READ = [*OPENING, Step("read", 1, 0), Step("tell", 0, 9), Step("read", 0, 0)]
PARTLY_UNDER = Stack(
    _READ, frozenset(), frozenset({"enjoys"}), [("other", 1), ("earlier", 2)], ["other", "earlier", "other"]
)
"""Of what a first one changed of somebody, a second one lay upon a part when the first was taken back."""

PARTLY_REVERTED = PARTLY_UNDER._replace(adopted=[("other", 1)], undone=[-1, "other"])
"""The same of a revert: the last item event is the adoption's."""


def test_taken_back_in_any_order_everything_is_as_before() -> None:
    did: Counter[str] = Counter()

    @LAW
    @example(PARTLY_UNDER)
    @example(PARTLY_REVERTED)
    @given(stacks())
    def some(stack: Stack) -> None:
        with folder() as path:
            did.update(asyncio.run(taken_back(path, stack)))

    some()
    assert min(did[each] for each in ("adopted", "undone", "again", "reverted")) > 0, did


async def taken_back(path: Path, stack: Stack) -> Counter[str]:
    """Do it; how much was adopted and taken back, and how often what another undoing had left."""
    story = Story(stack.before, [], [], [], stack.live, stack.other, "", False, frozenset(), 1, stack.cap, stack.dice)
    with patch.object(os, "urandom", Random(stack.dice).randbytes):
        return await _taken_back(Telling(path, story), stack)


async def _taken_back(telling: Telling, stack: Stack) -> Counter[str]:
    did: Counter[str] = Counter()
    async with telling.square.open():
        await telling.square.all(stack.before)
        before = await telling.square.memory.look(state)
    for name in NAMES:
        await telling._derive(name, telling._model(await telling._forgotten(), name))
    for name, every in stack.adopted:
        telling.story = telling.story._replace(every=every)
        async with telling._adopting(name) as (_, adopting):
            taken = await adopting.adopt(telling._chosen(await adopting.look()))
            did["adopted"] += taken.event is not None
    behind = Behind(telling)
    await behind.derive()
    async with telling.square.open():
        undoing = Undoing(telling, did)
        for each in stack.undone:
            await (undoing.adoption(each) if isinstance(each, str) else undoing.revert(each))
        while [name for name in NAMES if await undoing.adoption(name)] or await undoing.a_revert():
            pass
        memory = telling.square.memory
        after = await memory.look(state)
        withheld = await memory.look(partial(withheld_of, sessions=frozenset(undoing.withheld)))
    assert but(after, withheld) == but(before, withheld)
    await behind.derive()
    behind.heard_of_it()
    return did


class Behind:
    """A shadow that is derived anew only from when everything was adopted on: what is taken back then is so there."""

    def __init__(self, telling: Telling) -> None:
        self._path, self._clock = telling.path, telling.square.clock
        self._held: list[tuple[dict[str, Any], dict[str, Any]]] = []
        with Engine.open(self._path, writable=False) as live:
            self._asked = msgspec.structs.replace(ASKED, merge_policy="apart@1", since=live.head().size)

    async def derive(self) -> None:
        """Derive it, or bring it up to now."""
        await derive(self._path, Moody(), "behind", self._asked)
        self._held.append(both(self._path, "behind"))

    def heard_of_it(self) -> None:
        """Of what was the same in both, everything is."""
        (live, shadow), (live_now, shadow_now) = self._held
        for table in live:
            for key in live[table].keys() | live_now[table].keys():
                if live[table].get(key) == shadow[table].get(key):
                    assert live_now[table].get(key) == shadow_now[table].get(key)


class Undoing:
    """What is taken back of a memory that is open, and which summaries are made anew with it."""

    def __init__(self, telling: Telling, did: Counter[str]) -> None:
        self.withheld: set[str] = set()
        self._memory = telling.square.memory
        self._path = telling.path
        self._did = did
        self._reverts: list[int] = []

    async def adoption(self, name: str) -> bool:
        """Take back what there is to take back of a shadow; whether anything was."""
        undoing = Unadopting(self._memory, self._path, name)
        offer = await undoing.look()
        if offer is None or offer.is_empty:
            return False
        self._did.update(undone=1, again=bool(offer.earlier))
        self.withheld |= set(offer.withheld)
        await undoing.undo(offer)
        return True

    async def revert(self, number: int) -> None:
        """Revert what came of something that a model did."""
        reader = Reader(self._memory.engine.live)
        records = (reader.at(seq).record for seq in range(1, reader.size + 1))
        kinds = ItemUpserted | ExtractionAnswered
        found = [each.seq for each in records if each is not None and isinstance(each.event, kinds)]
        with suppress(BadRequest, ZeroDivisionError):  # some are a person's; or there is none
            done = await self._carry_out(caused_by, found[number % len(found)])
            self._reverts += [] if done.first is None else [done.first]
            self._did["reverted"] += done.first is not None

    async def a_revert(self) -> bool:
        """Take the last revert back; whether there was one."""
        if not self._reverts:
            return False
        await self._carry_out(the_revert, self._reverts.pop())
        return True

    async def _carry_out(self, asked: Callable[[Rows, Reader, Chronicle, int], Asked], seq: int) -> Done:
        memory, live = self._memory, self._memory.engine.live
        look = memory.look(lambda rows: plan(memory, rows, asked(rows, Reader(live), LogChronicle(live), seq)))
        return await carry_out(memory, await look)
