"""What a command is, who asks it and where, and what comes back."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, NamedTuple

from dnam.assistant import Assistant
from projections.events.values import By, Item
from projections.ids import EventId, Handle
from projections.policies.compartments import Setting

PREFIX = "!memory"
Completes = Literal["", "active", "gone"]
"""Which of the person's own items may stand in a parameter: those that are held, or those that can be brought back."""


class Parameter(NamedTuple):
    """Something a command needs. Typed as text, all but the last are one word, and the last is all the rest.

    A slash command completes what `completes` names, offers `choices`, and may leave out what a menu asks for instead
    (`has_menu`). What is `optional` may be left out everywhere, and is then not among the arguments.
    """

    name: str
    help: str
    completes: Completes = ""
    choices: tuple[str, ...] = ()
    optional: bool = False
    has_menu: bool = False

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"[{self.name}]" if self.optional else f"<{self.name}>"


class Invocation(NamedTuple):
    """Who asks, and where: the setting says who is answered and who can read the answer.

    `is_owner`: they run the bot. `manages_guild`: the platform lets them change the settings of this guild.
    """

    setting: Setting
    session: str
    is_owner: bool = False
    manages_guild: bool = False

    @property
    def person(self) -> Handle:
        """Who asks. NOBODY for somebody of whom nothing may be kept."""
        return self.setting.person

    @property
    def by(self) -> By:
        """They, as whoever did it."""
        return By("person", self.person)


class Reply(NamedTuple):
    """The answer in words, and the items it is about, for menus and buttons. `failed`: nothing was done.

    `undo` is the event that a button can take back; None where there is nothing to take back.
    """

    text: str
    items: tuple[Item, ...] = ()
    failed: bool = False
    undo: EventId | None = None


Arguments = Mapping[str, str]
"""A value for each parameter of a command that was given, by its name; none is empty."""
Run = Callable[[Assistant, Invocation, Arguments], Awaitable[Reply]]


class Command(NamedTuple):
    """One line of the table. `name` may be two words. `for_owner`: nobody else may ask. `needs_memory`: it does nothing
    where memory is switched off. `changes`: asked a second time it may do something a second time.
    """

    name: str
    help: str
    run: Run
    parameters: tuple[Parameter, ...] = ()
    for_owner: bool = False
    needs_memory: bool = True
    changes: bool = False

    @property
    def usage(self) -> str:
        """How it is typed."""
        return " ".join([PREFIX, self.name, *(each.usage for each in self.parameters)])
