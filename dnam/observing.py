"""Watching a running memory: what is counted and asked of it, and the port where that can be read.

    GET /metrics   for Prometheus
    GET /healthz   JSON; 200 when it is ready, 503 when it is not, with the reasons

Only on request (DNAM_HEALTH_PORT), and on this machine's own address unless DNAM_HEALTH_HOST names another: neither
needs a password, and neither holds a word of anybody's.
"""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from dnam.access import Access
from dnam.adapters.anthropic.claude import Claude
from dnam.alongside import alongside
from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.metrics import CONTENT_TYPE, Metrics
from dnam.settings import SettingError
from dnam.unreached import reason
from dnam.unwritten import Unwritten
from projections.errors import DnamError

if TYPE_CHECKING:
    from aiohttp import web

LAG_EVERY_SECONDS = 0.5
Pause = Callable[[float], Awaitable[None]]
Seconds = Callable[[], float]


class PortTaken(DnamError):
    """Another program has the port."""


def refusal(error: OSError, port: int, host: str) -> PortTaken | SettingError:
    """Why a port of an address cannot be had, by the setting that has to be another."""
    why = reason(error)
    match error.errno:
        case errno.EADDRINUSE:
            return PortTaken(f"DNAM_HEALTH_PORT: another program has port {port} of {host}: end it, or set another")
        case errno.EACCES:
            name, what = "DNAM_HEALTH_PORT", f"port {port} may not be opened: set one above 1023 ({why})"
        case _:
            name, what = "DNAM_HEALTH_HOST", f"{host} is no address of this machine: set one that is ({why})"
    return SettingError(name, f"{name}: {what}")


def watch(metrics: Metrics, memory: Access, unwritten: Unwritten) -> None:
    """Count what a memory records from now on, and answer for what waits in it."""
    engine, health = memory.engine, metrics.health
    engine.timing = metrics.commit
    memory.watchers.append(lambda recorded: metrics.recorded(recorded.records))
    metrics.gauge("dnam_queue_depth", "Decisions that wait for the log.", lambda: engine.pending)
    metrics.gauge("dnam_unwritten", "What could not be recorded yet, and waits.", lambda: len(unwritten))
    metrics.gauge("dnam_lost", "What never can be recorded.", lambda: unwritten.lost.total)
    metrics.gauge("dnam_log_events", "Events in the log.", lambda: engine.head().size)
    metrics.gauge("dnam_view_errors", "Times that views could not be written.", lambda: len(engine.view_errors))
    metrics.gauge(
        "dnam_ring_errors", "Times that a copy of the key ring was not synced.", lambda: len(engine.store.ring.errors)
    )
    health.needs("log", lambda: _words(memory.stopped))
    health.needs("unwritten", lambda: f"{unwritten} wait: {unwritten.reason}" if unwritten.reason else "")
    health.tells("events", lambda: engine.head().size)
    health.tells("unwritten", lambda: len(unwritten))
    health.tells("unwritten_why", lambda: unwritten.reason)
    health.tells("lost", lambda: unwritten.lost.total)
    health.tells("queue", lambda: engine.pending)
    health.tells("view_errors", lambda: len(engine.view_errors))
    health.tells("ring_errors", lambda: len(engine.store.ring.errors))


def watch_thinking(metrics: Metrics, assistant: Assistant) -> None:
    """Answer for the model, and for what goes on in the background."""
    model, failures = assistant.model, assistant.failures
    claude = model.model if isinstance(model, Budgeted) else model
    if isinstance(claude, Claude):
        answers, loops = claude.circuit, claude.loop_circuit
        what = "Whether nobody asks Claude for answers, because it is down."
        metrics.gauge("dnam_circuit_open", what, lambda: answers.is_open)
        what = "Whether no loop asks Claude, because it is down."
        metrics.gauge("dnam_loop_circuit_open", what, lambda: loops.is_open)
        metrics.health.tells("circuit_open", lambda: answers.is_open)
        metrics.health.tells("loop_circuit_open", lambda: loops.is_open)
    what = "What went wrong in the background, by job; also what could not be recorded."
    metrics.gauges("dnam_background_failures", what, "job", lambda: failures.by_job)
    metrics.health.tells("background_failures", lambda: failures.total)
    metrics.health.needs("answers", lambda: assistant.trouble.hindrance)
    metrics.health.tells("last_answer", lambda: assistant.trouble.reason)


def _words(error: Exception | None) -> str:
    return "" if error is None else str(error)


@asynccontextmanager
async def observed(metrics: Metrics, port: int | None, host: str = "127.0.0.1") -> AsyncIterator[int | None]:
    """Measure the event loop and serve, as long as the `async with`; which port it is. None: nothing of it."""
    if port is None:
        yield None
        return
    async with alongside(measure_lag(metrics), "measuring the event loop"), serve(metrics, port, host) as bound:
        yield bound


async def measure_lag(metrics: Metrics, pause: Pause = asyncio.sleep, seconds: Seconds | None = None) -> None:
    """Measure, until cancelled, how much later than asked for the event loop comes back."""
    clock = seconds or asyncio.get_running_loop().time
    while True:
        begun = clock()
        await pause(LAG_EVERY_SECONDS)
        metrics.event_loop_lag.observe(max(clock() - begun - LAG_EVERY_SECONDS, 0.0))


@asynccontextmanager
async def serve(metrics: Metrics, port: int, host: str = "127.0.0.1") -> AsyncIterator[int]:
    """The two pages on a port, and which it is (0 asks for any that is free). PortTaken or SettingError when it cannot
    be had.
    """
    from aiohttp import web

    runner = web.AppRunner(_app(metrics), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            raise refusal(error, port, host) from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _app(metrics: Metrics) -> "web.Application":
    from aiohttp import web

    async def show_metrics(_: web.Request) -> web.Response:
        return web.Response(body=metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def show_health(_: web.Request) -> web.Response:
        report = metrics.health.report()
        shown = {"ready": report.ready, "reasons": report.reasons, **report.facts}
        return web.json_response(shown, status=200 if report.ready else 503)

    app = web.Application()
    app.add_routes([web.get("/metrics", show_metrics), web.get("/healthz", show_health)])
    return app
