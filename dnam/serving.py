"""What goes on beside a bot that answers, whoever runs it: compacting at night, finishing erasures that broke off,
letting go of who was erased, finding by meaning.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from dnam.assistant import Assistant
from dnam.compacting import compacting
from dnam.erasing.finishing import finishing
from dnam.failures import Tell
from dnam.letting_go import letting_go
from dnam.quickening import quickened
from dnam.understanding import understanding


@asynccontextmanager
async def serving(assistant: Assistant, tell: Tell) -> AsyncIterator[None]:
    """As long as the `async with` lasts. `tell` hears what was done, and what went wrong."""
    memory = assistant.memory
    async with AsyncExitStack() as stack:
        stack.enter_context(quickened(memory.settings, tell))
        for each in (
            compacting(memory, tell), finishing(memory, tell), letting_go(assistant), understanding(assistant, tell),
        ):  # fmt: skip
            await stack.enter_async_context(each)
        yield
