"""Whom the doctor looks at in tests, and what it finds."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from dnam.doctor.check import Finding, Look, Patient
from dnam.settings import read
from tests.loopback.discord import World
from tests.world import NOW


def patient(
    data: Path, named: Mapping[str, str] | None = None, *, now: int = NOW + 1_000, **environment: str
) -> Patient:
    """A folder, some settings, and a clock that stands."""
    return Patient(read({**(named or {}), **environment}, {}), data, now=lambda: now)


def at_discord(world: World, data: Path, **environment: str) -> Patient:
    """The same with a bot on the loopback Discord."""
    return patient(data, {"DISCORD_TOKEN": world.token, "DISCORD_API_URL": world.api_url, **environment})


async def looked(look: Look, who: Patient) -> Finding:
    """The one thing that a check finds."""
    (found,) = await look(who)
    return found


@asynccontextmanager
async def dated(date: str) -> AsyncIterator[str]:
    """A server whose answers carry this date, whatever the time is."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response({}, headers={"Date": date})

    app = web.Application()
    app.add_routes([web.get("/api/gateway", answer)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    finally:
        await runner.cleanup()
