"""The doctor on this machine: log, clock, disk, keys, imports, a running bot. Each check, well and not."""

import asyncio
import errno
import json
import os
import shutil
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from aiohttp import ClientConnectorError, web
from aiohttp.client_reqrep import ConnectionKey

from dnam.discoclaw.file_set import MARK
from dnam.doctor import context, disk, log, names, running
from dnam.doctor.check import Check, Finding, Patient, run
from dnam.memory import Memory
from dnam.metrics import Metrics
from dnam.observing import serve, watch
from dnam.unreached import no_answer
from dnam.unwritten import Unwritten
from projections.times import DAY_MS
from replay.errors import LogFull
from replay.ring.file import COPIES, FileRingStore
from replay.ring.records import SIZE
from tests.dnam.cli.memories import bytes_of, dnam, garden, make
from tests.dnam.doctor.patients import looked, patient
from tests.dnam.scripted import FakeClock
from tests.world import NOW

GB = 1024**3


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garden") / "data"
    make(folder, garden)
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "data"))


class TestNames:
    async def test_known(self, tmp_path: Path) -> None:
        who = patient(tmp_path)._replace(environment={"DNAM_LEARN": "none", "PATH": "/bin"})
        assert (await looked(names.known, who)).state == "well"

    async def test_not_known(self, tmp_path: Path) -> None:
        found = await looked(names.known, patient(tmp_path)._replace(environment={"DNAM_ALLOW_USRES": "1"}))
        assert found.state == "doubt"
        assert "did you mean DNAM_ALLOW_USERS?" in found.what

    async def test_another_program_s(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("MEMORY_TOP_K=5\nDATABASE_URL=x\n", encoding="utf-8")
        found = await looked(names.known, patient(tmp_path)._replace(environment={}, started=tmp_path))
        assert found.state == "doubt"
        assert found.what.startswith(".env: DATABASE_URL of slashAI sets nothing here.")


class TestLog:
    async def test_well(self, data: Path) -> None:
        found = await looked(log.health, patient(data))
        assert (found.state, found.what) == ("well", "25 events; the last 25 read whole")

    async def test_none_yet(self, tmp_path: Path) -> None:
        found = await looked(log.health, patient(tmp_path / "none"))
        assert found.state == "skipped"
        assert "dnam import" in found.do

    async def test_views_that_cannot_be_used_are_built_again(self, data: Path) -> None:
        (views,) = (data / "views").glob("*/data.mdb")
        views.write_bytes(b"")
        found = await looked(log.health, patient(data))
        assert found.what.startswith("the views cannot be used")
        assert (found.state, found.do) == ("wrong", log.REBUILT)

    async def test_what_may_not_be_read_is_a_matter_of_rights(
        self, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refused(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "/data/log/CURRENT")

        monkeypatch.setattr("replay.engine.Engine.open", refused)
        found = await looked(log.health, patient(data))
        assert (found.state, found.what) == ("wrong", "/data/log/CURRENT cannot be read: Permission denied")
        assert found.do == log.RIGHTS

    async def test_one_in_which_nothing_is_yet(self, tmp_path: Path) -> None:
        await asyncio.to_thread(make, tmp_path / "data")
        found = await looked(log.health, patient(tmp_path / "data"))
        assert (found.state, found.what) == ("well", "0 events")

    async def test_a_missing_key_ring(self, data: Path) -> None:
        shutil.rmtree(data / "keys")
        found = await looked(log.health, patient(data))
        assert found.state == "wrong"
        assert "Put the `keys` folder back" in found.what
        assert found.do == log.KEYS

    async def test_a_key_that_is_gone(self, data: Path) -> None:
        """The ring as it was before anybody was met: whole, and without their keys."""
        ring = FileRingStore(data / "keys")
        ring.rewrite(ring.read()[:1])
        ring.close()
        found = await looked(log.health, patient(data))
        assert found.state == "wrong"
        assert "key" in found.what

    @pytest.mark.parametrize(
        ("how", "said"),
        [
            (lambda whole: whole[:SIZE] + bytes(SIZE) + whole[SIZE * 2 :], "1 record (#2) cannot be read"),
            (lambda whole: whole[:-SIZE], "in both copies its end is lost"),
        ],
    )
    async def test_lost_keys_are_no_doubt(self, data: Path, how: Callable[[bytes], bytes], said: str) -> None:
        for name in COPIES:
            ring = data / "keys" / name
            ring.write_bytes(how(ring.read_bytes()))
        before = bytes_of(data)
        found = await log.health(patient(data))
        assert [(each.state, said in each.what) for each in found if said in each.what] == [("wrong", True)]
        assert {each.state for each in found} == {"wrong"}
        assert "Put the `keys` folder back" in next(each.what for each in found if said in each.what)
        assert bytes_of(data) == before

    async def test_a_damaged_body(self, data: Path) -> None:
        (file,) = (data / "log").glob("0*/data.mdb")
        content = bytearray(file.read_bytes())
        body = last_body(data)
        at = content.index(body)
        content[at + 20] ^= 1
        file.write_bytes(content)
        found = await log.health(patient(data))
        assert [each.state for each in found] == ["wrong"]
        assert found[0].what.startswith("#25: ")

    async def test_what_the_next_writer_mends_is_in_doubt(self, data: Path) -> None:
        with (data / "keys" / "ring-b").open("ab") as ring:
            ring.write(b"torn")
        before = bytes_of(data)
        found = await log.health(patient(data))
        assert [each.state for each in found] == ["doubt", "well"]
        assert "copies of the key ring" in found[0].what
        assert bytes_of(data) == before

    async def test_something_that_is_no_log(self, tmp_path: Path) -> None:
        (tmp_path / "data").write_text("a file", encoding="utf-8")
        assert (await looked(log.health, patient(tmp_path / "data"))).state == "wrong"


def last_body(data: Path) -> bytes:
    from replay.engine import Engine

    with Engine.open(data, writable=False) as engine:
        stored = engine.store.log.get(engine.head().size)
        assert stored is not None
        assert stored.body is not None
        return stored.body


class TestClock:
    async def test_well(self, data: Path) -> None:
        found = await looked(log.clock, patient(data))
        assert (found.state, found.what) == ("well", "it is not behind the log; Discord's was not asked")

    async def test_without_a_log(self, tmp_path: Path) -> None:
        assert (await looked(log.clock, patient(tmp_path))).state == "well"

    async def test_a_clock_behind_the_log(self, data: Path) -> None:
        found = await looked(log.clock, patient(data, now=NOW - 3_600_000))
        assert (found.state, found.what) == ("wrong", "the log's last event is 1:00:00 ahead of this clock")
        assert "NTP" in found.do

    async def test_a_log_that_cannot_be_read_says_nothing_of_the_clock(self, data: Path) -> None:
        (data / "keys").rename(data / "away")
        found = await looked(log.clock, patient(data))
        assert (found.state, found.what) == ("skipped", "the log could not be read; Discord's was not asked")
        found = await looked(disk.apart, patient(data))
        assert (found.state, found.what) == ("skipped", "there are no keys beside the log")


class TestDisk:
    async def test_too_young_for_a_rate(self, data: Path) -> None:
        found = await looked(disk.room, patient(data)._replace(free=lambda _: 10 * GB))
        assert found.state == "well"
        assert "10 GB free; too young for a rate" in found.what

    async def test_none_yet(self, tmp_path: Path) -> None:
        found = await looked(disk.room, patient(tmp_path / "not" / "yet")._replace(free=lambda _: GB))
        assert (found.state, found.what) == ("well", "0 B in use, 1.0 GB free; too young for a rate")

    @pytest.mark.parametrize(("days", "state"), [(6, "wrong"), (30, "doubt"), (90, "well")])
    async def test_how_long_it_lasts(self, data: Path, monkeypatch: pytest.MonkeyPatch, days: int, state: str) -> None:
        monkeypatch.setattr(disk, "LEAST_BYTES", 0)  # the log has but a hundred kilobytes
        who = patient(data, now=NOW + 10 * DAY_MS)
        growth = disk.growth_of(who)
        assert growth.bytes_per_day == pytest.approx(growth.size / 10, rel=0.01)
        found = await looked(disk.room, who._replace(free=lambda _: growth.bytes_per_day * days + 1))
        assert f"enough for {days} days" in found.what
        assert found.state == state
        assert bool(found.do) == (state != "well")

    async def test_bytes_a_day_of_late(self, data: Path) -> None:
        assert disk.growth_of(patient(data, now=NOW + 100 * DAY_MS)).bytes_per_day == 0

    async def test_a_full_disk(self, data: Path) -> None:
        found = await looked(disk.room, patient(data)._replace(free=lambda _: 1_000))
        assert found.state == "wrong"
        assert "Make room" in found.do

    @pytest.mark.parametrize(("name", "number"), [("", errno.EROFS), ("keys", errno.EACCES)])
    async def test_a_folder_that_cannot_be_written_to(self, data: Path, name: str, number: int) -> None:
        closed = data / name

        def write(folder: Path) -> None:
            if folder == closed:
                raise OSError(number, os.strerror(number), str(folder / "tmp1"))

        found = await looked(disk.room, patient(data)._replace(write=write, free=lambda _: 1_000))
        assert (found.state, found.what) == ("wrong", f"{closed} cannot be written to: {os.strerror(number)}")
        assert "for writing" in found.do

    async def test_a_full_disk_that_takes_nothing_is_told_as_full(self, data: Path) -> None:
        def write(_: Path) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        found = await looked(disk.room, patient(data)._replace(write=write, free=lambda _: 1_000))
        assert "Make room" in found.do

    def test_what_is_tried_leaves_nothing_behind(self, data: Path) -> None:
        before = bytes_of(data)
        patient(data).write(data)
        assert bytes_of(data) == before
        with pytest.raises(OSError, match="nowhere"):
            patient(data).write(data / "nowhere")

    async def test_a_log_that_cannot_be_opened_has_a_size(self, data: Path) -> None:
        shutil.rmtree(data / "keys")
        growth = disk.growth_of(patient(data))
        assert growth.size > 0
        assert growth.bytes_per_day == 0


class TestKeys:
    async def test_on_one_disk(self, data: Path) -> None:
        found = await looked(disk.apart, patient(data))
        assert found.state == "doubt"
        assert "same disk" in found.what
        assert str(data / "keys") in found.do

    async def test_on_two(self, data: Path) -> None:
        who = patient(data)._replace(device=lambda folder: len(folder.name))
        assert (await looked(disk.apart, who)).state == "well"

    async def test_none_yet(self, tmp_path: Path) -> None:
        assert (await looked(disk.apart, patient(tmp_path))).state == "skipped"


class TestImport:
    async def test_nothing_named(self, data: Path, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        for environment in ({"DNAM_LEARN": "none"}, {"DISCOCLAW_DURABLE_DATA_DIR": str(tmp_path / "empty")}):
            assert (await looked(log.brought_in, patient(data, environment))).state == "skipped"

    async def test_what_was_never_brought_in(self, data: Path, tmp_path: Path) -> None:
        memory = tmp_path / "memory"
        for name in ("durable", "rolling"):
            (memory / name).mkdir(parents=True)
            (memory / name / "1.json").write_text("{}", encoding="utf-8")
        named = {
            "DISCOCLAW_DURABLE_DATA_DIR": str(memory / "durable"),
            "DISCOCLAW_SUMMARY_DATA_DIR": str(memory / "rolling"),
        }
        found = await looked(log.brought_in, patient(data, named))
        assert (found.state, found.do) == ("doubt", f"`dnam import {memory}` does that.")
        assert (await looked(log.brought_in, patient(tmp_path / "none", named))).state == "doubt"

    async def test_what_was_brought_in_and_what_the_mirror_writes(self, data: Path, tmp_path: Path) -> None:
        durable = tmp_path / "memory" / "durable"
        durable.mkdir(parents=True)
        item = {
            "id": "durable-1a2b3c4d", "kind": "fact", "text": "likes figs", "tags": [], "status": "active",
            "source": {"type": "manual"}, "createdAt": NOW, "updatedAt": NOW,
        }  # fmt: skip
        content = json.dumps({"version": 1, "updatedAt": NOW, "items": [item]})
        (durable / "100.json").write_text(content, encoding="utf-8")
        who = patient(data, DNAM_DURABLE_DATA_DIR=str(durable))
        assert (await looked(log.brought_in, who)).state == "doubt"
        ran = await asyncio.to_thread(dnam, "import", durable.parent, "--data", data, "--yes")
        assert ran.code == 0, ran.err
        assert (await looked(log.brought_in, who)).state == "well"
        (durable / MARK).touch()  # as the mirror does
        assert (await looked(log.brought_in, who)).state == "skipped"


class TestContext:
    async def test_which_there_are(self, tmp_path: Path) -> None:
        for path in ("base/who.md", "channels/7/general.md", "channels/5.md"):
            (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
            (tmp_path / path).write_text("Be kind.", encoding="utf-8")
        found = await looked(context.files, patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path)))
        assert found.state == "well"
        assert found.what.startswith("/base/core.md, /base/who.md open every prompt; 2 channels")
        assert (await looked(context.files, patient(tmp_path))).what.startswith("/base/core.md opens every prompt; 0")

    @pytest.mark.parametrize(("guilds", "state"), [("", "doubt"), ("7", "well"), ("7,8", "doubt")])
    async def test_a_name_alone_opens_a_file_where_there_is_one_server(
        self, tmp_path: Path, guilds: str, state: str
    ) -> None:
        (tmp_path / "channels").mkdir()
        (tmp_path / "channels" / "general.md").write_text("Be kind.", encoding="utf-8")
        told = patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path), DNAM_ALLOW_GUILDS=guilds)
        found = await looked(context.files, told)
        assert found.state == state
        assert ("general.md" in found.what, "SERVER_ID" in found.do) == (state == "doubt", state == "doubt")

    async def test_one_that_cannot_be_read(self, tmp_path: Path) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base" / "rules.md").write_bytes(b"\xff")
        found = await looked(context.files, patient(tmp_path, DNAM_CONTEXT_DIR=str(tmp_path)))
        assert found.state == "wrong"
        assert "UTF-8" in found.do


class TestRunning:
    async def test_nobody_can_be_asked(self, tmp_path: Path) -> None:
        found = await looked(running.bot, patient(tmp_path))
        assert found.state == "skipped"
        assert "DNAM_HEALTH_PORT" in found.do

    async def test_ready(self, tmp_path: Path) -> None:
        async with Memory.open(tmp_path, clock=FakeClock()) as memory:
            metrics = Metrics()
            watch(metrics, memory, Unwritten())
            found = await asked(metrics, tmp_path)
        counts = "unwritten 0, lost 0, queue 0, view_errors 0, ring_errors 0"
        assert (found.state, found.what) == ("well", f"it is ready: {counts}")

    async def test_what_waits_and_what_is_lost(self, tmp_path: Path) -> None:
        metrics, unwritten = Metrics(), Unwritten()

        async def full() -> None:
            raise LogFull("the disk is full")

        async with Memory.open(tmp_path, clock=FakeClock()) as memory:
            watch(metrics, memory, unwritten)
            await unwritten.write("message", full)
            unwritten.lost.append("what was refused")
            async with serve(metrics, 0) as port:
                found = await running.bot(patient(tmp_path, DNAM_HEALTH_PORT=str(port)))
        assert [each.state for each in found] == ["wrong", "doubt"]
        assert found[0].what == "unwritten: 1 message wait: the disk is full"
        assert "1 thing could never be recorded" in found[1].what

    async def test_answers_that_fail(self, tmp_path: Path) -> None:
        metrics = Metrics()
        metrics.health.needs("answers", lambda: "the last answer failed: the key is not accepted")
        found = await asked(metrics, tmp_path)
        assert (found.state, found.what) == ("wrong", "answers: the last answer failed: the key is not accepted")
        assert "`dnam log`" in found.do

    @pytest.mark.parametrize("circuit", ["circuit_open", "loop_circuit_open"])
    async def test_claude_was_down(self, tmp_path: Path, circuit: str) -> None:
        metrics = Metrics()
        metrics.health.tells(circuit, lambda: True)
        found = await asked(metrics, tmp_path)
        assert found.state == "doubt"
        assert "Claude was down" in found.what

    async def test_nobody_answers(self, tmp_path: Path) -> None:
        """A port that is taken, by somebody who never says a word."""
        async with deaf() as port:
            found = await looked(running.bot, patient(tmp_path, DNAM_HEALTH_PORT=str(port)))
        assert found.state == "doubt"
        assert "the port is in use" in found.what
        assert "DNAM_HEALTH_PORT" in found.do

    async def test_an_address_that_is_not_this_machine_s(self, tmp_path: Path) -> None:
        """192.0.2.0/24 is nobody's: RFC 5737."""
        with refusing_to_connect():
            found = await looked(running.bot, patient(tmp_path, DNAM_HEALTH_PORT="9177", DNAM_HEALTH_HOST="192.0.2.1"))
        assert found.state == "wrong"
        assert "DNAM_HEALTH_HOST: 192.0.2.1 is no address of this machine" in found.what

    async def test_somebody_else_answers(self, tmp_path: Path) -> None:
        async with other({"status": "ok"}) as port:
            found = await looked(running.bot, patient(tmp_path, DNAM_HEALTH_PORT=str(port)))
        assert found.state == "doubt"
        assert "no dnam" in found.what

    async def test_nobody_listens(self, tmp_path: Path) -> None:
        async with other({}) as port:
            pass
        found = await looked(running.bot, patient(tmp_path, DNAM_HEALTH_PORT=str(port)))
        assert found.what.endswith(f"127.0.0.1:{port} cannot be connected to: Connection refused")
        assert "dnam run" in found.do

    @pytest.mark.parametrize(
        ("host", "reachable"),
        [("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]"), ("10.0.0.2", "10.0.0.2")],
    )
    def test_where_it_is_asked(self, host: str, reachable: str) -> None:
        assert running._reachable(host) == reachable


def refusing_to_connect() -> AbstractContextManager[object]:
    """No packet leaves this machine, whatever its routes."""
    unreachable = OSError(errno.ENETUNREACH, "Connect call failed ('192.0.2.1', 9177)")
    return patch("aiohappyeyeballs.start_connection", side_effect=unreachable)


async def asked(metrics: Metrics, data: Path) -> Finding:
    async with serve(metrics, 0) as port:
        return await looked(running.bot, patient(data, DNAM_HEALTH_PORT=str(port)))


@asynccontextmanager
async def deaf() -> AsyncIterator[int]:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


@asynccontextmanager
async def other(said: object) -> AsyncIterator[int]:
    async def answer(_: web.Request) -> web.Response:
        return web.json_response(said)

    app = web.Application()
    app.add_routes([web.get("/healthz", answer)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


REFUSED = "127.0.0.1:9 cannot be connected to: Connection refused"
UNKNOWN = "127.0.0.1:9 cannot be connected to: Name or service not known"


def unconnected(error: OSError) -> ClientConnectorError:
    where = ConnectionKey("127.0.0.1", 9, is_ssl=False, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None)
    return ClientConnectorError(where, error)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (TimeoutError(), "it did not answer in time"),
        (ConnectionResetError("hung up"), "hung up"),
        (OSError(), "OSError"),
        (unconnected(OSError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 9)")), REFUSED),
        (unconnected(socket.gaierror(-2, "Name or service not known")), UNKNOWN),
        (unconnected(ssl.SSLError(1, "wrong version")), "127.0.0.1:9 cannot be connected to: wrong version"),
    ],
)
def test_why_somebody_did_not_answer(error: Exception, why: str) -> None:
    assert no_answer(error) == why


async def test_a_check_that_fails_itself_is_a_finding(tmp_path: Path) -> None:
    async def broken(_: Patient) -> list[Finding]:
        raise RuntimeError("no")

    (found,) = await run(Check("odd", broken), patient(tmp_path))
    assert (found.check, found.state, found.what) == ("odd", "wrong", "this could not be looked at: RuntimeError: no")
