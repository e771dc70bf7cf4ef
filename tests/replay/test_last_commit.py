"""The last commit of a log is found where its two first pages do not say which it is. It is believed if it is whole."""

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.registry import FOLD
from replay.backups.backup import Backup
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Damaged
from replay.pages.fitting import NO_TREE, Meta, PageFile, Tree, Walk, metas
from replay.pages.form import PAGE_SIZE
from replay.repair.salvaging import _made_again
from replay.rewriting import rewrite
from replay.store import DiskStore
from tests.replay.keeping import backed_up, settings, sound, talk
from tests.replay.stage import KIM, FakeClock, contents, drafts, handle_of, setting
from tests.replay.test_repair_record import later, repaired, whole

Harm = Callable[[bytearray], None]


def database(data: Path) -> Path:
    """The file of the log."""
    (found,) = (data / "log").glob("*/data.mdb")
    return found


def first_pages(data: Path) -> list[Meta]:
    file = PageFile(database(data))
    try:
        return metas(file)
    finally:
        file.close()


def newest(data: Path) -> Meta:
    return max(first_pages(data), key=lambda each: each.commit)


def tables(data: Path) -> dict[str, Tree]:
    file = PageFile(database(data))
    try:
        return Walk(file, file.pages - 1).tables(newest(data).names)
    finally:
        file.close()


def harm(data: Path, number: int, how: Harm) -> None:
    """Change a page of the log."""
    content = bytearray(database(data).read_bytes())
    page = content[number * PAGE_SIZE : (number + 1) * PAGE_SIZE]
    how(page)
    content[number * PAGE_SIZE : (number + 1) * PAGE_SIZE] = page
    database(data).write_bytes(content)


def zeros(page: bytearray) -> None:
    page[:] = bytes(len(page))


def number(at: int, change: Callable[[int], int]) -> Harm:
    """Change a number of 8 bytes that lies there."""

    def change_it(page: bytearray) -> None:
        struct.pack_into("<Q", page, at, change(*struct.unpack_from("<Q", page, at)))

    return change_it


HARMS: dict[str, Harm] = {
    "zeros": zeros,
    "no page size": number(40, lambda was: was ^ 1 << 12),
    "another kind of tables": number(88, lambda was: was ^ 4 << 32),
    "names behind the end": number(128, lambda was: was | 1 << 40),
    "names on a page of something else": number(128, lambda _: 2),
    "no page at all": number(136, lambda _: 1),
    "more pages than there can be": number(136, lambda was: was | 1 << 50),
    "free pages behind the end": number(80, lambda was: was | 1 << 40),
    "a later commit": number(144, lambda was: was + 32),
    "a commit before the other one": number(144, lambda was: was - 2),
    "a commit long ago": number(144, lambda _: 2),
    "a commit of the other page": number(144, lambda was: was + 1),
}


@pytest.mark.parametrize("is_newest", [True, False])
@pytest.mark.parametrize("how", HARMS)
def test_a_log_of_which_a_first_page_is_damaged_is_saved_whole(
    data: Path, place: Path, how: str, is_newest: bool
) -> None:
    talk(data)
    backed_up(data, place)
    talk(data, 8, 12)
    before = whole(data)
    harm(data, newest(data).commit % 2 ^ (not is_newest), HARMS[how])
    assert repaired(data, place).repairs == ()
    assert whole(data) == before
    assert sound(data) == before[1].size


@pytest.mark.parametrize("is_newest", [True, False])
def test_of_a_copy_that_was_just_made_what_is_said_of_it_is_saved_too(data: Path, place: Path, is_newest: bool) -> None:
    """It is said in a commit of its own, behind that of the last event."""
    talk(data)
    with Engine.open(data, clock=FakeClock()) as engine:
        erased = erase(engine, handle_of(engine, KIM))
    assert erased is not None
    backed_up(data, place)
    store = DiskStore(data, FOLD, writable=True)
    rewrite(store)
    store.close()
    before = whole(data)
    assert before[1].epoch == 1
    harm(data, newest(data).commit % 2 ^ (not is_newest), zeros)
    assert repaired(data, place).repairs == ()
    assert whole(data) == before
    with Engine.open(data, writable=False) as engine:
        assert engine.store.log.erased_vaults() == set(erased.vaults)
    sound(data)


def refused(data: Path, place: Path) -> None:
    before = contents(data)
    with pytest.raises(Damaged, match=r"cannot be repaired, since what it says of itself.*`dnam restore-backup`"):
        repaired(data, place)
    assert contents(data) == before


def test_where_the_last_commits_own_page_is_lost_too_no_earlier_one_is_taken_for_it(data: Path, place: Path) -> None:
    talk(data)
    backed_up(data, place)
    later(data, "one", "two")
    last = newest(data)
    harm(data, last.names.root, zeros)
    harm(data, last.commit % 2, zeros)
    refused(data, place)


@pytest.mark.parametrize("table", ["headers", "bodies", "tree", "vaults"])
def test_a_commit_that_is_not_whole_is_not_taken_for_the_last_one(data: Path, place: Path, table: str) -> None:
    settings(data, 0, 255)
    backed_up(data, place)
    later(data, "one", "two")
    last = newest(data)
    harm(data, tables(data)[table].root, zeros)
    harm(data, last.commit % 2, zeros)
    refused(data, place)


def test_where_the_file_was_cut_nobody_knows_what_came_last(data: Path, place: Path) -> None:
    """The pages of the last commit are gone, and so is every trace of its events."""
    talk(data)
    backed_up(data, place)
    with Engine.open(data, clock=FakeClock()) as engine, engine.store.log.glancing():  # so no page is used again
        size = 0
        for name in "abcdefgh":
            size = database(data).stat().st_size
            engine.record(drafts(setting(name * 60_000), name=name))
    assert min(newest(data).names.root, tables(data)["headers"].root) * PAGE_SIZE >= size
    os.truncate(database(data), size)
    refused(data, place)


def test_what_was_written_and_not_acknowledged_comes_along_where_all_of_it_is_there(data: Path, place: Path) -> None:
    """As a kill leaves it between the pages of a commit and the first page that names it."""
    talk(data)
    backed_up(data, place)
    later(data, "one", "two")
    firsts = database(data).read_bytes()[: 2 * PAGE_SIZE]
    talk(data, 20, 21)
    written = whole(data)[0]
    database(data).write_bytes(firsts + database(data).read_bytes()[2 * PAGE_SIZE :])
    assert len(whole(data)[0]) < len(written)
    harm(data, newest(data).commit % 2 ^ 1, zeros)
    assert repaired(data, place).repairs == ()
    assert whole(data)[0] == written


def test_a_log_of_other_tables_is_not_made_again(data: Path, place: Path, tmp_path: Path) -> None:
    talk(data)
    backed_up(data, place)
    others = dict.fromkeys(("headers", "bodies"), NO_TREE)
    with pytest.raises(Damaged, match="tables are not those of a log"):
        _made_again(tmp_path / "fresh", others, Backup(place), data)
    assert not (tmp_path / "fresh").exists()
