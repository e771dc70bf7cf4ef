"""`lore` and `note`: what belongs to nobody, and who may write it (seed 003, "Memory scopes").

    namespace   holds                                     may be written by
    ─────────   ───────────────────────────────────────   ─────────────────────────────────────────────────────────
    me          what is about whoever asks, as `remember`  everybody
    guild       lore: what everybody of a server may know  who may manage that server, in it
    self        what the assistant knows of itself         its owner
    owner       its owner's private layer                  its owner, in their direct messages
    private     the same                                   the same

A refusal says why, and what to do instead.
"""

from dnam.assistant import Assistant
from dnam.commands import items
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.made_room import made_room
from dnam.commands.picking import listed, shown_id
from dnam.commands.undo import undoable
from dnam.unnamed import noted
from projections.policies.compartments import OWNER, SELF, in_guild
from projections.quoting import one_line

NAMESPACES = ("me", "guild", "self", "owner")
ALIASES = {"user": "me", "lore": "guild", "private": "owner"}
NO_SERVER = "Lore belongs to a server, and this is none: ask me in one of its channels."
NOT_MANAGING = (
    "Only members who may manage this server can write its lore themselves. "
    f"What is about yourself, I keep with `{PREFIX} remember <text>`."
)
NOT_OWNER_SELF = "What I know of myself is for the owner of this bot to write."
NOT_OWNER = "Owner-private notes are for the owner of this bot alone."
NOT_PRIVATE = "Owner-private notes are written and told in the owner's direct messages with me, and nowhere else."
NO_LORE = f"There is no lore of this server yet: `{PREFIX} lore <text>` adds to it, for members who may manage it."


def only_looks(given: Arguments) -> bool:
    """Whether the lore of this server is listed, and none added to it."""
    return not given


async def lore(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Add to the lore of this server; without words, list it."""
    text = arguments.get("text", "")
    return await _keep(assistant, asked, "guild", text) if text else await _listed(assistant, asked)


async def note(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Keep a sentence in a namespace."""
    name = arguments["namespace"].casefold().removesuffix(":")
    namespace = ALIASES.get(name, name)
    if namespace not in NAMESPACES:
        return Reply(f"There is no namespace of this name: {', '.join(NAMESPACES)}.", failed=True)
    if namespace == "me":
        return await items.remember(assistant, asked, arguments)
    return await _keep(assistant, asked, namespace, arguments["text"])


async def _listed(assistant: Assistant, asked: Invocation) -> Reply:
    guild = asked.setting.guild
    if guild is None:
        return Reply(NO_SERVER, failed=True)
    found = await assistant.memory.nobodys(in_guild(guild))
    if not found:
        return Reply(NO_LORE)
    return Reply("\n".join([f"**Lore of this server:** {len(found)}", *listed(found)]), tuple(found))


async def _keep(assistant: Assistant, asked: Invocation, namespace: str, text: str) -> Reply:
    refused = refusal(asked, namespace)
    if refused:
        return Reply(refused, failed=True)
    item = await assistant.memory.remember_nobodys(
        _compartment(asked, namespace), text, by=asked.by, origin=asked.origin
    )
    words = f"Remembered: {one_line(item.text)}\n{REACH[namespace]} ({shown_id(item)}){noted(text)}"
    words += await made_room(assistant.memory, item, asked=asked)
    return await undoable(assistant, Reply(words, (item,)))


REACH = {
    "guild": "It is lore: everybody in this server may be told.",
    "self": "It is about me: everybody may be told, everywhere.",
    "owner": "It stays in your direct messages, as my owner.",
}
"""Who may come to hear what is kept in a namespace."""


def refusal(asked: Invocation, namespace: str) -> str:
    """Why somebody may not write into a namespace there; empty where they may."""
    match namespace:
        case "guild":
            if asked.setting.guild is None:
                return NO_SERVER
            return "" if asked.manages_guild else NOT_MANAGING
        case "self":
            return "" if asked.is_owner else NOT_OWNER_SELF
        case _:
            if not asked.is_owner:
                return NOT_OWNER
            return "" if OWNER in asked.setting.besides else NOT_PRIVATE


def _compartment(asked: Invocation, namespace: str) -> str:
    guild = asked.setting.guild
    if namespace == "guild" and guild is not None:
        return in_guild(guild)
    return SELF if namespace == "self" else OWNER
