"""The transparency channel in a loopback Discord: posted, pinned, edited in place, gathered, posted anew, failing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from dnam.adapters.discord.ui import snapshots as module
from dnam.adapters.discord.ui.snapshots import GATHER_SECONDS, Snapshots
from dnam.snapshot import latest_turn
from projections.events import (
    ItemMoved,
    JobFailed,
    PersonOptedOut,
    SnapshotPosted,
    SummaryRefreshed,
    SummaryReverted,
    SummaryWithheld,
)
from projections.events.values import OPERATOR
from projections.policies.compartments import everywhere
from projections.snapshots import unpinned
from replay.erasure import erase
from replay.errors import LogFull
from tests.dnam.discord.stage import events, heard, opt_out
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Message, Permission, Person
from tests.replay.stage import drafts
from tests.world import NOW

ROSES, OSLO = "I like roses", "I live in Oslo"


async def speaks(scene: Scene, *texts: str) -> None:
    """Kim is heard, and has these remembered."""
    await scene.kim.says(scene.general, "hello")
    await scene.idle()
    await scene.remembers(scene.kim, *texts)


async def is_summarised(scene: Scene, *people: Person) -> None:
    """They ask something in #general, Kim if nobody is named, and later what was said there is summarised."""
    for each in people or (scene.kim,):
        await each.says(scene.general, "what do you know?", mention=scene.world.bot)
        await scene.idle()
    await scene.shown()
    person = await scene.handle(scene.kim)
    latest = await scene.bot.desk.memory.look(lambda rows: latest_turn(rows, person))
    assert latest is not None
    assert await scene.bot.desk.assistant.summarise(latest.session, latest.audience, person)


@asynccontextmanager
async def summarised(path: Path) -> AsyncIterator[tuple[Scene, SummaryRefreshed]]:
    """A scene in which what Kim was answered has been summarised, and is shown."""
    async with scene_in(path, shows=True) as scene:
        await speaks(scene, ROSES)
        await is_summarised(scene)
        assert "They talked." in (await only(scene)).said.content
        (made,) = events(scene.bot, SummaryRefreshed)
        yield scene, made


def full(*_: object) -> None:
    raise LogFull("the disk is full")


async def only(scene: Scene) -> Message:
    [message] = await scene.shown()
    return message


def posted(scene: Scene) -> list[SnapshotPosted]:
    return events(scene.bot, SnapshotPosted)


async def test_it_is_posted_pinned_and_recorded_and_is_nothing_that_was_said(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        message = await only(scene)
        assert message.said.content.startswith("**Memory of Kim**\n**Durable memory (active):**\n- [fact] I like roses")
        assert message.pinned
        [event] = posted(scene)
        assert (event.person, event.message.key, event.pinned) == (
            await scene.handle(scene.kim),
            str(message.id),
            True,
        )
        await scene.idle()
        assert heard(scene.bot) == ["hello"]


async def test_it_is_edited_in_place_and_what_changed_meanwhile_is_one_edit(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        first = await only(scene)
        await scene.remembers(scene.kim, OSLO, "I run a bakery")
        second = await only(scene)
        assert second is first
        assert len(first.history) == 1
        assert all(text in second.said.content for text in (ROSES, OSLO, "I run a bakery"))
        assert len(posted(scene)) == 2


async def test_nothing_is_edited_where_nothing_changed(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.shown()
        await scene.ada.says(scene.general, "hello")
        await scene.idle()
        assert (await only(scene)).history == []
        assert len(posted(scene)) == 1


async def test_each_person_has_one_message_and_who_has_nothing_has_none(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.ada.says(scene.general, "hello")
        await scene.idle()
        await scene.shown()
        await scene.remembers(scene.ada, OSLO)
        assert [each.said.content[:17] for each in await scene.shown()] == ["**Memory of Kim**", "**Memory of Ada**"]


async def test_what_is_taken_back_leaves_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.shown()
        await scene.bot.desk.memory.forget(await scene.handle(scene.kim), "like roses")
        assert "**Durable memory (active):**\n(none)" in (await only(scene)).said.content


async def test_what_not_all_of_its_readers_may_see_is_not_in_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.remembers(scene.kim, "I lead the team", place=scene.staff)
        await scene.remembers(scene.kim, "I fear dogs", place=scene.kim.dm)
        shown = (await only(scene)).said.content
        assert "roses" in shown
        assert "team" not in shown
        assert "dogs" not in shown


async def test_the_summary_of_the_session_is_in_it_and_leaves_when_it_is_cleared(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await is_summarised(scene)
        assert "**Rolling summary (general):**\nThey talked." in (await only(scene)).said.content
        await scene.replied(scene.kim.uses(scene.general, "/memory reset rolling"))
        assert "They talked." not in (await only(scene)).said.content


async def test_everybody_whose_session_it_is_has_its_new_summary_and_nobody_a_cleared_one(tmp_path: Path) -> None:
    summaries = iter(["Kim fears dogs.", "They talked of tea."])
    async with scene_in(tmp_path, ScriptedModel({"summary": lambda _: next(summaries)}), shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.remembers(scene.ada, OSLO)
        assert ["(none)\n\nUpdated" in each.said.content for each in await scene.shown()] == [True, True]
        for told in ("dogs", "tea"):
            await is_summarised(scene, scene.kim, scene.ada)
            assert [told in each.said.content for each in await scene.shown()] == [True, True]
        await scene.replied(scene.kim.uses(scene.general, "/memory reset rolling"))
        assert ["tea" in each.said.content for each in await scene.shown()] == [False, False]


async def test_a_summary_that_is_undone_is_in_it_as_it_was(tmp_path: Path) -> None:
    async with summarised(tmp_path) as (scene, made):
        undone = SummaryReverted(
            said=made.said + 1,
            by=OPERATOR,
            causes=(),
            session=made.session,
            audience=made.audience,
            era=made.era,
            person=made.person,
            text="They met.",
            refresh=1,
            upto=made.upto,
            covered=1,
            model=made.call.model,
            made=made.said,
        )
        await scene.bot.desk.memory.record(drafts(undone))
        assert "They met." in (await only(scene)).said.content


async def test_a_summary_that_is_withheld_leaves_it(tmp_path: Path) -> None:
    async with summarised(tmp_path) as (scene, made):
        withheld = SummaryWithheld(
            said=made.said + 1,
            by=OPERATOR,
            causes=(),
            session=made.session,
            audience=made.audience,
            era=made.era,
            person=made.person,
            refresh=1,
            upto=made.upto,
        )
        await scene.bot.desk.memory.record(drafts(withheld))
        assert "They talked." not in (await only(scene)).said.content


async def test_who_is_answered_elsewhere_keeps_nothing_of_where_they_were_answered_before(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await is_summarised(scene, scene.kim, scene.ada)
        assert ["They talked." in each.said.content for each in await scene.shown()] == [True, True]
        await scene.kim.says(scene.kim.dm, "and here?")
        await scene.idle()
        assert sorted("They talked." in each.said.content for each in await scene.shown()) == [False, True]
        await scene.replied(scene.kim.uses(scene.general, "/memory reset rolling"))
        assert ["They talked." in each.said.content for each in await scene.shown()] == [False, False]


async def test_what_fewer_may_read_by_now_leaves_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await is_summarised(scene)
        assert "They talked." in (await only(scene)).said.content
        scene.general.overwrites = list(scene.staff.overwrites)
        scene.world.state.changed_channel(scene.general)
        await scene.idle()
        assert "They talked." not in (await only(scene)).said.content


async def test_what_rests_on_words_that_are_taken_back_leaves_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        hello = await scene.kim.says(scene.general, "hello")
        await is_summarised(scene)
        assert "They talked." in (await only(scene)).said.content
        link = f"https://discord.com/channels/{scene.garden.id}/{scene.general.id}/{hello.id}"
        await scene.replied(scene.kim.uses(scene.general, f"/memory redact message:{link}"))
        assert "They talked." not in (await only(scene)).said.content


async def test_a_new_name_stands_above_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await only(scene)
        scene.kim.name = "Kimberly"
        await scene.kim.says(scene.general, "I have a new name")
        await scene.idle()
        assert (await only(scene)).said.content.startswith("**Memory of Kimberly**")


async def test_one_that_was_deleted_is_posted_anew(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        first = await only(scene)
        scene.garden.role("gardeners", Permission.MANAGE_MESSAGES, scene.ada)
        await scene.ada.deletes(first)
        await scene.idle()
        second = await only(scene)
        assert second is not first
        assert (second.said.content[:17], second.pinned) == ("**Memory of Kim**", True)
        assert [each.message.key for each in posted(scene)] == [str(first.id), str(second.id)]


async def test_those_that_were_deleted_together_are_posted_anew(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        first = await only(scene)
        scene.garden.role("gardeners", Permission.MANAGE_MESSAGES, scene.ada)
        hello = await scene.ada.says(scene.wall, "hello")
        await scene.ada.deletes(first, hello)
        await scene.idle()
        assert await only(scene) is not first


async def test_one_that_was_deleted_while_nobody_looked_is_posted_anew(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            first = await only(scene)
            scene.garden.role("gardeners", Permission.MANAGE_MESSAGES, scene.ada)
        await scene.ada.deletes(first)
        async with starting(tmp_path, shows=True) as later:
            assert ROSES in (await only(later)).said.content


async def test_after_a_restart_what_changed_since_is_shown(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            first = await only(scene)
            await scene.remembers(scene.kim, OSLO)
        async with starting(tmp_path, shows=True) as later:
            assert await only(later) is first
            assert OSLO in first.said.content


async def set_later(path: Path, *, many: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is on the wall, which is set when there is a memory already."""
    monkeypatch.setattr(module, "MANY", many)
    async with garden_in() as starting:
        async with starting(path) as scene:
            await speaks(scene, ROSES)
        async with starting(path, shows=True) as later:
            return [each.said.content for each in await later.shown()]


@pytest.mark.parametrize("many", [0, 4096])
async def test_set_for_a_memory_that_is_there_it_shows_everybody(
    tmp_path: Path, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    [shown] = await set_later(tmp_path, many=many, monkeypatch=monkeypatch)
    assert ROSES in shown


async def test_who_only_used_commands_is_shown(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.remembers(scene.kim, ROSES)
        assert ROSES in (await only(scene)).said.content


async def test_whose_first_words_are_said_there_is_shown(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.remembers(scene.kim, ROSES, place=scene.kim.dm)
        person = await scene.handle(scene.kim)
        [item] = await scene.items(scene.kim)
        moved = msgspec.structs.replace(item, compartment=everywhere(person))
        event = ItemMoved(said=NOW, by=OPERATOR, item=moved, from_compartment=item.compartment, from_id=item.id)
        await scene.bot.desk.memory.record(drafts(event))
        assert await scene.shown() == []
        await scene.kim.says(scene.general, "hello")
        await scene.idle()
        assert ROSES in (await only(scene)).said.content


async def test_at_the_pin_limit_it_stays_unpinned_and_that_is_known_until_there_is_room(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        scene.world.state.settings.pin_limit = 0
        await speaks(scene, ROSES)
        message = await only(scene)
        assert not message.pinned
        assert [each.pinned for each in posted(scene)] == [False]
        assert await scene.bot.desk.memory.look(lambda rows: len(unpinned(rows))) == 1
        scene.world.state.settings.pin_limit = 50
        await scene.remembers(scene.kim, OSLO)
        assert (await only(scene)).pinned
        assert await scene.bot.desk.memory.look(unpinned) == []


async def test_a_failure_is_an_event_and_nothing_else(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        scene.garden.permit(scene.wall, scene.world.bot, deny=Permission.SEND_MESSAGES)
        await scene.world.gateway.flushed()
        assert await scene.shown() == []
        [failed] = events(scene.bot, JobFailed)
        assert isinstance(failed, JobFailed)
        assert (failed.job, failed.error) == ("discord snapshot", "Forbidden: status 403, code 50013")
        await scene.remembers(scene.kim, OSLO)
        assert await scene.shown() == []
        assert len(events(scene.bot, JobFailed)) == 1  # the same again is told once
        await scene.kim.says(scene.general, "are you there?", mention=scene.world.bot)
        await scene.world.until(
            lambda: any(each.said.content == "yes" for each in scene.world.bot_messages(scene.general))
        )


async def test_a_channel_that_is_none_is_an_event(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_channel_id="1") as scene:
        await speaks(scene, ROSES)
        assert await scene.shown() == []
        assert [(each.job, each.error) for each in events(scene.bot, JobFailed)] == [
            ("discord snapshot", "DNAM_MEMORY_CHANNEL_ID is no channel that the bot sees")
        ]


async def test_a_channel_that_shows_no_text_is_an_event(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await speaks(scene, ROSES)
        keeper = Snapshots(scene.bot.desk, scene.kim.dm.id)
        await keeper.begin()
        await scene.remembers(scene.kim, OSLO)
        await keeper.round()
        assert len(events(scene.bot, JobFailed)) == 1


async def test_one_that_could_not_be_recorded_is_not_posted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)

        with monkeypatch.context() as patched:
            patched.setattr(module, "post_snapshot", full)
            first = await only(scene)
        await scene.remembers(scene.kim, OSLO)
        assert await only(scene) is first
        assert OSLO in first.said.content
        assert [each.message.key for each in posted(scene)] == [str(first.id)]


async def test_a_memory_that_cannot_be_read_is_an_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)

        def broken(*_: object) -> None:
            raise OSError("the disk is gone")

        monkeypatch.setattr(module, "touched", broken)
        assert await scene.shown() == []
        assert len(events(scene.bot, JobFailed)) == 1


async def test_after_very_much_everybody_who_is_shown_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.shown()
        monkeypatch.setattr(module, "MANY", 0)
        await scene.remembers(scene.kim, OSLO)
        assert OSLO in (await only(scene)).said.content


async def test_changes_are_gathered_for_seconds(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        pauses: list[float] = []

        async def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                raise asyncio.CancelledError

        await speaks(scene, ROSES)
        with pytest.raises(asyncio.CancelledError):
            await Snapshots(scene.bot.desk, scene.wall.id, pause).keep_up()
        assert pauses == [GATHER_SECONDS] * 3
        assert GATHER_SECONDS > 1.0, "Discord takes about one edit a second"


async def test_without_a_channel_nothing_is_shown(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        assert scene.menus.snapshots is None


async def test_who_is_erased_is_taken_down(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await scene.ada.says(scene.general, "hello")
        await scene.idle()
        await scene.remembers(scene.ada, OSLO)
        assert len(await scene.shown()) == 2
        person, engine = await scene.handle(scene.kim), scene.bot.desk.memory.engine
        await asyncio.to_thread(erase, engine, person)
        assert [each.said.content[:17] for each in await scene.shown()] == ["**Memory of Ada**"]


async def test_who_was_erased_while_the_bot_was_off_is_taken_down_when_it_is_back(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            await only(scene)
        async with starting(tmp_path) as off:
            await asyncio.to_thread(erase, off.bot.desk.memory.engine, await off.handle(off.kim))
        async with starting(tmp_path, shows=True) as later:
            assert await later.shown() == []


@pytest.mark.parametrize("restarts", [False, True])
async def test_who_is_erased_is_taken_down_also_where_there_was_no_room_for_a_pin(
    tmp_path: Path, restarts: bool
) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            scene.world.state.settings.pin_limit = 0
            hello = await scene.ada.says(scene.wall, "**Memory of Ada** is good")
            await speaks(scene, ROSES)
            assert not (await only(scene)).pinned
            if not restarts:
                await asyncio.to_thread(erase, scene.bot.desk.memory.engine, await scene.handle(scene.kim))
                assert await scene.shown() == []
        async with starting(tmp_path, shows=True) as later:
            if restarts:
                await asyncio.to_thread(erase, later.bot.desk.memory.engine, await later.handle(later.kim))
            assert await later.shown() == []
            assert not hello.deleted


async def test_what_was_posted_and_not_recorded_before_the_program_ended_is_not_left_beside_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path, shows=True) as scene:
            await speaks(scene, ROSES)
            with monkeypatch.context() as patched:
                patched.setattr(module, "post_snapshot", full)
                lost = await only(scene)
            await scene.ada.says(scene.general, "hello")
            await scene.idle()
            await scene.remembers(scene.ada, OSLO)
            assert len(await scene.shown()) == 2  # Ada's is recorded: everything up to it counts as shown
        async with starting(tmp_path, shows=True) as later:
            began = sorted(each.said.content[:17] for each in await later.shown())
            assert began == ["**Memory of Ada**", "**Memory of Kim**"]
            assert lost.deleted
            await later.remembers(later.kim, "I run a bakery")
            [message] = [each for each in await later.shown() if each.said.content.startswith("**Memory of Kim**")]
            assert "bakery" in message.said.content


@pytest.mark.parametrize("fault", ["garble", "cut"])
async def test_one_of_which_nobody_knows_whether_it_was_posted_does_not_stay_beside_another(
    tmp_path: Path, fault: str
) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.shown()
        await speaks(scene, ROSES)
        getattr(scene.world, fault)("POST", f"/channels/{scene.wall.id}/messages", after=True)
        assert await scene.shown() == []
        assert ROSES in (await only(scene)).said.content
        assert [each.message.key for each in posted(scene)] == [str((await only(scene)).id)]


async def test_who_opts_out_before_theirs_could_be_recorded_is_taken_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        with monkeypatch.context() as patched:
            patched.setattr(module, "post_snapshot", full)
            await only(scene)
        await opt_out(scene.bot, scene.kim)
        monkeypatch.setattr(module, "MANY", 0)
        assert await scene.shown() == []


async def test_an_erasure_of_somebody_whose_message_is_not_recorded_takes_it_down_and_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        with monkeypatch.context() as patched:
            patched.setattr(module, "post_snapshot", full)
            await only(scene)
        failure = scene.next_failure(monkeypatch)
        await asyncio.to_thread(erase, scene.bot.desk.memory.engine, await scene.handle(scene.kim))
        assert await scene.shown() == []
        assert not failure.done()


async def test_who_opts_out_is_taken_down(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        await only(scene)
        engine = scene.bot.desk.memory.engine
        with engine.reading() as rows:
            hashed = rows.ids.keyed_hash("discord", str(scene.kim.id))
        await scene.bot.desk.memory.record(drafts(PersonOptedOut(said=NOW, by=OPERATOR, hashes=(hashed,))))
        assert await scene.shown() == []
        assert await scene.shown() == []


async def test_two_of_the_same_name_are_told_apart_also_by_who_was_shown_before(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await speaks(scene, ROSES)
        assert (await only(scene)).said.content.startswith("**Memory of Kim**")
        other = scene.world.person("Kim", scene.garden)
        await other.says(scene.general, "hello")
        await scene.idle()
        await scene.remembers(other, OSLO)
        tops = [each.said.content.partition("\n")[0] for each in await scene.shown()]
        assert tops == [f"**Memory of Kim (discord:{each.id})**" for each in (scene.kim, other)]
