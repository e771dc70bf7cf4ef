"""What holds for a person in a place: dynamic configuration over settings, per key.

The narrowest scope that has a value wins: the person, the thread, its channel, the guild, everything. Where none has,
the setting holds, which is from `dnam.toml`, the environment or its default (design §10). A value that this program
does not allow (a newer one's) counts as not set. Direct messages are answered whatever holds for channels: there
`respond_mode` is what the person or that conversation has, else what is said to the assistant.

How long words are kept is the shorter of what their person set and what holds where they were said: neither keeps what
the other has go.
"""

import math
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, cast

from dnam.settings import Settings
from projections.config import GLOBAL, ConfigRow, Given, configured, given_to, scopes_for
from projections.ids import Handle, Ref
from projections.messages import MessageRow
from projections.policies.configurable import BY_NAME, KEYS
from projections.policies.learned_from import Learn, least
from projections.rows import Found, Rows

RETENTION, MODE = "retention_days", "respond_mode"
DIRECT = "dm:"
"""How the key of a direct conversation's place begins (`projections.decisions.place`)."""
DIRECTLY = "direct messages are answered"
"""The origin of what holds there, where neither the person nor the conversation has a value."""
RespondMode = Literal["mention", "all", "owner", "none"]
Switch = Literal["on", "off"]

SETTING_OF: Mapping[str, Callable[[Settings], tuple[str, object]]] = {
    "respond_mode": lambda settings: ("DNAM_RESPOND_MODE", settings.respond_mode),
    "context_history": lambda settings: ("DNAM_MESSAGE_HISTORY_COUNT", settings.message_history_count),
    "learn": lambda settings: ("DNAM_LEARN", settings.learn),
    "retention_days": lambda settings: ("DNAM_RETENTION_DAYS", settings.retention_days),
    "tools": lambda settings: ("DNAM_MODEL_TOOLS", "on" if settings.model_tools else "off"),
}
"""The setting that holds where no scope has a value."""


class PlaceConfig(NamedTuple):
    """What holds for one person in one place. `context_history` is in messages; 0 `retention_days` is for ever."""

    respond_mode: RespondMode
    context_history: int
    learn: Learn
    retention_days: int
    tools: Switch = "on"


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
        cast(Switch, values["tools"]),
    )


def value_for(
    rows: Rows,
    settings: Settings,
    key: str,
    person: Handle,
    place: Ref | None,
    guild: Ref | None,
    parent: Ref | None = None,
) -> str:
    """What holds now of one key that is held by its scopes alone, without looking up the others."""
    assert key != RETENTION, "how long words are kept follows from more than one scope"
    scopes = tuple(map(str, scopes_for(rows, person, place, guild, parent)))
    return _held(rows, settings, key, scopes, direct=_is_direct(place)).value


def held(
    rows: Rows, settings: Settings, person: Handle, place: Ref | None, guild: Ref | None, parent: Ref | None = None
) -> tuple[Held, ...]:
    """The same with where each value is from, in the order of the keys."""
    scopes = tuple(map(str, scopes_for(rows, person, place, guild, parent)))
    found = (_held(rows, settings, key.name, scopes, direct=_is_direct(place)) for key in KEYS)
    return tuple(_shorter(rows, settings, each, scopes) if each.key == RETENTION else each for each in found)


def _shorter(rows: Rows, settings: Settings, own: Held, scopes: tuple[str, ...]) -> Held:
    """What holds for how long words are kept: `own`, or what would hold without the person, if that is shorter."""
    others = tuple(each for each in scopes if not each.startswith("person/"))
    return min(own, _held(rows, settings, own.key, others), key=lambda each: int(each.value) or math.inf)


def _is_direct(place: Ref | None) -> bool:
    return place is not None and place.key.startswith(DIRECT)


def _held(rows: Rows, settings: Settings, key: str, scopes: tuple[str, ...], *, direct: bool = False) -> Held:
    is_own = direct and key == MODE
    row = _allowed(rows, key, tuple(each for each in scopes if each != str(GLOBAL)) if is_own else scopes)
    if row is not None:
        return Held(key, row.value, row.scope)
    if is_own:
        return Held(key, "mention", DIRECTLY)
    name, value = SETTING_OF[key](settings)
    return Held(key, str(value), settings.origins[name])


def _allowed(rows: Rows, key: str, scopes: tuple[str, ...]) -> ConfigRow | None:
    for scope in scopes:
        row = configured(rows, key, (scope,))
        if row is not None and BY_NAME[key].admits(row.value):
            return row
    return None


def learned_as(
    rows: Rows, settings: Settings, person: Handle, place: Ref | None, guild: Ref | None
) -> Callable[[Found[MessageRow]], Learn]:
    """What a message of a person in a place is judged by: the least of what holds now and of what held when it was
    said, when it was edited and when it was recorded. A platform's clock is not this one, so neither order is enough.

    A setting of `dnam.toml` or of the environment leaves no trace in the log: it counts as it is now.
    """
    scopes = map(str, scopes_for(rows, person, place, guild))
    past = [given for scope in scopes if (given := given_to(rows, "learn", scope))]

    def held_when(is_past: Callable[[Given], bool]) -> Learn:
        last = (next((each.value for each in reversed(given) if is_past(each)), None) for given in past)
        allowed = (value for value in last if value is not None and BY_NAME["learn"].admits(value))
        return cast(Learn, next(allowed, settings.learn))

    def judge(found: Found[MessageRow]) -> Learn:
        said = found.row.message.said
        edited = found.row.message.edited or said
        return least(
            held_when(lambda _: True),
            held_when(lambda each: each.said <= said),
            held_when(lambda each: each.said <= edited),
            held_when(lambda each: each.seq < found.seq),
        )

    return judge
