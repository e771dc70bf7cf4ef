"""What the operator did with the log as a whole, and what the program does by itself."""

from typing import ClassVar, Literal

from projections.events.event import Event
from projections.events.values import ModelUse
from projections.ids import NOBODY, EventId, Handle

EncodedKind = Literal["query", "document"]
"""What an encoder is told of a text: it is looked for, or to be found."""


class ImportBegan(Event, frozen=True, kw_only=True):
    """Material from elsewhere begins to come in: everything up to `import.ended` was said before it was recorded.

    It comes with the first thing that is new, so an import of what is known leaves none. `formats` are the kinds of
    files, by their readers' names.
    """

    TAG: ClassVar[str] = "import.began"
    formats: tuple[str, ...]


class ImportEnded(Event, frozen=True, kw_only=True):
    """It came in whole. `first_said` and `last_said` (ms) are the span of all that was read, known things too.

    `messages` are those that were new: what was edited, and places that fewer can read since, have events of their own.
    """

    TAG: ClassVar[str] = "import.ended"
    began: EventId
    formats: tuple[str, ...]
    first_said: int
    last_said: int
    messages: int
    items: int
    summaries: int


class ModelResolved(Event, frozen=True, kw_only=True):
    """An alias stands for another model from here on. `previous` is the one before; empty the first time."""

    TAG: ClassVar[str] = "model.resolved"
    alias: str
    model: str
    previous: str = ""


class TextsEncoded(Event, frozen=True, kw_only=True):
    """An encoder made vectors of so many texts: what that took, and for whom where it was for one person. Neither texts
    nor vectors stand here. `failed` says that nothing could be made of its answer.
    """

    TAG: ClassVar[str] = "texts.encoded"
    call: ModelUse
    kind: EncodedKind
    texts: int
    person: Handle = NOBODY
    failed: bool = False


class RederivationAdopted(Event, frozen=True, kw_only=True):
    """What was made anew beside this memory was taken over, in decisions before this one: it counts from here on.

    `shadow` is the id of the log in which it was made, `name` a keyed hash of what the operator called it; `upto` is
    how much of this log it knew (seq). `people`, `items` and `summaries` count what was changed, and the rest is what
    making it took. `undoes` is the adoption that this one took back; then nothing was made.

    It lies in the clear: models, prompts and the policy of merges (`merges`) are named as the program names them.
    """

    TAG: ClassVar[str] = "rederivation.adopted"
    shadow: bytes
    name: bytes
    upto: int
    people: int
    items: int
    summaries: int
    model: str = ""
    extraction_prompt: str = ""
    summary_prompt: str = ""
    merges: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    undoes: EventId | None = None


class JobFailed(Event, frozen=True, kw_only=True):
    """A background job that no event of its own tells of did not work: `job` names it, `error` says why, in the
    program's words and nobody's.
    """

    TAG: ClassVar[str] = "job.failed"
    job: str
    error: str
    session: str = ""
    person: Handle = NOBODY
