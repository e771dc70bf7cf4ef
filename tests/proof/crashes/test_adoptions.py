"""Adoptions that are in force, and adoptions of which something is lost: that is found."""

import json
from pathlib import Path

import pytest

from dnam.adoption.adopted import Touch
from projections.decisions.adopted import Adoption, next_adoption, of_owner
from projections.decisions.adopted_all import Rederived
from projections.decisions.draft import Decision, Draft
from projections.events import ItemUpserted, ItemWithdrawn, RederivationAdopted
from projections.events.event import Event
from projections.events.values import OPERATOR, Item, Source
from projections.fold import Record
from projections.ids import EventId, Handle, Seq, seeded_id
from projections.items import ITEMS
from projections.lives import address_of, key_of
from projections.rows import Rows
from replay.engine import Engine
from tests.proof.crashes import adoptions
from tests.proof.crashes.adoptions import Adopted, Effect, _Reading, effect_of, recorded_by
from tests.replay.stage import ADA, drafts, handle_of, says
from tests.world import NOW

MADE = Rederived(b"shadow".ljust(16), "careful", NOW, 1)


def item(owner: Handle, number: int, text: str = "likes tea") -> ItemUpserted:
    compartment = f"person/{owner.hex()}/everywhere"
    value = Item(f"durable-{number}", owner, compartment, "fact", text, NOW, NOW, Source("manual"))
    return ItemUpserted(said=NOW, by=OPERATOR, item=value)


def adopts(adoption: Adoption, owner: Handle, count: int) -> list[Decision]:
    """What an adoption of so many items records: the items, and what makes it count."""
    seed = adoption.origin(of_owner(owner), 0).seed
    items = [Draft(seeded_id(seed, number, NOW), item(owner, number)) for number in range(count)]
    event = RederivationAdopted(
        said=NOW, by=OPERATOR, shadow=MADE.shadow, name=b"", upto=1, people=1, items=count, summaries=0
    )
    return [lambda _: items, lambda _: [Draft(adoption.id, event)]]


def next_one(rows: Rows) -> Adoption:
    return next_adoption(rows, MADE.shadow, MADE.made)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A memory that adopted two items."""
    with Engine.open(tmp_path / "data", create=True) as engine:
        engine.record(says("m0"))
        with engine.reading() as rows:
            adoption = next_one(rows)
        for decision in adopts(adoption, handle_of(engine, ADA), 2):
            engine.record(decision)
    return tmp_path / "data"


def said(data: Path) -> Adopted:
    """What was said of it."""
    with Engine.open(data, writable=False) as engine:
        seq = engine.head().size
        record = engine.live.folding.record_at(Seq(seq))
    assert record is not None
    found = Adopted.recorded(record)
    assert found is not None
    return found


def record(data: Path, *events: Event) -> None:
    with Engine.open(data) as engine:
        engine.record(drafts(*events))


def owner(data: Path) -> Handle:
    with Engine.open(data, writable=False) as engine:
        return handle_of(engine, ADA)


def test_an_adoption_is_in_force(data: Path) -> None:
    assert (said(data).people, said(data).items, said(data).summaries) == (1, 2, 0)
    assert effect_of(data, said(data)) == effect_of(data, None) == Effect(live=2, since=0)


def test_what_changed_since_is_counted_apart(data: Path) -> None:
    adopted = said(data)
    record(data, item(owner(data), 1, "likes coffee"))
    assert effect_of(data, adopted) == effect_of(data, None) == Effect(live=1, since=1)


def test_an_adoption_that_did_less_than_was_said_is_found(data: Path) -> None:
    found = effect_of(data, said(data)._replace(items=3))
    assert len(found.wrong) == 1
    assert "3 items of 1 people and 0 summaries, and the log has of it" in found.wrong[0]


def test_an_adoption_that_is_lost_is_found(data: Path) -> None:
    lost = said(data)._replace(event=EventId(said(data).event[:4] + bytes(12)))
    assert effect_of(data, lost).wrong
    with Engine.open(data.parent / "empty", create=True):
        pass
    assert effect_of(data.parent / "empty", None) == Effect(0, 0, ("none was ever recorded",))


def test_a_row_that_is_gone_or_older_is_found(data: Path) -> None:
    with Engine.open(data, writable=False) as engine:
        events = recorded(engine)
        adopted = next(each for each in events if isinstance(each.event, ItemUpserted))
        reading = _Reading(engine)
        assert isinstance(adopted.event, ItemUpserted)
        touch, key = Touch(adopted.id), key_of(address_of(adopted.event.item))
        reading.take(ITEMS, key, Seq(adopted.seq - 1), touch)
        reading.take(ITEMS, key, None, touch)
        assert (reading.live, reading.since) == (0, 0)
        assert reading.wrong == [
            f"what #{adopted.seq} made is as #{adopted.seq - 1} left it",
            f"what #{adopted.seq} made is not there",
        ]
        reading.take(ITEMS, key, None, touch._replace(removed=True))
        assert (reading.live, len(reading.wrong)) == (1, 2)


def test_what_was_withdrawn_since_was_changed_since(data: Path) -> None:
    """An erasure takes with it what rests on its words."""
    gone = item(owner(data), 1).item
    record(data, ItemWithdrawn(said=NOW, by=OPERATOR, owner=gone.owner, compartment=gone.compartment, id=gone.id))
    assert effect_of(data, None) == Effect(live=1, since=1)


def recorded(engine: Engine) -> list[Record]:
    found = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
    return [each for each in found if each is not None]


@pytest.mark.parametrize("is_counted", [True, False])
def test_what_an_adoption_recorded_is_known_also_before_it_counts(
    data: Path, monkeypatch: pytest.MonkeyPatch, is_counted: bool
) -> None:
    monkeypatch.setattr(adoptions, "load", lambda *_: None)
    monkeypatch.setattr(adoptions, "rederived_of", lambda _: MADE)
    first = said(data).event
    with Engine.open(data) as engine:
        with engine.reading() as rows:
            second = next_one(rows)
        again = adopts(second, handle_of(engine, ADA), 1)
        for decision in again if is_counted else again[:1]:
            engine.record(decision)
        with engine.reading() as rows:
            found = recorded_by(engine, rows, data)
            assert sorted(found.values()) == sorted([first, first, second.id])
            items = {each.id for each in recorded(engine) if isinstance(each.event, ItemUpserted)}
            assert found.keys() == items


def test_what_was_printed_is_read() -> None:
    done = {"event": "0a" * 16, "seq": 7, "people": 1, "items": 2, "summaries": 3}
    expected = Adopted(EventId(b"\n" * 16), Seq(7), 1, 2, 3)
    assert Adopted.said(json.dumps({"adopted": done})) == Adopted.said(json.dumps({"undone": done})) == expected
    assert Adopted.said(json.dumps({"adopted": None})) is None
    assert Adopted.said(json.dumps({"undone": None})) is None
