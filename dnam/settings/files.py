"""The files that settings are read from: `.env` as the shell would have it, and `dnam.toml`.

dnam.toml    assistant_name = "dnam"          a setting's name in small letters, without DNAM_
             allow_users = ["1", "2"]         a list, or one text with commas
             max_cost_per_day = 2.50          numbers and switches as TOML has them
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from dnam.nearest import nearest
from dnam.settings.setting import Setting, SettingError
from dnam.settings.tables import SETTINGS

OURS = "DNAM_"
"""How the names of settings begin that belong to no other program."""
QUOTES = ". A text stands in quotes, a switch is true or false"
"""What TOML's own words for a value that it cannot read leave out."""


def read_dotenv(path: Path) -> dict[str, str]:
    """What a `.env` file says; nothing when there is none. `$` has no meaning in it: a secret may contain one.

    Raises SettingError for a line that cannot be read, and for a name that begins as one of ours and is none.
    """
    if not path.is_file():
        return {}
    from dotenv.parser import parse_stream

    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8") as file:
            for line in parse_stream(file):
                if line.error:
                    raise SettingError(str(path), _broken(path, line.original.line))
                if line.key is not None and line.value is not None:
                    found[line.key] = line.value
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(str(path), f"{path} cannot be read: {error}") from error
    _refuse_unknown(path, found)
    return found


def _broken(path: Path, line: int) -> str:
    """What a line says may be a secret."""
    return f"{path} cannot be read: line {line} is no NAME=VALUE, or a quote in it is not closed"


def _refuse_unknown(path: Path, names: Iterable[str]) -> None:
    for name, words in _unknown(names):
        raise SettingError(name, f"{path}: {words}")


def unknown(environment: Iterable[str]) -> list[str]:
    """The names in an environment that begin as ours and are none, in words. They are not refused as those in a file
    are: an environment is not written for us alone.
    """
    return [f"environment: {words}" for _, words in _unknown(sorted(environment))]


def _unknown(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names that begin as ours and are none, and what to say of each."""
    known = {name for setting in SETTINGS for name in (setting.name, *setting.aliases)}
    for name in names:
        if name.startswith(OURS) and name not in known:
            yield name, f"there is no setting {name!r}{_meant(nearest(name, known))}"


def _meant(near: str) -> str:
    return f"; did you mean {near}?" if near else "; `dnam settings` lists them all"


def read_toml(path: Path) -> dict[str, str]:
    """What a `dnam.toml` says, as texts by the settings' own names; nothing when there is none.

    Raises SettingError for a folder, a file that is no TOML, a key that is no setting, and a value that is no text,
    number, switch or list of texts and numbers, or is a switch where the setting is none.
    """
    if path.is_dir():  # a container makes one where a file that is to be mounted is not there
        raise SettingError(str(path), f"{path} is a folder: remove it, or put the file with the settings in its place")
    if not path.is_file():
        return {}
    by_field = {setting.field: setting for setting in SETTINGS if setting.name != "DNAM_CONFIG"}
    lines = ((_setting(path, key, value, by_field), value) for key, value in _parsed(path).items())
    return {setting.name: _text(path, setting, value) for setting, value in lines}


def _parsed(path: Path) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except (OSError, ValueError) as error:  # no TOML; no text; not to be read
        hint = QUOTES if str(error).startswith("Invalid value") else ""
        raise SettingError(str(path), f"{path} cannot be read: {error}{hint}") from error


def _setting(path: Path, key: str, value: object, by_field: Mapping[str, Setting]) -> Setting:
    if isinstance(value, dict):
        raise SettingError(key, f"{path}: [{key}] begins a table, and there are none: leave that line out")
    if key in by_field:
        return by_field[key]
    near = nearest(key.removeprefix(OURS).lower(), by_field)
    raise SettingError(key, f"{path}: there is no setting {key!r}{_meant(near)}")


def _text(path: Path, setting: Setting, value: object) -> str:
    key = setting.field
    match value:
        case bool() if setting.type is bool:
            return "1" if value else "0"
        case bool():
            raise SettingError(key, f"{path}: {key} is no switch; allowed: {setting.allowed.words}")
        case str() | int() | Decimal():
            return str(value)
        case list() if all(isinstance(each, str | int) and not isinstance(each, bool) for each in value):
            return ",".join(map(str, value))
        case _:
            raise SettingError(key, f"{path}: {key} may be a text, a number, a switch or a list of texts and numbers")
