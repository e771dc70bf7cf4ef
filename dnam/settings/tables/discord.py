"""The bot: how it reaches Discord, and whom it answers."""

from dnam.settings.allowed import SECRET, SNOWFLAKE, SNOWFLAKES, URL, Ids, OneOf
from dnam.settings.setting import Setting

DISCORD = (
    Setting(
        "DISCORD_TOKEN",
        str,
        "",
        SECRET,
        "The bot's token. Without it `dnam run` opens the chat in the terminal.",
        secret=True,
    ),
    Setting(
        "DISCORD_API_URL",
        str,
        "",
        URL,
        "Where Discord's REST API is, for a proxy or a test server. Empty: Discord's own.",
    ),
    Setting(
        "DNAM_OWNER_IDS",
        Ids,
        "",
        SNOWFLAKES,
        "The users who own the bot, and may set everything. Empty: the application's owner, or its team.",
    ),
    Setting(
        "DNAM_ALLOW_USERS",
        Ids,
        "",
        SNOWFLAKES,
        "The users who are answered. With this and DNAM_ALLOW_GUILDS empty, nobody is. What others say where the bot "
        "can read it is recorded all the same.",
        ("DISCORD_ALLOW_USER_IDS",),
    ),
    Setting(
        "DNAM_ALLOW_GUILDS",
        Ids,
        "",
        SNOWFLAKES,
        "The guilds in whose channels everybody is answered. What is said where the bot can read it in others is "
        "recorded all the same.",
    ),
    Setting(
        "DNAM_RESPOND_MODE",
        str,
        "mention",
        OneOf(("mention", "all", "owner", "none")),
        "What is answered in channels, where `dnam config` does not say: mentions and replies, everything, mentions "
        "and replies of the owner, or nothing: then typed commands (`!memory`) are not answered either, and `/memory` "
        "is, privately. Direct messages are answered whatever is set here.",
    ),
    Setting(
        "DNAM_MEMORY_CHANNEL_ID",
        str,
        "",
        SNOWFLAKE,
        "The channel in which one pinned message per person shows what is known of them. Empty: none.",
        ("DISCOCLAW_MEMORY_CHANNEL_ID",),
    ),
)
