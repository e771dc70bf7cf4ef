"""`dnam learn` is killed behind each reply of a model that it records: nobody is asked for the same again."""

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from projections.events import Event, ExtractionAnswered, ItemUpserted, SummaryAnswered, SummaryRefreshed
from replay.engine import Engine
from replay.units import tagged
from tests.dnam.cli.memories import ROOT
from tests.kills.victims import sound

Replied = type[SummaryAnswered] | type[ExtractionAnswered]
SAMPLE = ROOT / "data" / "samples" / "garden-club.json"


@pytest.mark.parametrize(("replied", "made"), [(SummaryAnswered, SummaryRefreshed), (ExtractionAnswered, ItemUpserted)])
def test_killed_behind_a_reply_each_is_recorded_once(tmp_path: Path, replied: Replied, made: type[Event]) -> None:
    data = tmp_path / "data"
    dnam("import", "--data", str(data), "--audience", "guild", "--assistant", "dnam", "--no-learn", str(SAMPLE))
    code = f"from tests.kills.behind import killed_behind; killed_behind({replied.TAG!r})"
    learn = [sys.executable, "-c", code, "learn", "--data", str(data), "--yes"]
    ends = [subprocess.run(learn, check=False, capture_output=True, cwd=ROOT).returncode for _ in range(2)]
    assert ends == [-signal.SIGKILL] * 2
    dnam("learn", "--data", str(data), "--yes")
    sound(data)
    with Engine.open(data, writable=False) as engine:
        events = [event for _, event in tagged(engine, {replied.TAG, made.TAG}, engine.head().size)]
    asked = Counter(event.call.prompt_digest for event in events if isinstance(event, replied))
    assert len(asked) > len(ends)
    assert set(asked.values()) == {1}
    assert any(isinstance(event, made) for event in events)


def dnam(*command: str) -> None:
    subprocess.run([sys.executable, "-m", "dnam", *command], check=True, capture_output=True, cwd=ROOT)
