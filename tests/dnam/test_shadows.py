"""A manifest that dnam cannot have written is refused, with the way out, and holds nothing else up."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.shadows import Asked, Manifest, forget_erased, listing, load, save
from projections.errors import BadRequest
from replay.keyring import KeyRing
from replay.ringfile import MemoryRingStore

WELL = Manifest("next", Asked("a", "a", "extraction@3", "summary@2", "apart@1", people=("ab" * 16,)), 1, "", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "other"},
        {"upto": -5},
        {"log": "zz"},
        {"of": "ab"},
        {"asked": msgspec.structs.replace(WELL.asked, people=("zz",))},
        {"asked": msgspec.structs.replace(WELL.asked, people=("ab",))},
        {"asked": msgspec.structs.replace(WELL.asked, since=-1)},
    ],
)
def test_a_manifest_of_nonsense_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (tmp_path / "shadows" / "next").mkdir(parents=True)
    save(tmp_path, WELL)
    assert load(tmp_path, "next") == WELL
    file = tmp_path / "shadows" / "next" / "shadow.json"
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(WELL, **wrong)))
    with pytest.raises(BadRequest, match="`dnam shadows drop next` removes the shadow"):
        load(tmp_path, "next")
    forget_erased(tmp_path, KeyRing.create(MemoryRingStore()))
    assert listing(tmp_path) == []


def test_a_manifest_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shadows" / "next" / "shadow.json").mkdir(parents=True)
    with pytest.raises(BadRequest, match="cannot be read"):
        load(tmp_path, "next")
