"""The log: two forms, nobody's words, no secrets."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from freezegun import freeze_time

from dnam.logs import logging_to
from dnam.model import ModelDown
from dnam.settings import Settings, read
from replay.errors import LogFull
from tests.dnam.scripted import FakeClock, ScriptedModel, down, say, talking

TOKEN = "MTAwMDAw.GhIjKl.abcdefghijklmnop"
OURS = logging.getLogger("dnam.adapters.discord")


@contextmanager
def written(**environment: str) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with logging_to(read(environment, {}), stream):
        yield stream


def json_lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@freeze_time("2026-03-06T18:00:00.123Z")
def test_a_line_for_people() -> None:
    with written() as stream:
        OURS.warning("it took %d s", 3, extra={"session": "discord:channel:1"})
    assert stream.getvalue() == (
        "2026-03-06T18:00:00.123Z warning dnam.adapters.discord: it took 3 s session=discord:channel:1\n"
    )


@freeze_time("2026-03-06T18:00:00.123Z")
def test_one_object_a_line() -> None:
    with written(DNAM_LOG_FORMAT="json") as stream:
        OURS.info("öffnet\nsich", extra={"count": 2})
    assert stream.getvalue().count("\n") == 1
    assert json_lines(stream) == [
        {
            "at": "2026-03-06T18:00:00.123Z",
            "level": "info",
            "logger": "dnam.adapters.discord",
            "message": "öffnet sich",
            "count": 2,
        }
    ]


@pytest.mark.parametrize(
    ("level", "heard"),
    [("debug", "debug info warning"), ("info", "info warning"), ("warning", "warning"), ("error", "")],
)
def test_it_begins_with_the_level_that_is_asked_for(level: str, heard: str) -> None:
    with written(DNAM_LOG_LEVEL=level, DNAM_LOG_FORMAT="json") as stream:
        for each in ("debug", "info", "warning"):
            getattr(OURS, each)("said")
    assert " ".join(str(line["level"]) for line in json_lines(stream)) == heard


def test_libraries_are_not_heard_where_they_log_what_they_send() -> None:
    with written(DNAM_LOG_LEVEL="debug", DNAM_LOG_FORMAT="json") as stream:
        logging.getLogger("discord.gateway").debug("WebSocket Event: %s", {"content": "my garden is wet"})
        logging.getLogger("anthropic._base_client").debug("Request options: %s", "my garden is wet")
        logging.getLogger("httpx").info("HTTP Request: POST")
        logging.getLogger("discord.gateway").info("connected")
        logging.getLogger("asyncio").error("Task exception was never retrieved\nfuture: KeyError('my garden is wet')")
    assert [line["message"] for line in json_lines(stream)] == ["connected", "Task exception was never retrieved"]


def raised(error: Exception) -> str:
    with written(DNAM_LOG_FORMAT="json") as stream:
        try:
            raise error
        except type(error):
            OURS.exception("it failed")
    (line,) = json_lines(stream)
    assert line["message"] == "it failed"
    assert "test_logs.py" in str(line["trace"])
    return str(line["error"])


def test_an_exception_is_told_by_its_type_and_its_place() -> None:
    assert raised(ValueError("my garden is wet")) == "ValueError"
    assert raised(LogFull("the disk is full")) == "LogFull: the disk is full"
    assert raised(ModelDown("no answer")) == "ModelDown: no answer"


def test_for_people_the_trace_stands_below() -> None:
    with written() as stream:
        try:
            raise ValueError("my garden is wet")
        except ValueError:
            OURS.exception("it failed")
    first, second = stream.getvalue().splitlines()
    assert first.endswith("it failed error=ValueError")
    assert second.startswith("    ")
    assert second.endswith("test_for_people_the_trace_stands_below")


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_blotted_out(form: str) -> None:
    with written(DISCORD_TOKEN=TOKEN, ANTHROPIC_API_KEY="sk-ant-1", DNAM_LOG_FORMAT=form) as stream:
        OURS.warning("tried %s and %s", TOKEN, "sk-ant-1", extra={"header": f"Bot {TOKEN}"})
    assert TOKEN not in stream.getvalue()
    assert "sk-ant-1" not in stream.getvalue()
    assert stream.getvalue().count("(secret)") == 3


def test_afterwards_all_is_as_before() -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    with written():
        assert len(root.handlers) == len(before[0]) + 1
    assert (list(root.handlers), root.level) == before


async def test_a_conversation_leaves_none_of_its_words_in_the_log(tmp_path: Path) -> None:
    a_file = tmp_path / "a file"
    a_file.touch()
    words = {"marzipan", "velocipede", "harpsichord"}
    settings: Settings = read({"DNAM_LOG_LEVEL": "debug"}, {})
    stream = io.StringIO()
    model = ScriptedModel({"answer": lambda _: "harpsichord", "summary": down, "extraction": lambda _: "marzipan"})
    with logging_to(settings, stream):
        async with talking(
            tmp_path / "data", model, FakeClock(), summary_every_n_turns="1", durable_every_n_turns="1",
            json_mirror="1", json_mirror_dir=str(a_file / "mirror"),
        ) as assistant:  # fmt: skip
            await say(assistant, "100", "I like marzipan", "and my velocipede")
        OURS.info("done")
    assert "cannot be kept up" in stream.getvalue()
    assert "done" in stream.getvalue()
    assert not [word for word in words if word in stream.getvalue()]
