"""What was read for a whole guild, and is for fewer by the time the model replies: nothing comes of it."""

from collections.abc import Sequence

from projections.places import audience_of
from projections.policies.evidence import InputMessage
from projections.rows import Rows

NARROWED = "fewer people can read by now what was read for it: it is read again for those who can"


def is_narrowed(rows: Rows, compartment: str, inputs: Sequence[InputMessage]) -> bool:
    """Whether a message that was read for a whole guild is now for fewer."""
    if not compartment.startswith("guild/"):
        return False
    now = (audience_of(rows, place) for place in {each.place for each in inputs} if place is not None)
    return any(each is not None and each.kind != "guild" for each in now)
