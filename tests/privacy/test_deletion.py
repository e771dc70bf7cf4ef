"""Deletion that holds: told, taken back, and looked for after everything that could bring it back."""

from pathlib import Path
from typing import get_args

import pytest

from tests.privacy import deletion
from tests.privacy.deletion import (
    AFTER,
    ALL,
    REWORDED,
    SECRET,
    WORDS,
    Act,
    Quoting,
    Step,
    Story,
    everywhere,
    found,
    take_back,
)
from tests.privacy.town import EVERY_TURN, town_on_disk


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command line reads no `.env` of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)


def broken(steps: list[Step]) -> dict[str, set[str]]:
    """Where it is still found, by step; of the twin, where it is not."""
    failed = [each for each in steps if not each.holds]
    return {each.name: set(ALL - each.found if each.act == "nothing" else each.found & each.gone) for each in failed}


@pytest.mark.parametrize("act", get_args(Act))
async def test_what_was_taken_back_is_gone_for_good_and_its_twin_is_everywhere(tmp_path: Path, act: Act) -> None:
    steps = await deletion.told(tmp_path, act)
    assert [each.name for each in steps] == ["told", *AFTER]
    assert steps[0].found == ALL
    assert broken(steps) == {}
    assert (steps[AFTER.index("said again in other words") + 1].found >= REWORDED) == (act != "forget")
    if act == "forget":
        assert {"export", "events", *everywhere("window")} <= steps[-2].found, "its person can list it and have it back"
        assert everywhere("window", "summary") <= steps[-1].found, "what was said is there as it was then"


async def test_an_answer_that_repeats_one_word_of_a_redacted_message_is_gone(tmp_path: Path) -> None:
    """A number, a password, a name: the one word may be all that the message was deleted for."""
    assert broken(await Story(tmp_path, "redact", f"{SECRET} it is").tell()) == {}


async def test_an_answer_that_repeats_what_was_edited_is_gone_once_the_edit_was_read(tmp_path: Path) -> None:
    """The item that it was learned as stands until then, and is told."""
    steps = await Story(tmp_path, "edit", tactful=False).tell()
    assert {name for name in broken(steps) if name not in AFTER[:2]} == set()


async def test_an_answer_elsewhere_that_drew_on_an_item_goes_with_what_was_said(tmp_path: Path) -> None:
    """Told in public, repeated in the DM, where nothing but the item said it; and answers and summaries of that."""
    async with town_on_disk(tmp_path / "data", EVERY_TURN, Quoting(WORDS, tactful=False)) as made:
        made.oracle.says(SECRET, "kim", "general")
        request = made.request("kim", "general", WORDS, "told")
        await made.replies(await made.memory.hear(request))
        for n in range(3):
            await made.says("kim", "dm kim", f"and the jars, {n}?")
        public = ("durable in general", "search in general", "show in general", "summary in general")
        private = ("durable in dm kim", "summary in dm kim", "window in dm kim", "events", "rows")
        assert {*public, *private} <= await found(made)
        await take_back(made, [request])
        assert await found(made) == frozenset()
        await made.says("kim", "dm kim", "and now?")
        assert await found(made) == frozenset()


async def test_what_was_made_of_an_earlier_version_of_a_message_goes_with_it(tmp_path: Path) -> None:
    """It was answered and learned from as it was first said; how it is said now brought nothing new."""
    async with town_on_disk(tmp_path / "data", EVERY_TURN, Quoting(WORDS, tactful=False)) as made:
        made.oracle.says(SECRET, "kim", "general")
        request = made.request("kim", "general", WORDS, "told")
        await made.replies(await made.memory.hear(request))
        edited = request._replace(text=f"{WORDS} indeed", edited=made.memory.now())
        await made.memory.hear(edited)
        assert {"durable in general", "window in general", "events", "rows"} <= await found(made)
        await take_back(made, [request])
        assert await found(made) == frozenset()


async def test_what_an_answer_repeats_after_it_was_forgotten_comes_into_no_summary(tmp_path: Path) -> None:
    assert broken(await Story(tmp_path, "forget", tactful=False).tell()) == {}
