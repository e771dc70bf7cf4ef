"""`!memory redact`, `erase-guild` and `compact`: who may, what they do, and what they say."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from dnam.commands.compact import NO_DISK
from dnam.commands.erase_guild import NO_SERVER, NOT_MANAGING
from dnam.commands.redact import NOT_YOURS
from dnam.commands.table import confirmed, read, run
from dnam.languages import load
from dnam.memory import Memory
from dnam.whereabouts import Heard
from projections.decisions.place import PlaceSeen
from projections.events import ItemForgotten, ItemRedacted, MessageHeard, MessageRedacted, TurnAnswered
from projections.events.values import OPERATOR, By, Evidence
from projections.ids import NOBODY, Ref
from replay.engine import Engine
from replay.store import DiskStore
from tests.dnam.discord.stage import events
from tests.dnam.scripted import FakeClock, ScriptedModel, settings

GARDEN = Ref("discord", "1")
OPEN = PlaceSeen("discord", "7", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
LINK = "https://discord.com/channels/1/7/"


class Town:
    """A memory in which people talk in one open channel of a server."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.assistant = Assistant(memory, ScriptedModel())

    async def says(self, user: str, text: str, key: str) -> Heard:
        return await self.memory.heard(user, text, place=OPEN, platform="discord", key=key)

    async def asks(self, asked: Invocation, text: str) -> Reply:
        call = read(f"!memory {text}")
        assert call is not None
        return await run(self.assistant, asked, call)

    def words(self) -> list[str]:
        return [each.message.text for each in events(self.memory, MessageHeard)]


def asking(
    heard: Heard, *, is_owner: bool = False, manages: bool = False, told: bool = False, buttons: bool = False
) -> Invocation:
    return Invocation(heard.setting, heard.session, is_owner, manages, told, has_buttons=buttons)


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    async with Memory.open(tmp_path / "data", settings=settings(), clock=FakeClock()) as memory:
        yield Town(memory)


# -- redact --------------------------------------------------------------------------------------------------------


async def test_what_was_forgotten_of_a_message_goes_with_it_and_is_not_brought_back(town: Town) -> None:
    heard = await town.says("kim", "I grow pumpkins", "101")
    asked = asking(heard)
    evidence = (Evidence(heard.text, heard.point.id, Ref("discord", "101")),)
    kept = await town.memory.remember(heard.person, heard.text, setting=heard.setting, evidence=evidence)
    assert (await town.asks(asked, f"forget {kept.text}")).text.startswith("Forgot 1 item(s).")
    assert (await town.asks(asked, "redact 101")).text.startswith("Taken back")
    assert (events(town.memory, ItemForgotten), events(town.memory, ItemRedacted)) == ([], [])
    back = await town.asks(asked, f"restore {kept.id}")
    assert back.failed
    assert back.text.endswith("What was learned from a message that was taken back is gone with it, for good.")


@pytest.mark.parametrize(
    "name", ["101", "discord:101", f"{LINK}101", f"<{LINK}101>", "https://discord.com/channels/@me/7/101"]
)
async def test_whoever_wrote_a_message_takes_it_back(town: Town, name: str) -> None:
    heard = await town.says("kim", "I grow pumpkins", "101")
    await town.says("kim", "and roses", "102")
    reply = await town.asks(asking(heard), f"redact {name}")
    assert reply.text.startswith("Taken back: its words are gone here. What you asked me to keep stays")
    assert town.words() == ["and roses"]
    (redacted,) = events(town.memory, MessageRedacted)
    assert redacted.by == By("person", NOBODY)  # it lies in the clear
    again = await town.asks(asking(heard), f"redact {name}")
    assert (again.text, again.failed) == (NOT_YOURS, True)


async def test_nobody_else_does_but_the_owner_and_nothing_is_found_out_by_it(town: Town) -> None:
    await town.says("kim", "I grow pumpkins", "101")
    other = await town.says("ada", "hm", "102")
    there, nowhere = [await town.asks(asking(other, manages=True), f"redact {each}") for each in ("101", "404")]
    assert there == nowhere == Reply(NOT_YOURS, failed=True)
    assert town.words() == ["I grow pumpkins", "hm"]
    told = await town.asks(asking(other, is_owner=True), f"redact {LINK}101")
    assert told.text.startswith("This takes back a message of kim's, here and with what was made of it alone, for good")
    assert told.text.endswith(f"To do it: `!memory redact {LINK}101 yes`")
    assert town.words() == ["I grow pumpkins", "hm"]
    assert (await town.asks(asking(other, is_owner=True), "redact 101 please")).failed
    assert (await town.asks(asking(other), "redact 101 yes")).text == NOT_YOURS
    done = await town.asks(asking(other, is_owner=True), "redact 101 yes")
    assert (done.failed, "What its author asked me to keep stays" in done.text) == (False, True)
    assert town.words() == ["hm"]
    (redacted,) = events(town.memory, MessageRedacted)
    assert redacted.by == OPERATOR
    told = await town.asks(asking(other, is_owner=True, told=True), "redact 404")
    assert told.text.startswith("No message '404' is known here")
    assert (await town.asks(asking(other, is_owner=True), "redact 404")).text == NOT_YOURS


async def test_an_answer_is_taken_back_by_whom_it_answers(town: Town) -> None:
    heard = await town.says("kim", "roses?", "101")
    other = await town.says("ada", "hm", "102")
    answered = await town.assistant.answer(heard)
    await town.memory.delivered(heard, answered.turn, (Ref("discord", "103"),))
    assert (await town.asks(asking(other), "redact 103")).text == NOT_YOURS
    assert (await town.asks(asking(heard), "redact 103")).text.startswith("Taken back")
    assert events(town.memory, TurnAnswered) == []
    assert town.words() == ["roses?", "hm"]


async def test_where_there_are_buttons_the_owner_is_asked_as_well(town: Town) -> None:
    """A link may be the wrong one there too, and what is taken back is gone for good."""
    await town.says("kim", "I grow pumpkins", "101")
    other = await town.says("ada", "hm", "102")
    asked = asking(other, is_owner=True, buttons=True)
    assert (await town.asks(asked, "redact 101")).text.endswith("To do it: `!memory redact 101 yes`")
    assert town.words() == ["I grow pumpkins", "hm"]
    assert (await town.asks(asked, "redact 101 yes")).text.startswith("Taken back")
    assert (await town.asks(asked, "redact 102")).text.startswith("Taken back")


async def test_an_answer_to_somebody_else_is_taken_back_once_it_is_confirmed(town: Town) -> None:
    heard = await town.says("kim", "roses?", "101")
    other = await town.says("ada", "hm", "102")
    answered = await town.assistant.answer(heard)
    await town.memory.delivered(heard, answered.turn, (Ref("discord", "103"),))
    assert "an answer to kim" in (await town.asks(asking(other, is_owner=True), "redact 103")).text
    assert (await town.asks(asking(other, is_owner=True), "redact 103 yes")).text.startswith("Taken back")
    assert events(town.memory, TurnAnswered) == []


async def test_what_was_made_of_it_is_counted(town: Town) -> None:
    heard = await town.says("kim", "roses?", "101")
    await town.assistant.answer(heard)
    reply = await town.asks(asking(heard), "redact 101")
    assert reply.text.startswith("Taken back: its words are gone here, and so is what was made of it (1 event).")


# -- a server ------------------------------------------------------------------------------------------------------


async def test_a_server_is_erased_by_who_manages_it_once_it_is_confirmed(town: Town) -> None:
    heard = await town.says("kim", "I grow pumpkins", "101")
    assert (await town.asks(asking(heard), "erase-guild yes")).text == NOT_MANAGING
    manager = asking(heard, manages=True)
    told = await town.asks(manager, "erase-guild")
    assert told.text.startswith("**Erasing this server takes away, for good:** 1 message")
    assert told.text.endswith("To do it: `!memory erase-guild yes`")
    assert (await town.asks(manager, "erase-guild sure")).failed
    assert town.words() == ["I grow pumpkins"]
    assert (await town.asks(manager, "erase-guild yes")).text.startswith("**Erased:** 1 message")
    assert town.words() == []


async def test_by_a_button_where_there_is_one_and_who_may_is_looked_at_again(town: Town) -> None:
    heard = await town.says("kim", "I grow pumpkins", "101")
    owner = asking(heard, is_owner=True, buttons=True)
    told = await town.asks(owner, "erase-guild yes")
    assert (told.confirm, told.text.endswith("To do it, press *Erase this server* below.")) == ("erase-guild", True)
    assert (await confirmed(town.assistant, asking(heard), "erase-guild")).text == NOT_MANAGING
    assert town.words() == ["I grow pumpkins"]
    assert (await confirmed(town.assistant, owner, "erase-guild")).text.startswith("**Erased:** 1 message")
    assert town.words() == []


async def test_where_there_is_no_server_there_is_none_to_erase(town: Town) -> None:
    heard = await town.memory.heard("kim", "hello", platform="discord", key="101")
    assert (await town.asks(asking(heard, is_owner=True), "erase-guild")).text == NO_SERVER


# -- compact -------------------------------------------------------------------------------------------------------


async def test_the_owner_has_what_was_taken_back_leave_the_disk(town: Town) -> None:
    heard = await town.says("kim", "I grow pumpkins", "101")
    assert (await town.asks(asking(heard), "compact")).text == "Only the owner of this bot can ask for that."
    await town.asks(asking(heard), "redact 101")
    log = town.memory.engine.store.log
    reply = await town.asks(asking(heard, is_owner=True), "compact")
    assert reply.text.startswith(f"Written anew: {log.head().size} events. Log and views took ")
    assert reply.text.endswith(" now.")
    store = town.memory.engine.store
    assert isinstance(store, DiskStore)
    (store.path / "replaced" / "000001").mkdir(parents=True)
    reply = await town.asks(asking(heard, is_owner=True), "compact")
    assert reply.text.endswith(" now. Not written anew: 1 older log in `replaced`, which you may remove.")
    assert town.words() == []


async def test_what_lies_on_no_disk_is_not_compacted() -> None:
    town = Town(Memory(Engine.in_memory(FakeClock()), settings(), load("en")))
    heard = await town.says("kim", "hello", "101")
    assert await town.asks(asking(heard, is_owner=True), "compact") == Reply(NO_DISK, failed=True)
    town.memory.engine.close()
