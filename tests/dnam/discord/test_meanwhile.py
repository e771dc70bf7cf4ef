"""What was deleted or edited while the bot was away is gone here too, as far back as a place is read."""

from pathlib import Path

import pytest

from dnam.adapters.discord import catching_up, history
from projections.events import MessageDeleted, MessageEdited, TurnWithdrawn
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle
from tests.loopback.discord import Message, World
from tests.loopback.discord.permissions import Permission


async def said(world: World, here: Garden, path: Path, count: int, reads: str = "20") -> list[Message]:
    """Kim says so many things; then the bot goes away."""
    async with bot_in(world, path, message_history_count=reads) as bot:
        messages = [await here.kim.says(here.general, f"number {n}") for n in range(count)]
        await idle(world, bot)
    return messages


def reads(world: World, here: Garden) -> int:
    """How many requests read #general back."""
    return len(world.requests("GET", f"/channels/{here.general.id}/messages"))


@pytest.mark.parametrize(("count", "gone"), [("20", [0, 1, 2]), ("0", [0, 1, 2]), ("20", [0]), ("2", [0, 2])])
async def test_what_was_deleted_is_gone(tmp_path: Path, count: str, gone: list[int]) -> None:
    async with garden() as (world, here):
        messages = await said(world, here, tmp_path, 3)
        for each in gone:
            await here.kim.deletes(messages[each])
        before = reads(world, here)
        async with bot_in(world, tmp_path, message_history_count=count) as bot:
            assert heard(bot) == [f"number {n}" for n in range(3) if n not in gone]
            assert reads(world, here) - before == 1
            one = world.requests("GET", f"/channels/{here.general.id}/messages/{messages[2].id}")
            assert len(one) == (1 if len(gone) == 3 else 0)


async def test_it_is_found_far_back_and_so_is_an_edit_and_nothing_else_is_heard_there(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await here.ada.says(here.general, "before it came")
        messages = await said(world, here, tmp_path, 5, reads="0")
        await here.kim.deletes(messages[0])
        await here.kim.edits(messages[1], "Number 1!")
        async with bot_in(world, tmp_path, message_history_count="2", respond_mode="all") as bot:
            assert heard(bot) == ["Number 1!", "number 2", "number 3", "number 4"]
            assert (len(events(bot, MessageEdited)), len(events(bot, MessageDeleted))) == (1, 1)
            assert world.bot_messages(here.general) == []
        async with bot_in(world, tmp_path, message_history_count="2") as bot:
            assert (len(events(bot, MessageEdited)), len(events(bot, MessageDeleted))) == (1, 1)


async def test_no_more_is_read_than_so_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "PAGE", 2)
    monkeypatch.setattr(history, "MOST_READ", 4)
    monkeypatch.setattr(catching_up, "MOST_GONE", 1)
    async with garden() as (world, here):
        messages = await said(world, here, tmp_path, 9)
        for each in (1, 5, 6):
            await here.kim.deletes(messages[each])
        before = reads(world, here)
        async with bot_in(world, tmp_path, message_history_count="1") as bot:
            assert heard(bot) == [f"number {n}" for n in range(9) if n not in (5, 6)]
            assert reads(world, here) - before == 2


async def test_no_more_is_read_than_the_log_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "PAGE", 2)
    async with garden() as (world, here):
        for number in range(6):
            await here.ada.says(here.general, f"earlier {number}")
        messages = await said(world, here, tmp_path, 3, reads="0")
        await here.kim.deletes(messages[1])
        before = reads(world, here)
        async with bot_in(world, tmp_path, message_history_count="0") as bot:
            assert heard(bot) == ["number 0", "number 2"]
            assert reads(world, here) - before == 1


async def test_what_may_not_be_read_any_more_is_not_gone(tmp_path: Path) -> None:
    async with garden() as (world, here):
        await said(world, here, tmp_path, 2)
        here.guild.permit(here.general, world.bot, deny=Permission.READ_MESSAGE_HISTORY)
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "are you there?", mention=world.bot)
            await idle(world, bot)
            assert heard(bot) == ["number 0", "number 1", "@marcy are you there?"]


async def test_it_is_gone_also_from_when_others_could_read_it(tmp_path: Path) -> None:
    async with garden() as (world, here):
        messages = await said(world, here, tmp_path, 2)
        here.general.overwrites = list(here.cellar.overwrites)
        world.state.changed_channel(here.general)
        await here.kim.deletes(messages[0])
        async with bot_in(world, tmp_path) as bot:
            assert heard(bot) == ["number 1"]


async def test_an_answer_that_was_deleted_is_withdrawn(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await here.kim.says(here.general, "I see")
            await idle(world, bot)
        here.guild.role("gardener", Permission.MANAGE_MESSAGES, here.ada)
        await here.ada.deletes(world.bot_messages(here.general)[0])
        async with bot_in(world, tmp_path, message_history_count="1") as bot:
            assert (heard(bot), len(events(bot, TurnWithdrawn))) == (["@marcy roses?", "I see"], 1)
