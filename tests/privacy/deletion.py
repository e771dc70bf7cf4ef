"""Deletion that holds, step by step: something is told in a DM and in public, taken back, and looked for ever after.

Each story is told twice: once it is forgotten, redacted or erased, and once, beside it, nothing is taken back. In the
twin every surface goes on holding it: so none is looked at in vain.

    forget   no item, no search, no summary made from then on, no file for others; who told it can list it and have it
             back, what stands above in the conversation stays there, and summaries in a restored backup are of then
    redact   no surface at all, no row and no event that can be read
    edit     the same; what was learned from it stands until what it says instead was read
    erase    the same as redact, no export that lies under the data folder either, and nobody knows who it was
"""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import copytree, rmtree
from typing import Literal, NamedTuple
from unittest.mock import patch

import msgspec
import pytest

from dnam.compacting import compact
from dnam.discoclaw.file_set import FileSet
from dnam.discoclaw.files import DURABLE, ROLLING, all_files, only_guild
from dnam.discoclaw.mirror import Mirror
from dnam.erasing.person import erase
from dnam.exports.belongings import belongings
from dnam.exports.belongings_json import as_json
from dnam.exports.belongings_page import page
from dnam.exports.exporting import Export
from dnam.exports.returning import Returning
from dnam.importers.discoclaw import DiscoClaw
from dnam.importers.dnam_export import DnamExport
from dnam.importers.source import ImportedItem, Options
from dnam.importing.importer import Importer
from dnam.loops.extraction import Said
from dnam.model import AnswerInputs, Ask
from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.hear import HeardRequest
from projections.decisions.resting import TAKEN_BACK
from projections.events import Event
from projections.events.values import Source
from projections.ids import NOBODY, Handle, Ref, VaultId
from projections.messages import find_message, spoken_in, units_of
from projections.policies.compartments import Setting, place_item
from projections.rows import Rows
from replay.backups.manifest import read_manifest
from replay.builder import check, silent
from replay.ring.wrapped import NAME as KEYS
from replay.ring.wrapped import Wrapping, unwrapped
from replay.snapshot import LAST_KEY
from replay.store import DiskStore
from replay.views import tables_of
from tests.dnam.cli.memories import dnam
from tests.dnam.scripted import FakeClock
from tests.privacy.town import EVERY_TURN, PEOPLE, PLATFORM, Parrot, Town, extraction, ref, town_on_disk
from tests.privacy.traces import files_in, found_in
from tests.replay.keeping import cheap_wrapping

Act = Literal["nothing", "forget", "redact", "edit", "erase"]
MIRRORED = {"json_mirror": "1", **EVERY_TURN}
SECRET = "zqsecretqz"
WORDS = f"I always like the big round jars from the old market named {SECRET}"
AGAIN = "I love large round jars from the old market"
"""The same in other words. What Kim says anew may be learned anew, unless they forgot it."""
TOLD = (("dm kim", "told 1"), ("general", "told 2"))
PASSPHRASE = "a long passphrase"
INSTEAD = "never mind, I did not say anything of interest"
PLACES = ("dm kim", "general")
AFTER: tuple[str, ...] = (
    "taken back",
    "the same source heard again",
    "said again in other words",
    "every background job",
    "imported again",
    "replay from nothing",
    "learned anew by another model",
    "backed up again, and that restored elsewhere",
    "a backup from before restored",
)
"""What happens to it, in order."""


def everywhere(*surfaces: str) -> frozenset[str]:
    """These surfaces, in each of the places."""
    return frozenset(f"{each} in {place}" for each in surfaces for place in PLACES)


KEPT = frozenset({"kept all.jsonl", "kept kim.json", "kept kim.md", "kept durable", "kept rolling"})
"""What somebody exported into the data folder before."""
ITEMS = everywhere("durable", "search") | {"durable files", "mirrored durable"}
SUMMARIES = everywhere("summary") | {"rolling files", "mirrored rolling"}
RECORDED = frozenset({"export", "whole export", "rows", "events"})
LATER = ITEMS | SUMMARIES | everywhere("show") | {"snapshot"}
LEARNED = ITEMS | RECORDED | everywhere("show") | {"snapshot"}
"""Where it is found that is learned from it."""
REWORDED = frozenset({"reworded"})
"""An item that says it in other words."""
ALL = LATER | RECORDED | KEPT | everywhere("window")
GONE: Mapping[Act, Callable[[str], frozenset[str]]] = {
    "nothing": lambda step: frozenset(),
    "forget": lambda step: dict.fromkeys((*AFTER[:2], AFTER[-1]), ITEMS).get(step, LATER | REWORDED),
    "redact": lambda step: ALL - KEPT,
    "edit": lambda step: ALL - KEPT - (LEARNED if step in AFTER[:2] else frozenset()),
    "erase": lambda step: ALL,
}
"""Which surfaces are promised to be without it, from each step on."""


class Step(NamedTuple):
    """Where it was found after something happened, and where it should not be."""

    act: Act
    name: str
    found: frozenset[str]
    gone: frozenset[str]

    @property
    def holds(self) -> bool:
        """Whether the promise is kept; for the twin: whether it is everywhere still."""
        return self.found >= ALL if self.act == "nothing" else not self.found & self.gone


class Quoting(Parrot):
    """It quotes it in every answer before which it stands; one that is `tactful`, only to who has just said it."""

    def __init__(self, quote: str, *, tactful: bool) -> None:
        super().__init__()
        self._quote = quote
        self._tactful = tactful
        self.scripts["answer"] = self._answer
        self.scripts["extraction"] = _with_hearsay

    def _answer(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, AnswerInputs)
        shown = ask.inputs.message if self._tactful else ask.prompt
        return f"I was told: {self._quote}" if SECRET in shown else "Good to know."


def _with_hearsay(ask: Ask) -> str:
    """What a parrot notes, and what is said in other words; and once more with words that nobody said: that is refused,
    and kept as such.
    """
    entries = msgspec.json.decode(extraction(ask, re.compile(f"{SECRET}|{AGAIN}")))["upserts"]
    hearsay = [{**each, "text": f"it is so: {each['text']}", "evidence": [{"quote": "it is so"}]} for each in entries]
    return msgspec.json.encode({"upserts": [*entries, *hearsay]}).decode()


class Story:
    """One memory on disk, opened and closed again and again under one clock. `quote` is what answers say of it."""

    def __init__(self, folder: Path, act: Act, quote: str = WORDS, *, tactful: bool | None = None) -> None:
        self._quote = quote
        self._tactful = act in ("forget", "edit") if tactful is None else tactful
        self.data = folder / "data"
        self.backup = folder / "backup"
        self._older = folder / "older backup"
        self._kept = self.data / "exports"
        self._kept_up = folder / "kept up"
        self._elsewhere_kept = folder / "kept elsewhere"
        self.act = act
        self.steps: list[Step] = []
        self._clock = FakeClock()
        self._requests: list[HeardRequest] = []

    @asynccontextmanager
    async def _open(self, model: str = "parrot") -> AsyncIterator[Town]:
        parrot = Quoting(self._quote, tactful=self._tactful)
        parrot.name = model
        async with town_on_disk(self.data, MIRRORED, parrot, self._clock) as made:
            self._mirror = Mirror(made.memory.engine, self._kept_up, pytest.fail)
            yield made
            self._mirror.step()
            self._mirror.close()
        assert _mirrored(self.data / "mirror") == _mirrored(self._kept_up), "the memory's own follows by itself"

    async def tell(self) -> list[Step]:
        """All of it."""
        async with self._open() as made:
            await self._tells(made)
            kim = await made.handle("kim")
            _export(made, kim, self._kept)
            copytree(self._kept, self._elsewhere_kept)
            self._sealed, self._vaults = _sealed(made), set(made.memory.engine.store.ring.listing(kim))
            await self._note("told", made)
        self._cli("backup", self.backup, "--with-keys")
        assert self._sealed
        assert self._is_in_backup(set(self._sealed), self._vaults)
        async with self._open() as made:
            await self._takes_back(made)
            await self._note("taken back", made)
            await self._hears_again(made)
            await self._note("the same source heard again", made)
            await self._says_again(made)
            await self._note("said again in other words", made)
            await self._goes_on(made)
            await self._note("every background job", made)
            await self._imports_again(made)
            await self._note("imported again", made)
        rmtree(self.data / "views")
        async with self._open() as made:
            await self._note("replay from nothing", made)
        async with self._open("another parrot") as made:
            await self._learns_anew(made)
            await self._note("learned anew by another model", made)
        self._audited()
        await self._elsewhere()
        self._cli("restore-backup", self._older, "--yes")
        async with self._open() as made:
            await made.settle()
            await self._note("a backup from before restored", made)
        return self.steps

    async def _elsewhere(self) -> None:
        """What a backup brings to another machine, once it was brought up to date."""
        copytree(self.backup, self._older)
        self._cli("backup", self.backup, "--with-keys")
        bodies_stay, keys_stay = self.act in ("nothing", "forget"), self.act != "erase"
        assert self._is_in_backup(set(self._sealed if bodies_stay else ()), self._vaults if keys_stay else set())
        here, self.data = self.data, self.data.with_name("elsewhere")
        self._cli("restore-backup", self.backup, "--yes")
        async with self._open() as made:
            await self._note("backed up again, and that restored elsewhere", made)
        self.data = here

    def _is_in_backup(self, bodies: set[bytes], vaults: set[VaultId]) -> bool:
        """Whether the backup holds these and no others of the bodies that open to the secret, and keys of Kim's."""
        manifest = read_manifest(self.backup)
        assert manifest is not None
        records = unwrapped(self.backup / KEYS, PASSPHRASE, manifest.log)
        held = {each for _, each in found_in(files_in(self.backup), self._sealed)}
        return held == bodies and {record.vault for record in records} & self._vaults == vaults

    async def _note(self, name: str, made: Town) -> None:
        self._mirror.step()
        files = {f"mirrored {each}": text for each, text in _mirrored(self._kept_up).items()}
        kept = {f"kept {each}": text for each, text in _texts(self._kept).items()}
        reworded = [each for each in await made.items("kim") if each.text == AGAIN]
        seen = (
            await found(made)
            | (REWORDED if reworded else frozenset())
            | {each for each, text in (files | kept).items() if SECRET in text}
        )
        gone = frozenset() if name == "told" else GONE[self.act](name)
        self.steps.append(Step(self.act, name, seen, gone))

    # -- what happens -----------------------------------------------------------------------------------------------

    async def _tells(self, made: Town) -> None:
        for place, number in TOLD:
            request = made.request("kim", place, WORDS, number)
            self._requests.append(request)
            heard = await made.memory.hear(request)
            await made.replies(heard)
        await self._chat(made, "before")

    async def _chat(self, made: Town, when: str) -> None:
        """Something else is said, and answered: summaries are made, and what is new is learned from."""
        for place in PLACES:
            heard = await made.memory.hear(made.request("kim", place, f"good {when} to you", f"{when} {place}"))
            await made.replies(heard)

    async def _takes_back(self, made: Town) -> None:
        match self.act:
            case "forget":
                reply = await made.command("kim", "dm kim", f"forget {WORDS}")
                assert len(reply.items) == 2, reply.text
            case "redact":
                await take_back(made, self._requests)
            case "edit":
                for request in self._requests:
                    edited = request._replace(text=INSTEAD, edited=made.memory.now())
                    made.assistant.after_heard(await made.memory.hear(edited))
                await made.settle()
            case "erase":
                receipt = await erase(made.memory, await made.handle("kim"))
                assert receipt.is_complete
            case "nothing":
                pass

    async def _hears_again(self, made: Town) -> None:
        """The platform delivers it once more; and what was read back is said to be unread."""
        for request in self._requests:
            heard = await made.memory.hear(request)
            made.assistant.after_heard(heard)
            await made.settle()
        if self.act == "erase":  # what nobody had heard of them yet is read back, too
            late = self._requests[0]._replace(key="never heard", said=self._requests[0].said + 1)
            assert (await made.memory.hear(late)).person == NOBODY

    async def _says_again(self, made: Town) -> None:
        for place in PLACES:
            await made.replies(await made.memory.hear(made.request("kim", place, AGAIN, f"again {place}")))

    async def _imports_again(self, made: Town) -> None:
        """What was exported before and lies elsewhere comes in: all of it, DiscoClaw's files, and these reworded.

        An item's file that does not say from which message it is brings it back when that was deleted: nothing is held
        against its words but what its person forgot. One that says so does not; nobody tells of which words of an
        edited one.
        """
        export = DnamExport(self._elsewhere_kept / "all.jsonl")
        await Returning(made.memory, export.head).bring(export.decisions(), silent)
        files = list(DiscoClaw(self._elsewhere_kept / "discoclaw").read(Options()))
        items = [each for each in files if isinstance(each, ImportedItem)]
        assert [SECRET in each.text for each in items] == [True], "what is said in DMs is in nobody's files"
        reworded = [msgspec.structs.replace(each, id=f"durable-{n:08x}", text=AGAIN) for n, each in enumerate(items)]
        others = [each for each in files if each not in items]
        given = {"redact": [self._naming_its_message(each) for each in items], "edit": []}.get(self.act, items)
        tally = await Importer(made.memory).bring(iter([*given, *others, *reworded]), lambda _: None)
        assert tally.skipped[TAKEN_BACK] == (len(given) if self.act == "redact" else 0)
        await made.settle()

    def _naming_its_message(self, item: ImportedItem) -> ImportedItem:
        public = self._requests[-1]
        source = Source("discord", place=ref("general"), message=Ref(PLATFORM, public.key), guild=item.source.guild)
        return msgspec.structs.replace(item, source=source, message_said=public.said)

    async def _goes_on(self, made: Town) -> None:
        for n in range(2):
            await self._chat(made, f"evening {n}")
        await made.learns("kim")
        engine = made.memory.engine
        await asyncio.to_thread(compact, engine)
        engine.commit_views()
        assert isinstance(engine.store, DiskStore)
        assert check(engine.store, engine.fold).equal, "live = replay"

    async def _learns_anew(self, made: Town) -> None:
        """Another model reads everything that Kim ever said, as if nobody had: also what was only forgotten."""
        kim = await made.handle("kim")
        for compartment, said in (await made.memory.look(lambda rows: _everything(rows, kim))).items():
            await made.assistant.extract_from(kim, compartment, said)
        await made.settle()
        shown = [SECRET in ask.prompt for ask in made.model.asked("extraction")]
        assert shown.count(True) == (len(PLACES) if self.act in ("nothing", "forget") else 0)

    # -- by hand ----------------------------------------------------------------------------------------------------

    def _cli(self, command: str, *arguments: str | Path) -> str:
        with (
            patch.dict(os.environ, {"DNAM_BACKUP_PASSPHRASE": PASSPHRASE, "DNAM_TIMEZONE": "UTC"}),
            patch.object(Wrapping, "__new__", cheap_wrapping),
        ):
            ran = dnam(command, *arguments, "--data", self.data)
        assert ran.code == 0, (command, ran.err, ran.out)
        return ran.out

    def _audited(self) -> None:
        """The log tells that something was taken back, and not what."""
        tags = {"forget": "item.forgotten", "redact": "message.redacted", "edit": "message.redacted",
                "erase": "person.erased"}  # fmt: skip
        for act, tag in tags.items():
            assert act != self.act or tag in self._cli("log", "--tag", tag)
        told = [self._cli("log"), self._cli("log", "--json")]
        if self.act != "erase":  # nobody knows any more whose it was
            told.append(self._cli("audit", PEOPLE["kim"]))
        # Who forgot it can have it back: the operator's audit can say what it was.
        assert [SECRET in each for each in told] == [self.act in ("nothing", "forget")] * len(told)


def _everything(rows: Rows, person: Handle) -> dict[str, list[Said]]:
    groups: dict[str, list[Said]] = {}
    for where in units_of(rows, person):
        compartment = place_item(Setting(person, where.audience, where.guild))
        points = list(spoken_in(rows, person, where))
        found = [(point, find_message(rows, where.session, where.audience.epoch, point)) for point in points]
        groups.setdefault(compartment, []).extend(Said(point, row) for point, row in found if row is not None)
    return {compartment: said for compartment, said in groups.items() if said}


async def take_back(made: Town, messages: Sequence[HeardRequest]) -> None:
    """Kim deletes messages."""
    now = made.memory.now()
    places = [each.place.name or "dm kim" for each in messages]
    sessions = [(await made.here("kim", place)).session for place in places]
    requests = [
        DeletedRequest(PLATFORM, each.key, session, each.said, now)
        for each, session in zip(messages, sessions, strict=True)
    ]
    await made.memory.record(lambda rows: delete_all(rows, requests))


# -- where it is found -----------------------------------------------------------------------------------------------


async def found(made: Town) -> frozenset[str]:
    """Every surface that holds the secret, in the DM or in public."""
    seen: set[str] = set()
    for place in PLACES:
        context = await made.memory.context(await made.here("kim", place, "and the jars?"))
        texts = {
            "durable": context.memory.durable.body,
            "summary": context.memory.summary.body,
            "window": "\n".join(line.rendered for line in context.window.lines),
            "show": (await made.shown("kim", place)).text,
            "search": (await made.found("kim", place)).text,
        }
        seen |= {f"{name} in {place}" for name, text in texts.items() if SECRET in text}
    others = {
        "snapshot": [(await made.transparent("kim", "general")).text],
        "durable files": [each.text for each in await made.mirrored() if each.place.startswith("durable")],
        "rolling files": [each.text for each in await made.mirrored() if each.place.startswith("rolling")],
        "export": [(await made.exported("kim")).text],
        "whole export": [each.decode() for each in Export(made.memory.engine).lines(silent)],
        "rows": _rows(made),
    }
    seen |= {name for name, texts in others.items() if any(SECRET in each for each in texts)}
    return frozenset(seen | ({"events"} if any(map(_holds, made.events())) else set()))


def _rows(made: Town) -> list[str]:
    """Every row of every view, and the overlay over them."""
    engine = made.memory.engine
    assert isinstance(engine.store, DiskStore)
    with engine.reading() as rows:
        stored = [each for table in tables_of(engine.fold) for _, each in rows.raw.scan(table, b"", LAST_KEY)]
    return [each.body.decode("utf-8", "replace") for each in stored if each.body]


def _export(made: Town, kim: Handle, folder: Path) -> None:
    """An export of each kind in a folder, as the command line would write it."""
    folder.mkdir()
    memory = made.memory
    (folder / "all.jsonl").write_bytes(b"".join(Export(memory.engine).lines(silent)))
    with memory.engine.reading() as rows:
        of = belongings(rows, memory.engine.live.folding, kim, memory.settings.assistant_name, memory.now())
        files = all_files(rows, only_guild(rows)).files
    (folder / "kim.json").write_bytes(as_json(of))
    (folder / "kim.md").write_text(page(of, str), "utf-8")
    discoclaw = FileSet(folder / "discoclaw")
    assert discoclaw.claim()
    discoclaw.put(files)
    discoclaw.release()


def _sealed(made: Town) -> list[bytes]:
    """The bodies, as they lie on the disk, that open to the secret."""
    folding, log = made.memory.engine.live.folding, made.memory.engine.store.log
    stored = [(each, folding.record(each)) for each in log.read(0)]
    holding = [each.body for each, record in stored if record is not None and _holds(record.event)]
    return [body for body in holding if body is not None]


def _holds(event: Event) -> bool:
    return SECRET in msgspec.json.encode(msgspec.to_builtins(event)).decode()


def _mirrored(folder: Path) -> dict[str, str]:
    """All files of DiscoClaw's two folders, as one text each."""
    return {name: "".join(_texts(folder / name).values()) for name in (DURABLE, ROLLING)}


def _texts(folder: Path) -> dict[str, str]:
    """Every file in a folder by its name, and DiscoClaw's files in it by their folder."""
    found = {each.name: each.read_text("utf-8") for each in sorted(folder.glob("*.*")) if each.is_file()}
    return found | (_mirrored(folder / "discoclaw") if (folder / "discoclaw").exists() else {})


async def told(folder: Path, act: Act) -> list[Step]:
    """The story of one way to take something back."""
    return await Story(folder, act).tell()
