"""The engine's own check that nothing derived widens, whatever a decision says."""

from collections.abc import Iterator
from typing import Never

import pytest

from projections import events as e
from projections.decisions.draft import Draft
from projections.decisions.given import Given
from projections.events import Event
from projections.events.values import OPERATOR, PLATFORM, Audience, Intent, Item, Message, Source
from projections.fold import Record
from projections.ids import EventId, Ref
from projections.items import ITEMS
from projections.policies.compartments import direct, everywhere, in_channel, in_guild
from replay import codec
from replay import opened as opened_events
from replay.engine import Engine
from replay.errors import LogFull, Refused
from replay.log import StoredEvent
from tests.replay.stage import FakeClock, drafts, event_id, setting, together
from tests.world import NOW, handle

ADA = handle("ada")
HALL, ROOM = Ref("discord", "9"), Ref("discord", "7")
DM = Audience("direct", Ref("discord", f"dm:{ADA.hex()}"))
WIDENS = "in guild/discord:9 would rest on a message.heard in person/"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def heard(audience: Audience = DM) -> e.MessageHeard:
    message = Message(Ref("discord", "1"), audience.place, "s", audience, "person", NOW, "a secret", ADA)
    return e.MessageHeard(said=NOW, by=PLATFORM, message=message)


def item(compartment: str, *causes: str, kind: type[e.ItemEvent] = e.ItemUpserted) -> e.ItemEvent:
    whole = Item("durable-1", ADA, compartment, "fact", "a secret", NOW, NOW, Source("manual"))
    return kind(said=NOW, by=OPERATOR, causes=tuple(event_id(f"{each} 0") for each in causes), item=whole)


def items(engine: Engine) -> list[str]:
    with engine.reading() as rows:
        return [found.row.item.compartment for found in rows.scan(ITEMS)]


def test_what_widens_is_refused_and_nothing_of_its_decision_stays(engine: Engine) -> None:
    engine.record(drafts(heard(), name="dm"))
    engine.record(drafts(item(direct(ADA), "dm"), name="own"))
    before = engine.head().size
    with pytest.raises(Refused, match=WIDENS):
        engine.record(drafts(setting("a"), item(in_guild(HALL), "dm"), name="wide"))
    with pytest.raises(Refused, match=r"would rest on a item\.upserted in person/"):
        engine.record(drafts(item(in_guild(HALL), "own"), name="wide"))
    assert engine.head().size == before
    assert items(engine) == [direct(ADA)]


def test_a_cause_in_the_same_decision_and_in_the_same_group_counts(engine: Engine) -> None:
    both = [Draft(event_id("dm 0"), heard()), Draft(event_id("x"), item(in_guild(HALL), "dm"))]
    with pytest.raises(Refused, match=WIDENS):
        engine.record(lambda rows: both)
    told = drafts(heard(), name="dm")
    first, second, third = together(
        engine, [told, drafts(item(in_guild(HALL), "dm"), name="wide"), drafts(item(direct(ADA), "dm"), name="own")]
    )
    assert first.exception() is third.exception() is None
    assert isinstance(second.exception(), Refused)
    assert items(engine) == [direct(ADA)]


def test_what_was_redacted_says_nothing_any_more(engine: Engine) -> None:
    engine.record(drafts(heard(), name="dm"))
    redacted = e.MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("dm 0"),))
    together(engine, [drafts(redacted, name="gone"), drafts(item(in_guild(HALL), "dm"), name="after")])
    assert items(engine) == [in_guild(HALL)]
    engine.record(drafts(item(in_guild(HALL), "dm"), name="later"))


def test_only_what_is_derived_is_looked_at(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs an append nothing: no cause is opened for what is heard, answered or set."""
    engine.record(drafts(heard(), name="dm"))
    opened: list[int] = []
    record = engine.live.folding.record

    def opening(stored: StoredEvent) -> Record | None:
        opened.append(stored.seq)
        return record(stored)

    monkeypatch.setattr(engine.live.folding, "record", opening)
    engine.record(drafts(setting("a", causes=(event_id("dm 0"),)), heard(Audience("channel", ROOM)), name="plain"))
    assert opened == []
    engine.record(drafts(item(direct(ADA), "dm"), item(direct(ADA), "dm"), name="derived"))
    assert opened == [1], "and each cause once a decision"


def test_a_person_s_own_share_is_let_through(engine: Engine) -> None:
    engine.record(drafts(heard(), name="dm"))
    engine.record(drafts(item(direct(ADA), "dm"), name="own"))
    shared = e.ItemMoved(
        said=NOW, by=OPERATOR, causes=(event_id("own 0"),), item=item(everywhere(ADA)).item, intent=Intent("share"),
        from_compartment=direct(ADA), from_id="durable-1",
    )  # fmt: skip
    engine.record(drafts(shared, name="shared"))
    assert items(engine) == [everywhere(ADA)]


def test_what_comes_back_from_an_export_was_looked_at_when_it_was_recorded(engine: Engine) -> None:
    engine.record(drafts(heard(), name="dm"))
    stored = engine.store.log.get(1)
    assert stored is not None
    event: Event = item(in_guild(HALL), "dm")
    given = Given(NOW, codec.decode_header(stored.header).vault, None)
    back = Draft(EventId(handle("back")), event, given=given)
    engine.record(lambda rows: [back])
    assert items(engine) == [in_guild(HALL)]


def test_what_events_rest_on_is_opened_once_in_a_group_and_little_of_it_is_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "three"):
        engine.record(drafts(heard(), name=name))
    opened: list[int] = []
    record = engine.live.folding.record

    def counted(stored: StoredEvent) -> Record | None:
        opened.append(stored.seq)
        return record(stored)

    monkeypatch.setattr(engine.live.folding, "record", counted)
    rests = [("a", "one"), ("b", "one"), ("c", "two"), ("d", "three"), ("e", "one")]
    decisions = [drafts(item(direct(ADA), cause), name=name) for name, cause in rests]
    assert {each.exception() for each in together(engine, decisions)} == {None}
    assert opened == [1, 2, 3]
    monkeypatch.setattr(opened_events, "MOST_OPENED", 1)
    opened.clear()
    again = [drafts(item(direct(ADA), cause), name=f"{name} again") for name, cause in rests]
    assert {each.exception() for each in together(engine, again)} == {None}
    assert opened == [1, 2, 3, 1]


def test_what_a_group_opened_the_next_one_has_until_the_log_loses_words(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.record(drafts(heard(), name="dm"))
    opened: list[int] = []
    record = engine.live.folding.record

    def counted(stored: StoredEvent) -> Record | None:
        opened.append(stored.seq)
        return record(stored)

    monkeypatch.setattr(engine.live.folding, "record", counted)
    engine.record(drafts(item(direct(ADA), "dm"), name="a"))
    engine.record(lambda rows: [])
    engine.record(drafts(item(direct(ADA), "dm"), name="b"))
    assert opened == [1]
    redacted = e.MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("dm 0"),))
    engine.record(drafts(redacted, name="gone"))
    engine.record(drafts(item(in_guild(HALL), "dm"), name="c"))
    assert in_guild(HALL) in items(engine), "its words are gone, and say nothing any more"


def test_what_a_group_held_that_was_never_recorded_is_no_cause(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same id may come to be another event."""
    with monkeypatch.context() as full:
        full.setattr(engine.store.log, "append", refused)
        both = [drafts(heard(), name="dm"), drafts(item(direct(ADA), "dm"), name="own")]
        assert {type(each.exception()) for each in together(engine, both)} == {LogFull}
    engine.record(drafts(heard(Audience("guild", HALL)), name="dm"))
    engine.record(drafts(item(in_channel(HALL), "dm"), name="own"))
    assert items(engine) == [in_channel(HALL)]


def refused(*_: object) -> Never:
    raise LogFull("the disk is full")
