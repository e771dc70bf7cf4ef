"""Who asks something of the memory, and where: by a typed command, or by a command, a menu or a button of Discord's.

Whoever asks is met, and a place in which nothing was said yet is described, so that what is kept there has an address.
"""

from collections.abc import Callable
from contextlib import suppress

import discord

from dnam.adapters.discord.own_messages import OwnMessages
from dnam.adapters.discord.places import PLATFORM, account_of, listed, place_of
from dnam.adapters.discord.translate import said_of
from dnam.commands.command import NOTED, Invocation
from dnam.memory import Memory
from dnam.secrets import place_without_secrets
from dnam.standing import standing_in
from dnam.whereabouts import asked_in, handle_of, in_direct
from projections.consent import is_out
from projections.decisions.draft import Draft
from projections.decisions.hear import message_identity
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen, describe
from projections.ids import NOBODY, Handle, Identity, Ref
from projections.links import Direct
from projections.rows import Rows
from replay.errors import LogError

UNSURE = "it is not known for sure just now who can read the channels of this server"
DIRECT = PlaceSeen(PLATFORM, "", "direct", "", "direct")
"""A DM, of somebody who is told besides."""
ANYBODY = Account(PLATFORM, "")
"""Nobody in particular: what holds in a place for whoever is there."""


class Askers:
    """Who asks a bot, as `dnam.commands` wants it."""

    def __init__(
        self, own: OwnMessages, is_owner: Callable[[discord.abc.User], bool], is_unsure_of: Callable[[Ref | None], bool]
    ) -> None:
        self._own = own
        self._is_owner = is_owner
        self._is_unsure_of = is_unsure_of
        """Whether it is not known who can read something of a guild."""

    @property
    def _memory(self) -> Memory:
        return self._own.memory

    async def setting_of(self, interaction: discord.Interaction) -> Invocation:
        """Who uses a command, a menu or a button, and where; what they do is done once, should Discord tell of it
        twice. Who was never heard is met now.
        """
        place, may = place_of_interaction(interaction), interaction.permissions
        asked = await self.asked_by(
            interaction.user,
            place,
            manages=interaction.guild_id is not None and may.manage_guild,
            channel=interaction.channel_id,
        )
        asked = asked._replace(request=asking_identity(interaction.id))
        return await self.seen_alone(interaction, asked)

    async def seen_alone(self, interaction: discord.Interaction, asked: Invocation) -> Invocation:
        """Nobody else sees what is replied to a command or a button: it may say what their DM may."""
        if is_own_direct(interaction) or asked.person == NOBODY:
            return asked
        alone = in_direct(asked.person, PLATFORM)
        return asked._replace(eyes=await standing_in(alone, self._memory.standing))

    async def asked_by(
        self, user: discord.abc.User, place: PlaceSeen, *, manages: bool = False, channel: int | None = None
    ) -> Invocation:
        """Somebody who asks something of the memory in a place, which Discord knows as this channel. `manages`: they
        have Manage Server in its guild.

        LogError where it is not sure who may hear what.
        """
        who = account_of(user)
        if self._memory.engine.store.writable:
            with suppress(LogError, OSError):  # what can be shown is shown also where nothing can be written
                await self._describe(place)
            person = await self._memory.meet(who)
            if place.audience == "direct":
                await self.is_direct_with(person)
        asked = await self._memory.look(lambda rows: invocation(rows, who, place))
        asked = asked._replace(setting=await standing_in(asked.setting, self._memory.standing))
        if self._is_unsure_of(place.guild):
            raise LogError(UNSURE)
        told = self._is_told_why(user, place)
        return asked._replace(
            is_owner=self._is_owner(user),
            manages_guild=manages,
            is_told_why=told,
            direct=_direct(asked, channel),
            channels=lambda word: listed(self._guild(place), word),
        )

    def _guild(self, place: PlaceSeen) -> discord.Guild | None:
        """In whose channels a place is, as far as it is in the cache."""
        return None if place.guild is None else self._own.bot.get_guild(int(place.guild.key))

    def _is_told_why(self, user: discord.abc.User, place: PlaceSeen) -> bool:
        """Whether somebody runs the bot, and nobody else reads what they are told there."""
        return self._is_owner(user) and place.audience == "direct"

    def cannot_ask(self, user: discord.abc.User, place: PlaceSeen, error: Exception) -> str:
        """What to tell somebody whose command does not even begin."""
        if str(error) == UNSURE or self._is_told_why(user, place):
            return f"The memory cannot be asked just now, and nothing was done: {error}"
        return f"The memory cannot be asked just now, and nothing was done. {NOTED}"

    async def _describe(self, place: PlaceSeen) -> None:
        """Record a place of a guild in which nothing was said yet: who may configure it goes by its guild, and what is
        kept there moves when fewer can read it. Not while nobody tells who can.
        """
        said, origin = self._memory.now(), self._memory.origin()
        place = place_without_secrets(place)
        if (
            place.guild is not None
            and place.told
            and await self._memory.look(lambda rows: bool(describe(rows, place, NOBODY, said, origin)))
        ):
            await self._memory.record(lambda rows: describe(rows, place, NOBODY, said, origin))

    async def is_direct_with(self, person: Handle) -> None:
        """Record that there is a DM with somebody in which nothing was heard yet: of the DMs that are not recorded
        nobody tells a bot, and what is said there while it is away would never be read. Nothing of who opted out.
        """
        said, origin = self._memory.now(), self._memory.origin()

        def decision(rows: Rows) -> list[Draft]:
            return [] if is_out(rows, person) else describe(rows, DIRECT, person, said, origin)

        with suppress(LogError, OSError):  # it is recorded with what comes next in it
            if await self._memory.look(lambda rows: bool(decision(rows))):
                await self._memory.record(decision)

    async def wrote_to(self, user: discord.abc.User) -> None:
        """The same of somebody to whom the bot wrote in a DM, where the memory knows them."""
        with suppress(LogError, OSError):
            await self.is_direct_with(await self._memory.look(lambda rows: handle_of(rows, account_of(user))))


def asking_identity(snowflake: int) -> Identity:
    """What the ids are made from of what somebody asks for by something with this id, a message or an interaction: it
    is done once, however often it is taken up.
    """
    return message_identity(PLATFORM, str(snowflake), "asked", said_of(snowflake))


def is_own_direct(interaction: discord.Interaction) -> bool:
    """Whether something is used in the DM of the bot with whoever uses it; not in one of two others."""
    return interaction.guild_id is None and interaction.context.dm_channel


def place_of_interaction(interaction: discord.Interaction) -> PlaceSeen:
    """Where something is used. Without a channel, and where the bot is not, nothing is known, and it is a place of its
    own.
    """
    channel = interaction.channel
    if channel is None or (interaction.guild_id is None and not is_own_direct(interaction)):
        return PlaceSeen(PLATFORM, str(interaction.channel_id or interaction.id), "unknown", "", "channel")
    seen = place_of(channel, interaction.user)
    if isinstance(channel, discord.abc.GuildChannel) and channel.guild.get_channel(channel.id) is not channel:
        return seen._replace(audience="channel")  # what is used there does not say who is kept out of it
    return seen


def invocation(rows: Rows, who: Account, place: PlaceSeen) -> Invocation:
    """Who asks and where, by what is known of both."""
    setting, session = asked_in(rows, who, place)
    return Invocation(setting, session, account=who, has_buttons=True)


def _direct(asked: Invocation, channel: int | None) -> Direct | None:
    audience = asked.setting.audience
    return Direct(audience.place, Ref(PLATFORM, str(channel))) if audience.kind == "direct" and channel else None
