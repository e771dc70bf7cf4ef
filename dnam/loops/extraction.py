"""Learning from what one person said, one compartment at a time.

The model sees what that person said there since it was last read, and their own active items there, with ids; nobody
else's, and nothing that the assistant said. What it replies is kept as an event before anything is decided from it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, islice, takewhile
from typing import NamedTuple, TypeVar

import msgspec

from dnam.loops.asked import Work, asked, failing
from dnam.loops.kept import given_up
from dnam.loops.loop import Decide, Failed, Loop, Mint, by_model, records_of, use_of
from dnam.model import Ask, ExtractionInputs, KnownItem, Line, Reply
from dnam.prompts import Prompt, digest
from dnam.taken import reply_of
from projections.caller import Caller
from projections.decisions.draft import Draft
from projections.decisions.extraction import ExtractionRequest, learn, read_reply
from projections.decisions.work import WorkRequest, record_work
from projections.events import Event, ExtractionAnswered, ExtractionFailed, ExtractionReplied, ItemMoved, ItemUpserted
from projections.events.values import ItemUse, ModelUse
from projections.fruitless import PASSED_OVER, Reader, is_last_try, most_shown
from projections.fruitless import passed_over as judged
from projections.ids import EventId, Handle, Point
from projections.items import ItemRow, compartment_key, item_use, items_in
from projections.messages import MessageRow, SpokenRow, find_message, spoken_before, spoken_in, units_of, worded
from projections.people import SOMEONE, name_of
from projections.policies.cadence import VERSION
from projections.policies.compartments import audience_now, place_said
from projections.policies.evidence import InputMessage
from projections.policies.guards import Guarding
from projections.policies.instructions import InstructionWords, instruction_in
from projections.policies.learned_from import LearnedAs, is_learned_from
from projections.policies.promotion import SharingWords
from projections.policies.refusals import taken_back
from projections.policies.replies import ExtractionReply
from projections.policies.reply_shapes import AskedExtraction
from projections.remembered import of_people
from projections.rows import Found, Rows
from projections.window_line import spoken_words
from projections.work import EXTRACTIONS, was_read

T = TypeVar("T")
INPUT_CHARS = 24_000
"""How much one extraction reads; what is behind it is read by the next."""
LATE_MS = 30 * 86_400_000
MOST_LATE = 100
"""How far before what was read last a message may lie and still be found, when it comes in late: in time, and in
messages of the person's there. That is more than is read back; an import is read by `unread_by_compartment`.
"""
ANYBODY = Reader("extraction")
"""Where whatever was shown in vain is passed over, to whichever model."""


class ExtractionPlan(NamedTuple):
    """One extraction: whose words, in which compartment, from where to where. `said` is the latest of its causes',
    `policy` what set it off, `left` how many messages found no room. `is_last_try`: it is one message, which is passed
    over when nothing comes of it.
    """

    person: Handle
    compartment: str
    inputs: ExtractionInputs
    messages: tuple[InputMessage, ...]
    shown: tuple[ItemUse, ...]
    after: Point | None
    upto: Point
    causes: tuple[EventId, ...]
    said: int
    policy: str
    left: int
    is_last_try: bool = False


class Said(NamedTuple):
    """A message of the person's that is to be read."""

    point: Point
    found: Found[MessageRow]


def new_by_compartment(
    rows: Rows,
    person: Handle,
    learned_as: LearnedAs,
    reader: Reader,
    *,
    passed_over: bool = False,
) -> dict[str, list[Said]]:
    """What a person said that no extraction has read, as far as it is learned from, oldest first: what is still to be
    shown to the reader, or what is passed over.
    """
    groups: dict[str, list[Said]] = {}
    is_wanted = _wanted(rows, reader, passed_over=passed_over)
    for where in units_of(rows, person):
        compartment, judge = _compartment(rows, person, where), learned_as(person, where)
        heard = _heard(rows, where, filter(is_wanted, _unread(rows, person, where, _cursor(rows, person, compartment))))
        said = groups.setdefault(compartment, [])
        said += (each for each in heard if is_learned_from(rows, each.found.row, judge(each.found)))
    return _in_order(groups)


def _unread(rows: Rows, person: Handle, where: SpokenRow, cursor: Point | None) -> Iterator[Point]:
    """What lies behind the cursor of its compartment, and what came in late: each place has a queue of its own, so a
    message can be heard after an extraction that read on elsewhere. What a whole guild could read may have been read
    for it, before fewer could.
    """
    if cursor is None:
        said = spoken_in(rows, person, where)
        closed = audience_now(rows, where.audience) != where.audience
        return (point for point in said if not was_read(rows, point.id)) if closed else said
    lately = islice(spoken_before(rows, person, where, cursor), MOST_LATE)
    late = takewhile(lambda point: point.said > cursor.said - LATE_MS, lately)
    unread = [point for point in late if not was_read(rows, point.id)]
    return chain(reversed(unread), spoken_in(rows, person, where, cursor))


def unread_by_compartment(
    rows: Rows,
    person: Handle,
    learned_as: LearnedAs,
    reader: Reader,
    *,
    passed_over: bool = False,
) -> dict[str, list[Said]]:
    """Everything of a person's that no extraction has read, however old: what an import brought in; but where nothing
    was to be learned from. Of that what is still to be shown to the reader, or what is passed over.
    """
    groups: dict[str, list[Said]] = {}
    is_wanted = _wanted(rows, reader, passed_over=passed_over)
    for where in units_of(rows, person):
        judge = learned_as(person, where)
        heard = _heard(rows, where, filter(is_wanted, spoken_in(rows, person, where)))
        said = groups.setdefault(_compartment(rows, person, where), [])
        said += (each for each in heard if judge(each.found) != "none" and not was_read(rows, each.point.id))
    return _in_order(groups)


def _wanted(rows: Rows, reader: Reader, *, passed_over: bool) -> Callable[[Point], bool]:
    is_passed_over = judged(rows, reader)
    return lambda point: is_passed_over(point.id) is passed_over


def _compartment(rows: Rows, person: Handle, where: SpokenRow) -> str:
    """Where what is learned from a unit goes: to who can read now what was said there."""
    return place_said(rows, person, where.audience, where.guild)


def _in_order(groups: Mapping[str, list[Said]]) -> dict[str, list[Said]]:
    return {compartment: sorted(said, key=lambda each: each.point) for compartment, said in groups.items() if said}


def _cursor(rows: Rows, person: Handle, compartment: str) -> Point | None:
    row = rows.get(EXTRACTIONS, compartment_key(person, compartment))
    return None if row is None else row.upto


def _heard(rows: Rows, where: SpokenRow, points: Iterable[Point]) -> Iterator[Said]:
    for point in points:
        found = find_message(rows, where.session, where.audience.epoch, point)
        if found is not None and found.row.message.text.strip():
            yield Said(point, found)


def plan_extraction(
    rows: Rows, person: Handle, compartment: str, heard: list[Said], policy: str = VERSION, reader: Reader = ANYBODY
) -> ExtractionPlan:
    """What an extraction of these messages would show the model; as many as its input takes, oldest first."""
    caller = Caller(rows, "", only=frozenset({person}))
    most = most_shown(rows, reader, heard[0].point.id)
    messages = _within([_input(each, caller) for each in heard[:most]])
    items = [found for found in items_in(rows, person, compartment) if found.row.item.status == "active"]
    inputs = ExtractionInputs(
        user=name_of(rows, person),
        lines=tuple(Line("", each.text, each.said, each.id.hex()) for each in messages),
        items=tuple(_known(found.row) for found in items),
    )
    last = messages[-1]
    cursor = _cursor(rows, person, compartment)
    reached = Point(last.said, last.id)
    return ExtractionPlan(
        person=person,
        compartment=compartment,
        inputs=inputs,
        messages=messages,
        shown=tuple(item_use(found.row) for found in items),
        after=cursor,
        upto=reached if cursor is None else max(cursor, reached),
        causes=(
            *dict.fromkeys(event for each in messages for event in (each.id, each.event)),
            *(found.row.event for found in items),
        ),
        said=max((*_worded(heard[: len(messages)]), *(found.row.said for found in items))),
        policy=policy,
        left=len(heard) - len(messages),
        is_last_try=is_last_try(rows, reader, (each.id for each in messages)),
    )


def _within(messages: list[InputMessage]) -> tuple[InputMessage, ...]:
    taken: list[InputMessage] = []
    room = INPUT_CHARS
    for each in messages:
        room -= len(each.text)
        if room < 0 and taken:
            break
        taken.append(each._replace(text=each.text[:INPUT_CHARS]))
    return tuple(taken)


def _input(heard: Said, caller: Caller) -> InputMessage:
    message = heard.found.row.message
    return InputMessage(
        heard.point.id,
        spoken_words(message, caller),
        message.ref,
        message.said,
        message.place,
        message.guild,
        heard.found.row.event,
        message.audience,
    )


def _worded(heard: Iterable[Said]) -> Iterator[int]:
    """When the words that are read came to be."""
    return (worded(each.found.row.message) for each in heard)


def _known(row: ItemRow) -> KnownItem:
    return KnownItem(row.item.id, row.item.kind, row.item.text, row.item.tags)


class Learned(NamedTuple):
    """What an extraction did: events recorded, entries dropped with reasons, or why nothing came of it; how many
    messages found no room in it and are read by the next; the ids of the items that it added or changed, and of those
    that follow their person everywhere from now on; why what is close to them stays apart, a failure each. Where
    nothing came of it: whether the message at fault is `passed_over` by now, so that nobody tries it again by themself.
    """

    events: int = 0
    dropped: tuple[str, ...] = ()
    error: str = ""
    left: int = 0
    added: tuple[str, ...] = ()
    promoted: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    passed_over: bool = False


def extract_items(
    plan: ExtractionPlan,
    prompt: Prompt,
    model: str,
    cap: int,
    mint: Mint,
    guarding: Guarding,
    sharing: SharingWords,
    before: ExtractionReplied | None = None,
) -> Loop[Learned]:
    """Ask, keep the reply, decide. What was replied `before` and never decided from is not asked for again, where it
    was to this very question; else it is on the bill, and nothing comes of it.
    """
    ask = _ask(_harmless(plan, guarding), prompt, model)
    reply: Reply | None = None
    if before is not None:
        is_to_this = before.call.prompt_digest == digest(ask.system, ask.prompt)
        if is_to_this and before.compartment == plan.compartment:
            reply = reply_of(before.reply, before.call)
        else:
            yield failing(given_up(before), mint)
    to_do = Work(read_reply, partial(_texts, plan), partial(_replied, plan), partial(_failed, plan))
    told = yield from asked(ask, to_do, mint, reply)
    if isinstance(told, Failed):
        return Learned(error=told.error)
    use = told.use
    work = WorkRequest(_answered(plan, told.reply, use), mint())
    request = ExtractionRequest(
        owner=plan.person,
        compartment=plan.compartment,
        reply=told.reply,
        inputs=plan.messages,
        by=by_model(use),
        origin=mint(),
        shown=plan.shown,
        cap=cap,
        said=plan.said,
        guarding=guarding,
        sharing=sharing,
        measure=told.measure,
    )
    broken = mint()

    def decide(rows: Rows) -> Sequence[Draft]:
        try:
            return learn(rows, work, request)
        except Exception as error:  # noqa: BLE001 - a policy with a bug: the reply is kept, and why nothing came of it
            reason = f"deciding failed: {type(error).__name__}: {error}"
            return record_work(rows, WorkRequest(_failed(plan, reason, told.reply, use), broken))

    decided = [record.event for record in records_of((yield Decide(decide)))]
    if decided and isinstance(decided[0], ExtractionFailed):
        return Learned(error=decided[0].error)
    dropped = tuple(f"{each.entry}: {each.reason}" for each in told.read.dropped)
    return learned_from(decided)._replace(dropped=dropped, left=plan.left)


def learned_from(decided: Sequence[Event]) -> Learned:
    """What the events of an extraction's decision say that it did."""
    added = tuple(event.item.id for event in decided if isinstance(event, ItemUpserted))
    promoted = tuple(event.item.id for event in decided if isinstance(event, ItemMoved))
    return Learned(max(len(decided) - 1, 0), added=added, promoted=promoted)


def _harmless(plan: ExtractionPlan, guarding: Guarding) -> ExtractionPlan:
    """The plan without a name that instructs the model: names are not quoted, so nothing else would hold it."""
    if not _instructs(plan.inputs.user, guarding.instructions):
        return plan
    return plan._replace(inputs=msgspec.structs.replace(plan.inputs, user=SOMEONE))


@of_people
@lru_cache(maxsize=256)
def _instructs(name: str, words: InstructionWords) -> bool:
    """The same few people speak again and again."""
    return instruction_in(name, words) is not None


def _texts(plan: ExtractionPlan, read: ExtractionReply, rows: Rows) -> list[str]:
    """What the entries say with what was taken back, where anything was."""
    forgotten = [row.text for row in taken_back(rows, plan.person, plan.compartment)]
    return [*forgotten, *(entry.text for entry in read.upserts)] if forgotten and read.upserts else []


def _ask(plan: ExtractionPlan, prompt: Prompt, model: str) -> Ask:
    data = msgspec.json.encode(plan.inputs).decode()
    return Ask("extraction", model, prompt.name, prompt.text, data, plan.inputs, AskedExtraction, plan.person)


def replied(plan: ExtractionPlan, ask: Ask, reply: Reply) -> ExtractionReplied:
    """A reply of which nothing is decided yet."""
    return _replied(plan, reply.text, use_of(ask, reply, digest(ask.system, ask.prompt)))


def _replied(plan: ExtractionPlan, reply: str, use: ModelUse) -> ExtractionReplied:
    return _worked(partial(ExtractionReplied, reply=reply), plan, use)


def _answered(plan: ExtractionPlan, reply: str, use: ModelUse) -> ExtractionAnswered:
    return _worked(partial(ExtractionAnswered, reply=reply), plan, use)


def _failed(plan: ExtractionPlan, error: str, reply: str, use: ModelUse) -> ExtractionFailed:
    error = f"{error}; {PASSED_OVER}" if plan.is_last_try and use.version else error
    return _worked(partial(ExtractionFailed, error=error, reply=reply), plan, use)


def _worked(made: Callable[..., T], plan: ExtractionPlan, use: ModelUse) -> T:
    """An event of model work about a plan: `made` makes it of what all of them say."""
    return made(
        said=plan.said,
        by=by_model(use),
        causes=plan.causes,
        owner=plan.person,
        compartment=plan.compartment,
        after=plan.after,
        upto=plan.upto,
        call=use,
        inputs=tuple(each.id for each in plan.messages),
        policy=plan.policy,
    )
