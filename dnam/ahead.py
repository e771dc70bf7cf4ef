"""What an answer is made from, prepared while its question is still being written to the disk."""

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

from dnam.assistant import Assistant, Prepared
from dnam.standing import opens_more
from dnam.whereabouts import Heard
from projections.messages import MessageRow
from projections.rows import Found

AT_ONCE = 4
"""How many prompts are prepared side by side, while their questions are being written; others wait for their turn."""


class Ahead(NamedTuple):
    """What was prepared: for what was `heard`, and the same as it was `placed`."""

    heard: Heard
    placed: Heard
    prepared: Prepared


class Preparing:
    """What prepares the answers of an assistant."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._memory = assistant.memory
        self._threads = ThreadPoolExecutor(AT_ONCE, "preparing")

    def begin(
        self, heard: Heard, message: Found[MessageRow], loop: asyncio.AbstractEventLoop
    ) -> "Future[Ahead | None]":
        """Begin to prepare an answer, from the writer's thread: in a thread at once, or by way of the event loop where
        somebody has to be asked before. RuntimeError where the program ends, and its threads did.
        """
        if opens_more(heard.setting) or self._assistant.needs_nearness():
            return asyncio.run_coroutine_threadsafe(self._prepared(heard, message), loop)
        return self._threads.submit(self._prepared_here, heard, message)

    async def _prepared(self, heard: Heard, message: Found[MessageRow]) -> Ahead | None:
        try:
            placed = await self._memory.placed(heard)
            return Ahead(heard, placed, await self._assistant.prepare(placed, message))
        except Exception:  # noqa: BLE001 - it is prepared again by `think`, which tells what is wrong
            return None

    def _prepared_here(self, heard: Heard, message: Found[MessageRow]) -> Ahead | None:
        try:
            return Ahead(heard, heard, self._assistant.prepare_here(heard, message))
        except Exception:  # noqa: BLE001 - as above
            return None
