"""Who and where is meant."""

from itertools import pairwise

import pytest

from projections.decisions.hear import hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ItemRemembered, PlaceAudienceChanged, SummaryRefreshed
from projections.events.values import OPERATOR, Audience, AudienceKind, Item, ModelUse, Source
from projections.ids import NOBODY, Handle, Point, Ref
from projections.lookup import (
    find_all_called,
    find_namesakes,
    find_people,
    find_sessions,
    people,
    person_card,
    sessions,
    shown_session,
)
from projections.policies.compartments import direct
from tests.projections.test_hear import ADA, BEN, DM, SESSION, said
from tests.world import NOW, World, handle


def told() -> tuple[World, Handle, Handle]:
    """Ada in general and in a DM, Ben in general; Ada was renamed."""
    world = World()
    world.decide(hear, said())
    world.decide(hear, said("2", place=DM, said=NOW + 7))
    world.decide(hear, said("3", speaker=BEN))
    world.decide(hear, said("4", speaker=ADA._replace(name="Countess"), said=NOW + 9))
    ada, ben = find_people(world.rows, "100")[0], find_people(world.rows, "200")[0]
    return world, ada, ben


def test_a_person_goes_by_id_by_handle_and_by_any_name() -> None:
    world, ada, ben = told()
    for name in ("100", "discord:100", ada.hex(), "Countess", "@countess", "ADA", " ada "):
        assert find_people(world.rows, name) == [ada], name
    assert find_people(world.rows, "ben") == [ben]
    assert find_people(world.rows, "") == find_people(world.rows, "nobody") == []
    assert set(people(world.rows)) == {ada, ben}


def test_how_letters_are_composed_does_not_matter() -> None:
    """Also of what was recorded before names were put into one form."""
    world = World()
    composed, apart = "Zo\u00eb", "Zoe\u0308"
    world.decide(hear, said("1", speaker=Account("local", apart, apart)))
    (zoe,) = find_people(world.rows, f"local:{apart}")
    assert find_people(world.rows, f"local:{composed}") == [zoe]
    assert find_people(world.rows, composed) == find_people(world.rows, apart) == [zoe]
    world.decide(hear, said("2", speaker=BEN._replace(name=composed.upper())))
    (ben,) = find_people(world.rows, "200")
    assert find_people(world.rows, apart.upper()) == [zoe, ben] or find_people(world.rows, apart.upper()) == [ben, zoe]


def test_an_id_wins_over_a_name_and_a_current_name_over_a_former_one() -> None:
    world, ada, ben = told()
    world.decide(hear, said("5", speaker=BEN._replace(name="Ada"), said=NOW + 20))
    assert find_people(world.rows, "Ada") == [ben]
    world.decide(hear, said("6", speaker=BEN._replace(name="100"), said=NOW + 21))
    assert find_people(world.rows, "100") == [ada]


def test_a_namesake_is_found_as_they_are_told_apart() -> None:
    world, ada, ben = told()
    world.decide(hear, said("5", speaker=BEN._replace(name="Countess (of )"), said=NOW + 20))
    for find in (find_people, find_all_called):
        assert find(world.rows, "Countess (discord:100)") == find(world.rows, "@ada (discord:100)") == [ada]
        assert (
            find(world.rows, "Countess of (discord:200)") == find(world.rows, "Countess (of ) (discord:200)") == [ben]
        )
        assert find(world.rows, "Countess (of )") == [ben]
        for wrong in ("Countess (discord:7)", "Ben (discord:100)", "Countess (2)"):
            assert find(world.rows, wrong) == [], wrong


def test_a_number_behind_a_name_may_mean_anybody_of_that_name() -> None:
    world, ada, ben = told()
    world.decide(hear, said("5", speaker=BEN._replace(name="Ada"), said=NOW + 20))
    assert sorted(find_namesakes(world.rows, "Ada (2)")) == sorted([ada, ben])
    assert find_namesakes(world.rows, "Countess (2)") == [ada]
    assert find_namesakes(world.rows, "Ada") == find_namesakes(world.rows, "Nobody (2)") == []


def test_where_no_name_wins_everybody_who_ever_had_it_is_found() -> None:
    world, ada, ben = told()
    world.decide(hear, said("5", speaker=BEN._replace(name="Ada"), said=NOW + 20))
    assert find_people(world.rows, "ada") == [ben]
    assert set(find_all_called(world.rows, "ada")) == {ada, ben}
    assert find_all_called(world.rows, "ben") == [ben]
    assert find_all_called(world.rows, "100") == find_all_called(world.rows, ada.hex()) == [ada]
    assert find_all_called(world.rows, "nobody") == []


def test_a_whole_id_is_looked_up_and_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    world, ada, _ = told()

    def searched(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("projections.lookup._by_id", searched)
    assert find_people(world.rows, "discord:100") == find_people(world.rows, ada.hex()) == [ada]


def test_a_group_without_a_name_goes_by_its_key() -> None:
    world = World()
    world.decide(hear, said(place=PlaceSeen("discord", "8", "group", "Ada, Ben", "channel")))
    assert [card.name for card in sessions(world.rows)] == ["8"]


def test_a_card_counts_what_there_is() -> None:
    world, ada, _ = told()
    item = Item("durable-1", ada, direct(ada), "fact", "likes tea", NOW, NOW, Source("manual"))
    world.add(ItemRemembered(said=NOW, by=OPERATOR, item=item))
    card = person_card(world.rows, ada)
    assert (card.name, card.messages, card.items, card.last_said) == ("Countess", 3, 1, NOW + 9)
    assert [row.name for row in card.names] == ["Ada", "Countess"]
    assert person_card(world.rows, handle("nobody")).last_said is None


def test_sessions_are_listed_with_what_is_in_them() -> None:
    world, ada, _ = told()
    audience = Audience("guild", Ref("discord", "7"))
    use = ModelUse(model="offline", version="1")
    upto = Point(NOW, world.records[0].id)
    world.add(
        SummaryRefreshed(
            said=NOW, by=OPERATOR, session=SESSION, audience=audience, era=0,
            text="They met.", refresh=1, after=None, upto=upto, covered=1, call=use,
        )
    )  # fmt: skip
    general, dm = sessions(world.rows)
    assert (general.key, general.messages, general.turns, general.summarised) == (SESSION, 3, 0, True)
    assert (general.name, general.last_said) == ("general", NOW + 9)
    assert (dm.key, dm.messages, dm.last_said, dm.summarised) == ("discord:dm:100", 1, NOW + 7, False)
    assert dm.session == f"discord:dm:{ada.hex()}"
    assert dm.name == "Countess"


def test_what_was_said_before_who_can_read_it_changed_is_counted_as_closed() -> None:
    world, _, _ = told()
    place = Ref("discord", "7")
    kinds: tuple[AudienceKind, ...] = ("guild", "channel", "guild")
    for epoch, (before, after) in enumerate(pairwise(kinds), 1):
        world.add(
            PlaceAudienceChanged(
                said=NOW + 10, by=OPERATOR, place=place, audience=Audience(after, place, epoch),
                previous=Audience(before, place, epoch - 1), session=SESSION,
            )
        )  # fmt: skip
    general, dm = sessions(world.rows)
    assert (general.messages, general.closed, general.last_said) == (0, 3, NOW + 9)
    assert (dm.messages, dm.closed) == (1, 0)
    world.decide(hear, said("5", said=NOW + 20))
    general, _ = sessions(world.rows)
    assert (general.messages, general.closed, general.last_said) == (1, 3, NOW + 20)


def test_a_session_goes_by_its_key_or_by_its_channel_s_name() -> None:
    world, ada, _ = told()
    for text in (SESSION, "general", "#General"):
        assert [card.key for card in find_sessions(world.rows, text)] == [SESSION]
    for text in ("discord:dm:100", f"discord:dm:{ada.hex()}"):
        assert [card.key for card in find_sessions(world.rows, text)] == ["discord:dm:100"]
    assert find_sessions(world.rows, "attic") == []


def test_a_dm_of_somebody_unknown_keeps_its_handle() -> None:
    person = handle("gone")
    key = f"discord:dm:{person.hex()}"
    assert shown_session(World().rows, key, person) == key
    assert shown_session(World().rows, SESSION, NOBODY) == SESSION
