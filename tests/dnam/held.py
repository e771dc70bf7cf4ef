"""A scripted model that waits for the test: a purpose that is held is asked, and not answered until it is let go."""

import asyncio
from dataclasses import dataclass, field

from dnam.model import Ask, Hear, Reply, unheard
from tests.dnam.scripted import ScriptedModel


@dataclass
class HeldModel(ScriptedModel):
    """`reached` is set when something of a purpose is asked, `gates` let it go on."""

    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    reached: dict[str, asyncio.Event] = field(default_factory=dict)

    def hold(self, *purposes: str) -> None:
        """From now on these wait."""
        for purpose in purposes:
            self.gates[purpose], self.reached[purpose] = asyncio.Event(), asyncio.Event()

    def let_go(self) -> None:
        """Everything goes on."""
        for gate in self.gates.values():
            gate.set()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        reached = self.reached.get(ask.purpose)
        if reached is not None:
            reached.set()
            await self.gates[ask.purpose].wait()
        return await super().ask(ask, hear)
