"""Understanding: what is said is found by its meaning too, as long as somebody talks, where there is an encoder.

    what is said ─▶ its vector, behind the answers (`embedding`)
    a question   ─▶ its vector, before the answer (`meaning`) ─▶ what is near, beside what words find

Without an encoder nothing of this is loaded, and nothing is missing: words find what was said. A turn notes that there
was none, as it notes one that is down: of a turn without a note nobody could tell whether it was looked.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from dnam.access import once_written
from dnam.assistant import Assistant
from dnam.failures import Tell
from dnam.learning.idle import Sleep
from dnam.meaning.encoder import NO_ENCODER, EncoderMissing
from dnam.meaning.encoders import Encoders, opened
from projections.nearness import nothing_near
from replay.store import DiskStore


@asynccontextmanager
async def understanding(assistant: Assistant, tell: Tell, sleep: Sleep = asyncio.sleep) -> AsyncIterator[None]:
    """As long as the `async with` lasts. `tell` hears of an encoder that cannot be had: then words alone decide.

    A memory that is in memory only has nowhere to keep vectors; one that cannot be written to makes none until it can.
    """
    assistant.unmeant = nothing_near(NO_ENCODER)
    store = assistant.memory.engine.store
    async with AsyncExitStack() as stack:
        if isinstance(store, DiskStore):
            try:
                encoders = await stack.enter_async_context(opened(assistant.memory.settings))
            except EncoderMissing as error:
                assistant.unmeant = nothing_near(f"{error}: only words decide")
                tell(f"{error}. Until then things are found by their words alone.")
            else:
                await stack.enter_async_context(_by(encoders, assistant, store, sleep))
        yield


@asynccontextmanager
async def _by(encoders: Encoders, assistant: Assistant, store: DiskStore, sleep: Sleep) -> AsyncIterator[None]:
    if encoders.chosen is None:
        yield
        return
    from dnam.meaning.embedding import Embedding  # both load numpy
    from dnam.meaning.question import Meaning

    assistant.encoder, assistant.unmeant = encoders.chosen, None
    store.vectors.keep_at_most(assistant.memory.settings.encoder_memory_mb << 20)
    assistant.meaning = Meaning(assistant.memory, store.vectors, encoders)
    made = Embedding(assistant, store.vectors, encoders.chosen, sleep)
    async with once_written(assistant.memory, made.running):
        yield
