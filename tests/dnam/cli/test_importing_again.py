"""What was taken back stays taken back, whatever file comes in afterwards: what it was in is in many exports."""

from pathlib import Path
from typing import Any

import pytest

from tests.dnam.cli.memories import dnam
from tests.dnam.importers.files import BOT, KIM, LEE, T0, export, flake, message, write
from tests.dnam.importers.test_clanky import database, fact, lore

KIM_ID = f"discord:{KIM['id']}"
QUINCES = "I prefer pears over quinces"
HELLO = (message(1, QUINCES), message(2, "hello all", LEE), message(3, "hello!", BOT))


def came_in(folder: Path, *messages: dict[str, Any], assistant: str = "dnam") -> str:
    """Import a channel that everybody could read, as it is exported now; what was said of it."""
    given = write(folder / "talk.json", export(*messages))
    said = ["--assistant", assistant] if assistant else []
    done = dnam("import", given, "--audience", "guild", *said, "--yes", "--data", folder / "data")
    assert done.code == 0, done
    return done.out


def told(folder: Path, *words: str | Path) -> str:
    done = dnam(*words, "--data", folder / "data")
    assert done.code == 0, done
    return done.out


def known(folder: Path) -> str:
    """What a prompt there has, and what is found of the word."""
    found = dnam("search", "quinces", "--in", "talk", "--data", folder / "data").out
    return found + told(folder, "prompt", "Lee", "how are you?", "--in", "talk") + told(folder, "summary", "talk")


def replying(n: int, content: str, to: dict[str, Any]) -> dict[str, Any]:
    return message(n, content, BOT, type="Reply", reference={"messageId": to["id"], "channelId": "500"})


def test_commands_and_their_replies_bring_no_forgotten_words_back(tmp_path: Path) -> None:
    came_in(tmp_path, *HELLO)
    told(tmp_path, "forget", KIM_ID, f"User prefers {QUINCES.removeprefix('I prefer ')}.", "--in", "talk")
    asked = message(50, "!memory forget User prefers pears over quinces")
    said = came_in(
        tmp_path,
        *HELLO,
        asked,
        replying(51, "Forgot 1 item(s).\n- [preference] User prefers pears over quinces.", asked),
        message(52, "!memory remember my bank is far"),
        message(53, "ok", LEE),
    )
    assert "Imported 1 message; 3 known already; 3 skipped." in said
    assert "skipped 2: a command to the memory" in said
    assert "skipped 1: what the memory replied to a command" in said
    assert "quinces" not in dnam("search", "quinces", "--in", "talk", "--data", tmp_path / "data").out
    assert "bank" not in known(tmp_path)


def test_what_the_assistant_said_to_a_message_that_was_redacted_does_not_come_in(tmp_path: Path) -> None:
    came_in(tmp_path, *HELLO)
    told(tmp_path, "redact", f"discord:{HELLO[0]['id']}", "--yes")
    marked = replying(4, "You prefer quinces", HELLO[0])
    came_in(tmp_path, *HELLO, marked, message(5, "quinces, so to say", BOT), message(6, "x", LEE))
    assert "quinces" not in known(tmp_path)
    follows = message(1, "You like quinces", BOT, id=flake(T0 + 1500))
    came_in(tmp_path, HELLO[0], follows, *HELLO[1:])
    assert "quinces" not in known(tmp_path)


def test_nor_does_what_it_said_to_who_opted_out(tmp_path: Path) -> None:
    came_in(tmp_path, *HELLO[1:])
    told(tmp_path, "opt-out", KIM_ID, "--yes")
    asked = message(10, QUINCES)
    came_in(
        tmp_path,
        *HELLO[1:],
        asked,
        message(11, "Quinces are good for you", BOT),
        message(12, "ok then", LEE),
        replying(13, "You said quinces", asked),
        message(14, "quinces, again", BOT),
    )
    assert "quinces" not in known(tmp_path).casefold()
    assert "ok then" in known(tmp_path)


def test_a_summary_from_before_an_erasure_does_not_come_in(tmp_path: Path) -> None:
    came_in(tmp_path, *HELLO[:2], assistant="")
    told(tmp_path, "export", "--discoclaw", tmp_path / "files")
    told(tmp_path, "erase", KIM_ID, "--yes")
    said = told(tmp_path, "import", tmp_path / "files", "--yes")
    assert "skipped 1: summary of a channel from before somebody was erased" in said
    assert dnam("summary", "talk", "--data", tmp_path / "data").out == ""
    assert "quinces" not in told(tmp_path, "prompt", "Lee", "how are you?", "--in", "talk")


def remembered(folder: Path, *, by: str | None = KIM["id"]) -> Path:
    """What Clanky remembered of Kim's first message: of Kim, and of the server."""
    what = {"guild_id": "100", "channel_id": "500", "source_message_id": HELLO[0]["id"], "evidence_text": "quinces"}
    of_kim = what | {"user_id": KIM["id"], "subject": KIM["id"]}
    return database(
        folder / "clanky", lore("Quinces are in season", **what, user_id=by), fact("Likes quinces", **of_kim)
    )


def shown(folder: Path) -> str:
    """What is remembered of Kim, and of the server."""
    return "".join(dnam("show", who, "--data", folder / "data").out for who in (KIM_ID, "Lee"))


@pytest.mark.parametrize("first", [True, False], ids=["items first", "messages first"])
@pytest.mark.parametrize("act", ["redact", "erase"])
def test_what_was_learned_of_a_message_goes_with_it_whichever_came_in_first(
    tmp_path: Path, act: str, first: bool
) -> None:
    given = remembered(tmp_path)
    if first:
        told(tmp_path, "import", given, "--no-learn", "--yes")
    messages = write(tmp_path / "talk.json", export(*HELLO))
    told(tmp_path, "import", messages, "--audience", "guild", "--no-learn", "--yes")
    if not first:
        told(tmp_path, "import", given, "--no-learn", "--yes")
    assert shown(tmp_path).count("uinces") == 3
    told(tmp_path, act, f"discord:{HELLO[0]['id']}" if act == "redact" else KIM_ID, "--yes")
    assert "uinces" not in shown(tmp_path)


@pytest.mark.parametrize("by", [KIM["id"], None], ids=["by its file", "by the message"])
def test_what_was_learned_of_who_opted_out_does_not_come_in(tmp_path: Path, by: str | None) -> None:
    came_in(tmp_path, message(1, "hello"), *HELLO[1:])
    told(tmp_path, "opt-out", KIM_ID, "--yes")
    said = told(tmp_path, "import", remembered(tmp_path, by=by), "--yes")
    assert "Imported nothing new; 2 skipped." in said
    assert "uinces" not in shown(tmp_path)
