"""What holds for a person in a place: dynamic configuration over settings, per key.

The narrowest scope that has a value wins: the person, the thread, its channel, the guild, everything. Where none has,
the setting holds, which is from `dnam.toml`, the environment or its default (design §10). A value that this program
does not allow (a newer one's) counts as not set.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, cast

from dnam.settings import Settings
from projections.config import ConfigRow, configured, scopes_for
from projections.ids import Handle, Ref
from projections.policies.configurable import BY_NAME, KEYS
from projections.rows import Rows

RespondMode = Literal["mention", "all", "owner", "none"]
Learn = Literal["addressed", "heard", "none"]

SETTING_OF: Mapping[str, Callable[[Settings], tuple[str, object]]] = {
    "respond_mode": lambda settings: ("DNAM_RESPOND_MODE", settings.respond_mode),
    "context_history": lambda settings: ("DNAM_MESSAGE_HISTORY_COUNT", settings.message_history_count),
    "learn": lambda settings: ("DNAM_LEARN", settings.learn),
    "retention_days": lambda settings: ("DNAM_RETENTION_DAYS", settings.retention_days),
}
"""The setting that holds where no scope has a value."""


class PlaceConfig(NamedTuple):
    """What holds for one person in one place. `context_history` is in messages; 0 `retention_days` is for ever."""

    respond_mode: RespondMode
    context_history: int
    learn: Learn
    retention_days: int


class Held(NamedTuple):
    """A key, the value that holds, and which scope or source it is from."""

    key: str
    value: str
    origin: str


def config_for(
    rows: Rows, settings: Settings, person: Handle, place: Ref | None, guild: Ref | None, parent: Ref | None = None
) -> PlaceConfig:
    """What holds now for a person (NOBODY: for whoever) in a place of a guild, if it is in one. `parent` is the channel
    of a thread, where it is known before the thread was ever described.
    """
    values = {each.key: each.value for each in held(rows, settings, person, place, guild, parent)}
    return PlaceConfig(
        cast(RespondMode, values["respond_mode"]),
        int(values["context_history"]),
        cast(Learn, values["learn"]),
        int(values["retention_days"]),
    )


def held(
    rows: Rows, settings: Settings, person: Handle, place: Ref | None, guild: Ref | None, parent: Ref | None = None
) -> tuple[Held, ...]:
    """The same with where each value is from, in the order of the keys."""
    scopes = tuple(map(str, scopes_for(rows, person, place, guild, parent)))
    return tuple(_held(rows, settings, key.name, scopes) for key in KEYS)


def _held(rows: Rows, settings: Settings, key: str, scopes: tuple[str, ...]) -> Held:
    row = _allowed(rows, key, scopes)
    if row is not None:
        return Held(key, row.value, row.scope)
    name, value = SETTING_OF[key](settings)
    return Held(key, str(value), settings.origins[name])


def _allowed(rows: Rows, key: str, scopes: tuple[str, ...]) -> ConfigRow | None:
    found = (configured(rows, key, (scope,)) for scope in scopes)
    return next((row for row in found if row is not None and BY_NAME[key].admits(row.value)), None)
