"""`/memory config` by the names and ids of channels: those of its server, also where nothing was said yet."""

from pathlib import Path

from dnam.adapters.discord.places import listed
from projections.events import ConfigSet, PlaceDescribed
from projections.policies.rights import FOR_MANAGERS, NO_CHANNEL
from tests.dnam.discord.made import channel, guild
from tests.dnam.discord.stage import events
from tests.dnam.discord.ui.stage import scene_in
from tests.loopback.discord import Channel, ChannelKind, Permission, Person


async def test_a_channel_in_which_nothing_was_said_is_configured_by_those_who_manage_its_server(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        forum, fresh = scene.garden.channel("questions", ChannelKind.FORUM), scene.garden.channel("fresh")
        harbour = scene.world.guild("Harbour", scene.kim).channel("pier")
        await scene.idle()

        async def asked(person: Person, scope: str, setting: str = "respond_mode=all") -> str:
            given = {"action": "set", "scope": scope, "setting": setting}
            return (await scene.replied(person.uses(scene.general, "/memory config", **given))).said.content

        for scope in (f"channel/{harbour.id}", "channel/pier", "channel/77", "channel/nowhere", "#nowhere"):
            assert await asked(scene.ada, scope) == f"{NO_CHANNEL}."
            assert await asked(scene.kim, scope) == f"{FOR_MANAGERS[:1].upper()}{FOR_MANAGERS[1:]}."
        assert await asked(scene.kim, f"channel/{forum.id}") == f"{FOR_MANAGERS[:1].upper()}{FOR_MANAGERS[1:]}."
        assert "'loud' is not allowed" in await asked(scene.ada, "channel/fresh", "respond_mode=loud")
        shown = scene.ada.uses(scene.general, "/memory config", action="get", scope="#questions")
        assert (await scene.replied(shown)).said.content.endswith(f"channel/discord:{forum.id}:**\n(nothing is set)")
        described = [each.place.key for each in events(scene.bot, PlaceDescribed)]
        assert not {str(forum.id), str(fresh.id), str(harbour.id)} & {*described}, "looking, and refusing, say nothing"
        assert events(scene.bot, ConfigSet) == []

        for channel in (forum, fresh):
            now = f"channel/discord:{channel.id} ({channel.name}): `respond_mode = all`"
            assert await asked(scene.ada, f"channel/{channel.id}") == f"{now}, from the next message on."
            for again in (
                f"channel/{channel.name}",
                f"#{channel.name}",
                f"<#{channel.id}>",
                f"channel/#{channel.name}",
            ):
                assert await asked(scene.ada, again) == f"{now}, as before."

        post = await scene.kim.begins_thread(forum, "roses")
        await scene.kim.says(post, "hello all")
        await scene.idle()
        assert len(scene.world.bot_messages(post)) == 1


def test_a_heading_over_channels_is_no_channel() -> None:
    home = guild(channels=(channel(), channel(kind=4) | {"id": "11", "name": "channel-11"}))
    assert [each.key for each in listed(home, "10")] == [each.key for each in listed(home, "discord:10")] == ["10"]
    assert [each.key for each in listed(home, "CHANNEL-10")] == ["10"]
    assert listed(home, "11") == listed(home, "channel-11") == listed(home, "") == listed(None, "10") == ()


async def test_a_thread_in_which_nothing_was_said_is_configured_by_its_id(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        thread = await scene.kim.begins_thread(scene.general, "roses")
        await scene.idle()
        given = {"action": "set", "scope": f"channel/{thread.id}", "setting": "respond_mode=all"}
        done = await scene.replied(scene.ada.uses(scene.general, "/memory config", **given))
        assert done.said.content == f"channel/discord:{thread.id}: `respond_mode = all`, from the next message on."


async def test_only_what_somebody_may_configure_is_offered(tmp_path: Path) -> None:
    async with scene_in(tmp_path, owner_ids="1") as scene:
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        forum = scene.garden.channel("questions", ChannelKind.FORUM)
        await scene.idle()

        async def offered(person: Person, typed: str, place: Channel = scene.general) -> dict[str, str]:
            found = await person.completes(place, f"/memory config action:set scope:{typed}")
            return {each.name: str(each.value) for each in found}

        assert await offered(scene.kim, "") == {"me": "me"}
        assert await offered(scene.ada, "ques") == {"#questions": f"channel/{forum.id}"}
        assert await offered(scene.ada, f"channel/{forum.id}") == {"#questions": f"channel/{forum.id}"}
        assert [*await offered(scene.ada, "")][:4] == ["me", "here", "guild", "#general"]
        assert await offered(scene.ada, "", scene.ada.dm) == {"me": "me"}
        scene.bot.desk.owners = frozenset({scene.kim.id})
        assert "global" in await offered(scene.kim, "")
        assert [*await offered(scene.kim, "", scene.kim.dm)] == ["me", "global"]


async def test_a_typed_command_names_a_channel_as_discord_does(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        fresh, hidden = scene.garden.channel("fresh"), scene.garden.channel("hidden", only_for=[scene.world.bot])
        for channel in (fresh, hidden):
            await scene.ada.says(scene.general, f"!memory config set <#{channel.id}> respond_mode=all")
            await scene.idle()
            told = scene.world.bot_messages(scene.general)[-1].said.content
            assert told == (
                f"channel/discord:{channel.id} ({channel.name}): `respond_mode = all`, from the next message on."
            )
