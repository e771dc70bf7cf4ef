"""Who is erased is gone from every file of every shadow; what goes on meanwhile goes on without them."""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dnam.compacting import compact
from dnam.erasing.person import erase, look
from dnam.memory import Memory
from dnam.model import Ask, ExtractionInputs, SummaryInputs
from dnam.rederiving.models import BOOK
from dnam.shadows.manifest import SOMEBODY, Asked, load
from projections.events.values import Audience
from projections.ids import Ref, VaultId
from replay import codec
from replay.engine import Engine
from replay.erasure import erase as erase_here
from replay.erasure import unfinished
from replay.shadows.shadow import shadow_engine, shadow_folder
from tests.dnam.rederiving.village import SETTINGS, STAFF, Village, derive, reader, village
from tests.dnam.scripted import Calling, FakeClock, ScriptedModel
from tests.generator import Story, fixed_story, stories
from tests.laws.teller import Teller
from tests.privacy.traces import files_in, found_in, needles
from tests.replay.conftest import SHARED
from tests.replay.stage import KIM, child, finished, tell
from tests.world import handle

OTHER = Asked("other", "other", "extraction@4", "summary@2", "closeness@2")
KIMS = (
    "zqoneqz grandmother bottles elderflower cordial every midsummer",
    "zqtwoqz beneath floorboards sleeps our forgotten accordion",
)
ADAS = "zqadasqz everyone here collects porcelain hedgehogs"


def parrot(name: str = "other") -> ScriptedModel:
    """It says again whatever it is shown, in items, summaries and answers."""
    model = reader(name=name)

    def extract(ask: Ask) -> str:
        assert isinstance(ask.inputs, ExtractionInputs)
        lines = [line for line in ask.inputs.lines if line.text.strip()]
        upserts = [
            {"kind": "fact", "text": line.text, "tags": [], "evidence": [{"quote": line.text, "message": line.id}]}
            for line in lines[:8]
        ]
        return json.dumps({"upserts": upserts, "deprecations": []})

    def summarise(ask: Ask) -> str:
        assert isinstance(ask.inputs, SummaryInputs)
        return " ".join((ask.inputs.previous, *(line.text for line in ask.inputs.lines)))[-3000:]

    model.scripts |= {"extraction": extract, "summary": summarise, "answer": lambda ask: ask.prompt[-2000:]}
    return model


async def people_talk(there: Village) -> None:
    """Kim and Ada say things, and it is learned from both."""
    await there.say(KIM.id, KIMS[0])
    await there.say("ada", ADAS)
    await there.say(KIM.id, KIMS[1], STAFF)
    await there.memory.remember(await there.handle(KIM.id), "zqthreeqz builds the bridge project by the river")
    for who in (KIM.id, "ada"):
        await there.learn(who)
    audience = Audience("guild", Ref("discord", "1"))
    await there.assistant.summarise("discord:channel:1", audience, await there.handle("ada"))


def told(path: Path) -> None:
    async def tell_it() -> None:
        async with village(path, parrot("scripted")) as there:
            await people_talk(there)

    asyncio.run(tell_it())


def theirs() -> set[bytes]:
    return needles([*KIMS, "zqthreeqz builds the bridge project by the river", KIM.id])


def in_shadow(path: Path, name: str = "next") -> dict[str, bytes]:
    return files_in(shadow_folder(path, name))


def test_the_clear_holds_nothing_of_anybody_but_in_rows(tmp_path: Path) -> None:
    told(tmp_path)
    asyncio.run(derive(tmp_path, parrot(), asked=OTHER))
    (shadow_folder(tmp_path, "next") / BOOK).write_text("{}")  # as a batch's run leaves one
    found = {name.split("/")[0] for name, _ in found_in(in_shadow(tmp_path), theirs() | needles([ADAS]))}
    assert found == {"views"}
    files = {each.split("/")[0] for each in in_shadow(tmp_path)}
    assert files == {"views", "log", "shadow.json", "write.lock", "making.lock", BOOK}


async def test_after_an_erasure_no_file_of_any_shadow_holds_them(tmp_path: Path) -> None:
    await asyncio.to_thread(told, tmp_path)
    async with Memory.open(tmp_path, settings=SETTINGS, clock=FakeClock(), writable=False) as memory:
        kim = await memory.person(KIM.id, platform="discord")
    await derive(tmp_path, parrot(), asked=OTHER)
    await derive(tmp_path, parrot(), "kims", msgspec.structs.replace(OTHER, people=(kim.hex(),)))
    assert found_in(in_shadow(tmp_path, "kims"), [kim.hex().encode()])
    async with Memory.open(tmp_path, settings=SETTINGS, clock=FakeClock()) as memory:
        assert (await look(memory, kim)).shadows == ("kims", "next")
        with shadow_engine(tmp_path, "next", beside=memory.engine) as shadow:
            vaults = frozenset(shadow.store.ring.listing(kim))
            sealed = set(bodies_under(shadow, vaults))
        receipt = await erase(memory, kim)
        assert receipt.is_complete
        assert receipt.taken.shadows == ("kims", "next")
        everything = files_in(tmp_path / "shadows")
        assert found_in(everything, theirs() | {kim.hex().encode()}) == set()
        assert found_in(everything, sealed), "sealed, and under no key"
        await asyncio.to_thread(compact, memory.engine)
        assert found_in(files_in(tmp_path / "shadows"), needles([], [*sealed, kim])) == set()
    assert load(tmp_path, "kims").asked.people == (SOMEBODY,)
    assert found_in(files_in(tmp_path), theirs() | needles([], [*sealed])) == set()
    assert found_in(in_shadow(tmp_path), {ADAS.encode()}), "what Ada wrote stands"
    for name in ("next", "kims"):
        assert (await derive(tmp_path, parrot(), name)).state == "complete"
    assert found_in(files_in(tmp_path / "shadows"), theirs()) == set()


def bodies_under(engine: Engine, vaults: frozenset[VaultId]) -> Iterator[bytes]:
    """What lies sealed under these."""
    for stored in engine.store.log.read(0):
        if stored.body is not None and codec.decode_header(stored.header).vault in vaults:
            yield stored.body


def test_a_derivation_under_way_goes_on_without_who_was_erased(tmp_path: Path) -> None:
    told(tmp_path)
    model = parrot()
    extract = model.scripts["extraction"]
    asked: list[Ask] = []

    def erased_meanwhile(ask: Ask) -> str | Calling:
        if not asked:
            finished(child("erases", tmp_path))  # another process
        asked.append(ask)
        return extract(ask)

    model.scripts["extraction"] = erased_meanwhile
    assert asyncio.run(derive(tmp_path, model, asked=OTHER)).state == "complete"
    with Engine.open(tmp_path, clock=FakeClock()) as engine:
        assert unfinished(engine) == []
        compact(engine)
    assert found_in(files_in(tmp_path), theirs()) == set()
    assert found_in(in_shadow(tmp_path), {ADAS.encode()})


# -- any history ---------------------------------------------------------------------------------------------------

CANARY = re.compile("zq[0-9]+qz")


def canaries(engine: Engine, vaults: frozenset[VaultId]) -> tuple[set[str], set[str]]:
    """Those in what is sealed under these vaults, and those in all else."""
    found: tuple[set[str], set[str]] = set(), set()
    for stored in engine.store.log.read(0):
        record = engine.live.folding.record(stored)
        if record is not None:
            said = msgspec.json.encode(msgspec.to_builtins(record.event)).decode()
            found[codec.decode_header(stored.header).vault not in vaults].update(CANARY.findall(said))
    return found


def tell_with_canaries(engine: Engine, story: Story) -> None:
    """Tell a history in which every text holds a word of its own."""
    text = Teller.text
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Teller, "text", lambda told: f"{text(told)[:60]} zq{len(told.told)}qz ")
        tell(engine, story.decisions())


def gone_after(story: Story, number: int) -> int:
    """How many canaries went with somebody; AssertionError where one of them is in a file still."""
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        path, person = Path(folder), handle(f"person {number}")
        with Engine.open(path, create=True, clock=FakeClock()) as engine:
            tell_with_canaries(engine, story)
        asyncio.run(derive(path, parrot(), asked=OTHER))
        with Engine.open(path, clock=FakeClock()) as engine:
            theirs, others = canaries(engine, frozenset(engine.store.ring.listing(person)))
            searched = {each.encode() for each in theirs - others}
            erase_here(engine, person)
            assert found_in(files_in(path), searched) == set(), "at once"
            with shadow_engine(path, "next", beside=engine) as shadow:
                assert not canaries(shadow, frozenset())[1] & (theirs - others), "with every key in hand"
            assert compact(engine).troubles == []
        assert found_in(files_in(path), searched) == set()
        return len(searched)


def test_after_any_history_no_canary_of_who_was_erased_is_in_any_file() -> None:
    gone: list[int] = []

    @example(fixed_story(100), 2)
    @given(stories(60), st.integers(0, 5))
    @settings(max_examples=6, deadline=None, database=None, derandomize=True)
    def some(story: Story, number: int) -> None:
        gone.append(gone_after(story, number))

    some()
    assert max(gone) > 10, "there were some to go"
