"""The model: what is asked, what comes back, and the one protocol that Claude, the offline model and a script share.

A conversation with a model is a generator that yields an `Ask` and receives a `Reply` (`dnam/loops`). `prompt` is
what a remote model is sent; `inputs` is the same, typed, for models that need no prose.
"""

from typing import Literal, Protocol

import msgspec

from projections.errors import DnamError

Purpose = Literal["answer", "extraction", "summary"]


class Line(msgspec.Struct, frozen=True):
    """Something that was said, as a model sees it. `id` is the event's id in hex, `said` in ms."""

    name: str
    text: str
    said: int
    id: str = ""
    assistant: bool = False


class KnownItem(msgspec.Struct, frozen=True):
    """A durable item, as a model sees it."""

    id: str
    kind: str
    text: str
    tags: tuple[str, ...] = ()


class AnswerInputs(msgspec.Struct, frozen=True):
    """Everything an answer may rest on."""

    assistant: str
    user: str
    message: str
    items: tuple[KnownItem, ...] = ()
    summary: str = ""
    window: tuple[Line, ...] = ()


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


class Ask(msgspec.Struct, frozen=True):
    """One question to a model. `prompt_name` is the prompt's file and version, `summary@1`."""

    purpose: Purpose
    model: str
    prompt_name: str
    system: str
    prompt: str
    inputs: AnswerInputs | ExtractionInputs | SummaryInputs


class Reply(msgspec.Struct, frozen=True):
    """What a model said, which model it was, and what it took. `cost_micros` is in 10⁻⁶ USD."""

    text: str
    model: str
    version: str
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    latency_ms: int = 0
    cost_micros: int = 0


class ModelError(DnamError):
    """The model could not be asked, or did not answer in time."""


class Model(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def paid(self) -> bool: ...

    async def ask(self, ask: Ask) -> Reply:
        """The reply, or ModelError."""
        ...
