"""The real bot in a loopback Discord: whom it answers, where, and what it hears."""

import logging
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.respond import NOBODY_ALLOWED
from dnam.erasing.person import erase
from dnam.loops.extraction import ANYBODY, new_by_compartment, plan_extraction
from dnam.turn_prompts import prompt_of
from projections.events import (
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    PlaceDescribed,
    TurnAnswered,
    TurnDelivered,
)
from projections.events.values import Message
from projections.fold import Record
from projections.ids import NOBODY, Ref
from projections.messages import MESSAGES
from projections.policies.learned_from import as_addressed
from tests.dnam.discord.stage import Writing, bot_in, events, garden, heard, idle, opt_out, shown
from tests.dnam.scripted import FakeClock, ScriptedModel
from tests.loopback.discord import ChannelKind, Permission, World
from tests.world import NOW


async def test_a_mention_is_answered_as_a_reply_and_recorded_in_order(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        asked = await here.kim.says(here.general, "do you like roses?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        (answer,) = world.bot_messages(here.general)
        assert answer.reference is asked
        message, turn, delivered = events(bot, MessageHeard, TurnAnswered, TurnDelivered)
        assert isinstance(message, MessageHeard)
        assert isinstance(turn, TurnAnswered)
        assert isinstance(delivered, TurnDelivered)
        assert message.message.text == "@marcy do you like roses?"
        assert message.message.session == f"discord:channel:{here.general.id}"
        assert (message.message.addressed, message.message.audience.kind) == (True, "guild")
        assert delivered.messages == (Ref("discord", str(answer.id)),)
        assert answer.nonce == turn.nonce


async def test_a_mention_of_its_own_role_is_answered_and_of_another_one_is_not(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        own = next(each for each in here.guild.roles.values() if each.bot == world.bot.id)
        other = here.guild.role("gardener", Permission.VIEW_CHANNEL, world.bot)
        for each in (own, other):
            await here.guild_owner.says(here.general, f"{each.mention} do you like roses?")
        await idle(world, bot)
        (answer,) = world.bot_messages(here.general)
        assert answer.reference is world.messages(here.general)[0]
        assert heard(bot) == ["@Marcy do you like roses?", "@gardener do you like roses?"]


async def test_a_command_behind_a_mention_of_its_own_role_is_one(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        own = next(each for each in here.guild.roles.values() if each.bot == world.bot.id)
        await here.guild_owner.says(here.general, f"{own.mention} !memory remember I like roses")
        await idle(world, bot)
        assert shown(world, here.general)[0].startswith("Remembered: I like roses")
        assert heard(bot) == []


async def test_what_is_not_said_to_it_is_heard_and_not_answered(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "lovely weather")
        await here.ada.says(here.general, "so it is", mention=here.kim)
        await idle(world, bot)
        assert shown(world, here.general) == []
        first, second = events(bot, MessageHeard)
        assert isinstance(first, MessageHeard)
        assert isinstance(second, MessageHeard)
        assert not first.message.addressed
        assert second.message.text == " so it is"
        assert [span.person for span in second.message.spans] == [first.message.speaker]


async def test_a_reply_to_it_is_answered_also_when_it_does_not_call(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        await here.ada.replies(world.bot_messages(here.general)[0], "and tulips?", ping=False)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes", "yes"]


async def test_a_dm_is_answered_and_lies_with_its_person(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.kim.dm, "just between us")
        await idle(world, bot)
        assert shown(world, here.kim.dm) == ["yes"]
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert message.message.session == f"discord:dm:{message.message.speaker.hex()}"
        assert message.message.audience.kind == "direct"


async def test_a_public_thread_has_the_audience_of_its_channel(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        thread = await here.kim.begins_thread(here.general, "seeds")
        await here.kim.says(thread, "which ones?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, thread) == ["yes"]
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert message.message.session == f"discord:thread:{thread.id}"
        assert message.message.audience.kind == "guild"
        described = events(bot, PlaceDescribed)
        assert {each.kind: each.parent for each in described}["thread"] == Ref("discord", str(here.general.id))


async def test_what_few_can_read_is_restricted(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        private = await here.kim.begins_thread(here.general, "secret", private=True, add=[world.bot])
        await here.kim.says(private, "psst", mention=world.bot)
        await here.kim.says(here.cellar, "psst", mention=world.bot)
        await idle(world, bot)
        assert shown(world, private) == shown(world, here.cellar) == ["yes"]
        kinds = [each.message.audience.kind for each in events(bot, MessageHeard)]
        assert kinds == ["channel", "channel"]


async def test_other_bots_are_heard_and_never_answered(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, respond_mode="all") as bot:
        other = world.person("Robo", here.guild, bot=True)
        await other.says(here.general, "beep", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == []
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert (message.message.author, message.message.speaker, message.message.author_name) == ("bot", NOBODY, "robo")


@pytest.mark.parametrize(
    ("mode", "answered"), [("mention", [0, 0, 1]), ("all", [1, 1, 1]), ("owner", [0, 0, 0]), ("none", [0, 0, 0])]
)
async def test_respond_mode_says_what_is_answered(tmp_path: Path, mode: str, answered: list[int]) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, respond_mode=mode) as bot:
        said = []
        for text, mention in (("one", ()), ("two", ()), ("three", world.bot)):
            await here.kim.says(here.general, text, mention=mention)
            await idle(world, bot)
            said.append(len(shown(world, here.general)))
        assert [after - before for before, after in zip([0, *said], said, strict=False)] == answered


async def test_the_application_s_owner_owns_it_where_no_setting_says(tmp_path: Path) -> None:
    async with garden() as (world, _), bot_in(world, tmp_path) as bot:
        assert bot.desk.owners == {world.application.owner.id}


async def test_its_owner_is_answered_where_only_owners_are(tmp_path: Path) -> None:
    async with garden() as (world, here):
        owner = world.person("Ines", here.guild)
        async with bot_in(world, tmp_path, respond_mode="owner", owner_ids=str(owner.id)) as bot:
            await owner.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
            assert shown(world, here.general) == ["yes"]


async def test_who_is_on_no_list_is_not_answered(tmp_path: Path) -> None:
    async with garden() as (world, here):
        kim = str(here.kim.id)
        async with bot_in(world, tmp_path, allow_users=kim, allow_guilds="") as bot:
            await here.ada.says(here.general, "roses?", mention=world.bot)
            await here.ada.says(here.ada.dm, "roses?")
            await idle(world, bot)
            assert shown(world, here.general) == shown(world, here.ada.dm) == []
            await here.kim.says(here.kim.dm, "roses?")
            await idle(world, bot)
            assert shown(world, here.kim.dm) == ["yes"]


async def test_with_empty_lists_nobody_is_and_it_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with garden() as (world, here), bot_in(world, tmp_path, allow_users="", allow_guilds="") as bot:
        await here.kim.says(here.kim.dm, "roses?")
        await idle(world, bot)
        assert shown(world, here.kim.dm) == []
    assert NOBODY_ALLOWED in caplog.text
    assert "recorded all the same" in NOBODY_ALLOWED


async def test_who_opted_out_is_answered_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await opt_out(bot, here.kim)
        await here.kim.says(here.general, "a secret", mention=world.bot)
        await here.kim.says(here.kim.dm, "another secret")
        await idle(world, bot)
        assert shown(world, here.general) == shown(world, here.kim.dm) == ["yes"]
        assert events(bot, MessageHeard) == []
        turns = events(bot, TurnAnswered)
        assert [(turn.asker, turn.text, turn.call.model) for turn in turns] == [(NOBODY, "", "scripted")] * 2


async def test_edits_and_deletions_are_heard(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        first = await here.kim.says(here.general, "I like tee")
        second, third = [await here.kim.says(here.general, text) for text in ("two", "three")]
        secret = await here.kim.says(here.kim.dm, "a secret")
        await idle(world, bot)
        await here.kim.edits(first, "I like tea")
        await here.kim.deletes(secret)
        await idle(world, bot)
        assert sorted(heard(bot)) == ["I like tea", "three", "two"]
        here.guild.role("gardener", Permission.MANAGE_MESSAGES, here.ada)
        await here.ada.deletes(second, third)
        await idle(world, bot)
        assert heard(bot) == ["I like tea"]
        assert (len(events(bot, MessageEdited)), len(events(bot, MessageDeleted))) == (1, 3)


async def test_many_deletions_at_once_are_recorded_in_as_many_decisions_as_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projections.decisions.draft.MOST_EVENTS", 4)
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        said = [await here.kim.says(here.general, f"number {n}") for n in range(7)]
        await idle(world, bot)
        here.guild.role("gardener", Permission.MANAGE_MESSAGES, here.ada)
        await here.ada.deletes(*said)
        await idle(world, bot)
        assert heard(bot) == []
        assert (len(events(bot, MessageDeleted)), len(events(bot, MessageRedacted))) == (7, 3)


async def test_a_message_told_twice_is_answered_once(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        asked = await here.kim.says(here.general, "roses?", mention=world.bot)
        world.redeliver(asked)
        await idle(world, bot)
        world.redeliver(asked)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        assert len(events(bot, MessageHeard)) == len(events(bot, TurnAnswered)) == 1


async def test_a_command_without_words_names_the_one_with_a_menu(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        for text in ("!memory forget", "!memory search"):
            await here.kim.says(here.general, text)
        await idle(world, bot)
        forget, search = shown(world, here.general)
        assert forget.startswith("`!memory forget <what>` needs ")
        assert forget.endswith("\n`/memory forget` lets you pick from a menu.")
        assert search == "`!memory search <words>` needs some words."


async def test_in_no_server_it_says_how_it_is_invited(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with World() as world, bot_in(world, tmp_path):
        await world.gateway.flushed()
    assert f"oauth2/authorize?client_id={world.application.id}" in caplog.text


async def test_a_forum_post_has_the_audience_of_its_forum(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        forum = here.guild.channel("questions", ChannelKind.FORUM)
        post = await here.kim.begins_thread(forum, "roses")
        await here.kim.says(post, "which ones?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, post) == ["yes"]
        (message,) = events(bot, MessageHeard)
        assert isinstance(message, MessageHeard)
        assert (message.message.session, message.message.audience.kind) == (f"discord:thread:{post.id}", "guild")


async def test_who_asks_while_somebody_else_is_answered_is_answered_with_that_in_mind(tmp_path: Path) -> None:
    model = Writing("", "Prune them in March.")
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        await here.ada.says(here.general, "when are roses pruned?", mention=world.bot)
        await model.was_asked()
        await here.kim.says(here.general, "and why then, as you told Ada?", mention=world.bot)
        await world.gateway.flushed()
        model.go.set()
        await idle(world, bot)
        assert model.asks[-1].prompt.endswith(
            "[Ada]: @marcy when are roses pruned?\n[marcy]: Prune them in March.\n\n---\nUser message:\n"
            "@marcy and why then, as you told Ada?"
        )
        first, second = answers_in(bot)
        assert first.id in second.event.causes
        assert differences(bot) == []


@pytest.mark.parametrize("ahead_ms", [4_000, 5 * 60_000])
async def test_a_clock_ahead_of_discord_s_takes_no_answer_out_of_the_next_prompt(tmp_path: Path, ahead_ms: int) -> None:
    model = ScriptedModel()
    async with (
        garden() as (world, here),
        bot_in(world, tmp_path, model, clock=FakeClock(NOW + ahead_ms)) as bot,
    ):
        for text in ("roses?", "tulips?"):
            await here.kim.says(here.general, text, mention=world.bot)
            await idle(world, bot)
        assert "[Kim]: @marcy roses?\n[marcy]: yes\n\n---\nUser message:\n@marcy tulips?" in model.asks[-1].prompt
        assert differences(bot) == []


async def test_what_somebody_replies_to_is_quoted_however_long_ago_it_was_said(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, message_history_count="5") as bot:
        old = await here.ada.says(here.general, "Die Rosen brauchen im Maerz einen Schnitt")
        for number in range(12):
            await here.ada.says(here.general, f"chat {number}")
        await here.kim.says(here.general, "translate this please", mention=world.bot, reply_to=old)
        await idle(world, bot)
        assert model.asks[-1].prompt.endswith(
            "[Ada]: chat 11\n\n---\nReplied-to message:\n[Ada]: Die Rosen brauchen im Maerz einen Schnitt\n\n---\n"
            "User message:\n  (reply to Ada) @marcy translate this please"
        )
        (turn,) = answers_in(bot)
        with bot.desk.memory.engine.reading() as rows:
            first, *_, last = (found.row for found in rows.scan(MESSAGES))
            learned = new_by_compartment(rows, last.message.speaker, as_addressed, ANYBODY)
            plans = [plan_extraction(rows, last.message.speaker, *each) for each in learned.items()]
        assert first.heard in turn.event.causes
        assert differences(bot) == []
        assert [line.text for plan in plans for line in plan.inputs.lines] == ["@marcy translate this please"]
        await here.kim.replies(world.bot_messages(here.general)[0], "shorter")
        await idle(world, bot)
        prompts = [ask.prompt for ask in model.asks if ask.purpose == "answer"]
        assert "\nReplied-to message:\n[marcy]: yes\n" in prompts[-1]
        assert differences(bot) == []


async def test_an_answer_goes_with_whoever_was_quoted_above_its_question(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, ScriptedModel(), message_history_count="2") as bot:
        old = await here.ada.says(here.general, "I like tulips")
        for number in range(3):
            await here.kim.says(here.general, f"chat {number}")
        await here.kim.says(here.general, "hello there", mention=world.bot)
        await here.kim.says(here.general, "really?", mention=world.bot, reply_to=old)
        await idle(world, bot)
        assert len(answers_in(bot)) == 2
        ada = next(each.speaker for each in messages_in(bot) if each.text == "I like tulips")
        await erase(bot.desk.memory, ada)
        assert answers_in(bot) == []  # one session's answers have one key


def messages_in(bot: DnamBot) -> list[Message]:
    with bot.desk.memory.engine.reading() as rows:
        return [found.row.message for found in rows.scan(MESSAGES)]


def answers_in(bot: DnamBot) -> list[Record]:
    """The answers, in the order in which they were recorded."""
    engine = bot.desk.memory.engine
    records = map(engine.live.folding.record_at, range(1, engine.head().size + 1))
    return [each for each in records if each is not None and isinstance(each.event, TurnAnswered)]


def differences(bot: DnamBot) -> list[str]:
    """In what the prompts of the answers differ from what is made again from the rows of then."""
    memory = bot.desk.memory
    made = (
        prompt_of(memory.engine, each.seq, each.event, memory.vocabulary)
        for each in answers_in(bot)
        if isinstance(each.event, TurnAnswered)
    )
    return [why for each in made for why in each.differs]


async def test_who_is_on_no_list_costs_nothing_by_what_they_write_a_bot_that_learns_what_it_hears(
    tmp_path: Path,
) -> None:
    """In a server it learns from everybody all the same."""
    model = ScriptedModel()
    every = {"learn": "heard", "durable_every_n_turns": "1", "respond_mode": "none"}
    async with garden() as (world, here):
        stranger = world.person("Eve")
        lists = {"allow_users": str(here.kim.id), "allow_guilds": str(here.guild.id)}
        async with bot_in(world, tmp_path, model, told=every | lists) as bot:
            for number in range(3):
                await stranger.says(stranger.dm, f"I love spam, says {number}")
                await idle(world, bot)
            eve = await bot.desk.memory.person(str(stranger.id), platform="discord")
            await bot.desk.assistant.extract(eve)
            assert [each.purpose for each in model.asks] == []
            await here.kim.says(here.general, "I grow pumpkins")
            await idle(world, bot)
            assert [each.purpose for each in model.asks] == ["extraction"]
