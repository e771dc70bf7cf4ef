"""A public thread has the readers of its channel: what is kept for the few who read the one is kept for the other."""

import msgspec
import pytest

from projections.decisions.audience import change_audience
from projections.decisions.place import PlaceSeen, describe, describe_unheard, widens
from projections.events import ItemMoved, PlaceAudienceChanged, PlaceDescribed
from projections.events.values import OPERATOR, Audience, Message, Source
from projections.ids import NOBODY, EventId, Ref
from projections.places import SESSIONS, audience_of, find_place
from projections.policies.compartments import Setting, in_guild, of_person_in, opened, place_item
from projections.policies.quotable import may_quote_answer, may_quote_message
from projections.vaults import home
from tests.projections.items import ANN, there_is
from tests.projections.test_audience_changes import (
    CLOSED,
    GUILD,
    OPEN,
    PLACE,
    change,
    guild_item,
    heard_in,
    where,
)
from tests.world import NOW, World, handle, origin

THREAD = Ref("discord", "70")
DIG = CLOSED._replace(key="70", kind="thread", name="dig", parent=PLACE, readers=PLACE)
OPEN_DIG = DIG._replace(audience="guild")
PRIVATE = DIG._replace(key="71", readers=None)
HEARD = EventId(handle("heard"))
FORUM = OPEN._replace(kind="forum", name="questions", guild_name="Garden")
POST = OPEN_DIG._replace(guild_name="Garden", above=FORUM)


def readers(world: World, place: Ref = THREAD) -> Audience:
    found = audience_of(world.rows, place)
    assert found is not None
    return found


def setting(world: World, place: Ref = THREAD) -> Setting:
    return Setting(ANN, readers(world, place), GUILD)


def message(said_to: Audience) -> Message:
    return Message(
        ref=Ref("discord", "m"), place=PLACE, session="s", audience=said_to, author="person", said=NOW, text="hello",
        speaker=ANN, guild=GUILD,
    )  # fmt: skip


def test_in_a_channel_of_few_it_shares_the_channel_s_compartment() -> None:
    world = World()
    for n, seen in enumerate((CLOSED, DIG, PRIVATE)):
        heard_in(world, seen, str(n))
    assert readers(world) == readers(world, PLACE) == Audience("channel", PLACE)
    assert opened(world.rows, setting(world)) == opened(world.rows, setting(world, PLACE))
    assert place_item(setting(world)) == of_person_in(ANN, PLACE)
    assert place_item(setting(world, Ref("discord", "71"))) == of_person_in(ANN, Ref("discord", "71"))


def test_so_it_does_where_nothing_was_said_in_it() -> None:
    world = World()
    world.decide(lambda rows, seen: describe(rows, seen, NOBODY, NOW, origin("described")), DIG)
    assert readers(world) == Audience("channel", PLACE)


def test_when_the_channel_closes_what_rests_on_the_thread_goes_to_the_channel_s_compartment() -> None:
    world = World()
    here = heard_in(world, OPEN_DIG, "1")
    assert readers(world) == Audience("guild", THREAD)
    there_is(world, guild_item("the treasure is near", here))
    moved, changed = world.decide(change_audience, change(DIG))
    assert isinstance(moved, ItemMoved)
    assert isinstance(changed, PlaceAudienceChanged)
    assert where(world) == {"the treasure is near": of_person_in(ANN, PLACE)}
    assert (changed.place, changed.audience) == (THREAD, Audience("channel", PLACE, 1))
    world.decide(change_audience, change(OPEN_DIG, "opened"))
    assert readers(world) == Audience("guild", THREAD, 2)


def test_when_the_operator_says_so_it_is_the_same() -> None:
    world = World()
    heard_in(world, OPEN_DIG, "1")
    heard_in(world, DIG, "2")
    assert readers(world) == Audience("channel", PLACE, 1)


def test_what_was_said_there_is_quoted_in_the_channel_as_long_as_the_same_people_read_it() -> None:
    world = World()
    for n, seen in enumerate((CLOSED, DIG)):
        heard_in(world, seen, str(n))
    then = readers(world, PLACE)
    assert may_quote_message(world.rows, setting(world), message(then), HEARD)
    world.decide(change_audience, change(OPEN, "opened"))
    world.decide(change_audience, change(CLOSED, "closed"))
    assert readers(world) == then  # nobody told of the thread
    assert not may_quote_message(world.rows, setting(world), message(then), HEARD)
    assert not may_quote_answer(world.rows, setting(world), then, GUILD, HEARD)
    assert may_quote_message(world.rows, setting(world, PLACE), message(readers(world, PLACE)), HEARD)


def described(world: World, seen: PlaceSeen, key: str) -> list[PlaceDescribed]:
    """What a message there has described."""
    before = len(world.records)
    heard_in(world, seen, key)
    return [each.event for each in world.records[before:] if isinstance(each.event, PlaceDescribed)]


def test_its_channel_is_described_with_it_once_and_in_its_own_vault() -> None:
    world = World()
    guild, above, post = described(world, POST, "1")
    assert (guild.kind, above.kind, post.kind) == ("guild", "forum", "thread")
    assert (above.place, above.name, above.guild, above.session) == (PLACE, "questions", GUILD, "")
    assert above.audience == Audience("guild", PLACE)
    assert home(above).label == f"place {PLACE}"
    assert described(world, POST, "2") == described(world, POST._replace(key="72"), "3")[1:] == []
    assert len([*world.rows.scan(SESSIONS)]) == 2  # of the posts: nothing was said in the forum


def test_its_channel_is_described_by_what_is_asked_there_too() -> None:
    world = World()
    assert len(world.decide(lambda rows, seen: describe(rows, seen, NOBODY, NOW, origin("1")), POST)) == 3
    assert world.decide(lambda rows, seen: describe(rows, seen, NOBODY, NOW, origin("2")), POST) == []


def test_a_channel_that_is_renamed_stays_what_it_is() -> None:
    world = World()
    heard_in(world, CLOSED, "1")
    world.decide(change_audience, change(OPEN, "opened"))
    (renamed,) = described(world, DIG._replace(above=CLOSED._replace(name="staff")), "2")[:1]
    assert (renamed.name, renamed.session) == ("staff", "discord:channel:7")
    assert readers(world, PLACE) == Audience("guild", PLACE, 1)  # who reads it is compared elsewhere
    assert described(world, DIG._replace(above=CLOSED._replace(name="")), "3") == []


def test_a_channel_has_a_session_once_something_is_said_in_it() -> None:
    world = World()
    heard_in(world, POST, "1")
    (channel,) = described(world, FORUM._replace(kind="channel"), "2")
    assert (channel.kind, channel.session) == ("channel", "discord:channel:7")
    assert described(world, POST, "3") == []


def test_a_parent_s_name_is_kept_only_where_those_who_run_the_server_gave_it() -> None:
    world = World()
    above = described(world, DIG._replace(above=FORUM._replace(kind="group", name="Ada, Kim")), "1")[-2]
    assert (above.kind, above.name) == ("group", "")
    found = find_place(world.rows, PLACE)
    assert found is not None
    assert found.row.name == ""


def test_a_channel_that_only_a_list_names_is_known_with_its_guild_and_has_no_session_yet() -> None:
    world = World()
    guild, above = world.decide(lambda rows, seen: describe_unheard(rows, seen, NOW, origin("1")), FORUM)
    assert isinstance(guild, PlaceDescribed)
    assert isinstance(above, PlaceDescribed)
    assert (guild.name, above.name, above.guild, above.session) == ("Garden", "questions", GUILD, "")
    assert world.decide(lambda rows, seen: describe_unheard(rows, seen, NOW, origin("2")), FORUM) == []
    (post,) = world.decide(lambda rows, seen: describe_unheard(rows, seen, NOW, origin("3")), POST)
    assert isinstance(post, PlaceDescribed)
    assert (post.name, post.parent, post.audience) == ("", PLACE, Audience("guild", THREAD))


# -- what an operator tells of an import: of a thread no platform describes the channel -------------------------------


def test_a_thread_is_not_open_in_a_channel_of_few_whatever_is_told() -> None:
    world = World()
    heard_in(world, CLOSED, "0")
    assert widens(world.rows, OPEN_DIG)
    heard_in(world, OPEN_DIG, "1")
    assert readers(world) == Audience("channel", PLACE)
    assert widens(world.rows, OPEN_DIG)
    assert widens(world.rows, CLOSED._replace(audience="guild"))
    assert not widens(world.rows, OPEN_DIG._replace(told=False))
    assert widens(world.rows, OPEN_DIG._replace(key="72"))
    assert not widens(world.rows, OPEN_DIG._replace(key="72", above=OPEN))


def test_one_that_was_open_closes_where_its_channel_is_known_to_be_closed() -> None:
    world = World()
    heard_in(world, CLOSED, "0")
    heard_in(world, OPEN_DIG._replace(above=OPEN), "1")
    assert readers(world) == Audience("guild", THREAD)
    heard_in(world, OPEN_DIG, "2")
    assert readers(world) == Audience("channel", PLACE, 1)


def test_in_an_open_channel_one_that_is_told_to_be_closed_is_so_by_itself() -> None:
    world = World()
    heard_in(world, OPEN, "0")
    heard_in(world, DIG, "1")
    assert readers(world) == Audience("channel", THREAD)
    assert not widens(world.rows, OPEN_DIG._replace(key="72"))


@pytest.mark.parametrize("is_known", [True, False], ids=["a known channel", "one of which nothing was known"])
def test_the_threads_of_a_channel_close_with_it(is_known: bool) -> None:
    world = World()
    if is_known:
        heard_in(world, OPEN, "0")
    here = heard_in(world, OPEN_DIG, "1")
    heard_in(world, PRIVATE, "2")
    heard_in(world, OPEN._replace(key="8"), "3")
    bare = msgspec.structs.replace(guild_item("the well is dry", here), evidence=(), source=Source("discord", THREAD))
    there_is(world, guild_item("the treasure is near", here))
    there_is(world, bare)
    heard_in(world, CLOSED, "4")
    assert readers(world) == Audience("channel", PLACE, 1)
    assert readers(world, PLACE) == Audience("channel", PLACE, int(is_known))
    assert readers(world, Ref("discord", "71")) == Audience("channel", Ref("discord", "71"))
    assert readers(world, Ref("discord", "8")).kind == "guild"
    assert set(where(world).values()) == {of_person_in(ANN, PLACE)}
    changed = [each.event for each in world.records if isinstance(each.event, PlaceAudienceChanged)]
    assert [each.place for each in changed] == ([THREAD, PLACE] if is_known else [THREAD])
    assert {each.by for each in changed} == {OPERATOR}
    heard_in(world, CLOSED, "5")
    assert len([each for each in world.records if isinstance(each.event, PlaceAudienceChanged)]) == len(changed)


def test_what_rests_on_both_goes_too_and_what_rests_on_another_channel_stays() -> None:
    world = World()
    first, second = heard_in(world, OPEN, "0"), heard_in(world, OPEN_DIG, "1")
    third = heard_in(world, OPEN._replace(key="8"), "3")
    there_is(world, guild_item("said in both", first, second))
    there_is(world, guild_item("said elsewhere too", second, third))
    heard_in(world, CLOSED, "4")
    assert where(world) == {"said in both": of_person_in(ANN, PLACE), "said elsewhere too": in_guild(GUILD)}
