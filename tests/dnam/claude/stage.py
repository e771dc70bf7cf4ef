"""What the tests of Claude stand on: the real SDK, a Messages API on loopback, and waits that take no time.

async with talking(Says("Tea.")) as talk:
    reply = await talk.claude.ask(asked())
    talk.server.requests      # what the server was asked
    talk.waits                # how long the adapter would have waited between its tries
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import msgspec

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.adapters.tries import Nature
from dnam.assistant import ANSWER_PROMPT
from dnam.learning.tending import EXTRACTION_PROMPT
from dnam.model import AnswerInputs, Ask, ExtractionInputs, Purpose
from dnam.prompts import load
from tests.loopback.messages import Reply, Request, Says, Script, Server, serving


@dataclass
class Talk:
    """A model, its server, and a clock that goes when it is told to."""

    claude: Claude
    server: Server
    waits: list[float] = field(default_factory=list)
    time: float = 0.0

    def nature(self) -> Nature:
        return Nature(sleep=self._sleep, seconds=lambda: self.time, dice=lambda: 0.0)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds


def always(reply: Reply) -> Script:
    """The same reply to whatever is asked."""
    return lambda _: reply


def in_turn(*replies: Reply) -> Script:
    """One reply after the other, the last one for ever."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


@asynccontextmanager
async def talking(
    script: Reply | Script | None = None,
    *,
    schemas: bool = True,
    pages: bool = True,
    seconds: float = 30.0,
    key: str = "",
    url: str = "",
) -> AsyncIterator[Talk]:
    """Claude and its server; `seconds` is how long a reply may take, `key` and `url` are others than the server's."""
    chosen = always(script) if isinstance(script, tuple) else script
    async with serving(chosen, schemas=schemas, pages=pages) as server:
        talk = Talk(Claude(Access("")), server)
        talk.claude = Claude(Access(key or server.key, url or server.url, seconds, seconds), talk.nature())
        try:
            yield talk
        finally:
            await talk.claude.close()


class Shape(msgspec.Struct):
    """A reply in JSON."""

    upserts: list[str] = []


def asked(purpose: Purpose = "answer", prompt: str = "User message:\nwhich tea?", model: str = "haiku") -> Ask:
    """A question to the model."""
    if purpose == "answer":
        system = load(ANSWER_PROMPT)
        return Ask(purpose, model, system.name, system.text, prompt, AnswerInputs("dnam", "Kim", "which tea?"))
    system = load(EXTRACTION_PROMPT)
    return Ask(purpose, model, system.name, system.text, prompt, ExtractionInputs("Kim", ()), Shape)


def said(text: str) -> Callable[[Request], Says]:
    """A script that says one thing."""
    return lambda _: Says(text)
