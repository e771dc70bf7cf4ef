"""A role is changed, and what everybody of a guild could read is for a few: it is told there no more."""

from tests.loopback.discord.permissions import NONE, TALKING
from tests.scenario.claude import UNKNOWN
from tests.scenario.stage import Stage

LIGHT = "what light do I want?"


async def chapter(stage: Stage) -> None:
    cast, kim = stage.cast, stage.cast.kim
    await stage.answered(kim, cast.wharf, "I prefer lantern light over candles.")
    await (await kim.uses(cast.wharf, "/memory extract")).reply()
    await stage.shows(kim, cast.wharf, "lantern")
    assert "lantern" in await stage.answered(kim, cast.deck, LIGHT)
    await stage.chatters(10, cast.wharf, cast.deck)
    await stage.quiet()
    cast.harbour.grants(cast.crew, TALKING)
    cast.harbour.grants(cast.harbour.everyone, NONE)
    stage.claude.narrowed = True
    stage.transcript.mark("a role is changed", "Harbour is for its crew alone, and each channel for itself")
    assert await stage.answered(kim, cast.deck, f"and now, {LIGHT}") == UNKNOWN
    assert "lantern" in await stage.answered(kim, cast.wharf, f"and here, {LIGHT}")
    await stage.chatters(10, cast.wharf, cast.deck, cast.general)
