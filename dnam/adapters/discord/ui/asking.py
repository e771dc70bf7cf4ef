"""What every use of a command, a menu or a button has in common.

    defer (Discord waits 3 seconds) ─▶ who asks and where ─▶ in order with what is said there ─▶ show, privately

Nothing is raised: what goes wrong is told to who asked, and recorded. Only who asked sees the reply, but
in their DM with the bot, where nobody else reads along.

What comes to the bot later than Discord waits is not done: Discord has told whoever asked that nobody responded, and
they ask again. What is done later than the fifteen minutes in which it can be replied to is done, and the reply comes
in a direct message.

Where the bot itself is not (a server that it is no member of, a DM of two others, a group), nothing is offered, and
what Discord lets through all the same is refused.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import aiohttp
import discord
from discord import app_commands

from dnam.adapters.discord.askers import invocation, is_own_direct, place_of_interaction
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.places import account_of
from dnam.adapters.discord.splitting import split
from dnam.adapters.discord.ui.settled import Settled, Under
from dnam.adapters.discord.ui.shown import Lists, Shown, Work
from dnam.commands.command import Command, Invocation
from dnam.commands.parse import called
from dnam.commands.table import FOR_EVERYBODY, run
from dnam.standing import standing_in
from replay.errors import LogError

NOT_HERE = "I do not answer you here. Who runs me decides where I answer, and whom."
YOURS = (
    "What I record of you is yours all the same: `/memory opt-out`, `opt-in`, `export` and `erase` work for everybody."
)
TOO_LATE = "This took longer than Discord waits for a reply, so it comes here:"
EXPIRED = (50027, 10015)
"""Discord's codes where an interaction can be replied to no more: its token is valid for fifteen minutes."""
ACKNOWLEDGED = 40060
"""Discord's code where it heard already that the bot thinks: the first try arrived, and its answer did not."""
BROKEN = "That did not work, and is noted for whoever runs me."
CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False)
INSTALLS = app_commands.AppInstallationType(guild=True, user=False)
"""Where commands and menus are offered: in the servers where the bot is, and in DMs with it."""
Making = Callable[[Invocation], Awaitable[Shown]]


class Asking:
    """The desk as commands and buttons use it."""

    def __init__(self, desk: Desk, lists: Lists) -> None:
        self.desk = desk
        self.lists = lists
        self._settled = Settled()

    # -- who asks ---------------------------------------------------------------------------------------------------

    async def peek(self, interaction: discord.Interaction) -> Invocation:
        """Who asks and where, without recording anything: for what is asked while somebody types."""
        who, place = account_of(interaction.user), place_of_interaction(interaction)
        asked = await self.desk.memory.look(lambda rows: invocation(rows, who, place))
        asked = asked._replace(setting=await standing_in(asked.setting, self.desk.memory.standing))
        return await self.desk.askers.seen_alone(interaction, asked)

    # -- commands and menus -----------------------------------------------------------------------------------------

    async def command(self, interaction: discord.Interaction, command: Command, given: Mapping[str, str]) -> None:
        """Do what a command says."""
        call = called(command, given)
        await self.reply(
            interaction,
            lambda asked: run(self.desk.assistant, asked, call),
            changes=call.changes,
            slow=command.slow,
            everybody=command.name in FOR_EVERYBODY,
        )

    async def reply(
        self,
        interaction: discord.Interaction,
        work: Work,
        *,
        changes: bool,
        slow: bool = False,
        everybody: bool = False,
    ) -> None:
        """Do it and show what comes of it as a new message. What `changes` something is not done again for a page. For
        what is `slow` nobody else waits. What is for `everybody` is also for whom the bot does not answer.
        """

        async def making(asked: Invocation) -> Shown:
            return self.lists.shown(await work(asked), interaction.user.id, None if changes else work)

        await self.show(interaction, making, slow=slow, everybody=everybody)

    async def show(
        self, interaction: discord.Interaction, making: Making, *, slow: bool = False, everybody: bool = False
    ) -> None:
        """Show what is made as a new message, privately where others read along."""
        if not self.desk.takes(interaction.id):  # Discord told of it a second time
            return
        defer = partial(interaction.response.defer, ephemeral=_is_private(interaction), thinking=True)
        if not await self._taken(f"taking {_used(interaction)}", defer):
            return
        shown = await self._made(interaction, making, slow=slow, everybody=everybody)
        await self._tell("answering a command", interaction.user, shown, lambda: self._sent(interaction, shown))

    async def change(self, interaction: discord.Interaction, making: Making) -> None:
        """Show what is made in place of the message whose button was pressed."""
        await self._in_place(interaction, lambda: self._made(interaction, making))

    async def settle(self, interaction: discord.Interaction, making: Making, *, everybody: bool = False) -> None:
        """The same, where it does what the message asks about: that, and what stood beside it, is done once."""
        await self._in_place(interaction, lambda: self._made(interaction, making, everybody=everybody), settles=True)

    async def leave(self, interaction: discord.Interaction, shown: Shown) -> None:
        """Do nothing, and nothing any more of what the message asks about: it says this, at once."""

        async def made() -> Shown:
            return shown

        await self._in_place(interaction, made, settles=True)

    async def _in_place(
        self, interaction: discord.Interaction, make: Callable[[], Awaitable[Shown]], *, settles: bool = False
    ) -> None:
        """Make it, and show it in place of the message, unless what was pressed was settled before: then the message
        says what came of that, and only what could not be shown of it is.
        """
        if not await self._taken("answering a button", interaction.response.defer):
            return
        async with self._settled.under(interaction) as under:
            shown = under.unshown
            if not under.is_settled(interaction):
                shown = await make()
                if settles and not shown.failed:
                    under.settle(interaction, shown)
            if shown is not None:
                await self._put(interaction, under, shown)

    async def _put(self, interaction: discord.Interaction, under: Under, shown: Shown) -> None:
        async def say() -> None:
            await self._edited(interaction, shown)
            under.unshown = None

        await self._tell("answering a button", interaction.user, shown, say)

    def admits(self, interaction: discord.Interaction) -> bool:
        """Whether this person is answered here at all."""
        return self._is_present(interaction) and self.desk.allowed.admits(interaction.user.id, interaction.guild_id)

    def is_unsure(self, interaction: discord.Interaction) -> bool:
        """Whether it is not known who can read something of the guild where something is used."""
        return self.desk.is_unsure_of(place_of_interaction(interaction).guild)

    async def is_silent(self, interaction: discord.Interaction) -> bool:
        """Whether whoever uses something is not replied to there where others read along."""
        if is_own_direct(interaction):
            return False
        who, place = account_of(interaction.user), place_of_interaction(interaction)
        return await self.desk.is_silent_for(interaction.user, place, who)

    def _is_present(self, interaction: discord.Interaction) -> bool:
        """Whether the bot is itself where something is used."""
        if interaction.guild_id is None:
            return is_own_direct(interaction)
        return self.desk.bot.get_guild(interaction.guild_id) is not None

    async def _made(
        self, interaction: discord.Interaction, making: Making, *, slow: bool = False, everybody: bool = False
    ) -> Shown:
        if not (self._is_present(interaction) if everybody else self.admits(interaction)):
            return Shown(f"{NOT_HERE} {YOURS}" if self._is_present(interaction) else NOT_HERE)
        queue = self.desk.queue_of(interaction)

        async def work() -> Shown:
            made = await making(await self.desk.askers.setting_of(interaction))
            return made._replace(text=await self.desk.handed_over(interaction.user, made.text, made.file))

        try:
            return await self.desk.run_in_session(queue, work, slow=slow)
        except (LogError, OSError) as error:
            await self.desk.could_not_ask(_used(interaction), error)
            why = self.desk.askers.cannot_ask(interaction.user, place_of_interaction(interaction), error)
            return Shown(why, failed=True)
        except Exception as error:  # noqa: BLE001 - one use of a command; whoever asked is told, and it is recorded
            await self.desk.failed(_used(interaction), error)
            return Shown(BROKEN, failed=True)

    async def _taken(self, job: str, defer: Callable[[], Awaitable[object]]) -> bool:
        """Whether Discord heard in time that the bot thinks."""

        async def deferring() -> None:
            try:
                await defer()
            except discord.HTTPException as error:
                if error.code != ACKNOWLEDGED:
                    raise

        return await self.guarded(job, deferring)

    async def _tell(
        self, job: str, user: discord.User | discord.Member, shown: Shown, say: Callable[[], Awaitable[None]]
    ) -> None:
        """Show it; in a direct message, where it can be shown no more where it was asked."""

        async def telling() -> None:
            try:
                await say()
            except discord.HTTPException as error:
                if error.code not in EXPIRED:
                    raise
                await self.desk.failed(job, error)
                await self._in_direct(user, shown)

        await self.guarded(job, telling)

    async def _in_direct(self, user: discord.User | discord.Member, shown: Shown) -> None:
        parts = split(f"{TOO_LATE}\n{shown.text}")
        for index, part in enumerate(parts):
            message = await user.send(
                part,
                view=shown.view if shown.view is not None and index + 1 == len(parts) else discord.utils.MISSING,
                allowed_mentions=discord.AllowedMentions.none(),
                suppress_embeds=True,
            )
            self.desk.sent(message)
        await self.desk.askers.wrote_to(user)

    async def _sent(self, interaction: discord.Interaction, shown: Shown) -> None:
        message = await interaction.followup.send(
            shown.text,
            view=discord.utils.MISSING if shown.view is None else shown.view,
            allowed_mentions=discord.AllowedMentions.none(),
            suppress_embeds=True,
            ephemeral=_is_private(interaction),  # as it began, should it be shown already
            wait=True,
        )
        self.desk.sent(message.id)

    async def _edited(self, interaction: discord.Interaction, shown: Shown) -> None:
        await interaction.edit_original_response(
            content=shown.text, view=shown.view, allowed_mentions=discord.AllowedMentions.none()
        )

    # -- what goes wrong --------------------------------------------------------------------------------------------

    async def guarded(self, job: str, work: Callable[[], Awaitable[None]]) -> bool:
        """Do this; False when Discord or the network did not let it happen, and then that is recorded."""
        try:
            await work()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            await self.desk.failed(job, error)
            return False
        return True


def _is_private(interaction: discord.Interaction) -> bool:
    """Whether a reply is shown to who asked alone: others may read along but in their DM with the bot."""
    return not is_own_direct(interaction)


def _used(interaction: discord.Interaction) -> str:
    """What was used, by its name, without what was given to it."""
    command = interaction.command
    if command is None:
        return "a button or a menu"
    return f"/{command.qualified_name}" if isinstance(command, app_commands.Command) else command.qualified_name
