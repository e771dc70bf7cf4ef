"""Of whose words what another program remembered was made: it goes with them, whichever comes in first."""

from typing import Any

import msgspec
import pytest

from projections.decisions.consent import ConsentRequest, opt_in, opt_out
from projections.decisions.hear import DeletedRequest, HeardRequest, delete, hear
from projections.decisions.imported import ImportItemRequest, import_item
from projections.decisions.meet import Account, meet
from projections.decisions.place import PlaceSeen
from projections.decisions.remember import ForgetRequest, RememberRequest, forget, remember
from projections.decisions.resting import OUT
from projections.errors import BadRequest
from projections.events import Event, ItemMoved, ItemRefused, ItemUpserted, ItemWithdrawn, PersonSeen
from projections.events.values import By, Source
from projections.ids import NOBODY, Handle, Ref
from projections.items import ITEMS
from projections.people import person_of
from projections.policies.compartments import OWNER, SELF, Opening, everywhere, in_guild
from tests.projections.items import KNOWN, ORDER
from tests.world import NOW, World, fresh, origin

KIM = Account("discord", "42", "Kim")
GARDEN, GENERAL, MESSAGE = Ref("discord", "9"), Ref("discord", "1"), Ref("discord", "2")
SAID = NOW - 100
IN_GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN)
BEES = "keeps bees at the mill"


def kim(world: World) -> Handle:
    """Kim, who is met when nobody was yet."""
    world.decide(lambda rows, _: meet(rows, KIM, origin("kim"), fresh(salt="kim"), NOW - 900), None)
    found = person_of(world.rows, "discord", "42")
    assert found is not None
    return found.row.person


def says(world: World, text: str = "I keep bees at the mill", key: str = "2", **more: Any) -> list[Event]:
    request = HeardRequest(key, IN_GENERAL, "person", KIM, text, SAID, fresh(salt=key), **more)
    return world.decide(hear, request)


def deletes(world: World) -> list[Event]:
    return world.decide(delete, DeletedRequest("discord", "2", "discord:channel:1", SAID, NOW))


def of_kim(owner: Handle, **fields: Any) -> ImportItemRequest:
    """What a program remembered of the message."""
    request = ImportItemRequest(
        user="42",
        owner=owner,
        compartment=everywhere(owner),
        id="",
        kind="fact",
        text=BEES,
        status="active",
        created=NOW - 50,
        updated=NOW - 50,
        source=Source("discord", GENERAL, MESSAGE, GARDEN),
        program="clanky",
        key="row 1",
        message_said=SAID,
    )
    return request._replace(**fields)


def lore(**fields: Any) -> ImportItemRequest:
    return of_kim(NOBODY, compartment=in_guild(GARDEN), about="guild", user="")._replace(**fields)


def texts(world: World) -> list[str]:
    return [each.row.item.text for each in world.rows.scan(ITEMS)]


def readable(world: World) -> str:
    return str([each.event for each in world.records if world.ids.status(each.id) == "known"])


@pytest.mark.parametrize("quote", ["", "keep bees"])
@pytest.mark.parametrize("status", ["active", "deprecated"])
def test_what_came_in_before_its_message_goes_with_it(quote: str, status: str) -> None:
    world = World()
    world.decide(import_item, of_kim(kim(world), quote=quote, status=status))
    for where in (in_guild(GARDEN), SELF, OWNER):
        world.decide(import_item, lore(compartment=where, key=where, quote=quote, status=status))
    says(world)
    assert len(texts(world)) == 4
    assert len([each for each in deletes(world) if isinstance(each, ItemWithdrawn)]) == 4
    assert texts(world) == []
    assert "bees" not in readable(world)
    assert deletes(world) == []


def test_so_it_does_after_it_was_moved_or_taken_back() -> None:
    world, taken = World(), World()
    world.decide(import_item, of_kim(kim(world)))
    (row,) = (each.row for each in world.rows.scan(ITEMS))
    elsewhere = msgspec.structs.replace(row.item, compartment=in_guild(GARDEN))
    by = By("policy", name="audience", version="audience@2")
    moved = ItemMoved(
        said=NOW - 9,
        by=by,
        causes=(row.event,),
        item=elsewhere,
        policy="audience@2",
        from_compartment=row.item.compartment,
        from_id=row.item.id,
    )
    world.add(moved)
    person = kim(taken)
    taken.decide(import_item, of_kim(person))
    opening = (Opening(person, everywhere(person)),)
    taken.decide(forget, ForgetRequest(person, opening, By("person", person), NOW - 9, origin("f"), BEES))
    for each in (world, taken):
        says(each)
        assert texts(each) == [BEES]
        deletes(each)
        assert texts(each) == []
        assert "bees" not in readable(each)


def test_what_names_another_message_or_is_kept_by_hand_or_was_said_again_stands() -> None:
    world = World()
    person = kim(world)
    other = Source("discord", GENERAL, Ref("discord", "3"), GARDEN)
    world.decide(import_item, of_kim(person, source=other))
    says(world)
    deletes(world)
    assert texts(world) == [BEES]
    kept = World()
    person = kim(kept)
    kept.decide(import_item, of_kim(person))
    source = Source("manual")
    asked = RememberRequest(person, everywhere(person), BEES, By("person", person), NOW - 9, source, origin("r"))
    kept.decide(remember, asked)
    says(kept)
    deletes(kept)
    assert texts(kept) == [BEES]


def test_an_edit_leaves_it() -> None:
    world = World()
    world.decide(import_item, of_kim(kim(world)))
    says(world)
    says(world, "never mind", edited=NOW)
    assert texts(world) == [BEES]


# -- what is nobody's and was learned of somebody -------------------------------------------------------------------


def test_lore_rests_on_whom_its_file_says_that_it_is_of() -> None:
    world = World()
    person = kim(world)
    (seen,) = (each.id for each in world.records if isinstance(each.event, PersonSeen))
    (event,) = world.decide(import_item, lore(author=person))
    assert isinstance(event, ItemUpserted)
    assert event.causes == (seen,)
    (held,) = world.decide(import_item, lore(author=person, key="b", text=ORDER, guarding=KNOWN))
    assert isinstance(held, ItemRefused)
    assert held.causes == (seen,)
    (nobodys,) = world.decide(import_item, lore(key="c", text="has a gate"))
    assert nobodys.causes == ()


# -- who opted out ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("place", [GENERAL, None], ids=["there", "wherever"])
def test_nothing_is_taken_that_was_learned_of_who_opted_out(edited: bool, place: Ref | None) -> None:
    world = World()
    person = kim(world)
    says(world)
    if edited:
        says(world, "I keep bees", edited=NOW)
    source = Source("discord", place, MESSAGE, GARDEN)
    mine = of_kim(fresh(salt="lee")[0], source=source, key="row 2")
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), person))
    for request in (lore(source=source), mine):
        with pytest.raises(BadRequest, match=OUT):
            world.decide(import_item, request)
    world.decide(opt_in, ConsentRequest(NOW, origin("in"), person))
    for request in (lore(source=source), mine):
        assert [type(each) for each in world.decide(import_item, request)] == [ItemUpserted]


def test_a_bot_s_message_is_nobody_s() -> None:
    world = World()
    request = HeardRequest("2", IN_GENERAL, "bot", Account("discord", "7", "feed"), "Bees!", SAID, ())
    world.decide(hear, request)
    assert [type(each) for each in world.decide(import_item, lore())] == [ItemUpserted]
