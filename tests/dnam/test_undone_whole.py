"""Undoing an adoption one of whose decisions begins with what closes something for it: what was before is what was
before all of that.
"""

from pathlib import Path

import msgspec
import pytest

from dnam.adoption.half_adopted import is_named_half_adopted
from dnam.adoption.unadopting import Unadopting
from dnam.memory import Memory
from projections.decisions.adopted import Adoption, next_adoption, of_owner, of_session
from projections.decisions.adopted_all import CountRequest, Rederived, count
from projections.decisions.draft import Draft, Minter
from projections.decisions.place import PlaceSeen
from projections.events import ItemClosed, ItemMoved, ItemUpserted, SummaryRefreshed, SummaryWithheld
from projections.events.values import By, Evidence, Item, ModelUse, Source
from projections.ids import Ref
from projections.items import items_of
from projections.messages import unit
from projections.policies.compartments import direct, everywhere
from projections.policies.item_ids import derive
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay.engine import Engine

SHADOW = b"s" * 16
GARDEN = PlaceSeen("discord", "1", "channel", "general", "guild", guild=Ref("discord", "9"), guild_name="Garden")
MODEL = By("model", name="claude-next")
POLICY = "adoption@1 and more"


@pytest.mark.parametrize("refresh", [1, 2])
async def test_of_a_summary_that_begins_an_era(tmp_path: Path, refresh: int) -> None:
    async with Memory.open(tmp_path) as memory:
        heard = await memory.heard("kim", "I like tea", key="1", place=GARDEN, platform="discord")
        made = heard.point.said - 600_000
        audience = heard.setting.audience
        adoptions = list[Adoption]()

        def adopts(rows: Rows) -> list[Draft]:
            adoptions.append(next_adoption(rows, SHADOW, made))
            origin = adoptions[-1].free(rows, of_session(unit(heard.session, audience.epoch)))
            event = SummaryRefreshed(
                said=heard.point.said, by=MODEL, causes=(heard.point.id,), session=heard.session, audience=audience,
                era=1, policy=POLICY, text="They like tea.", refresh=refresh, after=None, upto=heard.point, covered=1,
                call=ModelUse("claude-next", "1", "p"),
            )  # fmt: skip
            return [Minter(rows, origin).draft(event)]

        tags = [type(each) for each in (await memory.record(adopts)).events]
        assert tags == [*[SummaryWithheld] * (refresh == 1), SummaryRefreshed]
        request = CountRequest(adoptions[-1], Rederived(SHADOW, "next", made, 1), memory.now(), 0, 0, 1)
        await memory.record(lambda rows: count(rows, request))
        undoing = Unadopting(memory, tmp_path, "next")
        offer = await undoing.look()
        assert offer is not None
        assert offer.sessions == (heard.session,)
        await undoing.undo(offer)
        row = await memory.look(lambda rows: rows.get(SUMMARIES, unit(heard.session, audience.epoch)))
        assert row is None or row.text == ""


async def test_of_an_item_that_went_with_its_person_and_whose_shadow_is_gone(tmp_path: Path) -> None:
    async with Memory.open(tmp_path) as memory:
        heard = await memory.heard("kim", "I like tea", key="1")
        whose, said = heard.person, heard.point.said
        item = Item(
            id=derive("fact", "likes tea"), owner=whose, compartment=direct(whose), kind="fact", text="likes tea",
            created=said, updated=said, source=Source("discord"), evidence=(Evidence("I like tea", heard.point.id),),
        )  # fmt: skip

        def adopts(rows: Rows) -> list[Draft]:
            adoption = next_adoption(rows, SHADOW, said - 600_000)
            minter = Minter(rows, adoption.free(rows, of_owner(whose)))
            upserted = minter.draft(
                ItemUpserted(
                    said=said, by=MODEL, causes=(heard.point.id,), item=item, policy=POLICY,
                    reason="rederived as gone by claude-next",
                )
            )  # fmt: skip
            moved = ItemMoved(
                said=said, by=By("policy", name="promotion", version="1"), causes=(upserted.id,), policy=POLICY,
                item=msgspec.structs.replace(item, compartment=everywhere(whose)), reason="it goes along",
                from_compartment=direct(whose), from_id=item.id,
            )  # fmt: skip
            return [upserted, minter.draft(moved)]

        tags = [type(each) for each in (await memory.record(adopts)).events]
        assert tags == [ItemUpserted, ItemClosed, ItemMoved]
        assert is_half(memory.engine, tmp_path)
        undoing = Unadopting(memory, tmp_path, "gone")
        offer = await undoing.look()
        assert offer is not None
        assert not offer.is_empty
        await undoing.undo(offer)
        left = await memory.look(lambda rows: [found.row.item for found in items_of(rows, whose)])
        assert [each for each in left if each.status == "active"] == []
        assert not is_half(memory.engine, tmp_path)


def is_half(engine: Engine, data: Path) -> bool:
    with engine.reading() as rows:
        return is_named_half_adopted(engine, rows, data, "gone")
