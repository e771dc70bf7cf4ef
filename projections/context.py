"""The prompt: DNAM's template, filled from the rows that a context opens.

Every line knows what it rests on, everything that did not fit is listed with its reason, and `causes` names every event
whose words stand in it. The same rows and the same request give the same bytes.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from projections.blocks import Basis, Block, Line
from projections.caller import Caller
from projections.durable import Chosen, Ranked, Sought, chosen, noting, ranked, scoring_version
from projections.events.values import FileDigest, ItemUse, LeftOut, Limits, NearUse, PassageUse
from projections.gathering import Passage, Past
from projections.ids import EventId, Handle, Point, Seq
from projections.items import item_use
from projections.messages import MessageRow, find_message
from projections.nearness import IN_OTHER_WORDS, Nearness
from projections.passages import ShownSummary, Wished, in_order, past
from projections.policies import compartments
from projections.policies.compartments import Setting, opened, opens_source
from projections.quoting import SEPARATOR, BlockName, lines_of, one_line, opening
from projections.replied import Replied, replied_to
from projections.retrieval import Vocabulary
from projections.room import Room, people_told_of, room
from projections.rows import Found, Rows
from projections.starter import starter
from projections.summaries import find_summary
from projections.telling import MayTell
from projections.tokens import CHARACTERS, Counter
from projections.trimming import Parts, cut, trimmed
from projections.window import Window, recent
from projections.window_line import WindowLine, message_line

VERSION = "context@7"
"""Of what stands in a prompt, in which form and order."""


class Request(NamedTuple):
    """What a prompt is made for. `point` is the message to answer: its `said` in ms, the id of its first event.

    `message` is that message where it may not be among the rows yet: the same prompt is made of it before it is durable
    as afterwards. `text` is answered where there is none: in `dnam prompt`, where the point is (now, 16 bytes of 0xff),
    and when the message could not or must not be recorded. With `nearness`, what was said and what is known is found by
    its meaning too.
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
    counter: Counter = CHARACTERS
    nearness: Nearness | None = None
    message: Found[MessageRow] | None = None


class Memory(NamedTuple):
    """What is remembered in one context: the items that a prompt would hold, best first, and the session's summary.

    Both blocks are there, if need be without lines. `summary_event` made the summary; it is empty when there is none.
    """

    durable: Block
    summary: Block
    hits: tuple[Ranked, ...]
    summary_event: EventId
    left_out: tuple[LeftOut, ...]

    @property
    def items(self) -> tuple[ItemUse, ...]:
        """The items in the order in which they stand."""
        return tuple(item_use(hit.found.row) for hit in self.hits)


class Context(NamedTuple):
    """A prompt, what it is made of, and why. `message` is what is answered; it is not in the window. `replied` is what
    that replies to, as far as it is quoted. `items` are all that stand in it, `room` those of others than the asker
    among them; `past` is what was said earlier. `mentioned` are those who are named in it without a word of theirs
    being there. `limits` are the budgets it was made with, `policy` what chose what stands in it; where vectors were
    compared, `encoder` made them, and `nearest` are what was near.
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
    room: tuple[Ranked, ...] = ()
    past: tuple[Passage, ...] = ()
    policy: str = ""
    encoder: str = ""
    nearest: tuple[NearUse, ...] = ()
    replied: WindowLine | None = None

    @property
    def sizes(self) -> dict[BlockName, int]:
        """Code points of the body of each block that is there."""
        return {block.name: block.chars for block in self.blocks}

    @property
    def passages(self) -> tuple[PassageUse, ...]:
        """What was found of earlier conversations, best first."""
        return tuple(use for each in self.past for use in each.uses)


class _Summary(NamedTuple):
    """The session's summary as far as its own budget lets it stand, and what was cut of it."""

    text: str = ""
    event: EventId = EventId(b"")
    seq: Seq = Seq(0)
    left_out: tuple[LeftOut, ...] = ()
    shown: ShownSummary = ShownSummary()


class _Pieces(NamedTuple):
    """What a prompt is made of, each within its own budget. `room_line` is the line of something known of another."""

    request: Request
    message: WindowLine
    replied: Replied | None
    window: Window
    durable: Block
    known: Chosen
    summary: _Summary
    room: Room
    room_line: Callable[[Ranked], str]
    past: Past

    @property
    def quoted(self) -> tuple[WindowLine, ...]:
        """What the message replies to."""
        return () if self.replied is None else (self.replied.line,)

    @property
    def unquoted(self) -> tuple[LeftOut, ...]:
        """What of that is not quoted."""
        return () if self.replied is None else self.replied.left_out

    @property
    def parts(self) -> Parts:
        """What the budget over all blocks may take away."""
        return Parts(self.room.known.hits, self.past.passages, self.summary.text, self.window.lines)


def assemble(rows: Rows, request: Request) -> Context:
    """The prompt for a message."""
    caller = Caller(rows, request.assistant)
    caller.person(request.setting.person)  # who asks keeps the bare name
    pieces = _pieces(rows, request, caller)
    whole = _laid_out(pieces, pieces.parts)
    parts, gone = trimmed(
        whole.parts, request.limits.tokens, lambda each: request.counter.count(whole.with_parts(pieces, each).text)
    )
    _, blocks, text = whole.with_parts(pieces, parts)
    memory = _memory(pieces.durable, pieces.known, pieces.summary, parts.summary)
    items = (*memory.items, *(item_use(hit.found.row) for hit in parts.room))
    said = (pieces.message, *parts.recent, *pieces.quoted, *(line for each in parts.passages for line in each.lines))
    return Context(
        text=text,
        blocks=blocks,
        memory=memory,
        window=pieces.window._replace(lines=parts.recent),
        message=pieces.message,
        items=items,
        left_out=(
            *_said_once(memory.left_out, pieces.room.known.left_out, pieces.past.left_out), *pieces.window.left_out,
            *pieces.unquoted, *gone,
        ),
        causes=_causes(said, items, memory.summary_event),
        digest=hashlib.sha256(text.encode()).digest(),
        mentioned=_only_mentioned(caller, text, {request.setting.person, *(line.speaker for line in said)}),
        limits=request.limits,
        room=parts.room,
        past=parts.passages,
        policy=_policy(request, pieces.summary),
        encoder="" if request.nearness is None else request.nearness.encoder,
        nearest=(*pieces.known.nearest, *pieces.room.known.nearest, *pieces.past.nearest),
        replied=next(iter(pieces.quoted), None),
    )  # fmt: skip


def _said_once(known: Sequence[LeftOut], room: Sequence[LeftOut], past: Sequence[LeftOut]) -> Iterator[LeftOut]:
    """What was left out of these blocks; what is noted of an encoder for all of them is said of the last."""
    noted = {each.why for each in past if each.what == IN_OTHER_WORDS}
    yield from (each for each in (*known, *room) if each.what != IN_OTHER_WORDS or each.why not in noted)
    yield from past


def _policy(request: Request, summary: _Summary) -> str:
    versions = [scoring_version(request.limits), VERSION, compartments.VERSION]
    if request.nearness is not None and request.nearness.encoder:
        from projections.recall.meaning import VERSION as MEANING  # it loads numpy, as looking for passages does

        versions.append(MEANING)
    if summary.text and request.limits.passages:
        from projections.policies.summed_up import VERSION as SUMMED_UP  # it loads the stemmer, as that does

        versions.append(SUMMED_UP)
    return " ".join(versions)


def _only_mentioned(caller: Caller, text: str, speakers: set[Handle]) -> dict[Handle, str]:
    """Whoever is named and has not a word of their own there, also who is named as the one that was replied to."""
    authors = {person: caller.person(person) for person in caller.authors}
    named = {**{person: name for person, name in authors.items() if name in text}, **caller.mentioned}
    return {person: name for person, name in named.items() if person not in speakers}


def remembered(rows: Rows, request: Request) -> Memory:
    """What `!memory show` shows: what a prompt would hold for this text, or with none, for the recent conversation."""
    window = _window(rows, request, Caller(rows, request.assistant), _may_tell(rows, request))
    durable, known = _durable(rows, request, _sought(request, request.text, window))
    summary = _summary(rows, request)
    return _memory(durable, known, summary, summary.text)


def told_of(rows: Rows, request: Request) -> tuple[Handle, ...]:
    """The others of whom a prompt may tell something: whoever looks for something there may be told it too."""
    caller = Caller(rows, request.assistant)
    caller.person(request.setting.person)  # who asks keeps the bare name, which tells how long a line is
    window = _window(rows, request, caller, _may_tell(rows, request))
    return people_told_of(rows, window, request.setting.person, request.limits)


def _may_tell(rows: Rows, request: Request) -> MayTell:
    return MayTell(rows, request.session, request.setting.audience.epoch)


def _window(rows: Rows, request: Request, caller: Caller, may_tell: MayTell) -> Window:
    begun = starter(rows, request.setting, request.session, request.point, may_tell)
    return recent(rows, request.session, request.setting.audience.epoch, request.point, request.limits, caller, begun)


def _message(
    rows: Rows, request: Request, caller: Caller, window: Window, may_tell: MayTell
) -> tuple[WindowLine, Replied | None]:
    """What is answered, and what that replies to: the message at the point as it now is, else the request's own text,
    at seq 0.
    """
    found = find_message(rows, request.session, request.setting.audience.epoch, request.point) or request.message
    if found is not None:
        replied = replied_to(rows, found.row, window, caller, may_tell)
        authors = window.authors if replied is None else {**window.authors, replied.ref: replied.line.name}
        return message_line(found.row, found.seq, caller, authors), replied
    name = caller.person(request.setting.person)
    nothing = EventId(b"")
    text = request.text
    return WindowLine(nothing, nothing, Seq(0), request.point.said, name, text, text, by_assistant=False), None


def _pieces(rows: Rows, request: Request, caller: Caller) -> _Pieces:
    setting, limits = request.setting, request.limits
    may_tell = _may_tell(rows, request)
    window = _window(rows, request, caller, may_tell)
    message, replied = _message(rows, request, caller, window, may_tell)
    sought = _sought(request, message.words, window)

    def room_line(hit: Ranked) -> str:
        return f"- {caller.person(hit.item.owner)}: {_line_of(rows, request, hit).removeprefix('- ')}"

    others = room(rows, setting, window, sought, limits, lambda hit: len(room_line(hit)))
    point, words = request.point, message.words
    summary = _summary(rows, request)
    wished = Wished(
        words, setting, request.session, point, message.id, window, others.people, request.vocabulary, request.nearness,
        summary.shown, None if replied is None else replied.whole,
    )  # fmt: skip
    return _Pieces(
        request,
        message,
        replied,
        window,
        *_durable(rows, request, sought),
        summary,
        others,
        room_line,
        past(rows, wished, limits, caller, may_tell),
    )


def _sought(request: Request, words: str, window: Window) -> Sought:
    return Sought(words, window.words, request.point.said, request.vocabulary, request.nearness)


def _durable(rows: Rows, request: Request, sought: Sought) -> tuple[Block, Chosen]:
    """The items of whoever asks and of nobody, from the compartments that are open and no others."""
    limits = request.limits
    sought = sought if limits.items else sought._replace(nearness=None)  # none will stand there
    hits = ranked(rows, opened(rows, request.setting), sought, limits.scoring)
    known = chosen(hits, limits.items, limits.item_chars, "durable", lambda hit: len(_line_of(rows, request, hit)))
    known = noting(known, "durable", hits, hits)
    lines = [Line(_line_of(rows, request, hit), hit.found) for hit in known.hits]
    return Block("durable", tuple(lines)), known


def _line_of(rows: Rows, request: Request, hit: Ranked) -> str:
    return hit.line(with_place=opens_source(rows, request.setting, hit.item))


def _summary(rows: Rows, request: Request) -> _Summary:
    """The session's summary. It may be older than its limit, which is on its text, not on how that is quoted."""
    found = find_summary(rows, request.session, request.setting.audience.epoch)
    if found is None:
        return _Summary()
    kept = cut(found.row.text, request.limits.summary_chars)
    gone = len(found.row.text) - len(kept)
    why = f"over {request.limits.summary_chars}"
    left_out = (LeftOut("summary", f"the last {gone} characters", why),) if gone else ()
    return _Summary(kept, found.row.event, found.seq, left_out, ShownSummary(kept, found.row.floor, found.row.upto))


def _memory(durable: Block, known: Chosen, summary: _Summary, text: str) -> Memory:
    block = _summary_block(summary, text)
    event = summary.event if block.lines else EventId(b"")
    return Memory(durable, block, known.hits, event, (*known.left_out, *summary.left_out))


def _summary_block(summary: _Summary, text: str) -> Block:
    return Block("summary", _single(_body(text), Basis("summary", summary.event, summary.seq)))


def _body(text: str) -> str:
    """Text as the body of a block, empty when there is nothing in it to read."""
    return opening(text) if text.strip() else ""


class _LaidOut(NamedTuple):
    """The blocks of a prompt with these parts, and its text."""

    parts: Parts
    blocks: tuple[Block, ...]
    text: str

    def with_parts(self, pieces: _Pieces, parts: Parts) -> "_LaidOut":
        """The prompt with other parts; most are as long as they may be with all of them."""
        return self if parts is self.parts else _laid_out(pieces, parts)


def _laid_out(pieces: _Pieces, parts: Parts) -> _LaidOut:
    blocks = _blocks(pieces, parts)
    return _LaidOut(parts, blocks, SEPARATOR.join(block.text for block in blocks))


def _blocks(pieces: _Pieces, parts: Parts) -> tuple[Block, ...]:
    """The template, in its order, without what has no lines."""
    return tuple(block for block in _every_block(pieces, parts) if block.lines)


def _every_block(pieces: _Pieces, parts: Parts) -> Iterator[Block]:
    request, message = pieces.request, pieces.message
    yield Block("files", tuple(Line(f"- {one_line(each.path)}") for each in request.files))
    yield pieces.durable
    yield Block("room", tuple(Line(pieces.room_line(hit), hit.found) for hit in parts.room))
    yield _summary_block(pieces.summary, parts.summary)
    yield Block("past", tuple(line for each in in_order(parts.passages) for line in _passage_lines(each)))
    yield Block("recent", tuple([Line(line.rendered, line) for line in parts.recent]))
    yield Block("replied", tuple([Line(line.rendered, line) for line in pieces.quoted]))
    yield Block("message", _single(_body(message.text), message if message.id else None))
    yield Block("actions", _single("\n".join(lines_of(request.actions)).strip(), None))


def _passage_lines(passage: Passage) -> Iterator[Line]:
    """What stands above a passage rests on what was found, as all that it says of it does."""
    yield Line(passage.head, next(line for line in passage.lines if line.id == passage.uses[0].id))
    yield from [Line(line.rendered, line) for line in passage.lines]


def _single(body: str, of: WindowLine | Basis | None) -> tuple[Line, ...]:
    return (Line(body, of),) if body else ()


def _causes(said: Iterable[WindowLine], items: Iterable[ItemUse], summary: EventId) -> tuple[EventId, ...]:
    """The events whose words stand in the prompt. An edited message is two: the one that names it, and the edit."""
    known: dict[EventId, None] = {}
    for line in said:
        known[line.id] = known[line.event] = None
    known |= dict.fromkeys([*(use.event for use in items), summary])
    known.pop(EventId(b""), None)
    return tuple(known)
