"""Where another program's memories go: its levels and scopes, and dnam's compartments, as a table.

Never wider than the program itself let it be read, and where that is not known, it is not taken. Importers look their
rows up in here, and `dnam import --dry-run` prints it.
"""

from typing import NamedTuple

from dnam.importers.source import CompartmentKind, Format

WIDER = "; with --portable everywhere"
OF_A_CHANNEL = "who could read it is not in the file; without messages from there nobody could erase it: not taken"
UNKNOWN_LEVEL = "a level that dnam does not know: who could read it is not known either"


class Level(NamedTuple):
    """What `program` calls a level, and the compartment for it. `owned`: the item is its person's own, else nobody's.

    Without a `where` it is not taken, and `why` is what it is counted by.
    """

    program: Format
    level: str
    where: CompartmentKind | None
    owned: bool
    why: str

    @property
    def compartment(self) -> str:
        """The compartment, as design and audit write it."""
        return NOT_TAKEN if self.where is None else COMPARTMENTS[self.where, self.owned]


NOT_TAKEN = "not taken"
COMPARTMENTS: dict[tuple[CompartmentKind, bool], str] = {
    ("direct", True): "person/P/direct",
    ("channel", True): "person/P/channel/C",
    ("channel", False): "channel/C",
    ("guild", True): "guild/G (P's own)",
    ("guild", False): "guild/G",
    ("everywhere", True): "person/P/everywhere",
    ("self", False): "self",
    ("owner", False): "owner",
}

LEVELS: tuple[Level, ...] = (
    Level("discord-export", "--audience guild", "guild", False, "all of the guild could read it"),
    Level("discord-export", "--audience channel, or unsaid", "channel", False, "who could read it is not in the file"),
    Level("discord-export", "--audience dm, or a DM", "direct", True, "the two of them could read it"),
    Level("locomo", "--audience guild or channel, or unsaid", "channel", False, "a conversation belongs to no guild"),
    Level("locomo", "--audience dm", "direct", True, "the two of them could read it"),
    Level("discoclaw", "durable item", "direct", True, f"DiscoClaw has no levels: the narrowest{WIDER}"),
    Level("discoclaw", "rolling summary of a DM", "direct", True, "the two of them could read it"),
    Level("discoclaw", "rolling summary of a channel", "channel", False, OF_A_CHANNEL),
    Level("slashai", "dm", "direct", True, "slashAI recalls it in P's DMs only"),
    Level("slashai", "channel_restricted", "channel", True, "slashAI recalls it in its own channel only, for P only"),
    Level("slashai", "guild_public", "guild", True, "slashAI recalls it in all of the guild; it stays P's own"),
    Level("slashai", "global", "everywhere", True, "slashAI recalls it anywhere, for P only"),
    Level("slashai", "any other level", None, True, UNKNOWN_LEVEL),
    Level(
        "slashai", "any, without its channel or guild", None, True, "its level needs a channel or guild that it has not"
    ),
    Level("slashai", "any, with an agent_id", None, True, "it belongs to one of several agents, not to all"),
    Level(
        "slashai", "any, not from Discord", None, True, "it is from another platform: who could read it is not known"
    ),
    Level("slashai", "embedding", None, True, "vectors are made anew, by the model that searches them"),
    Level("clanky", "user, of a person", "everywhere", True, "portable: it follows its person through guilds and DMs"),
    Level("clanky", "user, __self__", "self", False, "Clanky recalls what it knows of itself in guilds and DMs"),
    Level("clanky", "guild, of a person", "guild", True, "Clanky recalls it in this guild only; it is P's own"),
    Level("clanky", "guild, __lore__", "guild", False, "the lore of this guild"),
    Level("clanky", "guild, __self__", "guild", False, "of the bot, but learned and recalled in this guild only"),
    Level(
        "clanky",
        "owner, __owner__ or of a person",
        "owner",
        False,
        "it is recalled in the owner's private contexts only",
    ),
    Level("clanky", "no scope column (older)", "guild", True, "read as guild: older rows all have a guild_id"),
    Level("clanky", "any other scope or subject", None, True, UNKNOWN_LEVEL),
    Level("clanky", "guild, without a guild_id", None, True, "its level needs a channel or guild that it has not"),
    Level("clanky", "quotes of what is nobody's", None, False, "kept only with their message, so that they go with it"),
    Level(
        "snowclaw",
        "npub, first seen in a group",
        "channel",
        True,
        f"its h tag lets that group read it, in answers to P{WIDER}",
    ),
    Level(
        "snowclaw",
        "npub, of no known group",
        "direct",
        True,
        f"who could read it is not in the file: the narrowest{WIDER}",
    ),
    Level("snowclaw", "group", "channel", False, "its h tag lets the group's members read it, and nobody else"),
    Level("snowclaw", "members of a group", None, False, "people become known when they say something"),
    Level("snowclaw", "is_owner, profile, former names", None, True, "nothing was learned from them"),
)
"""Every level of every program, in words; the order is that of the printed table."""

_BY_NAME = {(each.program, each.level): each for each in LEVELS}


def level(program: Format, name: str) -> Level:
    """A row of the table."""
    return _BY_NAME[program, name]


def of_program(program: Format) -> tuple[Level, ...]:
    """A program's part of the table."""
    return tuple(each for each in LEVELS if each.program == program)
