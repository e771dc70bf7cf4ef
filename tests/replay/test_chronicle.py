"""The log as decisions may ask it: by id, by row, by decision; also of what is not in it yet."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from projections.decisions.draft import Draft
from projections.events import Event, ItemClosed, ItemRemembered, MessageRedacted
from projections.events.values import OPERATOR, Item, Source
from projections.fold import Record
from projections.ids import Seq
from projections.items import ITEMS, item_key
from projections.policies.compartments import direct
from projections.rows import Rows
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.history import seq_key
from tests.replay.keeping import damage
from tests.replay.stage import FakeClock, drafts, event_id, setting, together
from tests.world import NOW, handle

ANN = handle("ann")
TEA = Item("durable-1", ANN, direct(ANN), "fact", "tea", NOW, NOW, Source("manual"))
KEY = item_key(ANN, direct(ANN), "durable-1")


def remembered(text: str) -> ItemRemembered:
    return ItemRemembered(said=NOW, by=OPERATOR, item=msgspec.structs.replace(TEA, text=text))


def text_of(event: Event) -> str:
    assert isinstance(event, ItemRemembered)
    return event.item.text


def texts(found: Sequence[Record]) -> list[str]:
    return [text_of(each.event) for each in found]


def test_events_are_found_by_id_by_row_and_by_decision() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        engine.record(drafts(setting("warm"), remembered("tea"), name="first"))
        engine.record(drafts(remembered("green tea"), setting("cold", key="mood"), name="second"))
        chronicle = LogChronicle(engine.live)
        with engine.reading() as rows:
            assert texts(chronicle.touched(rows, ITEMS, KEY)) == ["tea", "green tea"]
            assert chronicle.touched(rows, ITEMS, bytes(48)) == []
        found = chronicle.find(event_id("second 0"))
        assert found is not None
        assert found.seq == 3
        for name in ("second 0", "second 1"):
            assert [each.event.TAG for each in chronicle.decision(event_id(name))] == ["item.remembered", "config.set"]
        assert [each.seq for each in chronicle.decision(event_id("first 1"))] == [1, 2]
        assert (chronicle.tag(event_id("first 1")), chronicle.tag(event_id("none"))) == ("item.remembered", "")
        assert chronicle.find(event_id("none")) is None
        assert chronicle.event(event_id("none")) is None
        assert chronicle.event(event_id("second 0")) == found.event
        assert chronicle.decision(event_id("none")) == []


def test_all_that_ever_touched_a_projection_is_found_in_order() -> None:
    """Also of rows that are no more; and not what cannot be read, nor what the same group is about to record."""
    seen: list[list[str]] = []

    with Engine.in_memory(FakeClock()) as engine:
        for n, text in enumerate(("tea", "green tea", "coffee")):
            item = msgspec.structs.replace(TEA, text=text, id=f"durable-{3 - n}")
            engine.record(drafts(ItemRemembered(said=NOW, by=OPERATOR, item=item), setting(text), name=text))
        closed = ItemClosed(said=NOW, by=OPERATOR, owner=ANN, compartment=TEA.compartment, id="durable-1")
        gone = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("tea 0"),))
        engine.record(drafts(closed, gone, name="gone"))

        def asks(rows: Rows) -> list[Draft]:
            found = LogChronicle(engine.live).ever(rows, ITEMS)
            seen.append([text_of(each.event) for each in found if isinstance(each.event, ItemRemembered)])
            return []

        together(engine, [drafts(remembered("cake"), name="second"), asks])
    assert seen == [["green tea", "coffee"]]


def test_a_decision_reads_what_touched_a_row_also_in_its_own_group() -> None:
    seen: list[list[str]] = []

    def look(rows: Rows) -> list[Draft]:
        seen.append(texts(rows.touched(ITEMS, KEY)))
        return []

    with Engine.in_memory(FakeClock()) as engine:
        engine.record(drafts(remembered("tea"), name="first"))
        together(engine, [drafts(remembered("green tea"), name="second"), look])
        assert seen == [["tea", "green tea"]]
        redacted = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("first 0"),))
        together(engine, [drafts(redacted, name="third"), look])
        assert seen[1:] == [["green tea"]]
        with engine.reading() as rows:
            assert texts(rows.touched(ITEMS, KEY)) == ["green tea"]
            assert rows.touched(ITEMS, bytes(48)) == Rows(rows.raw, rows.ids).touched(ITEMS, KEY) == []


def test_what_cannot_be_read_any_more_is_named_and_not_found() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        engine.record(drafts(remembered("tea"), remembered("green tea"), name="first"))
        engine.record(drafts(MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("first 0"),)), name="gone"))
        chronicle = LogChronicle(engine.live)
        assert chronicle.find(event_id("first 0")) is None
        assert chronicle.tag(event_id("first 0")) == "item.remembered"
        assert texts(chronicle.decision(event_id("first 0"))) == ["green tea"]


def test_what_the_same_group_is_about_to_record_is_not_in_the_log_yet() -> None:
    seen: list[list[str]] = []

    with Engine.in_memory(FakeClock()) as engine:
        engine.record(drafts(remembered("tea"), name="first"))

        def asks(rows: Rows) -> list[Draft]:
            row = rows.get(ITEMS, KEY)
            assert row is not None
            seen.append([row.item.text, *texts(LogChronicle(engine.live).touched(rows, ITEMS, KEY))])
            return []

        together(engine, [drafts(remembered("green tea"), name="second"), asks])
    assert seen == [["green tea", "tea"]]


def said_by(rows: Rows, name: str) -> str | None:
    found = rows.event(event_id(name))
    return None if found is None else text_of(found)


def test_rows_lead_to_the_events_that_can_be_read() -> None:
    """A decision finds what its group is about to record besides, and not what that drops."""
    seen: list[list[str | None]] = []
    names = ("first 0", "first 1", "second 0", "none")
    with Engine.in_memory(FakeClock()) as engine:
        engine.record(drafts(remembered("tea"), remembered("green tea"), name="first"))

        def asks(rows: Rows) -> list[Draft]:
            seen.append([said_by(rows, each) for each in names])
            return []

        gone = MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("first 0"),))
        together(engine, [drafts(remembered("coffee"), name="second"), asks, drafts(gone, name="gone"), asks])
        with engine.reading() as rows:
            seen.append([said_by(rows, each) for each in names])
    assert seen[0] == ["tea", "green tea", "coffee", None]
    assert seen[1:] == [[None, "green tea", "coffee", None]] * 2


def test_an_event_that_cannot_be_read_keeps_no_decision_from_what_it_does(tmp_path: Path) -> None:
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        engine.record(drafts(remembered("tea"), name="first"))
    damage(tmp_path, b"bodies", seq_key(Seq(1)))
    seen: list[str | None] = []

    def asks(rows: Rows) -> list[Draft]:
        seen.append(said_by(rows, "first 0"))
        return []

    with Engine.open(tmp_path, clock=FakeClock()) as engine:
        engine.record(asks)
        with engine.reading() as rows:
            asks(rows)
    assert seen == [None, None]
