"""How many examples a law that takes long is tried on: some, or with DNAM_EXAMPLES=thorough all of them."""

import os

PROFILE = os.environ.get("DNAM_EXAMPLES", "steady")
"""The profile of hypothesis: `steady` or `thorough`."""


def examples(ordinary: int, thorough: int) -> int:
    """The number for this run. Which ones they are is the same every time."""
    return thorough if PROFILE == "thorough" else ordinary
