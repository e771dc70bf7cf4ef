"""Which texts are made into vectors: of rows as they are now, each with the vault that seals it."""

import msgspec

from projections.events import ItemRemembered, MessageDeleted, MessageEdited, MessageHeard, TurnAnswered
from projections.events.event import Event
from projections.events.values import OPERATOR, Attachment
from projections.fold import Record
from projections.ids import EventId, Seq, VaultId
from projections.items import ITEMS
from projections.messages import MESSAGES
from projections.registry import FOLD
from projections.rows import MemoryRows, Stored
from projections.turns import TURNS
from projections.vectors_texts import TABLES, Held, RowKey, held_at, held_from, touched
from tests.generator import MAKERS
from tests.laws.teller import Teller
from tests.projections.items import an_item
from tests.world import NOW, handle

VAULT = VaultId(b"v" * 16)


def told(kind: type[Event]) -> Event:
    """An event of a kind, as it may stand in a log."""
    teller = Teller(MAKERS)
    teller.tell(MessageHeard, 1)
    return next(draft.event for draft in teller.tell(kind, 2) if type(draft.event) is kind)


def message(text: str, *attachments: Attachment) -> MessageHeard:
    event = told(MessageHeard)
    assert isinstance(event, MessageHeard)
    return msgspec.structs.replace(
        event, message=msgspec.structs.replace(event.message, text=text, attachments=attachments)
    )


class Table:
    """Rows of a few events, in one vault."""

    def __init__(self, *events: Event, vault: VaultId = VAULT) -> None:
        self.rows, self.records = MemoryRows(), list[Record]()
        for seq, event in enumerate(events, 1):
            record = Record(Seq(seq), EventId(handle(f"event {seq}")), NOW, event)
            self.records.append(record)
            for table, key, body, _ in FOLD.changes(record):
                self.rows.put(table, key, None if body is None else Stored(record.seq, body, vault))

    def texts(self) -> list[Held]:
        return [text for _, text in held_from(self.rows, RowKey(TABLES[0], b"")) if text is not None]


def test_what_is_said_answered_and_remembered_has_a_text() -> None:
    answered, remembered = told(TurnAnswered), ItemRemembered(said=NOW, by=OPERATOR, item=an_item("keeps bees"))
    assert isinstance(answered, TurnAnswered)
    answered = msgspec.structs.replace(answered, text="Bees, then.")
    table = Table(remembered, answered, message(" I keep bees\n"))
    assert table.texts() == [
        Held(Seq(3), VAULT, "I keep bees"),
        Held(Seq(2), VAULT, "Bees, then."),
        Held(Seq(1), VAULT, "keeps bees"),
    ]
    assert [[place.table for place in touched(record)] for record in table.records] == [
        [ITEMS.table],
        [TURNS.table],
        [MESSAGES.table],
    ]


def test_what_a_picture_shows_is_part_of_it() -> None:
    (text,) = Table(message("look", Attachment("hive.png", 9, "a hive in the snow"))).texts()
    assert "a hive in the snow" in text.text


def test_what_says_nothing_or_is_deprecated_has_none() -> None:
    gone = ItemRemembered(said=NOW, by=OPERATOR, item=an_item("keeps bees", status="deprecated"))
    table = Table(message("  "), gone)
    assert table.texts() == []
    assert [held_at(table.rows, *touched(record)) for record in table.records] == [None, None]


def test_an_edit_has_a_text_of_its_own_and_what_is_deleted_has_none_any_more() -> None:
    heard, edited, deleted = message("I keep bees"), told(MessageEdited), told(MessageDeleted)
    assert isinstance(edited, MessageEdited)
    assert isinstance(deleted, MessageDeleted)
    (place,) = touched(Table(heard).records[0])
    assert touched(Record(Seq(1), EventId(bytes(16)), NOW, deleted)) == []
    said = msgspec.structs.replace(heard.message, text="I kept bees")
    again = msgspec.structs.replace(edited, message=said, heard=EventId(handle("event 1")))
    table = Table(heard, again)
    assert held_at(table.rows, place) == Held(Seq(2), VAULT, "I kept bees")
    assert touched(table.records[1])[0] == place
    table.rows.put(*place, None)
    assert held_at(table.rows, place) is None


def test_what_no_key_seals_is_nobody_s_words() -> None:
    assert Table(message("I keep bees"), vault=VaultId(bytes(16))).texts() == []


def test_a_walk_goes_on_from_where_it_was() -> None:
    remembered = ItemRemembered(said=NOW, by=OPERATOR, item=an_item("keeps bees"))
    table = Table(message("I keep bees"), remembered)
    first, second = (place for place, text in held_from(table.rows, RowKey(TABLES[0], b"")) if text)
    assert [place for place, _ in held_from(table.rows, first)] == [first, second]
    assert [place for place, _ in held_from(table.rows, RowKey(first.table, first.key + b"\0"))] == [second]
    assert list(held_from(table.rows, RowKey(second.table, second.key + b"\0"))) == []
