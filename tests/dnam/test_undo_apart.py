"""Undo of a move that made one of two: both are there again, each as it was."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from dnam.commands.command import Invocation, Reply
from dnam.commands.undo import NOTHING, OUTDATED, undo_change
from projections.events import ItemMoved
from projections.events.values import OPERATOR, Item
from projections.items import forgotten_of, items_of
from replay.group import Recorded
from tests.dnam.test_commands import CLOSED, OPEN, World

MOVED = "this is told again where it was told before, and nowhere else"


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    yield made
    made.memory.engine.close()


async def stands(world: World) -> dict[tuple[str, str], Item]:
    """Every active item by its address, but for when it was last changed."""
    items = await world.memory.show("ada")
    return {(each.compartment, each.id): msgspec.structs.replace(each, updated=0) for each in items}


async def all_of(world: World) -> dict[bytes, Item]:
    """Every item, of every status, but for when it was last changed."""
    person = await world.memory.person("ada")
    found = await world.memory.look(lambda rows: list(items_of(rows, person)))
    return {each.key: msgspec.structs.replace(each.row.item, updated=0) for each in found}


async def refusals(world: World) -> list[tuple[str, str]]:
    """What is refused, and where."""
    person = await world.memory.person("ada")
    found = await world.memory.look(lambda rows: list(forgotten_of(rows, person)))
    return [(each.row.compartment, each.row.text) for each in found]


async def two(world: World) -> str:
    """The same in direct messages and everywhere, under one id: the second was said twice."""
    item = await world.remembers("ada", "I like tea", OPEN)
    await world.asks("ada", f"!memory share {item}", OPEN)
    assert [await world.remembers("ada", "I like tea") for _ in range(2)] == [item, item]
    assert sorted(each.source_count for each in (await stands(world)).values()) == [1, 2]
    return item


async def presses(world: World, reply: Reply) -> Reply:
    heard = await world.memory.heard("ada", "hello")
    assert reply.undo is not None
    return await undo_change(world.assistant, Invocation(heard.setting, heard.session), reply.undo)


@pytest.mark.parametrize("way", ["share", "keep-private"])
async def test_both_are_there_again_as_they_were(world: World, way: str) -> None:
    item = await two(world)
    before = await stands(world)
    await world.asks("ada", f"!memory {way} {item}")
    assert len(await stands(world)) == 1
    told = await world.asks("ada", "!memory undo")
    assert told == (
        f"Undone `{way}`: {MOVED}.\n- [fact] I like tea `{item}`\n"
        f"An item of its own again, as it was before:\n- [fact] I like tea `{item}`"
    )
    assert await stands(world) == before


async def test_several_that_moved_at_once_move_back_at_once(world: World) -> None:
    """Whatever ends the program: there is no moment at which half of them is back."""
    item = await world.remembers("ada", "I like tea", OPEN)
    assert await world.remembers("ada", "I like tea", CLOSED) == item
    await world.asks("ada", f"!memory edit {item} I like green tea", OPEN)
    before = await stands(world)
    await world.asks("ada", f"!memory keep-private {item}", CLOSED)
    assert len({id for _, id in await stands(world)}) == 2
    commits = list[Recorded]()
    world.memory.watchers.append(commits.append)
    assert (await world.asks("ada", "!memory undo", CLOSED)).startswith("Undone `keep-private`")
    moves = [sum(isinstance(event, ItemMoved) for event in each.events) for each in commits]
    assert list(filter(None, moves)) == [2]
    assert await stands(world) == before


async def test_its_button_makes_one_of_them_again_and_that_is_the_next_to_undo(world: World) -> None:
    item = await two(world)
    before = await stands(world)
    shared = await world.reply("ada", f"!memory share {item}")
    one = await stands(world)
    undone = await presses(world, shared)
    assert await stands(world) == before
    assert (await presses(world, undone)).text.startswith("Undone `keep-private`: ")
    assert await stands(world) == one
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `share`: ")
    assert await stands(world) == before


@pytest.mark.parametrize(
    ("text", "together"), [("I LIKE tea", ["I LIKE tea"]), ("I like black tea", ["I like black tea", "I like tea"])]
)
async def test_asked_for_once_more_each_of_the_two_has_its_own_past(
    world: World, text: str, together: list[str]
) -> None:
    item = await world.remembers("ada", "I like tea", OPEN)
    await world.asks("ada", f"!memory share {item}", OPEN)
    await world.remembers("ada", "I like tea")
    await world.asks("ada", f"!memory edit {item} {text}")
    await world.asks("ada", f"!memory share {item}")
    assert sorted(each.text for each in (await stands(world)).values()) == together
    left = []
    for undone in ("share", "edit", "remember", "share", "remember"):
        assert (await world.asks("ada", "!memory undo")).startswith(f"Undone `{undone}`: ")
        left.append(sorted(each.text for each in (await stands(world)).values()))
    assert left == [[text, "I like tea"], ["I like tea", "I like tea"], *[["I like tea"]] * 2, []]
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)


async def test_what_was_hidden_in_between_comes_apart_all_the_same(world: World) -> None:
    item, states = await two(world), [await stands(world)]
    for command in ("share", "keep-private", "share"):
        await world.asks("ada", f"!memory {command} {item}")
        states.append(await stands(world))
    assert [len(each) for each in states] == [2, 1, 1, 1]
    for before in states[-2::-1]:
        assert not (await world.reply("ada", "!memory undo")).failed
        assert await stands(world) == before


async def test_of_what_was_changed_since_the_change_is_undone_first(world: World) -> None:
    item = await two(world)
    before = await stands(world)
    shared = await world.reply("ada", f"!memory share {item}")
    for each in (f"edit {item} I like rain", f"forget {item}"):
        await world.asks("ada", f"!memory {each}")
    assert await presses(world, shared) == Reply(OUTDATED, failed=True)
    undone = [(await world.asks("ada", "!memory undo")).partition(":")[0] for _ in range(3)]
    assert undone == ["Undone `forget`", "Undone `edit`", "Undone `share`"]
    assert await stands(world) == before


async def test_what_the_operator_made_of_both_since_is_not_undone(world: World) -> None:
    item = await two(world)
    await world.asks("ada", f"!memory share {item}")
    await world.memory.edit("ada", item, "Ada likes tea", by=OPERATOR)
    assert await world.reply("ada", "!memory undo") == Reply(NOTHING, failed=True)
    assert [each.text for each in (await stands(world)).values()] == ["Ada likes tea"]


async def test_what_was_said_of_both_since_stays_where_it_is_put_back_by_hand(world: World) -> None:
    item = await two(world)
    (there,) = [each for each in await world.memory.show("ada") if each.compartment.endswith("everywhere")]
    await world.asks("ada", f"!memory share {item}")
    (one,) = await world.memory.edit("ada", item, "I like tea with milk")
    back, again = await world.memory.move_back(one, there.compartment.replace("everywhere", "direct"), by=OPERATOR)
    assert (back.text, back.evidence, back.id) == ("I like tea with milk", one.evidence, item)
    assert again == there


async def test_what_had_been_taken_back_there_is_taken_back_again(world: World) -> None:
    item = await world.remembers("ada", "I like tea", OPEN)
    await world.asks("ada", f"!memory share {item}", OPEN)
    await world.asks("ada", f"!memory forget {item}", OPEN)
    await world.remembers("ada", "I like tea")
    before = await all_of(world), await refusals(world)
    await world.asks("ada", f"!memory share {item}")
    assert [each.status for each in (await all_of(world)).values()] == ["active"]
    assert await refusals(world) == []
    told = await world.asks("ada", "!memory undo")
    assert told == f"Undone `share`: {MOVED}.\n- [fact] I like tea `{item}`"
    assert (await all_of(world), await refusals(world)) == before
    for undone in ("remember", "forget", "share", "remember"):
        assert (await world.asks("ada", "!memory undo")).startswith(f"Undone `{undone}`: ")
    assert await stands(world) == {}


async def test_all_that_one_sharing_brought_together_comes_apart(world: World) -> None:
    item = await world.remembers("ada", "I like tea", OPEN)
    await world.remembers("ada", "I like tea", CLOSED)
    before = await stands(world)
    assert len(before) == 2
    await world.asks("ada", f"!memory share {item}", CLOSED)
    assert len(await stands(world)) == 1
    told = await world.asks("ada", "!memory undo", CLOSED)
    assert told == f"Undone `share`: {MOVED}." + f"\n- [fact] I like tea `{item}`" * 2
    assert await stands(world) == before


async def test_what_lies_there_by_now_becomes_one_with_what_comes_back(world: World) -> None:
    item = await two(world)
    await world.asks("ada", f"!memory share {item}")
    await world.memory.remember("ada", "I like tea", by=OPERATOR)
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `share`: ")
    assert sorted(each.source_count for each in (await stands(world)).values()) == [1, 3]


async def test_what_says_something_else_there_by_now_stays_beside_what_comes_back(world: World) -> None:
    item = await two(world)
    await world.asks("ada", f"!memory share {item}")
    new = await world.memory.remember("ada", "I like tea", by=OPERATOR)
    await world.memory.edit_this(new, "Ada likes hot tea", by=OPERATOR)
    assert (await world.asks("ada", "!memory undo")).startswith("Undone `share`: ")
    texts = sorted((each.text, each.id == item) for each in (await stands(world)).values())
    assert texts == [("Ada likes hot tea", True), ("I like tea", False), ("I like tea", True)]


async def test_one_too_many_makes_room_and_that_is_told() -> None:
    world = World(DNAM_DURABLE_MAX_ITEMS="2")
    item = await two(world)
    await world.asks("ada", f"!memory share {item}")
    await world.memory.remember("ada", "I like rain", by=OPERATOR)
    told = await world.asks("ada", "!memory undo")
    assert "\nTo make room for it, 1 older item went: I like rain (`durable-" in told
    assert [each.text for each in (await stands(world)).values()] == ["I like tea"] * 2
    world.memory.engine.close()
