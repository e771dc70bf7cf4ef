"""What was read for a whole guild, and is for fewer by the time the model replies: nothing comes of it. A place that
was closed and opened again meanwhile is open to what is said from then on, and not to what was said before.
"""

from collections.abc import Sequence

from projections.policies.compartments import audience_now
from projections.policies.evidence import InputMessage
from projections.rows import Rows

NARROWED = "fewer people can read by now what was read for it: it is read again for those who can"


def is_narrowed(rows: Rows, compartment: str, inputs: Sequence[InputMessage]) -> bool:
    """Whether a message that was read for a whole guild is now for fewer."""
    if not compartment.startswith("guild/"):
        return False
    heard = {each.audience for each in inputs if each.audience is not None}
    return any(audience_now(rows, each).kind != "guild" for each in heard)
