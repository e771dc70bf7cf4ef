"""One batch of the loopback Message Batches API, and how the API tells of it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

DAY_SECONDS = 24 * 60 * 60
KEPT_SECONDS = 29 * DAY_SECONDS
KINDS = ("succeeded", "errored", "canceled", "expired")
Row = dict[str, Any]


@dataclass
class Batch:
    """What was asked, and when. `results` are there when it has ended. Times are in seconds since 1970."""

    id: str
    requests: list[Row]
    made: float
    takes_seconds: float
    canceled: float | None = None
    ended: float | None = None
    results: list[Row] = field(default_factory=list)

    @property
    def ids(self) -> list[str]:
        return [each["custom_id"] for each in self.requests]

    @property
    def status(self) -> str:
        if self.ended is not None:
            return "ended"
        return "in_progress" if self.canceled is None else "canceling"

    def row(self, url: str, now: float) -> Row:
        """The batch as the API tells of it: nothing is counted before all of it has ended."""
        archived = self.made + KEPT_SECONDS
        is_kept = now < archived
        has_results = self.ended is not None and is_kept
        return {
            "id": self.id,
            "type": "message_batch",
            "processing_status": self.status,
            "request_counts": self._counts(),
            "created_at": _iso(self.made),
            "expires_at": _iso(self.made + DAY_SECONDS),
            "ended_at": _iso(self.ended),
            "cancel_initiated_at": _iso(self.canceled),
            "archived_at": None if is_kept else _iso(archived),
            "results_url": f"{url}/v1/messages/batches/{self.id}/results" if has_results else None,
        }

    def _counts(self) -> dict[str, int]:
        counts = {kind: sum(each["result"]["type"] == kind for each in self.results) for kind in KINDS}
        return {"processing": len(self.requests) - sum(counts.values()), **counts}


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
