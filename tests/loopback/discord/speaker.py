"""Somebody who writes, edits, deletes, pins, begins threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.loopback.discord import talk, threads
from tests.loopback.discord.channels import Channel
from tests.loopback.discord.gateway import Gateway
from tests.loopback.discord.messages import Attachment, Message, MessageFlag, MessageKind, Poll, Said
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import Upload
from tests.loopback.discord.state import State
from tests.loopback.discord.threads import Beginning
from tests.loopback.discord.users import User
from tests.loopback.discord.writing import EVERYONE, LONGEST, MENTION, attached, roles_called

Mention = User | Sequence[User]


@dataclass(eq=False)
class Speaker(User):
    """A user with a keyboard."""

    state: State = field(kw_only=True, repr=False)
    gateway: Gateway = field(kw_only=True, repr=False)

    @property
    def dm(self) -> Channel:
        """Their direct messages with the bot."""
        return self.state.direct(self)

    async def says(
        self,
        channel: Channel,
        text: str = "",
        *,
        mention: Mention = (),
        reply_to: Message | None = None,
        ping: bool = True,
        files: Sequence[tuple[str, bytes]] = (),
    ) -> Message:
        """Write a message: `mention` puts mentions before the text; `ping=False` is a reply that does not notify."""
        assert channel.allowed(self) & Permission.SEND_MESSAGES, f"{self.name} cannot write in {channel}"
        said = self._said(channel, _addressed(text, mention), files)
        if reply_to is not None and ping:
            said.mentions = list(dict.fromkeys([*said.mentions, reply_to.author]))
        guild = channel.guild.id if channel.guild else None
        kind = MessageKind.REPLY if reply_to else MessageKind.DEFAULT
        message = Message(self.state.ids.next(), channel.id, guild, self, said, kind, reply_to)
        message.nonce = str(message.id)
        talk.post(self.state, channel, message)
        await self.gateway.sent()
        return message

    async def replies(self, message: Message, text: str, *, ping: bool = True) -> Message:
        """Answer a message."""
        return await self.says(self.place(message), text, reply_to=message, ping=ping)

    async def forwards(self, message: Message, channel: Channel) -> Message:
        """Forward a message to a channel."""
        return await self._sends(channel, Said(forwarded=message, flags=MessageFlag.HAS_SNAPSHOT))

    async def sticks(self, channel: Channel, name: str, text: str = "") -> Message:
        """Send a sticker."""
        return await self._sends(channel, Said(content=text, stickers=[name]))

    async def asks_all(self, channel: Channel, question: str, *answers: str) -> Message:
        """Send a poll."""
        return await self._sends(channel, Said(poll=Poll(question, answers)))

    async def speaks(self, channel: Channel) -> Message:
        """Send a voice message."""
        spoken = self._attached([("voice-message.ogg", b"OggS")])
        return await self._sends(channel, Said(attachments=spoken, flags=MessageFlag.IS_VOICE_MESSAGE))

    async def _sends(self, channel: Channel, said: Said) -> Message:
        assert channel.allowed(self) & Permission.SEND_MESSAGES, f"{self.name} cannot write in {channel}"
        guild = channel.guild.id if channel.guild else None
        message = Message(self.state.ids.next(), channel.id, guild, self, said)
        talk.post(self.state, channel, message)
        await self.gateway.sent()
        return message

    async def edits(self, message: Message, text: str) -> Message:
        """Write one's own message anew."""
        assert message.author is self, f"{self.name} did not write {message}"
        assert not message.deleted, f"{message} is gone"
        channel = self.place(message)
        new = self._said(channel, text)
        mentions = message.still_mentioned(new.mentions)
        called = {"mention_everyone": new.mention_everyone, "mention_roles": new.mention_roles}
        said = talk.said_again(message.said, content=text, mentions=mentions, **called)
        talk.edit(self.state, channel, message, said)
        await self.gateway.sent()
        return message

    async def deletes(self, *messages: Message) -> None:
        """Delete one's own messages, or with MANAGE_MESSAGES others'."""
        channel = self.place(messages[0])
        for each in messages:
            may = each.author is self or channel.allowed(self) & Permission.MANAGE_MESSAGES
            assert may, f"{self.name} cannot delete {each}"
        talk.delete(self.state, channel, messages)
        await self.gateway.sent()

    async def starts_typing(self, channel: Channel) -> None:
        talk.typing(self.state, channel, self.id)
        await self.gateway.sent()

    async def pins(self, message: Message) -> None:
        assert self.place(message).allowed(self) & Permission.PIN_MESSAGES, f"{self.name} may not pin"
        talk.pin(self.state, self.place(message), message, self)
        await self.gateway.sent()

    async def begins_thread(
        self, channel: Channel, name: str, *, at: Message | None = None, private: bool = False, add: Sequence[User] = ()
    ) -> Channel:
        """Begin a thread, and add people or the bot to it."""
        thread = threads.begin(self.state, channel, Beginning(self, name, private, at))
        for each in add:
            threads.join(self.state, thread, each)
        await self.gateway.sent()
        return thread

    def _said(self, channel: Channel, text: str, files: Sequence[tuple[str, bytes]] = ()) -> Said:
        assert text or files, "there is nothing to say"
        assert len(text) <= LONGEST, f"{len(text)} characters: Discord takes {LONGEST}"
        may = bool(channel.allowed(self) & Permission.MENTION_EVERYONE)
        mentioned = dict.fromkeys(int(each) for each in MENTION.findall(text))
        return Said(
            content=text,
            attachments=self._attached(files),
            mentions=[self.state.users[each] for each in mentioned if each in self.state.users],
            mention_everyone=bool(may and EVERYONE.search(text)),
            mention_roles=roles_called(channel, text, may),
        )

    def _attached(self, files: Sequence[tuple[str, bytes]]) -> list[Attachment]:
        uploads = [Upload(f"files[{n}]", name, data, "text/plain") for n, (name, data) in enumerate(files)]
        return attached(self.state, {}, uploads)

    def place(self, message: Message) -> Channel:
        """Where a message stands."""
        return self.state.channels[message.channel_id]


def _addressed(text: str, mention: Mention) -> str:
    people = [mention] if isinstance(mention, User) else list(mention)
    return " ".join([*(each.mention for each in people), *([text] if text else [])])
