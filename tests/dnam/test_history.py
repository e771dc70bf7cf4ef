"""`!memory history`: what a place opens, and nothing that was taken back where others read along."""

import json
from collections.abc import AsyncIterator

import msgspec
import pytest

from dnam.commands.command import Invocation
from dnam.commands.history import MOST_STEPS
from dnam.commands.table import read, run
from dnam.model import Ask
from dnam.whereabouts import Heard
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.events import ItemMoved, ItemRefused, MessageRedacted
from projections.events.values import OPERATOR, By, Intent, Item
from projections.ids import EventId
from projections.items import items_of
from projections.policies.compartments import direct
from tests.dnam.scripted import ScriptedModel
from tests.dnam.test_commands import CLOSED, OPEN
from tests.dnam.test_commands import World as Place
from tests.replay.stage import drafts
from tests.world import NOW

NOT_HERE = "There is no item `{}` here: `!memory show` lists the ids."


class World(Place):
    """The same, with a model that learns what it is told to learn."""

    def __init__(self) -> None:
        super().__init__()
        self.lesson: dict[str, object] = {}
        self.assistant.model = ScriptedModel({"extraction": self._reply})

    def _reply(self, _: Ask) -> str:
        return json.dumps({"upserts": [self.lesson]})

    async def learns(self, heard: Heard, text: str, quote: str) -> str:
        """The id of what the model learned from a message."""
        self.lesson = {"kind": "fact", "text": text, "evidence": [{"quote": quote}]}
        await self.assistant.extract(heard.person)
        return (await self.item(text)).id

    async def item(self, text: str, user: str = "ada") -> Item:
        person = await self.memory.person(user)
        found = await self.memory.look(lambda rows: [each.row.item for each in items_of(rows, person)])
        return next(each for each in found if each.text == text)

    async def event_of(self, item: Item) -> EventId:
        found = await self.memory.look(lambda rows: list(items_of(rows, item.owner)))
        return next(each.row.event for each in found if each.row.item == item)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    made.memory.engine.close()


async def test_what_happened_who_did_it_why_and_what_was_said(world: World) -> None:
    heard = await world.says("ada", "I drink oolong every day")
    item = await world.learns(heard, "Ada drinks oolong.", "I drink oolong")
    await world.memory.edit("ada", item, "Ada drinks green oolong.")
    reply = await world.reply("ada", f"!memory history {item}")
    lines = reply.text.splitlines()
    assert lines[0] == f"**[fact] Ada drinks green oolong.** `{item}` (active, in direct messages)"
    assert (
        ": added by model scripted 1, prompt extraction@4: no item has this id or says this (extraction@1 " in lines[1]
    )
    assert lines[2] == "  Ada drinks oolong."
    assert lines[3].startswith("  > ada, 2023-11-14 ")
    assert lines[3].endswith(': "I drink oolong every day"')
    assert (
        ": changed by ada: asked by the person (matching@2 text@1 own_lengths@1 secrets@1 instructions@4)" in lines[4]
    )
    assert lines[5] == "  Ada drinks **green** oolong."
    assert lines[6:] == [
        "It may be told in: ada's own direct messages. `!memory share` and `keep-private` change that."
    ]
    assert [each.id for each in reply.items] == [item]
    assert not reply.failed


async def test_what_is_taken_back_is_told_in_direct_messages(world: World) -> None:
    item = await world.remembers("ada", "I fear dogs", OPEN)
    await world.asks("ada", "!memory forget I fear dogs", OPEN)
    text = await world.asks("ada", f"!memory history {item}")
    assert "I fear dogs" in text
    assert "  status: active → forgotten" in text
    assert "forgotten by ada: asked by the person; with the words 'I fear dogs'" in text
    for words in (f"history {item}", f"edit {item} I fear cats", f"share {item}", f"keep-private {item}"):
        reply = await world.reply("ada", f"!memory {words}", OPEN)
        assert (reply.text, reply.failed) == (NOT_HERE.format(item), True)
    alone = await world.asks("ada", f"!memory edit {item} I fear cats")
    assert alone == f"The item {item} is forgotten: restore it first, then edit it."


async def test_in_company_only_the_words_that_stand_today(world: World) -> None:
    heard = await world.says("ada", "my secret is a parrot", OPEN)
    item = await world.learns(heard, "Ada keeps a parrot.", "a parrot")
    await world.memory.edit("ada", item, "Ada keeps a bird.")
    there = await world.asks("ada", f"!memory history {item}", OPEN)
    assert "parrot" not in there
    assert "(in other words; `!memory history` tells them in direct messages)" in there
    assert "added by model scripted 1" in there
    assert "  Ada keeps a bird." in there
    alone = await world.asks("ada", f"!memory history {item}")
    assert "~~parrot~~ **bird**" in alone
    assert '"my secret is a parrot"' in alone


async def test_in_company_no_reason_says_what_was_taken_back(world: World) -> None:
    item = await world.remembers("ada", "I fear dogs", OPEN)
    await world.asks("ada", "!memory forget I fear dogs", OPEN)
    await world.asks("ada", f"!memory restore {item}", OPEN)
    lines = (await world.asks("ada", f"!memory history {item}", OPEN)).splitlines()
    assert [line.partition(": ")[2].partition(" (")[0] for line in lines if line.startswith("- ")] == [
        "remembered by ada: asked by the person; no item has this id or says this",
        "forgotten by ada",
        "restored by ada: asked by the person",
    ]
    assert "status" not in "\n".join(lines)


async def test_what_was_learned_elsewhere_and_moved_here_begins_here(world: World) -> None:
    heard = await world.says("ada", "my secret is a parrot")
    await world.learns(heard, "Ada keeps a parrot.", "a parrot")
    item = await world.item("Ada keeps a parrot.")
    guild = "guild/local:garden"
    await world.says("ada", "hello", OPEN)
    moved = ItemMoved(
        said=item.updated, by=By("person", item.owner), causes=(await world.event_of(item),), reason="shared",
        intent=Intent("share"), item=msgspec.structs.replace(item, compartment=guild), from_id=item.id,
        from_compartment=item.compartment,
    )  # fmt: skip
    world.memory.engine.record(drafts(moved, name="moved"))
    there = await world.asks("ada", f"!memory history {item.id}", OPEN)
    assert "secret" not in there
    assert "direct messages" not in there
    assert [line.partition(": ")[2].partition(" ")[0] for line in there.splitlines()[1:2]] == ["moved"]
    alone = await world.asks("ada", f"!memory history {item.id}")
    assert '"my secret is a parrot"' in alone
    assert "it was in direct messages before" in alone


async def test_what_moved_away_is_not_shown_where_it_was(world: World) -> None:
    item_id = await world.remembers("ada", "I fear dogs", OPEN)
    item = await world.item("I fear dogs")
    moved = ItemMoved(
        said=item.updated, by=OPERATOR, causes=(await world.event_of(item),), from_compartment=item.compartment,
        item=msgspec.structs.replace(item, compartment=direct(item.owner)), from_id=item_id,
    )  # fmt: skip
    world.memory.engine.record(drafts(moved, name="away"))
    assert (await world.reply("ada", f"!memory history {item_id}", OPEN)).failed
    assert "I fear dogs" in await world.asks("ada", f"!memory history {item_id}")


async def test_a_message_of_another_place_is_not_quoted(world: World) -> None:
    heard = await world.says("ada", "the gate is broken", CLOSED)
    item = await world.learns(heard, "The gate is broken.", "gate is broken")
    assert '"the gate is broken"' in await world.asks("ada", f"!memory history {item}", CLOSED)
    assert (await world.reply("ada", f"!memory history {item}", OPEN)).failed
    assert (await world.reply("ada", f"!memory history {item}")).failed
    public = await world.remembers("ada", "likes gates", OPEN)
    found = await world.item("likes gates")
    again = msgspec.structs.replace(
        ItemRefused(
            said=0, by=OPERATOR, owner=found.owner, compartment=found.compartment, kind="fact", text="x", reason="no",
            policy="p@1", against=public,
        ),
    )  # fmt: skip
    world.memory.engine.record(drafts(again, name="refused"))
    assert "refused by the operator: no; held against" in await world.asks("ada", f"!memory history {public}")
    assert "refused" not in await world.asks("ada", f"!memory history {public}", OPEN)


async def test_a_redacted_message_is_said_to_be(world: World) -> None:
    heard = await world.says("ada", "I drink oolong")
    item = await world.learns(heard, "Ada drinks oolong.", "oolong")
    world.memory.engine.record(drafts(MessageRedacted(said=0, by=OPERATOR, events=(heard.point.id,)), name="gone"))
    text = await world.asks("ada", f"!memory history {item}")
    assert "  > a message that was redacted (#" in text
    assert "I drink" not in text


async def test_an_edited_message_is_told_as_it_is_and_that_it_was_another(world: World) -> None:
    kim = Account("discord", "100", "Kim")
    first = HeardRequest("1", OPEN, "person", kim, "I drink oolong", NOW, (), addressed=True)
    heard = await world.memory.hear(first)
    world.lesson = {"kind": "fact", "text": "Kim drinks tea.", "evidence": [{"quote": "I drink"}]}
    await world.memory.hear(first._replace(text="I drink sencha", edited=NOW + 5))
    await world.assistant.extract(heard.person)
    asked = Invocation(heard.setting, heard.session)
    (item,) = await world.memory.look(lambda rows: [each.row.item.id for each in items_of(rows, heard.person)])

    async def told() -> str:
        call = read(f"!memory history {item}")
        assert call is not None
        return (await run(world.assistant, asked, call)).text

    assert '"I drink sencha"' in await told()
    assert "edited since" not in await told()
    await world.memory.hear(first._replace(text="I drink gyokuro", edited=NOW + 9))
    assert ' (edited since, and what it said then is gone): "I drink gyokuro"' in await told()
    assert "a message that was redacted" not in await told()


async def test_a_long_history_is_told_from_its_end(world: World) -> None:
    item = await world.remembers("ada", "number 0")
    for number in range(1, MOST_STEPS + 3):
        await world.memory.edit("ada", item, f"number {number}")
    lines = (await world.asks("ada", f"!memory history {item}")).splitlines()
    assert lines[1] == "… 3 earlier"
    assert sum(line.startswith("- ") for line in lines) == MOST_STEPS
    assert lines[-2] == f"  number ~~{MOST_STEPS + 1}~~ **{MOST_STEPS + 2}**"


async def test_nobody_sees_another_s(world: World) -> None:
    item = await world.remembers("ada", "I fear dogs", OPEN)
    for place in (OPEN, None):
        reply = await world.reply("kim", f"!memory history {item}", place)
        assert (reply.text, reply.failed) == (NOT_HERE.format(item), True)


async def test_many_messages_are_counted(world: World) -> None:
    heard = [await world.says("ada", f"tea number {number}") for number in range(5)]
    world.lesson = {"kind": "fact", "text": "Ada counts teas."}
    await world.assistant.extract(heard[0].person)
    item = await world.item("Ada counts teas.")
    text = await world.asks("ada", f"!memory history {item.id}")
    assert text.count("  > ada, ") == 3
    assert "\n  > and 2 more\nIt may be told in: " in text


async def test_an_undo_is_said_to_be_one(world: World) -> None:
    await world.asks("ada", "!memory remember I like tea")
    item = await world.item("I like tea")
    await world.asks("ada", f"!memory share {item.id}")
    await world.asks("ada", "!memory undo")
    told = (await world.asks("ada", f"!memory history {item.id}")).split("\n")
    moves = [line for line in told if ": moved by " in line]
    assert ["an undo of what they did before" in line for line in moves] == [False, True]
    assert "asked by the person; an undo of what they did before; it was everywhere before" in moves[1]
