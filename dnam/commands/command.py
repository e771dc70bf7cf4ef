"""What a command is, who asks it and where, and what comes back."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from dnam.assistant import Assistant
from projections.events.values import By, Item
from projections.ids import Handle
from projections.policies.compartments import Setting

PREFIX = "!memory"


class Parameter(NamedTuple):
    """Something a command needs. Typed as text, all but the last are one word, and the last is all the rest.

    `is_item` says that an item's id may stand here: a slash command completes it.
    """

    name: str
    help: str
    is_item: bool = False


class Invocation(NamedTuple):
    """Who asks, and where: the setting says who is answered and who can read the answer."""

    setting: Setting
    session: str

    @property
    def person(self) -> Handle:
        """Who asks. NOBODY for somebody of whom nothing may be kept."""
        return self.setting.person

    @property
    def by(self) -> By:
        """They, as whoever did it."""
        return By("person", self.person)


class Reply(NamedTuple):
    """The answer in words, and the items it is about, for menus and buttons. `failed`: nothing was done."""

    text: str
    items: tuple[Item, ...] = ()
    failed: bool = False


Arguments = Mapping[str, str]
"""A value for each parameter of a command, by its name; none is empty."""
Run = Callable[[Assistant, Invocation, Arguments], Awaitable[Reply]]


class Command(NamedTuple):
    """One line of the table. `name` may be two words."""

    name: str
    help: str
    run: Run
    parameters: tuple[Parameter, ...] = ()

    @property
    def usage(self) -> str:
        """How it is typed."""
        return " ".join([PREFIX, self.name, *(f"<{each.name}>" for each in self.parameters)])
