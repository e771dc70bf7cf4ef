"""Values that several programs write in their own ways."""

import re

from projections.ids import DISCORD, Ref

SNOWFLAKE = re.compile(r"[1-9][0-9]{0,19}")


def snowflake(value: int | str | None) -> str | None:
    """One of Discord's ids as a string, whether it was stored as a number or as text; None for what is none."""
    text = "" if value is None else str(value).strip()
    return text if SNOWFLAKE.fullmatch(text) else None


def discord_ref(value: int | str | None) -> Ref | None:
    """What one of Discord's ids names; None for what is none."""
    found = snowflake(value)
    return None if found is None else Ref(DISCORD, found)


def thousandths(share: float) -> int:
    """A share from 0 to 1 in thousandths, half of one rounded up; what lies outside counts as the nearer end."""
    return min(max(int(share * 1000 + 0.5), 0), 1000)
