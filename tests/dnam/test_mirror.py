"""The mirror: equal to a fresh export a look after every change, whoever made it, and after any end."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from dnam.discoclaw import mirror as module
from dnam.discoclaw.file_set import FileSet
from dnam.discoclaw.files import all_files, only_guild
from dnam.discoclaw.mirror import Mirror, folder_of, mirroring
from dnam.languages import load
from dnam.memory import Memory
from projections.decisions.draft import Draft
from projections.decisions.place import PlaceSeen
from projections.events import MessageRedacted, PersonSeen, PlaceAudienceChanged, SummaryReset
from projections.events.event import Event
from projections.events.values import OPERATOR, PLATFORM, Audience
from projections.ids import Ref
from projections.items import items_of
from projections.policies.compartments import Setting
from replay.engine import Engine
from replay.erasure import erase
from tests.dnam.cli.memories import GARDEN, GENERAL, ROOT, garden, make
from tests.dnam.scripted import settings
from tests.replay.stage import event_id

HALL = PlaceSeen("discord", "77", "channel", "hall", "guild", guild=Ref("discord", "10"), guild_name="Other")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    make(tmp_path / "data", garden)
    return tmp_path / "data"


@asynccontextmanager
async def mirrored(data: Path, **values: str) -> AsyncIterator[Memory]:
    async with Memory.open(data, settings=settings(json_mirror="1", **values)) as memory:
        yield memory


async def fresh(memory: Memory) -> dict[str, bytes]:
    """What a fresh export would be."""
    found = await memory.look(lambda rows: all_files(rows, only_guild(rows)))
    return {name: data for name, data in found.files.items() if data is not None}


def mirror_of(data: Path) -> dict[str, bytes]:
    """Its files; one that is removed while they are read is none."""
    folder, files = data / "mirror", {}
    for each in sorted(folder.glob("*/*.json")):
        with suppress(FileNotFoundError):
            files[str(each.relative_to(folder))] = each.read_bytes()
    return files


class Looks:
    """Tells whoever waits whenever a mirror has looked at its log."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[asyncio.Future[None]] = []

    async def next(self) -> None:
        """A look that began after this was called has ended: the one that is under way, and another."""
        for _ in range(2):
            ended = asyncio.get_running_loop().create_future()
            with self._lock:
                self._waiting.append(ended)
            await ended

    def ended(self) -> None:
        """From the thread that looked."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.get_loop().call_soon_threadsafe(each.set_result, None)


LOOKS = Looks()


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look is told of."""
    real = Mirror.step

    def step(self: Mirror, *, last: bool = False) -> None:
        real(self, last=last)
        LOOKS.ended()

    monkeypatch.setattr(Mirror, "step", step)


async def equal_soon(memory: Memory, data: Path) -> dict[str, bytes]:
    """The mirror, after the next look at the latest: it is what it should be. One that was under way may end first."""
    wanted = await fresh(memory)
    for _ in range(2):
        if mirror_of(data) != wanted:
            await LOOKS.next()
    assert mirror_of(data) == wanted
    return wanted


def test_a_look_comes_well_within_a_second() -> None:
    assert module.PAUSE_SECONDS <= 0.5


async def remember(memory: Memory, text: str, user: str = "100") -> str:
    person = await memory.person(user, platform="discord", make=True)
    setting = Setting(person, Audience("guild", Ref("discord", "1")), GARDEN)
    return (await memory.remember(person, text, setting=setting)).id


async def record(memory: Memory, *events: Event) -> None:
    drafts = [Draft(event_id(f"{memory.engine.head().size} {n}"), each) for n, each in enumerate(events)]
    await memory.record(lambda rows: drafts)


# -- up to date ----------------------------------------------------------------------------------------------------


async def test_it_is_there_when_a_memory_is_opened_and_follows_every_change(data: Path) -> None:
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        item = await remember(memory, "likes jam")
        assert b"likes jam" in (await equal_soon(memory, data))["durable/100.json"]
        await memory.edit("100", item, "likes plum jam", platform="discord")
        assert b"plum" in (await equal_soon(memory, data))["durable/100.json"]
        await memory.forget("100", id=item, platform="discord")
        assert b"jam" not in (await equal_soon(memory, data))["durable/100.json"]
        assert "rolling/discord-channel-1.json" in mirror_of(data)
        audience = Audience("guild", Ref("discord", "1"))
        reset = SummaryReset(said=1, by=OPERATOR, session="discord:channel:1", audience=audience, era=0, upto=None)
        await record(memory, reset)
        assert "rolling/discord-channel-1.json" not in await equal_soon(memory, data)


async def test_after_a_burst_it_is_a_fresh_export(data: Path) -> None:
    async with mirrored(data) as memory:
        for number in range(60):
            await remember(memory, f"fact number {number}", f"{100 + number % 7}")
            if number % 20 == 0:
                await equal_soon(memory, data)
        assert len(await equal_soon(memory, data)) == 7 + 1


async def test_only_the_files_of_whom_something_touches_are_looked_at(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Any] = []
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        await LOOKS.next()
        kim = await memory.person("100", platform="discord")
        for name, of in (("of_person", "person"), ("of_session", "session")):
            real = getattr(module, name)

            def watched(rows: Any, *, of: str = of, real: Callable[..., Any] = real, **what: Any) -> Any:
                looked.append(what[of])
                return real(rows, **what)

            monkeypatch.setattr(module, name, watched)
        await remember(memory, "likes jam")
        await equal_soon(memory, data)
        await memory.heard("200", "hello again", name="Ada", platform="discord", place=GENERAL)
        await LOOKS.next()
    assert set(looked) == {kim}


async def test_opened_again_it_goes_on_where_it_is(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything: list[int] = []
    real = Mirror._write_all

    def watched(self: Mirror) -> None:
        everything.append(1)
        real(self)

    monkeypatch.setattr(Mirror, "_write_all", watched)
    async with mirrored(data) as memory:
        await remember(memory, "likes jam")
    assert len(everything) == 1
    with Engine.open(data) as engine:  # by somebody who knows of no mirror
        await remember(Memory(engine, settings(), load("en")), "likes figs", "200")
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        assert b"figs" in mirror_of(data)["durable/200.json"]
    assert len(everything) == 1


@pytest.mark.parametrize("stamp", [b"", b"nonsense", b"1 ff - 7", b"9 9 9", "1 \u00e9".encode()[:-1]])
async def test_a_folder_that_does_not_say_as_of_when_it_is_is_made_anew(data: Path, stamp: bytes) -> None:
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
    mark = data / "mirror" / ".dnam"
    mark.write_bytes(mark.read_bytes().splitlines(keepends=True)[0] + stamp)
    (data / "mirror" / "durable" / "100.json").write_text("{}")
    (data / "mirror" / "durable" / "7.json").write_text("{}")
    async with mirrored(data) as memory:
        assert "durable/7.json" not in await equal_soon(memory, data)


async def test_a_guild_that_came_meanwhile_is_noticed(data: Path) -> None:
    async with mirrored(data) as memory:
        assert "durable/100.json" in await equal_soon(memory, data)
    async with Memory.open(data) as memory:
        await memory.heard("100", "hello", name="Kim", platform="discord", place=HALL)
    async with mirrored(data) as memory:
        assert "durable/100.json" not in await equal_soon(memory, data)


async def test_what_another_process_records_is_mirrored_too(data: Path) -> None:
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        await asyncio.to_thread(_elsewhere, data)
        assert b"likes figs" in (await equal_soon(memory, data))["durable/100.json"]


def _elsewhere(data: Path, mirror: str = "0") -> None:
    code = (
        "import asyncio, sys\n"
        "from dnam.memory import Memory\n"
        "from tests.dnam.scripted import settings\n"
        "from tests.dnam.test_mirror import remember\n"
        "async def main():\n"
        "    async with Memory.open(sys.argv[1], settings=settings(json_mirror=sys.argv[2])) as memory:\n"
        "        await remember(memory, 'likes figs')\n"
        "asyncio.run(main())\n"
    )
    subprocess.run([sys.executable, "-c", code, str(data), mirror], cwd=ROOT, check=True)


# -- what must vanish ----------------------------------------------------------------------------------------------


async def test_an_erased_person_vanishes_from_it(data: Path) -> None:
    async with mirrored(data) as memory:
        await remember(memory, "likes jam", "200")
        assert "durable/200.json" in await equal_soon(memory, data)
        ada = await memory.person("200", platform="discord")
        await asyncio.to_thread(erase, memory.engine, ada)
        files = await equal_soon(memory, data)
        assert "durable/200.json" not in files
        assert "durable/100.json" in files


async def test_a_redacted_item_vanishes_from_it(data: Path) -> None:
    async with mirrored(data) as memory:
        await remember(memory, "likes jam", "200")
        await equal_soon(memory, data)
        ada = await memory.person("200", platform="discord")
        events = await memory.look(lambda rows: tuple(each.row.event for each in items_of(rows, ada)))
        await record(memory, MessageRedacted(said=1, by=OPERATOR, events=events))
        assert "durable/200.json" not in await equal_soon(memory, data)
        await record(memory, MessageRedacted(said=1, by=OPERATOR, events=(event_id("of nothing"),)))
        await equal_soon(memory, data)


async def test_with_a_second_guild_nothing_goes_from_the_one_into_the_other(data: Path) -> None:
    async with mirrored(data) as memory:
        assert "durable/100.json" in await equal_soon(memory, data)
        await memory.heard("100", "hello", name="Kim", platform="discord", place=HALL)
        assert "durable/100.json" not in await equal_soon(memory, data)


async def test_a_changed_audience_and_a_second_account_are_followed(data: Path) -> None:
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        room = Ref("discord", "1")
        old = Audience("guild", room)
        changed = PlaceAudienceChanged(
            said=1, by=PLATFORM, place=room, audience=Audience("channel", room, 1), previous=old,
            session="discord:channel:1", guild=GARDEN,
        )  # fmt: skip
        await record(memory, changed)
        assert "rolling/discord-channel-1.json" not in await equal_soon(memory, data)
        kim = await memory.person("100", platform="discord")
        second = PersonSeen(said=1, by=PLATFORM, person=kim, platform="discord", platform_id="99", name="Kim")
        await record(memory, second)
        files = await equal_soon(memory, data)
        assert files["durable/99.json"] == files["durable/100.json"]


async def test_many_changes_at_once_are_one_look_at_everything(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 3)
    async with mirrored(data) as memory:
        await asyncio.gather(*(remember(memory, f"fact {number}") for number in range(9)))
        await equal_soon(memory, data)


# -- beside everything else ----------------------------------------------------------------------------------------


async def test_an_answer_does_not_wait_for_it(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, reached = threading.Event(), threading.Event()
    real = FileSet.put

    def slow(self: FileSet, files: Any) -> int:
        reached.set()
        assert held.wait(30)
        return real(self, files)

    monkeypatch.setattr(FileSet, "put", slow)
    try:
        async with mirrored(data) as memory:
            assert await asyncio.to_thread(reached.wait, 30)
            heard = await memory.heard("100", "hello", name="Kim", platform="discord")
            await memory.answered(heard, await memory.context(heard), "hello")
            held.set()
            await asyncio.sleep(0)
        assert mirror_of(data)
    finally:
        held.set()


async def test_a_failure_is_told_once_and_mended_when_it_is_over(data: Path, tmp_path: Path) -> None:
    told: list[str] = []
    place = tmp_path / "files"
    place.write_text("in the way")
    with Engine.open(data, writable=False) as engine:
        mirror = Mirror(engine, place, told.append)
        mirror.step()
        mirror.step()
        mirror.step(last=True)
        assert len(told) == 1
        assert "cannot be kept up" in told[0]
        place.unlink()
        mirror.step(last=True)
        mirror.step()
        assert told[1:] == [f"the mirror in {place} is kept up again"]
        assert list(place.glob("durable/*.json"))
        mirror.close()


async def test_a_folder_of_somebody_else_s_is_not_touched(data: Path, tmp_path: Path) -> None:
    (tmp_path / "own" / "durable").mkdir(parents=True)
    (tmp_path / "own" / "durable" / "1.json").write_text("{}")
    told: list[str] = []
    values = settings(json_mirror="1", json_mirror_dir=str(tmp_path / "own"))
    with Engine.open(data, writable=False) as engine:
        async with mirroring(Memory(engine, values, load("en")), told.append):
            await asyncio.sleep(0)
    assert "did not write" in told[0]
    assert [each.name for each in (tmp_path / "own").rglob("*.json")] == ["1.json"]


async def test_of_two_processes_one_writes(data: Path) -> None:
    async with mirrored(data) as memory:
        await equal_soon(memory, data)
        await asyncio.to_thread(_elsewhere, data, mirror="1")
        assert b"figs" in (await equal_soon(memory, data))["durable/100.json"]


async def test_it_is_off_unless_it_is_asked_for(data: Path) -> None:
    async with Memory.open(data) as memory:
        assert folder_of(memory) is None
        await remember(memory, "likes jam")
    assert not (data / "mirror").exists()
    with Engine.in_memory() as engine:
        assert folder_of(Memory(engine, settings(json_mirror="1"), load("en"))) is None


# -- killed --------------------------------------------------------------------------------------------------------


@pytest.fixture
def chat(data: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A chat of its own, with a mirror."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dnam", "chat", "--data", str(data), "--as", "Kim", "--in", "general"],
        cwd=ROOT, env={**os.environ, "DNAM_JSON_MIRROR": "1"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    yield process
    process.kill()
    process.communicate()


@pytest.mark.parametrize("pause", [0.0, 0.1, 0.3])
async def test_after_a_kill_and_a_new_start_it_is_a_fresh_export(
    data: Path, chat: "subprocess.Popen[bytes]", pause: float
) -> None:
    assert chat.stdin is not None
    assert chat.stdout is not None
    for number in range(5):
        chat.stdin.write(f"!memory remember fact number {number}\n".encode())
        chat.stdin.flush()
        while b"durable-" not in chat.stdout.readline():
            assert chat.poll() is None
    await asyncio.sleep(pause)
    chat.send_signal(signal.SIGKILL)
    chat.wait()
    for file in (data / "mirror").rglob("*.json"):
        assert file.read_bytes().endswith(b"}\n")
    async with mirrored(data) as memory:
        files = await equal_soon(memory, data)
    assert files["durable/100.json"].count(b"fact number") == 5
    assert not list((data / "mirror").rglob("*.new"))


async def test_without_the_setting_one_from_before_is_removed(data: Path) -> None:
    async with mirrored(data) as memory:
        await remember(memory, "likes jam", "200")
        await equal_soon(memory, data)
    assert (data / "mirror" / "durable" / "200.json").exists()
    async with Memory.open(data, writable=False):
        assert (data / "mirror").exists()
    async with Memory.open(data):
        assert not (data / "mirror").exists()


async def test_one_that_another_keeps_up_stays(data: Path) -> None:
    async with mirrored(data) as memory:
        before = await equal_soon(memory, data)
        await asyncio.to_thread(module._remove, Memory(memory.engine, settings(), memory.language))
        assert await equal_soon(memory, data) == before
