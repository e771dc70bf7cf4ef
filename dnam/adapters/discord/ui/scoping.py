"""What may stand for a scope while somebody types `/memory config`: only what they may configure.

everybody                 me
who manages the server    here, guild, and its channels by their names
the owner                 all of these, and global
"""

import discord
from discord import app_commands

MOST_CHOICE_CHARS = 100
MOST_CHOICES = 25


def scopes_offered(interaction: discord.Interaction, *, is_owner: bool, typed: str) -> list[app_commands.Choice[str]]:
    """The scopes that fit what was typed so far; a channel is chosen by its id, and shown under its name."""
    guild = interaction.guild
    words = ["me", *(["global"] if is_owner else [])]
    channels: list[discord.abc.GuildChannel] = []
    if guild is not None and (is_owner or interaction.permissions.manage_guild):
        words += ["here", "guild"]
        channels = sorted(guild.channels, key=lambda each: each.name.casefold())
    choices = [app_commands.Choice(name=each, value=each) for each in words]
    choices += [_choice(each) for each in channels if not isinstance(each, discord.CategoryChannel)]
    wanted = typed.strip().removeprefix("channel/").casefold()
    return [each for each in choices if wanted in f"{each.name} {each.value}".casefold()][:MOST_CHOICES]


def _choice(channel: discord.abc.GuildChannel) -> app_commands.Choice[str]:
    return app_commands.Choice(name=f"#{channel.name}"[:MOST_CHOICE_CHARS], value=f"channel/{channel.id}")
