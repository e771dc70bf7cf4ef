"""Who can read a place in Discord: from a channel to a `PlaceSeen`.

channel                                   audience
───────────────────────────────────────   ─────────────────────────────────────────────────────
what is known to be a DM                  direct: its person
what everyone in the guild can read       guild: @everyone may, also its history, and no role or member is kept out
a public thread, a forum post             its parent's, and what is kept there is its parent's too
a private thread, a group, all else       channel: restricted to itself

What is not known fails closed: a kind of channel that this program does not know, a thread without its parent, a guild
that is not in the cache, of which a message has the id alone: it is no DM for that. Closed too soon costs a fresh
window; open too soon cannot be taken back.
"""

import discord

from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.heard import PlaceKind
from projections.events.values import AudienceKind
from projections.ids import DISCORD, Ref

PLATFORM = DISCORD

KINDS: dict[discord.ChannelType, PlaceKind] = {
    discord.ChannelType.text: "channel",
    discord.ChannelType.news: "channel",
    discord.ChannelType.voice: "voice",
    discord.ChannelType.stage_voice: "stage",
    discord.ChannelType.forum: "forum",
    discord.ChannelType.media: "forum",
    discord.ChannelType.public_thread: "thread",
    discord.ChannelType.news_thread: "thread",
    discord.ChannelType.private_thread: "thread",
    discord.ChannelType.private: "direct",
    discord.ChannelType.group: "group",
}
"""What Discord's channels are; whatever else there may be is `unknown`."""
OPEN_THREADS = (discord.ChannelType.public_thread, discord.ChannelType.news_thread)
LISTENED = (discord.VoiceChannel, discord.StageChannel)
"""Whose text is for those who may join."""

Channel = (
    discord.abc.GuildChannel
    | discord.abc.PrivateChannel
    | discord.Thread
    | discord.PartialMessageable
    | discord.abc.Messageable
)


def account_of(user: discord.abc.User) -> Account:
    """Somebody, under the names that they have everywhere: what one server calls them is not for another."""
    return Account(PLATFORM, str(user.id), user.global_name or user.name, user.name)


def place_of(channel: Channel, partner: discord.abc.User | None = None) -> PlaceSeen:
    """A place as Discord describes it now. `partner` is whose DM it is, where the channel does not say.

    Of a guild that is not known, nobody told who can read it: what was recorded of that stays as it is.
    """
    whose = (partner or getattr(channel, "recipient", None)) if is_direct(channel) else None
    if whose is not None:
        return PlaceSeen(PLATFORM, "", "direct", "", "direct", partner=account_of(whose))
    guild, guild_id = getattr(channel, "guild", None), guild_id_of(channel)
    parent = getattr(channel, "parent_id", None) if isinstance(channel, discord.Thread) else None
    return PlaceSeen(
        platform=PLATFORM,
        key=str(channel.id),  # type: ignore[union-attr] # everything of Discord's has an id
        kind=_kind(channel),
        name="" if guild is None else getattr(channel, "name", None) or "",
        audience=audience_of(channel),
        guild=None if guild_id is None else Ref(PLATFORM, str(guild_id)),
        guild_name="" if guild is None else getattr(guild, "name", None) or "",
        parent=Ref(PLATFORM, str(parent)) if parent else None,
        told=guild_id is None or is_known(guild),
        readers=_readers(channel),
        above=_above(channel),
    )


def guild_id_of(channel: object) -> int | None:
    """In which guild a place is, also where that is not in the cache: a channel says by an id that it has one."""
    guild = getattr(channel, "guild", None)
    return getattr(channel, "guild_id", None) if guild is None else guild.id


def is_direct(channel: object) -> bool:
    """Whether a place is known to be a DM. What is in a guild, or is of a kind that nobody tells, is none."""
    may_be = isinstance(channel, discord.DMChannel | discord.PartialMessageable)
    return may_be and guild_id_of(channel) is None and _kind(channel) == "direct"


def is_known(guild: discord.Guild | None) -> bool:
    """Whether Discord has told of a guild's channels and roles, and tells of what changes there: not of one that is
    away or that the bot is in no more, and of none without the intent `guilds`.
    """
    return guild is not None and not guild.unavailable


def listed(guild: discord.Guild | None, word: str) -> tuple[PlaceSeen, ...]:
    """The channels of a guild that go by an id or a name, and the thread that goes by an id. A heading over channels is
    none: nothing holds there.
    """
    if guild is None:
        return ()
    key, name = word.removeprefix(f"{PLATFORM}:"), word.casefold()
    is_id = key.isascii() and key.isdecimal()
    thread = guild.get_thread(int(key)) if is_id else None
    channels = (each for each in guild.channels if not isinstance(each, discord.CategoryChannel))
    found = (each for each in channels if str(each.id) == key or each.name.casefold() == name)
    return tuple(map(place_of, (*found, *([thread] if thread else ()))))


def audience_of(channel: object) -> AudienceKind:
    """Who can read a place that is no DM: everyone of its guild, or those it is restricted to."""
    if isinstance(channel, discord.Thread):
        parent = channel.parent
        return audience_of(parent) if channel.type in OPEN_THREADS and parent is not None else "channel"
    if isinstance(channel, discord.abc.GuildChannel) and _kind(channel) != "unknown":
        return "guild" if _everyone_reads(channel) else "channel"
    return "channel"


def shows_name(where: object, channel: discord.abc.GuildChannel) -> bool:
    """Whether all who read what is said somewhere see a channel of that guild, and so its name: everyone sees it, or it
    is said there. Of two places of few nobody tells a bot whether they are the same few.
    """
    here = where.parent_id if isinstance(where, discord.Thread) else getattr(where, "id", None)
    return here == channel.id or _everyone_sees(channel)


def _above(channel: object) -> PlaceSeen | None:
    """The channel that a thread hangs on, where it is in the cache; of that channel no more than itself."""
    parent = channel.parent if isinstance(channel, discord.Thread) else None
    return None if parent is None else place_of(parent)


def _readers(channel: object) -> Ref | None:
    """The parent of a public thread, where it is known."""
    parent = channel.parent if isinstance(channel, discord.Thread) and channel.type in OPEN_THREADS else None
    return None if parent is None else Ref(PLATFORM, str(parent.id))


def _everyone_reads(channel: discord.abc.GuildChannel) -> bool:
    everyone = channel.guild.get_role(channel.guild.id)
    if everyone is None:  # the guild is not in the cache
        return False
    may = channel.permissions_for(everyone)
    others = (overwrite for of, overwrite in channel.overwrites.items() if of.id != everyone.id)
    return _reads(may, channel) and not any(_keeps_out(each, channel) for each in others)


def _everyone_sees(channel: discord.abc.GuildChannel) -> bool:
    everyone = channel.guild.get_role(channel.guild.id)
    if everyone is None:  # the guild is not in the cache
        return False
    hidden = any(overwrite.view_channel is False for overwrite in channel.overwrites.values())
    return channel.permissions_for(everyone).view_channel and not hidden


def _reads(may: discord.Permissions, channel: discord.abc.GuildChannel) -> bool:
    return may.view_channel and may.read_message_history and (may.connect or not isinstance(channel, LISTENED))


def _keeps_out(overwrite: discord.PermissionOverwrite, channel: discord.abc.GuildChannel) -> bool:
    """Whether some may not read what everyone may. Who holds a role, and whom another lets in again, nobody tells a
    bot: the channel counts as closed.
    """
    told = (overwrite.view_channel, overwrite.read_message_history)
    return False in told or (overwrite.connect is False and isinstance(channel, LISTENED))


def _kind(channel: object) -> PlaceKind:
    kind = getattr(channel, "type", None)
    return KINDS.get(kind, "unknown") if isinstance(kind, discord.ChannelType) else "unknown"


def queue_of(place: PlaceSeen) -> str:
    """The name of a place's queue: its session, with the account for a DM. It is never recorded."""
    if place.partner is not None:
        return direct_queue(place.partner.id)
    return f"{PLATFORM}:{'thread' if place.kind == 'thread' else 'channel'}:{place.key}"


def direct_queue(user_id: int | str) -> str:
    """The same of somebody's DM."""
    return f"{PLATFORM}:dm:{user_id}"
