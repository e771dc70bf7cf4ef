"""Channels and threads themselves."""

import datetime

from tests.loopback.discord import talk, threads
from tests.loopback.discord.channels import Channel, ChannelKind
from tests.loopback.discord.errors import missing_permissions, unknown, wrong_form
from tests.loopback.discord.messages import Message
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import NO_CONTENT, Answer, Call, Route
from tests.loopback.discord.routes.access import channel_of, message_of
from tests.loopback.discord.routes.messages import shown
from tests.loopback.discord.state import Event, State
from tests.loopback.discord.threads import Beginning
from tests.loopback.discord.users import Intent
from tests.loopback.discord.writing import written


def channel(state: State, call: Call) -> Answer:
    return Answer(channel_of(state, call).wire(state.bot))


def change(state: State, call: Call) -> Answer:
    """Name and topic of a channel; of a thread also whether it is archived. One that is not locked is opened again by
    whoever may write in it.
    """
    found = channel_of(state, call)
    needed = Permission.MANAGE_THREADS if found.is_thread else Permission.MANAGE_CHANNELS
    if found.is_thread and not found.locked and call.body == {"archived": False}:
        needed = Permission.SEND_MESSAGES_IN_THREADS
    if found.owner is not state.bot and not found.allowed(state.bot) & needed:
        raise missing_permissions()
    found.name = call.body.get("name") or found.name
    found.topic = call.body.get("topic", found.topic)
    if found.is_thread:
        state.archive(found, call.body.get("archived", found.archived), call.body.get("locked", found.locked))
    else:
        state.tell(Event("CHANNEL_UPDATE", found.wire(state.bot), Intent.GUILDS, found))
    return Answer(found.wire(state.bot))


def remove(state: State, call: Call) -> Answer:
    """Delete a channel or thread; of a DM only one's own view is closed."""
    found = channel_of(state, call)
    needed = Permission.MANAGE_THREADS if found.is_thread else Permission.MANAGE_CHANNELS
    if not found.is_dm and not found.allowed(state.bot) & needed:
        raise missing_permissions()
    answer = Answer(found.wire(state.bot))
    if found.is_thread:
        threads.end(state, found)
    elif not found.is_dm:
        state.deleted_channel(found)
    return answer


def begin_at(state: State, call: Call) -> Answer:
    """A thread at a message."""
    parent = channel_of(state, call, Permission.VIEW_CHANNEL | Permission.CREATE_PUBLIC_THREADS)
    message = message_of(parent, call)
    if message.id in state.channels:
        raise wrong_form("message", "THREAD_ALREADY_CREATED", "A thread has already been created for this message")
    thread = threads.begin(state, parent, Beginning(state.bot, call.body["name"], message=message))
    return Answer(thread.wire(state.bot), 201)


def begin(state: State, call: Call) -> Answer:
    """A thread of its own; in a forum, with its first message."""
    private = call.body.get("type") == ChannelKind.PRIVATE_THREAD
    needed = Permission.CREATE_PRIVATE_THREADS if private else Permission.CREATE_PUBLIC_THREADS
    parent = channel_of(state, call)
    forum = parent.kind == ChannelKind.FORUM
    needed = Permission.SEND_MESSAGES if forum else needed
    if parent.allowed(state.bot) & needed != needed:
        raise missing_permissions()
    said = written(state, parent, state.bot, call.body["message"], call.uploads) if forum else None
    thread = threads.begin(state, parent, Beginning(state.bot, call.body["name"], private))
    answer = thread.wire(state.bot)
    if said is not None and parent.guild is not None:
        first = Message(thread.id, thread.id, parent.guild.id, state.bot, said)
        answer = thread.wire(state.bot) | {"message": shown(state, thread, talk.post(state, thread, first))}
    return Answer(answer, 201)


def members(state: State, call: Call) -> Answer:
    thread = channel_of(state, call)
    return Answer([thread.member(each) for each in thread.recipients])


def member(state: State, call: Call) -> Answer:
    thread = channel_of(state, call)
    found = next((each for each in thread.recipients if each.id == call.id("user_id")), None)
    if found is None:
        raise unknown("Member")
    return Answer(thread.member(found))


def join(state: State, call: Call) -> Answer:
    threads.join(state, channel_of(state, call), state.bot)
    return NO_CONTENT


def leave(state: State, call: Call) -> Answer:
    threads.leave(state, channel_of(state, call), state.bot)
    return NO_CONTENT


def archived_public(state: State, call: Call) -> Answer:
    return _archived(state, call, channel_of(state, call, Permission.READ_MESSAGE_HISTORY), ChannelKind.PUBLIC_THREAD)


def archived_private(state: State, call: Call) -> Answer:
    needed = Permission.READ_MESSAGE_HISTORY | Permission.MANAGE_THREADS
    return _archived(state, call, channel_of(state, call, needed), ChannelKind.PRIVATE_THREAD)


def _archived(state: State, call: Call, parent: Channel, kind: ChannelKind) -> Answer:
    """What was archived last comes first; what was archived before a moment. (Discord's documentation, Channel: List
    Public Archived Threads)
    """
    assert parent.guild is not None
    before, limit = call.query.get("before"), call.number("limit", 50, 100)
    there = [each for each in parent.guild.threads() if each.parent is parent and each.archived and not each.gone]
    those = [each for each in there if each.kind == kind and (before is None or _at(each.changed_at) < _at(before))]
    those.sort(key=lambda each: _at(each.changed_at), reverse=True)
    found, more = those[:limit], len(those) > limit
    members = [each.member(state.bot) for each in found if state.bot in each.recipients]
    return Answer({"threads": [each.wire(state.bot) for each in found], "members": members, "has_more": more})


def _at(timestamp: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(timestamp)


TABLE = (
    Route("GET", "/channels/{channel_id}", channel),
    Route("PATCH", "/channels/{channel_id}", change),
    Route("DELETE", "/channels/{channel_id}", remove),
    Route("POST", "/channels/{channel_id}/messages/{message_id}/threads", begin_at),
    Route("POST", "/channels/{channel_id}/threads", begin),
    Route("GET", "/channels/{channel_id}/thread-members", members),
    Route("GET", "/channels/{channel_id}/thread-members/{user_id}", member),
    Route("PUT", "/channels/{channel_id}/thread-members/@me", join),
    Route("DELETE", "/channels/{channel_id}/thread-members/@me", leave),
    Route("GET", "/channels/{channel_id}/threads/archived/public", archived_public),
    Route("GET", "/channels/{channel_id}/threads/archived/private", archived_private),
)
