"""Discord tells of an interaction twice, as after a resume: what it asks for is done once, whatever was done since."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dnam.adapters.discord.ui.settled import Settled
from dnam.commands.done_before import DONE, MENU_DONE
from projections.events import ItemForgotten, JobFailed
from tests.dnam.discord.stage import events
from tests.dnam.discord.ui.stage import Scene, scene_in
from tests.loopback.discord import Message
from tests.loopback.discord.menus import menu
from tests.loopback.discord.rest import Seen
from tests.loopback.discord.state import Event

ROSES = "I like roses"


async def remembering(scene: Scene) -> None:
    await scene.remembers(scene.kim, ROSES)


async def pointing(scene: Scene) -> None:
    message = await scene.kim.says(scene.general, ROSES)
    await scene.idle()
    await scene.replied(scene.kim.applies("Remember this", message))


async def pointing_at_another_s(scene: Scene) -> None:
    message = await scene.ada.says(scene.general, ROSES)
    await scene.idle()
    await scene.replied(scene.kim.applies("Remember this", message))


async def restoring(scene: Scene) -> None:
    await scene.remembers(scene.kim, ROSES)
    await forgotten(scene)
    message = await scene.replied(scene.kim.uses(scene.general, "/memory restore"))
    await scene.pressed(scene.kim.selects(message, ROSES), message, "1 item(s)")
    await scene.pressed(scene.kim.clicks(message, "Restore 1"), message, "Restored 1 item(s).")


async def undoing(scene: Scene) -> None:
    await scene.remembers(scene.kim, ROSES)
    message = await forgotten(scene)
    await scene.pressed(scene.kim.clicks(message, "Undo"), message, "again.")


async def forgotten(scene: Scene) -> Message:
    """What is remembered goes; what came of it, with its undo."""
    message = await scene.replied(scene.kim.uses(scene.general, "/memory forget"))
    (option,) = menu(message, "")["options"]
    await scene.pressed(scene.kim.selects(message, option["label"]), message, "1 item(s)")
    await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")
    return message


def told_last(scene: Scene) -> Event:
    return next(each for each in reversed(list(scene.world.gateway.events)) if each.name == "INTERACTION_CREATE")


async def told_again(scene: Scene, event: Event) -> Message:
    """The same once more. What is asked behind it is answered when that is done."""
    scene.world.redeliver(event)
    await scene.world.gateway.flushed()
    await scene.idle()
    return await scene.replied(scene.kim.uses(scene.general, "/memory search words:roses"))


def replies(scene: Scene) -> list[Seen]:
    """What the bot showed in answer to interactions, but that it thinks."""
    return [each for each in scene.world.requests() if "/webhooks/" in each.path]


class Twice(NamedTuple):
    """What brings something into the memory; what is said where only the log knows that it is done."""

    does: Callable[[Scene], Awaitable[None]]
    says: str


TWICE = {
    "a slash command": Twice(remembering, DONE.format(prefix="!memory", name="remember")),
    "a message's menu": Twice(pointing, MENU_DONE.format(name="Remember this")),
    "a message's menu, of another's": Twice(pointing_at_another_s, MENU_DONE.format(name="Remember this")),
    "a menu": Twice(restoring, ""),
    "a button": Twice(undoing, ""),
}


@pytest.mark.parametrize("twice", TWICE.values(), ids=TWICE)
async def test_what_was_forgotten_since_does_not_come_back(tmp_path: Path, twice: Twice) -> None:
    async with scene_in(tmp_path) as scene:
        await twice.does(scene)
        event = told_last(scene)
        await forgotten(scene)
        said, requests = len(scene.world.private_messages(scene.kim)), len(scene.world.requests("POST", "/callback"))
        found = await told_again(scene, event)
        assert ROSES not in found.said.content
        assert len(scene.world.private_messages(scene.kim)) == said + 1
        assert len(scene.world.requests("POST", "/callback")) == requests + 1
        assert events(scene.bot, JobFailed) == []


@pytest.mark.parametrize("twice", TWICE.values(), ids=TWICE)
async def test_nor_where_only_the_log_knows_that_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, twice: Twice
) -> None:
    """And what is said of that stays between the two."""
    async with scene_in(tmp_path) as scene:
        await twice.does(scene)
        event = told_last(scene)
        await forgotten(scene)
        scene.bot.desk._taken.clear()  # so many were taken up since
        monkeypatch.setattr(scene.menus.asking, "_settled", Settled())
        shown = len(replies(scene))
        scene.world.redeliver(event)
        await scene.world.until(lambda: len(replies(scene)) > shown, "what came of it")
        assert any(each.said.content.startswith(twice.says) for each in scene.world.private_messages(scene.kim))
        assert scene.world.bot_messages(scene.general) == []
        found = await scene.replied(scene.kim.uses(scene.general, "/memory search words:roses"))
        assert ROSES not in found.said.content


async def test_a_press_that_is_not_theirs_is_refused_once(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.kim.says(scene.general, f"!memory remember {ROSES}")
        await scene.idle()
        (message,) = scene.world.bot_messages(scene.general)
        await scene.replied(scene.ada.clicks(message, "Undo"))
        await told_again(scene, told_last(scene))
        assert events(scene.bot, JobFailed, ItemForgotten) == []
