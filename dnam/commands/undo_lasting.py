"""What somebody did that `!memory undo` does not take back: it goes past it, to what they did before, and says so.

    what they did    why it stays
    ──────────────   ──────────────────────────────────────────────────────────────────
    reset rolling    what the summary was made of does not come into the next one
    opt-in           opting out is a command of its own; before it, nothing was recorded
    redact           the words are gone
    extract          what a model made of their words is theirs to forget, item by item
    a note           the same of what the answering model noted as they said it (`memory_write`)

Of an extraction and of a note it is told as long as an item that the place shows is as it left it. Clearing a summary
is told in its session. Redacting and opting in lie in the clear, without a name or a place: they are theirs by the
accounts, and by whose words went; of what may have been done elsewhere nothing more is told where others read along
than that there is something. A redaction is looked for among what was recorded within a day, since nothing leads to it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from dnam.commands.command import PREFIX, Invocation
from projections.consent import CONSENT_CHANGES
from projections.decisions.consent import BY_THEMSELF
from projections.events import (
    ExtractionAnswered,
    ItemUpserted,
    MessageRedacted,
    SummaryReset,
    SummaryWithheld,
    TurnWithdrawn,
)
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.ids import Handle
from projections.items import items_in
from projections.messages import unit
from projections.people import accounts_of
from projections.policies.cadence import ON_REQUEST
from projections.policies.compartments import opened
from projections.policies.human_acts import is_noted
from projections.rows import Rows, after_prefix
from projections.summaries import SUMMARIES
from projections.times import DAY_MS
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.history import history_prefix
from replay.overlay import HISTORY
from replay.reading import Reader, Reading
from replay.units import stored_with

RESET = "`reset rolling`: what the summary was made of does not come into the next one."
OPTED_IN = f"`opt-in`: `{PREFIX} opt-out` takes it back."
REDACTED = "`redact`: the words are gone for good."
EXTRACTED = f"`extract`: what I learned there stays; `{PREFIX} forget` takes it back, item by item."
NOTED = f"what I noted while I answered you: `{PREFIX} forget` takes it back, item by item."
UNTOLD = "something that is not told here."


class Lasting(NamedTuple):
    """Something that is not undone: when it was done (ms), at which place of the log, and what is said of it."""

    said: int
    seq: int
    words: str

    @property
    def when(self) -> tuple[int, int]:
        """Which of two was later."""
        return self.said, self.seq


def lasting(rows: Rows, reader: Reader, engine: Engine, asked: Invocation, now: int) -> list[Lasting]:
    """What whoever asks did that stays, the last of each kind; of redactions all of the last day before `now` (ms)."""
    return [
        *_reset(rows, reader, asked),
        *_opted_in(rows, reader, asked),
        *_redacted(reader, engine, asked, now),
        *_made_by_models(rows, reader, asked),
    ]


def _made_by_models(rows: Rows, reader: Reader, asked: Invocation) -> Iterator[Lasting]:
    """The last time that they had something learned, and the last that something was noted, of which an item is left as
    that made it. It was done when it was recorded: what it says of when it was said is when they had said what it read.
    """
    mine = (each for each in opened(rows, asked.setting) if each.owner == asked.person)
    made = [found for each in mine for found in items_in(rows, *each) if found.row.by.kind == "model"]
    told: dict[str, Lasting] = {}
    for found in sorted(made, key=lambda each: each.seq, reverse=True):
        record = reader.at(found.seq).record
        words = "" if record is None else _words_of(record, reader)
        if record is not None and words:
            told.setdefault(words, Lasting(record.at, record.seq, words))
        if len(told) == len((EXTRACTED, NOTED)):
            break
    yield from told.values()


def _words_of(record: Record, reader: Reader) -> str:
    """What is said of an item's last event, a model's; nothing where it came of what nobody asked for just then."""
    if isinstance(record.event, ItemUpserted) and is_noted(record.event):
        return NOTED
    return EXTRACTED if any(_is_on_request(reader.find(each)) for each in record.event.causes) else ""


def _is_on_request(reading: Reading | None) -> bool:
    event = None if reading is None or reading.record is None else reading.record.event
    return isinstance(event, ExtractionAnswered) and event.policy == ON_REQUEST


def _reset(rows: Rows, reader: Reader, asked: Invocation) -> Iterator[Lasting]:
    """The last time that they cleared the summary of this session; only resets are opened."""
    prefix = history_prefix(SUMMARIES.table, unit(asked.session, asked.setting.audience.epoch))
    for _, stored in rows.raw.scan(HISTORY, prefix, after_prefix(prefix), reverse=True):
        record = reader.at(stored.seq).record if reader.tag_at(stored.seq) == SummaryReset.TAG else None
        if record is not None and record.event.by == asked.by:
            yield Lasting(record.event.said, record.seq, RESET)
            return


def _opted_in(rows: Rows, reader: Reader, asked: Invocation) -> Iterator[Lasting]:
    """The last time that they opted in themself, with any of their accounts."""
    words = OPTED_IN if asked.is_alone else UNTOLD
    for account in accounts_of(rows, asked.person):
        hashed = rows.ids.keyed_hash(account.row.platform, account.row.platform_id)
        last = next(rows.scan(CONSENT_CHANGES, hashed, reverse=True), None)
        record = None if last is None or last.row.is_out else reader.at(last.seq).record
        if record is not None and record.event.by == BY_THEMSELF:
            yield Lasting(record.event.said, record.seq, words)


def _redacted(reader: Reader, engine: Engine, asked: Invocation, now: int) -> Iterator[Lasting]:
    """What they took back of what was said."""
    chronicle = LogChronicle(engine.live)
    for stored in stored_with(engine, (MessageRedacted.TAG,), engine.seq_at(now - DAY_MS), reader.size):
        record = reader.at(stored.seq).record
        if record is None or not isinstance(record.event, MessageRedacted):
            continue
        decided = chronicle.decision(record.id)
        if _is_theirs(record.event, decided, reader, engine, asked):
            is_told = asked.is_alone or any(_is_in(each, asked.session) for each in decided)
            yield Lasting(record.event.said, record.seq, REDACTED if is_told else UNTOLD)


def _is_theirs(
    event: MessageRedacted, decided: list[Record], reader: Reader, engine: Engine, asked: Invocation
) -> bool:
    """Whether who asks redacted it: their own message, an answer to them, or, as the owner, anybody's."""
    if event.by == OPERATOR:
        return asked.is_owner
    if event.by != BY_THEMSELF:
        return False
    return any(_was_answered(each, asked.person) for each in decided) or _wrote(event, reader, engine, asked.person)


def _was_answered(record: Record, person: Handle) -> bool:
    """Whether an answer to them was taken back for its own sake, and by no rule."""
    event = record.event
    return isinstance(event, TurnWithdrawn) and (event.by, event.asker) == (BY_THEMSELF, person)


def _wrote(event: MessageRedacted, reader: Reader, engine: Engine, person: Handle) -> bool:
    """Whether the one message that it took back was theirs: what somebody said lies in a vault of theirs."""
    found = (reader.find(each) for each in event.events)
    vaults = {each.header.vault for each in found if each is not None and each.header.tag.startswith("message.")}
    return len(vaults) == 1 and not vaults.isdisjoint(engine.store.ring.listing(person))


def _is_in(record: Record, session: str) -> bool:
    return isinstance(record.event, TurnWithdrawn | SummaryWithheld) and record.event.session == session
