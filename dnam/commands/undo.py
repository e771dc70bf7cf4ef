"""`!memory undo`: the last thing that a person did to what this place shows is taken back, by doing its opposite; asked
for once more, the thing before it, and so on (`acts`).

    what they did           undone by
    ─────────────────────   ──────────────────────────────────────────
    remembered (new)        forgetting it
    remembered (was gone)   forgetting it
    restored                forgetting it
    edited                  editing it back to what it said
    shared, kept private    moving it back to where it was
    forgot                  restoring it
    set or unset a key      giving it the value that it had (`undo_setting`)
    anything else           nothing: it stays, which is said (`undo_lasting`)

So an undo is a change like any other, recorded with who did it and that it undoes something. Its own button takes it
back, which is a new change, and the next to undo. A move that had made one of two items takes both apart, each as it
was (`decisions/moving_back`). What only confirmed an item changed nothing that could be taken
back: it is passed over, which is said, and goes with the item that it confirmed. A summary that was cleared was made of
what is no longer at hand.

A place shows what an answer there may hold: what was done to anything else is undone elsewhere, also by a command whose
reply nobody else sees. What is moved out of there by being undone is not told there any more.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.acts import NEVER, Act, LastActs, acts_of_event, is_undone, last_acts
from dnam.commands.command import PREFIX, Arguments, Invocation, Parameter, Reply
from dnam.commands.config import SURE
from dnam.commands.consent import OPTED_OUT, is_unheard
from dnam.commands.made_room import made_room
from dnam.commands.picking import listed, shown_id
from dnam.commands.undo_lasting import Lasting, lasting
from dnam.commands.undo_setting import LastSetting, last_settings, not_theirs, undo_setting
from dnam.placing import Opposite, Verb
from projections.decisions.moving_back import AS_ONE, NARROWED
from projections.errors import BadRequest
from projections.events import ItemMoved
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ITEMS, item_key
from projections.policies.compartments import Opening, opened
from projections.rows import Rows
from replay.reading import Reader

NOTHING = (
    "There is nothing of yours to undo here: I take back what you changed in what this place shows, the last first, "
    "where nobody else changed it since."
)
CONFIRMED = "That only confirmed what was kept already: there is nothing to take back."
ALSO_CONFIRMED = "What you remembered after that only confirmed something else that was kept already: it stays."
CONFIRMED_IT = "That you remembered it once more only confirmed it, and goes with it."
ELSEWHERE = (
    "What you changed last lies where this place does not show it: undo that where you did it, or in your direct "
    "messages."
)
STAYS = "What you did after that stays:"
ALL_STAYS = "What you did stays:"
MOST_STAYING = 3
"""How much of what stays is told one by one."""
PARAMETERS = (Parameter(SURE, "where it would take words away", optional=True),)
UNTOLD = "- (what it says is not told here any more)"
APART = "An item of its own again, as it was before:"
NARROWER = "this is told again as far as those may know it who can read by now what it rests on, and nowhere else"
AS_ONE_STILL = "What it had become one with cannot be read any more, so it came along: both are still one."
UNDONE = "That is undone already."
OUTDATED = "That was changed again since, so it cannot be undone from here."

NOW: dict[Verb, str] = {
    "forgotten": "this is forgotten",
    "restored": "this is remembered again",
    "put back as it was": "this says again what it said before",
    "moved back": "this is told again where it was told before, and nowhere else",
}


class Found(NamedTuple):
    """What somebody did that they may want undone there: to items last; to what is configured, and what else, the
    newest first; and when they last did something that the place does not show.
    """

    items: LastActs
    settings: list[LastSetting]
    lasting: list[Lasting]
    elsewhere: tuple[int, int]


async def undo(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Take back the last thing that the person did to what the place shows, and has not taken back. What stays is told,
    as far as it was later. What would take words away waits for a `yes`; of who opted out, only forgetting is done.
    """
    sure = arguments.get(SURE, "").casefold()
    if sure not in ("", SURE):
        raise BadRequest(f"`{PREFIX} undo` takes back what you did last: it takes no words but {SURE}")
    memory = assistant.memory
    reader = Reader(memory.engine.live)
    found = await memory.look(lambda rows: _found(assistant, rows, reader, asked))
    setting, kept = await _their_setting(assistant, asked, found)
    done = found.items.when if setting is None else setting.when
    more = _staying([*kept, *(each for each in found.lasting if each.when > done)], is_all=done == NEVER)
    more += [ELSEWHERE] if found.elsewhere > done else []
    if done == NEVER:
        return _with(Reply(CONFIRMED if found.items.confirmed > NEVER else NOTHING, failed=True), more)
    is_more = setting is not None or any(_opposite(each) != "forgotten" for each in found.items.acts)
    if is_more and await memory.look(lambda rows: is_unheard(rows, asked)):
        return Reply(OPTED_OUT, failed=True)
    also = [ALSO_CONFIRMED] if _confirmed_since(found.items, setting) > done else []
    if setting is not None:
        return _with(await undo_setting(assistant, asked, setting, sure=bool(sure)), [*also, *more])
    along = [CONFIRMED_IT] if found.items.confirmed_it > NEVER else []
    return _with(await _undone(assistant, asked, found.items.acts), [*along, *also, *more])


def _confirmed_since(items: LastActs, setting: LastSetting | None) -> tuple[int, int]:
    """When they last only confirmed what is not undone: where a setting is, that is every item."""
    return items.confirmed if setting is None else max(items.confirmed, items.confirmed_it)


def _with(reply: Reply, more: Sequence[str]) -> Reply:
    return reply._replace(text="\n".join([reply.text, *more]))


def _found(assistant: Assistant, rows: Rows, reader: Reader, asked: Invocation) -> Found:
    here = opened(rows, asked.setting)
    settings, set_elsewhere = last_settings(rows, reader, asked)
    later = () if asked.eyes is None else _elsewhere(opened(rows, asked.eyes), here)
    return Found(
        last_acts(rows, reader, asked.person, here),
        settings,
        lasting(rows, reader, assistant.memory.engine, asked, assistant.memory.now()),
        max(set_elsewhere, last_acts(rows, reader, asked.person, later).when),
    )


async def _their_setting(
    assistant: Assistant, asked: Invocation, found: Found
) -> tuple[LastSetting | None, list[Lasting]]:
    """The last that they set later than they changed any item and may still set; and what stays before that."""
    kept: list[Lasting] = []
    for each in found.settings:
        if each.when < found.items.when:
            break
        why = await not_theirs(assistant, asked, each)
        if not why:
            return each, kept
        kept.append(Lasting(each.said, each.seq, why))
    return None, kept


def _staying(kept: Sequence[Lasting], *, is_all: bool) -> list[str]:
    """What is said of what stays, the newest first. `is_all`: nothing is undone."""
    told = dict.fromkeys(each.words for each in sorted(kept, key=lambda each: each.when, reverse=True))
    lines = [f"- {each}" for each in told][:MOST_STAYING]
    rest = [f"- and {len(told) - MOST_STAYING} more"] if len(told) > MOST_STAYING else []
    return [ALL_STAYS if is_all else STAYS, *lines, *rest] if told else []


def _elsewhere(seen: Sequence[Opening], here: Sequence[Opening]) -> tuple[Opening, ...]:
    """What they alone see in the reply, and the place does not show."""
    return tuple(each for each in seen if each not in here)


async def undo_change(assistant: Assistant, asked: Invocation, change: EventId) -> Reply:
    """Take back what this event and those of the same act did, as far as it still stands."""
    reader = Reader(assistant.memory.engine.live)

    def question(rows: Rows) -> tuple[list[Act], bool, bool]:
        here = asked.opens(rows)
        acts, was_undo = acts_of_event(rows, reader, asked.person, here, change)
        return acts, was_undo, not acts and is_undone(rows, reader, asked.person, here, change)

    acts, was_undo, is_done = await assistant.memory.look(question)
    changed = [each for each in acts if not each.confirmed]
    if is_done:
        return Reply(UNDONE, failed=True)
    if not changed:
        return Reply(CONFIRMED if acts else OUTDATED, failed=True)
    return await _undone(assistant, asked, changed, undoes=not was_undo)


async def _undone(assistant: Assistant, asked: Invocation, acts: Sequence[Act], *, undoes: bool = True) -> Reply:
    """Do the opposite of each. Taking an undo back `undoes` nothing: it is done anew, and can be undone."""
    memory = assistant.memory
    items, apart = await _taken_back(assistant, asked, acts, undoes=undoes)
    shown, is_one = await memory.look(lambda rows: (asked.opens(rows), _is_said(rows, items, AS_ONE)))
    told = {**NOW, "moved back": NARROWER} if await memory.look(lambda rows: _is_said(rows, items, NARROWED)) else NOW
    seen = _Seen(shown, frozenset(each.item.id for each in acts))
    commands = " and ".join(dict.fromkeys(f"`{each.command}`" for each in acts))
    now = " and ".join(dict.fromkeys(told[_opposite(each)] for each in acts))
    lines = [f"Undone {commands}: {now}.", *[await _told(assistant, asked, each, seen) for each in items]]
    lines += [APART, *[await _told(assistant, asked, each, seen) for each in apart]] if apart else []
    lines += [AS_ONE_STILL] if is_one else []
    reply = await undoable(assistant, Reply("\n".join(lines), (*items, *apart)))
    return reply._replace(items=tuple(each for each in reply.items if seen.shows(each)))


class _Seen(NamedTuple):
    """What the place shows, and which ids it showed before something was undone."""

    shown: Sequence[Opening]
    ids: frozenset[str]

    def shows(self, item: Item) -> bool:
        return Opening(item.owner, item.compartment) in self.shown


async def _told(assistant: Assistant, asked: Invocation, item: Item, seen: _Seen) -> str:
    """The item as far as the place shows it, and what made room for it."""
    line = listed([item])[0] if seen.shows(item) else f"{UNTOLD}{f' {shown_id(item)}' if item.id in seen.ids else ''}"
    return f"{line}{await made_room(assistant.memory, item, asked=asked)}"


def _is_said(rows: Rows, items: Sequence[Item], why: str) -> bool:
    """Whether it is said of one of the items that this is why it lies as it does now."""
    found = (rows.get(ITEMS, item_key(each.owner, each.compartment, each.id)) for each in items)
    return any(row is not None and why in row.reason for row in found)


async def undoable(assistant: Assistant, reply: Reply) -> Reply:
    """The reply with what a button can take back: the event that left the first of its items as it is."""
    if reply.failed or not reply.items:
        return reply
    item = reply.items[0]
    return reply._replace(undo=await assistant.memory.look(lambda rows: event_of(rows, item)))


def event_of(rows: Rows, item: Item) -> EventId | None:
    """The event that left an item as it is."""
    row = rows.get(ITEMS, item_key(item.owner, item.compartment, item.id))
    return None if row is None else row.event


def _opposite(act: Act) -> Verb:
    if act.tag == ItemMoved.TAG:
        return "moved back"
    if act.item.status == "forgotten":
        return "restored"
    return "forgotten" if act.before is None or act.before.status != "active" else "put back as it was"


async def _taken_back(
    assistant: Assistant, asked: Invocation, acts: Sequence[Act], *, undoes: bool
) -> tuple[list[Item], list[Item]]:
    """The items as they are afterwards; and what one of them had become one with, where that is its own again."""
    there = {(each.item.compartment, each.item.id) for each in acts if _opposite(each) == "moved back"}
    changes = [_change(each) for each in acts]
    items = await assistant.memory.take_back(changes, by=asked.by, undoes=undoes, origin=asked.origin)
    apart = [each for each in items if (each.compartment, each.id) in there and each.status == "active"]
    return [each for each in items if (each.compartment, each.id) not in there], apart


def _change(act: Act) -> Opposite:
    text, source = ("", None) if act.before is None else (act.before.text, act.before.source)
    return Opposite(act.item, _opposite(act), text, act.came_from, source)
