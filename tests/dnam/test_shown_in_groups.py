"""`dnam show` and `!memory show` in groups: People, Community, Owner Private, each with how much there is of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from dnam.assistant import Assistant
from dnam.commands.command import Invocation
from dnam.commands.table import read, run
from dnam.memory import Memory
from projections.decisions.draft import Draft
from projections.decisions.place import PlaceSeen
from projections.events import ItemRemembered
from projections.events.values import OPERATOR, Item, Source
from projections.ids import NOBODY, EventId, Ref
from tests.dnam.cli.memories import dnam, make
from tests.dnam.scripted import ScriptedModel, talking
from tests.hanging import HANGS
from tests.world import NOW, handle

GUILD = Ref("discord", "9")
GENERAL = PlaceSeen("discord", "1", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
STAFF = PlaceSeen("discord", "2", "channel", "staff", "channel", guild=GUILD, guild_name="Garden")
KIM = "618033988749894848"


async def put(memory: Memory, text: str, compartment: str) -> None:
    """Something that is nobody's."""
    item = Item(f"durable-{handle(text).hex()[:8]}", NOBODY, compartment, "fact", text, NOW, NOW, Source("manual"))
    event = ItemRemembered(said=NOW, by=OPERATOR, item=item)
    await memory.record(lambda _: [Draft(EventId(handle(text)), event)])


async def fill(memory: Memory) -> None:
    """Kim spoke in general and staff; there is lore of both, of another guild, and something for the owner."""
    for place in (GENERAL, STAFF):
        await memory.heard(KIM, "hello", name="Kim", platform="discord", place=place)
    await memory.heard("271828182845904523", "hello", name="Ada", platform="discord")
    await memory.remember(KIM, "Likes tea", platform="discord")
    for text, compartment in (
        ("The gate is green.", "guild/discord:9"), ("The key hangs inside.", "channel/discord:2"),
        ("The quay is wet.", "guild/discord:8"), ("The bill is due.", "owner"), ("I am polite.", "self"),
    ):  # fmt: skip
        await put(memory, text, compartment)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once; looking changes nothing."""
    folder = tmp_path_factory.mktemp("groups") / "data"
    make(folder, fill)
    return folder


def lines(out: str) -> list[str]:
    """What is printed, without what the tables say of each item."""
    known = ("Likes tea", "The gate is green.", "The key hangs inside.", "The bill is due.", "I am polite.")
    found = ((next((text for text in known if text in line), ""), line) for line in out.splitlines() if line)
    return [text or line for text, line in found if text or not line.startswith("id ")]


def test_what_everybody_may_know_where_they_spoke_is_the_community(data: Path) -> None:
    assert lines(dnam("show", "Kim", "--data", data).out) == [
        f"Kim (discord:{KIM})",
        "People (1)", "in direct messages:", "Likes tea",
        "Community (3)", "in channel staff:", "The key hangs inside.", "in guild Garden:", "The gate is green.",
        "everywhere, about the assistant itself:", "I am polite.",
    ]  # fmt: skip


def test_the_owner_has_a_group_of_their_own(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_OWNER_IDS", KIM)
    assert lines(dnam("show", "Kim", "--data", data).out)[-3:] == [
        "Owner Private (1)", "for the owner:", "The bill is due."
    ]  # fmt: skip
    shown = dnam("show", "Kim", "--json", "--data", data).value
    assert shown["counts"] == {"People": 1, "Community": 3, "Owner Private": 1}
    assert [each["text"] for each in shown["owner_private"]] == ["The bill is due."]
    assert {each["text"] for each in shown["community"]} == {
        "The gate is green.", "The key hangs inside.", "I am polite.",
    }  # fmt: skip


def test_a_group_that_is_empty_says_so_and_there_is_none_where_they_never_were(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_OWNER_IDS", "271828182845904523")
    assert lines(dnam("show", "Ada", "--data", data).out) == [
        "Ada (discord:271828182845904523)", "People (0)",
        "Community (1)", "everywhere, about the assistant itself:", "I am polite.",
        "Owner Private (1)", "for the owner:", "The bill is due.",
    ]  # fmt: skip
    monkeypatch.setenv("DNAM_OWNER_IDS", "")
    ran = dnam("show", "Ada", "--data", data)
    assert lines(ran.out) == [
        "Ada (discord:271828182845904523)", "People (0)",
        "Community (1)", "everywhere, about the assistant itself:", "I am polite.",
    ]  # fmt: skip
    assert "nothing is remembered of Ada yet" in ran.err


def test_the_shell_opens_to_this_machine_s_own_what_the_chat_does_and_no_more_to_others(tmp_path: Path) -> None:
    data, asked = tmp_path / "data", "what is due?"
    make(data, fill)
    chat = ("chat", "--as", "bob", "--data", str(data))
    told = subprocess.run(
        [sys.executable, "-m", "dnam", *chat],
        input="!memory show\n",
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=True,
    ).stdout
    assert "The bill is due." in told
    assert "I am polite." in told
    assert "The bill is due." in dnam("prompt", "bob", asked, "--data", data).out
    assert "The bill is due." in dnam("search", asked, "--user", "bob", "--data", data).out
    assert lines(dnam("show", "bob", "--data", data).out)[-6:] == [
        "Community (1)", "everywhere, about the assistant itself:", "I am polite.",
        "Owner Private (1)", "for the owner:", "The bill is due.",
    ]  # fmt: skip
    assert "The bill is due." not in dnam("prompt", "bob", asked, "--in", "general", "--data", data).out
    assert "The bill is due." not in dnam("prompt", "Kim", asked, "--data", data).out
    assert "The bill is due." not in dnam("show", "Kim", "--data", data).out


async def shown(assistant: Assistant, place: PlaceSeen | None = None, *besides: str) -> str:
    heard = await assistant.memory.heard(KIM, "hello", name="Kim", platform="discord", place=place)
    call = read("!memory show")
    assert call is not None
    setting = heard.setting._replace(besides=besides)
    return (await run(assistant, Invocation(setting, heard.session), call)).text


async def test_in_discord_what_the_place_opens_stands_in_groups(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel()) as assistant:
        await fill(assistant.memory)
        own = [line.split(" (src")[0] for line in (await shown(assistant, None, "owner")).split("\n")]
        assert own[1:7] == [
            "**People** (1)", "- [fact] Likes tea",
            "**Community** (1)", "- [fact] I am polite.",
            "**Owner Private** (1)", "- [fact] The bill is due.",
        ]  # fmt: skip
        there = [line.split(" (src")[0] for line in (await shown(assistant, GENERAL)).split("\n")]
        assert there[1] == "**Community** (2)"
        assert set(there[2:4]) == {"- [fact] I am polite.", "- [fact] The gate is green."}
        assert not any("People" in line or "Owner Private" in line for line in there)
