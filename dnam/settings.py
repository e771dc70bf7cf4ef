"""Settings are data: one table, read once, by the one place that wires the program.

A setting's value is looked for under its own name, in the environment and then in `.env`; then under each of its
aliases (the names that the source documents use) in the same two places; then its default holds. An empty value counts
as not set. A value that is not allowed is refused by name, and nothing starts.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Value = bool | int | str | Path | None


class SettingError(ValueError):
    """A setting has a value that is not allowed. The message names the variable and what it may be."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class Allowed(Protocol):
    """What a value may be: a test, and the same in words for the reference and for refusals."""

    @property
    def words(self) -> str: ...

    def admits(self, value: Value) -> bool: ...


@dataclass(frozen=True, slots=True)
class Between:
    low: int
    high: int

    @property
    def words(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def admits(self, value: Value) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Shaped:
    """A text that matches a pattern from its first character to its last."""

    pattern: str
    words: str

    def admits(self, value: Value) -> bool:
        return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None


@dataclass(frozen=True, slots=True)
class Zone:
    words: str = "an IANA time zone, as Europe/Berlin"

    def admits(self, value: Value) -> bool:
        # Imported late: it is slow to load, and hardly anybody sets a zone.
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(str(value))
        except (KeyError, ValueError, OSError):  # unknown; not a plain name; a folder of zones
            return False
        return True


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever could be read as the setting's type."""

    words: str

    def admits(self, value: Value) -> bool:
        return value is not None


SWITCH = Anything("1, true, yes, on; 0, false, no, off")
FOLDER = Anything("a folder")
MODEL = Shaped(r"\S+", "a model's name, without spaces")
SECRET = Shaped(r"[!-~]+", "one word of plain letters, digits and signs")
PASSPHRASE = Shaped(r".{8,1024}", "8 or more characters")
LANGUAGE = Shaped(r"[a-z]{2,8}(-[a-z0-9]{1,8})*", "a language tag in small letters, as en")
# Names stand in prompts, in brackets and on a line of their own.
NAME = Shaped(
    r"[^\s\[\](){}<>]([^\[\](){}<>\x00-\x1f\x7f\u2028\u2029]{0,30}[^\s\[\](){}<>])?",
    "1 to 32 characters, one line, no brackets",
)
LATER = "Takes effect with the Claude model, a later part; until then the offline model does this."
CHARACTERS = Between(0, 100_000)
TURNS = Between(1, 1_000)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `default` is written as a person would write it; empty means none."""

    name: str
    type: type[bool | int | str | Path]
    default: str
    allowed: Allowed
    help: str
    aliases: tuple[str, ...] = ()
    secret: bool = False

    @property
    def field(self) -> str:
        """The attribute of `Settings` that holds it."""
        return self.name.removeprefix("DNAM_").lower()


SETTINGS: tuple[Setting, ...] = (
    Setting("DNAM_DATA", Path, "data", FOLDER, "Where the log, the keys and the views are kept."),
    Setting("DNAM_TIMEZONE", str, "", Zone(), "The zone in which times are shown to people. Empty: the system's."),
    Setting(
        "DNAM_LANGUAGE",
        str,
        "en",
        LANGUAGE,
        "The language that the offline model, the stop list and the guards assume.",
    ),
    Setting("DNAM_ASSISTANT_NAME", str, "dnam", NAME, "What the assistant is called in prompts and in the chat."),
    Setting(
        "DNAM_CONTEXT_DIR",
        Path,
        "",
        FOLDER,
        "A folder of text files that open every prompt. Empty: none.",
    ),
    Setting(
        "DNAM_MEMORY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether memory is used and learned at all. Answers are given either way.",
        ("MEMORY_ENABLED",),
    ),
    Setting(
        "DNAM_MEMORY_COMMANDS_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether people may use `!memory` and its commands.",
        ("DISCOCLAW_MEMORY_COMMANDS_ENABLED",),
    ),
    Setting(
        "DNAM_SUMMARY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether each session has a rolling summary.",
        ("DISCOCLAW_SUMMARY_ENABLED",),
    ),
    Setting(
        "DNAM_SUMMARY_MODEL",
        str,
        "haiku",
        MODEL,
        f"The model that writes summaries. {LATER}",
        ("DISCOCLAW_SUMMARY_MODEL",),
    ),
    Setting(
        "DNAM_SUMMARY_MAX_CHARS",
        int,
        "2000",
        CHARACTERS,
        "How long a summary may be, in characters.",
        ("DISCOCLAW_SUMMARY_MAX_CHARS",),
    ),
    Setting(
        "DNAM_SUMMARY_EVERY_N_TURNS",
        int,
        "5",
        TURNS,
        "After how many turns of a session its summary is refreshed.",
        ("DISCOCLAW_SUMMARY_EVERY_N_TURNS",),
    ),
    Setting(
        "DNAM_ERA_REFRESHES",
        int,
        "20",
        Between(1, 1_000),
        "After how many refreshes a session's summary begins a new era, with a key of its own.",
    ),
    Setting(
        "DNAM_DURABLE_MEMORY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether durable items are put into prompts and learned from what people say.",
        ("DISCOCLAW_DURABLE_MEMORY_ENABLED",),
    ),
    Setting(
        "DNAM_DURABLE_MODEL",
        str,
        "haiku",
        MODEL,
        f"The model that extracts durable items. {LATER}",
        ("DISCOCLAW_DURABLE_MODEL",),
    ),
    Setting(
        "DNAM_DURABLE_EVERY_N_TURNS",
        int,
        "10",
        TURNS,
        "After how many turns of a person durable items are extracted from what they said.",
        ("DISCOCLAW_DURABLE_EVERY_N_TURNS",),
    ),
    Setting(
        "DNAM_DURABLE_INJECT_MAX_CHARS",
        int,
        "2000",
        CHARACTERS,
        "How many characters of durable items a prompt may hold.",
        ("DISCOCLAW_DURABLE_INJECT_MAX_CHARS",),
    ),
    Setting("DNAM_DURABLE_INJECT_MAX_ITEMS", int, "12", Between(0, 1_000), "How many durable items a prompt may hold."),
    Setting(
        "DNAM_DURABLE_MAX_ITEMS",
        int,
        "200",
        Between(1, 10_000),
        "How many durable items are kept for a person, deprecated ones counted.",
        ("DISCOCLAW_DURABLE_MAX_ITEMS",),
    ),
    Setting(
        "DNAM_MESSAGE_HISTORY_BUDGET",
        int,
        "3000",
        CHARACTERS,
        "How many characters of recent conversation a prompt may hold.",
        ("DISCOCLAW_MESSAGE_HISTORY_BUDGET",),
    ),
    Setting("DNAM_MESSAGE_HISTORY_COUNT", int, "20", Between(0, 1_000), "How many recent messages a prompt may hold."),
    Setting(
        "DNAM_ANSWER_MODEL",
        str,
        "sonnet",
        MODEL,
        f"The model that answers. {LATER}",
    ),
    Setting(
        "DNAM_MODEL_TIMEOUT_SECONDS",
        int,
        "30",
        Between(1, 600),
        "How long a model may take before its answer is given up.",
    ),
    Setting(
        "DNAM_VIEW_COMMIT_EVENTS",
        int,
        "512",
        Between(1, 100_000),
        "After how many events the views are written to disk.",
    ),
    Setting(
        "DNAM_JSON_MIRROR",
        bool,
        "0",
        SWITCH,
        "Whether DiscoClaw's own files (durable/*.json, rolling/*.json) are kept up beside the memory, in the clear.",
    ),
    Setting(
        "DNAM_JSON_MIRROR_DIR",
        Path,
        "",
        FOLDER,
        "Where these files lie, in a folder of their own. Empty: in mirror/ in the folder of the memory.",
    ),
    Setting(
        "DNAM_BACKUP_PASSPHRASE",
        str,
        "",
        PASSPHRASE,
        "The passphrase of the keys in a backup. Empty: it is asked for in the terminal.",
        secret=True,
    ),
    Setting(
        "ANTHROPIC_API_KEY",
        str,
        "",
        SECRET,
        "The key for Claude. Takes effect in a later part; without it everything is done offline.",
        secret=True,
    ),
    Setting(
        "DISCORD_TOKEN",
        str,
        "",
        SECRET,
        "The bot's token. Without it `dnam run` opens the chat in the terminal. Connecting to Discord is a later part.",
        secret=True,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting's value. tests/dnam/test_settings.py holds these fields against the table."""

    data: Path
    timezone: str
    language: str
    assistant_name: str
    context_dir: Path | None
    memory_enabled: bool
    memory_commands_enabled: bool
    summary_enabled: bool
    summary_model: str
    summary_max_chars: int
    summary_every_n_turns: int
    era_refreshes: int
    durable_memory_enabled: bool
    durable_model: str
    durable_every_n_turns: int
    durable_inject_max_chars: int
    durable_inject_max_items: int
    durable_max_items: int
    message_history_budget: int
    message_history_count: int
    answer_model: str
    model_timeout_seconds: int
    view_commit_events: int
    json_mirror: bool
    json_mirror_dir: Path | None
    backup_passphrase: str = field(repr=False)
    anthropic_api_key: str = field(repr=False)
    discord_token: str = field(repr=False)
    origins: Mapping[str, str] = field(repr=False)
    """Where each value came from, by the setting's name."""


@dataclass(frozen=True, slots=True)
class SettingShown:
    """One line of `dnam settings`. A secret's value is never in it."""

    name: str
    value: str
    default: str
    origin: str
    allowed: str
    help: str


def read(environment: Mapping[str, str], dotenv: Mapping[str, str]) -> Settings:
    """Every setting's value. Raises SettingError for the first one that is not allowed."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in SETTINGS:
        found = _find(setting, environment, dotenv)
        values[setting.field] = _parse(setting, found)
        origins[setting.name] = found.origin
    return Settings(**values, origins=origins)


def read_dotenv(path: Path) -> dict[str, str]:
    """What a `.env` file says; nothing when there is none. `$` has no meaning in it: a secret may contain one."""
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        found = dotenv_values(path, interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(str(path), f"{path} cannot be read: {error}") from error
    return {name: value for name, value in found.items() if value is not None}


def show(settings: Settings) -> list[SettingShown]:
    """The table with the values in force, for people and for `--json`."""
    return [
        SettingShown(
            name=setting.name,
            value=_in_words(setting, getattr(settings, setting.field)),
            default=setting.default,
            origin=settings.origins[setting.name],
            allowed=setting.allowed.words,
            help=setting.help,
        )
        for setting in SETTINGS
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    text: str
    origin: str


def _find(setting: Setting, environment: Mapping[str, str], dotenv: Mapping[str, str]) -> _Found:
    for name in (setting.name, *setting.aliases):
        alias = "" if name == setting.name else " (alias)"
        for place, values in (("environment", environment), (".env", dotenv)):
            if text := values.get(name, "").strip():
                return _Found(text, f"{place} {name}{alias}")
    return _Found(setting.default, "default")


def _parse(setting: Setting, found: _Found) -> Value:
    if not found.text:
        return None if setting.type is Path else ""
    try:
        value = PARSERS[setting.type](found.text)
    except ValueError:
        raise _refusal(setting, found) from None
    if not setting.allowed.admits(value):
        raise _refusal(setting, found)
    return value


def _refusal(setting: Setting, found: _Found) -> SettingError:
    what = "its value" if setting.secret else repr(found.text)
    return SettingError(
        setting.name, f"{setting.name}: {what} is not allowed (from {found.origin}); allowed: {setting.allowed.words}"
    )


SWITCHES = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def _switch(text: str) -> bool:
    if text.lower() not in SWITCHES:
        raise ValueError(text)
    return SWITCHES[text.lower()]


def _number(text: str) -> int:
    # int() alone would take 1_000 and the digits of every script.
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # ~ of a user that does not exist
        raise ValueError(text) from error


PARSERS: Mapping[type, Callable[[str], Value]] = {bool: _switch, int: _number, str: str, Path: _path}


def _in_words(setting: Setting, value: Value) -> str:
    if setting.secret:
        return "(set)" if value else ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else str(value)
