"""Text as a command. Total: every text is a command, a misread one, or none.

!memory                          the first command of the table
!memory  Remember   I like tea   command words in any case, any white space between; the last parameter keeps its own
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dnam.commands.command import PREFIX, Command
from projections.quoting import label

SHOWN_CHARS = 32


class Call(NamedTuple):
    """A command with a value for each of its parameters that was given."""

    command: Command
    arguments: Mapping[str, str]

    @property
    def changes(self) -> bool:
        """Whether it is not to be done again, for another page of its reply say."""
        return self.command.changes and not self.only_looks

    @property
    def only_looks(self) -> bool:
        """Whether it shows what holds in that place, where its command may change that too."""
        return self.command.looks(self.arguments)


class Misread(NamedTuple):
    """It was meant for the memory and is no command; `problem` says what is wrong, `command` is the one it began as.
    Where it began as none, `word` is its first.
    """

    problem: str
    command: Command | None = None
    word: str = ""

    @property
    def changes(self) -> bool:
        """What was not understood is not done."""
        return False


def parse(text: str, commands: Sequence[Command]) -> Call | Misread | None:
    """What a text asks for; None when it does not begin with `!memory`."""
    if not is_for_memory(text):
        return None
    _, rest = _taken(text, 1)
    if not rest:
        return Call(commands[0], {})
    for command in commands:
        wanted = command.name.split()
        words, given = _taken(rest, len(wanted))
        if words == wanted:
            return _filled(command, given)
    begun = next((each for each in commands if each.name.split()[0] == _taken(rest, 1)[0][0]), None)
    if begun is not None:
        return Misread(f"`{PREFIX} {_shown(rest).casefold()}` goes on: `{begun.usage}`.", begun)
    return Misread(f"There is no command `{_shown(rest)}`.", word=_taken(rest, 1)[0][0])


def is_for_memory(text: str) -> bool:
    """Whether a text is a command, or a misread one, and nothing that was said."""
    return _taken(text, 1)[0] == [PREFIX]


def _taken(text: str, count: int) -> tuple[list[str], str]:
    """The first words of a text, case folded, and what follows them, as it stands."""
    parts = text.split(maxsplit=count)
    rest = parts[count].rstrip() if len(parts) > count else ""
    return [word.casefold() for word in parts[:count]], rest


def _filled(command: Command, given: str) -> Call | Misread:
    most = max(len(command.parameters) - 1, 0)
    values = given.split(maxsplit=most) if command.parameters else given.split(maxsplit=0)
    if len(values) > len(command.parameters):
        return Misread(f"`{command.usage}` takes nothing more.", command)
    return called(command, {each.name: value for each, value in zip(command.parameters, values, strict=False)})


def called(command: Command, given: Mapping[str, str]) -> Call | Misread:
    """The command with these values; Misread where one is missing that it needs."""
    missing = next((each for each in command.parameters if not each.optional and each.name not in given), None)
    if missing is not None:
        return Misread(f"`{command.usage}` needs {missing.help}.", command)
    return Call(command, given)


def _shown(rest: str) -> str:
    word = label(rest.split(maxsplit=1)[0]).replace("`", "'")
    return word if len(word) <= SHOWN_CHARS else f"{word[:SHOWN_CHARS]}…"
