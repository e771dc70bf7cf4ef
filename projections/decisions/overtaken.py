"""Whether something that a model was shown was taken back while it was thinking: then its words are not recorded.

An edit takes back what was said before it. What was shown counts as it was shown: the edited message is another one.
"""

from collections.abc import Iterable

from projections.derived import effects_of
from projections.events import ExtractionAnswered, ExtractionFailed, MessageEdited
from projections.ids import EventId
from projections.rows import Rows

OVERTAKEN = "something that the model was shown was deleted or edited while it was thinking"


def is_overtaken(rows: Rows, shown: Iterable[EventId]) -> bool:
    """Whether an event that stood in a prompt has lost its words since. Of an edited message two are named: the event
    that first recorded it, which has none any more, and the edit.
    """
    named = frozenset(shown)
    gone = (each for each in named if rows.ids.status(each) == "redacted")
    return any(not _was_edited(rows, each, named) for each in gone)


def _was_edited(rows: Rows, heard: EventId, named: frozenset[EventId]) -> bool:
    edits = (effect for effect, tag in effects_of(rows, heard) if tag == MessageEdited.TAG)
    return any(each in named and rows.ids.status(each) == "known" for each in edits)


def given_up(work: ExtractionAnswered, why: str) -> ExtractionFailed:
    """The extraction as one that brought nothing, with no word of it: what it was shown is read again, as far as it is
    there and by whom it may be read.
    """
    return ExtractionFailed(
        said=work.said,
        by=work.by,
        owner=work.owner,
        compartment=work.compartment,
        after=work.after,
        upto=work.upto if work.after is None else work.after,
        call=work.call,
        policy=work.policy,
        error=why,
    )
