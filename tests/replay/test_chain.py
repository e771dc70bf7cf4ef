"""From an item back to what was said."""

from collections.abc import Iterator

import msgspec
import pytest

from projections.decisions.hear import hear
from projections.events import ExtractionAnswered, ItemMerged, ItemRemembered, ItemUpserted, MessageRedacted
from projections.events.values import OPERATOR, By, ModelUse
from projections.ids import EventId, Point
from projections.lives import Address, Life, address_of
from replay import chain as chains
from replay.audit import life_at
from replay.chain import Node, chain
from replay.engine import Engine
from replay.reading import Reader
from tests.projections.items import ANN, HOME, an_item, quote
from tests.projections.test_hear import DM, said
from tests.replay.stage import FakeClock
from tests.replay.test_audit import item_event, keep
from tests.world import NOW

TEA, RAIN = an_item("likes tea"), an_item("hates rain")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def hears(engine: Engine, key: str, text: str) -> EventId:
    """Ann says something in her direct messages."""
    return engine.record(lambda rows: hear(rows, said(key, text=text, place=DM, fresh=(ANN,)))).records[-1].id


def extracts(engine: Engine, *inputs: EventId, causes: tuple[EventId, ...] = ()) -> EventId:
    work = ExtractionAnswered(
        said=NOW, by=By("model", name="m", version="1"), causes=(*inputs, *causes), owner=ANN, compartment=HOME,
        after=None, upto=Point(NOW, inputs[-1]), call=ModelUse("m", "1", "extraction@1"), inputs=inputs, reply="{}",
    )  # fmt: skip
    return keep(engine, work, f"work {len(inputs)} {engine.head().size}")


def tree(engine: Engine, address: Address) -> Node:
    with engine.reading() as rows:
        reader = Reader(engine.live)
        life = life_at(rows, reader, address)
        assert life is not None
        return chain(rows, reader, life)


def sketch(node: Node) -> object:
    """The tree in tags and ids."""
    name = node.reading.header.tag if node.reading else f"{life_of(node).address.id}{' …' if node.cut else ''}"
    return [name, *map(sketch, node.causes)] if node.causes else name


def life_of(node: Node) -> Life:
    assert node.life is not None
    return node.life


def test_item_event_work_messages(engine: Engine) -> None:
    one, two, direct = (hears(engine, key, f"say {key}") for key in ("1", "2", "3"))
    shown = keep(engine, item_event(ItemRemembered, RAIN), "rain")
    work = extracts(engine, one, two, causes=(shown,))
    evidence = (msgspec.structs.replace(quote("say 1"), message=one),)
    item = msgspec.structs.replace(TEA, evidence=evidence)
    keep(engine, item_event(ItemUpserted, item, work, one, direct), "tea")
    root = tree(engine, address_of(TEA))
    assert sketch(root) == [
        TEA.id, ["item.upserted", ["extraction.answered", "message.heard"], "message.heard"]
    ]  # fmt: skip
    (event,) = root.causes
    (kept,) = event.causes[0].causes
    assert (kept.reading and kept.reading.id, kept.quotes) == (one, ("say 1",))
    assert event.causes[0].beside == (two, shown)
    assert event.step is not None


def test_the_last_event_comes_first_and_what_is_gone_is_there(engine: Engine) -> None:
    first = keep(engine, item_event(ItemRemembered, TEA), "tea")
    second = keep(engine, item_event(ItemUpserted, TEA, first), "again")
    keep(engine, item_event(ItemUpserted, TEA, second), "and again")
    keep(engine, MessageRedacted(said=NOW, by=OPERATOR, events=(first,)), "redaction")
    root = tree(engine, address_of(TEA))
    assert sketch(root) == [TEA.id, "item.upserted", ["item.upserted", "item.remembered"]]
    assert [each.reading and each.reading.seq for each in root.causes] == [3, 2]
    (gone,) = root.causes[1].causes
    assert gone.reading is not None
    assert gone.reading.state == "redacted"


def merged(engine: Engine) -> None:
    tea = keep(engine, item_event(ItemRemembered, TEA), "tea")
    rain = keep(engine, item_event(ItemRemembered, RAIN), "rain")
    absorbed = msgspec.structs.replace(RAIN, status="merged")
    keep(engine, item_event(ItemMerged, TEA, tea, rain, absorbed=(absorbed,)), "merged")


def test_merges_lead_to_the_items_that_were_absorbed(engine: Engine) -> None:
    merged(engine)
    assert sketch(tree(engine, address_of(TEA))) == [
        TEA.id, ["item.merged", [RAIN.id, "item.merged", "item.remembered"]], "item.remembered"
    ]  # fmt: skip
    assert sketch(tree(engine, address_of(RAIN))) == [RAIN.id, "item.merged", "item.remembered"]


def test_an_item_is_told_once_and_not_without_end(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    merged(engine)
    absorbed = msgspec.structs.replace(RAIN, status="merged")
    keep(engine, item_event(ItemMerged, TEA, absorbed=(absorbed,)), "once more")
    root = tree(engine, address_of(TEA))
    assert [sketch(each) for each in root.causes][1] == ["item.merged", f"{RAIN.id} …"]
    monkeypatch.setattr(chains, "MOST_DEPTH", 0)
    assert sketch(tree(engine, address_of(TEA)).causes[0]) == ["item.merged", f"{RAIN.id} …"]


def test_nothing_lies_at_an_address_without_a_life(engine: Engine) -> None:
    with engine.reading() as rows:
        assert life_at(rows, Reader(engine.live), address_of(TEA)) is None


def test_a_reader_knows_how_far_the_log_reaches(engine: Engine) -> None:
    reader = Reader(engine.live)
    assert reader.size == 0
    merged(engine)
    assert reader.size == engine.head().size == 3
