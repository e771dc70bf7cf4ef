"""What a model noted and is not remembered, because it instructs the assistant: for its person, and for the operator.

It lies in the log as `item.refused`, in no prompt and in no search. `audit` has it with everything else that was
refused.
"""

from projections.ids import Handle
from projections.items import REFUSALS, RefusalRow, owner_key
from projections.policies.guards import is_quarantined
from projections.rows import Rows


def quarantined(rows: Rows, person: Handle) -> list[RefusalRow]:
    """What was held of a person's, newest first."""
    found = (each.row for each in rows.scan(REFUSALS, owner_key(person)) if is_quarantined(each.row.policy))
    return sorted(found, key=lambda row: (-row.said, row.event))
