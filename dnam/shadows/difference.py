"""The report on a shadow that lies on the disk, beside a memory that is open: for the command line and for scores."""

from pathlib import Path
from typing import NamedTuple

from dnam.access import Access
from dnam.page_vaults import Vaults, of_report
from dnam.rederiving.following import gone_since, is_any_gone
from dnam.rephrasing import rephrasing_of
from dnam.shadows.manifest import load
from dnam.shadows.opening import open_shadow
from dnam.shadows.report import Known, Report, Sides, Told, Wanted, report
from dnam.shadows.source import Both, Source, behind, summary_behind
from dnam.shadows.verdicts import Verdicts
from projections.items import ItemRow
from projections.rows import Rows
from projections.summaries import SummaryRow
from replay.chronicle import LogChronicle
from replay.reading import Reader


class Difference(NamedTuple):
    """What differs, and the vaults whose words tell of it."""

    report: Report
    vaults: Vaults


def difference_from(memory: Access, now: Rows, data: Path, name: str, wanted: Wanted, tell: Told) -> Difference:
    """What differs between the rows of a memory and its shadow of this name; nothing is changed. BadRequest where there
    is no such shadow, ShadowUnusable where it cannot be compared.
    """
    live, manifest = memory.engine, load(data, name)
    with open_shadow(live, data, manifest) as other, other.reading() as there:
        events = LogChronicle(other.live)

        def is_gone(row: ItemRow) -> bool:
            return gone_since(live, now, row, behind(row, events))

        def is_summary_gone(row: SummaryRow) -> bool:
            return bool(row.text) and is_any_gone(now, summary_behind(row, events))

        verdicts = Verdicts(Source(memory, other, manifest), Both(now, there))
        sides = Sides(now, there, Reader(live.live), Reader(other.live), is_gone, is_summary_gone, verdicts)
        found = report(sides, manifest, _known(memory), wanted, tell)
        return Difference(found, of_report(live, now, other, there, found))


def _known(memory: Access) -> Known:
    return Known(memory.vocabulary, rephrasing_of(memory.language), memory.settings.assistant_name)
