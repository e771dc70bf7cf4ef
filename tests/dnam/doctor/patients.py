"""Whom the doctor looks at in tests, and what it finds."""

from collections.abc import Mapping
from pathlib import Path

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
