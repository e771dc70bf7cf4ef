"""Views of another version: what is told of them, and how they are known from damaged ones."""

from pathlib import Path
from zlib import crc32

import msgspec
import pytest

from projections.registry import FOLD
from replay.errors import DamagedViews
from replay.position import POSITION
from replay.recall.tables import TABLES as INDEX
from replay.store import DiskStore
from replay.versions import names, other_version, tells_version
from replay.views import Views
from tests.replay.stage import changed, views_folder


def opened_as(data: Path) -> tuple[str, list[str]]:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return store.version_of_views(), [each.what for each in store.findings]
    finally:
        store.close()


def dropped(data: Path, *tables: str) -> None:
    for table in tables:
        changed(data, table.encode(), b"", None)


def of_another_form() -> bytes:
    """How far views are, in the words of a program that says it in another way."""
    record = msgspec.msgpack.encode({"size": 3})
    return record + crc32(record, crc32(POSITION)).to_bytes(4, "little")


def test_what_is_told_of_views_of_another_version() -> None:
    assert other_version(["items@1"], []) == (
        "the views are of an earlier version (items@1 is not there), and neither used nor compared: the next command "
        "that writes builds them anew, and so does `dnam replay`"
    )
    assert other_version(INDEX, []).startswith("the views are of an earlier version, or of another Python's (")
    assert other_version([], ["dreams@1"]) == (
        "the views are of a newer version (dreams@1 is there): this dnam can read what is here, and must not write; "
        "install the newer one, or remove the folder `views`"
    )
    assert all(map(tells_version, (other_version(["a"], []), other_version([], ["a"]))))
    assert not tells_version("the views cannot be used")


def test_of_many_tables_the_first_are_named() -> None:
    assert names(["b", "a"]) == "a, b"
    assert names(["d", "c", "b", "a"]) == "a, b and 2 more"


def test_a_table_that_a_newer_program_added_keeps_nobody_from_reading(data: Path, filled: bytes) -> None:
    assert opened_as(data) == ("current", [])
    changed(data, b"dreams@1", b"key", b"value")
    assert opened_as(data) == ("newer", [other_version([], ["dreams@1"])])


@pytest.mark.parametrize("value", [b"", of_another_form()])
def test_an_earlier_version_may_say_in_another_form_how_far_it_is(data: Path, filled: bytes, value: bytes) -> None:
    dropped(data, "items@1")
    changed(data, b"meta", POSITION, value)
    assert opened_as(data) == ("earlier", [other_version(["items@1"], [])])


@pytest.mark.parametrize("value", [b"", of_another_form()])
def test_of_views_of_this_version_that_is_damage(data: Path, filled: bytes, value: bytes) -> None:
    views = Views(views_folder(data), FOLD, writable=False)
    assert views.written() is not None
    views.close()
    changed(data, b"meta", POSITION, value)
    assert opened_as(data)[0] == "unusable"


def test_what_is_damaged_behind_the_opening_is_told(data: Path, filled: bytes) -> None:
    views = Views(views_folder(data), FOLD, writable=True)
    with views._environment.begin(write=True) as transaction:
        transaction.put(POSITION, b"", db=views._meta)
    with pytest.raises(DamagedViews):
        views.written()
    with views._environment.begin(write=True) as transaction:
        transaction.delete(POSITION, db=views._meta)
    assert views.written() is None
    views.close()


def test_a_lost_table_is_damage_unless_a_newer_one_is_in_its_place(data: Path, filled: bytes) -> None:
    dropped(data, *INDEX)
    found, (told,) = opened_as(data)
    assert (found, told.endswith(" and 2 more is lost")) == ("unusable", True)
    changed(data, INDEX[0].replace("-words-", "-words-0").encode(), b"key", b"value")  # an index of another version
    assert opened_as(data)[0] != "unusable"
    dropped(data, "items@1")
    assert opened_as(data)[0] == "unusable"
    changed(data, b"items@9", b"key", b"value")
    assert opened_as(data)[0] == "newer"


def test_there_may_be_no_views(data: Path, filled: bytes) -> None:
    (data / "views" / "CURRENT").unlink()
    assert opened_as(data) == ("none", [])
