"""Pages that do not fit together: each is found before LMDB follows it, and what can be read of a log is saved."""

import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from replay import lmdb_file
from replay.backups.backup import Backup, look_over
from replay.engine import Engine
from replay.errors import Damaged, DamagedPages, NotALog, Truncated
from replay.folder import Folder
from replay.pages import flaws as page_flaws
from replay.pages.fitting import NAMES, BadPage, Flaw, Meta, PageFile, Walk, metas
from replay.pages.flaws import flaws_of, told
from replay.pages.form import EMPTY, PAGE_SIZE
from replay.repair.of_pages import repair_pages
from tests.replay.keeping import backed_up, settings, sound, talk
from tests.replay.stage import FakeClock, contents, digest, says, setting, texts
from tests.replay.stage import drafts as drafted

Change = Callable[[bytearray], None]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with branch pages, large values and free pages."""
    folder = tmp_path_factory.mktemp("pages")
    with lmdb.open(str(folder), map_size=1 << 26, max_dbs=4) as environment:
        headers, bodies = environment.open_db(b"headers"), environment.open_db(b"bodies")
        for database in (headers, bodies):
            for start in range(0, 900, 300):
                with environment.begin(write=True, db=database) as transaction:
                    for seq in range(start + 1, start + 301):
                        size = 9000 if seq % 100 == 0 else 200
                        transaction.put(seq.to_bytes(8, "big"), seq.to_bytes(8, "big") * (size // 8))
        for _ in range(300):  # more commits than a byte counts
            with environment.begin(write=True, db=bodies) as transaction:
                transaction.put((7).to_bytes(8, "big"), os.urandom(200))
    return folder / "data.mdb"


def pages(path: Path) -> dict[str, list[int]]:
    """The pages of the table of bodies, by what they are."""
    opened = PageFile(path)
    newest = max(metas(opened), key=lambda each: each.commit)
    walk = Walk(opened, newest.last)
    tree = walk.tables(newest.names)["bodies"]
    leaves = [(at.page, nodes) for at, nodes in walk.rows("bodies", tree)]
    large = [node.large for _, nodes in leaves for node in nodes if node.large]
    opened.close()
    return {
        "root": [tree.root],
        "leaf": [page for page, _ in leaves],
        "large": large,
        "free": [newest.free.root],
        "names": [newest.names.root],
        "meta": [newest.commit % 2],
    }


def damaged(file: Path, folder: Path, page: int, change: Change) -> tuple[Flaw, ...]:
    copy = folder / "data.mdb"
    data = bytearray(file.read_bytes())
    part = data[page * PAGE_SIZE : (page + 1) * PAGE_SIZE]
    change(part)
    data[page * PAGE_SIZE : (page + 1) * PAGE_SIZE] = part
    copy.write_bytes(data)
    return flaws_of(copy)


def put(form: str, place: int, value: int) -> Change:
    return lambda page: struct.pack_into(form, page, place, value)


def node(form: str, more: int, value: int, number: int = 3) -> Change:
    """Change a field of a node of a page."""

    def change(page: bytearray) -> None:
        (place,) = struct.unpack_from("<H", page, 16 + 2 * number)
        struct.pack_into(form, page, place + more, value)

    return change


def zeros(page: bytearray) -> None:
    page[:] = bytes(len(page))


CASES: list[tuple[str, int, Change, str]] = [
    ("leaf", 1, zeros, "it is not the page that should be there"),
    ("root", 0, zeros, "it is not the page that should be there"),
    ("leaf", 1, put("<H", 12, 4097), "it does not say how many rows it has"),
    ("leaf", 1, put("<H", 16, 9), "a row lies where none can be"),
    ("leaf", 1, put("<H", 16, 4095), "a row lies where none can be"),
    ("leaf", 1, node("<H", 0, 60_000), "a row goes beyond its end"),
    ("leaf", 1, node("<B", 15, 255), "its keys are in no order"),
    ("leaf", 1, node("<B", 15, 0, number=0), "its keys belong elsewhere"),
    ("leaf", 1, node("<H", 0, 192), "its rows do not fill the room that they have"),
    ("leaf", 1, node("<B", 8, 1, number=0), "its keys are in no order"),
    ("root", 0, node("<H", 0, 60_000), "it lies behind the file's end"),
    ("root", 0, node("<H", 6, 9_000), "a key goes beyond its end"),
    ("root", 0, node("<B", 8, 255), "its keys are in no order"),
    ("large", 0, zeros, "it is not the large data that should be there"),
    ("large", 0, put("<I", 12, 1), "it is not the large data that should be there"),
    ("free", 0, zeros, "it is not the page that should be there"),
    ("free", 0, node("<Q", 16, 1 << 40, number=0), "its list of free pages"),
    ("names", 0, zeros, "it is not the page that should be there"),
    ("names", 0, node("<B", 18, 4, number=0), "the table is of another kind than it was made"),
    ("names", 0, node("<Q", 46, 1, number=0), "the table has other pages or rows than it says"),
    ("names", 0, node("<H", 4, 0, number=0), "it is in no table, and not free"),
    ("names", 0, node("<H", 4, 6, number=0), "of a kind that is not used here"),
    ("leaf", 1, node("<H", 4, 4), "of a kind that is not used here"),
    ("leaf", 1, node("<H", 4, 2), "of a kind that is not used here"),
    ("meta", 0, zeros, "how large pages are"),
    ("meta", 0, put("<B", 92, 2), "two kinds of tables"),
    ("meta", 0, put("<Q", 144, 5), "not of two commits that follow each other"),
]


@pytest.mark.parametrize(
    ("what", "number", "change", "words"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_page_that_does_not_fit_is_found(
    file: Path, folder: Path, what: str, number: int, change: Change, words: str
) -> None:
    flaws = damaged(file, folder, pages(file)[what][number], change)
    assert any(words in each.what for each in flaws), flaws


def test_a_file_that_is_whole_has_no_flaws(file: Path) -> None:
    assert flaws_of(file) == ()
    assert flaws_of(file, lambda table, key, data: data[:8] == key or key[-1] == 7) == ()
    (flaw,) = flaws_of(file, lambda table, key, data: table != "bodies" or key != (500).to_bytes(8, "big"))
    assert flaw.what == "a row of it is not what was written"


def test_a_page_that_two_tables_have_is_found(file: Path, folder: Path) -> None:
    leaf = pages(file)["leaf"]
    twice = damaged(file, folder, pages(file)["root"][0], node("<H", 0, leaf[0], number=2))
    assert [each.what for each in twice] == ["it is in use twice"]


def test_a_page_at_another_height_is_found(file: Path, folder: Path) -> None:
    flaws = damaged(file, folder, pages(file)["names"][0], node("<H", 20, 7, number=0))
    assert {each.what for each in flaws} == {"it lies too high or too deep"}


def test_a_file_of_one_page_has_nothing_to_read(folder: Path) -> None:
    path = folder / "data.mdb"
    path.write_bytes(bytes(PAGE_SIZE))
    assert flaws_of(path) == (Flaw(NAMES, 0, "the file ends before it"),)


def test_what_somebody_writes_meanwhile_is_looked_at_again(
    file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged(file, folder, pages(file)["leaf"][1], zeros)
    looks: list[int] = []

    def moving(opened: PageFile) -> list[Meta]:
        looks.append(1)
        return metas(opened)[:: 1 if len(looks) % 2 else -1]

    monkeypatch.setattr(page_flaws, "metas", moving)
    assert flaws_of(folder / "data.mdb") == ()
    assert len(looks) > 5


def key(seq: int) -> bytes:
    return seq.to_bytes(8, "big")


def test_flaws_are_told_with_the_events_that_they_take() -> None:
    flaws = [
        Flaw("bodies", 4, "gone", key(3), key(9)),
        Flaw("headers", 5, "gone", key(8), key(12)),
        Flaw("bodies", 6, "gone", key(40), key(40) + b"\0"),
        Flaw("ids", 7, "gone", b"x", None),
        Flaw("bodies", 8, "gone", key(70), None),
    ]
    assert told(flaws[:1]) == "page 4 (bodies): gone; what cannot be read is of the events #3 to #8"
    assert told(flaws).endswith("; 2 pages more; what cannot be read is of the events #3 to #11, #40, from #70 on")
    assert told(flaws[3:4]) == "page 7 (ids): gone"
    assert EMPTY > 1 << 60


# -- logs and views ------------------------------------------------------------------------------------------------


def spoil(data: Path, of: str, table: str, number: int) -> int:
    """Zeros in place of a leaf page of a table; its number."""
    folder = Folder(data / of).current()
    assert folder is not None
    opened = PageFile(folder / "data.mdb")
    newest = max(metas(opened), key=lambda each: each.commit)
    walk = Walk(opened, newest.last)
    page = [at.page for at, _ in walk.rows(table, walk.tables(newest.names)[table])][number]
    opened.close()
    with (folder / "data.mdb").open("r+b") as file:
        file.seek(page * PAGE_SIZE)
        file.write(bytes(PAGE_SIZE))
    return page


def copied(place: Path) -> Backup:
    return look_over(Backup(place)).backup


@pytest.mark.parametrize("table", ["headers", "bodies", "ids", "tree", "vaults"])
def test_a_log_with_a_page_that_is_gone_is_refused_and_repaired(data: Path, folder: Path, table: str) -> None:
    settings(data, 0, 300, 200)
    talk(data)
    backed_up(data, folder / "place")
    with Engine.open(data, writable=False) as engine:
        whole = digest(engine)
    page = spoil(data, "log", table, 0)
    for writable in (False, True):
        with pytest.raises(DamagedPages, match=rf"page {page} \({table}\).*dnam repair"):
            Engine.open(data, writable=writable)
    found = repair_pages(data, copied(folder / "place"))
    assert all(each.can for each in found.repairs)
    assert sound(data) > 300
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == whole


def test_a_log_that_was_cut_says_which_events_are_gone(data: Path, folder: Path) -> None:
    settings(data, 0, 300, 200)
    path = next((data / "log").glob("*/data.mdb"))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(Truncated, match=r"cut short.*of the events"):
        Engine.open(data)


def test_a_log_that_says_nothing_of_its_tables_is_not_repaired(data: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, folder / "place")
    path = next((data / "log").glob("*/data.mdb"))
    content = path.read_bytes()
    page = pages_of_names(path)
    path.write_bytes(content[: page * PAGE_SIZE] + bytes(PAGE_SIZE) + content[(page + 1) * PAGE_SIZE :])
    before = contents(data)
    with pytest.raises(Damaged, match="restore-backup"):
        repair_pages(data, copied(folder / "place"))
    assert contents(data) == before


def pages_of_names(path: Path) -> int:
    opened = PageFile(path)
    root = max(metas(opened), key=lambda each: each.commit).names.root
    opened.close()
    return root


def test_a_header_that_the_backup_does_not_have_cannot_be_repaired(data: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, folder / "place")
    with Engine.open(data, clock=FakeClock()) as engine:
        engine.record(drafted(setting("later")))
    spoil(data, "log", "headers", -1)
    before = contents(data)
    with pytest.raises(Damaged, match="which this backup of"):
        repair_pages(data, copied(folder / "place"))
    assert contents(data) == before


def test_no_log_is_not_repaired(data: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, folder / "place")
    shutil.rmtree(data)
    (data).mkdir()
    with pytest.raises(NotALog, match="there is no log"):
        repair_pages(data, copied(folder / "place"))


@pytest.mark.parametrize("harm", ["a page", "CURRENT"])
def test_views_that_are_damaged_are_not_used_and_built_again(data: Path, harm: str) -> None:
    settings(data, 0, 300, 200)
    talk(data)
    with Engine.open(data, writable=False) as engine:
        whole = digest(engine)
    if harm == "a page":
        spoil(data, "views", "history", 1)
    else:
        (data / "views" / "CURRENT").write_bytes(b"\0\0")
    with Engine.open(data, writable=False) as engine:
        assert digest(engine) == whole
        assert engine.live.views() is None
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == whole
        assert engine.live.views() is not None
    assert sound(data) > 300


def test_verify_looks_at_the_pages_of_a_large_log_first(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(data, 0, 300, 200)
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    spoil(data, "log", "bodies", 1)
    with pytest.raises(DamagedPages, match="of the events #"):
        sound(data)


def test_a_bad_page_is_no_error_of_the_log() -> None:
    assert not issubclass(BadPage, Damaged)


@pytest.mark.parametrize("place", ["log", "views"])
def test_a_second_meta_page_of_anything_is_damage_like_other_damage(folder: Path, place: str) -> None:
    with Engine.open(folder / "data", create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        engine.commit_views()
    (path,) = (folder / "data" / place).glob("*/data.mdb")
    with path.open("r+b") as file:
        file.seek(PAGE_SIZE)
        file.write(b"\xf7" * PAGE_SIZE)
    if place == "log":
        with pytest.raises(DamagedPages):
            Engine.open(folder / "data")
    else:
        with Engine.open(folder / "data", clock=FakeClock()) as engine:
            assert texts(engine) == ["hello there"]
