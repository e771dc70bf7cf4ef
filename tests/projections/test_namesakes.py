"""Who is called what in a prompt: each in it by a name of their own, and nobody by one that dnam gives."""

import pytest

from projections.caller import Caller
from projections.context import Request, assemble
from projections.events import PersonSeen
from projections.events.values import PLATFORM, Span
from projections.ids import NOBODY, Handle, Point
from projections.lookup import find_people
from projections.people import SOMEONE, account_words, accounts_of
from projections.policies.compartments import Setting
from projections.quoting import alike, line_name, marked
from projections.retrieval import Vocabulary
from tests.projections.channel import AUDIENCE, DAVE, ERIN, SESSION, answer, hear, message, named, say
from tests.world import NOW, World, handle

KIM, OTHER, THIRD = handle("kim"), handle("other kim"), handle("third kim")


@pytest.fixture
def world() -> World:
    made = World()
    for person, name in ((KIM, "Kim"), (OTHER, "Kim"), (THIRD, " kim!"), (DAVE, "Dave"), (ERIN, "Erin")):
        named(made, person, name)
    return made


def prompt(world: World, asker: Handle = KIM) -> list[str]:
    """The lines of the recent conversation, and who is taken to ask."""
    said = NOW + 900
    asked = hear(world, message("who?", 900, asker))
    request = Request(Setting(asker, AUDIENCE), SESSION, Point(said, asked.id), "dnam", Vocabulary())
    context = assemble(world.rows, request)
    return [*(line.rendered for line in context.window.lines), context.message.name]


def test_namesakes_are_numbered_as_they_appear_and_who_asks_has_the_bare_name(world: World) -> None:
    for said, person in enumerate((OTHER, DAVE, KIM, THIRD, OTHER), 1):
        say(world, "tea", said, person)
    lines = ["[Kim (2)]: tea", "[Dave]: tea", "[Kim]: tea", "[kim! (3)]: tea", "[Kim (2)]: tea"]
    assert prompt(world) == [*lines, "Kim"]
    assert prompt(world) == [*lines, "[Kim]: who?", "Kim"]


def test_it_is_the_asker_s_in_the_next_prompt(world: World) -> None:
    say(world, "I hate tea", 1, KIM)
    say(world, "I love tea", 2, OTHER)
    assert prompt(world, OTHER) == ["[Kim (2)]: I hate tea", "[Kim]: I love tea", "Kim"]
    assert prompt(world, DAVE)[:2] == ["[Kim]: I hate tea", "[Kim (2)]: I love tea"]


def test_whom_a_text_names_is_told_apart_too(world: World) -> None:
    hear(world, message("ask ", 1, DAVE, spans=(Span(4, OTHER),)))
    answer(world, "I did ask ", 2, spans=(Span(10, KIM),))
    assert prompt(world) == ["[Dave]: ask @Kim (2)", "[dnam]: I did ask @Kim", "Kim"]


def test_nobody_passes_for_a_bot_and_no_bot_for_somebody(world: World) -> None:
    named(world, ERIN, "Kim (bot) \u249d\u24aa")
    say(world, "a", 1, ERIN)
    hear(world, message("b", 2, author="bot", author_name="Kim"))
    hear(world, message("c", 3, author="webhook", author_name="Kim (2)"))
    hear(world, message("d", 4, author="unknown", author_name="Kim"))
    assert prompt(world) == ["[Kim bot]: a", "[Kim (bot)]: b", "[Kim 2 (webhook)]: c", "[Kim (2)]: d", "Kim"]


def test_who_goes_by_the_assistant_s_name_is_told_apart_from_who_does_too(world: World) -> None:
    named(world, DAVE, "dnam")
    named(world, ERIN, "d n a m")
    say(world, "a", 1, DAVE)
    say(world, "b", 2, ERIN)
    assert prompt(world)[:2] == ["[user dnam]: a", "[user d n a m (2)]: b"]


def test_nobody_in_particular_is_not_numbered(world: World) -> None:
    caller = Caller(world.rows, "dnam")
    assert {caller.person(each) for each in (NOBODY, handle("unknown"), handle("unheard"))} == {SOMEONE}


def test_signs_are_no_namesakes_of_one_another(world: World) -> None:
    assert alike("\U0001f339") != alike("\U0001f337")
    assert alike("K-i M") == alike("kim")
    assert line_name(marked("Kim", "2")) != marked("Kim", "2")


def test_by_account_namesakes_are_told_apart_as_a_command_takes_them(world: World) -> None:
    caller = Caller(world.rows, "dnam", by_account=True)
    called = {person: caller.person(person) for person in (KIM, OTHER, THIRD, DAVE)}
    assert (called[KIM], called[DAVE]) == ("Kim", "Dave")
    for person in (OTHER, THIRD):
        (account,) = accounts_of(world.rows, person)
        assert called[person].endswith(f" ({account.row.platform}:{account.row.platform_id})")
        assert find_people(world.rows, called[person]) == [person]


def test_of_several_accounts_the_platform_s_own_tells_somebody_apart(world: World) -> None:
    seen = PersonSeen(said=NOW + 9, by=PLATFORM, person=KIM, platform="local", platform_id="kim", name="Kim")
    world.add(seen)
    (account, *_) = [each.row for each in accounts_of(world.rows, KIM) if each.row.platform != "local"]
    assert account_words(world.rows, KIM) == "local:kim"
    assert account_words(world.rows, KIM, account.platform) == f"{account.platform}:{account.platform_id}"
    assert account_words(world.rows, Handle(bytes(16))) == ""
