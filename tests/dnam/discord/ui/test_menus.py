"""Menus and buttons in a loopback Discord: forgetting by hand, undoing, turning pages, and what is nobody else's."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dnam.adapters.discord.ui.asking import BROKEN, NOT_HERE
from dnam.adapters.discord.ui.picking import ASK, UNCHANGED
from dnam.adapters.discord.ui.presses import NOT_YOURS, OUTDATED, SILENT
from dnam.adapters.discord.ui.shown import EXPIRED, Lists
from dnam.commands.undo import OUTDATED as CHANGED_SINCE
from dnam.scopes import set_config
from projections.config import Scope
from projections.events import ItemForgotten, JobFailed, MessageHeard
from projections.events.values import OPERATOR, By
from projections.ids import Ref
from tests.dnam.discord.stage import events
from tests.dnam.discord.ui.stage import Scene, garden_in, scene_in
from tests.loopback.discord import Channel, Message
from tests.loopback.discord.menus import buttons, labels, menu
from tests.loopback.discord.messages import MessageFlag

ROSES, OSLO = "I like roses", "I live in Oslo"


def chosen(message: Message) -> list[str]:
    """What the menu of a message has chosen."""
    return [each["label"] for each in menu(message, "")["options"] if each.get("default")]


async def forgetting(scene: Scene, text: str = "/memory forget") -> Message:
    return await scene.replied(scene.kim.uses(scene.general, text))


class TestForgetting:
    async def test_choose_look_confirm_undo(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, OSLO)
            message = await forgetting(scene)
            assert (message.said.content, chosen(message)) == (ASK["forget"], [])
            looked = await scene.pressed(scene.kim.selects(message, ROSES), message, "would be forgotten")
            assert looked.startswith("This would be forgotten, 1 item(s):\n- [fact] I like roses `durable-")
            assert (chosen(message), labels(message)) == ([ROSES], ["Forget 1", "Cancel"])
            assert await scene.held(scene.kim) == [ROSES, OSLO]
            await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).\n- [fact] I like")
            assert await scene.held(scene.kim) == [OSLO]
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "again.\n- [fact] I like roses")
            assert await scene.held(scene.kim) == [ROSES, OSLO]

    async def test_what_the_words_mean_is_chosen_already_and_needs_a_yes(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, OSLO)
            message = await forgetting(scene, "/memory forget what:like roses")
            assert message.said.content.startswith("This would be forgotten, 1 item(s):")
            assert await scene.held(scene.kim) == [ROSES, OSLO]
            await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")
            assert await scene.held(scene.kim) == [OSLO]

    async def test_words_that_mean_nothing_exactly_offer_what_shares_them(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, OSLO)
            message = await forgetting(scene, "/memory forget what:something about roses")
            assert [each["label"] for each in menu(message, "")["options"]] == [ROSES]
            assert chosen(message) == []

    async def test_several_go_at_once_and_come_back_at_once(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, OSLO)
            message = await forgetting(scene)
            await scene.pressed(scene.kim.selects(message, ROSES, OSLO), message, "2 item(s)")
            await scene.pressed(scene.kim.clicks(message, "Forget 2"), message, "Forgot 2 item(s).")
            assert await scene.held(scene.kim) == []
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `forget`: ")
            assert await scene.held(scene.kim) == [ROSES, OSLO]

    async def test_cancelling_changes_nothing(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES)
            message = await forgetting(scene, "/memory forget what:like roses")
            await scene.pressed(scene.kim.clicks(message, "Cancel"), message, UNCHANGED)
            assert message.said.components == []
            assert events(scene.bot, ItemForgotten) == []

    async def test_what_went_meanwhile_is_not_done_again(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES)
            message = await forgetting(scene, "/memory forget what:like roses")
            await scene.bot.desk.memory.forget(await scene.handle(scene.kim), "like roses")
            await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgotten already, 1 item(s).")

    async def test_more_than_a_menu_holds_are_turned(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            person = await scene.bot.desk.memory.person(str(scene.kim.id), platform="discord", make=True)
            for number in range(30):
                await scene.bot.desk.memory.remember(person, f"I like sort {number} of tea")
            message = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory forget"))
            assert len(menu(message, "")["options"]) == 25
            await scene.kim.clicks(message, "Next ▶")
            await scene.world.until(lambda: len(menu(message, "")["options"]) == 5)
            await scene.pressed(scene.kim.selects(message, "I like sort 0 of tea"), message, "1 item(s)")
            await scene.pressed(scene.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")
            assert len(await scene.held(scene.kim)) == 29

    async def test_of_more_matches_than_a_menu_holds_it_is_said_how_many_are_left(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            person = await scene.bot.desk.memory.person(str(scene.kim.id), platform="discord", make=True)
            for number in range(30):
                await scene.bot.desk.memory.remember(person, f"I like sort {number} of tea")
            message = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory forget what:some tea"))
            assert message.said.content.endswith("\n5 more match: say more of the words to see them.")


class TestRestoring:
    async def test_choose_look_confirm_undo(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, OSLO)
            await scene.bot.desk.memory.forget(await scene.handle(scene.kim), "like roses")
            message = await scene.replied(scene.kim.uses(scene.general, "/memory restore"))
            await scene.pressed(scene.kim.selects(message, ROSES), message, "would be remembered again")
            await scene.pressed(scene.kim.clicks(message, "Restore 1"), message, "Restored 1 item(s).")
            assert await scene.held(scene.kim) == [ROSES, OSLO]
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `restore`: this is forgotten.")
            assert await scene.held(scene.kim) == [OSLO]


class TestButtons:
    async def test_undo_stands_under_what_was_remembered(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `remember`: this is forgotten.")
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `forget`: ")
            assert await scene.held(scene.kim) == [ROSES]

    async def test_undo_stands_under_what_was_asked_as_text_and_is_only_for_who_asked(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.kim.says(scene.general, f"!memory remember {ROSES}")
            await scene.world.until(lambda: scene.world.bot_messages(scene.general))
            [message] = scene.world.bot_messages(scene.general)
            assert (await scene.replied(scene.ada.clicks(message, "Undo"))).said.content == NOT_YOURS
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `remember`: this is forgotten.")

    async def test_an_undo_where_others_read_along_does_not_say_what_is_private_after_it(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES)
            [item] = await scene.items(scene.kim)
            message = await self.typed(scene, f"!memory keep-private {item.id}")
            told = await scene.pressed(scene.kim.clicks(message, "Undo"), message, "Undone `keep-private`: ")
            assert ROSES in told
            await scene.kim.clicks(message, "Undo")
            await scene.world.until(lambda: message.said.content != told)
            assert "(what it says is not told here any more)" in message.said.content
            assert ROSES not in message.said.content

    async def test_an_undo_of_what_was_changed_since_says_so(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            await scene.bot.desk.memory.forget(await scene.handle(scene.kim), "like roses")
            await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, CHANGED_SINCE)

    async def test_buttons_work_after_a_restart(self, tmp_path: Path) -> None:
        async with garden_in() as starting:
            async with starting(tmp_path) as scene:
                await scene.remembers(scene.kim, ROSES)
                message = await forgetting(scene, "/memory forget what:like roses")
            async with starting(tmp_path) as later:
                await later.pressed(later.kim.clicks(message, "Forget 1"), message, "Forgot 1 item(s).")
                await later.pressed(later.kim.clicks(message, "Undo"), message, "Undone `forget`: ")
                assert await later.held(later.kim) == [ROSES]

    async def test_a_stranger_s_press_does_nothing(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, ROSES, place=scene.general)
            message = await forgetting(scene, "/memory forget what:like roses")
            message.only_for = None  # as if it had been said to all
            refused = await scene.replied(scene.ada.clicks(message, "Forget 1"))
            assert (refused.said.content, refused.only_for) == (NOT_YOURS, scene.ada)
            assert await scene.held(scene.kim) == [ROSES]

    async def test_long_lists_turn_their_pages(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            person = await scene.bot.desk.memory.person(str(scene.kim.id), platform="discord", make=True)
            for number in range(12):
                await scene.bot.desk.memory.remember(person, f"{number} " + "x" * 380)
            message = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory show"))
            found = re.search(r"page 1 of (\d+)$", message.said.content)
            assert found is not None
            pages = int(found[1])
            assert pages > 2
            for page in range(2, pages + 1):
                await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, f"page {page} of {pages}")
            assert len(message.said.content) <= 2000
            with pytest.raises(AssertionError):
                await scene.kim.clicks(message, "Next ▶")
            await scene.pressed(scene.kim.clicks(message, "◀ Back"), message, f"page {pages - 1} of {pages}")
            scene.menus.asking.lists = Lists()
            await scene.pressed(scene.kim.clicks(message, "◀ Back"), message, EXPIRED)

    @pytest.mark.parametrize("page", ["9", "zz"])
    async def test_a_page_that_there_is_not_is_the_last_or_none(self, tmp_path: Path, page: str) -> None:
        async with scene_in(tmp_path) as scene:
            message = await self.long_list(scene)
            custom_id = message.said.components[0]["components"][1]["custom_id"]
            message.said.components[0]["components"][1]["custom_id"] = re.sub(r"1\Z", page, custom_id)
            pages = message.said.content.rpartition(" ")[2]
            holds = EXPIRED if page == "zz" else f"page {pages} of {pages}"
            await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, holds)

    async def test_what_was_taken_back_is_on_no_page_that_is_turned_after_that(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            message = await self.long_list(scene)
            kim = await scene.handle(scene.kim)
            await scene.bot.desk.memory.forget_all(await scene.items(scene.kim), by=By("person", kim))
            text = await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "(none)")
            assert "secret" not in text

    async def test_who_is_not_answered_any_more_turns_no_page(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            message = await self.long_list(scene)
            memory = scene.bot.desk.memory
            memory.settings = replace(memory.settings, allow_users=(), allow_guilds=("404",))
            await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, NOT_HERE)

    async def long_list(self, scene: Scene) -> Message:
        """A list of some pages, all of them about secrets."""
        await scene.remembers(scene.kim, *(f"secret {number} " + "x" * 380 for number in range(12)))
        message = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
        assert re.search(r"page 1 of [2-9]$", message.said.content)
        return message

    async def test_a_list_that_was_asked_for_as_text_turns_in_its_one_message_for_who_asked(
        self, tmp_path: Path
    ) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, *(f"public {number} " + "x" * 380 for number in range(12)))
            for typed in ("!memory show", "!memory search public", "!memory at today"):
                message = await self.typed(scene, typed)
                assert re.search(r"page 1 of [2-9]$", message.content), typed
                assert (labels(message), message.said.flags) == (["◀ Back", "Next ▶"], MessageFlag.SUPPRESS_EMBEDS)
                refused = await scene.replied(scene.ada.clicks(message, "Next ▶"))
                assert (refused.said.content, refused.only_for) == (NOT_YOURS, scene.ada)
                assert "page 1 of " in message.content
                await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "page 2 of ")
                assert message.said.flags == MessageFlag.SUPPRESS_EMBEDS, "it stays known as nothing that was said"

    @pytest.mark.parametrize("mode", ["none", "owner"])
    async def test_where_no_typed_command_is_replied_to_any_more_no_page_of_one_is_turned(
        self, tmp_path: Path, mode: str
    ) -> None:
        async with scene_in(tmp_path) as scene:
            await scene.remembers(scene.kim, *(f"public {number} " + "x" * 380 for number in range(12)))
            message, before = await self.typed(scene, "!memory show"), scene.bot.desk.memory.settings
            alone = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
            direct = await scene.replied(scene.kim.uses(scene.kim.dm, "/memory show"))
            scene.bot.desk.memory.settings = replace(before, respond_mode=mode)
            refused = await scene.replied(scene.kim.clicks(message, "Next ▶"))
            assert (refused.said.content, refused.only_for) == (SILENT, scene.kim)
            assert "page 1 of " in message.said.content
            for theirs in (alone, direct):
                await scene.pressed(scene.kim.clicks(theirs, "Next ▶"), theirs, "page 2 of ")
            scene.bot.desk.memory.settings = before
            await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "page 2 of ")
            here = Scope("guild", Ref("discord", str(scene.garden.id)))
            assert await set_config(scene.bot.desk.memory, here, "respond_mode", mode, OPERATOR)
            assert (await scene.replied(scene.kim.clicks(message, "Next ▶"))).said.content == SILENT

    async def test_what_an_owner_asked_for_turns_where_owners_alone_are_replied_to(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path, respond_mode="owner") as scene:
            scene.bot.desk.owners = frozenset({scene.kim.id})
            await scene.remembers(scene.kim, *(f"public {number} " + "x" * 380 for number in range(12)))
            message = await self.typed(scene, "!memory show")
            await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "page 2 of ")

    async def test_no_page_of_a_typed_list_shows_others_what_is_for_who_asked_alone(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            dm = scene.kim.dm
            await scene.remembers(scene.kim, *(f"secret {number} " + "x" * 380 for number in range(9)), place=dm)
            await scene.remembers(scene.kim, *(f"public {number} " + "x" * 380 for number in range(9)))
            message = await self.typed(scene, "!memory show")
            told = await self.turned(scene, message)
            assert "secret" not in told
            assert set(re.findall("public [0-9]", told)) == {f"public {number}" for number in range(9)}
            alone = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
            assert "secret" in await self.turned(scene, alone), "where nobody reads along it is there"

    async def test_a_page_that_is_turned_where_more_can_read_by_now_is_for_them(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            of_few = (f"secret {number} " + "x" * 380 for number in range(12))
            await scene.remembers(scene.kim, *of_few, place=scene.staff)
            message = await self.typed(scene, "!memory show", scene.staff)
            assert "secret" in message.content
            scene.staff.overwrites = []
            scene.world.state.changed_channel(scene.staff)
            await scene.idle()
            assert "secret" not in await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "(none)")

    async def test_pages_of_a_typed_list_have_expired_after_a_restart(self, tmp_path: Path) -> None:
        async with garden_in() as starting:
            async with starting(tmp_path) as scene:
                await scene.remembers(scene.kim, *(f"public {number} " + "x" * 380 for number in range(12)))
                message = await self.typed(scene, "!memory show")
            async with starting(tmp_path) as later:
                await later.pressed(later.kim.clicks(message, "Next ▶"), message, EXPIRED)
                assert message.said.components == []
            async with starting(tmp_path) as last:
                assert events(last.bot, MessageHeard) == [], "it is read back, and nothing that was said"

    @pytest.mark.parametrize("asked", ["!memory lore", "/memory lore"])
    async def test_lore_without_words_is_a_list_and_turns(self, tmp_path: Path, asked: str) -> None:
        async with scene_in(tmp_path) as scene:
            lore = f"guild/discord:{scene.garden.id}"
            for number in range(12):
                await scene.bot.desk.memory.remember_nobodys(lore, f"{number} " + "x" * 380, by=OPERATOR)
            if asked.startswith("!"):
                message = await self.typed(scene, asked)
            else:
                message = await scene.replied(scene.kim.uses(scene.general, asked))
            await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, "page 2 of ")

    async def test_what_a_typed_command_changed_is_said_at_once(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            fruit = " ".join(f"fruit{number}" for number in range(45))
            await scene.remembers(scene.kim, *(f"I like sort {number} of {fruit}" for number in range(9)))
            before = len(scene.world.bot_messages(scene.general))
            await scene.kim.says(scene.general, f"!memory forget {fruit}")
            await scene.idle()
            told = scene.world.bot_messages(scene.general)[before:]
            assert len(re.findall("I like sort [0-9] of", "".join(each.content for each in told))) == 9
            assert [labels(each) for each in told] == [[]] * (len(told) - 1) + [["Undo"]]

    async def turned(self, scene: Scene, message: Message) -> str:
        """All pages of a list, from the first, as they are shown one by one."""
        told = [message.said.content]
        while not buttons(message)[-1].get("disabled"):
            page = f"page {len(told) + 1} of "
            told.append(await scene.pressed(scene.kim.clicks(message, "Next ▶"), message, page))
        assert told[-1].endswith(f"page {len(told)} of {len(told)}")
        return "".join(told)

    async def typed(self, scene: Scene, words: str, place: Channel | None = None) -> Message:
        """The one message that replies to a typed command."""
        there = place or scene.general
        before = {each.id for each in scene.world.bot_messages(there)}
        await scene.kim.says(there, words)
        await scene.idle()
        [message] = [each for each in scene.world.bot_messages(there) if each.id not in before]
        return message

    async def test_a_button_of_another_program_is_none_of_ours(self, tmp_path: Path) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            for custom_id in ("other", "dnam:what:1"):
                message.said.components[0]["components"][0]["custom_id"] = custom_id
                await scene.kim.clicks(message, "Undo")
            await scene.idle()
            assert await scene.held(scene.kim) == [ROSES]

    @pytest.mark.parametrize("meaning", ["undo:{}:zz", "do:{}:burn", "more:{}:burn:0"])
    async def test_a_button_of_an_older_form_says_so(self, tmp_path: Path, meaning: str) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            message.said.components[0]["components"][0]["custom_id"] = f"dnam:{meaning.format(scene.kim.id)}"
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, OUTDATED)

    async def test_a_press_that_discord_refuses_is_recorded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))
            failure = scene.next_failure(monkeypatch)
            scene.world.fail("POST", "/interactions/*", status=404)
            await scene.kim.clicks(message, "Undo")
            assert await failure == "answering a button"
            assert len(events(scene.bot, JobFailed)) == 1

    async def test_what_nobody_foresaw_is_said(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async with scene_in(tmp_path) as scene:
            message = await scene.replied(scene.kim.uses(scene.general, f"/memory remember text:{ROSES}"))

            def broken(*_: object, **__: object) -> None:
                raise ValueError(ROSES)

            monkeypatch.setattr(scene.bot.desk.memory, "take_back", broken)
            await scene.pressed(scene.kim.clicks(message, "Undo"), message, BROKEN)
