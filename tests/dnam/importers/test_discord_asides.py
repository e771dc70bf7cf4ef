"""What an export has of commands to the memory is nothing that was said, as live: neither they nor what it replies."""

from pathlib import Path
from typing import Any

import pytest

from dnam.importers.discord_asides import COMMAND, REPLY, SHOWN
from dnam.importers.source import Options
from tests.dnam.importers.files import BOT, KIM, LEE, export, heard, message, reasons, source, user

ASSISTED = Options(assistants=(BOT["id"],))
FORGET = "!memory forget I like tea"
SNAPSHOT = "**Memory of Kim**\n**Durable memory (active):**\n- I like tea\n\nLog: 7 events, root 99e5…"


def replying(n: int, content: str, to: dict[str, Any], author: dict[str, Any] = BOT) -> dict[str, Any]:
    return message(n, content, author, type="Reply", reference={"messageId": to["id"], "channelId": "500"})


def said(folder: Path, *messages: dict[str, Any], options: Options = ASSISTED, **channel: Any) -> list[str]:
    return [each.text for each in heard(folder, export(*messages, **channel), options)]


def skipped(folder: Path, *messages: dict[str, Any], options: Options = ASSISTED) -> dict[str, int]:
    return dict(reasons(source(folder, export(*messages)).read(options)))


@pytest.mark.parametrize(
    "words",
    [FORGET, "!memory", "  !Memory   show", "!memory nonsense", "@dnam !memory", "@DNAM  !memory", "@bot !memory"],
)
def test_a_command_is_not_heard(tmp_path: Path, words: str) -> None:
    bot = BOT | {"nickname": "bot"}
    command = message(1, words, mentions=[bot])
    assert said(tmp_path, command, message(2, "hello")) == ["hello"]
    assert skipped(tmp_path, command) == {COMMAND: 1}


def test_a_mention_by_id_stands_in_front_of_a_command_too(tmp_path: Path) -> None:
    marks = [f"<@{BOT['id']}>", f"<@!{BOT['id']}>", "<@&77>"]
    assert said(tmp_path, *(message(n, f"{each} {FORGET}") for n, each in enumerate(marks, 1))) == []


def test_what_is_said_to_somebody_else_is_said(tmp_path: Path) -> None:
    told = [message(1, f"@Lee {FORGET}", mentions=[LEE]), message(2, f"type {FORGET}"), message(3, "!memories of tea")]
    assert said(tmp_path, *told) == [" " + FORGET, f"type {FORGET}", "!memories of tea"]
    webhook = user("kim", "77", bot=True, disc="0000")
    assert said(tmp_path, message(1, FORGET, webhook)) == [FORGET]


def test_neither_is_the_reply_to_it_in_all_its_parts(tmp_path: Path) -> None:
    command = message(1, FORGET)
    parts = [replying(2, "Forgot 1 item(s).", command), message(3, "- I like tea", BOT)]
    later = replying(9, "I like tea `durable-1`", parts[0])
    assert said(tmp_path, command, *parts, message(4, "hello"), message(5, "and hello", BOT), later) == [
        "hello",
        "and hello",
    ]
    assert skipped(tmp_path, command, *parts, later) == {COMMAND: 1, REPLY: 3}


def test_a_reply_follows_its_command_at_once_where_it_does_not_say_so(tmp_path: Path) -> None:
    command, follows = message(1, FORGET), message(2, "Forgot: I like tea", BOT)
    assert said(tmp_path, command, follows) == []
    assert said(tmp_path, command, message(2, "hm", LEE), message(3, "Forgot: I like tea", BOT)) == [
        "hm",
        "Forgot: I like tea",
    ]


def test_an_answer_to_what_was_said_is_heard_right_behind_a_command(tmp_path: Path) -> None:
    asked, command = message(1, "what is tea?"), message(2, FORGET, LEE)
    assert said(tmp_path, asked, command, replying(3, "a drink", asked), message(4, "and a plant", BOT)) == [
        "what is tea?",
        "a drink",
        "and a plant",
    ]


@pytest.mark.parametrize("kind", ["ChatInputCommand", "ContextMenuCommand", "20", "23"])
def test_what_a_slash_command_brought_is_not_heard(tmp_path: Path, kind: str) -> None:
    assert said(tmp_path, message(1, "I like tea", BOT, type=kind), message(2, "and more of it", BOT)) == []


def test_nor_is_what_any_interaction_with_the_assistant_brought(tmp_path: Path) -> None:
    brought = {"interaction": {"id": "9", "name": "memory show", "user": KIM}}
    assert said(tmp_path, message(1, "I like tea", BOT, **brought)) == []
    assert said(tmp_path, message(1, "I like tea", BOT, **brought), options=Options()) == []


def test_of_other_bots_only_what_is_the_memory_s_by_its_looks(tmp_path: Path) -> None:
    other = user("tunes", bot=True)
    command = message(1, FORGET)
    song = message(2, "♫", other, interaction={"id": "9", "name": "play", "user": KIM})
    assert said(tmp_path, command, song, message(3, "louder", other)) == ["♫", "louder"]
    assert said(tmp_path, command, message(2, "tea", other)) == ["tea"]
    assert said(tmp_path, command, message(2, "♫", other, type="20"), options=Options()) == ["♫"]


def test_nobody_has_to_say_who_the_assistant_was(tmp_path: Path) -> None:
    command = message(1, "@dnam " + FORGET, mentions=[BOT])
    parts = [replying(2, "Forgot 1 item(s).", command), message(3, "- I like tea", BOT)]
    assert said(tmp_path, command, *parts, message(4, "hello"), options=Options()) == ["hello"]
    assert said(tmp_path, message(1, SNAPSHOT, BOT), options=Options()) == []


def test_what_a_transparency_channel_shows_is_not_heard(tmp_path: Path) -> None:
    there = ASSISTED._replace(memory_channel="500")
    assert said(tmp_path, message(1, "I like tea", BOT), message(2, "nice"), options=there) == ["nice"]
    assert said(tmp_path, message(1, "I like tea", BOT), options=there._replace(memory_channel="501")) == ["I like tea"]
    assert skipped(tmp_path, message(1, SNAPSHOT, BOT)) == {SHOWN: 1}
    assert said(tmp_path, message(1, SNAPSHOT)) == [SNAPSHOT]


def test_what_was_edited_into_a_command_takes_back_what_was_heard(tmp_path: Path) -> None:
    edited = message(1, FORGET, timestampEdited="2024-01-01T00:00:00.000+00:00")
    (request,) = heard(tmp_path, export(edited, replying(2, "Forgot: I like tea", edited)), ASSISTED)
    assert request.only_known
    assert request.edited is not None


def test_a_notice_of_the_platform_stands_between_nothing(tmp_path: Path) -> None:
    notice = message(2, "Pinned a message.", LEE, type="ChannelPinnedMessage")
    assert said(tmp_path, message(1, FORGET), notice, message(3, "Forgot: I like tea", BOT)) == []
