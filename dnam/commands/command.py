"""What a command is, who asks it and where, and what comes back."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, NamedTuple

from dnam.assistant import Assistant
from dnam.scopes import Listed
from projections.decisions.draft import Origin
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.values import By, Item
from projections.ids import EventId, Handle, Identity
from projections.links import Direct
from projections.policies.compartments import Opening, Setting, opened
from projections.rows import Rows

PREFIX = "!memory"
SLASH = "/memory"
"""The same as a slash command."""
NOTED = "Why is noted for whoever runs me."
Completes = Literal["", "active", "gone", "any", "scope"]
"""What may stand in a parameter: the person's own items that are held, that can be brought back, or all; or what may be
configured.
"""


Confirms = Literal["", "erase", "erase-guild"]
"""What is only done once a button confirmed it."""


class Parameter(NamedTuple):
    """Something a command needs. Typed as text, all but the last are one word, and the last is all the rest.

    A slash command completes what `completes` names, offers `choices`, and may leave out what a menu asks for instead
    (`has_menu`). What is `optional` may be left out everywhere, and is then not among the arguments. What `is_typed`
    stands for a button where there are none: a slash command does without.
    """

    name: str
    help: str
    completes: Completes = ""
    choices: tuple[str, ...] = ()
    optional: bool = False
    has_menu: bool = False
    is_typed: bool = False

    @property
    def usage(self) -> str:
        """How it is typed."""
        return f"[{self.name}]" if self.optional else f"<{self.name}>"


def none_listed(_: str) -> tuple[PlaceSeen, ...]:
    """Where no platform lists channels."""
    return ()


class Invocation(NamedTuple):
    """Who asks, and where: the setting says who is answered and who can read the answer.

    `is_owner`: they run the bot. `manages_guild`: the platform lets them change the settings of this guild.
    `is_told_why`: they run the bot and nobody reads along, so that what went wrong inside is for them to know; its
    words may name folders, addresses and other services. `account` is who asks as their platform names them, also where
    they opted out. `has_buttons`: the platform shows buttons and sends files. `eyes`: nobody else sees the reply, so it
    is as if they were told in their direct messages, which this is the setting of. `direct`: it is asked in their
    direct messages, which the platform shows as this channel. `channels` are those of the guild, as its platform lists
    them. `request` is what the platform calls the message that asks: asked by the same one again, nothing is done a
    second time.
    """

    setting: Setting
    session: str
    is_owner: bool = False
    manages_guild: bool = False
    is_told_why: bool = False
    account: Account | None = None
    has_buttons: bool = False
    eyes: Setting | None = None
    direct: Direct | None = None
    channels: Listed = none_listed
    request: Identity | None = None

    @property
    def sees(self) -> Setting:
        """In which setting the reply is read: what it opens of their own may be shown to them, found and changed."""
        return self.setting if self.eyes is None else self.eyes

    def opens(self, rows: Rows) -> tuple[Opening, ...]:
        """What whoever reads the reply may be told of: what the place opens, and what is opened to them alone."""
        return tuple(dict.fromkeys((*opened(rows, self.setting), *opened(rows, self.sees))))

    @property
    def prefix(self) -> str:
        """What stands before a command that is answered wherever they are: a typed one is not, where nobody is."""
        return SLASH if self.has_buttons else PREFIX

    @property
    def is_alone(self) -> bool:
        """Whether nobody else reads the answer."""
        return self.sees.audience.kind == "direct"

    @property
    def person(self) -> Handle:
        """Who asks. NOBODY for somebody of whom nothing may be kept."""
        return self.setting.person

    @property
    def origin(self) -> Origin | None:
        """What the ids of what they do are made from; None where no platform names what was asked."""
        return None if self.request is None else Origin(self.request)

    @property
    def by(self) -> By:
        """They, as whoever did it."""
        return By("person", self.person)


class File(NamedTuple):
    """A file for whoever asked, and nobody else."""

    name: str
    data: bytes


class Reply(NamedTuple):
    """The answer in words, and the items it is about, for menus and buttons. `failed`: nothing was done. `hindered`:
    nor could it be, or not all of it, for the log, the disk or a model, which may be otherwise later.

    `undo` is the event that a button can take back; None where there is nothing to take back. `confirm` names what a
    button does, once it is pressed; nothing was done yet. `file` is sent to whoever asked, in a direct message.
    """

    text: str
    items: tuple[Item, ...] = ()
    failed: bool = False
    undo: EventId | None = None
    confirm: Confirms = ""
    file: File | None = None
    hindered: bool = False


Arguments = Mapping[str, str]
"""A value for each parameter of a command that was given, by its name; none is empty."""
Run = Callable[[Assistant, Invocation, Arguments], Awaitable[Reply]]


def never(_: Arguments) -> bool:
    """Of a command that is one thing whatever is given to it."""
    return False


class Command(NamedTuple):
    """One line of the table. `name` may be two words. `for_owner`: nobody else may ask. `needs_memory`: it does nothing
    where memory is switched off. `changes`: asked a second time it may do something a second time. `looks`: but not
    where it is given this, with which it only shows what holds in that place. `slow`: it asks models, and nobody who
    says something else waits for it. `always`: also for whom nothing is kept, and for who opted out.
    """

    name: str
    help: str
    run: Run
    parameters: tuple[Parameter, ...] = ()
    for_owner: bool = False
    needs_memory: bool = True
    changes: bool = False
    looks: Callable[[Arguments], bool] = never
    slow: bool = False
    always: bool = False

    @property
    def usage(self) -> str:
        """How it is typed."""
        return " ".join([PREFIX, self.name, *(each.usage for each in self.parameters)])
