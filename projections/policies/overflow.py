"""Who should be learned from before a window overflows: their words stand in it unread, and the next turn pushes them
out (seed 004 §6.1).
"""

from collections.abc import Sequence
from itertools import islice

from projections.caller import Caller
from projections.events.values import Audience, Limits
from projections.ids import NOBODY, Handle, Point, Ref
from projections.items import compartment_key
from projections.messages import MessageRow, SpokenRow
from projections.policies.cadence import turns_since
from projections.policies.compartments import place_said
from projections.policies.learned_from import Learns, addressed, is_learned_from
from projections.rows import Rows
from projections.said import END, Entry, backwards, of_era
from projections.summaries import era_of
from projections.window import fit
from projections.window_line import entry_line
from projections.work import EXTRACTION_ATTEMPTS

VERSION = "overflow@1"
EXCHANGE = 2
"""How many lines one more turn brings: a message and its answer."""


def overflow(
    rows: Rows, session: str, audience: Audience, guild: Ref | None, limits: Limits, learns: Learns = addressed
) -> frozenset[Handle]:
    """Whose words, not read yet, another turn would push out of a session's window, were it as long as the last one.

    What does not stand in the window now is not pushed out of it: it counts with the next M turns.
    """
    newest = islice(backwards(rows, session, audience.epoch, END), limits.history_messages)
    entries = list(of_era(newest, era_of(rows, session, audience.epoch)))
    said = [(row, Point(row.message.said, row.heard)) for row in _leaving(rows, entries, limits)]
    where = SpokenRow(session, audience, guild)
    return frozenset(
        row.message.speaker
        for row, point in said
        if row.message.speaker != NOBODY
        and is_learned_from(rows, row, learns(row.message.speaker, where))
        and _is_unread(rows, row.message.speaker, where, point)
        and next(turns_since(rows, row.message.speaker, learns), None) is not None
    )


def _leaving(rows: Rows, entries: Sequence[Entry], limits: Limits) -> list[MessageRow]:
    """The messages of a window, newest first, that have no place in the next one."""
    caller = Caller(rows, "")
    texts = [entry_line(entry, caller, {}).rendered for entry in entries]
    now = fit(texts, limits.history_chars, limits.history_messages, len).kept
    then = fit([*texts[:EXCHANGE], *texts], limits.history_chars, limits.history_messages, len).kept
    staying = {index - len(texts[:EXCHANGE]) for index in then}
    rows_leaving = (entries[index].row for index in now if index not in staying)
    return [row for row in rows_leaving if isinstance(row, MessageRow)]


def _is_unread(rows: Rows, person: Handle, where: SpokenRow, said: Point) -> bool:
    """Whether a message is behind the last attempt to learn from what its person says there."""
    compartment = place_said(rows, person, where.audience, where.guild)
    attempt = rows.get(EXTRACTION_ATTEMPTS, compartment_key(person, compartment))
    return attempt is None or said > attempt.upto
