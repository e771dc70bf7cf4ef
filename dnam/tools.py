"""What is done when the answering model calls one of its tools (`tool_table`).

    memory_write          keeps something that the person said, in a namespace, as an extraction does
    memory_search         looks for items in the compartments that are open here, of the people in the room too
    conversation_search   looks for passages of what was said, where that is open here

Every call is an event before its result is told. A call that is wrong, or that raises, has a result in words as well:
no answer fails because of a tool. They belong to answers alone; what learns has none.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from dnam.configuration import value_for
from dnam.jobs import Job
from dnam.learning.tending import Tending
from dnam.memory import Memory
from dnam.model import Reply, Tool, ToolCall, ToolResult
from dnam.searching import Searching
from dnam.secrets import without_secrets
from dnam.settings import Settings
from dnam.tool_table import BY_NAME, CONVERSATION, TOOLS, ConversationSearch, MemorySearch, MemoryWrite
from dnam.unnamed import unnamed
from dnam.whereabouts import Heard
from projections.blocks import item_line
from projections.context import Context
from projections.decisions.draft import Decision
from projections.decisions.noting import NOT_OWNER, Namespace, Note, NoteRequest, take_note
from projections.decisions.tools import CallRequest, Came, record_call
from projections.durable import Ranked
from projections.events import ToolCalled
from projections.events.values import By, Item, ItemUse
from projections.gathering import Passage
from projections.ids import NOBODY, EventId, Handle, Point
from projections.items import item_use
from projections.nearness import Nearness
from projections.policies.compartments import OWNER, SELF, opened, opens_source
from projections.policies.low_signal import is_low_signal
from projections.policies.text import whole
from projections.rows import Rows

MOST_CALLS = 4
"""How many calls one answer may make; what is called beyond is told so."""
MOST_RANKED = 500
"""Among how many items those of a namespace are looked for."""
MOST_TOLD_CHARS = 6_000
"""How many characters of what was found are told at most."""

NO_MORE = f"the limit of {MOST_CALLS} calls for one answer is reached: answer now with what you know"
NOT_DONE = "this could not be done just now: answer without it, and do not say that it was done"
NOTHING = "nothing was found"
NO_WORDS = (
    f"{NOTHING}: no word of the query says anything by itself. Look for the names, things or days that it is about, as"
    " they were said"
)

HALF = "it has half of a character (a surrogate without its other one, as \\ud83d alone): write the whole character"
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


class Known(NamedTuple):
    """What the model has had before it by way of tools: events whose words it was shown, items, and who was named."""

    calls: tuple[EventId, ...] = ()
    events: tuple[EventId, ...] = ()
    items: tuple[ItemUse, ...] = ()
    mentioned: tuple[tuple[Handle, str], ...] = ()


class Told(NamedTuple):
    """What a call came to, in words, and what it showed."""

    came: Came
    text: str
    mentioned: tuple[tuple[Handle, str], ...] = ()


class Toolset:
    """The tools of one answer: what was called so far, and what came of it."""

    def __init__(self, tending: Tending, searching: Searching, heard: Heard, context: Context) -> None:
        self._tending = tending
        self._memory: Memory = tending.memory
        self._searching = searching
        self._heard = heard
        self._context = context
        self._made = 0
        self.known = Known()

    @property
    def may_call(self) -> bool:
        """Whether another call may be made."""
        return self._made < MOST_CALLS

    def context(self) -> Context:
        """The context of the answer, with everything that the tools showed."""
        known, context = self.known, self._context
        return context._replace(
            causes=tuple(dict.fromkeys((*context.causes, *known.events, *known.calls))),
            items=tuple(dict.fromkeys((*context.items, *known.items))),
            mentioned={**dict(known.mentioned), **context.mentioned},
        )

    async def run(self, call: ToolCall, reply: Reply) -> ToolResult:
        """Make a call that this reply asks for; what came of it, in words. It never raises."""
        if not self.may_call:
            return ToolResult(call.id, NO_MORE, failed=True)
        self._made += 1
        try:
            told = await self._called(call, reply)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises: somebody waits for an answer
            job = Job(f"tool {call.name}"[:64], call.id, self._heard.session, self._heard.person)
            await self._tending.went_wrong(job, error)
            return ToolResult(call.id, NOT_DONE, failed=True)
        return ToolResult(call.id, told.text, failed=told.came.outcome in ("failed", "refused"))

    async def _called(self, call: ToolCall, reply: Reply) -> Told:
        tool = BY_NAME.get(call.name)
        if tool is None:
            why = f"there is no tool of this name; there are {', '.join(BY_NAME)}"
            return await self._looked(call, reply, lambda _: _failed(why))
        try:
            given = msgspec.json.decode(whole(call.input), type=tool.shape)
        except (msgspec.DecodeError, UnicodeError) as error:
            why = f"the input is not what {tool.name} takes: {HALF if _has_half(call.input) else error}"
            return await self._looked(call, reply, lambda _: _failed(why))
        if empty := _empty(given):
            return await self._looked(call, reply, lambda _: _failed(f"the {empty} is empty"))
        return await self._made_call(call, reply, given)

    async def _made_call(self, call: ToolCall, reply: Reply, given: msgspec.Struct) -> Told:
        match given:
            case MemoryWrite():
                return await self._wrote(call, reply, given)
            case MemorySearch():
                by_meaning = self._memory.limits().scoring == "recall"
                nearness = await self._tending.nearness(given.query, self._heard) if by_meaning else None
                return await self._looked(call, reply, lambda rows: self._items(rows, given, nearness))
            case ConversationSearch():
                nearness = await self._tending.nearness(given.query, self._heard)
                return await self._looked(call, reply, lambda rows: self._passages(rows, given, nearness))
            case _:
                raise AssertionError(f"a tool without a hand: {type(given).__name__}")

    def _request(self, call: ToolCall, reply: Reply) -> CallRequest:
        heard = self._heard
        return CallRequest(
            tool=call.name,
            input=without_secrets(whole(call.input)),
            number=self._made,
            question=heard.point,
            session=heard.session,
            place=heard.place,
            setting=heard.setting,
            by=By("model", name=reply.model, version=reply.version),
            said=self._memory.now(),
            origin=self._memory.origin(),
            before=(*self._context.causes, *self.known.events),
            names=tuple(dict.fromkeys(self._names())),
        )

    def _names(self) -> Iterator[str]:
        """What those are called whom the model was shown, but for whoever asks: a note lies in the asker's vault alone,
        and of who was only mentioned nothing lies in any other.
        """
        context = self.context()
        past = (line for passage in context.past for line in passage.lines)
        replied = () if context.replied is None else (context.replied,)
        for line in (*context.window.lines, *past, *replied):
            if line.speaker not in (NOBODY, self._heard.person):
                yield line.name
        yield from context.mentioned.values()

    # -- writing ----------------------------------------------------------------------------------------------------

    async def _wrote(self, call: ToolCall, reply: Reply, given: MemoryWrite) -> Told:
        settings = self._memory.settings
        request = NoteRequest(
            call=self._request(call, reply),
            note=Note(given.namespace, unnamed(given.text), given.quote, given.kind, given.replaces, given.shareable),
            window=self._own_window(),
            shown=(*self._context.items, *self.known.items),
            origin=self._memory.origin(),
            assistant=settings.assistant_name,
            cap=settings.durable_max_items,
            sharing=self._memory.sharing,
            guarding=self._memory.guarding,
        )
        event = await self._recorded(lambda rows: take_note(rows, request, self._tending.learned_as(rows)))
        return _noted(event)

    def _own_window(self) -> tuple[Point, ...]:
        """The messages before the question; whose they are, the decision looks up."""
        lines = (line for line in self._context.window.lines if not line.by_assistant)
        return tuple(Point(line.said, line.id) for line in lines)

    # -- looking ----------------------------------------------------------------------------------------------------

    async def _looked(self, call: ToolCall, reply: Reply, look: Callable[[Rows], Told]) -> Told:
        """Look for something, and record the call with what it found before anything of that is told."""
        told = await self._memory.look(look)
        request = self._request(call, reply)
        event = await self._recorded(lambda rows: record_call(rows, request, told.came))
        if event is None:
            return _failed(NOT_DONE)
        known = self.known
        self.known = known._replace(
            events=(*known.events, *told.came.found, *(use.event for use in told.came.items)),
            items=(*known.items, *told.came.items),
            mentioned=(*known.mentioned, *told.mentioned),
        )
        return told

    async def _recorded(self, decision: Decision) -> ToolCalled | None:
        """The call as it was recorded; None where nothing of theirs is."""
        recorded = await self._memory.record(decision)
        for record in recorded.records:
            if isinstance(record.event, ToolCalled):
                self.known = self.known._replace(calls=(*self.known.calls, record.id))
                return record.event
        return None

    def _items(self, rows: Rows, given: MemorySearch, nearness: Nearness | None) -> Told:
        request = self._memory.request(self._heard)._replace(nearness=nearness)
        if given.namespace is not None and not _is_open(rows, self._heard, given.namespace):
            return _failed(NOT_OWNER if given.namespace == OWNER else "nothing of that is open here")
        most = MOST_RANKED if given.namespace else given.limit
        hits = self._searching.items(rows, request, self._context.window, given.query, most)
        asker = self._heard.person
        kept = [hit for hit in hits if given.namespace in (None, namespace_of(hit.item, asker))][: given.limit]
        shown = _within([(hit, self._item_line(rows, hit)) for hit in kept])
        items = tuple(item_use(hit.found.row) for hit, _ in shown)
        return Told(Came("found", items=items), "\n".join(line for _, line in shown) or NOTHING)

    def _item_line(self, rows: Rows, hit: Ranked) -> str:
        item = hit.item
        line = item_line(item, with_place=opens_source(rows, self._heard.setting, item)).removeprefix("- ")
        names = {each.speaker: each.name for each in self._context.window.lines}
        of = "" if item.owner in (NOBODY, self._heard.person) else f"{names[item.owner]}: "
        return f"- {item.id} {of}{line}"

    def _passages(self, rows: Rows, given: ConversationSearch, nearness: Nearness | None) -> Told:
        request = self._memory.request(self._heard)._replace(nearness=nearness)
        found = self._searching.said(rows, request, self._context.window, given.query, given.limit)
        nothing = NO_WORDS if is_low_signal(given.query, request.vocabulary) else NOTHING
        text = "\n".join(line for each in found.found for line in _shown(each)) or nothing
        return Told(Came("found", found=found.events), text, found.mentioned)


def _has_half(written: str) -> bool:
    """Whether JSON names half of a character, a surrogate without its other one: msgspec says that it is truncated."""
    return _HALF.search(_PAIR.sub("", written)) is not None


def _empty(given: msgspec.Struct) -> str:
    """Which of the texts that a tool is given says nothing; empty where each says something."""
    return next((each for each in ("text", "quote", "query") if not getattr(given, each, each).strip()), "")


def _failed(why: str) -> Told:
    return Told(Came("failed", why), why)


def _shown(passage: Passage) -> tuple[str, ...]:
    """A passage, line by line, as it would stand in the prompt."""
    return (passage.head, *(line.rendered for line in passage.lines))


def _noted(event: ToolCalled | None) -> Told:
    """What the model is told of a note."""
    if event is None:
        return _failed(NOT_DONE)
    ids = ", ".join(dict.fromkeys(use.id for use in event.items))
    text = f"kept as {ids}" if event.outcome == "written" else f"{event.outcome}: {event.reason}"
    return Told(Came(event.outcome, event.reason), text)


def _within(lines: list[tuple[Ranked, str]]) -> list[tuple[Ranked, str]]:
    """As many as may be told, best first, each whole."""
    kept: list[tuple[Ranked, str]] = []
    room = MOST_TOLD_CHARS
    for each in lines:
        room -= len(each[1]) + 1
        if room < 0:
            break
        kept.append(each)
    return kept


def namespace_of(item: Item, asker: Handle) -> Namespace | None:
    """The namespace that an item lies in for whoever asks; None for what is somebody else's."""
    if item.owner != NOBODY:
        return "me" if item.owner == asker else None
    match item.compartment:
        case "self" | "owner" as layer:
            return layer
        case _:
            return "guild"


def _is_open(rows: Rows, heard: Heard, namespace: Namespace) -> bool:
    """Whether a context opens anything of a namespace."""
    owned = {each.compartment: each.owner for each in opened(rows, heard.setting)}
    match namespace:
        case "self" | "owner":
            return namespace in owned
        case "guild":
            return any(not owner and compartment not in (SELF, OWNER) for compartment, owner in owned.items())
        case _:
            return any(owned.values())


def tools_for(rows: Rows, settings: Settings, heard: Heard, context: Context) -> tuple[Tool, ...]:
    """The tools that an answer may use: none where they are switched off, for somebody of whom nothing is kept, and
    where the message that a call would rest on is not recorded.
    """
    if not (settings.memory_enabled and heard.person and context.message.id):
        return ()
    setting = heard.setting
    if value_for(rows, settings, "tools", setting.person, heard.place, setting.guild) == "off":
        return ()
    return TOOLS if settings.durable_memory_enabled else (CONVERSATION,)
