"""Deletion that holds, step by step: something is told in a DM and in public, taken back, and looked for ever after.

Each story is told twice: once it is forgotten, redacted or erased, and once, beside it, nothing is taken back. In the
twin every surface goes on holding it: so none is looked at in vain.

    forget   no item, no search, no summary made from then on, no file for others; who told it can list it and have it
             back, what stands above in the conversation stays there, and a restored backup is the memory of then
    redact   no surface at all, no row and no event that can be read
    erase    the same, and nobody knows who it was
"""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import copytree, rmtree
from typing import Literal, NamedTuple
from unittest.mock import patch

import msgspec

from dnam.erasing import erase
from dnam.exporting import Export
from dnam.loops.extraction import Said
from dnam.model import AnswerInputs, Ask
from projections.decisions.delete import DeletedRequest, delete_all
from projections.decisions.hear import HeardRequest
from projections.ids import Handle
from projections.messages import find_message, spoken_in, units_of
from projections.policies.compartments import Setting, place_item
from projections.rows import Rows
from replay.builder import silent
from replay.store import DiskStore
from replay.views import LAST_KEY, tables_of
from tests.dnam.cli.memories import dnam
from tests.dnam.scripted import FakeClock
from tests.privacy.town import EVERY_TURN, PLATFORM, Parrot, Town, town_on_disk

Act = Literal["nothing", "forget", "redact", "erase"]
MIRRORED = {"json_mirror": "1", **EVERY_TURN}
SECRET = "zqsecretqz"
WORDS = f"I always like the big round jars from the old market named {SECRET}"
TOLD = (("dm kim", "told 1"), ("general", "told 2"))
PLACES = ("dm kim", "general")
AFTER: tuple[str, ...] = (
    "taken back",
    "the same source heard again",
    "every background job",
    "replay from nothing",
    "learned anew by another model",
    "backed up again, and that restored elsewhere",
    "a backup from before restored",
)
"""What happens to it, in order."""
ALL = frozenset({"durable", "summary", "window", "show", "search", "snapshot", "durable files", "rolling files",
                 "export", "whole export", "rows", "events"})  # fmt: skip
AT_ONCE = frozenset({"durable", "search", "durable files"})
LATER = AT_ONCE | {"summary", "show", "snapshot", "rolling files"}
GONE: Mapping[Act, Callable[[str], frozenset[str]]] = {
    "nothing": lambda step: frozenset(),
    "forget": lambda step: {**dict.fromkeys(AFTER[:2], AT_ONCE), AFTER[-1]: frozenset()}.get(step, LATER),
    "redact": lambda step: ALL,
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

    def _answer(self, ask: Ask) -> str:
        assert isinstance(ask.inputs, AnswerInputs)
        shown = ask.inputs.message if self._tactful else ask.prompt
        return f"I was told: {self._quote}" if SECRET in shown else "Good to know."


class Story:
    """One memory on disk, opened and closed again and again under one clock. `quote` is what answers say of it."""

    def __init__(self, folder: Path, act: Act, quote: str = WORDS, *, tactful: bool | None = None) -> None:
        self._quote = quote
        self._tactful = act == "forget" if tactful is None else tactful
        self.data = folder / "data"
        self.backup = folder / "backup"
        self._older = folder / "older backup"
        self.act = act
        self.steps: list[Step] = []
        self._clock = FakeClock()
        self._requests: list[HeardRequest] = []

    @asynccontextmanager
    async def _open(self, model: str = "parrot") -> AsyncIterator[Town]:
        parrot = Quoting(self._quote, tactful=self._tactful)
        parrot.name = model
        async with town_on_disk(self.data, MIRRORED, parrot, self._clock) as made:
            yield made

    async def tell(self) -> list[Step]:
        """All of it."""
        async with self._open() as made:
            await self._tells(made)
            self._note("told", await found(made))
        self._cli("backup", self.backup, "--with-keys")
        async with self._open() as made:
            await self._takes_back(made)
            self._note("taken back", await found(made))
            await self._hears_again(made)
            self._note("the same source heard again", await found(made))
            await self._goes_on(made)
            self._note("every background job", await found(made))
        rmtree(self.data / "views")
        async with self._open() as made:
            self._note("replay from nothing", await found(made))
        async with self._open("another parrot") as made:
            await _learns_anew(made)
            self._note("learned anew by another model", await found(made))
        self._audited()
        await self._elsewhere()
        self._cli("restore-backup", self._older, "--yes")
        async with self._open() as made:
            await made.settle()
            self._note("a backup from before restored", await found(made))
        return self.steps

    async def _elsewhere(self) -> None:
        """What a backup brings to another machine, once it was brought up to date."""
        copytree(self.backup, self._older)
        self._cli("backup", self.backup, "--with-keys")
        here, self.data = self.data, self.data.with_name("elsewhere")
        self._cli("restore-backup", self.backup, "--yes")
        async with self._open() as made:
            self._note("backed up again, and that restored elsewhere", await found(made))
        self.data = here

    def _note(self, name: str, seen: frozenset[str]) -> None:
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
                sessions = [(await made.here("kim", place)).session for place, _ in TOLD]
                requests = [
                    DeletedRequest(PLATFORM, each.key, session, each.said, made.memory.now())
                    for each, session in zip(self._requests, sessions, strict=True)
                ]
                await made.memory.record(lambda rows: delete_all(rows, requests))
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

    async def _goes_on(self, made: Town) -> None:
        for n in range(2):
            await self._chat(made, f"evening {n}")
        await made.learns("kim")

    # -- by hand ----------------------------------------------------------------------------------------------------

    def _cli(self, command: str, *arguments: str | Path) -> str:
        with patch.dict(os.environ, {"DNAM_BACKUP_PASSPHRASE": "a long passphrase", "DNAM_TIMEZONE": "UTC"}):
            ran = dnam(command, *arguments, "--data", self.data)
        assert ran.code == 0, (command, ran.err, ran.out)
        return ran.out

    def _audited(self) -> None:
        """The log tells that something was taken back, and not what."""
        tags = {"forget": "item.forgotten", "redact": "message.redacted", "erase": "person.erased"}
        if self.act == "nothing":
            return
        listed = self._cli("log", "--tag", tags[self.act])
        assert tags[self.act] in listed
        if self.act != "forget":  # who forgot it can have it back: the operator's audit can say what it was
            assert SECRET not in self._cli("log")


async def _learns_anew(made: Town) -> None:
    """Another model reads everything that Kim ever said, as if nobody had."""
    kim = await made.handle("kim")
    for compartment, said in (await made.memory.look(lambda rows: _everything(rows, kim))).items():
        await made.assistant.extract_from(kim, compartment, said)
    await made.settle()


def _everything(rows: Rows, person: Handle) -> dict[str, list[Said]]:
    groups: dict[str, list[Said]] = {}
    for where in units_of(rows, person):
        compartment = place_item(Setting(person, where.audience, where.guild))
        points = list(spoken_in(rows, person, where))
        found = [(point, find_message(rows, where.session, where.audience.epoch, point)) for point in points]
        groups.setdefault(compartment, []).extend(Said(point, row) for point, row in found if row is not None)
    return {compartment: said for compartment, said in groups.items() if said}


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
        seen |= {name for name, text in texts.items() if SECRET in text}
    others = {
        "snapshot": [(await made.transparent("kim", "general")).text],
        "durable files": [each.text for each in await made.mirrored() if each.place.startswith("durable")],
        "rolling files": [each.text for each in await made.mirrored() if each.place.startswith("rolling")],
        "export": [(await made.exported("kim")).text],
        "whole export": [each.decode() for each in Export(made.memory.engine).lines(silent)],
        "rows": _rows(made),
        "events": [msgspec.json.encode(msgspec.to_builtins(each)).decode() for each in made.events()],
    }
    return frozenset({*seen, *(name for name, texts in others.items() if any(SECRET in each for each in texts))})


def _rows(made: Town) -> list[str]:
    """Every row of every view, and the overlay over them."""
    engine = made.memory.engine
    assert isinstance(engine.store, DiskStore)
    with engine.reading() as rows:
        stored = [each for table in tables_of(engine.fold) for _, each in rows.raw.scan(table, b"", LAST_KEY)]
    return [each.body.decode("utf-8", "replace") for each in stored if each.body]


async def told(folder: Path, act: Act) -> list[Step]:
    """The story of one way to take something back."""
    return await Story(folder, act).tell()
