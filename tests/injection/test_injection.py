"""Attempts are held, what only resembles them is not; what was held is listed and in no prompt."""

from pathlib import Path

from tests.injection.rates import look_alikes, payloads, rates

LEAST = 300


def test_there_are_enough_of_every_kind() -> None:
    kinds = [each.kind for each in payloads()]
    assert len(kinds) >= LEAST
    assert len(set(look_alikes())) >= LEAST
    assert {kind for kind in kinds if kinds.count(kind) >= 4} == {
        "override",
        "role play",
        "exposure",
        "authority",
        "poisoning",
        "encoded",
        "split",
        "name",
        "file",
        "quoted",
        "blind",
        "third person",
        "polite",
        "language",
    }


async def test_attempts_are_held_and_look_alikes_are_not(tmp_path: Path) -> None:
    found = await rates(tmp_path)
    print(found, *found.missed, *found.mistaken, sep="\n")
    assert found.is_good, f"{found}\n{found.missed}\n{found.mistaken}"
