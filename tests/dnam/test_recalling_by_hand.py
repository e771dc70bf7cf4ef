"""`Memory.recall` and `Memory.search`: items by the scoring that is configured, as a prompt finds them."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.memory import Memory
from dnam.settings import read as read_settings
from projections.decisions.draft import Draft
from projections.decisions.place import PlaceSeen
from projections.events import ItemRemembered
from projections.events.values import By, Item
from projections.ids import EventId, Ref
from projections.retrieval import Hit
from tests.dnam.scripted import FakeClock
from tests.world import handle

GARDEN = "Has a garden behind the house"
TRIP = "日本に住んでいる"
RELEASE = "The release is v1.2"
HOUR = 3_600_000
KNOWN = (GARDEN, TRIP, RELEASE, "Likes a cat")
OPEN = PlaceSeen("local", "7", "channel", "shed", "guild", guild=Ref("local", "9"), guild_name="Garden")


def opening(path: Path, **settings: str) -> Any:
    environment = {f"DNAM_{name.upper()}": value for name, value in settings.items()}
    return Memory.open(path, settings=read_settings(environment, {}), clock=FakeClock())


async def knowing(memory: Memory, *texts: str) -> None:
    for each in texts or KNOWN:
        await memory.remember("ada", each)


async def found(memory: Memory, text: str) -> list[str]:
    return [hit.item.text for hit in await memory.search("ada", text)]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("gardens", GARDEN),
        ("gadren", GARDEN),
        ("日本", TRIP),
        ("v1.2", RELEASE),
        ("what is new in v1.2?", RELEASE),
    ],
)
async def test_words_are_found_as_a_prompt_finds_them(tmp_path: Path, text: str, item: str) -> None:
    async with opening(tmp_path) as memory:
        await knowing(memory)
        assert await found(memory, text) == [item]
        first, *others = await memory.recall("ada", text)
        assert (first.item.text, bool(first.overlap)) == (item, True)
        assert first.reason.startswith(f"shares {', '.join(first.overlap)}")
        assert {hit.item.text for hit in others} == set(KNOWN) - {item}
        assert [hit.overlap for hit in others] == [()] * 3
        assert [hit.score for hit in others] == sorted((hit.score for hit in others), reverse=True)


async def test_by_dnams_scoring_it_is_as_it_scores(tmp_path: Path) -> None:
    async with opening(tmp_path, scoring="dnam") as memory:
        await knowing(memory)
        for text in ("gardens", "gadren", "日本", "v1.2"):
            assert await found(memory, text) == []
        (hit,) = await memory.search("ada", "the garden")
        assert isinstance(hit, Hit)
        assert (hit.item.text, hit.score, hit.reason) == (GARDEN, 2, "shares garden; updated within 7 days (+1)")
        first, *others = await memory.recall("ada", "garden")
        assert (first.item.text, first.score) == (GARDEN, 2)
        assert [hit.score for hit in others] == [1, 1, 1]


@pytest.mark.parametrize("scoring", ["recall", "dnam"])
async def test_what_holds_no_longer_is_not_recalled(tmp_path: Path, scoring: str) -> None:
    async with opening(tmp_path, scoring=scoring) as memory:
        await knowing(memory, "grows beans", "grows beans and peas")
        (kept, old) = sorted(await memory.show("ada"), key=lambda item: item.text)
        await becomes(memory, old, valid_until=memory.now() - 1)
        await becomes(memory, kept, valid_until=memory.now() + HOUR)
        assert [hit.item.text for hit in await memory.recall("ada", "beans")] == ["grows beans"]
        assert await found(memory, "beans") == ["grows beans"]


async def becomes(memory: Memory, item: Item, **fields: Any) -> None:
    """An item is as another event left it."""
    event = ItemRemembered(said=item.updated, by=By("person", item.owner), item=msgspec.structs.replace(item, **fields))
    await memory.record(lambda _: [Draft(EventId(handle(f"then {item.text}")), event)])


@pytest.mark.parametrize("scoring", ["recall", "dnam"])
async def test_it_looks_no_wider_than_it_is_asked_to(tmp_path: Path, scoring: str) -> None:
    async with opening(tmp_path, scoring=scoring) as memory:
        await memory.remember("ada", "grows beans")
        await memory.remember("kim", "grows beans too")
        heard = await memory.heard("ada", "hello", place=OPEN)
        await memory.remember("ada", "grows beans here", setting=heard.setting)
        there = await memory.heard("ada", "hello", place=OPEN._replace(key="8", audience="channel"))
        await memory.remember("ada", "grows beans there", setting=there.setting)
        for ask in (memory.recall, memory.search):
            here = await ask("ada", "beans", setting=heard.setting)
            assert [hit.item.text for hit in here] == ["grows beans here"]
        assert len(await memory.search("ada", "beans")) == 3
        assert "grows beans too" not in {hit.item.text for hit in await memory.recall("ada", "beans")}


@pytest.mark.parametrize("scoring", ["recall", "dnam"])
async def test_a_search_has_the_best_in_front_and_a_prompt_what_says_how_to_answer(
    tmp_path: Path, scoring: str
) -> None:
    async with opening(tmp_path, scoring=scoring) as memory:
        await knowing(memory, "Beans and peas grow in the bed", "Speak of beans in short sentences", "Likes a cat")
        short = next(item for item in await memory.show("ada") if item.text.startswith("Speak"))
        await becomes(memory, short, kind="guidance")
        found = await memory.search("ada", "beans and peas")
        assert [hit.item.text for hit in found] == ["Beans and peas grow in the bed", short.text]
        first = (await memory.recall("ada", "beans and peas"))[0].item.text
        assert (first == short.text) is (scoring == "recall")


@pytest.mark.parametrize("text", ["", " ", "?", "\ud800", "x" * 5_000])
async def test_what_says_nothing_finds_nothing_and_is_no_mistake(tmp_path: Path, text: str) -> None:
    async with opening(tmp_path) as memory:
        await knowing(memory)
        assert await memory.search("ada", text) == []
        assert len(await memory.recall("ada", text)) == len(KNOWN)
