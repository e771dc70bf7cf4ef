"""What the chat prints. On stdout stands what is said and nothing else; everything about it goes to stderr.

No control character of anybody's reaches a terminal. Escapes are written only where a person looks.
"""

from typing import Protocol, TextIO

import msgspec

from dnam.commands.command import Reply
from projections.policies.text import whole
from projections.quoting import lines_of, one_line

BOLD, DIM, YELLOW, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[0m"


class Screen(Protocol):
    """Where a chat is shown."""

    def said(self, name: str, text: str) -> None:
        """The assistant's answer."""
        ...

    def replied(self, command: str, reply: Reply) -> None:
        """What came of a command."""
        ...

    def note(self, text: str) -> None:
        """Something to know."""
        ...

    def warn(self, text: str) -> None:
        """Something that went wrong."""
        ...


class TextScreen:
    """For people. `styled` where both streams are a terminal."""

    def __init__(self, out: TextIO, err: TextIO, *, styled: bool = False) -> None:
        self._out = out
        self._err = err
        self._styled = styled
        self.unprinted: OSError | None = None
        """What kept something that was said from being printed, as a disk that is full."""

    def said(self, name: str, text: str) -> None:
        self._say(f"{self._in(BOLD, f'{one_line(name)}:')} {_visible(text)}")

    def replied(self, command: str, reply: Reply) -> None:  # noqa: ARG002 - people see which command it was
        self._say(_visible(reply.text))

    def note(self, text: str) -> None:
        _print(self._err, self._in(DIM, f"({_visible(text)})"))

    def warn(self, text: str) -> None:
        _print(self._err, self._in(YELLOW, f"! {_visible(text)}"))

    def _say(self, text: str) -> None:
        try:
            _print(self._out, text)
        except BrokenPipeError:  # nobody reads any more
            raise
        except OSError as error:
            self.unprinted = error
            raise

    def _in(self, style: str, text: str) -> str:
        return f"{style}{text}{PLAIN}" if self._styled else text


class JsonScreen(TextScreen):
    """For programs: a JSON value a line on stdout. `type` is `answer` or `reply`."""

    def said(self, name: str, text: str) -> None:
        self._emit({"type": "answer", "from": name, "text": whole(text)})

    def replied(self, command: str, reply: Reply) -> None:
        items = [each.id for each in reply.items]
        self._emit(
            {"type": "reply", "command": command, "text": whole(reply.text), "items": items, "failed": reply.failed}
        )

    def _emit(self, value: dict[str, object]) -> None:
        self._say(msgspec.json.encode(value).decode())


def _print(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()


def _visible(text: str) -> str:
    return "\n".join(lines_of(text))
