"""`dnam settings`: the table with the values in force."""

from dataclasses import dataclass

from dnam.settings.allowed import Value
from dnam.settings.setting import Setting
from dnam.settings.tables import SETTINGS
from dnam.settings.values import Settings


@dataclass(frozen=True, slots=True)
class SettingShown:
    """One line of `dnam settings`. A secret's value is never in it."""

    name: str
    value: str
    default: str
    origin: str
    allowed: str
    help: str


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


def _in_words(setting: Setting, value: Value) -> str:
    if setting.secret:
        return "(set)" if value else ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return ",".join(value)
    return "" if value is None else str(value)
