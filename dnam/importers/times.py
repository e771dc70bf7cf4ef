"""Times as other programs write them, in ms since 1970. None for what is none, or lies before 1970 or after 9999.

ISO 8601 and SQL     2025-12-28T10:00:00Z   2025-12-28 10:00:00.123456+00   2025-12-28 10:00:00 (then it is UTC)
unix                 1739800000 (seconds)
Discord's ids        the upper 42 bits are ms since 2015
"""

import re
from datetime import UTC, datetime, timedelta

from dnam.importers.source import LATEST_MS
from dnam.times import is_ahead
from projections.ids import SNOWFLAKE_EPOCH_MS

SNOWFLAKE = re.compile(r"[0-9]{8,20}")
SURE = re.compile(r"[0-9]{17,19}")
"""What Discord's ids have looked like since it began; shorter ones and longer ones may be anybody's."""


def iso_ms(stamp: object) -> int | None:
    """An ISO 8601 time or an SQL time stamp; UTC where it names no zone."""
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp.strip())
    except ValueError:
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return _inside((zoned - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1))


def unix_ms(seconds: int | None) -> int | None:
    """Unix seconds. 0 is what programs write for "never"."""
    return _inside(seconds * 1000) if seconds else None


def snowflake_ms(snowflake: str) -> int | None:
    """The time in one of Discord's ids; None for what is no such id."""
    if not SNOWFLAKE.fullmatch(snowflake):
        return None
    return (int(snowflake) >> 22) + SNOWFLAKE_EPOCH_MS


def sure_snowflake_ms(snowflake: str, now: int) -> int | None:
    """The time in what cannot but be one of Discord's ids; None also where that time is yet to come."""
    found = snowflake_ms(snowflake) if SURE.fullmatch(snowflake) else None
    return None if found is None or is_ahead(found, now) else found


def _inside(milliseconds: int) -> int | None:
    return milliseconds if 0 <= milliseconds <= LATEST_MS else None
