"""Acts applied again in a memory of its own: what comes of them is recorded there, rests on what is there, and nobody
reads more than before.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from projections.decisions.draft import Draft
from projections.decisions.moving import keeping_private, move, sharing
from projections.decisions.place import PlaceSeen
from projections.decisions.reapply import ReapplyRequest, reapply
from projections.decisions.remember import (
    EditRequest,
    ForgetRequest,
    RememberRequest,
    RestoreRequest,
    edit,
    forget,
    remember,
    restore,
)
from projections.events import ItemEvent, ItemUpserted
from projections.events.values import By, Evidence, Item, Source
from projections.ids import EventId, Handle, Ref
from projections.items import forgotten_of, items_of
from projections.people import person_of
from projections.policies.compartments import Opening, direct, everywhere
from projections.policies.human_acts import read_human
from projections.policies.item_ids import derive
from projections.policies.refusals import Claim, refusal
from projections.rows import Rows
from replay.engine import Engine
from replay.units import Told, units
from tests.projections.items import MODEL
from tests.replay.stage import ADA, FakeClock, says
from tests.world import NOW, handle, origin

DIRECT_SAID = ("I like tea", "I live in Paris", "my cat is Momo")
FIRST, OTHER = "first", "other"
PRIVATE = PlaceSeen("discord", "740000000000000001", "direct", "", "direct")


class Twins:
    """A live memory, and a shadow to which everything but the model's work is taken over as it was."""

    def __init__(self, live: Engine, shadow: Engine) -> None:
        self.live, self.shadow = live, shadow
        self.messages: list[EventId] = []
        for number, text in enumerate(DIRECT_SAID):
            recorded = live.record(says(str(number), text, place=PRIVATE, said=NOW + number))
            self.messages.append(recorded.records[-1].id)
        self.reached = 0

    @property
    def ada(self) -> Handle:
        with self.live.reading() as rows:
            found = person_of(rows, "discord", ADA.id)
        assert found is not None
        return found.row.person

    def learns(self, engine: Engine, model: str, number: int, text: str) -> str:
        """A model made an item of a message."""
        message = self.messages[number]
        item = Item(
            id=derive("fact", text),
            owner=self.ada,
            compartment=direct(self.ada),
            kind="fact",
            text=text,
            created=NOW,
            updated=NOW + number,
            source=Source("discord"),
            evidence=(Evidence(DIRECT_SAID[number], message, Ref("discord", str(number))),),
        )
        event = ItemUpserted(said=NOW + number, by=MODEL, causes=(message,), item=item)
        engine.record(lambda rows: [Draft(EventId(handle(f"{model} {text}")), event)])
        return item.id

    def follow(self) -> None:
        """What was recorded since is taken over; what people did is applied again, twice."""
        for unit in units(self.live, self.reached, self.live.head().size):
            self.reached = unit.last
            for told in unit.told:
                event = told.event
                if not isinstance(event, ItemEvent):
                    self.shadow.record(partial(_taken_over, told))
                elif read_human(event):
                    request = ReapplyRequest(event, told.id, origin(told.id.hex()), told.given)
                    self.shadow.record(partial(_applied, request))
                    assert not self.shadow.record(partial(_applied, request)).records

    def acts(self, decision: Any, request: Any) -> None:
        self.live.record(lambda rows: decision(rows, request))
        self.follow()

    def active(self) -> set[tuple[str, str]]:
        with self.shadow.reading() as rows:
            items = [found.row.item for found in items_of(rows, self.ada)]
        return {(item.compartment.rsplit("/")[-1], item.text) for item in items if item.status == "active"}

    def refuses(self, text: str) -> bool:
        with self.shadow.reading() as rows:
            forgotten = [found.row for found in forgotten_of(rows, self.ada)]
            return refusal(rows, forgotten, Claim(frozenset(), text, ())) is not None


def _taken_over(told: Told, rows: Rows) -> list[Draft]:
    return [told.draft()]


def _applied(request: ReapplyRequest, rows: Rows) -> list[Draft]:
    return reapply(rows, request)


@pytest.fixture
def twins() -> Iterator[Twins]:
    with (
        Engine.in_memory(clock=FakeClock(NOW + 60_000)) as live,
        Engine.in_memory(clock=FakeClock(NOW + 60_000)) as shadow,
    ):
        made = Twins(live, shadow)
        made.follow()
        yield made


def test_what_people_did_holds_in_another_models_memory(twins: Twins) -> None:
    ada, by = twins.ada, By("person", twins.ada)
    here = (Opening(ada, direct(ada)), Opening(ada, everywhere(ada)))
    tea = twins.learns(twins.live, FIRST, 0, "likes tea")
    paris = twins.learns(twins.live, FIRST, 1, "lives in Paris")
    cat = twins.learns(twins.live, FIRST, 2, "has a cat, Momo")
    twins.learns(twins.shadow, OTHER, 0, "drinks tea")
    twins.learns(twins.shadow, OTHER, 2, "has a cat named Momo")
    quote = Evidence("Paris", twins.messages[1])
    twins.acts(edit, EditRequest(ada, paris, "lives in Rome", by, NOW + 9, origin("edit"), here, (quote,)))
    twins.acts(forget, ForgetRequest(ada, here, by, NOW + 10, origin("forget"), "likes tea"))
    twins.acts(move, sharing(ada, cat, by, NOW + 11, origin("share")))
    request = RememberRequest(
        ada, direct(ada), "plays chess", by, NOW + 12, Source("manual"), origin("remember"), evidence=(quote,)
    )
    twins.acts(remember, request)
    assert twins.active() == {
        ("direct", "lives in Rome"),
        ("everywhere", "has a cat, Momo"),
        ("direct", "plays chess"),
    }
    assert twins.refuses("likes tea")
    assert twins.refuses("drinks tea")
    assert twins.refuses("lives in Paris")
    twins.acts(restore, RestoreRequest(ada, tea, by, NOW + 13, origin("restore"), here))
    twins.acts(move, keeping_private(ada, cat, by, NOW + 14, origin("hide")))
    assert twins.active() >= {("direct", "likes tea"), ("direct", "has a cat, Momo")}
    assert ("direct", "drinks tea") not in twins.active()
    assert not twins.refuses("drinks tea")


def test_among_the_same_items_the_logs_tell_of_the_same_acts(twins: Twins) -> None:
    ada, by = twins.ada, By("person", twins.ada)
    here = (Opening(ada, direct(ada)),)
    for engine, model in ((twins.live, FIRST), (twins.shadow, OTHER)):
        twins.learns(engine, model, 0, "likes tea")
        twins.learns(engine, model, 1, "lives in Paris")
    twins.acts(
        edit, EditRequest(ada, derive("fact", "lives in Paris"), "lives in Rome", by, NOW + 9, origin("e"), here)
    )
    twins.acts(forget, ForgetRequest(ada, here, by, NOW + 10, origin("f"), "likes tea"))
    twins.acts(restore, RestoreRequest(ada, derive("fact", "likes tea"), by, NOW + 13, origin("r"), here))
    assert acts_of(twins.live) == acts_of(twins.shadow)
    assert len(acts_of(twins.live)) == 3


def acts_of(engine: Engine) -> list[bytes]:
    """The ids of what people did, in order."""
    told = (told for unit in units(engine, 0, engine.head().size) for told in unit.told)
    return [each.id for each in told if isinstance(each.event, ItemEvent) and read_human(each.event)]
