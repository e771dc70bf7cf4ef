"""What a refresh of a session's summary reads: everything said since the last one, or all in reach where that is not
gone on with.

The first refresh of a new era starts from people's messages alone, newest first as far as its input reaches, so that
an old era's key can go without taking the new summary along.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dnam.loops.summary_source import Only, Source, Taken
from projections.events.values import Audience
from projections.fruitless import FRUITLESS, SHOWN, Reader, left_by, most_shown
from projections.ids import Point, Seq
from projections.items import QUIET
from projections.messages import MESSAGES, find_message, unit
from projections.policies.cadence import VERSION
from projections.policies.instructions import InstructionWords
from projections.policies.secret_sentences import Spoken
from projections.rows import Found, Rows
from projections.summaries import SUMMARY_ATTEMPTS, SummaryRow, is_withheld
from projections.turns import TURNS
from projections.window_line import WindowLine


class Refreshing(NamedTuple):
    """Settings in force for a refresh. `most_turns` cuts the span short, for learning from an import: it ends before
    people say one thing more. `words` say what instructs the assistant, and `spoken` how secrets are said. With `only`,
    nothing but that is read. Whoever has just looked for what came in late need not do so again (`looks_back`).
    `reader` is who is shown it: what that one passed over is not.
    """

    assistant: str
    max_chars: int
    era_refreshes: int
    most_turns: int | None = None
    policy: str = VERSION
    words: InstructionWords = InstructionWords()
    spoken: Spoken = Spoken()
    only: Only | None = None
    looks_back: bool = True
    reader: Reader = Reader("summary")


class Reading(NamedTuple):
    """What a refresh reads, behind `after` and up to `upto`: under the last summary's text where it `keeps` that. With
    it an era `ends`, and the next begins.
    """

    taken: Taken
    after: Point | None
    upto: Point
    keeps: bool = False
    ends: bool = False


def reading_of(source: Source, found: Found[SummaryRow] | None, settings: Refreshing) -> Reading | None:
    """What was said since the last summary; all that is in reach where that is not gone on with."""
    after, era = (None, 0) if found is None else (found.row.upto, found.row.era)
    since = source.since(after, era, settings.most_turns)
    left = _left_behind(source, found, settings, is_alone=not since.lines)
    if left is not None:
        return left
    if not since.lines:
        return None if found is None else _read_again(source, found, settings)
    most = most_shown(source.rows, settings.reader, since.lines[0].id)
    is_troubled = most < SHOWN[0]
    if is_troubled:
        since = source.since(after, era, settings.most_turns, most)
    upto = end_of(since.lines)
    if found is None:
        return Reading(since, after, upto)
    ends = found.row.refresh >= settings.era_refreshes and not is_troubled
    is_wrong = is_made_anew(source, found)
    looks_back = settings.looks_back and source.may_have_more(since)
    if not is_troubled and (ends or is_wrong or looks_back):
        recent = source.recent(since.lines[-1].said, found.row.floor)
        if ends or is_wrong or _came_late(source, found, recent, settings):
            return Reading(recent, recent.stopped or found.row.floor, upto, ends=ends)
    return Reading(since, after, upto, keeps=found.row.text != "" and not is_wrong)


def _left_behind(
    source: Source, found: Found[SummaryRow] | None, settings: Refreshing, *, is_alone: bool
) -> Reading | None:
    """What other readers passed over and the summary went by, as far back as a refresh reaches. What comes behind it
    does not wait where the last try did not work, unless there is nothing (`is_alone`).
    """
    if found is None or found.row.upto is None or not settings.looks_back:
        return None
    if not (is_alone or _worked_last(source, found)) or next(source.rows.keys(FRUITLESS, b""), None) is None:
        return None
    upto, recent = found.row.upto, source.recent(found.row.upto.said, found.row.floor)
    lines = [each for each in recent.lines if Point(each.said, each.id) <= upto and is_left(source.rows, each)]
    if not lines or is_made_anew(source, found):
        return None
    shown = lines[: most_shown(source.rows, settings.reader, lines[0].id)]
    taken = Taken(shown, max(line.said for line in shown), None)
    return Reading(taken, upto, upto, keeps=found.row.text != "")


def is_left(rows: Rows, line: WindowLine) -> bool:
    """Whether a message was passed over as what a summary is made from, and none was made from it since."""
    return any(each.work == "summary" for each in left_by(rows, line.id))


def _worked_last(source: Source, found: Found[SummaryRow]) -> bool:
    """Whether nothing was tried in vain since there is this summary."""
    attempt = source.rows.get(SUMMARY_ATTEMPTS, unit(source.session, source.audience.epoch))
    return attempt is None or attempt.event == found.row.event


def _read_again(source: Source, found: Found[SummaryRow], settings: Refreshing) -> Reading | None:
    """All that is in reach of what a summary covered, where it cannot stay as it is; where nothing came of that, what
    is withheld is read from its floor on in smaller pieces.
    """
    upto, floor = found.row.upto, found.row.floor
    if upto is None:
        return None
    recent = source.recent(upto.said, floor)
    if not recent.lines:
        return None
    if not (is_made_anew(source, found) or _came_late(source, found, recent, settings)):
        return None
    most = most_shown(source.rows, settings.reader, recent.lines[0].id)
    if most >= SHOWN[0]:
        return Reading(recent, recent.stopped or floor, upto)
    piece = source.since(floor, found.row.era, settings.most_turns, most)
    return Reading(piece, floor, end_of(piece.lines)) if piece.lines and is_withheld(found.row) else None


def _came_late(source: Source, found: Found[SummaryRow], recent: Taken, settings: Refreshing) -> bool:
    """Whether something in reach lies in what a summary covers, and came in behind it: an older export, or what was
    read back. The next summary knows it, so one that came late is never late again. Another program's summary says
    itself what it covers.
    """
    upto = found.row.upto
    if upto is None or not found.row.covered or not settings.looks_back:
        return False
    covered = (line for line in recent.lines if Point(line.said, line.id) <= upto)
    return any(source.came_behind(line, found.seq) for line in covered)


def is_made_anew(source: Source, found: Found[SummaryRow]) -> bool:
    """Whether something was taken back since, or says something else: the next summary begins without the last one."""
    return (
        is_withheld(found.row)
        or _took_back(source.rows, source.session, source.audience, found.seq)
        or _was_edited(source, found)
    )


def _was_edited(source: Source, found: Found[SummaryRow]) -> bool:
    """Whether something that lies in what a summary covers came to say what it says only behind it. Where nothing but
    some of it is read, its first words may never have been.
    """
    upto, floor, epoch = found.row.upto, found.row.floor, source.audience.epoch
    if source.only is None or upto is None:
        return False
    covered = (each for each in source.only.edited if each <= upto and (floor is None or each > floor))
    rows = (find_message(source.rows, source.session, epoch, each) for each in covered)
    return any(row is not None and row.seq > found.seq and source.may_read(row.row) for row in rows)


def _took_back(rows: Rows, session: str, audience: Audience, seq: Seq) -> bool:
    """Whether somebody took words of this session back after its summary was made: the next is made without them. What
    left recall as it was given stood in none.
    """
    if next(rows.scan(QUIET), None) is None:
        return False
    where = unit(session, audience.epoch)
    ids = (key[-16:] for key in (*rows.keys(MESSAGES, where), *rows.keys(TURNS, where)))
    quiet = (rows.find(QUIET, each) for each in ids)
    return any(found is not None and found.seq > seq and found.row.item for found in quiet)


def end_of(lines: Iterable[WindowLine]) -> Point:
    """The last point of these lines."""
    return max(Point(line.said, line.id) for line in lines)
