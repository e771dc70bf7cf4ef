"""A disk that takes nothing any more during a derivation: what broke it off is told, and not what came of that."""

import asyncio
import errno
import os
from pathlib import Path

import lmdb
import pytest

import dnam.rederiving.rederivation
from dnam.model import Ask
from dnam.shadows import load
from replay.errors import CannotWrite, LogFull
from replay.log import Commit, Head, Syncing, untold
from replay.shadow_store import ShadowLog
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import derive, reader, talk
from tests.dnam.scripted import Calling, down


def full(*_: object) -> None:
    """A file that cannot be written."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "shadow.json.new")


def given_up(*_: object) -> None:
    """What LMDB says of an environment whose last commit the disk refused."""
    raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC: Update of meta page failed or environment had fatal error")


@pytest.mark.parametrize(("name", "fails"), [("save", full), ("unusable_in", given_up)])
def test_why_it_broke_off_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, fails: object) -> None:
    told(tmp_path, talk)
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), "whole", OTHER))
    append, left = ShadowLog.append, 6

    def refused(log: ShadowLog, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        nonlocal left
        left -= 1
        if left:
            return append(log, commit, expected, syncing)
        monkeypatch.setattr(dnam.rederiving.rederivation, name, fails)
        raise LogFull("the disk of the shadow is full: make room")

    with monkeypatch.context() as patched:
        patched.setattr(ShadowLog, "append", refused)
        with pytest.raises(
            CannotWrite, match=r"make room|takes writes again"
        ):  # of several under way, whichever is first
            asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    monkeypatch.undo()
    assert load(tmp_path, "next").state == "under way"
    asyncio.run(derive(tmp_path, reader("enjoys", name="other"), asked=OTHER))
    assert load(tmp_path, "next").state == load(tmp_path, "whole").state == "complete"


def test_a_disk_that_refuses_what_it_took_is_told_where_something_else_broke_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(tmp_path, talk)
    broken = reader("enjoys", name="other")

    def unplugged(ask: Ask) -> str | Calling:
        monkeypatch.setattr(dnam.rederiving.rederivation, "save", full)
        return down(ask)

    broken.scripts["extraction"] = unplugged
    with pytest.raises(LogFull, match="is full"):
        asyncio.run(derive(tmp_path, broken, asked=OTHER))
