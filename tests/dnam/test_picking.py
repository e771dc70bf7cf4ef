"""Choosing items by hand: what is offered, what completes, and doing it as one act."""

from collections.abc import AsyncIterator

import pytest

from dnam.commands.command import Completes, Invocation
from dnam.commands.picking import Act, act_on, completions, offer, picked, preview, token
from dnam.commands.undo import undo_change, undoable
from projections.decisions.place import PlaceSeen
from projections.durable import Sought
from projections.events.values import Item
from tests.dnam.test_commands import OPEN, World

TEXTS = ("I like green tea", "I like black tea", "I live in Oslo")


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    for text in TEXTS:
        await made.remembers("ada", text)
    yield made
    made.memory.engine.close()


async def asked(world: World, user: str = "ada", place: PlaceSeen | None = None) -> Invocation:
    heard = await world.memory.heard(user, "hello", place=place)
    return Invocation(heard.setting, heard.session)


async def offered(world: World, words: str, act: Act = "forget", who: str = "ada") -> tuple[list[str], bool]:
    by, memory = await asked(world, who), world.memory
    sought = Sought(words, "", memory.now(), memory.vocabulary)
    found = await memory.look(lambda rows: offer(rows, by, act, sought, memory.limits().scoring))
    return [item.text for item in found.items], found.exact


async def items(world: World) -> dict[str, Item]:
    return {item.text: item for item in await world.memory.show("ada")}


@pytest.mark.parametrize(
    ("words", "texts", "exact"),
    [
        ("", ["I live in Oslo", "I like black tea", "I like green tea"], False),
        ("like green tea", ["I like green tea"], True),
        ("some tea, please", ["I like black tea", "I like green tea"], False),
        ("rain", [], False),
    ],
)
async def test_what_may_be_meant_is_offered(world: World, words: str, texts: list[str], exact: bool) -> None:
    assert await offered(world, words) == (texts, exact)


@pytest.mark.parametrize(
    ("scoring", "found"),
    [("recall", ["Has a garden behind the house", "日本に住んでいる", "The release is v1.2"]), ("dnam", [])],
)
async def test_what_is_offered_is_found_by_the_scoring_that_is_configured(scoring: str, found: list[str]) -> None:
    made = World(DNAM_SCORING=scoring)
    for text in ("Has a garden behind the house", "日本に住んでいる", "The release is v1.2", "Likes a cat"):
        await made.remembers("ada", text)
    acts: tuple[Act, ...] = ("forget", "restore")
    for act in acts:
        offers = [await offered(made, words, act) for words in ("those gadrens", "日本", "v1.2 please", "rain")]
        assert offers == [*(([each], False) for each in found), *[([], False)] * (4 - len(found))]
        for text in found:
            await made.asks("ada", f"!memory forget {text}")
    made.memory.engine.close()


async def test_an_id_means_exactly_its_item(world: World) -> None:
    item = (await items(world))["I live in Oslo"]
    assert await offered(world, item.id) == (["I live in Oslo"], True)


async def test_what_is_gone_is_offered_to_restore_and_nothing_else(world: World) -> None:
    assert await offered(world, "", "restore") == ([], False)
    await world.asks("ada", "!memory forget I live in Oslo")
    assert await offered(world, "", "restore") == (["I live in Oslo"], False)
    assert await offered(world, "Oslo", "forget") == ([], False)


async def test_nobody_is_offered_what_is_another_s(world: World) -> None:
    assert await offered(world, "", who="kim") == ([], False)
    by, all_of_it = await asked(world, "kim"), [token(each) for each in (await items(world)).values()]
    assert await world.memory.look(lambda rows: picked(rows, by, all_of_it, "forget")) == ()
    reply = await act_on(world.assistant, by, all_of_it, "forget")
    assert (reply.failed, reply.text) == (True, "Nothing of that is there any more.")
    assert set(await items(world)) == set(TEXTS)


async def test_an_item_with_the_same_id_in_another_place_is_told_apart(world: World) -> None:
    await world.remembers("ada", "I live in Oslo", OPEN)
    here, there = [each for each in await world.memory.show("ada") if each.text == "I live in Oslo"]
    assert here.id == there.id
    reply = await act_on(world.assistant, await asked(world), [token(there)], "forget")
    assert reply.items[0].compartment == there.compartment
    assert [each.compartment for each in await world.memory.show("ada") if each.id == here.id] == [here.compartment]


async def test_what_is_chosen_goes_at_once_and_comes_back_at_once(world: World) -> None:
    by = await asked(world)
    found = await items(world)
    tokens = [token(found[text]) for text in TEXTS[:2]]
    forgot = await undoable(world.assistant, await act_on(world.assistant, by, tokens, "forget"))
    assert forgot.text.startswith("Forgot 2 item(s).\n- [fact] I like ")
    assert set(await items(world)) == {"I live in Oslo"}
    assert forgot.undo is not None
    await undo_change(world.assistant, by, forgot.undo)
    assert set(await items(world)) == set(TEXTS)


async def test_restoring_by_hand(world: World) -> None:
    by, item = await asked(world), (await items(world))["I live in Oslo"]
    await act_on(world.assistant, by, [token(item)], "forget")
    reply = await act_on(world.assistant, by, [token(item)], "restore")
    assert reply.text == f"Restored 1 item(s).\n- [fact] I live in Oslo `{item.id}`"


def test_a_preview_says_what_would_happen() -> None:
    assert preview([], "forget").startswith("This would be forgotten, 0 item(s):")
    assert preview([], "restore") == "This would be remembered again, 0 item(s):"


@pytest.mark.parametrize(
    ("completes", "typed", "texts"),
    [
        ("active", "", ["[fact] I live in Oslo", "[fact] I like black tea", "[fact] I like green tea"]),
        ("active", "TEA bla", ["[fact] I like black tea"]),
        ("active", "durable-zzz", []),
        ("gone", "", []),
    ],
)
async def test_what_completes(world: World, completes: Completes, typed: str, texts: list[str]) -> None:
    by = await asked(world)
    found = await world.memory.look(lambda rows: completions(rows, by, completes, typed))
    assert [each.words for each in found] == texts
    assert all(each.id.startswith("durable-") for each in found)


async def test_what_is_forgotten_completes_where_any_item_does(world: World) -> None:
    by, item = await asked(world), (await items(world))["I live in Oslo"]
    await act_on(world.assistant, by, [token(item)], "forget")
    found = await world.memory.look(
        lambda rows: [completions(rows, by, of, "oslo") for of in ("active", "gone", "any")]
    )
    assert [[each.id for each in some] for some in found] == [[], [item.id], [item.id]]


async def test_search_finds_what_shares_words_and_says_why(world: World) -> None:
    reply = await world.reply("ada", "!memory search black tea")
    assert reply.text.startswith("**Found:** 2\n- [fact] I like black tea `durable-")
    explained = await world.asks("ada", "!memory search black tea --explain")
    assert "(updated within seven days 1.0; the item says so: black 1.0; the item says so: tea 0.5)" in explained
    assert [item.text for item in reply.items] == ["I like black tea", "I like green tea"]
    assert [hit.item.text for hit in await world.memory.search("ada", "black")] == ["I like black tea"]


async def test_search_finds_nothing_elsewhere(world: World) -> None:
    text = await world.asks("ada", "!memory search black tea", OPEN)
    assert text == "Nothing kept or said here has one of these words: `!memory show` lists what is kept."
