"""Threads: how one begins, who is in it, and what is told of that."""

from dataclasses import dataclass

from tests.loopback.discord import talk
from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.messages import Message, MessageFlag, MessageKind, Said
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.users import Intent, User


@dataclass(frozen=True)
class Beginning:
    """How a thread begins: by whom, under which name, at a message or not."""

    owner: User
    name: str
    private: bool = False
    message: Message | None = None


def begin(state: State, parent: Channel, beginning: Beginning) -> Channel:
    """A thread in a channel; one at a message has that message's id, as on Discord."""
    kind = ChannelKind.PRIVATE_THREAD if beginning.private else ChannelKind.PUBLIC_THREAD
    number = beginning.message.id if beginning.message else state.ids.next()
    thread = Channel(number, kind, beginning.name, parent.guild, parent, owner=beginning.owner)
    state.add_channel(thread)
    thread.recipients.append(beginning.owner)
    thread.joined[beginning.owner.id] = state.ids.now()
    state.tell(Event("THREAD_CREATE", thread.wire(state.bot) | {"newly_created": True}, Intent.GUILDS, thread))
    if beginning.message is not None:
        flags = beginning.message.said.flags | MessageFlag.HAS_THREAD
        talk.edit(state, parent, beginning.message, talk.said_again(beginning.message.said, flags=flags), silent=True)
        _starter(state, thread, beginning.message)
    return thread


def _starter(state: State, thread: Channel, message: Message) -> None:
    """The first line of a thread at a message points to it."""
    guild = thread.guild.id if thread.guild else None
    line = Message(state.ids.next(), thread.id, guild, message.author, Said(), MessageKind.THREAD_STARTER, message)
    thread.messages[line.id] = line


def join(state: State, thread: Channel, user: User) -> None:
    """Somebody comes in. The bot gets the thread, everybody the news."""
    if user in thread.recipients:
        return
    thread.recipients.append(user)
    thread.joined[user.id] = state.ids.now()
    if user is state.bot:
        state.tell(Event("THREAD_CREATE", thread.wire(state.bot), Intent.GUILDS, thread))
    _members_changed(state, thread, user, here=True)


def leave(state: State, thread: Channel, user: User) -> None:
    if user in thread.recipients:
        _members_changed(state, thread, user, here=False)
        thread.recipients.remove(user)


def archive(state: State, thread: Channel, archived: bool = True, locked: bool = False) -> None:
    state.archive(thread, archived, locked)


def end(state: State, thread: Channel) -> None:
    """It is deleted."""
    assert thread.guild is not None
    assert thread.parent is not None
    gone = {"id": str(thread.id), "type": int(thread.kind)}
    gone |= {"guild_id": str(thread.guild.id), "parent_id": str(thread.parent.id)}
    state.tell(Event("THREAD_DELETE", gone, Intent.GUILDS, thread))
    thread.gone = True


def _members_changed(state: State, thread: Channel, user: User, here: bool) -> None:
    assert thread.guild is not None
    data = {"id": str(thread.id), "guild_id": str(thread.guild.id), "member_count": len(thread.recipients)}
    if here:
        data |= {
            "added_members": [thread.member(user) | {"member": thread.guild.members[user.id].wire(), "presence": None}]
        }
    else:
        data |= {"removed_member_ids": [str(user.id)]}
    state.tell(Event("THREAD_MEMBERS_UPDATE", data, Intent.GUILDS, thread))
