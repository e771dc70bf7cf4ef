"""What the bench counts as injected by memory is what a prompt is longer by for it."""

from pathlib import Path

from projections.context import Context
from projections.quoting import SEPARATOR
from tests.bench import answers
from tests.bench.answers import MEMORY, Day, injected
from tests.bench.talk import Talk


async def answered(today: Day, talk: Talk, number: int) -> Context:
    """The prompt of an answer, and what is due behind it is done."""
    exchange = await today.exchanges.hear(answers.live(talk, number), to_answer=True)
    thought = await today.exchanges.think(exchange)
    await today.exchanges.answered(exchange)
    await today.exchanges.delivered(exchange)
    await today.assistant.settle()
    return thought.context


async def test_all_of_what_memory_brings_into_a_prompt_counts(tmp_path: Path) -> None:
    async with answers.day(tmp_path) as today:
        talk = Talk(first=1_000, channels=1)
        context = [await answered(today, talk, number) for number in range(12)][-1]
        assert {block.name for block in context.blocks} >= MEMORY - {"room"}
        others = [block for block in context.blocks if block.name not in MEMORY]
        around = sum(len(block.text) for block in others) + len(SEPARATOR) * (len(context.blocks) - 1)
        assert injected(context) == len(context.text) - around
        assert injected(context) > sum(len(hit.item.text) for hit in context.memory.hits)
