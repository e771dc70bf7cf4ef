"""Slash commands in a loopback Discord, by the real discord.py: made from the table, private, completed."""

import asyncio
import re
from pathlib import Path

import discord
import pytest

from dnam.adapters.discord.askers import place_of_interaction
from dnam.adapters.discord.ui import attach
from dnam.adapters.discord.ui.asking import BROKEN, NOT_HERE, YOURS, Asking
from dnam.commands.consent import OPTED_OUT
from dnam.commands.table import COMMANDS, MENUS
from projections.decisions.place import PlaceSeen
from projections.events import ItemRemembered, JobFailed, PersonOptedOut, PersonSeen
from projections.events.values import OPERATOR
from tests.dnam.discord.stage import events, heard
from tests.dnam.discord.ui.stage import garden_in, scene_in
from tests.loopback.discord import Permission
from tests.loopback.discord.interactions import Interaction
from tests.loopback.discord.wire import Wire
from tests.replay.stage import drafts
from tests.world import NOW

ROSES = "I like roses"


async def test_each_command_of_the_table_is_a_slash_command_and_each_menu_one_of_messages(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        offered = {each.name: each.body for each in scene.world.state.commands.values()}
        assert set(offered) == {"memory", *(each.name for each in MENUS)}
        names: set[str] = set()
        for option in offered["memory"]["options"]:
            inner = [each for each in option.get("options") or [] if each["type"] == 1]
            names |= {f"{option['name']} {each['name']}" for each in inner} or {option["name"]}
        assert names == {each.name for each in COMMANDS}


async def test_what_is_remembered_is_shown_and_privately_in_a_guild(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        kim, general = scene.kim, scene.general
        remembered = await scene.replied(kim.uses(general, "/memory remember text:I like roses"))
        assert remembered.said.content.startswith("Remembered: I like roses\nIt may be told wherever everyone in this ")
        shown = await scene.replied(kim.uses(general, "/memory show"))
        assert "- [fact] I like roses (src: manual, updated " in shown.said.content
        assert (remembered.only_for, shown.only_for) == (kim, kim)
        assert len(events(scene.bot, ItemRemembered)) == 1
        await scene.idle()
        assert heard(scene.bot) == []  # what a command shows was not said


async def test_what_a_person_wrote_hides_no_address_and_swallows_nothing_behind_it(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        said = "see [the bank](https://evil.example) ||not|| ```run on"
        shown = "see [the bank]\\(https://evil.example) |\\|not|\\| '''run on"
        remembered = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{said}"))
        assert remembered.said.content.startswith(f"Remembered: {shown}\n")
        typed = await scene.kim.says(scene.general, "!memory show")
        await scene.idle()
        [reply] = [each for each in scene.world.bot_messages(scene.general) if each.id > typed.id]
        assert f"- [fact] {shown} (src: manual" in reply.said.content
        assert await scene.held(scene.kim) == [said]


async def test_in_direct_messages_everything_of_theirs_is_there(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.remembers(scene.kim, "I like roses")
        shown = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory show"))
        assert "I like roses" in shown.said.content
        assert shown.only_for is None


async def test_a_private_reply_says_what_one_s_own_dm_may_and_a_public_one_what_the_channel_may(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_commands_enabled="1") as scene:
        await scene.remembers(scene.kim, "I fear dogs", place=scene.kim.dm)
        alone = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
        assert alone.only_for is scene.kim
        assert "**Also kept, not in the next prompt:** 1\n- [fact] I fear dogs" in alone.said.content
        found = await scene.replied(scene.kim.uses(scene.general, "/memory search words:dogs"))
        assert "**Found:** 1" in found.said.content
        item = (await scene.items(scene.kim))[0].id
        told = await scene.replied(scene.kim.uses(scene.general, f"/memory history id:{item}"))
        assert "I fear dogs" in told.said.content
        for text in ("!memory show", "!memory search dogs", f"!memory history {item}", f"!memory share {item}"):
            await scene.kim.says(scene.general, text)
            await scene.idle()
        public = [each.said.content for each in scene.world.bot_messages(scene.general) if each.only_for is None]
        assert len(public) == 4
        assert not any("I fear dogs" in each for each in public)
        shared = await scene.replied(scene.kim.uses(scene.general, f"/memory share id:{item}"))
        assert shared.said.content.startswith("Shared: I fear dogs")


async def test_what_was_forgotten_is_listed_with_its_id_for_whoever_asks_alone(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_commands_enabled="1") as scene:
        await scene.remembers(scene.kim, "I fear dogs")
        item = (await scene.items(scene.kim))[0].id
        await scene.kim.says(scene.general, f"!memory forget {item}")
        await scene.idle()
        alone = await scene.replied(scene.kim.uses(scene.general, "/memory show all:yes"))
        assert alone.only_for is scene.kim
        assert f"**Not remembered any more:** 1\n- [fact] I fear dogs `{item}`, forgotten" in alone.said.content
        for text in ("!memory show all", "!memory restore"):
            typed = await scene.kim.says(scene.general, text)
            await scene.idle()
            [reply] = [each for each in scene.world.bot_messages(scene.general) if each.id > typed.id]
            assert "I fear dogs" not in reply.said.content
            assert "`/memory show` with `all`" in reply.said.content


EMPTY = {
    "/memory search words:roses": "Nothing kept or said here has one of these words: ",
    "/memory reset rolling": "There is no rolling summary for this session.",
    "/memory extract": "Nothing new was said since I last learned.",
    "/memory undo": "There is nothing of yours to undo here: I take back what you changed in what this place shows, "
    "the last first, where nobody else changed it since.",
    "/memory forget": "No matching items found.",
    "/memory restore": "There is nothing here to bring back.",
    "/memory history id:durable-00000000": "There is no item `durable-00000000` here: `!memory show` lists the ids.",
    "/memory edit id:durable-0 text:x": "There is no item `durable-0` here: `!memory show` lists the ids.",
    "/memory at when:soon": "'soon' is no moment",
    "/memory help": "**Memory commands:**",
    "/memory config": "**What holds here:**",
}
"""What is asked of a memory with nothing in it, and how what it says begins."""


async def test_an_empty_memory_says_so(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        for text, reply in EMPTY.items():
            said = await scene.replied(scene.kim.uses(scene.general, text))
            assert said.said.content.startswith(reply), text


BLANK = {
    "/memory remember": ({"text": "  "}, "`!memory remember <text>` needs a sentence."),
    "/memory search": ({"words": " \n"}, "`!memory search <words>` needs some words."),
    "/memory at": ({"when": " "}, "`!memory at <when>` needs a moment, as `yesterday 18:00`"),
    "/memory history": ({"id": " "}, "`!memory history <id>` needs the id of an item"),
    "/memory edit": ({"id": "durable-00000000", "text": " "}, "`!memory edit <id> <text>` needs a sentence."),
}
"""Commands, what is given to them with nothing in it, and how what they say begins."""


async def test_what_is_blank_is_said_to_be_missing_in_the_words_of_what_is_typed(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        for text, (given, reply) in BLANK.items():
            said = await scene.replied(scene.kim.uses(scene.general, text, **given))
            assert said.said.content.startswith(reply), text
        assert events(scene.bot, JobFailed) == []


async def test_items_complete_by_words_and_by_id_all_of_one_s_own_that_a_private_reply_may_name(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        kim, ada = scene.kim, scene.ada
        await scene.remembers(kim, "I like roses", "I live in Oslo")
        await scene.remembers(kim, "I lead the team", place=scene.kim.dm)
        await scene.remembers(ada, "I like roses too")
        found = await kim.completes(scene.general, "/memory forget what:")
        assert [each.name for each in found] == [
            "[fact] I lead the team",
            "[fact] I live in Oslo",
            "[fact] I like roses",
        ]
        assert [each.name for each in await kim.completes(scene.general, "/memory edit id:ROSES")] == [
            "[fact] I like roses"
        ]
        assert [each.value for each in await kim.completes(scene.general, f"/memory history id:{found[0].value}")] == [
            found[0].value
        ]
        assert await kim.completes(scene.general, "/memory restore id:ros") == []
        assert [each.name for each in await kim.completes(kim.dm, "/memory forget what:team")] == [
            "[fact] I lead the team"
        ]


async def test_completing_records_nothing(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        size = scene.bot.desk.memory.engine.head().size
        assert await scene.kim.completes(scene.general, "/memory forget what:") == []
        assert scene.bot.desk.memory.engine.head().size == size


async def test_no_more_than_discord_takes_is_offered(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        memory, kim = scene.bot.desk.memory, scene.kim
        await scene.remembers(kim, "x" * 300)
        for number in range(30):
            await memory.remember(await scene.handle(kim), f"{number} " + "y" * 200)
        found = await kim.completes(kim.dm, "/memory forget what:")
        assert len(found) == 25
        assert all(len(each.name) <= 100 for each in found)


async def test_discord_is_told_at_once_that_the_bot_thinks_while_the_session_is_busy(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        done = asyncio.Event()
        busy = scene.bot.desk.sessions.submit(f"discord:channel:{scene.general.id}", done.wait)
        used = await (await scene.kim.uses(scene.general, "/memory show")).answered()
        assert used.original is not None
        assert used.original.loading
        done.set()
        await busy
        assert (await used.reply()).said.content.startswith("**Durable memory:**")


async def test_who_opted_out_is_told_so_and_stays_unknown(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        memory = scene.bot.desk.memory
        hashed = await memory.look(lambda rows: rows.ids.keyed_hash("discord", str(scene.kim.id)))
        await memory.record(drafts(PersonOptedOut(said=NOW, by=OPERATOR, hashes=(hashed,))))
        for text in ("/memory show", "/memory forget", "/memory undo"):
            said = await scene.replied(scene.kim.uses(scene.general, text))
            assert said.said.content == "I keep nothing about you, so there is nothing to show or to change."
        said = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
        assert said.said.content == OPTED_OUT
        assert events(scene.bot, PersonSeen, ItemRemembered) == []


async def test_who_is_on_no_list_is_not_answered(tmp_path: Path) -> None:
    async with scene_in(tmp_path, allow_guilds="", allow_users="1") as scene:
        assert await scene.kim.completes(scene.general, "/memory forget what:") == []
        said = await scene.replied(scene.kim.uses(scene.general, "/memory remember text:I like roses"))
        assert said.said.content == f"{NOT_HERE} {YOURS}"
        assert events(scene.bot, ItemRemembered) == []


async def test_configuring_is_for_those_who_manage_the_server(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        given = {"action": "set", "scope": "here", "setting": "respond_mode=all"}
        refused = await scene.replied(scene.kim.uses(scene.general, "/memory config", **given))
        assert "respond_mode = all" not in refused.said.content
        scene.garden.role("gardeners", Permission.MANAGE_GUILD, scene.ada)
        done = await scene.replied(scene.ada.uses(scene.general, "/memory config", **given))
        assert "`respond_mode = all`, from the next message on" in done.said.content


async def test_without_commands_nothing_is_offered(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_commands_enabled="0") as scene:
        assert scene.world.state.commands == {}
        assert scene.bot.tree.get_commands() == []


async def test_without_a_memory_what_needs_none_is_offered_and_works(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_enabled="0") as scene:
        (memory,) = scene.world.state.commands.values()
        named = [each["name"] for each in memory.body["options"]]
        needs_none = ["export", "opt-out", "opt-in", "erase", "redact", "erase-guild", "compact", "costs", "config"]
        assert named == [*needs_none, "help"]
        told = await scene.replied(scene.kim.uses(scene.general, "/memory config"))
        assert told.said.content.startswith("**What holds here:**")


async def test_commands_that_were_switched_off_are_taken_from_discord(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            assert scene.world.state.commands
        async with starting(tmp_path, memory_commands_enabled="0") as scene:
            assert scene.world.state.commands == {}


async def test_when_memory_is_switched_off_discord_offers_only_what_still_answers(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            assert len(scene.world.state.commands) == 1 + len(MENUS)
        async with starting(tmp_path, memory_enabled="0") as scene:
            (memory,) = scene.world.state.commands.values()
            for each in memory.body["options"]:
                given = " ".join(
                    f"{option['name']}:404" for option in each.get("options", ()) if option.get("required")
                )
                replied = await scene.replied(scene.kim.uses(scene.general, f"/memory {each['name']} {given}".strip()))
                assert replied.said.content


async def test_commands_go_with_their_cog_and_come_with_it_to_a_bot_that_runs(tmp_path: Path) -> None:
    async with scene_in(tmp_path, shows=True) as scene:
        await scene.bot.remove_cog(scene.menus.NAME)
        assert scene.bot.tree.get_commands() == []
        scene.world.state.commands.clear()
        added = await attach(scene.bot.desk)
        assert added.ready.is_set()
        assert {each.name for each in scene.world.state.commands.values()} >= {"memory", "Remember this"}


async def test_what_nobody_foresaw_is_said_and_recorded_without_anybody_s_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with scene_in(tmp_path) as scene:

        def broken(*_: object, **__: object) -> None:
            raise ValueError("I like roses")

        monkeypatch.setattr("dnam.commands.search.search", broken)
        said = await scene.replied(scene.kim.uses(scene.general, "/memory search words:roses"))
        assert said.said.content == BROKEN
        [failed] = events(scene.bot, JobFailed)
        assert isinstance(failed, JobFailed)
        assert (failed.job, failed.error) == ("discord /memory search", "ValueError")
        assert re.search(r"discord: /memory search failed: ValueError \(test_slash\.py, line \d+\)$", caplog.text, re.M)
        assert "roses" not in caplog.text


async def test_a_reply_that_discord_refuses_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with scene_in(tmp_path) as scene:
        failure = scene.next_failure(monkeypatch)
        scene.world.fail("POST", "/webhooks/*", status=403)
        await scene.kim.uses(scene.general, "/memory show")
        assert await failure == "answering a command"
        [failed] = events(scene.bot, JobFailed)
        assert isinstance(failed, JobFailed)
        assert failed.error.startswith("Forbidden: status 403")


async def test_costs_are_the_owner_s(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        refused = await scene.replied(scene.kim.uses(scene.general, "/memory costs"))
        assert refused.said.content == "Only the owner of this bot can ask for that."
        scene.bot.desk.owners = frozenset([scene.kim.id])
        told = await scene.replied(scene.kim.uses(scene.general, "/memory costs"))
        assert told.said.content == "No model was asked in the last 7 days."


async def test_a_bot_that_cannot_tell_discord_of_its_commands_answers_all_the_same(tmp_path: Path) -> None:
    async with garden_in() as starting:
        async with starting(tmp_path) as scene:
            scene.world.state.commands.clear()
            scene.world.fail("PUT", "/applications/*", status=403)
        async with starting(tmp_path) as later:
            assert later.world.state.commands == {}
            [failed] = events(later.bot, JobFailed)
            assert isinstance(failed, JobFailed)
            assert failed.job == "discord telling Discord of the commands"


async def test_commands_and_menus_are_offered_in_servers_and_in_the_bot_s_own_dms_alone(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        for each in scene.world.state.commands.values():
            assert (each.body["contexts"], each.body["integration_types"]) == ([0, 1], [0]), each.name


@pytest.fixture
def between_two_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every DM is one of two others, as where somebody installed the bot for themselves."""
    base, where = Interaction._base, Interaction._where

    def elsewhere(used: Interaction) -> Wire:
        other = next(each for each in used.state.users.values() if each is not used.user and not each.bot)
        found = where(used)
        return found | {"channel": found["channel"] | {"recipients": [other.wire()]}}

    monkeypatch.setattr(Interaction, "_base", lambda used: base(used) | {"context": 2})
    monkeypatch.setattr(Interaction, "_where", elsewhere)


@pytest.mark.usefixtures("between_two_others")
async def test_in_a_dm_of_two_others_nothing_is_done_and_only_who_asked_is_told(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        said = await scene.replied(scene.kim.uses(scene.kim.dm, f"/memory remember text:{ROSES}"))
        assert (said.said.content, said.only_for) == (NOT_HERE, scene.kim)
        assert events(scene.bot, ItemRemembered, PersonSeen) == []
        assert await scene.kim.completes(scene.kim.dm, "/memory forget what:") == []


@pytest.mark.usefixtures("between_two_others")
async def test_a_dm_of_two_others_is_nobody_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[PlaceSeen] = []
    async with scene_in(tmp_path) as scene:

        def kept(self: Asking, interaction: discord.Interaction) -> bool:
            seen.append(place_of_interaction(interaction))
            return False

        monkeypatch.setattr(Asking, "admits", kept)
        await scene.replied(scene.kim.uses(scene.kim.dm, "/memory show"))
        assert seen == [PlaceSeen("discord", str(scene.kim.dm.id), "unknown", "", "channel")]


async def test_in_a_server_where_the_bot_is_no_member_nothing_is_done(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        scene.bot._connection._remove_guild(scene.bot.guilds[0])
        said = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
        assert (said.said.content, said.only_for) == (NOT_HERE, scene.kim)
        assert events(scene.bot, ItemRemembered) == []
