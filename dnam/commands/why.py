"""*Why did you say that?*: what was remembered in the prompt of an answer, and where each of it came from.

It tells whoever asks of their own items, where the place opens them; of anybody else's, how many there were. Where
others read along it tells, as `history` does, of what is still held and in the words that stand today.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.history import MOST_QUOTES, Told, When, lives_here, quote_line
from dnam.commands.picking import plain
from dnam.commands.pointing import Pointed
from dnam.provenance import Quoted
from dnam.times import shown, zone_of
from projections.events import ItemEvent, ItemMerged, TurnAnswered
from projections.events.values import Item, ItemUse
from projections.ids import NOBODY
from projections.items import ITEMS, item_key
from projections.lives import absorbed_by
from projections.policies.compartments import Opening, opened
from projections.quoting import label, one_line
from projections.rows import Rows
from projections.turns import SENT, sent_key
from replay.reading import Reader

NO_ANSWER = "I do not know this message as an answer of mine."
TAKEN_BACK = "This answer was taken back, and with it what stood in its prompt."
NOTHING_KEPT = "Nothing that I remember stood in the prompt of this answer."


class Stood(NamedTuple):
    """An item of the asker's that stood in a prompt: as it was then, and its life as far as it may be told here."""

    then: Item
    told: Told | None


class Prompt(NamedTuple):
    """What stood in the prompt of an answer. `about_self` are texts of what belongs to
    nobody (the assistant's own layer, lore), as far as it is open to who asks now; `hidden` is how many items more
    there were. `also` names the rest of it.
    """

    stood: tuple[Stood, ...]
    about_self: tuple[str, ...]
    hidden: int
    also: tuple[str, ...]


async def why(assistant: Assistant, asked: Invocation, pointed: Pointed) -> Reply:
    """The items that were in the prompt of this answer, and what they came from, with links."""
    memory = assistant.memory
    found = await memory.look(lambda rows: _look(assistant, rows, asked, pointed))
    if isinstance(found, str):
        return Reply(found, failed=True)
    zone = zone_of(memory.settings.timezone)
    lines = list(_lines(found, lambda ms: "" if ms is None else shown(ms, zone)))
    return Reply("\n".join(lines), tuple(each.then for each in found.stood))


def _look(assistant: Assistant, rows: Rows, asked: Invocation, pointed: Pointed) -> Prompt | str:
    """The prompt, or why there is nothing to tell."""
    reader = Reader(assistant.memory.engine.live)
    sent = rows.get(SENT, sent_key(pointed.message))
    reading = None if sent is None else reader.find(sent.turn)
    if reading is None:
        return NO_ANSWER
    if reading.record is None or not isinstance(reading.record.event, TurnAnswered):
        return TAKEN_BACK
    turn = reading.record.event
    theirs = [use for use in turn.items if use.owner == asked.person]
    ours = [use for use in turn.items if use.owner == NOBODY]
    stood = tuple(each for use in theirs if (each := _stood(assistant, rows, reader, asked, use)) is not None)
    here = opened(rows, asked.setting)
    about_self = tuple(item.text for use in ours if (item := _nobodys(rows, reader, use, here)) is not None)
    hidden = len(turn.items) - len(stood) - len(about_self)
    return Prompt(stood, about_self, hidden, tuple(_also(reader, turn)))


def _stood(assistant: Assistant, rows: Rows, reader: Reader, asked: Invocation, use: ItemUse) -> Stood | None:
    """None for what may not be told here: elsewhere learned, or taken back since where others read along."""
    then = _item_then(reader, use)
    lives = (each for each in lives_here(assistant, rows, asked, use.id) if each.life.compartment == use.compartment)
    told = next(lives, None)
    return None if then is None or told is None else Stood(then, told)


def _nobodys(rows: Rows, reader: Reader, use: ItemUse, here: Sequence[Opening]) -> Item | None:
    """What belongs to nobody, where it is open to who asks now and still held."""
    row = rows.get(ITEMS, item_key(use.owner, use.compartment, use.id))
    is_held = row is not None and row.item.status == "active" and Opening(use.owner, use.compartment) in here
    return _item_then(reader, use) if is_held else None


def _item_then(reader: Reader, use: ItemUse) -> Item | None:
    """The item as the event had left it that the turn names."""
    reading = reader.find(use.event)
    event = None if reading is None or reading.record is None else reading.record.event
    if not isinstance(event, ItemEvent):
        return None
    made = (event.item, *(absorbed_by(event) if isinstance(event, ItemMerged) else ()))
    return next((each for each in made if (each.compartment, each.id) == (use.compartment, use.id)), None)


def _also(reader: Reader, turn: TurnAnswered) -> Iterator[str]:
    """The rest of the prompt, counted; the question itself is none of it."""
    found = [reading for cause in turn.causes if cause != turn.answers and (reading := reader.find(cause)) is not None]
    tags = [reading.header.tag for reading in found]
    if any(tag.startswith("summary.") for tag in tags):
        yield "the rolling summary"
    said = sum(tag in ("message.heard", "turn.answered") for tag in tags)
    if said:
        yield f"{said} message(s) of the recent conversation"
    if turn.files:
        yield f"{len(turn.files)} context file(s)"


# -- in words ------------------------------------------------------------------------------------------------------


def _lines(prompt: Prompt, when: When) -> Iterator[str]:
    if prompt.stood or prompt.about_self:
        yield "**What I remembered when I said that:**"
    elif not prompt.hidden:
        yield NOTHING_KEPT
    for each in prompt.stood:
        yield from _item_lines(each, when)
    yield from (f"- (about nobody in particular) {one_line(text)}" for text in prompt.about_self)
    if prompt.hidden:
        yield f"{prompt.hidden} item(s) more that are not told here."
    if prompt.also:
        yield f"Also in the prompt: {', '.join(prompt.also)}."


def _item_lines(stood: Stood, when: When) -> Iterator[str]:
    assert stood.told is not None
    life = stood.told.life
    yield f"- **[{label(life.kind) or 'fact'}] {one_line(life.text)}** `{plain(life.id)}`{_since(stood)}"
    first = life.steps[0] if life.steps else None
    if first is not None:
        yield f"  {first.happened} by {one_line(first.who)}, {when(first.said)}; `{PREFIX} history {plain(life.id)}`"
    yield from (f"  > {quote_line(each, when)}" for each in _messages(stood.told)[-MOST_QUOTES:])


def _since(stood: Stood) -> str:
    """What became of it. Of other words then is told where only its person reads: `lives_here` shows no others."""
    assert stood.told is not None
    life, status = stood.told.life, stood.told.life.status
    gone = "" if status == "active" else f" ({status} since)"
    return gone if stood.then.text == life.text else f"{gone} (in other words then)"


def _messages(told: Told) -> Sequence[Quoted]:
    """Every message that it rests on, each once."""
    quoted = {each.seq: each for step in told.life.steps for each in step.messages if each.tag.startswith("message.")}
    return [each for _, each in sorted(quoted.items())]
