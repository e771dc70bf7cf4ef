"""What comes later than Discord waits: three seconds for a sign, fifteen minutes for a reply."""

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.discord.ui.asking import TOO_LATE
from projections.events import ItemRemembered, JobFailed
from tests.dnam.discord.stage import Writing, events, heard
from tests.dnam.discord.ui.stage import Scene, scene_in

CALLBACKS = "/interactions/*/callback"
ROSES = "I like roses"


def failures(scene: Scene) -> list[tuple[str, str]]:
    return [(each.job, each.error) for each in events(scene.bot, JobFailed)]


async def expired(scene: Scene, monkeypatch: pytest.MonkeyPatch, using: Coroutine[Any, Any, Any]) -> None:
    """The bot's first sign to what is used arrives when Discord has forgotten it."""
    failure = scene.next_failure(monkeypatch)
    sign = scene.world.slow("POST", CALLBACKS)
    task = asyncio.create_task(using)
    await scene.world.until(lambda: sign.met, "the bot to give a sign")
    for each in scene.world.state.interactions.values():
        each.expire()
    sign.open()
    await failure
    task.cancel()
    await scene.idle()


async def test_a_late_command_is_recorded_and_not_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with scene_in(tmp_path) as scene:
        await expired(scene, monkeypatch, scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
        assert failures(scene) == [("discord taking /memory remember", "NotFound: status 404, code 10062")]
        assert events(scene.bot, ItemRemembered) == []
        assert "Traceback" not in caplog.text


async def test_a_late_button_is_recorded_and_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.remembers(scene.kim, ROSES)
        menu = await scene.replied(scene.kim.uses(scene.general, f"/memory forget what:{ROSES}"))
        await expired(scene, monkeypatch, scene.kim.clicks(menu, "Forget 1"))
        assert failures(scene) == [("discord answering a button", "NotFound: status 404, code 10062")]
        assert await scene.held(scene.kim) == [ROSES]


async def test_a_late_completion_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.remembers(scene.kim, ROSES)
        await expired(scene, monkeypatch, scene.kim.completes(scene.general, "/memory forget what:ro"))
        assert failures(scene) == [("discord completing /memory forget", "NotFound: status 404, code 10062")]
        assert "Traceback" not in caplog.text
        assert "roses" not in caplog.text


async def test_a_completion_that_goes_wrong_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError(ROSES)

    async with scene_in(tmp_path) as scene:
        monkeypatch.setattr("dnam.adapters.discord.ui.slash.completions", broken)
        failure = scene.next_failure(monkeypatch)
        using = asyncio.create_task(scene.kim.completes(scene.general, "/memory forget what:ro"))
        await failure
        using.cancel()
        assert failures(scene) == [("discord completing /memory forget", "ValueError")]


async def test_a_sign_that_arrived_is_one_whatever_became_of_its_answer(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.world.fail("POST", CALLBACKS, after=True)
        await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
        assert await scene.held(scene.kim) == [ROSES]
        assert failures(scene) == []


async def test_after_fifteen_minutes_the_reply_comes_in_a_direct_message(tmp_path: Path) -> None:
    model = Writing("", "done")
    async with scene_in(tmp_path, model) as scene:
        await scene.kim.says(scene.general, "roses?", mention=scene.world.bot)
        await model.was_asked()
        used = await scene.kim.uses(scene.general, f"/memory remember text:{ROSES}")
        await used.answered()
        used.expire()
        model.go.set()
        await scene.world.until(lambda: scene.world.bot_messages(scene.kim.dm), "the reply to come")
        await scene.idle()
        assert await scene.held(scene.kim) == [ROSES]
        (reply,) = scene.world.bot_messages(scene.kim.dm)
        assert reply.content.startswith(f"{TOO_LATE}\n")
        assert ROSES in reply.content
        assert failures(scene) == [("discord answering a command", "HTTPException: status 401, code 50027")]
        assert not any(TOO_LATE in each for each in heard(scene.bot)), "a command's reply is nothing that was said"
