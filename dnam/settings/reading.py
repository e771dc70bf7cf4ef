"""Where a value comes from: which source wins, and what is made of its text."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from dnam.settings.allowed import URL, Between, Ids, Value
from dnam.settings.files import read_dotenv, read_toml
from dnam.settings.setting import Setting, SettingError
from dnam.settings.tables import SETTINGS
from dnam.settings.values import Settings

TOML = "dnam.toml"
DEFAULT = "default"
"""The origin of a value that nobody gave."""
Texts = Mapping[str, str]


def gather(environment: Texts, folder: Path) -> Settings:
    """Every setting's value as a program that is started in `folder` finds it: `dnam.toml`, the environment, `.env`.

    DNAM_CONFIG names another file than `dnam.toml`, which then has to be there. Raises SettingError for a file that
    cannot be read, and for the first value that is not allowed.
    """
    dotenv = read_dotenv(folder / ".env")
    named = read(environment, dotenv).config
    path = folder / (named or TOML)
    if named is not None and not path.is_file():
        raise SettingError("DNAM_CONFIG", f"DNAM_CONFIG: there is no file {path}")
    return read(environment, dotenv, read_toml(path))


def read(environment: Texts, dotenv: Texts, toml: Texts | None = None) -> Settings:
    """Every setting's value. Raises SettingError for the first one that is not allowed.

    `toml` has the texts of `dnam.toml` by the settings' own names; it wins over the environment (design §10).
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for setting in SETTINGS:
        found = _find(setting, environment, dotenv, toml or {})
        values[setting.field] = _parse(setting, found)
        origins[setting.name] = found.origin
    if not values["summary_max_chars"]:  # as in seed 002: a summary without room is none
        values["summary_enabled"] = False
        origins["DNAM_SUMMARY_ENABLED"] = origins["DNAM_SUMMARY_MAX_CHARS"]
    return Settings(**values, origins=origins)


@dataclass(frozen=True, slots=True)
class _Found:
    text: str
    origin: str
    is_alias: bool = False


def _find(setting: Setting, environment: Texts, dotenv: Texts, toml: Texts) -> _Found:
    if text := toml.get(setting.name, "").strip():
        return _Found(text, f"{TOML} {setting.field}")
    for name in (setting.name, *setting.aliases):
        alias = "" if name == setting.name else " (alias)"
        for place, values in (("environment", environment), (".env", dotenv)):
            if text := values.get(name, "").strip():
                return _Found(text, f"{place} {name}{alias}", name != setting.name)
    return _Found(setting.default, DEFAULT)


EMPTY: Mapping[object, Value] = {Path: None, Ids: ()}


def _parse(setting: Setting, found: _Found) -> Value:
    if not found.text:
        return EMPTY.get(setting.type, "")
    try:
        value = PARSERS[setting.type](found.text)
    except ValueError:
        raise _refusal(setting, found) from None
    if setting.raised and found.is_alias and isinstance(setting.allowed, Between) and isinstance(value, int):
        value = max(value, setting.allowed.low)
    if not setting.allowed.admits(value):
        raise _refusal(setting, found)
    return value


def _refusal(setting: Setting, found: _Found) -> SettingError:
    hidden = setting.secret or setting.allowed == URL  # an address may have a password in it
    what = "its value" if hidden else repr(found.text)
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


def _amount(text: str) -> Decimal:
    # Decimal() alone would take NaN, 1e9 and the digits of every script.
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text):
        raise ValueError(text)
    return Decimal(text)


def _path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # ~ of a user that does not exist
        raise ValueError(text) from error


def _ids(text: str) -> Ids:
    """Each once, in the order given."""
    return tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip(" ,"))))


PARSERS: Mapping[object, Callable[[str], Value]] = {
    bool: _switch,
    int: _number,
    Decimal: _amount,
    str: str,
    Path: _path,
    Ids: _ids,
}
