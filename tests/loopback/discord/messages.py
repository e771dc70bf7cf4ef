"""Messages, and what is attached to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, IntFlag

from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire, made_at


class MessageKind(IntEnum):
    """What a message is. (Discord's documentation, Message: Message Types)"""

    DEFAULT = 0
    PINNED = 6
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    CONTEXT_MENU = 23


SHOWS_REFERENCE = (MessageKind.REPLY, MessageKind.THREAD_STARTER)
"""What comes with the message that it points to. (Discord's documentation, Message: `referenced_message`)"""


class MessageFlag(IntFlag):
    """(Discord's documentation, Message: Message Flags)"""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_VOICE_MESSAGE = 1 << 13
    HAS_SNAPSHOT = 1 << 14
    COMPONENTS_V2 = 1 << 15


PLAIN = MessageFlag(0)


@dataclass(frozen=True)
class Attachment:
    """A file in a message; its bytes are served at `url`."""

    id: int
    name: str
    content: bytes
    url: str
    content_type: str = "application/octet-stream"
    description: str = ""

    def wire(self) -> Wire:
        return {
            "id": str(self.id),
            "filename": self.name,
            "size": len(self.content),
            "url": self.url,
            "proxy_url": self.url,
            "content_type": self.content_type,
        } | ({"description": self.description} if self.description else {})


@dataclass(frozen=True)
class Poll:
    """A question and what can be answered."""

    question: str
    answers: Sequence[str]

    def wire(self) -> Wire:
        answers = [{"answer_id": n, "poll_media": {"text": each}} for n, each in enumerate(self.answers, 1)]
        return {
            "question": {"text": self.question}, "answers": answers, "expiry": "2030-01-01T00:00:00+00:00",
            "allow_multiselect": False, "layout_type": 1, "results": {"answer_counts": [], "is_finalized": False},
        }  # fmt: skip


@dataclass
class Said:
    """What a message says: all that can be written and edited."""

    content: str = ""
    embeds: Sequence[Wire] = ()
    components: Sequence[Wire] = ()
    attachments: Sequence[Attachment] = ()
    mentions: Sequence[User] = ()
    mention_everyone: bool = False
    mention_roles: Sequence[int] = ()
    """The roles whose holders it calls."""
    flags: MessageFlag = PLAIN
    stickers: Sequence[str] = ()
    """By their names."""
    poll: Poll | None = None
    forwarded: "Message | None" = None
    """What it forwards, as that stands now: a snapshot, which names no author."""

    @property
    def empty(self) -> bool:
        return not (self.content or self.embeds or self.components or self.attachments)


@dataclass(eq=False)
class Message:
    """A message as it now stands: a test reads its `content`, `author`, `components`."""

    id: int
    channel_id: int
    guild_id: int | None
    author: User
    said: Said
    kind: MessageKind = MessageKind.DEFAULT
    reference: "Message | None" = None
    """What it answers, pins or starts."""
    nonce: str | int | None = None
    application_id: int | None = None
    """The application whose interaction it answers."""
    metadata: Wire | None = None
    """Which interaction that was."""
    edited_at: str | None = None
    pinned: bool = False
    deleted: bool = False
    only_for: User | None = None
    """Who alone sees it: an ephemeral message."""
    history: list[str] = field(default_factory=list)
    """Its earlier contents, oldest first, as edits replaced them."""

    def __repr__(self) -> str:
        return f"<{self.author.name}: {self.content!r}>"

    @property
    def content(self) -> str:
        return self.said.content

    @property
    def components(self) -> Sequence[Wire]:
        return self.said.components

    @property
    def ephemeral(self) -> bool:
        return bool(self.said.flags & MessageFlag.EPHEMERAL)

    @property
    def loading(self) -> bool:
        """Whether it is the "… is thinking" of a deferred reply."""
        return bool(self.said.flags & MessageFlag.LOADING)

    def still_mentioned(self, named: Sequence[User]) -> list[User]:
        """Whom it mentions after an edit: whom it names, and who was notified as the author of what it answers."""
        author = self.reference.author if self.reference else None
        return list(dict.fromkeys([*named, *(each for each in self.said.mentions if each is author)]))

    def wire(self, content: bool = True, reference: bool = True) -> Wire:
        """As REST gives it. Without `content`: as it is shown to who lacks the message content intent."""
        said = self.said
        if not content:
            said = replace(said, content="", embeds=(), components=(), attachments=(), poll=None)
        shown = self._plain(said) | _besides(said) | self._rest() | (self._reference(content) if reference else {})
        return shown if said.forwarded is None else shown | _snapshot(said.forwarded, content)

    def _plain(self, said: Said) -> Wire:
        return {
            "id": str(self.id),
            "channel_id": str(self.channel_id),
            "type": int(self.kind),
            "author": self.author.wire(),
            "content": said.content,
            "timestamp": made_at(self.id),
            "edited_timestamp": self.edited_at,
            "tts": False,
            "pinned": self.pinned,
            "mention_everyone": said.mention_everyone,
            "mentions": [each.wire() for each in said.mentions],
            "mention_roles": [str(each) for each in said.mention_roles],
            "attachments": [each.wire() for each in said.attachments],
            "embeds": list(said.embeds),
            "components": list(said.components),
            "flags": int(said.flags),
        }

    def _rest(self) -> Wire:
        rest: Wire = {}
        if self.nonce is not None:
            rest["nonce"] = self.nonce
        if self.application_id is not None:
            rest["application_id"] = str(self.application_id)
        if self.metadata is not None:
            rest["interaction_metadata"] = self.metadata
        return rest

    def _reference(self, content: bool) -> Wire:
        if self.reference is None:
            return {}
        to = self.reference
        pointer = {"type": 0, "channel_id": str(to.channel_id), "message_id": str(to.id)}
        if to.guild_id is not None:
            pointer["guild_id"] = str(to.guild_id)
        if self.kind not in SHOWS_REFERENCE:
            return {"message_reference": pointer}
        shown = None if to.deleted else to.wire(content or bool(to.author.bot), reference=False)
        return {"message_reference": pointer, "referenced_message": shown}


def _besides(said: Said) -> Wire:
    """What only some messages hold."""
    stickers = [{"id": str(n), "name": each, "format_type": 1} for n, each in enumerate(said.stickers, 1)]
    return ({"sticker_items": stickers} if stickers else {}) | ({"poll": said.poll.wire()} if said.poll else {})


def _snapshot(of: Message, content: bool) -> Wire:
    """A forward: where the message stands, and what it says. (Discord's documentation, Message: Message Snapshot)"""
    pointer = {"type": 1, "channel_id": str(of.channel_id), "message_id": str(of.id)}
    if of.guild_id is not None:
        pointer["guild_id"] = str(of.guild_id)
    shown = of.wire(content, reference=False)
    kept = (
        "type", "content", "mentions", "mention_roles", "attachments", "embeds", "timestamp", "edited_timestamp",
        "flags", "components", "sticker_items",
    )  # fmt: skip
    snapshot = {name: shown[name] for name in kept if name in shown}
    return {"message_reference": pointer, "message_snapshots": [{"message": snapshot}]}
