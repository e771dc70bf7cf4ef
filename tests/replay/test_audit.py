"""Lives read from the history: they agree with the rows at every moment, and every cause is accounted for."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.decisions.hear import hear
from projections.events import (
    ItemForgotten,
    ItemMoved,
    ItemRefused,
    ItemRemembered,
    ItemUpserted,
    MessageRedacted,
    TurnAnswered,
)
from projections.events.event import Event
from projections.events.values import OPERATOR, Audience, By, Intent, Item, ItemUse, Limits, ModelUse
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.items import ITEMS, items_of
from projections.lives import COMPARED, Address, Life, address_of
from projections.registry import FOLD
from replay.audit import NOW as ALL
from replay.audit import audit, clock_of, differences, lives_of, rows_at, touches, uses
from replay.cited import as_it_is, is_said
from replay.engine import Engine
from replay.errors import Damaged, KeyMissing, UnknownEvent
from replay.folding import Folding
from replay.log import StoredEvent
from replay.reading import Reader
from replay.travel import Moment
from tests.generator import Story, fixed_story, stories
from tests.projections.items import ANN, HOME, WIDE, an_item, quote
from tests.projections.test_hear import said
from tests.replay.stage import FakeClock, drafts, event_id, living, readable
from tests.world import NOW, handle

LAW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
TEA = an_item("likes tea")
FORGOTTEN = msgspec.structs.replace(TEA, status="forgotten")
THERE = msgspec.structs.replace(TEA, compartment=WIDE)


def told(story: Story) -> Engine:
    engine = Engine.in_memory(FakeClock())
    for decided in story.decisions():
        engine.record(living(decided))
    return engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def keep(engine: Engine, event: Event, name: str) -> EventId:
    """Record it under an id made from a name."""
    *_, record = engine.record(drafts(event, name=name)).records  # what it closes comes ahead of it
    return record.id


def item_event(kind: Any, item: Item, *causes: EventId, said: int = NOW, **more: Any) -> Any:
    intent = Intent("share") if kind is ItemMoved else None
    return kind(said=said, by=By("person", item.owner), causes=causes, item=item, **({"intent": intent} | more))


def owners(engine: Engine) -> set[Handle]:
    with engine.reading() as rows:
        return {found.row.item.owner for found in rows.scan(ITEMS)} | {NOBODY, handle("person 0")}


# -- laws ----------------------------------------------------------------------------------------------------------


def agrees(engine: Engine, moment: Moment) -> None:
    """The lives end with the rows of then; each step goes on from the one before; every cause is accounted for."""
    for owner in owners(engine):
        with engine.now_and_then(moment) as (rows, then):
            reader = Reader(engine.live)
            found = audit(rows, reader, owner, moment=moment)
            items = {address_of(each.row.item): each.row.item for each in items_of(then, owner)}
            assert {
                each.life.address: each.life.item for each in found if each.life.item and not each.life.is_gone
            } == items
            for life, steps in found:
                assert life.steps == tuple(each.step for each in steps)
                for each in steps:
                    named = {cited.reading.id for cited in each.cited} | {gone.id for gone in each.gone}
                    known = list(map(reader.find, each.step.record.event.causes))
                    causes = [as_it_is(rows, reader, c) for c in known if c]  # an edit stands for what it replaced
                    assert len(causes) == len(known)
                    assert all(c.id in named or (c.record and not is_said(c)) for c in causes)


@LAW
@given(stories(120))
def test_lives_end_as_the_rows_are(story: Story) -> None:
    with told(story) as engine:
        agrees(engine, ALL)


@pytest.mark.parametrize("salt", range(2))
def test_lives_end_as_the_rows_were_at_every_moment_of_either_clock(salt: int) -> None:
    with told(fixed_story(60, salt)) as engine:
        records = readable(engine.store.log, engine.store)
        for moment in (Moment(seq=engine.head().size * 2 // 3), Moment(said=records[len(records) // 2].event.said)):
            agrees(engine, moment)


@pytest.mark.parametrize("salt", range(3))
def test_one_item_s_life_is_among_all_of_its_owner_s(salt: int) -> None:
    with told(fixed_story(80, salt)) as engine:
        for owner in owners(engine):
            with engine.reading() as rows:
                reader = Reader(engine.live)
                whole = {life.address: life for life in lives_of(rows, reader, owner)}
                for address, life in whole.items():
                    alone = lives_of(rows, reader, owner, address.id)
                    assert life in alone, address
                    assert all(each in whole.values() for each in alone)


@LAW
@given(stories(100), st.integers(0, 100), st.integers(0, 100), st.booleans())
def test_what_differs_leads_from_one_moment_to_the_other(story: Story, one: int, other: int, by_said: bool) -> None:
    with told(story) as engine:
        saids = sorted(record.event.said for record in readable(engine.store.log, engine.store)) or [0]
        first, last = sorted((one, other))
        if by_said:
            moments = [Moment(said=saids[each * (len(saids) - 1) // 100]) for each in (first, last)]
        else:
            moments = [Moment(seq=each) for each in (first, last)]
        for owner in owners(engine):
            leads(engine, owner, *moments)


def leads(engine: Engine, owner: Handle, first: Moment, last: Moment) -> None:
    before, after = (remembered(engine, owner, moment) for moment in (first, last))
    with engine.reading() as rows:
        for each in differences(rows, engine.live, owner, first, last):
            if each.kind in ("changed", "dropped"):
                assert each.before is not None
                assert before.pop(address_of(each.before.item)) == each.before.item
            if each.kind != "dropped":
                assert each.after is not None
                before[address_of(each.after.item)] = each.after.item
    assert {address: said_of(item) for address, item in before.items()} == {
        address: said_of(item) for address, item in after.items()
    }


def said_of(item: Item) -> list[Any]:
    return [getattr(item, name) for name in COMPARED]


def remembered(engine: Engine, owner: Handle, moment: Moment) -> dict[Address, Item]:
    """What is active at a moment."""
    with engine.past(moment) as rows:
        items = [found.row.item for found in items_of(rows, owner)]
    return {address_of(item): item for item in items if item.status == "active"}


# -- what is opened ------------------------------------------------------------------------------------------------


def test_touches_are_read_from_the_history_alone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(engine, item_event(ItemRemembered, TEA), "tea")
    keep(engine, item_event(ItemForgotten, FORGOTTEN, said=NOW + 9), "gone")
    monkeypatch.setattr(Folding, "record", None)
    with engine.reading() as rows:
        assert [each[1:] for each in touches(rows, ANN)] == [(1, NOW), (2, NOW + 9)]
        assert [each.seq for each in touches(rows, ANN, Moment(seq=1))] == [1]
        assert [each.seq for each in touches(rows, ANN, Moment(said=NOW))] == [1]
        assert list(touches(rows, handle("nobody"))) == []


def test_each_event_is_opened_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        keep(engine, item_event(ItemRemembered, an_item(f"other {number}", owner=handle("bob"))), f"other {number}")
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    keep(engine, item_event(ItemForgotten, FORGOTTEN, first), "gone")
    opened: list[int] = []
    record = Folding.record

    def counting(self: Folding, stored: StoredEvent) -> Record | None:
        opened.append(stored.seq)
        return record(self, stored)

    monkeypatch.setattr(Folding, "record", counting)
    with engine.reading() as rows:
        assert len(audit(rows, Reader(engine.live), ANN)) == 1
    assert sorted(opened) == [41, 42]


# -- what a step rests on ------------------------------------------------------------------------------------------


def test_quotes_stand_with_their_messages_and_loose_ones_alone(engine: Engine) -> None:
    (_, _, _, message) = engine.record(lambda rows: hear(rows, said())).records
    evidence = (
        msgspec.structs.replace(quote("one"), message=message.id),
        msgspec.structs.replace(quote("two"), message=message.id),
        msgspec.structs.replace(quote(""), message=message.id),
        quote("never heard"),
        msgspec.structs.replace(quote("from a file"), message=EventId(b"")),
    )
    keep(engine, item_event(ItemUpserted, msgspec.structs.replace(TEA, evidence=evidence)), "tea")
    with engine.reading() as rows:
        ((_, (step,)),) = audit(rows, Reader(engine.live), ANN)
    assert [(each.reading.id, each.quotes) for each in step.cited] == [(message.id, ("one", "two"))]
    assert step.quotes == ("never heard", "from a file")
    assert step.work is None


def test_what_was_redacted_is_said_to_be(engine: Engine) -> None:
    message = engine.record(lambda rows: hear(rows, said())).records[-1]
    tea, forgotten = (msgspec.structs.replace(each, compartment="guild/discord:9") for each in (TEA, FORGOTTEN))
    first = keep(engine, item_event(ItemRemembered, tea, message.id), "tea")
    keep(engine, item_event(ItemForgotten, forgotten, first), "gone")
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(first,)), "redaction")
    with engine.reading() as rows:
        ((life, (step,)),) = audit(rows, Reader(engine.live), ANN)
    assert [each.happened for each in life.steps] == ["forgotten"]
    assert [(each.id, each.state, each.header.tag) for each in step.gone] == [(first, "redacted", "item.remembered")]
    keep(engine, item_event(ItemRemembered, tea, message.id), "again")
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(message.id,)), "another")
    with engine.reading() as rows:
        ((_, steps),) = audit(rows, Reader(engine.live), ANN)
    assert [(each.reading.state, each.reading.record) for each in steps[-1].cited] == [("redacted", None)]


@pytest.mark.parametrize(("error", "state"), [(Damaged, "damaged"), (KeyMissing, "locked"), (UnknownEvent, "unknown")])
def test_what_cannot_be_read_for_another_reason_is_said_to_be(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, error: type[Exception], state: str
) -> None:
    seq = engine.record(drafts(item_event(ItemRemembered, TEA), name="tea")).records[0].seq

    def fail(*_: object) -> None:
        raise error("no")

    monkeypatch.setattr(Folding, "record", fail)
    reading = Reader(engine.live).at(seq)
    assert (reading.state, reading.record, reading.header.tag) == (state, None, "item.remembered")
    with engine.reading() as rows:
        assert audit(rows, Reader(engine.live), ANN) == []


def test_a_header_that_cannot_be_read_is_named(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(engine, item_event(ItemRemembered, TEA), "tea")
    monkeypatch.setattr(type(engine.store.log), "get", lambda self, seq: StoredEvent(seq, b"\xc1", None))
    with pytest.raises(Damaged, match="event #1: a header cannot be read"):
        Reader(engine.live).at(1)


def test_a_reader_knows_tags_without_opening(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(engine, item_event(ItemRemembered, TEA), "tea")
    reader = Reader(engine.live)
    read = reader.at(1)
    assert (reader.tag_at(1), reader.find(read.id), reader.find(event_id("none"))) == ("item.remembered", read, None)
    monkeypatch.setattr(Folding, "record", None)
    assert Reader(engine.live).tag_at(1) == "item.remembered"


# -- refusals ------------------------------------------------------------------------------------------------------


def refused(text: str, against: str = "", said: int = NOW) -> ItemRefused:
    return ItemRefused(
        said=said, by=By("policy", name="refusals", version="1"), owner=ANN, compartment=HOME, kind="fact", text=text,
        reason="no", policy="refusals@1", against=against,
    )  # fmt: skip


def test_refusals_of_an_item_and_of_what_never_was(engine: Engine) -> None:
    keep(engine, item_event(ItemRemembered, TEA), "tea")
    keep(engine, refused("likes tea a lot", TEA.id), "against")
    keep(engine, refused("hates rain", said=NOW + 5), "rain")
    rain = an_item("hates rain").id

    def seen(item_id: str = "", moment: Moment = ALL) -> list[tuple[str, int]]:
        with engine.reading() as rows:
            return [(e.address.id, len(e.steps)) for e in lives_of(rows, Reader(engine.live), ANN, item_id, moment)]

    assert seen() == [(TEA.id, 2), (rain, 1)]
    assert seen(TEA.id) == [(TEA.id, 2)]
    assert seen(rain) == [(rain, 1)]
    assert seen("durable-00000000") == []
    assert seen(moment=Moment(seq=1)) == [(TEA.id, 1)]
    assert seen(moment=Moment(said=NOW)) == [(TEA.id, 2)]


def test_an_unreadable_refusal_is_left_out(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(engine, refused("hates rain"), "rain")
    monkeypatch.setattr(Folding, "record", lambda self, stored: None)
    with engine.reading() as rows:
        assert lives_of(rows, Reader(engine.live), ANN) == []


# -- moves ---------------------------------------------------------------------------------------------------------


def moved(engine: Engine) -> None:
    """Remembered (#1), moved (#3) behind what closes its old address (#2), and changed (#4)."""
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    new = msgspec.structs.replace(THERE, id="durable-moved")
    keep(engine, item_event(ItemMoved, new, first, from_compartment=HOME, from_id=TEA.id), "moved")
    keep(engine, item_event(ItemUpserted, msgspec.structs.replace(new, text="likes green tea")), "changed")


@pytest.mark.parametrize("name", [TEA.id, "durable-moved"])
def test_an_item_is_found_by_the_id_it_had_and_the_one_it_has(engine: Engine, name: str) -> None:
    moved(engine)
    with engine.reading() as rows:
        (life,) = lives_of(rows, Reader(engine.live), ANN, name)
    assert [step.happened for step in life.steps] == ["remembered", "moved", "changed"]
    assert life.address.id == "durable-moved"


def test_what_moved_between_two_moments_was_not_dropped(engine: Engine) -> None:
    moved(engine)
    with engine.reading() as rows:
        (found,) = differences(rows, engine.live, ANN, Moment(seq=1), Moment(seq=4))
        assert found.kind == "changed"
        assert found.before is not None
        assert found.before.item == TEA
        (later,) = differences(rows, engine.live, ANN, Moment(seq=3), Moment(seq=4))
        assert later.before is not None
        assert later.before.item.compartment == WIDE
        (learned,) = differences(rows, engine.live, ANN, Moment(seq=0), Moment(said=NOW))
        assert learned.kind == "learned"
        assert differences(rows, engine.live, ANN, Moment(seq=4), ALL) == []


def test_twice_moved_is_followed_to_the_first_place(engine: Engine) -> None:
    moved(engine)
    back = item_event(ItemMoved, TEA, from_compartment=WIDE, from_id="durable-moved")
    keep(engine, back, "back")
    with engine.reading() as rows:
        assert differences(rows, engine.live, ANN, Moment(seq=1), ALL) == []


def test_a_move_that_was_redacted_says_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    moved(engine)
    with engine.reading() as rows:
        reader_record = Folding.record
        monkeypatch.setattr(
            Folding, "record", lambda self, stored: None if stored.seq == 3 else reader_record(self, stored)
        )
        found = differences(rows, engine.live, ANN, Moment(seq=1), Moment(seq=4))
    assert [each.kind for each in found] == ["learned", "dropped"]


def test_rows_of_a_moment_are_of_the_same_look(engine: Engine) -> None:
    moved(engine)
    with engine.reading() as rows:
        then = [each.row.item for each in items_of(rows_at(rows, engine.live, Moment(seq=1)), ANN)]
    assert then == [TEA]
    assert (clock_of(Moment(seq=1)), clock_of(Moment(said=1)), clock_of(ALL)) == ("recorded", "said", "recorded")
    assert FOLD.projections


# -- uses ----------------------------------------------------------------------------------------------------------


def answered(asked: EventId, *items: ItemUse, causes: tuple[EventId, ...]) -> TurnAnswered:
    place = Ref("discord", "1")
    return TurnAnswered(
        said=NOW + 1, by=OPERATOR, causes=causes, session="s", place=place, audience=Audience("channel", place), era=0,
        asker=ANN, answers=asked, text="yes", call=ModelUse("m", "1"), limits=Limits(), items=items,
    )  # fmt: skip


def test_uses_are_the_answers_that_had_this_item_before_them(engine: Engine) -> None:
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    other = keep(engine, item_event(ItemRemembered, an_item("x")), "x")
    tea, x = ItemUse(ANN, HOME, TEA.id, first), ItemUse(ANN, HOME, an_item("x").id, other)
    asked = event_id("asked")
    keep(engine, answered(asked, tea, x, causes=(first, other)), "one")
    keep(engine, answered(asked, x, causes=(first, other)), "none of it")
    keep(engine, answered(asked, tea, causes=(first,)), "redacted")
    keep(engine, answered(first, tea, causes=(first,)), "two")
    second = keep(engine, item_event(ItemForgotten, FORGOTTEN, first), "gone")
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("redacted 0"),)), "redaction")
    lives = life_of(engine)
    assert lives[0].events == (first, second)
    with engine.reading() as rows:
        found = uses(rows, Reader(engine.live), lives)
    assert [(each.turn.seq, each.event) for each in found] == [(3, first), (6, first)]
    assert found[0].question is None
    assert found[1].question is not None


def life_of(engine: Engine) -> list[Life]:
    with engine.reading() as rows:
        return lives_of(rows, Reader(engine.live), ANN, TEA.id)


def test_a_use_of_a_state_that_was_redacted_is_found_by_the_next_one(engine: Engine) -> None:
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    keep(engine, answered(event_id("asked"), ItemUse(ANN, HOME, TEA.id, first), causes=(first,)), "one")
    keep(engine, item_event(ItemForgotten, FORGOTTEN, first), "gone")
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(first,)), "redaction")
    with engine.reading() as rows:
        found = uses(rows, Reader(engine.live), life_of(engine))
    assert [(each.turn.seq, each.event) for each in found] == [(2, first)]


def test_an_answer_that_cannot_be_read_is_left_out(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    keep(engine, answered(event_id("asked"), ItemUse(ANN, HOME, TEA.id, first), causes=(first,)), "one")
    lives = life_of(engine)
    monkeypatch.setattr(Folding, "record", lambda self, stored: None)
    with engine.reading() as rows:
        assert uses(rows, Reader(engine.live), lives) == []
