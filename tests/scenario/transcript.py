"""What happened, as a page to read: when, where, who, what.

+  3.412  #general (Garden)     Kim         @Marcy I prefer marigold tea over coffee.
+  3.655  #general (Garden)     Marcy       ↳ Kim  I know nothing of that yet.
+  9.120  ── killed ──                      after the send, before it was recorded
"""

import re
import time
from collections.abc import Callable
from typing import TextIO

from tests.loopback.discord import Channel, Message
from tests.loopback.discord.messages import MessageKind
from tests.loopback.discord.state import Event, State

MOST_CHARS = 160
MENTION = re.compile(r"<@!?([0-9]+)>")


class Transcript:
    """Writes lines to whoever wants to read them; `lines` counts them."""

    def __init__(self, out: TextIO | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out
        self._clock = clock
        self._begun = clock()
        self._told: set[tuple[int, str]] = set()
        self.messages = 0

    def line(self, where: str, who: str, what: str) -> None:
        """One thing that happened."""
        if self._out is not None:
            shown = " ".join(what.split())
            shown = shown if len(shown) <= MOST_CHARS else f"{shown[:MOST_CHARS]}… ({len(what)} characters)"
            self._out.write(f"+{self._clock() - self._begun:8.3f}  {where:<24}{who:<9}{shown}\n")
            self._out.flush()

    def heading(self, title: str) -> None:
        """A chapter begins."""
        if self._out is not None:
            self._out.write(f"\n## {title}\n\n")

    def mark(self, what: str, why: str = "") -> None:
        """Something happened to everybody: a kill, a drop, a start."""
        self.line(f"── {what} ──", "", why)

    def listen(self, state: State) -> None:
        """Write down what is said in a Discord."""
        state.listeners.append(lambda event: self._hear(state, event))

    def _hear(self, state: State, event: Event) -> None:
        if event.name not in ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"):
            return
        channel = state.channels[int(event.data["channel_id"])]
        if "DELETE" in event.name:
            self.line(_place(channel), "", f"✗ {len(event.data.get('ids', [1]))} deleted")
            return
        message = channel.messages.get(int(event.data["id"]))
        if message is None or (message.id, message.content) in self._told:  # a pin, a preview, told again
            return
        self._told.add((message.id, message.content))
        self.messages += event.name == "MESSAGE_CREATE"
        pencil = "✎ " if event.name == "MESSAGE_UPDATE" else ""
        said = "(pins a message)" if message.kind == MessageKind.PINNED else _to(message) + message.content
        self.line(_place(channel), message.author.name, f"{pencil}{_named(state, said)}")


def _place(channel: Channel) -> str:
    return f"{channel} ({channel.guild})" if channel.guild else str(channel)


def _to(message: Message) -> str:
    return f"↳ {message.reference.author.name}: " if message.reference else ""


def _named(state: State, text: str) -> str:
    return MENTION.sub(
        lambda found: f"@{state.users[int(found[1])].name}" if int(found[1]) in state.users else "", text
    )
