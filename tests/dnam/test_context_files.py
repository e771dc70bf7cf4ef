"""Context files: which are listed, in which order, and that nobody reaches a file by a channel's name."""

import hashlib
from pathlib import Path

import pytest

from dnam.context_files import CORE, channel_files, channel_names, context_files, shipped
from projections.decisions.place import PlaceSeen
from projections.events import PlaceDescribed, TurnAnswered
from projections.events.heard import PlaceKind
from projections.events.values import PLATFORM, Audience
from projections.ids import Ref
from replay.errors import DamagedViews
from tests.dnam.discord.stage import bot_in, events, idle, shown
from tests.dnam.discord.stage import garden as discord_garden
from tests.dnam.scripted import ScriptedModel, talking
from tests.dnam.test_loops import recorded
from tests.loopback.discord import ChannelKind
from tests.world import NOW, World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base").mkdir()
    (tmp_path / "channels").mkdir()
    return tmp_path


def write(folder: Path, **texts: str) -> None:
    for path, text in texts.items():
        file = folder / f"{path.replace('__', '/')}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")


def paths(folder: Path | None, *channel: str) -> list[str]:
    return [each.path for each in context_files(folder, *channel)]


def test_the_shipped_core_holds_the_memory_section() -> None:
    (core,) = context_files(None, "general")
    assert core == shipped()
    assert core.path == CORE
    assert core.text.startswith("## Memory\n")
    said = " ".join(core.text.split())
    for rule in (
        "compressed summary of what was said here earlier",
        'prefer "Recent conversation" where they conflict',
        "recent messages are exact, the summary is lossy",
        "Do not refer to the memory system unprompted",
        "long-term facts about the person",
        "Trust these entries: they persist across channels and sessions",
        "acknowledge the correction",
        "cite specific entries",
    ):
        assert rule in said


def test_base_files_in_the_order_of_their_names_and_then_the_channel_s(folder: Path) -> None:
    write(folder, base__core="own", base__who="kind", base__a="first", channels__general="tea only")
    (folder / "base" / "notes.txt").write_text("not one", encoding="utf-8")
    assert paths(folder, "general") == ["/base/a.md", CORE, "/base/who.md", "/channels/general.md"]
    assert paths(folder, "other") == ["/base/a.md", CORE, "/base/who.md"]
    found = {each.path: each for each in context_files(folder)}
    assert found[CORE].text == "own"
    assert found[CORE].digest.digest == hashlib.sha256(b"own").digest()


def test_without_a_core_of_one_s_own_the_shipped_one_stands_first(folder: Path) -> None:
    write(folder, base__a="first")
    assert context_files(folder) == (shipped(), *context_files(folder)[1:])
    assert paths(folder) == [CORE, "/base/a.md"]


def test_the_nearest_name_that_has_a_file_counts(folder: Path) -> None:
    write(folder, channels__1="by id", channels__general="by name")
    assert paths(folder, "1", "general")[-1] == "/channels/1.md"
    assert paths(folder, "2", "general")[-1] == "/channels/general.md"


@pytest.mark.parametrize("name", ["", "..", "../base/who", "/etc/passwd", "x/general", "channels/../general"])
def test_a_name_is_no_path(folder: Path, name: str) -> None:
    write(folder, base__who="kind", channels__general="tea")
    assert paths(folder, name) == [CORE, "/base/who.md"]


def test_a_folder_is_none_and_a_mark_before_a_text_does_not_belong_to_it(folder: Path) -> None:
    (folder / "base" / "old.md").mkdir()
    (folder / "base" / "who.md").write_bytes(b"\xef\xbb\xbfkind")
    assert [(each.path, each.text) for each in context_files(folder)][1:] == [("/base/who.md", "kind")]


def test_what_cannot_be_read_is_an_error(folder: Path) -> None:
    (folder / "base" / "who.md").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        context_files(folder)


def test_what_begins_with_a_dot_is_none(folder: Path) -> None:
    """An editor's lock is a link that leads nowhere, and what a system notes beside a file is no text."""
    write(folder, base__who="kind", channels__general="tea only")
    write(folder, **{"base__.draft": "not yet", "channels__.general": "not yet", "channels__.git__x": "x"})
    for each in (folder / "base", folder / "channels"):
        (each / ".#who.md").symlink_to("kim@garden.1234:1700000000")
        (each / "._who.md").write_bytes(b"\x00\x05\x16\x07\xb0\xff")
        (each / ".md").write_text("no name", encoding="utf-8")
    assert paths(folder, ".general", ".git/x", "", "general") == [CORE, "/base/who.md", "/channels/general.md"]
    assert [each.path for each in channel_files(folder)] == ["/channels/general.md"]


def test_the_files_of_all_channels(folder: Path) -> None:
    assert channel_files(folder) == channel_files(folder / "nowhere") == ()
    (folder / "channels" / "7" / "deeper").mkdir(parents=True)
    (folder / "channels" / "old.md").mkdir()
    write(folder, channels__general="tea", channels__7__staff="by server", channels__7__deeper__no="none")
    assert [each.path for each in channel_files(folder)] == ["/channels/general.md", "/channels/7/staff.md"]


@pytest.mark.parametrize("where", ["base", "channels"])
def test_a_file_of_which_nothing_can_be_read_is_an_error_that_names_it(folder: Path, where: str) -> None:
    (folder / where / "general.md").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError, match=f"{where}/general.md is not UTF-8$"):
        context_files(folder, "general")
    (folder / where / "general.md").unlink()
    (folder / where / "general.md").symlink_to("nowhere")
    with pytest.raises(FileNotFoundError, match=f"{where}/general.md"):
        context_files(folder, "general")


GARDEN = Ref("discord", "7")


def describe(
    world: World, key: str, kind: PlaceKind, name: str, parent: Ref | None = None, guild: Ref | None = GARDEN
) -> Ref:
    place = Ref("discord", key)
    world.add(PlaceDescribed(
        said=NOW, by=PLATFORM, place=place, kind=kind, name=name, session="", audience=Audience("guild", place),
        guild=guild, parent=parent,
    ))  # fmt: skip
    return place


def test_a_thread_goes_by_its_channel_s_names_and_not_by_its_own() -> None:
    world = World()
    general = describe(world, "1", "channel", "general")
    thread = describe(world, "2", "thread", "staff", general)
    assert channel_names(world.rows, thread, ["7"]) == ("2", "1", "7/general", "general")
    assert channel_names(world.rows, general, ["7"]) == ("1", "7/general", "general")
    assert channel_names(world.rows, describe(world, "3", "thread", "staff", Ref("discord", "4")), ["7"]) == ("3", "4")
    assert channel_names(world.rows, describe(world, "6", "thread", "staff"), ["7"]) == ("6",)
    assert channel_names(world.rows, describe(world, "dm:00", "direct", "", None, None), ["7"]) == ()
    assert channel_names(world.rows, Ref("discord", "5"), ["7"]) == ()


@pytest.mark.parametrize("guilds", [[], ["8"], ["7", "8"]])
def test_a_name_alone_counts_in_the_one_server_that_is_answered(guilds: list[str]) -> None:
    world = World()
    assert channel_names(world.rows, describe(world, "1", "channel", "staff"), guilds) == ("1", "7/staff")


@pytest.mark.parametrize(
    ("kind", "name", "guild"),
    [("voice", "staff", GARDEN), ("unknown", "staff", GARDEN), ("channel", "staff", None), ("channel", "", GARDEN),
     ("channel", "8/staff", GARDEN)],
)  # fmt: skip
def test_a_name_that_anybody_may_have_given_does_not_count(kind: PlaceKind, name: str, guild: Ref | None) -> None:
    world = World()
    assert channel_names(world.rows, describe(world, "1", kind, name, None, guild), ["7"]) == ("1",)


def test_a_file_may_lie_in_its_server_s_folder(folder: Path) -> None:
    (folder / "channels" / "7").mkdir()
    write(folder, channels__7__staff="by server", channels__staff="by name")
    assert paths(folder, "1", "7/staff", "staff")[-1] == "/channels/7/staff.md"
    assert paths(folder, "1", "8/staff")[-1] == CORE


@pytest.mark.parametrize("begins", ["thread", "channel in another server"])
async def test_whoever_names_a_place_reaches_no_file_of_another(folder: Path, tmp_path: Path, begins: str) -> None:
    write(folder, channels__staff="The password is swordfish.")
    async with discord_garden() as (world, here):
        other = world.guild("Other", here.kim)
        guilds = str(here.guild.id)
        async with bot_in(world, tmp_path / "data", context_dir=str(folder), allow_guilds=guilds) as bot:
            if begins == "thread":
                place = await here.kim.begins_thread(here.general, "staff")
            else:
                place = other.channel("staff")
            await here.kim.says(place, "tell me", mention=world.bot)
            await here.kim.says(here.guild.channel("staff"), "tell me", mention=world.bot)
            await idle(world, bot)
            model = bot.desk.assistant.model
            assert isinstance(model, ScriptedModel)
            assert sorted("swordfish" in each.system for each in model.asked("answer")) == [False, True]
            assert len(shown(world, place)) == 1
            turns = events(bot, TurnAnswered)
            assert sorted(each.files[-1].path for each in turns) == [CORE, "/channels/staff.md"]


@pytest.mark.parametrize("kind", [ChannelKind.FORUM, ChannelKind.TEXT])
async def test_the_file_of_a_forum_or_channel_opens_in_its_first_thread(
    folder: Path, tmp_path: Path, kind: ChannelKind
) -> None:
    write(folder, channels__questions="One answer each.", channels__riddles="Never tell.")
    async with discord_garden() as (world, here):
        guilds = str(here.guild.id)
        async with bot_in(world, tmp_path / "data", context_dir=str(folder), allow_guilds=guilds) as bot:
            above = here.guild.channel("questions", kind)
            model = bot.desk.assistant.model
            assert isinstance(model, ScriptedModel)
            posts = [await here.kim.begins_thread(above, begun) for begun in ("roses", "tulips")]
            for post in posts:
                await here.kim.says(post, "which ones?", mention=world.bot)
                await idle(world, bot)
                assert "One answer each." in model.asked("answer")[-1].system
            above.name = "riddles"
            world.state.changed_channel(above)
            for asked in ("and now?", "and then?"):
                await here.kim.says(posts[0], asked, mention=world.bot)
            await idle(world, bot)
            assert "Never tell." in model.asked("answer")[-1].system
            described = events(bot, PlaceDescribed)
            assert [each.name for each in described if each.place.key == str(above.id)] == ["questions", "riddles"]


async def test_their_text_is_system_text_and_the_turn_keeps_their_digests(folder: Path, tmp_path: Path) -> None:
    write(folder, base__who="You are kind.")
    model = ScriptedModel()
    async with talking(tmp_path / "data", model, context_dir=str(folder)) as assistant:
        await assistant.answer(await assistant.memory.heard("100", "hello"))
        (turn,) = recorded(assistant, TurnAnswered)
    (ask,) = model.asked("answer")
    assert "--- /base/who.md ---\nYou are kind." in ask.system
    assert ask.system.index("## Memory") < ask.system.index("You are kind.")
    assert "You are kind." not in ask.prompt
    assert ask.prompt.startswith("Context files (read with Read tool before responding, in order):\n- /base/core.md\n")
    assert isinstance(turn, TurnAnswered)
    assert [each.path for each in turn.files] == [CORE, "/base/who.md"]
    assert turn.files[1].digest == hashlib.sha256(b"You are kind.").digest()


QUIZ = PlaceSeen("discord", "77", "channel", "quiz", "guild", guild=Ref("discord", "5"))


@pytest.mark.parametrize(("place", "is_there"), [(QUIZ, True), (None, False)], ids=["channel", "direct"])
async def test_while_nothing_can_be_read_a_channel_s_rules_hold_by_its_id(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: PlaceSeen | None, is_there: bool
) -> None:
    model = ScriptedModel()
    async with talking(tmp_path / "data", model, context_dir=str(folder)) as assistant:
        heard = await assistant.memory.heard("100", "hello", platform="discord", place=place)
        write(folder, base__who="You are kind.", **{f"channels__{heard.place.key}": "Never tell the answer."})

        def unreadable() -> None:
            raise DamagedViews("the views are damaged")

        with monkeypatch.context() as patch:
            patch.setattr(assistant.memory.engine, "reading", unreadable)
            await assistant.think(heard)
    system = model.asked("answer")[-1].system
    assert ("Never tell the answer." in system, "You are kind." in system) == (is_there, True)
