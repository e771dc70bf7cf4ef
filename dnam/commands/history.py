"""`!memory history`: where an item comes from and where it may be told, for the person whose it is.

It shows what the place opens, and quotes messages that every reader of the place may read. Where others read along, it
tells of active items only, and of the words that stand today: earlier ones were taken back, and are told in direct
messages.

What is nobody's own is told of as where others read along, wherever it is asked, and without who did it but whoever
asks; to the owner in their direct messages, whole.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.picking import not_here, plain
from dnam.provenance import REPLACED, LifeWords, Narrator, Quoted, StepWords, gone_words, shown_changes
from dnam.times import shown, zone_of
from dnam.whereabouts import openings_for
from dnam.why_not import openers
from projections.errors import BadRequest
from projections.events import ItemRefused, MessageEdited, MessageHeard, TurnAnswered
from projections.events.event import Event
from projections.events.values import By, Item
from projections.ids import NOBODY, EventId, Handle
from projections.links import Direct
from projections.people import SOMEONE
from projections.policies.compartments import Setting, opened
from projections.policies.quotable import may_quote_answer, may_quote_message
from projections.quoting import label, one_line
from projections.rows import Rows
from projections.wording import Piece, differs
from replay.audit import Audited, Explained, audit
from replay.reading import Reader

MOST_STEPS = 12
MOST_QUOTES = 3
QUOTE_CHARS = 160
STANDING = frozenset({"remembered", "added", "changed", "confirmed", "revived", "restored"})
"""What may be given a reason where others read along: why something went says what it was."""
When = Callable[[int | None], str]


class Told(NamedTuple):
    """A life in words, and the item as it is; None for what was only refused. `is_alone`: nobody else reads it.
    `told_in`: where it may be told.
    """

    life: LifeWords
    item: Item | None
    is_alone: bool
    told_in: tuple[str, ...] = ()


async def history(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """What happened to an item, who did it, why, and what was said."""
    memory, item_id = assistant.memory, arguments["id"]
    told = await memory.look(
        lambda rows: [*lives_here(assistant, rows, asked, item_id), *_of_nobody(assistant, rows, asked, item_id)]
    )
    if not told:
        raise BadRequest(not_here(asked, item_id))
    zone = zone_of(memory.settings.timezone)
    texts = ("\n".join(_lines(each, lambda ms: "" if ms is None else shown(ms, zone))) for each in told)
    return Reply("\n\n".join(texts), tuple(each.item for each in told if each.item is not None))


def lives_here(assistant: Assistant, rows: Rows, asked: Invocation, item_id: str) -> Iterator[Told]:
    """The lives of the person's items with this id, as far as they may be told where they ask."""
    here = frozenset(each.compartment for each in openings_for(rows, asked.person, asked.sees))
    looks = _Looks(asked.person, here, asked.sees, asked.direct, asked.is_alone)
    for told in _lives(assistant, rows, looks, item_id):
        is_told = told.is_alone and told.life.status == "active"
        yield told._replace(told_in=tuple(openers(rows, asked.person, told.life.compartment)) if is_told else ())


def _of_nobody(assistant: Assistant, rows: Rows, asked: Invocation, item_id: str) -> Iterator[Told]:
    """The same of what is nobody's own."""
    here = frozenset(each.compartment for each in opened(rows, asked.setting) if each.owner == NOBODY)
    alone = asked.is_owner and asked.setting.audience.kind == "direct"
    looks = _Looks(NOBODY, here, asked.setting, asked.direct, alone)
    found = _lives(assistant, rows, looks, item_id)
    return found if alone else (each._replace(life=_by_someone(each.life, asked.by)) for each in found)


def _by_someone(life: LifeWords, asker: By) -> LifeWords:
    steps = (
        each if each.by.kind != "person" or each.by == asker else each._replace(who=SOMEONE) for each in life.steps
    )
    return life._replace(steps=tuple(steps))


class _Looks(NamedTuple):
    """Whose items are looked at, in which compartments, and in which setting the reply is read."""

    owner: Handle
    opened: frozenset[str]
    setting: Setting
    direct: Direct | None
    alone: bool


def _lives(assistant: Assistant, rows: Rows, looks: _Looks, item_id: str) -> Iterator[Told]:
    memory, here, alone = assistant.memory, looks.opened, looks.alone
    narrator = Narrator(rows, memory.settings.assistant_name, _quotable(rows, looks.setting), looks.direct)
    for life, steps in audit(rows, Reader(memory.engine.live), looks.owner, item_id):
        if life.address.compartment not in here or not (alone or life.status == "active"):
            continue
        seen = tuple(_seen(each, life.item, here, alone=alone) for each in steps if _is_open(each, here, alone))
        yield Told(narrator.life(Audited(life, seen)), life.item, alone)


def _is_open(explained: Explained, opened: frozenset[str], alone: bool) -> bool:
    """Whether it happened where the place can look. What was refused is for its person alone."""
    event, after = explained.step.record.event, explained.step.after
    if isinstance(event, ItemRefused):
        return alone and event.compartment in opened
    return after is not None and after.compartment in opened


def _seen(explained: Explained, item: Item | None, opened: frozenset[str], *, alone: bool) -> Explained:
    """The step without what it was elsewhere, and in company without what earlier words rested on."""
    before, after = explained.step.before, explained.step.after
    if before is not None and before.compartment not in opened:
        explained = explained._replace(step=explained.step._replace(before=None))
    if alone:
        return explained
    standing = item is not None and after is not None and after.text == item.text
    return explained._replace(cited=explained.cited if standing else (), quotes=())


def _quotable(rows: Rows, setting: Setting) -> Callable[[Event, EventId], bool]:
    def may_quote(event: Event, heard: EventId) -> bool:
        match event:
            case MessageHeard(message=message) | MessageEdited(message=message):
                return may_quote_message(rows, setting, message, heard)
            case TurnAnswered() as turn:
                return may_quote_answer(rows, setting, turn.audience, turn.guild, heard)
            case _:
                return False

    return may_quote


# -- in words ------------------------------------------------------------------------------------------------------


def _lines(told: Told, when: When) -> Iterator[str]:
    life = told.life
    kind = label(life.kind) or "fact"
    yield f"**[{kind}] {one_line(life.text)}** `{plain(life.id)}` ({life.status}, {one_line(life.where)})"
    left = len(life.steps) - MOST_STEPS
    if left > 0:
        yield f"… {left} earlier"
    for step in life.steps[-MOST_STEPS:]:
        yield from _step_lines(life, step, when, told.is_alone)
    if told.told_in:
        where = one_line("; ".join(told.told_in))
        yield f"It may be told in: {where}. `{PREFIX} share` and `keep-private` change that."


def _step_lines(life: LifeWords, step: StepWords, when: When, alone: bool) -> Iterator[str]:
    said = "" if when(step.said) == when(step.at) else f", said {when(step.said)}"
    policy = f" ({step.policy})" if step.policy else ""
    because = f": {one_line(why)}" if (why := _why(step, alone)) else ""
    yield f"- {when(step.at)}{said}: {step.happened} by {one_line(step.who)}{because}{policy}"
    if differs(step.words) or step.happened == "refused":
        yield f"  {_wording(life, step, alone)}"
    if alone:
        yield from (
            f"  {name}: {_value(before)} → {_value(after)}" for name, (before, after) in shown_changes(step).items()
        )
    yield from (f"  > {each}" for each in _from(step, when))


def _why(step: StepWords, alone: bool) -> str:
    if alone:
        return step.why
    return step.reason if step.happened in STANDING else ""


def _wording(life: LifeWords, step: StepWords, alone: bool) -> str:
    if alone:
        fates = {piece.fate for piece in step.words}
        return "".join(map(_marked, step.words)) if fates & {"same", "removed"} else one_line(step.text)
    if step.text == life.text:
        return one_line(step.text)
    return f"(in other words; `{PREFIX} history` tells them in direct messages)"


def _marked(piece: Piece) -> str:
    words = one_line(piece.text)
    space = " " if piece.text[:1].isspace() else ""
    mark = {"added": "**", "removed": "~~"}.get(piece.fate, "")
    return f"{space}{mark}{words}{mark}" if words else space


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return one_line(", ".join(map(str, value))) or "none"
    return "none" if value is None else one_line(str(value))


def _from(step: StepWords, when: When) -> Iterator[str]:
    for each in step.messages[:MOST_QUOTES]:
        yield quote_line(each, when)
    if len(step.messages) > MOST_QUOTES:
        yield f"and {len(step.messages) - MOST_QUOTES} more"
    yield from (f'"{one_line(each)[:QUOTE_CHARS]}"' for each in step.quotes[:MOST_QUOTES])
    yield from map(gone_words, step.gone)


def quote_line(each: Quoted, when: When) -> str:
    """Who said it, when, the words as far as they may be shown, and a link to them."""
    if each.text is None:
        return gone_words(each)
    words = one_line(each.text)
    text = words if len(words) <= QUOTE_CHARS else f"{words[: QUOTE_CHARS - 1]}…"
    link = f" {each.link}" if each.link else ""
    since = f" ({REPLACED})" if each.replaced else ""
    return f'{each.author}, {when(each.said)}{since}: "{text}"{link}'
