"""Shadows beside a memory: which are of it, what is under way for one that is dropped, and what reaches them."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lmdb
import msgspec
import pytest

from dnam.adapters.anthropic.batch_book import Book
from dnam.doctor.shadows import beside as beside_log
from dnam.model import ModelError
from dnam.rederiving.compacting import dropped_in_shadows
from dnam.rederiving.dropping import batches_under_way, cancel_batches
from dnam.rederiving.models import BOOK
from dnam.shadows import behind as shadow_behind
from dnam.shadows.manifest import FILE, Asked, load, making, save
from replay.engine import Engine
from replay.log import StoredEvent
from replay.ring.records import SIZE
from replay.shadows.shadow import shadow_engine, shadow_folder
from tests.dnam.claude.batch_stage import leave, office
from tests.dnam.cli.beside import HARMS, beside, nothing_recorded
from tests.dnam.cli.memories import dnam, garden, make
from tests.dnam.doctor.patients import patient
from tests.dnam.scripted import FakeClock, settings

ANEW = "`dnam shadows drop next`, then `dnam rederive --name next` again"


@pytest.fixture
def data(told: Path, tmp_path: Path) -> Path:
    """A memory with a shadow that holds the same."""
    return Path(shutil.copytree(told, tmp_path / "data"))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told") / "data"
    make(path, garden)
    beside(path, "next")
    return path


def rows_hold(data: Path, word: str) -> list[str]:
    """In which views a word stands, in whatever is no unused page: LMDB copies nothing else."""
    found: list[str] = []
    for file in sorted(data.rglob("views/*/data.mdb")):
        with lmdb.open(str(file.parent), readonly=True, lock=False) as env, TemporaryDirectory() as copied:
            env.copy(copied, compact=True)
            if word.encode() in (Path(copied) / "data.mdb").read_bytes():
                found.append(str(file.relative_to(data).parts[0]))
    return found


def test_what_is_redacted_leaves_the_rows_of_shadows_at_once(data: Path) -> None:
    assert rows_hold(data, "gate is broken") == ["shadows", "views"]
    assert dnam("redact", "discord:m2", "--yes", "--data", data).code == 0
    assert rows_hold(data, "gate is broken") == []
    assert dnam("compact", "--data", data).code == 0
    assert not any(b"gate is broken" in file.read_bytes() for file in data.rglob("*") if file.is_file())


def test_a_shadow_that_cannot_be_followed_is_told_of_and_the_redaction_stands(data: Path) -> None:
    beside(data, "another")
    (shadow_folder(data, "another") / FILE).write_text("no manifest")
    ran = dnam("redact", "discord:m2", "--yes", "--data", data)
    assert ran.code == 0
    assert ran.err.count("dnam: what was taken back is not yet out of the shadow another: ") == 1
    assert rows_hold(data, "gate is broken") == ["shadows"]  # the other one was followed
    assert dnam("shadows", "drop", "another", "--yes", "--data", data).code == 0
    assert rows_hold(data, "gate is broken") == []


def test_compacting_takes_what_was_redacted_out_of_the_shadows_and_says_so(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr("dnam.shadows.followed.shadows_in", lambda _: [])
        assert dnam("redact", "discord:m2", "--yes", "--data", data).code == 0
    ran = dnam("compact", "--data", data)
    assert ran.code == 0
    assert "The shadow next was written anew: 1 event(s) lost their words there too." in ran.out
    assert "The shadow next was written anew.\n" in dnam("compact", "--data", data).out
    assert dnam("compact", "--json", "--data", data).value["shadows"] == [
        {"name": "next", "redacted": 0, "trouble": ""}
    ]


def test_a_shadow_that_cannot_be_brought_in_line_keeps_nothing_and_is_told_of(data: Path) -> None:
    (shadow_folder(data, "next") / FILE).write_text("no manifest")
    ran = dnam("compact", "--data", data)
    assert ran.code == 0
    assert "Not written anew is the shadow next: " in ran.out
    assert "`dnam shadows drop next`" in ran.out
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0
    assert not shadow_folder(data, "next").exists()


def test_one_that_was_killed_before_it_had_a_manifest_is_compacted_too(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shadow_folder(data, "next") / FILE).unlink()
    with monkeypatch.context() as killed:
        killed.setattr("dnam.shadows.followed.shadows_in", lambda _: [])
        assert dnam("redact", "discord:m2", "--yes", "--data", data).code == 0
    assert dnam("compact", "--json", "--data", data).value["shadows"][0]["redacted"] == 1


def test_an_erasure_says_which_shadows_it_took_them_out_of(data: Path) -> None:
    asked = dnam("erase", "discord:100", "--data", data)
    assert "It would be gone from 1 shadow(s) too." in asked.err
    ran = dnam("erase", "discord:100", "--yes", "--data", data)
    assert ran.code == 0
    assert "Gone from the shadow next too.\n" in ran.out
    beside(data, "other")
    receipt = dnam("erase", "discord:200", "--yes", "--json", "--data", data).value
    assert receipt["taken"]["shadows"] == ["next", "other"]


def test_a_guild_is_erased_in_shadows_at_once(data: Path) -> None:
    assert dnam("erase", "--guild", "Garden", "--yes", "--data", data).code == 0
    with shadow_engine(data, "next") as shadow, shadow.reading() as rows:
        texts = [stored.body for _, stored in rows.raw.scan("messages@1", b"", b"\xff" * 64)]
    assert not any(b"gate is broken" in each or b"prefer tea" in each for each in texts)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"of": "00" * 16}, "was made of another log than the one that is here now"),
        ({"upto": 9_999}, "knows the log up to #9999, and the one that is here now ends at #"),
    ],
)
def test_a_shadow_of_another_log_is_refused_and_listed_as_such(
    data: Path, changes: dict[str, object], why: str
) -> None:
    asked = Asked("offline", "offline", "extraction@4", "summary@2", "closeness@2")
    save(data, msgspec.structs.replace(load(data, "next"), asked=asked, **changes))
    for command in (("rederive", "--name", "next"), ("diff", "--shadow", "next"), ("adopt", "next", "--yes")):
        ran = dnam(*command, "--data", data)
        assert ran.code == 3, command
        assert f"the shadow 'next' cannot be used: it {why}" in ran.err
        assert ran.err.endswith(f". {ANEW}\n")
    listed = dnam("shadows", "list", "--json", "--data", data)
    assert ([each["name"] for each in listed.values], listed.code) == (["next"], 3)
    assert f"the shadow 'next' cannot be used: it {why}" in listed.err
    assert why in dnam("compact", "--data", data).out


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_a_broken_shadow_is_refused_in_the_same_words_by_all(data: Path, harm: Callable[[Path], str]) -> None:
    why, told = harm(data), set[str]()
    for command in (
        ("rederive", "--name", "next"),
        ("diff", "--shadow", "next"),
        ("adopt", "next", "--yes"),
        ("shadows",),
    ):
        ran = dnam(*command, "--data", data)
        assert ran.code == 3, command
        (line,) = (each for each in ran.err.splitlines() if "cannot be used" in each)
        assert line.startswith(f"dnam: the shadow 'next' cannot be used: {why}"), command
        assert line.endswith(ANEW)
        told.add(line)
    assert len(told) == 1
    assert dnam("shadows", "drop", "next", "--yes", "--data", data).code == 0
    assert dnam("shadows", "--data", data).code == 0


async def test_how_far_a_shadow_is_behind_is_counted_outside_of_any_look(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, counted, read = 0, list[int](), shadow_behind._is_read

    def noted(looking: Callable[..., AbstractContextManager[Any]]) -> Callable[..., AbstractContextManager[Any]]:
        @contextmanager
        def look(*arguments: object) -> Iterator[object]:
            nonlocal looks
            with looking(*arguments) as rows:
                looks += 1
                yield rows
                looks -= 1

        return look

    def is_read(live: Engine, stored: StoredEvent, since: int) -> bool:
        counted.append(looks)
        return read(live, stored, since)

    save(data, msgspec.structs.replace(load(data, "next"), upto=1))
    monkeypatch.setattr(shadow_behind, "_is_read", is_read)
    for each in ("reading", "now_and_then"):
        monkeypatch.setattr(Engine, each, noted(getattr(Engine, each)))
    for command in (("shadows",), ("diff", "--shadow", "next"), ("adopt", "next", "--behind")):
        await asyncio.to_thread(dnam, *command, "--data", data)
        assert counted, command
        assert set(counted) == {0}, command
        counted.clear()
    await beside_log(patient(data))
    assert set(counted) == {0}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
def test_what_cannot_be_used_is_listed_as_that(data: Path, harm: Callable[[Path], str]) -> None:
    why = harm(data)
    ran = dnam("shadows", "--data", data)
    assert (ran.code, "not usable" in ran.out, "There are no shadows" in ran.out) == (3, True, False)
    assert "complete" not in ran.out
    ran = dnam("shadows", "--json", "--data", data)
    ((name, state, told),) = ((each["name"], each["state"], each["why"]) for each in ran.values)
    assert (ran.code, name, state, why in told) == (3, "next", "not usable", True)


def test_what_a_kill_left_before_anything_was_recorded_is_no_shadow_and_begins_anew(data: Path) -> None:
    nothing_recorded(data)
    ran = dnam("shadows", "--data", data)
    assert (ran.code, "There are no shadows" in ran.out) == (0, True)
    assert "there is no shadow 'next' here" in dnam("diff", "--shadow", "next", "--data", data).err
    assert dnam("rederive", "--model", "offline", "--name", "next", "--data", data).code == 0
    assert dnam("shadows", "--json", "--data", data).value["state"] == "complete"


@pytest.mark.parametrize("place", ["shadows", "shadows/next"])
def test_a_file_where_shadows_lie_is_said_to_be_one(data: Path, place: str) -> None:
    shutil.rmtree(data / place)
    (data / place).write_text("no folder")
    for command in (
        ("rederive", "--name", "next"),
        ("diff", "--shadow", "next"),
        ("adopt", "next", "--yes"),
        ("shadows", "drop", "next", "--yes"),
    ):
        ran = dnam(*command, "--data", data)
        assert (ran.code, ran.err) == (2, f"dnam: {data / place} is a file, and shadows lie in folders: move it away\n")
    assert dnam("shadows", "--data", data).code == (2 if place == "shadows" else 0)
    assert dnam("doctor", "--data", data).code in (0, 1)


def cut_end(data: Path) -> None:
    for name in ("ring-a", "ring-b"):
        ring = data / "keys" / name
        ring.write_bytes(ring.read_bytes()[:-SIZE])


def lose_records(data: Path) -> None:
    for name in ("ring-a", "ring-b"):
        ring = data / "keys" / name
        ring.write_bytes(bytes(SIZE) + ring.read_bytes()[SIZE:])


def other_keys(data: Path) -> None:
    with Engine.open(data / "other", create=True, clock=FakeClock()):
        pass
    shutil.rmtree(data / "keys")
    (data / "other" / "keys").rename(data / "keys")


@pytest.mark.parametrize("harm", [cut_end, lose_records, other_keys])
def test_no_shadow_is_usable_where_the_keys_of_its_memory_are_not_right(
    data: Path, harm: Callable[[Path], None]
) -> None:
    harm(data)
    before = (data / "keys" / "ring-a").read_bytes()
    ran = dnam("shadows", "--data", data)
    assert (ran.code, "not usable" in ran.out, "complete" in ran.out) == (3, True, False)
    assert "the key ring" in ran.err
    for command in (("adopt", "next", "--yes"), ("rederive", "--name", "next"), ("verify",), ("doctor",)):
        assert dnam(*command, "--data", data).code != 0, command
    assert (data / "keys" / "ring-a").read_bytes() == before


def test_no_shadow_is_usable_where_keys_of_its_memory_are_lost(data: Path) -> None:
    with Engine.open(data, clock=FakeClock()) as live:
        live.store.ring.destroy(live.store.log.vaults())
    ran = dnam("shadows", "--data", data)
    assert (ran.code, "vaults of this log are not in the key ring" in ran.err) == (3, True)
    assert "not usable" in ran.out


def test_without_a_log_no_shadow_is_of_it(data: Path) -> None:
    shutil.rmtree(data / "log")
    ran = dnam("shadows", "--data", data)
    assert (ran.code, "the shadow 'next' cannot be used: it is of a log that is not here" in ran.err) == (3, True)


def test_it_is_known_whether_anything_that_was_dropped_is_on_the_disk_still(data: Path) -> None:
    def dropped() -> int | None:
        with Engine.open(data, clock=FakeClock()) as engine:
            return dropped_in_shadows(engine)

    assert dropped() is None
    assert dnam("redact", "discord:m2", "--yes", "--data", data).code == 0
    assert dropped() is not None
    assert dnam("compact", "--data", data).code == 0
    assert dropped() is None
    beside(data, "later")
    assert dropped() is not None  # it has redactions of which nobody knows whether they dropped anything there
    save(data, msgspec.structs.replace(load(data, "later"), of="00" * 16))
    assert dropped() is None  # that one is of another log


# -- batches -------------------------------------------------------------------------------------------------------


def test_a_batch_under_way_is_told_of_where_there_is_no_key_to_cancel_it(data: Path) -> None:
    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    book.begin(["two"], 0)
    told: list[str] = []
    assert batches_under_way(data, "next", told.append) == ("msgbatch_1",)
    assert told == []
    asked = dnam("shadows", "drop", "next", "--data", data)
    assert "1 batch of its questions may be under way still." in asked.err
    ran = dnam("shadows", "drop", "next", "--yes", "--json", "--data", data)
    assert ran.value == {"dropped": "next", "cancelled": 0}
    assert "msgbatch_1. there is no key here (ANTHROPIC_API_KEY)" in ran.err


def test_a_folder_that_is_no_whole_shadow_is_dropped_as_one(data: Path) -> None:
    shadow_folder(data, "foo").mkdir()
    ran = dnam("shadows", "drop", "foo", "--yes", "--data", data)
    assert (ran.code, ran.out) == (0, "The shadow foo is gone.\n")
    assert "there is no shadow" not in ran.err
    assert f"{shadow_folder(data, 'foo')} does not say what it was made for" in ran.err
    assert not shadow_folder(data, "foo").exists()
    ran = dnam("shadows", "drop", "foo", "--yes", "--data", data)
    assert (ran.code, ran.out, "there is no shadow 'foo' here" in ran.err) == (2, "", True)


def test_a_book_that_cannot_be_read_keeps_nobody_from_dropping(data: Path) -> None:
    (shadow_folder(data, "next") / BOOK).write_text("no book")
    told: list[str] = []
    assert batches_under_way(data, "next", told.append) == ()
    (line,) = told
    assert line.endswith("Batches that it knows of, if any, go on at the API")


async def test_a_batch_under_way_is_cancelled_at_the_api(data: Path) -> None:
    async with office(data) as desk:
        desk.path = shadow_folder(data, "next") / BOOK
        desk.api.takes_seconds = 600
        await leave(desk, desk.run(), "one", "two")
        (batch,) = batches_under_way(data, "next", desk.told.append)
        with_key = replace(settings(), anthropic_api_key=desk.server.key, anthropic_base_url=desk.server.url)
        assert await cancel_batches(data, with_key, "next", desk.told.append) == 1
        assert await cancel_batches(data, with_key, "next", desk.told.append) == 0
        assert [each.status for each in desk.api.made] == ["canceling"]
        assert batch == desk.api.made[0].id


def test_of_one_that_is_being_made_no_batch_is_cancelled(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled: list[str] = []

    async def cancel(_data: Path, _settings: object, name: str, _tell: object) -> int:
        cancelled.append(name)
        return 1

    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setattr("dnam.rederiving.dropping.cancel_batches", cancel)
    with making(data, "next"):
        ran = dnam("shadows", "drop", "next", "--yes", "--data", data)
        assert (ran.code, ran.out, cancelled) == (3, "", [])
        assert "another process is making the shadow 'next', or adopting it, just now" in ran.err
        assert "Remove the shadow" not in dnam("shadows", "drop", "next", "--data", data).err  # nobody is asked
    ran = dnam("shadows", "drop", "next", "--yes", "--json", "--data", data)
    assert (ran.value, cancelled) == ({"dropped": "next", "cancelled": 1}, ["next"])


def test_where_the_api_does_not_take_it_that_is_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> int:
        raise ModelError("the service is down")

    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setattr("dnam.rederiving.dropping.cancel_batches", refuse)
    ran = dnam("shadows", "drop", "next", "--yes", "--data", data)
    assert "msgbatch_1. the service is down" in ran.err


@pytest.mark.parametrize("words", [("erase", "ada"), ("redact", "discord:m2")])
def test_what_was_taken_back_and_may_stand_in_a_batch_names_it(
    data: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    ran = dnam(*words, "--yes", "--json", "--data", data)
    assert (ran.value["cancelled"], ran.value["batches"]) == (0, ["msgbatch_1"])
    assert "msgbatch_1. there is no key here (ANTHROPIC_API_KEY)" in ran.err


@pytest.mark.parametrize("words", [("erase", "ada"), ("redact", "discord:m2")])
def test_what_was_taken_back_and_may_stand_in_a_batch_cancels_it(
    data: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    cancelled: list[str] = []

    async def cancel(_data: Path, _settings: object, name: str, _tell: object) -> int:
        cancelled.append(name)
        return 1

    book = Book(shadow_folder(data, "next") / BOOK)
    book.sent(book.begin(["one"], 0), "msgbatch_1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    monkeypatch.setattr("dnam.rederiving.dropping.cancel_batches", cancel)
    assert "cancelled at the API" not in dnam(*words, "--data", data).err  # it was not agreed to
    ran = dnam(*words, "--yes", "--data", data)
    assert (ran.code, cancelled) == (0, ["next"])
    assert "cancelled at the API, since it may have stood in them: 1 batch of questions" in ran.err
