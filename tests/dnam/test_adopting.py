"""Adopting a shadow that was really derived, into a memory on disk; going on where it broke off; taking it back."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.adoption.adopting import Adopting, Chosen, Missed, choosing
from dnam.adoption.unadopting import Unadopting
from dnam.erasing.person import erase
from dnam.loops.loop import Compare, Compared, Comparing, by_words_alone
from dnam.memory import Memory
from dnam.redacting import redact
from dnam.reverting import carry_out, caused_by, plan, the_revert
from dnam.shadows.manifest import drop, load
from dnam.shadows.source import Source, owners_of
from projections.decisions.adopt import Part
from projections.events import ItemReverted, ItemUpserted, RederivationAdopted
from projections.fold import AnyProjection
from projections.ids import NOBODY, Handle
from projections.items import ITEMS, ItemRow, items_of
from projections.policies.by_people import is_by_people
from projections.policies.closeness import Nearness
from projections.rows import Rows
from projections.summaries import SUMMARIES, SUMMARY_ATTEMPTS
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.reading import Reader
from replay.shadows.shadow import shadow_engine
from tests.dnam.rederiving.village import ASKED, GENERAL, SETTINGS, derive, reader, talk, village
from tests.dnam.scripted import FakeClock

NAME = "next"
OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")
LEFT_OUT = {"event", "at"}
"""What a row that was taken back has of its own: its event, and when that was recorded."""


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory, and a shadow of it by a model that says "enjoys" where the other one said "likes"."""
    path = tmp_path_factory.mktemp("derived") / "data"

    async def make() -> None:
        async with village(path) as there:
            await talk(there)
        await derive(path, reader("enjoys", name="other"), NAME, OTHER)

    asyncio.run(make())
    return path


@pytest.fixture
def data(derived: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(derived, tmp_path / "data"))


@asynccontextmanager
async def opened(data: Path) -> AsyncIterator[Memory]:
    async with Memory.open(data, settings=SETTINGS, clock=FakeClock()) as memory:
        yield memory


@asynccontextmanager
async def adopting(
    data: Path, *people: Handle, compare: Comparing = by_words_alone, name: str = NAME
) -> AsyncIterator[tuple[Memory, Adopting]]:
    """Both open; the shadow knows all that there is."""
    async with opened(data) as memory:
        manifest = msgspec.structs.replace(load(data, name), upto=memory.engine.head().size)
        with shadow_engine(data, name, beside=memory.engine) as shadow:
            yield memory, Adopting(Source(memory, shadow, manifest), frozenset(people) or None, compare)


async def kim_of(memory: Memory) -> Handle:
    return await memory.person("kim", platform="discord")


def state(rows: Rows) -> dict[str, Any]:
    """Every row that an adoption may touch, but for its event and when that was recorded."""
    tables: dict[str, Any] = {}
    projections: tuple[AnyProjection, ...] = (ITEMS, SUMMARIES, SUMMARY_ATTEMPTS)
    for projection in projections:
        tables[projection.name] = {
            found.key: {name: getattr(found.row, name) for name in found.row.__struct_fields__ if name not in LEFT_OUT}
            for found in rows.scan(projection)
        }
    return tables


async def states(memory: Memory) -> dict[str, Any]:
    return await memory.look(state)


def texts(rows: Rows) -> list[str]:
    active = (found.row.item for found in rows.scan(ITEMS) if found.row.item.status == "active")
    return sorted(item.text for item in active)


async def adopt_all(data: Path, name: str = NAME) -> Any:
    async with adopting(data, name=name) as (_, each):
        return await each.adopt()


async def undo(data: Path, name: str = NAME) -> Any:
    async with opened(data) as memory:
        undoing = Unadopting(memory, data, name)
        offer = await undoing.look()
        return None if offer is None else await undoing.undo(offer)


def adoptions(engine: Engine) -> list[RederivationAdopted]:
    reader = Reader(engine.live)
    records = (reader.at(seq).record for seq in range(1, reader.size + 1))
    return [each.event for each in records if each is not None and isinstance(each.event, RederivationAdopted)]


async def test_everything_is_taken_over_once(data: Path) -> None:
    async with adopting(data) as (memory, each):
        people = await memory.look(lambda rows: [row for row in map(_row, rows.scan(ITEMS)) if is_by_people(row)])
        offer = await each.look()
        assert not offer.is_empty
        assert not offer.goes_on
        taken = await each.adopt()
        assert taken.event == offer.adoption.id
        assert (taken.people, taken.summaries) == (2, 1)
        assert await each.missed(offer, Chosen(), taken) == []
        (event,) = adoptions(memory.engine)
        assert (event.people, event.items, event.summaries) == (taken.people, taken.items, taken.summaries)
        assert (event.model, event.extraction_prompt) == ("other", "extraction@4")
        now = await memory.look(texts)
        assert "enjoys green tea with milk" in now
        assert not any(text.startswith("likes") for text in now)
        after = await memory.look(lambda rows: {row.event for row in map(_row, rows.scan(ITEMS))})
        assert {row.event for row in people} <= after
        assert (await each.look()).is_empty
    assert (await adopt_all(data)).event is None
    async with opened(data) as memory:
        assert len(adoptions(memory.engine)) == 1


def _row(found: Any) -> Any:
    return found.row


async def test_taken_back_every_row_is_as_before(data: Path) -> None:
    async with opened(data) as memory:
        before, size = await states(memory), memory.engine.head().size
    there = await adopt_all(data)
    async with opened(data) as memory:
        adopted = await memory.look(texts)
        assert await states(memory) != before
    taken = await undo(data)
    async with opened(data) as memory:
        assert await states(memory) == before
        assert [each.undoes is None for each in adoptions(memory.engine)] == [True, False]
        assert adoptions(memory.engine)[1].items == taken.items
        assert await memory.look_back(memory.moment(size), lambda _, then: state(then)) == before
        assert await memory.look_back(memory.moment(there.seq), lambda _, then: texts(then)) == adopted
    assert await undo(data) is None


async def states_of(data: Path) -> dict[str, Any]:
    async with opened(data) as memory:
        return await states(memory)


BOLD = msgspec.structs.replace(ASKED, model="bold", summary_model="bold")


async def test_adoptions_one_upon_the_other_are_taken_back_one_by_one(data: Path) -> None:
    await derive(data, reader("adores", name="bold"), "bold", BOLD)
    was = [await states_of(data)]
    for name in (NAME, "bold", NAME):
        await adopt_all(data, name)
        was.append(await states_of(data))
    assert all(one != other for one, other in pairwise(was))
    for name, before in ((NAME, was[2]), ("bold", was[1])):
        await undo(data, name)
        assert await states_of(data) == before
    await adopt_all(data, "bold")
    await undo(data, "bold")
    assert await states_of(data) == was[1]
    await undo(data)
    assert await states_of(data) == was[0]


async def test_one_under_another_is_taken_back_once_that_one_is(data: Path) -> None:
    await derive(data, reader("adores", name="bold"), "bold", BOLD)
    before = await states_of(data)
    for name in (NAME, "bold"):
        await adopt_all(data, name)
    await undo(data)
    await undo(data, "bold")
    await undo(data)
    assert await states_of(data) == before


async def adopt_some(data: Path, name: str, word: str) -> None:
    """Only the groups of items with a word."""
    async with adopting(data, name=name) as (_, each):
        offer = await each.look()
        parts = [part for person in offer.people for part in person.parts]
        groups = frozenset(part.group.key for part in parts if any(word in pair.row.item.text for pair in part.pairs))
        await each.adopt(choosing(offer, groups, frozenset()))


async def test_what_lay_under_another_is_taken_back_once_that_one_is(data: Path) -> None:
    """Of one person a part was taken back before."""
    await derive(data, reader("adores", name="bold"), "bold", BOLD)
    before = await states_of(data)
    await adopt_all(data)
    await adopt_some(data, "bold", "rain")
    taken = [await undo(data), await undo(data, "bold"), await undo(data)]
    assert await states_of(data) == before
    assert [(each.items, each.summaries) for each in taken] == [(2, 1), (1, 0), (1, 0)]
    assert [await undo(data), await undo(data, "bold")] == [None, None]


async def revert(data: Path, the: int | None = None) -> int | None:
    """Revert what an adoption changed last of an item, or take the revert of this seq back."""
    async with opened(data) as memory:
        reader, chronicle = Reader(memory.engine.live), LogChronicle(memory.engine.live)
        records = [each for seq in range(1, reader.size + 1) if (each := reader.at(seq).record) is not None]
        last = next(each.seq for each in reversed(records) if isinstance(each.event, ItemUpserted))
        asked = caused_by if the is None else the_revert
        found = await memory.look(lambda rows: plan(memory, rows, asked(rows, reader, chronicle, the or last)))
        return (await carry_out(memory, found)).first


async def test_what_was_reverted_when_it_was_taken_back_is_once_that_is(data: Path) -> None:
    """Of one person a part was taken back before."""
    before = await states_of(data)
    await adopt_all(data)
    adopted = await states_of(data)
    the = await revert(data)
    reverted = await states_of(data)
    assert (await undo(data)).items == 2
    await revert(data, the)
    assert await states_of(data) not in (before, adopted, reverted)
    assert (await undo(data)).items == 1
    assert await states_of(data) == before
    assert await undo(data) is None


async def test_one_of_which_all_was_reverted_keeps_no_earlier_one_from_being_taken_back(data: Path) -> None:
    before = await states_of(data)
    await adopt_some(data, NAME, "snow")
    await adopt_some(data, NAME, "rain")
    await revert(data)
    taken = await undo(data)
    assert (taken.items, await states_of(data)) == (1, before)


async def test_what_a_person_changed_between_two_adoptions_stays(data: Path) -> None:
    await derive(data, reader("adores", name="bold"), "bold", BOLD)
    await adopt_all(data)
    async with opened(data) as memory:
        kim = await kim_of(memory)
        rows = await memory.look(lambda rows: [each.row.item for each in items_of(rows, kim)])
        (tea,) = [each for each in rows if each.text == "enjoys green tea with milk"]
        await memory.edit(kim, tea.id, "drinks nothing else")
    await adopt_all(data, "bold")
    await undo(data, "bold")
    await undo(data)
    async with opened(data) as memory:
        assert "drinks nothing else" in await memory.look(texts)
        assert not any(text.startswith(("enjoys", "adores")) for text in await memory.look(texts))


async def test_it_can_be_adopted_again_and_taken_back_again(data: Path) -> None:
    async with opened(data) as memory:
        before = await states(memory)
    await adopt_all(data)
    async with opened(data) as memory:
        adopted = await memory.look(texts)
    await undo(data)
    await adopt_all(data)
    async with opened(data) as memory:
        assert await memory.look(texts) == adopted
    drop(data, NAME)  # it is taken back without the shadow, too
    await undo(data)
    async with opened(data) as memory:
        assert await states(memory) == before
    assert await undo(data) is None


class Killed(BaseException):
    """As by Ctrl-C."""


def _killed_after(decisions: int) -> Callable[[int, int], None]:
    def progress(done: int, total: int) -> None:
        if done == decisions:
            raise Killed

    return progress


@pytest.mark.parametrize("decisions", [1, 2, 3])
async def test_broken_off_it_goes_on(data: Path, decisions: int) -> None:
    async with adopting(data) as (memory, each):
        with pytest.raises(Killed):
            await each.adopt(None, _killed_after(decisions))
        assert adoptions(memory.engine) == []
    async with adopting(data) as (memory, each):
        offer = await each.look()
        assert offer.goes_on
        taken = await each.adopt()
        assert taken.event == offer.adoption.id
        (event,) = adoptions(memory.engine)
        assert (event.people, event.items, event.summaries) == (taken.people, taken.items, taken.summaries) == (2, 3, 1)
        assert (await each.look()).is_empty
        assert not any(text.startswith("likes") for text in await memory.look(texts))


async def test_broken_off_it_can_be_taken_back(data: Path) -> None:
    async with adopting(data) as (memory, each):
        before = await states(memory)
        with pytest.raises(Killed):
            await each.adopt(None, _killed_after(2))
    async with opened(data) as memory:
        undoing = Unadopting(memory, data, NAME)
        offer = await undoing.look()
        assert offer is not None
        assert offer.broke_off
        with pytest.raises(Killed):
            await undoing.undo(offer, _killed_after(1))
        assert len(adoptions(memory.engine)) == 1
        offer = await undoing.look()
        assert offer is not None
        assert not offer.broke_off
        await undoing.undo(offer)
        assert await states(memory) == before
        assert len(adoptions(memory.engine)) == 2


ONE_UPON_THE_OTHER = [
    [("next", 3), ("bold", 9), ("next", 9)],
    [("next", 1), ("bold", 9), ("next", 3)],
    [("bold", 3), ("bold", 1), ("next", 3), ("bold", 9), ("next", 1)],
    [("next", 3), ("bold", 2), ("bold", 9), ("next", 2)],
]
"""Which adoptions begin, or go on, and with how many decisions, of up to three; each is broken off behind them."""


@pytest.mark.parametrize("adopted", ONE_UPON_THE_OTHER)
@pytest.mark.parametrize("first", [NAME, "bold"])
async def test_what_goes_on_upon_another_is_taken_back_whole(
    data: Path, adopted: list[tuple[str, int]], first: str
) -> None:
    """It did twice what the other one did between: what it had done first is there again once that is taken back."""
    await derive(data, reader("adores", name="bold"), "bold", BOLD)
    before = await states_of(data)
    for name, decisions in adopted:
        async with adopting(data, name=name) as (_, each):
            with suppress(Killed):
                await each.adopt(None, _killed_after(decisions))
    for _ in range(4):
        for name in (first, *({NAME, "bold"} - {first})):
            await undo(data, name)
    assert await states_of(data) == before
    assert [await undo(data), await undo(data, "bold")] == [None, None]


async def test_what_an_adoption_changed_twice_is_as_before_the_first_time(data: Path) -> None:
    """It broke off, and the shadow said something else when it went on."""
    async with adopting(data) as (memory, each):
        before, adoption = await states(memory), (await each.look()).adoption
        ada = await memory.person("ada", platform="discord")
        request = await asyncio.to_thread(each._request, adoption, ada, Chosen())
        other = tuple(_adoring(row) for row in request.items)
        await each._take(request._replace(items=other))
        assert "adores rain" in await memory.look(texts)
        assert (await each.adopt()).event == adoption.id
        assert "enjoys rain" in await memory.look(texts)
    await undo(data)
    async with opened(data) as memory:
        assert await states(memory) == before


def _adoring(row: ItemRow) -> ItemRow:
    text = row.item.text.replace("enjoys", "adores")
    return msgspec.structs.replace(row, item=msgspec.structs.replace(row.item, text=text))


async def test_of_one_person_alone(data: Path) -> None:
    async with opened(data) as memory:
        kim = await kim_of(memory)
    async with adopting(data, kim) as (memory, each):
        taken = await each.adopt()
        assert (taken.people, taken.summaries) == (1, 0)
        assert {"enjoys green tea with milk", "likes rain"} <= set(await memory.look(texts))
    async with adopting(data) as (memory, each):
        taken = await each.adopt()
        assert (taken.people, taken.summaries) == (1, 1)
    await undo(data)
    async with opened(data) as memory:
        assert {"enjoys green tea with milk", "likes rain"} <= set(await memory.look(texts))


async def test_of_some_groups_alone(data: Path) -> None:
    async with adopting(data) as (memory, each):
        offer = await each.look()
        parts = [part for person in offer.people for part in person.parts]
        rain = next(part for part in parts if any("rain" in pair.row.item.text for pair in part.pairs))
        taken = await each.adopt(choosing(offer, frozenset({rain.group.key}), frozenset()))
        assert (taken.people, taken.summaries) == (1, 0)
        found = await memory.look(texts)
        assert "enjoys rain" in found
        assert "enjoys snow" not in found


async def test_what_a_person_says_meanwhile_wins(data: Path) -> None:
    async with adopting(data) as (memory, each):
        offer = await each.look()
        assert any("rain" in part.pairs[0].row.item.text for person in offer.people for part in person.parts)
        ada = await memory.person("ada", platform="discord")
        await memory.forget(ada, "likes rain")
        await each.adopt()
        assert not any("rain" in text for text in await memory.look(texts))
        left = [left.reason for person in (await each.look()).people for left in person.left]
        assert left == ["it rests only on messages that left recall with what the person forgot"]


async def test_what_is_redacted_while_it_is_adopted_does_not_come_with_what_rests_on_more(data: Path) -> None:
    """An encoder may compare texts meanwhile. "with milk" was said in the second message alone."""
    async with adopting(data) as (memory, each):
        kim, adoption = await kim_of(memory), (await each.look()).adoption
        request = await asyncio.to_thread(each._request, adoption, kim, Chosen())
        (tea,) = (each.item for each in request.items if each.item.status == "active" and "milk" in each.item.text)
        assert len(tea.evidence) == 2
        await redact(memory, tea.evidence[1].message)
        await each._take(request)
        assert not any("milk" in text for text in await memory.look(texts))
        await each.adopt()
        assert not any("milk" in text for text in await memory.look(texts))


async def test_what_cannot_be_taken_over_any_more_once_it_was_agreed_to_is_told(data: Path) -> None:
    async with adopting(data) as (memory, each):
        offer, ada = await each.look(), await memory.person("ada", platform="discord")
        (part,) = (part for person in offer.people for part in person.parts if _has(part, "snow"))
        chosen = choosing(offer, frozenset({part.group.key}), frozenset(each.key for each in offer.sessions))
        await memory.forget(ada, "likes snow")
        await memory.forget(ada, "likes rain")  # this was not chosen
        taken = await each.adopt(chosen)
        assert await each.missed(offer, chosen, taken) == [
            Missed(
                ada, part.pairs[0].row.item.id, "it rests only on messages that left recall with what the person forgot"
            ),
            Missed(NOBODY, "discord:channel:1", "it tells something that was forgotten here"),
        ]


async def test_of_whoever_is_erased_meanwhile_is_told_that_it_changed(data: Path) -> None:
    async with adopting(data) as (memory, each):
        offer, kim = await each.look(), await kim_of(memory)
        await erase(memory, kim)
        taken = await each.adopt()
        missed = await each.missed(offer, Chosen(), taken)
        assert [(one.owner, one.reason) for one in missed] == [(who, "it changed meanwhile") for who in (kim, NOBODY)]


def _has(part: Part, word: str) -> bool:
    return any(word in pair.row.item.text for pair in part.pairs)


async def test_the_memory_may_be_in_use_meanwhile(data: Path) -> None:
    """As by a bot, between any two decisions."""
    async with adopting(data) as (memory, each):
        ada = await memory.person("ada", platform="discord")
        talk = memory.heard("ada", "I like fog", platform="discord", place=GENERAL, key="meanwhile")
        taken, heard, kept = await asyncio.gather(each.adopt(), talk, memory.remember(ada, "keeps bees"))
        assert (taken.items, heard.person, kept.text) == (3, ada, "keeps bees")
        assert {"keeps bees", "enjoys rain"} <= set(await memory.look(texts))
        assert (await each.look()).is_empty


async def test_an_encoder_knows_what_was_forgotten_in_other_words(data: Path) -> None:
    asked: list[str] = []

    async def compare(step: Compare) -> Compared:
        asked.extend(await memory.look(step.texts))
        return Compared(lambda one, other: Nearness(900, "snow" in other and "winter" in one, "cosine 0.900"))

    async with adopting(data, compare=compare) as (memory, each):
        ada = await memory.person("ada", platform="discord")
        await memory.remember(ada, "likes winter weather")
        await memory.forget(ada, "likes winter weather")
        await each.adopt()
        assert {"likes winter weather", "enjoys snow", "enjoys rain"} <= set(asked)
        found = await memory.look(texts)
        assert "enjoys rain" in found
        assert "likes snow" in found
        assert "enjoys snow" not in found


async def test_whoever_is_erased_meanwhile_is_left_out(data: Path) -> None:
    async with adopting(data) as (memory, each):
        kim = await kim_of(memory)
        request = await asyncio.to_thread(each._request, (await each.look()).adoption, kim, Chosen())
        await erase(memory, kim)
        await each._take(request)
        assert not any("milk" in text for text in await memory.look(texts))
        assert kim not in await memory.look(owners_of)


async def test_a_person_who_changed_an_adopted_item_keeps_it(data: Path) -> None:
    await adopt_all(data)
    async with opened(data) as memory:
        ada = await memory.person("ada", platform="discord")
        items = await memory.show(ada)
        rain = next(each for each in items if each.text == "enjoys rain")
        await memory.edit(ada, rain.id, "loves rain")
        undoing = Unadopting(memory, data, NAME)
        offer = await undoing.look()
        assert offer is not None
        assert [(left.text, left.reason) for each in offer.people for left in each.left] == [
            ("loves rain", "it changed since")
        ]
        await undoing.undo(offer)
        found = await memory.look(texts)
        assert "loves rain" in found
        assert "likes snow" in found


async def test_an_undone_item_tells_why(data: Path) -> None:
    await adopt_all(data)
    await undo(data)
    async with opened(data) as memory:
        reader = Reader(memory.engine.live)
        events = [reader.at(seq).record for seq in range(1, reader.size + 1)]
        reverted = [each.event for each in events if each is not None and isinstance(each.event, ItemReverted)]
        assert reverted
        assert {each.reason for each in reverted} == {"the adoption of next was taken back"}
        assert await memory.look(lambda rows: list(items_of(rows, NOBODY))) == []
