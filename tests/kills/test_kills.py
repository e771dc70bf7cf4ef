"""A command is killed at a random moment, mostly inside a commit: what was acknowledged is there, views = a rebuild.

DNAM_KILLS says how often in all; the ordinary run does a hundred and some. The counts are printed with `-s`.
"""

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from projections.items import items_of
from projections.lookup import find_people, people
from replay.engine import Engine
from tests.kills.nursery import Nursery
from tests.kills.victims import export, running, sound

ROUNDS = max(1, int(os.environ.get("DNAM_KILLS", "102")) // 3)
MANY = 6_000
"""Messages of which the views are written in several commits."""
ACKNOWLEDGED = re.compile("^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery(DNAM_VIEW_COMMIT_EVENTS="16") as nursery:
        yield nursery


@pytest.fixture
def dice() -> random.Random:
    """Random, and the same every time."""
    return random.Random(20240229)


def report(what: str, in_flight: int) -> None:
    """How many kills met a commit: at least half must."""
    sys.stdout.write(f"\n{what}: {ROUNDS} kills, {in_flight} with a commit in flight\n")
    assert in_flight * 2 >= ROUNDS


def test_chat(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight, kept = tmp_path / "data", 0, []
    for number in range(ROUNDS):
        with running(nursery, tmp_path, "chat", "--data", str(data), "--as", "ada") as child:
            facts = "".join(f"!memory remember fact {number} of part {part}\n" for part in range(40))
            child.process.write(facts)
            in_flight += child.kill_in_commit(dice.randint(1, 15), dice)
            kept += ACKNOWLEDGED.findall(child.process.read())
        if number % 5 == 0:
            sound(data)
    sound(data)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        (ada,) = find_people(rows, "ada")
        texts = {found.row.item.text for found in items_of(rows, ada)}
    assert len(kept) > ROUNDS
    assert set(kept) <= texts
    report("chat", in_flight)


def test_import(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight = tmp_path / "data", 0
    command = ("import", "--data", str(data), "--audience", "guild", str(tmp_path / "plans.json"))
    for number in range(ROUNDS):
        export(tmp_path, 20 * number + 20)  # so that there is always something new
        with running(nursery, tmp_path, *command) as child:
            in_flight += child.kill_in_commit(dice.randint(1, 6), dice)
        if number % 5 == 0:
            sound(data)
    subprocess.run([sys.executable, "-m", "dnam", *command], check=True, capture_output=True)
    sound(data)
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert len(people(rows)) == 5
        tags = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    heard = [record.id for record in tags if record is not None and record.event.TAG == "message.heard"]
    assert len(heard) == len(set(heard)) == 20 * ROUNDS
    report("import", in_flight)


def test_replay(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    data, in_flight = tmp_path / "data", 0
    command = ("import", "--no-learn", "--data", str(data), "--audience", "guild", str(export(tmp_path, MANY)))
    subprocess.run([sys.executable, "-m", "dnam", *command], check=True, capture_output=True)
    with Engine.open(data, writable=False) as engine:
        root = engine.head().root()
    for _ in range(ROUNDS):
        with running(nursery, tmp_path, "replay", "--data", str(data)) as child:
            in_flight += child.kill_in_commit(2, dice)  # the first one only says that the views are empty
    sound(data)
    assert len([each for each in (data / "views").iterdir() if each.is_dir()]) == 1
    with Engine.open(data, writable=False) as engine:
        assert engine.head().root() == root
    report("replay", in_flight)


def test_what_ended_before_is_not_counted_as_killed(tmp_path: Path, nursery: Nursery, dice: random.Random) -> None:
    with running(nursery, tmp_path, "people", "--data", str(tmp_path / "data")) as child:
        assert not child.kill_in_commit(1, dice)
        assert not child.is_killed
    with running(nursery, tmp_path, "chat", "--data", str(tmp_path / "data")) as child:
        child.process.write("!memory remember a cat\n")
        assert child.kill_in_commit(1, dice)
        assert child.is_killed
