"""The API as one key reaches it: its client, and what its models can do.

The SDK's own retries are switched off: they know nothing of a stream that breaks off, cannot be told how to wait, and
would send a batch twice whose acknowledgement was lost.
"""

import asyncio
from typing import TYPE_CHECKING

from dnam.adapters.anthropic.capabilities import PLAIN, Capabilities, capabilities_of
from dnam.adapters.circuit import Seconds

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

PAGES_SECONDS = 60.0
"""How long the pages of models are left alone after one could not be had."""


class Service:
    """Opened when it is first asked. `close` it, when it will not be asked any more."""

    def __init__(self, key: str, base_url: str, seconds: Seconds) -> None:
        self._key = key
        self._base_url = base_url
        self._seconds = seconds
        self._opened: AsyncAnthropic | None = None
        self._able: dict[str, Capabilities] = {}
        self._pages_again = float("-inf")
        self._opening = asyncio.Lock()
        self._asking = asyncio.Lock()

    async def prepare(self) -> None:
        """Load the SDK and make its client, beside the event loop: it takes seconds."""
        await self.client()

    async def client(self) -> "AsyncAnthropic":
        """The SDK's client."""
        async with self._opening:
            if self._opened is None:
                self._opened = await asyncio.to_thread(self._made)
            return self._opened

    def _made(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(api_key=self._key, base_url=self._base_url, max_retries=0)

    async def capabilities(self, model: str) -> Capabilities:
        """What a model can do; asked once, also by many at a time, and while it cannot be asked, once a minute."""
        if model in self._able or self._seconds() < self._pages_again:
            return self._able.get(model, PLAIN)
        async with self._asking:
            if model in self._able or self._seconds() < self._pages_again:  # by whom this one waited for
                return self._able.get(model, PLAIN)
            found = await capabilities_of(await self.client(), model)
            if found is None:
                self._pages_again = self._seconds() + PAGES_SECONDS
                return PLAIN
            self.learnt(model, found)
            return found

    def learnt(self, model: str, able: Capabilities) -> None:
        """What a model can do after all, as its page says or a refusal showed."""
        self._able[model] = able

    async def close(self) -> None:
        """Let go of the connections."""
        if self._opened is not None:
            await self._opened.close()
            self._opened = None
