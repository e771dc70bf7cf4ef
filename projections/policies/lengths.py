"""How long a memory is: what is shorter says nothing, what is longer is a story (seed 003, "length bounds")."""

from projections.policies.verdict import Verdict

VERSION = "lengths@1"
LEAST_CHARS = 4
MOST_CHARS = 400
"""In code points, after spaces were tidied."""


def wrong_length(text: str) -> Verdict | None:
    """Why a text is no memory, if it is too short or too long."""
    length = len(text)
    if LEAST_CHARS <= length <= MOST_CHARS:
        return None
    bound = f"{LEAST_CHARS} are the least" if length < LEAST_CHARS else f"{MOST_CHARS} are the most"
    return Verdict(f"it has {length:,} characters; {bound}", VERSION)
