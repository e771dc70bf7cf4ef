"""What every reader of files has in common: what it gives, what it is told, and how it fails.

    ImportFailed(DnamError)
    ├── UnreadableImport   the file system does not let it be read
    ├── UnknownFormat      it is nothing that dnam reads, or there is nothing in it
    └── BrokenImport       it began as something dnam reads, and breaks off or contradicts itself

What stands before a break was given before the error is raised. A message says which file, where, and what to do.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Protocol

import msgspec

from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.errors import DnamError
from projections.events.heard import PlaceKind
from projections.events.values import About, AudienceKind, AuthorKind, ItemType, Status
from projections.events.values import Source as ItemSource
from projections.ids import Ref

Format = Literal["dnam-export", "discord-export", "locomo", "discoclaw", "slashai", "clanky", "snowclaw"]
Told = Literal["guild", "channel", "dm"]
"""Who could read a conversation, in the words of `--audience`."""

FORMATS: dict[Format, str] = {
    "dnam-export": "an export of dnam itself (JSON lines, as `dnam export` writes them)",
    "discord-export": 'a DiscordChatExporter JSON file (an object with "guild", "channel" and "messages")',
    "locomo": 'a LoCoMo JSON file (a list of objects with "conversation")',
    "discoclaw": "a DiscoClaw data folder (with durable/*.json, rolling/*.json or summaries/*.json, or in memory/)",
    "slashai": "slashAI's memories table (CSV with a header, a JSON array, or JSON lines)",
    "clanky": "Clanky's SQLite database file (with the table memory_facts)",
    "snowclaw": 'Snowclaw\'s nostr_memory.json (an object with "npubs")',
}
"""What dnam reads, in the words of its errors."""

LATEST_MS = 253_402_300_799_999
"""The last ms of the year 9999: no calendar knows what comes after it."""

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]
NonEmpty = Annotated[str, msgspec.Meta(min_length=1)]


class ImportFailed(DnamError):
    """Something could not be imported. `path` is the file or folder; `others` went wrong in the same folder."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.others: tuple[ImportFailed, ...] = ()


class UnreadableImport(ImportFailed):
    """The file system does not let it be read."""


class UnknownFormat(ImportFailed):
    """It is nothing that dnam reads, or there is nothing in it."""


class BrokenImport(ImportFailed):
    """It breaks off or contradicts itself. `where` is the place: a message's number, a byte, a JSON path."""

    def __init__(self, path: Path, where: str, message: str) -> None:
        super().__init__(path, message)
        self.where = where


class Channel(NamedTuple):
    """A conversation in a source. `messages` is how many it says it has, None when that is not cheap to know.

    `must_ask`: the source does not say who could read it; unless it is told, it counts as restricted. `unknown_type` is
    the source's word for what it is, where dnam does not know that word: it is restricted, whatever it is told.
    """

    key: str
    name: str
    kind: PlaceKind
    guild: Ref | None = None
    guild_name: str = ""
    messages: int | None = None
    must_ask: bool = True
    unknown_type: str | None = None


class Options(NamedTuple):
    """What the operator says about a source. `audiences` is by a channel's key and goes before `audience`.

    `assistants` are the ids of the accounts that were the assistant, or names of theirs. `now` is the clock, in ms.
    `memory_channel` is the key of the transparency channel, where there is one: what the assistant says there is what
    it shows of its memory.
    """

    audience: Told | None = None
    audiences: Mapping[str, Told] = {}
    assistants: tuple[str, ...] = ()
    now: int = LATEST_MS
    memory_channel: str = ""

    def told(self, channel: str) -> Told | None:
        """What is known of who could read a channel, from its key."""
        return self.audiences.get(channel, self.audience)


class Writer(NamedTuple):
    """Somebody who wrote a message in a source, whom the operator may call by any of these names. `kind` is what they
    are as long as nobody says that they were the assistant.
    """

    account: Account
    names: tuple[str, ...]
    kind: AuthorKind


class Arrived(NamedTuple):
    """A message, as it will be heard. The recorder fills in `request.fresh`."""

    request: HeardRequest

    @property
    def said(self) -> int:
        return self.request.said


class Skipped(NamedTuple):
    """Something that is not taken. `reason` is one of few, to be counted by; `where` is for whoever wants to look."""

    reason: str
    where: str


CompartmentKind = Literal["direct", "channel", "guild", "everywhere", "self", "owner"]


class Where(NamedTuple):
    """The compartment of an imported item: of the person who owns it, or of nobody. `place` is its channel or guild."""

    kind: CompartmentKind
    place: Ref | None = None


class ImportedItem(msgspec.Struct, frozen=True):
    """A durable item of another program, to be owned by the person behind `account`, or by nobody. Times in ms.

    `key` is what `program` calls it, `id` is empty where that is no id of dnam's form; `row` says the same as a
    reference, where the words under it may change. `portable`: its program has no levels, so `--portable` may widen it.
    Not `dated`: the times are bounds, and the same words again are nothing new. `quote` are the words it rests on, in
    the message of its source, which was said at `message_said`, where that is known. `was` is the id that its file
    gives it, where another item of it has that too, and keeps it. `author` is who said that of which it was learned,
    where it is nobody's and its file says so.
    """

    account: Account | None
    id: str
    kind: str
    text: str
    tags: tuple[str, ...]
    status: Status
    source: ItemSource
    created: int
    updated: int
    hits: int = 0
    last_hit: int | None = None
    program: Format = "discoclaw"
    key: str = ""
    where: Where = Where("direct")
    portable: bool = True
    dated: bool = True
    about: About = "person"
    type: ItemType = "semantic"
    confidence: int = 1000
    quote: str = ""
    message_said: int | None = None
    source_count: int = 1
    row: Ref | None = None
    was: str = ""
    author: Account | None = None

    @property
    def said(self) -> int:
        return self.updated

    @property
    def user(self) -> str:
        """The program's id of its person; empty for nobody's."""
        return "" if self.account is None else self.account.id


class ImportedSummary(msgspec.Struct, frozen=True):
    """A session's rolling summary. In a DM `account` is its person, since dnam's own keys have a handle there."""

    session_key: str
    summary: str
    updated: int
    account: Account | None = None

    @property
    def said(self) -> int:
        return self.updated


Arrival = Arrived | ImportedItem | ImportedSummary | Skipped


class Source(Protocol):
    """A file or folder that has been recognised."""

    @property
    def path(self) -> Path: ...

    @property
    def format(self) -> Format: ...

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The conversations in it; none where it holds no messages."""
        ...

    def read(self, options: Options) -> Iterator[Arrival]:
        """What it holds, in the order of `said`. May be called again. Raises BrokenImport after what it could read,
        BadRequest when the options do not fit it.
        """
        ...


def audience_kind(told: Told) -> AudienceKind:
    """`--audience` in the words of the events."""
    return "direct" if told == "dm" else told
