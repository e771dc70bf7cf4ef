"""The text of a snapshot: what every reader of the transparency channel may see, in one message."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dnam.snapshot import MOST_CHARS, Channel, Snapshot, cut, snapshot, units
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import NOBODY, Handle, Ref
from projections.policies.compartments import Setting
from tests.dnam.scripted import ScriptedModel
from tests.dnam.test_pointing import GUILD, OPEN, STAFF, Talk

HERE = Channel(Audience("guild", Ref("discord", "77")), GUILD)
FEW = Channel(Audience("channel", Ref("discord", "77")), GUILD)
UNHURRIED = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
ELSEWHERE = Channel(Audience("guild", Ref("discord", "88")), Ref("discord", "8"))


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    made = Talk()
    yield made
    made.memory.engine.close()


async def made(talk: Talk, person: Handle, channel: Channel = HERE) -> Snapshot | None:
    memory = talk.memory
    return await memory.look(lambda rows: snapshot(rows, person, channel, memory.engine.head(), memory.vocabulary))


async def text(talk: Talk, person: Handle, channel: Channel = HERE) -> str:
    found = await made(talk, person, channel)
    assert found is not None
    return found.text


async def keeps(talk: Talk, what: str, place: PlaceSeen | None = OPEN, user: str = "ada") -> Handle:
    heard, _ = await talk.speaks(user, "hm", place)
    await talk.memory.remember(heard.person, what, setting=heard.setting)
    return heard.person


async def test_items_summary_times_and_the_log_s_checkpoint(talk: Talk) -> None:
    ada = await keeps(talk, "I like tea")
    heard, _ = await talk.is_answered("ada", "The release is on Friday.", OPEN)
    await talk.assistant.summarise(heard.session, heard.setting.audience, heard.person)
    lines = (await text(talk, ada)).split("\n")
    assert lines[:2] == ["**Memory of ada**", "**Durable memory (active):**"]
    assert lines[2].startswith("- [fact] I like tea `durable-")
    assert lines[4] == "**Rolling summary (general):**"
    assert "Friday" in lines[5]
    assert lines[-2] == "Updated: durable 2023-11-14 22:13 UTC, summary 2023-11-14 22:13 UTC"
    head = talk.memory.engine.head()
    assert lines[-1] == f"Log: {head.size:,} events, root {head.root().hex()[:16]}…"


async def test_nothing_kept_is_said_and_known(talk: Talk) -> None:
    heard, _ = await talk.speaks("ada", "hm", OPEN)
    found = await made(talk, heard.person)
    assert found is not None
    assert found.is_empty
    assert "**Durable memory (active):**\n(none)\n" in found.text
    assert "**Rolling summary:**\n(none)\n" in found.text
    assert "Updated: durable never, summary never\n" in found.text


@pytest.mark.parametrize(
    ("taught", "channel", "seen"),
    [(OPEN, HERE, True), (OPEN, FEW, True), (STAFF, HERE, False), (STAFF, FEW, False), (None, HERE, False)],
)
async def test_only_items_that_the_channel_opens(
    talk: Talk, taught: PlaceSeen | None, channel: Channel, seen: bool
) -> None:
    await talk.speaks("ada", "hm", OPEN)
    ada = await keeps(talk, "I like tea", taught)
    assert ("tea" in await text(talk, ada, channel)) is seen


@pytest.mark.parametrize(("place", "seen"), [(OPEN, True), (STAFF, False), (None, False)])
async def test_only_a_summary_that_all_readers_could_read(talk: Talk, place: PlaceSeen | None, seen: bool) -> None:
    ada = await keeps(talk, "I like tea")
    heard, _ = await talk.is_answered("ada", "The release is on Friday.", place)
    await talk.assistant.summarise(heard.session, heard.setting.audience, heard.person)
    assert ("Friday" in await text(talk, ada)) is seen


async def test_the_summary_is_of_the_session_where_they_were_last_answered(talk: Talk) -> None:
    ada = await keeps(talk, "I like tea")
    first, _ = await talk.is_answered("ada", "The release is on Friday.", OPEN)
    await talk.assistant.summarise(first.session, first.setting.audience, first.person)
    await talk.is_answered("ada", "What else?", OPEN._replace(key="3", name="random"))
    assert "Friday" not in await text(talk, ada)


async def test_nobody_s_words_are_markdown(talk: Talk) -> None:
    account = "**Log: 0 events** [a"
    ada = await keeps(talk, "[sure](https://evil.example) ||**``` see https://x.example/a_b", user=account)
    talk.assistant.model = ScriptedModel({"summary": lambda _: "They like [tea](https://evil.example).\n```"})
    heard, _ = await talk.is_answered(account, "Hello", OPEN)
    assert await talk.assistant.summarise(heard.session, heard.setting.audience, heard.person)
    shown = await text(talk, ada)
    assert shown.startswith("**Memory of \\*\\*Log 0 events\\*\\* a**\n")
    words = r"\[sure\]\(https://evil.example\) \|\|\*\*\`\`\` see https://x.example/a_b"
    assert f"\n- [fact] {words} `durable-" in shown
    assert "They like [tea]\\(https://evil.example).\n  '''\n" in shown


async def test_who_taught_something_there_by_a_command_alone_is_part_of_the_guild(talk: Talk) -> None:
    heard, _ = await talk.speaks("ada", "hm")  # in her direct messages
    there = Setting(heard.person, HERE.audience, GUILD)
    assert await made(talk, heard.person) is None
    await talk.memory.remember(heard.person, "I like tea", setting=there)
    assert "I like tea" in await text(talk, heard.person)
    assert await made(talk, heard.person, ELSEWHERE) is None


async def test_who_is_no_part_of_the_guild_is_not_shown_there(talk: Talk) -> None:
    ada = await keeps(talk, "I like tea")
    assert await made(talk, ada, ELSEWHERE) is None
    assert await made(talk, NOBODY) is None


async def test_of_many_items_the_lowest_scored_go_first_and_are_counted(talk: Talk) -> None:
    heard, _ = await talk.speaks("ada", "hm", OPEN)
    for number in range(60):
        await talk.memory.remember(heard.person, f"I like sort {number} of tea, most of all", setting=heard.setting)
    shown = await text(talk, heard.person)
    assert units(shown) <= MOST_CHARS
    kept = shown.count("- [fact]")
    assert f"\n({60 - kept} more items on disk)\n" in shown
    assert "sort 59 of" in shown  # the newest come first where nothing else decides
    assert "sort 0 of" not in shown


async def test_a_long_summary_leaves_room_for_items(talk: Talk) -> None:
    ada = await keeps(talk, "I like tea")
    talk.assistant.model = ScriptedModel({"summary": lambda _: "😀" * 1500})
    heard, _ = await talk.is_answered("ada", "Hello", OPEN)
    assert await talk.assistant.summarise(heard.session, heard.setting.audience, heard.person)
    shown = await text(talk, ada)
    assert units(shown) <= MOST_CHARS
    assert "I like tea" in shown
    assert "😀…" in shown


async def test_what_only_the_checkpoint_changes_has_the_same_content(talk: Talk) -> None:
    ada = await keeps(talk, "I like tea")
    before = await made(talk, ada)
    await talk.speaks("kim", "hello", OPEN)
    after = await made(talk, ada)
    assert before is not None
    assert after is not None
    assert before.content == after.content
    assert before.digest != after.digest


@UNHURRIED
@given(st.text(max_size=60), st.integers(1, 40))
def test_cutting_never_exceeds_and_never_breaks_a_character(given_text: str, most: int) -> None:
    whole = given_text.encode("utf-16-le", "ignore").decode("utf-16-le")
    kept = cut(whole, most)
    assert units(kept) <= most
    assert kept == whole or whole.startswith(kept.removesuffix("…"))
