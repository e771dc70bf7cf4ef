"""What of a live memory is derived anew (`projections/rederiving/scope.py`), as a walk through its log asks for it."""

from projections.events import Event
from projections.ids import Ref
from projections.places import PLACES
from projections.rederiving.schedule import Run
from projections.rederiving.scope import Scope, has_event, has_run
from replay.engine import Engine


class LiveScope:
    """A scope, and where the places of a live memory are."""

    def __init__(self, live: Engine, scope: Scope) -> None:
        self._scope = scope
        with live.reading() as rows:
            placed = (found.row for found in rows.scan(PLACES)) if scope.guilds else ()
            self._guilds = {row.place: row.guild for row in placed}

    def has(self, event: Event) -> bool:
        """Whether what an event tells of is done anew."""
        return has_event(self._scope, event, self._guild_of)

    def has_run(self, run: Run) -> bool:
        """Whether a run of a loop is made anew."""
        return has_run(self._scope, run, self._guild_of)

    def _guild_of(self, place: Ref) -> Ref | None:
        return self._guilds.get(place)
