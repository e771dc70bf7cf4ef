"""Who can read a place: what is not known is closed."""

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from dnam.adapters.discord.askers import place_of_interaction
from dnam.adapters.discord.places import audience_of, guild_id_of, is_direct, place_of, queue_of
from projections.decisions.meet import Account
from projections.ids import Ref
from tests.dnam.discord.made import CONNECT, EVERYONE, HISTORY, VIEW, channel, direct, guild, state, thread
from tests.dnam.discord.made import message as made_message


@pytest.mark.parametrize(
    ("data", "everyone", "audience", "kind"),
    [
        (channel(), EVERYONE, "guild", "channel"),
        (channel(hidden=True), EVERYONE, "channel", "channel"),
        (channel(), 0, "channel", "channel"),
        (channel(), VIEW, "channel", "channel"),
        (channel(), HISTORY, "channel", "channel"),
        (channel(kind=5), EVERYONE, "guild", "channel"),
        (channel(kind=15), EVERYONE, "guild", "forum"),
        (channel(kind=2, bitrate=1, user_limit=0), EVERYONE, "channel", "voice"),
        (channel(kind=2, bitrate=1, user_limit=0), EVERYONE | CONNECT, "guild", "voice"),
        (channel(kind=13, bitrate=1, user_limit=0), EVERYONE | CONNECT, "guild", "stage"),
    ],
)
def test_a_channel_is_the_guild_s_when_everyone_reads_it(
    data: dict[str, Any], everyone: int, audience: str, kind: str
) -> None:
    there = guild(everyone, (data,)).get_channel(10)
    assert there is not None
    place = place_of(there)
    assert (place.audience, place.kind, place.key, place.name) == (audience, kind, "10", "channel-10")
    assert (place.guild, place.guild_name, place.parent) == (Ref("discord", "7"), "Garden", None)


@pytest.mark.parametrize(
    ("kind", "hidden", "parent", "audience"),
    [(11, False, 10, "guild"), (10, False, 10, "guild"), (11, True, 10, "channel"), (12, False, 10, "channel"),
     (11, False, 404, "channel")],
)  # fmt: skip
def test_an_open_thread_has_its_parent_s_audience(kind: int, hidden: bool, parent: int, audience: str) -> None:
    place = place_of(thread(guild(channels=(channel(hidden=hidden),)), kind, parent))
    assert (place.audience, place.kind, place.parent) == (audience, "thread", Ref("discord", str(parent)))
    assert queue_of(place) == "discord:thread:20"


@pytest.mark.parametrize(("above", "named"), [(0, "channel"), (15, "forum")])
def test_a_thread_comes_with_its_channel_as_that_is(above: int, named: str) -> None:
    home = guild(channels=(channel(kind=above),))
    place = place_of(thread(home, 11, 10))
    assert place.above == place_of(home.get_channel(10))  # type: ignore[arg-type] # it is one
    assert place.above is not None
    assert (place.above.kind, place.above.name, place.above.above) == (named, "channel-10", None)
    assert place_of(thread(home, 11, 404)).above is None  # not in the cache: nobody knows its name


def test_a_dm_is_its_person_s() -> None:
    place = place_of(direct())
    assert (place.audience, place.partner, place.guild) == ("direct", Account("discord", "1", "Kim", "kim"), None)
    assert queue_of(place) == "discord:dm:1"


def test_what_is_not_known_is_closed() -> None:
    unknown = discord.PartialMessageable(state=state(), id=10, guild_id=7)
    assert place_of(unknown).audience == "channel"
    assert audience_of(None) == audience_of(object()) == "channel"
    uncached = guild(channels=(channel(),), roles=False).get_channel(10)
    assert audience_of(uncached) == "channel"
    assert queue_of(place_of(unknown)) == "discord:channel:10"


def test_a_place_in_a_server_that_is_not_in_the_cache_is_nobody_s_dm() -> None:
    kim = made_message(where=discord.PartialMessageable(state=state(), id=10, guild_id=7)).author
    for kind in (None, discord.ChannelType.text, discord.ChannelType.private):
        where = discord.PartialMessageable(state=state(), id=10, guild_id=7, type=kind)
        seen = place_of(where, kim)
        assert (seen.audience, seen.partner, seen.key, seen.guild) == ("channel", None, "10", Ref("discord", "7"))
        assert not seen.told, "nobody says who can read it: nothing that is known of it changes by that"
        assert (guild_id_of(where), is_direct(where)) == (7, False)


def test_a_place_of_which_not_even_the_kind_is_known_is_nobody_s_dm() -> None:
    where = discord.PartialMessageable(state=state(), id=10)
    seen = place_of(where, made_message().author)
    assert (seen.audience, seen.partner, seen.guild) == ("channel", None, None)
    assert (guild_id_of(where), is_direct(where)) == (None, False)
    assert (guild_id_of(direct()), is_direct(direct())) == (None, True)
    group = discord.ChannelType.group
    assert not is_direct(discord.PartialMessageable(state=state(), id=10, type=group))


def test_nobody_says_who_can_read_a_channel_of_a_server_that_is_away() -> None:
    home = guild(channels=(channel(),))
    there = home.get_channel(10)
    assert there is not None
    assert place_of(there).told
    home.unavailable = True
    assert not place_of(there).told


def test_a_channel_that_only_an_interaction_brings_is_closed() -> None:
    """Discord describes it there without who is kept out of it."""
    home = guild(channels=(channel(),))
    described: Any = channel(11)
    brought = discord.TextChannel(state=home._state, guild=home, data=described)
    assert place_of_interaction(used(home, brought)).audience == "channel"
    assert place_of_interaction(used(home, home.get_channel(10))).audience == "guild"
    assert place_of_interaction(used(home, thread(home, 11, 10))).audience == "guild", "it has its channel's readers"


def used(home: discord.Guild, where: Any) -> Any:
    """Something is used in a server: as much of that as its place is told by."""
    return SimpleNamespace(channel=where, channel_id=where.id, guild_id=home.id, user=made_message().author)


class Novel(discord.TextChannel):
    """A kind of channel that this program has not heard of."""

    @property
    def type(self) -> Any:  # type: ignore[override]  # discord.py's own is a Literal of the kinds it knows
        return discord.enums.try_enum(discord.ChannelType, 77)


def test_a_kind_of_channel_that_is_new_is_closed() -> None:
    home = guild()
    data: Any = channel()
    novel = Novel(state=home._state, guild=home, data=data)
    assert (place_of(novel).audience, place_of(novel).kind) == ("channel", "unknown")
