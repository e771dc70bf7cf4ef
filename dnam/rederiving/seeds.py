"""Where the ids of what is derived anew come from: the event that is derived from, and how many came before."""

import hashlib

from projections.decisions.draft import Origin, first_id
from projections.ids import EventId
from projections.rederiving.schedule import Run


def origin(source: EventId, what: str, number: int, now: int) -> Origin:
    """An origin that is the same whenever the same is derived anew; `now` is in ms."""
    seed = hashlib.sha256(b"rederived " + source + f" {what} {number}".encode()).digest()
    return Origin(seed=seed, now=now)


def applied(act: EventId, now: int) -> Origin:
    """The origin of what a person's recorded act comes to when it is applied again."""
    return origin(act, "decided", 0, now)


def ahead(act: EventId, now: int) -> Origin:
    """That of what it comes to where it is applied ahead of its place, and nothing says what they took back."""
    return origin(act, "ahead", 0, now)


def early(source: EventId, now: int, what: str = "replied", *, asked: bytes = b"") -> Origin:
    """The origin of a reply that is recorded before it is decided from; `asked` is the digest of the question, where
    another one was replied to before it.
    """
    return origin(source, f"{what} {asked.hex()}" if asked else what, 0, now)


def made_by(run: Run) -> EventId:
    """The id of the event that tells that a run was made anew."""
    return Seeds(run.event, run.loop, run.said).next_id


def early_reply_of(run: Run) -> EventId:
    """The id of the event that holds its reply before it is decided from."""
    return first_id(early(run.event, run.said))


class Seeds:
    """Origins for a loop, one after the other; a loop that runs again is handed the same."""

    def __init__(self, source: EventId, what: str, now: int) -> None:
        self._source = source
        self._what = what
        self._now = now
        self._count = 0
        self.last: Origin | None = None

    def __call__(self) -> Origin:
        """The next origin."""
        self.last = self._peek()
        self._count += 1
        return self.last

    def _peek(self) -> Origin:
        return origin(self._source, self._what, self._count, self._now)

    @property
    def next_id(self) -> EventId:
        """The id that the next origin's first event will have."""
        return first_id(self._peek())
