"""The peer's side: a chat as an `eventsourcing` application, and a view of rows that follows it."""

from typing import Any
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import Tracking
from eventsourcing.sqlite import SQLiteDatastore, SQLiteFactory, SQLiteTrackingRecorder
from eventsourcing.system import NotificationLogReader
from eventsourcing.utils import Environment

SECTION = 1_000
"""Events that are read at once. The library's default is ten, which would make it slower."""


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


class Chat(Application[UUID]):
    """The application that keeps channels."""

    def heard_in(self, channel: UUID) -> int:
        """How many messages a channel has, from its events."""
        found: Channel = self.repository.get(channel)
        return len(found.messages)


class MessagesView(SQLiteTrackingRecorder):
    """A table of messages, one row each, beside how far it is."""

    def __init__(self, datastore: SQLiteDatastore, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.create_table_statements.append(
            "CREATE TABLE IF NOT EXISTS messages (channel TEXT, version INTEGER, speaker TEXT, text TEXT, "
            "PRIMARY KEY (channel, version)) WITHOUT ROWID"
        )

    def add(self, row: tuple[str, int, str, str], tracking: Tracking) -> None:
        """A row and how far the view is with it, in one commit."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute("INSERT INTO messages VALUES (?, ?, ?, ?)", row)


def project(chat: Chat, view: str) -> None:
    """Build the view anew in the file `view`, from the first event to the last.

    With SQLite the library has no subscriptions: a follower reads the notification log, section by section.
    """
    factory = SQLiteFactory(Environment("messages", {"SQLITE_DBNAME": view}))
    rows = MessagesView(factory.datastore)
    rows.create_table()
    for notification in NotificationLogReader(chat.notification_log, section_size=SECTION).read(start=1):
        heard: Any = chat.mapper.to_domain_event(notification)
        tracking = Tracking(chat.name, notification.id)
        if isinstance(heard, Channel.Heard):  # type: ignore[attr-defined]  # `@event` makes the class, which no type tells of
            rows.add((str(heard.originator_id), heard.originator_version, heard.speaker, heard.text), tracking)
        else:
            rows.insert_tracking(tracking)
    factory.close()
