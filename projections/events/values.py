"""The values that events are made of. Field names are the storage format: add fields, with defaults; never rename one.

No floats anywhere: confidence is in thousandths, cost in millionths of a US dollar, time in ms since 1970.
"""

from typing import Literal

import msgspec

from projections.ids import NOBODY, EventId, Handle, Ref

ActorKind = Literal["person", "operator", "platform", "model", "policy"]
AudienceKind = Literal["guild", "channel", "direct"]
AuthorKind = Literal["person", "bot", "webhook", "self", "unknown"]
Medium = Literal["text", "voice"]
ItemType = Literal["semantic", "episodic", "procedural"]
About = Literal["person", "guild", "self", "owner"]
Status = Literal["active", "deprecated", "forgotten", "evicted", "merged"]
SourceType = Literal["discord", "manual", "import", "model"]
SpanKind = Literal["mention", "quote"]
Scoring = Literal["recall", "dnam"]
IntentKind = Literal["remember", "edit", "forget", "restore", "share", "keep_private", "reset"]


class By(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Who did it. A model or a policy has a name and a version; a person has a handle."""

    kind: ActorKind
    person: Handle = NOBODY
    name: str = ""
    version: str = ""


OPERATOR = By("operator")
PLATFORM = By("platform")


class Audience(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Who could read it when it was said: a value, and the address of what was said there (design §7).

    A new `epoch` of a place begins when its audience changes. `direct` has the place `dm:<handle in hex>`.
    """

    kind: AudienceKind
    place: Ref
    epoch: int = 0


class Span(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A person named in a text: shown as a name at code point `at`, where the stored text itself has nothing.

    NOBODY is shown as "someone".
    """

    at: int
    person: Handle
    kind: SpanKind = "mention"


FORWARDED = "forwarded message"
POLL = "poll"
NOBODYS_OWN = frozenset({FORWARDED, POLL})
"""Names of attachments whose captions are words, and not those of whoever brings them."""


class Attachment(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A file that came with a message. `size` is in bytes, 0 when unknown; `caption` describes an image, if any."""

    name: str
    size: int = 0
    caption: str = ""


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A message, whole. `speaker` is a person's handle; who is no person has an `author_name` instead.

    A webhook, or an author that the platform does not tell, may stand for a person (bridges and proxies do): the name
    is then somebody's, and lies sealed with the words it came with, in their place's vault, which no one person's
    erasure reaches.
    """

    ref: Ref
    place: Ref
    session: str
    audience: Audience
    author: AuthorKind
    said: int
    text: str
    speaker: Handle = NOBODY
    author_name: str = ""
    guild: Ref | None = None
    spans: tuple[Span, ...] = ()
    reply_to: Ref | None = None
    attachments: tuple[Attachment, ...] = ()
    addressed: bool = False
    medium: Medium = "text"
    edited: int | None = None


class ModelUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One call of a model: which, with which prompt, and what it took, in one request or, with tools or a stream that
    broke off, in several. `cost_micros` is in 10⁻⁶ USD.

    `stop` is why it stopped, as the model's API has it: `end_turn`, `max_tokens`, `refusal`.
    """

    model: str
    version: str
    prompt: str = ""
    prompt_digest: bytes = b""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    latency_ms: int = 0
    cost_micros: int = 0
    stop: str = ""


class Evidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The words an item rests on, and the message they stand in."""

    quote: str
    message: EventId = EventId(b"")
    ref: Ref | None = None


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Where an item came from, as the documents have it: a message, a person's own command, or a file.

    What the place is called is looked up where it is shown: a name here could be a person's.
    """

    type: SourceType
    place: Ref | None = None
    message: Ref | None = None
    guild: Ref | None = None


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A durable item, whole: an item event carries all of it, so that its last event alone makes its row.

    `confidence` is in thousandths. `created` and `updated` are `said` times in ms. An item's address is
    (owner, compartment, id); `owner` is NOBODY for lore, self and the owner's layer. `kept`: a person asked to keep it,
    whatever becomes of the messages it was learned from; that lasts until they forget it.
    """

    id: str
    owner: Handle
    compartment: str
    kind: str
    text: str
    created: int
    updated: int
    source: Source
    status: Status = "active"
    type: ItemType = "semantic"
    about: About = "person"
    tags: tuple[str, ...] = ()
    confidence: int = 1000
    evidence: tuple[Evidence, ...] = ()
    source_count: int = 1
    supersedes: tuple[str, ...] = ()
    valid_from: int | None = None
    valid_until: int | None = None
    hits: int = 0
    last_hit: int | None = None
    kept: bool = False


class Saw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The item that a person had before them when they acted, so that the act can be applied where items differ."""

    text: str
    kind: str
    compartment: str
    evidence: tuple[Evidence, ...] = ()


class Intent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What a person meant: what they did, the words or the id they gave, and what they saw. `undoes`: they did it to
    take back what they had done before.
    """

    action: IntentKind
    needle: str = ""
    chosen: str = ""
    saw: Saw | None = None
    undoes: bool = False


class RowWas(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """What an item's row said of the event that had made it: its tag, when it was said (ms), by whom, why, and by which
    rule.
    """

    tag: str
    said: int
    by: By
    reason: str = ""
    policy: str = ""
    intent: Intent | None = None


class Gap(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An event whose words are gone, its tag, and what it had rested on: what came of that is found through it. The tag
    is empty where it is of an item that stands: then `causes` is the event by which it does, and what came of the
    earlier ones rests on that from now on.
    """

    event: EventId
    tag: str
    causes: tuple[EventId, ...]


class ItemUse(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """An item that stood in a prompt: its address and the event that had made its row."""

    owner: Handle
    compartment: str
    id: str
    event: EventId


class LeftOut(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Something that did not fit into a prompt: which block, which thing, and why."""

    block: str
    what: str
    why: str


class PassageUse(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Something said earlier that a passage in a prompt stood around: the address and the id of a message or turn."""

    session: str
    epoch: int
    said: int
    id: EventId


class NearUse(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Something said earlier, or an item, that was near in meaning: its rank among the nearest of what it was ranked
    with, from 1, and the event that made it as it was then.
    """

    rank: int
    event: EventId


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The budgets in force when a prompt was made, and how items were scored. Characters are code points; `room_` is of
    what is known of the others in the window, `passage` of what was said earlier; `tokens` is over all blocks, as
    `counter` counts them, and 0 is no limit.

    The defaults are those of turns from before there was recall, so that their prompts can be made again.
    """

    items: int = 12
    item_chars: int = 2000
    history_messages: int = 20
    history_chars: int = 3000
    summary_chars: int = 2000
    scoring: Scoring = "dnam"
    room_items: int = 0
    room_chars: int = 0
    passages: int = 0
    passage_chars: int = 0
    tokens: int = 0
    counter: str = "characters/4"


class FileDigest(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A context file as it was: its path in the prompt and the SHA-256 of its text."""

    path: str
    digest: bytes
