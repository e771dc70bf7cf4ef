"""`share` and `keep-private` onto an id under which something else is said there: both are kept, and that is told."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from projections.events.values import Item
from replay.audit import audit
from replay.reading import Reader
from tests.dnam.test_commands import CLOSED, OPEN, World

SHARED = "It may be told wherever I answer you, in front of whoever reads along there."
BOTH = "What has the id `{was}` there says something else: this has one of its own, and both are kept."


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    made.memory.engine.close()


async def said(world: World) -> dict[tuple[str, str], Item]:
    """Every active item by its address, but for when it was last changed."""
    items = await world.memory.show("ada")
    return {(each.compartment, each.id): msgspec.structs.replace(each, updated=0) for each in items}


async def texts(world: World) -> list[tuple[str, str]]:
    """Where what is said, the last part of the compartment."""
    return sorted((where.rsplit("/", 1)[1], item.text) for (where, _), item in (await said(world)).items())


async def coffee_everywhere(world: World) -> str:
    """The id of tea, under which coffee is told everywhere; and tea in direct messages."""
    tea = await world.remembers("ada", "I like tea")
    for command in (f"share {tea}", f"edit {tea} I like coffee"):
        assert not (await world.reply("ada", f"!memory {command}")).failed
    assert await world.remembers("ada", "I like tea") == tea
    return tea


async def test_neither_text_is_lost_and_the_reply_says_which_id_it_has_now(world: World) -> None:
    tea = await coffee_everywhere(world)
    before = await said(world)
    reply = await world.reply("ada", f"!memory share {tea}")
    (item,) = reply.items
    assert item.id.startswith(tea)
    assert len(item.id) > len(tea)
    assert reply.text == (
        f"Shared: I like tea\n{SHARED} (`{item.id}`; `!memory keep-private` is the other way)\n{BOTH.format(was=tea)}"
    )
    assert await texts(world) == [("everywhere", "I like coffee"), ("everywhere", "I like tea")]
    shown = await world.asks("ada", "!memory show", OPEN)
    assert ("I like tea" in shown, "I like coffee" in shown) == (True, True)
    assert (await world.asks("ada", "!memory undo")).splitlines()[1] == f"- [fact] I like tea `{tea}`"
    assert await said(world) == before


async def test_its_past_and_that_of_the_other_one_are_told_under_either_id(world: World) -> None:
    tea = await coffee_everywhere(world)
    (item,) = (await world.reply("ada", f"!memory share {tea}")).items
    person = await world.memory.person("ada")
    found = await world.memory.look(lambda rows: audit(rows, Reader(world.memory.engine.live), person, tea))
    told = {each.life.address.id: [step.happened for step in each.life.steps] for each in found}
    assert told == {tea: ["remembered", "moved", "changed"], item.id: ["remembered", "moved"]}
    history = await world.asks("ada", f"!memory history {item.id}")
    assert f"{tea} says something else there" in history


async def test_both_ways_again_and_again_each_is_as_it_was(world: World) -> None:
    tea = await coffee_everywhere(world)
    states, item = [await said(world)], tea
    for command in ("share", "keep-private", "share"):
        (moved,) = (await world.reply("ada", f"!memory {command} {item}")).items
        item = moved.id
        states.append(await said(world))
    assert len({len(each) for each in states}) == 1
    for before in states[-2::-1]:
        assert not (await world.reply("ada", "!memory undo")).failed
        assert await said(world) == before


async def test_of_two_of_one_id_that_say_two_things_both_are_told(world: World) -> None:
    tea = await world.remembers("ada", "I like tea", OPEN)
    await world.asks("ada", f"!memory edit {tea} I like coffee", OPEN)
    await world.asks("ada", "!memory remember I like tea", CLOSED)
    before = await said(world)
    reply = await world.reply("ada", f"!memory share {tea}", CLOSED)
    assert sorted(each.text for each in reply.items) == ["I like coffee", "I like tea"]
    assert reply.text.count("Shared: ") == 2
    assert reply.text.count("says something else") == 1
    assert not (await world.reply("ada", "!memory undo", CLOSED)).failed
    assert await said(world) == before


async def test_what_lies_in_direct_messages_is_not_told_of_in_company(world: World) -> None:
    tea = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory edit {tea} I like coffee")
    assert await world.remembers("ada", "I like tea", OPEN) == tea
    reply = await world.reply("ada", f"!memory keep-private {tea}", OPEN)
    (moved,) = [each.id for each in await world.memory.show("ada") if each.text == "I like tea"]
    assert moved != tea
    assert "says something else" not in reply.text
    assert "durable-" not in reply.text
    assert reply.items == ()
    assert await texts(world) == [("direct", "I like coffee"), ("direct", "I like tea")]


async def test_where_it_says_the_same_it_is_one_and_nothing_more_is_told(world: World) -> None:
    tea = await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory share {tea}")
    assert await world.remembers("ada", "I like tea") == tea
    reply = await world.reply("ada", f"!memory share {tea}")
    assert reply.text == f"Shared: I like tea\n{SHARED} (`{tea}`; `!memory keep-private` is the other way)"
    assert await texts(world) == [("everywhere", "I like tea")]
