"""By bytes, UTF-8 and UTF-16, whole and in pieces: what is gone from the disk once it was erased or redacted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from dnam.compacting import compact
from dnam.erasing.person import erase
from dnam.exports.exporting import Export
from dnam.model import Ask
from projections.decisions.delete import DeletedRequest, delete
from projections.decisions.hear import HeardRequest
from projections.events import ConfigSet, PersonNoted
from projections.events.values import OPERATOR
from replay import codec
from replay.builder import silent
from replay.store import DiskStore
from tests.privacy.town import EVERY_TURN, PEOPLE, PLATFORM, Parrot, Town, town_on_disk
from tests.privacy.traces import FORMS, files_in, found_in, needles
from tests.replay.stage import drafts
from tests.world import NOW

NAME = "Kimberlina Quillfeather"
WROTE = (
    "zqoneqz grandmother bottles elderflower cordial every midsummer",
    "zqtwoqz beneath floorboards sleeps our forgotten accordion",
    "zqthreeqz yesterday's thunderstorm flooded several basements",
    "zqfourqz löwenzahn wächst überall zwischen den pflastersteinen",
)
OTHERS = "zqadasqz everyone here collects porcelain hedgehogs"


class Repeating(Parrot):
    """It says again, in answers, summaries and items, all that Kim wrote and it is shown, and what Kim is called."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts["answer"] = self.scripts["summary"] = _again


def _again(ask: Ask) -> str:
    return "; ".join(["I was told", *(each for each in (*WROTE, OTHERS, NAME) if each in ask.prompt)])


@asynccontextmanager
async def a_town(path: Path) -> AsyncIterator[Town]:
    async with town_on_disk(path, {"json_mirror": "1", **EVERY_TURN}, Repeating()) as made:
        made.names["kim"] = NAME
        yield made


async def _says(made: Town, person: str, place: str, text: str, *mentioned: str) -> None:
    await made.replies(await made.memory.hear(made.request(person, place, text, text, *mentioned)))


async def talk(made: Town) -> None:
    """People mention each other and quote each other; there are items, summaries, notes, settings and exports."""
    await _says(made, "kim", "general", WROTE[0])
    await _says(made, "ada", "general", OTHERS, "kim")
    await _says(made, "kim", "cellar", WROTE[1], "ada")
    await _says(made, "ada", "cellar", "what was that?", "kim")
    await _says(made, "ada", "dm ada", "zqaboutqz somebody told me of it", "kim")
    await _says(made, "kim", "dm kim", WROTE[2])
    await made.remembers("kim", "general", WROTE[3])
    kim = await made.handle("kim")
    noted = PersonNoted(said=NOW, by=OPERATOR, person=kim, note=WROTE[0])
    told = ConfigSet(said=NOW, by=OPERATOR, scope=f"person/{kim.hex()}", key="tone", value=WROTE[1], person=kim)
    await made.memory.record(drafts(noted, told, name="by hand"))


async def test_after_an_erasure_no_file_holds_what_they_wrote_nor_who_they_were(tmp_path: Path) -> None:
    data = tmp_path / "data"
    searched = needles([NAME, PEOPLE["kim"], *WROTE])
    async with a_town(data) as made:
        await talk(made)
        exported = data / "exports"
        exported.mkdir()
        (exported / "all.jsonl").write_bytes(b"".join(Export(made.memory.engine).lines(silent)))
        (exported / "kim.json").write_text((await made.exported("kim")).text, "utf-8")
        made.memory.engine.commit_views()
        before = {name.split("/")[0] for name, _ in found_in(files_in(data), searched)}
        assert {"views", "exports"} <= before
        kim = await made.handle("kim")
        assert found_in(files_in(data / "keys"), [kim])
        receipt = await erase(made.memory, kim)
        assert receipt.is_complete
        assert found_in(_at_once(data), searched) == set()
        assert found_in(files_in(data / "keys"), needles([], [kim])) == set(), "nor who was in which vault"
        await _says(made, "ada", "general", "and who was that?")
        await _says(made, "ada", "cellar", "nobody that I know of")
    assert found_in(files_in(data), searched) == set()
    assert found_in(files_in(data), {OTHERS.encode()}), "what Ada wrote stands"


async def test_after_a_redaction_and_a_rewrite_nothing_opens_to_the_words(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with a_town(data) as made:
        request = made.request("kim", "general", WROTE[0], "the one")
        await made.replies(await made.memory.hear(request))
        await _says(made, "ada", "general", OTHERS, "kim")
        await _says(made, "kim", "general", WROTE[1])
        made.memory.engine.commit_views()
        sealed = _sealed(made, WROTE[0])
        assert len(sealed) > 4
        searched = needles([WROTE[0]], sealed)
        assert {name.split("/")[0] for name, _ in found_in(files_in(data), searched)} >= {"log", "views"}
        await _redact(made, request)
        assert _sealed(made, WROTE[0]) == []
        going_on = asyncio.create_task(_goes_on(made))
        await asyncio.to_thread(compact, made.memory.engine)
        await going_on
        assert _sealed(made, WROTE[0]) == [], "with every key in hand"
        assert found_in(_at_once(data), searched) == set()
        assert _sealed(made, WROTE[1]), "what else they wrote stands"
    assert found_in(files_in(data), searched) == set()


def _at_once(data: Path) -> dict[str, bytes]:
    """Every file but the mirror's: that follows by itself, several times a second, and before the memory is closed."""
    return {name: each for name, each in files_in(data).items() if not name.startswith("mirror/")}


async def _redact(made: Town, request: HeardRequest) -> None:
    session = (await made.here("kim", "general")).session
    deleted = DeletedRequest(PLATFORM, request.key, session, request.said, made.memory.now())
    await made.memory.record(lambda rows: delete(rows, deleted))


async def _goes_on(made: Town) -> None:
    for n in range(4):
        await _says(made, "ada", "general", f"and so it goes on, number {n}")


def _sealed(made: Town, words: str) -> list[bytes]:
    """The bodies, as they lie on the disk, that open to these words under the keys that there are."""
    engine = made.memory.engine
    assert isinstance(engine.store, DiskStore)
    found: list[bytes] = []
    for stored in engine.store.log.read(0):
        if stored.body is not None:
            event = engine.live.folding.sealer.open(codec.decode_header(stored.header), stored.body)
            if words in msgspec.json.encode(msgspec.to_builtins(event)).decode():
                found.append(stored.body)
    return found


def test_a_trace_is_found_in_any_form_and_in_part() -> None:
    searched = needles([WROTE[3]])
    for form in FORMS:
        spelled = WROTE[3].encode(form)
        assert found_in({"x": b"..." + spelled[7:40] + b"..."}, searched)
    assert not found_in({"x": OTHERS.encode()}, searched)
