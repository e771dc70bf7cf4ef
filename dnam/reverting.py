"""Undoing a bad extraction: what came of an event, or of all that a model replied for a while; and undoing that.

asked = caused_by(rows, chronicle, seq)       what is meant, and the events it begins with
found = plan(memory, asked)                   what would become of whom: nothing is changed yet
done  = await carry_out(memory, found)        recorded, one decision after the other, for one person each
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from dnam.access import Access
from dnam.errors import Unknown
from projections.consent import is_out
from projections.decisions import revert as reverts
from projections.decisions import revert_summaries as summaries
from projections.decisions.adopt_pairs import OUT
from projections.decisions.adopted import VERSION as ADOPTION
from projections.decisions.adopted import is_adopted
from projections.decisions.came_of import Chronicle, came_of, left_by
from projections.decisions.draft import Draft
from projections.decisions.reversal import Change, Left, Reversal, reversal
from projections.decisions.revert import RevertRequest
from projections.decisions.revert_summaries import SummaryChange, SummaryLeft
from projections.errors import BadRequest
from projections.events import ItemEvent, ItemReverted, RederivationAdopted, SummaryReverted, SummaryWithheld
from projections.events.summaries import SummaryEvent
from projections.events.values import ModelUse
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Seq
from projections.items import ITEMS, owner_key
from projections.lookup import people
from projections.people import name_of
from projections.policies.closing import is_closing
from projections.policies.precedence import HUMANS
from projections.rows import Rows
from projections.turns import TURNS
from projections.work import WORK
from replay.chronicle import LogChronicle
from replay.group import Recorded
from replay.reading import Reader

Kind = Literal["goes", "comes back", "says again", "rests again", "goes again"]
Decide = Callable[[Rows, Chronicle, RevertRequest], list[Draft]]
NAMES = "`dnam shadows` lists the names"
TAKEN_BACK = f"`dnam adopt --undo NAME` takes it back; {NAMES}"
OF_PERSON = ", of person "
"""What stands before a person's handle in what is meant, as it is recorded."""
DecideSummary = Callable[[Rows, Chronicle, bytes, RevertRequest], list[Draft]]


class Replied(NamedTuple):
    """A model by its name and version, and how many of its replies are meant."""

    model: str
    version: str
    replies: int


class Asked(NamedTuple):
    """What is to be taken back: in words, by the ids of its item events and of its summary events. `undoes`: it is a
    revert. `models`: whose replies are meant, where a model was named.
    """

    what: str
    items: tuple[EventId, ...]
    summaries: tuple[EventId, ...]
    undoes: bool = False
    models: tuple[Replied, ...] = ()


class Part(NamedTuple):
    """What becomes of one owner's items, and by which of the events."""

    owner: Handle
    events: tuple[EventId, ...]
    reversal: Reversal


class Plan(NamedTuple):
    """What becomes of everything, before it is done."""

    asked: Asked
    parts: tuple[Part, ...]
    changed: tuple[SummaryChange, ...]
    left: tuple[SummaryLeft, ...]

    @property
    def changes(self) -> int:
        """How many items and summaries change."""
        return len(self.changed) + sum(len(each.reversal.changes) for each in self.parts)

    @property
    def stays(self) -> int:
        """How many of what came of it stay as they are."""
        return len(self.left) + sum(len(each.reversal.left) for each in self.parts)


class Done(NamedTuple):
    """What was recorded: `first` is the event by which it can be undone; None where nothing came of it any more."""

    first: Seq | None
    events: int


def kind_of(change: Change) -> Kind:
    """What becomes of an item, in words."""
    now, then = change.now, change.then
    if then is None:
        return "goes"
    if then.item.status != "active":
        return "goes again"
    if now is None or now.item.status != "active":
        return "comes back"
    return "says again" if now.item.text != then.item.text else "rests again"


# -- what is meant -------------------------------------------------------------------------------------------------


def caused_by(rows: Rows, reader: Reader, chronicle: Chronicle, seq: int) -> Asked:
    """What came of an event. Unknown where there is none, BadRequest where a person did it, or it is an adoption."""
    record, event = _at(reader, seq)
    if record is not None:
        _refuse_adoptions(record)
    if record is not None and isinstance(record.event, ItemEvent | SummaryEvent) and record.event.by.kind in HUMANS:
        if reverts.what_was_reverted(record) or summaries.what_was_reverted(record):
            raise BadRequest(f"#{seq} is a revert: `dnam revert --undo {seq}` takes it back")
        raise BadRequest(
            f"#{seq} is what a person did ({record.event.TAG}): `dnam edit`, `forget` and `restore` change that"
        )
    return _asked(rows, chronicle, f"what came of #{seq}", [event])


def _refuse_adoptions(record: Record) -> None:
    """What makes an adoption count, and what takes one back: they are undone whole."""
    event = record.event
    taken_back = isinstance(event, ItemReverted | SummaryReverted | SummaryWithheld) and event.policy == ADOPTION
    if taken_back or (isinstance(event, RederivationAdopted) and event.undoes is not None):
        raise BadRequest(f"#{record.seq} takes an adoption back: `dnam adopt NAME` adopts it again; {NAMES}")
    if isinstance(event, RederivationAdopted):
        raise BadRequest(f"#{record.seq} is an adoption: {TAKEN_BACK}")


def _at(reader: Reader, seq: int) -> tuple[Record | None, EventId]:
    if not 0 < seq <= reader.size:
        raise Unknown(f"there is no event #{seq}: the log ends at #{reader.size}, and `dnam log` lists it")
    reading = reader.at(seq)
    return reading.record, reading.id


def _asked(rows: Rows, chronicle: Chronicle, what: str, begun: Sequence[EventId]) -> Asked:
    found = came_of(rows, chronicle, begun)
    return Asked(what, tuple(found.items), tuple(found.summaries))


def by_model(rows: Rows, chronicle: Chronicle, model: str, after: int, upto: int) -> Asked:
    """What came of all that a model replied, recorded after one seq and up to another. `model` is its name, and then
    every version of it is meant; or `NAME VERSION` or `NAME@VERSION`, for one. Unknown names the models that there are.
    """
    calls = list(_calls(rows))
    mine = [each for each in calls if _is(each[2], model)]
    if not mine:
        known = sorted({_name(call) for _, _, call in calls if call.version})
        there_is = f"there are replies of {', '.join(known)}" if known else "no model has replied yet"
        hint = f". What an adoption brought of it, {TAKEN_BACK}" if _was_adopted(rows, model) else ""
        raise Unknown(f"no reply of a model {model!r} is kept here: {there_is}{hint}")
    begun = sorted((seq, event, call.model, call.version) for seq, event, call in mine if after < seq <= upto)
    first, last = (begun[0][0], begun[-1][0]) if begun else (after, upto)
    named = model if any(call.model == model for _, _, call in mine) else _name(mine[0][2])
    found = _asked(rows, chronicle, f"what {named} replied from #{first} to #{last}", [each[1] for each in begun])
    replies = Counter(each[2:] for each in begun if each[3])  # what failed has no version, and no reply
    return found._replace(models=tuple(Replied(*each, count) for each, count in sorted(replies.items())))


def _was_adopted(rows: Rows, model: str) -> bool:
    """Whether an item is what an adoption made of it, of a shadow by this model. Its replies are the shadow's."""
    adopted = (found.row.by for found in rows.scan(ITEMS) if is_adopted(found.row))
    return any(by.kind == "model" and by.name in (model, model.partition("@")[0]) for by in adopted)


def _calls(rows: Rows) -> Iterator[tuple[Seq, EventId, ModelUse]]:
    """Every reply that is kept: of extractions, merges and summaries, and answers, whose tools may have noted."""
    yield from ((each.seq, each.row.event, each.row.call) for each in rows.scan(WORK))
    yield from ((each.seq, each.row.event, each.row.call) for each in rows.scan(TURNS))


def _is(call: ModelUse, model: str) -> bool:
    return model in (call.model, _name(call), f"{call.model} {call.version}")


def _name(call: ModelUse) -> str:
    return f"{call.model}@{call.version}"


def the_revert(rows: Rows, reader: Reader, chronicle: Chronicle, seq: int) -> Asked:
    """A whole revert, by any of its events. BadRequest where it is none."""
    record, _ = _at(reader, seq)
    what = "" if record is None else reverts.what_was_reverted(record) or summaries.what_was_reverted(record)
    if record is None or not what:
        raise BadRequest(
            f"#{seq} is no event of a revert: `dnam log --tag TAG` lists those, where TAG is item.reverted, "
            "item.deprecated (there they say `reverted: `), summary.reverted or summary.withheld"
        )
    items = reverts.events_of_revert(rows, chronicle, what, record)
    found = summaries.summary_events_of_revert(rows, chronicle, what)
    return Asked(what, tuple(each.id for each in items), tuple(each.id for each in found), undoes=True)


# -- what becomes of it --------------------------------------------------------------------------------------------


def plan(memory: Access, rows: Rows, asked: Asked, person: Handle | None = None) -> Plan:
    """What would become of everybody, or of one person; nothing is changed."""
    chronicle, known = LogChronicle(memory.engine.live), memory.guarding.rephrasing
    if asked.undoes:
        undone = reverts.undone_by_undoing(chronicle, asked.items, known)
    else:
        undone = reverts.undone_by_reverting(rows, chronicle, asked.items, known)
    if person is not None:
        asked = asked._replace(what=_of_person(asked.what, person))
    by_owner: dict[bytes, list[EventId]] = {}
    for record in undone.items.values():
        for key in dict.fromkeys(each[:16] for each in left_by(record)):
            by_owner.setdefault(key, []).append(record.id)
    wanted = sorted(key for key in by_owner if person is None or key == owner_key(person))
    owners = [(Handle(key) if any(key) else NOBODY, tuple(by_owner[key])) for key in wanted]
    found = ((owner, events, reversal(rows, chronicle, undone, owner)) for owner, events in owners)
    parts = (Part(owner, events, _left_alone(each) if is_out(rows, owner) else each) for owner, events, each in found)
    records = [each for each in map(chronicle.find, asked.summaries) if each is not None]
    changed, left = summaries.summaries_reversal(rows, chronicle, records, reverts=asked.undoes)
    mine = [each for each in changed if person in (None, each.event.person)]
    stays = left if person is None else []
    return Plan(asked, tuple(each for each in parts if any(each.reversal)), tuple(mine), tuple(stays))


def _left_alone(found: Reversal) -> Reversal:
    """What stays of who opted out: nothing of theirs is recorded, so all of it does."""
    changes = ((each, each.now) for each in found.changes)
    stays = (Left(now, OUT, change.undone[-1].seq) for change, now in changes if now is not None)
    return Reversal((), (*stays, *found.left))


def _of_person(what: str, person: Handle) -> str:
    """A handle tells a program whose it is, and nobody else."""
    mark = f"{OF_PERSON}{_short(person)}"
    return what if what.endswith(mark) else what + mark


def _short(person: Handle) -> str:
    return person.hex()[:8]


def in_words(rows: Rows, what: str) -> str:
    """What is meant, for people: with the name of the one whose it is alone, where they are known."""
    words, _, short = what.rpartition(OF_PERSON)
    names = [name_of(rows, each) for each in people(rows) if words and _short(each) == short]
    return f"{words}, of {names[0]}" if len(names) == 1 else what


NOTHING_DONE = Done(None, 0)


def _untold(done: Done) -> None:
    """Nobody listens."""


async def carry_out(memory: Access, found: Plan, tell: Callable[[Done], None] = _untold) -> Done:
    """Record it, in as many decisions as it takes, each for one owner or one session; after each, `tell` hears what was
    recorded so far.
    """
    done = NOTHING_DONE
    decide: Decide = reverts.undo_revert if found.asked.undoes else reverts.revert
    for part in found.parts:
        while (recorded := await _record(memory, decide, part.owner, part.events, found)).records:
            tell(done := _counted(done, recorded))
    for each in found.changed:
        of_key: DecideSummary = summaries.undo_revert_summary if found.asked.undoes else summaries.revert_summary
        one = partial(_of_key, of_key, each.key)
        recorded = await _record(memory, one, each.event.person, found.asked.summaries, found)
        tell(done := _counted(done, recorded))
    return done


def _of_key(decide: DecideSummary, key: bytes, rows: Rows, chronicle: Chronicle, request: RevertRequest) -> list[Draft]:
    return decide(rows, chronicle, key, request)


async def _record(memory: Access, decide: Decide, owner: Handle, events: tuple[EventId, ...], found: Plan) -> Recorded:
    request = RevertRequest(
        owner=owner,
        events=events,
        what=found.asked.what,
        said=memory.now(),
        origin=memory.origin(),
        cap=memory.settings.durable_max_items,
        known=memory.guarding.rephrasing,
    )
    return await memory.record(lambda rows: decide(rows, LogChronicle(memory.engine.live), request))


def _counted(done: Done, recorded: Recorded) -> Done:
    """With these, but for what keeps something taken back from returning: that is told by the event behind it."""
    told = [each.seq for each in recorded.records if not is_closing(each.event)]
    return Done(told[0] if done.first is None and told else done.first, done.events + len(told))
