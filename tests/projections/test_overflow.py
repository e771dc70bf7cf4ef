"""Who is learned from before their words fall out of the window, what is learned from at all, and who is quiet."""

from typing import Any

import pytest

from projections.caller import Caller
from projections.decisions.answer import turn_origin
from projections.events import ExtractionAnswered, MessageHeard, SummaryRefreshed, TurnAnswered
from projections.events.values import OPERATOR, PLATFORM, Audience, Limits, Message, ModelUse
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.messages import MESSAGES, SpokenRow
from projections.policies.cadence import extraction_due, quiet_since
from projections.policies.learned_from import Learn, Learns, addressed, is_learned_from, least
from projections.policies.overflow import overflow
from projections.window import recent
from tests.world import NOW, World, handle

ADA, BEN = handle("ada"), handle("ben")
PLACE, GUILD = Ref("discord", "7"), Ref("discord", "9")
AUDIENCE = Audience("guild", PLACE)
SESSION = "discord:channel:7"
USE = ModelUse(model="offline", version="1")
FOUR = Limits(history_messages=4)


def learning(learn: Learn) -> Learns:
    return lambda _, __: learn


def hears(world: World, said: int, speaker: Handle = ADA, text: str = "hello", **fields: Any) -> Record:
    """Somebody speaks, `said` ms after NOW."""
    message = Message(
        ref=Ref("discord", str(said)), place=PLACE, session=SESSION, audience=AUDIENCE, guild=GUILD,
        author="person" if speaker else "bot", speaker=speaker, said=NOW + said, text=text, **fields,
    )  # fmt: skip
    return world.add(MessageHeard(said=NOW + said, by=PLATFORM, message=message))[0]


def answers(world: World, heard: Record, asker: Handle = ADA, text: str = "yes", era: int = 0) -> None:
    """The assistant answers a millisecond later."""
    event = TurnAnswered(
        said=heard.event.said + 1, by=PLATFORM, session=SESSION, place=PLACE, audience=AUDIENCE, era=era, asker=asker,
        answers=heard.id, text=text, call=USE, limits=Limits(),
    )  # fmt: skip
    world.add(event)


def turns(world: World, *said: int, asker: Handle = ADA, text: str = "hello") -> None:
    """Messages to the assistant and its answers."""
    for each in said:
        answers(world, hears(world, each, asker, text, addressed=True), asker)


def read_up_to(world: World, said: int, person: Handle = ADA) -> None:
    """An extraction has read what was said by then."""
    upto = Point(NOW + said, EventId(b"\xff" * 16))
    event = ExtractionAnswered(
        said=NOW + said, by=OPERATOR, owner=person, compartment="guild/discord:9", after=None, upto=upto, call=USE,
        reply="",
    )  # fmt: skip
    world.add(event)


def leaving(world: World, limits: Limits = FOUR, learns: Learns = addressed) -> set[Handle]:
    return set(overflow(world.rows, SESSION, AUDIENCE, GUILD, limits, learns))


def test_before_the_next_turn_pushes_the_first_words_out() -> None:
    world = World()
    turns(world, 0)
    assert leaving(world) == set()
    turns(world, 10)
    assert leaving(world) == {ADA}
    read_up_to(world, 11)
    assert leaving(world) == set()
    turns(world, 20, 30)
    assert leaving(world) == {ADA}


def test_by_default_it_is_as_often_as_the_cadence_of_ten_turns() -> None:
    world = World()
    due = []
    for n in range(12):
        turns(world, 10 * n)
        due.append(bool(leaving(world, Limits())))
    assert due.index(True) == 9


def test_it_counts_characters_as_the_window_does() -> None:
    limits = Limits(history_chars=120)
    world = World()
    turns(world, 0, text="x" * 20)
    assert leaving(world, limits) == set()
    turns(world, 10, text="y" * 20)
    assert leaving(world, limits) == {ADA}


def test_what_never_fits_is_not_pushed_out() -> None:
    world = World()
    turns(world, 0, text="x" * 5_000)
    assert leaving(world, Limits(history_messages=2)) == set()


def test_talk_of_others_pushes_words_out_too() -> None:
    world = World()
    turns(world, 0)
    hears(world, 10, BEN)
    hears(world, 20, NOBODY)
    assert leaving(world) == {ADA}


def test_who_never_spoke_with_the_assistant_is_not_learned_from() -> None:
    world = World()
    for n in range(4):
        hears(world, n, BEN)
    assert leaving(world) == set()
    assert leaving(world, learns=learning("none")) == set()
    assert leaving(world, learns=learning("heard")) == {BEN}


def test_whether_somebody_is_learned_from_is_asked_of_them_and_of_where_they_spoke() -> None:
    world = World()
    for n in range(4):
        hears(world, n, BEN)
    asked: set[tuple[Handle, SpokenRow]] = set()

    def learns(person: Handle, where: SpokenRow) -> Learn:
        asked.add((person, where))
        return "heard"

    assert leaving(world, learns=learns) == {BEN}
    assert asked == {(BEN, SpokenRow(SESSION, AUDIENCE, GUILD))}


def test_an_empty_window_overflows_nobody() -> None:
    assert leaving(World()) == set()
    world = World()
    turns(world, 0, 10)
    assert leaving(world, Limits(history_messages=0)) == set()


# What counts


def test_what_is_heard_counts_in_messages_and_what_is_addressed_in_turns() -> None:
    world = World()
    for n in range(3):
        hears(world, n)
    assert not extraction_due(world.rows, ADA, 1)
    assert extraction_due(world.rows, ADA, 3, learning("heard"))
    assert not extraction_due(world.rows, ADA, 4, learning("heard"))
    turns(world, 10)
    assert extraction_due(world.rows, ADA, 1)
    assert extraction_due(world.rows, ADA, 4, learning("heard"))
    assert not extraction_due(world.rows, ADA, 5, learning("heard"))
    assert not extraction_due(world.rows, ADA, 1, learning("none"))


@pytest.mark.parametrize(
    ("learn", "addressed_too", "answered_too", "learned"),
    [
        ("none", True, True, False),
        ("heard", False, False, True),
        ("addressed", False, False, False),
        ("addressed", True, False, True),
        ("addressed", False, True, True),
    ],
)
def test_what_is_learned_from(learn: Learn, addressed_too: bool, answered_too: bool, learned: bool) -> None:
    world = World()
    heard = hears(world, 0, addressed=addressed_too)
    if answered_too:
        identity = turn_origin(Point(NOW, heard.id)).identity
        assert identity is not None
        world.ids.seen[world.ids.event_id(identity)] = "known"
    (found,) = world.rows.scan(MESSAGES)
    assert is_learned_from(world.rows, found.row, learn) is learned


@pytest.mark.parametrize(
    ("learns", "expected"),
    [
        (("heard",), "heard"),
        (("heard", "addressed"), "addressed"),
        (("addressed", "none"), "none"),
        (("none", "heard", "addressed"), "none"),
    ],
)
def test_of_all_that_has_held_what_lets_the_fewest_through_counts(learns: tuple[Learn, ...], expected: Learn) -> None:
    assert least(*learns) == expected


def test_by_default_what_is_addressed_is_learned_from() -> None:
    assert addressed(ADA, SpokenRow(SESSION, AUDIENCE, GUILD)) == "addressed"


# Quiet


def test_since_when_somebody_has_been_quiet() -> None:
    world = World()
    assert quiet_since(world.rows, ADA) is None
    hears(world, 0)
    assert quiet_since(world.rows, ADA) is None
    assert quiet_since(world.rows, ADA, learning("heard")) == NOW
    turns(world, 10)
    assert quiet_since(world.rows, ADA) == NOW + 10
    assert quiet_since(world.rows, ADA, learning("none")) is None
    read_up_to(world, 11)
    assert quiet_since(world.rows, ADA) is None


# Eras


def test_answers_of_an_earlier_era_are_out_of_the_window() -> None:
    world = World()
    answers(world, hears(world, 0, text="one"), text="old answer")
    refreshed = SummaryRefreshed(
        said=NOW + 5, by=OPERATOR, session=SESSION, audience=AUDIENCE, era=1, text="So far.", refresh=1, after=None,
        upto=Point(NOW + 5, EventId(b"\xff" * 16)), covered=1, call=USE,
    )  # fmt: skip
    world.add(refreshed)
    answers(world, hears(world, 10, text="two"), text="new answer", era=1)
    before = Point(NOW + 99, EventId(b""))
    window = recent(world.rows, SESSION, 0, before, Limits(), Caller(world.rows, "dnam"))
    assert [line.text for line in window.lines] == ["one", "two", "new answer"]
