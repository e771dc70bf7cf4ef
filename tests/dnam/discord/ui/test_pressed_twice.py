"""Pressing twice, or something else beside: what came of the first press stays what the message says, with its undo."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from dnam.adapters.discord.ui.picking import UNCHANGED
from dnam.adapters.discord.ui.settled import UNSHOWN
from dnam.commands.undo import UNDONE
from projections.events import ItemForgotten, JobFailed, PersonErased
from replay.errors import Busy
from tests.dnam.discord.stage import events
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.loopback.discord import Message
from tests.loopback.discord.menus import labels

ROSES, OSLO = "I like roses", "I live in Oslo"
CALLBACKS, EDITS = "/interactions/*/callback", "/webhooks/*/messages/@original"


async def forgetting(scene: Scene) -> Message:
    await scene.remembers(scene.kim, ROSES, OSLO)
    return await scene.replied(scene.kim.uses(scene.general, "/memory forget what:like roses"))


async def restoring(scene: Scene) -> Message:
    await scene.remembers(scene.kim, ROSES)
    await scene.bot.desk.memory.forget(await scene.handle(scene.kim), "like roses")
    message = await scene.replied(scene.kim.uses(scene.general, "/memory restore"))
    await scene.pressed(scene.kim.selects(message, ROSES), message, "1 item(s)")
    return message


async def remembering(scene: Scene) -> Message:
    return await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))


async def typing(scene: Scene) -> Message:
    await scene.kim.says(scene.general, f"!memory remember {ROSES}")
    await scene.idle()
    return scene.world.bot_messages(scene.general)[-1]


async def erasing(scene: Scene) -> Message:
    await scene.kim.says(scene.general, "hello")
    await scene.idle()
    return await scene.replied(scene.kim.uses(scene.general, "/memory erase"))


class Twice(NamedTuple):
    """What is pressed twice, what the message says then, and what stands under it."""

    makes: Callable[[Scene], Awaitable[Message]]
    press: str
    says: str
    under: list[str]


TWICE = [
    Twice(forgetting, "Forget 1", "Forgot 1 item(s).\n- [fact] I like roses", ["Undo"]),
    Twice(restoring, "Restore 1", "Restored 1 item(s).\n- [fact] I like roses", ["Undo"]),
    Twice(remembering, "Undo", "Undone `remember`: this is forgotten.", ["Undo"]),
    Twice(typing, "Undo", "Undone `remember`: this is forgotten.", ["Undo"]),
    Twice(erasing, "Erase everything", "**Erased.**", []),
]


async def all_done(scene: Scene) -> None:
    """Until nothing that was pressed is under way."""
    while under_way := [each for each in asyncio.all_tasks() if each.get_name() == "discord.py: on_interaction"]:
        await asyncio.wait(under_way)
    await scene.idle()


@pytest.mark.parametrize("twice", TWICE, ids=lambda each: f"{each.makes.__name__}: {each.press}")
async def test_two_presses_show_what_the_first_did(tmp_path: Path, twice: Twice) -> None:
    async with scene_in(tmp_path) as scene:
        message = await twice.makes(scene)
        edit = scene.world.slow("PATCH", EDITS)
        first = await scene.kim.clicks(message, twice.press)
        await first.answered()
        await scene.world.until(lambda: edit.met, "the first to be shown")
        second = await scene.kim.clicks(message, twice.press)
        await second.answered()
        edit.open()
        await scene.world.until(lambda: twice.says in message.content, twice.says)
        await all_done(scene)
        assert message.content.startswith(twice.says)
        assert labels(message) == twice.under
        assert len(scene.world.requests("PATCH", "@original")) == 1 + (twice.makes is restoring)
        assert len(events(scene.bot, PersonErased)) == (twice.makes is erasing)


async def test_a_press_that_was_late_shows_what_the_first_did(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        message = await forgetting(scene)
        edit = scene.world.slow("PATCH", EDITS)
        await scene.kim.clicks(message, "Forget 1")
        await scene.world.until(lambda: edit.met, "the first to be shown")
        sign = scene.world.slow("POST", CALLBACKS)
        await scene.kim.clicks(message, "Forget 1")
        await scene.world.until(lambda: sign.met, "a sign to the second")
        edit.open()
        await scene.world.until(lambda: "Forgot 1 item(s)." in message.content, "the first to be shown")
        sign.open()
        await all_done(scene)
        assert message.content.startswith("Forgot 1 item(s).")
        await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `forget`: ")
        assert await scene.held(scene.kim) == [ROSES, OSLO]


@pytest.mark.parametrize("other", ["Cancel", "another item"])
async def test_nothing_else_that_stood_there_hides_what_was_done(tmp_path: Path, other: str) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.remembers(scene.kim, ROSES, OSLO)
        message = await scene.replied(scene.kim.uses(scene.general, "/memory forget"))
        await scene.pressed(scene.kim.selects(message, ROSES), message, "would be forgotten")
        sign = scene.world.slow("POST", CALLBACKS)
        await (scene.kim.clicks(message, other) if other == "Cancel" else scene.kim.selects(message, OSLO))
        await scene.world.until(lambda: sign.met, "a sign to the other")
        await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")
        sign.open()
        await all_done(scene)
        assert message.content.startswith("Forgot 1 item(s).")
        assert labels(message) == ["Undo"]


async def test_nothing_is_done_that_was_cancelled(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        message = await forgetting(scene)
        sign = scene.world.slow("POST", CALLBACKS)
        await scene.kim.clicks(message, "Forget 1")
        await scene.world.until(lambda: sign.met, "a sign to the press")
        await scene.pressed(scene.kim.clicks(message, "Cancel"), message, UNCHANGED)
        sign.open()
        await all_done(scene)
        assert message.content == UNCHANGED
        assert events(scene.bot, ItemForgotten) == []


async def test_a_press_that_came_to_nothing_is_done_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path) as scene:
        message = await forgetting(scene)
        failure = scene.next_failure(monkeypatch)
        scene.world.fail("POST", CALLBACKS, 404, code=10062)
        await scene.kim.clicks(message, "Forget 1")
        await failure
        assert await scene.held(scene.kim) == [ROSES, OSLO]
        await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")


async def test_a_press_for_which_nothing_could_be_done_is_done_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And does not say that it was heard, where that could not be shown either: who wants to be erased believes it."""
    async with scene_in(tmp_path) as scene:
        message = await forgetting(scene)
        asking = scene.menus.asking
        with monkeypatch.context() as held:
            held.setattr(asking.desk, "run_in_session", held_up)
            failure = scene.next_failure(monkeypatch)
            scene.world.fail("PATCH", EDITS, 400)
            await scene.kim.clicks(message, "Forget 1")
            await failure
        assert await scene.held(scene.kim) == [ROSES, OSLO]
        await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")


async def held_up(*_: object, **__: object) -> object:
    raise Busy("another process holds the log")


async def test_what_could_not_be_shown_is_said_at_the_next_press_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path) as scene:
        message = await forgetting(scene)
        failure = scene.next_failure(monkeypatch)
        scene.world.fail("PATCH", EDITS, 400)
        await scene.kim.clicks(message, "Forget 1")
        await failure
        assert labels(message) == ["Forget 1", "Cancel"]
        assert await scene.held(scene.kim) == [OSLO]
        await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, UNSHOWN)
        await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `forget`: ")
        assert await scene.held(scene.kim) == [ROSES, OSLO]
        assert [each.job for each in events(scene.bot, JobFailed)] == ["discord answering a button"]


@pytest.mark.parametrize(
    ("makes", "press", "says", "under"),
    [
        (forgetting, "Forget 1", "Forgotten already, 1 item(s).\n- [fact] I like roses", ["Undo"]),
        (restoring, "Restore 1", "Remembered already, 1 item(s).\n- [fact] I like roses", ["Undo"]),
        (remembering, "Undo", UNDONE, []),
    ],
)
async def test_a_press_that_a_kill_kept_from_being_shown_is_told_as_done(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    makes: Callable[[Scene], Awaitable[Message]],
    press: str,
    says: str,
    under: list[str],
) -> None:
    """It was done, and whoever is asked once more finds it so."""
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            message = await makes(scene)
            failure = scene.next_failure(monkeypatch)
            scene.world.fail("PATCH", EDITS, 400)
            await scene.kim.clicks(message, press)
            await failure
            held = await scene.held(scene.kim)
        async with starting(tmp_path) as later:
            told = await later.pressed(later.kim.clicks(message, press), message, says)
            assert told.startswith(says)
            assert labels(message) == under
            assert await later.held(later.kim) == held
            if under:
                await later.pressed(later.kim.clicks(message, "Undo"), message, "Undone `")
                assert (ROSES in await later.held(later.kim)) is (makes is forgetting)


async def test_a_page_that_is_turned_back_is_turned_again(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        person = await scene.bot.desk.memory.person(str(scene.kim.id), platform="discord", make=True)
        for number in range(40):
            await scene.bot.desk.memory.remember(person, f"I like sort {number} of tea, and {number} more")
        message = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory show"))
        for press, page in (("Next ▶", "page 2 of"), ("◀ Back", "page 1 of"), ("Next ▶", "page 2 of")):
            await scene.pressed(scene.kim.clicks(message, press), message, page)
