"""The model: what is asked, what comes back, and the one protocol that Claude, the offline model and a script share.

A conversation with a model is a generator that yields an `Ask` and receives a `Reply` (`dnam/loops`). `prompt` is
what a remote model is sent; `inputs` is the same, typed, for models that need no prose.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Literal, Protocol

import msgspec

from projections.errors import DnamError
from projections.events.values import About
from projections.ids import NOBODY, Handle
from projections.policies.speakers import Speakers
from projections.policies.text import whole

Purpose = Literal["answer", "extraction", "summary", "merge"]
Hear = Callable[[str], None]
"""Told the whole text so far as it streams; a stream that is tried again begins again with a shorter text."""
Still = Callable[[], Awaitable[None]]
"""Raises where what waits to be asked is not to be asked any more."""


async def anyway() -> None:
    """For what is asked whatever happens."""


STILL: ContextVar[Still] = ContextVar("still", default=anyway)
"""What a model that tries again asks before it sends a question, each time: its words may have been taken back while
it waited.
"""


def unheard(_: str) -> None:
    """For whoever waits for the whole reply."""


def in_characters(hear: Hear) -> Hear:
    """To be told by a model: tells `hear` of whole characters alone, and half of one at the end waits for its other."""
    return lambda text: hear(whole(text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text))


class Line(msgspec.Struct, frozen=True):
    """Something that was said, as a model sees it. `id` is the event's id in hex, `said` in ms."""

    name: str
    text: str
    said: int
    id: str = ""
    assistant: bool = False


class KnownItem(msgspec.Struct, frozen=True):
    """A durable item, as a model sees it. `about` is "person" for what is somebody's own."""

    id: str
    kind: str
    text: str
    tags: tuple[str, ...] = ()
    about: About = "person"


class AnswerInputs(msgspec.Struct, frozen=True):
    """Everything an answer may rest on. `remembers`: whether memory is switched on. `goes_on`: something was answered
    in this session before, also where nothing of it is in the window any more.
    """

    assistant: str
    user: str
    message: str
    items: tuple[KnownItem, ...] = ()
    summary: str = ""
    window: tuple[Line, ...] = ()
    remembers: bool = True
    goes_on: bool = False


class ExtractionInputs(msgspec.Struct, frozen=True):
    """What one person said since the last extraction, and their own active items of that compartment."""

    user: str
    lines: tuple[Line, ...]
    items: tuple[KnownItem, ...] = ()


class SummaryInputs(msgspec.Struct, frozen=True):
    """The summary so far and everything said since."""

    assistant: str
    previous: str
    lines: tuple[Line, ...]
    max_chars: int

    @property
    def speakers(self) -> Speakers:
        """By which names people and the assistant stand in it."""
        people = frozenset(line.name for line in self.lines if not line.assistant)
        assistants = frozenset(line.name for line in self.lines if line.assistant)
        return Speakers(people - assistants - {self.assistant}, assistants | {self.assistant})


class MergedItem(msgspec.Struct, frozen=True):
    """One of two close items: what it says, and the words that it rests on."""

    summary: str
    dialogue: tuple[str, ...] = ()


class MergeInputs(msgspec.Struct, frozen=True):
    """Two close items of one person and kind; where they disagree, `new` holds."""

    kind: str
    existing: MergedItem
    new: MergedItem


class Tool(msgspec.Struct, frozen=True):
    """Something that a model may call while it answers: `shape` is the struct that its input has."""

    name: str
    description: str
    shape: type[msgspec.Struct]


class ToolCall(msgspec.Struct, frozen=True):
    """A call that a model wants made. `id` is the model's own name of it; `input` is JSON as the model wrote it, which
    may be none.
    """

    id: str
    name: str
    input: str


class ToolResult(msgspec.Struct, frozen=True):
    """What came of a call, in words for the model."""

    call: str
    text: str
    failed: bool = False


class Round(msgspec.Struct, frozen=True):
    """A reply that called tools, and what came of each call, in the same order. `raw` is as in `Reply`."""

    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    raw: str = ""


class Ask(msgspec.Struct, frozen=True):
    """One question to a model. `prompt_name` is the prompt's file and version, `summary@1`; `shape` is the struct that
    a reply in JSON has; `person` is whose question it is, where it is one person's, and `account` a keyed hash of the
    account that asks: who opted out is nobody, and has the same limits.

    `tools` are what the model may call, unless `may_call` is off: then they only explain the `rounds` that were. An ask
    that `goes_on` belongs to a turn that was let in already, and is held against no limit.
    """

    purpose: Purpose
    model: str
    prompt_name: str
    system: str
    prompt: str
    inputs: AnswerInputs | ExtractionInputs | SummaryInputs | MergeInputs
    shape: type[msgspec.Struct] | None = None
    person: Handle = NOBODY
    account: bytes = b""
    tools: tuple[Tool, ...] = ()
    rounds: tuple[Round, ...] = ()
    may_call: bool = True
    goes_on: bool = False


def without_tools(ask: Ask) -> Ask:
    """The same question as if there were no tools, and none had been called."""
    return msgspec.structs.replace(ask, tools=(), rounds=(), may_call=True)


class Reply(msgspec.Struct, frozen=True):
    """What a model said, which model it was, and what it took. `cost_micros` is in 10⁻⁶ USD, `stop` why it stopped
    (`end_turn`, `max_tokens`, `refusal`, `tool_use`).

    `calls` are what it wants to know before it goes on; `raw` is then the whole reply as its adapter wants it back.
    `shared`: the request was made before, for whoever asked the same; it was paid once.

    What becomes no answer goes on the bill without its ask: so whoever asked notes `prompt`, the prompt's name, and
    `prompt_digest` there (`noted`). A model leaves them empty.
    """

    text: str
    model: str
    version: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    latency_ms: int = 0
    cost_micros: int = 0
    stop: str = ""
    calls: tuple[ToolCall, ...] = ()
    raw: str = ""
    prompt: str = ""
    prompt_digest: bytes = b""
    shared: bool = False


def noted(ask: Ask, prompt_digest: bytes, name: str, latency_ms: int, spent: Reply | None) -> Reply:
    """What a call took that brought nothing, with what was asked and how long it took in all. Where nothing came of it,
    it is a reply of the model that was asked, by its own `name`, without a word and a version.
    """
    took = spent or Reply("", name, "")
    return msgspec.structs.replace(
        took,
        latency_ms=max(took.latency_ms, latency_ms),
        prompt=ask.prompt_name,
        prompt_digest=prompt_digest,
    )


class ModelError(DnamError):
    """The model could not be asked, or did not answer in time. `words` is what to tell the person who waits; `spent` is
    what the call took where it was answered and the answer was of no use; `kind` tells failures apart of which the
    message has more to say each time.
    """

    words: str = "I could not think of an answer just now. Please ask me again."
    spent: Reply | None = None

    def __init__(self, message: str, *, words: str = "", spent: Reply | None = None, kind: str = "") -> None:
        super().__init__(message)
        self.words = words or self.words
        self.spent = spent
        self.kind = kind


class ModelDown(ModelError):
    """The model's service is down, or has been for a while: nobody asks it just now."""

    words = "I cannot think just now: the service I think with is down. Please ask me again in a few minutes."


class OverBudget(ModelError):
    """A limit on cost or on turns is reached."""

    words = "I have reached my limit for now. Please ask me again later."


class Resting(OverBudget):
    """The service of a `model`, by the name that it is asked by, asked to be left alone, and is, for so many `seconds`
    more.
    """

    def __init__(self, message: str, seconds: float, *, words: str = "", kind: str = "", model: str = "") -> None:
        super().__init__(message, words=words, kind=kind)
        self.seconds = seconds
        self.model = model


class TooOften(OverBudget):
    """Somebody had the answers that one person may get in a minute: nobody else waits for that."""


def as_promised(reply: object, name: str) -> Reply:
    """A reply as a model of this name gave it, in whole characters: halves of some (surrogates) can be neither recorded
    nor sent. ModelError where it is none, or its fields are not what their types say: what is decided from it could not
    be recorded.
    """
    if not isinstance(reply, Reply):
        raise ModelError(f"the reply of {name} is no dnam.model.Reply but {_kind(reply)}")
    try:
        return _in_characters(msgspec.convert(msgspec.structs.asdict(reply), Reply))
    except msgspec.ValidationError as error:
        raise ModelError(f"the reply of {name} is not as dnam.model.Reply says: {error}") from None


def _in_characters(reply: Reply) -> Reply:
    calls = (ToolCall(whole(each.id), whole(each.name), whole(each.input)) for each in reply.calls)
    texts = {name: whole(getattr(reply, name)) for name in ("text", "model", "version", "stop", "raw")}
    return msgspec.structs.replace(reply, calls=tuple(calls), **texts)


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def spent_in(error: BaseException | None) -> Reply | None:
    """What an ask took before it was cancelled, where the model's adapter says so in the CancelledError."""
    told = () if error is None else error.args
    return next((each for each in told if isinstance(each, Reply)), None)


CUT_SHORT = {
    "max_tokens": "the reply was cut at the most tokens that it may have",
    "model_context_window_exceeded": "the reply was cut where the model's window ended",
    "refusal": "the model declined to reply",
}


def cut_short(reply: Reply) -> str:
    """Why a reply is not whole, in words; empty when it is. Nothing is decided from half a reply."""
    return CUT_SHORT.get(reply.stop, "")


class Model(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def paid(self) -> bool: ...

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """The reply, or ModelError. How long it may take is the adapter's to know and to keep to: it alone sees whether
        something still comes, though nothing is said yet.
        """
        ...
