"""The one base of every error that dnam raises on purpose.

    DnamError
    ├── BadRequest            what was asked cannot be done as asked (projections, dnam)
    │   └── SettingError, …   a setting that is not allowed; others of the shell's own (dnam)
    ├── BadEvent              an event breaks a rule of its own form (projections)
    ├── LogError              the log, its keys or its views (replay/errors.py)
    └── ModelError, …         the shell's own (dnam)

A message says what was wrong and what to do about it.
"""


class DnamError(Exception):
    """Something that dnam expected might go wrong did; the text says what to do."""


class BadRequest(DnamError):
    """What was asked for cannot be done as asked. Nothing was written."""


class BadEvent(DnamError):
    """An event contradicts itself. It is refused before it is stored."""
