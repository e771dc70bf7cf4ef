"""The transparency channel where Discord refused something: it is tried again, and nothing stays that should go."""

from pathlib import Path

from projections.events import JobFailed, SnapshotPosted
from tests.dnam.discord.stage import events, opt_out
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.dnam.discord.ui.test_snapshots import OSLO, ROSES, only, speaks
from tests.loopback.discord import Message, Permission
from tests.loopback.discord.rest import Seen

DUCKS = "I like ducks"


def refuses(scene: Scene, method: str, *, times: int = 1) -> None:
    """Discord refuses the next requests about messages of the wall."""
    path = f"/channels/{scene.wall.id}/messages{'' if method == 'POST' else '/*'}"
    scene.world.fail(method, path, 403, times=times)


async def forgets(scene: Scene, text: str) -> None:
    """Kim's memory holds this no more."""
    await scene.bot.desk.memory.forget(await scene.handle(scene.kim), text)


async def remembers_ada(scene: Scene) -> None:
    """Ada's memory is shown, after whatever failed."""
    await scene.ada.says(scene.general, "hello")
    await scene.idle()
    await scene.remembers(scene.ada, DUCKS)
    await scene.shown()


def posts(scene: Scene) -> list[Seen]:
    return scene.world.requests("POST", f"/channels/{scene.wall.id}/messages")


def of_kim(shown: list[Message]) -> list[str]:
    return [each.said.content for each in shown if each.said.content.startswith("**Memory of Kim**")]


async def test_what_could_not_be_edited_is_edited_with_the_next_round(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES, OSLO)
        await only(scene)
        refuses(scene, "PATCH", times=2)
        await forgets(scene, OSLO)
        assert OSLO in (await only(scene)).said.content
        assert OSLO in (await only(scene)).said.content
        assert OSLO not in (await only(scene)).said.content
        assert len(events(scene.bot, JobFailed)) == 1


async def test_what_could_not_be_posted_is_posted_with_the_next_round(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.shown()
        refuses(scene, "POST")
        await speaks(scene, ROSES)
        assert await scene.shown() == []
        assert ROSES in (await only(scene)).said.content


async def test_what_could_not_be_taken_down_is_taken_down_with_the_next_round(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await only(scene)
        refuses(scene, "DELETE")
        await opt_out(scene.bot, scene.kim)
        assert len(await scene.shown()) == 1
        assert await scene.shown() == []


async def test_a_channel_that_takes_nothing_is_asked_once_a_round_however_many_wait(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.shown()
        scene.garden.permit(scene.wall, scene.world.bot, deny=Permission.SEND_MESSAGES)
        await speaks(scene, ROSES)
        await remembers_ada(scene)
        tries = len(posts(scene))
        for _ in range(3):
            assert await scene.shown() == []
        assert len(posts(scene)) == tries + 3
        assert len(events(scene.bot, JobFailed)) == 1
        scene.wall.overwrites = []
        assert len(await scene.shown()) == 2


async def test_one_message_that_discord_never_takes_holds_up_no_other(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        message = await only(scene)
        scene.world.fail("PATCH", f"/channels/{scene.wall.id}/messages/{message.id}", 400, times=10)
        await forgets(scene, ROSES)
        await scene.shown()
        refuses(scene, "POST")
        await remembers_ada(scene)
        await scene.shown()
        assert [each.said.content[:17] for each in await scene.shown()] == ["**Memory of Kim**", "**Memory of Ada**"]


async def test_what_could_not_be_edited_before_the_end_is_edited_at_the_start(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES, OSLO)
            await only(scene)
            refuses(scene, "PATCH", times=2)
            await forgets(scene, OSLO)
            await scene.shown()
            await remembers_ada(scene)  # recorded behind what failed
        async with starting(tmp_path, shows=True) as later:
            [text] = of_kim(await later.shown())
            assert OSLO not in text


async def test_what_could_not_be_posted_before_the_end_is_posted_at_the_start(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await scene.shown()
            await speaks(scene, ROSES)
            refuses(scene, "POST")
            await remembers_ada(scene)  # both were tried, and one of them was refused
            assert len(posts(scene)) == 2
            assert len(events(scene.bot, SnapshotPosted)) == 1
        async with starting(tmp_path, shows=True) as later:
            assert len(await later.shown()) == 2


async def test_what_could_not_be_taken_down_before_the_end_is_taken_down_at_the_start(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            await only(scene)
            refuses(scene, "DELETE", times=2)
            await opt_out(scene.bot, scene.kim)
            await scene.shown()
            await remembers_ada(scene)
        async with starting(tmp_path, shows=True) as later:
            assert of_kim(await later.shown()) == []


async def test_at_the_start_what_is_shown_as_it_should_be_is_left_alone(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            await remembers_ada(scene)
        async with starting(tmp_path, shows=True) as later:
            assert [each.history for each in await later.shown()] == [[], []]
