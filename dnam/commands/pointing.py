"""What can be asked of a message that somebody points at: to remember it, and why the assistant said it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from projections.ids import Ref


class Pointed(NamedTuple):
    """A message as its platform shows it; `said` is the platform's own time in ms. `by_asker`: who asks wrote it.
    `is_command`: it is read as a typed command there, whatever stands in front of it. `is_own`: the assistant wrote it.
    """

    message: Ref
    said: int
    text: str
    by_asker: bool
    is_command: bool = False
    is_own: bool = False


class Menu(NamedTuple):
    """Something to ask of a message. `name` stands in a menu. `changes`: as of a command."""

    name: str
    help: str
    run: Callable[[Assistant, Invocation, Pointed], Awaitable[Reply]]
    changes: bool = False
