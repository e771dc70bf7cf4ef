"""What a guard says against a text: why it is no memory, and by which rule."""

from typing import NamedTuple


class Verdict(NamedTuple):
    """`reason` is in words, for the audit; `policy` is the guard and its version."""

    reason: str
    policy: str
