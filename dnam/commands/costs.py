"""`!memory costs`: what models took lately, for the owner."""

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, Invocation, Reply


async def costs(assistant: Assistant, _: Invocation, __: Arguments) -> Reply:
    """Today's and the last days' cost, by model."""
    from dnam.costs import words

    memory = assistant.memory
    return Reply(await memory.look(lambda rows: words(rows, memory.now())))
