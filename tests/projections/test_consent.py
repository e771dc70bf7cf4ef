"""Opting out and in: for all of somebody's accounts, once, and without a handle in what lies in the clear."""

from projections.consent import OPTED_OUT, is_out
from projections.decisions.consent import BY_THEMSELF, ConsentRequest, opt_in, opt_out
from projections.decisions.meet import Account, is_unwelcome, meet
from projections.events import PersonOptedIn, PersonOptedOut, PersonSeen
from projections.events.values import OPERATOR, PLATFORM
from projections.ids import NOBODY
from tests.world import NOW, World, handle, origin

KIM = handle("kim")
ACCOUNTS = (Account("discord", "100"), Account("nostr", "npub1kim"))


def known() -> World:
    """Kim, with two accounts."""
    world = World()
    for each in ACCOUNTS:
        seen = PersonSeen(said=NOW, by=PLATFORM, person=KIM, platform=each.platform, platform_id=each.id, name="Kim")
        world.add(seen)
    return world


def hashes(world: World, *accounts: Account) -> tuple[bytes, ...]:
    return tuple(sorted(world.ids.keyed_hash(each.platform, each.id) for each in accounts))


def out_now(world: World) -> set[bytes]:
    return {found.key for found in world.rows.scan(OPTED_OUT)}


def test_a_person_opts_out_with_every_account() -> None:
    world = known()
    (event,) = world.decide(opt_out, ConsentRequest(NOW, origin("out"), KIM, by=BY_THEMSELF))
    assert event == PersonOptedOut(said=NOW, by=BY_THEMSELF, hashes=hashes(world, *ACCOUNTS))
    assert out_now(world) == set(hashes(world, *ACCOUNTS))
    assert is_out(world.rows, KIM)
    assert not is_out(world.rows, handle("ada"))


def test_an_account_that_nobody_has_heard_of_opts_out_too() -> None:
    world = World()
    stranger = Account("discord", "999")
    (event,) = world.decide(opt_out, ConsentRequest(NOW, origin("out"), accounts=(stranger,)))
    assert event == PersonOptedOut(said=NOW, by=OPERATOR, hashes=hashes(world, stranger))
    assert not is_out(world.rows, NOBODY)


def test_a_second_time_there_is_nothing_to_do() -> None:
    world = known()
    request = ConsentRequest(NOW, origin("out"), KIM)
    assert len(world.decide(opt_out, request)) == 1
    assert world.decide(opt_out, request) == []
    assert world.decide(opt_out, request._replace(origin=origin("again"))) == []
    world.decide(opt_in, request._replace(origin=origin("in")))
    assert world.decide(opt_out, request) == []  # the very same request, delivered late


def test_only_the_accounts_that_are_new_are_named() -> None:
    world = known()
    world.decide(opt_out, ConsentRequest(NOW, origin("one"), accounts=ACCOUNTS[:1]))
    assert is_out(world.rows, KIM)
    (event,) = world.decide(opt_out, ConsentRequest(NOW, origin("all"), KIM))
    assert isinstance(event, PersonOptedOut)
    assert event.hashes == hashes(world, ACCOUNTS[1])


def test_opting_in_is_the_way_back() -> None:
    world = known()
    back = ConsentRequest(NOW + 1, origin("in"), KIM)
    assert world.decide(opt_in, back) == []
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), KIM))
    (event,) = world.decide(opt_in, back)
    assert event == PersonOptedIn(said=NOW + 1, by=OPERATOR, hashes=hashes(world, *ACCOUNTS))
    assert out_now(world) == set()
    assert not is_out(world.rows, KIM)
    world.decide(opt_out, ConsentRequest(NOW, origin("out again"), KIM))
    assert world.decide(opt_in, back) == []  # delivered late


def test_what_lies_in_the_clear_names_nobody() -> None:
    world = known()
    (event,) = world.decide(opt_out, ConsentRequest(NOW, origin("out"), KIM, by=BY_THEMSELF))
    assert event.by.person == NOBODY


def test_who_is_out_with_one_account_is_not_heard_with_another() -> None:
    world = known()
    world.decide(opt_out, ConsentRequest(NOW, origin("one"), accounts=ACCOUNTS[:1]))
    assert is_unwelcome(world.rows, ACCOUNTS[1], NOW)


def test_an_account_that_is_joined_with_somebody_who_opted_out_is_out_too_and_of_it_no_name_is_kept() -> None:
    world = known()
    world.decide(opt_out, ConsentRequest(NOW, origin("out"), KIM))
    alt = Account("discord", "118", "Kim elsewhere")
    (event,) = [draft.event for draft in meet(world.rows, alt, origin("joined"), (), NOW, KIM)]
    assert event == PersonOptedOut(said=NOW, by=OPERATOR, hashes=hashes(world, alt))
    world.add(event)
    assert is_unwelcome(world.rows, alt, NOW)
    assert meet(world.rows, alt, origin("again"), (), NOW, KIM) == []
