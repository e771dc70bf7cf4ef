"""Which messages may be quoted to whoever asks in a place."""

import pytest

from projections.events import ItemForgotten, PlaceDescribed
from projections.events.values import PLATFORM, Audience, Message
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.policies.compartments import Setting
from projections.policies.quotable import may_quote_answer, may_quote_message
from tests.projections.items import ANN, BOB, PERSON, an_item
from tests.world import NOW, World, handle

GUILD, OTHER = Ref("discord", "9"), Ref("discord", "8")
OPEN, STAFF = Ref("discord", "1"), Ref("discord", "2")
PUBLIC, CLOSED = Audience("guild", OPEN), Audience("channel", STAFF)
HERS, HIS = (Audience("direct", Ref("discord", f"dm:{each.hex()}")) for each in (ANN, BOB))
IN_OPEN, IN_STAFF, IN_DM = Setting(ANN, PUBLIC, GUILD), Setting(ANN, CLOSED, GUILD), Setting(ANN, HERS)
SAID = EventId(handle("said"))


@pytest.fixture
def world() -> World:
    world = World()
    world.add(
        *(
            PlaceDescribed(
                said=NOW, by=PLATFORM, place=each.place, kind="channel", name="x", audience=each, guild=GUILD
            )
            for each in (PUBLIC, CLOSED)
        )
    )
    return world


def message(audience: Audience, speaker: Handle = BOB, guild: Ref | None = GUILD) -> Message:
    return Message(
        ref=Ref("discord", "m"), place=audience.place, session="s", audience=audience, author="person", said=NOW,
        text="hello", speaker=speaker, guild=guild,
    )  # fmt: skip


OLD, ELSEWHERE = Audience("guild", OPEN, 1), Audience("guild", Ref("discord", "3"))


@pytest.mark.parametrize(
    ("setting", "said", "may"),
    [
        (IN_OPEN, message(PUBLIC), True),
        (IN_OPEN, message(PUBLIC, guild=OTHER), True),
        (IN_OPEN, message(OLD), False),
        (IN_OPEN, message(CLOSED), False),
        (IN_OPEN, message(CLOSED, ANN), False),
        (IN_OPEN, message(ELSEWHERE), False),
        (IN_OPEN, message(HERS, ANN, None), False),
        (IN_STAFF, message(CLOSED), True),
        (IN_STAFF, message(PUBLIC), True),
        (IN_STAFF, message(PUBLIC, guild=OTHER), False),
        (IN_STAFF, message(PUBLIC, guild=None), False),
        (IN_STAFF, message(Audience("channel", STAFF, 1)), False),
        (IN_DM, message(HERS, NOBODY, None), True),
        (IN_DM, message(PUBLIC, ANN), True),
        (IN_DM, message(CLOSED, ANN), True),
        (IN_DM, message(PUBLIC), False),
        (IN_DM, message(HIS, BOB, None), False),
        (Setting(NOBODY, HERS), message(PUBLIC, NOBODY), False),
    ],
)
def test_a_message_is_quoted_where_all_may_read_it(world: World, setting: Setting, said: Message, may: bool) -> None:
    assert may_quote_message(world.rows, setting, said, SAID) is may


@pytest.mark.parametrize(
    ("setting", "audience", "may"),
    [
        (IN_OPEN, PUBLIC, True),
        (IN_OPEN, CLOSED, False),
        (IN_STAFF, PUBLIC, True),
        (IN_DM, HERS, True),
        (IN_DM, PUBLIC, False),
    ],
)
def test_an_answer_is_quoted_where_all_may_read_it(
    world: World, setting: Setting, audience: Audience, may: bool
) -> None:
    assert may_quote_answer(world.rows, setting, audience, GUILD, SAID) is may


def test_what_left_recall_is_for_its_person_alone(world: World) -> None:
    item = an_item("x", status="forgotten")
    world.add(ItemForgotten(said=NOW, by=PERSON, item=item, quiet=(SAID,)))
    assert not may_quote_message(world.rows, IN_OPEN, message(PUBLIC, ANN), SAID)
    assert not may_quote_answer(world.rows, IN_OPEN, PUBLIC, GUILD, SAID)
    assert may_quote_message(world.rows, IN_DM, message(PUBLIC, ANN), SAID)
    assert may_quote_answer(world.rows, IN_DM, HERS, None, SAID)
