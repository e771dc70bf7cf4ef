"""Metrics and the health port: what is counted when what is recorded, and what is said when something is wrong."""

import asyncio
import errno
from pathlib import Path

import aiohttp
import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.adapters.circuit import FAILURES
from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.jobs import Job
from dnam.memory import Memory
from dnam.metrics import Metrics
from dnam.model import Ask, Hear, ModelError, Reply, unheard
from dnam.observing import LAG_EVERY_SECONDS, PortTaken, measure_lag, observed, refusal, serve, watch, watch_thinking
from dnam.settings import SettingError
from dnam.unwritten import Unwritten
from projections.decisions.delete import delete_all
from projections.decisions.draft import Draft
from projections.decisions.withdraw import WithdrawRequest
from projections.decisions.work import JobRequest, record_job
from projections.rows import Rows
from replay.errors import LogFull
from tests.dnam.scripted import FakeClock, ScriptedModel, down, say, talking
from tests.world import NOW


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


class Slow(ScriptedModel):
    """A model that says it took a second and a half."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        return msgspec.structs.replace(await super().ask(ask, hear), latency_ms=1500)


async def test_a_conversation_is_counted(tmp_path: Path) -> None:
    metrics, model = Metrics(), Slow({"summary": down})
    async with talking(tmp_path, model, summary_every_n_turns="1", durable_every_n_turns="2") as assistant:
        watch(metrics, assistant.memory, Unwritten())
        await say(assistant, "100", "hello", "I like tea")
        depths = list[float | None]()

        def looks(_: object) -> list[Draft]:
            depths.append(value(metrics, "dnam_queue_depth"))
            return []

        await assistant.memory.record(looks)
        assert depths == [1]
        events = assistant.memory.engine.head().size
        assert value(metrics, "dnam_log_events") == events
    assert value(metrics, "dnam_messages_heard_total", author="person") == 2
    assert value(metrics, "dnam_turns_total", outcome="answered") == 2
    assert value(metrics, "dnam_turns_total", outcome="delivered") == 2
    assert value(metrics, "dnam_model_calls_total", work="answer", model="scripted", outcome="worked") == 2
    assert value(metrics, "dnam_model_tokens_total", model="scripted", kind="in") == 9
    assert value(metrics, "dnam_model_tokens_total", model="scripted", kind="out") == 6
    assert value(metrics, "dnam_model_cost_dollars_total", model="scripted") == 0
    assert value(metrics, "dnam_failures_total", job="summary") == 2
    assert value(metrics, "dnam_loop_lag_seconds_count", work="extraction") == 1
    assert value(metrics, "dnam_model_seconds_count", work="extraction") == 1
    assert value(metrics, "dnam_model_seconds_sum", work="extraction") == 1.5
    commits = value(metrics, "dnam_commit_seconds_count")
    assert commits is not None
    assert 0 < commits <= events
    for name in ("dnam_commit_seconds_sum", "dnam_loop_lag_seconds_sum"):
        took = value(metrics, name, **({"work": "extraction"} if "loop" in name else {}))
        assert took is not None
        assert took > 0


async def test_an_answer_that_is_withdrawn_cost_what_it_cost_once(tmp_path: Path) -> None:
    metrics = Metrics()
    async with talking(tmp_path, ScriptedModel()) as assistant:
        memory = assistant.memory
        watch(metrics, memory, Unwritten())
        heard = await memory.heard("100", "hello")
        await assistant.answer(heard)
        gone = WithdrawRequest("discord", (), heard.session, NOW + 5_000, (heard.point,))
        await memory.record(lambda rows: delete_all(rows, [], gone))
    assert value(metrics, "dnam_turns_total", outcome="withdrawn") == 1
    assert value(metrics, "dnam_model_calls_total", work="answer", model="scripted", outcome="worked") == 1


async def test_what_failed_is_counted(tmp_path: Path) -> None:
    metrics = Metrics()
    async with talking(tmp_path, ScriptedModel({"answer": down})) as assistant:
        memory = assistant.memory
        watch(metrics, memory, Unwritten())
        heard = await memory.heard("100", "hello")
        with pytest.raises(ModelError) as refused:
            await assistant.think(heard)
        await memory.failed(heard, refused.value, said=NOW + 5_000)
        request = JobRequest("mirror", "no room", memory.now(), memory.origin())
        await memory.record(lambda rows: record_job(rows, request))
    assert value(metrics, "dnam_turns_total", outcome="failed") == 1
    assert value(metrics, "dnam_failures_total", job="mirror") == 1


async def test_what_goes_wrong_behind_the_answers_is_counted_by_job_also_where_nothing_can_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise LogFull("the disk is full")

    metrics = Metrics()
    async with talking(tmp_path, ScriptedModel({"summary": down}), summary_every_n_turns="1") as assistant:
        watch_thinking(metrics, assistant)
        assert value(metrics, "dnam_background_failures", job="summary") is None
        await say(assistant, "100", "hello", "hello again")
        assert value(metrics, "dnam_background_failures", job="summary") == 2
        with monkeypatch.context() as fault:
            fault.setattr(assistant.memory.engine, "hand_in", full)
            await assistant.went_wrong(Job("mirror", "here"), LogFull("the disk is full"))
        assert value(metrics, "dnam_background_failures", job="mirror") == 1
        assert b'dnam_background_failures{job="mirror"} 1.0' in metrics.text()
        assert metrics.health.report().facts["background_failures"] == assistant.failures.total == 4


async def test_who_gave_up_waiting_and_what_was_refused_is_not_counted(tmp_path: Path) -> None:
    metrics = Metrics()

    def refused(rows: Rows) -> list[Draft]:
        raise LogFull("full")

    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        watch(metrics, memory, Unwritten())
        with pytest.raises(LogFull):
            await memory.record(refused)
        memory.submit(lambda rows: []).cancel()
        await memory.heard("100", "hello")
    assert value(metrics, "dnam_messages_heard_total", author="person") == 1


async def test_the_page_is_what_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.gauge("dnam_unwritten", "What waits.", lambda: 3)
    async with serve(metrics, 0) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/metrics") as response:
            assert (response.status, response.headers["Content-Type"]) == (
                200,
                "text/plain; version=0.0.4; charset=utf-8",
            )
            families = {each.name: each for each in text_string_to_metric_families(await response.text())}
        assert families["dnam_unwritten"].samples[0].value == 3
        assert {"dnam_messages_heard", "dnam_commit_seconds", "dnam_event_loop_lag_seconds"} <= set(families)
        async with session.get(f"http://127.0.0.1:{port}/") as response:
            assert response.status == 404


async def test_health_says_why_it_is_not_ready(tmp_path: Path) -> None:
    metrics, unwritten = Metrics(), Unwritten()
    full = [True]

    async def step() -> None:
        if full:
            raise LogFull("the disk is full")

    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        watch(metrics, memory, unwritten)
        metrics.health.needs("discord", lambda: "")
        assert await health(metrics) == (200, {
            "ready": True, "reasons": {}, "events": 0, "unwritten": 0, "unwritten_why": "", "lost": 0, "queue": 0,
            "view_errors": 0, "ring_errors": 0,
        })  # fmt: skip
        await unwritten.write("message", step)
        await unwritten.write("answer", step)
        status, said = await health(metrics)
        assert (status, said["ready"], said["unwritten"]) == (503, False, 2)
        assert said["reasons"] == {"unwritten": "1 message, 1 answer wait: the disk is full"}
        assert value(metrics, "dnam_unwritten") == 2
        full.clear()
        assert await unwritten.again()
        metrics.health.needs("discord", lambda: "not connected")
        assert (await health(metrics))[1]["reasons"] == {"discord": "not connected"}


async def test_what_is_being_written_hinders_nothing(tmp_path: Path) -> None:
    metrics, unwritten = Metrics(), Unwritten()

    async def step() -> None:
        assert (len(unwritten), metrics.health.report().reasons) == (1, {})

    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        watch(metrics, memory, unwritten)
        assert await unwritten.write("message", step)
    assert not unwritten.lost


async def health(metrics: Metrics) -> tuple[int, dict[str, object]]:
    async with (
        serve(metrics, 0) as port,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/healthz") as response,
    ):
        return response.status, await response.json()


async def test_the_event_loop_s_lag_is_what_it_comes_too_late() -> None:
    metrics, times, late = Metrics(), [0.0], [0.0, 0.03, 7.0]

    async def pause(seconds: float) -> None:
        if not late:
            raise asyncio.CancelledError
        times[0] += seconds + late.pop(0)

    with pytest.raises(asyncio.CancelledError):
        await measure_lag(metrics, pause, lambda: times[0])
    assert LAG_EVERY_SECONDS == 0.5
    assert value(metrics, "dnam_event_loop_lag_seconds_count") == 3
    assert value(metrics, "dnam_event_loop_lag_seconds_bucket", le="0.025") == 1
    assert value(metrics, "dnam_event_loop_lag_seconds_sum") == pytest.approx(7.03)


async def test_what_goes_on_in_the_background_and_whether_claude_is_there_is_told(tmp_path: Path) -> None:
    metrics, model = Metrics(), Claude(Access("sk-ant-none"))
    async with Memory.open(tmp_path, clock=FakeClock()) as memory:
        assistant = Assistant(memory, Budgeted(model, memory))
        watch_thinking(metrics, assistant)
        assert value(metrics, "dnam_circuit_open") == 0
        assistant.failures.append("mirror: no room")
        for _ in range(FAILURES):
            model.circuit.failed("status 529")
        assert (value(metrics, "dnam_circuit_open"), value(metrics, "dnam_background_failures", job="mirror")) == (1, 1)
        facts = metrics.health.report().facts
        assert facts == {
            "circuit_open": True, "loop_circuit_open": False, "background_failures": 1, "last_answer": ""
        }  # fmt: skip
        for _ in range(FAILURES):
            model.loop_circuit.failed("status 529")
        assert value(metrics, "dnam_loop_circuit_open") == 1
        assert metrics.health.report().facts["loop_circuit_open"]
    await model.close()


async def test_a_model_without_a_circuit_has_none(tmp_path: Path) -> None:
    metrics = Metrics()
    async with talking(tmp_path, ScriptedModel()) as assistant:
        watch_thinking(metrics, assistant)
    assert value(metrics, "dnam_circuit_open") is None


async def test_nothing_is_served_unless_a_port_is_asked_for() -> None:
    async with observed(Metrics(), None) as port:
        assert port is None
        assert not measured()


async def test_a_port_that_is_taken_is_told_with_its_setting() -> None:
    async with serve(Metrics(), 0) as port:
        with pytest.raises(PortTaken, match=f"DNAM_HEALTH_PORT: another program has port {port} of 127.0.0.1"):
            async with observed(Metrics(), port):
                raise AssertionError("it is taken")
    assert not measured()


async def test_an_address_that_is_not_this_machine_s_is_told_with_its_setting() -> None:
    """192.0.2.0/24 is nobody's: RFC 5737."""
    with pytest.raises(SettingError, match=r"^DNAM_HEALTH_HOST: 192\.0\.2\.1 is no .* \((Cannot assign|could not)"):
        async with observed(Metrics(), 0, "192.0.2.1"):
            raise AssertionError("it is not to be had")


def test_a_port_that_only_root_may_open_is_told_with_its_setting() -> None:
    refused = refusal(PermissionError(errno.EACCES, "Permission denied"), 80, "127.0.0.1")
    assert str(refused) == "DNAM_HEALTH_PORT: port 80 may not be opened: set one above 1023 (Permission denied)"


async def test_it_is_served_and_measured_as_long_as_it_is_open() -> None:
    async with observed(Metrics(), 0) as port, aiohttp.ClientSession() as session:
        assert measured()
        response = await session.get(f"http://127.0.0.1:{port}/healthz")
        assert response.status == 200
        response.release()
    assert not measured()


def measured() -> bool:
    """Whether a task measures the event loop."""
    return any("measure_lag" in repr(each.get_coro()) for each in asyncio.all_tasks())


def test_two_processes_worth_of_metrics_do_not_meet() -> None:
    one, other = Metrics(), Metrics()
    one.gauge("dnam_unwritten", "What waits.", lambda: 1)
    assert value(other, "dnam_unwritten") is None
