"""What nobody is asked about is made in one commit with what it reads, beside what somebody is asked about."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest

from dnam.courier import working
from dnam.rederiving.rederivation import rederiving
from dnam.rederiving.runs import Runs
from dnam.rederiving.spending import Spending
from dnam.rederiving.together import made_together
from dnam.rederiving.traffic import Traffic
from dnam.shadows.manifest import Manifest
from replay.log import Commit, Head, Syncing, untold
from replay.shadows.store import ShadowLog
from tests.dnam.rederiving.test_rederiving import told
from tests.dnam.rederiving.village import ASKED, SETTINGS, STAFF, Village, both, derive, reader
from tests.dnam.scripted import FakeClock
from tests.world import NOW


async def chat(there: Village) -> None:
    """Kim and Ada are learned from, and nobody decides anything."""
    for _ in range(3):
        await there.say("kim", "I like green tea")
        await there.say("ada", "I like rain")
        await there.say("kim", "I like green tea with milk", STAFF)
        await there.learn("kim")
        await there.learn("ada")
        await there.summarise()


class Something:
    """What somebody waits for."""

    def __await__(self) -> Generator[None]:
        yield


def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events go into each commit of a shadow from here on."""
    sizes: list[int] = []
    append = ShadowLog.append

    def counted(log: ShadowLog, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        sizes.append(len(commit.entries))
        return append(log, commit, expected, syncing)

    monkeypatch.setattr(ShadowLog, "append", counted)
    return sizes


@pytest.mark.parametrize("policy", ["apart@1", "closeness@2"])
def test_what_is_decided_anew_shares_a_commit_with_what_it_read(
    tmp_path: Path, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(tmp_path, chat)
    sizes = commits(monkeypatch)
    manifest = asyncio.run(derive(tmp_path, reader(), asked=msgspec.structs.replace(ASKED, merge_policy=policy)))
    live, shadow = both(tmp_path)
    assert len(sizes) < manifest.runs / 2
    assert max(sizes) > sum(sizes) / 2
    assert shadow["summaries"].items() >= live["summaries"].items()
    assert len(shadow["items"]) >= len(live["items"]) > 1


async def test_a_run_that_waits_for_something_is_not_made_with_others(tmp_path: Path) -> None:
    await asyncio.to_thread(told, tmp_path, chat)
    ended: list[str] = []

    async def waits(_: Runs) -> None:
        try:
            await Something()
        finally:
            ended.append("let go")

    async with rederiving(tmp_path, SETTINGS, reader(), Manifest("next", ASKED, NOW, "", ""), FakeClock()) as it:
        runs = it._runs(Spending(), Traffic(), None)
        with pytest.raises(AssertionError, match="waits for something"):
            await working(it.memory.engine, made_together(it.memory, runs, [waits]))
    assert ended == ["let go"]
