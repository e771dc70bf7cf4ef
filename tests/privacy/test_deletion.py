"""Deletion that holds: told, taken back, and looked for after everything that could bring it back."""

from pathlib import Path

import pytest

from tests.privacy import deletion
from tests.privacy.deletion import AFTER, ALL, SECRET, Act, Step, Story


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command line reads no `.env` of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)


def broken(steps: list[Step]) -> dict[str, set[str]]:
    """Where it is still found, by step; of the twin, where it is not."""
    failed = [each for each in steps if not each.holds]
    return {each.name: set(ALL - each.found if each.act == "nothing" else each.found & each.gone) for each in failed}


@pytest.mark.parametrize("act", ["nothing", "forget", "redact", "erase"])
async def test_what_was_taken_back_is_gone_for_good_and_its_twin_is_everywhere(tmp_path: Path, act: Act) -> None:
    steps = await deletion.told(tmp_path, act)
    assert [each.name for each in steps] == ["told", *AFTER]
    assert steps[0].found == ALL
    assert broken(steps) == {}
    if act == "forget":
        assert {"export", "events", "window"} <= steps[-2].found, "its person can list it and have it back"
        assert steps[-1].found == ALL, "a backup from before is the memory as it was then"


async def test_an_answer_that_repeats_one_word_of_a_redacted_message_is_gone(tmp_path: Path) -> None:
    """A number, a password, a name: the one word may be all that the message was deleted for."""
    assert broken(await Story(tmp_path, "redact", f"{SECRET} it is").tell()) == {}


async def test_what_an_answer_repeats_after_it_was_forgotten_comes_into_no_summary(tmp_path: Path) -> None:
    assert broken(await Story(tmp_path, "forget", tactful=False).tell()) == {}
