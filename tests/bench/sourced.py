"""The peer's side: a chat as an `eventsourcing` application."""

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Channel(Aggregate):
    """What was said in a channel."""

    @event("Opened")
    def __init__(self, name: str) -> None:
        self.name = name
        self.messages: list[tuple[str, str]] = []

    @event("Heard")
    def hear(self, speaker: str, text: str, padding: str) -> None:
        """A message."""
        self.messages.append((speaker, text))


class Chat(Application):
    """The application that keeps channels."""
