"""Configuring a scope while the program runs: a key gets a value, or loses it."""

from typing import NamedTuple

from projections.config import Scope, configured
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import ConfigSet
from projections.events.values import By
from projections.ids import EventId
from projections.policies.configurable import check, the_key
from projections.rows import Rows


class ConfigRequest(NamedTuple):
    """`value` is None where the key is to be unset. `said` is when it was asked, in ms. `undoes` is the event of
    the same person that it takes back.
    """

    scope: Scope
    key: str
    value: str | None
    by: By
    origin: Origin
    said: int
    undoes: EventId | None = None


def configure(rows: Rows, request: ConfigRequest) -> list[Draft]:
    """What is to be recorded: nothing where it is so already. BadRequest for a key or a value that there is not."""
    scope, key, value = request.scope, request.key, request.value
    if value is None:
        the_key(key)
    else:
        check(key, value)
    row = configured(rows, key, (str(scope),))
    if value == (None if row is None else row.value) or decided_before(rows, request.origin):
        return []
    event = ConfigSet(
        said=request.said,
        by=request.by,
        scope=str(scope),
        key=key,
        value=value,
        person=scope.person,
        causes=() if request.undoes is None else (request.undoes,),
    )
    return [Minter(rows, request.origin).draft(event)]
