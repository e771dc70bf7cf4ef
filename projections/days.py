"""Days in UTC, as prompts have them."""

from datetime import UTC, datetime, timedelta

EARLIEST = -62_135_596_800_000
LATEST = 253_402_300_799_999
"""The first and the last ms of the years 1 to 9999."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc_date(milliseconds: int) -> str:
    """The day in UTC, YYYY-MM-DD; times outside the years 1 to 9999 are shown as the first or the last day of these."""
    return (EPOCH + timedelta(milliseconds=min(max(milliseconds, EARLIEST), LATEST))).date().isoformat()
