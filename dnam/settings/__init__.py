"""Settings are data: one table, read once, by the one place that wires the program.

    allowed   what a value may be: a test and words
    setting   one line of the table, and the error that refuses a value
    tables/   the lines, by subject; `SETTINGS` is all of them
    values    every setting's value, typed
    reading   where values come from, and which source wins
    files     `.env` and `dnam.toml`
    foreign   names of other programs that set nothing here
    showing   `dnam settings`

A setting's value is looked for in `dnam.toml`; then under its own name in the environment and in `.env`; then under
each of its aliases (the names that the source documents use) in the same two places; then its default holds. An empty
value counts as not set. A value that is not allowed is refused by name, and nothing starts.
"""

from dnam.settings.files import read_dotenv, read_toml, unknown
from dnam.settings.foreign import FOREIGN, Foreign, unheeded
from dnam.settings.reading import DEFAULT, gather, read
from dnam.settings.setting import Setting, SettingError
from dnam.settings.showing import SettingShown, show
from dnam.settings.tables import SETTINGS
from dnam.settings.values import Settings

__all__ = [
    "DEFAULT",
    "FOREIGN",
    "SETTINGS",
    "Foreign",
    "Setting",
    "SettingError",
    "SettingShown",
    "Settings",
    "gather",
    "read",
    "read_dotenv",
    "read_toml",
    "show",
    "unheeded",
    "unknown",
]
