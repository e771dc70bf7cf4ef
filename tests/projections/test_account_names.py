"""Who was met before the names of accounts were recorded is found by theirs from when they are seen again."""

import pytest

from projections.decisions.hear import hear
from projections.decisions.meet import Account
from projections.events import MessageHeard, PersonRenamed
from projections.lookup import people
from projections.people import SOMEONE, name_of, names_of
from tests.projections.test_hear import ADA, said
from tests.world import NOW, World


def test_who_was_met_before_account_names_were_recorded_gets_theirs_once() -> None:
    world, ada = World(), ADA._replace(username="ada.l")
    world.decide(hear, said())
    older = hear(world.rows, said("0", speaker=ada, said=NOW - 1))
    assert not [each for each in older if isinstance(each.event, PersonRenamed)]
    first = world.decide(hear, said("2", speaker=ada, said=NOW + 1))
    renamed = [each for each in first if isinstance(each, PersonRenamed)]
    assert [(each.previous, each.name) for each in renamed] == [("Ada", "ada.l"), ("ada.l", "Ada")]
    person = renamed[0].person
    assert name_of(world.rows, person) == "Ada"
    assert [each.name for each in names_of(world.rows, person)] == ["Ada", "ada.l", "Ada"]
    for key, now in (("3", ada), ("4", ada._replace(username="ADA.L")), ("5", ADA), ("6", ada._replace(name=""))):
        later = world.decide(hear, said(key, speaker=now, said=NOW + 2))
        assert [type(each) for each in later] == [MessageHeard]


def test_a_new_account_s_name_and_a_new_name_come_together() -> None:
    world = World()
    world.decide(hear, said())
    later = world.decide(hear, said("2", speaker=Account("discord", "100", "Adele", "ada.l"), said=NOW + 1))
    renamed = [(each.previous, each.name) for each in later if isinstance(each, PersonRenamed)]
    assert renamed == [("Ada", "ada.l"), ("ada.l", "Adele")]


def test_an_account_s_name_in_other_letters_is_what_they_are_found_by_already() -> None:
    world = World()
    world.decide(hear, said())
    later = world.decide(hear, said("2", speaker=Account("discord", "100", "Ada.L", "ada.l"), said=NOW + 1))
    assert [(each.previous, each.name) for each in later if isinstance(each, PersonRenamed)] == [("Ada", "Ada.L")]


def test_where_only_the_account_s_own_name_is_told_they_go_on_by_theirs() -> None:
    world, own = World(), ADA._replace(name="", username="ada.l")
    world.decide(hear, said())
    for n in (1, 2):
        world.decide(hear, said(f"own {n}", speaker=own, said=NOW + n))
    renamed = [each.event for each in world.records if isinstance(each.event, PersonRenamed)]
    assert [(each.previous, each.name) for each in renamed] == [("Ada", "ada.l"), ("ada.l", "Ada")]
    new = World()
    new.decide(hear, said(speaker=own))
    (person,) = people(new.rows)
    assert [each.name for each in names_of(new.rows, person)] == ["ada.l"]


@pytest.mark.parametrize("account", [ADA, ADA._replace(name="", username="Ada"), ADA._replace(username="ada.l")])
@pytest.mark.parametrize("said_at", [NOW - 9, NOW, NOW + 9])
def test_who_had_no_name_yet_gets_one_from_what_was_said_earlier_too(account: Account, said_at: int) -> None:
    world = World()
    nameless = ADA._replace(name="")
    world.decide(hear, said(speaker=nameless))
    (person,) = people(world.rows)
    assert name_of(world.rows, person) == SOMEONE
    world.decide(hear, said("other", speaker=nameless, said=said_at))
    assert name_of(world.rows, person) == SOMEONE
    world.decide(hear, said("named", speaker=account, said=said_at))
    assert name_of(world.rows, person) == "Ada"
    assert names_of(world.rows, person)[-1].name == "Ada"
    later = world.decide(hear, said("again", speaker=account, said=said_at))
    assert [type(each) for each in later] == [MessageHeard]


def test_a_bot_is_called_by_its_account_s_name_where_no_other_is_told() -> None:
    world = World()
    request = said(author="bot", speaker=Account("discord", "7", username="feed"))
    (heard,) = (each for each in world.decide(hear, request) if isinstance(each, MessageHeard))
    assert heard.message.author_name == "feed"
