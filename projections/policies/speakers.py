"""By which names those who spoke stand in front of their lines, in what a model is shown and in its summary."""

from typing import NamedTuple


class Speakers(NamedTuple):
    """The names of people, and of the assistant, which may have had several."""

    people: frozenset[str] = frozenset()
    assistants: frozenset[str] = frozenset()


NOBODY_SPOKE = Speakers()
