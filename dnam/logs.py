"""The program's log: lines for people or one JSON object a line, to stderr, without a word that anybody said.

    2026-03-06T18:00:00.123Z warning dnam: the mirror is kept up again
    {"at": "2026-03-06T18:00:00.123Z", "level": "warning", "logger": "dnam", "message": "…"}

What dnam logs itself is in its own words. Libraries log what they send and receive at their lower levels, and an
exception may quote what it choked on. So libraries are heard from `LIBRARIES` on whatever level is asked for, and of an
exception its type and where it was raised are told, its message only where dnam wrote it (`OWN_WORDS`). Secrets are
blotted out of whatever is left.
"""

import json
import logging
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TextIO

from dnam.errors import Unsuitable
from dnam.meaning.encoder import EncoderError
from dnam.model import ModelError
from dnam.settings import SETTINGS, Settings
from projections.errors import BadEvent
from replay.errors import LogError

LIBRARIES: Mapping[str, int] = {"discord": logging.INFO, "": logging.WARNING}
"""From which level on a library is heard, by the beginning of its name; the empty one is for all others. Below it,
discord.py logs whole messages, and anthropic whole prompts.
"""
OWN = "dnam"
OWN_WORDS = (LogError, ModelError, EncoderError, Unsuitable, BadEvent)
"""Errors whose messages quote nobody."""
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
BLOT = "(secret)"


@contextmanager
def logging_to(settings: Settings, stream: TextIO | None = None) -> Iterator[None]:
    """Log to a stream (stderr) in the form and from the level that the settings ask for, as long as the `with`."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_formatter(settings.log_format, _secrets(settings)))
    handler.addFilter(_is_heard)
    root, level = logging.getLogger(), getattr(logging, settings.log_level.upper())
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before)


def _is_heard(record: logging.LogRecord) -> bool:
    name = record.name.partition(".")[0]
    return name == OWN or record.levelno >= LIBRARIES.get(name, LIBRARIES[""])


def _secrets(settings: Settings) -> tuple[str, ...]:
    """Every secret's value that is set."""
    values = (getattr(settings, each.field) for each in SETTINGS if each.secret)
    return tuple(value for value in values if value)


def _formatter(form: str, secrets: Iterable[str]) -> logging.Formatter:
    return Lines(secrets) if form == "text" else JsonLines(secrets)


class Lines(logging.Formatter):
    """One line for people, and what an exception's trace is below it."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return self._blotted(self._line(fields_of(record)))

    def _line(self, fields: dict[str, object]) -> str:
        extra = " ".join(f"{name}={value}" for name, value in fields.items() if name not in FIRST)
        trace = "".join(f"\n    {each}" for each in _listed(fields.get("trace")))
        shown = f"{fields['at']} {fields['level']} {fields['logger']}: {fields['message']}"
        return " ".join(part for part in (shown, extra) if part) + trace

    def _blotted(self, line: str) -> str:
        for secret in self._secrets:
            line = line.replace(secret, BLOT)
        return line


class JsonLines(Lines):
    """One JSON object a line."""

    def _line(self, fields: dict[str, object]) -> str:
        return json.dumps(fields, default=str, ensure_ascii=False)


FIRST = frozenset({"at", "level", "logger", "message", "trace"})


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """What is told of a record: when, how grave, who says so, what, and what came along as `extra`."""
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    fields: dict[str, object] = {
        "at": f"{at}Z",
        "level": record.levelname.lower(),
        "logger": record.name,
        "message": _message(record),
    }
    fields |= {name: value for name, value in vars(record).items() if name not in STANDARD}
    error = record.exc_info[1] if record.exc_info else None
    return fields if error is None else fields | error_fields(error)


def _message(record: logging.LogRecord) -> str:
    """Of a library, the first line: asyncio appends whole tasks with what they raised."""
    text = record.getMessage()
    if record.name.partition(".")[0] == OWN:
        return " ".join(text.splitlines())
    return next(iter(text.splitlines()), "")


def error_fields(error: BaseException) -> dict[str, object]:
    """An exception's type, where it was raised, and its words where they are dnam's own."""
    frames = traceback.extract_tb(error.__traceback__)
    words = f": {error}" if isinstance(error, OWN_WORDS) else ""
    return {
        "error": f"{type(error).__name__}{words}",
        "trace": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }


def _listed(trace: object) -> list[str]:
    return [str(each) for each in trace] if isinstance(trace, list) else []
