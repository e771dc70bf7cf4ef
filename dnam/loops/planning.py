"""What an extraction is to read, where a reply may lie there already that was paid for (`dnam/loops/kept.py`).

Such a reply is gone on with before anything else is read: over the messages that it was about, and no others. What was
said since is read by the next.
"""

from collections.abc import Sequence

from dnam.loops.extraction import ExtractionPlan, Said, plan_extraction
from dnam.loops.kept import kept_extraction
from projections.events import ExtractionReplied
from projections.fruitless import Reader
from projections.ids import Handle
from projections.rows import Rows
from replay.chronicle import LogChronicle


def plan_again(
    rows: Rows, log: LogChronicle, person: Handle, compartment: str, said: Sequence[Said], policy: str, reader: Reader
) -> tuple[ExtractionPlan, ExtractionReplied | None]:
    """The plan over these messages, and what was replied before about some of them: then it is over those."""
    plan = plan_extraction(rows, person, compartment, list(said), policy, reader)
    kept = kept_extraction(rows, log, (each.id for each in plan.messages))
    if kept is None:
        return plan, None
    part = [each for each in said if each.point.id in kept.inputs]
    again = plan_extraction(rows, person, compartment, part, policy, reader)
    return again._replace(left=len(said) - len(again.messages)), kept
