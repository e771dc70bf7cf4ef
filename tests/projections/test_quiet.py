"""What leaves recall with an item that somebody takes back, by all that it went through; and what returns with it."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from projections.context import Context, Request, assemble
from projections.decisions.answer import AnswerRequest, answer
from projections.decisions.audience import change_audience
from projections.decisions.moving import move
from projections.decisions.moving_back import move_back
from projections.decisions.remember import edit, forget, remember, restore
from projections.decisions.shelf import joined
from projections.events import (
    Event,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemRedacted,
    ItemRestored,
    ItemUpserted,
    ItemWithdrawn,
    MessageHeard,
    MessageRedacted,
    TurnAnswered,
    TurnQuieted,
)
from projections.events.values import PLATFORM, Audience, Evidence, ItemUse, Limits
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.items import QUIET, ItemRow, item_use, items_of
from projections.policies.compartments import Opening, Setting, in_channel, in_guild, of_person_in
from projections.policies.item_ids import derive
from projections.policies.quiet import POLICY
from projections.retrieval import Vocabulary
from projections.rows import Rows
from tests.projections.channel import hear
from tests.projections.channel import message as a_message
from tests.projections.items import ANN, BOB, HOME, MODEL, WIDE, an_item, message, quote, row_of, there_is
from tests.projections.learning import CALL, SELF, Town
from tests.projections.learning import HOME as LEARNED
from tests.projections.learning import SESSION as LEARNED_IN
from tests.projections.recall.stage import documents_of
from tests.projections.reverting import WorldChronicle
from tests.projections.test_audience_changes import CLOSED, GUILD, change, guild_item, open_world
from tests.projections.test_moving import please_hide, please_share
from tests.projections.test_remember import an_answer, please_edit, please_forget, please_remember, please_restore
from tests.world import NOW, World, origin

TEA, ROME = "likes tea", "lives in Rome"
TEA_ID, ROME_ID = derive("fact", TEA), derive("fact", ROME)
DM = Audience("direct", Ref("discord", f"dm:{ANN.hex()}"))
PLACE = Ref("discord", "cellar")
CELLAR = Audience("channel", PLACE)


@pytest.fixture
def world() -> World:
    made = World()
    there_is(made, an_item(TEA))
    return made


def quieted(world: World) -> set[bytes]:
    return {found.key for found in world.rows.scan(QUIET)}


def answered(world: World, *causes: EventId) -> EventId:
    """An answer whose prompt held these."""
    return world.add(an_answer(*causes))[0].id


def told(world: World, text: str = TEA) -> EventId:
    """An answer whose prompt held the item, as it is now."""
    return answered(world, row_of(world, text).event)


def the_item(world: World) -> ItemRow:
    (found,) = items_of(world.rows, ANN)
    return found.row


def forgets(world: World, item_id: str = TEA_ID, **more: Any) -> tuple[EventId, ...]:
    request = please_forget(item_id=item_id, origin=origin(f"forget {len(world.records)}"), **more)
    (event,) = world.decide(forget, request)
    assert isinstance(event, ItemForgotten)
    return event.quiet


def restores(world: World, item_id: str = TEA_ID) -> tuple[EventId, ...]:
    (event,) = world.decide(restore, please_restore(item_id, origin=origin(f"restore {len(world.records)}")))
    assert isinstance(event, ItemRestored)
    return event.returns


# By all of its events


def confirm(world: World) -> None:
    world.decide(remember, please_remember(TEA))


def reword(world: World) -> None:
    world.decide(edit, please_edit(TEA_ID, "likes green tea"))


def share_and_hide(world: World) -> None:
    world.decide(move, please_share())
    world.decide(move, please_hide())


def share(world: World) -> None:
    world.decide(move, please_share())


def forget_and_restore(world: World) -> None:
    forgets(world)
    restores(world)


def make_room(world: World) -> None:
    row = the_item(world)
    item = msgspec.structs.replace(row.item, status="evicted")
    world.add(ItemEvicted(said=NOW, by=MODEL, causes=(row.event, message("another")), item=item, cap=1))


@pytest.mark.parametrize("happens", [confirm, reword, share, share_and_hide, forget_and_restore, make_room])
def test_an_answer_that_told_it_before_it_changed_leaves_too_and_returns(
    world: World, happens: Callable[[World], None]
) -> None:
    before = told(world)
    happens(world)
    row = the_item(world)
    after, other = answered(world, row.event), answered(world, message("something else"))
    assert set(forgets(world, row.item.id)) == {before, after} == quieted(world)
    assert set(restores(world, row.item.id)) == {before, after}
    assert quieted(world) == set()
    assert other not in forgets(world, row.item.id)
    assert quieted(world) == {before, after}, "taken back once more, the same leaves"


def test_what_another_address_held_once_it_had_moved_on_is_not_its_own(world: World) -> None:
    world.decide(move, please_share())
    (row,) = (found.row for found in items_of(world.rows, ANN))
    shared = answered(world, row.event)
    world.decide(remember, please_remember(TEA))
    here = next(found.row for found in items_of(world.rows, ANN) if found.row.item.compartment == HOME)
    mine = answered(world, here.event)
    assert forgets(world, openings=(Opening(ANN, HOME),)) == (mine,)
    assert forgets(world, openings=(Opening(ANN, WIDE),)) == (shared,)


def test_what_followed_its_readers_while_it_was_taken_back_returns_with_all_of_it() -> None:
    world, here = open_world()
    there_is(world, guild_item(TEA, here))
    answer = told(world)
    assert set(forgets(world, openings=(Opening(ANN, in_guild(GUILD)),))) == {here, answer}
    world.decide(change_audience, change(CLOSED))
    assert the_item(world).item.compartment.startswith("person/")
    assert set(restores(world)) == {here, answer}


def merged(world: World) -> ItemRow:
    """Rome becomes part of what says both."""
    there_is(world, an_item(ROME, evidence=(quote("in Rome"),)))
    tea, rome = row_of(world, TEA), row_of(world, ROME)
    part = msgspec.structs.replace(rome.item, status="merged")
    whole = msgspec.structs.replace(tea.item, text="tea in Rome")
    world.add(ItemMerged(said=NOW, by=MODEL, causes=(tea.event, rome.event), item=whole, absorbed=(part,)))
    return row_of(world, ROME)


def test_what_it_absorbed_leaves_with_it(world: World) -> None:
    there_is(world, an_item(ROME))
    tea, rome = told(world), told(world, ROME)
    merged(world)
    assert set(forgets(world)) == {tea, rome, message("in Rome")}
    assert set(restores(world)) == {tea, rome, message("in Rome")}


def test_what_it_had_absorbed_that_is_an_item_of_its_own_again_does_not(world: World) -> None:
    there_is(world, an_item(ROME))
    tea, rome = told(world), told(world, ROME)
    merged(world)
    both = answered(world, row_of(world, "tea in Rome").event)
    restores(world, ROME_ID)
    assert set(forgets(world)) == {tea, both}
    assert set(forgets(world, ROME_ID)) == {rome, both, message("in Rome")}


def test_items_that_absorbed_each_other_end() -> None:
    world = World()
    there_is(world, an_item(TEA), an_item(ROME))
    one, other = told(world), told(world, ROME)
    for whole, part in ((TEA, ROME), (ROME, TEA)):
        rows = row_of(world, whole), row_of(world, part)
        gone = msgspec.structs.replace(rows[1].item, status="merged")
        causes = tuple(each.event for each in rows)
        active = msgspec.structs.replace(rows[0].item, status="active")
        world.add(ItemMerged(said=NOW, by=MODEL, causes=causes, item=active, absorbed=(gone,)))
    assert set(forgets(world, ROME_ID)) == {one, other}


def test_what_it_was_one_with_for_a_while_is_not_its_own() -> None:
    world = World()
    there_is(world, an_item(TEA, compartment=WIDE), an_item(TEA))
    by_place = {found.row.item.compartment: found.row for found in items_of(world.rows, ANN)}
    there, here = by_place[WIDE], by_place[HOME]
    wide, home = answered(world, there.event), answered(world, here.event)
    world.decide(move, please_share(openings=(Opening(ANN, HOME),)))
    both = answered(world, the_item(world).event)
    back = please_hide("back", openings=(Opening(ANN, WIDE),))
    world.decide(lambda rows, request: move_back(rows, WorldChronicle(world), request, 200), back)
    assert set(forgets(world, openings=(Opening(ANN, HOME),))) == {home, both}
    assert set(forgets(world, openings=(Opening(ANN, WIDE),))) == {wide, both}


def test_all_that_it_ever_rested_on_leaves_though_it_keeps_the_newest_alone() -> None:
    world = World()
    heard = [message(f"m{number}") for number in range(60)]
    item = an_item(TEA)
    for number in range(60):
        item = msgspec.structs.replace(item, evidence=joined(item.evidence, (quote("tea", f"m{number}"),)))
        world.add(ItemUpserted(said=NOW, by=MODEL, causes=(heard[number],), item=item))
    first = answered(world, heard[0])
    assert len(item.evidence) == 50
    assert set(forgets(world)) == {*heard, first} == quieted(world)
    assert set(restores(world)) == {*heard, first}


def test_an_old_message_stays_out_as_long_as_something_else_keeps_it_there() -> None:
    world = World()
    there_is(world, an_item(TEA, evidence=(quote("both"),)), an_item(ROME, evidence=(quote("both"),)))
    for text in (TEA, ROME):
        row = row_of(world, text)
        item = msgspec.structs.replace(row.item, evidence=(quote(text),))
        world.add(ItemUpserted(said=NOW, by=MODEL, causes=(row.event,), item=item))
    assert set(forgets(world)) == {message(TEA), message("both")}
    assert set(forgets(world, ROME_ID)) == {message(ROME), message("both")}
    assert restores(world) == (message(TEA),)
    assert set(restores(world, ROME_ID)) == {message(ROME), message("both")}


def test_an_event_whose_words_went_with_a_message_is_known_by_the_next_one(world: World) -> None:
    first = told(world)
    heard = says(world, "tea again", 1)
    row = the_item(world)
    item = msgspec.structs.replace(row.item, evidence=resting_on(heard))
    world.add(ItemUpserted(said=NOW, by=MODEL, causes=(heard.id, row.event), item=item))
    gone = the_item(world)
    second = answered(world, gone.event)
    bare = msgspec.structs.replace(item, evidence=())
    world.add(
        ItemRedacted(said=NOW, by=MODEL, causes=(gone.event,), item=bare),
        MessageRedacted(said=NOW, by=PLATFORM, events=(gone.event, heard.id)),
    )
    assert set(forgets(world)) == {first, second}


def test_where_nobody_looks_into_the_log_it_is_known_by_its_last_event(world: World) -> None:
    told(world)
    confirm(world)
    last = told(world)
    blind = Rows(world.raw, world.ids)
    (draft,) = forget(blind, please_forget(item_id=TEA_ID))
    assert isinstance(draft.event, ItemForgotten)
    assert draft.event.quiet == (last,)


# By what says it again


def says(
    world: World, text: str, said: int, speaker: Handle = ANN, audience: Audience = DM, session: str = "dm"
) -> Record:
    return hear(world, a_message(text, said, speaker, audience=audience, session=session))


def resting_on(*heard: Record) -> tuple[Evidence, ...]:
    return tuple(Evidence(each.event.message.text, each.id) for each in heard if isinstance(each.event, MessageHeard))


@pytest.mark.parametrize(
    ("again", "leaves"),
    [
        ("I prefer  PEARS", True),  # as it was quoted
        ("user prefers pears", True),  # as the item says it
        ("prefers pears", True),
        ("well: user prefers pears.", True),
        ("I prefer pears to apples, and always did", False),
        ("pears", False),
        ("hello", False),
        ("", False),
    ],
)
def test_what_somebody_said_twice_leaves_twice_and_returns(again: str, leaves: bool) -> None:
    world = World()
    first = says(world, "I prefer pears", 1)
    there_is(world, an_item("User prefers pears.", evidence=resting_on(first)))
    second, other = says(world, again, 2), says(world, "I prefer pears", 3, speaker=BOB)
    answer = answered(world, second.id)
    pears = derive("fact", "User prefers pears.")
    more = {second.id, answer} if leaves else set()
    assert set(forgets(world, pears)) == {first.id, *more}
    assert set(restores(world, pears)) == {first.id, *more}
    assert quieted(world) == set()
    assert other.id not in forgets(world, pears)


def test_the_same_message_once_more_leaves_though_only_a_part_of_it_was_quoted() -> None:
    world = World()
    first = says(world, "remember that I prefer pears", 1)
    quoted = (Evidence("I prefer pears", first.id),)
    there_is(world, an_item("User prefers pears.", evidence=quoted))
    second = says(world, "Remember that I prefer pears", 2)
    assert forgets(world, derive("fact", "User prefers pears.")) == (first.id, second.id)


def test_what_has_nothing_of_it_is_said_again_by_nobody() -> None:
    world = World()
    first = says(world, "yes", 1)
    there_is(world, an_item(TEA, evidence=resting_on(first)))
    says(world, "yes", 2)
    assert forgets(world) == (first.id,)


def test_what_another_item_rests_on_stays_and_its_like() -> None:
    world = World()
    first, second = says(world, "tea in Rome", 1), says(world, TEA, 2)
    there_is(world, an_item(TEA, evidence=resting_on(first)), an_item(ROME, evidence=resting_on(first, second)))
    says(world, "tea in Rome", 3)
    assert forgets(world) == ()


def test_what_was_said_elsewhere_is_looked_through_as_far_as_it_is_opened() -> None:
    world = World()
    there_is(world, an_item(TEA, compartment=of_person_in(ANN, PLACE)))
    direct = says(world, TEA, 1)
    there, other = (
        says(world, TEA, 2, audience=CELLAR, session="cellar"),
        says(world, TEA, 3, audience=Audience("channel", Ref("discord", "attic")), session="attic"),
    )
    assert in_channel(PLACE) == "channel/discord:cellar"
    place = Opening(ANN, of_person_in(ANN, PLACE))
    assert forgets(world, openings=(place,)) == (there.id,)
    restores(world)
    assert set(forgets(world, openings=(place, Opening(ANN, HOME)))) == {there.id, direct.id}
    assert other.id not in quieted(world)


def test_what_is_taken_back_together_is_looked_for_together() -> None:
    world = World()
    there_is(world, an_item("likes tea with milk"), an_item("likes tea with milk!"))
    again = says(world, "likes tea with milk", 1)
    events = world.decide(forget, please_forget("likes tea with milk"))
    assert [each.quiet for each in events if isinstance(each, ItemForgotten)] == [(again.id,)] * 2


@pytest.mark.parametrize("first", [TEA_ID, ROME_ID])
def test_what_two_are_said_by_returns_with_the_last_of_them(first: str) -> None:
    world = World()
    there_is(world, an_item("I like tea with milk"), an_item("I like tea with milk!"))
    one, other = (found.row.item.id for found in items_of(world.rows, ANN))
    again = says(world, "I like tea with milk", 1)
    answer = answered(world, again.id)
    forgets(world, one)
    forgets(world, other)
    order = (one, other) if first == TEA_ID else (other, one)
    assert restores(world, order[0]) == ()
    assert quieted(world) == {again.id, answer}
    assert set(restores(world, order[1])) == {again.id, answer}


def test_an_answer_stays_out_as_long_as_a_message_does_that_it_had_before_it() -> None:
    world = World()
    there_is(world, an_item(TEA), an_item(ROME))
    rome = says(world, ROME, 1)
    answer = answered(world, row_of(world, TEA).event, rome.id)
    assert forgets(world) == (answer,)
    assert set(forgets(world, ROME_ID)) == {rome.id, answer}
    assert restores(world) == ()
    assert set(restores(world, ROME_ID)) == {rome.id, answer}


# As it is given


def gives(
    world: World, text: str, *causes: EventId, items: tuple[ItemUse, ...] = (), said: int = 50
) -> tuple[EventId, list[Event]]:
    """An answer whose prompt held these, by the decision."""
    question = says(world, "and what of today?", said)
    asked = context(world)._replace(causes=(question.id, *causes), items=items)
    request = AnswerRequest(
        Point(NOW + said, question.id), "dm", PLACE, DM, None, ANN, text, asked, CALL, Limits(), NOW + said + 1, "dnam"
    )
    events = world.decide(answer, request)
    return next(each.id for each in world.records if each.event is events[0]), events


def context(world: World) -> Context:
    about = Setting(ANN, DM)
    return assemble(world.rows, Request(about, "dm", Point(NOW, EventId(b"\xff" * 16)), "dnam", Vocabulary()))


@pytest.fixture
def pears() -> tuple[World, EventId]:
    """Somebody took back what they had said."""
    world = World()
    heard = says(world, "I prefer pears", 1)
    there_is(world, an_item(PEARS, evidence=resting_on(heard)))
    forgets(world, PEARS_ID)
    return world, heard.id


PEARS = "User prefers pears."
PEARS_ID = derive("fact", PEARS)


def test_an_answer_that_has_what_left_before_it_leaves_in_the_same_decision_and_returns(
    pears: tuple[World, EventId],
) -> None:
    world, heard = pears
    turn, (answered, left) = gives(world, "You prefer pears.", heard)
    assert isinstance(left, TurnQuieted)
    forgotten = next(each.id for each in world.records if isinstance(each.event, ItemForgotten))
    assert (left.quiet, left.causes, left.policy) == ((turn,), (forgotten, turn), POLICY)
    assert (left.session, left.audience, left.era) == ("dm", DM, 0)
    assert isinstance(answered, TurnAnswered)
    assert left.said == answered.said
    assert turn not in {each.id for each in documents_of(world.raw)}
    assert set(restores(world, PEARS_ID)) == {heard, turn}
    assert quieted(world) == set()
    assert set(forgets(world, PEARS_ID)) == {heard, turn}


def test_one_that_was_made_while_its_item_was_taken_back_leaves_too() -> None:
    world = World()
    there_is(world, an_item(TEA))
    use = item_use(row_of(world, TEA))
    forgets(world)
    turn, events = gives(world, "You like tea.", use.event, items=(use,))
    assert len(events) == 2
    assert restores(world) == (turn,)


def test_one_that_says_nothing_or_had_nothing_of_it_stays(pears: tuple[World, EventId]) -> None:
    world, heard = pears
    other = says(world, "hello there", 2)
    assert len(gives(world, " ", heard, said=60)[1]) == 1
    assert len(gives(world, "Good day: pears?", other.id, said=70)[1]) == 1


def test_what_an_active_item_rests_on_as_well_takes_no_answer_with_it() -> None:
    world = World()
    heard = says(world, "tea in Rome", 1)
    there_is(world, an_item(TEA, evidence=resting_on(heard)), an_item(ROME, evidence=resting_on(heard)))
    assert forgets(world) == ()
    assert len(gives(world, "You live in Rome.", heard.id)[1]) == 1


def test_an_answer_that_has_such_an_answer_before_it_leaves_if_it_tells_of_it(pears: tuple[World, EventId]) -> None:
    world, heard = pears
    first, _ = gives(world, "You prefer pears.", heard)
    second, events = gives(world, "As I said: a pear.", first, said=60)
    assert isinstance(events[1], TurnQuieted)
    third, _ = gives(world, "Pears, yes.", second, said=70)
    other, events = gives(world, "It is noon.", first, second, said=80)
    assert len(events) == 1
    assert quieted(world) == {heard, first, second, third}
    assert set(restores(world, PEARS_ID)) == {heard, first, second, third}
    assert quieted(world) == set()
    assert set(forgets(world, PEARS_ID)) == {heard, first, second, third}
    assert other not in quieted(world)


def test_one_that_tells_of_what_else_is_taken_back_stays_out_with_that() -> None:
    world = World()
    tea, rome = says(world, TEA, 1), says(world, ROME, 2)
    there_is(world, an_item(TEA, evidence=resting_on(tea)), an_item(ROME, evidence=resting_on(rome)))
    forgets(world)
    forgets(world, ROME_ID)
    first, _ = gives(world, "Tea, in Rome.", tea.id, rome.id)
    second, _ = gives(world, "In Rome, tea.", first, said=60)
    assert restores(world) == (tea.id,)
    assert set(restores(world, ROME_ID)) == {rome.id, first, second}
    assert quieted(world) == set()


def test_where_its_words_are_gone_nothing_can_be_told_of_it(pears: tuple[World, EventId]) -> None:
    world, heard = pears
    gone = ItemWithdrawn(said=NOW, by=MODEL, owner=ANN, compartment=HOME, id=PEARS_ID, quiet=(heard,))
    first, _ = gives(world, "You prefer pears.", heard)
    world.add(gone, msgspec.structs.replace(gone, quiet=(first,)))
    assert len(gives(world, "Pears!", first, said=60)[1]) == 1
    assert len(gives(world, "Pears!", heard, said=70)[1]) == 2


def test_what_the_assistant_said_and_an_import_brings_leaves_too_and_returns() -> None:
    town = Town()
    heard = town.learned("User likes green tea.", "I like green tea")
    before = town.says("You like green tea.", SELF)
    item_id = town.item("green tea").item.id

    def forgotten(name: str) -> None:
        request = please_forget(
            item_id=item_id, owner=town.ada, openings=(Opening(town.ada, LEARNED),), origin=origin(name)
        )
        assert town.world.decide(forget, request)

    forgotten("once")
    assert quieted(town.world) == {heard.id, before.id}
    after = town.says("You like green tea, as I said.", SELF)
    left = town.world.records[-1].event
    assert isinstance(left, TurnQuieted)
    assert (left.quiet, left.session, left.asker) == ((after.id,), LEARNED_IN, NOBODY)
    assert quieted(town.world) == {heard.id, before.id, after.id}
    again = please_restore(item_id, owner=town.ada, openings=(Opening(town.ada, LEARNED),), origin=origin("back"))
    town.world.decide(restore, again)
    assert quieted(town.world) == set()
    forgotten("twice")
    assert quieted(town.world) == {heard.id, before.id, after.id}
