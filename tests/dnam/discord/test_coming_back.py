"""The bot dies, or loses the connection, at the worst moments: nothing is answered twice, and nothing not at all."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dnam.adapters.anthropic.stops import CUT
from dnam.adapters.discord.appearing import UNFINISHED
from projections.events import (
    ItemRemembered,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    PlaceAudienceChanged,
    TurnAnswered,
    TurnDelivered,
)
from projections.events.values import Audience
from projections.ids import Ref
from tests.dnam.discord.stage import (
    Edits,
    Garden,
    Timed,
    Writing,
    bot_in,
    events,
    for_ever,
    garden,
    heard,
    idle,
    opt_out,
    shown,
)
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Message, World


async def test_killed_before_the_answer_it_is_answered_once_it_is_back(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True) as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await model.was_asked()
            assert len(events(bot, MessageHeard)) == 1
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert len(events(bot, MessageHeard)) == len(events(bot, TurnDelivered)) == 1


async def test_killed_while_it_writes_it_goes_on_in_the_same_message(tmp_path: Path) -> None:
    model = Writing("Roses", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=Edits(), dies=True) as bot:
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await world.until(lambda: shown(world, here.general) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
            assert events(bot, TurnAnswered) == []
        (begun,) = world.bot_messages(here.general)
        async with bot_in(world, tmp_path) as bot:
            assert world.bot_messages(here.general) == [begun]
            assert begun.content == "yes"
            (delivered,) = events(bot, TurnDelivered)
            assert isinstance(delivered, TurnDelivered)
            assert delivered.messages == (Ref("discord", str(begun.id)),)
            assert heard(bot) == ["@marcy tell me"]


async def test_what_it_began_to_write_goes_where_the_question_was_deleted_before_it_was_back(tmp_path: Path) -> None:
    model = Writing("Roses", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=Edits(), dies=True):
            asked = await here.kim.says(here.general, "tell me", mention=world.bot)
            await world.until(lambda: shown(world, here.general) == [f"Roses{UNFINISHED}"], "the beginning to be shown")
        await here.kim.deletes(asked)
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == heard(bot) == []


async def test_a_whole_answer_stays_where_the_question_was_deleted_before_it_was_back(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            asked = await here.kim.says(here.general, "tell me", mention=world.bot)
            await idle(world, bot)
        await here.kim.deletes(asked)
        async with bot_in(world, tmp_path):
            assert shown(world, here.general) == ["yes"]


async def test_a_whole_answer_that_the_model_did_not_end_is_none_that_was_broken_off(tmp_path: Path) -> None:
    model, other = ScriptedModel({"answer": lambda _: f"Roses are{CUT}"}), ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path / "old", model) as bot:
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await idle(world, bot)
        async with bot_in(world, tmp_path / "new", other) as bot:
            assert shown(world, here.general) == [f"Roses are{CUT}"]
            assert not other.asked("answer")
            assert f"Roses are{CUT}" in heard(bot)


async def test_killed_between_recorded_and_sent_it_is_sent_once_it_is_back(tmp_path: Path) -> None:
    model, other = ScriptedModel(), ScriptedModel({"answer": lambda _: "something else"})
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True, summary_every_n_turns="1") as bot:
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
            assert len(events(bot, TurnAnswered)) == 1
            await bot.desk.assistant.settle()
            assert [each.purpose for each in model.asks] == ["answer"], "it is summed up once it was sent"
        assert shown(world, here.general) == []
        async with bot_in(world, tmp_path, other) as bot:
            assert shown(world, here.general) == ["yes"]
            assert (len(events(bot, TurnAnswered)), len(events(bot, TurnDelivered))) == (1, 1)
            assert other.asks == []


async def test_killed_between_sent_and_recorded_it_is_found_and_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, dies=True) as bot:
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be there")
            assert events(bot, TurnDelivered) == []
        posts = len(world.requests("POST", "/messages"))
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert len(world.requests("POST", "/messages")) == posts
            (delivered,) = events(bot, TurnDelivered)
            assert isinstance(delivered, TurnDelivered)
            assert delivered.messages == (Ref("discord", str(world.bot_messages(here.general)[0].id)),)
            assert heard(bot) == ["@marcy roses?"]


async def test_an_answer_is_found_behind_whatever_was_said_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, dies=True) as bot:
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: sending.met, "the answer to be on its way")
            for number in range(130):
                await here.kim.says(here.general, f"number {number}")
            sending.open()
            await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be there")
        for each in world.bot_messages(here.general):
            each.nonce = None  # Discord remembers them for some minutes only
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert len(events(bot, TurnDelivered)) == 1


async def test_killed_between_two_parts_only_the_second_is_sent(tmp_path: Path) -> None:
    paragraph = "roses are red " * 100
    model = ScriptedModel({"answer": lambda _: f"{paragraph}\n\n{paragraph}end"})
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True):
            first = world.slow("POST", f"/channels/{here.general.id}/messages")
            first.open()
            second = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await world.until(lambda: second.met, "the second part to be on its way")
        assert len(shown(world, here.general)) == 1
        async with bot_in(world, tmp_path, model) as bot:
            assert shown(world, here.general) == [paragraph.strip(), f"{paragraph}end"]
            (delivered,) = events(bot, TurnDelivered)
            assert isinstance(delivered, TurnDelivered)
            assert len(delivered.messages) == 2


async def test_killed_before_it_was_recorded_an_indented_part_is_found_and_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Discord takes the blanks off the beginning of a message."""
    nested = "".join(f"\n    - a rose that is called number {number}" for number in range(120))
    model, other = ScriptedModel({"answer": lambda _: f"Roses:{nested}"}), ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True) as bot:
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await world.until(lambda: len(shown(world, here.general)) == 3, "the answer to be there")
        before = shown(world, here.general)
        assert before[1].startswith("- a rose")
        for each in world.bot_messages(here.general):
            each.nonce = None  # Discord remembers them for some minutes only
        sent = len(world.requests("POST", "/messages"))
        async with bot_in(world, tmp_path, other) as bot:
            assert (shown(world, here.general), other.asks) == (before, [])
            assert len(world.requests("POST", "/messages")) == sent
            (delivered,) = events(bot, TurnDelivered)
            assert len(delivered.messages) == 3


async def test_an_indented_part_is_not_edited_to_what_it_says(tmp_path: Path) -> None:
    nested = "".join(f"\n    - a rose that is called number {number}" for number in range(120))
    model = ScriptedModel({"answer": lambda _: f"Roses:{nested}"})
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.kim.says(here.general, "tell me", mention=world.bot)
        await idle(world, bot)
        assert len(shown(world, here.general)) == 3
        assert world.requests("PATCH") == []


async def test_a_lost_reply_of_discord_s_is_no_second_message(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        world.fail("POST", f"/channels/{here.general.id}/messages", status=502, after=True)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        assert len(world.requests("POST", f"/channels/{here.general.id}/messages")) == 2


async def test_what_was_missed_is_heard_and_answered(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            first = await here.kim.says(here.general, "one")
            second = await here.kim.says(here.general, "two")
            await here.kim.says(here.kim.dm, "hello")
            await idle(world, bot)
        await here.kim.edits(first, "One!")
        await here.kim.deletes(second)
        await here.ada.says(here.general, "roses?", mention=world.bot)
        await here.kim.says(here.kim.dm, "are you there?")
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == ["yes"]
            assert shown(world, here.kim.dm) == ["yes", "yes"]
            assert sorted(heard(bot)) == ["@marcy roses?", "One!", "are you there?", "hello"]
            assert (len(events(bot, MessageEdited)), len(events(bot, MessageDeleted))) == (1, 1)


async def test_a_memory_that_is_new_reads_back_and_answers_nothing_again(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path / "old") as bot:
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
        async with bot_in(world, tmp_path / "new") as bot:
            assert shown(world, here.general) == ["yes"]
            messages = [each.message for each in events(bot, MessageHeard)]
            assert [(each.author, each.text) for each in messages] == [("person", "@marcy roses?"), ("self", "yes")]


async def test_whoever_was_quiet_for_long_when_it_starts_is_learned_from(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, "I keep bees", mention=world.bot)
            await idle(world, bot)
            assert model.asked("extraction") == []
        assert isinstance(world, Timed)
        world.clock.time += 31 * 60_000
        async with bot_in(world, tmp_path, model):
            assert len(model.asked("extraction")) == 1


Then = Callable[[Garden, Message], Awaitable[object]]


async def stays(_: Garden, __: Message) -> None:
    """Nothing becomes of a command that was typed."""


async def goes(here: Garden, command: Message) -> None:
    await here.kim.deletes(command)


async def says_something_else(here: Garden, command: Message) -> None:
    await here.kim.edits(command, "never mind")


@pytest.mark.parametrize("then", [stays, goes, says_something_else])
@pytest.mark.parametrize(("folder", "enabled"), [("old", "1"), ("old", "0"), ("new", "1")])
async def test_a_typed_command_and_its_reply_are_never_heard_as_said(
    tmp_path: Path, then: Then, folder: str, enabled: str
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path / "old", memory_commands_enabled="1") as bot:
            pies = tuple(f"remember {number}" + " and pie" * 48 for number in range(6))
            asks = (*pies, "show", f"forget {' and pie' * 48}")
            typed = [await here.kim.says(here.general, f"!memory {each}") for each in asks]
            await idle(world, bot)
            replies = shown(world, here.general)
            assert "page 1 of " in replies[len(pies)]
            assert len(replies) > len(typed), "the last reply comes in parts"
        for each in typed:
            await then(here, each)
        async with bot_in(world, tmp_path / folder, memory_commands_enabled=enabled, respond_mode="all") as bot:
            assert heard(bot) == (["never mind"] * len(asks) if then is says_something_else else [])
            assert shown(world, here.general) == replies
            assert len(events(bot, ItemRemembered)) == (len(pies) if folder == "old" else 0)


async def test_what_was_heard_and_became_a_command_says_so_whenever_it_is_read(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
            first, second = [await here.kim.says(here.general, text) for text in ("one", "two")]
            await idle(world, bot)
            await here.kim.edits(first, "!memory forget one")
            await idle(world, bot)
        await here.kim.edits(second, "!memory forget two")
        async with bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
            assert heard(bot) == ["!memory forget one", "!memory forget two"]
            assert shown(world, here.general) == []


async def test_who_opted_out_is_not_answered_a_second_time(tmp_path: Path) -> None:
    model = Writing("", "too late")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, dies=True) as bot:
            await opt_out(bot, here.kim)
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await model.was_asked()
        async with bot_in(world, tmp_path) as bot:
            assert shown(world, here.general) == []
            assert events(bot, MessageHeard) == []


async def test_a_dropped_connection_goes_on_and_nothing_comes_twice(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "one", mention=world.bot)
        await idle(world, bot)
        await world.gateway.drop(again=3)
        await here.kim.says(here.general, "two", mention=world.bot)
        await world.ready()
        await world.until(lambda: len(shown(world, here.general)) == 2, "both to be answered")
        await idle(world, bot)
        assert shown(world, here.general) == ["yes", "yes"]
        assert len(events(bot, MessageHeard)) == len(events(bot, TurnDelivered)) == 2


def close(world: World, here: Garden) -> None:
    """From now on only the bot and Kim can read #general."""
    here.general.overwrites = list(here.cellar.overwrites)
    world.state.changed_channel(here.general)


@pytest.mark.parametrize("live", [True, False])
async def test_when_fewer_can_read_a_place_a_new_epoch_begins(tmp_path: Path, live: bool) -> None:
    async with garden() as (world, here):
        place = Ref("discord", str(here.general.id))
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(here.general, "in the open")
            await idle(world, bot)
            if live:
                close(world, here)
                await idle(world, bot)
                assert len(events(bot, PlaceAudienceChanged)) == 1
        if not live:
            close(world, here)
        async with bot_in(world, tmp_path) as bot:
            (changed,) = events(bot, PlaceAudienceChanged)
            assert isinstance(changed, PlaceAudienceChanged)
            assert changed.audience == Audience("channel", place, 1)
            assert changed.previous == Audience("guild", place)


async def test_a_resumed_connection_reads_back_only_where_something_is_new(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "one", mention=world.bot)
        await here.kim.says(here.cellar, "two")
        await idle(world, bot)
        before = len(world.requests("GET", "/messages"))
        await world.gateway.drop()
        await world.ready()
        await idle(world, bot)
        assert len(world.requests("GET", "/messages")) == before
        await here.kim.says(here.kim.dm, "between us")
        await idle(world, bot)
        with world.gateway.forgetting():
            await here.ada.says(here.general, "three")
            await here.kim.says(here.kim.dm, "four")
        world.state.changed_channel(here.general)  # by this it knows of a last message there that it never heard
        await idle(world, bot)
        assert {"three", "four"}.isdisjoint(heard(bot))
        await world.gateway.drop()
        await world.ready()
        await idle(world, bot)
        assert {"three", "four"} < set(heard(bot))


async def test_a_session_that_is_no_more_begins_anew_and_reads_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        monkeypatch.setattr(bot, "before_identify_hook", for_nothing)
        await here.kim.says(here.general, "one", mention=world.bot)
        await idle(world, bot)
        first = world.gateway.connections[0]
        await world.gateway.invalidate()
        await world.until(lambda: first not in world.gateway.connections, "the connection to end")
        await here.kim.says(here.general, "two", mention=world.bot)
        await world.until(lambda: len(shown(world, here.general)) == 2, "what was missed to be answered")
        await idle(world, bot)
        assert len(events(bot, MessageHeard)) == len(events(bot, TurnDelivered)) == 2


async def for_nothing(*_: object, **__: object) -> None:
    """discord.py waits five seconds before it identifies anew."""
