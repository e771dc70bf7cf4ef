"""The files that settings are read from: `.env` as the shell would have it, and `dnam.toml`.

dnam.toml    assistant_name = "dnam"          a setting's name in small letters, without DNAM_
             allow_users = ["1", "2"]         a list, or one text with commas
             max_cost_per_day = 2.50          numbers and switches as TOML has them
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from dnam.settings.setting import Setting, SettingError
from dnam.settings.tables import SETTINGS


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


def read_toml(path: Path) -> dict[str, str]:
    """What a `dnam.toml` says, as texts by the settings' own names; nothing when there is none.

    Raises SettingError for a file that is no TOML, a key that is no setting, and a value that is no text, number,
    switch or list of texts and numbers.
    """
    if not path.is_file():
        return {}
    by_field = {setting.field: setting for setting in SETTINGS if setting.name != "DNAM_CONFIG"}
    return {_setting(path, key, by_field).name: _text(path, key, value) for key, value in _parsed(path).items()}


def _parsed(path: Path) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except (OSError, ValueError) as error:  # no TOML; no text; not to be read
        raise SettingError(str(path), f"{path} cannot be read: {error}") from error


def _setting(path: Path, key: str, by_field: Mapping[str, Setting]) -> Setting:
    if key in by_field:
        return by_field[key]
    near = nearest(key.removeprefix("DNAM_").lower(), by_field)
    meant = f"; did you mean {near}?" if near else "; `dnam settings` lists them all"
    raise SettingError(key, f"{path}: there is no setting {key!r}{meant}")


def nearest(word: str, words: Iterable[str]) -> str:
    """The known word that is most like one that is not known; empty when none is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(words), 1)), "")


def _text(path: Path, key: str, value: object) -> str:
    match value:
        case bool():
            return "1" if value else "0"
        case str() | int() | Decimal():
            return str(value)
        case list() if all(isinstance(each, str | int) and not isinstance(each, bool) for each in value):
            return ",".join(map(str, value))
        case _:
            raise SettingError(key, f"{path}: {key} may be a text, a number, a switch or a list of texts and numbers")
