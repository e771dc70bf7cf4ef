"""An answer never fails because of memory: one table of everything that can be wrong with it.

The rows are seed 000's "Failure Modes" and seed 002's "Graceful degradation", and what can happen to a log and its
views besides: `SOURCES` quotes each line of these, and names the cases that stand for it. Of each the same is asked: a
message before, one meanwhile and one after are answered; what could not be recorded meanwhile waits and is seen (in
`unwritten` or in `failures`, in the program's log, in the metrics and on the health port, which `doctor` asks), and is
there, once, when writing works again. What only a bot has, or what ends it, is a case `InDiscord`.
"""

import asyncio
import errno
import fcntl
import os
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.respond import NOBODY_ALLOWED
from dnam.adapters.discord.ui import MemoryMenus
from dnam.assistant import Assistant
from dnam.conversation import Conversation, Spot
from dnam.memory import Memory
from dnam.metrics import Metrics
from dnam.model import Ask, Hear, Reply, unheard
from dnam.observing import watch, watch_thinking
from dnam.settings import SETTINGS, read
from dnam.unwritten import Unwritten
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import Event, MessageHeard, TurnAnswered, TurnDelivered
from projections.items import ITEMS
from projections.messages import MESSAGES
from projections.registry import FOLD
from projections.summaries import SUMMARIES
from projections.turns import TURNS
from replay import builder
from replay.builder import rebuild
from replay.clock import CLOCK_NOTE, instant_of, note_accepted
from replay.engine import Engine
from replay.errors import Busy, DamagedViews, KeyMissing, KeyRingUnreadable, LogError, LogFull, ReadOnly
from replay.folder import Folder
from replay.jobs import Job
from replay.store import DiskStore
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle, shown
from tests.dnam.patience import Patience
from tests.dnam.scripted import FakeClock, Script, ScriptedModel, down
from tests.loopback.discord import Channel, World

ADA = Account("local", "ada", "Ada")
DIRECT = PlaceSeen("local", "", "direct", "", "direct", partner=ADA)
EVERY_TURN = {"DNAM_SUMMARY_EVERY_N_TURNS": "1", "DNAM_DURABLE_EVERY_N_TURNS": "1"}
TEA = '{"upserts": [{"kind": "preference", "text": "User likes tea."}]}'
GREEN = '{"upserts": [{"kind": "preference", "text": "User likes green tea."}]}'
APART = '{"merged_summary": "", "merged_dialogue": ""}'
"""Both notes stand."""

Trouble = Callable[["Bench"], AbstractContextManager[None]]


class Bench(NamedTuple):
    """What a trouble is made on."""

    assistant: Assistant
    model: ScriptedModel
    data: Path
    patch: pytest.MonkeyPatch
    patience: Patience


# -- what can go wrong -------------------------------------------------------------------------------------------------


def writing(error: Exception) -> Trouble:
    """Every write fails."""

    @contextmanager
    def trouble(bench: Bench) -> Iterator[None]:
        def fail(job: object) -> None:
            raise error

        with bench.patch.context() as patch:
            patch.setattr(bench.assistant.memory.engine, "hand_in", fail)
            yield

    return trouble


def everything(error: LogError) -> Trouble:
    """Nothing can be read, and nothing written."""

    @contextmanager
    def trouble(bench: Bench) -> Iterator[None]:
        def unreadable() -> None:
            raise error

        with writing(error)(bench), bench.patch.context() as patch:
            patch.setattr(bench.assistant.memory.engine, "reading", unreadable)
            yield

    return trouble


@contextmanager
def held_by_another(bench: Bench) -> Iterator[None]:
    """Another process holds the write lock, for longer than an answer waits."""
    lock = os.open(bench.data / "write.lock", os.O_RDWR)
    engine = bench.assistant.memory.engine
    real = engine.hand_in

    def too_long(job: Job) -> None:
        real(job)
        bench.patience.over()

    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with bench.patch.context() as patch:
            patch.setattr(engine, "hand_in", too_long)
            yield
    finally:
        os.close(lock)


@contextmanager
def slower_than_a_second(bench: Bench) -> Iterator[None]:
    """What the log is given takes longer than an answer waits. It is written all the same, behind the answers."""
    engine, given = bench.assistant.memory.engine, list[Job]()

    def takes_long(job: Job) -> None:
        given.append(job)
        bench.patience.over()

    with bench.patch.context() as patch:
        patch.setattr(engine, "hand_in", takes_long)
        yield
    for job in given:
        engine.hand_in(job)


def script(purpose: str, replies: Script) -> Trouble:
    """The model fails at one kind of work."""

    @contextmanager
    def trouble(bench: Bench) -> Iterator[None]:
        before = bench.model.scripts.pop(purpose, None)
        bench.model.scripts[purpose] = replies
        yield
        bench.model.scripts.pop(purpose)
        if before is not None:
            bench.model.scripts[purpose] = before

    return trouble


def timed_out(_: Any) -> str:
    raise TimeoutError


@contextmanager
def an_encoder_that_fails(bench: Bench) -> Iterator[None]:
    class Encoder:
        name = "tiny@1"

        async def encode(self, texts: object, kind: object = "document") -> Any:
            raise RuntimeError(f"no vectors for {len(str(texts)) > 0}")

    bench.assistant.encoder = Encoder()
    yield
    bench.assistant.encoder = None


@contextmanager
def rebuilding(bench: Bench) -> Iterator[None]:
    """All views are built anew, as after a night's compaction, and put in force once this is over."""
    begun, go, views = threading.Event(), threading.Event(), Folder(bench.data / "views")
    store = bench.assistant.memory.engine.store
    assert isinstance(store, DiskStore)

    def waits(_: int, __: int) -> None:
        begun.set()
        go.wait()

    before = views.current()
    with bench.patch.context() as patch, ThreadPoolExecutor(1) as thread:
        patch.setattr(builder, "STRETCH", 0)  # all of it but what comes meanwhile, without the lock
        building = thread.submit(rebuild, store, FOLD, waits)
        building.add_done_callback(lambda _: begun.set())
        begun.wait()
        try:
            yield
        finally:
            go.set()
        building.result()
    assert views.current() not in (None, before)


@contextmanager
def nothing(_: Bench) -> Iterator[None]:
    """What is switched off is no trouble."""
    yield


class Case(NamedTuple):
    """A trouble, with which settings, what waits meanwhile, and where it is seen: in `unwritten` or in `failures`, or
    in the program's log once the memory is closed.
    """

    trouble: Trouble
    waits: bool = False
    seen: str = ""
    settings: dict[str, str] = {}  # noqa: RUF012 - never changed
    before: Callable[[Path], None] | None = None
    logged: str = ""


@contextmanager
def undisturbed(_: World, __: Garden, ___: Channel) -> Iterator[None]:
    """Discord does what it is asked to."""
    yield


@contextmanager
def refused_in_the_memory_channel(world: World, _: Garden, wall: Channel) -> Iterator[None]:
    """Nothing can be posted, edited or read there."""
    for method, path in (("POST", ""), ("GET", ""), ("PATCH", "/*"), ("DELETE", "/*")):
        world.fail(method, f"/channels/{wall.id}/messages{path}", 403, times=1000)
    yield
    world.rest.limits.faults.clear()


class InDiscord(NamedTuple):
    """A trouble that only a bot has. `dies`: at which of the model's work the process is ended meanwhile. `answers`:
    how many of the three messages are answered. `seen`: what becomes of it in the log of the program.
    """

    trouble: Callable[[World, Garden, Channel], AbstractContextManager[None]] = undisturbed
    settings: dict[str, str] = {}  # noqa: RUF012 - never changed
    dies: str = ""
    answers: int = 3
    seen: str = ""


@contextmanager
def clock_set_right(bench: Bench) -> Iterator[None]:
    """The clock was six hours behind, and is set right; then somebody accepts it, from another process."""
    clock, sooner = bench.assistant.memory.engine.recorder.clock, 6 * 60 * 60 * 1000
    assert isinstance(clock, FakeClock)
    clock.time += sooner
    bench.patch.setattr(clock, "monotonic", lambda: clock.time - sooner)
    yield
    note_accepted(bench.data / CLOCK_NOTE, instant_of(clock))


def without_views(data: Path) -> None:
    """The views were removed: they are built again."""
    shutil.rmtree(data / "views")


def damaged_views(data: Path) -> None:
    """The views are no views any more."""
    for file in (data / "views").rglob("data.mdb"):
        file.write_bytes(b"\x00" * file.stat().st_size)


def no_room_for_the_mirror(data: Path) -> None:
    """Where the mirror's folder should be lies a file."""
    (data.parent / "mirror").write_text("in the way")


ENOSPC = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
MIRROR = {"DNAM_JSON_MIRROR": "1"}
CASES: dict[str, Case | InDiscord] = {
    # seed 000, "Failure Modes"
    "memory read fails": Case(everything(KeyMissing("the key of #1 is not in the ring")), True, "the key of #1"),
    "memory write fails": Case(writing(LogFull("the disk is full")), True, "the disk is full"),
    "summarization fails": Case(script("summary", down), seen="summary: no answer to summary"),
    "extraction: network": Case(script("extraction", down), seen="extraction: no answer to extraction"),
    "extraction: timeout": Case(script("extraction", timed_out), seen="did not answer within 30 seconds"),
    "extraction: no JSON": Case(script("extraction", lambda _: "no"), seen="the reply holds no JSON"),
    "merge fails": Case(script("merge", down), seen="merge: no answer to merge"),
    "allow-list empty": InDiscord(settings={"allow_users": "", "allow_guilds": ""}, answers=2, seen=NOBODY_ALLOWED),
    "memory channel fails": InDiscord(refused_in_the_memory_channel, seen="discord: snapshot failed: Forbidden"),
    "dies in an answer's call": InDiscord(dies="answer"),
    "dies in a summary's call": InDiscord(dies="summary"),
    "dies in an extraction's call": InDiscord(dies="extraction"),
    "dies in a merge's call": InDiscord(dies="merge"),
    "mirror fails": Case(nothing, settings=MIRROR, before=no_room_for_the_mirror, logged="cannot be kept up"),
    # seed 002, "Graceful degradation": load, save, generate
    "summary: load fails": Case(everything(DamagedViews("the views are damaged")), True, "the views are damaged"),
    "summary: save fails": Case(writing(ENOSPC), True, "No space left"),
    "summary: generate fails": Case(script("summary", lambda _: "  "), seen="the model's summary was empty"),
    # what can happen to a log and to its views besides
    "log read-only": Case(writing(ReadOnly("the file system is read-only")), True, "read-only"),
    "log locked by another": Case(held_by_another, True, "does another program hold this memory?"),
    "log slower than 1 s": Case(slower_than_a_second, True, "it takes more than"),
    "log locked for long": Case(writing(Busy("another process has held it for 60 seconds")), True, "another process"),
    "clock set right": Case(clock_set_right, True, "`dnam accept-clock` accepts it"),
    "keys unreadable": Case(everything(KeyRingUnreadable("the key ring cannot be read")), True, "cannot be read"),
    "views removed": Case(nothing, before=without_views),
    "views damaged": Case(nothing, before=damaged_views),
    "views rebuilding": Case(rebuilding),
    "encoder fails": Case(an_encoder_that_fails, seen="encoder: no vectors"),
    # what can be switched off
    "no summaries": Case(nothing, settings={"DNAM_SUMMARY_ENABLED": "0"}),
    "no durable memory": Case(nothing, settings={"DNAM_DURABLE_MEMORY_ENABLED": "0"}),
    "no memory": Case(nothing, settings={"DNAM_MEMORY_ENABLED": "0"}),
    "no commands": Case(nothing, settings={"DNAM_MEMORY_COMMANDS_ENABLED": "0"}),
    "no mirror": Case(nothing, settings={"DNAM_JSON_MIRROR": "0"}),
    "documents' names": Case(nothing, settings={"DISCOCLAW_SUMMARY_ENABLED": "0", "MEMORY_ENABLED": "0"}),
}


# -- what is asked of each ---------------------------------------------------------------------------------------------


@asynccontextmanager
async def opened(data: Path, model: ScriptedModel, values: dict[str, str]) -> AsyncIterator[Assistant]:
    """An assistant over a memory, and its background ended before it closes."""
    async with Memory.open(data, settings=read({**EVERY_TURN, **values}, {}), clock=FakeClock()) as memory:
        assistant = Assistant(memory, model)
        yield assistant
        await assistant.settle()


async def says(talk: Conversation, text: str) -> str:
    """A message, its answer, and everything that is due behind it."""
    exchange = await talk.hear(text)
    thought = await talk.think(exchange)
    await talk.delivered(exchange)
    await talk.assistant.settle()
    return thought.text


def kept(assistant: Assistant) -> list[type[Event]]:
    """Messages, answers and deliveries, in the order in which they were recorded."""
    kinds = (MessageHeard, TurnAnswered, TurnDelivered)
    engine = assistant.memory.engine
    records = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    return [type(each.event) for each in records if each is not None and isinstance(each.event, kinds)]


def texts(assistant: Assistant) -> list[str]:
    with assistant.memory.engine.reading() as rows:
        return sorted(found.row.message.text for found in rows.scan(MESSAGES))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if isinstance(case, Case)])
async def test_every_answer_is_given_and_nothing_is_lost(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    case, data = CASES[name], tmp_path / "data"
    assert isinstance(case, Case)
    values = case.settings | ({"DNAM_JSON_MIRROR_DIR": str(tmp_path / "mirror")} if case.settings == MIRROR else {})
    learned = iter([TEA, GREEN])
    model = ScriptedModel({"extraction": lambda _: next(learned, "[]"), "merge": lambda _: APART})
    async with opened(data, model, {}) as assistant:
        assert await says(Conversation(assistant, Spot(ADA, DIRECT)), "before") == "yes"
    if case.before is not None:
        case.before(data)
    async with opened(data, model, values) as assistant:
        patience, logged, metrics = Patience(), list[str](), Metrics()
        talk = Conversation(assistant, Spot(ADA, DIRECT), Unwritten(logged.append, patience))
        assistant.failures.tell = logged.append
        watch(metrics, assistant.memory, talk.unwritten)
        watch_thinking(metrics, assistant)
        with case.trouble(Bench(assistant, model, data, monkeypatch, patience)):
            assert await says(talk, "meanwhile") == "yes"
            assert bool(talk.unwritten) is case.waits
            assert case.seen in (talk.unwritten.reason if case.waits else " ".join(assistant.failures))
            assert str(talk.unwritten) == ("1 message, 1 answer" if case.waits else "")
            assert is_logged(case, logged)
            assert is_measured(case, metrics, len(talk.unwritten))
        assert await says(talk, "after") == "yes"
        assert await talk.unwritten.again()
        assert metrics.health.report().ready
        assert (len(talk.unwritten), talk.unwritten.lost.total) == (0, 0)
        assert texts(assistant) == ["after", "before", "meanwhile"]
        assert kept(assistant) == [MessageHeard, TurnAnswered, TurnDelivered] * 3
    assert case.logged in " ".join(caplog.messages)


def is_logged(case: Case, logged: list[str]) -> bool:
    """Whether the program's log says what waits and why, or which work failed."""
    if case.waits:
        return any(
            each.startswith("what is said cannot be recorded, and waits") and case.seen in each for each in logged
        )
    return not case.seen or any(" failed" in each for each in logged)


def is_measured(case: Case, metrics: Metrics, waiting: int) -> bool:
    """Whether the metrics and the health port say so too: `doctor` asks there."""
    report, text = metrics.health.report(), metrics.text().decode()
    if case.waits:
        return (
            f"dnam_unwritten {float(waiting)}" in text
            and not report.ready
            and any(case.seen in each for each in report.reasons.values())
        )
    return report.ready and bool(report.facts["background_failures"]) is bool(case.seen)


# -- the same in Discord -----------------------------------------------------------------------------------------------


class Hangs(ScriptedModel):
    """A model that never replies to one kind of work, and `hung` once it was asked."""

    def __init__(self, scripts: dict[str, Script], purpose: str) -> None:
        super().__init__(scripts)
        self.purpose = purpose
        self.hung = asyncio.Event()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if ask.purpose == self.purpose:
            self.asks.append(ask)
            self.hung.set()
            await asyncio.Event().wait()
        return await super().ask(ask, hear)


class Known(NamedTuple):
    """What is known before a call and, where the process ends in it, after that."""

    items: list[str]
    summaries: list[tuple[str, int]]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if isinstance(case, InDiscord)])
async def test_in_discord_every_answer_is_given_and_nothing_is_lost(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    case = CASES[name]
    assert isinstance(case, InDiscord)
    learned = iter([TEA, GREEN])
    scripts: dict[str, Script] = {"extraction": lambda _: next(learned, "[]"), "merge": lambda _: APART}
    async with garden() as (world, here):
        wall = here.guild.channel("wall")
        usual = {"summary_every_n_turns": "1", "durable_every_n_turns": "1", "memory_channel_id": str(wall.id)}
        async with bot_in(world, tmp_path, ScriptedModel(scripts), told=usual) as bot:
            await asks(world, here, bot, "before")
        before, model = known(tmp_path), Hangs(scripts, case.dies)
        with case.trouble(world, here, wall):
            told, dies = usual | case.settings, bool(case.dies)
            async with bot_in(world, tmp_path, model, told=told, dies=dies) as bot:
                if dies:
                    await here.kim.says(here.general, "meanwhile", mention=world.bot)
                    await model.hung.wait()
                else:
                    await asks(world, here, bot, "meanwhile")
                assert len(shown(world, here.general)) == (1 if case.answers < 3 or case.dies == "answer" else 2)
        assert case.seen in caplog.text
        if case.dies:
            left = known(tmp_path)  # beside a summary an extraction goes on, and the other way round
            assert left.items == before.items or case.dies not in ("answer", "extraction")
            assert set(before.items) < set(left.items) or case.dies != "merge"
            assert left.summaries == before.summaries or case.dies not in ("summary", "answer")
        async with bot_in(world, tmp_path, ScriptedModel(scripts), told=usual) as bot:
            await asks(world, here, bot, "after")
            assert shown(world, here.general) == ["yes"] * case.answers
            assert heard(bot) == [f"@marcy {text}" for text in ("before", "meanwhile", "after")]
            answered = [type(each) for each in events(bot, TurnAnswered, TurnDelivered)]
            assert answered == [TurnAnswered, TurnDelivered] * case.answers
            assert bot.desk.unwritten.lost.total == 0
            assert "likes" in "".join(shown(world, wall))
    async with Memory.open(tmp_path, writable=False) as memory:
        assert memory.stopped is None


async def asks(world: World, here: Garden, bot: DnamBot, text: str) -> None:
    """Kim says something to the bot, and everything that is due behind it is done, the memory channel too."""
    await here.kim.says(here.general, text, mention=world.bot)
    await idle(world, bot)
    menus = bot.get_cog(MemoryMenus.NAME)
    assert isinstance(menus, MemoryMenus)
    await menus.ready.wait()
    assert menus.snapshots is not None
    await menus.snapshots.round()


def known(path: Path) -> Known:
    with Engine.open(path, writable=False) as engine, engine.reading() as rows:
        return Known(
            sorted(found.row.item.text for found in rows.scan(ITEMS)),
            [(found.row.text, found.row.said) for found in rows.scan(SUMMARIES)],
        )


# -- which line of the documents is which case -------------------------------------------------------------------------

OFF = ("no summaries", "no durable memory", "no commands", "documents' names")
SOURCES: dict[str, tuple[str, ...]] = {
    # seed 000, "Failure Modes (Fail Closed / Best-Effort)"
    "If allowlist is empty/missing: DiscoClaw already fails closed": ("allow-list empty",),
    "If memory read fails: treat as empty and continue": ("memory read fails",),
    "If memory write fails: log warning and continue": ("memory write fails",),
    "If Haiku summarization fails: keep old memory, continue": ("summarization fails",),
    "If Haiku durable extraction fails (timeout, JSON parse error, network)": (
        "extraction: timeout", "extraction: no JSON", "extraction: network",
    ),
    "If memory channel mirror fails: ignore and continue": ("memory channel fails",),
    "If process dies mid-Haiku-call: atomic write hasn't happened, so no data corruption": (
        "dies in an answer's call", "dies in a summary's call", "dies in an extraction's call",
        "dies in a merge's call",
    ),
    # seed 002, "Graceful degradation"
    "If summary load": ("summary: load fails",),
    "If summary save": ("summary: save fails",),
    "If summary generate fails at any point, log a warning and continue": ("summary: generate fails",),
    # the issue, "Best effort"
    "log full": ("memory write fails", "summary: save fails"),
    "log locked": ("log locked by another", "log locked for long"),
    "log read-only": ("log read-only",),
    "log slower than 1 s": ("log slower than 1 s",),
    "keys unreadable": ("keys unreadable", "memory read fails"),
    "views rebuilding": ("views rebuilding",),
    "views damaged": ("views damaged", "views removed", "summary: load fails"),
    "extraction failing": ("extraction: timeout", "extraction: no JSON", "extraction: network", "merge fails"),
    "summary failing": ("summarization fails", "summary: generate fails"),
    "mirror failing": ("mirror fails", "memory channel fails"),
    "encoder failing": ("encoder fails",),
    "each …_ENABLED=0": (*OFF, "no mirror"),
    "DNAM_MEMORY_ENABLED=0": ("no memory",),
    # the design, §5
    "a forward jump far beyond the monotonic clock is refused until it is accepted by hand": ("clock set right",),
}  # fmt: skip
"""What the documents' lines say can go wrong, and the cases of it."""


def test_every_line_of_the_documents_has_its_case_and_every_case_its_line() -> None:
    assert {each for cases in SOURCES.values() for each in cases} == CASES.keys()


def test_whatever_can_be_switched_off_is_switched_off_in_a_case() -> None:
    switches = {each.name for each in SETTINGS if each.name.endswith("_ENABLED")}
    off = {name for case in CASES.values() for name, value in case.settings.items() if value == "0"}
    assert switches
    assert switches <= off


async def test_a_failed_summary_keeps_the_old_text_and_its_old_date(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model, {}) as assistant:
        talk = Conversation(assistant, Spot(ADA, DIRECT))
        await says(talk, "one")
        (before,) = _summaries(assistant)
        model.scripts["summary"] = down
        await says(talk, "two")
        assert _summaries(assistant) == [before]


def _summaries(assistant: Assistant) -> list[tuple[str, int]]:
    with assistant.memory.engine.reading() as rows:
        return [(found.row.text, found.row.said) for found in rows.scan(SUMMARIES)]


@pytest.mark.parametrize(
    ("off", "asked"),
    [
        ("DNAM_SUMMARY_ENABLED", {"answer", "extraction"}),
        ("DNAM_DURABLE_MEMORY_ENABLED", {"answer", "summary"}),
        ("DNAM_MEMORY_ENABLED", {"answer"}),
    ],
)
async def test_what_is_switched_off_is_not_asked_of_a_model(tmp_path: Path, off: str, asked: set[str]) -> None:
    model = ScriptedModel()
    async with opened(tmp_path, model, {off: "0"}) as assistant:
        await says(Conversation(assistant, Spot(ADA, DIRECT)), "one")
        assert {each.purpose for each in model.asks} == asked


async def test_a_memory_that_is_open_for_reading_answers_and_says_what_waits(tmp_path: Path) -> None:
    async with opened(tmp_path, ScriptedModel(), {}) as assistant:
        await says(Conversation(assistant, Spot(ADA, DIRECT)), "before")
    async with Memory.open(tmp_path, writable=False) as memory:
        talk = Conversation(Assistant(memory, ScriptedModel()), Spot(ADA, DIRECT))
        assert await says(talk, "meanwhile") == "yes"
        assert talk.unwritten.reason == "this memory was opened for reading only"
        assert texts(talk.assistant) == ["before"]


async def test_an_answer_given_while_the_process_ends_in_a_loop_is_there_afterwards(tmp_path: Path) -> None:
    class OnlyAnswers(ScriptedModel):
        async def ask(self, ask: Any, *more: Any) -> Any:
            if ask.purpose != "answer":
                await asyncio.Event().wait()
            return await super().ask(ask, *more)

    async with opened(tmp_path, OnlyAnswers(), {}) as assistant:
        talk = Conversation(assistant, Spot(ADA, DIRECT))
        exchange = await talk.hear("one")
        await talk.think(exchange)
        await talk.delivered(exchange)
        await assistant.stop()
    async with opened(tmp_path, ScriptedModel(), {}) as assistant:
        assert kept(assistant) == [MessageHeard, TurnAnswered, TurnDelivered]
        with assistant.memory.engine.reading() as rows:
            assert [found.row.text for found in rows.scan(TURNS)] == ["yes"]
