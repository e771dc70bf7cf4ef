"""What the bot may do in a place, as far as is known: nothing is raised where the cache does not know."""

from typing import Any

import discord
import pytest

from dnam.adapters.discord.appearing import may_read_back, may_send, own_rights
from dnam.adapters.discord.cog import _sees
from tests.dnam.discord.made import BOT, EVERYONE, HISTORY, OWN, VIEW, channel, direct, guild, thread

SEND = 1 << 11
IN_THREADS = 1 << 38


def home(rights: int, *, is_there: bool = True) -> discord.Guild:
    """A server that the bot is in, and in whose cache it `is_there`."""
    made = guild(rights, (channel(),))
    made._state.user = discord.ClientUser(state=made._state, data=BOT)  # type: ignore[arg-type]  # the rest of a user is not needed
    if is_there:
        data: Any = {"user": BOT, "roles": [], "joined_at": "2023-11-15T00:00:00+00:00", "deaf": False, "mute": False}
        made._add_member(discord.Member(data=data | {"flags": 0}, guild=made, state=made._state))
        assert made.me.id == OWN
    return made


@pytest.mark.parametrize(
    ("rights", "in_channel", "in_thread", "reads"),
    [(EVERYONE | SEND, True, False, True), (VIEW | IN_THREADS, False, True, False), (HISTORY, False, False, False)],
)
def test_what_is_known_holds(rights: int, in_channel: bool, in_thread: bool, reads: bool) -> None:
    here = home(rights)
    above, below = here.get_channel(10), thread(here, 11, 10)
    assert isinstance(above, discord.TextChannel)
    assert (may_send(above), may_send(below)) == (in_channel, in_thread)
    assert may_read_back(above) == may_read_back(below) == reads
    assert _sees(above) == _sees(below) == bool(rights & VIEW)


def test_in_a_thread_whose_channel_is_unknown_nothing_is_known_against_it() -> None:
    below = thread(home(0), 11, 404)
    assert below.parent is None
    assert own_rights(below) is None
    assert may_send(below)
    assert may_read_back(below)
    assert _sees(below)


def test_neither_where_the_bot_itself_is_unknown() -> None:
    here = home(0, is_there=False).get_channel(10)
    assert own_rights(here) is None
    assert may_send(here)


def test_in_direct_messages_there_are_no_rights() -> None:
    there = direct()
    assert may_send(there)
    assert may_read_back(there)
    assert not _sees(there)
