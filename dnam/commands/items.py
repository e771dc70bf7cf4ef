"""The commands about durable items: show, at, remember, edit, forget, restore. Each sees and changes what its
place opens, and no more."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.forget_lore import NOT_EDITED, forget_lore, is_lore, lore_to_forget, lore_to_restore, restore_lore
from dnam.commands.forgotten_before import forgotten_before
from dnam.commands.gone import gone, list_gone, where_listed
from dnam.commands.made_room import made_room
from dnam.commands.picking import STATUSES, WORDS_STAY, in_each, listed, not_here, own, plain, shown_id
from dnam.commands.undo import undoable
from dnam.commands.unmatched import unmatched
from dnam.finding import compartment_words
from dnam.moments import Reader, looked_at
from dnam.quarantine import quarantined
from dnam.times import shown, zone_of
from dnam.unnamed import noted
from projections.context import Memory, Request, remembered
from projections.decisions.remember import GONE_FOR_GOOD
from projections.errors import BadRequest
from projections.events.values import About, Audience, Item
from projections.groups import grouped
from projections.ids import LAST, Point
from projections.items import RefusalRow, items_in
from projections.policies.compartments import Setting, is_of_before, opened, place_item
from projections.quoting import one_line
from projections.quoting import opening as quoted
from projections.rows import Rows
from projections.summaries import find_summary
from projections.trimming import cut

CHARS_PER_TOKEN = 4
NONE = "(none)"
NOTHING_YET = f"I remember nothing of you here yet: `{PREFIX} remember <text>` keeps something."
WHOSE: Mapping[About, str] = {"guild": ", lore", "self": ", about me", "owner": ", for you as my owner"}
"""What stands behind the id of something that is nobody's own: another item may have the same."""
TOLD_ALONE = f"kept {{where}}, so told in your direct messages alone (`{PREFIX} share` changes that)"
"""Of what is of the time when fewer could read a channel."""
OTHERS = "This is the one kept {where}. What else has the id stays as it is, kept {others}."
MOST_HELD = 5
ALL = ("all", "yes")
"""What `show` takes: it is typed as `all`, and chosen as `all:yes`."""
ONLY_ALL = f"`{PREFIX} show` takes nothing more than `all`, which lists what was forgotten too."


class Shown(NamedTuple):
    """What `show` shows: what the next prompt would hold, and what is kept here besides; to the person alone what was
    held because it instructs the assistant. `places` are where what is not told here alone may be told, in words, by
    its compartment; `summary_chars` are those of the summary itself, without what marks it as quoted.
    """

    memory: Memory
    besides: tuple[Item, ...]
    held: tuple[RefusalRow, ...]
    places: Mapping[str, str]
    summary_chars: int


async def show(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """What a prompt would hold here, with ids, then what is kept and would not fit; with "all" also what is gone."""
    memory, besides = assistant.memory, arguments.get("all", "").casefold()
    if besides not in ("", *ALL):
        return Reply(ONLY_ALL, failed=True)
    request = Request(
        setting=asked.setting,
        session=asked.session,
        point=Point(memory.now(), LAST),
        assistant=memory.settings.assistant_name,
        vocabulary=memory.vocabulary,
        limits=memory.limits(),
    )
    shown = await memory.look(lambda rows: _look(rows, request, asked.sees))
    in_groups = grouped((hit.item, hit.item) for hit in shown.memory.hits)
    items = (*(item for found in in_groups.values() for item in found), *shown.besides)
    sections = [*_sections(shown), *([await gone(assistant, asked)] if besides else [])]
    return Reply("\n\n".join(sections), items)


def _look(rows: Rows, request: Request, sees: Setting) -> Shown:
    """`sees`: who reads the reply may be fewer than those who read an answer there."""
    memory = remembered(rows, request)
    known = {(hit.item.owner, hit.item.compartment, hit.item.id) for hit in memory.hits}
    kept = (each for each in own(rows, sees) if each.status == "active")
    besides = (each for each in kept if (each.owner, each.compartment, each.id) not in known)
    held = quarantined(rows, sees.person) if sees.audience.kind == "direct" else ()
    in_order = tuple(sorted(besides, key=lambda item: (-item.updated, item.id)))
    places = _places(rows, request.setting, (*(hit.item for hit in memory.hits), *in_order))
    chars = _summary_chars(rows, request) if memory.summary.body else 0
    return Shown(memory, in_order, tuple(held), places, chars)


def _summary_chars(rows: Rows, request: Request) -> int:
    found = find_summary(rows, request.session, request.setting.audience.epoch)
    return 0 if found is None else len(cut(found.row.text, request.limits.summary_chars))


def _places(rows: Rows, setting: Setting, items: Iterable[Item]) -> dict[str, str]:
    """Where their own items may be told that are not told where what is learned here is, by compartment."""
    elsewhere = {item.compartment for item in items if item.owner} - {place_item(setting)}
    return {each: f", {_told_where(rows, each)}" for each in elsewhere}


def _told_where(rows: Rows, compartment: str) -> str:
    words = one_line(compartment_words(rows, compartment))
    return TOLD_ALONE.format(where=words) if is_of_before(rows, compartment) else f"told {words}"


async def at(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """What was remembered here at a moment, by when it was recorded, in the groups of `show`.

    Others may read along in a shared place: there a look back shows nothing that was taken back, put in other words or
    moved away since, and no summary, which may speak of it. What is nobody's is shared everywhere but with its owner.
    """
    memory = assistant.memory
    zone = zone_of(memory.settings.timezone)
    reader = Reader(datetime.fromtimestamp(memory.now() / 1000, UTC), zone, lambda ms: shown(ms, zone))
    looked = await memory.look(lambda rows: looked_at(memory.engine, rows, reader, arguments["when"], None))
    found, summary, places = await memory.look_back(looked.moment, lambda today, then: _then(today, then, asked))
    lines = _in_groups(zip(found, _listed(found, places), strict=True))
    sections = [
        f"{looked.notes[0][:1].upper()}{looked.notes[0][1:]}.",
        "\n".join(["**Durable memory then:**", *(lines or [NONE])]),
    ]
    if _is_told_there(asked):
        sections.append(f"**Rolling summary then:**\n{summary or NONE}")
    return Reply("\n\n".join(sections), found)


def _is_told_there(asked: Invocation) -> bool:
    """Whether it is asked where nobody else ever read or wrote: what others took back is for nobody who comes later."""
    return asked.setting.audience.kind == "direct"


def _then(today: Rows, then: Rows, asked: Invocation) -> tuple[tuple[Item, ...], str, dict[str, str]]:
    stand = {_address(item) for item in _open(today, asked.setting)}
    found = [item for item in _open(then, asked.setting) if _is_for_them_alone(asked, item) or _address(item) in stand]
    in_groups = grouped((item, item) for item in sorted(found, key=lambda item: (-item.updated, item.id)))
    active = tuple(item for group in in_groups.values() for item in group)
    kept = find_summary(then, asked.session, asked.setting.audience.epoch)
    return active, "" if kept is None else quoted(kept.row.text), _places(today, asked.setting, active)


def _open(rows: Rows, setting: Setting) -> Iterator[Item]:
    """What was remembered and a place opens: the person's own, and what is nobody's."""
    found = (each.row.item for opening in opened(rows, setting) for each in items_in(rows, *opening))
    return (item for item in found if item.status == "active")


def _is_for_them_alone(asked: Invocation, item: Item) -> bool:
    """Whether nobody else ever read it where it is asked: in their direct messages their own, to the owner all."""
    return _is_told_there(asked) and (bool(item.owner) or asked.is_owner)


def _address(item: Item) -> tuple[str, str, str]:
    """Where it is, and its words: what others have read stands, and what was there before it does not come back."""
    return item.compartment, item.id, item.text


def _sections(shown: Shown) -> Iterator[str]:
    durable, summary, places = shown.memory.durable, shown.memory.summary, shown.places
    hits = zip(durable.lines, shown.memory.hits, strict=True)
    lines = _in_groups((hit.item, f"{line.text} {shown_id(hit.item)}{_told(hit.item, places)}") for line, hit in hits)
    yield "\n".join([f"**Durable memory:** ({_size(durable.chars)})", *(lines or [NONE])])
    yield "\n".join([f"**Rolling summary:** ({_size(shown.summary_chars)})", summary.body or NONE])
    if shown.besides:
        besides = _listed(shown.besides, places)
        yield "\n".join([f"**Also kept, not in the next prompt:** {len(shown.besides)}", *besides])
    if shown.held:
        held = [f"- {one_line(each.text)}: {one_line(each.reason)}" for each in shown.held[:MOST_HELD]]
        yield "\n".join([f"**Not remembered, because it instructs me:** {len(shown.held)}", *held])
    yield f"**Total prompt memory:** {_size(durable.chars + shown.summary_chars)}"
    if not (lines or summary.body or shown.besides or shown.held):
        yield NOTHING_YET


def _listed(items: Iterable[Item], places: Mapping[str, str]) -> list[str]:
    """Items, one a line, with whose they are and where they may be told."""
    return [f"{line}{_told(item, places)}" for item in items for line in listed([item])]


def _told(item: Item, places: Mapping[str, str]) -> str:
    """Whose an item is, where it is nobody's own, and where it may be told, where that is elsewhere."""
    return whose(item) or places.get(item.compartment, "")


def _in_groups(lines: Iterable[tuple[Item, str]]) -> list[str]:
    """The lines of items under what they are, with how many there are of each."""
    there = ((group, found) for group, found in grouped(lines).items() if found)
    return [line for group, found in there for line in (f"**{group}** ({len(found)})", *found)]


def whose(item: Item) -> str:
    """Whose an item is, where it is not the own one of whoever sees it."""
    return "" if item.owner else WHOSE.get(item.about, "")


def _size(chars: int) -> str:
    return f"{chars} chars, ~{-(-chars // CHARS_PER_TOKEN)} tokens"


async def remember(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Keep a text, and say who may come to hear it, and where they had forgotten it that it is kept again."""
    memory, words = assistant.memory, arguments["text"]
    known = memory.guarding.rephrasing
    again = await memory.look(lambda rows: forgotten_before(rows, asked, words, known))
    item = await memory.remember(asked.person, words, by=asked.by, setting=asked.setting, origin=asked.origin)
    note = f"{noted(words)}{again}{await made_room(memory, item, asked=asked)}"
    text = f"Remembered: {one_line(item.text)}\n{reach(asked.setting.audience)} ({shown_id(item)}){note}"
    return await undoable(assistant, Reply(text, (item,)))


def reach(audience: Audience) -> str:
    """Who may come to hear what was remembered there."""
    match audience.kind:
        case "direct":
            return "It stays in your direct messages, unless you share it."
        case "guild":
            return "It may be told wherever everyone in this server can read."
        case "channel":
            return "It stays in this channel: whoever can read here may be told."


async def edit(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Change what an item says."""
    if not await _is_here(assistant, asked, arguments["id"]) and await is_lore(assistant, asked, arguments["id"]):
        return Reply(NOT_EDITED, failed=True)
    item_id = await named_here(assistant, asked, arguments["id"])
    item = await _meant(assistant, asked, item_id, STATUSES["forget"])
    items = await assistant.memory.edit_this(item, arguments["text"], by=asked.by, origin=asked.origin)
    if not items:
        return Reply(f"`{plain(item_id)}` says that already.")
    others = await _others(assistant, asked, items[0])
    text = f"Edited: {one_line(items[0].text)}\n({shown_id(items[0])}){others}{noted(arguments['text'])}"
    return await undoable(assistant, Reply(text, (items[0],)))


async def forget(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Take back what an id names, or what the words cover by at least 60 %: of their own, else of nobody's."""
    what = arguments["what"]
    named = await _is_here(assistant, asked, what)
    items = await assistant.memory.forget(
        asked.person,
        "" if named else what,
        id=what if named else "",
        by=asked.by,
        setting=asked.sees,
        origin=asked.origin,
    )
    if not items:
        lore = await lore_to_forget(assistant, asked, what)
        return await (forget_lore(assistant, asked, lore) if lore else unmatched(assistant, asked, what))
    each = await assistant.memory.look(lambda rows: in_each(rows, items))
    back = f"To take it back: `{PREFIX} restore <id>`"
    lines = [f"Forgot {len(items)} item(s).", *listed(items), *each, WORDS_STAY, back]
    return await undoable(assistant, Reply("\n".join(lines), tuple(items)))


async def restore(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Bring an item back: their own, else one of nobody's. Without an id, list what can be."""
    item_id = arguments.get("id", "")
    if not item_id:
        return await list_gone(assistant, asked)
    if not await _is_here(assistant, asked, item_id):
        if lore := await lore_to_restore(assistant, asked, item_id):
            return await restore_lore(assistant, asked, lore)
        raise BadRequest(not_here(asked, item_id, where_listed(asked)) + GONE_FOR_GOOD)
    item = await _meant(assistant, asked, item_id, STATUSES["restore"])
    items = await assistant.memory.restore_this(item, by=asked.by, origin=asked.origin)
    if not items:
        return Reply(f"`{plain(item_id)}` is remembered already.")
    others = await _others(assistant, asked, items[0])
    room = await made_room(assistant.memory, items[0], asked=asked)
    text = f"Restored: {one_line(items[0].text)}\n({shown_id(items[0])}){others}{room}"
    return await undoable(assistant, Reply(text, (items[0],)))


async def named_here(assistant: Assistant, asked: Invocation, item_id: str) -> str:
    """The id, where the place shows an item of theirs with it, in company an active one; else BadRequest."""
    if not await assistant.memory.look(lambda rows: has_own(rows, asked, item_id)):
        raise BadRequest(not_here(asked, item_id))
    return item_id


def has_own(rows: Rows, asked: Invocation, item_id: str) -> bool:
    """Whether the place shows an item of theirs with this id, in company an active one."""
    found = (each for each in own(rows, asked.sees) if each.id == item_id)
    return any(asked.is_alone or each.status == "active" for each in found)


async def _meant(assistant: Assistant, asked: Invocation, item_id: str, statuses: Collection[str]) -> Item:
    """Their item of this id: one can lie in several compartments that the place opens. Rather one of these statuses
    than another, and rather one that lies where the place's own do.
    """
    here = place_item(asked.setting)

    def question(rows: Rows) -> Item:
        found = [each for each in own(rows, asked.sees) if each.id == item_id]
        if not found:
            raise BadRequest(not_here(asked, item_id))
        return min(found, key=lambda item: (item.status not in statuses, item.compartment != here))

    return await assistant.memory.look(question)


async def _others(assistant: Assistant, asked: Invocation, taken: Item) -> str:
    """Which item of an id was taken, where the place shows another one."""

    def question(rows: Rows) -> str:
        same = [each for each in own(rows, asked.sees) if each.id == taken.id and each.status == "active"]
        others = [compartment_words(rows, each.compartment) for each in same if each.compartment != taken.compartment]
        where = compartment_words(rows, taken.compartment)
        return "\n" + one_line(OTHERS.format(where=where, others="; ".join(others))) if others else ""

    return await assistant.memory.look(question)


async def _is_here(assistant: Assistant, asked: Invocation, item_id: str) -> bool:
    return await assistant.memory.look(lambda rows: any(each.id == item_id for each in own(rows, asked.sees)))
