"""Deriving a part of a memory anew, of some people or servers: what people decided holds there as in a whole one, and
what is not derived anew waits for the runs that could not see it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

import tests.dnam.rederiving.village
from dnam.model import Ask, ExtractionInputs, Hear, Reply, unheard
from dnam.rederiving.chains import Chains, Key
from dnam.shadows.manifest import Asked
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.decisions.remember import ForgetRequest
from projections.decisions.remember import forget as forget_item
from projections.events.values import Audience, By, Item
from projections.ids import Ref
from projections.items import items_of
from projections.policies.compartments import Opening, Setting
from tests.dnam.rederiving.village import ASKED, GARDEN, GENERAL, SETTINGS, Village, both, derive, reader, village
from tests.dnam.scripted import ScriptedModel

LOBBY = PlaceSeen("discord", "3", "channel", "lobby", "guild", guild=Ref("discord", "8"), guild_name="Orchard")
DIRECT = PlaceSeen("discord", "", "direct", "", "direct", partner=Account("discord", "kim", "Kim"))
OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")
AGAIN = msgspec.structs.replace(ASKED, guilds=("discord:9",), merge_policy="apart@1")
"""By the model that is recorded: nobody is asked."""
OF_GARDEN = msgspec.structs.replace(OTHER, guilds=("discord:9",))
Happening = Callable[[Village], Awaitable[Any]]


def told(path: Path, *happenings: Happening, model: ScriptedModel | None = None) -> str:
    """What happens; Kim's handle in hex."""

    async def tell() -> str:
        async with village(path, model) as there:
            for each in happenings:
                await each(there)
            return (await there.handle("kim")).hex()

    return asyncio.run(tell())


def says(text: str, place: PlaceSeen = GENERAL, who: str = "kim") -> Happening:
    """Somebody says something, and is learned from."""

    async def say(there: Village) -> None:
        await there.say(who, text, place)
        await there.learn(who)

    return say


async def item_of(there: Village, text: str, where: str = "") -> Item:
    """Kim's item that says this, in a compartment that ends so."""
    kim = await there.handle("kim")
    found = await there.memory.look(lambda rows: [each.row.item for each in items_of(rows, kim)])
    active = (each for each in found if each.status == "active" and each.compartment.endswith(where))
    return next(each for each in active if each.text == text)


def keeps_private(text: str) -> Happening:
    async def keep(there: Village) -> None:
        await there.memory.keep_private(await there.handle("kim"), (await item_of(there, text)).id)

    return keep


def forgets(text: str, where: str = "") -> Happening:
    """It is forgotten where it lies, and nowhere else."""

    async def forget(there: Village) -> None:
        kim, item = await there.handle("kim"), await item_of(there, text, where)
        openings = (Opening(kim, item.compartment),)
        said, by = there.memory.now(), By("person", kim)
        request = ForgetRequest(kim, openings, by, said, there.memory.origin(), id=item.id)
        await there.memory.record(lambda rows: forget_item(rows, request))

    return forget


async def corrects(there: Village) -> None:
    item = await item_of(there, "likes green tea")
    await there.memory.edit(await there.handle("kim"), item.id, "hates mornings")


def active(memory: dict[str, Any]) -> dict[str, str]:
    """What is active, and where: `guild/…`, `direct` or `everywhere`."""
    items = [item for item in memory["items"].values() if item.status == "active"]
    return {each.text: each.compartment.rpartition("/")[2] for each in items}


def shown(model: ScriptedModel) -> list[str]:
    """The items that the last extraction was shown."""
    inputs = model.asked("extraction")[-1].inputs
    assert isinstance(inputs, ExtractionInputs)
    return [each.text for each in inputs.items]


# -- what people decided ----------------------------------------------------------------------------------------------


async def asks_to_keep(there: Village) -> None:
    """In the server: the walk waits for it."""
    kim = await there.handle("kim")
    setting = Setting(kim, Audience("guild", Ref("discord", "1")), GARDEN)
    await there.memory.remember(kim, "waters the roses", setting=setting)


PRIVATE = [says("I like green tea"), asks_to_keep, keeps_private("likes green tea")]
LATER = says("I like plums")


@pytest.mark.parametrize("asked", [OTHER, OF_GARDEN])
def test_what_was_kept_private_and_forgotten_then_is_shown_to_no_model(tmp_path: Path, asked: Asked) -> None:
    told(tmp_path, *PRIVATE, forgets("likes green tea"), LATER)
    asyncio.run(derive(tmp_path, model := reader("enjoys", name="other"), asked=asked))
    assert shown(model) == ["waters the roses"]
    assert active(both(tmp_path)[1]) == {"waters the roses": "discord:9", "enjoys plums": "discord:9"}


@pytest.mark.parametrize("asked", [OTHER, OF_GARDEN])
def test_what_was_kept_private_is_private_and_corrected_it_stays_so(tmp_path: Path, asked: Asked) -> None:
    told(tmp_path, *PRIVATE, corrects, LATER)
    asyncio.run(derive(tmp_path, model := reader("enjoys", name="other"), asked=asked))
    assert shown(model) == ["waters the roses"]
    kept = {"hates mornings": "direct", "waters the roses": "discord:9"}
    assert active(both(tmp_path)[1]) == {**kept, "enjoys plums": "discord:9"}


async def keeps_for_themself(there: Village) -> None:
    """And takes back what is of no server."""
    kim = await there.handle("kim")
    kept = await there.memory.remember(kim, "writes letters")
    await there.memory.forget(kim, id=kept.id)


def test_of_one_who_takes_part_elsewhere_too_all_else_is_as_it_was(tmp_path: Path) -> None:
    told(tmp_path, says("I like figs", LOBBY), says("I like rain", DIRECT), keeps_for_themself, *PRIVATE, LATER)
    elsewhere = msgspec.structs.replace(OTHER, guilds=("discord:404",))
    manifest = asyncio.run(derive(tmp_path, model := reader("enjoys", name="other"), asked=elsewhere))
    live, shadow = both(tmp_path)
    assert shadow == live
    assert (model.asks, manifest.runs) == ([], 0)


# -- what waits -------------------------------------------------------------------------------------------------------


async def derive_late(path: Path, model: ScriptedModel, asked: Asked) -> None:
    """Derive it by a model that replies when somebody waits for it, and not before."""
    replies, ask, wait, drain = asyncio.Event(), model.ask, Chains.wait, Chains.drain

    async def late(question: Ask, hear: Hear = unheard) -> Reply:
        await replies.wait()
        return await ask(question, hear)

    async def waiting(chains: Chains, keys: Iterable[Key]) -> None:
        waited_for = list(keys)
        if not all(map(chains.is_idle, waited_for)):
            replies.set()
        await wait(chains, waited_for)

    async def draining(chains: Chains) -> None:
        replies.set()
        await drain(chains)

    with (
        patch.object(Chains, "wait", waiting),
        patch.object(Chains, "drain", draining),
        patch.object(model, "ask", late),
    ):
        await derive(path, model, asked=asked)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for one item of each person: whichever comes last."""
    monkeypatch.setattr(tests.dnam.rederiving.village, "SETTINGS", replace(SETTINGS, durable_max_items=1))


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize(("asked", "model"), [(OF_GARDEN, reader(name="other")), (AGAIN, reader())])
def test_what_is_learned_elsewhere_waits_for_the_runs_before_it(
    tmp_path: Path, asked: Asked, model: ScriptedModel
) -> None:
    """Whether these are asked, or made together with others."""
    told(tmp_path, says("I like green tea"), says("I like long walks", LOBBY))
    asyncio.run(derive_late(tmp_path, model, asked))
    assert active(both(tmp_path)[1]) == {"likes green tea": "discord:9", "likes long walks": "discord:8"}


@pytest.mark.usefixtures("full")
def test_what_others_say_of_the_server_waits_for_the_runs_of_one_person(tmp_path: Path) -> None:
    kim = told(tmp_path, says("I like green tea"), says("I like rain", who="ada"), model=reader(about="guild"))
    of_kim = msgspec.structs.replace(OTHER, people=(kim,))
    asyncio.run(derive_late(tmp_path, reader(about="guild", name="other"), of_kim))
    assert active(both(tmp_path)[1]) == {"likes rain": "discord:9"}


def test_what_is_forgotten_elsewhere_waits_for_the_runs_before_it(tmp_path: Path) -> None:
    told(tmp_path, says("I like rain"), says("I like rain", DIRECT), forgets("likes rain", "direct"))
    asyncio.run(derive_late(tmp_path, reader(name="other"), OF_GARDEN))
    live, shadow = both(tmp_path)
    assert active(shadow) == active(live) == {"likes rain": "discord:9"}


def test_gone_on_with_it_is_the_same(tmp_path: Path) -> None:
    told(tmp_path, says("I like green tea"))
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "left", OF_GARDEN))
    told(tmp_path, keeps_private("likes green tea"), forgets("likes green tea"), LATER)
    for name in ("left", "once"):
        asyncio.run(derive(tmp_path, reader("enjoys", name="other"), name, OF_GARDEN))
    assert both(tmp_path, "left") == both(tmp_path, "once")


# -- of a person in a server ------------------------------------------------------------------------------------------


def test_of_a_person_in_a_server_no_summary_is_made_anew_nor_compared(tmp_path: Path) -> None:
    async def sums_up(there: Village) -> None:
        await there.summarise()

    kim = told(tmp_path, says("I like green tea"), sums_up, says("I like rain", who="ada"))
    asked = msgspec.structs.replace(OF_GARDEN, people=(kim,))
    asyncio.run(derive(tmp_path, model := reader("enjoys", name="other"), asked=asked))
    assert [ask.purpose for ask in model.asks] == ["extraction"]
    live, shadow = both(tmp_path)
    assert shadow["summaries"] == live["summaries"]
