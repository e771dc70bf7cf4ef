"""Names of the source documents that set nothing here, and what does. Those that mean the same as a setting are its
aliases.

A name that other programs have too is told of only beside one that shows whose settings these are.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from dnam.settings.files import read_dotenv, unknown

SLASHAI = ("MEMORY_ENABLED", "MEMORY_TOP_K", "MEMORY_SIMILARITY_THRESHOLD", "MEMORY_MERGE_THRESHOLD")


class Foreign(NamedTuple):
    """A name that sets nothing here. `beside` are names of its program, which are settings here; `instead` is what to
    do, as a sentence.
    """

    name: str
    program: str
    beside: tuple[str, ...]
    instead: str


FOREIGN = (
    Foreign(
        "DATABASE_URL",
        "slashAI",
        SLASHAI,
        "Everything is kept in the folder that DNAM_DATA names; `dnam import` brings in slashAI's table of memories.",
    ),
)


def unheeded(environment: Mapping[str, str], folder: Path) -> list[str]:
    """What is set and changes nothing, in words, where dnam is started in `folder`: names in the environment that begin
    as ours and are none, and there or in `.env` names that are known from other programs. No value is told.
    """
    dotenv = read_dotenv(folder / ".env")
    is_set = {name for each in (environment, dotenv) for name, value in each.items() if value.strip()}
    told = ((place, foreign(values, is_set)) for place, values in (("environment", environment), (".env", dotenv)))
    return [*unknown(environment), *(f"{place}: {words}" for place, all_words in told for words in all_words)]


def foreign(values: Mapping[str, str], is_set: set[str]) -> Iterator[str]:
    """What to say of the names of other programs that set nothing here. `is_set` are all that have a value anywhere."""
    for each in FOREIGN:
        if values.get(each.name, "").strip() and not is_set.isdisjoint(each.beside):
            yield f"{each.name} of {each.program} sets nothing here. {each.instead}"
