"""No rule of words or of recall gives another result under the same version; nor does another hash seed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from projections.recall.words import word_term
from tests.projections.recall import pinned
from tests.projections.recall.stage import WAYS, reckon

ROOT = Path(__file__).parents[3]
HITS = "from tests.projections.recall.pinned import hits; import sys; sys.stdout.buffer.write(hits().encode())"


@pytest.mark.parametrize("way", WAYS)
def test_another_result_has_another_version(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    was, now = pinned.kept(), pinned.pinned_now()
    if differ := pinned.differing(was, now):
        pytest.fail("\n".join(differ), pytrace=False)
    assert was == now, "run python -m tests.projections.recall.pinned: it pins what is new, or has a new version"
    assert pinned.FILE.read_text(encoding="utf-8") == pinned.as_text(now)


def test_what_differs_says_which_version_to_raise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    was, now = pinned.kept(), pinned.pinned_now()
    score, text = now["recall"]["Mary"]["said"][0]
    now["recall"]["Mary"]["said"][0] = [score + 1, text]
    (sentence,) = pinned.differing(was, now)
    assert "'Mary' has another result under recall@" in sentence
    assert "raise `VERSION` in projections/recall/scoring.py" in sentence
    now["words"][pinned.TEXTS[0]]["terms"] += f" {word_term('more').hex()}×1"
    assert "raise `VERSION` in projections/recall/words.py" in pinned.differing(was, now)[0]
    there = tmp_path / "pinned.json"
    there.write_bytes(pinned.FILE.read_bytes())
    monkeypatch.setattr(pinned, "FILE", there)
    monkeypatch.setattr(pinned, "pinned_now", lambda: now)
    with pytest.raises(SystemExit, match="raise `VERSION`"):
        pinned.main()
    assert pinned.kept() == was
    for part in now.values():
        part["version"] += "+1"
    pinned.main()
    assert pinned.kept() == now


def test_what_is_found_does_not_depend_on_the_hash_seed() -> None:
    """Nor does any score, nor any of its reasons, nor their order."""
    found = {
        subprocess.run(
            [sys.executable, "-c", HITS],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert found == {pinned.hits().encode()}
    assert len(pinned.hits().splitlines()) > len(pinned.QUESTIONS)
