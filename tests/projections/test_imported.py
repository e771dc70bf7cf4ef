"""Items from another program's files."""

from typing import Any

import pytest

from projections.decisions.audience import AudienceRequest, change_audience
from projections.decisions.hear import DeletedRequest, HeardRequest, delete, hear
from projections.decisions.imported import ImportItemRequest, import_item
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.remember import ForgetRequest, forget
from projections.decisions.resting import NARROWER, TAKEN_BACK
from projections.errors import BadRequest
from projections.events import ItemDeprecated, ItemEvicted, ItemUpserted, MessageHeard
from projections.events.values import OPERATOR, Evidence, Source
from projections.ids import NOBODY, EventId, Ref
from projections.policies.compartments import OWNER, SELF, Opening, in_channel, in_guild, of_person_in
from projections.policies.item_ids import derive
from projections.policies.text import MOST_IMPORTED_CHARS
from projections.vaults import home
from tests.projections.items import ANN, HOME, PERSON, an_item, row_of, statuses, there_is
from tests.world import NOW, World, fresh, origin

GARDEN, GENERAL, STAFF = Ref("discord", "9"), Ref("discord", "1"), Ref("discord", "3")
SOURCE = Source("discord", Ref("discord", "1"), Ref("discord", "2"))


def please_import(text: str = "likes tea", **fields: Any) -> ImportItemRequest:
    return ImportItemRequest(
        user="42",
        owner=ANN,
        compartment=HOME,
        id="stable_string_id",
        kind="Preference",
        text=text,
        status="active",
        created=NOW - 5,
        updated=NOW,
        source=SOURCE,
        tags=("Drinks",),
        hits=3,
        last_hit=NOW - 1,
    )._replace(**fields)


def test_id_state_and_times_are_kept() -> None:
    world = World()
    (event,) = world.decide(import_item, please_import(" likes\ttea "))
    assert isinstance(event, ItemUpserted)
    item = event.item
    assert (item.id, item.kind, item.text, item.tags) == ("stable_string_id", "preference", "likes tea", ("drinks",))
    assert (item.created, item.updated, item.hits, item.last_hit, item.source) == (NOW - 5, NOW, 3, NOW - 1, SOURCE)
    assert (event.said, event.by, event.policy) == (NOW, OPERATOR, "imported@2")


def test_nothing_is_kept_for_nobody() -> None:
    assert World().decide(import_item, please_import(owner=NOBODY)) == []


def test_deprecated_ones_stay_deprecated() -> None:
    (event,) = World().decide(import_item, please_import(status="deprecated"))
    assert isinstance(event, ItemDeprecated)
    assert event.item.status == "deprecated"


def test_the_same_file_twice_is_nothing_and_a_newer_one_is_the_difference() -> None:
    world = World()
    assert len(world.decide(import_item, please_import())) == 1
    assert world.decide(import_item, please_import()) == []
    assert len(world.decide(import_item, please_import("likes coffee", updated=NOW + 1))) == 1
    assert statuses(world) == {"likes coffee": "active"}
    assert world.decide(import_item, please_import("older", updated=NOW - 1)) == []


@pytest.mark.parametrize(("live", "kept"), [(NOW - 1, "likes tea"), (NOW, "live"), (NOW + 1, "live")])
def test_what_the_live_memory_has_as_new_is_left_alone(live: int, kept: str) -> None:
    world = World()
    there_is(world, an_item("live", id="stable_string_id", updated=live))
    world.decide(import_item, please_import())
    assert list(statuses(world)) == [kept]


def test_what_its_person_forgot_stays_forgotten() -> None:
    world = World()
    world.decide(import_item, please_import())
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, HOME),), PERSON, NOW, origin("f"), "likes tea"))
    assert world.decide(import_item, please_import(updated=NOW + 9)) == []
    assert world.decide(import_item, please_import(updated=NOW + 9, status="deprecated")) == []
    assert row_of(world, "likes tea").item.status == "forgotten"


@pytest.mark.parametrize("fields", [{"text": " "}, {"id": ""}, {"text": "x" * (MOST_IMPORTED_CHARS + 1)}])
def test_what_cannot_be_an_item_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadRequest, match=r"cannot be imported|stable_string_id is too long"):
        World().decide(import_item, please_import(**fields))


def test_an_import_keeps_to_the_cap() -> None:
    world = World()
    there_is(world, an_item("old", updated=NOW - 9))
    events = world.decide(import_item, please_import(cap=1))
    assert [type(each) for each in events] == [ItemUpserted, ItemEvicted]


# -- items of programs that have other ids, levels and evidence ----------------------------------------------------


def please_derive(text: str = "likes tea", **fields: Any) -> ImportItemRequest:
    """An item without an id of dnam's form, as Clanky has it."""
    given: dict[str, Any] = {"id": "", "key": f"9/42/{text}", "program": "clanky", "tags": (), "kind": "profile"}
    return please_import(text, **(given | fields))


def lore(text: str = "Fridays are for tea", **fields: Any) -> ImportItemRequest:
    given: dict[str, Any] = {"owner": NOBODY, "user": "", "about": "guild", "compartment": in_guild(GARDEN)}
    return please_derive(text, **(given | {"source": Source("discord", GENERAL, guild=GARDEN)} | fields))


def test_everything_an_item_has_is_kept() -> None:
    world = World()
    (event,) = world.decide(
        import_item,
        please_derive(type="procedural", confidence=850, source_count=3, quote="I like tea", status="active"),
    )
    assert isinstance(event, ItemUpserted)
    item = event.item
    assert (item.id, item.kind, item.type) == (derive("profile", "likes tea"), "profile", "procedural")
    assert (item.confidence, item.source_count, item.about) == (850, 3, "person")
    assert item.evidence == (Evidence("I like tea", EventId(b""), SOURCE.message),)
    assert (event.reason, event.causes) == ("imported from clanky", ())


def test_an_id_is_made_once_and_found_again_by_the_words() -> None:
    world = World()
    world.decide(import_item, please_derive())
    world.decide(import_item, please_derive("Likes  TEA", key="9/42/other", updated=NOW + 1))
    assert row_of(world, "Likes TEA").item.id == derive("profile", "likes tea")
    assert len(statuses(world)) == 1


def test_a_row_whose_words_changed_is_the_same_item() -> None:
    world = World()
    given: dict[str, Any] = {"source": Source("discord"), "key": "42/7", "row": Ref("slashai", "memories/7")}
    world.decide(import_item, please_derive("likes tea", quote="tea!", **given))
    world.decide(import_item, please_derive("likes tea and cake", quote="cake!", updated=NOW + 1, **given))
    assert statuses(world) == {"likes tea and cake": "active"}
    assert row_of(world, "likes tea and cake").item.id == derive("profile", "likes tea")
    world.decide(import_item, please_derive("keeps bees", key="42/8", row=Ref("slashai", "memories/8"), quote="bees!"))
    assert len(statuses(world)) == 2


@pytest.mark.parametrize(("updated", "texts"), [(NOW, ["likes coffee"]), (NOW + 9, ["likes coffee", "likes tea"])])
def test_what_says_again_what_another_row_said_before_it_changed_is_an_item_of_its_own(
    updated: int, texts: list[str]
) -> None:
    world = World()
    given: dict[str, Any] = {"source": Source("discord"), "key": "42/7", "row": Ref("slashai", "memories/7")}
    world.decide(import_item, please_derive("likes tea", quote="tea!", **given))
    world.decide(import_item, please_derive("likes coffee", quote="coffee!", updated=NOW + 1, **given))
    world.decide(import_item, please_derive("likes tea", key="42/8", updated=updated))
    assert sorted(statuses(world)) == texts
    assert row_of(world, "likes coffee").item.id == derive("profile", "likes tea")


def test_a_cap_is_a_person_s() -> None:
    world = World()
    for number in range(3):
        assert len(world.decide(import_item, lore(f"lore {number}", cap=1))) == 1


def test_what_was_edited_here_since_stays_as_it_was_edited() -> None:
    world = World()
    there_is(world, an_item("likes coffee", id=derive("profile", "likes tea"), updated=NOW + 1))
    assert world.decide(import_item, please_derive()) == []


def test_the_same_row_twice_is_nothing() -> None:
    world = World()
    for request in (please_derive(), lore(), please_derive("old", status="deprecated")):
        assert len(world.decide(import_item, request)) == 1
        assert world.decide(import_item, request) == []


def test_what_has_no_time_of_its_own_is_nothing_new_in_the_same_words() -> None:
    world = World()
    world.decide(import_item, please_derive(dated=False))
    assert world.decide(import_item, please_derive(dated=False, updated=NOW + 9)) == []
    assert len(world.decide(import_item, please_derive(updated=NOW + 9))) == 1


@pytest.mark.parametrize(
    ("compartment", "about"),
    [(in_guild(GARDEN), "guild"), (in_channel(STAFF), "guild"), (SELF, "self"), (OWNER, "owner")],
)
def test_what_is_nobody_s_lies_in_its_compartment_s_vault(compartment: str, about: Any) -> None:
    (event,) = World().decide(import_item, lore(compartment=compartment, about=about, quote="somebody's words"))
    assert isinstance(event, ItemUpserted)
    assert (event.item.owner, event.item.compartment, event.item.about) == (NOBODY, compartment, about)
    assert event.item.evidence == ()
    assert (home(event).people, home(event).label) == (frozenset(), f"compartment {compartment}")


def test_a_person_s_item_in_a_guild_is_not_nobody_s_when_they_opted_out() -> None:
    assert World().decide(import_item, lore(about="person")) == []


def test_what_was_forgotten_in_other_words_stays_forgotten() -> None:
    world = World()
    world.decide(import_item, please_import("likes green tea"))
    world.decide(forget, ForgetRequest(ANN, (Opening(ANN, HOME),), PERSON, NOW, origin("f"), "likes green tea"))
    assert world.decide(import_item, please_derive("likes green tea!", updated=NOW + 9)) == []
    assert len(world.decide(import_item, please_derive("keeps bees"))) == 1
    assert len(world.decide(import_item, please_derive("likes green tea?", status="deprecated"))) == 1


# -- what it rests on ----------------------------------------------------------------------------------------------

SAID = NOW - 100
IN_GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN)
IN_STAFF = PlaceSeen("discord", "3", "channel", "staff", "channel", guild=GARDEN)


def heard(world: World, place: PlaceSeen = IN_GENERAL, key: str = "2") -> EventId:
    """Somebody says something there."""
    request = HeardRequest(key, place, "person", Account("discord", "42", "Ann"), "I like tea", SAID, fresh(salt=key))
    world.decide(hear, request)
    return next(each.id for each in reversed(world.records) if isinstance(each.event, MessageHeard))


def from_message(place: Ref = GENERAL, **fields: Any) -> ImportItemRequest:
    source = Source("discord", place, Ref("discord", "2"), GARDEN)
    return lore(source=source, message_said=SAID, quote="I like tea", **fields)


def test_a_message_that_was_heard_is_a_cause_and_its_words_go_with_it() -> None:
    world = World()
    message = heard(world)
    (event,) = world.decide(import_item, from_message())
    assert isinstance(event, ItemUpserted)
    assert event.causes == (message,)
    assert event.item.evidence == (Evidence("I like tea", message, Ref("discord", "2")),)


def test_a_restricted_channel_s_items_rest_on_what_was_said_in_it() -> None:
    world = World()
    message = heard(world, IN_STAFF)
    own = {"owner": ANN, "user": "42", "about": "person"}
    (event,) = world.decide(import_item, from_message(STAFF, **own, compartment=of_person_in(ANN, STAFF)))
    assert event.causes == (message,)


@pytest.mark.parametrize("compartment", [SELF, OWNER, in_guild(Ref("discord", "8"))])
def test_other_compartments_do_not_rest_on_it(compartment: str) -> None:
    world = World()
    heard(world)
    (event,) = world.decide(import_item, from_message(compartment=compartment))
    assert isinstance(event, ItemUpserted)
    assert (event.causes, event.item.evidence) == ((), ())


def test_a_message_that_was_not_heard_or_not_there_is_no_cause() -> None:
    for place in (None, GENERAL, STAFF):
        world = World()
        if place is not None:
            heard(world, IN_GENERAL if place == GENERAL else IN_STAFF, key="other")
        (event,) = world.decide(import_item, from_message())
        assert event.causes == ()
    for elsewhere in (STAFF, Ref("discord", "77")):
        world = World()
        heard(world, IN_GENERAL)
        heard(world, IN_STAFF, key="other")
        (event,) = world.decide(import_item, from_message(elsewhere, compartment=in_channel(elsewhere)))
        assert event.causes == ()


def test_a_message_from_before_a_channel_was_restricted_for_a_while_is_no_cause() -> None:
    world = World()
    heard(world)
    for number, seen in enumerate((IN_GENERAL._replace(audience="channel"), IN_GENERAL)):
        request = AudienceRequest(seen, NOW, origin(f"epoch {number}"))
        world.decide(change_audience, request)
    (event,) = world.decide(import_item, from_message())
    assert event.causes == ()


def test_what_came_of_a_message_that_was_taken_back_is_not_taken() -> None:
    world = World()
    message = heard(world)
    world.ids.seen[message] = "redacted"
    with pytest.raises(BadRequest, match=TAKEN_BACK):
        world.decide(import_item, from_message())
    world.ids.seen[message] = "known"
    world.decide(delete, DeletedRequest("discord", "2", "discord:channel:1", SAID, NOW))
    with pytest.raises(BadRequest, match=TAKEN_BACK):
        world.decide(import_item, from_message())


def test_a_program_that_does_not_quote_may_name_no_message_that_was_taken_back() -> None:
    world = World()
    message = heard(world)
    unquoted = from_message()._replace(quote="", row=None)
    (event,) = world.decide(import_item, unquoted)
    assert isinstance(event, ItemUpserted)
    assert (event.item.evidence, event.causes) == ((), ())
    world.ids.seen[message] = "redacted"
    with pytest.raises(BadRequest, match=TAKEN_BACK):
        world.decide(import_item, unquoted._replace(key="another row", text="says it anew"))


def test_a_guild_does_not_read_what_was_learned_where_only_some_can() -> None:
    world = World()
    heard(world, IN_STAFF)
    with pytest.raises(BadRequest, match=NARROWER):
        world.decide(import_item, from_message(STAFF))
