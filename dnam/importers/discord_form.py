"""What DiscordChatExporter writes: the forms of its objects, and what its words for channels and messages stand for."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from dnam.importers.source import NonEmpty
from projections.decisions.meet import Account
from projections.events.heard import PlaceKind
from projections.events.values import AuthorKind
from projections.ids import DISCORD

KINDS: dict[str, PlaceKind] = {
    "GuildTextChat": "channel",
    "GuildNews": "channel",
    "GuildNewsThread": "thread",
    "GuildPublicThread": "thread",
    "GuildPrivateThread": "thread",
    "GuildVoiceChat": "voice",
    "GuildStageVoice": "stage",
    "GuildForum": "forum",
    "DirectTextChat": "direct",
    "DirectGroupTextChat": "group",
}
"""What DiscordChatExporter calls a channel; whatever else it may be is `unknown`, and restricted whatever is told."""

PRIVATE = ("DirectTextChat", "DirectGroupTextChat", "GuildPrivateThread")
"""Types that say themselves that a guild cannot read them: no `--audience guild` makes them public."""

TO_COMMANDS = ("ChatInputCommand", "ContextMenuCommand", "20", "23")
TAKEN = ("Default", "Reply", *TO_COMMANDS)
"""Message types that somebody wrote; 20 and 23 are answers to commands, by number where the exporter has no name for
them. All others are the platform's own notices."""

DELETED_USER = "456226577798135808"
"""Discord shows all accounts that were deleted as this one: it is nobody."""

Size = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class Guild(msgspec.Struct):
    """The server, or what stands for none."""

    id: NonEmpty
    name: str = ""


class ExportedChannel(msgspec.Struct, rename="camel"):
    """The channel, thread or DM of a file."""

    id: NonEmpty
    type: str
    name: str | None = ""
    category_id: str | None = None


class User(msgspec.Struct, rename="camel"):
    """An account: `name` is what Discord itself calls it, `nickname` what people of that server see, which is for no
    other server: nobody is called by it here.
    """

    id: NonEmpty
    name: str = ""
    nickname: str | None = None
    discriminator: str | None = None
    is_bot: bool = False

    @property
    def shown(self) -> str:
        """The name that people there see."""
        return self.nickname or self.name

    @property
    def is_webhook(self) -> bool:
        """Whether nobody is behind it."""
        # People have "0000" too since Discord gave up discriminators; bots keep theirs.
        return self.is_bot and self.discriminator == "0000"

    @property
    def account(self) -> Account:
        """They, by the account's own name alone: what its person goes by everywhere, the exporter does not write."""
        return Account(DISCORD, self.id, username=self.name)


class File(msgspec.Struct, rename="camel"):
    """An attachment; one without a name is no reason to lose what was said beside it."""

    file_name: str | None = None
    file_size_bytes: Size = 0


class Sticker(msgspec.Struct):
    """A sticker, which is shown beside the words."""

    name: str | None = None


class Forwarded(msgspec.Struct):
    """What somebody else said elsewhere, and is shown again."""

    content: str | None = ""
    attachments: tuple[File, ...] = ()
    stickers: tuple[Sticker, ...] = ()


class Reference(msgspec.Struct, rename="camel"):
    """What a message answers, or where it comes from."""

    message_id: str | None = None
    channel_id: str | None = None
    type: str | None = None


class Interaction(msgspec.Struct):
    """What somebody did that a bot's message is the answer to: a slash command, by its name, or a menu."""

    name: str | None = None


class Message(msgspec.Struct, rename="camel"):
    """A message, as far as it is read."""

    id: NonEmpty
    type: str
    author: User
    timestamp: str | None = None
    content: str | None = ""
    timestamp_edited: str | None = None
    attachments: tuple[File, ...] = ()
    mentions: tuple[User, ...] = ()
    embeds: tuple[Any, ...] = ()
    stickers: tuple[Sticker, ...] = ()
    reference: Reference | None = None
    interaction: Interaction | None = None
    forwarded_message: Forwarded | None = None


def author_kind(user: User, assistants: Sequence[str]) -> AuthorKind:
    """What somebody is, where these ids and names were the assistant's."""
    if any(is_assistant(user, each) for each in assistants):
        return "self"
    if user.is_bot:
        return "webhook" if user.is_webhook else "bot"
    return "unknown" if user.id == DELETED_USER else "person"


def is_assistant(user: User, assistant: str) -> bool:
    """Whether an id or a name is theirs. A name fits bots only: anybody can call themselves like the assistant."""
    if user.id == assistant:
        return True
    names = [name.casefold() for name in (user.name, user.nickname) if name]
    return user.is_bot and not user.is_webhook and assistant.casefold() in names
