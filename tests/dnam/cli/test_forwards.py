"""What was forwarded in an export goes with the message that it shows, and with who said that."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.dnam.cli.memories import dnam
from tests.dnam.importers.files import KIM, LEE, export, message, write

WORDS = "I am treated for zqillqz"
SOURCE = message(1, WORDS)
SHOWN = {"content": WORDS, "attachments": [], "stickers": []}
WHERE = {"messageId": SOURCE["id"], "channelId": "500", "type": "Forward"}
FORWARD = message(6, "", LEE, forwardedMessage=SHOWN, reference=WHERE)
OTHER = message(5, "the compost is full", LEE)
KIM_HERE = f"discord:{KIM['id']}"


def imported(folder: Path, name: str, *messages: object) -> None:
    file = write(folder / name, export(*messages))
    assert dnam("import", file, "--audience", "guild", "--yes", "--data", folder / "data").code == 0


def found(folder: Path, words: str = "zqillqz") -> bool:
    return words in dnam("search", words, "--data", folder / "data").out


@pytest.mark.parametrize("act", [("redact", f"discord:{SOURCE['id']}"), ("erase", KIM_HERE)])
def test_it_goes_with_it_and_does_not_come_back(tmp_path: Path, act: Sequence[str]) -> None:
    imported(tmp_path, "a.json", SOURCE, OTHER, FORWARD)
    assert found(tmp_path)
    assert dnam(*act, "--yes", "--data", tmp_path / "data").code == 0
    assert (found(tmp_path), found(tmp_path, "compost")) == (False, True)
    again = message(7, "", LEE, forwardedMessage=SHOWN, reference=WHERE)
    imported(tmp_path, "b.json", SOURCE, OTHER, FORWARD, again)
    assert not found(tmp_path)


def test_what_somebody_said_who_opted_out_is_not_brought_in(tmp_path: Path) -> None:
    imported(tmp_path, "a.json", OTHER)
    assert dnam("opt-out", KIM_HERE, "--yes", "--data", tmp_path / "data").code == 0
    imported(tmp_path, "b.json", SOURCE, OTHER, FORWARD)
    assert not found(tmp_path)
