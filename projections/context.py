"""The prompt: DNAM's template, filled from the rows that a context opens.

Every line knows what it rests on, everything that did not fit is listed with its reason, and `causes` names every event
whose words stand in it. The same rows and the same request give the same bytes.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

from projections.events.values import FileDigest, Item, ItemUse, LeftOut, Limits, Source
from projections.ids import EventId, Handle, Point, Seq
from projections.items import ITEMS, ItemRow, compartment_key
from projections.messages import find_message
from projections.policies.compartments import Setting, opened, opens_source
from projections.quoting import SEPARATOR, TITLES, BlockName, label, lines_of, one_line, opening
from projections.retrieval import Candidate, Hit, Vocabulary, candidate, query, rank
from projections.rows import Found, Rows
from projections.summaries import find_summary
from projections.window import Caller, Window, WindowLine, fit, message_line, recent

EARLIEST = -62_135_596_800_000
LATEST = 253_402_300_799_999
"""The first and the last ms of the years 1 to 9999."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_HALF_WORD = re.compile(r"\S+\Z")


class Request(NamedTuple):
    """What a prompt is made for. `point` is the message to answer: its `said` in ms, the id of its first event.

    `text` is answered where no message lies at the point: in `dnam prompt`, where the point is (now, 16 bytes of 0xff),
    and when the message could not or must not be recorded.
    """

    setting: Setting
    session: str
    point: Point
    assistant: str
    vocabulary: Vocabulary
    text: str = ""
    limits: Limits = Limits()
    files: tuple[FileDigest, ...] = ()
    actions: str = ""


class Basis(NamedTuple):
    """What a line rests on: the event, at `seq`, that made the row as it is; for an item also its address."""

    kind: Literal["item", "summary", "message", "turn"]
    event: EventId
    seq: Seq
    item: ItemUse | None = None


class Line(NamedTuple):
    """An entry of a block as it stands in the prompt. What the operator or the asker gave rests on nothing."""

    text: str
    basis: Basis | None = None


class Block(NamedTuple):
    """A titled part of the prompt."""

    name: BlockName
    lines: tuple[Line, ...]

    @property
    def body(self) -> str:
        return "\n".join(line.text for line in self.lines)

    @property
    def text(self) -> str:
        return f"{TITLES[self.name]}\n{self.body}"

    @property
    def chars(self) -> int:
        """Code points of the body, without the title."""
        return len(self.body)


class Memory(NamedTuple):
    """What is remembered in one context: the items that a prompt would hold, best first, and the session's summary.

    Both blocks are there, if need be without lines. `summary_event` made the summary; it is empty when there is none.
    """

    durable: Block
    summary: Block
    hits: tuple[Hit, ...]
    summary_event: EventId
    left_out: tuple[LeftOut, ...]

    @property
    def items(self) -> tuple[ItemUse, ...]:
        """The items in the order in which they stand."""
        return tuple(_use(hit.found) for hit in self.hits)


class Context(NamedTuple):
    """A prompt, what it is made of, and why. `message` is what is answered; it is not in the window. `mentioned` are
    those who are named in it without a word of theirs being there. `limits` are the budgets it was made with.
    """

    text: str
    blocks: tuple[Block, ...]
    memory: Memory
    window: Window
    message: WindowLine
    items: tuple[ItemUse, ...]
    left_out: tuple[LeftOut, ...]
    causes: tuple[EventId, ...]
    digest: bytes
    mentioned: Mapping[Handle, str] = MappingProxyType({})
    limits: Limits = Limits()

    @property
    def sizes(self) -> dict[BlockName, int]:
        """Code points of the body of each block that is there."""
        return {block.name: block.chars for block in self.blocks}


def assemble(rows: Rows, request: Request) -> Context:
    """The prompt for a message."""
    caller = Caller(rows, request.assistant)
    caller.person(request.setting.person)  # who asks keeps the bare name
    window = _window(rows, request, caller)
    message = _message(rows, request, caller, window)
    memory = _remembered(rows, request, message.words, window)
    blocks = tuple(block for block in _blocks(request, memory, window, message) if block.lines)
    text = SEPARATOR.join(block.text for block in blocks)
    return Context(
        text=text,
        blocks=blocks,
        memory=memory,
        window=window,
        message=message,
        items=memory.items,
        left_out=(*memory.left_out, *window.left_out),
        causes=_causes(message, window, memory),
        digest=hashlib.sha256(text.encode()).digest(),
        mentioned=_only_mentioned(caller, request.setting.person),
        limits=request.limits,
    )


def _only_mentioned(caller: Caller, asker: Handle) -> dict[Handle, str]:
    speakers = {*caller.authors, asker}
    return {person: name for person, name in caller.mentioned.items() if person not in speakers}


def remembered(rows: Rows, request: Request) -> Memory:
    """What `!memory show` shows: what a prompt would hold for this text, or with none, for the recent conversation."""
    window = _window(rows, request, Caller(rows, request.assistant))
    return _remembered(rows, request, request.text, window)


def utc_date(milliseconds: int) -> str:
    """The day in UTC, YYYY-MM-DD; times outside the years 1 to 9999 are shown as the first or the last day of these."""
    return (EPOCH + timedelta(milliseconds=min(max(milliseconds, EARLIEST), LATEST))).date().isoformat()


def item_line(item: Item, *, with_place: bool = True) -> str:
    """A durable item as it stands in a prompt, always on one line. Without the place, of its source only the type."""
    kind = label(item.kind) or "fact"
    source = _source(item.source) if with_place else item.source.type
    return f"- [{kind}] {one_line(item.text)} (src: {source}, updated {utc_date(item.updated)})"


def _source(source: Source) -> str:
    """`discord:<channel>/<message>` for what was said somewhere, else how it came. A DM, keyed by a handle, is `dm`."""
    if source.type == "manual" or source.place is None or source.message is None:
        return source.type
    place = "dm" if source.place.key.startswith("dm:") else _word(source.place.key)
    return f"{_word(source.place.platform)}:{place}/{_word(source.message.key)}"


def _word(text: str) -> str:
    return "".join(each for each in label(text) if each not in " ,")


def _window(rows: Rows, request: Request, caller: Caller) -> Window:
    return recent(rows, request.session, request.setting.audience.epoch, request.point, request.limits, caller)


def _message(rows: Rows, request: Request, caller: Caller, window: Window) -> WindowLine:
    """What is answered: the message at the point as it now is, else the request's own text, at seq 0."""
    found = find_message(rows, request.session, request.setting.audience.epoch, request.point)
    if found is not None:
        return message_line(found.row, found.seq, caller, window.authors)
    name = caller.person(request.setting.person)
    nothing = EventId(b"")
    return WindowLine(
        nothing, nothing, Seq(0), request.point.said, name, request.text, request.text, by_assistant=False
    )


def _remembered(rows: Rows, request: Request, words: str, window: Window) -> Memory:
    wanted = query(words, window.words, request.point.said, request.vocabulary)
    hits, left_out = _selected(rows, request, rank(_candidates(rows, request), wanted))
    summary, event, cut = _summary(rows, request)
    lines = tuple(Line(_line_of(rows, request, hit), _item_basis(hit.found)) for hit in hits)
    return Memory(Block("durable", lines), summary, hits, event, (*left_out, *cut))


def _line_of(rows: Rows, request: Request, hit: Hit) -> str:
    return item_line(hit.item, with_place=opens_source(rows, request.setting, hit.item))


def _candidates(rows: Rows, request: Request) -> Iterator[Candidate]:
    """The active items that hold when the message is said, from the compartments that are open and no others."""
    for owner, compartment in opened(rows, request.setting):
        for each in rows.made(ITEMS, compartment_key(owner, compartment), candidate):
            if _holds(each.found.row.item, request.point.said):
                yield each


def _holds(item: Item, said: int) -> bool:
    return item.status == "active" and (item.valid_until is None or item.valid_until >= said)


def _selected(rows: Rows, request: Request, hits: Sequence[Hit]) -> tuple[tuple[Hit, ...], list[LeftOut]]:
    """The hits that fit, best first. Of what did not, the first few are listed by id and the rest is counted."""
    limits = request.limits
    fitted = fit(hits, limits.item_chars, limits.items, lambda hit: len(_line_of(rows, request, hit)))
    over = [LeftOut("durable", hits[each].item.id, f"over {limits.item_chars} characters") for each in fitted.over]
    beyond = [LeftOut("durable", hits[each].item.id, f"over {limits.items} items") for each in fitted.beyond]
    return tuple(hits[each] for each in fitted.kept), _counted([*over, *beyond], limits.items)


def _counted(left_out: list[LeftOut], most: int) -> list[LeftOut]:
    """A turn records this for good, so its length is bounded."""
    rest = len(left_out) - most
    return left_out if rest <= 0 else [*left_out[:most], LeftOut("durable", f"{rest} more items", "over the limits")]


def _summary(rows: Rows, request: Request) -> tuple[Block, EventId, list[LeftOut]]:
    """The session's summary, its event, and what was cut of it: it may be older than its limit, which is on its text,
    not on how that is quoted.
    """
    found = find_summary(rows, request.session, request.setting.audience.epoch)
    text = "" if found is None else found.row.text
    kept = _cut(text, request.limits.summary_chars)
    left_out = _shortened(len(text) - len(kept), request.limits.summary_chars)
    body = _body(kept)
    if found is None or not body:
        return Block("summary", ()), EventId(b""), left_out
    return Block("summary", (Line(body, Basis("summary", found.row.event, found.seq)),)), found.row.event, left_out


def _shortened(chars: int, limit: int) -> list[LeftOut]:
    return [LeftOut("summary", f"the last {chars} characters", f"over {limit}")] if chars else []


def _cut(text: str, chars: int) -> str:
    """The text up to the last whole word within its limit; a single word that is too long is cut."""
    if len(text) <= chars:
        return text
    kept = text[:chars]
    whole = kept if text[chars].isspace() else _HALF_WORD.sub("", kept)
    return (whole if whole.strip() else kept).rstrip()


def _body(text: str) -> str:
    """Text as the body of a block, empty when there is nothing in it to read."""
    return opening(text) if text.strip() else ""


def _blocks(request: Request, memory: Memory, window: Window, message: WindowLine) -> Iterator[Block]:
    """The template, in its order; some may have no lines."""
    yield Block("files", tuple(Line(f"- {one_line(each.path)}") for each in request.files))
    yield memory.durable
    yield memory.summary
    yield Block("recent", tuple(Line(line.rendered, _basis(line)) for line in window.lines))
    yield Block("message", _single(_body(message.text), _basis(message)))
    yield Block("actions", _single("\n".join(lines_of(request.actions)).strip(), None))


def _single(body: str, basis: Basis | None) -> tuple[Line, ...]:
    return (Line(body, basis),) if body else ()


def _basis(line: WindowLine) -> Basis | None:
    if not line.id:
        return None
    return Basis("turn" if line.is_turn else "message", line.event, line.seq)


def _item_basis(found: Found[ItemRow]) -> Basis:
    return Basis("item", found.row.event, found.seq, _use(found))


def _use(found: Found[ItemRow]) -> ItemUse:
    item = found.row.item
    return ItemUse(item.owner, item.compartment, item.id, found.row.event)


def _causes(message: WindowLine, window: Window, memory: Memory) -> tuple[EventId, ...]:
    """The events whose words stand in the prompt. An edited message is two: the one that names it, and the edit."""
    said = [event for line in (message, *window.lines) for event in (line.id, line.event)]
    known = [*said, *(use.event for use in memory.items), memory.summary_event]
    return tuple(dict.fromkeys(event for event in known if event))
