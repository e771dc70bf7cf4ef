"""What is taken back in a memory is taken back in its shadows when it is compacted, and when a derivation goes on; it
ends the same whether a compaction lay in between or not. What does so at once (`test_shadows_followed`) is killed here.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from dnam.compacting import Compacted, _dropped_at, compact, compacting
from dnam.erasing.guild import erase_whole_guild
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs
from dnam.redacting import redact
from dnam.rederiving.following import gone_behind, gone_since, is_any_gone
from dnam.shadows.manifest import Asked
from projections.decisions.delete import DeletedRequest, delete, message_identity
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ITEMS, ItemRow
from projections.messages import MESSAGES
from projections.summaries import SUMMARIES
from projections.turns import TURNS
from replay.engine import Engine
from replay.rewriting import rewrite
from replay.shadows.shadow import shadow_engine, shadow_folder
from replay.store import DiskStore
from tests.dnam.rederiving.village import GARDEN, GENERAL, SETTINGS, STAFF, Village, both, derive, reader, village
from tests.dnam.scripted import Calling, FakeClock, ScriptedModel
from tests.dnam.test_compacting import Nights
from tests.privacy.traces import files_in, found_in, needles
from tests.world import NOW

Happening = Callable[[Village], Awaitable[None]]
OTHER = Asked("other", "other", "extraction@4", "summary@2", "closeness@2")
ROOFS = "midnight thunder over rusty tin roofs"
MAPS = "hand drawn harbour maps from Lisbon"
WALKS = "long walks with my old dog along the river"
CELLOS = "untuned violoncellos in empty stairwells"
DAY = 86_400_000


def key(number: int) -> str:
    """What the n-th message of the story is called."""
    return f"m{NOW + 60_000 * number}"


async def story(there: Village) -> None:
    """Ada and Kim like things, one is answered, and Kim forgets one and keeps another."""
    await there.say("ada", f"I like {ROOFS}")
    await there.say("ada", f"I like {MAPS}")
    await there.say("kim", f"I like {WALKS}")
    await there.say("kim", f"I like {CELLOS}", STAFF)
    await there.learn("ada")
    await there.learn("kim")
    await there.summarise()
    kim = await there.handle("kim")
    await there.memory.forget(kim, f"likes {WALKS}")
    heard = await there.memory.heard("ada", "what do I like?", name="Ada", platform="discord", place=GENERAL, key="q")
    await there.assistant.answer(heard)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story and its shadow, which every test has a copy of."""
    path = tmp_path_factory.mktemp("made") / "data"
    told(path)
    return path


@pytest.fixture(autouse=True)
def _killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.shadows.followed.shadows_in", lambda _: [])


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "data"))


def happen(path: Path, happening: Happening, model: ScriptedModel | None = None) -> None:
    async def tell() -> None:
        async with village(path, model) as there:
            there.said += DAY
            await happening(there)

    asyncio.run(tell())


def told(path: Path, other: ScriptedModel | None = None) -> None:
    """The story, and a shadow of it."""

    async def tell() -> None:
        model = reader()
        model.scripts["answer"] = lambda ask: f"You told me of {MAPS}" if MAPS in ask.prompt else "yes"
        async with village(path, model) as there:
            await story(there)

    asyncio.run(tell())
    asyncio.run(derive(path, other or another(), asked=OTHER))


def another(**more: str) -> ScriptedModel:
    return reader("enjoys", name="other", **more)


def compacted(path: Path) -> Compacted:
    with Engine.open(path, clock=FakeClock(NOW + 2 * DAY)) as engine:
        return compact(engine)


async def take_back(there: Village, number: int, session: str = "discord:channel:1") -> None:
    """A message is deleted in Discord."""
    request = DeletedRequest("discord", key(number), session, int(key(number)[1:]), there.memory.now())
    recorded = await there.memory.record(lambda rows: delete(rows, request))
    assert recorded.records


def shadow_holds(path: Path, *texts: str) -> set[str]:
    """The files of the shadow that hold anything of these."""
    return {name for name, _ in found_in(files_in(shadow_folder(path, "next")), needles(texts))}


def texts(path: Path, status: str = "active") -> list[str]:
    items: dict[object, Item] = both(path)[1]["items"]
    return sorted(item.text for item in items.values() if item.status == status)


def ends(path: Path, tmp_path: Path, after: Happening | None = None) -> list[list[str]]:
    """What the shadow comes to when it is gone on with: after a compaction, without one, and when it is made afresh."""
    found: list[list[str]] = []
    for name, before in (("compacted", compacted), ("as it is", None), ("afresh", lambda each: _removed(each))):
        copy = Path(shutil.copytree(path, tmp_path / name))
        if before is not None:
            before(copy)
        if after is not None:
            happen(copy, after)
        asyncio.run(derive(copy, another(), asked=OTHER))
        found.append([*texts(copy), "forgotten:", *texts(copy, "forgotten")])
    return found


def _removed(path: Path) -> None:
    shutil.rmtree(path / "shadows")


# -- messages ------------------------------------------------------------------------------------------------------


def test_a_message_that_was_deleted_is_gone_from_the_shadow_with_what_was_made_of_it(path: Path) -> None:
    assert f"enjoys {ROOFS}" in texts(path)
    happen(path, lambda there: take_back(there, 1))
    assert shadow_holds(path, ROOFS)  # until the next compaction
    done = compacted(path)
    assert [(each.name, each.redacted > 3) for each in done.shadows] == [("next", True)]
    assert done.troubles == []
    assert shadow_holds(path, ROOFS) == set()
    assert texts(path) == sorted([f"enjoys {MAPS}", f"enjoys {CELLOS}"])
    with Engine.open(path, writable=False) as live, shadow_engine(path, "next", beside=live) as shadow:
        with shadow.reading() as rows:
            assert sum(1 for _ in rows.scan(MESSAGES)) == 4
            assert [found.row.text for found in rows.scan(SUMMARIES)] == [""]
        assert list(gone_behind(live, shadow, 0)) == []
    assert compacted(path).shadows[0].redacted == 0


def test_a_derivation_that_goes_on_ends_the_same_with_and_without_a_compaction(path: Path, tmp_path: Path) -> None:

    async def goes_on(there: Village) -> None:
        await take_back(there, 1)
        await there.say("ada", "I like quiet mornings in the reading room")
        await there.learn("ada")
        await there.summarise()

    happen(path, goes_on)
    first, second, third = ends(path, tmp_path)
    assert first == second == third
    assert not any(ROOFS in each for each in first)
    assert "enjoys quiet mornings in the reading room" in first


def test_no_model_is_shown_what_was_taken_back_before_the_derivation_came_to_that(path: Path, tmp_path: Path) -> None:
    """It was there, and not read yet, when the shadow was made; it was learned from, and then deleted."""
    happen(path, _says_one_more)
    asyncio.run(derive(path, another(), asked=OTHER))

    async def learned_and_deleted(there: Village) -> None:
        await there.learn("ada")
        await there.summarise()
        request = DeletedRequest("discord", LATER, "discord:channel:1", int(LATER[1:]), there.memory.now())
        assert (await there.memory.record(lambda rows: delete(rows, request))).records

    happen(path, learned_and_deleted)
    first, second, third = ends(path, tmp_path)
    assert first == second == third
    model = another()
    asyncio.run(derive(path, model, asked=OTHER))
    assert not any(DRUMS in ask.prompt for ask in model.asks)


DRUMS = "hollow drums in the morning fog"
LATER = f"m{NOW + DAY + 60_000}"


async def _says_one_more(there: Village) -> None:
    assert await there.say("ada", f"I like {DRUMS}") == LATER


def test_words_that_were_edited_away_go_and_the_new_ones_come_with_the_derivation(path: Path, tmp_path: Path) -> None:
    changed = "I like quiet mornings in the reading room"

    async def edits(there: Village) -> None:
        await there.edit("ada", key(1), int(key(1)[1:]), changed)

    happen(path, edits)
    copy = Path(shutil.copytree(path, tmp_path / "copy"))
    compacted(copy)
    with shadow_engine(copy, "next") as shadow, shadow.reading() as rows:
        assert sorted(found.row.message.ref.key for found in rows.scan(MESSAGES)) == [*map(key, (2, 3, 4)), "q"]
        assert f"enjoys {ROOFS}" in [found.row.item.text for found in rows.scan(ITEMS)]  # as live, until it is read
        assert [found.row.text for found in rows.scan(SUMMARIES)] == [""]

    async def is_read(there: Village) -> None:
        await there.learn("ada")

    first, second, third = ends(path, tmp_path, is_read)
    assert first == second == third
    assert "enjoys quiet mornings in the reading room" in first
    assert not any(ROOFS in each for each in first)


def test_an_answer_that_was_withdrawn_goes(path: Path) -> None:

    async def withdraws(there: Village) -> None:
        (turn,) = await there.memory.look(lambda rows: [found.row for found in rows.scan(TURNS)])
        assert MAPS in turn.text
        assert await redact(there.memory, turn.event)

    happen(path, withdraws)
    compacted(path)
    with shadow_engine(path, "next") as shadow, shadow.reading() as rows:
        assert list(rows.scan(TURNS)) == []
        assert sum(1 for _ in rows.scan(MESSAGES)) == 5
    assert shadow_holds(path, f"You told me of {MAPS}"[:26]) == set()


# -- what people decided -------------------------------------------------------------------------------------------


def test_what_a_person_forgot_goes_with_the_message_it_rests_on_alone(tmp_path: Path) -> None:
    path = tmp_path / "data"
    model = overlooking(WALKS, verb="enjoys", name="other")
    told(path, model)
    assert texts(path, "forgotten") == [f"likes {WALKS}"]  # a refusal: nothing here says it
    assert not bare(path)
    happen(path, lambda there: take_back(there, 3))
    compacted(path)
    assert texts(path, "forgotten") == []
    assert WALKS not in str(texts(path))
    asyncio.run(derive(path, model, asked=OTHER))
    live, _ = both(path)
    forgotten = [item.text for item in live["items"].values() if item.status == "forgotten"]
    assert texts(path, "forgotten") == forgotten == []
    assert WALKS not in str(texts(path))


def overlooking(words: str, **more: str) -> ScriptedModel:
    """A model that learns nothing of a line with these words."""
    model = reader(**more)
    extract = model.scripts["extraction"]

    def overlooks(ask: Ask) -> str | Calling:
        assert isinstance(ask.inputs, ExtractionInputs)
        lines = tuple(line for line in ask.inputs.lines if words not in line.text)
        return extract(msgspec.structs.replace(ask, inputs=msgspec.structs.replace(ask.inputs, lines=lines)))

    model.scripts["extraction"] = overlooks
    return model


def test_what_was_applied_again_to_another_item_stands_without_what_they_saw(tmp_path: Path) -> None:
    """Here the forgotten item says something else, and rests on another message."""
    path, longer = tmp_path / "data", f"{WALKS} every day"

    async def says_it_twice(there: Village) -> None:
        there.said = NOW
        await there.say("kim", f"I like {longer}")
        await there.say("kim", f"I like {WALKS}.")
        await there.learn("kim")
        await there.memory.forget(await there.handle("kim"), f"likes {longer}")

    happen(path, says_it_twice, overlooking("river."))
    model = overlooking("every day", name="other")
    asyncio.run(derive(path, model, asked=OTHER))
    forgotten = [f"likes {WALKS}", f"likes {longer}"]
    assert texts(path, "forgotten") == forgotten
    assert not bare(path)
    happen(path, lambda there: take_back(there, 1))
    compacted(path)
    assert (texts(path, "forgotten"), texts(path)) == ([f"likes {WALKS}"], [])
    assert bare(path)
    asyncio.run(derive(path, model, asked=OTHER))
    assert (texts(path, "forgotten"), texts(path)) == ([f"likes {WALKS}"], [])
    assert bare(path)


def bare(path: Path) -> bool:
    """Whether nothing tells any more what somebody saw when they forgot it."""
    with shadow_engine(path, "next") as shadow, shadow.reading() as rows:
        intents = [found.row.intent for found in rows.scan(ITEMS) if found.row.item.status == "forgotten"]
        return all(each is not None and each.saw is None for each in intents)


def test_other_bodies_that_were_dropped_go_as_they_are(path: Path) -> None:
    happen(path, lambda there: _erases_guild(there))
    assert texts(path) == []  # at once
    compacted(path)
    assert shadow_holds(path, ROOFS, MAPS, WALKS, CELLOS) == set()


async def _erases_guild(there: Village) -> None:
    await erase_whole_guild(there.memory, GARDEN)


def test_at_night_what_was_taken_back_leaves_the_shadows_too(path: Path) -> None:
    said = list[str]()
    happen(path, lambda there: take_back(there, 1))
    Path(shutil.copytree(shadow_folder(path, "next"), shadow_folder(path, "broken")) / "shadow.json").write_text("{")

    async def night() -> None:
        nights, clock = Nights(), FakeClock(NOW + DAY)
        async with (
            Memory.open(path, clock=clock, settings=SETTINGS) as memory,
            compacting(memory, said.append, nights),
        ):
            await nights.come()
            assert await nights.asked.get() > 0

    asyncio.run(night())
    assert len(said) == 2
    assert said[1].startswith("but not what of it is in the shadow broken: ")
    assert shadow_holds(path, ROOFS) == set()


def test_a_shadow_that_is_behind_is_due_alone(path: Path) -> None:
    happen(path, lambda there: take_back(there, 1))
    with Engine.open(path, clock=FakeClock(NOW + 2 * DAY)) as engine:
        assert isinstance(engine.store, DiskStore)
        rewrite(engine.store)
        assert _dropped_at(engine, engine.store) is not None
        compact(engine)
        assert _dropped_at(engine, engine.store) is None


# -- what is not to be shown ---------------------------------------------------------------------------------------


def test_it_is_known_which_items_of_a_shadow_rest_on_what_is_gone(path: Path) -> None:

    async def changes(there: Village) -> None:
        await take_back(there, 1)
        await there.edit("ada", key(2), int(key(2)[1:]), "I like something else now")

    def gone() -> dict[str, bool]:
        with (
            Engine.open(path, writable=False) as live,
            shadow_engine(path, "next", beside=live) as shadow,
            live.reading() as here,
            shadow.reading() as there,
        ):
            items: list[ItemRow] = [found.row for found in there.scan(ITEMS)]
            return {each.item.text: gone_since(live, here, each) for each in items}

    assert not any(gone().values())
    happen(path, changes)
    assert gone() == {
        f"enjoys {ROOFS}": True,
        f"enjoys {MAPS}": True,
        f"enjoys {WALKS}": False,
        f"likes {WALKS}": False,
        f"enjoys {CELLOS}": False,
    }
    with Engine.open(path, writable=False) as live, live.reading() as rows:
        first = rows.ids.event_id(message_identity("discord", key(1), "heard", int(key(1)[1:])))
        assert is_any_gone(rows, [first])
        assert not is_any_gone(rows, [EventId(bytes(16))])
