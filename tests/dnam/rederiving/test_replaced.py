"""A live log that is replaced while a memory is derived anew from it, as by compacting it or erasing somebody."""

import shutil
from pathlib import Path

import msgspec
import pytest

from dnam.rederiving.rederivation import rederiving
from dnam.shadows.manifest import Manifest
from replay.folder import Folder, remove_for_good
from replay.store import MOST_RETIRED
from tests.dnam.rederiving.village import ASKED, SETTINGS, both, derive, reader, talk, village
from tests.dnam.scripted import FakeClock
from tests.world import NOW

OTHER = msgspec.structs.replace(ASKED, model="other", summary_model="other")


def replace_log(data: Path) -> None:
    """Put a copy of the live log in force, as another process does that compacts it."""
    log = Folder(data / "log")
    current = log.current()
    assert current is not None
    with log.building() as fresh:
        shutil.copy(current / "data.mdb", fresh)
        log.put_in_force(fresh)
    remove_for_good(current)


async def test_a_log_that_is_replaced_over_and_over_is_walked_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with village(tmp_path) as there:
        for _ in range(4):
            await talk(there)
    for each in ("replay.lmdb_log.CHUNK", "replay.units.CHUNK"):
        monkeypatch.setattr(each, 2)
    monkeypatch.setattr("dnam.rederiving.walk.AT_ONCE", 2)
    replaced = 0

    def tell(*_: int) -> None:
        nonlocal replaced
        replace_log(tmp_path)
        replaced += 1

    manifest = Manifest("next", OTHER, NOW, "", "")
    async with rederiving(tmp_path, SETTINGS, reader("enjoys", name="other"), manifest, FakeClock()) as derivation:
        done = await derivation.run(tell)
    assert (done.state, replaced > 2 * MOST_RETIRED) == ("complete", True)
    await derive(tmp_path, reader("enjoys", name="other"), "calm", asked=OTHER)
    assert both(tmp_path)[1] == both(tmp_path, "calm")[1]
