"""Discord: the assistant as a bot, or as an extension of anybody's bot.

await bot.load_extension("dnam.adapters.discord")

translate   a message as a request             respond     whether it is answered
places      who can read it                    splitting   long answers
desk        what all of this shares            appearing   an answer as it appears, also after a crash
hearing     messages, edits, deletions, live   streaming   while the model writes it
catching_up what was missed                    answering   think, record, send
audiences   who can read it now                cog         what Discord tells a bot
missed      what of it is news, and what open  history     what was said there before
obeying     typed commands                     replying    what they say
memory_channel  whether what is remembered can be shown there
ui/         what people press and pick         watched     what is said of a running bot on its health port
bot, alone  `dnam run`, once for each token
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discord.ext import commands


async def setup(bot: "commands.Bot | commands.AutoShardedBot") -> None:
    """Give a bot memory, with settings from the environment, `.env` and `dnam.toml`, as `dnam run` reads them.

    Once the bot is ready, `/memory` and two message menus are added, one by one, to the commands that Discord knows of
    it: its own are neither told, replaced nor removed, and those of the same name stay. They are in `bot.tree` too, so
    a `sync()` of yours keeps them. With DNAM_MEMORY_COMMANDS_ENABLED=0 there are none; those that Discord was told of
    before go with your next `sync()`. What is heard as said by the bot is every message of its own but replies to
    application commands and messages with suppressed embeds.

    The bot needs the intents `guilds`, `messages` and `message_content`. Without `guilds` nobody tells it who can read
    what: what is said in servers is then neither heard nor answered, and the log says so.

    DNAM_HEALTH_PORT serves the same pages as beside `dnam run`; how a program logs is its own.

    SettingError when one of them is not allowed, LogError when the memory cannot be opened, PortTaken when another
    program has that port.
    """
    from dnam.adapters.discord.extension import cog_of

    await bot.add_cog(await cog_of(bot))
