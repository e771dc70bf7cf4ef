"""Whose part of a memory is derived anew: everybody's, or that of chosen people and servers."""

from collections.abc import Mapping

from dnam.shadows.manifest import Asked
from projections.events import Event, ItemEvent, ItemRefused
from projections.events.items import ItemGone
from projections.events.summaries import SummaryEvent
from projections.events.work import WorkEvent
from projections.ids import Handle
from projections.places import PLACES
from projections.policies.compartments import is_portable
from projections.rederiving.schedule import Run
from projections.rows import Rows

GUILD = "guild/"


def guilds_of_places(rows: Rows) -> dict[str, str]:
    """The server of each place that is in one, both as `platform:id`."""
    placed = (found.row for found in rows.scan(PLACES))
    return {str(row.place): str(row.guild) for row in placed if row.guild is not None}


class Scope:
    """What `rederive --user` and `--guild` ask for. `guilds` are the servers of places."""

    def __init__(self, asked: Asked, guilds: Mapping[str, str]) -> None:
        self._people = frozenset(Handle(bytes.fromhex(each)) for each in asked.people)
        self._chosen = frozenset(asked.guilds)
        self._guilds = guilds

    def has(self, event: Event) -> bool:
        """Whether what an event is about is derived anew."""
        match event:
            case ItemEvent(item=item):
                learned_in = "" if item.source.guild is None else f"{GUILD}{item.source.guild}"
                return self._is_in(item.owner, learned_in if is_portable(item.compartment) else item.compartment)
            case ItemRefused() | ItemGone() | WorkEvent():
                return self._is_in(event.owner, event.compartment)
            case SummaryEvent(person=person, audience=audience):
                return self._is_in(person, f"channel/{audience.place}")
            case _:
                return True

    def has_run(self, run: Run) -> bool:
        """Whether a run of a loop is made anew."""
        if run.audience is not None:
            return self._is_in(run.person, f"channel/{run.audience.place}")
        return self._is_in(run.owner, run.compartment)

    def _is_in(self, person: Handle, compartment: str) -> bool:
        if self._people and person not in self._people:
            return False
        return not self._chosen or self._guild(compartment) in self._chosen

    def _guild(self, compartment: str) -> str:
        """The server that a compartment is of: `guild/G`, `channel/C`, `person/P/channel/C`; empty for direct ones."""
        if compartment.startswith(GUILD):
            return compartment.removeprefix(GUILD)
        _, _, place = f"/{compartment}".rpartition("/channel/")
        return self._guilds.get(place, "")
