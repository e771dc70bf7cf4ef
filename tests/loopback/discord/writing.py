"""What somebody wrote, as a message holds it: mentions found, files kept, lengths checked, components numbered."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.errors import empty_message, missing_permissions, wrong_form
from tests.loopback.discord.messages import Attachment, Message, MessageFlag, Said
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.rest import Upload
from tests.loopback.discord.state import State
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire

LONGEST = 2000
"""Characters in a message."""
MENTION = re.compile(r"<@!?(\d+)>")
ROLE = re.compile(r"<@&(\d+)>")
EVERYONE = re.compile(r"@(everyone|here)\b")
KEPT_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.COMPONENTS_V2
ACTION_ROW, BUTTON, STRING_SELECT = 1, 2, 3
SELECTS = (STRING_SELECT, 5, 6, 7, 8)
"""Menus of texts, users, roles, mentionables, channels. (Discord's documentation, Component Reference)"""
CONTAINER = 17
UNSAID: dict[int, Wire] = {each: {"min_values": 1, "max_values": 1} for each in SELECTS}
UNSAID[CONTAINER] = {"accent_color": None, "spoiler": False}
"""What a component that does not say so is shown with, by its type."""
LINK = 5
"""The style of a button that only opens an address."""


@dataclass(frozen=True)
class Mentionable:
    """Whom a text may mention, by `allowed_mentions`. Nothing said: everybody."""

    users: bool | frozenset[int] = True
    everyone: bool = True
    replied: bool = True
    roles: bool | frozenset[int] = True

    def of(self, found: Sequence[int]) -> list[int]:
        return _among(self.users, found)

    def of_roles(self, found: Sequence[int]) -> list[int]:
        return _among(self.roles, found)


def _among(allowed: bool | frozenset[int], found: Sequence[int]) -> list[int]:
    return [each for each in found if allowed is True or (allowed and each in allowed)]


def mentionable(allowed: Wire | None, replied: bool = True) -> Mentionable:
    """Read `allowed_mentions`."""
    if allowed is None:
        return Mentionable(replied=replied)
    parse = allowed.get("parse") or []
    users: bool | frozenset[int] = "users" in parse or frozenset(int(each) for each in allowed.get("users") or [])
    if "users" in parse and allowed.get("users"):
        raise wrong_form(
            "allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse and users exclude each other"
        )
    roles: bool | frozenset[int] = "roles" in parse or frozenset(int(each) for each in allowed.get("roles") or [])
    return Mentionable(users, "everyone" in parse, bool(allowed.get("replied_user")), roles)


def written(state: State, channel: Channel, author: User, body: Wire, uploads: Sequence[Upload] = ()) -> Said:
    """A new message's words; raises Refused as Discord does."""
    said = Said(flags=MessageFlag(body.get("flags") or 0) & KEPT_FLAGS)
    said.attachments = attached(state, body, uploads)
    said.components = arranged(body.get("components") or [])
    said.embeds = shown(body.get("embeds") or [])
    _words(state, channel, author, said, body.get("content") or "", mentionable(body.get("allowed_mentions")))
    if said.empty:
        raise empty_message()
    return said


def rewritten(state: State, channel: Channel, message: Message, body: Wire, uploads: Sequence[Upload] = ()) -> Said:
    """What a message says after an edit: what is not named stays."""
    old = message.said
    said = replace(old)
    if "flags" in body:
        said.flags = MessageFlag(body["flags"] or 0) & KEPT_FLAGS | old.flags & ~KEPT_FLAGS
    if body.get("components") is not None:
        said.components = arranged(body["components"])
    if body.get("embeds") is not None:
        said.embeds = shown(body["embeds"])
    if body.get("attachments") is not None or uploads:
        said.attachments = attached(state, body, uploads, old.attachments)
    if "content" in body:
        allowed = mentionable(body.get("allowed_mentions"))
        _words(state, channel, message.author, said, body["content"] or "", allowed)
        said.mentions = message.still_mentioned(said.mentions)
    if said.empty:
        raise empty_message()
    return said


def _words(state: State, channel: Channel, author: User, said: Said, content: str, allowed: Mentionable) -> None:
    if len(content) > LONGEST:
        raise wrong_form("content", "BASE_TYPE_MAX_LENGTH", f"Must be {LONGEST} or fewer in length.")
    if content and said.flags & MessageFlag.COMPONENTS_V2:
        raise wrong_form("content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "Not with components v2.")
    said.content = content.strip()
    found = dict.fromkeys(int(each) for each in MENTION.findall(content))
    said.mentions = [state.users[each] for each in allowed.of(list(found)) if each in state.users]
    may = bool(channel.allowed(author) & Permission.MENTION_EVERYONE)
    said.mention_everyone = bool(may and allowed.everyone and EVERYONE.search(content))
    said.mention_roles = allowed.of_roles(roles_called(channel, content, may))


def roles_called(channel: Channel, content: str, may: bool) -> list[int]:
    """The roles that a text calls: those that may be called, and every one by who may mention everyone."""
    roles = channel.guild.roles if channel.guild else {}
    found = dict.fromkeys(int(each) for each in ROLE.findall(content))
    return [each for each in found if each in roles and (may or roles[each].mentionable)]


def attached(
    state: State, body: Wire, uploads: Sequence[Upload], before: Sequence[Attachment] = ()
) -> list[Attachment]:
    """The files that came along, and those of before that `attachments` still names."""
    described = {str(each["id"]): each for each in body.get("attachments") or []}
    kept = [each for each in before if str(each.id) in described or "attachments" not in body]
    for n, upload in enumerate(uploads):
        about = described.get(str(n), {})
        kept.append(_file(state, about.get("filename") or upload.name, upload, about.get("description") or ""))
    return kept


def _file(state: State, name: str, upload: Upload, description: str) -> Attachment:
    number = state.ids.next()
    url = f"{state.settings.address}/attachments/{number}/{name}"
    return Attachment(number, name, upload.content, url, upload.content_type, description)


def shown(embeds: Sequence[Wire]) -> list[Wire]:
    """Embeds as a message shows them."""
    return [{"type": "rich"} | each for each in embeds]


def arranged(components: Sequence[Wire]) -> list[Wire]:
    """Components as a message shows them: whether a choice is required is for forms alone."""
    rows = numbered(components)
    for each in flat(rows):
        if each["type"] in SELECTS:
            each.pop("required", None)
    return rows


def numbered(components: Sequence[Wire]) -> list[Wire]:
    """Components each with an id, and without what was said to be nothing."""
    counted = itertools.count(1)
    rows = [_numbered(each, counted) for each in components]
    names = [each["custom_id"] for each in flat(rows) if each.get("custom_id")]
    if len(names) != len(set(names)):
        raise wrong_form("components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
    return rows


def _numbered(component: Wire, counted: Iterator[int]) -> Wire:
    given = component.get("id") or next(counted)
    kept = {name: value for name, value in component.items() if value is not None}
    kept = UNSAID.get(component["type"], {}) | kept | {"id": given}
    if "emoji" in kept:
        kept["emoji"] = {name: value for name, value in kept["emoji"].items() if value is not None}
    for name in ("components", "accessory", "component"):
        if isinstance(kept.get(name), list):
            kept[name] = [_numbered(each, counted) for each in kept[name]]
        elif name in kept:
            kept[name] = _numbered(kept[name], counted)
    return kept


def flat(components: Sequence[Wire]) -> Iterator[Wire]:
    """All components, those inside of others too."""
    for each in components:
        yield each
        inner = [*each.get("components", []), *(each[name] for name in ("accessory", "component") if name in each)]
        yield from flat(inner)


def may_send(channel: Channel, author: User, said: Said) -> None:
    """Whether somebody may say this here; raises Refused."""
    needed = Permission.SEND_MESSAGES
    if said.attachments:
        needed |= Permission.ATTACH_FILES
    if said.embeds:
        needed |= Permission.EMBED_LINKS
    if channel.allowed(author) & needed != needed:
        raise missing_permissions()
