"""An interaction: somebody used a command, a button, a menu or a form, and waits for what the bot says to that.

used = await kim.uses(general, "/memory show")
reply = await used.reply()             # the message, once it is no longer "… is thinking"
assert reply.ephemeral
"""

from dataclasses import dataclass, field
from enum import IntEnum

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.messages import Message
from tests.loopback.discord.permissions import ALL
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire

ATTACHMENT_LIMIT = 10 * 1024 * 1024


class InteractionKind(IntEnum):
    """(Discord's documentation, Receiving and Responding: Interaction Type)"""

    COMMAND = 2
    COMPONENT = 3
    COMPLETION = 4
    FORM = 5


@dataclass(frozen=True)
class Choice:
    """What an option can be completed to."""

    name: str
    value: str | int | float


@dataclass(eq=False)
class Interaction:
    """One, with all that was answered to it."""

    state: State
    id: int
    token: str
    kind: InteractionKind
    user: User
    channel: Channel
    data: Wire
    source: Message | None = None
    """The message whose button, menu or form it was."""
    before: "Interaction | None" = None
    """Of a form: the interaction that opened it."""
    callback: int | None = None
    """How it was answered at first: the callback's type."""
    original: Message | None = None
    """The first answer; of an update: the message that it updates."""
    followups: list[Message] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    form: Wire | None = None
    expired: bool = False

    # What a test waits for

    async def answered(self) -> "Interaction":
        """Until the bot said anything to it, be it that it thinks."""
        return await self.state.until(lambda: self if self.callback is not None else None, "an answer") or self

    async def reply(self) -> Message:
        """Until there is a message that answers it; one that says only that the bot thinks is none."""
        found = await self.state.until(self._replied, "a reply")
        assert found is not None
        return found

    async def followup(self, number: int = 0) -> Message:
        """Until there are so many follow-ups, the first being 0."""
        await self.state.until(lambda: len(self.followups) > number, "a follow-up")
        return self.followups[number]

    async def completions(self) -> list[Choice]:
        """Until the bot offers choices, perhaps none."""
        await self.answered()
        return self.choices

    async def opened(self) -> Wire:
        """Until the bot opens a form."""
        found = await self.state.until(lambda: self.form, "a form")
        assert found is not None
        return found

    def expire(self) -> None:
        """Discord forgets it, as it does after three seconds without an answer or fifteen minutes with one."""
        self.expired = True

    @property
    def messages(self) -> list[Message]:
        """All that was said to it."""
        return [*([self.original] if self.original and self.original is not self.source else []), *self.followups]

    def _replied(self) -> Message | None:
        return next((each for each in self.messages if not each.loading and not each.deleted), None)

    # What is told

    def event(self) -> Event:
        """As the gateway gives it. It needs no intent, and comes whether or not the bot sees the channel."""
        return Event("INTERACTION_CREATE", self._base() | self._where() | self._who() | self._from())

    def metadata(self) -> Wire:
        """What a message that answers it says of it."""
        known = self._base()
        shown = {"id": known["id"], "type": int(self.kind), "user": self.user.wire()}
        shown["authorizing_integration_owners"] = known["authorizing_integration_owners"]
        if self.kind == InteractionKind.COMPONENT and self.source is not None:
            shown["interacted_message_id"] = str(self.source.id)
        if self.kind == InteractionKind.FORM and self.before is not None:
            shown["triggering_interaction_metadata"] = self.before.metadata()
        if "target_id" in self.data:
            shown["target_message_id"] = self.data["target_id"]
        return shown

    def _base(self) -> Wire:
        guild = self.channel.guild
        return {
            "id": str(self.id),
            "application_id": str(self.state.application.id),
            "type": int(self.kind),
            "token": self.token,
            "version": 1,
            "data": self.data,
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
            "context": 0 if guild else 1,
            "attachment_size_limit": ATTACHMENT_LIMIT,
        }

    def _where(self) -> Wire:
        bot = self.state.bot
        mine = str(int(self.channel.allowed(bot)))
        channel = self.channel.wire(bot) | {"permissions": str(int(self.channel.allowed(self.user) & ALL))}
        place: Wire = {"channel_id": str(self.channel.id), "channel": channel, "app_permissions": mine}
        if self.channel.guild is None:
            return place
        guild = {"id": str(self.channel.guild.id), "locale": "en-US", "features": []}
        return place | {"guild_id": guild["id"], "guild": guild, "guild_locale": "en-US"}

    def _who(self) -> Wire:
        if self.channel.guild is None:
            return {"user": self.user.wire()}
        permissions = str(int(self.channel.allowed(self.user)))
        return {"member": self.channel.guild.members[self.user.id].wire() | {"permissions": permissions}}

    def _from(self) -> Wire:
        return {"message": self.source.wire()} if self.source is not None else {}
