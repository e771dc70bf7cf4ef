"""Who opted out asks: what was kept before is still theirs to see and to take back."""

from pathlib import Path

import pytest

from dnam.adapters.offline import OfflineModel
from dnam.assistant import Assistant
from dnam.commands.consent import OPTED_OUT
from dnam.conversation import Conversation, Spot
from dnam.languages import load
from dnam.memory import Memory
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ErasureCompleted
from projections.events.values import OPERATOR
from projections.ids import Ref
from replay import codec
from tests.dnam.scripted import FakeClock, settings

KIM = Account("local", "kim", "Kim")
DIRECT = PlaceSeen("local", "", "direct", "", "direct", partner=KIM)
GARDEN = Ref("local", "garden")
OPEN = PlaceSeen("local", "general", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
REPLIES = load("en").replies


def recorded(memory: Memory) -> list[str]:
    """The tags of all events, but for that of an erasure that is completed in the background."""
    stored = memory.engine.store.log.read(0, memory.engine.head().size)
    tags = [codec.decode_header(each.header).tag for each in stored]
    return [tag for tag in tags if tag != ErasureCompleted.TAG]


async def told(talk: Conversation, text: str) -> str:
    """What is replied to a command, or answered."""
    call = talk.command(text)
    if call is not None:
        return (await talk.obey(call)).text
    exchange = await talk.hear(text)
    thought = await talk.think(exchange)
    await talk.delivered(exchange)
    return thought.text


@pytest.mark.parametrize("place", [DIRECT, OPEN], ids=["direct", "open"])
async def test_in_the_terminal_who_opted_out_sees_and_forgets_what_was_kept(tmp_path: Path, place: PlaceSeen) -> None:
    chosen = settings(memory_commands_enabled="1")
    async with Memory.open(tmp_path / "data", settings=chosen, clock=FakeClock()) as memory:
        talk = Conversation(Assistant(memory, OfflineModel(load("en"))), Spot(KIM, place))
        for text in ("I like tea", "I live in Oslo"):
            await told(talk, f"!memory remember {text}")
        await told(talk, "!memory opt-out")
        shown = await told(talk, "!memory show")
        assert "I like tea" in shown
        assert "I live in Oslo" in shown
        assert await told(talk, "!memory remember I like roses") == OPTED_OUT
        assert (await told(talk, "!memory forget I like tea")).startswith("Forgot 1 item(s).")
        assert "I like tea" not in await told(talk, "!memory show")
        assert REPLIES.nobody in await told(talk, "what do you remember about me?")
        assert REPLIES.empty not in await told(talk, "what do you remember about me?")
        await told(talk, "!memory opt-in")
        assert "I live in Oslo" in await told(talk, "what do you remember about me?")


async def test_of_whom_nothing_was_ever_kept_there_is_nothing_to_show(tmp_path: Path) -> None:
    async with Memory.open(tmp_path / "data", settings=settings(memory_commands_enabled="1")) as memory:
        talk = Conversation(Assistant(memory, OfflineModel(load("en"))), Spot(KIM, DIRECT))
        await told(talk, "!memory opt-out")
        await told(talk, "!memory erase yes")
        assert (await told(talk, "!memory show")).startswith("I keep nothing about you")


@pytest.mark.parametrize("gone", [False, True], ids=["known", "erased"])
async def test_who_opted_out_looks_at_lore_and_at_what_is_configured_and_changes_neither(
    tmp_path: Path, gone: bool
) -> None:
    chosen = settings(memory_commands_enabled="1")
    async with Memory.open(tmp_path / "data", settings=chosen, clock=FakeClock()) as memory:
        talk = Conversation(Assistant(memory, OfflineModel(load("en"))), Spot(KIM, OPEN))
        await told(talk, "!memory remember I like tea")
        await memory.remember_nobodys("guild/local:garden", "The gate closes at ten", by=OPERATOR)
        await told(talk, "!memory opt-out")
        if gone:
            await told(talk, "!memory erase yes")
        before = recorded(memory)
        assert "The gate closes at ten" in await told(talk, "!memory lore")
        for text in ("!memory config", "!memory config list"):
            assert (await told(talk, text)).startswith("**What holds here:**\n")
        for text in ("!memory config get me", "!memory config get guild"):
            assert OPTED_OUT not in await told(talk, text)
        for text in ("lore The gate is red", "config set me learn=none", "config unset me learn"):
            assert await told(talk, f"!memory {text}") == OPTED_OUT
        assert recorded(memory) == before
