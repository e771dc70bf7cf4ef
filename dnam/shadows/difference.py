"""The report on a shadow that lies on the disk, beside a memory that is open: for the command line and for scores."""

from pathlib import Path
from typing import NamedTuple

from dnam.page_vaults import Vaults, of_report
from dnam.rederiving.following import gone_since, is_any_gone
from dnam.shadows.manifest import load
from dnam.shadows.opening import open_shadow
from dnam.shadows.report import Known, Report, Sides, Told, Wanted, report
from dnam.shadows.source import behind, summary_behind
from projections.decisions.adopt_summary import tells_forgotten
from projections.items import ItemRow
from projections.rows import Rows
from projections.summaries import SummaryRow
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.reading import Reader


class Difference(NamedTuple):
    """What differs, and the vaults whose words tell of it."""

    report: Report
    vaults: Vaults


def difference_from(
    live: Engine, now: Rows, data: Path, name: str, known: Known, wanted: Wanted, tell: Told
) -> Difference:
    """What differs between the rows of a memory and its shadow of this name; nothing is changed. BadRequest where there
    is no such shadow, ShadowUnusable where it cannot be compared.
    """
    manifest = load(data, name)
    with open_shadow(live, data, manifest) as other, other.reading() as there:
        events = LogChronicle(other.live)

        def is_gone(row: ItemRow) -> bool:
            return gone_since(live, now, row, behind(row, events))

        def is_summary_gone(row: SummaryRow) -> bool:
            return bool(row.text) and is_any_gone(now, summary_behind(row, events))

        def is_forgotten(row: SummaryRow) -> bool:
            return tells_forgotten(now, summary_behind(row, events))

        sides = Sides(now, there, Reader(live.live), Reader(other.live), is_gone, is_summary_gone, is_forgotten)
        found = report(sides, manifest, known, wanted, tell)
        return Difference(found, of_report(live, now, other, there, found))
