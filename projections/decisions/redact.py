"""Redacting: what was said is taken back, and with it what a model made of it (design §8).

    what drew on it                             what becomes of it
    ─────────────────────────────────────────   ───────────────────────────────────────────────────────────────────────
    the message, and every version of it        its words go
    a summary that covered it, and those after  their words go; the one in force is withheld, and made anew
    an item that rests on it alone              withdrawn
    an item that was only changed by it         says again what it said before
    an item that rests on more                  stands; the words quoted from it go
    an item that a person asked to keep         stands, until they forget it; the words quoted from it go
    what a person kept of another's words       withdrawn
    an item that a person took back             withdrawn where it rests on it alone; else it is refused as before, and
                                                the words quoted from it go
    a raw reply, a refusal, a tool's call       its words go; what the reply took stays
    an answer to it, or that repeats its words  withdrawn, wherever it was given (`said_again`), and the summaries of it
    one that had it, and tells of it            the same: one telling word is enough (`told_of`)
    one that tells of an item that goes, or of  the same, where it had anything of it before it (`telling`)
    what one said before that stands otherwise
    what the assistant said in an import        as an answer (`retold`)
    a forward of any of these                   as the message itself, wherever it stands (`carried`)

Everything is followed from the message through what was made of what, also by way of events whose words are gone
already (`gaps`): so all that ever had its words is found, whatever is left of it, and whichever of several messages
goes first. With an answer that is taken back go the summaries of it, and what repeats it.

An edited message is another one to what was made of it: its items stay until the next
extraction has read it (`extraction`), save what another kept of it word for word, and all the rest goes as above.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from projections.decisions.carried import carrying
from projections.decisions.draft import Draft, Minter, Origin
from projections.decisions.gaps import gaps, standing_for
from projections.decisions.redact_items import ITEM_TAGS, ItemsRedacted, events_before, lies_at, redact_items
from projections.decisions.retold import retold
from projections.decisions.said_again import SUMMARIES_MADE, SaidAgain, Units, said_again, units_of_turns
from projections.decisions.shelf import policy_by
from projections.decisions.told_of import Spoken, telling_of
from projections.decisions.withdraw import turn_withdrawn
from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    ItemRedacted,
    ItemRefused,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    MessageEdited,
    MessageRedacted,
    ReflectionAnswered,
    ReplyWithdrawn,
    SummaryWithheld,
    ToolCalled,
    TurnAnswered,
)
from projections.events.values import Audience, By
from projections.gaps import led_to
from projections.ids import EventId, Identity, Ref
from projections.items import compartment_key
from projections.messages import MessageRow, unit
from projections.policies import repeating, telling
from projections.recall.documents import spoken_text
from projections.rows import Rows
from projections.summaries import SUMMARIES
from projections.turns import TurnRow, find_turn
from projections.vaults import partner_of
from projections.work import EXTRACTION_ATTEMPTS, EXTRACTIONS, WORK, WorkRow

VERSION = "redaction@6"
ANSWERS = f"{VERSION} {repeating.VERSION} {telling.VERSION}"
REPLIES = frozenset(
    each.TAG
    for each in (
        ExtractionAnswered,
        ExtractionFailed,
        ExtractionReplied,
        MergeAnswered,
        MergeFailed,
        MergeReplied,
        ReflectionAnswered,
    )
)
MERGES = frozenset({MergeAnswered.TAG, MergeFailed.TAG, MergeReplied.TAG})
MOST_REPLIES = 400
"""How many replies are withdrawn with the items that they confirmed: an event each, and a decision has room for 1,000.
"""


class Redaction(NamedTuple):
    """What a redaction records beside itself, and whose bodies it drops, each once. `stands` are those of messages that
    go on standing in other words, `stood` those of items that stand, by their keys.

    `first` is set where there is more than one decision has room for: then this is a part of what says the words again,
    the messages still stand, and it is to be decided again. It names that part.
    """

    events: tuple[Event, ...]
    bodies: tuple[EventId, ...]
    first: Origin | None = None
    stands: tuple[EventId, ...] = ()
    stood: Mapping[bytes, frozenset[EventId]] = {}


def redaction_of(
    rows: Rows,
    messages: Sequence[MessageRow],
    said: int,
    instead: str | None = None,
    *,
    answers: Sequence[TurnRow] = (),
    whole: bool = False,
) -> Redaction:
    """What goes with these messages, at `said` (ms), and with `answers`, which whoever takes them back withdraws too
    where they are not among it. `instead` are the words that a message has from now on. `whole`: also what one decision
    has no room for, to be looked at.

    A message whose words are gone already has nothing more to lose.
    """
    first, asked = frozenset(row.heard for row in messages), [turn.event for turn in answers]
    while True:
        taken = _redaction_of(rows, messages, said, instead, first, answers=answers, whole=whole)
        forwards = carrying(rows, (*taken.bodies, *asked), {row.heard for row in messages})
        if not forwards:
            return taken
        messages = [*messages, *forwards]


def _redaction_of(
    rows: Rows,
    messages: Sequence[MessageRow],
    said: int,
    instead: str | None,
    edited: Collection[EventId],
    *,
    answers: Sequence[TurnRow],
    whole: bool,
) -> Redaction:
    """The same, with all that forwards any of it among the messages. `instead` is said by those in `edited` alone."""
    versions = {row.heard: versions_of(rows, row) for row in messages}
    standing = (
        ()
        if instead is None
        else tuple(each for row in messages if row.heard in edited for each in versions[row.heard])
    )
    effects = _effects(rows, (version for each in versions.values() for version in each))
    of_items = redact_items(rows, messages, effects, said, instead)
    says = _says_again(messages, answers, of_items, instead or "")
    tells = telling_of(rows, (Spoken(spoken_text(row.message), versions[row.heard]) for row in messages), instead or "")
    questions = frozenset[Ref]() if instead else frozenset(row.message.ref for row in messages)
    asked = tuple(turn.event for turn in answers)
    told = retold(
        rows,
        [*(version for each in versions.values() for version in each), *asked],
        questions,
        lambda row: row.heard in tells or says(spoken_text(row.message)),
    )
    own = {row.heard: versions_of(rows, row) for row in told}
    versions |= own
    effects |= _effects(rows, (version for each in own.values() for version in each))
    replies = _tagged(effects, REPLIES)
    answered = _tagged(effects, {TurnAnswered.TAG})
    near = _repeating(
        rows,
        answered,
        frozenset() if instead else {row.heard for row in messages},
        lambda turn: turn.event in tells or says(turn.text),
    )
    unread = [each for each in answered if rows.ids.status(each) != "known"]
    of_messages = _summaries(rows, _tagged(effects, SUMMARIES_MADE))
    of_edited = () if instead is None else events_before(rows, _tagged(effects, ITEM_TAGS))
    first = (*(turn.event for turn in near), *asked, *unread, *of_messages, *sorted({*of_items.bodies, *of_edited}))
    again = said_again(rows, first, lambda turn: turn.event in tells or says(turn.text), answered)
    if again.is_too_much and not whole:
        return _farthest(rows, again.farthest(), said)
    turns, summaries = (*near, *again.turns), list(dict.fromkeys((*of_messages, *again.summaries)))
    kept = [each for each in (*replies, *summaries) if rows.ids.status(each) == "known"]
    with_items = items_redaction(rows, of_items, said, versions.keys(), besides=kept)
    units = units_of_turns((*answers, *turns)) | _units((*messages, *told))
    events = (
        *with_items.events,
        *summaries_withheld(rows, units, frozenset(summaries), said),
        *replies_withdrawn(rows, kept, said, versions.keys()),
        *(turn_withdrawn(turn, said, ANSWERS) for turn in turns),
    )
    bodies = (
        *(version for each in versions.values() for version in each),
        *with_items.bodies,
        *_tagged(effects, {ItemRefused.TAG}),
        *kept,
        *(turn.event for turn in turns),
    )
    known = [each for each in with_calls(rows, (*bodies, *asked)) if rows.ids.status(each) == "known"]
    others = frozenset(asked).difference(bodies)
    return Redaction(events, tuple(each for each in known if each not in others), stands=standing, stood=of_items.stood)


def _farthest(rows: Rows, again: SaidAgain, said: int) -> Redaction:
    """What says the words again without what they are said again from: that goes later."""
    events = (
        *summaries_withheld(rows, units_of_turns(again.turns), frozenset(again.summaries), said),
        *replies_withdrawn(rows, again.summaries, said),
        *(turn_withdrawn(turn, said, ANSWERS) for turn in again.turns),
    )
    bodies = (*again.summaries, *(turn.event for turn in again.turns))
    bodies = tuple(each for each in with_calls(rows, bodies) if rows.ids.status(each) == "known")
    return Redaction(events, bodies, Origin(Identity("dnam", "redaction", bodies[0].hex(), "first", said)))


def items_redaction(
    rows: Rows, items: ItemsRedacted, said: int, gone: Collection[EventId] = (), besides: Collection[EventId] = ()
) -> Redaction:
    """What becomes of items, and the replies that made them so or made one of two, but those that go already, and what
    was refused. Whoever was only shown an item has not made anything of it.
    """
    effects = _effects(rows, sorted(items.bodies))
    made = (each for each, tag in effects.items() if _made(rows, each, tag, items))
    replies = [each for each in made if each not in besides and rows.ids.status(each) == "known"][:MOST_REPLIES]
    bodies = (*sorted(items.bodies), *replies, *_tagged(effects, {ItemRefused.TAG}))
    events = (*items.events, *replies_withdrawn(rows, replies, said, gone))
    known = tuple(each for each in with_calls(rows, bodies) if rows.ids.status(each) == "known")
    return Redaction(events, known, stood=items.stood)


def with_calls(rows: Rows, bodies: Iterable[EventId]) -> tuple[EventId, ...]:
    """These events, and behind them the calls of tools by a model that had one of them before it: what it asked for may
    say it again.
    """
    first = tuple(dict.fromkeys(bodies))
    return tuple(dict.fromkeys((*first, *_tagged(_effects(rows, first), {ToolCalled.TAG}))))


def _made(rows: Rows, event: EventId, tag: str, items: ItemsRedacted) -> bool:
    """Whether it is a reply that made items so, or made one of two. One that was kept before it was decided has made
    nothing itself, and may say whatever it was shown.
    """
    if tag in MERGES or tag == ExtractionReplied.TAG:
        return True
    return tag in REPLIES and any(effect in items.bodies for effect, _ in led_to(rows, event))


def redacted(minter: Minter, redaction: Redaction, said: int, by: By, causes: tuple[EventId, ...] = ()) -> list[Draft]:
    """The events of a redaction, and itself behind them: one, however many bodies it drops; nothing where there is
    nothing to drop. `causes` are the events that led to it.
    """
    if not redaction.bodies:
        return []
    drafts = [minter.draft(event) for event in redaction.events]
    latest = max((said, *(draft.event.said for draft in drafts)))
    rested = gaps(minter.rows, redaction.bodies, redaction.stands)
    stood = standing_for(redaction.bodies, {standing_by(drafts, key): path for key, path in redaction.stood.items()})
    event = MessageRedacted(said=latest, by=by, causes=causes, events=redaction.bodies, gaps=(*rested, *stood))
    return [*drafts, minter.draft(event)]


def standing_by(drafts: Iterable[Draft], key: bytes) -> EventId:
    """The event by which the item with this key stands."""
    found = ((draft.id, draft.event) for draft in drafts)
    return next(each for each, event in found if isinstance(event, ItemRedacted) and lies_at(event.item) == key)


def versions_of(rows: Rows, row: MessageRow) -> tuple[EventId, ...]:
    """The events that hold a message's words, the first one first."""
    edits = (effect for effect, tag in led_to(rows, row.heard) if tag == MessageEdited.TAG)
    return tuple(dict.fromkeys((row.heard, *edits, row.event)))


def _tagged(effects: dict[EventId, str], tags: Collection[str]) -> list[EventId]:
    return [effect for effect, tag in effects.items() if tag in tags]


def _effects(rows: Rows, causes: Iterable[EventId]) -> dict[EventId, str]:
    """What came of events at once, by tag."""
    return {effect: tag for each in causes for effect, tag in led_to(rows, each)}


# -- replies -------------------------------------------------------------------------------------------------------


def replies_withdrawn(
    rows: Rows, events: Iterable[EventId], said: int, gone: Collection[EventId] = ()
) -> list[ReplyWithdrawn]:
    """What stays of the replies among these events. What is gone, or says something else by now, does not count as
    read.
    """
    found = (rows.get(WORK, each) for each in events)
    return [_reply_withdrawn(rows, row, gone, said) for row in found if row is not None]


def _reply_withdrawn(rows: Rows, row: WorkRow, gone: Collection[EventId], said: int) -> ReplyWithdrawn:
    has_read = row.work == "extraction" and not row.failed
    read = [each for each in row.inputs if has_read and each not in gone and _may_rest_on(rows, each)]
    at = compartment_key(row.owner, row.compartment)
    done, tried = rows.get(EXTRACTIONS, at), rows.get(EXTRACTION_ATTEMPTS, at)
    is_extraction = row.work == "extraction"
    return ReplyWithdrawn(
        said=said,
        by=policy_by(VERSION),
        causes=(row.event, *read),
        reply=row.event,
        work=row.work,
        call=msgspec.structs.replace(row.call, prompt_digest=b""),
        at=row.at,
        failed=row.failed,
        owner=row.owner,
        compartment=row.compartment,
        inputs=tuple(read),
        upto=done.upto if is_extraction and done is not None and done.event == row.event else None,
        tried=tried.upto if is_extraction and tried is not None and tried.event == row.event else None,
        session=row.session,
        audience=row.audience,
        era=row.era,
        person=row.person,
    )


def _may_rest_on(rows: Rows, event: EventId) -> bool:
    return rows.ids.status(event) in ("known", "redacted")


# -- summaries -----------------------------------------------------------------------------------------------------


def _summaries(rows: Rows, first: Iterable[EventId]) -> list[EventId]:
    """These events of summaries, and all that were made of them."""
    found = dict.fromkeys(first)
    waiting = list(found)
    while waiting:
        effects = (effect for effect, tag in led_to(rows, waiting.pop()) if tag in SUMMARIES_MADE)
        news = [effect for effect in effects if effect not in found]
        found |= dict.fromkeys(news)
        waiting += news
    return list(found)


def summaries_withheld(rows: Rows, units: Units, summaries: Collection[EventId], said: int) -> list[SummaryWithheld]:
    """The summaries in force that are to be made anew."""
    events: list[SummaryWithheld] = []
    for where, audience in units.items():
        row = rows.get(SUMMARIES, unit(*where))
        if row is None or row.event not in summaries:
            continue
        event = SummaryWithheld(
            said=max(said, row.said),
            by=policy_by(VERSION),
            causes=(row.event,),
            session=row.session,
            audience=audience,
            era=row.era,
            person=partner_of(audience),
            policy=VERSION,
            refresh=row.refresh,
            upto=row.upto,
            floor=row.floor,
        )
        events.append(event)
    return events


# -- answers -------------------------------------------------------------------------------------------------------


def _repeating(
    rows: Rows, turns: Iterable[EventId], questions: Collection[EventId], says: Callable[[TurnRow], bool]
) -> list[TurnRow]:
    """The answers to messages that are gone, and those in which words stand again that are not said any more."""
    found = (find_turn(rows, turn) for turn in sorted(turns))
    rows_ = {row.event: row for row in found if row is not None}
    return [row for row in rows_.values() if row.answers in questions or says(row)]


def _units(messages: Iterable[MessageRow]) -> dict[tuple[str, int], Audience]:
    return {(row.message.session, row.message.audience.epoch): row.message.audience for row in messages}


def _says_again(
    messages: Sequence[MessageRow], answers: Sequence[TurnRow], items: ItemsRedacted, instead: str
) -> Callable[[str], bool]:
    """Whether an answer repeats the words of a message or an answer, or says anything of an item that goes with it, or
    of what one that stands said by it and says no more: items put what was said in words of their own.
    """
    words = (*(spoken_text(row.message) for row in messages), *(turn.text for turn in answers))
    repeats = repeating.repeating(words, instead)
    tells = telling.telling(items.texts, instead)
    told = telling.telling(items.before, " ".join((instead, *items.standing)))
    return lambda text: repeats(text) or tells(text) or told(text)
