"""diff: what differs between two moments, of a person and of a session; 1 when something does."""

from pathlib import Path

import pytest
from freezegun import freeze_time

from dnam.assistant import Assistant
from dnam.memory import Memory
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import Ref
from tests.dnam.cli.memories import GENERAL, bytes_of, dnam, garden, make
from tests.dnam.scripted import ScriptedModel
from tests.world import NOW

LATER = "2023-11-15 12:00:00"
PERSON_FIELDS = "person name from to differences"
DIFFERENCE_FIELDS = "kind before after words why who seq"
SESSION_FIELDS = "key session from to words"
RAIN, TEA = "durable-04b7e47d", "durable-704a7957"


async def more(memory: Memory) -> None:
    """An item is edited, one forgotten, one comes back; the summary says something else."""
    kim = await memory.person("100", platform="discord")
    await memory.restore(kim, RAIN)
    await memory.edit(kim, TEA, "prefers oolong over coffee")
    await memory.forget(kim, "builds the bridge project")
    await memory.remember(kim, "has a kettle")
    await memory.heard("100", "and coffee?", platform="discord", place=GENERAL, key="m50", said=NOW + 800_000)
    assistant = Assistant(memory, ScriptedModel({"summary": lambda _: "They compared coffees.\nKim brings the pot."}))
    assert await assistant.summarise("discord:channel:1", Audience("guild", Ref("discord", "1")), kim)


@pytest.fixture(scope="session")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changed") / "data"
    make(folder, garden, more)
    return folder


@freeze_time(LATER)
def test_what_was_learned_changed_dropped_and_restored(changed: Path) -> None:
    before = bytes_of(changed)
    ran = dnam("diff", "Kim", "--from", "25", "--data", changed)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["learned:", "changed:", "dropped:", "restored:"]
    assert "[fact] {+has a kettle+}" in lines[1]
    assert lines[4] == f"  {TEA} [fact] prefers [-tea-] {{+oolong+}} over coffee"
    assert "in direct messages; asked by the person (Kim, #27)" in lines[5]
    assert "[fact] [-builds the bridge project-]" in lines[7]
    assert f"  {RAIN} [fact] {{+hates rain+}}" in lines
    assert ran.err.splitlines()[0] == "dnam: --from: as recorded up to #25, 2023-11-14 22:13+00:00"
    assert ran.err.splitlines()[1].startswith("dnam: --to: as recorded up to #")
    assert bytes_of(changed) == before


@freeze_time(LATER)
def test_as_json(changed: Path) -> None:
    ran = dnam("diff", "Kim", "--from", "25", "--to", "28", "--json", "--data", changed)
    assert (ran.code, " ".join(ran.value)) == (1, PERSON_FIELDS)
    assert (ran.value["from"]["seq"], ran.value["to"]["seq"], ran.value["to"]["clock"]) == (25, 28, "recorded")
    assert all(" ".join(each) == DIFFERENCE_FIELDS for each in ran.value["differences"])
    assert [each["kind"] for each in ran.value["differences"]] == ["changed", "dropped", "restored"]
    change = ran.value["differences"][0]
    assert (change["before"]["text"], change["after"]["text"]) == (
        "prefers tea over coffee", "prefers oolong over coffee"
    )  # fmt: skip
    assert [piece["fate"] for piece in change["words"]] == ["same", "removed", "added", "same"]
    assert (change["seq"], change["who"], change["why"]) == (27, "Kim", "asked by the person")


@freeze_time(LATER)
def test_nothing_differs_is_0(changed: Path) -> None:
    ran = dnam("diff", "Kim", "--from", "now", "--data", changed)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == "dnam: nothing that is remembered of Kim differs"
    value = dnam("diff", "Kim", "--from", "26", "--to", "26", "--json", "--data", changed).value
    assert value["differences"] == []
    ran = dnam("diff", "general", "--from", "25", "--to", "26", "--data", changed)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines()[-1] == "dnam: the summary of discord:channel:1 is the same"


@freeze_time(LATER)
def test_by_what_was_said(changed: Path) -> None:
    ran = dnam("diff", "Kim", "--from", "2023-11-14 22:13:20.000", "--said", "--json", "--data", changed)
    assert (ran.code, ran.value["from"]["clock"]) == (1, "said")
    assert {each["kind"] for each in ran.value["differences"]} == {"learned"}
    assert "dnam: --from: as said up to 2023-11-14 22:13+00:00" in ran.err
    ran = dnam("diff", "Kim", "--from", "25", "--said", "--data", changed)
    assert (ran.code, "--said goes by when things were said" in ran.err) == (2, True)


@freeze_time(LATER)
def test_the_words_of_a_summary_that_came_and_went(changed: Path) -> None:
    before = bytes_of(changed)
    ran = dnam("diff", "general", "--from", "25", "--data", changed)
    assert (ran.code, ran.out) == (1, "They compared [-teas-] {+coffees+}.\nKim brings the pot.\n")
    ran = dnam("diff", "#general", "--from", "20", "--to", "25", "--json", "--data", changed)
    assert (ran.code, " ".join(ran.value)) == (1, SESSION_FIELDS)
    assert [each["fate"] for each in ran.value["words"]] == ["added"]
    assert bytes_of(changed) == before


@freeze_time(LATER)
def test_a_name_that_is_a_person_s_and_a_session_s_wants_a_sign(changed: Path, tmp_path: Path) -> None:
    async def a_channel_called_kim(memory: Memory) -> None:
        place = PlaceSeen("discord", "77", "channel", "Kim", "channel")
        await memory.heard("200", "hello", platform="discord", place=place, key="m77", said=NOW)

    make(tmp_path / "d", garden, a_channel_called_kim)
    ran = dnam("diff", "Kim", "--from", "1", "--data", tmp_path / "d")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[-3:] == [
        "dnam: 'Kim' is a person and a session:", "  @Kim  the person", "  #Kim  the session"
    ]  # fmt: skip
    assert dnam("diff", "@Kim", "--from", "1", "--data", tmp_path / "d").code == 1
    assert dnam("diff", "#Kim", "--from", "1", "--data", tmp_path / "d").code == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("Kim",), "say from when: `--from WHEN`"),
        (("Zoe", "--from", "1"), "nobody and no session goes by 'Zoe'"),
        (("Sam", "--from", "1"), "'Sam' may be any of"),
        (("talk", "--from", "1"), "'talk' may be any of"),
        (("Kim", "--from", "20", "--to", "3"), "--from '20' is later than --to '3': turn them round"),
        (("Kim", "--from", "999"), "there is no event #999 yet"),
        (("Kim", "--from", "soon"), "'soon' is no moment"),
    ],
    ids=str,
)
def test_wrong_use_is_2(changed: Path, arguments: tuple[str, ...], what: str) -> None:
    ran = dnam("diff", *arguments, "--data", changed)
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.err


@freeze_time(LATER)
def test_moments_before_the_log_and_in_the_future_are_said_to_be(changed: Path) -> None:
    ran = dnam("diff", "Kim", "--from", "2001-01-01", "--to", "2099-01-01", "--data", changed)
    assert ran.code == 1
    assert "--from: nothing was recorded by then: the log begins at" in ran.err
    assert "--to: that is in the future" in ran.err


@pytest.mark.parametrize("who", ["Kim", "@Kim", "#general"])
def test_in_an_empty_folder_nobody_and_no_session_is_known(tmp_path: Path, who: str) -> None:
    for moments in (("--from", "1"), ("--from", "yesterday"), ("--from", "yesterday", "--said")):
        ran = dnam("diff", who, *moments, "--data", tmp_path / "none")
        assert (ran.code, ran.out) == (2, "")
        assert "nothing remembered here yet" in ran.err
        assert f"nobody and no session goes by '{who}'" in ran.err
