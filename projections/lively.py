"""Lively places: those of a guild in which something was said while the assistant was there. Of others imports told."""

from projections.ids import Ref
from projections.imports import imports
from projections.messages import MESSAGES, key_point, unit
from projections.places import PLACES, PlaceRow, epoch_of
from projections.rows import Rows
from projections.turns import TURNS


def lively_places(rows: Rows, guild: Ref) -> list[PlaceRow]:
    """Places of a guild in which something was said, or answered, after all that imports read; the latest first."""
    read = _read(rows)
    places = [found.row for found in rows.scan(PLACES) if found.row.guild == guild and found.row.session]
    latest = ((_last_said(rows, row.session), row) for row in places)
    lively = [(said, row) for said, row in latest if said is not None and (read is None or said > read)]
    return [row for _, row in sorted(lively, key=lambda each: each[0], reverse=True)]


def is_imported(rows: Rows, place: PlaceRow) -> bool:
    """Whether something was said in a place, and nothing of it after all that imports read."""
    said, read = _last_said(rows, place.session), _read(rows)
    return said is not None and read is not None and said <= read


def _read(rows: Rows) -> int | None:
    """When the last was said that an import read, in ms; None where none read anything."""
    return max((row.said[1] for row in imports(rows) if row.said is not None), default=None)


def _last_said(rows: Rows, session: str) -> int | None:
    """When something was last said in a session, in ms, whoever could read it then; None where nothing is there."""
    units = [unit(session, epoch) for epoch in range(epoch_of(rows, session) + 1)]
    heard = [next(rows.scan(MESSAGES, each, reverse=True), None) for each in units]
    given = [next(rows.scan(TURNS, each, reverse=True), None) for each in units]
    return max((key_point(found.key).said for found in (*heard, *given) if found is not None), default=None)
