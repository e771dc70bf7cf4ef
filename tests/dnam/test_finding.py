"""Names to people, sessions and places; compartments, sources and actors in words."""

import pytest

from dnam.errors import Ambiguous, Unknown
from dnam.finding import (
    by_words,
    compartment_class,
    compartment_words,
    is_item,
    new_name,
    source_words,
    the_only_person,
    the_person,
    the_session,
    whereabouts,
)
from dnam.scopes import the_scope
from projections.decisions.hear import HeardRequest, hear
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.events.values import By, Source
from projections.ids import Ref
from tests.world import NOW, World, fresh

KIM = Account("discord", "100", "Kim")
KIM_HERE = Account("local", "kim", "Kim")
GARDEN = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")


def say(world: World, who: Account, place: PlaceSeen, key: str, said: int = NOW) -> None:
    request = HeardRequest(key, place, "person", who, "hello", said, fresh(salt=key))
    world.decide(hear, request)


def dm(who: Account) -> PlaceSeen:
    return PlaceSeen(who.platform, "", "direct", "", "direct", partner=who)


def test_a_place_is_a_session_a_channel_s_name_or_dm() -> None:
    world = World()
    say(world, KIM, GENERAL, "1")
    say(world, KIM, dm(KIM), "2")
    kim = the_person(world.rows, "Kim")
    general = whereabouts(world.rows, kim, "general")
    assert (general.session, general.setting.guild) == ("discord:channel:1", GARDEN)
    assert whereabouts(world.rows, kim, "discord:channel:1") == general
    direct = whereabouts(world.rows, kim, None)
    assert direct.session == f"discord:dm:{kim.hex()}"
    assert whereabouts(world.rows, kim, " DM ") == whereabouts(world.rows, kim, "discord:dm:100") == direct


def test_without_a_dm_the_one_that_would_begin_is_meant() -> None:
    world = World()
    say(world, KIM, GENERAL, "1")
    kim = the_person(world.rows, "Kim")
    there = whereabouts(world.rows, kim, "dm")
    assert (there.session, there.setting.audience.kind) == (f"local:dm:{kim.hex()}", "direct")


def test_nobody_is_put_into_the_dm_of_another() -> None:
    world = World()
    say(world, KIM, dm(KIM), "1")
    say(world, Account("discord", "200", "Ada"), GENERAL, "2")
    with pytest.raises(BadRequest, match="a conversation with Kim"):
        whereabouts(world.rows, the_person(world.rows, "Ada"), "discord:dm:100")


def test_a_number_behind_a_name_takes_nobody_and_says_who_there_is() -> None:
    """Who is the second in one prompt is the first in another."""
    world = World()
    say(world, KIM, GENERAL, "1")
    say(world, Account("discord", "200", "Kim"), GENERAL, "2")
    with pytest.raises(Ambiguous, match=r"'Kim \(2\)' may be any of") as ambiguous:
        the_person(world.rows, "Kim (2)")
    assert "discord:100" in str(ambiguous.value)
    assert "discord:200" in str(ambiguous.value)
    assert the_only_person(world.rows, "Kim (discord:200)") == the_person(world.rows, "discord:200")


def test_unknown_and_ambiguous_names() -> None:
    world = World()
    for key in ("1", "2"):
        say(world, KIM, GENERAL._replace(key=key), key)
    with pytest.raises(Ambiguous, match="general") as ambiguous:
        the_session(world.rows, "general")
    assert len(ambiguous.value.candidates) == 2
    with pytest.raises(Unknown, match="no session 'nowhere'"):
        the_session(world.rows, "nowhere")
    with pytest.raises(Unknown, match="nobody here goes by 'Bob'"):
        the_person(world.rows, "Bob")
    assert not is_item(world.rows, the_person(world.rows, "Kim"), "durable-00000000")


@pytest.mark.parametrize(
    ("compartment", "kind", "words"),
    [
        ("person/00ff/direct", "direct", "in direct messages"),
        ("person/00ff/everywhere", "everywhere", "everywhere"),
        ("person/00ff/channel/discord:2", "channel", "in channel staff"),
        ("person/00ff/channel/slack:a/b:c", "channel", "in channel slack:a/b:c"),
        ("channel/discord:2", "channel", "in channel staff"),
        ("person/00ff/channel/discord:1", "channel", "in channel general as it was when fewer could read it"),
        ("channel/discord:1", "channel", "in channel general as it was when fewer could read it"),
        ("guild/discord:9", "guild", "in guild Garden"),
        ("guild/discord:77", "guild", "in guild discord:77"),
        ("self", "self", "everywhere, about the assistant itself"),
        ("owner", "owner", "for the owner"),
        ("something/new", "something", "in something new"),
    ],
)
def test_compartments(compartment: str, kind: str, words: str) -> None:
    world = World()
    say(world, KIM, GENERAL, "1")
    say(world, KIM, GENERAL._replace(key="2", name="staff", audience="channel"), "2")
    assert compartment_class(compartment) == kind
    assert compartment_words(world.rows, compartment) == words


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (Source("manual"), "manual"),
        (Source("manual", Ref("discord", "1"), Ref("discord", "m")), "manual"),
        (Source("import"), "import"),
        (Source("discord", Ref("discord", "1"), Ref("discord", "m")), "discord general"),
        (Source("discord", Ref("discord", "2"), Ref("discord", "m")), "discord 2"),
        (Source("discord", Ref("discord", "dm:00ff"), Ref("discord", "m")), "discord dm"),
        (Source("model"), "model"),
    ],
)
def test_sources(source: Source, words: str) -> None:
    world = World()
    say(world, KIM, GENERAL, "1")
    assert source_words(world.rows, source) == words


def test_who_did_it() -> None:
    world = World()
    say(world, KIM, GENERAL, "1")
    kim = the_person(world.rows, "Kim")
    assert by_words(world.rows, By("person", kim)) == "Kim"
    assert by_words(world.rows, By("operator")) == "the operator"
    assert by_words(world.rows, By("model", name="offline", version="1")) == "model offline 1"
    assert by_words(world.rows, By("policy", name="capacity@1")) == "policy capacity@1"


@pytest.mark.parametrize("name", ["Kim", "@Kim", " Kim ", "Ki m", "王"])
def test_names_for_somebody_new(name: str) -> None:
    assert new_name(name) == name.strip().removeprefix("@")


@pytest.mark.parametrize("name", ["", "@", "a\nb", "[a]", "x" * 33, "\u200b"])
def test_names_that_nobody_can_have(name: str) -> None:
    with pytest.raises(BadRequest, match="a new name is"):
        new_name(name)


def test_who_is_not_found_is_told_as_they_were_typed() -> None:
    family, rows = "\U0001f469\u200d\U0001f469", World().rows
    with pytest.raises(Unknown, match=f"^nobody here goes by '{family}'"):
        the_person(rows, family)
    with pytest.raises(Unknown, match=r"^nobody here goes by 'Kim\\u200d'"):
        the_person(rows, "Kim\u200d")


def test_a_mistyped_name_is_met_with_the_one_that_is_most_like_it() -> None:
    world = World()
    say(
        world,
        Account("discord", "100", "Tobi"),
        PlaceSeen("discord", "1", "channel", "plot-talk", "guild", guild=GARDEN),
        "1",
    )
    with pytest.raises(Unknown, match=r"nobody here goes by 'Tbi'; did you mean 'Tobi'\? `dnam people` lists"):
        the_person(world.rows, "Tbi")
    with pytest.raises(Unknown, match=r"nobody here goes by '@toby'; did you mean 'Tobi'\?"):
        the_person(world.rows, "@toby")
    for typed in ("plottalk", "#Plot-tlak"):
        with pytest.raises(Unknown, match=rf"no session '{typed}'; did you mean 'plot-talk'\? `dnam sessions` lists"):
            the_session(world.rows, typed)
    with pytest.raises(Unknown, match=r"by 'Zebulon'\. `dnam people` lists"):
        the_person(world.rows, "Zebulon")
    with pytest.raises(Unknown, match=r"by 'Tbi'\. `dnam people` lists"):  # of what cannot be undone nothing is guessed
        the_only_person(world.rows, "Tbi")
    with pytest.raises(Unknown, match=r"by 'Tbi'\. "):  # in a channel others would read the name
        the_scope(world.rows, "person/Tbi")
