"""What a button means, as Discord keeps it; and the pages of long replies."""

from typing import get_args

import discord
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dnam.adapters.discord.ui import shown
from dnam.adapters.discord.ui.pressed import MORE, MOST_CHARS, Pressed, What, read
from dnam.adapters.discord.ui.presses import PRESSES
from dnam.adapters.discord.ui.shown import CUT, NOTHING, Lists, Shown, paged
from dnam.commands.command import Invocation, Reply
from projections.ids import EventId

UNHURRIED = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
LONGEST = 2**64 - 1
"""The largest id that Discord can give."""
parts = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=":"), max_size=20)


@UNHURRIED
@given(st.sampled_from(get_args(What)), st.integers(0, LONGEST), st.data())
def test_what_is_written_is_read_back(what: What, user: int, data: st.DataObject) -> None:
    pressed = Pressed(what, user, tuple(data.draw(parts) for _ in range(MORE[what])))
    assert read(pressed.custom_id) == pressed


@UNHURRIED
@given(st.text())
def test_nothing_that_is_no_button_of_ours_is_read(text: str) -> None:
    pressed = read(text)
    assert pressed is None or pressed.custom_id == text


@pytest.mark.parametrize(
    "text", ["", "dnam", "dnam:undo", "dnam:undo:1", "dnam:undo:x:1", "dnam:fly:1", "other:undo:1:2"]
)
def test_what_is_not_whole_is_none(text: str) -> None:
    assert read(text) is None


def test_the_longest_of_each_fits() -> None:
    event, name = bytes(16).hex(), "0" * 16
    for pressed in (
        Pressed("undo", LONGEST, (event,)),
        Pressed("page", LONGEST, (name, "99999")),
        Pressed("more", LONGEST, ("restore", "99999")),
    ):
        assert len(pressed.custom_id) <= MOST_CHARS


def test_every_button_has_something_that_is_done() -> None:
    assert set(PRESSES) == set(get_args(What)) == set(MORE)


def buttons(view: discord.ui.View) -> list[discord.ui.Button[discord.ui.View]]:
    """What hangs on a view, of which nothing is anything else."""
    found = [each for each in view.children if isinstance(each, discord.ui.Button)]
    assert len(found) == len(view.children)
    return found


async def test_a_short_reply_is_one_message_and_an_empty_one_says_so() -> None:
    lists = Lists()
    assert lists.shown(Reply("Hello"), 1) == Shown("Hello")
    assert lists.shown(Reply(""), 1).text == NOTHING
    undone = lists.shown(Reply("Hello", undo=EventId(bytes(16))), 1).view
    assert undone is not None
    assert [each.custom_id for each in buttons(undone)] == [f"dnam:undo:1:{bytes(16).hex()}"]


@UNHURRIED
@given(st.integers(0, 9000), st.sampled_from(["x", "x ", "x\n", "😀", "```\nx\n"]))
async def test_no_page_is_longer_than_a_message(size: int, of: str) -> None:
    reply = Reply((of * size)[:size])
    for first in (Lists().shown(reply, 1, nothing), Lists().shown(reply, 1)):
        assert 0 < len(first.text) <= 2000
    assert all(0 < len(paged(reply, "list", 1, page).text) <= 2000 for page in range(9))


async def nothing(_: Invocation) -> Reply:
    return Reply("")


async def test_only_the_latest_lists_are_kept_and_one_that_is_turned_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "MOST_LISTS", 2)
    lists = Lists()
    names: list[str] = []
    for _ in range(3):
        lists.shown(Reply("x " * 2000), 1, nothing)
        names.append(next(reversed(lists._lists)))
        lists.asked(names[0])
    assert [lists.asked(name) for name in names] == [nothing, None, nothing]


async def test_a_long_reply_to_what_changed_something_has_no_further_pages() -> None:
    lists = Lists()
    text, view, *_ = lists.shown(Reply("x " * 2000, undo=EventId(bytes(16))), 1)
    assert text.endswith(f"\n{CUT}")
    assert view is not None
    assert [each.label for each in buttons(view)] == ["Undo"]
    assert not lists._lists


async def test_a_list_that_became_short_is_one_page() -> None:
    assert paged(Reply("Hello"), "list", 1, 3) == Shown("Hello")
