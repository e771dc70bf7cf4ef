"""`!memory search`: what is kept and what was said, where it is asked and nowhere else, with links and reasons."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dnam.commands.command import Invocation
from dnam.commands.search import MENTIONS, MOST, NO_DAY, NOTHING
from dnam.commands.table import read, run
from dnam.marking import MOST_CHARS
from projections.decisions.place import PlaceSeen
from projections.ids import Ref
from tests.dnam.discord.ui.stage import scene_in
from tests.dnam.test_commands import CLOSED, OPEN, World

GUILD = Ref("discord", "9")
LINKED = PlaceSeen("discord", "7", "channel", "garden", "guild", guild=GUILD, guild_name="Garden")


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World(DNAM_TIMEZONE="UTC")
    yield made
    made.memory.engine.close()


async def hears(world: World, user: str, text: str, place: PlaceSeen | None = None) -> None:
    await world.memory.heard(user, text, place=place)


async def test_what_was_said_is_found_beside_what_is_kept(world: World) -> None:
    await world.remembers("ada", "I grow green tea", OPEN)
    await hears(world, "kim", "we are out of tea", OPEN)
    text = await world.asks("ada", "!memory search Teas", OPEN)
    lines = text.splitlines()
    assert lines[0] == "**Found:** 1"
    assert re.fullmatch(r"- \[fact\] I grow green tea `durable-[0-9a-f]{8}`", lines[1])
    assert lines[2] == "**Said:** 1"
    assert re.fullmatch(r'- kim in general, 2023-11-14 22:13\+00:00: "we are out of tea"', lines[3])


async def test_a_mention_is_refused_with_what_to_write_instead(world: World) -> None:
    """In what is said a mention stands as a name, and an id is found nowhere."""
    await hears(world, "kim", "we are out of tea", OPEN)
    for words in ("<@123456789>", "tea <@!123456789>", "<@&123456789>"):
        assert MENTIONS[1:] in await world.asks("ada", f"!memory search {words}", OPEN)


async def test_of_the_people_in_the_room_is_found_what_all_there_may_know(world: World) -> None:
    """As the prompt has it: without an id, since nobody else changes it, and with nothing of direct messages."""
    await hears(world, "kim", "hello", OPEN)
    await world.remembers("kim", "I play the oboe", OPEN)
    await world.remembers("kim", "I hide an oboe")
    await world.remembers("ada", "I sold an oboe", OPEN)
    call = read("!memory search oboe --explain")
    assert call is not None
    for place, names in ((OPEN, {"ada", "kim"}), (CLOSED, {"ada"})):
        heard = await world.memory.heard("ada", "who has one?", place=place)
        reply = await run(world.assistant, Invocation(heard.setting, heard.session), call)
        lines = [line for line in reply.text.splitlines() if line.startswith("- ")]
        of_kim = [line for line in lines if line.startswith("- kim: [fact] I play the oboe (")]
        assert len(of_kim) == ("kim" in names)
        assert len(lines) == len(names)
        assert [item.text for item in reply.items] == ["I sold an oboe"]


async def test_links_lead_to_what_was_said(world: World) -> None:
    said = world.memory.now()
    await world.memory.heard("100", "tea for all", name="Kim", platform="discord", place=LINKED, key="8", said=said)
    heard = await world.memory.heard(
        "100", "hello", name="Kim", platform="discord", place=LINKED, key="9", said=said + 1
    )
    call = read("!memory search tea")
    assert call is not None
    reply = await run(world.assistant, Invocation(heard.setting, heard.session), call)
    assert reply.text.endswith('"tea for all" https://discord.com/channels/9/7/8')


async def test_reasons_are_told_when_they_are_asked_for(world: World) -> None:
    await world.remembers("ada", "I grow green tea", OPEN)
    await hears(world, "kim", "we are out of tea", OPEN)
    plain = await world.asks("ada", "!memory search tea", OPEN)
    for words in ("tea --explain", "--explain tea"):
        explained = (await world.asks("ada", f"!memory search {words}", OPEN)).splitlines()
        assert [re.sub(r" \([^()]*\)$", "", line) for line in explained] == plain.splitlines()
        assert re.search(r" \(updated within seven days 1\.0; the item says so: tea \d\.\d\)$", explained[1])
        assert re.search(r"\(.*it says so itself: tea \d\.\d.*\)$", explained[3])


async def test_what_is_closed_there_is_not_found(world: World) -> None:
    await hears(world, "kim", "the gate code is green", CLOSED)
    await hears(world, "ada", "my own green secret")
    await hears(world, "kim", "kim's own green secret")
    for user, place, found in (("ada", OPEN, None), ("ada", CLOSED, "gate code"), ("ada", None, "my own")):
        text = await world.asks(user, "!memory search green", place)
        assert (text == NOTHING) == (found is None)
        assert text.count("\n- ") + text.startswith("- ") == (found is not None)
        assert (found or "") in text


async def test_of_a_day_on_which_nothing_was_said_that_is_told(world: World) -> None:
    await hears(world, "kim", "we are out of tea", OPEN)
    assert await world.asks("ada", "!memory search what was said on 3 May 2020", OPEN) == f"{NO_DAY}."
    told = await world.asks("ada", "!memory search tea on 3 May 2020", OPEN)
    assert '"we are out of tea"' in told
    assert told.endswith(f"\n{NO_DAY}: what is listed was said on others.")


async def test_a_day_of_which_only_others_are_listed_is_not_missed(world: World) -> None:
    """What was said on it is found, and stands behind what is listed."""
    for number, text in enumerate((*("something else",) * 40, "the harp concert in Lodz")):
        said = world.memory.now() - (41 - number) * 7 * 3_600_000
        await world.memory.heard("kim", text, place=OPEN, said=said)
    told = await world.asks("ada", "!memory search harp concert Lodz, 9 November 2023 --limit 1", OPEN)
    assert "the harp concert" in told
    assert "2023-11-14" in told
    assert NO_DAY not in told


async def test_what_is_only_new_is_no_hit(world: World) -> None:
    await world.remembers("ada", "I grow green tea", OPEN)
    assert await world.asks("ada", "!memory search zeppelin --all", OPEN) == NOTHING


async def test_nothing_and_no_words_are_said_to_be(world: World) -> None:
    assert await world.asks("ada", "!memory search zebra") == NOTHING
    assert await world.asks("ada", "!memory search ?!") == "Say what to look for: at least one word, number or emoji."
    assert (await world.reply("ada", "!memory search --explain")).failed


async def test_no_more_than_the_best_are_listed_and_long_ones_are_cut(world: World) -> None:
    for number in range(MOST + 2):
        await hears(world, "kim", f"tea number {number} {'and so on ' * 60}", OPEN)
    lines = (await world.asks("ada", "!memory search tea", OPEN)).splitlines()
    assert lines[0] == f"**Said:** {MOST}"
    assert lines[-1] == f"Of what was said no more than the best {MOST} are listed."
    quoted = [line.partition('"')[2].rpartition('"')[0] for line in lines[1:-1]]
    assert {MOST_CHARS - len(each) in (-1, 0) for each in quoted} == {True}
    assert all(each.endswith("…") for each in quoted)
    await hears(world, "kim", f"{'and so on ' * 60}\nthe harp\n{'and so on ' * 60}", OPEN)
    (_, line) = (await world.asks("ada", "!memory search harp", OPEN)).splitlines()
    assert re.search(r': "….*and so on the harp and so.*…"', line)


async def test_as_many_are_listed_as_are_asked_for(world: World) -> None:
    for number in range(3):
        await world.remembers("ada", f"I grow tea of sort {number}", OPEN)
        await hears(world, "kim", f"tea number {number}", OPEN)
    lines = (await world.asks("ada", "!memory search --limit 2 tea", OPEN)).splitlines()
    assert (lines[0], lines[3], len(lines)) == ("**Found:** 2", "**Said:** 2", 7)
    assert lines[-1] == "Of what was said no more than the best 2 are listed."


async def test_a_limit_may_stand_behind_a_sign(world: World) -> None:
    for number in range(3):
        await hears(world, "kim", f"tea number {number}", OPEN)
    assert (await world.asks("ada", "!memory search tea --LIMIT=2", OPEN)).startswith("**Said:** 2\n")
    assert (await world.reply("ada", "!memory search tea --limit=x", OPEN)).failed


@pytest.mark.parametrize("limit", ["0", "-1", "x", "101", "²", ""])
async def test_a_limit_is_a_number_that_can_be_listed(world: World, limit: str) -> None:
    reply = await world.reply("ada", f"!memory search tea --limit {limit}", OPEN)
    assert reply.failed
    assert reply.text == "`--limit` needs a whole number from 1 to 100: how many of each are listed."


async def test_what_stands_beside_a_word_is_listed_where_it_is_asked_for(world: World) -> None:
    await hears(world, "kim", "the tea", OPEN)
    await hears(world, "kim", "is finished", OPEN)
    assert "is finished" not in await world.asks("ada", "!memory search tea", OPEN)
    assert "is finished" in await world.asks("ada", "!memory search tea --ALL", OPEN)


@pytest.mark.parametrize(
    "option", ["--at yesterday", "--said=2026-01-01", "--by kim", "--explian", "--json", "--all=1"]
)
async def test_what_is_no_option_there_is_said_to_be_none(world: World, option: str) -> None:
    await hears(world, "kim", "tea by kim, yesterday", OPEN)
    reply = await world.reply("ada", f"!memory search tea {option}", OPEN)
    assert reply.failed
    assert reply.text.startswith(f"`!memory search` has no option `{re.split('[ =]', option)[0]}`")
    assert "`--explain` (why each was found), `--limit N` (how many are listed, up to 100) and `--all`" in reply.text
    assert ("`!memory at <when>`" in reply.text) == option.startswith(("--at", "--said"))


async def test_a_word_that_is_written_like_an_option_is_looked_for_where_it_stands_first(world: World) -> None:
    await hears(world, "kim", "start it with --watch", OPEN)
    await hears(world, "kim", "I keep watch - - -", OPEN)
    assert "start it with --watch" in await world.asks("ada", "!memory search --watch", OPEN)
    assert "start it with --watch" in await world.asks("ada", "!memory search -- start", OPEN)


async def test_in_discord_nobody_else_sees_it_and_what_is_one_s_own_is_found_as_well(tmp_path: Path) -> None:
    async with scene_in(tmp_path, memory_commands_enabled="1") as scene:
        said = await scene.ada.says(scene.general, "we saw dolphins")
        await scene.kim.says(scene.kim.dm, "I fear dolphins")
        await scene.idle()
        found = await scene.replied(scene.kim.uses(scene.general, "/memory search words:dolphin"))
        assert found.only_for is scene.kim
        assert f"/{said.id}" in found.said.content
        assert "I fear dolphins" in found.said.content
        await scene.kim.says(scene.general, "!memory search dolphin")
        await scene.idle()
        public = [each.said.content for each in scene.world.bot_messages(scene.general) if each.only_for is None]
        assert "we saw dolphins" in public[-1]
        assert "I fear dolphins" not in public[-1]
