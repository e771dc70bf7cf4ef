"""DiscoClaw's data folders."""

from pathlib import Path
from typing import Any

import pytest

from dnam.importers.detect import detect
from dnam.importers.discoclaw import SAID_TWICE
from dnam.importers.source import (
    Arrival,
    BrokenImport,
    ImportedItem,
    ImportedSummary,
    Options,
    Skipped,
    UnreadableImport,
)
from projections.decisions.meet import Account
from projections.events.values import Source as ItemSource
from projections.events.values import SourceType
from projections.ids import Ref
from projections.policies.item_ids import derive
from tests.dnam.importers.files import T0, reasons, until_error, write

DISCORD = {"type": "discord", "channelId": "5", "messageId": "6"}


def item(key: str, text: str = "likes tea", updated: int = T0, **more: Any) -> dict[str, Any]:
    made = {"id": key, "kind": "preference", "text": text, "tags": ["tea"], "status": "active", "source": DISCORD}
    return made | {"createdAt": T0 - 1, "updatedAt": updated} | more


def store(*items: object, version: int = 1) -> dict[str, Any]:
    return {"version": version, "updatedAt": T0, "items": list(items)}


def read(folder: Path) -> list[Arrival]:
    return list(detect(folder).read(Options()))


def test_a_version_1_item_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path / "memory" / "durable" / "123.json", store(item("durable-1")))
    assert read(tmp_path) == [
        ImportedItem(
            account=Account("discord", "123"),
            id="durable-1",
            kind="preference",
            text="likes tea",
            tags=("tea",),
            status="active",
            source=ItemSource("discord", Ref("discord", "5"), Ref("discord", "6")),
            created=T0 - 1,
            updated=T0,
            hits=0,
            last_hit=None,
        )
    ]
    assert detect(tmp_path).channels == ()


def test_a_version_2_item_has_hits_and_a_fuller_source(tmp_path: Path) -> None:
    origin = DISCORD | {"guildId": "7", "channelName": "tea-room"}
    given = item("durable-1", hitCount=3, lastHitAt=T0 + 9, source=origin, status="deprecated", kind="odd")
    write(tmp_path / "durable" / "123.json", store(given, version=2))
    (found,) = read(tmp_path)
    assert isinstance(found, ImportedItem)
    assert (found.hits, found.last_hit, found.status, found.kind) == (3, T0 + 9, "deprecated", "odd")
    assert found.source == ItemSource("discord", Ref("discord", "5"), Ref("discord", "6"), Ref("discord", "7"))


@pytest.mark.parametrize(
    ("word", "type_"), [("manual", "manual"), ("summary", "model"), ("consolidation", "model"), ("new", "import")]
)
def test_sources_have_dnam_s_words(tmp_path: Path, word: str, type_: SourceType) -> None:
    write(tmp_path / "durable" / "1.json", store(item("a", source={"type": word})))
    (found,) = read(tmp_path)
    assert isinstance(found, ImportedItem)
    assert found.source == ItemSource(type_)


@pytest.mark.parametrize("root", [".", "memory", "data", "data/memory"])
@pytest.mark.parametrize("folder", ["rolling", "summaries"])
@pytest.mark.parametrize("name", ["discord:channel:42", "discord_channel_42", "discord-channel-42"])
def test_summaries_are_found_and_their_sessions_recovered(tmp_path: Path, root: str, folder: str, name: str) -> None:
    write(
        tmp_path / root / folder / f"{name}.json", {"summary": "All is well.", "updatedAt": T0, "turnsSinceUpdate": 1}
    )
    assert read(tmp_path) == [ImportedSummary("discord:channel:42", "All is well.", T0)]


def test_a_dm_s_summary_names_its_person(tmp_path: Path) -> None:
    write(tmp_path / "rolling" / "discord-dm-42.json", {"summary": "s", "updatedAt": T0})
    assert read(tmp_path) == [ImportedSummary("discord:dm:42", "s", T0, Account("discord", "42"))]


def test_all_comes_in_the_order_of_its_times(tmp_path: Path) -> None:
    write(tmp_path / "durable" / "1.json", store(item("late", updated=T0 + 2), item("early", updated=T0)))
    write(tmp_path / "durable" / "2.json", store(item("middle", updated=T0 + 1)))
    write(tmp_path / "rolling" / "discord-thread-3.json", {"summary": "s", "updatedAt": T0 + 1})
    found = [each.id if isinstance(each, ImportedItem) else "summary" for each in read(tmp_path)]
    assert found == ["early", "middle", "summary", "late"]


def test_one_bad_item_does_not_lose_the_others(tmp_path: Path) -> None:
    bad = [item("", "x"), item("a", " "), item("b", updated=-1), item("c", status="gone"), item("d", tags=[1]), 7]
    write(tmp_path / "durable" / "1.json", store(*bad, item("good"), item("far", updated=10**18)))
    found = read(tmp_path)
    assert [each.id for each in found if isinstance(each, ImportedItem)] == ["good"]
    assert reasons(found) == {"not in the form of an item": 7}
    broken = [each.where for each in found[:7] if isinstance(each, Skipped)]
    assert any("durable/1.json $.items[3]: " in each and "$.status" in each for each in broken)


def test_of_two_items_with_one_id_and_text_the_active_one_counts(tmp_path: Path) -> None:
    old, new = item("a", "Likes  TEA", T0 + 5, status="deprecated"), item("a", "likes tea", T0)
    for number, order in enumerate([(old, new), (new, old), (item("a", "likes tea", T0 - 1), new)]):
        write(tmp_path / str(number) / "durable" / "1.json", store(*order))
        found = read(tmp_path / str(number))
        assert [(each.id, each.updated) for each in found if isinstance(each, ImportedItem)] == [("a", T0)]
        assert [each for each in found if isinstance(each, Skipped)] == [Skipped(SAID_TWICE, "a of 1")]


def test_of_two_texts_with_one_id_none_is_lost(tmp_path: Path) -> None:
    """As where an item was given other words, and somebody said the first ones again: one id is made from them."""
    own, longer = derive("preference", "likes tea"), derive("preference", "likes tea", 12)
    tea, mate = item(own, "likes tea", T0), item(own, "likes mate", T0 + 5)
    soup = item(own, "likes soup", T0 + 9, status="deprecated")
    for number, order in enumerate([(tea, mate, soup), (soup, mate, tea, tea)]):
        write(tmp_path / str(number) / "durable" / "1.json", store(*order))
        found = read(tmp_path / str(number))
        assert {(each.id, each.text, each.status) for each in found if isinstance(each, ImportedItem)} == {
            (own, "likes mate", "active"),
            (longer, "likes tea", "active"),
            (derive("preference", "likes soup"), "likes soup", "deprecated"),
        }
        assert reasons(found) == ({SAID_TWICE: 1} if number else {})


def test_what_is_not_taken_is_counted_by_its_reason(tmp_path: Path) -> None:
    write(tmp_path / "durable" / "kim.json", store(item("a")))
    write(tmp_path / "rolling" / "discord-dm_42.json", {"summary": "s", "updatedAt": T0})
    write(tmp_path / "rolling" / "cron-discord-channel-42.json", {"summary": "s", "updatedAt": T0})
    write(tmp_path / "rolling" / "discord-channel-1.json", {"summary": " ", "updatedAt": T0})
    write(tmp_path / "rolling" / "discord-channel-2.json", {"summary": "new", "updatedAt": T0 + 1})
    write(tmp_path / "summaries" / "discord_channel_2.json", {"summary": "old", "updatedAt": T0})
    found = read(tmp_path)
    assert [each.summary for each in found if isinstance(each, ImportedSummary)] == ["new"]
    assert reasons(found) == {
        "durable file that is not named after a Discord user": 1,
        "summary whose session its file name does not tell": 2,
        "empty summary": 1,
        "older summary of the same session": 1,
    }


@pytest.mark.parametrize(
    ("name", "text", "where", "words"),
    [
        ("durable/1.json", '{"version": 3, "items": []}', "$.version", "version 3"),
        ("durable/1.json", '{"version": "1", "items": []}', "$.version", "not as DiscoClaw writes it"),
        ("durable/1.json", '{"version": 1}', "$", "not as DiscoClaw writes it"),
        ("durable/1.json", "[1]", "$", "not as DiscoClaw writes it"),
        ("durable/1.json", '{"version": 1, "it', "after value 0, at byte 18", "breaks off"),
        ("durable/1.json", "", "$", "is empty"),
        ("rolling/discord-dm-1.json", '{"summary": 7, "updatedAt": 1}', "$.summary", "not as DiscoClaw writes it"),
        ("rolling/discord-dm-1.json", "not JSON", "after value 0, before byte 8", "is not JSON any more"),
    ],
)
def test_a_bad_file_is_named_after_the_others_were_read(
    tmp_path: Path, name: str, text: str, where: str, words: str
) -> None:
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    write(tmp_path / "durable" / "2.json", store(item("good")))
    given, error = until_error(detect(tmp_path).read(Options()))
    assert len(given) == 1
    assert isinstance(error, BrokenImport)
    assert (error.path, error.where) == (path, where)
    assert words in str(error)
    assert str(path) in str(error)


def test_a_file_that_cannot_be_read_is_named_after_the_others_were_read(tmp_path: Path) -> None:
    write(tmp_path / "durable" / "2.json", store(item("good")))
    (tmp_path / "durable" / "1.json").symlink_to("1.json")
    given, error = until_error(detect(tmp_path).read(Options()))
    assert len(given) == 1
    assert isinstance(error, UnreadableImport)


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    write(tmp_path / "durable" / "1.json", store(item("a", "tea \ud83d\0")))
    (found,) = read(tmp_path)
    assert isinstance(found, ImportedItem)
    assert found.text == "tea \ufffd\0"
