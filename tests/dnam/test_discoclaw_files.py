"""A memory as DiscoClaw's own files: what goes in, what stays out, and that they come back as they were."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dnam.discoclaw.file_set import FileSet
from dnam.discoclaw.files import SAME_ID, TAKEN_BACK, FilesOf, all_files, guilds, only_guild, the_guild
from dnam.importers.detect import detect
from dnam.importers.source import Options
from dnam.importing.importer import Importer
from dnam.memory import Memory
from dnam.whereabouts import in_direct
from projections.decisions.imported import ImportItemRequest, import_item
from projections.errors import BadRequest
from projections.events.values import Audience, Source, Status
from projections.ids import Handle, Ref
from projections.policies.compartments import Setting, direct, everywhere, in_guild
from tests.dnam.cli.memories import GARDEN, garden
from tests.dnam.scripted import FakeClock
from tests.world import NOW

OTHER = Ref("discord", "10")


def run(path: Path, *actions: Callable[[Memory], Awaitable[Any]]) -> Any:
    """The last of what was done to a memory."""

    async def acting() -> Any:
        async with Memory.open(path, clock=FakeClock(NOW + 10**9)) as memory:
            return [await action(memory) for action in actions][-1]

    return asyncio.run(acting())


async def files(memory: Memory) -> FilesOf:
    return await memory.look(lambda rows: all_files(rows, only_guild(rows)))


def durable(found: FilesOf, user: str = "100") -> list[dict[str, Any]]:
    data = found.files[f"durable/{user}.json"]
    assert data is not None
    items: list[dict[str, Any]] = json.loads(data)["items"]
    return items


def imported(text: str, where: Callable[[Handle], str], **changes: Any) -> Callable[[Memory], Awaitable[None]]:
    """An item of Kim's in a compartment."""

    async def action(memory: Memory) -> None:
        kim = await memory.person("100", platform="discord", make=True)
        values: dict[str, Any] = {
            "user": "100", "owner": kim, "compartment": where(kim), "id": f"durable-{text}", "kind": "tool",
            "text": text,
            "status": "active", "created": NOW - 9, "updated": NOW - 5, "source": Source("manual"), "tags": ("a", "b"),
            "hits": 3, "last_hit": NOW - 1,
        }  # fmt: skip
        await memory.record(lambda rows: import_item(rows, ImportItemRequest(**(values | changes))))

    return action


# -- what goes in --------------------------------------------------------------------------------------------------


def test_an_item_has_every_field_of_version_2(tmp_path: Path) -> None:
    source = Source("discord", Ref("discord", "5"), Ref("discord", "6"), GARDEN)
    found = run(tmp_path, imported("hammer", everywhere, source=source), files)
    assert json.loads(found.files["durable/100.json"]) == {
        "version": 2,
        "updatedAt": NOW - 5,
        "items": [
            {
                "id": "durable-hammer",
                "kind": "tool",
                "text": "hammer",
                "tags": ["a", "b"],
                "status": "active",
                "source": {"type": "discord", "channelId": "5", "messageId": "6", "guildId": "9"},
                "createdAt": NOW - 9,
                "updatedAt": NOW - 5,
                "hitCount": 3,
                "lastHitAt": NOW - 1,
            }
        ],
    }


def test_only_what_every_reader_may_see_goes_in(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        garden,
        imported("hammer", everywhere),
        imported("plan", lambda kim: in_guild(OTHER)),
        imported("whisper", lambda kim: f"person/{kim.hex()}/channel/discord:2"),
        files,
    )
    assert {each["text"] for each in durable(found)} == {"hammer", "builds the bridge project"}
    everything = b"".join(data for data in found.files.values() if data)
    for hidden in (b"prefers tea over coffee", b"hates rain", b"plan", b"whisper"):
        assert hidden not in everything
    assert sorted(found.left_out.values()) == [1, 1, 1, 1]


def test_of_several_guilds_none_is_meant_until_one_is_named(tmp_path: Path) -> None:
    async def another_guild(memory: Memory) -> None:
        from projections.decisions.place import PlaceSeen

        seen = PlaceSeen("discord", "77", "channel", "hall", "guild", guild=OTHER, guild_name="Other")
        await memory.heard("100", "hello", name="Kim", platform="discord", place=seen, key="x1", said=NOW)

    async def named(memory: Memory) -> FilesOf:
        return await memory.look(lambda rows: all_files(rows, the_guild(rows, "garden")))

    async def known(memory: Memory) -> list[Ref]:
        return await memory.look(guilds)

    assert run(tmp_path, garden, another_guild, known) == [OTHER, GARDEN]
    assert "durable/100.json" not in run(tmp_path, files).files
    assert [each["text"] for each in durable(run(tmp_path, named))] == ["builds the bridge project"]
    with pytest.raises(BadRequest, match="Garden"):
        run(tmp_path, lambda memory: memory.look(lambda rows: the_guild(rows, "Nowhere")))


@pytest.mark.parametrize(("status", "shown"), [("active", "active"), ("deprecated", "deprecated")])
def test_states_fold_into_two(tmp_path: Path, status: Status, shown: str) -> None:
    (item,) = durable(run(tmp_path, imported("hammer", everywhere, status=status), files))
    assert item["status"] == shown


def test_what_a_person_takes_back_is_in_no_file(tmp_path: Path) -> None:
    async def forget(memory: Memory) -> None:
        assert await memory.forget("100", "hammer", platform="discord")

    found = run(tmp_path, imported("hammer", everywhere), imported("nail", everywhere), forget, files)
    assert [each["text"] for each in durable(found)] == ["nail"]
    assert found.left_out == {TAKEN_BACK: 1}


def test_what_was_evicted_is_deprecated_there(tmp_path: Path) -> None:
    old = imported("hammer", everywhere, created=NOW - 99, updated=NOW - 99)
    found = run(tmp_path, old, imported("nail", everywhere, cap=1), files)
    assert {each["text"]: each["status"] for each in durable(found)} == {"hammer": "deprecated", "nail": "active"}


def test_an_id_stands_once_in_a_file(tmp_path: Path) -> None:
    here = imported("hammer", lambda kim: in_guild(GARDEN), status="deprecated", updated=NOW)
    found = run(tmp_path, garden, imported("hammer", everywhere), here, files)
    assert [each["status"] for each in durable(found) if each["id"] == "durable-hammer"] == ["active"]
    assert found.left_out[SAME_ID] == 1


def test_kinds_that_the_form_does_not_have_are_facts(tmp_path: Path) -> None:
    (item,) = durable(run(tmp_path, imported("hammer", everywhere, kind="relationship"), files))
    assert item["kind"] == "fact"


def test_people_and_sessions_of_other_platforms_have_no_name_there(tmp_path: Path) -> None:
    async def local(memory: Memory) -> None:
        person = await memory.person("ada", make=True)
        where = Setting(person, Audience("guild", Ref("discord", "1")), GARDEN)
        await memory.remember("ada", "likes jam", setting=where)
        await memory.remember("ada", "likes tea", setting=in_direct(person))

    found = run(tmp_path, garden, local, files)
    assert b"jam" not in b"".join(data for data in found.files.values() if data)
    assert sum(count for reason, count in found.left_out.items() if "Discord account" in reason) == 1


# -- there and back ------------------------------------------------------------------------------------------------


def put(found: FilesOf, folder: Path) -> Path:
    target = FileSet(folder)
    assert target.claim()
    target.put(found.files)
    target.release()
    return folder


def bring(folder: Path, *, portable: bool) -> Callable[[Memory], Awaitable[Any]]:
    async def action(memory: Memory) -> Any:
        return await Importer(memory, portable=portable).bring(detect(folder).read(Options()), lambda _: None)

    return action


def test_they_come_back_as_the_same_items_and_the_same_files(tmp_path: Path) -> None:
    old = imported("hammer", everywhere, created=NOW - 99, status="deprecated")
    before = run(tmp_path / "there", old, imported("nail", everywhere), files)
    folder = put(before, tmp_path / "files")
    after = run(tmp_path / "here", bring(folder, portable=True), files)
    assert after.files == before.files

    async def where(memory: Memory) -> set[str]:
        from projections.items import items_of

        kim = await memory.person("100", platform="discord")
        assert direct(kim) != everywhere(kim)
        rows = await memory.look(lambda rows: list(items_of(rows, kim)))
        return {each.row.item.compartment.rpartition("/")[2] for each in rows}

    assert run(tmp_path / "here", where) == {"everywhere"}
    assert run(tmp_path / "narrow", bring(folder, portable=False), where) == {"direct"}


def test_a_dm_s_summary_comes_back(tmp_path: Path) -> None:
    data = b'{\n  "summary": "They talked of tea.",\n  "updatedAt": 1700000000000\n}\n'
    folder = tmp_path / "files" / "rolling"
    folder.mkdir(parents=True)
    (folder / "discord-dm-100.json").write_bytes(data)
    found = run(tmp_path / "here", bring(folder.parent, portable=False), files)
    assert found.files == {"rolling/discord-dm-100.json": data}


# -- the folder ----------------------------------------------------------------------------------------------------


def test_a_folder_of_discoclaw_s_own_is_never_touched(tmp_path: Path) -> None:
    (tmp_path / "durable").mkdir()
    (tmp_path / "durable" / "1.json").write_text("{}")
    with pytest.raises(BadRequest, match="did not write"):
        FileSet(tmp_path).claim()
    assert [each.name for each in tmp_path.iterdir()] == ["durable"]


def test_one_writes_at_a_time_and_leavings_are_swept_away(tmp_path: Path) -> None:
    one, other = FileSet(tmp_path), FileSet(tmp_path)
    assert one.claim()
    assert one.claim()
    assert not other.claim()
    (tmp_path / "durable" / ".1.json.77.new").write_text("half")
    assert one.put({"durable/1.json": b"{}", "durable/2.json": None}) == 1
    assert one.put({"durable/1.json": b"{}"}) == 0
    one.release()
    assert other.claim()
    assert not list(tmp_path.rglob("*.new"))
    assert other.keep_only(["durable/2.json"]) == 1
    assert other.names() == set()
    other.release()
    other.release()
