"""The guards over one reply: what each entry rests on, and which of the messages instruct the assistant."""

from collections.abc import Sequence

from projections.decisions.shelf import rests_on
from projections.events.values import Evidence
from projections.policies.evidence import InputMessage
from projections.policies.guards import Guarding, Proposed, held
from projections.policies.lengths import MOST_CHARS
from projections.policies.pieces import Tainted
from projections.policies.replies import Dropped, UpsertEntry
from projections.policies.verdict import Verdict

MOST_LISTED = 5


class Guarded:
    """The messages of one reply, as the guards see them."""

    def __init__(self, inputs: Sequence[InputMessage], guarding: Guarding) -> None:
        self._inputs = tuple(sorted(inputs, key=lambda each: (each.said, each.id)))
        self._guarding = guarding
        self._tainted = Tainted(self._inputs, guarding.instructions)

    def verdict(self, entry: UpsertEntry, evidence: Sequence[Evidence]) -> Verdict | None:
        """Why an entry is no memory; None when it may be one."""
        rests = rests_on(evidence) or tuple(each.id for each in self._inputs)
        return held(Proposed(entry, self._inputs, rests, self._tainted.among, self._guarding))


def shown_text(text: str) -> str:
    """The text of something that was held, as its event keeps it: no longer than a memory may be."""
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


def dropped_words(dropped: Sequence[Dropped]) -> str:
    """Which entries of a reply could not be used, and why."""
    listed = "; ".join(f"{each.entry}: {each.reason}" for each in dropped[:MOST_LISTED])
    more = f"; and {len(dropped) - MOST_LISTED} more" if len(dropped) > MOST_LISTED else ""
    return f"{len(dropped)} of the reply's entries could not be used: {listed}{more}"
