"""What runs had read that was edited or taken back since: it is noted with the shadow, and listed."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from dnam.rederiving import lost
from dnam.shadows.inputs import LessRead, heading, less_read
from dnam.shadows.manifest import Lost, Manifest, load, save
from replay.engine import Engine
from replay.reading import Reader
from tests.dnam.cli.memories import dnam
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.test_what_changes import delete_it
from tests.dnam.rederiving.village import Village, derive, reader


async def read_then_gone(there: Village) -> None:
    """Kim says three things, which are read and summed up; the first is deleted, and the second changed."""
    keys = [(await there.say("kim", f"I like {what}"), there.said) for what in ("tea", "rain", "snow")]
    await there.learn("kim")
    await there.summarise()
    await delete_it(there, *keys[0])
    await there.edit("kim", *keys[1], "I like hail")


def listed(path: Path, manifest: Manifest) -> tuple[LessRead, ...]:
    with Engine.open(path, writable=False) as live, live.reading() as rows:
        return less_read(rows, Reader(live.live), manifest)


@pytest.fixture
def gone(tmp_path: Path) -> Path:
    told(tmp_path, read_then_gone)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    return tmp_path


def test_each_run_is_listed_with_the_message_that_it_cannot_read_any_more(gone: Path) -> None:
    runs = listed(gone, load(gone, "next"))
    assert [(each.loop, each.name, each.key, each.more) for each in runs] == [
        ("extraction", "Kim", "", False),
        ("summary", "", "discord:channel:1", False),
    ]
    with Engine.open(gone, writable=False) as live:
        said = [seq for seq in range(1, live.head().size + 1) if Reader(live.live).tag_at(seq) == "message.heard"]
    assert [[each.seq for each in run.inputs] for run in runs] == [
        said[:2],
        said[:1],
    ]  # the summary lost its words with the first
    assert runs[0].words == f"#{runs[0].seq}  extraction of Kim, in guild Garden: without #{said[0]}, #{said[1]}"
    assert runs[1].words == f"#{runs[1].seq}  summary of discord:channel:1: without #{said[0]}"
    assert {each.state for run in runs for each in run.inputs} == {"redacted"}


def test_a_run_that_can_be_read_still_is_listed_by_what_it_says_itself(tmp_path: Path) -> None:
    async def nothing_came_of_it(there: Village) -> None:
        key, said = await there.say("kim", "nothing to note"), there.said
        await there.say("kim", "I like rain")
        await there.learn("kim")
        await delete_it(there, key, said)

    told(tmp_path, nothing_came_of_it)
    first = asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert [len(each.inputs) for each in first.lost] == [1]
    assert asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER)).lost == first.lost


def test_of_many_inputs_the_first_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def all_gone(there: Village) -> None:
        keys = [(await there.say("kim", f"I like {what}"), there.said) for what in ("tea", "rain", "snow")]
        await there.learn("kim")
        for each in keys[:2]:
            await delete_it(there, *each)

    monkeypatch.setattr(lost, "MOST_LOST", 0)
    told(tmp_path, all_gone)
    manifest = asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert [(each.inputs, each.is_more) for each in manifest.lost] == [((), True)]
    assert listed(tmp_path, manifest)[0].words.endswith(": without something that is not known any more")


def test_the_words_name_some_and_say_that_there_are_others(gone: Path) -> None:
    run = listed(gone, load(gone, "next"))[0]
    many = run._replace(inputs=run.inputs * 10)
    assert many.words.endswith(" and 12 more")
    assert many._replace(more=True).words.endswith(" and others")
    assert run._replace(more=True).words.endswith(f"#{run.inputs[1].seq} and others")
    assert run._replace(loop="").words.startswith(f"#{run.seq}  a run: without #")
    assert (heading([]), heading([run])[:45]) == ("", "1 run read less than when it was recorded: wh")


def test_a_shadow_of_an_older_dnam_tells_of_its_runs(gone: Path) -> None:
    manifest = msgspec.structs.replace(load(gone, "next"), lost=())
    assert [(each.loop, each.inputs, each.more) for each in listed(gone, manifest)] == [
        ("extraction", (), True),
        ("summary", (), True),
    ]


def test_what_the_log_does_not_have_is_passed_over(gone: Path) -> None:
    manifest = load(gone, "next")
    unknown = "00" * 16
    run = manifest.lost[0].run
    elsewhere = msgspec.structs.replace(manifest, lost=(Lost(unknown), Lost(run, (unknown,))), changed=())
    assert [(each.event.hex(), each.inputs) for each in listed(gone, elsewhere)] == [(run, ())]


def test_what_is_no_run_is_told_as_one_that_is_not_known(gone: Path) -> None:
    manifest = load(gone, "next")
    with Engine.open(gone, writable=False) as live:
        events = [Reader(live.live).at(seq).id.hex() for seq in range(1, 4)]
    lost_one = manifest.lost[0].inputs[0]
    strange = msgspec.structs.replace(manifest, changed=(*events, lost_one), lost=())
    assert {(each.loop, each.person, each.key) for each in listed(gone, strange)} == {("", b"", "")}


@pytest.mark.parametrize("fields", [{"changed": ("never",)}, {"lost": (Lost("ff" * 16, ("../..",)),)}])
def test_a_manifest_that_names_no_events_is_none(gone: Path, fields: dict[str, object]) -> None:
    save(gone, msgspec.structs.replace(load(gone, "next"), **fields))
    ran = dnam("diff", "--shadow", "next", "--data", gone)
    assert (ran.code, "it names events that there cannot be" in ran.err) == (3, True)
