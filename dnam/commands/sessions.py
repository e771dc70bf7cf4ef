"""The commands about what runs by itself otherwise: the rolling summary, and learning from what was said."""

from collections.abc import Iterable

from dnam.assistant import Assistant
from dnam.budget import Budgeted
from dnam.commands.command import NOTED, Arguments, Invocation, Reply
from dnam.commands.picking import listed
from dnam.loops.extraction import Learned
from dnam.model import OverBudget
from dnam.whereabouts import last_said, openings_for
from projections.decisions.draft import Draft
from projections.decisions.summaries import ResetRequest, reset
from projections.events.values import Item
from projections.ids import MINUTE_MS, NOBODY, Handle
from projections.items import compartment_key, items_in
from projections.lives import address_of
from projections.rows import Rows
from projections.summaries import era_of
from projections.work import EXTRACTION_ATTEMPTS
from replay.audit import life_at
from replay.reading import Reader

AGAIN = "It is tried again later."
STAYS = "It is passed over from now on: only `extract`, or another model, tries it again."
CLEARED = "Rolling summary cleared for this session, for good: the next one is made of what is said from now on."
CLEARED_FOR_ALL = CLEARED.replace(", for good", ", for everybody here and for good")


async def reset_rolling(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Clear this session's summary, for all who read there. What was said until now does not come back into the next
    one.
    """
    audience = asked.setting.audience
    origin, said = asked.origin or assistant.memory.origin(), assistant.memory.now()
    pending = assistant.is_summarising(asked.session)

    def decision(rows: Rows) -> list[Draft]:
        request = ResetRequest(
            session=asked.session,
            audience=audience,
            era=era_of(rows, asked.session, audience.epoch),
            by=asked.by,
            said=said,
            upto=last_said(rows, asked.session, audience.epoch),
            origin=origin,
            person=asked.person if audience.kind == "direct" else NOBODY,
            pending=pending,
        )
        return reset(rows, request)

    recorded = await assistant.memory.record(decision)
    if not recorded.records:
        return Reply("There is no rolling summary for this session.")
    return Reply(CLEARED if audience.kind == "direct" else CLEARED_FOR_ALL)


async def extract(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Learn now from what the person said in what this place opens."""
    memory = assistant.memory
    if not memory.settings.durable_memory_enabled:
        return Reply("Learning is switched off here, so nothing was learned.", failed=True)
    before = memory.engine.head().size
    openings = await memory.look(lambda rows: openings_for(rows, asked.person, asked.setting))
    here = frozenset(each.compartment for each in openings)
    if await memory.look(lambda rows: _failed_lately(rows, asked.person, here, memory.now())):
        return Reply("It did not work just now. Please ask me again in a minute.", failed=True, hindered=True)
    try:
        if isinstance(assistant.model, Budgeted):
            await assistant.model.take_turn(asked.person)
        typed = None if asked.request is None else asked.request.said
        runs = await assistant.extract(asked.person, here, passed_over=True, asked_at=typed)
    except OverBudget as error:
        return Reply(error.words, failed=True)
    reader = Reader(memory.engine.live)
    items = await memory.look(lambda rows: _changed_since(rows, reader, asked, before))
    failed = [run for run in runs if run.error]
    for each in [] if asked.is_told_why else failed:
        assistant.failures.append(f"extraction: {each.error}")
    unread = [_unread(each, is_told_why=asked.is_told_why) for each in failed]
    return Reply(_told(runs, items, unread), items, failed=bool(failed), hindered=bool(failed))


def _failed_lately(rows: Rows, person: Handle, compartments: Iterable[str], now: int) -> bool:
    """Whether learning in one of these did not work within the last minute (`now` in ms): each try may cost something,
    and the next one at once would hardly go better.
    """
    attempts = (rows.get(EXTRACTION_ATTEMPTS, compartment_key(person, each)) for each in compartments)
    return any(each is not None and each.error and each.at > now - MINUTE_MS for each in attempts)


def _changed_since(rows: Rows, reader: Reader, asked: Invocation, seq: int) -> tuple[Item, ...]:
    """Own items that the place opens and that changed after an event, active ones first; of those that went, what was
    held until then: what was taken back before is not told of again.
    """
    openings = openings_for(rows, asked.person, asked.setting)
    found = [each for opening in openings for each in items_in(rows, *opening) if each.seq > seq]
    items = [each.row.item for each in sorted(found, key=lambda each: each.seq)]
    told = (each for each in items if each.status == "active" or not _was_gone(rows, reader, each, seq))
    return tuple(sorted(told, key=lambda item: item.status != "active"))


def _was_gone(rows: Rows, reader: Reader, item: Item, seq: int) -> bool:
    life = life_at(rows, reader, address_of(item))
    before = [] if life is None else [step.after for step in life.steps if step.record.seq <= seq]
    return bool(before) and (before[-1] is None or before[-1].status != "active")


def _unread(run: Learned, *, is_told_why: bool) -> str:
    """That a run did not work, as far as may be told here why, and when what it was to read is tried again."""
    why = f": {run.error}." if is_told_why else f". {NOTED}"
    return f"Some of it could not be read{why} {STAYS if run.passed_over else AGAIN}"


def _told(runs: list[Learned], items: tuple[Item, ...], unread: Iterable[str]) -> str:
    """What was learned. `unread`: of each run that did not work, what is told of it."""
    learned = [item for item in items if item.status == "active"]
    merged = [item for item in items if item.status == "merged"]
    gone = [item for item in items if item.status not in ("active", "merged")]
    left = sum(run.left for run in runs)
    more = [f"{left} message(s) are left: `extract` again reads on."] if left else []
    parts = [
        *([f"Learned {len(learned)} item(s).", *listed(learned)] if learned else []),
        *([f"Became part of another: {len(merged)} item(s).", *listed(merged)] if merged else []),
        *([f"No longer held: {len(gone)} item(s).", *listed(gone)] if gone else []),
        *dict.fromkeys(unread),
    ]
    nothing = "Nothing to remember was found." if runs else "Nothing new was said since I last learned."
    return "\n".join([*(parts or [nothing]), *more])
