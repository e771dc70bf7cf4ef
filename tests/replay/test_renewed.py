"""An environment that is opened anew between two transactions."""

import threading
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from replay.lmdb_file import open_environment
from replay.renewed import Renewed


@pytest.fixture
def opened() -> list[lmdb.Environment]:
    """What was opened, in order."""
    return []


@pytest.fixture
def opening(tmp_path: Path, opened: list[lmdb.Environment]) -> Callable[[], lmdb.Environment]:
    def again() -> lmdb.Environment:
        opened.append(open_environment(tmp_path, writable=True, durable=False))
        return opened[-1]

    return again


def test_what_was_committed_is_there_when_it_is_open_again(
    opening: Callable[[], lmdb.Environment], opened: list[lmdb.Environment]
) -> None:
    one, tables = Renewed(opening), list[object]()
    with one.begin(write=True) as transaction:
        transaction.put(b"key", b"kept")
    assert one.renew(lambda: tables.append(one.open_db(b"table", create=True)))
    assert (len(opened), len(tables)) == (2, 1)
    with one.begin() as transaction:
        assert transaction.get(b"key") == b"kept"
    with pytest.raises(lmdb.Error):
        opened[0].begin()
    one.sync()
    one.close()


def test_a_transaction_that_raises_leaves_nothing_and_is_over(opening: Callable[[], lmdb.Environment]) -> None:
    one = Renewed(opening)

    def breaks_off() -> None:
        with one.begin(write=True) as transaction:
            transaction.put(b"key", b"lost")
            raise KeyError

    with pytest.raises(KeyError):
        breaks_off()
    assert one.renew(lambda: None)
    with one.begin() as transaction:
        assert transaction.get(b"key") is None
    one.close()


@pytest.mark.parametrize("write", [False, True])
def test_it_is_not_opened_anew_while_a_transaction_is_under_way(
    opening: Callable[[], lmdb.Environment], opened: list[lmdb.Environment], write: bool
) -> None:
    one = Renewed(opening)
    first = one.begun()
    with one.begin(write=write):
        assert not one.renew(lambda: None)
    assert not one.renew(lambda: None)
    assert first.get(b"key") is None
    one.over(first)
    assert len(opened) == 1
    assert one.renew(lambda: None)
    one.close()


def test_whoever_begins_meanwhile_waits_until_it_is_open(opening: Callable[[], lmdb.Environment]) -> None:
    one, found = Renewed(opening), list[object]()

    def look() -> None:
        with one.begin() as transaction:
            found.append(transaction.get(b"key"))

    looking = threading.Thread(target=look)

    def tables_are_opened() -> None:
        looking.start()
        looking.join(0.05)
        assert (looking.is_alive(), found) == (True, [])

    assert one.renew(tables_are_opened)
    looking.join(10)
    assert found == [None]
    one.close()


def test_what_cannot_be_opened_is_closed_until_it_can(tmp_path: Path) -> None:
    refuses = [False]

    def opening() -> lmdb.Environment:
        if refuses[0]:
            raise OSError("too many open files")
        return open_environment(tmp_path, writable=True, durable=False)

    one = Renewed(opening)
    refuses[0] = True
    with pytest.raises(OSError, match="too many open files"):
        one.renew(lambda: None)
    with pytest.raises(lmdb.Error):
        one.begin()
    refuses[0] = False
    assert one.renew(lambda: None)  # what could not begin is not under way
    with one.begin() as transaction:
        assert transaction.get(b"key") is None
    one.close()
