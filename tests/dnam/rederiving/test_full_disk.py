"""A disk that takes nothing any more during a derivation: what broke it off is told, and not what came of that."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import lmdb
import pytest

import dnam.rederiving.rederivation
from dnam.model import Ask
from dnam.shadows.manifest import load
from replay.errors import CannotWrite, LogFull
from replay.lmdb_file import LITTLE_ROOM
from replay.log import Commit, Head, Syncing, untold
from replay.shadows.store import ShadowLog
from tests.dnam.rederiving.test_rederiving import OTHER, told
from tests.dnam.rederiving.village import derive, reader, talk
from tests.dnam.scripted import Calling, ScriptedModel, down


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


def paid() -> ScriptedModel:
    """Each call of it is on somebody's bill."""
    return ScriptedModel(reader("enjoys").scripts, "other", paid=True)


def rooms(monkeypatch: pytest.MonkeyPatch, room: Callable[[], int], blocks: int = 1000) -> None:
    """The disk says that it has so many bytes left."""
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_blocks=blocks, f_bavail=room(), f_frsize=1))


def test_nobody_is_asked_and_paid_where_a_reply_may_have_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(tmp_path, talk)
    model, most = paid(), 0
    rooms(monkeypatch, lambda: LITTLE_ROOM - (len(model.asks) >= most))
    for most in (0, 2, 2):
        with pytest.raises(LogFull, match="is full: make room"):
            asyncio.run(derive(tmp_path, model, asked=OTHER))
        assert (len(model.asks), load(tmp_path, "next").state) == (most, "under way")
    most = 1000
    assert asyncio.run(derive(tmp_path, model, asked=OTHER)).state == "complete"
    prompts = [ask.prompt for ask in model.asks]
    assert len(set(prompts)) == len(prompts) > 2


@pytest.mark.parametrize(("model", "blocks"), [(paid, 0), (lambda: reader("enjoys", name="other"), 1000)])
def test_a_disk_that_does_not_know_and_what_costs_nothing_ask_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Callable[[], ScriptedModel], blocks: int
) -> None:
    told(tmp_path, talk)
    rooms(monkeypatch, lambda: 0, blocks)
    assert asyncio.run(derive(tmp_path, model(), asked=OTHER)).state == "complete"
