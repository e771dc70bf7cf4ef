"""A look back says what counted then and was taken back since: it is not silently passed over."""

import shutil
from pathlib import Path

import pytest

from dnam.taken_back import TakenBack
from projections.ids import NOBODY, Seq, VaultId
from projections.lives import Address
from tests.dnam.cli.memories import ROOT, Ran, dnam

FRAME = "#26"
"""The message of which an item and later summaries were made."""
THEN = "80"
ITEM = "1 item of then cannot be read as it was: what it rested on was taken back since"
SUMMARY = "the summary of then cannot be read as it was: what it rested on was taken back since"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("club") / "data"
    sample = ROOT / "data" / "samples" / "garden-club.json"
    ran = dnam("import", sample, "--audience", "guild", "--assistant", "dnam", "--data", folder)
    assert ran.code == 0
    return folder


@pytest.fixture
def club(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "club"))


def redacted(folder: Path) -> Path:
    assert dnam("redact", FRAME, "--yes", "--data", folder).code == 0
    return folder


def told(ran: Ran) -> list[str]:
    """The notes, without those that name the moment."""
    lines = [each.removeprefix("dnam: ") for each in ran.err.splitlines()]
    return [each for each in lines if " recorded up to " not in each and " said up to " not in each]


@pytest.mark.parametrize(
    "asked", [("stats",), ("show", "Tobi"), ("summary", "plot-talk"), ("diff", "Tobi"), ("diff", "plot-talk")]
)
def test_where_nothing_was_taken_back_nothing_is_told(club: Path, asked: tuple[str, ...]) -> None:
    option = "--from" if asked[0] == "diff" else "--at"
    assert "taken back" not in dnam(*asked, option, THEN, "--data", club).err


def test_items_that_were_counted_then_are_said_to_be_missing(club: Path) -> None:
    assert "active             9" in dnam("stats", "--at", THEN, "--data", club).out
    ran = dnam("stats", "--at", THEN, "--data", redacted(club))
    assert "active             8" in ran.out
    assert told(ran) == [ITEM]


def test_of_a_person_their_items_and_summaries(club: Path) -> None:
    redacted(club)
    both = "1 item and the summary of then cannot be read as they were: what they rested on was taken back since"
    assert told(dnam("show", "Tobi", "--at", THEN, "--data", club)) == [both]
    assert told(dnam("show", "Ines", "--at", THEN, "--data", club)) == [SUMMARY]
    assert told(dnam("diff", "Tobi", "--from", THEN, "--data", club)) == [
        f"--from: {ITEM}",
        "nothing that is remembered of Tobi differs, as far as it can still be read",
    ]
    assert told(dnam("diff", "Ines", "--from", THEN, "--data", club)) == ["nothing that is remembered of Ines differs"]


def test_by_when_it_was_said_it_may_be_of_then(club: Path) -> None:
    redacted(club)
    (note,) = told(dnam("show", "Tobi", "--said", "2026-03-06", "--data", club))
    assert note.startswith("1 item and the summary that may be of then cannot be read as they were")


def test_an_older_summary_is_not_told_as_the_one_in_force(club: Path) -> None:
    before = dnam("summary", "plot-talk", "--at", THEN, "--data", club).out
    ran = dnam("summary", "plot-talk", "--at", THEN, "--data", redacted(club))
    assert ran.out
    assert ran.out != before
    assert told(ran) == [SUMMARY, "this is the last one before it that can be read"]
    assert told(dnam("diff", "plot-talk", "--from", THEN, "--data", club)) == [f"--from: {SUMMARY}"]


def test_behind_a_redaction_nothing_is_missing(club: Path) -> None:
    redacted(club)
    assert told(dnam("stats", "--at", "now", "--data", club)) == []
    assert told(dnam("show", "Tobi", "--at", "now", "--data", club)) == []


def test_a_summary_that_is_withheld_is_not_one_that_there_is_not_yet(club: Path) -> None:
    ran = dnam("summary", "plot-talk", "--data", redacted(club))
    assert (ran.code, ran.out) == (0, "")
    assert told(ran) == [
        "the summary of plot-talk is withheld, since something that it covered was taken back: "
        f"the next one is made with `dnam learn --data {club}`, or in talk"
    ]
    assert told(dnam("summary", "plot-talk", "--at", "now", "--data", club)) == [
        "the summary of plot-talk was withheld then: something that it covered was taken back"
    ]
    assert dnam("learn", "--data", club).code == 0
    assert dnam("summary", "plot-talk", "--data", club).out


def test_how_many_there_are_is_said_as_exactly_as_it_is_known() -> None:
    items = frozenset({Address(NOBODY, "self", "a"), Address(NOBODY, "self", "b")})
    others = frozenset({VaultId(b"v" * 16)})
    assert TakenBack().note() == ""
    assert TakenBack(items).note().startswith("2 items of then cannot be read as they were")
    assert TakenBack(items, others=others).note().startswith("2 items or more of then")
    assert TakenBack(others=others).note().startswith("items of then cannot be read as they were")
    two = {("one", 0): Seq(3), ("two", 0): Seq(4)}
    assert TakenBack(summaries=two).note().startswith("2 summaries of then")
