"""What happens, in order."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from tests.scenario.chapters import commands, connection, faults, kills, readers_change, talking, wall
from tests.scenario.stage import Stage

Chapter = Callable[[Stage], Awaitable[None]]
CHAPTERS: Mapping[str, Chapter] = MappingProxyType(
    {
        "They talk, and it learns": talking.chapter,
        "They ask for what it remembers": commands.chapter,
        "The connection comes and goes": connection.chapter,
        "It shows what it knows": wall.chapter,
        "Claude and Discord have their troubles": faults.chapter,
        "It is killed at the worst moments": kills.chapter,
        "Others may read": readers_change.chapter,
    }
)

__all__ = ["CHAPTERS", "Chapter"]
