"""What somebody unpinned in the transparency channel is pinned again, as far as there is room."""

from pathlib import Path

from projections.events import JobFailed, SnapshotPosted
from projections.snapshots import unpinned
from tests.dnam.discord.stage import events, opt_out
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.loopback.discord import Message, talk

ROSES = "I like roses"


async def speaks(scene: Scene) -> Message:
    """Kim is heard, and has something remembered; what shows it."""
    await scene.kim.says(scene.general, "hello")
    await scene.idle()
    await scene.remembers(scene.kim, ROSES)
    (message,) = await scene.shown()
    return message


async def unpins(scene: Scene, message: Message) -> None:
    talk.unpin(scene.world.state, scene.wall, message)
    await scene.world.gateway.flushed()


def asked(scene: Scene) -> tuple[int, int, int]:
    """How often the pins were listed, something was pinned, and something edited."""
    requests = [each for each in scene.world.requests() if f"/channels/{scene.wall.id}/" in each.path]
    listed = sum(each.method == "GET" and each.path.endswith("/pins") for each in requests)
    return listed, sum(each.method == "PUT" for each in requests), sum(each.method == "PATCH" for each in requests)


async def test_it_is_pinned_again_and_not_written_again(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        message = await speaks(scene)
        await scene.shown()
        _, pinned, edited = asked(scene)
        await unpins(scene, message)
        assert message.id not in scene.wall.pins
        await scene.shown()
        assert message.id in scene.wall.pins
        assert asked(scene)[1:] == (pinned + 1, edited)
        assert (len(events(scene.bot, SnapshotPosted)), events(scene.bot, JobFailed)) == (1, [])
        await scene.world.gateway.flushed()
        await scene.shown()  # it pinned that itself
        before = asked(scene)
        talk.pin(scene.world.state, scene.general, await scene.kim.says(scene.general, "a plan"), scene.kim)
        await scene.world.gateway.flushed()
        await scene.shown()
        assert asked(scene) == before


async def test_so_it_is_where_it_was_unpinned_while_the_bot_was_away(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            message = await speaks(scene)
        talk.unpin(scene.world.state, scene.wall, message)
        async with starting(tmp_path, shows=True) as scene:
            await scene.shown()
            assert message.id in scene.wall.pins


async def test_where_there_is_no_room_any_more_that_is_known_and_it_is_let_be(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        message = await speaks(scene)
        await unpins(scene, message)
        scene.world.state.settings.pin_limit = 0
        await scene.shown()
        assert await scene.bot.desk.memory.look(lambda rows: len(unpinned(rows))) == 1
        before = asked(scene)
        scene.world.state.settings.pin_limit = 50
        talk.pin(scene.world.state, scene.wall, await scene.ada.says(scene.wall, "a plan"), scene.ada)
        await scene.world.gateway.flushed()
        await scene.shown()
        assert (message.id in scene.wall.pins, asked(scene)) == (False, before)
        await scene.remembers(scene.kim, "I live in Oslo")
        await scene.shown()
        assert message.id in scene.wall.pins
        assert await scene.bot.desk.memory.look(unpinned) == []


async def test_what_was_taken_down_is_tried_once(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene)
        await opt_out(scene.bot, scene.kim)
        assert await scene.shown() == []
        before = asked(scene)
        for _ in range(2):
            talk.pin(scene.world.state, scene.wall, await scene.ada.says(scene.wall, "a plan"), scene.ada)
            await scene.world.gateway.flushed()
            await scene.shown()
        assert [now - then for now, then in zip(asked(scene), before, strict=True)] == [2, 1, 0]
        assert events(scene.bot, JobFailed) == []


async def test_what_cannot_be_read_just_now_is_read_with_the_next_round(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        message = await speaks(scene)
        await scene.shown()
        await unpins(scene, message)
        scene.world.fail("GET", f"/channels/{scene.wall.id}/messages/pins", 400, code=50035)
        await scene.shown()
        assert message.id not in scene.wall.pins
        assert [each.job for each in events(scene.bot, JobFailed)] == ["discord snapshot"]
        await scene.shown()
        assert message.id in scene.wall.pins
