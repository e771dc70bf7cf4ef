"""What a person forgets in the live memory while it is derived anew holds in the shadow before any model is asked
again: it is shown to none, and nothing else is lost or paid for twice.
"""

import asyncio
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.rederiving.watch import TakenBack, Watch
from dnam.shadows.manifest import load
from projections.policies.item_ids import derive as derive_id
from replay.engine import Engine
from tests.dnam.rederiving.crowd import replies
from tests.dnam.rederiving.test_rederiving import OTHER
from tests.dnam.rederiving.test_taken_back import (
    ASKED,
    WORD,
    Asks,
    ada_is_heard,
    batched,
    derived_while,
    ends,
    happens,
    held,
    prompts,
    redact,
    say,
)
from tests.dnam.rederiving.village import Village, derive, reader, village
from tests.loopback.messages import Request, serving


async def talk(there: Village) -> None:
    """Ada says a word; it is summed up, and learned, and she is learned from again behind it."""
    await ada_is_heard(there)
    await there.say("ada", "I like new moons")
    await there.learn("ada")
    await there.say("kim", "I like a last word")
    await there.summarise()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "data"

    async def tell() -> None:
        async with village(path) as there:
            await talk(there)

    asyncio.run(tell())
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "data"))


def forget(path: Path, what: str = f"likes {WORD} tea") -> None:
    happens(path, "forget", "discord:ada", what)


def holds(path: Path, name: str) -> tuple[list[str], list[str]]:
    """What a shadow remembers: its active items, and its summaries."""
    items, summaries = ends(path, name)
    return [each for each in items if each.endswith(" active")], summaries


@pytest.mark.parametrize("number", [1, 6, 8, 10, 12, 13, 14])
async def test_no_model_is_shown_what_was_forgotten(path: Path, number: int) -> None:
    """Before it was read anew, once a summary had it, and once it was an item of the shadow."""
    asks = Asks(number, partial(forget, path))
    await derived_while(path, asks)
    assert asks.behind
    assert not [each.prompt for each in asks.behind if WORD in each.prompt]
    assert not {each.prompt for each in asks.before} & {each.prompt for each in asks.behind}, "nobody is asked twice"
    assert WORD not in str(holds(path, "next"))
    assert holds(path, "next") == holds(path, "fresh")
    assert "quokka pie" in str(holds(path, "next"))
    before = ends(path, "next")
    await derive(path, reader(name=ASKED.model), "next", ASKED)
    assert ends(path, "next") == before


async def test_a_walk_that_is_broken_off_behind_it_shows_it_to_nobody_either(path: Path) -> None:
    async with serving(replies()) as server:
        model = Claude(Access(server.key, server.url))
        asked: list[Request] = []

        def hear(request: Request) -> None:
            asked.append(request)
            if len(asked) == 8:
                forget(path)
                walking.cancel()

        server.heard = hear
        walking = asyncio.create_task(derive(path, model, "next", ASKED, at_once=1))
        with pytest.raises(asyncio.CancelledError):
            await walking
        assert len(asked) == 8
        assert [each for each in asked if WORD in each.prompt]
        begun = load(path, "next").begun
        await derive(path, model, "next", ASKED)
        assert not [each for each in asked[8:] if WORD in each.prompt]
        assert len({each.prompt for each in asked}) == len(asked)
        assert load(path, "next").begun == begun
        await derive(path, model, "fresh", ASKED)
        await model.close()
    assert holds(path, "next") == holds(path, "fresh")


@pytest.mark.parametrize("number", [8, 14])
async def test_what_was_forgotten_and_is_redacted_then_has_no_words_in_the_shadow(path: Path, number: int) -> None:
    asks = Asks(number, partial(forget, path))
    await derived_while(path, asks)
    assert held(path, WORD)
    await asyncio.to_thread(redact, path)
    assert (held(path, WORD), held(path, WORD, "fresh")) == ([], [])


async def test_what_is_brought_back_meanwhile_is_there_again(path: Path) -> None:
    def both() -> None:
        forget(path)
        happens(path, "restore", "discord:ada", derive_id("preference", f"likes {WORD} tea"))

    asks = Asks(14, both)
    await derived_while(path, asks)
    assert f"likes {WORD} tea" in str(holds(path, "next")[0])
    assert holds(path, "next")[0] == holds(path, "fresh")[0]


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_no_batch_is_sent_with_what_was_forgotten(path: Path, tmp_path: Path, number: int) -> None:
    desk, sent = await batched(path, tmp_path, number, forget)
    assert sent
    assert prompts(desk, sent)
    assert not [each for each in prompts(desk, sent) if WORD in each]
    assert len(desk.api.asked()) == len(set(desk.api.asked())), "nothing is paid for twice"
    assert holds(path, "next") == holds(path, "fresh")


async def test_what_was_forgotten_before_is_so_at_its_place(path: Path) -> None:
    """It was read until then, and is no more."""
    await asyncio.to_thread(forget, path)
    model = reader("enjoys", name="other")
    await derive(path, model, "next", OTHER)
    assert [each for each in model.asks if WORD in each.prompt]
    assert WORD not in str(holds(path, "next"))


async def test_what_is_there_as_it_was_recorded_is_shown_to_no_model_either(path: Path) -> None:
    """Only what came later is derived anew."""
    with Engine.open(path, writable=False) as live:
        upto = live.head().size
    await asyncio.to_thread(more, path)
    asks = Asks(1, partial(forget, path))
    async with serving(replies()) as server:
        model = Claude(Access(server.key, server.url))
        server.heard = asks.hear
        await derive(path, model, "next", msgspec.structs.replace(ASKED, since=upto), at_once=1)
        await model.close()
    assert [each for each in asks.before if WORD in each.prompt]
    assert asks.behind
    assert not [each for each in asks.behind if WORD in each.prompt]
    assert WORD not in str(holds(path, "next")[0]), "its summary is the live one, made anew there"


def more(path: Path) -> None:
    """Ada says something, and is learned from, twice."""
    say(path, "ada", "I like fresh words", "I like stale bread", learn=True)


def _watched(path: Path, behind: int, happening: Callable[[], None]) -> bool:
    """Whether it ends a walk that ends so many events before the live log."""
    with Engine.open(path, writable=False) as live:
        size = live.head().size
        watch = Watch(live, size - behind, size)
        happening()
        try:
            watch.refuse()
        except TakenBack:
            return True
        return False


def test_what_is_learned_and_forgotten_behind_the_walk_ends_nothing(path: Path) -> None:
    happens(path, "remember", "discord:ada", "keeps newts")
    assert not _watched(path, 1, partial(forget, path, "keeps newts"))
    assert _watched(path, 0, partial(forget, path))
